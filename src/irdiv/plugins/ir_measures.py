"""irdiv inside ir_measures: its specs parse there, and its measures are computed there; so they are in PyTerrier.

`install` changes three things, when irdiv is imported:

1. ``parse_measure`` and ``parse_trec_measure`` know irdiv's specs. PyTerrier calls the second for every string.
2. The default pipeline has a provider for irdiv's measures, behind all others.
3. The default pipeline splits diversity qrels: ad hoc measures see one grade for each document, its highest over
   intents, and not the grade of the last row; irdiv computes ndeval's measures where pyndeval would see one intent.

On qrels with one grade for each document, ir_measures computes its own measures as before.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

import ir_measures
from ir_measures import providers
from ir_measures.providers.fallback_provider import FallbackEvaluator

from irdiv.checks import choice, require
from irdiv.errors import IrdivError
from irdiv.measures.measure import Measure, is_of_ir_measures
from irdiv.measures.spec import as_irdiv_measure, owner, parse, unknown_name_error

if TYPE_CHECKING:
    from irdiv.io.tables import QrelsLike

T = TypeVar("T")
NdevalProvider: TypeAlias = Literal["irdiv", "pyndeval"]
_ndeval_provider: NdevalProvider = "pyndeval"


def install() -> None:
    """Make ir_measures know the measures of irdiv; a second call changes nothing.

    A parser that was imported by name before irdiv stays as it was. ``importlib.reload(ir_measures)`` undoes all this,
    and ``importlib.reload(irdiv)`` does it again.
    """
    pipeline = ir_measures.DefaultPipeline
    if not isinstance(pipeline, Pipeline):
        # Functions such as ir_measures.calc_aggregate are methods of this object, so it stays and its class changes.
        pipeline.__class__ = Pipeline
        pipeline.providers.append(Provider(of_ndeval=False))
    providers.register(Provider(of_ndeval=True))
    for name, wrapper in (("parse_measure", _measure_parser), ("parse_trec_measure", _trec_measure_parser)):
        # Both modules have it; another package may have replaced it in one of them, and is called then.
        for module in (ir_measures.util, ir_measures):
            theirs = getattr(module, name)
            if not hasattr(theirs, "_knows_irdiv"):
                setattr(module, name, wrapper(theirs))
    _repair_values()


def set_ndeval_provider(provider: NdevalProvider) -> None:
    """Choose what computes the nine diversity measures that ir_measures names, inside ir_measures, from now on.

    Parameters
    ----------
    provider
        ``"pyndeval"``, as without irdiv, or ``"irdiv"``. With irdiv, ``ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG, NRBP,
        nNRBP, AP_IA, P_IA`` and ``StRecall`` take several values of α or ``rel`` in one call, ``judged_only``, any
        cutoff, runs in any order of rows and intents by any column name; ties of scores are ordered by doc id
        descending, as in ndeval -traditional. An evaluator of ir_measures keeps the provider that it was made with.

    Examples
    --------
    >>> import ir_measures, irdiv
    >>> qrels = [ir_measures.Qrel("1", "d1", 1, "cat"), ir_measures.Qrel("1", "d2", 1, "car")]
    >>> run = {"1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}
    >>> irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    >>> ir_measures.calc_aggregate([ir_measures.ERR_IA @ 30], qrels, run)
    {ERR_IA@30: 0.30056146686451013}
    >>> irdiv.plugins.ir_measures.set_ndeval_provider("pyndeval")
    """
    global _ndeval_provider
    require(choice(*get_args(NdevalProvider)), provider=provider)
    _ndeval_provider = provider


class Provider(providers.Provider):
    """An ir_measures provider for the measures that are irdiv's alone, and if wanted for the nine of ndeval too."""

    NAME = "irdiv"

    def __init__(self, *, of_ndeval: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._of_ndeval = of_ndeval

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether this provider computes a measure."""
        found = _irdiv_measure(measure)
        return found is not None and (self._of_ndeval or not _is_of_ndeval(found))

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        from irdiv.plugins.ir_measures_evaluator import Evaluator

        return Evaluator(measures, qrels)


class Pipeline(providers.FallbackProvider):
    """ir_measures' own pipeline, which gives each measure the qrels that it understands."""

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether some provider computes a measure."""
        found = _irdiv_measure(measure) if _ndeval_provider == "irdiv" else None
        return found is not None or bool(super().supports(measure))  # type: ignore[no-untyped-call]

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        requested = list(measures)
        found = {measure: _irdiv_measure(measure) for measure in requested}
        adhoc = [m for m in requested if found[m] is None and is_of_ir_measures(m)]
        ndeval = [m for m in requested if (own := found[m]) is not None and _is_of_ndeval(own)]
        if not adhoc and not ndeval:
            return self._plain_evaluator(requested, qrels)
        from irdiv.plugins.ir_measures_evaluator import Evaluator, hides_intents, highest_grades, read_once

        qrels = read_once(qrels)
        ours = ndeval if _ndeval_provider == "irdiv" or hides_intents(qrels) else []
        highest = highest_grades(qrels) if adhoc else None
        if not ours and highest is None:
            return self._plain_evaluator(requested, qrels)
        apart = adhoc if highest is not None else []
        others = [m for m in requested if m not in ours and m not in apart]
        evaluators: list[providers.Evaluator] = [Evaluator(ours, qrels)] if ours else []
        evaluators += [self._plain_evaluator(apart, highest)] if apart else []
        evaluators += [self._plain_evaluator(others, qrels)] if others else []
        return FallbackEvaluator(requested, evaluators)

    def _plain_evaluator(self, measures: list[ir_measures.Measure], qrels: Any) -> providers.Evaluator:
        return super()._evaluator(measures, qrels)  # type: ignore[no-untyped-call]


def _irdiv_measure(measure: ir_measures.Measure) -> Measure | None:
    """Return irdiv's measure for one that irdiv computes; parameters that it refuses are not irdiv's."""
    try:
        return as_irdiv_measure(measure)
    except IrdivError:
        return None


def _is_of_ndeval(measure: Measure) -> bool:
    """Return whether pyndeval computes a measure too."""
    return measure.declaration.owner == "ndeval" and measure.declaration.name == measure.NAME


@cache
def _measure_parser(theirs: Callable[[str], ir_measures.Measure]) -> Any:
    @wraps(theirs)
    def parse_measure(measure: str) -> ir_measures.Measure:
        return _parse(measure, parse, theirs)

    parse_measure._knows_irdiv = True  # type: ignore[attr-defined]
    return parse_measure


@cache
def _trec_measure_parser(theirs: Callable[[str], list[ir_measures.Measure]]) -> Any:
    @wraps(theirs)
    def parse_trec_measure(measure: str) -> list[ir_measures.Measure]:
        try:
            return _parse(measure, lambda spec: [parse(spec)], theirs)
        except IrdivError:
            raise
        except ValueError:
            # PyTerrier parses all strings this way, and "nDCG@10" is not a name of trec_eval.
            if not isinstance(measure, str) or "@" not in measure:
                raise
            return [ir_measures.parse_measure(measure)]

    parse_trec_measure._knows_irdiv = True  # type: ignore[attr-defined]
    return parse_trec_measure


def _parse(spec: object, ours: Callable[[str], T], theirs: Callable[[Any], T]) -> T:
    """Parse a spec that only irdiv knows, and leave all others to ir_measures; its names keep their meaning."""
    if not isinstance(spec, str):
        return theirs(spec)
    whose = owner(spec)
    if whose == "irdiv":
        return ours(spec)
    try:
        return theirs(spec)
    except (NameError, ValueError):
        if whose == "ndeval":  # in irdiv's spelling, as StRecall(judged_only=True)
            return ours(spec)
        name = re.split("[@(]", spec)[0].strip()
        if name not in ir_measures.measures.registry and set(name) & set("#♯-+"):
            raise unknown_name_error(name) from None
        raise


def _repair_values() -> None:
    """Replace the reader of values in specs if it needs ``ast.Num``, which Python 3.14 does not have."""
    if sys.version_info >= (3, 14):
        try:
            ir_measures.util.parse_measure("P@1")
        except AttributeError:
            ir_measures.util._ast_to_value = _literal


def _literal(node: ast.expr | None) -> object:
    """Return a value in a spec, as ir_measures reads it: a string, number, truth value or None, or a dict of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | complex | float | int | None):
        return node.value
    if isinstance(node, ast.Dict):
        return dict(zip(map(_literal, node.keys), map(_literal, node.values), strict=True))
    raise ValueError(ir_measures.util._AST_PARSE_ERROR.format("values must be str, float, int, bool, etc."))
