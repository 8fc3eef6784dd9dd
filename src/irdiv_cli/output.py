"""What commands print: tables to read, lines for other programs, errors and warnings."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from irdiv_cli.streams import print_message, write_data

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

    from irdiv.evaluation.results import Evaluation

_DIGITS = 4
_message_prefix = ""
_names_of_files: dict[str, str] = {}
_TABLES = ("table", "latex", "markdown")
"""Formats to read; the others are for programs, and have all decimal places."""
_SHORTEST_TEXT = 20
"""The width of texts that are cut to fit a terminal, at least."""
_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"


def print_evaluation(evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace) -> None:
    """Print the means, the best of each measure in bold, or with ``--per-query`` the values of each topic."""
    if arguments.output not in _TABLES:
        _print_lines(evaluation.frame if arguments.per_query else _tidy_means(evaluation), arguments)
    elif arguments.per_query:
        print_frame(evaluation.pivot().reset_index(), arguments)
    elif arguments.output != "table":
        convert = evaluation.to_latex if arguments.output == "latex" else evaluation.to_markdown
        print_data(convert(digits=_digits(arguments)))
    else:
        print_means(evaluation, arguments)


def print_means(
    evaluation: Evaluation[pd.DataFrame], arguments: argparse.Namespace, names: Mapping[str, str] | None = None
) -> None:
    """Print the table of means, the best of each measure in bold; ``names`` are other names for some columns."""
    bold = _best_cells(evaluation) if supports_bold(sys.stdout) else ()
    print_frame(evaluation.summary().rename(columns=names or {}).reset_index(), arguments, bold)


def print_heading(text: str) -> None:
    """Print the heading of a part of the output, in bold if the terminal has it."""
    from irdiv.errors import printable

    text = printable(text)
    print(f"{_BOLD}{text}{_NORMAL}" if supports_bold(sys.stdout) else text)


def cut_to_terminal(line: str) -> str:
    """Return a line that can be printed, cut to the width of the terminal if the output is one."""
    from shutil import get_terminal_size

    from irdiv.errors import printable

    line = printable(line)
    return _cut(line, get_terminal_size().columns) if sys.stdout.isatty() else line


def fit_to_terminal(frame: pd.DataFrame, column: str, arguments: argparse.Namespace) -> pd.DataFrame:
    """Return a frame with the texts of a column cut such that its table fits the terminal, if it is printed to one."""
    from shutil import get_terminal_size

    if column not in frame or arguments.output != "table" or not sys.stdout.isatty():
        return frame
    others = max(map(len, _table_lines(frame.drop(columns=column), _digits(arguments), ())))
    room = max(get_terminal_size().columns - others - 2, _SHORTEST_TEXT)
    return frame.assign(**{column: frame[column].map(lambda text: _cut(text, room), na_action="ignore")})


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def print_frame(frame: pd.DataFrame, arguments: argparse.Namespace, bold: Collection[tuple[int, int]] = ()) -> None:
    """Print a frame as a table, with some cells ``(row, column)`` in bold, or a line for each row."""
    if arguments.output == "table":
        for line in _table_lines(frame, _digits(arguments), bold):
            print(line)
    elif arguments.output in _TABLES:
        from irdiv.show.frames import frame_to_latex, frame_to_markdown

        convert = frame_to_latex if arguments.output == "latex" else frame_to_markdown
        print_data(convert(frame, _digits(arguments)))
    else:
        _print_lines(frame, arguments)


def _digits(arguments: argparse.Namespace) -> int:
    """Return the decimal places of tables."""
    return _DIGITS if arguments.digits is None else int(arguments.digits)


def _tidy_means(evaluation: Evaluation[pd.DataFrame]) -> pd.DataFrame:
    """Return a row for each run and measure: ``run, measure, value``."""
    by_measure = evaluation.summary().T
    tidy = by_measure.melt(var_name="run", value_name="value", ignore_index=False).reset_index()
    return tidy[["run", "measure", "value"]]


def _best_cells(evaluation: Evaluation[pd.DataFrame]) -> set[tuple[int, int]]:
    """Return the cells ``(row, column)`` of the best runs; with one run there is nothing to compare."""
    if len(evaluation.runs) < 2:
        return set()
    rows, measures = evaluation.best().nonzero()
    return {(row, measure + 1) for row, measure in zip(rows.tolist(), measures.tolist(), strict=True)}


def _table_lines(frame: pd.DataFrame, digits: int, bold: Collection[tuple[int, int]]) -> Iterator[str]:
    """Yield the header and the rows of a table, numbers aligned to the right."""
    from pandas.api.types import is_numeric_dtype

    from irdiv.errors import printable
    from irdiv.show.frames import cell_text

    columns = [[printable(str(name)), *(cell_text(value, digits) for value in frame[name])] for name in frame.columns]
    widths = [max(map(len, column)) for column in columns]
    justify = [str.rjust if is_numeric_dtype(dtype) else str.ljust for dtype in frame.dtypes]
    for row, cells in enumerate(zip(*columns, strict=True), start=-1):  # the header is not a row of the frame
        aligned = [align(cell, width) for align, cell, width in zip(justify, cells, widths, strict=True)]
        styled = [f"{_BOLD}{cell}{_NORMAL}" if (row, column) in bold else cell for column, cell in enumerate(aligned)]
        yield "  ".join(styled).rstrip()


def _print_lines(frame: pd.DataFrame, arguments: argparse.Namespace) -> None:
    import json

    from irdiv.io.text import csv_writing_errors

    if arguments.output == "jsonl":
        for row in frame.to_dict(orient="records"):
            values = {str(key): _json_value(value, arguments.digits) for key, value in row.items()}
            print_data(f"{json.dumps(values, ensure_ascii=False)}\n")
        return
    separator = "\t" if arguments.output == "tsv" else ","
    float_format = None if arguments.digits is None else f"%.{arguments.digits}f"
    with csv_writing_errors():
        text = frame.to_csv(sep=separator, index=False, float_format=float_format)
    print_data(text)


def print_data(text: str) -> None:
    """Print lines for programs as they are, in UTF-8, but to a terminal with escapes for characters it may obey."""
    from irdiv.errors import printable

    if sys.stdout.isatty():
        text = "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
    write_data(text)


def _json_value(value: object, digits: int | None) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has neither NaN nor infinity
    return round(value, digits) if isinstance(value, float) and digits is not None else value


def supports_bold(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows bold text, and the user allows it."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_error(error: Exception) -> None:
    """Print an error in one line."""
    _print_message("error", error)


def print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line; it takes the place of ``warnings.showwarning``."""
    _print_message("warning", message)


def print_notes(evaluation: Evaluation[IntoDataFrame]) -> None:
    """Print the notes of an evaluation, one in a line."""
    for note in evaluation.notes:
        print_note(note)


@contextmanager
def prefix_messages(prefix: str) -> Iterator[None]:
    """Print notes and warnings with a prefix."""
    global _message_prefix
    _message_prefix = prefix
    try:
        yield
    finally:
        _message_prefix = ""


def print_note(note: str) -> None:
    """Print a note in one line."""
    _print_message("note", note)


def name_file_in_messages(path: str, name: str) -> None:
    """Print a name in place of the path of a temporary file."""
    _names_of_files[path] = name


def _print_message(severity: str, message: object) -> None:
    from irdiv.errors import printable
    from irdiv.progress import hidden_bars

    text = printable(" ".join(str(message).split()))
    for path, name in sorted(_names_of_files.items(), reverse=True):  # a path before one that it starts with
        text = text.replace(repr(path), name).replace(path, name)
    with hidden_bars():
        print_message(f"irdiv: {severity}: {_message_prefix}{text}")
