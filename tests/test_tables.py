"""Tables of means: what is bold, what is starred, and how names are escaped."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import irdiv
from irdiv.demo import demo_qrels_and_runs, write_demo
from irdiv.report import render
from irdiv_cli import main, output

FORMATS = ["latex", "markdown"]


@pytest.mark.parametrize("form", FORMATS)
def test_best_means_are_bold_and_significant_differences_starred(form):
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["D#-nDCG@10", "I-rec@10"])
    table = getattr(evaluation, f"to_{form}")(baseline="relevance")
    bold = {"latex": r"\textbf{0.9146}", "markdown": "**0.9146**"}[form]
    star = {"latex": r"0.5833$^{*}$", "markdown": r"0.5833\*"}[form]
    assert bold in table
    assert star in table
    assert "0.9060" in table
    assert "at p < 0.05" in table
    without_baseline = getattr(evaluation, f"to_{form}")()
    assert star not in without_baseline
    assert "p <" not in without_baseline


@pytest.mark.parametrize("form", FORMATS)
def test_frames_of_every_library_give_the_same_table(form):
    qrels, runs = demo_qrels_and_runs()
    polars = pytest.importorskip("polars")
    expected = getattr(irdiv.evaluate(qrels, runs, "I-rec@10"), f"to_{form}")(baseline="relevance")
    evaluation = irdiv.evaluate(qrels, {name: polars.from_pandas(run) for name, run in runs.items()}, "I-rec@10")
    assert evaluation.backend == "polars"
    assert getattr(evaluation, f"to_{form}")(baseline="relevance") == expected


def test_names_are_escaped():
    runs = {"a_b & c|<d>": {"1": {"d1": 1.0}}}
    evaluation = irdiv.evaluate({"1": {"d1": 1}}, runs, "Q")
    assert r"a\_b \& c|<d> &" in evaluation.to_latex()
    assert r"| a\_b & c\|\<d\> |" in evaluation.to_markdown()
    assert "a_b &amp; c|&lt;d&gt;" in evaluation._repr_html_()
    odd = irdiv.evaluate({"1": {"d1": 1}}, {"[a]\nb": {"1": {"d1": 1.0}}}, "Q")
    assert "{[}a] b &" in odd.to_latex()
    assert r"| \[a\] b |" in odd.to_markdown(digits=2)
    assert "**1.00**" in odd.to_markdown(digits=2)
    assert "<b>1.0000</b>" in evaluation._repr_html_()


# 1 − F: the best run has the smallest value.
LESS_IS_BETTER = "E@20"


def bold_in_terminal(tmp_path, monkeypatch, capsys) -> str:
    write_demo(tmp_path)
    monkeypatch.setattr(output, "supports_bold", lambda stream: True)
    files = [str(tmp_path / f"{run}.run") for run in demo_qrels_and_runs()[1]]
    assert main(["eval", str(tmp_path / "qrels.txt"), *files, "-m", LESS_IS_BETTER]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("form", "bold"),
    [
        ("latex", r"\\textbf{(.*?)}"),
        ("markdown", r"\*\*(.*?)\*\*"),
        ("html", r"<b>(.*?)</b>"),
        ("terminal", r"\x1b\[1m\s*(.*?)\x1b\[0m"),
        ("report", r'class="best".*?>(.*?)[ <]'),
    ],
)
def test_the_smallest_mean_is_bold_where_less_is_better(form, bold, tmp_path, monkeypatch, capsys):
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, LESS_IS_BETTER)
    text = {
        "latex": evaluation.to_latex,
        "markdown": evaluation.to_markdown,
        "html": evaluation._repr_html_,
        "terminal": lambda: bold_in_terminal(tmp_path, monkeypatch, capsys),
        "report": lambda: render(qrels, runs, measures=[LESS_IS_BETTER]),
    }[form]()
    means = evaluation.summary()[LESS_IS_BETTER]
    assert means.nunique() == len(means)
    assert re.findall(bold, text) == [f"{means.min():.4f}"]


def test_the_direction_of_a_measure_outside_the_catalogue_counts():
    declaration = replace(irdiv.measures.registry["E"], name="Miss", less_is_better=True)
    measure = irdiv.Measure(declaration) @ 10
    evaluation = irdiv.evaluate(*demo_qrels_and_runs(), measure)
    means = dict(zip(evaluation.runs, evaluation.means()[:, 0].tolist(), strict=True))
    board = irdiv.stats.leaderboard(evaluation)
    assert means[board["run"].iloc[0]] == min(means.values()) < max(means.values())
    assert set(board.loc[board["best"], "run"]) == {run for run, mean in means.items() if mean == min(means.values())}
