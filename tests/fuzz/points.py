"""All entry points of irdiv, what each can carry, and what differs between their values."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache, lru_cache
from importlib.util import find_spec
from math import isclose, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import ir_measures
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import irdiv
from irdiv_cli import main
from reference.measures import OF_IR_MEASURES

from .case import Case, Values, naive_values, ranking
from .spark_session import local_session
from .storage import NAMES, arrow_table, intent_columns, pandas_frame, polars_frame, qrels_columns, run_columns


def values_of(case: Case, qrels: Any, runs: Any, **options: object) -> Values:
    """Return the values of a case whose qrels and runs are in some form."""
    evaluation = irdiv.evaluate(qrels, runs, case.specs, **case.options, **options)
    return {
        (run, topic, spec): value
        for run, of_run in zip(evaluation.runs, evaluation.values.tolist(), strict=True)
        for spec, of_spec in zip(case.specs, of_run, strict=True)
        for topic, value in zip(evaluation.query_ids.tolist(), of_spec, strict=True)
    }


@lru_cache(maxsize=1)
def pandas_qrels(case: Case) -> pd.DataFrame:
    """Return the qrels with intents folded in, all columns as pandas has them by default."""
    frame = pandas_frame(qrels_columns(case))
    return irdiv.with_intents(frame, pandas_frame(intent_columns(case))) if case.intents else frame


@lru_cache(maxsize=1)
def pandas_runs(case: Case) -> dict[str, pd.DataFrame]:
    return {name: pandas_frame(run_columns(case, name)) for name in case.runs}


def by_pandas(case: Case, folder: Path) -> Values:
    return values_of(case, pandas_qrels(case), pandas_runs(case))


def by_frames(make_frame: Callable[..., Any]) -> Callable[[Case, Path], Values]:
    """Return the entry point of frames of a library, whose columns have types of their own."""

    def values(case: Case, folder: Path) -> Values:
        qrels = make_frame(qrels_columns(case), case.types, "qrels")
        if case.intents:
            qrels = irdiv.with_intents(qrels, make_frame(intent_columns(case), {}, ""))
        runs = {name: make_frame(run_columns(case, name), case.types, "run") for name in case.runs}
        return values_of(case, qrels, runs)

    return values


@lru_cache(maxsize=1)
def arrow_qrels(case: Case) -> pa.Table:
    qrels = arrow_table(qrels_columns(case), case.types, "qrels")
    return irdiv.with_intents(qrels, arrow_table(intent_columns(case), {}, "")) if case.intents else qrels


@lru_cache(maxsize=1)
def arrow_runs(case: Case) -> dict[str, pa.Table]:
    return {name: arrow_table(run_columns(case, name), case.types, "run") for name in case.runs}


def by_dicts(case: Case, folder: Path) -> Values:
    """Return the values of dicts of dicts: of runs, and of qrels that have no intents."""
    qrels: Any = pandas_qrels(case)
    if not case.has_intents:
        qrels = {}
        for row in case.judgments:
            qrels.setdefault(row.topic, {})[row.doc] = row.grade
    runs: dict[str, Any] = {name: {} for name in case.runs}
    for name, rows in case.runs.items():
        for row in rows:
            runs[name].setdefault(row.topic, {})[row.doc] = row.score
    return values_of(case, qrels, runs)


def by_ranked_lists(case: Case, folder: Path) -> Values:
    lists = {name: ranking(case, name) for name in case.runs}
    return values_of(case, pandas_qrels(case), lists)


def by_namedtuples(case: Case, folder: Path) -> Values:
    qrels: Any = [
        ir_measures.Qrel(row.topic, row.doc, row.grade, "0" if row.intent is None else row.intent)
        for row in case.judgments
    ]
    if case.intents:
        qrels = irdiv.with_intents(qrels, pandas_frame(intent_columns(case)))
    runs = {name: [ir_measures.ScoredDoc(*row[:3]) for row in rows] for name, rows in case.runs.items()}
    return values_of(case, qrels, runs)


def by_batches(case: Case, folder: Path) -> Values:
    return values_of(case, pandas_qrels(case), pandas_runs(case), batch_rows=case.batch_rows)


def by_stream(case: Case, folder: Path) -> Values:
    def stream(table: pa.Table) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=case.batch_rows))

    runs = {name: stream(table) for name, table in arrow_runs(case).items()}
    return values_of(case, stream(arrow_qrels(case)), runs, batch_rows=case.batch_rows)


def by_dataset(case: Case, folder: Path) -> Values:
    runs = {name: ds.dataset(table) for name, table in arrow_runs(case).items()}
    return values_of(case, ds.dataset(arrow_qrels(case)), runs)


def by_duckdb(case: Case, folder: Path) -> Values:
    runs = {name: _connection().from_arrow(table) for name, table in arrow_runs(case).items()}
    return values_of(case, _connection().from_arrow(arrow_qrels(case)), runs, batch_rows=case.batch_rows)


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def by_run_column(case: Case, folder: Path) -> Values:
    runs = pd.concat([frame.assign(system=name) for name, frame in pandas_runs(case).items()])
    return values_of(case, pandas_qrels(case), runs, run_column="system")


def write_trec(case: Case, folder: Path, suffix: str = "") -> tuple[Path, dict[str, Path]]:
    """Write qrels and runs as TREC files, and return their paths."""
    qrels = folder / f"qrels.txt{suffix}"
    lines = [f"{row.topic} {'0' if row.intent is None else row.intent} {row.doc} {row.grade}" for row in case.judgments]
    _write(qrels, lines)
    paths = {}
    for name, rows in case.runs.items():
        paths[name] = folder / f"{name}.run{suffix}"
        ranked = [
            f"{row.topic} Q0 {row.doc} {number if row.rank is None else row.rank} {row.score!r} tag"
            for number, row in enumerate(rows, 1)
        ]
        _write(paths[name], ranked)
    return qrels, paths


def _write(path: Path, lines: list[str]) -> None:
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text, 1) if path.suffix == ".gz" else text)


def write_intents(case: Case, folder: Path) -> Path:
    path = folder / "intents.csv"
    pandas_frame(intent_columns(case)).to_csv(path, index=False)
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


def by_command(case: Case, folder: Path) -> Values:
    """Return what the command prints; its error message is raised again."""
    qrels, runs = write_trec(case, folder)
    table = ["--intent-table", str(write_intents(case, folder))] if case.intents else []
    options = ["--ties", case.ties, "--duplicates", case.duplicates, *table]
    printed, said = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(said):
        files = map(str, [qrels, *runs.values()])
        code = main(["eval", *files, "-q", "-o", "jsonl", *options, "-m", *case.specs])
    if code:
        raise irdiv.IrdivError(said.getvalue())
    rows = map(json.loads, printed.getvalue().splitlines())
    return {(row["run"], row["query_id"], row["measure"]): row["value"] for row in rows}


@contextmanager
def _computed_by_irdiv() -> Iterator[None]:
    irdiv.plugins.ir_measures.set_ndeval_provider("irdiv")
    try:
        yield
    finally:
        irdiv.plugins.ir_measures.set_ndeval_provider("pyndeval")


def by_ir_measures(case: Case, folder: Path) -> Values:
    with _computed_by_irdiv():
        measures = {ir_measures.parse_measure(spec): spec for spec in case.specs}
        return {
            (name, metric.query_id, measures[metric.measure]): metric.value
            for name, run in pandas_runs(case).items()
            for metric in ir_measures.iter_calc(list(measures), pandas_qrels(case), run)
        }


def by_pyterrier(case: Case, folder: Path) -> Values:
    import pyterrier as pt

    qrels = pandas_qrels(case).rename(columns=NAMES["PyTerrier"])
    runs = {name: pt.model.from_ir_measures(run) for name, run in pandas_runs(case).items()}
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "a topic"})
    options = {"names": list(runs), "perquery": True, "validate": "ignore"}
    with _computed_by_irdiv():
        table = pt.Experiment(list(runs.values()), topics, qrels, case.specs, **options)
    return {(row.name, row.qid, row.measure): row.value for row in table.itertuples(index=False)}


@cache
def _spark() -> Any:
    return local_session(Path(tempfile.mkdtemp()))


def by_spark(case: Case, folder: Path) -> Values:
    from irdiv.plugins import spark

    together = pd.concat([frame.assign(run=name) for name, frame in pandas_runs(case).items()])
    frames = [frame.astype(object).where(frame.notna(), None) for frame in (pandas_qrels(case), together)]
    qrels, runs = map(_spark().createDataFrame, frames)
    table = spark.evaluate(qrels, runs, case.specs, tasks=2, **case.options).toPandas()
    return {(row.run, row.query_id, row.measure): row.value for row in table.itertuples(index=False)}


class Point(NamedTuple):
    """A way to have a collection scored."""

    values: Callable[[Case, Path], Values]
    """Return the values of a case; a folder for files is given."""
    carries: Callable[[Case], bool] = lambda case: True
    """Return whether a case, also one with a mistake, can be stated in this form."""
    is_slow: bool = False


def orders_by_score(case: Case) -> bool:
    """Namedtuples of ir_measures and dicts have no ranks."""
    return case.ties != "rank"


def orders_by_default(case: Case) -> bool:
    """Other packages have no options for ties and repeated documents."""
    return case.ties == "docid_desc" and case.duplicates == "error"


def orders_without_rows(case: Case) -> bool:
    """Rows on Spark have no order."""
    return case.ties != "input"


def has_distinct_rows(case: Case) -> bool:
    """Dicts have one score for a document, and one grade."""
    pairs = [(name, row.topic, row.doc) for name, rows in case.runs.items() for row in rows]
    return orders_by_score(case) and len(set(pairs)) == len(pairs) and (case.has_intents or _has_one_grade(case))


def _has_one_grade(case: Case) -> bool:
    return len({row[:3] for row in case.judgments}) == len(set(case.judgments))


def has_one_order(case: Case) -> bool:
    """Lists have no scores."""
    return all(isfinite(row.score) for rows in case.runs.values() for row in rows)


def has_intents_besides_0(case: Case) -> bool:
    """In a column of iterations, 0 and Q0 are not intents if there is no other."""
    intents = {row.intent for row in case.judgments} | {row.intent for row in case.intents}
    return not case.has_intents or not intents <= {"0", "Q0"}


def suits_namedtuples(case: Case) -> bool:
    return has_intents_besides_0(case) and orders_by_score(case)


def is_text(case: Case) -> bool:
    """Files of columns hold ids without white space, and every row has an id."""
    ids = case.ids()
    judged = [row.intent for row in case.judgments]
    return (
        has_intents_besides_0(case)
        and all(i and not set(i) & set(" \t\r\n") for i in ids)
        and (None not in judged or not case.has_intents)
    )


def suits_ir_measures(case: Case) -> bool:
    """Inside ir_measures, names of its own are computed by its other providers."""
    names = {spec.split("@")[0].split("(")[0] for spec in case.specs}
    return orders_by_default(case) and names.isdisjoint(OF_IR_MEASURES)


_HAS_SPARK = find_spec("pyspark") is not None and shutil.which("java") is not None

POINTS: dict[str, Point] = {
    "pandas": Point(by_pandas),
    "pandas with types": Point(by_frames(pandas_frame)),
    "polars": Point(by_frames(polars_frame)),
    "Arrow": Point(by_frames(arrow_table)),
    "dicts": Point(by_dicts, has_distinct_rows),
    "ranked lists": Point(by_ranked_lists, has_one_order),
    "namedtuples": Point(by_namedtuples, suits_namedtuples),
    "batches": Point(by_batches),
    "Arrow stream": Point(by_stream),
    "Arrow dataset": Point(by_dataset),
    "DuckDB": Point(by_duckdb),
    "run column": Point(by_run_column),
    "TREC files": Point(by_trec_files, is_text),
    "gzip": Point(by_gzip, is_text),
    "Parquet": Point(by_parquet),
    "command": Point(by_command, is_text),
    "ir_measures": Point(by_ir_measures, suits_ir_measures),
    **({"PyTerrier": Point(by_pyterrier, suits_ir_measures)} if find_spec("pyterrier") else {}),
    **({"Spark": Point(by_spark, orders_without_rows, is_slow=True)} if _HAS_SPARK else {}),
}
"""By name; all others are compared with the first, and that with the reference."""

CHEAP = [name for name, point in POINTS.items() if not point.is_slow and name != "pandas"]


TOLERANCE = 1e-9


def values_by(name: str, case: Case) -> Values:
    """Return the values of a case by an entry point."""
    with tempfile.TemporaryDirectory(prefix="irdiv-fuzz-") as folder, warnings.catch_warnings():
        # Small collections have topics without relevant documents and runs without judged ones, on purpose.
        warnings.simplefilter("ignore")
        return POINTS[name].values(case, Path(folder))


def differences(case: Case, points: Iterable[str]) -> list[str]:
    """Return what differs: pandas from the reference, and entry points from pandas in any bit."""
    found = values_by("pandas", case)
    lines = _compare("the reference", naive_values(case), "pandas", found, is_close)
    for name in points:
        if POINTS[name].carries(case):
            lines += _compare("pandas", found, name, values_by(name, case), is_same)
    return lines


def is_close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def is_same(one: float, other: float) -> bool:
    """Return whether all bits are the same, also the sign of zero."""
    return float(one).hex() == float(other).hex()


def _compare(one: str, expected: Values, other: str, found: Values, are_equal) -> list[str]:
    if expected.keys() != found.keys():
        missing, extra = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
        return [f"{other} lacks values of {one}: {missing}; it has others: {extra}"]
    return [
        f"{spec} of run {run!r}, topic {topic!r}: {expected[run, topic, spec]!r} by {one}, {value!r} by {other}"
        for (run, topic, spec), value in found.items()
        if not are_equal(expected[run, topic, spec], value)
    ]
