from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from irdiv_cli import options, output

if TYPE_CHECKING:
    from pathlib import Path

ORDER = 130
HELP = "evaluate four systems on a small built-in collection"

_DEFAULT_REPORT = "irdiv-demo.html"
_EXPLANATION = (
    "'relevance' finds the most relevant documents (D-nDCG). 'diversified' covers all intents (I-rec, alpha-nDCG) and "
    "is best if both count (D#-nDCG). 'one-intent' serves only the most probable intent, and 'spammy' mixes in "
    "nonrelevant documents. 'irdiv explain D#-nDCG' explains a measure, and 'irdiv demo --data FOLDER' writes the "
    "files of the collection."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where files are written."""
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="only write files to this folder, to try other commands: the collection, and judgments of nuggets (RAG)",
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        help=f"where to write the report (default: {_DEFAULT_REPORT} with the table of means, else no report)",
    )
    parser.add_argument("--force", action="store_true", help="also overwrite files that are not irdiv's")
    options.add_output(parser, per_query="values of each topic instead of means")


def execute(arguments: argparse.Namespace) -> None:
    """Write the files of the collection, or print its evaluation with explanations and write a report."""
    import textwrap
    from pathlib import Path

    import irdiv
    from irdiv.demo import demo_qrels_and_runs, write_demo
    from irdiv.errors import IrdivError
    from irdiv.evaluation import DEFAULT_MEASURES

    if arguments.data is not None:
        given = (arguments.per_query, arguments.output != "table", arguments.digits is not None, arguments.report)
        if any(given):
            raise IrdivError("--data only writes files; leave out --report and the options of the table.")
        for path in write_demo(Path(arguments.data), force=arguments.force):
            output.print_data(f"{path}\n")
        return
    qrels, runs = demo_qrels_and_runs()
    evaluation = irdiv.evaluate(qrels, runs, DEFAULT_MEASURES)
    output.print_notes(evaluation)
    if arguments.output != "table" or arguments.per_query:
        output.print_evaluation(evaluation, arguments)
        if arguments.report is not None:
            _write_report(arguments.report, arguments.force)
        return
    print(f"Means of {len(runs)} systems over {len(evaluation.query_ids)} ambiguous topics:\n")
    output.print_evaluation(evaluation, arguments)
    print("\n" + textwrap.fill(_EXPLANATION, width=100))
    try:
        print(f"\nReport with all topics: {_write_report(arguments.report or _DEFAULT_REPORT, arguments.force)}")
    except IrdivError as error:
        if arguments.report is not None:
            raise
        print(f"\nNo report: {error}")


def _write_report(file: str, force: bool) -> Path:
    """Write the report and return its path."""
    from irdiv.demo import demo_collection, demo_qrels_and_runs
    from irdiv.report import descriptions_by_intent, write_report

    collection = demo_collection()
    topics = dict(zip(collection.topics["query_id"], collection.topics["query"], strict=True))
    intents = descriptions_by_intent(collection.intents)
    return write_report(
        *demo_qrels_and_runs(),
        file,
        baseline="relevance",
        topic_texts=topics,
        intent_descriptions=intents,
        title="irdiv demo",
        force=force,
    )
