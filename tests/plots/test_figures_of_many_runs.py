"""Curves, rankings, boxes and heat maps show what was computed; themes, `Evaluation.plot` and `irdiv plot`."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import irdiv
from helpers import evaluation_of, random_collection, random_evaluation, random_run
from irdiv import IrdivError, analysis, plots, stats
from irdiv.demo import demo_qrels_and_runs
from irdiv.plots.axes import shortened, text_width, wrapped
from irdiv.show.palette import DARK, LIGHT
from irdiv_cli import main
from irdiv_cli.commands.plot import FIGURES
from plot_helpers import drawn, in_library

pytestmark = pytest.mark.slow

LONG = "a-run-with-a-name-that-is-far-longer-than-what-fits-into-a-column-of-a-paper"


@pytest.fixture(scope="module")
def data():
    return random_collection(1), {name: random_run(seed) for seed, name in enumerate("ABC")}


@pytest.fixture(scope="module")
def evaluation():
    return random_evaluation(runs=5)


def lines(ax) -> dict[str, np.ndarray]:
    """Return the points of the lines by label."""
    return {line.get_label(): line.get_xydata() for line in ax.lines if len(line.get_xydata())}


def tick_labels(axis) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def legend_texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_rank_curves_are_means_of_evaluations(data):
    ax = drawn(plots.rank_curves(analysis.values_by_rank(*data, "alpha-nDCG@7")))
    means = irdiv.evaluate(*data, [f"alpha-nDCG@{rank}" for rank in range(1, 8)]).means()
    for run, expected in zip("ABC", means, strict=True):
        assert lines(ax)[run].tolist() == pytest.approx(np.column_stack([range(1, 8), expected]))
    assert (ax.get_xlabel(), ax.get_ylabel(), legend_texts(ax)) == ("rank", "alpha-nDCG", ["A", "B", "C"])


def test_intervals_are_bands(data):
    curves = analysis.values_by_rank(*data, "nDCG@6")
    ax = drawn(plots.rank_curves(curves, intervals=True, highlight=["B"]))
    expected = stats.mean_curves(curves).query("run == 'B'")
    (band,) = ax.collections
    corners = {tuple(np.round(vertex, 9)) for vertex in band.get_paths()[0].vertices}
    for end in ("low", "high"):
        assert {tuple(np.round(point, 9)) for point in zip(expected["rank"], expected[end], strict=True)} <= corners
    assert legend_texts(ax) == ["B", "2 other runs"]


def test_several_measures_and_runs(data):
    curves = analysis.values_by_rank(*data, ["CG@4", "DCG@4"])
    ax = plots.rank_curves(curves)
    styles = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert list(styles) == ["A, CG", "A, DCG", "B, CG", "B, DCG", "C, CG", "C, DCG"]
    assert styles["A, CG"][0] == styles["A, DCG"][0] != styles["B, CG"][0]
    assert styles["A, CG"][1] == styles["B, CG"][1] != styles["A, DCG"][1]
    one = plots.rank_curves(curves[curves["run"] == "A"])
    assert legend_texts(one) == ["CG", "DCG"]


def test_precision_recall_curves_are_means(data):
    curves = analysis.interpolated_precision(*data)
    ax = drawn(plots.precision_recall(curves))
    for run in "ABC":
        expected = curves[curves["run"] == run].groupby("recall")["precision"].mean()
        assert lines(ax)[run].tolist() == pytest.approx(np.column_stack([expected.index, expected]))
    assert ax.lines[0].get_marker() == "o"
    fine = plots.precision_recall(analysis.interpolated_precision(*data, levels=101))
    assert len(fine.lines[0].get_xdata()) == 101
    assert fine.lines[0].get_marker() == "None"


def test_parameter_curves_are_means(data):
    ax = drawn(plots.parameter_curves(analysis.values_by_parameter(*data, values=[0, 0.5])))
    means = irdiv.evaluate(*data, ["alpha-nDCG(alpha=0)@10", "alpha-nDCG@10"]).means()
    for run, expected in zip("ABC", means, strict=True):
        assert lines(ax)[run].tolist() == pytest.approx(np.column_stack([[0, 0.5], expected]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("alpha", "alpha-nDCG@10")


def test_of_many_runs_the_highest_are_in_color():
    runs = {f"r{run:02}": random_run(run) for run in range(20)}
    qrels = random_collection(1)
    curves = analysis.values_by_rank(qrels, runs, "nDCG@5")
    ax = drawn(plots.rank_curves(curves))
    heights = curves.groupby("run")["value"].mean().sort_values(ascending=False)
    assert legend_texts(ax) == [*heights.index[:8], "12 other runs"]
    gray = [line for line in ax.lines if to_hex(line.get_color()) == LIGHT.contour and len(line.get_xdata())]
    assert len(gray) == 12
    with pytest.raises(IrdivError, match="no run is called 'x'; there are 'r00'"):
        plots.rank_curves(curves, highlight="x")


def test_curves_of_another_kind_are_refused(data):
    with pytest.raises(IrdivError, match="curves over 'recall'; expected curves over 'rank'"):
        plots.rank_curves(analysis.interpolated_precision(*data))
    with pytest.raises(IrdivError, match="curves are what values_by_rank"):
        plots.rank_curves(irdiv.evaluate(*data, "nDCG@5").frame)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_curves_of_every_library(library, data):
    curves = analysis.values_by_rank(*data, "nDCG@5")
    ours, expected = (lines(plots.rank_curves(frame)) for frame in (in_library(library, curves), curves))
    assert {run: points.tolist() for run, points in ours.items()} == {
        run: points.tolist() for run, points in expected.items()
    }


def test_ranking_is_the_leaderboard(evaluation):
    ax = drawn(plots.ranking(evaluation, "D-nDCG@10"))
    board = stats.leaderboard(evaluation, measures="D-nDCG@10")
    assert [line.get_ydata().tolist() for line in ax.lines] == [[row] * 3 for row in range(5)]
    assert np.array([line.get_xdata() for line in ax.lines]) == pytest.approx(board[["low", "mean", "high"]].to_numpy())
    assert {tuple(line.get_markevery()) for line in ax.lines} == {(1,)}
    assert [line.get_gid() for line in ax.lines] == [f"run-{evaluation.runs.index(run)}" for run in board["run"]]
    assert tick_labels(ax.yaxis) == board["run"].tolist()
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "D-nDCG@10"


def test_the_best_run_is_the_first_row_where_less_is_better():
    evaluation = evaluation_of(np.array([[[0.5, 0.7]], [[0.1, 0.2]]]), ["E@10"])
    for plot in (plots.ranking, plots.box_plots, plots.topic_heat_map):
        assert tick_labels(plot(evaluation).yaxis) == ["r1", "r0"]


def test_box_plots_have_the_quartiles(evaluation):
    ax = drawn(plots.box_plots(evaluation))
    order = np.argsort(-evaluation.values[:, 0].mean(axis=1))
    assert tick_labels(ax.yaxis) == [f"r{run}" for run in order]
    drawn_at = [line.get_xdata().tolist() for line in ax.lines]
    for run, values in zip(range(5), evaluation.values[order, 0], strict=True):
        q1, median, q3 = np.percentile(values, [25, 50, 75])
        assert [median, median] in [pytest.approx(x) for x in drawn_at], run
        assert any(len(x) == 5 and (min(x), max(x)) == pytest.approx((q1, q3)) for x in drawn_at)
        assert [values.mean()] in [pytest.approx(x) for x in drawn_at]


def test_topic_heat_maps_have_all_values(evaluation):
    values = evaluation.values[:, 1]
    runs = np.argsort(-values.mean(axis=1))
    ax = drawn(plots.topic_heat_map(evaluation, "D-nDCG@10", sort="topic"))
    (image,) = ax.images
    assert image.get_array().tolist() == pytest.approx(values[runs])
    assert tick_labels(ax.xaxis) == [str(topic) for topic in range(30)]
    by_size = plots.topic_heat_map(evaluation, "D-nDCG@10")
    topics = np.argsort(-values.mean(axis=0))
    assert by_size.images[0].get_array().tolist() == pytest.approx(values[runs][:, topics])
    assert tick_labels(by_size.xaxis) == [str(topic) for topic in topics]
    assert by_size.images[0].get_clim() == (0, 1)
    assert plots.topic_heat_map(evaluation_of(3 * values[:, None]), sort="topic").images[0].get_clim()[1] > 1


def test_crosses_are_the_intervals_of_both_means(evaluation):
    ax = drawn(plots.recall_relevance(evaluation, intervals=True))
    horizontal, vertical = ax.collections[:2]
    for lines_, measure, axis in ((horizontal, "I-rec@10", 0), (vertical, "D-nDCG@10", 1)):
        board = stats.leaderboard(evaluation, measures=measure).set_index("run").loc[list(evaluation.runs)]
        ends = [segment[:, axis].tolist() for segment in lines_.get_segments()]
        assert ends == pytest.approx(board[["low", "high"]].to_numpy())
        limits = (ax.get_xlim, ax.get_ylim)[axis]()
        assert limits[0] < board["low"].min()
        assert board["high"].max() < limits[1]


@pytest.mark.parametrize(("runs", "size"), [(1, "page"), (4, "column"), (40, "page"), (150, "column")])
def test_nothing_is_cut_off_and_names_do_not_overlap(runs, size):
    evaluation = random_evaluation(runs=runs)
    names = {f"r{run}": f"group-{run}.{'bm25-' * (run % 9)}{run}" for run in range(runs)}
    evaluation = replace(evaluation, runs=tuple(names.values()))
    with plots.style(size=size):
        for plot in (plots.ranking, plots.box_plots, plots.topic_heat_map, plots.recall_relevance):
            ax = drawn(plot(evaluation))
            assert ax.figure.get_figwidth() == {"column": 3.3, "page": 7.0}[size]
            assert ax.figure.get_figheight() < 9.8


def test_names_of_many_runs_are_thinned_out():
    evaluation = random_evaluation(runs=150)
    board = stats.leaderboard(evaluation, measures="I-rec@10")["run"].tolist()
    ax = plots.ranking(evaluation, "I-rec@10")
    assert tick_labels(ax.yaxis) == board[::3]
    assert ax.get_ylabel() == "150 runs, every 3rd named"
    assert ax.figure.get_figheight() == 9.0


def test_shortened_names_are_distinct():
    names = [f"{'x' * 40}{number}{'y' * 40}" for number in range(3)]
    short = shortened([*names, "short", names[0]], 1.0)
    assert len(set(short)) == 4
    assert short[0] == short[4]
    assert short[3] == "short"
    assert all("…" in name for name in short[:3])
    assert text_width(short, 7.0) <= 1.0


def test_lines_end_after_commas_and_lose_nothing():
    spec = "D#-nDCG(gain={0:0,1:1,2:3},gamma=0.3,intents='all')@10"
    lines = wrapped(spec, 1.0, 7.0).split("\n")
    assert "".join(lines) == spec
    assert len(lines) > 2
    assert all(text_width([line], 7.0) <= 1.0 for line in lines)
    assert all(line.endswith((",", "-")) for line in lines[:-1])
    assert "".join(wrapped("m" * 100, 1.0, 7.0).split("\n")) == "m" * 100


def test_of_many_points_the_best_are_named():
    evaluation = random_evaluation(runs=70)
    combined = evaluation.values[:, :2].mean(axis=(1, 2))
    best = np.argsort(-combined)
    for highlight, expected in ((None, best[:8]), (3, best[:3]), ("r5", [5]), (["r5", "r6"], [5, 6])):
        ax = plots.recall_relevance(evaluation, highlight=highlight)
        texts = {text.get_text() for text in ax.texts}
        assert {text for text in texts if text.startswith("r")} == {f"r{run}" for run in expected}
        colored = {line.get_gid() for line in ax.lines if to_hex(line.get_color()) == LIGHT.colors[0]}
        assert colored == {f"run-{run}" for run in expected}
        assert len(ax.lines) == 70
    with pytest.raises(IrdivError, match="highlight=0 is not an integer of 1 or more"):
        plots.recall_relevance(evaluation, highlight=0)


def test_the_best_curves_are_low_where_less_is_better():
    rows = [(f"r{run}", "1", rank, run + rank / 9, "E") for run in range(20) for rank in (1, 2)]
    curves = pd.DataFrame(rows, columns=["run", "query_id", "rank", "value", "measure"])
    assert legend_texts(plots.rank_curves(curves, highlight=2)) == ["r0", "r1", "18 other runs"]
    assert legend_texts(plots.rank_curves(curves.assign(measure="nDCG"), highlight=2))[:2] == ["r19", "r18"]


def test_elements_of_runs_have_ids(evaluation, data):
    curves = analysis.values_by_rank(*data, "nDCG@4")
    for ax, count in [
        (plots.ranking(evaluation), 5),
        (plots.box_plots(evaluation), 5),
        (plots.recall_relevance(evaluation), 5),
        (plots.rank_curves(curves), 3),
        (plots.rank_curves(curves, highlight="B"), 3),
    ]:
        file = io.StringIO()
        ax.figure.savefig(file, format="svg")
        assert set(re.findall(r'<g id="(run-\d+)">', file.getvalue())) == {f"run-{run}" for run in range(count)}
    gids = [line.get_gid() for line in plots.rank_curves(analysis.values_by_rank(*data, ["CG@4", "DCG@4"])).lines]
    assert gids == [f"measure-{measure}-run-{run}" for run in range(3) for measure in range(2)]


def test_settings_of_matplotlib_are_untouched(data):
    import matplotlib as mpl

    def settings() -> dict:
        # matplotlib chooses a backend when boxes are drawn.
        return {name: value for name, value in mpl.rcParams.copy().items() if name != "backend"}

    before = settings()
    evaluation = irdiv.evaluate(*data, ["D#-nDCG@10", "I-rec@10", "D-nDCG@10"])
    with plots.style("dark", size="page"):
        for name in FIGURES:
            arguments = {"difference_bars": ["A", "B"], "rank_curves": ["nDCG@3"]}.get(name, [])
            options = {"trials": 1, "n_resamples": 10} if name == "power_curves" else {}
            ax = getattr(evaluation.plot, name)(*arguments, **options)
            assert ax.figure.get_figwidth() == 7.0
    assert settings() == before
    plots.ranking(evaluation)
    assert settings() == before
    with pytest.raises(IrdivError, match="size='big' is not one of 'auto', 'column', 'page'"), plots.style(size="big"):
        pass


def test_a_single_topic():
    evaluation = random_evaluation(runs=3, topics=1)
    for plot in (plots.ranking, plots.box_plots, plots.topic_heat_map, plots.recall_relevance):
        drawn(plot(evaluation))
    ax = drawn(plots.difference_bars(evaluation, "r0", "r1"))
    assert tick_labels(ax.xaxis) == ["0"]
    assert plots.ranking(evaluation).get_title() == "means with 95% intervals, 1 topic"


def test_long_names_are_not_cut_off(data):
    renamed = {LONG: data[1]["A"], LONG.upper(): data[1]["B"]}
    spec = "D#-nDCG(gain={0:0,1:1,2:3,3:15},gamma=0.3,discount='jk',b=3.0,intents='all',renormalize=False)@10"
    evaluation = irdiv.evaluate(data[0], renamed, [spec, "I-rec@10", "AP"])
    for name in FIGURES:
        arguments = {
            "difference_bars": [LONG, LONG.upper()],
            "recall_relevance": [spec, "I-rec@10"],
            "rank_curves": [spec],
            "power_curves": [],
        }.get(name, [])
        options = {"trials": 2, "n_resamples": 50} if name == "power_curves" else {}
        drawn(getattr(evaluation.plot, name)(*arguments, **options))


def test_many_topics_are_counted_not_named():
    ax = drawn(plots.difference_bars(random_evaluation(runs=2, topics=400), "r0", "r1"))
    assert (ax.get_xlabel(), tick_labels(ax.xaxis)) == ("400 topics, by size", [])


def test_themes(evaluation):
    with plots.style("dark"):
        dark = plots.ranking(evaluation)
        with plots.style("light"):
            inner = plots.ranking(evaluation)
    light = plots.ranking(evaluation)
    for ax, theme in ((dark, DARK), (inner, LIGHT), (light, LIGHT)):
        assert to_hex(ax.figure.get_facecolor()) == theme.background
        assert to_hex(ax.lines[0].get_markerfacecolor()) == theme.colors[0]
        assert to_hex(ax.yaxis.get_ticklabels()[0].get_color()) == theme.text
    with pytest.raises(IrdivError, match="theme='blue' is not one of 'light', 'dark'"), plots.style("blue"):
        pass


def test_settings_of_the_user_are_kept(evaluation):
    import matplotlib as mpl

    with mpl.rc_context({"axes.labelsize": 13, "figure.facecolor": "#123456"}):
        ax = plots.ranking(evaluation)
    assert ax.xaxis.label.get_size() == 13
    assert to_hex(ax.figure.get_facecolor()) == "#123456"
    assert plots.ranking(evaluation).xaxis.label.get_size() == 8


def contrast(one: str, two: str) -> float:
    """Return the contrast of two colors by WCAG 2."""

    def luminance(color: str) -> float:
        channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colors_are_visible(theme):
    assert len(set(theme.colors)) == 8
    assert min(contrast(color, theme.background) for color in theme.colors) > 2
    assert contrast(theme.text, theme.background) > 7
    assert contrast(theme.muted_text, theme.background) > 4.5


def test_plots_of_an_evaluation_are_those_of_its_frames(data):
    evaluation = irdiv.evaluate(*data, ["D#-nDCG@5", "I-rec@5"])
    pairs = [
        (evaluation.plot.ranking("I-rec@5"), plots.ranking(evaluation.frame, "I-rec@5")),
        (evaluation.plot.rank_curves("nDCG@9"), plots.rank_curves(analysis.values_by_rank(*data, "nDCG@9"))),
        (evaluation.plot.precision_recall(), plots.precision_recall(analysis.interpolated_precision(*data))),
        (evaluation.plot.parameter_curves(), plots.parameter_curves(analysis.values_by_parameter(*data))),
        (evaluation.plot.asl_curves(), plots.asl_curves(stats.discriminative_power(evaluation))),
    ]
    for ours, expected in pairs:
        assert [line.get_xydata().tolist() for line in ours.lines] == [
            line.get_xydata().tolist() for line in expected.lines
        ]
    texts = [text.get_text() for text in evaluation.plot.heat_map(method="tau_ap").texts]
    assert texts == [f"{value:.2f}" for value in stats.correlate(evaluation, "tau_ap").to_numpy().ravel()]
    with pytest.raises(IrdivError, match="give one of them"):
        evaluation.plot.heat_map(method="tau", gold="I-rec@5")


def long_run(length: int) -> pd.DataFrame:
    rows = [("1", f"x{rank}", -float(rank)) for rank in range(length - 1)]
    return pd.DataFrame([*rows, ("1", "d00", -float(length))], columns=["query_id", "doc_id", "score"])


def test_curves_of_lists_that_were_cut_are_refused():
    qrels, run = {"1": {"d00": 1, "x3": 1}}, long_run(150)
    cut = irdiv.evaluate(qrels, run, "P@10")
    assert cut.sources.cut_at == 100
    assert cut.plot.rank_curves("P@100").lines[0].get_ydata()[-1] == pytest.approx(1 / 100)
    for plot, what in [
        (lambda plot: plot.precision_recall(), "precision at all levels of recall needs all documents"),
        (lambda plot: plot.rank_curves("P@101"), "P@101 by rank needs the first 101 documents"),
        (lambda plot: plot.rank_curves("DCG(judged_only=True)@10"), "needs all documents"),
        (lambda plot: plot.parameter_curves("RBP", "p", [0.5]), "RBP by p needs all documents"),
    ]:
        with pytest.raises(IrdivError, match=f"{what}.*of a topic, but the evaluation kept 100.*without a cutoff"):
            plot(cut.plot)
        plot(irdiv.evaluate(qrels, run, ["P@10", "AP"]).plot)
    assert irdiv.evaluate(qrels, long_run(100), "P@10").sources.cut_at is None
    with pytest.raises(IrdivError, match="nDCG has no cutoff"):
        cut.plot.rank_curves("nDCG")


def test_curves_of_streams_are_refused(data):
    evaluation = irdiv.evaluate(*data, "nDCG@5", batch_rows=10)
    assert tick_labels(evaluation.plot.ranking().yaxis)
    with pytest.raises(IrdivError, match="streams do not keep; compute the curves with irdiv.analysis"):
        evaluation.plot.rank_curves("nDCG@5")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--data", "."]) == 0
    return ["qrels.txt", "relevance.run", "diversified.run", "spammy.run"]


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_command(name, files, tmp_path, capsys):
    more = {"difference_bars": ["--run", "relevance", "--other", "spammy"], "power_curves": ["-B", "20"]}.get(name, [])
    capsys.readouterr()
    assert main(["plot", name.replace("_", "-"), *files, *more]) == 0
    assert capsys.readouterr().out.strip() == f"{name}.png"
    assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


def test_the_command_draws_what_the_library_does(files, monkeypatch):
    seen = []
    monkeypatch.setattr("irdiv_cli.figures.save_figure", lambda axes, path: seen.append((axes, path)))
    arguments = [
        "-m",
        "DCG@7",
        "--set",
        "gain=linear",
        "--highlight",
        "spammy",
        "--theme",
        "dark",
        "-o",
        "a.svg",
        "--size",
        "page",
    ]
    assert main(["plot", "rank_curves", *files, *arguments]) == 0
    ((ax, path),) = seen
    qrels, runs = demo_qrels_and_runs()
    runs = {name: runs[name] for name in ("relevance", "diversified", "spammy")}
    means = stats.mean_curves(analysis.values_by_rank(qrels, runs, "DCG(gain='linear')@7"))
    expected = means[means["run"] == "spammy"]["mean"].tolist()
    assert lines(ax)["spammy"][:, 1].tolist() == pytest.approx(expected)
    assert (path, to_hex(ax.figure.get_facecolor())) == ("a.svg", DARK.background)
    assert ax.figure.get_figwidth() == 7.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ranking", "--sort", "size"], "--sort does not apply to ranking, which takes --n-resamples, --seed"),
        (["box_plots", "--seed", "0"], "--seed does not apply to box_plots, which takes no options of its own"),
        (["heat_map", "--n-resamples", "5"], "--n-resamples does not apply to heat_map, which takes --method, --gold"),
        (["precision_recall", "-m", "AP"], "-m does not apply to precision_recall, which shows no measures"),
        (["precision_recall", "--set", "rel=2"], "--set does not apply to precision_recall"),
        (["ranking", "-m", "AP", "P@5"], "ranking shows 1 measure, but -m gives 2: AP, P@5"),
        (["recall_relevance", "-m", "AP"], "recall_relevance shows 2 measures, but -m gives 1: AP"),
        (["difference_bars"], "choose two of the runs by --run and --other; there are relevance, diversified, spammy"),
        (["difference_bars", "--run", "spammy"], "choose two of the runs by --run and --other"),
        (["rank_curves", "--highlight", "bm25"], "no run is called 'bm25'"),
        (["ranking", "-o", "a.xyz"], "cannot write the plot 'a.xyz'"),
    ],
)
def test_options_that_do_not_apply_are_refused(arguments, message, files, capsys):
    assert main(["plot", arguments[0], *files, *arguments[1:]]) == 2
    assert message in capsys.readouterr().err
