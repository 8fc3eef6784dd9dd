from __future__ import annotations

import argparse

from irdiv_cli import figures, options, output, studies

ORDER = 50
HELP = "correlate the rankings of runs by different measures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the correlation coefficient."""
    parser.add_argument(
        "--method",
        choices=("tau", "tau_ap", "tau_ap_symmetric", "tau_ap_b"),
        default="tau",
        help="Kendall's tau; tau_ap, with the measure of the column as gold; the mean of tau_ap in both directions; or "
        "tau_ap_b, which takes ties into account (default: %(default)s)",
    )
    parser.add_argument(
        "--top", type=int, metavar="K", help="compare only the K best runs by the measure of the column (default: all)"
    )
    options.add_plot(parser, "the correlations as a heat map")
    options.add_study(parser)
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the matrix of correlations, and plot it."""
    from irdiv.stats import correlate

    studies.require_one_plot(arguments)
    evaluation = studies.evaluate_collections(arguments)
    matrix = correlate(evaluation, method=arguments.method, top=arguments.top, by_collection=arguments.by_collection)
    output.print_frame(matrix.rename_axis(columns=None).reset_index(), arguments)
    if arguments.plot:
        from irdiv.plots import heat_map

        figures.save_figure(heat_map(matrix), arguments.plot)
