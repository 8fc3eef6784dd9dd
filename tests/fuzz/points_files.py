"""Entry points that read files: TREC, gzip, Parquet, and the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pyarrow.parquet as pq

import irdiv
from irdiv_cli import main

from .case import Case
from .naive_values import Values
from .points_frames import arrow_qrels, arrow_runs, values_of
from .storage import arrow_table, intent_columns, qrels_columns


def write_trec(case: Case, folder: Path, suffix: str = "") -> tuple[Path, dict[str, Path]]:
    """Write qrels and runs as TREC files, and return their paths."""
    write: Callable[[Path, str], object] = _write_gzip if suffix == ".gz" else _write_text
    qrels = folder / f"qrels.txt{suffix}"
    lines = [f"{row.topic} {'0' if row.intent is None else row.intent} {row.doc} {row.grade}" for row in case.judgments]
    write(qrels, "\n".join(lines) + "\n")
    paths = {}
    for name, rows in case.runs.items():
        paths[name] = folder / f"{name}.run{suffix}"
        ranked = [
            f"{row.topic} Q0 {row.doc} {number if row.rank is None else row.rank} {row.score!r} tag"
            for number, row in enumerate(rows, 1)
        ]
        write(paths[name], "\n".join(ranked) + "\n")
    return qrels, paths


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _write_gzip(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), 1))


def write_intents(case: Case, folder: Path) -> Path:
    """Write the intent table as CSV."""
    columns = intent_columns(case)
    path = folder / "intents.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def by_trec_files(case: Case, folder: Path, suffix: str = "") -> Values:
    qrels, runs = write_trec(case, folder, suffix)
    folded = irdiv.with_intents(qrels, write_intents(case, folder)) if case.intents else qrels
    return values_of(case, folded, runs)


def by_gzip(case: Case, folder: Path) -> Values:
    return by_trec_files(case, folder, ".gz")


def by_parquet(case: Case, folder: Path) -> Values:
    paths = {"qrels": folder / "qrels.parquet", **{name: folder / f"{name}.parquet" for name in case.runs}}
    for name, table in {"qrels": arrow_qrels(case), **arrow_runs(case)}.items():
        pq.write_table(table, paths[name], row_group_size=case.batch_rows)
    runs = {name: paths[name] for name in case.runs}
    return values_of(case, paths["qrels"], runs, batch_rows=case.batch_rows)


def by_parquet_at_once(case: Case, folder: Path) -> Values:
    """Return the values of Parquet with an intent table in Parquet, all in memory."""
    pq.write_table(arrow_table(qrels_columns(case), case.types, "qrels"), folder / "qrels.parquet")
    qrels: object = folder / "qrels.parquet"
    if case.intents:
        pq.write_table(arrow_table(intent_columns(case), {}, ""), folder / "intents.parquet")
        qrels = irdiv.with_intents(folder / "qrels.parquet", folder / "intents.parquet")
    return values_of(case, qrels, arrow_runs(case))


def _arguments(case: Case, folder: Path) -> list[str]:
    qrels, runs = write_trec(case, folder)
    table = ["--intent-table", str(write_intents(case, folder))] if case.intents else []
    options = ["--ties", case.ties, "--duplicates", case.duplicates]
    return ["eval", str(qrels), *map(str, runs.values()), "-q", "-o", "jsonl", *options, *table, "-m", *case.specs]


def _printed_values(lines: str) -> Values:
    rows = map(json.loads, lines.splitlines())
    return {(row["run"], row["query_id"], row["measure"]): row["value"] for row in rows}


def by_command(case: Case, folder: Path) -> Values:
    """Return what the command prints, run in this process; its error message is raised again."""
    printed, said = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(said):
        code = main(_arguments(case, folder))
    if code:
        raise irdiv.IrdivError(said.getvalue())
    return _printed_values(printed.getvalue())


def by_process(case: Case, folder: Path) -> Values:
    """Return what the command prints in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "irdiv", *_arguments(case, folder)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    if ran.returncode:
        raise irdiv.IrdivError(ran.stderr)
    return _printed_values(ran.stdout)
