"""The command `irdiv coverage`: formats of nuggets and runs, what it prints, and mistakes."""

from __future__ import annotations

import gzip
import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from helpers import NUGGET_JUDGMENTS
from irdiv.rag import read_contexts, read_crux, read_nuggets
from irdiv_cli import local_files, main

RUNS = {
    "bm25": {"q1": ["p1", "p5", "p4"], "q2": ["p1", "p7"]},
    "dense": {"q1": ["p2", "p3", "p1"], "q2": ["p2", "p1"]},
    "hybrid": {"q1": ["p4", "p2"], "q2": ["p9"]},
}
FIELDS = ("question_id", "nugget_id", "importance", "passage_id", "label")


def judgment_records(**changes: object) -> list[dict[str, object]]:
    return [{**dict(zip(FIELDS, row, strict=True)), "text": f"text of {row[1]}", **changes} for row in NUGGET_JUDGMENTS]


def write(path: Path, records: list[dict[str, object]]) -> str:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A folder with judgments, and runs as rows, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "judgments.jsonl", judgment_records())
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        rows = [
            {"question_id": topic, "passage_id": doc, "rank": rank}
            for topic, docs in run.items()
            for rank, doc in enumerate(docs, 1)
        ]
        write(tmp_path / "runs" / f"{name}.jsonl", rows)
    return tmp_path


def out(capsys, *arguments: str) -> str:
    assert main(["coverage", *arguments]) == 0
    captured = capsys.readouterr()
    expected = (
        "irdiv: note: ",
        "irdiv: warning: 2 of 7 intents have no judged",
        "irdiv: warning: the run lacks 1 of 2",
    )
    assert all(line.startswith(expected) for line in captured.err.splitlines()), captured.err
    return captured.out


def error(capsys, *arguments: str) -> str:
    """Return the only line of an error."""
    assert main(["coverage", *arguments]) == 2
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if not line.startswith("irdiv: note: ")]
    assert captured.out == ""
    assert len(lines) == 1, captured.err
    return lines[0].removeprefix("irdiv: error: ")


def means(capsys, *arguments: str) -> dict[str, float]:
    """Return the first measure of each run."""
    frame = pd.read_csv(StringIO(out(capsys, *arguments, "-o", "csv")))
    frame = frame[frame["measure"] == frame["measure"][0]]
    return dict(zip(frame["run"], frame["value"].round(6), strict=True))


COVERAGE = {"bm25": 0.291667, "dense": 0.708333, "hybrid": 0.25}
"""bm25 covers 1 of 4 and 1 of 3 nuggets, dense 3 of 4 and 2 of 3, hybrid 2 of 4 and none of 3."""


# What is printed


def test_report_has_means_ranking_and_missed_nuggets(capsys, files):
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
    assert "share a letter" in ranking[5]
    assert worst == [
        "Worst questions of dense by Coverage@10",
        "Nuggets missed by its first 10 documents, and how many documents support them:",
        "q2: 0.6667, 1 of 3 nuggets missed",
        "  okay   no document  text of n3",
        "q1: 0.7500, 1 of 4 nuggets missed",
        "  vital  no document  text of n4",
    ]


def test_worst_questions_of_another_run_and_grade(capsys, files):
    options = ["--run", "hybrid", "--worst", "1", "--rel", "2", "-k", "2"]
    table, ranking, worst = out(capsys, "judgments.jsonl", "runs", *options).split("\n\n")
    assert table.splitlines()[0] == "Means over 2 questions with 7 nuggets, which grade 2 or more covers"
    assert table.splitlines()[1].split()[1:] == ["Coverage@2", "Vital-coverage@2", "All-covered@2", "alpha-nDCG@2"]
    assert ranking.startswith("Ranking by Coverage(rel=2)@2\n")
    assert worst.splitlines()[2:] == [
        "q2: 0.0000, 3 of 3 nuggets missed",
        # the most important first, and those that can be found before those that cannot
        "  vital  1 document   text of n1",
        "  okay   1 document   text of n2",
        "  okay   no document  text of n3",
    ]


def test_one_run_is_not_ranked(capsys, files):
    text = out(capsys, "judgments.jsonl", "runs/bm25.jsonl")
    assert "Ranking" not in text
    assert "Worst questions of bm25" in text
    assert "Worst" not in out(capsys, "judgments.jsonl", "runs/bm25.jsonl", "--worst", "0")


