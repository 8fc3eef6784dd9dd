"""A site about several collections: an index, and a page for each of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import ir_measures
import numpy as np

from irdiv.errors import IrdivError, near_names, prefix_errors_with_collection
from irdiv.evaluation.results import Evaluation
from irdiv.files import write_atomically
from irdiv.measures.spec import MeasuresLike
from irdiv.report.assembly import columns_of, make_page, select_measures
from irdiv.report.files import page_files, require_site_folder
from irdiv.report.page import Column, PageOptions
from irdiv.report.provenance import Input, Provenance, call, inputs_of_evaluation
from irdiv.report.rendering import chosen_measures, default_options, fill_template, make_environment
from irdiv.stats.leaderboards import MeansByCollection, means_by_collection
from irdiv.stats.options import LEVEL, Rng, TestName
from irdiv.stats.significance import Correction
from irdiv.types import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

Texts = Mapping[str, str]
Descriptions = Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class CollectionEntry:
    """What the index shows of a collection."""

    name: str
    link: str
    """The file of its page, relative to the index."""
    topic_count: int
    run_count: int
    best: tuple[tuple[str, ...], ...]
    """For each of the columns the best runs, several if their means are equal."""


@dataclass(frozen=True)
class SiteRow:
    """A run in the table of runs and collections."""

    run: str
    means: tuple[float | None, ...]
    """The mean of the first measure on each of the collections; None where there is no such run."""
    is_best: tuple[bool, ...]
    """Whether it is the best on each of the collections."""
    mean: float | None
    """The mean over collections; None if it lacks one."""


@dataclass(frozen=True)
class Index:
    """All that the template of the index receives, under the name ``index``."""

    title: str
    generator: str
    """As of `irdiv.report.page.Page`."""
    columns: tuple[Column, ...]
    collections: tuple[CollectionEntry, ...]
    rows: tuple[SiteRow, ...]
    """Runs that all collections have first, then those that more of them have; the best first."""
    method: tuple[str, ...]
    """Sentences that state what the table shows."""
    provenance: Provenance
    inputs: tuple[tuple[str, tuple[Input, ...]], ...]
    """The inputs of each collection, by its name."""


def write_site(
    collections: Mapping[str, Evaluation[IntoDataFrame]],
    folder: PathLike,
    *,
    measures: MeasuresLike | None = None,
    baseline: str | None = None,
    cutoff: int = 10,
    topic_texts: Mapping[str, Texts] | None = None,
    intent_descriptions: Mapping[str, Descriptions] | None = None,
    title: str = "Diversity evaluation",
    test: TestName | None = None,
    correction: Correction = "auto",
    level: float = LEVEL,
    n_resamples: int | None = None,
    rng: Rng = 0,
    provenance: Mapping[str, Provenance] | None = None,
    force: bool = False,
) -> Path:
    """Write an index and a page for each collection, and return the path of the index, ``index.html``.

    Pages need nothing else and link to each other by relative links, so that the folder can be opened from disk and
    copied to any server.

    Parameters
    ----------
    collections
        A mapping from the name of a collection to its evaluation, all by the same measures.
    folder
        Where to write; it is made if it does not exist.
    measures
        Some of the measures; the first orders the runs and is that of the table of runs and collections.
    baseline
        As for `irdiv.report.render`; it must be a run of one collection at least, and pages of others state that they
        lack it.
    topic_texts, intent_descriptions, provenance
        As for `irdiv.report.render`, for each collection by its name.
    cutoff, title, test, correction, level, n_resamples, rng
        As for `irdiv.report.render`. Each page is the one that the collection has alone with the same rng.
    force
        Also write to a folder that has other files; pages of the same names are overwritten, others are kept.
    """
    environment = make_environment()
    options = PageOptions(
        baseline=baseline,
        cutoff=cutoff,
        title=title,
        test=test,
        correction=correction,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )
    _require_collections(collections, baseline)
    files = page_files(collections)
    target = require_site_folder(folder, force=force)
    command = call("irdiv.report.write_site", {**vars(options), "measures": measures}, default_options())
    sources = {
        name: (provenance or {}).get(name) or Provenance.now(command, inputs_of_evaluation(evaluation))
        for name, evaluation in collections.items()
    }
    shown = {name: _chosen(name, evaluation, measures) for name, evaluation in collections.items()}
    index = _index(collections, shown, files, title, sources)
    pages: dict[str, str] = {}
    for name, evaluation in collections.items():
        own = replace(
            options,
            title=f"{title}: {name}",
            topic_texts=(topic_texts or {}).get(name),
            intent_descriptions=(intent_descriptions or {}).get(name),
            rng=deepcopy(rng),
        )
        with prefix_errors_with_collection(name):
            page = make_page(evaluation, shown[name], own, sources[name], home="index.html")
        pages[files[name]] = fill_template(environment, "report.html", page=page)
    pages["index.html"] = fill_template(environment, "index.html", index=index)
    # All or none, unless the disk is full.
    target.mkdir(parents=True, exist_ok=True)
    for file_name, text in pages.items():
        with write_atomically(target / file_name) as file:
            file.write_text(text, encoding="utf-8")
    return target / "index.html"


def _require_collections(collections: Mapping[str, Evaluation[IntoDataFrame]], baseline: str | None) -> None:
    if not isinstance(collections, Mapping) or not all(isinstance(one, Evaluation) for one in collections.values()):
        raise IrdivError(
            "expected a mapping from the name of a collection to its evaluation, as irdiv.evaluate returns."
        )
    if not collections:
        raise IrdivError("no collections given: expected a mapping from the name of a collection to its evaluation.")
    if baseline is not None and not any(baseline in evaluation.runs for evaluation in collections.values()):
        runs = dict.fromkeys(run for evaluation in collections.values() for run in evaluation.runs)
        raise IrdivError(f"no run is called {baseline!r} in any collection; {near_names(baseline, list(runs))}")


def _chosen(
    name: str, evaluation: Evaluation[IntoDataFrame], measures: MeasuresLike | None
) -> list[ir_measures.Measure]:
    with prefix_errors_with_collection(name):
        return chosen_measures(evaluation, measures)


def _index(
    collections: Mapping[str, Evaluation[IntoDataFrame]],
    shown: Mapping[str, Sequence[ir_measures.Measure]],
    files: Mapping[str, str],
    title: str,
    sources: Mapping[str, Provenance],
) -> Index:
    evaluations = {name: select_measures(one.to_pandas(), shown[name]) for name, one in collections.items()}
    table = means_by_collection(evaluations)
    provenance = next(iter(sources.values()))
    columns = columns_of(next(iter(evaluations.values())))
    return Index(
        title=title,
        generator=f"irdiv {provenance.version}",
        columns=columns,
        collections=tuple(_entries(evaluations, files, table)),
        rows=tuple(_rows(table)),
        method=tuple(_method(columns[0], table)),
        provenance=provenance,
        inputs=tuple((name, own.inputs) for name, own in sources.items()),
    )


def _entries(
    evaluations: Mapping[str, Evaluation[IntoDataFrame]], files: Mapping[str, str], table: MeansByCollection
) -> Iterator[CollectionEntry]:
    for index, (name, evaluation) in enumerate(evaluations.items()):
        best = tuple(
            tuple(run for run, is_best in zip(table.runs, of_measure, strict=True) if is_best)
            for of_measure in table.best[:, index].T
        )
        yield CollectionEntry(name, files[name], len(evaluation.query_ids), len(evaluation.runs), best)


def _rows(table: MeansByCollection) -> Iterator[SiteRow]:
    for run, means, best in zip(table.runs, table.means[:, :, 0], table.best[:, :, 0], strict=True):
        present = [None if math.isnan(mean) else mean for mean in means.tolist()]
        yield SiteRow(run, tuple(present), tuple(best.tolist()), None if None in present else float(means.mean()))


def _method(first: Column, table: MeansByCollection) -> Iterator[str]:
    yield (
        f"Means of {first.name} over the topics of each collection; the best of each collection is in bold. Whether "
        "runs differ significantly is on the page of each collection."
    )
    if len(table.collections) > 1:
        yield "The mean over collections weights each of them equally; it is only for runs that no collection lacks."
    lacking = int(np.isnan(table.means[:, :, 0]).any(axis=1).sum())
    if lacking:
        yield f"{lacking} of {len(table.runs)} runs are not in all collections: an empty cell is a missing run, no 0."
