"""One self-contained page about runs: who leads, whether that is significant, and why; needs the extra ``report``."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irdiv.arrays.collection import Collection
from irdiv.arrays.ranking import Duplicates, Ordered, Scene, Ties, order_run
from irdiv.errors import IrdivError
from irdiv.evaluation import evaluate, named_runs
from irdiv.frames.columns import QrelsLike, RunLike
from irdiv.frames.trec import PathLike
from irdiv.measures.spec import parse
from irdiv.results import Evaluation
from irdiv.stats.compare import compare
from irdiv.stats.intervals import intervals
from irdiv.stats.power import DiscriminativePower, discriminative_power
from irdiv.stats.resampling import bootstrap_counts

DEFAULT_MEASURES = ("D#-nDCG", "I-rec", "D-nDCG", "ERR-IA", "alpha-nDCG", "nDCG")
_MOST_HIERARCHIES = 100


class Cell(NamedTuple):
    """A mean with its confidence interval, and how it stands to the baseline."""

    mean: float
    low: float
    high: float
    best: bool
    mark: str
    """▲ or ▼ where it is significantly above or below the baseline, else nothing."""
    p: float | None


class Met(NamedTuple):
    """A document that meets an intent: its rank, grade and id."""

    rank: int
    grade: int
    doc: str


def write_report(
    qrels: QrelsLike | Collection, runs: RunLike | Mapping[str, RunLike], path: PathLike, **options: Any
) -> Path:
    """Write the page that `render` returns, with its options, and return its path."""
    target = Path(path)
    target.write_text(render(qrels, runs, **options), encoding="utf-8")
    return target


def render(
    qrels: QrelsLike | Collection,
    runs: RunLike | Mapping[str, RunLike],
    *,
    measures: Sequence[Any] | None = None,
    baseline: str | None = None,
    cutoff: int = 10,
    topics: Mapping[str, str] | None = None,
    intents: Mapping[tuple[str, str], str] | None = None,
    title: str = "Diversity evaluation",
    rng: int = 0,
    ties: Ties = "docid_desc",
    duplicates: Duplicates = "error",
    **parameters: Any,
) -> str:
    """Return a page that compares runs.

    Parameters
    ----------
    qrels, runs
        As of `irdiv.evaluate`.
    measures
        Measures of the leaderboard, the first of which orders it; by default D#-nDCG, its parts and some others, at the
        cutoff.
    baseline
        The run that the others are tested against; by default the first.
    cutoff
        How far down the page looks at lists.
    topics
        Texts of topics by id.
    intents
        Descriptions by topic and intent.
    title
        The heading.
    rng
        Seed of random samples.
    ties, duplicates, **parameters
        As of `irdiv.evaluate`.
    """
    environment = _environment()
    collection = qrels if isinstance(qrels, Collection) else Collection(qrels)
    collection.require_intents("a report")
    named = named_runs(runs)
    base = next(iter(named)) if baseline is None else baseline
    if base not in named:
        raise IrdivError(f"no run is called {base!r}; there are {', '.join(named)}.")
    asked = list(measures) if measures else [f"{name}@{cutoff}" for name in DEFAULT_MEASURES]
    evaluation = evaluate(collection, named, asked, ties=ties, duplicates=duplicates, **parameters)
    components = [f"I-rec@{cutoff}", f"D-nDCG@{cutoff}"]
    taken = {name: value for name, value in parameters.items() if name in parse(components[1]).SUPPORTED_PARAMS}
    parts = evaluate(collection, named, components, ties=ties, duplicates=duplicates, **taken)
    power = discriminative_power(evaluation, rng=rng) if len(named) > 1 and len(evaluation.query_ids) > 1 else None
    names = [str(measure) for measure in evaluation.measures]
    return environment.get_template("report.html").render(
        title=title,
        baseline=base,
        cutoff=cutoff,
        measures=names,
        runs=_order(evaluation),
        leaderboard=_leaderboard(evaluation, base, rng),
        topics=_topics(collection, named, evaluation, parts, cutoff, topics or {}, intents or {}, ties, duplicates),
        recall_plot=_recall_plot(parts),
        asl_plot=None if power is None or len(power.pairs) < 3 else _asl_plot(power),
        power=None if power is None else power.summary.to_dict("records"),
        pairs=0 if power is None else len(power.pairs),
        number=len(evaluation.query_ids),
    )


def _environment() -> Any:
    try:
        import jinja2
        import matplotlib  # noqa: F401 (said before work is done in vain)
    except ImportError:
        raise IrdivError("reports need jinja2 and matplotlib: pip install 'irdiv[report]'.") from None
    return jinja2.Environment(
        loader=jinja2.PackageLoader("irdiv.report", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def _order(evaluation: Evaluation) -> list[str]:
    means = evaluation.values[:, 0].mean(axis=1)
    return [evaluation.runs[place] for place in np.argsort(-means, kind="stable")]


def _leaderboard(evaluation: Evaluation, baseline: str, rng: int) -> list[tuple[str, list[Cell]]]:
    """Return runs with a cell for each measure, best first by the first measure."""
    n = len(evaluation.query_ids)
    runs, number = evaluation.values.shape[:2]
    tested = _tested(evaluation, baseline, rng) if n > 1 else {}
    flat = evaluation.values.reshape(-1, n)
    ends = intervals(flat, bootstrap_counts(n, 1000, rng), "bca", 0.95) if n > 1 else np.repeat(flat, 2, axis=1)
    ends = ends.reshape(runs, number, 2)
    means = evaluation.values.mean(axis=2)
    best = means.max(axis=0)
    rows = []
    for name in _order(evaluation):
        run = evaluation.runs.index(name)
        cells = []
        for m, measure in enumerate(evaluation.measures):
            difference, p = tested.get((name, str(measure)), (0.0, None))
            mark = "" if p is None or p >= 0.05 else ("▲" if difference > 0 else "▼")
            low, high = ends[run, m].tolist()
            cells.append(Cell(float(means[run, m]), low, high, bool(means[run, m] >= best[m] - 1e-12), mark, p))
        rows.append((name, cells))
    return rows


def _tested(evaluation: Evaluation, baseline: str, rng: int) -> dict[tuple[str, str], tuple[float, float]]:
    if len(evaluation.runs) < 2:
        return {}
    frame = compare(evaluation.to_pandas(), baseline=baseline, rng=rng)
    rows = frame[["run", "measure", "difference", "p"]].itertuples(index=False, name=None)
    return {(run, measure): (difference, p) for run, measure, difference, p in rows}


def _topics(
    collection: Collection,
    named: Mapping[str, RunLike],
    evaluation: Evaluation,
    parts: Evaluation,
    cutoff: int,
    texts: Mapping[str, str],
    intents: Mapping[tuple[str, str], str],
    ties: Ties,
    duplicates: Duplicates,
) -> list[dict[str, Any]]:
    """Return what each topic's part of the page shows."""
    order = _order(evaluation)
    met = {
        name: _met(order_run(collection, run, ties=ties, duplicates=duplicates), cutoff) for name, run in named.items()
    }
    trees = _trees(collection)
    rows = []
    for block in collection.blocks:
        weight = block.weight(1, "relevant", True)
        for number in range(block.start, block.stop):
            query = str(collection.topics[number])
            mine = range(collection.intent_start[number], collection.intent_start[number + 1])
            kept = [i for i in mine if collection.intent_best_grade[i] > 0]
            rows.append(
                {
                    "query": query,
                    "text": texts.get(query, ""),
                    "scores": [(run, _values(evaluation, run, number), _values(parts, run, number)) for run in order],
                    "intents": [
                        {
                            "name": str(collection.intents[i]),
                            "text": intents.get((query, str(collection.intents[i])), ""),
                            "weight": float(weight[number - block.start, i - mine.start]),
                            "met": [met[run].get((number, i - mine.start), []) for run in order],
                        }
                        for i in kept
                    ],
                    "tree": trees.get(query, ""),
                }
            )
    return rows