def test_one_question_has_no_intervals(capsys, files):
    write(files / "one.jsonl", judgment_records()[:5])
    assert main(["coverage", "one.jsonl", "runs"]) == 0
    captured = capsys.readouterr()
    assert "Ranking" not in captured.out
    assert "Worst questions of dense" in captured.out
    assert "from two questions on" in captured.err


def test_all_is_covered(capsys, files):
    write(files / "covered.jsonl", judgment_records()[:1])
    run = write(files / "run.jsonl", [{"query_id": "q1", "contexts": ["p1"]}])
    assert out(capsys, "covered.jsonl", run).splitlines()[-1] == "All nuggets are covered by its first 10 documents."
    assert main(["coverage", "covered.jsonl", run, "--missed", "-o", "csv"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "run,query_id,intent_id,description,importance,probability,n_relevant\n"
    assert "no nugget is missed" in captured.err


def test_many_missed_nuggets_are_cut(capsys, files):
    nuggets = [{"qid": "q1", "nugget_id": str(i), "doc_id": "d", "relevance": 1} for i in range(11)]
    nuggets += [{"qid": "q1", "nugget_id": "covered", "doc_id": "p1", "relevance": 1}]
    lines = out(capsys, write(files / "many.jsonl", nuggets), "runs/bm25.jsonl").splitlines()
    assert lines[-9:] == [*(f"  1 document  {i}" for i in range(8)), "  … and 3 more; --missed prints all"]


def test_weights_are_shown_where_there_is_no_importance(capsys, files):
    aspects = [
        {"id": "q1-a1", "content": "first", "weight": 1, "supporting_docs": ["x"]},
        {"id": "q1-a2", "content": "second", "weight": 3, "supporting_docs": ["y"]},
        {"id": "q1-a3", "content": "third", "weight": 1, "supporting_docs": ["p1"]},
    ]
    lines = out(capsys, write(files / "aspects.jsonl", aspects), "runs/bm25.jsonl").splitlines()
    assert lines[1].split()[1:] == ["Coverage@10", "A-Recall@10", "All-covered@10", "alpha-nDCG@10"]
    assert lines[-2:] == ["  0.60  1 document  second", "  0.20  1 document  first"]


def test_importance_that_is_missing_or_unknown(capsys, files):
    records = [
        {**record, **({"importance": None} if record["nugget_id"] == "n3" else {})} for record in judgment_records()
    ]
    path = write(files / "partly.jsonl", records)
    assert main(["coverage", path, "runs/bm25.jsonl"]) == 0
    captured = capsys.readouterr()
    assert "Vital-coverage" not in captured.out
    assert (
        "2 of 7 nuggets have no importance, the first is intent 'n3' of topic 'q1': Vital-coverage is left"
        in captured.err
    )
    assert "  -      1 document   text of n3" in captured.out


def test_a_question_with_unknown_importance_only(capsys, files):
    records = [
        {**record, **({"importance": "failed"} if record["question_id"] == "q2" else {})}
        for record in judgment_records()
    ]
    assert main(["coverage", write(files / "failed.jsonl", records), "runs"]) == 0
    captured = capsys.readouterr()
    assert "Vital-coverage@10" not in captured.out
    assert "3 of 7 nuggets have an unknown importance, the first is intent 'n1' of topic 'q2'" in captured.err
    assert "  failed  no document  text of n3" in captured.out


def test_formats_for_programs_have_the_table_alone(capsys, files):
    evaluation = irdiv.evaluate(read_nuggets("judgments.jsonl"), RUNS, ["Coverage@2", "nDCG@2"])
    arguments = ["judgments.jsonl", "runs", "-m", "Coverage@2", "nDCG@2"]
    # pandas 2 reads floats inexactly.
    frame = pd.read_csv(StringIO(out(capsys, *arguments, "-o", "tsv")), sep="\t", dtype={"value": str})
    assert list(frame.columns) == ["run", "measure", "value"]
    assert frame["value"].map(float).tolist() == evaluation.summary().stack().tolist()
    values = [json.loads(line) for line in out(capsys, *arguments, "-q", "-o", "jsonl").splitlines()]
    assert pd.DataFrame(values)["value"].tolist() == evaluation.frame["value"].tolist()
    assert "Ranking" not in out(capsys, *arguments, "-q")
    assert "Ranking" not in out(capsys, *arguments, "-o", "markdown")


def test_missed_nuggets_alone(capsys, files):
    evaluation = irdiv.evaluate(read_nuggets("judgments.jsonl"), RUNS, "Coverage@2")
    rows = [
        json.loads(line)
        for line in out(capsys, "judgments.jsonl", "runs", "--missed", "-k", "2", "-o", "jsonl").splitlines()
    ]
    assert rows == evaluation.missed().to_dict("records")
    options = ["--missed", "-m", "Coverage(rel=2)@3", "--run", "dense", "-o", "csv"]
    frame = pd.read_csv(StringIO(out(capsys, "judgments.jsonl", "runs", *options)))
    assert frame["intent_id"].tolist() == evaluation.missed(run="dense", cutoff=3, rel=2)["intent_id"].tolist()
    table = out(capsys, "judgments.jsonl", "runs", "--missed").splitlines()
    assert table[0].split() == list(frame.columns)
    assert len(table) == 1 + len(evaluation.missed(cutoff=10))


def test_texts_are_cut_to_the_terminal(capsys, files, monkeypatch):
    records = [
        {**record, "text": None if record["nugget_id"] == "n3" else f"{record['nugget_id']} " + "word " * 40}
        for record in judgment_records()
    ]
    path = write(files / "long.jsonl", records)
    assert max(map(len, out(capsys, path, "runs/bm25.jsonl").splitlines())) > 200
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    lines = out(capsys, path, "runs/bm25.jsonl").splitlines()
    assert max(map(len, lines)) == 80
    assert lines[-1] == "  okay   no document  n3"
    monkeypatch.setenv("COLUMNS", "100")
    lines = out(capsys, path, "runs/bm25.jsonl", "--missed").splitlines()
    assert max(map(len, lines)) == 100
    assert "word wo…" in lines[1]


# Formats of files


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz", "run"])
def test_runs_in_json_lines(capsys, files, name):
    run = write(files / name, [{"qid": topic, "contexts": docs} for topic, docs in RUNS["dense"].items()])
    assert means(capsys, "judgments.jsonl", run) == {"run": COVERAGE["dense"]}


def test_runs_in_other_formats(capsys, files):
    (files / "dense.json").write_text(json.dumps(RUNS["dense"], indent=1))
    lines = [
        f"{q} Q0 {doc} {rank} {-rank} tag\n" for q, docs in RUNS["bm25"].items() for rank, doc in enumerate(docs, 1)
    ]
    (files / "bm25.run.gz").write_bytes(gzip.compress("".join(lines).encode()))
    frame = read_contexts(files / "runs" / "hybrid.jsonl")["hybrid"]
    frame.to_parquet(files / "hybrid.parquet")
    assert means(capsys, "judgments.jsonl", "bm25.run.gz", "dense.json", "hybrid.parquet") == COVERAGE


def test_patterns_and_standard_input(capsys, files, monkeypatch):
    assert means(capsys, "judgments.jsonl", "runs/[bh]*.jsonl") == {name: COVERAGE[name] for name in ("bm25", "hybrid")}
    dense = (files / "runs" / "dense.jsonl").read_bytes()
    local_files._saved_standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(dense)))
    assert means(capsys, "judgments.jsonl", "-") == {"stdin": COVERAGE["dense"]}
    local_files._saved_standard_input.cache_clear()


