"""The command `irdiv eval`: runs, measures and options in any order; the demo; mistakes that all commands name."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pandas as pd
import pytest

import irdiv
from cli_helpers import COMMANDS, DEMO, FILES, call, error, means, out, process, rows
from irdiv.demo import SYSTEMS

QRELS, ONE, TWO = FILES
ALL_RUNS = [str(DEMO / f"{name}.run") for name in SYSTEMS]


@pytest.fixture
def runs(tmp_path) -> Path:
    """A folder with the four runs of the demo."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for path in map(Path, ALL_RUNS):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def copy_demo(**files: str) -> None:
    """Copy files of the demo to the working directory under other names."""
    for name, source in files.items():
        Path(name).write_bytes((DEMO / source).read_bytes())


# The demo


def test_demo_shows_what_it_claims(capsys, tmp_path):
    text = out(capsys, "demo", "--report", tmp_path / "demo.html")
    assert "12 ambiguous topics" in text
    assert "irdiv demo" in (tmp_path / "demo.html").read_text()
    found = means(capsys, "demo")
    assert [spec for spec, mean in found["relevance"].items() if mean > found["diversified"][spec]] == ["D-nDCG@10"]


def test_the_default_measures_are_those_of_the_demo(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = means(capsys, "eval", QRELS, *ALL_RUNS, "--intent-table", DEMO / "intents.csv")
    assert found == means(capsys, "demo")
    expected = irdiv.evaluate(*irdiv.demo.demo_qrels_and_runs(), list(found["spammy"])).summary()
    assert found == expected.T.to_dict()
    assert list(tmp_path.iterdir()) == []


def test_a_report_of_the_demo_changes_no_table(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert out(capsys, "demo", "-q", "--report", "page.html") == out(capsys, "demo", "-q")
    assert "irdiv demo" in Path("page.html").read_text()
    assert "leave out --report" in error(capsys, "demo", "--data", "data", "--report", "other.html")


# Arguments


ORDERS = [
    "qrels a b c -m I-rec@5 --baseline a b --csv",
    "-m I-rec@5 qrels a b c --baseline a b --csv",
    "--baseline a b -m I-rec@5 --csv qrels a b c",
    "--baseline a b --csv -m I-rec@5 -- qrels a b c",
    "qrels --baseline a b --csv a b c -m I-rec@5",
    "qrels a --output=csv -mI-rec@5 b --set rel=1 --baseline a b -B 1000 c",
]


def test_options_may_be_before_between_and_after_files(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_demo(qrels="qrels.txt", a="relevance.run", b="diversified.run", c="spammy.run")
    expected = irdiv.stats.compare(
        irdiv.evaluate("qrels", {name: name for name in "abc"}, "I-rec@5"), baseline=["a", "b"]
    ).to_csv(index=False)
    assert {words: out(capsys, "compare", *words.split()) for words in ORDERS} == dict.fromkeys(ORDERS, expected)
    found = out(capsys, "compare", *["-m", "I-rec@5", "--csv", "--baseline", "a", "qrels", "a", "b", "c"])
    assert found == out(capsys, "compare", *["qrels", "a", "b", "c", "-m", "I-rec@5", "--csv", "--baseline", "a"])


def test_a_file_that_is_called_like_a_measure_is_a_measure_after_m(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_demo(qrels="qrels.txt", a="relevance.run", AP="spammy.run")
    assert list(means(capsys, "eval", "qrels", "a", "-m", "P@5", "AP")) == ["a"]
    assert list(means(capsys, "eval", "-m", "P@5", "qrels", "[a]")) == ["a"]


def test_parameters_of_measures(capsys):
    found = means(
        capsys, "eval", *FILES, "-m", "D-nDCG@5", "-m", "D#-Q@5", "--components", "--set", "gain=linear", "intents=all"
    )
    options = {"gain": "linear", "intents": "all", "components": True}
    expected = irdiv.evaluate(QRELS, {"relevance": ONE, "diversified": TWO}, ["D-nDCG@5", "D#-Q@5"], **options)
    assert found == expected.summary().T.to_dict()
    assert "D-nDCG(gain='linear',intents='all')@5" in found["relevance"]
    assert any(spec.startswith("I-rec") for spec in found["relevance"])


def choices(function, parameter: str) -> list[str]:
    """Return the values that the annotation of a parameter allows."""
    annotation = eval(
        inspect.signature(function).parameters[parameter].annotation, inspect.unwrap(function).__globals__
    )
    parts = [annotation, *get_args(annotation)]
    return [choice for part in parts if get_origin(part) is Literal for choice in get_args(part)]


@pytest.mark.parametrize(
    ("command", "function", "parameter"),
    [
        ("eval", irdiv.evaluate, "ties"),
        ("eval", irdiv.evaluate, "duplicates"),
        ("compare", irdiv.stats.compare, "test"),
        ("correlate", irdiv.stats.correlate, "method"),
    ],
)
def test_options_take_every_choice_of_the_library(capsys, command, function, parameter):
    assert len(choices(function, parameter)) > 1
    for choice in choices(function, parameter):
        out(capsys, command, *FILES, "-m", "I-rec@5", "P@5", f"--{parameter}", choice)


def test_an_intent_table_with_other_names(capsys, tmp_path):
    def evaluate_with(name: str):
        path = tmp_path / "intents.csv"
        pd.read_csv(DEMO / "intents.csv").rename(columns={"probability": name}).to_csv(path, index=False)
        return call(capsys, "eval", *FILES, "-m", "D-nDCG@10", "--intent-table", path)

    expected = evaluate_with("probability")
    assert expected.err == ""
    assert evaluate_with("weight") == expected
    unused = evaluate_with("share")
    assert unused.out != expected.out
    assert "not used: 'share'" in unused.err


# Runs


def test_runs_are_named_after_files_or_tags(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    paths = ["a.txt", "folder/a.txt", "a.txt.run"]
    copy_demo(**dict.fromkeys(paths, "relevance.run"))
    # No run is dropped because another has its name.
    assert list(rows(capsys, "eval", QRELS, *paths, "-m", "I-rec@5")["run"]) == paths
    assert list(means(capsys, "eval", QRELS, "a.txt", "-m", "I-rec@5")) == ["a"]
    assert list(means(capsys, "eval", QRELS, "a.txt", "-m", "I-rec@5", "--names", "tag")) == ["relevance"]


def test_a_folder_or_a_pattern_of_runs(capsys, runs):
    paths = sorted(runs.iterdir())
    expected = rows(capsys, "eval", QRELS, *paths, "-m", "I-rec@5")
    assert list(expected["run"]) == sorted(SYSTEMS)
    pd.testing.assert_frame_equal(rows(capsys, "eval", QRELS, runs, "-m", "I-rec@5"), expected)
    pd.testing.assert_frame_equal(rows(capsys, "eval", QRELS, runs / "*.run", "-m", "I-rec@5"), expected)
    assert len(rows(capsys, "eval", QRELS, runs, ONE, "-m", "I-rec@5")) == 5
    assert irdiv.evaluate(QRELS, runs, "I-rec@5").runs == tuple(sorted(SYSTEMS))


def test_what_is_skipped_in_a_folder_of_runs(capsys, runs):
    for name in (".hidden", "spammy.run~", ".spammy.run.swp", "spammy.swp"):
        (runs / name).write_text("no run")
    (runs / "more").mkdir()
    expected = means(capsys, "eval", QRELS, *ALL_RUNS, "-m", "I-rec@5")
    result = call(capsys, "eval", QRELS, f"{runs}/", "-m", "I-rec@5", "-o", "csv")
    assert {line.split(",")[0] for line in result.out.splitlines()[1:]} == set(expected)
    assert result.err.count("not read: 'more/', 'spammy.run~', 'spammy.swp'") == 1
    with pytest.warns(irdiv.IrdivWarning, match="not read: 'more/', 'spammy.run~', 'spammy.swp'"):
        assert irdiv.evaluate(QRELS, runs, "I-rec@5").runs == tuple(sorted(SYSTEMS))


def test_a_folder_that_is_not_one_of_runs(capsys, runs, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "no files" in error(capsys, "eval", QRELS, tmp_path / "empty")
    (runs / "notes.md").write_text("not a run\n")
    assert "run 'notes.md'" in error(capsys, "eval", QRELS, runs)
    (runs / "notes.md").rename(runs / "spammy.txt")
    with pytest.raises(irdiv.IrdivError, match="same name.*'spammy.(run|txt)'"):
        irdiv.evaluate(QRELS, runs, "I-rec@5")


# Mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["eval", "nowhere", ONE], "nowhere"),
        (["eval", QRELS, "nowhere"], "nowhere"),
        (["eval", QRELS, "no*where"], r"no file matches 'no\*where'"),
        (["eval", "-m", "I-rec@5", QRELS, "nowhere.run"], "nowhere.run"),
        (["eval", "-m", "I-rec@5", "nowhere.txt", ONE], "no such.*nowhere.txt"),
        (["eval", QRELS, QRELS], "qrels.txt"),
        (["eval", *FILES, ONE], "relevance.run' is given twice"),
        (["eval", *FILES, "-m", "D#-nDGC@10"], "D#-nDGC"),
        (["eval", "-m", "I-rec@5", "I-rce", QRELS, ONE], "no measure is called 'I-rce'"),
        (["eval", *FILES, "--set", "gain"], "KEY=VALUE.*'gain'"),
        (["eval", *FILES, "--set", "gamma=7"], "gamma=7"),
        (["eval", *FILES, "--set", "gian=linear"], "gian"),
        (["eval", *FILES, "--set", "gain=linear", "gain=exp"], "'gain' is set twice"),
        (["eval", *FILES, "--set", "ties=input"], "'ties' is not a parameter of measures"),
        (["eval", *FILES, "--set", "gamma=" + "-" * 900 + "1"], "gamma"),
        (["eval", *FILES, "--intent-table", ONE], "relevance.run"),
        (["eval", *FILES, "--intent-table", DEMO], "demo"),
        (["eval", *FILES, "--intent-table", "nowhere"], "nowhere"),
        (["eval", *FILES, "-o", "xml"], "xml"),
        (["eval", *FILES, "--digits", "-1"], "-1"),
        (["eval", *FILES, "--nonsense", "1"], "--nonsense"),
        (["eval"], "QRELS"),
        ([], "COMMAND"),
        (["nonsense"], "nonsense"),
        (["explain", "NERR8@3"], "NERR8"),
        (["explain", "IPrec@x"], "IPrec@x"),
        (["measures", "zzz"], "zzz"),
        # An empty path, as of a variable of the shell that is not set, is not the working directory.
        (["eval", "", ONE], "empty"),
        (["eval", QRELS, ONE, ""], "empty"),
        (["eval", *FILES, "--intent-table="], "--intent-table.*empty"),
        (["compare", "--collection", "web", "", ONE], "empty"),
        (["report", *FILES, "-o", ""], "empty"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, words, message):
    assert re.search(message, error(capsys, *words))


@pytest.mark.parametrize(
    "command", ["eval", "rank", "compare", "discpower", "concordance", "correlate", "ideals", "hierarchy", "oracle"]
)
def test_bad_qrels_are_named_by_every_command(capsys, tmp_path, command):
    (tmp_path / "bad").write_text("1 2\n")
    runs = [] if command in ("oracle", "ideals") else [ONE]
    options = ["--gold", "I-rec"] if command == "concordance" else []
    assert "bad, line 1" in error(capsys, command, tmp_path / "bad", *runs, *options)


def test_a_note_goes_to_standard_error_as_one_line(capsys, tmp_path):
    (tmp_path / "qrels").write_text(Path(QRELS).read_text() + "13 1 d 0\n")
    notes = call(capsys, "eval", tmp_path / "qrels", ONE, "-m", "I-rec").err.splitlines()
    assert [note for note in notes if note.startswith("irdiv: note: 1 of 13 topics")] == notes[:1]


def test_every_command_has_help(capsys):
    overview = call(capsys, "--help")
    assert overview.code == 0
    assert [name for name in COMMANDS if name not in overview.out] == []
    for name in COMMANDS:
        result = call(capsys, name, "--help")
        assert (result.code, name in result.out, result.err) == (0, True, ""), name


@pytest.mark.slow
def test_as_a_program():
    assert process("--version").stdout == f"irdiv {irdiv.__version__}\n"
    done = process("eval", *FILES, "-m", "I-rec@5", "-o", "csv")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "run,measure,value")
