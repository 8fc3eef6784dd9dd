"""irdiv inside ir_measures: a provider of irdiv's measures, and parsers that know their specs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, get_args

import ir_measures
from ir_measures import providers
from ir_measures.providers.fallback_provider import FallbackEvaluator

from irdiv.checks import choice, require
from irdiv.errors import IrdivError
from irdiv.measures.measure import Measure, is_of_ir_measures
from irdiv.measures.spec import as_irdiv_measure
from irdiv.plugins.ir_measures_parsers import wrap_parsers
from irdiv.plugins.ndeval_choice import NdevalProvider, choose_for_process, choose_for_scope, chosen

if TYPE_CHECKING:
    from irdiv.frames.inputs import QrelsLike


class Provider(providers.Provider):
    """An ir_measures provider for the measures that are irdiv's alone."""

    NAME = "irdiv"
    _of_irdiv_alone = True

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether this provider computes a measure."""
        try:
            found = as_irdiv_measure(measure)
        except IrdivError:
            return False
        return found is not None and _is_only_irdivs(found) is self._of_irdiv_alone

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        from irdiv.plugins.ir_measures_evaluator import Evaluator

        return Evaluator(measures, qrels)


class ProviderOfNdeval(Provider):
    """An ir_measures provider for the nine measures of ndeval."""

    NAME = "irdiv-ndeval"
    _of_irdiv_alone = False


class ChosenProviderOfNdeval(ProviderOfNdeval):
    """The same in ir_measures' pipeline, where it supports measures only while it is chosen.

    It is always there, so that a choice never changes a list over which another thread may be looping.
    """

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Return whether this provider is chosen and computes a measure."""
        return chosen() == "irdiv" and super().supports(measure)


class Pipeline(providers.FallbackProvider):
    """ir_measures' own pipeline, with well-defined values of ad hoc measures on diversity qrels.

    Ad hoc measures of ir_measures see the highest grade of a document over intents, not that of whichever row comes
    last. irdiv computes ndeval's measures where the column of intents is not called ``iteration``, the only name that
    pyndeval knows. Measures of other packages see the qrels as they are.
    """

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: QrelsLike) -> providers.Evaluator:
        return _evaluator_of_highest_grades(super()._evaluator, measures, qrels)


def _evaluator_of_highest_grades(
    evaluator: Callable[..., providers.Evaluator], measures: Iterable[ir_measures.Measure], qrels: QrelsLike
) -> providers.Evaluator:
    requested = list(measures)
    is_adhoc = [_is_adhoc_measure(measure) for measure in requested]
    provider, highest = chosen(), None
    if any(is_adhoc) or any(map(_ndeval_provider.supports, requested)):
        from irdiv.plugins.ir_measures_evaluator import hides_intents, highest_grades, read_once

        qrels = read_once(qrels)
        highest = highest_grades(qrels) if any(is_adhoc) else None
        provider = "irdiv" if hides_intents(qrels) else provider
    # One provider for all measures, even if another thread chooses another one meanwhile.
    with choose_for_scope(provider):
        if highest is None:
            return evaluator(requested, qrels)
        adhoc, others = (
            [measure for measure, flag in zip(requested, is_adhoc, strict=True) if flag is wanted]
            for wanted in (True, False)
        )
        evaluators = [evaluator(adhoc, highest), *([evaluator(others, qrels)] if others else [])]
        return FallbackEvaluator(requested, evaluators)


def _is_adhoc_measure(measure: ir_measures.Measure) -> bool:
    try:
        return is_of_ir_measures(measure) and as_irdiv_measure(measure) is None
    except IrdivError:
        return False


def _is_only_irdivs(measure: Measure) -> bool:
    """Return whether no other provider computes a measure."""
    return measure.declaration.owner == "irdiv" or measure.declaration.name != measure.NAME


_installing = Lock()
_provider = Provider()  # type: ignore[no-untyped-call]
_ndeval_provider = ProviderOfNdeval()  # type: ignore[no-untyped-call]
_chosen_ndeval_provider = ChosenProviderOfNdeval()  # type: ignore[no-untyped-call]


