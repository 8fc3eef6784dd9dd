"""The command line: ``irdiv eval`` and its companions; ``irdiv --help`` lists them."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import irdiv
from irdiv.errors import IrdivError, IrdivWarning
from irdiv.explain import explain, list_measures

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.evaluation import Evaluation

DEFAULT_MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10", "ERR-IA@10", "alpha-nDCG@10")
OUTPUTS = ("table", "tsv", "csv", "jsonl")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 after one line about a user's mistake."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a formula has signs that not every terminal knows
    arguments = _parser().parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("always", IrdivWarning)
        warnings.showwarning = _say_warning
        try:
            arguments.command(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader, `head` for one, has seen enough; nothing is left to flush to.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (IrdivError, OSError) as error:
            print(f"irdiv: error: {' '.join(str(error).split())}", file=sys.stderr)
            return 2
    return 0


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"irdiv: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="irdiv", description="Evaluate diversified search.")
    parser.add_argument("--version", action="version", version=f"irdiv {irdiv.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = _command(commands, "eval", _eval, "score run files against diversity qrels")
    run.epilog = (
        "example: irdiv eval qrels.txt bm25.run xquad.run -m D#-nDCG@10 ERR-IA@20. Options that take several values, "
        "as -m, go behind the files."
    )
    _add_evaluation(run)
    _add_output(run)
    run.add_argument(
        "--components", action="store_true", help="also what a measure is made of: I-rec and D-M beside D#-M"
    )

    versus = _statistics(commands, "compare", _compare, "test differences between runs, in pairs or against a baseline")
    versus.add_argument("--baseline", metavar="RUN", nargs="+", action="extend", help="names of runs to compare with")
    tests = ("bootstrap", "randomisation", "t", "tukey")
    versus.add_argument("--test", choices=tests, default="bootstrap", help="the test (default: bootstrap)")
    versus.add_argument("--correction", metavar="METHOD", help="for many tests, as holm, bonferroni or fdr_bh")
    _add_samples(versus)

    power = _statistics(commands, "discpower", _discpower, "tell how many pairs of runs each measure tells apart")
    power.add_argument("--test", choices=tests, default="bootstrap", help="the test (default: bootstrap)")
    power.add_argument("--alpha", type=float, default=0.05, help="significance level (default: 0.05)")
    power.add_argument(
        "--agreement", action="store_true", help="how far the significant pairs of measures agree instead"
    )
    _add_samples(power)

    gold = _statistics(commands, "concordance", _concordance, "tell which measures agree more with gold measures")
    gold.add_argument("--gold", metavar="SPEC", nargs="+", action="extend", required=True, help="gold measures")

    rank = _statistics(commands, "correlate", _correlate, "tell how alike measures rank the runs")
    rank.add_argument(
        "--method",
        choices=("tau", "tau_ap", "tau_ap_symmetric"),
        default="tau",
        help="Kendall's tau (default), or tau_ap against the column's measure as gold",
    )

    listing = _command(commands, "measures", _measures, "list the measures")
    listing.add_argument("pattern", metavar="TEXT", nargs="?", default="", help="only names with this in them")

    explain = _command(commands, "explain", _explain, "say what measures compute, and how other programs differ")
    explain.add_argument("specs", metavar="SPEC", nargs="+", help="a measure, as in D#-nDCG@10")

    best = _command(commands, "oracle", _oracle, "write a run of the relevant documents in their best or worst order")
    best.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too")
    best.add_argument(
        "--order",
        choices=("alpha-nDCG", "D-nDCG", "reversed"),
        default="alpha-nDCG",
        help="the ideal of a measure, or the least diverse order (default: alpha-nDCG)",
    )
    best.add_argument("--depth", type=int, metavar="N", help="documents of each topic (default: all relevant ones)")
    best.add_argument("--set", metavar="KEY=VALUE", nargs="+", action="extend", default=[], help="as alpha=0.2")

    tree = _command(commands, "hierarchy", _hierarchy, "draw intent hierarchies, and what a run covers of them")
    tree.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too")
    tree.add_argument("run", metavar="RUN", nargs="?", help="TREC run file: show which nodes it covers, at which ranks")
    _add_intents(tree)
    tree.add_argument("--topic", metavar="ID", nargs="+", action="extend", help="topics to show (default: all)")
    tree.add_argument(
        "-m", "--measures", metavar="SPEC", nargs="+", action="extend", help="flat measures to score each layer by"
    )
    tree.add_argument("--hierarchy", choices=("EIH", "OIH"), default="EIH", help="extended or original (default: EIH)")
    tree.add_argument("--weights", choices=("UT", "UB", "NT", "NB"), help="weights of nodes (default: NB, else UB)")
    tree.add_argument("--svg", action="store_true", help="write an SVG picture of one topic")

    gaps = _command(
        commands, "ideals", _ideals, "tell how far the greedy ideal of alpha-nDCG falls short of the true one"
    )
    gaps.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too")
    gaps.add_argument("-k", "--cutoff", type=int, default=10, metavar="K", help="cutoff of alpha-DCG (default: 10)")
    gaps.add_argument("--alpha", type=float, default=0.5, help="redundancy intolerance (default: 0.5)")
    gaps.add_argument("--time-limit", type=float, metavar="S", help="seconds for each topic (default: none)")
    gaps.add_argument("-q", "--per-query", action="store_true", help="each topic instead of a summary")
    gaps.add_argument("--csv", action="store_true", help="comma-separated values with all digits instead of a table")

    cases = _command(
        commands, "properties", _properties, "check which measures keep their promises on all short rankings"
    )
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
    cases.add_argument("--csv", action="store_true", help="comma-separated values with all digits instead of a table")

    demo = _command(commands, "demo", _demo, "score two small runs on a small collection, all built in")
    _add_output(demo)
    return parser


def _command(commands: Any, name: str, function: Callable[[argparse.Namespace], None], what: str) -> Any:
    parser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.set_defaults(command=function)
    return parser


def _statistics(commands: Any, name: str, function: Callable[[argparse.Namespace], None], what: str) -> Any:
    parser = _command(commands, name, function, what)
    _add_evaluation(parser)
    parser.add_argument("--seed", type=int, default=0, help="seed of whatever is random (default: 0)")
    parser.add_argument("--csv", action="store_true", help="comma-separated values with all digits instead of a table")
    parser.add_argument("--plot", metavar="FILE", help="also draw a plot, PNG, SVG or PDF; needs the extra 'plots'")
    return parser


def _add_samples(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-B", "--samples", type=int, metavar="N", help="random samples (default: 1000, for randomisation 10000)"
    )


def _add_evaluation(parser: argparse.ArgumentParser) -> None:
    """Add what is evaluated, and how."""
    parser.add_argument(
        "qrels", metavar="QRELS", help="qrels file, 'topic intent document grade' in each line, gzip too"
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="TREC run files, gzip too")
    parser.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"measures, see 'irdiv measures' (default: {' '.join(DEFAULT_MEASURES)})",
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
    parser.add_argument(
        "-o",
        "--output",
        choices=OUTPUTS,
        default="table",
        help="a table (default), or a line for each value with run, query_id (with -q), measure and value",
    )
    parser.add_argument(
        "--digits", type=_digits, metavar="N", help="decimal places (default: 4 in tables, else all there are)"
    )


def _digits(text: str) -> int:
    places = int(text)
    if not 0 <= places <= 20:
        raise argparse.ArgumentTypeError(f"{places} is not between 0 and 20")
    return places


def _eval(arguments: argparse.Namespace) -> None:
    _print(_evaluation(arguments, components=arguments.components), arguments)


def _evaluation(arguments: argparse.Namespace, *, also: Sequence[str] = (), components: bool = False) -> Evaluation:
    from irdiv.evaluation import evaluate

    measures = [irdiv.parse(spec) for spec in [*(arguments.measures or DEFAULT_MEASURES), *also]]
    return evaluate(
        _qrels(arguments),
        _by_name(arguments.runs),
        measures,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        components=components,
        **_settings(arguments.set),
    )


def _compare(arguments: argparse.Namespace) -> None:
    if arguments.plot and (len(arguments.runs) != 2 or len(arguments.measures or ()) != 1):
        raise IrdivError("--plot draws the differences of two runs by one measure, topic by topic; give these.")
    evaluation = _evaluation(arguments)
    frame = irdiv.compare(
        evaluation,
        test=arguments.test,
        baseline=arguments.baseline,
        correction=arguments.correction,
        rng=arguments.seed,
        B=arguments.samples,
    )
    _print_frame(frame if arguments.correction or arguments.csv else frame.drop(columns="p_adjusted"), arguments)
    if arguments.plot:
        from irdiv.plots import difference_bars

        _save(difference_bars(evaluation, *frame[["run", "other"]].iloc[0]), arguments.plot)


def _discpower(arguments: argparse.Namespace) -> None:
    power = irdiv.discriminative_power(
        _evaluation(arguments), test=arguments.test, alpha=arguments.alpha, rng=arguments.seed, B=arguments.samples
    )
    _print_frame(power.agreement() if arguments.agreement else power.summary, arguments)
    if arguments.plot:
        from irdiv.plots import asl_curves

        _save(asl_curves(power), arguments.plot)


def _concordance(arguments: argparse.Namespace) -> None:
    from irdiv.evaluation import resolve

    evaluation = _evaluation(arguments, also=arguments.gold)
    # Settings for all measures change what gold measures are called.
    changed = resolve(arguments.gold, False, _settings(arguments.set))
    frame = irdiv.concordance(evaluation, changed)
    _print_matrix(frame, frame, arguments)


def _correlate(arguments: argparse.Namespace) -> None:
    matrix = irdiv.correlate(_evaluation(arguments), arguments.method)
    _print_matrix(matrix.rename_axis(columns=None).reset_index(), matrix, arguments)


def _print_matrix(frame: pd.DataFrame, matrix: pd.DataFrame, arguments: argparse.Namespace) -> None:
    _print_frame(frame, arguments)
    if arguments.plot:
        from irdiv.plots import heat_map

        _save(heat_map(matrix), arguments.plot)


def _print_frame(frame: pd.DataFrame, arguments: argparse.Namespace) -> None:
    if arguments.csv:
        sys.stdout.write(frame.to_csv(index=False))
    else:
        print(frame.to_string(index=False, float_format="{:.4f}".format, na_rep="-"))


def _save(axes: Any, path: str) -> None:
    try:
        axes.figure.savefig(path, dpi=150, bbox_inches="tight")
    except ValueError as error:
        raise IrdivError(f"cannot draw {path!r}: {error}") from None


def _qrels(arguments: argparse.Namespace) -> Any:
    qrels = arguments.qrels
    if arguments.heval:
        qrels = irdiv.with_intents(qrels, irdiv.read_heval(arguments.heval))
    return irdiv.with_intents(qrels, arguments.intents) if arguments.intents else qrels


def _settings(texts: Sequence[str]) -> dict[str, Any]:
    settings = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise IrdivError(f"--set takes KEY=VALUE, as in gain=linear; found {text!r}.")
        if key in ("qrels", "runs", "measures", "ties", "duplicates", "components", "order", "depth", "cutoff"):
            raise IrdivError(f"{key!r} is no parameter to set; --help shows how to give it.")
        settings[key] = _value(value)
    return settings


def _value(text: str) -> Any:
    try:
        return ast.literal_eval({"true": "True", "false": "False"}.get(text, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _by_name(paths: Sequence[str]) -> dict[str, str]:
    """Name each run after its file, or after its whole path where two files have the same name."""
    from irdiv.evaluation import run_name

    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise IrdivError(f"the run file {twice!r} is given twice.")
    names = [run_name(path) for path in paths]
    return {path if names.count(name) > 1 else name: path for name, path in zip(names, paths, strict=True)}


def _oracle(arguments: argparse.Namespace) -> None:
    from irdiv.oracles import lines, oracle

    run = oracle(arguments.qrels, arguments.order, depth=arguments.depth, **_settings(arguments.set))
    for line in lines(run, arguments.order):
        print(line)


def _hierarchy(arguments: argparse.Namespace) -> None:
    trees = irdiv.Hierarchy(_qrels(arguments), hierarchy=arguments.hierarchy, weights=arguments.weights)
    topics = arguments.topic or list(trees.collection.topics)
    if arguments.svg and len(topics) != 1:
        raise IrdivError("an SVG picture shows one topic; name it with --topic.")
    if arguments.run is None:
        if arguments.measures:
            raise IrdivError("-m scores what a run covers of each layer; give a run too.")
        shown = (trees.svg(topic) if arguments.svg else trees.draw(topic) for topic in topics)
    else:
        reports = trees.reports(arguments.run, topics, arguments.measures)
        shown = (report.svg() if arguments.svg else str(report) for report in reports)
    for number, text in enumerate(shown):
        print(("\n" if number else "") + text)


def _ideals(arguments: argparse.Namespace) -> None:
    frame = irdiv.ideal_gaps(
        arguments.qrels, cutoff=arguments.cutoff, alpha=arguments.alpha, time_limit=arguments.time_limit
    )
    if arguments.per_query or arguments.csv:
        _print_frame(frame, arguments)
        return
    short = frame[frame["gap"] > 0]
    print(f"greedy falls short of the best list of {arguments.cutoff} documents in {len(short)} of {len(frame)} topics")
    if len(short):
        print(f"by {100 * short['gap'].mean():.3f}% in the mean of these, at most {100 * short['gap'].max():.3f}%")
    open_ = int((~frame["proven"]).sum())
    print(f"all lists proven best in {frame['seconds'].sum():.1f} s" if not open_ else f"not proven: {open_} topics")


def _properties(arguments: argparse.Namespace) -> None:
    from irdiv import properties

    chosen = {"properties": arguments.properties} if arguments.properties else {}
    frame = properties.check(
        arguments.measures,
        **chosen,
        aspects=arguments.aspects,
        depth=arguments.depth,
        grades=arguments.grades,
        weights=arguments.weights,
    )
    _print_frame(frame, arguments)


def _demo(arguments: argparse.Namespace) -> None:
    from irdiv.demo import demo_collection
    from irdiv.evaluation import evaluate

    qrels, runs = demo_collection()
    evaluation = evaluate(qrels, runs, DEFAULT_MEASURES)
    talk = arguments.output == "table" and not arguments.per_query
    if talk:
        print(f"{len(runs)} runs, {len(evaluation.query_ids)} ambiguous topics, means over topics:\n")
    _print(evaluation, arguments)
    if talk:
        text = (
            "'relevance' finds better documents of the likeliest intent (D-nDCG, ERR-IA); 'diversified' covers more "
            "intents (I-rec, alpha-nDCG) and wins where both count (D#-nDCG). 'irdiv explain D#-nDCG' says how."
        )
        print("\n" + textwrap.fill(text, width=100))


def _print(evaluation: Evaluation, arguments: argparse.Namespace) -> None:
    if arguments.output == "table":
        _print_table(evaluation, arguments.per_query, 4 if arguments.digits is None else arguments.digits)
        return
    rows = evaluation.frame if arguments.per_query else _tidy_summary(evaluation)
    if arguments.output == "jsonl":
        for row in rows.to_dict(orient="records"):
            if arguments.digits is not None:
                row["value"] = round(row["value"], arguments.digits)
            print(json.dumps(row, ensure_ascii=False))
        return
    form = None if arguments.digits is None else f"%.{arguments.digits}f"
    sep = "\t" if arguments.output == "tsv" else ","
    sys.stdout.write(rows.to_csv(sep=sep, index=False, float_format=form))


def _print_table(evaluation: Evaluation, per_query: bool, places: int) -> None:
    table = (evaluation.pivot() if per_query else evaluation.summary()).reset_index()
    for place, name in enumerate(["run", "query_id"] if per_query else ["run"]):
        column = table.pop(name).astype(str)
        width = max([len(name), *column.str.len()])
        table.insert(place, name.ljust(width), column.str.ljust(width))
    print(table.to_string(index=False, float_format=f"{{:.{places}f}}".format))


def _tidy_summary(evaluation: Evaluation) -> pd.DataFrame:
    wide = evaluation.summary().reset_index()
    long = wide.melt(id_vars="run", var_name="measure", value_name="value")
    order = {run: place for place, run in enumerate(evaluation.runs)}
    return long.sort_values("run", key=lambda runs: runs.map(order), kind="stable")


def _measures(arguments: argparse.Namespace) -> None:
    print(list_measures(arguments.pattern))


def _explain(arguments: argparse.Namespace) -> None:
    print("\n\n".join(explain(spec) for spec in arguments.specs))


if __name__ == "__main__":
    sys.exit(main())
