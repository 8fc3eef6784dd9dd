from __future__ import annotations

import argparse

ORDER = 70
HELP = "explain measures: formula, parameters, references"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the measures."""
    parser.add_argument("specs", metavar="SPEC", nargs="+", help="a measure, such as D#-nDCG@10")


def execute(arguments: argparse.Namespace) -> None:
    """Print the explanation of each measure."""
    import irdiv

    print("\n\n".join(irdiv.explain(spec) for spec in arguments.specs))
