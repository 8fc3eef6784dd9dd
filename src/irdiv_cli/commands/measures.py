from __future__ import annotations

import argparse

ORDER = 60
HELP = "list the measures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is searched for."""
    parser.add_argument(
        "pattern",
        metavar="TEXT",
        nargs="?",
        default="",
        help="only measures with this text in the name, or these words in the description",
    )


def execute(arguments: argparse.Namespace) -> None:
    """Print names and summaries by family."""
    from irdiv.show.explain import list_measures

    print(list_measures(arguments.pattern))
