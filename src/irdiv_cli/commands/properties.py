from __future__ import annotations

import argparse

from irdiv_cli import options, output

ORDER = 110
HELP = "check properties of measures on all rankings up to a length"
EPILOG = "Example: irdiv properties -m D#-nDCG@10 ACT -p irrelevance"

PROPERTIES = ("relevance", "irrelevance", "redundancy", "induction", "replacement", "swap")
DEFAULT_PROPERTIES = PROPERTIES[:3]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the measures, the properties and the rankings."""
    parser.add_argument(
        "-m", "--measures", metavar="SPEC", nargs="+", action="extend", required=True, help="measures to check"
    )
    parser.add_argument(
        "-p",
        "--properties",
        metavar="NAME",
        nargs="+",
        action="extend",
        choices=PROPERTIES,
        help=f"properties to check, of {', '.join(PROPERTIES)} (default: {' '.join(DEFAULT_PROPERTIES)})",
    )
    parser.add_argument(
        "--aspects", type=int, default=2, metavar="N", help="number of aspects of the topic (default: %(default)s)"
    )
    parser.add_argument(
        "--length", type=int, default=10, metavar="N", help="length of the longest ranking (default: %(default)s)"
    )
    parser.add_argument("--grades", type=int, default=1, metavar="N", help="highest grade (default: %(default)s)")
    parser.add_argument(
        "--probabilities",
        type=float,
        nargs="+",
        metavar="P",
        help="probabilities of the aspects (default: all the same)",
    )
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print for each measure and property the number of violations and the shortest counterexample."""
    from irdiv import properties

    chosen = {"properties": arguments.properties} if arguments.properties else {}
    frame = properties.check(
        arguments.measures,
        **chosen,
        aspects=arguments.aspects,
        length=arguments.length,
        grades=arguments.grades,
        probabilities=arguments.probabilities,
    )
    output.print_frame(frame, arguments)
