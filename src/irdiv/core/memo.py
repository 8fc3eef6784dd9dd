"""Values that are computed once for an object and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")
Owner = TypeVar("Owner", bound="Memo")

_MISSING = object()


class Memo:
    """Base class for objects that cache results computed from them.

    The key of a result is the function and its arguments with their types: 1, 1.0 and True are equal, but results may
    differ. The function must not be a closure, so the result can depend on nothing else: a parameter that is missing
    from the arguments cannot be used.
    """

    def __init__(self) -> None:
        self._memo: dict[Hashable, object] = {}

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: all but the cache."""
        return {**self.__dict__, "_memo": {}}

    def cached(self: Owner, function: Callable[Concatenate[Owner, P], T], *arguments: P.args, **options: P.kwargs) -> T:
        """Return ``function(self, *arguments, **options)``, computed the first time and kept."""
        values = (*arguments, *options.values())
        key = (function, values, tuple(options), tuple(map(type, values)))
        found = self._memo.get(key, _MISSING)
        if found is _MISSING:
            if getattr(function, "__closure__", None):
                raise TypeError(f"{function.__qualname__} is a closure, and may depend on more than its arguments")
            found = self._memo[key] = function(self, *arguments, **options)
        return cast(T, found)


def memoized(function: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Decorate a method, or a function of such an object, to return what `Memo.cached` keeps."""

    @wraps(function)
    def kept(owner: Owner, /, *arguments: P.args, **options: P.kwargs) -> T:
        return owner.cached(function, *arguments, **options)

    return kept
