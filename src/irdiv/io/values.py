"""The values of a column, checked and converted to one dtype."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow.compute as pc

from irdiv.errors import IrdivError, examples, short, warn
from irdiv.io.columns import ADHOC_ITERATIONS
from irdiv.io.ids import FIRST_ROUNDED, Column, Ids, as_strings
from irdiv.types import Bools, Floats, Ints, Objects

MAX_GRADE = 100_000
"""Grades index tables of gains; a larger value is not a grade."""
MAX_PROBABILITY = 1e100
"""The sum of larger weights may exceed all floats."""
_LABELS_REMEDY = (
    " Text labels become grades by irdiv.rag.read_nuggets(frame), those that it does not know by "
    "labels={'label': grade}."
)


def integer_grades(column: Column) -> Ints:
    """Return grades as integers; values that are not grades are errors."""
    values = column.to_numpy()
    if values.dtype.kind != "i":
        values = float_values(column, "qrels")
    extreme = max(int(values.max(initial=0)), int(values.min(initial=0)), key=abs)
    if abs(extreme) > MAX_GRADE:
        raise IrdivError(
            f"grades are levels of a scale, but column {column.name!r} holds {extreme}; "
            f"map them to levels up to {MAX_GRADE} first."
        )
    grades: Ints = values.astype(np.int64)
    if values.dtype.kind == "f" and (values != grades).any():
        raise IrdivError(
            f"grades are whole numbers, but column {column.name!r} holds "
            f"{examples(values[values != grades].tolist())}; "
            "map the grades to integers first, or give gains by the parameter gain={grade: gain}."
        )
    return grades


def tops_of_scale(grade: Ints, grades_below_max: Floats) -> tuple[float, float]:
    """Return the lowest and the highest sum of a grade and its distance from the highest, which may be missing.

    They are equal unless grades were changed since; grades below 0 count as 0, which many programs make of them.
    """
    tops = np.maximum(grade, 0) + grades_below_max
    tops = tops[~np.isnan(tops)]
    return float(tops.min(initial=np.inf)), float(tops.max(initial=-np.inf))


def max_grade_of_tops(lowest: float, highest: float) -> int:
    """Return the highest grade of a scale from what `tops_of_scale` returned; 0, with a warning, if they differ."""
    if lowest < highest:
        warn(
            "grades were changed after the column 'grades_below_max' stated their scale, so ERR takes the highest "
            "grade that is left; drop the column, and state the scale, as in ERR-IA(max_grade=4)@10, if it is higher."
        )
    return int(highest) if lowest == highest else 0


def float_values(column: Column, role: str, *, allow_missing: bool = False) -> Floats:
    """Return numbers as floats, missing ones as NaN; values that are not finite numbers are errors."""
    try:
        is_numeric = column.dtype.is_numeric() and column.dtype != nw.Decimal
        values = np.asarray((column if is_numeric else column.cast(nw.Float64())).to_numpy(), dtype=np.float64)
    except Exception as error:  # each frame library has its own
        found = list(dict.fromkeys(map(short, column.head(9).to_list())))
        raise IrdivError(
            f"column {column.name!r} of the {role} must hold numbers, found {', '.join(found[:3])}"
            f"{', …' if len(found) > 3 else ''}."
            f"{_LABELS_REMEDY if role == 'qrels' else ''}"
        ) from error
    bad = np.isinf(values) if allow_missing else ~np.isfinite(values)
    if bad.any():
        raise IrdivError(
            f"column {column.name!r} of the {role} must hold finite numbers, found "
            f"{values[bad][0]} in row {np.flatnonzero(bad)[0]} ({int(bad.sum())} such rows); drop or correct them."
        )
    return values


def order_values(column: Column, role: str) -> Floats:
    """Return scores or ranks as floats; integers and decimals that no float holds are errors."""
    values = float_values(column, role)
    if column.dtype.is_float():
        return values
    if column.dtype not in (nw.Decimal, nw.Object):
        is_large = np.abs(values) >= FIRST_ROUNDED
        column = column.filter(is_large.tolist()) if is_large.any() else column.head(0)
    rounded = next((value for value in column.to_list() if _is_rounded(value)), None)
    if rounded is not None:
        raise IrdivError(
            f"column {column.name!r} of the {role} holds {short(rounded)}, which a 64-bit float cannot hold: rounding "
            "may make documents equal that are not. Give ranks from 1, or scores of fewer digits."
        )
    return values


def _is_rounded(value: Any) -> bool:
    if isinstance(value, Decimal):
        nearest = float(value)
        # the shortest decimal that is read as this float stands for it
        return value not in (Decimal(nearest), Decimal(repr(nearest)))
    if isinstance(value, str):
        is_integer = value.strip().lstrip("+-").isdecimal()
    else:
        is_integer = not isinstance(value, float) and value == int(value)
    return is_integer and int(value) != int(float(value))


def raise_if_fractional(column: Column, role: str) -> None:
    """Raise an error for ids whose spelling would depend on which rows there are: 1.0 is "1", but "1.0" next to 2.5."""
    if not column.dtype.is_float():
        return
    values = column.drop_nulls().to_numpy()
    fractions = values[values != np.rint(values)]
    if len(fractions):
        raise IrdivError(
            f"column {column.name!r} of the {role} has numbers with fractions as ids, such as {fractions[0]}; "
            "make them strings."
        )


def floats_or_none(column: Column) -> Floats | None:
    """Return numbers as floats, missing ones as NaN, or None for a column with anything else."""
    try:
        return float_values(column, "run", allow_missing=True)
    except IrdivError:
        return None


def check_probabilities(column: Column) -> None:
    """Raise an error if some probability is not a number or is below 0 or too large; missing ones are allowed."""
    values = float_values(column, "intents", allow_missing=True)
    if (values < 0).any():
        raise IrdivError(
            f"column {column.name!r} of the intents holds {values[values < 0][0]}; give 0 or more. Negative weights of "
            "rubrics are penalties for answers, not probabilities: leave their rows out."
        )
    if (values > MAX_PROBABILITY).any():
        raise IrdivError(
            f"column {column.name!r} of the intents holds {values[values > MAX_PROBABILITY][0]}; give probabilities or "
            f"weights up to {MAX_PROBABILITY:g}."
        )


def strings_or_none(column: Column) -> Objects:
    """Return values as strings, and missing ones as None."""
    return np.asarray(as_strings(column), dtype=object)


def ids_or_none(column: Column) -> Objects:
    """Return ids as strings, and missing or empty ones as None."""
    strings = as_strings(column)
    return np.asarray(pc.if_else(pc.equal(strings, ""), None, strings), dtype=object)


def is_given(column: Column) -> Bools:
    """Return which values are not missing."""
    missing = np.asarray(column.is_null().to_numpy(), dtype=bool)
    if column.dtype.is_float():
        missing = missing | np.isnan(np.asarray(column.to_numpy(), dtype=np.float64))
    return ~missing


def are_adhoc_iterations(iterations: Ids) -> bool:
    """Return whether distinct iterations are all those of ad hoc qrels, which are not intents."""
    return 0 < len(iterations) <= len(ADHOC_ITERATIONS) and set(iterations.to_pylist()) <= set(ADHOC_ITERATIONS)
