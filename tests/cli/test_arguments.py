"""Options before, between and after files on the command line; folders of runs; the commands rank and topic."""

from __future__ import annotations

import json
from io import StringIO
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

import irdiv
from cli_helpers import DEMO, error, out
from irdiv.demo import SYSTEMS
from irdiv_cli import main, parser
from irdiv_cli.arguments import positionals_first

QRELS, ONE, TWO = (str(DEMO / name) for name in ("qrels.txt", "relevance.run", "diversified.run"))


@pytest.fixture
def runs(tmp_path) -> Path:
    """A folder with the four runs of the demo."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for name in SYSTEMS:
        (folder / f"{name}.run").write_bytes((DEMO / f"{name}.run").read_bytes())
    return folder


def reordered(command: str, words: str) -> str:
    actions = parser()._subparsers._group_actions[0].choices
    return " ".join(positionals_first(actions[command], words.split()))


@pytest.mark.slow
def test_every_order_of_files_and_options_is_the_same(capsys):
    pieces = [[QRELS], [ONE], [TWO], ["-m", "D#-nDCG@10", "I-rec@5"], ["--set", "gain=linear"], ["-q", "--csv"]]
    expected = out(capsys, "eval", *(word for piece in pieces for word in piece))
    tried = 0
    for order in permutations(pieces):
        words = [word for piece in order for word in piece]
        if words.index(QRELS) < words.index(ONE) < words.index(TWO):
            assert out(capsys, "eval", *words) == expected, words
            tried += 1
    assert tried == 120


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("eval", "-m A@5 -o csv Q R", "Q R -m A@5 -o csv"),
        ("eval", "-m P@5 q.txt r.run", "q.txt r.run -m P@5"),
        ("eval", "-m P@5 AP folder/q r", "folder/q r -m P@5 AP"),
        ("eval", "Q -m P@5 -q R", "Q R -m P@5 -q"),
        ("eval", "Q R -mP@5 S", "Q R S -mP@5"),
        ("eval", "Q R -qo csv S", "Q R S -qo csv"),
        ("eval", "Q R --output=csv S", "Q R S --output=csv"),
        ("eval", "Q R --out csv S", "Q R S --out csv"),
        ("eval", "--set gain=linear q.txt R", "q.txt R --set gain=linear"),
        ("eval", "Q - -q", "Q - -q"),
        ("eval", "-q -- Q -R", "-q -- Q -R"),
        ("eval", "Q R --digits -1", "Q R --digits -1"),
        ("compare", "Q -B 100 R --baseline x S", "Q R -B 100 --baseline x S"),
        ("compare", "Q -B100 R", "Q R -B100"),
        # unknown and ambiguous options are left to the parser
        ("eval", "Q --nonsense 1 R", "Q --nonsense 1 R"),
        ("eval", "Q --d 1 R", "Q --d 1 R"),
        ("properties", "-m ACT p.txt", "-m ACT p.txt"),
    ],
)
def test_words_with_files_first(command, words, expected):
    assert reordered(command, words) == expected


def test_files_are_not_values_of_options(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, source in (("qrels", QRELS), ("a", ONE), ("b", TWO), ("c", DEMO / "spammy.run")):
        Path(name).write_bytes(Path(source).read_bytes())
    expected = out(capsys, "compare", "qrels", "a", "b", "c", "-m", "I-rec@5", "--baseline", "a", "b", "--csv")
    assert len(expected.splitlines()) == 3
    for words in (
        "-m I-rec@5 qrels a b c --baseline a b --csv",
        "--baseline a b -m I-rec@5 --csv qrels a b c",
        "--baseline a b --csv -m I-rec@5 -- qrels a b c",
        "qrels --baseline a b --csv a b c -m I-rec@5",
    ):
        assert out(capsys, "compare", *words.split()) == expected, words
    # a baseline alone, then the files
    one = out(capsys, "compare", "qrels", "a", "b", "c", "-m", "I-rec@5", "--baseline", "a", "--csv")
    assert out(capsys, "compare", "-m", "I-rec@5", "--csv", "--baseline", "a", "qrels", "a", "b", "c") == one
    # a file that is called like a measure is a measure after -m
    Path("AP").write_bytes(Path(ONE).read_bytes())
    assert out(capsys, "eval", "qrels", "a", "-m", "P@5", "AP").split()[:3] == ["run", "P@5", "AP"]
    assert out(capsys, "eval", "-m", "P@5", "qrels", "[abc]", "-o", "csv").count("\n") == 1 + 3


def test_a_missing_file_after_a_measure_is_named(capsys):
    assert "nowhere.run" in error(capsys, "eval", "-m", "I-rec@5", QRELS, "nowhere.run")
    assert "no such" in error(capsys, "eval", "-m", "I-rec@5", "nowhere.txt", ONE)
    assert "no measure is called 'I-rce'" in error(capsys, "eval", "-m", "I-rec@5", "I-rce", QRELS, ONE)


def test_a_folder_of_runs(capsys, runs):
    expected = out(capsys, "eval", QRELS, *(str(runs / f"{name}.run") for name in sorted(SYSTEMS)), "-m", "I-rec@5")
    assert out(capsys, "eval", QRELS, str(runs), "-m", "I-rec@5") == expected
    assert out(capsys, "eval", QRELS, str(runs), ONE, "-m", "I-rec@5").count("\n") == 1 + 5
    evaluation = irdiv.evaluate(QRELS, runs, "I-rec@5")
    assert evaluation.runs == tuple(sorted(SYSTEMS))
    assert irdiv.analysis.relevant_documents_by_intent(QRELS, str(runs))["run"].nunique() == 4


def test_what_is_skipped_in_a_folder_of_runs(capsys, runs):
    expected = out(capsys, "eval", QRELS, str(runs), "-m", "I-rec@5")
    for name in (".hidden", "spammy.run~", ".spammy.run.swp", "spammy.swp"):
        (runs / name).write_text("no run")
    (runs / "more").mkdir()
    assert main(["eval", QRELS, f"{runs}/", "-m", "I-rec@5"]) == 0
    printed = capsys.readouterr()
    assert printed.out == expected
    assert printed.err.count("subfolders or backups, which are not read: 'more/', 'spammy.run~', 'spammy.swp'.") == 1
    with pytest.warns(irdiv.IrdivWarning, match="are not read: 'more/', 'spammy.run~', 'spammy.swp'"):
        evaluation = irdiv.evaluate(QRELS, runs, "I-rec@5")
    assert evaluation.runs == tuple(sorted(SYSTEMS))


def test_a_folder_without_runs(capsys, runs, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "has no files; expected one for each run" in error(capsys, "eval", QRELS, str(tmp_path / "empty"))
    (runs / "notes.md").write_text("not a run\n")
    assert "run 'notes.md'" in error(capsys, "eval", QRELS, str(runs))
    (runs / "notes.md").rename(runs / "spammy.txt")
    with pytest.raises(irdiv.IrdivError, match="have the same name but for the ending: 'spammy.(run|txt)'"):
        irdiv.evaluate(QRELS, runs, "I-rec@5")


def test_rank(capsys, runs):
    text = out(capsys, "rank", "-m", "I-rec@5", QRELS, str(runs), "--csv")
    expected = irdiv.evaluate(QRELS, runs, "I-rec@5").rank()
    pd.testing.assert_frame_equal(pd.read_csv(StringIO(text)), expected, check_dtype=False)
    lines = out(capsys, "rank", QRELS, str(runs)).splitlines()
    assert lines[0].split() == ["measure", "rank", "run", "mean", "low", "high", "group"]
    several = out(capsys, "rank", QRELS, str(runs), "-m", "I-rec@5", "D-nDCG@5", "--test", "t", "--level", ".5")
    assert several.split()[:2] == ["measure", "rank"]
    assert len(several.splitlines()) == 1 + 8


def test_rank_says_how_groups_are_found(capsys, runs):
    for options, note in (
        ([], "do not differ by the randomized Tukey HSD test at level 0.05."),
        (["--test", "t"], "by paired tests (t), not corrected for many pairs at level 0.05."),
        (["--test", "t", "--correction", "holm", "--level", "0.1"], "(t), correction holm at level 0.1."),
    ):
        assert main(["rank", QRELS, str(runs), *options]) == 0
        assert capsys.readouterr().err.rstrip().endswith(note)
    assert "leave the correction out" in error(capsys, "rank", QRELS, str(runs), "--correction", "holm")


def test_topic(capsys, runs):
    evaluation = irdiv.evaluate(QRELS, runs, ["I-rec@5", "D-nDCG@5"])
    text = out(capsys, "topic", "3", QRELS, str(runs), "-m", "I-rec@5", "D-nDCG@5")
    assert text == evaluation.topic("3").draw() + "\n"
    some = out(capsys, "topic", "-k", "3", "--run", "spammy", "-m", "I-rec@5", "--digits", "2", "3", QRELS, str(runs))
    expected = irdiv.evaluate(QRELS, runs, "I-rec@5").topic("3", runs="spammy", cutoff=3).draw(digits=2)
    assert some == expected + "\n"
    rows = pd.read_csv(StringIO(out(capsys, "topic", "3", QRELS, str(runs), "-m", "I-rec@5", "--csv")))
    assert list(rows.columns) == ["query_id", "run", "intent_id", "probability", "rank", "doc_id", "grade"]
    assert len(rows) == len(evaluation.topic("3").intents)
    first = json.loads(out(capsys, "topic", "3", QRELS, str(runs), "-o", "jsonl").splitlines()[0])
    assert first["query_id"] == "3"


def test_the_worst_topics(capsys, runs):
    evaluation = irdiv.evaluate(QRELS, runs, "D-nDCG@5")
    text = out(capsys, "topic", "--worst", "2", "-m", "D-nDCG@5", QRELS, str(runs), "--baseline", "relevance")
    worst = evaluation.worst(2, baseline="relevance")
    for query_id, name in zip(worst["query_id"], worst["run"], strict=True):
        assert evaluation.topic(query_id, runs=[name, "relevance"]).draw() in text
    frame = pd.read_csv(
        StringIO(out(capsys, "topic", QRELS, str(runs), "--worst", "3", "--run", "spammy", "-m", "D-nDCG@5", "--csv"))
    )
    pd.testing.assert_frame_equal(
        frame.astype({"query_id": str}), evaluation.worst(3, run="spammy"), check_dtype=False, rtol=1e-12
    )
    assert out(capsys, "topic", QRELS, ONE, "--worst", "1", "-m", "I-rec@5").startswith("query_id  run")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([QRELS, ONE], "expected the ID of a topic"),
        (["33", QRELS, ONE], "no topic is called '33'; did you mean '3'"),
        (["3", QRELS, ONE, "--worst", "2"], "leave out the ID '3'"),
        (["3", QRELS, ONE, "--baseline", "relevance"], "--baseline is for --worst"),
        ([QRELS, ONE, TWO, "--worst", "2", "--run", "relevance", "diversified"], "--run names 2"),
        ([QRELS, ONE, TWO, "--worst", "0"], "--worst 0 shows no topic; give 1 or more"),
        (["3", QRELS, ONE, "--run", "relevanc"], "did you mean 'relevance'"),
        (["3", QRELS, ONE, "-k", "0"], "cutoff=0"),
    ],
)
def test_wrong_calls_of_topic(capsys, words, message):
    assert message in error(capsys, "topic", *words)


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_tables_for_papers(capsys, runs, format):
    evaluation = irdiv.evaluate(QRELS, runs, ["I-rec@5", "D#-nDCG@5"])
    specs = ["-m", "I-rec@5", "D#-nDCG@5"]
    convert = evaluation.to_latex if format == "latex" else evaluation.to_markdown
    assert out(capsys, "eval", QRELS, str(runs), *specs, "-o", format, "--digits", "2") == convert(digits=2)
    for command, first in (("rank", "measure"), ("compare", "measure"), ("eval", "run")):
        options = ["-q"] if command == "eval" else []
        lines = out(capsys, command, QRELS, str(runs), *specs, *options, "-o", format, "--digits", "2").splitlines()
        if format == "latex":
            assert lines[0] == r"% needs \usepackage{booktabs}"
            assert lines[1].startswith(r"\begin{tabular}{l")
            assert lines[3].startswith(f"{first} & ")
            assert lines[-1] == r"\end{tabular}"
            assert len({line.count("&") for line in lines if line.endswith(r"\\")}) == 1
        else:
            assert lines[0].startswith(f"| {first} | ")
            assert set(lines[1]) == set("|-: ")
            assert len({line.count(" |") for line in lines}) == 1


def test_measures_in_tables_for_papers(capsys, runs):
    specs = ["-m", "alpha-nDCG@5", "D#-nDCG@5"]
    text = out(capsys, "correlate", QRELS, str(runs), *specs, "-o", "latex", "--digits", "1")
    assert text.splitlines()[3:6:2] == [
        r"measure & $\alpha$-nDCG@5 & D$\sharp$-nDCG@5 \\",
        r"$\alpha$-nDCG@5 & 1.0 & 1.0 \\",
    ]
    (runs / "spammy.run").rename(runs / "alpha.run")
    text = out(capsys, "compare", QRELS, str(runs), *specs, "-o", "markdown", "--baseline", "alpha")
    assert [line.split(" | ")[:3] for line in text.splitlines()[2:6:3]] == [
        ["| α-nDCG@5", "diversified", "alpha"],
        ["| D♯-nDCG@5", "diversified", "alpha"],
    ]
    text = out(capsys, "discpower", "--agreement", QRELS, str(runs), *specs, "-o", "markdown")
    assert text.splitlines()[2].startswith("| α-nDCG@5 | D♯-nDCG@5 | ")


def test_special_signs_in_tables_for_papers():
    from irdiv.show.frames import frame_to_latex, frame_to_markdown

    frame = pd.DataFrame({"run_id": ["a|b", "50%"], "n": [1, 2], "p": [0.25, float("nan")]})
    assert frame_to_latex(frame, 1).splitlines()[3:7] == [
        r"run\_id & n & p \\",
        r"\midrule",
        r"a\textbar{}b & 1 & 0.2 \\",
        r"50\% & 2 & - \\",
    ]
    assert frame_to_markdown(frame, 1).splitlines() == [
        r"| run\_id | n | p |",
        "| --- | ---: | ---: |",
        r"| a\|b | 1 | 0.2 |",
        "| 50% | 2 | - |",
    ]
