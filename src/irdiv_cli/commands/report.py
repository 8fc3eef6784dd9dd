from __future__ import annotations

import argparse

from irdiv_cli import inputs, options

ORDER = 120
HELP = "write an HTML page that compares runs topic by topic"
EPILOG = "Example: irdiv report qrels.txt *.run --baseline bm25 -o report.html"

DEFAULT_MEASURES = ("D#-nDCG", "I-rec", "D-nDCG", "ERR-IA", "alpha-nDCG", "nDCG")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is evaluated and what the page shows."""
    parser.add_argument(
        "-o", "--file", default="report.html", metavar="FILE", help="where to write the page (default: %(default)s)"
    )
    parser.add_argument(
        "--baseline", metavar="RUN", help="name of the run that the others are compared with (default: none)"
    )
    parser.add_argument(
        "-k",
        "--cutoff",
        type=int,
        default=10,
        metavar="K",
        help="cutoff of the default measures and of the documents shown for each topic (default: %(default)s)",
    )
    parser.add_argument(
        "--topic-texts",
        metavar="FILE",
        help="texts of topics, in lines 'topic<TAB>text', or TREC's XML (default: those of --topics or of the dataset)",
    )
    parser.add_argument("--title", default="Diversity evaluation", help="title of the page (default: %(default)s)")
    options.add_seed(parser)
    options.add_evaluation(parser, f"{' '.join(DEFAULT_MEASURES)}, all at the cutoff")


def execute(arguments: argparse.Namespace) -> None:
    """Write the page and print its path."""
    from irdiv.report import render, write_report

    source = inputs.qrels_or_collection(arguments.qrels, arguments.topics)
    path = write_report(
        inputs.fold_intents(source, arguments),
        inputs.run_paths_by_name(arguments),
        arguments.file,
        measures=arguments.measures and inputs.named_measures(arguments.measures),
        baseline=arguments.baseline,
        cutoff=arguments.cutoff,
        topic_texts=inputs.topic_texts(source, arguments),
        intent_descriptions=inputs.intent_descriptions(source, arguments),
        title=arguments.title,
        rng=arguments.seed,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        **inputs.settings(arguments, render),
    )
    print(path)
