"""The caller's frame library: results are frames of the library that the arguments are of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, overload

import narwhals as nw
import pandas as pd
import pyarrow as pa

from irdiv.frames.streams import is_stream

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

P = ParamSpec("P")
FrameT = TypeVar("FrameT", bound="IntoDataFrame")
FrameT_co = TypeVar("FrameT_co", bound="IntoDataFrame", covariant=True)

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
"""A frame library, by the name of its package."""


class FrameHolder(Generic[FrameT_co]):
    """An object whose frames are all of one library."""

    backend: Backend


class QrelsObject:
    """An object that is accepted in place of qrels, but not of a run."""


class QrelsHolder(QrelsObject):
    """An object with qrels, which is accepted in place of the qrels."""

    qrels: object
    """Qrels in any form."""


def backend_of(data: object) -> Backend | None:
    """Return the library of a frame, or of the frames that an object holds; None for anything else, such as a path.

    Arrow datasets and streams and DuckDB relations belong to pyarrow.
    """
    if isinstance(data, FrameHolder):
        return data.backend
    if isinstance(data, QrelsHolder):
        return backend_of(data.qrels)
    if isinstance(data, pd.DataFrame):
        return "pandas"
    if isinstance(data, str | os.PathLike):
        return None
    if is_stream(data):
        return "pyarrow"
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return None
    implementation = frame.implementation
    return "polars" if implementation.is_polars() else "pyarrow" if implementation.is_pyarrow() else "pandas"


def common_backend(*data: object) -> Backend:
    """Return the library of the first frame among some data, or pandas if none is a frame."""
    return next((backend for backend in map(backend_of, data) if backend is not None), "pandas")


def callers_backend(data: object) -> Backend:
    """Return the library of a frame, or of the first frame that a mapping holds, or pandas if there is none."""
    values = data.values() if isinstance(data, Mapping) else [data]
    return common_backend(*(value for value in values if not isinstance(value, Mapping)))


def to_backend(table: pa.Table, backend: Backend) -> Any:
    """Return an Arrow table as a frame of a library."""
    if backend == "pyarrow":
        return table
    if backend == "polars":
        import polars

        return polars.from_arrow(table)
    return table.to_pandas()


def from_pandas(frame: pd.DataFrame, backend: Backend) -> Any:
    """Return a pandas frame as one of a library; an index other than a RangeIndex becomes columns."""
    if backend == "pandas":
        return frame
    indexed = not isinstance(frame.index, pd.RangeIndex)
    return to_backend(pa.Table.from_pandas(frame.reset_index() if indexed else frame, preserve_index=False), backend)


class ReturnsCallersFrame(Protocol[P]):
    """A function that returns a frame of the library of its first argument, or of pandas if that is no frame.

    If the first argument is a mapping, it is the library of the first frame in it.
    """

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, data: FrameHolder[FrameT], /, *args: P.args, **options: P.kwargs
    ) -> FrameT: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, data: FrameT, /, *args: P.args, **options: P.kwargs
    ) -> FrameT: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, data: Mapping[str, FrameHolder[FrameT]], /, *args: P.args, **options: P.kwargs
    ) -> FrameT: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, data: Mapping[str, FrameT], /, *args: P.args, **options: P.kwargs
    ) -> FrameT: ...
    @overload
    def __call__(self, data: object, /, *args: P.args, **options: P.kwargs) -> pd.DataFrame: ...


def returns_callers_frame(function: Callable[Concatenate[Any, P], pd.DataFrame]) -> ReturnsCallersFrame[P]:
    """Decorate a function that returns pandas frames to return frames of the library of its first argument."""
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def converted(*args: Any, **options: Any) -> Any:
        data = args[0] if args else options.get(first)
        return from_pandas(function(*args, **options), callers_backend(data))

    return converted