def test_runs_are_named_by_run_id_unless_two_are_the_same(capsys, files):
    for name, run_id in (("a", "x"), ("b", "x"), ("c", "y")):
        run = RUNS["bm25" if name == "a" else "dense"]
        write(
            files / f"{name}.jsonl", [{"qid": topic, "run_id": run_id, "contexts": docs} for topic, docs in run.items()]
        )
    assert set(means(capsys, "judgments.jsonl", "a.jsonl", "c.jsonl")) == {"x", "y"}
    assert means(capsys, "judgments.jsonl", "a.jsonl", "b.jsonl", "c.jsonl") == {
        "a": COVERAGE["bm25"],
        "b": COVERAGE["dense"],
        "y": COVERAGE["dense"],
    }
    (files / "two.jsonl").write_text((files / "b.jsonl").read_text() + (files / "c.jsonl").read_text())
    assert "two.jsonl: the run 'x' is also in another file" in error(capsys, "judgments.jsonl", "a.jsonl", "two.jsonl")


def test_references_and_citations(capsys, files):
    answers = [
        {"topic_id": topic, "run_id": "r", "references": docs, "answer": [{"text": "…", "citations": [0]}]}
        for topic, docs in RUNS["dense"].items()
    ]
    path = write(files / "answers.jsonl", answers)
    assert means(capsys, "judgments.jsonl", path) == {"r": COVERAGE["dense"]}
    # p2 is the first document of both: 1 of 4 and 1 of 3
    assert means(capsys, "judgments.jsonl", path, "--source", "citations") == {"r": 0.291667}
    assert "is for answers" in error(capsys, "judgments.jsonl", "runs", "--source", "citations")
    (files / "trec.run").write_text("q1 Q0 p1 1 1 t\n")
    assert "trec.run is a file in TREC's format" in error(
        capsys, "judgments.jsonl", "trec.run", "--source", "citations"
    )


