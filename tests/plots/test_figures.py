"""Figures of runs, topics and matrices show what was computed, nothing overlaps, and `irdiv plot` draws them."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import irdiv
from helpers import evaluation_of, random_collection, random_evaluation, random_run
from irdiv import IrdivError, IrdivWarning, analysis, plots, stats
from irdiv.demo import demo_qrels_and_runs
from irdiv_cli import main
from irdiv_cli.commands.plot import FIGURES
from plot_helpers import drawn, in_library, legend_texts, lines, shown, tick_labels

LIBRARIES = ("pandas", "polars", "pyarrow")


@pytest.fixture(scope="module")
def evaluation():
    return random_evaluation(runs=8)


class TestRuns:
    def test_ranking_is_the_leaderboard(self, evaluation):
        ax = drawn(plots.ranking(evaluation, "D-nDCG@10"))
        board = stats.leaderboard(evaluation, measures="D-nDCG@10")
        assert [line.get_ydata().tolist() for line in ax.lines] == [[row] * 3 for row in range(8)]
        np.testing.assert_allclose([line.get_xdata() for line in ax.lines], board[["low", "mean", "high"]])
        assert tick_labels(ax.yaxis) == board["run"].tolist()
        assert ax.yaxis_inverted()
        assert ax.get_xlabel() == "D-nDCG@10"

    def test_the_best_run_is_the_first_row_where_less_is_better(self):
        evaluation = evaluation_of(np.array([[[0.5, 0.7]], [[0.1, 0.2]]]), ["E@10"])
        for plot in (plots.ranking, plots.box_plots, plots.topic_heat_map):
            assert tick_labels(plot(evaluation).yaxis) == ["r1", "r0"], plot

    def test_box_plots_have_the_quartiles(self, evaluation):
        ax = drawn(plots.box_plots(evaluation))
        order = np.argsort(-evaluation.values[:, 0].mean(axis=1))
        assert tick_labels(ax.yaxis) == [f"r{run}" for run in order]
        drawn_at = [line.get_xdata().tolist() for line in ax.lines]
        for run, values in zip(order, evaluation.values[order, 0], strict=True):
            q1, median, q3 = np.percentile(values, [25, 50, 75])
            assert [median, median] in [pytest.approx(x) for x in drawn_at], run
            assert any(len(x) == 5 and (min(x), max(x)) == pytest.approx((q1, q3)) for x in drawn_at), run
            assert [values.mean()] in [pytest.approx(x) for x in drawn_at], run

    def test_topic_heat_maps_have_all_values(self, evaluation):
        values = evaluation.values[:, 1]
        values = values[np.argsort(-values.mean(axis=1))]
        by_size = np.argsort(-values.mean(axis=0))
        for sort, topics in (("topic", np.arange(30)), ("size", by_size)):
            ax = drawn(plots.topic_heat_map(evaluation, "D-nDCG@10", sort=sort))
            np.testing.assert_allclose(ax.images[0].get_array(), values[:, topics], err_msg=sort)
            assert tick_labels(ax.xaxis) == [str(topic) for topic in topics]
            assert ax.images[0].get_clim() == (0, 1)
        assert plots.topic_heat_map(evaluation_of(3 * values[:, None])).images[0].get_clim()[1] > 1

    def test_runs_by_recall_and_relevance(self, evaluation):
        ax = drawn(plots.recall_relevance(evaluation, intervals=True))
        assert {f"r{run}" for run in range(8)} <= {text.get_text() for text in ax.texts}
        points = {line.get_gid(): line.get_xydata()[0] for line in ax.lines}
        assert list(points) == [f"run-{run}" for run in range(8)]
        np.testing.assert_allclose([*points.values()], evaluation.values[:, :2].mean(axis=2))
        horizontal, vertical, contours = ax.collections
        for crosses, measure, axis in ((horizontal, "I-rec@10", 0), (vertical, "D-nDCG@10", 1)):
            board = stats.leaderboard(evaluation, measures=measure).set_index("run").loc[list(evaluation.runs)]
            ends = [segment[:, axis] for segment in crosses.get_segments()]
            np.testing.assert_allclose(ends, board[["low", "high"]], err_msg=measure)
            limits = (ax.get_xlim, ax.get_ylim)[axis]()
            assert limits[0] < board["low"].min() < board["high"].max() < limits[1], measure
        # a contour goes through points of one D#-nDCG
        for path, level in zip(contours.get_paths(), contours.levels, strict=True):
            np.testing.assert_allclose(path.vertices.mean(axis=1), level)
        frame = evaluation.frame
        with pytest.raises(IrdivError, match="lacks 2 of 480 values: run 'r0', topic '0', I-rec@10"):
            plots.recall_relevance(frame[(frame["run"] != "r0") | (frame["query_id"] != "0")])

    def test_of_many_points_the_best_are_named(self):
        evaluation = random_evaluation(runs=70)
        best = np.argsort(-evaluation.values[:, :2].mean(axis=(1, 2)))
        for highlight, expected in ((None, best[:8]), (3, best[:3]), ("r5", [5]), (["r5", "r6"], [5, 6])):
            ax = plots.recall_relevance(evaluation, highlight=highlight)
            named = {text.get_text() for text in ax.texts if text.get_text().startswith("r")}
            assert named == {f"r{run}" for run in expected}, highlight
            colors = pd.Series({line.get_gid(): line.get_color() for line in ax.lines})
            assert set(colors[colors != colors.mode()[0]].index) == {f"run-{run}" for run in expected}, highlight
            assert len(colors) == 70
        numbered = drawn(plots.recall_relevance(random_evaluation(runs=40)))
        assert {text.get_text() for text in numbered.texts} >= {str(number) for number in range(1, 41)}
        assert legend_texts(numbered)[:2] == ["1  r0", "2  r1"]
        with pytest.raises(IrdivError, match="highlight=0 is not an integer of 1 or more"):
            plots.recall_relevance(evaluation, highlight=0)

    def test_difference_bars(self, evaluation):
        difference = evaluation.values[0, 1] - evaluation.values[1, 1]
        for sort, topics in (("topic", np.arange(30)), ("size", np.argsort(-difference))):
            for data in (evaluation, evaluation.frame.sample(frac=1, random_state=0)):
                ax = drawn(plots.difference_bars(data, "r0", "r1", "D-nDCG@10", sort=sort))
                np.testing.assert_allclose([bar.get_height() for bar in ax.patches], difference[topics], err_msg=sort)
                assert tick_labels(ax.xaxis) == [str(topic) for topic in topics]
        colors = {(bar.get_facecolor(), bar.get_height() >= 0) for bar in ax.patches}
        assert len(colors) == len({color for color, _ in colors}) == 2
        many = drawn(plots.difference_bars(random_evaluation(runs=2, topics=400), "r0", "r1"))
        assert (many.get_xlabel(), tick_labels(many.xaxis)) == ("400 topics, by size", [])
        for other, options, message in [
            ("r1", {"sort": "mean"}, "sort='mean' is not one of"),
            ("r0", {}, "'r0' twice"),
        ]:
            with pytest.raises(IrdivError, match=message):
                plots.difference_bars(evaluation, "r0", other, **options)

    def test_better_means_smaller_where_less_is_better(self):
        values = np.array([[[0.1, 0.2, 0.5]], [[0.3, 0.4, 0.4]]])
        ax = plots.difference_bars(evaluation_of(values, ["E@10"]), "r0", "r1", sort="topic")
        assert legend_texts(ax) == ["r0 better: 2 topics", "r1 better: 1 topic", "mean -0.1000"]
        colors = [bar.get_facecolor() for bar in ax.patches]
        assert colors[0] == colors[1] != colors[2]


def cells(ax) -> dict[tuple[str, str], str]:
    """Return the texts of the cells of a heat map by their row and column."""
    rows, columns = tick_labels(ax.yaxis), tick_labels(ax.xaxis)
    places = [(text, *np.round(text.get_position()).astype(int)) for text in ax.texts]
    return {(rows[y], columns[x]): text.get_text() for text, x, y in places}


class TestMatrices:
    @pytest.mark.parametrize("library", LIBRARIES)
    def test_comparisons(self, library, evaluation):
        frame = stats.compare(evaluation, measures="D-nDCG@10", correction="holm", n_resamples=200)
        ax = drawn(plots.heat_map(in_library(library, frame)))
        found = {pair: float(text) for pair, text in cells(ax).items()}
        expected, significant = {}, set()
        for row in frame.itertuples():
            expected |= {(row.run, row.other): row.difference, (row.other, row.run): -row.difference}
            if row.p_adjusted < 0.05:
                significant |= {(row.run, row.other), (row.other, row.run)}
        assert found == pytest.approx(expected, abs=0.0051)
        names = tick_labels(ax.yaxis)
        alpha = ax.images[0].get_alpha()
        colored = {(names[i], names[j]) for i, j in zip(*np.nonzero(alpha), strict=True) if i != j}
        assert 0 < len(significant) < 56
        assert colored == significant
        baseline = stats.compare(evaluation, baseline="r2", n_resamples=100)
        found = cells(drawn(plots.heat_map(in_library(library, baseline))))
        expected = {(row.run, row.measure): row.difference for row in baseline.itertuples()}
        assert {pair: float(text) for pair, text in found.items()} == pytest.approx(expected, abs=0.0051)
        one = baseline[baseline["measure"] == "I-rec@10"]
        assert {column for _, column in cells(plots.heat_map(in_library(library, one)))} == {"r2"}
        with pytest.raises(IrdivError, match="3 measures, 'I-rec@10'.*7 runs: choose rows of one"):
            plots.heat_map(in_library(library, stats.compare(evaluation, n_resamples=50)))

    @pytest.mark.parametrize("library", LIBRARIES)
    def test_correlations(self, library, evaluation):
        matrix = stats.correlate(evaluation, "tau_ap")
        other = matrix if library == "pandas" else in_library(library, matrix.rename_axis(columns=None).reset_index())
        found = cells(drawn(plots.heat_map(other)))
        assert found == {(i, j): f"{matrix.loc[i, j]:.2f}".replace("-0.00", "0.00") for i in matrix for j in matrix}
        for method in ("tau", "tau_ap"):
            frame = stats.correlation_intervals(evaluation, method, n_resamples=50)
            found = cells(drawn(plots.heat_map(in_library(library, frame))))
            assert len(found) == 6
            for row in frame.itertuples():
                text = f"{row.correlation:.2f}\n[{row.low:.2f}, {row.high:.2f}]".replace("-0.00", "0.00")
                assert found[row.measure, row.other] == text
                assert method == "tau_ap" or found[row.other, row.measure] == text
        frame = stats.compare_leaderboards(evaluation, random_evaluation(seed=1, runs=8), n_resamples=50)
        found = cells(drawn(plots.heat_map(in_library(library, frame))))
        assert [text.split("\n")[0] for text in found.values()] == [f"{value:.2f}" for value in frame["correlation"]]

    def test_concordance_and_agreement(self, evaluation):
        frame = stats.concordance(evaluation, "I-rec@10")
        lead = frame["concordance"][0] - frame["other_concordance"][0]
        assert [text.get_text() for text in plots.heat_map(frame).texts] == [f"{lead:.2f}", f"{-lead:.2f}"]
        frame = stats.discriminative_power(evaluation, n_resamples=100).agreement()
        one, two, three = (f"{value:.2f}" for value in frame["agreement"])
        measures = evaluation.specs()
        pairs = [(i, j) for i in measures for j in measures if i != j]
        assert cells(plots.heat_map(frame)) == dict(zip(pairs, [one, two, one, three, two, three], strict=True))

    @pytest.mark.parametrize("count", [1, 2, 15])
    def test_long_names_are_inside_the_figure(self, count):
        names = [f"LAD#-nDCG(gamma=0.3,gain='linear',layer_weights=(0.1,0.2))@{k}" for k in range(count)]
        ax = drawn(plots.heat_map(pd.DataFrame(np.ones((count, count)), index=names, columns=names)))
        assert ax.get_window_extent().width >= count * 0.2 * ax.figure.dpi  # cells have room

    def test_many_runs_have_no_texts_and_not_all_names(self):
        frame = stats.compare(random_evaluation(runs=100), measures="I-rec@10", n_resamples=20)
        ax = drawn(plots.heat_map(frame))
        assert (len(ax.texts), 20 < len(ax.get_yticklabels()) < 100) == (0, True)

    @pytest.mark.parametrize(
        ("of", "message"),
        [
            (lambda evaluation: evaluation.frame, "matrix of numbers.*'run', 'que"),
            (lambda evaluation: pd.DataFrame(), "empty frame"),
            (lambda evaluation: evaluation, "expected a frame.*'Evaluation'"),
            (
                lambda evaluation: stats.correlate({"a": evaluation, "b": evaluation}, by_collection=True),
                "several collections",
            ),
        ],
    )
    @pytest.mark.filterwarnings("ignore:the collections 'a' and 'b' have the same")
    def test_what_is_no_matrix(self, evaluation, of, message):
        with pytest.raises(IrdivError, match=message):
            plots.heat_map(of(evaluation))


class TestLayout:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("runs", "topics", "size"), [(1, 30, "page"), (4, 1, "column"), (40, 30, "page"), (150, 30, "column")]
    )
    def test_nothing_is_cut_off_and_names_do_not_overlap(self, runs, topics, size):
        names = tuple(f"group-{run}.{'bm25-' * (run % 9)}{run}" for run in range(runs))
        evaluation = replace(random_evaluation(runs=runs, topics=topics), runs=names)
        with plots.style(size=size):
            for plot in (plots.ranking, plots.box_plots, plots.topic_heat_map, plots.recall_relevance):
                assert drawn(plot(evaluation)).figure.get_figwidth() == {"column": 3.3, "page": 7.0}[size]

    @pytest.mark.slow
    @pytest.mark.parametrize(("theme", "size"), [("light", "auto"), ("dark", "page")])
    def test_every_figure_of_long_names(self, theme, size):
        long = "a-run-with-a-name-that-is-far-longer-than-what-fits-into-a-column-of-a-paper"
        spec = "D#-nDCG(gain={0:0,1:1,2:3,3:15},gamma=0.3,discount='jk',b=3.0,intents='all',renormalize=False)@10"
        other = f"{long[:-1]}s"
        runs = {long: random_run(0), other: random_run(1), "m" * 99: random_run(2)}
        evaluation = irdiv.evaluate(random_collection(1), runs, [spec, "I-rec@10", "AP"])
        arguments = {
            "difference_bars": [long, other],
            "recall_relevance": [spec, "I-rec@10"],
            "rank_curves": [spec],
        }
        before = {name: value for name, value in mpl.rcParams.copy().items() if name != "backend"}
        for name in FIGURES:
            options = {"trials": 2, "n_resamples": 50} if name == "power_curves" else {}
            with plots.style(theme, size=size):
                drawn(getattr(evaluation.plot, name)(*arguments.get(name, []), **options))
        assert len(set(tick_labels(evaluation.plot.ranking("AP").yaxis))) == 3  # shortened names are still distinct
        assert evaluation.plot.ranking(spec).get_xlabel().replace("\n", "") == evaluation.specs()[0]
        assert {name: value for name, value in mpl.rcParams.copy().items() if name != "backend"} == before

    def test_names_of_many_runs_are_thinned_out(self):
        evaluation = random_evaluation(runs=150)
        board = stats.leaderboard(evaluation, measures="I-rec@10")["run"].tolist()
        ax = plots.ranking(evaluation, "I-rec@10")
        named = tick_labels(ax.yaxis)
        step = len(board) // len(named)
        assert step > 1
        assert named == board[::step]
        assert re.match(f"150 runs, every {step}", ax.get_ylabel())

    def test_elements_of_runs_have_ids(self, evaluation):
        for plot in (plots.ranking, plots.box_plots, plots.recall_relevance):
            file = io.StringIO()
            plot(evaluation).figure.savefig(file, format="svg")
            ids = set(re.findall(r'<g id="(run-\d+)">', file.getvalue()))
            assert ids == {f"run-{run}" for run in range(8)}, plot

    def test_labels_that_do_not_fit_around_given_axes_are_warned_of(self, evaluation):
        long = replace(evaluation, runs=("a-run-with-a-name-of-more-than-forty-characters", *evaluation.runs[1:]))
        curves = stats.power_by_topics(evaluation, trials=1, n_resamples=10)
        left, right = Figure().subplots(1, 2)
        assert plots.power_curves(curves, ax=left) is left
        # Nothing makes room above the axes, so that the legend is inside.
        assert left.get_window_extent().overlaps(left.get_legend().get_window_extent())
        with pytest.warns(IrdivWarning, match='cut off .* layout="constrained"'):
            plots.ranking(long, "D-nDCG@10", ax=right)
        left, right = Figure(layout="constrained").subplots(1, 2)
        plots.heat_map(stats.correlate(evaluation), ax=left)
        plots.ranking(long, "D-nDCG@10", ax=right)
        left.figure.draw_without_rendering()
        assert not left.get_tightbbox().overlaps(right.get_tightbbox())
        assert left.figure.get_tightbbox().x1 <= left.figure.get_figwidth()

    def test_a_dollar_sign_is_no_formula(self):
        names = ("a$b$c", r"$\frac$", "r2")
        ax = drawn(plots.recall_relevance(replace(random_evaluation(runs=3), runs=names)))
        assert set(names) <= {text.get_text() for text in ax.texts}
        assert [text.get_text() for text in ax.texts if "$" in text.get_text() and text.get_parse_math()] == []


def luminance(color: str) -> float:
    """Return the luminance of a color by WCAG 2."""
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


class TestStyle:
    def test_themes_end_with_their_block_and_can_be_read(self, evaluation):
        with plots.style("dark"):
            dark = plots.ranking(evaluation)
            with plots.style("light"):
                inner = plots.ranking(evaluation)
        for ax, is_dark in ((dark, True), (inner, False), (plots.ranking(evaluation), False)):
            background = luminance(to_hex(ax.figure.get_facecolor()))
            assert (background < 0.1) == is_dark
            for color, contrast in (
                (ax.yaxis.get_ticklabels()[0].get_color(), 7),
                (ax.lines[0].get_markerfacecolor(), 2),
            ):
                low, high = sorted((background, luminance(to_hex(color))))
                assert (high + 0.05) / (low + 0.05) > contrast
        for options in ({"theme": "blue"}, {"size": "big"}):
            ((name, wrong),) = options.items()
            with pytest.raises(IrdivError, match=f"{name}='{wrong}' is not one of"), plots.style(**options):
                pass

    def test_settings_of_the_user_are_kept(self, evaluation):
        with mpl.rc_context({"axes.labelsize": 13, "figure.facecolor": "#123456"}):
            ax = plots.ranking(evaluation)
        assert (ax.xaxis.label.get_size(), to_hex(ax.figure.get_facecolor())) == (13, "#123456")
        assert plots.ranking(evaluation).xaxis.label.get_size() < 13

    def test_without_matplotlib(self, monkeypatch, evaluation):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(IrdivError, match=r"pip install 'irdiv\[plots\]'"):
            plots.heat_map(stats.correlate(evaluation))

    @pytest.mark.slow
    def test_pyplot_is_used_where_it_is_imported_already(self):
        code = (
            "import matplotlib; matplotlib.use('agg'); import matplotlib.pyplot as plt, pandas as pd\n"
            "from irdiv import plots\n"
            "plots.heat_map(pd.DataFrame([[1.0]]))\n"
            "print(len(plt.get_fignums()))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "1"


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_every_library_give_the_same_plots(library, evaluation):
    curves = analysis.values_by_rank(random_collection(1), {"A": random_run(1)}, "nDCG@5")
    power = stats.power_by_topics(evaluation, sizes=[5, 20], trials=2, n_resamples=100)
    for plot, frame in [
        (plots.recall_relevance, evaluation.frame),
        (lambda data: plots.difference_bars(data, "r0", "r1", "D-nDCG@10"), evaluation.frame),
        (lambda data: plots.ranking(data, "D-nDCG@10"), evaluation.frame),
        (lambda data: plots.box_plots(data, "D-nDCG@10"), evaluation.frame),
        (lambda data: plots.topic_heat_map(data, "D-nDCG@10"), evaluation.frame),
        (plots.heat_map, stats.concordance(evaluation, "I-rec@10")),
        (plots.heat_map, stats.discriminative_power(evaluation, n_resamples=100).agreement()),
        (plots.power_curves, power),
        (plots.rank_curves, curves),
    ]:
        assert shown(plot(in_library(library, frame))) == shown(plot(frame))


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        irdiv.demo.write_demo(tmp_path)
        return ["qrels.txt", "relevance.run", "diversified.run", "spammy.run"]

    @pytest.mark.slow
    @pytest.mark.parametrize("name", FIGURES)
    def test_every_figure_has_a_command(self, name, files, tmp_path, capsys):
        more = {"difference_bars": ["--run", "relevance", "--other", "spammy"], "power_curves": ["-B", "20"]}
        assert main(["plot", name.replace("_", "-"), *files, *more.get(name, [])]) == 0
        assert capsys.readouterr().out.strip() == f"{name}.png"
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"

    def test_the_command_draws_what_the_library_does(self, files, monkeypatch):
        seen = []
        monkeypatch.setattr("irdiv_cli.figures.save_figure", lambda axes, path: seen.append((axes, path)))
        words = ["-m", "DCG@7", "--set", "gain=linear", "--highlight", "spammy"]
        words += ["--theme", "dark", "--size", "page", "-o", "a.svg"]
        assert main(["plot", "rank_curves", *files, *words]) == 0
        ((ax, path),) = seen
        qrels, runs = demo_qrels_and_runs()
        curves = analysis.values_by_rank(qrels, {"spammy": runs["spammy"]}, "DCG(gain='linear')@7")
        np.testing.assert_allclose(lines(ax)["spammy"][:, 1], stats.mean_curves(curves)["mean"])
        assert (path, ax.figure.get_figwidth()) == ("a.svg", 7.0)
        assert luminance(to_hex(ax.figure.get_facecolor())) < 0.1

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("ranking --sort size", "--sort does not apply to ranking, which takes --n-resamples, --seed"),
            ("box_plots --seed 0", "--seed does not apply to box_plots, which takes no options"),
            ("heat_map --n-resamples 5", "--n-resamples does not apply to heat_map, which takes --method, --gold"),
            ("precision_recall -m AP", "-m does not apply to precision_recall"),
            ("precision_recall --set rel=2", "--set does not apply to precision_recall"),
            ("ranking -m AP P@5", "ranking shows 1 measure, but -m gives 2: AP, P@5"),
            ("recall_relevance -m AP", "recall_relevance shows 2 measures, but -m gives 1: AP"),
            ("difference_bars", "--run and --other; there are relevance, diversified, spammy"),
            ("difference_bars --run spammy", "--run and --other"),
            ("rank_curves --highlight bm25", "no run is called 'bm25'"),
            ("ranking -o a.xyz", "cannot write the plot 'a.xyz'"),
        ],
    )
    def test_options_that_do_not_apply_are_refused(self, words, message, files, capsys):
        name, *options = words.split()
        assert main(["plot", name, *files, *options]) == 2
        assert message in capsys.readouterr().err
