"""Labels of assignments as credits: 1 for full support, 0 for none."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw
import numpy as np
import pandas as pd

from irdiv.errors import IrdivError, examples
from irdiv.io.ids import Column, as_strings
from irdiv.io.values import float_values
from irdiv.types import Floats

CREDITS = {
    "support": 1.0,
    "partial_support": 0.5,
    "not_support": 0.0,
    "Satisfied": 1.0,
    "Partially Satisfied": 0.5,
    "Not Satisfied": 0.0,
}
"""The credit of each label of nuggetizer and of ResearchRubrics."""


def credits_of(column: Column, labels: Mapping[str, str] | None) -> tuple[Floats, dict[str, int]]:
    """Return the credit of each assignment, and how often each unknown label occurs, whose credit is 0.

    Parameters
    ----------
    column
        Labels, booleans, or numbers from 0 to 1.
    labels
        Which known labels other labels mean.
    """
    known = {**CREDITS, **_credits_of_labels(labels or {})}
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        if labels is not None:
            raise IrdivError(f"labels={dict(labels)!r}, but column {column.name!r} of the assignments holds numbers.")
        return _numbers(column), {}
    names = pd.Series(as_strings(column).to_pandas(), dtype=object).fillna("")
    credit = names.map(known)
    unknown = names[credit.isna()].value_counts()
    if len(names) == unknown.sum():
        raise IrdivError(
            f"column {column.name!r} of the assignments has no known label: found {examples(unknown.index)}, expected "
            f"{examples(CREDITS, len(CREDITS))}, or numbers from 0 to 1. State what others mean by "
            "labels={'yes': 'support', 'no': 'not_support'}."
        )
    counts = {str(label): int(count) for label, count in unknown.items()}
    return np.asarray(credit.fillna(0.0), dtype=np.float64), counts


def _credits_of_labels(labels: Mapping[str, str]) -> dict[str, float]:
    for label, meaning in labels.items():
        # Numbers are not accepted: 1 is partial support as a grade, and full support as a share.
        if meaning not in CREDITS:
            known = examples(CREDITS, len(CREDITS))
            raise IrdivError(f"labels={{{label!r}: {meaning!r}}} maps to an unknown label; expected one of {known}.")
    return {str(label): CREDITS[meaning] for label, meaning in labels.items()}


def _numbers(column: Column) -> Floats:
    numbers = float_values(column.cast(nw.Float64()) if column.dtype == nw.Boolean else column, "assignments")
    outside = (numbers < 0) | (numbers > 1)
    if outside.any():
        found = examples(dict.fromkeys(numbers[outside].tolist()))
        raise IrdivError(
            f"column {column.name!r} of the assignments holds {found}; numbers there are shares of support from 0 "
            "to 1: divide grades by the highest one."
        )
    return numbers
