"""Plots of an evaluation: those of `irdiv.plots`, with what they show computed from its values, qrels and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypedDict

from irdiv import plots
from irdiv.analysis.curves import TENTHS, last_rank, seen_depth, values_by_parameter, values_by_rank
from irdiv.analysis.textbook import STANDARD_LEVELS, interpolated_precision
from irdiv.errors import IrdivError
from irdiv.evaluation.scoring import Scored
from irdiv.measures.spec import MeasureLike, MeasuresLike, parse_several
from irdiv.plots.highlights import Highlight
from irdiv.stats.agreement import concordance, correlate
from irdiv.stats.options import LEVEL, N_RESAMPLES, Rng, TestName
from irdiv.stats.power import discriminative_power
from irdiv.stats.rank_correlation import CorrelationName
from irdiv.stats.scores import Scores
from irdiv.stats.topic_subsets import power_by_topics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame
    from typing_extensions import Unpack

P = ParamSpec("P")


def _of_evaluation(
    plot: Callable[Concatenate[Scores[IntoDataFrame], P], Axes],
) -> Callable[Concatenate[EvaluationPlots, P], Axes]:
    """Return a method that plots the evaluation."""

    @wraps(plot)
    def method(self: EvaluationPlots, /, *args: P.args, **options: P.kwargs) -> Axes:
        return plot(self._evaluation, *args, **options)

    return method


class CurveOptions(TypedDict, total=False):
    """How curves are drawn: options of `irdiv.plots.rank_curves`, `parameter_curves` and `precision_recall`."""

    highlight: Highlight
    intervals: bool
    rng: Rng
    ax: Axes | None


class EvaluationPlots:
    """The plots of an evaluation; each returns the ``matplotlib.axes.Axes`` it is drawn on.

    ``with irdiv.plots.style("dark", size="page")`` draws them on a dark background, as wide as the page of a paper.
    """

    def __init__(self, evaluation: Scores[IntoDataFrame], sources: Scored | None) -> None:
        self._evaluation, self._sources = evaluation, sources

    ranking = _of_evaluation(plots.ranking)
    box_plots = _of_evaluation(plots.box_plots)
    topic_heat_map = _of_evaluation(plots.topic_heat_map)
    difference_bars = _of_evaluation(plots.difference_bars)
    recall_relevance = _of_evaluation(plots.recall_relevance)

    def asl_curves(
        self,
        measures: MeasuresLike | None = None,
        *,
        test: TestName = "bootstrap",
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot ASL curves: `irdiv.stats.discriminative_power` of measures, all by default."""
        power = discriminative_power(
            self._evaluation, measures=measures, test=test, level=level, rng=rng, n_resamples=n_resamples
        )
        return plots.asl_curves(power, ax=ax)

    def power_curves(
        self,
        measures: MeasuresLike | None = None,
        *,
        sizes: Sequence[int] | None = None,
        trials: int = 20,
        level: float = LEVEL,
        rng: Rng = 0,
        n_resamples: int = N_RESAMPLES,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot discriminative power by the number of topics: `irdiv.stats.power_by_topics`."""
        curves = power_by_topics(
            self._evaluation,
            measures=measures,
            sizes=sizes,
            trials=trials,
            level=level,
            rng=rng,
            n_resamples=n_resamples,
        )
        return plots.power_curves(curves, ax=ax)

    def heat_map(
        self,
        measures: MeasuresLike | None = None,
        *,
        method: CorrelationName | None = None,
        gold: MeasuresLike | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot rank correlations of measures, or with ``gold`` their concordance with gold measures.

        Parameters
        ----------
        measures
            Some of the measures; all by default.
        method
            As of `irdiv.stats.correlate`, ``"tau"`` by default.
        gold
            Gold measures, as of `irdiv.stats.concordance`.
        ax
            Axes to draw on; those of a new figure by default.
        """
        if gold is None:
            return plots.heat_map(correlate(self._evaluation, method or "tau", measures=measures), ax=ax)
        if method is not None:
            raise IrdivError(
                f"method={method!r} is of correlations, and gold={gold!r} of concordance; give one of them."
            )
        return plots.heat_map(concordance(self._evaluation, gold, measures=measures), ax=ax)

    def precision_recall(self, *, levels: int = STANDARD_LEVELS, rel: int = 1, **options: Unpack[CurveOptions]) -> Axes:
        """Plot interpolated precision by recall.

        Parameters
        ----------
        levels, rel
            As of `irdiv.analysis.interpolated_precision`: the 11 standard levels of recall, or 101 for a finer curve.
        **options
            ``highlight``, ``intervals``, ``rng`` and ``ax``, as of `irdiv.plots.precision_recall`.
        """
        sources = self._sources_to(None, "precision at all levels of recall")
        curves = interpolated_precision(sources.collection, sources.runs, levels=levels, rel=rel)
        return plots.precision_recall(curves, **options)

    def rank_curves(self, measures: MeasuresLike, **options: Unpack[CurveOptions]) -> Axes:
        """Plot measures by rank.

        Parameters
        ----------
        measures
            Measures with cutoffs, which are the last ranks, evaluated or not: ``"nDCG@20"``, ``["CG@20", "DCG@20"]``,
            ``"alpha-nDCG@20"``. Parameters that were given to `irdiv.evaluate` apply to its own measures only.
        **options
            ``highlight``, ``intervals``, ``rng`` and ``ax``, as of `irdiv.plots.rank_curves`.
        """
        depth = max(map(last_rank, parse_several(measures)))
        sources = self._sources_to(depth if seen_depth(measures) else None, f"{measures} by rank")
        curves = values_by_rank(sources.collection, sources.runs, measures)
        return plots.rank_curves(curves, **options)

    def parameter_curves(
        self,
        measure: MeasureLike = "alpha-nDCG@10",
        parameter: str = "alpha",
        values: Iterable[float] = TENTHS,
        **options: Unpack[CurveOptions],
    ) -> Axes:
        """Plot a measure by one of its parameters.

        Parameters
        ----------
        measure, parameter, values
            As of `irdiv.analysis.values_by_parameter`; by default α-nDCG for α from 0 to 1. The measure may be another
            than those of the evaluation.
        **options
            ``highlight``, ``intervals``, ``rng`` and ``ax``, as of `irdiv.plots.parameter_curves`.
        """
        sources = self._sources_to(seen_depth(measure), f"{measure} by {parameter}")
        curves = values_by_parameter(sources.collection, sources.runs, measure, parameter, values)
        return plots.parameter_curves(curves, **options)

    def _sources_to(self, depth: int | None, what: str) -> Scored:
        """Return the qrels and runs, which must have the first documents to a depth, or all for None."""
        sources = self._sources
        if sources is None:
            raise IrdivError(
                f"{what} needs the qrels and runs, which evaluations of answers and streams do not keep; compute the "
                "curves with irdiv.analysis and draw them with irdiv.plots."
            )
        sources.require_documents(depth, what)
        return sources
