"""Which provider computes ndeval's nine measures inside ir_measures: one choice for the process, others for scopes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

NdevalProvider: TypeAlias = Literal["irdiv", "pyndeval"]

_of_process: NdevalProvider = "pyndeval"
_of_scope: ContextVar[NdevalProvider | None] = ContextVar("ndeval_provider", default=None)


def chosen() -> NdevalProvider:
    """Return the choice of the innermost scope, or that of the process outside of all scopes."""
    return _of_scope.get() or _of_process


def choose_for_process(provider: NdevalProvider) -> None:
    """Choose a provider wherever no scope has chosen another."""
    global _of_process
    _of_process = provider


@contextmanager
def choose_for_scope(provider: NdevalProvider) -> Iterator[None]:
    """Choose a provider for what is called inside a block."""
    token = _of_scope.set(provider)
    try:
        yield
    finally:
        _of_scope.reset(token)