def assignments(**fields: str) -> list[dict[str, object]]:
    return [
        {
            "qid": topic,
            "docid": doc,
            "nuggets": [{"id": nugget, "text": f"text of {nugget}", "importance": importance, "assignment": label}],
            **fields,
        }
        for topic, nugget, importance, doc, label in NUGGET_JUDGMENTS
    ]


def test_assignments_to_documents(capsys, files):
    path = write(files / "retrieval.jsonl", assignments())
    assert means(capsys, path, "runs") == COVERAGE


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


def bare_judgments() -> list[dict[str, object]]:
    """Judgments with a label other than not_support, without importance and texts."""
    return [
        {"qid": topic, "nugget_id": nugget, "docid": doc, "label": label}
        for topic, nugget, _, doc, label in NUGGET_JUDGMENTS
        if label != "not_support"
    ]


def test_nuggets_and_judgments(capsys, files):
    nuggets = write(files / "nuggets.jsonl", NUGGETS)
    judgments = write(files / "bare.jsonl", bare_judgments())
    assert means(capsys, nuggets, "runs", "--judgments", judgments) == COVERAGE
    grades = {"support": 2, "partial_support": 1}
    qrels = [f"{r['qid']} {r['nugget_id']} {r['docid']} {grades[r['label']]}\n" for r in bare_judgments()]
    (files / "qrels.txt").write_text("".join(qrels))
    assert means(capsys, nuggets, "runs", "--judgments", "qrels.txt") == COVERAGE
    # without the nuggets that no document supports, 3 and 2 are left
    assert means(capsys, "qrels.txt", "runs")["bm25"] == pytest.approx((1 / 3 + 1 / 2) / 2, abs=1e-6)
    text = out(capsys, nuggets, "runs", "--judgments", "qrels.txt")
    assert text == out(capsys, "judgments.jsonl", "runs")


def test_nuggets_with_ids_alone_are_declared(capsys, files):
    rows = [{"qid": topic, "nugget_id": nugget} for topic, nugget, *_ in NUGGET_JUDGMENTS]
    nuggets = write(files / "ids.jsonl", [dict(row) for row in {tuple(row.items()) for row in rows}])
    judgments = write(files / "bare.jsonl", bare_judgments())
    assert means(capsys, nuggets, "runs", "--judgments", judgments) == COVERAGE


def test_nuggets_and_judgments_that_differ(capsys, files):
    more = [*NUGGETS, {"qid": "q3", "nuggets": [{"id": "n1", "text": "x", "importance": "okay"}]}]
    nuggets = write(files / "nuggets.jsonl", more)
    judgments = write(files / "bare.jsonl", [*bare_judgments(), {**bare_judgments()[0], "nugget_id": "n8"}])
    assert main(["coverage", nuggets, "runs", "--judgments", judgments, "-m", "Coverage@10"]) == 0
    message = capsys.readouterr().err
    assert "1 question has nuggets but no judgments, and is left out: 'q3'" in message
    assert "1 of 6 judged intents (topic and intent) are not in the intent table: 'q1 n8'" in message


