"""The command line: ``irdiv eval``, ``measures``, ``explain`` and ``demo``."""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import textwrap
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ir_measures

import irdiv
import irdiv.measures.spec
from irdiv.errors import IrdivError, IrdivWarning
from irdiv.measures import registry
from irdiv.measures.declaration import Measure

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.evaluation import Evaluation

DEFAULT_MEASURES = ("I-rec@10", "D-nDCG@10", "D#-nDCG@10", "ERR-IA@10", "alpha-nDCG@10")
OUTPUTS = ("table", "tsv", "csv", "jsonl")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 after one line about a user's mistake."""
    arguments = _parser().parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("always", IrdivWarning)
        warnings.showwarning = _say_warning
        try:
            arguments.command(arguments)
            sys.stdout.flush()
        except IrdivError as error:
            print(f"irdiv: error: {' '.join(str(error).split())}", file=sys.stderr)
            return 2
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                # The reader, `head` for one, has seen enough; nothing is left to flush to.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 0
            print(f"irdiv: error: {error}", file=sys.stderr)
            return 2
    return 0


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"irdiv: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="irdiv", description="Evaluate diversified search.")
    parser.add_argument("--version", action="version", version=f"irdiv {irdiv.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser(
        "eval",
        help="score runs against diversity qrels",
        description="Score TREC run files against diversity qrels (topic intent document grade).",
        epilog="example: irdiv eval qrels.txt bm25.run xquad.run -m D#-nDCG@10 ERR-IA@20",
    )
    run.add_argument("qrels", metavar="QRELS", help="qrels file, gzip too")
    run.add_argument("runs", metavar="RUN", nargs="+", help="run files, gzip too")
    run.add_argument(
        "-m",
        "--measures",
        metavar="SPEC",
        nargs="+",
        action="extend",
        help=f"measures, see 'irdiv measures' (default: {' '.join(DEFAULT_MEASURES)})",
    )
    run.add_argument("-q", "--per-query", action="store_true", help="a line for each topic instead of means")
    _add_output(run)
    run.add_argument(
        "--intents", metavar="FILE", help="probabilities of intents: 'topic intent probability', or a header"
    )
    run.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="a parameter for every measure that takes it: gain=linear, judged_only=True, intents=all, …",
    )
    run.add_argument(
        "--ties",
        choices=("docid_desc", "docid_asc", "input", "rank"),
        default="docid_desc",
        help="order of equal scores; 'rank' orders by the rank column alone (default: docid_desc)",
    )
    run.add_argument(
        "--duplicates",
        choices=("error", "first"),
        default="error",
        help="what to do with a document that a topic of a run has twice (default: error)",
    )
    run.add_argument(
        "--components", action="store_true", help="also what a measure is made of: I-rec and D-M beside D#-M"
    )
    run.set_defaults(command=_eval)

    listing = commands.add_parser("measures", help="list all measures")
    listing.add_argument("pattern", metavar="TEXT", nargs="?", default="", help="only names with this in them")
    listing.set_defaults(command=_measures)

    explain = commands.add_parser(
        "explain", help="say what a measure computes, its parameters, and how other programs differ"
    )
    explain.add_argument("spec", metavar="SPEC", help="a measure, as in D#-nDCG@10")
    explain.set_defaults(command=_explain)

    demo = commands.add_parser("demo", help="score two small runs on a small collection, both built in")
    demo.add_argument("-q", "--per-query", action="store_true", help="a line for each topic instead of means")
    _add_output(demo)
    demo.set_defaults(command=_demo)
    return parser


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="table", help="format (default: table)")
    parser.add_argument("--digits", type=int, metavar="N", help="decimal places (default: 4 in tables, else all)")


def _eval(arguments: argparse.Namespace) -> None:
    from irdiv.evaluation import evaluate
    from irdiv.frames.trec import read_intents

    parameters = dict(_setting(text) for text in arguments.set)
    measures = [irdiv.parse(spec) for spec in arguments.measures or DEFAULT_MEASURES]
    qrels = arguments.qrels
    if arguments.intents:
        qrels = irdiv.with_intents(qrels, read_intents(arguments.intents))
    evaluation = evaluate(
        qrels,
        _by_name(arguments.runs),
        measures,
        ties=arguments.ties,
        duplicates=arguments.duplicates,
        components=arguments.components,
        **parameters,
    )
    _print(evaluation, arguments)


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise IrdivError(f"--set takes KEY=VALUE, as in gain=linear; found {text!r}.")
    try:
        return key, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return key, value


