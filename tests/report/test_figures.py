"""Figures of the report: SVG whose ids do not clash, in the colors of the page, and small."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from helpers import random_evaluation
from irdiv import stats
from irdiv.plots.measures import levels_by_measure
from irdiv.plots.runs import run_points
from irdiv.plots.systems import ranked_means
from irdiv.report.figures import asl_figure, ranking_figure, recall_figure
from irdiv.show.palette import LIGHT
from irdiv.stats.table import as_table

SVG = "{http://www.w3.org/2000/svg}"
TRICKY = 'd="1.2345" <b>&#000000'


def ranking_of(evaluation, board) -> str:
    measure = board["measure"].iloc[0]
    means = ranked_means(as_table(evaluation), board[board["measure"] == measure])
    return ranking_figure(means, measure, len(evaluation.query_ids), 0.95)


def figures(runs: int):
    evaluation = random_evaluation(runs=runs)
    names = [f"group-{run}-with-a-name-of-usual-length" for run in range(runs)]
    evaluation = replace(evaluation, runs=(TRICKY, *names[1:]))
    board = stats.leaderboard(evaluation, measures=["D#-nDCG@10", "I-rec@10"])
    power = stats.discriminative_power(evaluation, delta=False, n_resamples=50)
    return {
        "scatter": recall_figure(run_points(evaluation, *evaluation.measures[:2])),
        "ranking": ranking_of(evaluation, board),
        "asl": asl_figure(levels_by_measure(power), power.level),
    }, board


@pytest.fixture(scope="module", params=[4, 40])
def drawn(request):
    return request.param, *figures(request.param)


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_ids_are_unique_on_a_page_and_name_runs(drawn):
    runs, svgs, _ = drawn
    ids = [element.get("id") for svg in svgs.values() for element in ElementTree.fromstring(svg).iter()]
    ids = [identifier for identifier in ids if identifier]
    assert len(ids) == len(set(ids))
    for name in ("scatter", "ranking"):
        marked = [identifier for identifier in ids if re.fullmatch(rf"{name}-run-\d+", identifier)]
        assert sorted(marked) == sorted(f"{name}-run-{run}" for run in range(runs))
    used = {found for svg in svgs.values() for found in re.findall(r'(?:url\(|href=")#([^")]+)', svg)}
    assert used <= set(ids)


def test_rows_are_those_of_the_leaderboard(drawn):
    runs, svgs, board = drawn
    names = [text for text in texts(svgs["ranking"]) if text == TRICKY or text.startswith("group")]
    assert names == board["run"].tolist()[:runs]
    root = ElementTree.fromstring(svgs["ranking"])
    lines = {}
    for run in range(runs):
        (element,) = (found for found in root.iter() if found.get("id") == f"ranking-run-{run}")
        path = next(part.get("d") for part in element.iter(f"{SVG}path") if part.get("clip-path"))
        lines[run] = [float(number) for number in re.findall(r"[\d.]+", path)]
    # From low to high, further down for each row.
    order = sorted(lines, key=lambda run: lines[run][1])
    rows = board[board["measure"] == "D#-nDCG@10"].reset_index(drop=True)
    scale = (lines[order[0]][-2] - lines[order[0]][0]) / (rows["high"][0] - rows["low"][0])
    for row, run in enumerate(order):
        assert rows["run"][row] == (TRICKY if run == 0 else f"group-{run}-with-a-name-of-usual-length")
        width = rows["high"][row] - rows["low"][row]
        assert lines[run][-2] - lines[run][0] == pytest.approx(scale * width, abs=0.1)


def test_names_are_text_and_unchanged(drawn):
    runs, svgs, _ = drawn
    for name in ("scatter", "ranking") if runs == 4 else ("ranking",):
        assert TRICKY in texts(svgs[name])
    assert all("<b>" not in svg for svg in svgs.values())


def test_colors_are_those_of_the_page(drawn):
    _, svgs, _ = drawn
    for svg in svgs.values():
        root = ElementTree.fromstring(svg)
        assert root.get("fill") == "currentColor"
        assert root.get("role") == "img"
        styles = [element.get("style") or "" for element in root.iter()]
        fixed = {color for style in styles for color in re.findall(r"(?<!, )#[0-9a-f]{6}", style)}
        assert fixed == set()
        assert any(f"var(--figure-0, {LIGHT.colors[0]})" in style for style in styles)
        assert all("#ffffff" not in style for style in styles)


@pytest.mark.slow
def test_figures_are_small():
    for runs, most in ((40, 150_000), (150, 400_000)):
        for svg in figures(runs)[0].values():
            assert len(svg.encode()) < most
            # Letters are not paths.
            assert "DejaVuSans-" not in svg


def test_all_rows_of_many_runs_are_named():
    evaluation = random_evaluation(runs=150)
    svg = ranking_of(evaluation, stats.leaderboard(evaluation, measures="I-rec@10"))
    assert {f"r{run}" for run in range(150)} <= set(texts(svg))
    height = float(ElementTree.fromstring(svg).get("height").removesuffix("pt")) / 72
    assert height == pytest.approx(150 * 0.13, rel=0.05)
