"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

# The library's own defaults and choices cannot be imported here; tests/cli/test_defaults.py compares them.
DEFAULT_MEASURES = ("D#-nDCG@10", "I-rec@10", "D-nDCG@10", "ERR-IA@10", "alpha-nDCG@10")
TESTS = ("bootstrap", "randomization", "t", "tukey")
N_RESAMPLES = 1000
N_SIGN_FLIPS = 10_000


def add_qrels(parser: argparse.ArgumentParser) -> None:
    """Add the qrels file."""
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        help="qrels file with 'topic intent document grade' in each line, plain or gzipped, NTCIREVAL's Dqrels, or "
        "Parquet; '-' for standard input; or the id of a diversity dataset of ir_datasets",
    )


def add_study(
    parser: argparse.ArgumentParser,
    default_measures: str = " ".join(DEFAULT_MEASURES),
    *,
    by_collection: bool = True,
) -> None:
    """Add qrels, runs, measures and how runs are scored, of one collection or of several."""
    add_evaluation(parser, default_measures, several_collections=True)
    for action in parser._get_positional_actions():
        if action.dest in ("qrels", "runs"):
            action.required = False
    group = parser.add_argument_group(
        "several collections",
        "With several collections, --intent-table and --heval take a FILE for all of them or NAME=FILE for one.",
    )
    group.add_argument(
        "--collection",
        metavar=("NAME QRELS RUN", "RUN"),
        nargs="+",
        action=_AppendCollection,
        help="a collection, in place of QRELS and RUN: its name, qrels and runs; once for each collection",
    )
    if by_collection:
        group.add_argument(
            "--by-collection", action="store_true", help="results of each collection instead of all together"
        )


class _AppendCollection(argparse.Action):
    """Appends a name, qrels and runs to a list of them."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Append the values; it is an error if they are fewer than three or the name was there before."""
        if len(values) < 3:
            raise argparse.ArgumentError(self, f"expected a name, qrels and one or more runs, found {' '.join(values)}")
        name, qrels, *runs = values
        collections = getattr(namespace, self.dest) or []
        if name in [other for other, _, _ in collections]:
            raise argparse.ArgumentError(self, f"two collections have the name {name!r}")
        setattr(namespace, self.dest, [*collections, (name, qrels, runs)])


def add_evaluation(
    parser: argparse.ArgumentParser,
    default_measures: str = " ".join(DEFAULT_MEASURES),
    *,
    several_collections: bool = False,
) -> None:
    """Add qrels, runs, measures and how runs are scored."""
    add_qrels(parser)
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="TREC run files, plain or gzipped, folders of them, or Parquet; '-' for standard input",
    )
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help="measures to compute, or NAME=SPEC to name the column; 'irdiv measures' lists them (default: "
        f"{default_measures})",
    )
    add_settings(group, "parameters for all measures that have them: gain=linear, judged_only=True, intents=all, …")
    add_intent_table(group, several_collections)
    group.add_argument(
        "--names",
        choices=("file", "tag"),
        default="file",
        help="name runs after their files, or after the tag in the last column of TREC files (default: %(default)s)",
    )
    add_order(group)


def add_run_column(parser: argparse.ArgumentParser) -> None:
    """Add ``--run-column``, by which one file holds many runs, and ``--columns``, the names of columns."""
    parser.add_argument(
        "--run-column",
        metavar="COLUMN",
        help="column that names the run of each row, where RUN is one Parquet file with many runs, or a TREC file with "
        "many tags, whose column is 'run'",
    )
    parser.add_argument(
        "--columns",
        metavar="THEIRS=OURS",
        nargs="+",
        action="extend",
        help="names of columns of Parquet files and what they are for irdiv, such as facet=intent_id chunk=doc_id",
    )


def add_order(parser: argparse._ActionsContainer) -> None:
    """Add ``--ties`` and ``--duplicates``, how documents of a run are ordered."""
    add_ties(parser)
    parser.add_argument(
        "--duplicates",
        choices=("error", "first"),
        default="error",
        help="what to do if a run lists a document twice for a topic: stop, or keep the first (default: %(default)s)",
    )