def _by_name(paths: Sequence[str]) -> dict[str, str]:
    """Name each run after its file, or after its whole path where two files have the same name."""
    from irdiv.evaluation import run_name

    names = [run_name(path) for path in paths]
    return {path if names.count(name) > 1 else name: path for name, path in zip(names, paths, strict=True)}


def _demo(arguments: argparse.Namespace) -> None:
    from irdiv.demo import demo_collection
    from irdiv.evaluation import evaluate

    qrels, runs = demo_collection()
    evaluation = evaluate(qrels, runs, DEFAULT_MEASURES)
    if arguments.output == "table" and not arguments.per_query:
        print(f"{len(runs)} runs, {len(evaluation.query_ids)} ambiguous topics, means over topics:\n")
    _print(evaluation, arguments)
    if arguments.output == "table" and not arguments.per_query:
        print(
            "\n'relevance' finds better documents of the likeliest intent (D-nDCG, ERR-IA); 'diversified' covers\n"
            "more intents (I-rec, alpha-nDCG) and wins where both count (D#-nDCG). 'irdiv explain D#-nDCG' says how."
        )


def _print(evaluation: Evaluation, arguments: argparse.Namespace) -> None:
    if arguments.output == "table":
        places = 4 if arguments.digits is None else arguments.digits
        table = evaluation.pivot().reset_index() if arguments.per_query else evaluation.summary().reset_index()
        names = ["run", "query_id"] if arguments.per_query else ["run"]
        for name in names:
            column = table.pop(name).astype(str)
            width = max([len(name), *column.str.len()])
            table.insert(names.index(name), name.ljust(width), column.str.ljust(width))
        print(table.to_string(index=False, float_format=f"{{:.{places}f}}".format))
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


def _tidy_summary(evaluation: Evaluation) -> pd.DataFrame:
    wide = evaluation.summary().reset_index()
    long = wide.melt(id_vars="run", var_name="measure", value_name="value")
    order = {run: place for place, run in enumerate(evaluation.runs)}
    return long.sort_values("run", key=lambda runs: runs.map(order), kind="stable")


def _measures(arguments: argparse.Namespace) -> None:
    wanted = irdiv.measures.spec.normal_name(arguments.pattern).lower()
    chosen = [d for d in registry.values() if wanted in d.name.lower().replace("_", "-")]
    if not chosen:
        raise irdiv.measures.spec.unknown(arguments.pattern)
    width = max(len(declaration.name) for declaration in chosen)
    for declaration in chosen:
        print(f"{declaration.name:{width}}  {declaration.summary}")


def _explain(arguments: argparse.Namespace) -> None:
    known = ir_measures.measures.registry
    measure = irdiv.parse(known.get(arguments.spec, arguments.spec))
    if not isinstance(measure, Measure):
        _explain_foreign(measure)
        return
    declaration = measure.declaration
    print(f"{measure}\n")
    _paragraph(declaration.summary)
    print("\nformula")
    _paragraph(declaration.formula, indent="  ")
    if declaration.parameters:
        print("\nparameters")
        values = measure.values()
        for parameter in declaration.parameters:
            _paragraph(f"{parameter.name}={values[parameter.name]!r}: {parameter.meaning}", indent="  ")
    cutoff = "any, or none for the whole list" if declaration.takes_cutoff else "none: always the whole list"
    print(f"\ncutoff\n  {cutoff}\n\nreference")
    _paragraph(declaration.reference, indent="  ")
    if declaration.others:
        print("\nother programs")
        _paragraph(declaration.others, indent="  ")


def _explain_foreign(measure: Any) -> None:
    print(f"{measure}\n")
    _paragraph(f"{measure.PRETTY_NAME}, a measure of ir_measures. {measure.SHORT_DESC}")
    print("\nparameters")
    for name, info in measure.SUPPORTED_PARAMS.items():
        _paragraph(f"{name}: {info.desc}", indent="  ")
    print()
    _paragraph(
        "On qrels with intents, irdiv hands ir_measures the highest grade of each document over intents. Inside an "
        f"operator, as in D#-{measure.NAME} or {measure.NAME}-IA, the base measure is irdiv's own."
        if f"{measure.NAME}-IA" in registry
        else "On qrels with intents, irdiv hands ir_measures the highest grade of each document over intents."
    )


def _paragraph(text: str, indent: str = "") -> None:
    print(textwrap.fill(text, width=100, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent)))


if __name__ == "__main__":
    sys.exit(main())