def install() -> None:
    """Make ir_measures know the measures of irdiv; what is in place stays as it is.

    On qrels with one grade for each document, ir_measures computes its own measures as before. Its parsers are replaced
    in its modules; a parser that was imported by name before irdiv stays as it was, and does not know irdiv's specs.
    On Python 3.14 ir_measures alone reads no spec with a value, such as ``nDCG@10``; with irdiv it does.
    What other packages have changed in ir_measures is extended, not replaced. ``importlib.reload(ir_measures)`` undoes
    all this, and ``importlib.reload(irdiv)`` does it again.
    """
    with _installing:
        for pipeline in _pipelines():
            _put(pipeline.providers, _chosen_ndeval_provider, 0)
            _put(pipeline.providers, _provider, len(pipeline.providers))
            _extend(pipeline)
        for provider in (_provider, _ndeval_provider):
            providers.register(provider)
        wrap_parsers()


def _pipelines() -> list[providers.FallbackProvider]:
    """Return the pipeline of ir_measures, and those of its functions if they are others."""
    owners = [getattr(function, "__self__", None) for function in (ir_measures.evaluator, ir_measures.iter_calc)]
    found = [ir_measures.DefaultPipeline, *owners]
    return list({id(p): p for p in found if isinstance(p, providers.FallbackProvider)}.values())


def _put(listed: list[providers.Provider], provider: providers.Provider, place: int) -> None:
    """Put a provider into a list, in place of what an earlier import of irdiv put there."""
    names = [getattr(other, "NAME", None) for other in listed]
    if provider.NAME in names:
        listed[names.index(provider.NAME)] = provider
    else:
        listed.insert(place, provider)


def _extend(pipeline: providers.FallbackProvider) -> None:
    """Make a pipeline compute ad hoc measures on the highest grades; what others made of it is called by that."""
    # Code that imported methods of this object keeps them, so the object stays and its class changes.
    kind = type(pipeline)
    if not issubclass(kind, Pipeline):
        is_plain = kind is providers.FallbackProvider
        pipeline.__class__ = Pipeline if is_plain else type(kind.__name__, (Pipeline, kind), {})
    own = vars(pipeline).get("_evaluator")
    if own is not None and getattr(own, "func", None) is not _evaluator_of_highest_grades:
        vars(pipeline)["_evaluator"] = partial(_evaluator_of_highest_grades, own)


def set_ndeval_provider(provider: NdevalProvider) -> None:
    """Choose what computes the nine diversity measures that ir_measures names, inside ir_measures, from now on.

    The choice holds for all threads of the process, and for processes that are forked from it; one that is spawned
    starts with ``"pyndeval"``. An evaluator of ir_measures keeps the provider that it was made with. `ndeval_provider`
    chooses for a block of code only.

    Parameters
    ----------
    provider
        ``"pyndeval"``, as without irdiv, or ``"irdiv"``. With irdiv, ``ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG, NRBP,
        nNRBP, AP_IA, P_IA`` and ``StRecall`` take several values of α or ``rel`` in one call, ``judged_only``, any
        cutoff, runs in any order of rows and intents by any column name; ties of scores are ordered by doc id
        descending, as in ndeval -traditional.
    """
    require(choice(*get_args(NdevalProvider)), provider=provider)
    install()  # without effect, unless ir_measures was reloaded
    choose_for_process(provider)


@contextmanager
def ndeval_provider(provider: NdevalProvider) -> Iterator[None]:
    """Choose as `set_ndeval_provider` does, for the block of a ``with`` statement or for a decorated function.

    Other threads and asyncio tasks are not affected. Nor are threads that are started inside the block, unless they
    run in a copy of its context, ``contextvars.copy_context().run``, as those of ``asyncio.to_thread`` do. Inside the
    block, `set_ndeval_provider` changes only what holds outside of it.

    Parameters
    ----------
    provider
        ``"pyndeval"`` or ``"irdiv"``.

    Examples
    --------
    >>> import irdiv
    >>> qrels = [ir_measures.Qrel("1", "d1", 1, "cat"), ir_measures.Qrel("1", "d2", 1, "car")]
    >>> run = {"1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}
    >>> measures = [ir_measures.ERR_IA(rel=rel) @ 30 for rel in (1, 2)]
    >>> with irdiv.ndeval_provider("irdiv"):
    ...     sorted(ir_measures.calc_aggregate(measures, qrels, run).items(), key=str)
    [(ERR_IA(rel=2)@30, 0.0), (ERR_IA@30, 0.30056146686451013)]
    """
    require(choice(*get_args(NdevalProvider)), provider=provider)
    install()
    with choose_for_scope(provider):
        yield