def add_ties(parser: argparse._ActionsContainer) -> None:
    """Add ``--ties``, the order of documents with equal scores."""
    parser.add_argument(
        "--ties",
        choices=("docid_desc", "docid_asc", "input", "rank"),
        default="docid_desc",
        help="order of documents with equal scores; 'rank' ignores scores and orders by the rank column "
        "(default: %(default)s)",
    )


def add_settings(parser: argparse._ActionsContainer, help_text: str) -> None:
    """Add ``--set``, the parameters of measures."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help=help_text,
    )


def add_intent_table(parser: argparse._ActionsContainer, several_collections: bool = False) -> None:
    """Add files with what is known of intents; for several collections, they are lists of ``FILE`` or ``NAME=FILE``."""
    action = "append" if several_collections else "store"
    parser.add_argument(
        "--intent-table",
        metavar="FILE",
        action=action,
        help="table of intents: CSV or TSV with the columns query_id, intent_id and some of probability, type, "
        "parent_id and description; or NTCIREVAL's Iprob or DINprob, lines 'topic intent probability' without a header",
    )
    parser.add_argument(
        "--topics",
        metavar="FILE",
        action=action,
        help="topics of the TREC Web track in XML, with types and descriptions of intents",
    )
    parser.add_argument("--heval", metavar="FILE", action=action, help="intent hierarchies in the format of heval")


def add_test(
    parser: argparse.ArgumentParser, default: str | None = "bootstrap", default_text: str = "%(default)s"
) -> argparse._ArgumentGroup:
    """Add the significance test and its random numbers, and return their group of options.

    Without one default, the text states what the default depends on.
    """
    group = parser.add_argument_group("significance test")
    group.add_argument(
        "--test",
        choices=TESTS,
        default=default,
        help=f"a paired test, or tukey for the randomized Tukey HSD test (default: {default_text})",
    )
    group.add_argument(
        "-B",
        "--n-resamples",
        type=int,
        metavar="N",
        help=f"number of random samples (default: {N_RESAMPLES}; {N_SIGN_FLIPS} for randomization)",
    )
    add_seed(group)
    return group


def add_correction(parser: argparse._ActionsContainer, *, automatic: bool = False) -> None:
    """Add the correction for many tests, by default none, or Holm's where there are many."""
    auto = "; auto is holm if a measure has several tests, except for tukey; none for none (default: %(default)s)"
    parser.add_argument(
        "--correction",
        metavar="METHOD",
        default="auto" if automatic else None,
        help="correct p for multiple tests: holm, bonferroni, fdr_bh or another method of statsmodels"
        + (auto if automatic else ""),
    )


def add_level(parser: argparse._ActionsContainer) -> None:
    """Add the significance level."""
    parser.add_argument(
        "--level", type=float, default=0.05, metavar="P", help="significance level (default: %(default)s)"
    )


def add_seed(parser: argparse._ActionsContainer) -> None:
    """Add the seed of random numbers."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: %(default)s)")


def add_plot(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the file of a plot."""
    parser.add_argument(
        "--plot", metavar="FILE", help=f"also plot {what}, as PNG, SVG or PDF; needs 'pip install irdiv[plots]'"
    )


def add_output(parser: argparse.ArgumentParser, per_query: str | None = None) -> None:
    """Add the output format, and ``--per-query`` if there is a help text for it."""
    group = parser.add_argument_group("output")
    if per_query is not None:
        group.add_argument("-q", "--per-query", action="store_true", help=per_query)
    group.add_argument(
        "-o",
        "--output",
        choices=("table", "tsv", "csv", "jsonl", "latex", "markdown"),
        default="table",
        help="output format; jsonl is a JSON object in each line (default: %(default)s)",
    )
    group.add_argument("--csv", action="store_const", dest="output", const="csv", help="short for -o csv")
    group.add_argument(
        "--digits", type=_digits, metavar="N", help="decimal places (default: 4 in tables, all in tsv, csv and jsonl)"
    )


def _digits(text: str) -> int:
    digits = int(text)
    if not 0 <= digits <= 20:
        raise argparse.ArgumentTypeError(f"{digits} is not between 0 and 20")
    return digits
