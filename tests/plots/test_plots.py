"""Plots: what they show, and that nothing overlaps."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import irdiv
from helpers import evaluation_of, random_evaluation
from irdiv import IrdivError, IrdivWarning, plots
from irdiv.frames.backends import backend_of
from plot_helpers import drawn, in_library


@pytest.fixture(scope="module")
def evaluation():
    return random_evaluation(runs=8)


def overlap(ax, box) -> bool:
    return ax.get_window_extent().overlaps(box)


def test_asl_curves_fall_and_the_legend_is_beside_them(evaluation):
    power = irdiv.stats.discriminative_power(evaluation)
    ax = drawn(plots.asl_curves(power))
    curves = {line.get_label().split(" ")[0]: line.get_ydata() for line in ax.lines if "(" in line.get_label()}
    assert list(curves) == power.summary()["measure"].tolist()
    for measure, curve in curves.items():
        assert list(curve) == sorted(power.asl().loc[power.asl()["measure"] == measure, "p"], reverse=True)
    assert not overlap(ax, ax.get_legend().get_window_extent())
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_runs_by_recall_and_relevance_are_all_named_inside(evaluation):
    ax = drawn(plots.recall_relevance(evaluation))
    assert [text.get_text() for text in sorted(ax.texts, key=lambda t: t.get_text()) if text.get_text()[0] == "r"] == [
        f"r{index}" for index in range(8)
    ]
    box = ax.get_window_extent()
    for text in ax.texts:
        extent = text.get_window_extent()
        assert box.x0 <= extent.x0
        assert extent.x1 <= box.x1
    points = {line.get_gid(): line.get_xydata()[0] for line in ax.lines}
    assert list(points) == [f"run-{run}" for run in range(8)]
    assert np.array(list(points.values())) == pytest.approx(evaluation.values[:, :2].mean(axis=2))
    # a contour goes through points of one D#-nDCG
    contours = ax.collections[-1]
    for path, level in zip(contours.get_paths(), contours.levels, strict=True):
        for x, y in path.vertices:
            assert 0.5 * x + 0.5 * y == pytest.approx(level)


def test_runs_without_values_for_all_topics_are_not_drawn():
    frame = random_evaluation(runs=2, topics=5).frame
    with pytest.raises(
        IrdivError, match="lacks 2 of 20 values: run 'r0', topic '0', I-rec@10; run 'r0', topic '0', D-nD"
    ):
        plots.recall_relevance(frame[(frame["run"] != "r0") | (frame["query_id"] != "0")])


def test_many_runs_are_numbered_and_named_below():
    ax = drawn(plots.recall_relevance(random_evaluation(runs=40)))
    assert {text.get_text() for text in ax.texts} >= {str(number) for number in range(1, 41)}
    assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["1  r0", "2  r1"]
    assert not overlap(ax, ax.get_legend().get_window_extent())


def test_a_single_pair_is_visible():
    ax = plots.asl_curves(irdiv.stats.discriminative_power(random_evaluation(runs=2)))
    assert ax.lines[0].get_marker() == "o"


def test_heat_maps(evaluation):
    matrix = irdiv.stats.correlate(evaluation)
    ax = drawn(plots.heat_map(matrix))
    assert [text.get_text() for text in ax.texts] == [f"{value:.2f}" for value in matrix.to_numpy().ravel()]
    frame = irdiv.stats.concordance(evaluation, "I-rec@10")
    lead = frame["concordance"][0] - frame["other_concordance"][0]
    assert [text.get_text() for text in plots.heat_map(frame).texts] == [f"{lead:.2f}", f"{-lead:.2f}"]


def test_a_heat_map_of_agreement(evaluation):
    frame = irdiv.stats.discriminative_power(evaluation, n_resamples=100).agreement()
    ax = plots.heat_map(frame)
    one, two, three = (f"{value:.2f}" for value in frame["agreement"])
    assert [text.get_text() for text in ax.texts] == [one, two, one, three, two, three]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == list(evaluation.specs())


def cells(ax) -> dict[tuple[str, str], str]:
    """Return the texts of the cells of a heat map by their row and column."""
    rows, columns = ([label.get_text() for label in axis.get_ticklabels()] for axis in (ax.yaxis, ax.xaxis))
    return {
        (rows[round(text.get_position()[1])], columns[round(text.get_position()[0])]): text.get_text()
        for text in ax.texts
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_heat_maps_of_comparisons(library, evaluation):
    def in_kind(frame):
        return frame if library == "pandas" else in_library(library, frame)

    frame = irdiv.stats.compare(evaluation, measures="D-nDCG@10", correction="holm", n_resamples=200)
    ax = drawn(plots.heat_map(in_kind(frame)))
    found = cells(ax)
    assert len(found) == 8 * 7
    significant = set()
    for row in frame.itertuples():
        assert float(found[row.run, row.other]) == pytest.approx(row.difference, abs=0.0051)
        assert float(found[row.other, row.run]) == pytest.approx(-row.difference, abs=0.0051)
        if row.p_adjusted < 0.05:
            significant |= {(row.run, row.other), (row.other, row.run)}
    (image,) = ax.images
    names = [f"r{run}" for run in range(8)]
    colored = {(names[i], names[j]) for i, j in zip(*np.nonzero(image.get_alpha()), strict=True) if i != j}
    assert 0 < len(significant) < 56
    assert colored == significant
    baseline = irdiv.stats.compare(evaluation, baseline="r2", n_resamples=100)
    found = cells(drawn(plots.heat_map(in_kind(baseline))))
    assert {column for _, column in found} == set(evaluation.specs())
    for row in baseline.itertuples():
        assert float(found[row.run, row.measure]) == pytest.approx(row.difference, abs=0.0051)
    one = in_kind(baseline[baseline["measure"] == "I-rec@10"])
    assert {column for _, column in cells(plots.heat_map(one))} == {"r2"}
    with pytest.raises(IrdivError, match=r"found 3 measures, 'I-rec@10'.* comparisons with 7 runs: choose rows of one"):
        plots.heat_map(in_kind(irdiv.stats.compare(evaluation, n_resamples=50)))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_heat_maps_of_correlations(library, evaluation):
    def in_kind(frame):
        return frame if library == "pandas" else in_library(library, frame)

    matrix = irdiv.stats.correlate(evaluation, "tau_ap")
    other_kind = matrix if library == "pandas" else in_library(library, matrix.rename_axis(columns=None).reset_index())
    found = cells(drawn(plots.heat_map(other_kind)))
    assert found == {(i, j): f"{matrix.loc[i, j]:.2f}".replace("-0.00", "0.00") for i in matrix.index for j in matrix}
    for method, directions in (("tau", 1), ("tau_ap", 2)):
        frame = irdiv.stats.correlation_intervals(evaluation, method, n_resamples=50)
        found = cells(drawn(plots.heat_map(in_kind(frame))))
        assert len(found) == 6
        for row in frame.itertuples():
            text = f"{row.correlation:.2f}\n[{row.low:.2f}, {row.high:.2f}]".replace("-0.00", "0.00")
            assert found[row.measure, row.other] == text
            assert directions == 2 or found[row.other, row.measure] == text
    frame = irdiv.stats.compare_leaderboards(evaluation, random_evaluation(seed=1, runs=8), n_resamples=50)
    found = cells(drawn(plots.heat_map(in_kind(frame))))
    assert [text.split("\n")[0] for text in found.values()] == [f"{value:.2f}" for value in frame["correlation"]]


def test_a_heat_map_of_many_runs_has_no_texts_and_not_all_names():
    frame = irdiv.stats.compare(random_evaluation(runs=100), measures="I-rec@10", n_resamples=20)
    ax = drawn(plots.heat_map(frame))
    assert not ax.texts
    assert 20 < len(ax.get_yticklabels()) < 100


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (lambda evaluation: evaluation.frame, "or any matrix of numbers; found a column without numbers: 'run', 'que"),
        (lambda evaluation: pd.DataFrame(), "found an empty frame"),
        (lambda evaluation: evaluation, "expected a frame of pandas, polars or pyarrow; found 'Evaluation'"),
    ],
)
def test_what_is_no_heat_map(evaluation, of, message):
    with pytest.raises(IrdivError, match=message):
        plots.heat_map(of(evaluation))


@pytest.mark.parametrize("count", [1, 2, 15])
def test_long_names_are_inside_the_figure_of_a_heat_map(count):
    names = [f"LAD#-nDCG(gamma=0.3,gain='linear',hierarchy='OIH',layer_weights=(0.1,0.2))@{k}" for k in range(count)]
    ax = drawn(plots.heat_map(pd.DataFrame(np.ones((count, count)), index=names, columns=names)))
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        box = label.get_window_extent()
        assert 0 <= box.x0 <= box.x1 <= ax.figure.bbox.width
        assert 0 <= box.y0 <= box.y1 <= ax.figure.bbox.height
    # matplotlib 3.10.0 leaves 0.2587 inches for a cell.
    assert ax.get_window_extent().width >= count * 0.255 * ax.figure.dpi


def test_difference_bars(evaluation):
    ax = drawn(plots.difference_bars(evaluation, "r0", "r1", "D-nDCG@10", sort="topic"))
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx((evaluation.values[0, 1] - evaluation.values[1, 1]).tolist())
    signs = {}
    for bar in ax.patches:
        signs.setdefault(bar.get_facecolor(), set()).add(bar.get_height() >= 0)
    assert sorted(map(sorted, signs.values())) == [[False], [True]]
    shuffled = evaluation.frame.sample(frac=1, random_state=0)
    shuffled = plots.difference_bars(shuffled, "r0", "r1", "D-nDCG@10", sort="topic")
    assert [bar.get_height() for bar in shuffled.patches] == pytest.approx(heights)
    assert [tick.get_text() for tick in ax.get_xticklabels()][:3] == ["0", "1", "2"]
    by_size = drawn(plots.difference_bars(evaluation.frame, "r0", "r1", "D-nDCG@10"))
    assert [bar.get_height() for bar in by_size.patches] == pytest.approx(sorted(heights, reverse=True))
    topics = [int(tick.get_text()) for tick in by_size.get_xticklabels()]
    assert [heights[topic] for topic in topics] == pytest.approx(sorted(heights, reverse=True))
    assert by_size.get_xlabel() == "topic, by size"
    with pytest.raises(IrdivError, match="sort='mean' is not one of 'size', 'topic'"):
        plots.difference_bars(evaluation, "r0", "r1", sort="mean")
    with pytest.raises(IrdivError, match="found 'r0' twice"):
        plots.difference_bars(evaluation, "r0", "r0")


def test_better_means_smaller_where_less_is_better():
    values = np.array([[[0.1, 0.2, 0.5]], [[0.3, 0.4, 0.4]]])
    ax = plots.difference_bars(evaluation_of(values, ["E@10"]), "r0", "r1", sort="topic")
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["r0 better: 2 topics", "r1 better: 1 topic", "mean -0.1000"]
    colors = [bar.get_facecolor() for bar in ax.patches]
    assert colors[0] == colors[1] != colors[2]


def shown(ax) -> tuple:
    """Return all texts, the points of lines and the heights of bars."""
    texts = [text.get_text() for text in ax.findobj(Text)]
    return texts, [line.get_xydata().tolist() for line in ax.lines], [bar.get_height() for bar in ax.patches]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_every_library_give_the_same_plots(library, evaluation):
    tidy, stats = in_library(library, evaluation.frame), irdiv.stats
    power = {"sizes": [5, 20], "trials": 2, "n_resamples": 100}
    for plot, of in [
        (plots.recall_relevance, lambda data: data),
        (lambda data: plots.difference_bars(data, "r0", "r1", "D-nDCG@10"), lambda data: data),
        (plots.heat_map, stats.correlate),
        (plots.heat_map, lambda data: stats.concordance(data, "I-rec@10")),
        (plots.heat_map, lambda data: stats.discriminative_power(data, n_resamples=100).agreement()),
        (plots.power_curves, lambda data: stats.power_by_topics(data, **power)),
        (plots.asl_curves, stats.discriminative_power),
        (lambda data: plots.ranking(data, "D-nDCG@10"), lambda data: data),
        (lambda data: plots.box_plots(data, "D-nDCG@10"), lambda data: data),
        (lambda data: plots.topic_heat_map(data, "D-nDCG@10"), lambda data: data),
    ]:
        result = of(tidy)
        assert backend_of(result) == library
        assert shown(plot(result)) == shown(plot(of(evaluation.frame)))


def test_power_curves(evaluation):
    curve = irdiv.stats.power_by_topics(evaluation, sizes=[5, 20], trials=2, n_resamples=100)
    ax = drawn(plots.power_curves(curve))
    assert not overlap(ax, ax.get_legend().get_window_extent())
    assert [list(line.get_xdata()) for line in ax.lines] == [[5, 20]] * 3


def test_given_axes_are_used(evaluation):
    given = Figure(layout="constrained").subplots()
    assert plots.heat_map(irdiv.stats.correlate(evaluation), ax=given) is given


def test_labels_that_do_not_fit_around_given_axes_are_warned_of(evaluation):
    long_names = evaluation.frame.replace({"run": {"r0": "a-run-with-a-name-of-more-than-forty-characters"}})
    for layout in (None, "constrained"):
        left, right = Figure(layout=layout).subplots(1, 2)
        plots.power_curves(irdiv.stats.power_by_topics(evaluation, trials=1, n_resamples=10), ax=left)
        if layout is None:
            # Nothing makes room above the axes, so that the legend is inside.
            inside = left.get_window_extent().padded(1)
            assert inside.fully_containsx(left.get_legend().get_window_extent().x0)
            assert inside.fully_containsy(left.get_legend().get_window_extent().y1)
            with pytest.warns(IrdivWarning, match=r'labels of the plot are cut off .* layout="constrained"'):
                plots.ranking(long_names, "D-nDCG@10", ax=right)
        else:
            plots.ranking(long_names, "D-nDCG@10", ax=right)
            left.figure.draw_without_rendering()
            assert not left.get_tightbbox().overlaps(right.get_tightbbox())
            assert left.figure.get_tightbbox().x1 <= left.figure.get_figwidth()


def test_without_matplotlib(monkeypatch, evaluation):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(IrdivError, match=r"pip install 'irdiv\[plots\]'"):
        plots.heat_map(irdiv.stats.correlate(evaluation))


@pytest.mark.slow
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


def test_asl_curves_of_evaluations_and_studies(evaluation):
    power = plots.asl_curves(irdiv.stats.discriminative_power(evaluation))
    for given in (evaluation, {"one": evaluation}):
        found = [list(line.get_ydata()) for line in plots.asl_curves(given).lines]
        assert found == [list(line.get_ydata()) for line in power.lines]
    with pytest.raises(IrdivError, match="an evaluation draws them itself, with evaluation.plot"):
        plots.rank_curves(evaluation)
