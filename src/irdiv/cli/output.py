"""What commands print: tables for people, lines for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    import pandas as pd

    from irdiv.results import Evaluation


def print_evaluation(evaluation: Evaluation, arguments: argparse.Namespace) -> None:
    """Print means or, if asked for, values of topics."""
    if arguments.output == "table":
        _print_table(evaluation, arguments.per_query, 4 if arguments.digits is None else arguments.digits)
    else:
        _print_lines(evaluation.frame if arguments.per_query else _tidy_summary(evaluation), arguments)


def print_frame(frame: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Print a frame as a table, or a line for each row."""
    if arguments.output == "table":
        places = 4 if arguments.digits is None else arguments.digits
        print(frame.to_string(index=False, float_format=f"{{:.{places}f}}".format, na_rep="-"))
    else:
        _print_lines(frame, arguments)


def _print_lines(rows: pd.DataFrame, arguments: argparse.Namespace) -> None:
    digits = arguments.digits
    if arguments.output == "jsonl":
        for row in rows.to_dict(orient="records"):
            shown = {k: round(v, digits) if digits is not None and isinstance(v, float) else v for k, v in row.items()}
            # JSON knows no NaN
            print(json.dumps({str(k): None if v != v else v for k, v in shown.items()}, ensure_ascii=False))
        return
    form = None if digits is None else f"%.{digits}f"
    sys.stdout.write(rows.to_csv(sep="\t" if arguments.output == "tsv" else ",", index=False, float_format=form))


def _print_table(evaluation: Evaluation, per_query: bool, places: int) -> None:
    table = (evaluation.pivot() if per_query else evaluation.summary()).reset_index()
    measures = list(table.columns[2 if per_query else 1 :])
    best = {} if per_query else {name: table[name].max() for name in measures}
    strong = colours(sys.stdout) and not per_query and len(table) > 1
    for name in measures:
        shown = table[name].map(f"{{:.{places}f}}".format)
        width = max([len(str(name)), *shown.str.len()])
        shown = shown.str.rjust(width)
        if strong:
            shown = shown.where(table[name] < best[name], "\x1b[1m" + shown + "\x1b[0m")
        table[name] = shown
    for place, name in enumerate(["run", "query_id"] if per_query else ["run"]):
        column = table.pop(name).astype(str)
        width = max([len(name), *column.str.len()])
        table.insert(place, name.ljust(width), column.str.ljust(width))
    heads = [str(name) for name in table.columns]
    widths = [
        len(head) if place < len(heads) - len(measures) else max(len(head), places + 2)
        for place, head in enumerate(heads)
    ]
    print("  ".join(head.rjust(width) for head, width in zip(heads, widths, strict=True)).rstrip())
    for row in table.itertuples(index=False, name=None):
        print("  ".join(row).rstrip())


def colours(stream: Any) -> bool:
    """Tell whether a stream is a terminal that may be coloured."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _tidy_summary(evaluation: Evaluation) -> pd.DataFrame:
    wide = evaluation.summary().reset_index()
    long = wide.melt(id_vars="run", var_name="measure", value_name="value")
    order = {run: place for place, run in enumerate(evaluation.runs)}
    return long.sort_values("run", key=lambda runs: runs.map(order), kind="stable")


def save(axes: Any, path: str) -> None:
    """Write a plot to a file, whose ending tells the form."""
    try:
        axes.figure.savefig(path, dpi=150, bbox_inches="tight")
    except ValueError as error:
        raise IrdivError(f"cannot draw {path!r}: {error}") from None
