"""Correlations of two sets of measures over topics, or over runs, on many samples of the topics at once.

Samples are rows of counts, as in `irdiv.stats.resampling`; a row of ones is the topics themselves. A correlation with
constant values is not defined, and NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from irdiv.progress import progress_slices
from irdiv.stats.rank_correlation import correlation_function
from irdiv.stats.resampling import Counts, sample_means
from irdiv.types import Floats, Ints

SampleCorrelationName: TypeAlias = Literal["pearson", "spearman", "tau"]

_DECIMALS = 12
"""Values that differ by less than this differ only by rounding."""
_MAX_CELLS = 4_000_000
"""How many cells (measure, sample, topic) are held at once."""
_MANY_TOPICS = 2000
"""With more topics, all pairs of topics take longer than a sort of each sample."""


def correlations_over_topics(x: Floats, y: Floats, counts: Counts, method: SampleCorrelationName) -> Floats:
    """Return the correlation over topics of each two measures of a run, on each sample.

    Parameters
    ----------
    x, y
        Values of the measures of one set and of the other, both ``[measure, topic]``.
    counts
        How often each topic is in each sample, ``[sample, topic]``.
    method
        Pearson's r, Spearman's ρ or Kendall's τ-b.

    Returns
    -------
    ndarray
        ``[measure of x, measure of y, sample]``.
    """
    if method != "pearson":
        x, y = np.round(x, _DECIMALS), np.round(y, _DECIMALS)
    function = _OVER_TOPICS[method]
    step = max(1, _MAX_CELLS // ((len(x) + len(y)) * x.shape[1]))
    samples = progress_slices(len(counts), step, "sample")
    return np.concatenate([function(x, y, counts[part].astype(np.float64)) for part in samples], axis=2)


def correlations_over_runs(x: Floats, y: Floats, counts: Counts, method: SampleCorrelationName) -> Floats:
    """Return the correlation over runs of the means of each two measures, on each sample of the topics.

    ``x`` and ``y`` are ``[run, measure, topic]``; others and the result are as of `correlations_over_topics`.
    """
    means = [_means(values, counts) for values in (x, y)]
    if method != "pearson":
        means = [np.round(values, _DECIMALS) for values in means]
    if method == "tau":
        tau = correlation_function("tau")
        return np.array([[_defined(tau(one, other), one, other) for other in means[1]] for one in means[0]])
    if method == "spearman":
        from scipy.stats import rankdata

        means = [rankdata(values, axis=2) for values in means]
    return _weighted_pearson(means[0], means[1], np.ones(means[0].shape[1:]))


def _means(values: Floats, counts: Counts) -> Floats:
    """Return the means of runs on samples, ``[measure, sample, run]``, from values ``[run, measure, topic]``."""
    n_runs, n_measures, n_topics = values.shape
    means = sample_means(values.reshape(-1, n_topics), counts).reshape(n_runs, n_measures, -1)
    return means.transpose(1, 2, 0)


def _defined(correlation: Floats, *scores: Floats) -> Floats:
    """Return correlations ``[sample]``, NaN where the scores ``[sample, run]`` of one side are constant."""
    is_constant = np.any([(side == side[:, :1]).all(axis=1) for side in scores], axis=0)
    return np.where(is_constant, np.nan, correlation)


def _weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Pearson's r of values ``[measure, sample, item]``, with weights of items ``[sample, item]``."""
    total = weights.sum(axis=1)
    centered, squares = [], []
    for values in (x, y):
        deviations = values - ((values * weights).sum(axis=2) / total)[..., None]
        square = (deviations**2 * weights).sum(axis=2)
        rounding = total * (10.0**-_DECIMALS * np.abs(values).max(axis=(1, 2))[:, None]) ** 2
        centered.append(deviations)
        squares.append(np.where(square <= rounding, np.nan, square))
    products = np.matmul((centered[0] * weights).transpose(1, 0, 2), centered[1].transpose(1, 2, 0))
    r = products.transpose(1, 2, 0) / np.sqrt(squares[0][:, None] * squares[1][None])
    return np.clip(r, -1.0, 1.0)


def _pearson_over_topics(x: Floats, y: Floats, weights: Floats) -> Floats:
    x_of_samples, y_of_samples = (np.repeat(values[:, None], len(weights), axis=1) for values in (x, y))
    return _weighted_pearson(x_of_samples, y_of_samples, weights)


def _spearman_over_topics(x: Floats, y: Floats, weights: Floats) -> Floats:
    x_ranks, y_ranks = (np.array([_mid_ranks(v, weights) for v in values]) for values in (x, y))
    return _weighted_pearson(x_ranks, y_ranks, weights)


def _mid_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the rank of each topic in each sample, ``[sample, topic]``; equal values share their mean rank."""
    index: Ints
    distinct, index = np.unique(values, return_inverse=True)
    counts = np.zeros((len(weights), len(distinct)))
    np.add.at(counts.T, index, weights.T)
    return (np.cumsum(counts, axis=1) - (counts - 1) / 2)[:, index]


def _tau_over_topics(x: Floats, y: Floats, weights: Floats) -> Floats:
    if x.shape[1] > _MANY_TOPICS:
        return _tau_by_sorting(x, y, weights)
    # τ-b = Σ_{i,j} w_i w_j sign(x_i − x_j) sign(y_i − y_j) / √(pairs untied in x · pairs untied in y)
    x_signs, y_signs = ([np.sign(v[:, None] - v[None]) for v in values] for values in (x, y))
    x_untied, y_untied = (
        np.array([_over_pairs(np.abs(sign), weights) for sign in signs]) for signs in (x_signs, y_signs)
    )
    concordant = np.array([[_over_pairs(one * other, weights) for other in y_signs] for one in x_signs])
    untied = np.sqrt(x_untied[:, None] * y_untied[None])
    return np.divide(concordant, untied, out=np.full(concordant.shape, np.nan), where=untied > 0)


def _over_pairs(of_pair: Floats, weights: Floats) -> Floats:
    """Return Σ_{i,j} w_i w_j a_ij of each sample."""
    return np.einsum("bi,bi->b", weights @ of_pair, weights)


def _tau_by_sorting(x: Floats, y: Floats, weights: Floats) -> Floats:
    from scipy.stats import kendalltau

    items = [np.repeat(np.arange(x.shape[1]), sample.astype(np.int64)) for sample in weights]
    values = [[[kendalltau(one[i], other[i]).statistic for i in items] for other in y] for one in x]
    return np.array(values, dtype=np.float64)


_OVER_TOPICS: dict[SampleCorrelationName, Callable[[Floats, Floats, Floats], Floats]] = {
    "pearson": _pearson_over_topics,
    "spearman": _spearman_over_topics,
    "tau": _tau_over_topics,
}