def test_labels(capsys, files):
    labels = {"support": "yes", "partial_support": "a=b", "not_support": "no"}
    records = [{**record, "label": labels[record["label"]]} for record in judgment_records()]
    path = write(files / "labels.jsonl", records)
    options = ["--label", "yes=support", "--label", "a=b=1", "--label", "no=not_support"]
    assert means(capsys, path, "runs", *options) == COVERAGE
    must = [
        {
            **topic,
            "nuggets": [
                {**n, "importance": {"vital": "must", "okay": "okay"}[n["importance"]]} for n in topic["nuggets"]
            ],
        }
        for topic in NUGGETS
    ]
    bare = [{**record, "label": labels[record["label"]]} for record in bare_judgments()]
    arguments = [write(files / "must.jsonl", must), "runs", "--judgments", write(files / "bare.jsonl", bare)]
    text = out(capsys, *arguments, *options[:4], "--label", "must=vital")
    assert text == out(capsys, "judgments.jsonl", "runs")


def test_documents_twice(capsys, files):
    run = write(
        files / "chunks.jsonl", [{"qid": "q1", "contexts": ["p1", "p1", "p2"]}, {"qid": "q2", "contexts": ["p1"]}]
    )
    message = error(capsys, "judgments.jsonl", run)
    assert "chunks.jsonl, line 1: contexts: document 'p1' is listed twice" in message
    assert "duplicates='first'" in message
    # 2 of 4 and 1 of 3; p2 is second
    assert means(capsys, "judgments.jsonl", run, "--duplicates", "first", "-k", "2") == {"chunks": 0.416667}


def test_order_by_rank(capsys, files):
    documents = [("p1", 1, 0.1), ("p9", 2, 0.2)]
    rows = [{"qid": "q1", "docid": doc, "rank": rank, "score": score} for doc, rank, score in documents]
    run = write(files / "both.jsonl", rows)
    # 1 of the 4 nuggets of the first of two questions
    assert means(capsys, "judgments.jsonl", run, "-k", "1", "--ties", "rank") == {"both": 0.125}
    assert main(["coverage", "judgments.jsonl", run, "-k", "1"]) == 0
    assert "To order by rank, give ties='rank' (on the command line, --ties rank)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measures", "heading", "line"),
    [
        (["Coverage"], "Nuggets missed by its documents", "q1: 0.7500, 1 of 4 nuggets missed"),
        (["Coverage@1", "Coverage@3"], "Nuggets missed by its first document", "q1: 0.2500, 3 of 4 nuggets missed"),
        (
            ["Coverage(rel=1)@1", "I-rec@3", "--rel", "2"],
            "Nuggets missed by its first document",
            "q2: 0.3333, 2 of 3 nuggets missed",
        ),
    ],
)
def test_missed_nuggets_are_those_of_the_first_measure(capsys, files, measures, heading, line):
    report = out(capsys, "judgments.jsonl", "runs/dense.jsonl", "-m", *measures)
    assert heading in report
    assert line in report


# Mistakes


def test_nuggets_without_documents(capsys, files):
    message = error(capsys, write(files / "nuggets.jsonl", NUGGETS), "runs")
    assert "nuggets.jsonl: the nuggets name no documents" in message
    assert "--judgments FILE" in message
    message = error(capsys, "nuggets.jsonl", "runs", "--judgments", "nuggets.jsonl")
    assert "the judgments name no documents" in message
    message = error(capsys, "judgments.jsonl", "runs", "--judgments", "judgments.jsonl")
    assert "name documents already; leave out the judgments" in message


def test_assignments_to_answers(capsys, files):
    answers = [{key: value for key, value in record.items() if key != "docid"} for record in assignments(run_id="r")]
    answers = [answers[0], answers[5]]
    message = error(capsys, write(files / "answers.jsonl", answers), "runs")
    assert "assigned to answers, and not to documents" in message
    assert "irdiv.rag.score_answers" in message
    rows = [{"run_id": "r", "qid": "q1", "text": "x", "importance": "vital", "assignment": "support"}]
    assert "irdiv.rag.score_answers" in error(capsys, write(files / "rows.jsonl", rows), "runs")


