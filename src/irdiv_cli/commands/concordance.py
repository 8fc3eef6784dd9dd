from __future__ import annotations

import argparse

from irdiv_cli import figures, inputs, options, output, studies

ORDER = 40
HELP = "compare how often measures agree with gold measures"
EPILOG = "Example: irdiv concordance qrels.txt *.run --gold I-rec@10 P@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the gold measures."""
    parser.add_argument(
        "--gold",
        metavar="SPEC",
        nargs="+",
        action="extend",
        required=True,
        help="gold measures; if there are several, all must agree",
    )
    options.add_plot(parser, "the concordances as a heat map")
    options.add_study(parser)
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the concordance of each pair of measures, and plot it."""
    from irdiv.stats import concordance

    studies.require_one_plot(arguments)
    evaluation = studies.evaluate_collections(arguments, more_measures=arguments.gold)
    gold = inputs.measures_with_settings(arguments.gold, arguments)
    frame = concordance(evaluation, gold, by_collection=arguments.by_collection)
    output.print_frame(frame, arguments)
    if arguments.plot:
        from irdiv.plots import heat_map

        figures.save_figure(heat_map(frame), arguments.plot)
