"""The command `irdiv coverage`: formats of nuggets and runs, what it prints, and mistakes."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pytest

import cli_helpers
import irdiv
from cli_helpers import call
from helpers import NUGGET_JUDGMENTS
from irdiv.rag import read_contexts, read_crux, read_nuggets

RUNS = {
    "bm25": {"q1": ["p1", "p5", "p4"], "q2": ["p1", "p7"]},
    "dense": {"q1": ["p2", "p3", "p1"], "q2": ["p2", "p1"]},
    "hybrid": {"q1": ["p4", "p2"], "q2": ["p9"]},
}
COVERAGE = {"bm25": (1 / 4 + 1 / 3) / 2, "dense": (3 / 4 + 2 / 3) / 2, "hybrid": (2 / 4 + 0 / 3) / 2}
FIELDS = ("question_id", "nugget_id", "importance", "passage_id", "label")
JUDGMENTS = [{**dict(zip(FIELDS, row, strict=True)), "text": f"text of {row[1]}"} for row in NUGGET_JUDGMENTS]
BARE_JUDGMENTS = [
    {"qid": topic, "nugget_id": nugget, "docid": doc, "label": label}
    for topic, nugget, _, doc, label in NUGGET_JUDGMENTS
    if label != "not_support"
]
"""Judgments with a label other than not_support, without importance and texts."""
NUGGETS = [
    {
        "qid": topic,
        "nuggets": [
            {"id": nugget, "text": f"text of {nugget}", "importance": importance}
            for nugget, importance in {row[1]: row[2] for row in NUGGET_JUDGMENTS if row[0] == topic}.items()
        ],
    }
    for topic in ("q1", "q2")
]
WARNINGS = ("2 of 7 intents have no judged", "the run lacks 1 of 2")


def write(name: str, records: list[dict[str, object]]) -> str:
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    Path(name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return name


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    """Judgments, and runs as rows, in the working directory."""
    monkeypatch.chdir(tmp_path)
    write("judgments.jsonl", JUDGMENTS)
    write("nuggets.jsonl", NUGGETS)
    write("bare.jsonl", BARE_JUDGMENTS)
    Path("runs").mkdir()
    for name, run in RUNS.items():
        rows = [
            {"question_id": topic, "passage_id": doc, "rank": rank}
            for topic, docs in run.items()
            for rank, doc in enumerate(docs, 1)
        ]
        write(f"runs/{name}.jsonl", rows)


def out(capsys, *arguments: str, **options: object) -> str:
    return cli_helpers.out(capsys, "coverage", *arguments, warns=WARNINGS, **options)


def error(capsys, *arguments: str) -> str:
    return cli_helpers.error(capsys, "coverage", *arguments)


def means(capsys, *arguments: str, **options: object) -> dict[str, float]:
    """Return the mean of each run by the first measure."""
    found = cli_helpers.means(capsys, "coverage", *arguments, warns=WARNINGS, **options)
    return {run: pytest.approx(next(iter(values.values()))) for run, values in found.items()}


# What is printed


def test_report_has_means_ranking_and_missed_nuggets(capsys):
    sections = [section.splitlines() for section in out(capsys, "judgments.jsonl", "runs").split("\n\n")]
    table, ranking, worst = sections
    assert table[0] == "Means over 2 questions with 7 nuggets"
    assert table[1].split() == ["run", "Coverage@10", "Vital-coverage@10", "All-covered@10", "alpha-nDCG@10"]
    assert [line.split()[:3] for line in table[2:]] == [
        ["bm25", "0.2917", "0.6667"],  # 1 of 3 and 1 of 1 vital nuggets
        ["dense", "0.7083", "0.8333"],
        ["hybrid", "0.2500", "0.3333"],
    ]
    assert ranking[0] == "Ranking by Coverage@10"
    assert ranking[1].split() == ["rank", "run", "mean", "low", "high", "group"]
    assert [line.split()[:3] for line in ranking[2:5]] == [
        ["1", "dense", "0.7083"],
        ["2", "bm25", "0.2917"],
        ["3", "hybrid", "0.2500"],
    ]
    assert worst[2:] == [
        "q2: 0.6667, 1 of 3 nuggets missed",
        "  okay   no document  text of n3",
        "q1: 0.7500, 1 of 4 nuggets missed",
        "  vital  no document  text of n4",
    ]


def test_worst_questions_of_another_run_and_grade(capsys):
    options = ["--run", "hybrid", "--worst", "1", "--rel", "2", "-k", "2"]
    table, ranking, worst = out(capsys, "judgments.jsonl", "runs", *options).split("\n\n")
    assert "which grade 2 or more covers" in table
    assert table.splitlines()[1].split()[1:] == ["Coverage@2", "Vital-coverage@2", "All-covered@2", "alpha-nDCG@2"]
    assert ranking.startswith("Ranking by Coverage(rel=2)@2\n")
    # The most important nuggets come first, and those that can be found before those that cannot.
    assert worst.splitlines()[2:] == [
        "q2: 0.0000, 3 of 3 nuggets missed",
        "  vital  1 document   text of n1",
        "  okay   1 document   text of n2",
        "  okay   no document  text of n3",
    ]


def test_what_is_left_out_of_a_report(capsys):
    alone = out(capsys, "judgments.jsonl", "runs/bm25.jsonl")
    assert "Ranking" not in alone
    assert "Worst questions of bm25" in alone
    assert "Worst" not in out(capsys, "judgments.jsonl", "runs/bm25.jsonl", "--worst", "0")
    one_question = call(capsys, "coverage", write("one.jsonl", JUDGMENTS[:5]), "runs")
    assert "Ranking" not in one_question.out
    assert "Worst questions of dense" in one_question.out
    assert "from two questions on" in one_question.err


def test_all_is_covered(capsys):
    write("covered.jsonl", JUDGMENTS[:1])
    run = write("run.jsonl", [{"query_id": "q1", "contexts": ["p1"]}])
    assert "All nuggets are covered" in out(capsys, "covered.jsonl", run).splitlines()[-1]
    result = call(capsys, "coverage", "covered.jsonl", run, "--missed", "-o", "csv")
    assert len(result.out.splitlines()) == 1
    assert "no nugget is missed" in result.err


def test_many_missed_nuggets_are_cut(capsys):
    nuggets = [{"qid": "q1", "nugget_id": str(i), "doc_id": "d", "relevance": 1} for i in range(11)]
    nuggets += [{"qid": "q1", "nugget_id": "covered", "doc_id": "p1", "relevance": 1}]
    lines = out(capsys, write("many.jsonl", nuggets), "runs/bm25.jsonl").splitlines()
    assert [line.split() for line in lines[-9:-1]] == [["1", "document", str(i)] for i in range(8)]
    assert "3 more; --missed prints all" in lines[-1]


def test_weights_are_shown_where_there_is_no_importance(capsys):
    aspects = [
        {"id": "q1-a1", "content": "first", "weight": 1, "supporting_docs": ["x"]},
        {"id": "q1-a2", "content": "second", "weight": 3, "supporting_docs": ["y"]},
        {"id": "q1-a3", "content": "third", "weight": 1, "supporting_docs": ["p1"]},
    ]
    lines = out(capsys, write("aspects.jsonl", aspects), "runs/bm25.jsonl").splitlines()
    assert lines[1].split()[1:] == ["Coverage@10", "A-Recall@10", "All-covered@10", "alpha-nDCG@10"]
    assert [line.split() for line in lines[-2:]] == [
        ["0.60", "1", "document", "second"],
        ["0.20", "1", "document", "first"],
    ]


@pytest.mark.parametrize(
    ("field", "value", "importance", "says", "line"),
    [
        ("nugget_id", "n3", None, "2 of 7 nuggets have no importance.*'n3' of topic 'q1'", "- 1 document text of n3"),
        ("question_id", "q2", "failed", "3 of 7 nuggets.*unknown importance.*'n1' of topic 'q2'", "failed no document"),
    ],
    ids=["missing", "unknown"],
)
def test_importance_that_is_missing_or_unknown(capsys, field, value, importance, says, line):
    records = [{**record, **({"importance": importance} if record[field] == value else {})} for record in JUDGMENTS]
    result = call(capsys, "coverage", write("partly.jsonl", records), "runs/bm25.jsonl")
    assert result.code == 0
    assert "Vital-coverage" not in result.out
    assert re.search(says, result.err), result.err
    assert line in " ".join(result.out.split())


def test_formats_for_programs_have_the_table_alone(capsys):
    evaluation = irdiv.evaluate(read_nuggets("judgments.jsonl"), RUNS, ["Coverage@2", "nDCG@2"])
    command = ["judgments.jsonl", "runs", "-m", "Coverage@2", "nDCG@2"]
    found = cli_helpers.means(capsys, "coverage", *command, warns=WARNINGS)
    assert found == evaluation.summary().T.to_dict()
    topics = cli_helpers.rows(capsys, "coverage", *command, "-q", warns=WARNINGS)
    assert topics["value"].tolist() == evaluation.frame["value"].tolist()
    assert "Ranking" not in out(capsys, *command, "-q")
    assert "Ranking" not in out(capsys, *command, "-o", "markdown")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["-k", "2"], {"cutoff": 2}),
        ([], {"cutoff": 10}),
        (["-m", "Coverage(rel=2)@3", "--run", "dense"], {"run": "dense", "cutoff": 3, "rel": 2}),
        (["-m", "Coverage@1", "I-rec@3", "--rel", "2"], {"cutoff": 1, "rel": 2}),
    ],
)
def test_missed_nuggets_are_those_of_the_first_measure(capsys, words, options):
    evaluation = irdiv.evaluate(read_nuggets("judgments.jsonl"), RUNS, "Coverage@2")
    found = cli_helpers.rows(capsys, "coverage", "judgments.jsonl", "runs", "--missed", *words, warns=WARNINGS)
    assert found.to_dict("records") == evaluation.missed(**options).to_dict("records")


@pytest.mark.parametrize(
    ("measures", "heading", "line"),
    [
        (["Coverage"], "by its documents", "q1: 0.7500, 1 of 4 nuggets missed"),
        (["Coverage(rel=1)@1", "I-rec@3", "--rel", "2"], "by its first document,", "q2: 0.3333, 2 of 3 nuggets missed"),
    ],
)
def test_the_report_counts_documents_of_the_first_measure(capsys, measures, heading, line):
    report = out(capsys, "judgments.jsonl", "runs/dense.jsonl", "-m", *measures)
    assert heading in report
    assert line in report


def test_texts_are_cut_to_the_terminal(capsys, monkeypatch):
    texts = {"n3": None}
    records = [{**r, "text": texts.get(r["nugget_id"], f"{r['nugget_id']} " + "word " * 40)} for r in JUDGMENTS]
    command = [write("long.jsonl", records), "runs/bm25.jsonl"]
    assert max(map(len, out(capsys, *command).splitlines())) > 200
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lines = out(capsys, *command).splitlines()
    assert max(map(len, lines)) == 80
    assert lines[-1].split() == ["okay", "no", "document", "n3"]
    monkeypatch.setenv("COLUMNS", "100")
    lines = out(capsys, *command, "--missed").splitlines()
    assert max(map(len, lines)) == 100
    assert "word wo…" in lines[1]


# Formats of files


def answers(run: str) -> list[dict[str, object]]:
    return [
        {"topic_id": topic, "run_id": run, "references": docs, "answer": [{"text": "…", "citations": [0]}]}
        for topic, docs in RUNS[run].items()
    ]


def test_runs_in_all_formats(capsys):
    lists = {name: [{"qid": topic, "contexts": docs} for topic, docs in run.items()] for name, run in RUNS.items()}
    trec = "".join(
        f"{topic} Q0 {doc} {rank} {-rank} tag\n"
        for topic, docs in RUNS["bm25"].items()
        for rank, doc in enumerate(docs, 1)
    )
    Path("bm25.run.gz").write_bytes(gzip.compress(trec.encode()))
    Path("dense.json").write_text(json.dumps(RUNS["dense"], indent=1))
    read_contexts("runs/hybrid.jsonl")["hybrid"].to_parquet("hybrid.parquet")
    for paths in (
        ["runs"],
        [write(f"{name}.jsonl", rows) for name, rows in lists.items()],
        [write("bm25.jsonl.gz", lists["bm25"]), write("dense", lists["dense"]), "runs/[h]*.jsonl"],
        ["bm25.run.gz", "dense.json", "hybrid.parquet"],
        [write(f"{name}.answers.jsonl", answers(name)) for name in RUNS],
    ):
        assert means(capsys, "judgments.jsonl", *paths) == COVERAGE, paths
    found = means(capsys, "judgments.jsonl", "-", stdin=Path("runs/dense.jsonl").read_bytes())
    assert found == {"stdin": COVERAGE["dense"]}


def test_citations_count_instead_of_references(capsys):
    path = write("answers.jsonl", answers("dense"))
    # p2 is the first document of both: 1 of 4 and 1 of 3
    assert means(capsys, "judgments.jsonl", path, "--source", "citations") == {"dense": (1 / 4 + 1 / 3) / 2}
    assert "is for answers" in error(capsys, "judgments.jsonl", "runs", "--source", "citations")
    Path("trec.run").write_text("q1 Q0 p1 1 1 t\n")
    assert "TREC's format" in error(capsys, "judgments.jsonl", "trec.run", "--source", "citations")


def test_runs_are_named_by_run_id_unless_two_are_the_same(capsys):
    for file, run_id, run in (("a", "x", "bm25"), ("b", "x", "dense"), ("c", "y", "dense")):
        write(
            f"{file}.jsonl", [{"qid": topic, "run_id": run_id, "contexts": docs} for topic, docs in RUNS[run].items()]
        )
    assert set(means(capsys, "judgments.jsonl", "a.jsonl", "c.jsonl")) == {"x", "y"}
    expected = {"a": COVERAGE["bm25"], "b": COVERAGE["dense"], "y": COVERAGE["dense"]}
    assert means(capsys, "judgments.jsonl", "a.jsonl", "b.jsonl", "c.jsonl") == expected
    Path("two.jsonl").write_text(Path("b.jsonl").read_text() + Path("c.jsonl").read_text())
    assert "two.jsonl: the run 'x' is also in another file" in error(capsys, "judgments.jsonl", "a.jsonl", "two.jsonl")


def assignment(topic: str, nugget: str, importance: str, doc: str, label: str) -> dict[str, object]:
    judged = {"id": nugget, "text": f"text of {nugget}", "importance": importance, "assignment": label}
    return {"qid": topic, "docid": doc, "nuggets": [judged]}


ASSIGNMENTS = [assignment(*row) for row in NUGGET_JUDGMENTS]


def test_nuggets_and_judgments_in_all_formats(capsys):
    grades = {"support": 2, "partial_support": 1}
    qrels = [f"{r['qid']} {r['nugget_id']} {r['docid']} {grades[r['label']]}\n" for r in BARE_JUDGMENTS]
    Path("qrels.txt").write_text("".join(qrels))
    ids = {(topic, nugget): {"qid": topic, "nugget_id": nugget} for topic, nugget, *_ in NUGGET_JUDGMENTS}
    for words in (
        [write("retrieval.jsonl", ASSIGNMENTS), "runs"],
        ["nuggets.jsonl", "runs", "--judgments", "bare.jsonl"],
        ["nuggets.jsonl", "runs", "--judgments", "qrels.txt"],
        # nuggets with IDs alone are declared
        [write("ids.jsonl", list(ids.values())), "runs", "--judgments", "bare.jsonl"],
    ):
        assert means(capsys, *words) == COVERAGE, words
    # Without the nuggets that no document supports, 3 and 2 are left.
    assert means(capsys, "qrels.txt", "runs")["bm25"] == (1 / 3 + 1 / 2) / 2
    expected = out(capsys, "judgments.jsonl", "runs")
    assert out(capsys, "nuggets.jsonl", "runs", "--judgments", "qrels.txt") == expected


def test_nuggets_and_judgments_that_differ(capsys):
    write("more.jsonl", [*NUGGETS, {"qid": "q3", "nuggets": [{"id": "n1", "text": "x", "importance": "okay"}]}])
    write("bare.jsonl", [*BARE_JUDGMENTS, {**BARE_JUDGMENTS[0], "nugget_id": "n8"}])
    result = call(capsys, "coverage", "more.jsonl", "runs", "--judgments", "bare.jsonl", "-m", "Coverage@10")
    assert result.code == 0
    assert "has nuggets but no judgments, and is left out: 'q3'" in result.err
    assert "not in the intent table: 'q1 n8'" in result.err


def test_labels(capsys):
    labels = {"support": "yes", "partial_support": "a=b", "not_support": "no"}
    write("labels.jsonl", [{**record, "label": labels[record["label"]]} for record in JUDGMENTS])
    options = ["--label", "yes=support", "--label", "a=b=1", "--label", "no=not_support"]
    assert means(capsys, "labels.jsonl", "runs", *options) == COVERAGE
    write("must.jsonl", json.loads(json.dumps(NUGGETS).replace("vital", "must")))
    write("bare.jsonl", [{**record, "label": labels[record["label"]]} for record in BARE_JUDGMENTS])
    command = ["must.jsonl", "runs", "--judgments", "bare.jsonl"]
    assert out(capsys, *command, *options[:4], "--label", "must=vital") == out(capsys, "judgments.jsonl", "runs")


def test_documents_twice(capsys):
    contexts = {"q1": ["p1", "p1", "p2"], "q2": ["p1"]}
    run = write("chunks.jsonl", [{"qid": topic, "contexts": docs} for topic, docs in contexts.items()])
    message = error(capsys, "judgments.jsonl", run)
    assert "chunks.jsonl, line 1: contexts: document 'p1' is listed twice" in message
    assert "duplicates='first'" in message
    # 2 of 4 and 1 of 3; p2 is second
    found = means(capsys, "judgments.jsonl", run, "--duplicates", "first", "-k", "2")
    assert found == {"chunks": (2 / 4 + 1 / 3) / 2}


def test_order_by_rank(capsys):
    documents = [("p1", 1, 0.1), ("p9", 2, 0.2)]
    rows = [{"qid": "q1", "docid": doc, "rank": rank, "score": score} for doc, rank, score in documents]
    command = ["judgments.jsonl", write("both.jsonl", rows), "-k", "1"]
    # 1 of the 4 nuggets of the first of two questions
    assert means(capsys, *command, "--ties", "rank") == {"both": 1 / 4 / 2}
    assert "--ties rank" in call(capsys, "coverage", *command).err


# Mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing.jsonl runs", "no such nuggets file: 'nothing.jsonl'"),
        ("judgments.jsonl nothing.jsonl", "no such contexts file: 'nothing.jsonl'"),
        ("judgments.jsonl nothing.run", "no such input file: 'nothing.run'"),
        ("judgments.jsonl no*.jsonl", "no file matches 'no.*.jsonl'"),
        ("runs/bm25.jsonl judgments.jsonl", "runs/bm25.jsonl: the nuggets have neither an id nor a text"),
        ("judgments.jsonl judgments.jsonl", "judgments.jsonl: the contexts lack a column"),
        ("judgments.jsonl runs/bm25.jsonl runs/bm25.jsonl", "is given twice"),
        ("judgments.jsonl runs --run bm52", "no run is called 'bm52'; did you mean 'bm25'"),
        ("judgments.jsonl runs -k 0", "must be an integer of 1 or more"),
        ("judgments.jsonl runs --rel 0", "rel=0"),
        ("judgments.jsonl runs --label yes", "LABEL=MEANING"),
        ("judgments.jsonl runs --label yes=1 --label yes=2", "'yes' has a meaning already"),
        ("judgments.jsonl runs --label yes=maybe", "maps to unknown labels"),
        (f"judgments.jsonl runs --label yes={'9' * 20}", f"labels=.*'yes': {'9' * 20}"),
        (f"judgments.jsonl runs --label yes={'9' * 5000}", "expected grades from 0 to 100000"),
        ("judgments.jsonl runs --label yes=--5", "labels=.*'yes': '--5'"),
        ("judgments.jsonl runs --worst -1", "--worst -1"),
        ("judgments.jsonl runs --worst 2 -o csv", "--worst is for the report"),
        ("judgments.jsonl runs --run bm25 -q", "--run is for missed nuggets"),
        ("judgments.jsonl runs --missed -q", "leave one out"),
        ("judgments.jsonl runs -k 3 -m Coverage", "-k is the cutoff of the default measures"),
        ("nuggets.jsonl runs", "the nuggets name no documents.*--judgments FILE"),
        ("nuggets.jsonl runs --judgments nuggets.jsonl", "the judgments name no documents"),
        ("judgments.jsonl runs --judgments judgments.jsonl", "name documents already"),
        ("other.jsonl runs --judgments bare.jsonl", "no intent in common.*'q1 n1'"),
        ("answers.jsonl runs", "assigned to answers, and not to documents.*irdiv.rag.score_answers"),
        ("rows.jsonl runs", "irdiv.rag.score_answers"),
        ("adhoc.txt runs", "Coverage@10 needs intents"),
    ],
)
def test_mistakes(capsys, words, message):
    write("other.jsonl", [{"qid": "q1", "nuggets": ["text of n1"]}, {"qid": "q2", "nuggets": ["x"]}])
    write("answers.jsonl", [{"qid": r["qid"], "run_id": "r", "nuggets": r["nuggets"]} for r in ASSIGNMENTS[::5]])
    write("rows.jsonl", [{"run_id": "r", "qid": "q1", "text": "x", "importance": "vital", "assignment": "support"}])
    Path("adhoc.txt").write_text("q1 0 p1 1\nq2 0 p1 1\n")
    assert re.search(message, error(capsys, *words.split()))


# Real files


@pytest.mark.slow
def test_crux(capsys, real_data):
    """The authors' coverage of 50 topics at threshold 3."""
    folder = real_data / "rag" / "crux"
    if not folder.is_dir():
        pytest.skip("real nuggets not at hand: IRDIV_REAL_DATA has no folder rag/crux")
    paths = {name: folder / f"{name}.run.gz" for name in ("bm25", "lsr")}
    judged = [
        read_crux(folder / f"ratings.{name}.json.gz", path, subquestions=folder / "subquestions.json", threshold=3)
        for name, path in paths.items()
    ]
    qrels = pd.concat(judged).drop_duplicates(["query_id", "intent_id", "doc_id"])
    qrels.to_parquet("crux.parquet")
    # The grades of most rows are 0; one of each intent says that there is the intent.
    short = qrels[(qrels["relevance"] > 0) | ~qrels.duplicated(["query_id", "intent_id"])]
    short.to_json("crux.jsonl.gz", orient="records", lines=True)
    for name in ("crux.jsonl.gz", "crux.parquet"):
        found = cli_helpers.means(capsys, "coverage", name, *paths.values())
        coverage = {run: round(values["Coverage@10"], 6) for run, values in found.items()}
        assert coverage == {"bm25": 0.514667, "lsr": 0.577333}, name
