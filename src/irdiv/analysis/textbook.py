"""Evaluation of a ranked list as in textbooks: curves over recall and rank, and counts.

Documents have their highest grade over intents. The references are to Baeza-Yates and Ribeiro-Neto, Modern Information
Retrieval, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, overload

import numpy as np
import pandas as pd

from irdiv.checks import Gain, Integer, Number, choice, require
from irdiv.core.block import JudgedTopics
from irdiv.core.collection import Collection
from irdiv.core.run_checks import RunsLike, order_checked_run, order_checked_runs
from irdiv.core.runs import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Runs, Ties
from irdiv.io.tables import FrameT, FrameT_co, QrelsLike, RunLike, common_backend, from_pandas, returns_callers_frame
from irdiv.kernels.lists import jarvelin_kekalainen_discount, safe_divide
from irdiv.measures.base import gain_table
from irdiv.types import Floats, Ints, Objects

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

STANDARD_LEVELS = 11
"""How many standard recall levels there are: 0, 0.1, … 1."""
_MOST_LEVELS = 10_001


class _GradedHits(NamedTuple):
    """The relevant documents of a run's lists for a block of topics, as ``[topic, hit]``."""

    judged: JudgedTopics
    rank: Ints
    grade: Ints
    length: Ints
    """How many documents each list has, relevant or not."""

    @property
    def topics(self) -> Objects:
        return self.judged.collection.topics[self.judged.start : self.judged.stop]

    @property
    def judged_grades(self) -> Ints:
        """The grades of all relevant documents, in the list or not, as ``[topic, document]``."""
        return self.judged.grades[self.judged.relevant_rows].max(axis=2)


def _graded_hits(run: Runs) -> Iterator[_GradedHits]:
    for _, block in run.blocks():
        yield _GradedHits(block.topics, block.rank, block.grades.max(axis=1), block.length)


