"""Plots: what they show, and that nothing covers anything."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

import irdiv
from irdiv import IrdivError, plots
from test_stats import random_evaluation


def drawn(ax):
    """Draw the figure, as saving it does, so that places are known."""
    ax.figure.canvas.draw()
    return ax


@pytest.fixture(scope="module")
def evaluation():
    return random_evaluation(runs=8)


def overlap(ax, box) -> bool:
    return ax.get_window_extent().overlaps(box)


def test_asl_curves_fall_and_the_legend_stands_beside(evaluation):
    power = irdiv.discriminative_power(evaluation)
    ax = drawn(plots.asl_curves(power))
    curves = {line.get_label().split(" ")[0]: line.get_ydata() for line in ax.lines if "(" in line.get_label()}
    assert list(curves) == power.summary["measure"].tolist()
    for measure, curve in curves.items():
        assert list(curve) == sorted(power.asl.loc[power.asl["measure"] == measure, "p"], reverse=True)
    assert not overlap(ax, ax.get_legend().get_window_extent())
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_runs_by_recall_and_relevance_are_all_named_inside(evaluation):
    ax = drawn(plots.recall_relevance(evaluation))
    assert [text.get_text() for text in sorted(ax.texts, key=lambda t: t.get_text()) if text.get_text()[0] == "r"] == [
        f"r{number}" for number in range(8)
    ]
    box = ax.get_window_extent()
    for text in ax.texts:
        extent = text.get_window_extent()
        assert box.x0 <= extent.x0
        assert extent.x1 <= box.x1
    points = ax.collections[-1].get_offsets()
    assert points.tolist() == pytest.approx(evaluation.values[:, :2].mean(axis=2))
    # a contour goes through points of one D#-nDCG
    for path, level in zip(ax.collections[0].get_paths(), ax.collections[0].levels, strict=True):
        for x, y in path.vertices:
            assert 0.5 * x + 0.5 * y == pytest.approx(level)


def test_many_runs_are_numbered_and_named_beside():
    ax = drawn(plots.recall_relevance(random_evaluation(runs=40)))
    assert {text.get_text() for text in ax.texts} >= {str(number) for number in range(1, 41)}
    assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["1  r0", "2  r1"]
    assert not overlap(ax, ax.get_legend().get_window_extent())


def test_a_single_pair_is_visible():
    ax = plots.asl_curves(irdiv.discriminative_power(random_evaluation(runs=2)))
    assert ax.lines[0].get_marker() == "o"


def test_heat_maps(evaluation):
    matrix = irdiv.correlate(evaluation)
    ax = drawn(plots.heat_map(matrix))
    assert [text.get_text() for text in ax.texts] == [f"{value:.2f}" for value in matrix.to_numpy().ravel()]
    frame = irdiv.concordance(evaluation, "I-rec@10")
    lead = frame["concordance"][0] - frame["other_concordance"][0]
    assert [text.get_text() for text in plots.heat_map(frame).texts] == [f"{lead:.2f}", f"{-lead:.2f}"]


def test_difference_bars(evaluation):
    ax = drawn(plots.difference_bars(evaluation, "r0", "r1", "D-nDCG@10"))
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx((evaluation.values[0, 1] - evaluation.values[1, 1]).tolist())
    signs = {}
    for bar in ax.patches:
        signs.setdefault(bar.get_facecolor(), set()).add(bar.get_height() >= 0)
    assert sorted(map(sorted, signs.values())) == [[False], [True]]
    shuffled = plots.difference_bars(evaluation.frame.sample(frac=1, random_state=0), "r0", "r1", "D-nDCG@10")
    assert [bar.get_height() for bar in shuffled.patches] == pytest.approx(heights)
    assert [tick.get_text() for tick in ax.get_xticklabels()][:3] == ["0", "1", "2"]
    same = plots.difference_bars(evaluation.frame, "r0", "r1", "D-nDCG@10")
    assert [bar.get_height() for bar in same.patches] == pytest.approx(heights)


def test_power_curves(evaluation):
    curve = irdiv.power_by_topics(evaluation, sizes=[5, 20], trials=2, B=100)
    ax = drawn(plots.power_curves(curve))
    assert not overlap(ax, ax.get_legend().get_window_extent())
    assert [list(line.get_xdata()) for line in ax.lines] == [[5, 20]] * 3


def test_axes_of_ones_own(evaluation):
    from matplotlib.figure import Figure

    mine = Figure().subplots()
    assert plots.heat_map(irdiv.correlate(evaluation), ax=mine) is mine


def test_without_matplotlib(monkeypatch, evaluation):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(IrdivError, match=r"pip install 'irdiv\[plots\]'"):
        plots.heat_map(irdiv.correlate(evaluation))


def test_pyplot_is_used_where_it_is_imported_already(tmp_path):
    code = (
        "import matplotlib; matplotlib.use('agg'); import matplotlib.pyplot as plt, pandas as pd\n"
        "from irdiv import plots\n"
        "plots.heat_map(pd.DataFrame([[1.0]]))\n"
        "print(len(plt.get_fignums()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_a_dollar_sign_is_no_formula():
    evaluation = random_evaluation(runs=3)
    renamed = evaluation.frame.replace({"run": {"r0": "a$b$c", "r1": r"$\frac$"}})
    ax = drawn(plots.recall_relevance(renamed))
    assert {"a$b$c", r"$\frac$"} <= {text.get_text() for text in ax.texts}
    ax.figure.savefig(io.BytesIO(), format="svg")
    assert not any(text.get_parse_math() for text in ax.texts if "$" in text.get_text())
