"""Parquet files, and folders of them, as Arrow datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from irdiv.errors import IrdivError

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset

PARQUET_SUFFIXES = (".parquet", ".pq")


def is_parquet(path: Path) -> bool:
    """Return whether a path is that of a Parquet file, or of a folder with such files."""
    try:
        if path.is_dir():
            return bool(_parquet_files(path))
        return path.suffix.lower() in PARQUET_SUFFIXES or (path.is_file() and _has_magic_bytes(path))
    except OSError:
        return False


def _parquet_files(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() in PARQUET_SUFFIXES and path.name[0] not in "._")
    return sorted(map(str, files))


def _has_magic_bytes(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def open_parquet(path: Path, role: str, encoded: Sequence[str] = ()) -> Dataset:
    """Return a Parquet file, or a folder of such files, as a dataset; ``role`` names it in errors.

    Of a single file, the strings of columns that are named as encoded are read as dictionaries.
    """
    from pyarrow import dataset

    if path.is_dir():
        # Values may be in the names of folders, and other files beside those of Parquet.
        options = {"format": "parquet", "partitioning": "hive", "partition_base_dir": str(path)}
        files = _parquet_files(path)
        return dataset.dataset(files, schema=_common_schema(dataset.dataset(files, **options)), **options)
    if not path.exists():
        raise IrdivError(f"no such {role} file: {str(path)!r}")
    file = dataset.dataset(str(path), format="parquet")
    strings = [name for name in encoded if file.schema.field(name).type in (pa.string(), pa.large_string())]
    if not strings:
        return file
    return dataset.dataset(str(path), format=dataset.ParquetFileFormat(dictionary_columns=strings))


def _common_schema(files: Dataset) -> pa.Schema:
    """Return a schema that fits all files of a dataset, where Arrow would take that of the first."""
    types: dict[str, pa.DataType] = {}
    for schema in (*(fragment.physical_schema for fragment in files.get_fragments()), files.schema):
        for name, arrow_type in zip(schema.names, schema.types, strict=True):
            types[name] = _common_type(types.get(name, arrow_type), arrow_type)
    return pa.schema(types)


def _common_type(one: pa.DataType, two: pa.DataType) -> pa.DataType:
    schemas = [pa.schema({"": arrow_type}) for arrow_type in (one, two)]
    try:
        return one if one == two else pa.unify_schemas(schemas, promote_options="permissive").types[0]
    except pa.ArrowTypeError:
        return pa.string()  # ids are numbers in one file and names in another
