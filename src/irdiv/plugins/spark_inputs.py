"""What is known of qrels and runs on Spark before topics are scored, in few passes over their rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from irdiv.arrays.ranking import no_common_topic_error
from irdiv.errors import IrdivError
from irdiv.frames.columns import ADHOC_ITERATIONS, ITERATION
from irdiv.frames.ids import Ids, string_array
from irdiv.types import PathLike

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

RUN = "run"
INTEGER_TYPES = ("tinyint", "smallint", "int", "bigint")
FOOTER_COUNT = 1000
"""How many files at most have their schemas and statistics read by the driver."""


class QrelsFacts(NamedTuple):
    """What depends on all judgments."""

    highest: int
    """The highest grade, which ERR needs."""
    row_count: int
    has_iterations: bool
    """Whether the column of iterations has intents: those of one task may all be 0, as in ad hoc qrels."""


def pyspark_functions() -> ModuleType:
    """Return the functions of columns, or raise an error that says how to install Spark."""
    try:
        from pyspark.sql import functions
    except ImportError:
        raise IrdivError(
            "Spark 4 is not installed: pip install 'irdiv[spark]'; it needs Java 17 or newer too."
        ) from None
    return functions


def find_session(*data: DataFrame | PathLike) -> SparkSession:
    """Return the session of the first frame, or the active one if all data are paths."""
    from pyspark.sql import SparkSession

    frames = [item for item in data if not isinstance(item, str | os.PathLike)]
    session = frames[0].sparkSession if frames else SparkSession.getActiveSession()
    if session is None:
        raise IrdivError("no Spark session is active: make one by SparkSession.builder.getOrCreate().")
    return session


def as_frame(data: DataFrame | PathLike, session: SparkSession) -> DataFrame:
    """Return data as a frame; a path is that of Parquet files."""
    return session.read.parquet(os.fspath(data)) if isinstance(data, str | os.PathLike) else data


def read_qrels_facts(qrels: DataFrame, names: Mapping[str, str], uris: Sequence[str]) -> QrelsFacts:
    """Return what depends on all judgments, by the statistics of files where they tell, or else in one pass.

    ``names`` are the columns of the qrels, by what they hold, and ``uris`` their Parquet files, if they are just files.
    """
    functions = pyspark_functions()
    grades = [names[name] for name in ("relevance", "max_grade") if name in names]
    has_iteration = names.get("intent_id") == ITERATION
    found = _statistics(uris, qrels, grades) if uris and not has_iteration else None
    if found is None:
        iteration = functions.col(ITERATION).cast("string").isin(*ADHOC_ITERATIONS) if has_iteration else None
        rows, other, *found_grades = qrels.agg(
            functions.count("*"),
            functions.max(~iteration) if iteration is not None else functions.lit(False),
            *(functions.max(functions.col(name).cast("double")) for name in grades),
        ).collect()[0]
        found = int(rows), [value for value in found_grades if value is not None], bool(other)
    rows, highest, other = found
    if not highest:
        raise IrdivError("the qrels are empty: expected at least one row.")
    return QrelsFacts(max(int(max(highest)), 0), rows, other)


def _statistics(uris: Sequence[str], frame: DataFrame, columns: Sequence[str]) -> tuple[int, list[int], bool] | None:
    """Return the count of rows and the highest integers of columns by the footers of Parquet files.

    None if there are many files or one lacks the statistics.
    """
    types = dict(frame.dtypes)
    if len(uris) > FOOTER_COUNT or any(types[name] not in INTEGER_TYPES for name in columns):
        return None
    rows, highest = 0, []
    for uri in uris:
        try:
            filesystem, path = pyarrow.fs.FileSystem.from_uri(uri)
            footer = pq.read_metadata(path, filesystem=filesystem)
        except (pa.ArrowException, OSError):  # a file system that pyarrow does not know
            return None
        rows += footer.num_rows
        for group in map(footer.row_group, range(footer.num_row_groups)):
            chunks = {chunk.path_in_schema: chunk for chunk in map(group.column, range(group.num_columns))}
            for name in columns:
                statistics = chunks[name].statistics if name in chunks else None
                if statistics is None or not statistics.has_min_max:
                    return None
                highest.append(int(statistics.max))
    return rows, highest, False


def read_run_names(runs: DataFrame) -> list[str | None]:
    """Return the names of all runs, or None as the one name where there is no column of them."""
    if RUN not in runs.columns:
        return [None]
    names = [row[0] for row in runs.select(RUN).distinct().collect()]
    if not names:
        raise IrdivError("the runs are empty: expected at least one row.")
    if None in names:
        raise IrdivError("the runs have a missing name: column 'run' is null in some row. Give every row its system.")
    return sorted(names, key=str)


def normalize_ids(frame: DataFrame, column: str) -> DataFrame:
    """Return a frame with a column of ids as strings, written as `irdiv.evaluate` does: 51.0 is the topic 51."""
    functions = pyspark_functions()
    values: Column = functions.col(column)
    if (
        dict(frame.dtypes)[column] in ("double", "float")
        and frame.filter(values != functions.rint(values)).select(column).isEmpty()
    ):
        values = functions.when(~functions.isnan(values), values.cast("bigint"))
    return frame.withColumn(column, values.cast("string"))


def read_topics(qrels: DataFrame, query: str) -> Ids:
    """Return the topics of small qrels."""
    return string_array([row[0] for row in qrels.select(query).distinct().collect() if row[0] is not None])


def require_common_topics(qrels: DataFrame, runs: DataFrame, query: str) -> None:
    """Raise an error if no topic of the runs is in the qrels; a sample of topics decides most cases."""
    functions = pyspark_functions()
    some = list(dict.fromkeys(row[0] for row in runs.select(query).take(1000)))
    # One that is found in the first rows ends the search, where a count would go through all of them.
    if not qrels.select(query).filter(functions.col(query).isin(some)).isEmpty():
        return
    if runs.select(query).join(qrels.select(query).distinct(), query, "left_semi").isEmpty():
        raise no_common_topic_error([row[0] for row in qrels.select(query).take(4)], some)
