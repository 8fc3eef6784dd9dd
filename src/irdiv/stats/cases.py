"""Selection of cases: topics on which a run is worst, and topics and pairs of runs on which measures disagree."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from irdiv.checks import Integer, Optional, choice, require
from irdiv.errors import IrdivError
from irdiv.io.tables import returns_callers_frame
from irdiv.measures.spec import MeasureLike, MeasuresLike, as_measure_list
from irdiv.stats.comparison import compare
from irdiv.stats.options import LEVEL, Rng, TestName, require_level, require_none
from irdiv.stats.scores import VALUE_TOLERANCE
from irdiv.stats.study import as_study, concat_collections
from irdiv.stats.table import EvaluationLike, StudyLike, Table, as_table
from irdiv.types import Bools, Floats

SignificantBy: TypeAlias = Literal["measure", "other", "both"]
"""By which of two measures a pair of runs differs significantly; for ``"both"``, in opposite directions."""


@returns_callers_frame
def worst_topics(
    evaluation: EvaluationLike,
    n: int = 5,
    *,
    measure: MeasureLike | None = None,
    run: str | None = None,
    baseline: str | None = None,
) -> pd.DataFrame:
    """Return the topics on which a run is worst, or loses most against a baseline.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns, or its tidy frame.
    n
        How many topics.
    measure
        One of its measures; by default the first.
    run
        The run; by default, on each topic, the one that is worst there.
    baseline
        A run to compare with: topics are those where the loss is largest, and there may be fewer than n with a loss.

    Returns
    -------
    DataFrame
        ``query_id, run, measure, value``, worst first, and with a baseline ``baseline_value, difference``, the value
        minus the baseline's.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    >>> irdiv.stats.worst_topics(evaluation, 2, run="diversified", baseline="relevance").round(3)
      query_id          run     measure  value  baseline_value  difference
    0        2  diversified  D#-nDCG@10  0.887           0.966      -0.079
    1        4  diversified  D#-nDCG@10  0.897           0.975      -0.077
    """
    require(Integer(1), n=n)
    table = as_table(evaluation)
    index = table.measure_index(table.only(measure).measures[0])
    values, direction = table.values[:, index], table.direction[index]
    candidates = _candidates(table, run, baseline)
    compared = values[candidates]
    reference = np.zeros(values.shape[1]) if baseline is None else values[table.run_index(baseline)]
    advantage = direction * (compared - reference)
    worst_run = advantage.argmin(axis=0)
    topics = np.arange(values.shape[1])
    of_topic = advantage[worst_run, topics]
    order = np.argsort(np.round(of_topic, 12), kind="stable")
    if baseline is not None:
        order = order[of_topic[order] < -VALUE_TOLERANCE]
    order = order[:n]
    value = compared[worst_run[order], order]
    frame = pd.DataFrame(
        {
            "query_id": [table.topics[topic] for topic in order],
            "run": [table.runs[candidates[i]] for i in worst_run[order]],
            "measure": table.measures[index],
            "value": value,
        }
    ).astype({"query_id": str, "run": str, "measure": str})
    if baseline is not None:
        frame = frame.assign(baseline_value=reference[order], difference=value - reference[order])
    return frame


def _candidates(table: Table, run: str | None, baseline: str | None) -> list[int]:
    """Return the indices of the runs that may be the worst."""
    base = None if baseline is None else table.run_index(baseline)
    if run is not None and run == baseline:
        raise IrdivError(f"{run!r} is the run and its own baseline; name another run.")
    candidates = [i for i in range(len(table.runs)) if i != base] if run is None else [table.run_index(run)]
    if not candidates:
        raise IrdivError("the only run is the baseline; evaluate another run to compare with it.")
    return candidates


@returns_callers_frame
def disagreements(
    evaluation: StudyLike,
    measure: MeasureLike,
    other: MeasureLike,
    *,
    n: int | None = 10,
    among: MeasuresLike | None = None,
    significant: SignificantBy | None = None,
    test: TestName | None = None,
    correction: str | None = None,
    level: float = LEVEL,
    rng: Rng = 0,
    n_resamples: int | None = None,
    plus_one: bool | None = None,
) -> pd.DataFrame:
    """Return topics and pairs of runs on which two measures prefer different runs.

    Cases like those of Sakai and Song (SIGIR 2011, table 6) are ``disagreements(evaluation, "D#-nDCG@10",
    "alpha-nDCG@10", n=5, significant="measure", among=["D#-nDCG@10", "alpha-nDCG@10", "nDCG-IA@10"])``, and the same
    with ``significant="other"``.

    Parameters
    ----------
    evaluation
        What `irdiv.evaluate` returns for several runs, its tidy frame, or a mapping from the name of a collection to
        such.
    measure, other
        Two measures of the evaluation.
    n
        How many cases; None for all.
    among
        Measures of which two must disagree on a case, instead of the two given.
    significant
        Only pairs of runs that differ significantly over all topics: ``"measure"`` by the first measure but not by the
        other, ``"other"`` by the other but not by the first, ``"both"`` by both in opposite directions. By default all
        pairs, without a test.
    test, correction, n_resamples, plus_one
        As in `irdiv.stats.compare`, by default the bootstrap test; only with ``significant``.
    rng
        A seed or a generator of the test; each collection has the samples that it has alone.
    level
        The significance level.

    Returns
    -------
    DataFrame
        ``query_id, run, other``, then ``p, other_p`` of the pair of runs if there was a test, then a column for each
        measure with the difference on the topic, run minus other. The run is the one that the first measure prefers.
        Cases are ordered by the difference of the measure that is significant; without a test, or for ``"both"``, by
        the smaller of the two opposite differences. With a mapping, the first column is ``collection``.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), ["I-rec@10", "D-nDCG@10"])
    >>> irdiv.stats.disagreements(evaluation, "I-rec@10", "D-nDCG@10", n=2).round(3)
      query_id          run      other  I-rec@10  D-nDCG@10
    0        6   one-intent     spammy      0.40     -0.256
    1        7  diversified  relevance      0.25     -0.300
    """
    require(Optional(Integer(1)), n=n)
    require(Optional(choice(*get_args(SignificantBy))), significant=significant)
    require(Optional(choice(*get_args(TestName))), test=test)
    require_level(level)
    if significant is None:
        require_none("significant=", test=test, correction=correction, n_resamples=n_resamples, plus_one=plus_one)

    def cases(table: Table, own_rng: Rng) -> pd.DataFrame:
        table = _without_repetitions(table)
        z = np.stack([z for _, z in table.differences(table.pairs())])
        p = None
        if significant is not None:
            p = _pair_p(table, test or "bootstrap", correction, own_rng, n_resamples, plus_one)
        return _cases(table, z, p, significant, level)

    study = as_study(evaluation, [measure, other, *as_measure_list(among or ())])
    parts = study.analyze(cases, rng)
    frame = parts[0] if study.names is None else concat_collections(dict(zip(study.names, parts, strict=True)))
    order = np.argsort(-frame["size"].to_numpy().round(12), kind="stable")[:n]
    return frame.drop(columns="size").iloc[order].reset_index(drop=True)


def _pair_p(
    table: Table, test: TestName, correction: str | None, rng: Rng, n_resamples: int | None, plus_one: bool | None
) -> Floats:
    """Return p of all pairs by the first two measures, ``[measure, pair]``."""
    tests = compare(
        table,
        measures=table.measures[:2],
        test=test,
        correction=correction,
        rng=rng,
        n_resamples=n_resamples,
        plus_one=plus_one,
        interval="t",
    )
    return tests["p_adjusted"].to_numpy().reshape(2, -1)


def _without_repetitions(table: Table) -> Table:
    """Return the table with each measure once; it is an error if the first two are the same."""
    if table.measures[0] == table.measures[1]:
        raise IrdivError(f"{table.measures[0]} does not disagree with itself; give two measures.")
    return table.choose(dict.fromkeys(table.measures))


def _cases(table: Table, z: Floats, p: Floats | None, significant: SignificantBy | None, level: float) -> pd.DataFrame:
    """Return all cases of differences ``[measure, pair, topic]`` with their size."""
    advantage = z * table.direction[:, None, None]
    advantage = np.where(np.abs(advantage) <= VALUE_TOLERANCE, 0.0, advantage)
    opposite = np.minimum(advantage.max(axis=0), -advantage.min(axis=0))
    is_case = opposite > 0
    if p is not None:
        is_case &= _selected_pairs(p < level, advantage[:2].mean(axis=2), significant)[:, None]
    by = {"measure": 0, "other": 1}.get(significant or "")
    size = opposite if by is None else np.abs(advantage[by])
    pair, topic = np.nonzero(is_case)
    of_case = advantage[:, pair, topic]
    # The first measure may be undecided where it is compared among others.
    preferred = np.take_along_axis(of_case, (of_case != 0).argmax(axis=0)[None], axis=0)[0] > 0
    pairs = np.array(table.pairs())[pair]
    pairs = np.where(preferred[:, None], pairs, pairs[:, ::-1])
    names = np.array(table.runs, dtype=object)
    columns: dict[str, object] = {
        "query_id": np.array(table.topics, dtype=object)[topic],
        "run": names[pairs[:, 0]],
        "other": names[pairs[:, 1]],
    }
    if p is not None:
        columns |= {"p": p[0, pair], "other_p": p[1, pair]}
    columns |= dict(zip(table.measures, np.where(preferred, 1.0, -1.0) * z[:, pair, topic], strict=True))
    return pd.DataFrame({**columns, "size": size[pair, topic]}).astype(dict.fromkeys(("query_id", "run", "other"), str))


def _selected_pairs(differ: Bools, mean: Floats, significant: SignificantBy | None) -> Bools:
    """Return which pairs are significant as requested, from significance and mean advantage ``[measure, pair]``."""
    if significant == "both":
        conflict: Bools = differ.all(axis=0) & (mean[0] * mean[1] < 0)
        return conflict
    one, two = differ if significant == "measure" else differ[::-1]
    return one & ~two
