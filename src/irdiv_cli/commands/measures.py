from __future__ import annotations

import argparse

ORDER = 60
HELP = "list the measures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a part of the names."""
    parser.add_argument("pattern", metavar="TEXT", nargs="?", default="", help="list only names that contain this text")


def execute(arguments: argparse.Namespace) -> None:
    """Print names and summaries by family."""
    from irdiv.show.explain import list_measures

    print(list_measures(arguments.pattern))
