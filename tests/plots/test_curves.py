"""Curves over ranks, recall, parameters, topics and pairs of runs show what was computed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_evaluation, random_run
from irdiv import IrdivError, analysis, plots, stats
from plot_helpers import drawn, legend_texts, lines, shown, tick_labels


@pytest.fixture(scope="module")
def data():
    return random_collection(1), {name: random_run(seed) for seed, name in enumerate("ABC")}


@pytest.mark.parametrize(
    ("plot", "curves", "x", "specs", "labels"),
    [
        pytest.param(
            plots.rank_curves,
            lambda *data: analysis.values_by_rank(*data, "alpha-nDCG@7"),
            range(1, 8),
            [f"alpha-nDCG@{rank}" for rank in range(1, 8)],
            ("rank", "alpha-nDCG"),
            id="rank",
        ),
        pytest.param(
            plots.parameter_curves,
            lambda *data: analysis.values_by_parameter(*data, values=[0, 0.5]),
            [0, 0.5],
            ["alpha-nDCG(alpha=0)@10", "alpha-nDCG@10"],
            ("alpha", "alpha-nDCG@10"),
            id="parameter",
        ),
    ],
)
def test_curves_are_means_of_evaluations(data, plot, curves, x, specs, labels):
    ax = drawn(plot(curves(*data)))
    for run, expected in zip("ABC", irdiv.evaluate(*data, specs).means(), strict=True):
        np.testing.assert_allclose(lines(ax)[run], np.column_stack([x, expected]), err_msg=run)
    assert (ax.get_xlabel(), ax.get_ylabel()) == labels
    assert legend_texts(ax) == ["A", "B", "C"]


def test_precision_recall_curves_are_means(data):
    curves = analysis.interpolated_precision(*data)
    ax = drawn(plots.precision_recall(curves))
    for run in "ABC":
        expected = curves[curves["run"] == run].groupby("recall")["precision"].mean()
        np.testing.assert_allclose(lines(ax)[run], np.column_stack([expected.index, expected]), err_msg=run)
    fine = plots.precision_recall(analysis.interpolated_precision(*data, levels=101))
    assert len(fine.lines[0].get_xdata()) == 101
    assert [plot.lines[0].get_marker() for plot in (ax, fine)] == ["o", "None"]


def test_intervals_are_bands(data):
    curves = analysis.values_by_rank(*data, "nDCG@6")
    ax = drawn(plots.rank_curves(curves, intervals=True, highlight=["B"]))
    expected = stats.mean_curves(curves).query("run == 'B'")
    (band,) = ax.collections
    corners = {tuple(np.round(vertex, 9)) for vertex in band.get_paths()[0].vertices}
    for end in ("low", "high"):
        points = {tuple(np.round(point, 9)) for point in zip(expected["rank"], expected[end], strict=True)}
        assert points - corners == set(), end
    assert legend_texts(ax) == ["B", "2 other runs"]


def test_runs_have_colors_and_measures_have_line_styles(data):
    curves = analysis.values_by_rank(*data, ["CG@4", "DCG@4"])
    ax = plots.rank_curves(curves)
    styles = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert list(styles) == [f"{run}, {measure}" for run in "ABC" for measure in ("CG", "DCG")]
    assert styles["A, CG"][0] == styles["A, DCG"][0] != styles["B, CG"][0]
    assert styles["A, CG"][1] == styles["B, CG"][1] != styles["A, DCG"][1]
    assert legend_texts(plots.rank_curves(curves[curves["run"] == "A"])) == ["CG", "DCG"]


def test_of_many_runs_the_best_are_in_color():
    rows = [(f"r{run:02}", "1", rank, run + rank / 9, "nDCG") for run in range(20) for rank in (1, 2)]
    curves = pd.DataFrame(rows, columns=["run", "query_id", "rank", "value", "measure"])
    ax = drawn(plots.rank_curves(curves))
    assert legend_texts(ax) == [*(f"r{run}" for run in range(19, 11, -1)), "12 other runs"]
    colors = pd.Series([line.get_color() for line in ax.lines if len(line.get_xdata())])
    assert sorted(colors.value_counts()) == [*[1] * 8, 12]
    # less is better
    assert legend_texts(plots.rank_curves(curves.assign(measure="E"), highlight=2)) == ["r00", "r01", "18 other runs"]
    with pytest.raises(IrdivError, match="no run is called 'x'; there are 'r00'"):
        plots.rank_curves(curves, highlight="x")


def test_curves_of_another_kind_are_refused(data):
    evaluation = irdiv.evaluate(*data, "nDCG@5")
    for wrong, message in [
        (analysis.interpolated_precision(*data), "'recall'.*expected curves over 'rank'"),
        (evaluation.frame, "values_by_rank"),
        (evaluation, "evaluation.plot"),
    ]:
        with pytest.raises(IrdivError, match=message):
            plots.rank_curves(wrong)


def test_asl_curves_fall_from_left_to_right():
    evaluation = random_evaluation(runs=8)
    power = stats.discriminative_power(evaluation)
    ax = drawn(plots.asl_curves(power))
    curves = {line.get_label().split(" ")[0]: list(line.get_ydata()) for line in ax.lines if "(" in line.get_label()}
    levels = power.asl().groupby("measure", sort=False)["p"]
    assert curves == {measure: sorted(p, reverse=True) for measure, p in levels}
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    for given in (evaluation, {"one": evaluation}):
        assert shown(plots.asl_curves(given))[1] == shown(ax)[1]
    one_pair = plots.asl_curves(stats.discriminative_power(random_evaluation(runs=2)))
    assert one_pair.lines[0].get_marker() == "o"


def test_power_curves():
    curve = stats.power_by_topics(random_evaluation(runs=8), sizes=[5, 20], trials=2, n_resamples=100)
    ax = drawn(plots.power_curves(curve))
    powers = [sorted(100 * rows["power"]) for _, rows in curve.groupby("measure", sort=False)]
    assert [sorted(points[:, 1]) for points in lines(ax).values()] == [pytest.approx(power) for power in powers]
    assert [points[:, 0].tolist() for points in lines(ax).values()] == [[5, 20]] * 3


def test_plots_of_an_evaluation_are_those_of_its_frames(data):
    evaluation = irdiv.evaluate(*data, ["D#-nDCG@5", "I-rec@5"])
    ours = evaluation.plot
    for figure, expected in [
        (ours.ranking("I-rec@5"), plots.ranking(evaluation.frame, "I-rec@5")),
        (ours.rank_curves("nDCG@9"), plots.rank_curves(analysis.values_by_rank(*data, "nDCG@9"))),
        (ours.precision_recall(), plots.precision_recall(analysis.interpolated_precision(*data))),
        (ours.parameter_curves(), plots.parameter_curves(analysis.values_by_parameter(*data))),
        (ours.asl_curves(), plots.asl_curves(stats.discriminative_power(evaluation))),
        (ours.heat_map(method="tau_ap"), plots.heat_map(stats.correlate(evaluation, "tau_ap"))),
    ]:
        assert shown(figure) == shown(expected)
    with pytest.raises(IrdivError, match="give one of them"):
        ours.heat_map(method="tau", gold="I-rec@5")


def long_run(length: int) -> pd.DataFrame:
    rows = [("1", f"x{rank}", -float(rank)) for rank in range(length - 1)]
    return pd.DataFrame([*rows, ("1", "d00", -float(length))], columns=["query_id", "doc_id", "score"])


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (lambda plot: plot.precision_recall(), "precision at all levels of recall needs all documents"),
        (lambda plot: plot.rank_curves("P@101"), "P@101 by rank needs the first 101 documents"),
        (lambda plot: plot.rank_curves("DCG(judged_only=True)@10"), "needs all documents"),
        (lambda plot: plot.parameter_curves("RBP", "p", [0.5]), "RBP by p needs all documents"),
    ],
)
def test_curves_of_lists_that_were_cut_are_refused(plot, message):
    qrels, run = {"1": {"d00": 1, "x3": 1}}, long_run(150)
    cut = irdiv.evaluate(qrels, run, "P@10").plot
    assert cut.rank_curves("P@100").lines[0].get_ydata()[-1] == pytest.approx(1 / 100)
    with pytest.raises(IrdivError, match=f"{message}.*kept 100.*without a cutoff"):
        plot(cut)
    for whole in (irdiv.evaluate(qrels, run, ["P@10", "AP"]), irdiv.evaluate(qrels, long_run(100), "P@10")):
        plot(whole.plot)


def test_curves_that_an_evaluation_cannot_draw(data):
    in_parts = irdiv.evaluate(*data, "nDCG@5", batch_rows=10)
    assert sorted(tick_labels(in_parts.plot.ranking().yaxis)) == ["A", "B", "C"]
    with pytest.raises(IrdivError, match="irdiv.analysis"):
        in_parts.plot.rank_curves("nDCG@5")
    with pytest.raises(IrdivError, match="nDCG has no cutoff"):
        irdiv.evaluate(*data, "nDCG@5").plot.rank_curves("nDCG")
