"""What commands print: formats for programs and for papers, decimal places, bold text, measures and explanations."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from cli_helpers import DEMO, FILES, call, out, process, rows
from irdiv.demo import SYSTEMS
from irdiv.measures.answers import ANSWER_MEASURES
from irdiv.measures.catalogue import registry

QRELS = FILES[0]
RUNS = {name: str(DEMO / f"{name}.run") for name in SYSTEMS}
SPECS = ["D#-nDCG@10", "I-rec@10"]


# Formats


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("per_query", [False, True], ids=["means", "topics"])
def test_formats_for_programs_have_all_decimal_places(capsys, format, per_query):
    text = out(capsys, "eval", *FILES, "-m", *SPECS, "-o", format, *["-q"] * per_query)
    if format == "jsonl":
        found = pd.DataFrame([json.loads(line) for line in text.splitlines()])
    else:
        # pandas 2 reads floats inexactly.
        found = pd.read_csv(StringIO(text), sep="\t" if format == "tsv" else ",", dtype=str).astype({"value": float})
    evaluation = irdiv.evaluate(QRELS, {Path(file).stem: file for file in FILES[1:]}, SPECS)
    expected = evaluation.frame if per_query else evaluation.summary().stack().rename("value").reset_index()
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.values.tolist() == expected.values.tolist()


def test_tables_to_read(capsys):
    lines = out(capsys, "eval", *FILES, "-m", "D#-nDCG@10", "nDCG@10", "-m", "I-rec@5").splitlines()
    assert [line.split()[0] for line in lines] == ["run", "relevance", "diversified"]
    assert lines[0].split()[1:] == ["D#-nDCG@10", "nDCG@10", "I-rec@5"]
    lines = out(capsys, "eval", *FILES, "-m", "I-rec@2", "-q").splitlines()
    assert lines[0].split() == ["run", "query_id", "I-rec@2"]
    assert len(lines) == 1 + 2 * 12


@pytest.mark.parametrize("format", ["table", "csv", "jsonl", "latex", "markdown"])
def test_decimal_places(capsys, format):
    text = out(capsys, "eval", *FILES, "-m", "I-rec@1", "-q", "-o", format, "--digits", "3")
    assert "0.333" in text
    assert "0.3333" not in text


@pytest.mark.parametrize("format", ["latex", "markdown"])
@pytest.mark.parametrize(
    "words",
    [["rank"], ["compare"], ["correlate"], ["eval", "-q"], ["eval"]],
    ids=["rank", "compare", "correlate", "topics", "means"],
)
def test_tables_for_papers(capsys, format, words):
    text = out(capsys, *words, QRELS, *RUNS.values(), "-m", "alpha-nDCG@5", "D#-nDCG@5", "-o", format, "--digits", "2")
    if words == ["eval"]:
        evaluation = irdiv.evaluate(QRELS, RUNS, ["alpha-nDCG@5", "D#-nDCG@5"])
        assert text == getattr(evaluation, f"to_{format}")(digits=2)
    mark, alpha, sharp = {
        "latex": ("&", r"$\alpha$-nDCG@5", r"D$\sharp$-nDCG@5"),
        "markdown": ("|", "α-nDCG@5", "D♯-nDCG@5"),
    }[format]
    assert alpha in text
    assert sharp in text
    ends = {"latex": r"\\", "markdown": "|"}[format]
    cells = {line.count(mark) for line in text.splitlines() if line.endswith(ends)}
    assert len(cells) == 1, text


def test_names_in_tables_for_papers(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # A run that is called like a parameter of measures keeps its name.
    for name, source in {"alpha": "spammy", "a|b": "relevance", "50%_": "diversified"}.items():
        Path(f"{name}.run").write_bytes(Path(RUNS[source]).read_bytes())
    words = ["compare", QRELS, "alpha.run", "a|b.run", "50%_.run", "-m", "I-rec@5", "--baseline", "alpha", "-o"]
    latex, markdown = out(capsys, *words, "latex"), out(capsys, *words, "markdown")
    assert [line.split(" & ")[1:3] for line in latex.splitlines() if line.startswith("I-rec")] == [
        [r"a\textbar{}b", "alpha"],
        [r"50\%\_", "alpha"],
    ]
    assert [line.split(" | ")[1:3] for line in markdown.splitlines() if line.startswith("| I-rec")] == [
        [r"a\|b", "alpha"],
        [r"50%\_", "alpha"],
    ]
    assert r"other\_mean" in latex


def test_the_best_is_bold_on_a_terminal_only(capsys, monkeypatch):
    command = ["eval", QRELS, RUNS["relevance"], RUNS["spammy"], "-m", "F@10", "E@10"]  # E is 1 - F: less is better
    plain = out(capsys, *command)
    assert "\x1b" not in plain
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    bold = out(capsys, *command)
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
    assert [line.count("\x1b[1m") for line in bold.splitlines()] == [0, 2, 0]
    assert "\x1b" not in out(capsys, "eval", QRELS, RUNS["spammy"], "-m", "F@10")
    monkeypatch.setenv("NO_COLOR", "1")
    assert out(capsys, *command) == plain


# Measures


def names(text: str) -> list[str]:
    """Return the measures of a list of them."""
    return [line.split()[0].strip(",") for line in text.splitlines() if line.startswith("  ")]


def test_all_measures_are_listed(capsys):
    text = out(capsys, "measures")
    assert text == irdiv.list_measures() + "\n"
    assert set(registry) - set(names(text)) == set()


@pytest.mark.parametrize(
    ("pattern", "found", "missing"),
    [
        *((word, ["Coverage", "MRecall", "I-rec", "alpha-nDCG"], "ERR-IA") for word in ("nuggets", "Rubric", "RAG")),
        ("sub-question", ["Coverage", "All-covered", "Vital-coverage", "A-Recall"], "ERR-IA"),
        ("subtopic recall", ["I-rec", "S-recall@min"], "ERR-IA"),
        ("α", ["alpha-DCG", "alpha-nDCG", "alpha_nDCG-LA"], "I-rec"),
        ("documents result set", ["NumRet"], "ERR-IA"),
    ],
)
def test_measures_are_found_by_what_they_measure(capsys, pattern, found, missing):
    text = out(capsys, "measures", pattern)
    assert text == irdiv.list_measures(pattern) + "\n"
    assert set(found) - set(names(text)) == set()
    assert missing not in names(text)


@pytest.mark.parametrize(
    ("word", "first", "listed"),
    [
        ("rubric", "rubric_score", set(ANSWER_MEASURES)),
        ("vital_score", "vital_score", {"vital_score", "strict_vital_score"}),
    ],
)
def test_scores_of_answers_are_listed_apart(word, first, listed):
    *_, scores, _ = irdiv.list_measures(word).split("\n\n")
    heading, *lines = scores.splitlines()
    assert "irdiv.rag.score_answers" in heading
    found = [line.split()[0] for line in lines]
    assert (found[0], set(found)) == (first, listed)
    assert "score_answers" not in irdiv.list_measures("D#-nDCG")


def test_every_measure_is_explained(capsys):
    lacking = {}
    for name, declaration in registry.items():
        text = irdiv.explain(name)
        needed = [f"{name}\n", "formula", *(f"  {parameter.name}=" for parameter in declaration.parameters)]
        lacking[name] = [words for words in [*needed, *declaration.references] if words not in text]
    assert {name: words for name, words in lacking.items() if words} == {}
    found = out(capsys, "explain", "I-rec", "nDCG@10", "Success")
    assert found == "\n\n".join(map(irdiv.explain, ("I-rec", "nDCG@10", "Success"))) + "\n"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("ERR", "Pr(r) = (2^x−1)/2^H"),
        ("ERR", "gdeval, which computes ERR inside ir_measures, fixes H = 4"),
        ("nDCG", "parameters with which irdiv computes nDCG gain='linear'"),
        ("nDCG(gain='exp')@10", "gain='exp'"),
        ("AP_IA", "R_i: the number of all documents relevant to intent i"),
        ("RBU", "R_i(r) = (2^x−1)/2^{H_i}"),
        ("RBU", "H_i the highest grade of intent i in the topic"),
        ("ERR-IA", "here ERR_IA, is binary"),
        ("ERR_IA", "ERR-IA is the graded"),
    ],
)
def test_explanations_state_what_differs_between_tools(spec, says):
    text = " ".join(irdiv.explain(spec).split())
    assert says in text
    # R_i has another meaning in RBU.
    assert spec != "RBU" or "the number of all documents relevant to intent i" not in text


# Several runs in one file


def test_one_file_with_many_runs(capsys, tmp_path):
    """By a column of Parquet, or by the tags of a TREC file."""
    files = {name: RUNS[name] for name in ("relevance", "spammy")}
    frames = [irdiv.read_run(path).assign(system=name) for name, path in files.items()]
    pd.concat(frames).to_parquet(tmp_path / "all.parquet")
    (tmp_path / "all.run").write_text("".join(Path(path).read_text() for path in files.values()))
    expected = rows(capsys, "eval", QRELS, *files.values(), "-m", "nDCG@2")
    assert expected["value"].nunique() == 2
    for file, column in (("all.parquet", "system"), ("all.run", "run")):
        found = rows(capsys, "eval", QRELS, tmp_path / file, "--run-column", column, "-m", "nDCG@2")
        pd.testing.assert_frame_equal(found, expected)
        for command in ("rank", "compare"):
            assert "spammy" in out(capsys, command, QRELS, tmp_path / file, "--run-column", column, "-m", "nDCG@2")
    many = call(capsys, "eval", QRELS, tmp_path / "all.run", "--duplicates", "first")
    assert "several names, such as 'relevance', 'spammy'" in many.err


@pytest.mark.slow
def test_a_terminal_without_greek_letters():
    done = process("explain", "D#-nDCG", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "I-rec" in done.stdout
