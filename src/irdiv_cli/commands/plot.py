from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irdiv_cli import figures, inputs, options, output, studies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 115
HELP = "draw a figure of runs or measures"
EPILOG = "Example: irdiv plot rank_curves qrels.txt *.run -m alpha-nDCG@20 -o novelty.pdf"

_CURVES = ("highlight", "intervals", "seed")


class _Figure(NamedTuple):
    """What a figure shows, by which measures, and which options it has."""

    summary: str
    measures: tuple[str, ...]
    """Those shown by default; none if the figure needs no measures."""
    most_measures: int | None
    """How many it can show, None for any number."""
    options: tuple[str, ...] = ()


FIGURES = {
    "ranking": _Figure("means of runs with intervals", ("D#-nDCG@10",), 1, ("n_resamples", "seed")),
    "box_plots": _Figure("values of topics as a box for each run", ("D#-nDCG@10",), 1),
    "topic_heat_map": _Figure("values of runs and topics", ("D#-nDCG@10",), 1, ("sort",)),
    "difference_bars": _Figure("differences of two runs by topic", ("D#-nDCG@10",), 1, ("run", "other", "sort")),
    "recall_relevance": _Figure(
        "runs by two measures", ("I-rec@10", "D-nDCG@10"), 2, ("gamma", "highlight", "intervals")
    ),
    "precision_recall": _Figure("interpolated precision", (), 0, ("levels", "rel", *_CURVES)),
    "rank_curves": _Figure("measures by rank, down to their cutoffs", ("D#-nDCG@20",), None, _CURVES),
    "parameter_curves": _Figure(
        "a measure by one of its parameters", ("alpha-nDCG@10",), 1, ("parameter", "values", *_CURVES)
    ),
    "asl_curves": _Figure(
        "p of all pairs of runs", options.DEFAULT_MEASURES, None, ("test", "level", "n_resamples", "seed")
    ),
    "power_curves": _Figure(
        "discriminative power by topics", options.DEFAULT_MEASURES, None, ("level", "n_resamples", "seed")
    ),
    "heat_map": _Figure("correlations or concordance of measures", options.DEFAULT_MEASURES, None, ("method", "gold")),
}
_OF_STUDIES = ("asl_curves", "power_curves", "heat_map")
_OF_QRELS_AND_RUNS = ("precision_recall", "rank_curves", "parameter_curves")
_PARAMETER_NAMES = {"seed": "rng"}
"""Names of parameters of the library that are not those of options."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the figure, what is evaluated, the options of figures and the file."""
    parser.add_argument(
        "figure",
        metavar="NAME",
        type=_figure_name,
        choices=tuple(FIGURES),
        help="; ".join(f"{name}: {figure.summary}" for name, figure in FIGURES.items()),
    )
    options.add_study(parser, "depends on the figure", by_collection=False)
    _add_figure_options(parser.add_argument_group("figures, each with some of these"))
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--file",
        metavar="FILE",
        help="file to write, in the format of its ending: png, svg, pdf, … (default: NAME.png; a file of "
        "that name that irdiv did not write is not overwritten)",
    )
    group.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="colors of the figure (default: %(default)s)"
    )
    group.add_argument(
        "--size",
        choices=("auto", "column", "page"),
        default="auto",
        help="width in a two-column paper: a column of 3.3 inches, the page of 7 inches, or what the figure needs "
        "(default: %(default)s)",
    )


def _figure_name(text: str) -> str:
    return text.replace("-", "_")


