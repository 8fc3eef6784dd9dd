"""The command ``irdiv`` and its options, apart from the package, so that ``irdiv --help`` need not import it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

DEFAULT_MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10", "ERR-IA@10", "alpha-nDCG@10")
OUTPUTS = ("table", "tsv", "csv", "jsonl")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 after one line about a user's mistake."""
    arguments = parser().parse_args(argv)
    from irdiv.cli import run

    return run(arguments)


class _Version(argparse.Action):
    """Prints the version, for which the package is imported."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        import irdiv

        print(f"irdiv {irdiv.__version__}")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where help is."""
        self.exit(2, f"irdiv: error: {message} (see '{self.prog} --help')\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = _Parser(prog="irdiv", description="Evaluate diversified search.")
    top.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = _command(commands, "eval", "score run files against diversity qrels")
    run.epilog = (
        "example: irdiv eval qrels.txt bm25.run xquad.run -m D#-nDCG@10 ERR-IA@20. Options that take several values, "
        "as -m, go behind the files."
    )
    _add_evaluation(run)
    _add_output(run)
    run.add_argument(
        "--components", action="store_true", help="also what a measure is made of: I-rec and D-M beside D#-M"
    )

    versus = _statistics(commands, "compare", "test differences between runs, in pairs or against a baseline")
    versus.add_argument("--baseline", metavar="RUN", nargs="+", action="extend", help="names of runs to compare with")
    tests = ("bootstrap", "randomisation", "t", "tukey")
    versus.add_argument("--test", choices=tests, default="bootstrap", help="the test (default: bootstrap)")
    versus.add_argument("--correction", metavar="METHOD", help="for many tests, as holm, bonferroni or fdr_bh")
    _add_samples(versus)

    power = _statistics(commands, "discpower", "tell how many pairs of runs each measure tells apart")
    power.add_argument("--test", choices=tests, default="bootstrap", help="the test (default: bootstrap)")
    power.add_argument("--alpha", type=float, default=0.05, help="significance level (default: 0.05)")
    power.add_argument(
        "--agreement", action="store_true", help="how far the significant pairs of measures agree instead"
    )
    _add_samples(power)

    gold = _statistics(commands, "concordance", "tell which measures agree more with gold measures")
    gold.add_argument("--gold", metavar="SPEC", nargs="+", action="extend", required=True, help="gold measures")

    rank = _statistics(commands, "correlate", "tell how alike measures rank the runs")
    rank.add_argument(
        "--method",
        choices=("tau", "tau_ap", "tau_ap_symmetric"),
        default="tau",
        help="Kendall's tau (default), or tau_ap against the column's measure as gold",
    )

    listing = _command(commands, "measures", "list the measures")
    listing.add_argument("pattern", metavar="TEXT", nargs="?", default="", help="only names with this in them")

    explain = _command(commands, "explain", "say what measures compute, and how other programs differ")
    explain.add_argument("specs", metavar="SPEC", nargs="+", help="a measure, as in D#-nDCG@10")

    best = _command(commands, "oracle", "write a run of the relevant documents in their best or worst order")
    best.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too, or Parquet")
    best.add_argument(
        "--order",
        choices=("alpha-nDCG", "D-nDCG", "reversed"),
        default="alpha-nDCG",
        help="the ideal of a measure, or the least diverse order (default: alpha-nDCG)",
    )
    best.add_argument("--depth", type=int, metavar="N", help="documents of each topic (default: all relevant ones)")
    best.add_argument("--set", metavar="KEY=VALUE", nargs="+", action="extend", default=[], help="as alpha=0.2")

    tree = _command(commands, "hierarchy", "draw intent hierarchies, and what a run covers of them")
    tree.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too, or Parquet")
    tree.add_argument("run", metavar="RUN", nargs="?", help="TREC run file: show which nodes it covers, at which ranks")
    _add_intents(tree)
    tree.add_argument("--topic", metavar="ID", nargs="+", action="extend", help="topics to show (default: all)")
    tree.add_argument(
        "-m", "--measures", metavar="SPEC", nargs="+", action="extend", help="flat measures to score each layer by"
    )
    tree.add_argument("--hierarchy", choices=("EIH", "OIH"), default="EIH", help="extended or original (default: EIH)")
    tree.add_argument("--weights", choices=("UT", "UB", "NT", "NB"), help="weights of nodes (default: NB, else UB)")
    tree.add_argument("--svg", action="store_true", help="write an SVG picture of one topic")

    gaps = _command(commands, "ideals", "tell how far the greedy ideal of alpha-nDCG falls short of the true one")
    gaps.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too, or Parquet")
    gaps.add_argument("-k", "--cutoff", type=int, default=10, metavar="K", help="cutoff of alpha-DCG (default: 10)")
    gaps.add_argument("--alpha", type=float, default=0.5, help="redundancy intolerance (default: 0.5)")
    gaps.add_argument("--time-limit", type=float, metavar="S", help="seconds for each topic (default: none)")
    gaps.add_argument("-q", "--per-query", action="store_true", help="each topic instead of a summary")
    _add_form(gaps)

    cases = _command(commands, "properties", "check which measures keep their promises on all short rankings")
    cases.add_argument("-m", "--measures", metavar="SPEC", nargs="+", action="extend", required=True, help="measures")
    cases.add_argument(
        "-p",
        "--properties",
        metavar="NAME",
        nargs="+",
        action="extend",
        help="relevance, irrelevance, redundancy (the default), induction, replacement, swap",
    )
    cases.add_argument("--aspects", type=int, default=2, help="aspects of the topic (default: 2)")
    cases.add_argument("--depth", type=int, default=10, help="length of the longest ranking (default: 10)")
    cases.add_argument("--grades", type=int, default=1, help="highest grade (default: 1)")
    cases.add_argument("--weights", type=float, nargs="+", metavar="P", help="probabilities of the aspects")
    _add_form(cases)

    page = _command(commands, "report", "write one page that compares runs, topic by topic")
    _add_evaluation(page, "D#-nDCG, I-rec, D-nDCG, ERR-IA, alpha-nDCG and nDCG at the cutoff")
    page.add_argument("-o", "--file", default="report.html", metavar="FILE", help="the page (default: report.html)")
    page.add_argument("--baseline", metavar="RUN", help="the run that others are tested against (default: the first)")
    page.add_argument("-k", "--cutoff", type=int, default=10, metavar="K", help="how far down to look (default: 10)")
    page.add_argument("--topics", metavar="FILE", help="texts of topics, 'topic<TAB>text' in each line")
    page.add_argument("--title", default="Diversity evaluation", help="heading of the page")
    page.add_argument("--seed", type=int, default=0, help="seed of random samples (default: 0)")

    demo = _command(
        commands, "demo", "score four small systems on a small collection, all built in, and write a report"
    )
    demo.add_argument("--data", metavar="FOLDER", help="write the files of the collection instead")
    demo.add_argument("--report", metavar="FILE", default="irdiv-demo.html", help="the page (default: irdiv-demo.html)")
    _add_output(demo)

    shell = _command(commands, "completion", "print a script that completes commands in a shell")
    shell.add_argument(
        "shell", choices=("bash", "zsh", "tcsh"), help="for bash: irdiv completion bash > ~/.irdiv; . ~/.irdiv"
    )
    return top


def _command(commands: Any, name: str, what: str) -> Any:
    parser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.set_defaults(command=name)
    return parser


def _statistics(commands: Any, name: str, what: str) -> Any:
    parser = _command(commands, name, what)
    _add_evaluation(parser)
    parser.add_argument("--seed", type=int, default=0, help="seed of whatever is random (default: 0)")
    _add_form(parser)
    parser.add_argument("--plot", metavar="FILE", help="also draw a plot, PNG, SVG or PDF; needs the extra 'plots'")
    return parser


def _add_samples(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-B", "--samples", type=int, metavar="N", help="random samples (default: 1000, for randomisation 10000)"
    )


def _add_evaluation(parser: argparse.ArgumentParser, measures: str = " ".join(DEFAULT_MEASURES)) -> None:
    """Add what is evaluated, and how."""
    parser.add_argument(
        "qrels", metavar="QRELS", help="qrels file, 'topic intent document grade' in each line, gzip too, or Parquet"
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="TREC run files, gzip too, or Parquet files and folders; '-' for standard input",
    )
    parser.add_argument(
        "--names", choices=("file", "tag"), default="file", help="call runs by file name (default) or by the tag inside"
    )
    parser.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"measures, see 'irdiv measures' (default: {measures})",
    )
    _add_intents(parser)
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="a parameter for every measure that takes it: gain=linear, judged_only=True, intents=all, …",
    )
    parser.add_argument(
        "--ties",
        choices=("docid_desc", "docid_asc", "input", "rank"),
        default="docid_desc",
        help="order of equal scores; 'rank' orders by the rank column alone (default: docid_desc)",
    )
    parser.add_argument(
        "--duplicates",
        choices=("error", "first"),
        default="error",
        help="what to do with a document that a topic of a run has twice (default: error)",
    )


def _add_intents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--intents",
        metavar="FILE",
        help="what is known of intents: CSV or TSV with the columns query_id, intent_id and probability, type, "
        "parent_id or description, or lines 'topic intent probability' without a header",
    )
    parser.add_argument("--heval", metavar="FILE", help="intent hierarchies in the form of heval")


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-q", "--per-query", action="store_true", help="values of each topic instead of means")
    _add_form(parser)


def _add_form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        choices=OUTPUTS,
        default="table",
        help="a table (default), or a line for each row, tab- or comma-separated or JSON",
    )
    parser.add_argument("--csv", action="store_const", dest="output", const="csv", help="the same as -o csv")
    parser.add_argument(
        "--digits", type=_digits, metavar="N", help="decimal places (default: 4 in tables, else all there are)"
    )


def _digits(text: str) -> int:
    places = int(text)
    if not 0 <= places <= 20:
        raise argparse.ArgumentTypeError(f"{places} is not between 0 and 20")
    return places
