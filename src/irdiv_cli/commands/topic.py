from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from irdiv_cli import inputs, options, output
from irdiv_cli.local_files import require_read_once

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.evaluation.results import Evaluation

ORDER = 17
HELP = "show what runs retrieve for the intents of a topic"
EPILOG = "Example: irdiv topic 152 qrels.txt runs/; irdiv topic qrels.txt runs/ --worst 3 --baseline bm25 -m D#-nDCG@10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the topic, or how many of the worst topics, and what is shown."""
    parser.add_argument("topic", metavar="ID", nargs="?", help="the topic; leave it out with --worst")
    parser.add_argument(
        "--worst", type=int, metavar="N", help="show the N topics on which a run is worst by the first measure"
    )
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="with --worst: name of a run; topics are those with the largest loss against it",
    )
    parser.add_argument(
        "--run",
        metavar="RUN",
        nargs="+",
        action="extend",
        help="names of the runs to show (default: all); with --worst, one run (default: the worst on each topic)",
    )
    parser.add_argument(
        "-k",
        "--cutoff",
        type=int,
        metavar="K",
        help="last rank that is shown (default: the largest cutoff of the measures, at most 20)",
    )
    options.add_evaluation(parser)
    options.add_output(parser)


def execute(arguments: argparse.Namespace) -> None:
    """Print the values and documents of a topic, or of the worst topics."""
    from irdiv.errors import IrdivError

    if arguments.worst is not None:
        _take_first_as_qrels(arguments)
        if arguments.worst < 1:
            raise IrdivError(f"--worst {arguments.worst} shows no topic; give 1 or more.")
        if len(arguments.run or ()) > 1:
            raise IrdivError(f"--worst shows one run or the worst of all; --run names {len(arguments.run)}.")
    elif arguments.topic is None:
        raise IrdivError("expected the ID of a topic, the qrels and runs, or --worst N with the qrels and runs.")
    elif arguments.baseline is not None:
        raise IrdivError("--baseline is for --worst; leave it out to show a topic.")
    evaluation = inputs.evaluate_arguments(arguments)
    if arguments.worst is not None:
        _print_worst(evaluation, arguments)
        return
    report = evaluation.topic(arguments.topic, runs=arguments.run, cutoff=arguments.cutoff)
    if arguments.output == "table":
        print(report.draw(digits=4 if arguments.digits is None else arguments.digits))
        return
    frame = report.intents
    frame.insert(0, "query_id", report.query_id)
    output.print_frame(frame, arguments)


def _take_first_as_qrels(arguments: argparse.Namespace) -> None:
    """Correct what the parser took for the ID of a topic: with ``--worst`` there is none, and qrels are first."""
    from irdiv.errors import IrdivError

    if arguments.topic is None:
        return
    if arguments.topic != "-" and not os.path.exists(arguments.topic) and os.path.exists(arguments.qrels):
        raise IrdivError(f"--worst finds topics by itself; leave out the ID {arguments.topic!r}.")
    arguments.qrels, arguments.runs = arguments.topic, [arguments.qrels, *arguments.runs]
    require_read_once(arguments)


def _print_worst(evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace) -> None:
    run = arguments.run[0] if arguments.run else None
    frame = evaluation.worst(arguments.worst, run=run, baseline=arguments.baseline)
    output.print_frame(frame, arguments)
    if arguments.output != "table":
        return
    for query_id, name in zip(frame["query_id"], frame["run"], strict=True):
        shown = [name, *([arguments.baseline] if arguments.baseline else [])]
        report = evaluation.topic(query_id, runs=shown, cutoff=arguments.cutoff)
        print("\n" + report.draw(digits=4 if arguments.digits is None else arguments.digits))