@returns_callers_frame
def interpolated_precision(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    *,
    levels: int = STANDARD_LEVELS,
    rel: int = 1,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return interpolated precision at standard recall levels, for each run and topic.

    P(r_j) is the highest precision at any recall of r_j or more, as in trec_eval, which however accepts 2 of 3
    documents as a recall of 0.7 by a rounding error. `irdiv.stats.mean_curves` returns the means over topics, and
    `irdiv.plots.precision_recall` plots them.

    Parameters
    ----------
    qrels
        In any form that `irdiv.evaluate` takes.
    runs
        One run in any form that `irdiv.evaluate` takes, or a mapping from name to run.
    levels
        How many levels of recall from 0 to 1: the 11 standard ones, or 101 for a finer curve, and up to 10,001.
    rel
        The smallest relevant grade.
    ties, duplicates
        As of `irdiv.evaluate`.

    Returns
    -------
    DataFrame
        ``run, query_id, recall, precision``.
    """
    require(Integer(1), rel=rel)
    recall = np.arange(require(Integer(2, _MOST_LEVELS), levels=levels)) / (levels - 1)
    collection, parts = Collection.of(qrels), []
    for name, run in order_checked_runs(collection, runs, ties=ties, duplicates=duplicates):
        for hits in _graded_hits(run):
            relevant = hits.grade >= rel
            found: Ints = np.cumsum(relevant, axis=1)
            precision = np.where(relevant, found / hits.rank, 0.0)
            R = np.count_nonzero(hits.judged_grades >= rel, axis=1)
            parts.append(
                pd.DataFrame(
                    {
                        "run": name,
                        "query_id": np.repeat(hits.topics, levels),
                        "recall": np.tile(recall, len(R)),
                        "precision": _best_precision(precision, found, np.ceil(recall * R[:, None] - 1e-9)).ravel(),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _best_precision(precision: Floats, found: Ints, needed: Floats) -> Floats:
    """Return the highest precision at any hit with as many documents found as needed, ``[topic, level]``.

    ``precision`` and ``found`` are ``[topic, hit]``; a topic in which not enough are found has 0.
    """
    # The highest precision from each hit on, and 0 after the last hit.
    from_here = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    from_here = np.pad(from_here, ((0, 0), (0, 1)))
    first = np.array([np.searchsorted(f, n) for f, n in zip(found, needed, strict=True)])
    return np.take_along_axis(from_here, first, axis=1)


@dataclass(frozen=True)
class GainVectors(Generic[FrameT_co]):
    """Cumulated gain by rank, of each topic and in the mean."""

    topics: FrameT_co
    """``query_id, rank, gain, cg, dcg, ideal_cg, ideal_dcg``."""
    means: FrameT_co
    """``rank, cg, dcg, ideal_cg, ideal_dcg``, means over topics; ``ncg, ndcg``, ratios of these means; and ``mean_ncg,
    mean_ndcg``, means of the topics' ratios."""


@overload
def gain_vectors(  # type: ignore[overload-overlap]
    qrels: FrameT,
    run: RunLike,
    *,
    cutoff: int = ...,
    b: float = ...,
    gain: str | Mapping[int, float] = ...,
    ideal: Literal["judged", "retrieved"] = ...,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
) -> GainVectors[FrameT]: ...
@overload
def gain_vectors(
    qrels: Collection,
    run: RunLike,
    *,
    cutoff: int = ...,
    b: float = ...,
    gain: str | Mapping[int, float] = ...,
    ideal: Literal["judged", "retrieved"] = ...,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
) -> GainVectors[Any]: ...
@overload
def gain_vectors(
    qrels: QrelsLike,
    run: RunLike,
    *,
    cutoff: int = ...,
    b: float = ...,
    gain: str | Mapping[int, float] = ...,
    ideal: Literal["judged", "retrieved"] = ...,
    ties: Ties = ...,
    duplicates: Duplicates = ...,
) -> GainVectors[pd.DataFrame]: ...
def gain_vectors(
    qrels: QrelsLike | Collection,
    run: RunLike,
    *,
    cutoff: int = 15,
    b: float = 2.0,
    gain: str | Mapping[int, float] = "linear",
    ideal: Literal["judged", "retrieved"] = "judged",
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> GainVectors[IntoDataFrame]:
    """Return the vectors of gain, CG and DCG by rank, and those of the ideal list.

    Parameters
    ----------
    qrels, run
        In any form that `irdiv.evaluate` takes.
    cutoff
        The last rank.
    b
        The base of the discount: none below rank b, 1/log_b r from there.
    gain
        ``"linear"``, ``"exp"``, or a mapping from grade to gain.
    ideal
        ``"judged"`` for all relevant documents by gain, or ``"retrieved"`` for those of the list itself, sorted, as in
        the textbook's example.
    ties, duplicates
        As of `irdiv.evaluate`.
    """
    require(Integer(1), cutoff=cutoff)
    require(choice("judged", "retrieved"), ideal=ideal)
    collection = Collection.of(qrels)
    gain_of_grade = gain_table(require(Gain(), gain=gain), collection.positive_grades)
    base = require(Number(1, 1e6, open_low=True), b=b)
    discount = jarvelin_kekalainen_discount(cutoff, base)[1 : cutoff + 1]
    gains, ideal_gains = [], []
    for hits in _graded_hits(order_checked_run(collection, run, ties=ties, duplicates=duplicates)):
        G = np.zeros((len(hits.rank), cutoff))
        topic, hit = np.nonzero((hits.rank <= cutoff) & (hits.grade > 0))
        G[topic, hits.rank[topic, hit] - 1] = gain_of_grade[hits.grade[topic, hit]]
        gains.append(G)
        ideal_gains.append(_sorted_gains(G if ideal == "retrieved" else gain_of_grade[hits.judged_grades], cutoff))
    G, IG = np.concatenate(gains), np.concatenate(ideal_gains)
    curves = {
        "cg": np.cumsum(G, axis=1),
        "dcg": np.cumsum(G * discount, axis=1),
        "ideal_cg": np.cumsum(IG, axis=1),
        "ideal_dcg": np.cumsum(IG * discount, axis=1),
    }
    ranks = np.arange(1, cutoff + 1)
    rows = {"query_id": np.repeat(collection.topics, cutoff), "rank": np.tile(ranks, len(G)), "gain": G.ravel()}
    topics = pd.DataFrame({**rows, **{name: curve.ravel() for name, curve in curves.items()}})
    means = pd.DataFrame({"rank": ranks, **{name: curve.mean(axis=0) for name, curve in curves.items()}})
    for name in ("cg", "dcg"):
        means[f"n{name}"] = safe_divide(means[name].to_numpy(), means[f"ideal_{name}"].to_numpy())
        means[f"mean_n{name}"] = safe_divide(curves[name], curves[f"ideal_{name}"]).mean(axis=0)
    backend = common_backend(qrels)
    return GainVectors(from_pandas(topics, backend), from_pandas(means, backend))


def _sorted_gains(gain: Floats, length: int) -> Floats:
    """Return the gains of each row in falling order, cut or filled with zeros to a length."""
    falling = -np.sort(-gain, axis=1)[:, :length]
    return np.pad(falling, ((0, 0), (0, length - falling.shape[1])))


@returns_callers_frame
def retrieval_counts(
    qrels: QrelsLike | Collection,
    runs: RunsLike,
    *,
    rel: int = 1,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
) -> pd.DataFrame:
    """Return counts over topics, as trec_eval prints them: ``run, topics, retrieved, relevant_retrieved, relevant``.

    Topics are those of the qrels; those of a run without judgments are not counted. ``ties`` and ``duplicates`` are as
    of `irdiv.evaluate`.
    """
    require(Integer(1), rel=rel)
    collection, rows = Collection.of(qrels), []
    for name, run in order_checked_runs(collection, runs, ties=ties, duplicates=duplicates):
        blocks = list(_graded_hits(run))
        rows.append(
            (
                name,
                len(collection.topics),
                sum(int(hits.length.sum()) for hits in blocks),
                sum(int(np.count_nonzero(hits.grade >= rel)) for hits in blocks),
                sum(int(np.count_nonzero(hits.judged_grades >= rel)) for hits in blocks),
            )
        )
    return pd.DataFrame(rows, columns=["run", "topics", "retrieved", "relevant_retrieved", "relevant"])
