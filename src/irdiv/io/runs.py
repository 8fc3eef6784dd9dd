"""Names of runs: in mappings, of files and of folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import numpy as np

from irdiv.errors import IrdivError, examples, replace_surrogates, warn
from irdiv.io.ids import natural_argsort, string_array
from irdiv.io.streams import PARQUET_SUFFIXES, is_parquet
from irdiv.io.tables import RunLike, is_ranked_list
from irdiv.io.trec import TREC_RUN, read_table
from irdiv.types import PathLike

_SUFFIXES = (".gz", ".txt", ".run", ".res", ".trec", *PARQUET_SUFFIXES)


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


def _is_one_run(values: list[object]) -> bool:
    """Return whether values are the scores or ranked lists of topics, and not runs."""
    are_scores = all(
        isinstance(value, Mapping)
        and not any(issubclass(kind, Mapping | list | tuple | np.ndarray) for kind in set(map(type, value.values())))
        for value in values
    )
    return are_scores or all(map(is_ranked_list, values))


def is_folder_of_runs(path: PathLike) -> bool:
    """Return whether a path is that of a folder, but not of one that is a run of several Parquet files."""
    return os.path.isdir(path) and not is_parquet(path)


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
    order = natural_argsort([replace_surrogates(path.name) for path in files])
    return [files[index] for index in order]


def _runs_of_folder(folder: PathLike) -> dict[str, RunLike]:
    files = run_files(folder)
    counts = Counter(map(run_name, files))
    twice = [path.name for path in files if counts[run_name(path)] > 1]
    if twice:
        raise IrdivError(
            f"two files of the folder {str(folder)!r} have the same name but for the ending: {twice[0]!r}."
        )
    return {run_name(path): path for path in files}


def run_name(path: PathLike) -> str:
    """Return a file's name without folders and without the endings of gzip and of the formats of runs.

    A byte that is not UTF-8 becomes a replacement character.

    >>> run_name("runs/bm25.v2.txt.gz")
    'bm25.v2'
    """
    file_name = name = replace_surrogates(Path(path).name)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name or file_name


def run_tag(path: PathLike) -> str:
    """Return the tag of a TREC run file, its name inside the file."""
    if is_parquet(path):
        raise IrdivError(
            f"{os.fspath(path)!r} is a Parquet file, and only TREC files have a tag; name runs by their files."
        )
    return str(read_table(path, TREC_RUN)["run"][0])
