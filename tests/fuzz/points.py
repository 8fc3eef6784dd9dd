"""All entry points of irdiv, and what each can carry."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from reference.measures import OF_IR_MEASURES

from . import points_files as files
from . import points_frames as frames
from . import points_plugins as plugins
from .case import Case
from .naive_values import Values


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


def has_common_topics(case: Case) -> bool:
    """`Collection.score` takes rankings for topics of the collection only."""
    judged = {row.topic for row in case.judgments}
    return has_one_order(case) and all(judged & {row.topic for row in rows} for rows in case.runs.values())


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
    "pandas": Point(frames.by_pandas),
    "pandas with types": Point(frames.by_typed_pandas),
    "polars": Point(frames.by_polars),
    "Arrow": Point(frames.by_arrow),
    "dicts": Point(frames.by_dicts, has_distinct_rows),
    "ranked lists": Point(frames.by_ranked_lists, has_one_order),
    "namedtuples": Point(frames.by_namedtuples, suits_namedtuples),
    "batches": Point(frames.by_batches),
    "Arrow stream": Point(frames.by_stream),
    "Arrow dataset": Point(frames.by_dataset),
    "DuckDB": Point(frames.by_duckdb),
    "run column": Point(frames.by_run_column),
    "saved collection": Point(frames.by_collection),
    "Collection.score": Point(frames.by_score, has_common_topics),
    "TREC files": Point(files.by_trec_files, is_text),
    "gzip": Point(files.by_gzip, is_text),
    "Parquet": Point(files.by_parquet),
    "Parquet at once": Point(files.by_parquet_at_once),
    "command": Point(files.by_command, is_text),
    "ir_measures": Point(plugins.by_ir_measures, suits_ir_measures),
    "process": Point(files.by_process, is_text, is_slow=True),
    **({"PyTerrier": Point(plugins.by_pyterrier, suits_ir_measures)} if find_spec("pyterrier") else {}),
    **({"Spark": Point(plugins.by_spark, orders_without_rows, is_slow=True)} if _HAS_SPARK else {}),
}
"""By name; all others are compared with the first, and that with the reference."""

CHEAP = [name for name, point in POINTS.items() if not point.is_slow and name != "pandas"]
