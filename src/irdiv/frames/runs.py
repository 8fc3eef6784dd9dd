"""Mappings from name to run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from irdiv.errors import IrdivError, examples
from irdiv.frames.inputs import RunLike
from irdiv.frames.readers import reader_of, without_suffixes
from irdiv.types import PathLike


def named_runs(runs: RunLike | Mapping[str, RunLike]) -> dict[str, RunLike]:
    """Return a mapping from name to run; a single run is named after its file, or ``run``."""
    if isinstance(runs, str | os.PathLike):
        return {run_name(runs): runs}
    if not isinstance(runs, Mapping) or (runs and all(map(_maps_to_scores, runs.values()))):
        return {"run": cast("RunLike", runs)}
    if not runs:
        raise IrdivError("no runs given: expected a run or a mapping from name to run.")
    named = {str(name): run for name, run in runs.items()}
    if len(named) < len(runs):
        raise IrdivError(f"two runs have the same name: {examples(map(str, runs), 9)}.")
    return named


def _maps_to_scores(value: object) -> bool:
    return isinstance(value, Mapping) and not any(
        issubclass(type_, Mapping) for type_ in set(map(type, value.values()))
    )


def run_name(path: PathLike) -> str:
    """Return a file's name without folders and without the endings of gzip and of the formats of runs.

    >>> run_name("runs/bm25.v2.txt.gz")
    'bm25.v2'
    """
    name = Path(path).name
    return without_suffixes(name) or name


def run_tag(path: PathLike) -> str:
    """Return the tag of a run file, its name inside the file."""
    reader = reader_of(path)
    if reader.read_tag is None:
        raise IrdivError(
            f"{os.fspath(path)!r} is a {reader.name} file, and only TREC files have a tag; name runs by their files."
        )
    return reader.read_tag(Path(path))


def read_in_thread(run: RunLike) -> RunLike:
    """Return the table of a run file that can be read in a thread, and any other run as it is."""
    if not isinstance(run, str | os.PathLike):
        return run
    read = reader_of(run).read_run_in_thread
    table = None if read is None else read(Path(run))
    return run if table is None else table
