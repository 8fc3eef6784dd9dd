from __future__ import annotations

import argparse

from irdiv_cli import inputs, options, output

ORDER = 100
HELP = "compare the greedy ideal of alpha-nDCG with the exact one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the qrels, the parameters of alpha-DCG and the time limit."""
    options.add_qrels(parser)
    parser.add_argument(
        "-k", "--cutoff", type=int, default=10, metavar="K", help="cutoff of alpha-DCG (default: %(default)s)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.5, metavar="A", help="novelty parameter of alpha-DCG (default: %(default)s)"
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="longest search in each topic (default: no limit)"
    )
    options.add_output(parser, per_query="values of each topic instead of a summary, which only tables have")


def execute(arguments: argparse.Namespace) -> None:
    """Print how far the greedy ideal falls short, in a summary or for each topic."""
    from irdiv.analysis import ideal_gaps

    frame = ideal_gaps(
        inputs.qrels_or_collection(arguments.qrels),
        cutoff=arguments.cutoff,
        alpha=arguments.alpha,
        time_limit=arguments.time_limit,
    )
    if arguments.per_query or arguments.output != "table":
        output.print_frame(frame, arguments)
        return
    suboptimal = frame[frame["gap"] > 0]
    print(
        f"The greedy ranking of {arguments.cutoff} documents falls short of the best one in "
        f"{len(suboptimal)} of {len(frame)} topics."
    )
    if len(suboptimal):
        gap = 100 * suboptimal["gap"]
        print(f"In these topics it loses {gap.mean():.3f}% of alpha-DCG on average and {gap.max():.3f}% at most.")
    unproven = int((~frame["proven"]).sum())
    seconds = f"{frame['seconds'].sum():.1f} s of search"
    if unproven:
        print(f"In {unproven} topics the best ranking found is not proven to be optimal after {seconds}.")
    else:
        print(f"All best rankings are proven to be optimal after {seconds}.")
