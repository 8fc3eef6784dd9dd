"""irdiv inside ir_measures: a provider of our measures, and parsers that know our specs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures import providers
from ir_measures.providers.fallback_provider import FallbackEvaluator

from irdiv.errors import IrdivError
from irdiv.measures import registry
from irdiv.measures.declaration import Measure
from irdiv.measures.spec import adopt, extends_ir_measures, is_irdivs_name, is_ours, parse, unknown

if TYPE_CHECKING:
    import narwhals as nw


class Evaluator(providers.Evaluator):
    """Scores runs for ir_measures against qrels compiled once."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> None:
        from irdiv.arrays.collection import Collection, warn_of_bare_topics
        from irdiv.frames.columns import as_frame, qrels_columns
        from irdiv.frames.trec import read_qrels

        self._asked = sorted(measures, key=str)
        frame = as_frame(qrels, "qrels", read_qrels, ("query_id", "doc_id", "relevance"))
        self._original = _original_ids(qrels, frame)
        # PyTerrier hands over empty qrels for topics without judgments, and below an empty run.
        columns = qrels_columns(frame.to_native(), may_be_empty=True)
        self._collection = Collection.from_columns(columns) if len(columns.query) else None
        if self._collection is not None:
            warn_of_bare_topics(self._collection.bare, len(self._collection.topics))
        super().__init__(self._asked, set(self._original.values()))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        from irdiv.arrays.ranking import order_run
        from irdiv.scoring import score

        if self._collection is None:
            return
        ordered = order_run(self._collection, run, may_be_empty=True)
        values = score(ordered, [_ours(measure) for measure in self._asked])
        query_ids = [self._original[topic] for topic in self._collection.topics]
        for measure, row in zip(self._asked, values.tolist(), strict=True):
            for query_id, value in zip(query_ids, row, strict=True):
                yield ir_measures.Metric(query_id=query_id, measure=measure, value=value)