def test_ids_of_other_nuggets(capsys, files):
    nuggets = write(
        files / "nuggets.jsonl", [{"qid": "q1", "nuggets": ["text of n1"]}, {"qid": "q2", "nuggets": ["x"]}]
    )
    judgments = write(files / "bare.jsonl", bare_judgments())
    message = error(capsys, nuggets, "runs", "--judgments", judgments)
    assert "no intent in common" in message
    assert "'q1 n1'" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jsonl", "runs"], "no such nuggets file: 'nothing.jsonl'"),
        (["judgments.jsonl", "nothing.jsonl"], "no such contexts file: 'nothing.jsonl'"),
        (["judgments.jsonl", "nothing.run"], "no such input file: 'nothing.run'"),
        (["judgments.jsonl", "no*.jsonl"], "no file matches 'no*.jsonl'"),
        (["runs/bm25.jsonl", "judgments.jsonl"], "runs/bm25.jsonl: the nuggets have neither an id nor a text"),
        (["judgments.jsonl", "judgments.jsonl"], "judgments.jsonl: the contexts lack a column"),
        (["judgments.jsonl", "runs/bm25.jsonl", "runs/bm25.jsonl"], "is given twice"),
        (["judgments.jsonl", "runs", "--run", "bm52"], "no run is called 'bm52'; did you mean 'bm25'?"),
        (["judgments.jsonl", "runs", "-k", "0"], "must be an integer of 1 or more"),
        (["judgments.jsonl", "runs", "--rel", "0"], "rel=0 is not an integer of 1 or more"),
        (["judgments.jsonl", "runs", "--label", "yes"], "--label takes LABEL=MEANING"),
        (["judgments.jsonl", "runs", "--label", "yes=1", "--label", "yes=2"], "'yes' has a meaning already"),
        (["judgments.jsonl", "runs", "--label", "yes=maybe"], "maps to unknown labels"),
        (["judgments.jsonl", "runs", "--label", f"yes={'9' * 20}"], f"labels={{'yes': {'9' * 20}}}"),
        (["judgments.jsonl", "runs", "--label", f"yes={'9' * 5000}"], "expected grades from 0 to 100000"),
        (["judgments.jsonl", "runs", "--label", "yes=--5"], "labels={'yes': '--5'}"),
        (["judgments.jsonl", "runs", "--worst", "-1"], "--worst -1 is not a count"),
        (["judgments.jsonl", "runs", "--worst", "2", "-o", "csv"], "--worst is for the report as text"),
        (["judgments.jsonl", "runs", "--run", "bm25", "-q"], "--run is for missed nuggets"),
        (["judgments.jsonl", "runs", "--missed", "-q"], "leave one out"),
        (["judgments.jsonl", "runs", "-k", "3", "-m", "Coverage"], "-k is the cutoff of the default measures"),
        (["-", "runs", "-"], "standard input ('-') can be read only once"),
    ],
)
def test_mistakes(capsys, files, arguments, message):
    assert message in error(capsys, *arguments)


def test_qrels_without_intents(capsys, files):
    (files / "adhoc.txt").write_text("q1 0 p1 1\nq2 0 p1 1\n")
    assert "Coverage@10 needs intents" in error(capsys, "adhoc.txt", "runs")


# Real files


@pytest.fixture
def rag(real_data) -> Path:
    if not (real_data / "rag").is_dir():
        pytest.skip("real nuggets not at hand: IRDIV_REAL_DATA has no folder rag")
    return real_data / "rag"


def test_crux(capsys, tmp_path, rag):
    """The authors' coverage of 50 topics at threshold 3."""
    paths = {name: rag / "crux" / f"{name}.run.gz" for name in ("bm25", "lsr")}
    judged = [
        read_crux(
            rag / "crux" / f"ratings.{name}.json.gz", path, subquestions=rag / "crux" / "subquestions.json", threshold=3
        )
        for name, path in paths.items()
    ]
    qrels = pd.concat(judged).drop_duplicates(["query_id", "intent_id", "doc_id"])
    qrels.to_parquet(tmp_path / "crux.parquet")
    # The grades of most rows are 0; one of each intent says that there is the intent.
    short = qrels[(qrels["relevance"] > 0) | ~qrels.duplicated(["query_id", "intent_id"])]
    short.to_json(tmp_path / "crux.jsonl.gz", orient="records", lines=True)
    for name in ("crux.jsonl.gz", "crux.parquet"):
        found = means(capsys, str(tmp_path / name), *map(str, paths.values()))
        assert found == {"bm25": 0.514667, "lsr": 0.577333}


def test_nuggetizer(capsys, rag):
    folder = rag / "nuggetizer"
    answers = str(folder / "answers.command-r-plus.jsonl.gz")
    message = error(capsys, str(folder / "assignments.command-r-plus.jsonl.gz"), answers)
    assert "irdiv.rag.score_answers" in message
    message = error(capsys, str(folder / "nuggets.jsonl.gz"), answers, "--duplicates", "first")
    assert "the nuggets name no documents" in message
