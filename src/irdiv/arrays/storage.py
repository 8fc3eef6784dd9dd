"""Compiled collections as Arrow files: one row, in which every array of a collection is a list.

A file states its format and a hash of its content, so that one that was cut off or changed is never used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irdiv.errors import IrdivError
from irdiv.files import write_atomically
from irdiv.types import PathLike

FORMAT = 2
"""The version of the format; one that cannot be read as this one has another."""

_MAGIC = b"ARROW1"
_KEY, _HASH = b"irdiv.collection", b"irdiv.sha256"


def write_arrays(path: PathLike, arrays: Mapping[str, pa.Array | None], facts: Mapping[str, object]) -> None:
    """Write arrays, of which some may be None, and facts, which JSON can hold, to an Arrow file."""
    header = json.dumps({"format": FORMAT, **facts}, sort_keys=True)
    columns = {name: _as_list(array) for name, array in arrays.items()}
    metadata = {_KEY: header.encode(), _HASH: _hash(header, arrays).encode()}
    table = pa.table(columns).replace_schema_metadata(metadata)
    with (
        write_atomically(path) as target,
        pa.OSFile(str(target), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def read_arrays(path: PathLike) -> tuple[dict[str, pa.Array | None], dict[str, Any]]:
    """Return what `write_arrays` wrote; any other file is an error, and so is one that was cut off or changed."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            is_arrow = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise IrdivError(f"cannot read a collection from {name!r}: {error.strerror}.") from error
    if not is_arrow:
        raise IrdivError(f"{name!r} is not a collection: expected an Arrow file that Collection.save wrote.")
    damaged = IrdivError(f"{name!r} was cut off or changed after it was saved; save the collection again.")
    try:
        with pa.OSFile(name, "rb") as source, pa.ipc.open_file(source) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged from error
    metadata = table.schema.metadata or {}
    if _KEY not in metadata:
        raise IrdivError(
            f"{name!r} is an Arrow file, but not a collection: expected one that Collection.save wrote; qrels in Arrow "
            "or Feather files are compiled by irdiv.Collection(pyarrow.feather.read_table(path))."
        )
    try:
        header = metadata[_KEY].decode()
        facts: dict[str, Any] = json.loads(header)
        found = facts["format"]
    except (KeyError, TypeError, ValueError) as error:
        raise damaged from error
    if found != FORMAT:
        raise IrdivError(
            f"{name!r} has the format {found} of saved collections, but this version of irdiv reads the format "
            f"{FORMAT}; save the collection again by this version."
        )
    try:
        arrays = {column: _from_list(table[column]) for column in table.column_names}
        is_intact = metadata.get(_HASH) == _hash(header, arrays).encode()
    except (TypeError, ValueError, AttributeError, pa.ArrowException) as error:
        raise damaged from error
    if not is_intact:
        raise damaged
    return arrays, facts


def _as_list(array: pa.Array | None) -> pa.Array:
    if array is None:
        return pa.array([None], pa.large_list(pa.large_string()))
    return pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)


def _from_list(column: pa.ChunkedArray) -> pa.Array | None:
    (chunk,) = (chunk for chunk in column.chunks if len(chunk))
    return chunk.flatten() if chunk.is_valid()[0].as_py() else None


def _hash(header: str, arrays: Mapping[str, pa.Array | None]) -> str:
    """Return a hash of the content, which does not depend on how Arrow lays it out in a file."""
    digest = sha256(header.encode())
    for name, array in arrays.items():
        digest.update(json.dumps([name, None if array is None else [str(array.type), len(array)]]).encode())
        for part in () if array is None else _parts(array):
            digest.update(part)
    return digest.hexdigest()


def _parts(array: pa.Array) -> Iterator[memoryview]:
    if pa.types.is_large_string(array.type):
        _, offsets, data = array.buffers()
        edges = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
        yield pc.fill_null(pc.binary_length(array), -1).to_numpy(zero_copy_only=False).data
        if data is not None:
            yield memoryview(data)[edges[0] : edges[-1]]
    else:
        yield array.to_numpy(zero_copy_only=False).data
