from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output

ORDER = 80
HELP = "write a run of the relevant documents in ideal order"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the qrels, the order and the length of the run."""
    options.add_qrels(parser)
    parser.add_argument(
        "--order",
        default="alpha-nDCG",
        metavar="MEASURE",
        help="the ideal order of a measure, such as D#-nDCG@10, or 'reversed', the least diverse order "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--depth", type=int, metavar="N", help="number of documents for each topic (default: all relevant ones)"
    )
    options.add_settings(parser, "parameters of the measure, such as alpha=0.2 or gain=linear")


def execute(arguments: argparse.Namespace) -> None:
    """Print the run in the format of TREC."""
    import irdiv
    from irdiv.analysis.oracles import REVERSED, oracle, trec_lines

    qrels = inputs.qrels_or_collection(arguments.qrels)
    best = oracle(qrels, order=arguments.order, depth=arguments.depth, **inputs.settings(arguments, oracle))
    tag = arguments.order if arguments.order == REVERSED else str(irdiv.parse(arguments.order))
    for line in trec_lines(best, tag):
        output.print_data(f"{line}\n")
    topics = best.groupby("query_id")["ideal"].first().value_counts()
    output.print_note(
        f"the order is the best of all in {topics.get('exact', 0)} topics, and greedy in {topics.get('greedy', 0)}."
    )