def _values(evaluation: Evaluation, run: str, topic: int) -> list[float]:
    return evaluation.values[evaluation.runs.index(run), :, topic].tolist()


def _met(ordered: Ordered, cutoff: int) -> dict[tuple[int, int], list[Met]]:
    """Return the documents that meet each intent, by topic and place of the intent."""
    collection, ranking = ordered.collection, ordered.ranking(depth=cutoff)
    found: dict[tuple[int, int], list[Met]] = {}
    for block in collection.blocks:
        scene = Scene.of(block, ranking)
        topic, intent, hit = np.nonzero(scene.grades > 0)
        docs = collection.relevant_ids(scene.rows[topic, hit] + block.row_base)
        grades, ranks = scene.grades[topic, intent, hit], scene.rank[topic, hit]
        for t, i, rank, grade, doc in zip(
            topic.tolist(), intent.tolist(), ranks.tolist(), grades.tolist(), docs.to_pylist(), strict=True
        ):
            found.setdefault((block.start + t, i), []).append(Met(rank, grade, doc))
    return {key: sorted(documents) for key, documents in found.items()}


def _trees(collection: Collection) -> dict[str, str]:
    """Return drawings of hierarchies of more than one layer, if there are not too many."""
    if collection.intent_parent is None or len(collection.topics) > _MOST_HIERARCHIES:
        return {}
    from irdiv.views.hierarchy import Hierarchy

    trees = Hierarchy(collection)
    deep = trees.frame.groupby("query_id")["layer"].max()
    return {str(query): trees.draw(query) for query in deep[deep > 1].index}


def _recall_plot(parts: Evaluation) -> Any:
    from irdiv.plots import recall_relevance

    names = [str(measure) for measure in parts.measures]
    return _svg(recall_relevance(parts, names[0], names[1], ax=_new_axes(6.4, 4.6)), "runs by recall and relevance")


def _asl_plot(power: DiscriminativePower) -> Any:
    from irdiv.plots import asl_curves

    return _svg(asl_curves(power, ax=_new_axes(7.4, 4.0)), "ASL curves")


def _new_axes(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def _svg(ax: Any, label: str) -> Any:
    """Return a plot as SVG in the colours of the page around it."""
    import matplotlib as mpl
    from markupsafe import Markup, escape

    ax.set_facecolor("none")
    ax.figure.set_facecolor("none")
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irdiv"}), warnings.catch_warnings():
        # Letters that matplotlib has no font for are left to the browser.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        ax.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = text.replace("#000000", "currentColor")
    text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)
    # matplotlib escapes the names it writes.
    return Markup(text)


def descriptions(intents: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return descriptions by topic and intent, of a frame of intents that has some."""
    if "description" not in intents.columns:
        return {}
    keys = zip(intents["query_id"].astype(str), intents["intent_id"].astype(str), strict=True)
    return {key: text for key, text in zip(keys, intents["description"], strict=True) if isinstance(text, str)}
