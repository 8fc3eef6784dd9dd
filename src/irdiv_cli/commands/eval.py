from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output

ORDER = 10
HELP = "score runs against diversity qrels"
EPILOG = "Example: irdiv eval qrels.txt bm25.run xquad.run -m D#-nDCG@10 ERR-IA@20"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is evaluated and how it is printed."""
    parser.add_argument(
        "--components",
        action="store_true",
        help="also report the components of composite measures, such as I-rec and D-nDCG with D#-nDCG",
    )
    options.add_run_column(parser)
    options.add_evaluation(parser)
    options.add_output(parser, per_query="values of each topic instead of means")


def execute(arguments: argparse.Namespace) -> None:
    """Print the values of the measures."""
    evaluation = inputs.evaluate_arguments(arguments, components=arguments.components)
    output.print_evaluation(evaluation, arguments)
