"""Mappings from name to run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import numpy as np

from irdiv.errors import IrdivError, examples, replace_surrogates, warn
from irdiv.frames.ids import natural_argsort, string_array
from irdiv.frames.inputs import RunLike, is_ranked_list
from irdiv.frames.readers import PARQUET, reader_of, without_suffixes
from irdiv.types import PathLike


def named_runs(runs: RunLike | Mapping[str, RunLike]) -> dict[str, RunLike]:
    """Return a mapping from name to run; a single run is named after its file, or ``run``.

    The path of a folder stands for all the runs in it, unless it is a folder of Parquet files, which is one run.
    """
    if isinstance(runs, str | os.PathLike):
        return _runs_of_folder(runs) if is_folder_of_runs(runs) else {run_name(runs): runs}
    if not isinstance(runs, Mapping) or (runs and _is_one_run(list(runs.values()))):
        return {"run": cast("RunLike", runs)}
    if not runs:
        raise IrdivError("no runs given: expected a run or a mapping from name to run.")
    named = {str(name): run for name, run in runs.items()}
    string_array(list(named))  # an error if a name is not valid Unicode
    if len(named) < len(runs):
        raise IrdivError(f"two runs have the same name: {examples(map(str, runs), 9)}.")
    return named


def is_folder_of_runs(path: PathLike) -> bool:
    """Return whether a path is that of a folder, but not of one that is a run of several Parquet files."""
    return os.path.isdir(path) and reader_of(path) is not PARQUET


def run_files(folder: PathLike) -> list[Path]:
    """Return the files of a folder in natural order; it is an error if there are none.

    Hidden files are skipped, as in listings of folders; subfolders and backups of editors are skipped with a warning.
    """
    paths = [path for path in Path(folder).iterdir() if not path.name.startswith(".")]
    files = [path for path in paths if path.is_file() and not path.name.endswith(("~", ".swp"))]
    if not files:
        raise IrdivError(
            f"the folder {str(folder)!r} has no files; expected one for each run, or Parquet files of one run."
        )
    skipped = sorted(f"{path.name}/" if path.is_dir() else path.name for path in set(paths) - set(files))
    if skipped:
        warn(f"the folder {str(folder)!r} has subfolders or backups, which are not read: {examples(skipped)}.")
    order = natural_argsort([_file_name(path) for path in files])
    return [files[index] for index in order]


def _runs_of_folder(folder: PathLike) -> dict[str, RunLike]:
    files = run_files(folder)
    named: dict[str, RunLike] = {run_name(path): path for path in files}
    if len(named) < len(files):
        names = [run_name(path) for path in files]
        twice = next(path.name for path in files if names.count(run_name(path)) > 1)
        raise IrdivError(f"two files of the folder {str(folder)!r} have the same name but for the ending: {twice!r}.")
    return named


def _is_one_run(values: list[object]) -> bool:
    """Return whether values are the scores or ranked lists of topics, and not runs."""
    return all(map(_maps_to_scores, values)) or all(map(is_ranked_list, values))


def _maps_to_scores(value: object) -> bool:
    return isinstance(value, Mapping) and not any(
        issubclass(type_, Mapping | list | tuple | np.ndarray) for type_ in set(map(type, value.values()))
    )


def run_name(path: PathLike) -> str:
    """Return a file's name without folders and without the endings of gzip and of the formats of runs.

    >>> run_name("runs/bm25.v2.txt.gz")
    'bm25.v2'
    """
    name = _file_name(path)
    return without_suffixes(name) or name


def _file_name(path: PathLike) -> str:
    """Return the name of a file, with a replacement character for each byte that is not UTF-8."""
    return replace_surrogates(Path(path).name)


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