class Provider(providers.Provider):
    """Computes measures of one owner: those of irdiv, or the nine that ir_measures names."""

    def __init__(self, owner: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.NAME = "irdiv" if owner == "irdiv" else "irdiv-ndeval"
        self._owner = owner

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Tell whether a measure is computed here."""
        try:
            ours = adopt(measure)
        except IrdivError:
            return False
        return ours is not None and _is_only_ours(ours) is (self._owner == "irdiv")

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> Evaluator:
        return Evaluator(measures, qrels)


class Pipeline(providers.FallbackProvider):
    """ir_measures' own pipeline, with one value for ad hoc measures on diversity qrels.

    They see the highest grade of a document over intents, not that of whichever row comes last.
    """

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> Any:
        measures = list(measures)
        theirs: Any = super()._evaluator
        adhoc = [measure for measure in measures if not _is_for_diversity(measure)]
        qrels, highest = _highest_grades(qrels) if adhoc else (qrels, None)
        if highest is None:
            return theirs(measures, qrels)
        rest = [measure for measure in measures if measure not in adhoc]
        return FallbackEvaluator(measures, [theirs(adhoc, highest), *([theirs(rest, qrels)] if rest else [])])


def _is_for_diversity(measure: ir_measures.Measure) -> bool:
    try:
        ours = adopt(measure)
    except IrdivError:
        return True
    return ours is not None


def _highest_grades(qrels: Any) -> tuple[Any, Any]:
    """Return qrels that can be read once more, and with one row for each document where there were several."""
    from irdiv.frames.columns import ALIASES

    if isinstance(qrels, Mapping):
        return qrels, None
    if not hasattr(qrels, "columns"):
        qrels = list(qrels)
        if not all(hasattr(row, "iteration") or hasattr(row, "subtopic_id") for row in qrels[:1]):
            return qrels, None
        import pandas as pd

        frame = pd.DataFrame(qrels)
    else:
        frame = qrels
    keys = ["query_id", "doc_id"]
    if not {*keys, "relevance"} <= set(frame.columns) or not set(ALIASES["intent_id"]) & set(frame.columns):
        return qrels, None
    if not frame.duplicated(keys).any():
        return qrels, None
    return qrels, frame.groupby(keys, sort=False, as_index=False)["relevance"].max()


def _is_only_ours(measure: Measure) -> bool:
    """Tell whether no other provider computes a measure."""
    return measure.declaration.owner == "irdiv" or measure.declaration.name != measure.NAME


def _ours(measure: ir_measures.Measure) -> Measure:
    ours = adopt(measure)
    assert ours is not None
    return ours


def _original_ids(qrels: Any, frame: nw.DataFrame[Any]) -> dict[str, Any]:
    """Return topic ids as the qrels have them by ids as strings: ir_measures matches ids as they are."""
    from irdiv.frames.columns import find_columns
    from irdiv.frames.ids import as_ids, strings

    if isinstance(qrels, Mapping):
        judged = [topic for topic, row in qrels.items() if row]
        return dict(zip(strings(judged).to_pylist(), judged, strict=True))
    topics = frame[find_columns(frame.columns, "qrels", ("query_id",), ())["query_id"]].unique()
    return dict(zip(as_ids(topics, "qrels").to_pylist(), topics.to_list(), strict=True))


_provider = Provider("irdiv")
_ndeval_provider = Provider("ir_measures")


def _copy(function: Any) -> Any:
    return FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)


_parse_measure = _copy(ir_measures.util.parse_measure)
_parse_trec_measure = _copy(ir_measures.util.parse_trec_measure)


def parse_measure(measure: Any) -> ir_measures.Measure:
    """Parse a spec as ir_measures does, and as irdiv does where the name is ours."""
    return _parse(measure, parse, _parse_measure)


def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
    """Parse a name of trec_eval, or a spec of ours."""
    try:
        return _parse(measure, lambda spec: [parse(spec)], _parse_trec_measure)
    except ValueError:
        # PyTerrier reads all strings this way, and "nDCG@10" is no name of trec_eval's.
        if not isinstance(measure, str) or isinstance(sys.exc_info()[1], IrdivError) or "@" not in measure:
            raise
        return [parse(measure)]


def _parse(spec: Any, ours: Callable[[str], Any], theirs: Callable[[Any], Any]) -> Any:
    if not isinstance(spec, str):
        return theirs(spec)
    if is_ours(spec) and (is_irdivs_name(spec) or extends_ir_measures(spec)):
        return ours(spec)
    try:
        return theirs(spec)
    except (NameError, ValueError):
        if is_ours(spec):
            return ours(spec)
        name = re.split("[@(]", spec)[0].strip()
        if name not in ir_measures.measures.registry and set(name) & set("#♯-+"):
            raise unknown(name) from None
        raise


def install() -> None:
    """Make ir_measures know our measures; its own it computes as before, where the qrels have one grade a document."""
    if _provider in ir_measures.DefaultPipeline.providers:
        return
    ir_measures.DefaultPipeline.providers.append(_provider)
    # Others hold methods of this very object.
    ir_measures.DefaultPipeline.__class__ = Pipeline
    for provider in (_provider, _ndeval_provider):
        providers.register(provider)
    for name, declaration in registry.items():
        if declaration.owner == "irdiv" and name not in ir_measures.measures.registry:
            ir_measures.measures.registry[name] = Measure(declaration)
    # The code and not the name is replaced, as others may have imported the functions already.
    util: Any = ir_measures.util
    util._irdiv_parse_measure = parse_measure
    util._irdiv_parse_trec_measure = parse_trec_measure
    util.parse_measure.__code__ = (lambda measure: _irdiv_parse_measure(measure)).__code__  # type: ignore[name-defined] # noqa: F821
    util.parse_trec_measure.__code__ = (lambda measure: _irdiv_parse_trec_measure(measure)).__code__  # type: ignore[name-defined] # noqa: F821


def take_over() -> None:
    """Let irdiv compute the nine diversity measures that ir_measures names, from now on and everywhere.

    ``ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG, NRBP, nNRBP, AP_IA, P_IA`` and ``StRecall`` then take several
    values of α or ``rel`` in one call, ``judged_only``, any cutoff, runs in any order of rows and intents by any
    column name; ties of scores are ordered by doc id descending, as in ndeval -traditional. `hand_back` undoes it.
    """
    if _ndeval_provider not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.insert(0, _ndeval_provider)


def hand_back() -> None:
    """Undo `take_over`."""
    if _ndeval_provider in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(_ndeval_provider)
