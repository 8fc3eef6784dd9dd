"""Curves of runs: means over topics, with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from irdiv.checks import require
from irdiv.errors import IrdivError, examples
from irdiv.io.tables import as_frame, returns_callers_frame
from irdiv.stats.intervals import confidence_intervals
from irdiv.stats.options import CONFIDENCE_LEVEL, N_RESAMPLES, SAMPLE_COUNT, IntervalName, Rng
from irdiv.stats.resampling import bootstrap_counts
from irdiv.types import Floats

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_VALUES = ("value", "precision")


class CurveColumns(NamedTuple):
    """The names of the columns of a frame of curves."""

    x: str
    value: str
    has_measure: bool
    """Whether there are curves of several measures, in a column ``measure``."""

    @property
    def keys(self) -> list[str]:
        """The columns that identify a curve."""
        return ["run", "measure"] if self.has_measure else ["run"]


def curve_columns(columns: list[str]) -> CurveColumns:
    """Return which columns are which: ``run, query_id``, sometimes ``measure``, a value, and what it depends on."""
    value = [name for name in columns if name in _VALUES]
    x = [name for name in columns if name not in ("run", "query_id", "measure", *_VALUES)]
    if not {"run", "query_id"} <= set(columns) or len(value) != 1 or len(x) != 1:
        raise IrdivError(
            "curves are what values_by_rank, values_by_parameter and interpolated_precision of irdiv.analysis return, "
            f"frames with columns such as run, query_id, rank and value; found {examples(columns, 9)}."
        )
    return CurveColumns(x[0], value[0], "measure" in columns)


@returns_callers_frame
def mean_curves(
    curves: IntoDataFrame,
    *,
    interval: IntervalName | None = "bca",
    confidence_level: float = CONFIDENCE_LEVEL,
    rng: Rng = 0,
    n_resamples: int = N_RESAMPLES,
) -> pd.DataFrame:
    """Return the mean of curves over topics, with confidence intervals.

    Parameters
    ----------
    curves
        What `irdiv.analysis.values_by_rank`, `values_by_parameter` or `interpolated_precision` returns.
    interval
        The interval of the mean at each point, as in `irdiv.stats.compare`; None for no intervals.
    confidence_level, rng, n_resamples
        As in `irdiv.stats.compare`.

    Returns
    -------
    DataFrame
        A row for each point: ``run``, ``measure`` if the curves have it, ``rank``, ``recall`` or the parameter, then
        ``mean, low, high``. Curves and points are in the order of the given frame. On a single topic, low and high are
        the mean.
    """
    require(SAMPLE_COUNT, n_resamples=n_resamples)
    frame = as_frame(curves, "curves", ("run", "query_id", "value")).to_pandas()
    columns = curve_columns(list(frame.columns))
    table = _values_by_topic(frame, columns)
    values = table.to_numpy()
    means = table.index.to_frame(index=False).assign(mean=values.mean(axis=1))
    if interval is None:
        return means
    low, high = _intervals(values, interval, confidence_level, rng, n_resamples).T
    return means.assign(low=low, high=high)


def _values_by_topic(frame: pd.DataFrame, columns: CurveColumns) -> pd.DataFrame:
    """Return a row for each point of each curve and a column for each topic."""
    points = [*columns.keys, columns.x]
    if not len(frame):
        raise IrdivError("the curves have no rows.")
    repeated = frame[frame.duplicated([*points, "query_id"])]
    if len(repeated):
        raise IrdivError(f"the curves have two values for {_described(repeated, [*points, 'query_id'])}.")
    table = frame.pivot_table(columns.value, points, "query_id", aggfunc="first", sort=False, observed=True)
    missing = table.melt(ignore_index=False, var_name="query_id").reset_index().query("value.isna()")
    if len(missing):
        raise IrdivError(
            f"the curves lack {len(missing)} of {table.size} values, such as that for "
            f"{_described(missing, [*points, 'query_id'])}. Every curve needs a value for every topic at each point."
        )
    return table


def _described(rows: pd.DataFrame, columns: list[str]) -> str:
    """Return what a frame's first row is for."""
    return ", ".join(f"{name} {value!r}" for name, value in rows[columns].iloc[0].to_dict().items())


def _intervals(z: Floats, interval: IntervalName, confidence_level: float, rng: Rng, n_resamples: int) -> Floats:
    n_topics = z.shape[1]
    if n_topics == 1:
        return np.repeat(z, 2, axis=1)
    return confidence_intervals(z, bootstrap_counts(n_topics, n_resamples, rng), interval, confidence_level)
