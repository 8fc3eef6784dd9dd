"""Files with values of runs, topics and measures, as irdiv and other programs write them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.io.columns import EVALUATION_COLUMNS, find_columns, has_columns
from irdiv.io.runs import run_name
from irdiv.io.text import csv_rows, rows_with_line_numbers, split_cells, text_lines
from irdiv.io.trec import FLOAT
from irdiv.types import PathLike

_MEANS = ("all", "amean")
"""What trec_eval, ir_measures, ndeval and gdeval put in place of a topic where the value is that of all topics."""
_RUN_ID = "runid"
"""The measure under which trec_eval prints the name of the run."""
_EXPECTED = (
    "expected lines 'run topic measure value', a header with these columns, or the output of trec_eval -q, "
    "ir_measures -q, ndeval or gdeval"
)


class _Value(NamedTuple):
    run: str
    query_id: str
    measure: str
    value: str
    path: Path
    line: int


class _Rows(NamedTuple):
    path: Path
    rows: list[tuple[int, list[str]]]
    header: list[str] | None


def read_values(paths: PathLike | Iterable[PathLike] | Mapping[str, PathLike]) -> pd.DataFrame:
    """Read the values of runs by topic and measure from files: a leaderboard with its topics.

    Columns are separated by tabs, commas, semicolons or spaces. These layouts are known by the first line:

    - a header that names ``run, query_id, measure, value`` in any order, as ``Evaluation.frame`` written as CSV; other
      columns are left out, and the first two may be called ``runid`` and ``topic``;
    - a header that names the run and the topic and then measures, as ndeval and gdeval print it and
      ``Evaluation.pivot()`` is written as CSV;
    - ``run topic measure value`` without a header, or ``run measure topic value`` if the third column holds ``all``;
    - ``measure topic value`` or ``topic measure value`` without a header, as ``trec_eval -q`` and ``ir_measures -q``
      print them; the column with ``all`` is that of topics. The run is named by trec_eval's line ``runid``, or else
      after the file.

    Values of all topics together, ``all`` and ``amean``, are left out.

    Parameters
    ----------
    paths
        One file, plain or gzipped; several with different runs, measures or topics; or a mapping from the names of runs
        to files of one run each, which then have these names instead of their own.

    Returns
    -------
    DataFrame
        ``run, query_id, measure, value``, which all statistics take. They also take the path of one such file.
    """
    if isinstance(paths, Mapping):
        values = [value for name, path in paths.items() for value in _named(name, _read(Path(path)))]
    else:
        given = [paths] if isinstance(paths, str | os.PathLike) else paths
        values = [value for path in given for value in _read(Path(path))]
    if not values:
        raise IrdivError(f"no file given; {_EXPECTED}.")
    seen: dict[tuple[str, str, str], _Value] = {}
    for value in values:
        if not FLOAT.accepts(value.value):
            raise IrdivError(
                f"{value.path}, line {value.line}: the value of {value.measure} for run {value.run!r} and topic "
                f"{value.query_id!r} is {value.value!r}, not {FLOAT.description}."
            )
        first = seen.setdefault(value[:3], value)
        if first is not value:
            place = f"line {first.line}" + (f" of {first.path}" if first.path != value.path else "")
            raise IrdivError(
                f"{value.path}, line {value.line}: a second value of {value.measure} for run {value.run!r} and topic "
                f"{value.query_id!r}; the first is in {place}. If these are different runs, give a mapping from "
                "names to files."
            )
    frame = pd.DataFrame([value[:4] for value in values], columns=list(EVALUATION_COLUMNS), dtype=str)
    return frame.astype({"value": float})


def _named(name: str, values: list[_Value]) -> list[_Value]:
    """Return the values of one run under another name."""
    runs = list(dict.fromkeys(value.run for value in values))
    if len(runs) > 1:
        raise IrdivError(
            f"{values[0].path}: expected one run, to be named {name!r}; found {examples(runs)}. "
            "Read the file by its path."
        )
    return [value._replace(run=str(name)) for value in values]


def _read(path: Path) -> list[_Value]:
    """Return the values in one file, without those of all topics."""
    file = _rows(path)
    if file.header is not None:
        values = _by_header(file, file.header)
    elif len(file.rows[0][1]) == 4:
        is_topic_last = any(cells[2] in _MEANS for _, cells in file.rows)
        order = (0, 2, 1, 3) if is_topic_last else (0, 1, 2, 3)
        values = (_value(path, line, [cells[i] for i in order]) for line, cells in file.rows)
    else:
        values = _of_one_run(file)
    found = [value for value in values if value.query_id not in _MEANS]
    if not found:
        raise IrdivError(f"{path}: there are only values of all topics together; expected a value for each topic.")
    return found


def _rows(path: Path) -> _Rows:
    """Return the rows of a file and its header, if it has one; all rows have as many cells."""
    lines = text_lines(path, "evaluation")
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise IrdivError(f"{path}: the evaluation file is empty; {_EXPECTED}.")
    # White space is tried before commas, which occur in the names of measures with parameters.
    for separator in ("\t", None, ",", ";"):
        cells = split_cells(first, separator)
        has_header = has_columns(cells, "evaluation", ("run", "query_id"))
        if has_header or _is_row(cells):
            break
    else:
        raise IrdivError(
            f"{path}, line {lines.index(first) + 1}: found {first.strip()[:80]!r}; {_EXPECTED}, with numbers as values."
        )
    if separator is None:
        rows = list(rows_with_line_numbers(lines, None))
    else:
        rows = list(csv_rows(path, lines, separator, "evaluation"))
    columns = rows[0][1]
    for line, cells in rows:
        if len(cells) != len(columns):
            found = f"{len(cells)} column{'s' if len(cells) != 1 else ''}"
            raise IrdivError(f"{path}, line {line}: found {found}; expected {len(columns)}, as in the first line.")
    if has_header and len(rows) == 1:
        raise IrdivError(f"{path}: the evaluation file has no rows below its header; {_EXPECTED}.")
    return _Rows(path, rows[1:], columns) if has_header else _Rows(path, rows, None)


def _is_row(cells: list[str]) -> bool:
    return len(cells) in (3, 4) and (FLOAT.accepts(cells[-1]) or cells[0] == _RUN_ID)


def _by_header(file: _Rows, header: list[str]) -> Iterator[_Value]:
    """Yield the values of a file with a row for each value, or with a column for each measure."""
    is_long = any(has_columns(header, "evaluation", (name,)) for name in ("measure", "value"))
    required = EVALUATION_COLUMNS if is_long else EVALUATION_COLUMNS[:2]
    try:
        names = find_columns(header, "evaluation", required)
    except IrdivError as error:
        raise IrdivError(f"{file.path}: {error}") from None
    measures = [name for name in header if name not in names.values()]
    if not is_long and not measures:
        raise IrdivError(f"{file.path}: the header {', '.join(header)} names no measure; {_EXPECTED}.")
    for line, row in file.rows:
        cells = dict(zip(header, row, strict=True))
        run, query_id = (cells[names[key]] for key in ("run", "query_id"))
        if is_long:
            yield _value(file.path, line, [run, query_id, cells[names["measure"]], cells[names["value"]]])
        else:
            yield from (_value(file.path, line, [run, query_id, measure, cells[measure]]) for measure in measures)


def _of_one_run(file: _Rows) -> Iterator[_Value]:
    """Yield the values of files with three columns; those of several runs may follow one another, as of trec_eval."""
    topic = next((column for column in (1, 0) if any(cells[column] in _MEANS for _, cells in file.rows)), None)
    if topic is None:
        raise IrdivError(
            f"{file.path}: with three columns, the one of topics is that with the word 'all', which none has. Add a "
            "header, or a line with the value of all topics."
        )
    pending: list[tuple[int, list[str]]] = []
    for line, cells in file.rows:
        if cells[1 - topic] == _RUN_ID:
            yield from _values_of_run(file.path, cells[2], topic, pending)
            pending = []
        else:
            pending.append((line, cells))
    yield from _values_of_run(file.path, run_name(file.path).removesuffix(".eval"), topic, pending)


def _values_of_run(path: Path, run: str, topic: int, rows: list[tuple[int, list[str]]]) -> Iterator[_Value]:
    return (_value(path, line, [run, cells[topic], cells[1 - topic], cells[2]]) for line, cells in rows)


def _value(path: Path, line: int, cells: list[str]) -> _Value:
    for name, cell in zip(EVALUATION_COLUMNS, cells, strict=True):
        if not cell:
            raise IrdivError(f"{path}, line {line}: the {name} is empty; {_EXPECTED}.")
    run, query_id, measure, value = cells
    return _Value(run, query_id, measure, value, path, line)
