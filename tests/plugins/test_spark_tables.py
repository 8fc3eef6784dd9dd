"""Arrow tables of many topics that tasks on Spark exchange and score, without Spark."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.plugins import spark_tasks
from irdiv.plugins.spark_tables import TableColumns, keep_topics, pack, unpack
from spark_helpers import QRELS, RUNS, SPECS, table

pytestmark = pytest.mark.slow


def test_packed_tables_have_dictionaries_of_their_own_topics():
    topics = [f"topic {n}" for n in range(50)] * 2
    rows = pa.table({"q": topics, "d": [f"d{n}" for n in range(100)], "i": ["1", "2"] * 50, "g": [1] * 99 + [300]})
    packed = pa.Table.from_batches(pack(rows.to_batches(9), TableColumns("qrels", "q", "d", ["i"]), 8))
    assert len(packed) == len(set(packed["bucket"].to_pylist())) > 1
    found = []
    for index in range(len(packed)):
        part = unpack(packed.slice(index, 1))
        assert set(part["q"].chunk(0).dictionary.to_pylist()) == set(part["q"].to_pylist())
        assert pa.types.is_dictionary(part["i"].type)
        assert part["g"].type == pa.int16()
        found += part.select(rows.column_names).to_pylist()
    assert sorted(found, key=lambda row: int(row["d"][1:])) == rows.to_pylist()


@pytest.mark.parametrize("judgments", [1, 10, 10**6])
def test_many_topics_of_a_task_are_scored_in_parts(monkeypatch, judgments):
    monkeypatch.setattr(spark_tasks, "JUDGMENTS_PER_TASK", judgments)
    qrels, run = QRELS, RUNS["system 1"]
    highest = int(qrels["relevance"].max())
    run_schema = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()})
    specs = {spec: spec for spec in SPECS}
    judged = TableColumns("qrels", "query_id", "doc_id", ["intent_id"])
    ranked = TableColumns("run", "query_id", "doc_id", [])
    task = spark_tasks.Task([None], specs, highest, judged, ranked, run_schema, "docid_desc", "error").score_packed
    packed = [
        pa.Table.from_batches(pack(pa.Table.from_pandas(frame, preserve_index=False).to_batches(9), columns, 1))
        for frame, columns in ((qrels, judged), (run[["query_id", "doc_id", "score"]], ranked))
    ]
    expected = table(irdiv.evaluate(qrels, run, SPECS).frame)
    pd.testing.assert_frame_equal(table(task(*packed).to_pandas()), expected, check_dtype=False, check_exact=True)
    other = pa.table({"query_id": ["other"], "doc_id": ["d"], "score": [1.0]})
    of_other_topics = pa.Table.from_batches(pack(other.to_batches(), ranked, 1))
    assert task(packed[0], packed[1].slice(0, 0)).equals(task(packed[0], of_other_topics))
    assert len(task(packed[0].slice(0, 0), packed[1])) == 0


def test_rows_of_other_topics_are_checked_and_not_kept():
    topics = pa.array(["1", "3"], pa.large_string())
    rows = pa.table({"qid": ["1", "2", "3", "1"], "docno": ["a", "b", "c", "d"], "score": [1.0, 2.0, 3.0, 4.0]})
    kept = pa.Table.from_batches(keep_topics(rows.to_batches(2), topics, "docid_desc"))
    assert kept["docno"].to_pylist() == ["a", "c", "d"]
    bad = rows.set_column(2, "score", pa.array([1.0, float("nan"), 3.0, 4.0]))
    with pytest.raises(IrdivError, match="column 'score' of the run must hold finite numbers"):
        list(keep_topics(bad.to_batches(), topics, "docid_desc"))
