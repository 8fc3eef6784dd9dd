from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output
from irdiv_cli.local_files import local_file

ORDER = 90
HELP = "draw intent hierarchies and the nodes that a run covers"
EPILOG = "Example: irdiv hierarchy qrels.txt bm25.run --intent-table intents.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the hierarchies, the run and what is drawn."""
    options.add_qrels(parser)
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="?",
        help="run file; shows at which rank it covers each node, and scores each layer",
    )
    options.add_intent_table(parser)
    parser.add_argument(
        "--topic", metavar="ID", nargs="+", action="extend", help="topics to draw (default: all topics)"
    )
    parser.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help="diversity measures that score each layer (default: I-rec, D-nDCG and D#-nDCG at rank 20)",
    )
    parser.add_argument(
        "--hierarchy",
        choices=("EIH", "OIH"),
        default="EIH",
        help="EIH extends all leaves down to the deepest layer, OIH is the original tree (default: %(default)s)",
    )
    parser.add_argument(
        "--weights",
        choices=("UT", "UB", "NT", "NB"),
        help="weights of nodes: uniform (U) or from probabilities (N), top-down (T) or bottom-up (B) "
        "(default: NB for topics with probabilities, UB for others)",
    )
    options.add_order(parser)
    parser.add_argument("--svg", action="store_true", help="print an SVG picture of one topic")


def execute(arguments: argparse.Namespace) -> None:
    """Print the tree of each topic."""
    import irdiv
    from irdiv.errors import IrdivError

    trees = irdiv.Hierarchy(inputs.load_qrels(arguments), hierarchy=arguments.hierarchy, weights=arguments.weights)
    topics = arguments.topic or list(trees.collection.topics)
    if arguments.svg and len(topics) != 1:
        raise IrdivError("an SVG picture shows one topic; choose it by --topic.")
    if arguments.svg and arguments.measures:
        raise IrdivError("an SVG picture shows no scores; leave out -m or --svg.")
    if arguments.runs is None:
        if arguments.measures:
            raise IrdivError("-m scores how a run covers each layer; give a run too.")
        drawings = (trees.svg(topic) if arguments.svg else trees.draw(topic) for topic in topics)
    else:
        run, order = local_file(arguments.runs), {"ties": arguments.ties, "duplicates": arguments.duplicates}
        reports = trees.reports(run, topics, arguments.measures, **order)
        drawings = (report.svg() if arguments.svg else str(report) for report in reports)
    for index, drawing in enumerate(drawings):
        if arguments.svg:
            output.print_data(f"{drawing}\n")
        else:
            print(f"\n{drawing}" if index else drawing)
