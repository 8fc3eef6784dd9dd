"""From an evaluation to what its page shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pandas as pd

from irdiv.background import BackgroundCalls
from irdiv.evaluation.results import Evaluation
from irdiv.measures.measure import full_spec, less_is_better
from irdiv.report.data import compress, page_data
from irdiv.report.drawing import PageFigures
from irdiv.report.page import Cell, Column, Page, PageOptions, PowerRow, Row
from irdiv.report.provenance import Provenance
from irdiv.show.captions import TEST_NAMES, describe
from irdiv.show.markup import PLAIN
from irdiv.stats.intervals import intervals_of_means
from irdiv.stats.leaderboards import best_first, means_and_intervals, samples_of_topics
from irdiv.stats.names import find_run
from irdiv.stats.options import CONFIDENCE_LEVEL, N_RESAMPLES, Rng, require_samples, resampling_options
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.ranking import group_letters
from irdiv.stats.significance import Significance, significant_differences
from irdiv.stats.table import as_table
from irdiv.types import Floats

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def make_page(
    everything: Evaluation[IntoDataFrame],
    measures: Sequence[ir_measures.Measure],
    options: PageOptions,
    provenance: Provenance,
    home: str | None = None,
) -> Page:
    """Return the page about an evaluation; ``measures`` are those of the leaderboard, and figures may use others."""
    everything = everything.to_pandas()
    evaluation = select_measures(everything, measures)
    baseline = _baseline(evaluation, options, is_in_site=home is not None)
    n_runs, _, n_topics = evaluation.values.shape
    is_testable = n_runs > 1 and n_topics > 1
    table = as_table(evaluation)
    require_samples(options.n_resamples, None, "bca")
    # The other process computes them first, and then draws a figure that does not need them.
    intervals: BackgroundCalls[Floats] = BackgroundCalls()
    intervals.call(intervals_of_means, table.values, samples_of_topics(table, options.rng, options.n_resamples))
    intervals.request()
    order = best_first(table).tolist()
    names = [evaluation.runs[run] for run in order]
    figures = PageFigures(replace(everything, runs=tuple(names), values=everything.values[order]))
    figures.add_recall(options.cutoff)
    significance = _significance(evaluation, baseline, options) if is_testable else None
    board = means_and_intervals(table, *intervals.results())
    figures.add_ranking(board[board["measure"] == evaluation.specs()[0]])
    power = _power(evaluation, options) if is_testable else None
    if power is not None:
        figures.add_asl(power)
    data = compress(
        page_data(
            evaluation,
            order,
            baseline=baseline,
            cutoff=options.cutoff,
            topic_texts=options.topic_texts or {},
            intent_descriptions=options.intent_descriptions or {},
        )
    )
    return Page(
        title=options.title,
        generator=f"irdiv {provenance.version}",
        home=home,
        columns=columns_of(evaluation),
        rows=tuple(_rows(board, names, evaluation.specs(), baseline, significance)),
        run_count=n_runs,
        topic_count=n_topics,
        cutoff=options.cutoff,
        has_documents=evaluation.sources is not None,
        baseline=baseline,
        has_groups=baseline is None and is_testable,
        is_corrected=significance is not None and significance.correction is not None,
        level=options.level,
        confidence_level=CONFIDENCE_LEVEL,
        method=tuple(_method(evaluation, baseline, options, significance)),
        notes=evaluation.notes,
        figures=figures.wait(),
        power=() if power is None else tuple(_power_rows(power)),
        power_method="" if power is None else _power_method(power, options),
        provenance=provenance,
        data=data,
    )


def columns_of(evaluation: Evaluation[pd.DataFrame]) -> tuple[Column, ...]:
    """Return the columns of a leaderboard."""
    return tuple(
        Column(name, full_spec(measure), less_is_better(measure))
        for name, measure in zip(evaluation.specs(), evaluation.measures, strict=True)
    )


def select_measures(
    evaluation: Evaluation[pd.DataFrame], measures: Sequence[ir_measures.Measure]
) -> Evaluation[pd.DataFrame]:
    """Return the evaluation by some of its measures."""
    columns = [evaluation.measures.index(measure) for measure in measures]
    return replace(evaluation, measures=tuple(measures), values=evaluation.values[:, columns])


def _baseline(evaluation: Evaluation[pd.DataFrame], options: PageOptions, *, is_in_site: bool) -> str | None:
    """Return the baseline, or None for a page of a site if it is not a run of this collection."""
    if options.baseline is None or (is_in_site and options.baseline not in evaluation.runs):
        return None
    return evaluation.runs[find_run(evaluation.runs, options.baseline)]


def _significance(evaluation: Evaluation[pd.DataFrame], baseline: str | None, options: PageOptions) -> Significance:
    """Return tests of all measures against the baseline; without one, of all pairs of runs by the first measure."""
    test = options.test or ("tukey" if baseline is None else "bootstrap")
    table = as_table(evaluation)
    return significant_differences(
        table.only(table.measures[0]) if baseline is None else table,
        baseline=baseline,
        test=test,
        correction=options.correction,
        level=options.level,
        rng=options.rng,
        # The intervals of means draw samples where the test does not.
        n_resamples=None if test == "t" else options.n_resamples,
    )


def _rows(
    board: pd.DataFrame,
    runs: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    significance: Significance | None,
) -> Iterator[Row]:
    groups = [""] * len(runs)
    if significance is not None and baseline is None:
        groups = group_letters(significance, measures[0], runs)
    columns = zip(
        board["run"], board["measure"], *(board[name] for name in ("mean", "low", "high", "best")), strict=True
    )
    cells: dict[str, list[Cell]] = {}
    for run, measure, mean, low, high, is_best in columns:
        p, mark = None, ""
        if significance is not None and baseline is not None:
            p = significance.p.get((measure, run, baseline))
            if (measure, run, baseline) in significance.different:
                mark = "▲" if (measure, run, baseline) in significance.better else "▼"
        cells.setdefault(run, []).append(Cell(mean, low, high, is_best and len(runs) > 1, p, mark))
    for run, group in zip(runs, groups, strict=True):
        yield Row(run, run == baseline, group, tuple(cells[run]))


def _method(
    evaluation: Evaluation[pd.DataFrame], baseline: str | None, options: PageOptions, significance: Significance | None
) -> Iterator[str]:
    n_runs, _, n_topics = evaluation.values.shape
    first = evaluation.specs()[0]
    best = "; the best of each measure is in bold" if n_runs > 1 else ""
    yield f"Means over {n_topics:,} topic{'' if n_topics == 1 else 's'}{best}. Runs are ordered by {first}."
    if n_topics == 1:
        yield "One topic allows neither confidence intervals nor tests."
        return
    n_resamples = N_RESAMPLES if options.n_resamples is None else options.n_resamples
    yield (
        f"Ranges are {100 * CONFIDENCE_LEVEL:g}% confidence intervals of the mean by the bootstrap over topics "
        f"(BCa, bias-corrected and accelerated; {n_resamples:,} resamples{_seed(options.rng)}), for each run by "
        "itself: they are no test of differences between runs."
    )
    if significance is None:
        return
    how = describe(significance, PLAIN)
    if baseline is not None:
        yield (
            f"▲ and ▼ mark runs that are significantly better and worse than the baseline {baseline} ({how}). "
            "Runs without a mark may differ from it, too: they were not shown to."
        )
        return
    yield (
        f"Runs that share a letter of the column “group” do not differ significantly by {first} ({how}, all pairs of "
        "runs)."
    )
    if options.baseline is not None:
        yield f"The baseline {options.baseline} is not a run of this collection, so that no difference is marked."
        return
    yield (
        "No run was chosen as the baseline, so that no difference is marked; --baseline NAME on the command line, or "
        "baseline= in Python, chooses one."
    )


def _seed(rng: Rng) -> str:
    return f", seed {rng}" if isinstance(rng, int | np.integer) else ", without a seed"


def _power(evaluation: Evaluation[pd.DataFrame], options: PageOptions) -> DiscriminativePower[pd.DataFrame]:
    test = options.test or "bootstrap"
    return discriminative_power(
        evaluation,
        test=test,
        level=options.level,
        rng=options.rng,
        n_resamples=None if test == "t" else options.n_resamples,
    )


def _power_rows(power: DiscriminativePower[pd.DataFrame]) -> Iterator[PowerRow]:
    for row in power.summary().to_dict("records"):
        delta = row["delta"]
        yield PowerRow(
            row["measure"], row["significant"], row["pairs"], row["power"], None if math.isnan(delta) else delta
        )


def _power_method(power: DiscriminativePower[pd.DataFrame], options: PageOptions) -> str:
    test = options.test or "bootstrap"
    samples = None if test == "t" else resampling_options(test, options.n_resamples, None)[0]
    drawn = "" if samples is None else f", {samples:,} resamples{_seed(options.rng)}"
    corrected = "" if test == "tukey" else "; p is not corrected, as discriminative power is defined"
    return (
        f"The share of the {len(power.pairs):,} pairs of runs with p < {options.level:g} "
        f"({TEST_NAMES[test]}{drawn}{corrected})."
    )
