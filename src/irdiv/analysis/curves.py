"""Values of measures as curves: by rank, and by a parameter of the measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import ir_measures
import numpy as np
import pandas as pd

from irdiv.core.collection import Collection
from irdiv.core.run_checks import RunsLike, order_checked_runs
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties
from irdiv.errors import IrdivError
from irdiv.io.tables import QrelsLike, returns_callers_frame
from irdiv.measures.measure import Measure
from irdiv.measures.scoring import score, uses_judged_only
from irdiv.measures.spec import MeasureLike, MeasuresLike, irdiv_equivalent, parse, parse_several
from irdiv.types import Floats

TENTHS = tuple(tenth / 10 for tenth in range(11))
"""The values of a parameter for which a measure is computed by default."""
_MOST_RANKS = 10_000
"""A measure is computed at each of them."""
_KEY_COLUMNS = ("run", "query_id", "measure", "value")


@returns_callers_frame
def values_by_rank(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return the values of measures at each rank down to their cutoffs, for each run and topic.

    The value at rank k is that of the measure with the cutoff k: of nDCG@20 at rank 3, it is nDCG@3.

    Parameters
    ----------
    qrels
        In any form that `irdiv.evaluate` takes.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    measures
        Measures with cutoffs up to 10,000, which are the last ranks: ``["CG@20", "DCG@20", "nDCG@20"]``.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``run, query_id, measure, rank, value``; the measure is named without its cutoff. `irdiv.stats.mean_curves`
        returns the means over topics, and `irdiv.plots.rank_curves` plots them.

    Examples
    --------
    >>> import pandas as pd
    >>> from irdiv import analysis
    >>> rows = [("85", "2", "a", 1), ("85", "4", "a", 1), ("85", "2", "b", 1), ("85", "1", "e", 1)]
    >>> qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    >>> analysis.values_by_rank(qrels, {"85": {"b": 3.0, "x": 2.0, "a": 1.0}}, "I-rec@3")
       run query_id measure  rank     value
    0  run       85   I-rec     1  0.333333
    1  run       85   I-rec     2  0.333333
    2  run       85   I-rec     3  0.666667
    """
    curves = [(measure, last_rank(measure)) for measure in parse_several(measures)]
    at_ranks = [[_scored_measure(measure, rank) for rank in range(1, last + 1)] for measure, last in curves]
    ranks = [np.arange(1, last + 1) for _, last in curves]
    names = [_without_cutoff(measure) for measure, _ in curves]
    return _curves(qrels, runs, names, at_ranks, "rank", ranks, ties, duplicates)


@returns_callers_frame
def values_by_parameter(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    measure: MeasureLike = "alpha-nDCG@10",
    parameter: str = "alpha",
    values: Iterable[float] = TENTHS,
    *,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return the values of a measure for values of one of its parameters, for each run and topic.

    Parameters
    ----------
    qrels
        In any form that `irdiv.evaluate` takes.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    measure
        A measure of irdiv.
    parameter
        The name of a parameter of the measure that is a number: ``"alpha"`` of α-nDCG, ``"gamma"`` of D#-nDCG, ….
    values
        The values of the parameter, by default 0, 0.1, … 1.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``run, query_id, measure, alpha, value``, with the name of the parameter for ``alpha``.
        `irdiv.stats.mean_curves` returns the means over topics, and `irdiv.plots.parameter_curves` plots them.
    """
    parsed = parse(measure)
    if parameter == "cutoff":
        raise IrdivError("'cutoff' is not a parameter here; values_by_rank returns values at each rank.")
    if parameter in _KEY_COLUMNS:
        raise IrdivError(f"{parsed} has no parameter {parameter!r}.")
    chosen = _numbers(values)
    with_values = [_scored_measure(parsed, None, **{parameter: value}) for value in chosen]
    declared = with_values[0].declaration.by_name[parameter]
    if not declared.has_effect(with_values[0].parameter_values()):
        raise IrdivError(f"{parameter!r} has no effect on {parsed}; it counts only with {declared.condition}.")
    # The spec shows no parameter that has its default.
    name = str(with_values[0](**{parameter: declared.default}))
    return _curves(qrels, runs, [name], [with_values], parameter, [np.array(chosen)], ties, duplicates)


def seen_depth(measures: MeasuresLike) -> int | None:
    """Return how many documents of a run measures see, None for all."""
    depths: list[int | None] = []
    for measure in parse_several(measures):
        scored = _scored_measure(measure, None)
        depths.append(None if uses_judged_only(scored) else scored.cutoff)
    return None if None in depths else max(depth for depth in depths if depth is not None)


def _numbers(values: object) -> list[float]:
    chosen = list(values) if isinstance(values, Iterable) else []
    if not chosen or not all(isinstance(value, int | float | np.number) for value in chosen):
        raise IrdivError(f"values={values!r} is not a sequence of numbers, such as [0, 0.5, 1].")
    if len(set(chosen)) < len(chosen):
        raise IrdivError(f"values={chosen!r} has a number twice.")
    return chosen


def last_rank(measure: ir_measures.Measure) -> int:
    """Return the last rank of the curve of a measure, its cutoff."""
    last: int | None = measure.params.get("cutoff")
    if not _scored_measure(measure, None).declaration.takes_cutoff:
        raise IrdivError(f"{measure} takes no cutoff and has no value at each rank.")
    if last is None:
        raise IrdivError(f"{measure} has no cutoff, which is the last rank of its curve; give one, as in {measure}@20.")
    if last > _MOST_RANKS:
        raise IrdivError(f"the curve of {measure} has too many ranks; give a cutoff up to {_MOST_RANKS:,}.")
    return last


def _scored_measure(measure: ir_measures.Measure, cutoff: int | None, **params: object) -> Measure:
    """Return the measure of irdiv that computes a measure, with another cutoff and other parameters if given."""
    own = measure if isinstance(measure, Measure) else irdiv_equivalent(measure)
    if own is None:
        raise IrdivError(f"{measure} is computed by ir_measures; curves are of measures of irdiv, as D#-nDCG@20.")
    return own(**params) if cutoff is None else own(**params, cutoff=cutoff)


def _without_cutoff(measure: ir_measures.Measure) -> str:
    return str(measure).removesuffix(f"@{measure.params['cutoff']}")


def _curves(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    names: Sequence[str],
    curves: Sequence[Sequence[Measure]],
    x_name: str,
    x_values: Sequence[np.ndarray],
    ties: Ties,
    duplicates: Duplicates,
) -> pd.DataFrame:
    """Return values of some curves, each given by the measures at its points, as a tidy frame."""
    collection = Collection.of(qrels)
    topics, parts = collection.topics, []
    at_points = [measure for curve in curves for measure in curve]
    edges = np.cumsum([0, *map(len, curves)])
    for run_name, run in order_checked_runs(
        collection, runs, ties=ties, duplicates=duplicates, depth=seen_depth(at_points)
    ):
        values: Floats = score(run, at_points)[0]
        for name, x, start, stop in zip(names, x_values, edges[:-1], edges[1:], strict=True):
            parts.append(
                pd.DataFrame(
                    {
                        "run": run_name,
                        "query_id": np.repeat(topics, len(x)),
                        "measure": name,
                        x_name: np.tile(x, len(topics)),
                        "value": values[start:stop].T.ravel(),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)