def _add_figure_options(group: argparse._ArgumentGroup) -> None:
    # None means not given, as options of other figures are refused; the library has the defaults.
    group.add_argument("--run", metavar="RUN", help="the run whose values are shown minus those of another")
    group.add_argument("--other", metavar="RUN", help="the other run (default: the two runs that are given)")
    group.add_argument("--sort", choices=("size", "topic"), help="order of topics, by size or by id (default: size)")
    group.add_argument("--gamma", type=float, metavar="G", help="weight of intent recall (default: 0.5)")
    group.add_argument(
        "--intervals", action="store_const", const=True, help="draw the 95%% confidence intervals of means"
    )
    group.add_argument(
        "--highlight",
        metavar="RUN",
        nargs="+",
        action="extend",
        help="runs to draw in color, the others in gray (default: all unless there are many, and then the 8 best)",
    )
    group.add_argument("--levels", type=int, metavar="N", help="levels of recall (default: 11)")
    group.add_argument("--rel", type=int, metavar="GRADE", help="smallest relevant grade (default: 1)")
    group.add_argument("--parameter", metavar="NAME", help="parameter of the measure (default: alpha)")
    group.add_argument(
        "--values", type=float, nargs="+", metavar="X", help="values of the parameter (default: 0, 0.1, … 1)"
    )
    group.add_argument(
        "--method", choices=("tau", "tau_ap", "tau_ap_symmetric", "tau_ap_b"), help="rank correlation (default: tau)"
    )
    group.add_argument(
        "--gold",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help="gold measures; shows the concordance of measures with them instead of correlations",
    )
    group.add_argument("--test", choices=options.TESTS, help="significance test (default: bootstrap)")
    group.add_argument("--level", type=float, metavar="P", help="significance level (default: 0.05)")
    group.add_argument(
        "-B",
        "--n-resamples",
        type=int,
        metavar="N",
        help=f"number of random samples (default: {options.N_RESAMPLES}; {options.N_SIGN_FLIPS} for randomization)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="random seed (default: 0)")


def execute(arguments: argparse.Namespace) -> None:
    """Write the figure and print its path."""
    from irdiv import plots
    from irdiv.errors import IrdivError

    given = _given_options(arguments)
    measures = _measures(arguments)
    if arguments.file is None:
        path = f"{arguments.figure}.png"
        figures.require_own_figure(path, "-o")
    else:
        path = figures.figure_path(arguments.file, arguments)
    if arguments.collection is None:
        arguments = studies.only_collection(arguments)
    elif arguments.figure not in _OF_STUDIES:
        raise IrdivError(f"{arguments.figure} shows one collection; --collection is for {', '.join(_OF_STUDIES)}.")
    with plots.style(arguments.theme, arguments.size):
        if arguments.figure in _OF_QRELS_AND_RUNS:
            axes = _plot_curves(arguments, measures, given)
        elif arguments.collection is not None:
            axes = _plot_study(arguments, measures, given)
        else:
            axes = _plot_evaluation(arguments, measures, given)
        figures.save_figure(axes, path)
    output.print_data(f"{path}\n")


def _given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the figure as keyword arguments; one of another figure is an error."""
    from irdiv.errors import IrdivError

    own = FIGURES[arguments.figure].options
    given = {}
    for name in dict.fromkeys(name for figure in FIGURES.values() for name in figure.options):
        value = getattr(arguments, name)
        if value is None:
            continue
        if name not in own:
            takes = ", ".join(_flag(option) for option in own) or "no options of its own"
            raise IrdivError(f"{_flag(name)} does not apply to {arguments.figure}, which takes {takes}.")
        given[_PARAMETER_NAMES.get(name, name)] = value
    return given


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _measures(arguments: argparse.Namespace) -> list[str]:
    """Return the specs of the measures of the figure."""
    from irdiv.errors import IrdivError

    name, figure = arguments.figure, FIGURES[arguments.figure]
    if figure.most_measures == 0:
        for flag, value in (("-m", arguments.measures), ("--set", arguments.set)):
            if value:
                raise IrdivError(f"{flag} does not apply to {name}, which shows no measures.")
    specs = list(arguments.measures or figure.measures)
    if figure.most_measures not in (None, 0) and len(specs) != figure.most_measures:
        raise IrdivError(
            f"{name} shows {figure.most_measures} measure{'s' if figure.most_measures != 1 else ''}, but -m gives "
            f"{len(specs)}: {', '.join(specs)}."
        )
    return specs


def _plot_curves(arguments: argparse.Namespace, specs: list[str], given: dict[str, Any]) -> Axes:
    from irdiv import analysis, plots

    qrels, runs = inputs.load_qrels(arguments), inputs.run_paths_by_name(arguments)
    ordering: dict[str, Any] = {"ties": arguments.ties, "duplicates": arguments.duplicates}
    computed = {name: given.pop(name) for name in ("levels", "rel", "parameter", "values") if name in given}
    if arguments.figure == "precision_recall":
        return plots.precision_recall(analysis.interpolated_precision(qrels, runs, **computed, **ordering), **given)
    measures = inputs.measures_with_settings(specs, arguments)
    if arguments.figure == "rank_curves":
        return plots.rank_curves(analysis.values_by_rank(qrels, runs, measures, **ordering), **given)
    curves = analysis.values_by_parameter(qrels, runs, measures[0], **computed, **ordering)
    return plots.parameter_curves(curves, **given)


def _plot_study(arguments: argparse.Namespace, specs: list[str], given: dict[str, Any]) -> Axes:
    from irdiv import plots, stats
    from irdiv.errors import IrdivError

    gold = given.pop("gold", None)
    if gold is not None and "method" in given:
        raise IrdivError("--method is of correlations, and --gold of concordance; give one of them.")
    study = studies.evaluate_collections(
        argparse.Namespace(**{**vars(arguments), "measures": specs}), more_measures=gold or ()
    )
    if arguments.figure == "asl_curves":
        return plots.asl_curves(stats.discriminative_power(study, delta=False, **given))
    if arguments.figure == "power_curves":
        return plots.power_curves(stats.power_by_topics(study, **given))
    if gold is None:
        return plots.heat_map(stats.correlate(study, **given))
    return plots.heat_map(stats.concordance(study, inputs.measures_with_settings(gold, arguments)))


def _plot_evaluation(arguments: argparse.Namespace, specs: list[str], given: dict[str, Any]) -> Axes:
    from irdiv.errors import IrdivError

    evaluation = inputs.evaluate_arguments(
        argparse.Namespace(**{**vars(arguments), "measures": specs}), more_measures=given.get("gold", ())
    )
    if "gold" in given:
        given["gold"] = inputs.measures_with_settings(given["gold"], arguments)
    shown: Sequence[object] = ()
    if arguments.figure == "difference_bars" and not {"run", "other"} <= set(given):
        if len(evaluation.runs) != 2 or {"run", "other"} & set(given):
            raise IrdivError(f"choose two of the runs by --run and --other; there are {', '.join(evaluation.runs)}.")
        shown = list(evaluation.runs)
    elif arguments.figure == "recall_relevance":
        shown = list(evaluation.measures)
    axes: Axes = getattr(evaluation.plot, arguments.figure)(*shown, **given)
    return axes
