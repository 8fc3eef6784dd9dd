"""The page about runs, made from what evaluation, statistics and analyses return."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import narwhals as nw
import pandas as pd

from irdiv.analysis.coverage import intent_probabilities, relevant_documents_of_ordered_runs
from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import DEFAULT_DUPLICATES, DEFAULT_TIES, Duplicates, Ties
from irdiv.errors import IrdivError
from irdiv.evaluation.evaluate import evaluate
from irdiv.evaluation.results import Evaluation
from irdiv.evaluation.selection import requested_measures, requested_names
from irdiv.files import write_atomically
from irdiv.frames.columns import find_columns
from irdiv.frames.inputs import QrelsLike, RunLike
from irdiv.frames.runs import named_runs
from irdiv.measures.measure import less_is_better
from irdiv.measures.spec import NamedMeasures, parse
from irdiv.report.figures import asl_figure, recall_figure
from irdiv.show.hierarchy import Hierarchy
from irdiv.stats.leaderboards import leaderboard
from irdiv.stats.options import CONFIDENCE_LEVEL, LEVEL, Rng
from irdiv.stats.power import discriminative_power
from irdiv.types import PathLike

if TYPE_CHECKING:
    import jinja2
    from narwhals.typing import IntoDataFrame

DEFAULT_MEASURES = ("D#-nDCG", "I-rec", "D-nDCG", "ERR-IA", "alpha-nDCG", "nDCG")
"""Measures of the leaderboard if no others are given, all at the cutoff of the page."""
_COMPONENTS = ("I-rec", "D-nDCG")
_MOST_TREES = 100
"""With more topics, the page shows no hierarchies."""


class Cell(NamedTuple):
    """A mean in the leaderboard, with its confidence interval and how it compares with the baseline."""

    mean: float
    low: float
    high: float
    is_best: bool
    p: float | None
    mark: str
    """▲ or ▼ where the run is significantly better or worse than the baseline, else empty."""


class Document(NamedTuple):
    """A document that is relevant to an intent."""

    rank: int
    doc_id: str
    grade: int


class Intent(NamedTuple):
    """An intent of a topic, with the documents by which each run covers it."""

    intent_id: str
    description: str
    probability: float
    documents: list[list[Document]]


class TopicScores(NamedTuple):
    """The values of a run for a topic, by the measures of the page and by their components."""

    run: str
    values: list[float]
    components: list[float]


class Topic(NamedTuple):
    """What the page shows of a topic."""

    query_id: str
    text: str
    scores: list[TopicScores]
    intents: list[Intent]
    tree: str


def write_report(
    qrels: QrelsLike | Collection, runs: RunLike | Mapping[str, RunLike], path: PathLike, **options: Any
) -> Path:
    """Write the page that `render` returns, with the same options, and return its path."""
    target = Path(path)
    page = render(qrels, runs, **options)
    with write_atomically(target) as file:
        file.write_text(page, encoding="utf-8")
    return target


def render(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    *,
    measures: NamedMeasures | None = None,
    baseline: str | None = None,
    cutoff: int = 10,
    topic_texts: Mapping[str, str] | None = None,
    intent_descriptions: Mapping[tuple[str, str], str] | None = None,
    title: str = "Diversity evaluation",
    rng: Rng = 0,
    ties: Ties = DEFAULT_TIES,
    duplicates: Duplicates = DEFAULT_DUPLICATES,
    **parameters: Any,
) -> str:
    """Return an HTML page that compares runs.

    Parameters
    ----------
    qrels, runs
        As for `irdiv.evaluate`.
    measures
        Measures of the leaderboard, which is sorted by the first; by default D#-nDCG, its components, ERR-IA, α-nDCG
        and nDCG, all at the cutoff. A mapping from names to measures names the columns.
    baseline
        The run that the others are compared with; by default the first.
    cutoff
        The last rank of which documents are shown, and the cutoff of the default measures.
    topic_texts
        Texts of topics by topic id.
    intent_descriptions
        Descriptions of intents by topic id and intent id; `descriptions_by_intent` makes them from an intent table.
    title
        The heading of the page.
    rng
        The seed of random samples, or a generator.
    ties, duplicates, **parameters
        As for `irdiv.evaluate`.
    """
    environment = _environment()
    collection = Collection.of(qrels, warn=False).to_pandas()
    collection.require_intents("a report")
    named = named_runs(runs)
    base = next(iter(named)) if baseline is None else baseline
    if base not in named:
        raise IrdivError(f"no run is called {base!r}; there are {', '.join(named)}.")
    requested = measures or [f"{name}@{cutoff}" for name in DEFAULT_MEASURES]
    chosen = requested_measures(requested, parameters)
    components = [f"{name}@{cutoff}" for name in _COMPONENTS]
    accepted = {name: value for name, value in parameters.items() if name in parse(components[1]).SUPPORTED_PARAMS}
    parts_of_chosen = requested_measures(components, accepted)
    everything = evaluate(collection, named, [*chosen, *parts_of_chosen], ties=ties, duplicates=duplicates).to_pandas()
    evaluation, parts = _choose(everything, chosen), _choose(everything, parts_of_chosen)
    evaluation = replace(evaluation, names=requested_names(requested, parameters))
    board = leaderboard(evaluation, baseline=base, rng=rng)
    order = list(dict.fromkeys(board["run"]))
    assert evaluation.sources is not None
    relevant = relevant_documents_of_ordered_runs(evaluation.sources.runs, cutoff)
    is_testable = len(named) > 1 and len(evaluation.query_ids) > 1
    power = discriminative_power(evaluation, rng=rng) if is_testable else None
    return environment.get_template("report.html").render(
        title=title,
        baseline=base,
        cutoff=cutoff,
        measures=evaluation.specs(),
        runs=order,
        leaderboard=_leaderboard_rows(board, evaluation),
        notes=evaluation.notes,
        topics=list(
            _topics(collection, order, evaluation, parts, relevant, topic_texts or {}, intent_descriptions or {})
        ),
        recall_figure=recall_figure(parts),
        asl_figure=None if power is None or len(power.pairs) < 3 else asl_figure(power),
        power=None if power is None else power.summary().to_dict("records"),
        pair_count=0 if power is None else len(power.pairs),
        topic_count=len(evaluation.query_ids),
        level=LEVEL,
        confidence_level=CONFIDENCE_LEVEL,
    )


def _choose(evaluation: Evaluation[pd.DataFrame], measures: Sequence[ir_measures.Measure]) -> Evaluation[pd.DataFrame]:
    """Return the evaluation by some of its measures."""
    columns = [evaluation.measures.index(measure) for measure in measures]
    return replace(evaluation, measures=tuple(measures), values=evaluation.values[:, columns])


def descriptions_by_intent(intent_table: IntoDataFrame) -> dict[tuple[str, str], str]:
    """Return the descriptions of an intent table by topic id and intent id; none if it has no such column."""
    frame = nw.from_native(intent_table, eager_only=True)
    names = find_columns(frame.columns, "intents", ("query_id", "intent_id"), ("description",))
    if "description" not in names:
        return {}
    rows = frame.select(names["query_id"], names["intent_id"], names["description"]).iter_rows()
    return {(str(query_id), str(intent_id)): text for query_id, intent_id, text in rows if isinstance(text, str)}


def _environment() -> jinja2.Environment:
    try:
        import jinja2
        import matplotlib  # noqa: F401 (its absence is an error before anything is computed)
    except ImportError:
        raise IrdivError("reports need jinja2 and matplotlib: pip install 'irdiv[report]'.") from None
    return jinja2.Environment(
        loader=jinja2.PackageLoader("irdiv.report", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def _leaderboard_rows(board: pd.DataFrame, evaluation: Evaluation[pd.DataFrame]) -> list[tuple[str, list[Cell]]]:
    """Return runs in the order of the leaderboard, with a cell for each measure."""
    less = dict(zip(evaluation.specs(), map(less_is_better, evaluation.measures), strict=True))
    cells: dict[str, list[Cell]] = {}
    for row in board.to_dict("records"):
        is_better = (row["difference"] > 0) is not less[row["measure"]]
        mark = "" if not row["significant"] else "▲" if is_better else "▼"
        p = None if math.isnan(row["p"]) else row["p"]
        cells.setdefault(row["run"], []).append(Cell(row["mean"], row["low"], row["high"], row["best"], p, mark))
    return list(cells.items())


def _topics(
    collection: Collection,
    runs: Sequence[str],
    evaluation: Evaluation[pd.DataFrame],
    components: Evaluation[pd.DataFrame],
    relevant: pd.DataFrame,
    texts: Mapping[str, str],
    descriptions: Mapping[tuple[str, str], str],
) -> Iterator[Topic]:
    """Yield what the page shows of each topic."""
    documents: dict[tuple[str, ...], list[Document]] = {}
    for run, query_id, intent_id, *document in relevant.itertuples(index=False, name=None):
        documents.setdefault((run, query_id, intent_id), []).append(Document(*document))
    intents: dict[str, list[Intent]] = {}
    for query_id, intent_id, probability in intent_probabilities(collection).itertuples(index=False, name=None):
        found = [documents.get((run, query_id, intent_id), []) for run in runs]
        description = descriptions.get((query_id, intent_id), "")
        intents.setdefault(query_id, []).append(Intent(intent_id, description, probability, found))
    trees = _trees(collection)
    rows = [evaluation.runs.index(run) for run in runs]
    for index, query_id in enumerate(map(str, evaluation.query_ids)):
        scores = [
            TopicScores(run, evaluation.values[row, :, index].tolist(), components.values[row, :, index].tolist())
            for run, row in zip(runs, rows, strict=True)
        ]
        yield Topic(query_id, texts.get(query_id, ""), scores, intents.get(query_id, []), trees.get(query_id, ""))


def _trees(collection: Collection) -> dict[str, str]:
    """Return drawings of hierarchies of more than one layer, unless there are too many topics."""
    if collection.intent_parent is None or len(collection.topics) > _MOST_TREES:
        return {}
    hierarchy = Hierarchy(collection)
    height = hierarchy.frame.groupby("query_id")["layer"].max()
    return {str(query_id): hierarchy.draw(query_id) for query_id in height[height > 1].index}
