"""irdiv inside ir_measures: a provider of irdiv's measures, and parsers that know their specs."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

import ir_measures
from ir_measures import providers
from ir_measures.providers.fallback_provider import FallbackEvaluator

from irdiv.checks import choice, require
from irdiv.errors import IrdivError
from irdiv.measures.catalogue import registry
from irdiv.measures.measure import Measure
from irdiv.measures.spec import (
    as_irdiv_measure,
    is_irdiv_only,
    is_ndeval_measure,
    parse,
    unknown_name_error,
)

if TYPE_CHECKING:
    from irdiv.frames.inputs import QrelsLike

T = TypeVar("T")


class Provider(providers.Provider):
    """An ir_measures provider for the measures of irdiv, or for the nine of ndeval."""

    def __init__(self, owner: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.NAME = "irdiv" if owner == "irdiv" else "irdiv-ndeval"
        self._owner = owner

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether this provider computes a measure."""
        try:
            found = as_irdiv_measure(measure)
        except IrdivError:
            return False
        return found is not None and _is_only_irdivs(found) is (self._owner == "irdiv")

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        from irdiv.plugins.ir_measures_evaluator import Evaluator

        return Evaluator(measures, qrels)


class Pipeline(providers.FallbackProvider):
    """ir_measures' own pipeline, with well-defined values of ad hoc measures on diversity qrels.

    Ad hoc measures see the highest grade of a document over intents, not that of whichever row comes last.
    """

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        requested = list(measures)
        evaluator: Callable[..., providers.Evaluator] = super()._evaluator
        adhoc = [measure for measure in requested if not _is_diversity_measure(measure)]
        if not adhoc:
            return evaluator(requested, qrels)
        from irdiv.plugins.ir_measures_evaluator import adhoc_qrels

        qrels, highest = adhoc_qrels(qrels)
        if highest is None:
            return evaluator(requested, qrels)
        diversity = [measure for measure in requested if measure not in adhoc]
        evaluators = [evaluator(adhoc, highest), *([evaluator(diversity, qrels)] if diversity else [])]
        return FallbackEvaluator(requested, evaluators)


def _is_diversity_measure(measure: ir_measures.Measure) -> bool:
    try:
        return as_irdiv_measure(measure) is not None
    except IrdivError:
        return True


def _is_only_irdivs(measure: Measure) -> bool:
    """Return whether no other provider computes a measure."""
    return measure.declaration.owner == "irdiv" or measure.declaration.name != measure.NAME


_provider = Provider("irdiv")
_ndeval_provider = Provider("ir_measures")


_parse_measure: Callable[[str], ir_measures.Measure] = ir_measures.util.parse_measure
_parse_trec_measure: Callable[[str], list[ir_measures.Measure]] = ir_measures.util.parse_trec_measure


def parse_measure(measure: str) -> ir_measures.Measure:
    """Parse a spec as ir_measures does, or as irdiv does if only irdiv knows the name."""
    return _parse(measure, parse, _parse_measure)


def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
    """Parse a name of trec_eval, or a spec of irdiv."""
    try:
        return _parse(measure, lambda spec: [parse(spec)], _parse_trec_measure)
    except ValueError:
        # PyTerrier parses all strings this way, and "nDCG@10" is not a name of trec_eval.
        if not isinstance(measure, str) or isinstance(sys.exc_info()[1], IrdivError) or "@" not in measure:
            raise
        return [parse_measure(measure)]


def _parse(spec: object, ours: Callable[[str], T], theirs: Callable[[Any], T]) -> T:
    if not isinstance(spec, str):
        return theirs(spec)
    if is_irdiv_only(spec):
        return ours(spec)
    try:
        return theirs(spec)
    except (NameError, ValueError):
        if is_ndeval_measure(spec):
            return ours(spec)
        name = re.split("[@(]", spec)[0].strip()
        if name not in ir_measures.measures.registry and set(name) & set("#♯-+"):
            raise unknown_name_error(name) from None
        raise


def _literal(node: ast.expr | None) -> object:
    """Return a value in a spec, as ir_measures reads it: a string, number, truth value or None, or a dict of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | complex | float | int | None):
        return node.value
    if isinstance(node, ast.Dict):
        return dict(zip(map(_literal, node.keys), map(_literal, node.values), strict=True))
    raise ValueError(ir_measures.util._AST_PARSE_ERROR.format("values must be str, float, int, bool, etc."))


def _repair_parser() -> None:
    """Replace the reader of values in specs if it needs ``ast.Num``, which Python 3.14 does not have."""
    if sys.version_info < (3, 14):
        return
    try:
        _parse_measure("P@1")
    except AttributeError:
        ir_measures.util._ast_to_value = _literal


def install() -> None:
    """Make ir_measures know the measures of irdiv.

    On qrels with one grade for each document, ir_measures computes its own measures as before. Its parsers are replaced
    in its modules; a parser that was imported by name before irdiv stays as it was, and does not know irdiv's specs.
    On Python 3.14 ir_measures alone reads no spec with a value, such as ``nDCG@10``; with irdiv it does.
    """
    if _provider in ir_measures.DefaultPipeline.providers:
        return
    ir_measures.DefaultPipeline.providers.append(_provider)
    # Code that imported methods of this object keeps them, so the object stays and its class changes.
    ir_measures.DefaultPipeline.__class__ = Pipeline
    for provider in (_provider, _ndeval_provider):
        providers.register(provider)
    for name, declaration in registry.own.items():
        if declaration.owner == "irdiv" and name not in ir_measures.measures.registry:
            ir_measures.measures.registry[name] = Measure(declaration)
    for module in (ir_measures, ir_measures.util):
        vars(module).update(parse_measure=parse_measure, parse_trec_measure=parse_trec_measure)
    _repair_parser()


NdevalProvider: TypeAlias = Literal["irdiv", "pyndeval"]


def set_ndeval_provider(provider: NdevalProvider) -> None:
    """Choose what computes the nine diversity measures that ir_measures names, inside ir_measures, from now on.

    Parameters
    ----------
    provider
        ``"pyndeval"``, as without irdiv, or ``"irdiv"``. With irdiv, ``ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG, NRBP,
        nNRBP, AP_IA, P_IA`` and ``StRecall`` take several values of α or ``rel`` in one call, ``judged_only``, any
        cutoff, runs in any order of rows and intents by any column name; ties of scores are ordered by doc id
        descending, as in ndeval -traditional.
    """
    require(choice(*get_args(NdevalProvider)), provider=provider)
    chosen = [p for p in ir_measures.DefaultPipeline.providers if p is not _ndeval_provider]
    ir_measures.DefaultPipeline.providers[:] = [_ndeval_provider, *chosen] if provider == "irdiv" else chosen
