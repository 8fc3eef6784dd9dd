"""What a page shows, as its template receives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irdiv.report.provenance import Provenance
from irdiv.stats.options import LEVEL, Rng, TestName
from irdiv.stats.significance import Correction

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Column:
    """A measure of the leaderboard."""

    name: str
    """The name of the column: that given by the user, or the spec."""
    spec: str
    """The spec with all parameters, also those that have their default."""
    less_is_better: bool


@dataclass(frozen=True)
class Cell:
    """A mean in the leaderboard, with its confidence interval and how it compares with the baseline."""

    mean: float
    low: float
    """The low end of the interval; the mean itself if there is one topic."""
    high: float
    is_best: bool
    """Whether no run of several has a better mean."""
    p: float | None
    """p of the test against the baseline, corrected if `Page.is_corrected`; None where nothing was tested."""
    mark: str
    """▲ or ▼ where the run is significantly better or worse than the baseline, else empty."""


@dataclass(frozen=True)
class Row:
    """A run of the leaderboard."""

    run: str
    is_baseline: bool
    group: str
    """Letters: runs that share one do not differ significantly by the first measure; empty if not tested."""
    cells: tuple[Cell, ...]
    """One for each of the columns."""


@dataclass(frozen=True)
class Figure:
    """A figure of the page."""

    id: str
    """``"ranking-figure"``, ``"recall-figure"`` or ``"asl-figure"``."""
    svg: Markup
    caption: str


@dataclass(frozen=True)
class PowerRow:
    """The discriminative power of a measure."""

    measure: str
    significant: int
    """How many pairs of runs have p below the level, which is not corrected."""
    pairs: int
    power: float
    """The share of these pairs."""
    delta: float | None
    """The difference required for significance; None unless by the bootstrap test."""


@dataclass(frozen=True)
class Page:
    """All that the template receives, under the name ``page``; texts are not escaped, figures are markup.

    Anchors that other pages and readers rely on: ``leaderboard``, ``heatmap``, ``compare``, ``topics``, ``power``,
    ``provenance``, and ``run-<name>`` and ``topic-<id>``.
    """

    title: str
    generator: str
    """``irdiv <version>``, which ``<meta name="generator">`` must have: it marks files that may be overwritten."""
    home: str | None
    """A relative link to the index of the site; None for a page of its own."""
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    """Runs, the best by the first measure first."""
    run_count: int
    topic_count: int
    cutoff: int
    """The last rank of documents that the page shows."""
    has_documents: bool
    """Whether the data has intents, judgments and rankings; evaluations of answers and of streams have none."""
    baseline: str | None
    """The run that the user chose as the baseline."""
    has_groups: bool
    """Whether rows have letters of groups."""
    is_corrected: bool
    """Whether p is corrected for multiple tests."""
    level: float
    """The significance level."""
    confidence_level: float
    method: tuple[str, ...]
    """Sentences that state what means, intervals, marks and letters are, and how they were computed."""
    notes: tuple[str, ...]
    """What is normal in the qrels and runs but matters for their values."""
    figures: tuple[Figure, ...]
    power: tuple[PowerRow, ...]
    """Empty if there is one run or one topic."""
    power_method: str
    """A sentence that states how discriminative power was computed; empty if there is none."""
    provenance: Provenance
    data: str
    """`irdiv.report.data.page_data` as JSON, compressed by gzip, in base64: for ``<script type="text/plain">``."""


@dataclass(frozen=True)
class PageOptions:
    """What is shown and how it is tested; see `irdiv.report.render`."""

    baseline: str | None = None
    cutoff: int = 10
    topic_texts: Mapping[str, str] | None = None
    intent_descriptions: Mapping[tuple[str, str], str] | None = None
    title: str = "Diversity evaluation"
    test: TestName | None = None
    correction: Correction = "auto"
    level: float = LEVEL
    n_resamples: int | None = None
    rng: Rng = 0
