"""Rows read chunk by chunk: checked columns, totals, buckets of topics, and what is done ahead in threads."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from irdiv import IrdivError, IrdivWarning
from irdiv.datasets.collection import TestCollection
from irdiv.files import TemporaryFile
from irdiv.frames import buckets, sources
from irdiv.frames.buckets import BucketPlan, TopicBuckets
from irdiv.frames.grouped import GroupedRows, TopicGroups, find_groups
from irdiv.frames.hashes import hash_ids
from irdiv.frames.ids import string_array
from irdiv.frames.parquet import open_parquet
from irdiv.frames.prefetch import prefetch
from irdiv.frames.sources import RowSource, Totals

QRELS = pd.DataFrame(
    {
        "query_id": ["1", "1", "2", "3", "3"],
        "iteration": ["0", "0", "0", "0", "0"],
        "doc_id": list("abcde"),
        "relevance": [1, 0, 2, 1, -1],
    }
)
RUN = pd.DataFrame({"query_id": ["1", "1", "2"], "doc_id": list("abc"), "score": [3.0, 2.0, 1.0]})


def error_of(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


@pytest.fixture
def parquet(tmp_path):
    def write(frame: pd.DataFrame, rows: int = 2):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=rows)
        return path

    return write


class TestChunks:
    def test_a_frame(self, monkeypatch):
        monkeypatch.setattr(sources, "_CHUNK_ROWS", 2)
        source = RowSource(QRELS, "qrels")
        assert [(chunk.start, len(chunk.rows)) for chunk in source.chunks()] == [(0, 2), (2, 2), (4, 1)]
        assert (source.row_count, source.is_single_pass, source.is_in_files) == (5, False, False)
        assert source.columns == list(QRELS.columns)

    def test_a_file(self, parquet):
        source = RowSource(parquet(QRELS.assign(other=1)), "qrels")
        assert (source.row_count, source.is_single_pass, source.is_in_files) == (5, False, True)
        chunks = list(source.chunks())
        assert sum(len(chunk.rows) for chunk in chunks) == 5
        assert [chunk.start for chunk in chunks] == np.cumsum([0, *(len(chunk.rows) for chunk in chunks)])[:-1].tolist()
        assert set(chunks[0].rows.columns) == set(QRELS.columns)
        assert pa.types.is_dictionary(chunks[0].rows.to_native()["query_id"].type)
        assert pa.types.is_dictionary(chunks[0].rows.to_native()["iteration"].type)
        assert not pa.types.is_dictionary(chunks[0].rows.to_native()["doc_id"].type)

    def test_an_object_that_holds_qrels(self):
        assert RowSource(TestCollection("test", QRELS, QRELS, QRELS), "qrels").row_count == 5

    def test_a_stream_that_is_read_once(self):
        source = RowSource(pa.Table.from_pandas(RUN).to_reader(), "run")
        assert (source.row_count, source.is_single_pass, source.is_in_files) == (None, True, False)
        assert error_of(source.raise_if_empty, 0) == (
            "the run came as an Arrow stream without rows; one can be read only once."
        )
        source.raise_if_empty(1)
        assert error_of(RowSource(RUN, "run").raise_if_empty, 0) == (
            "the run is empty: expected at least one row with 'query_id', 'doc_id', 'score'."
        )

    @pytest.mark.parametrize(
        ("change", "names"),
        [
            (lambda frame: frame, ["query_id", "relevance", "iteration"]),
            (lambda frame: frame.assign(max_grade=4), ["query_id", "relevance", "max_grade", "iteration"]),
            # Only iterations may turn out not to be intents.
            (lambda frame: frame.rename(columns={"iteration": "intent_id"}), ["query_id", "relevance"]),
        ],
    )
    def test_columns_of_totals(self, parquet, change, names):
        source = RowSource(parquet(change(QRELS)), "qrels")
        assert next(iter(source.chunks_of_totals())).rows.columns == names

    def test_several_names_of_runs(self, parquet):
        for data in (RUN.assign(run=list("xxy")), parquet(RUN.assign(run=list("xxy")))):
            source = RowSource(data, "run")
            source.warn_if_several_runs()
            for _ in range(2):
                list(source.chunks())
            with pytest.warns(IrdivWarning, match="several names, such as 'x', 'y'"):
                source.warn_if_several_runs()
        source = RowSource(QRELS.assign(run=list("xxyyy")), "qrels")
        list(source.chunks())
        source.warn_if_several_runs()


class TestCheckedColumns:
    def table(self, frame: pd.DataFrame, role: str, ties: str = "input", **options) -> pa.Table:
        source = RowSource(frame, role, ties)
        return source.to_table(next(iter(source.chunks())), **options)

    def test_qrels(self):
        more = QRELS.assign(
            probability=[0.5, None, 1, 1, 1], max_grade=4, type=["inf", None, "nav", "", "x"], description=list("vwxyz")
        )
        made = self.table(more, "qrels")
        assert dict(zip(made.column_names, map(str, made.schema.types), strict=True)) == {
            "query_id": "string",
            "doc_id": "string",
            "relevance": "int32",
            "intent_id": "string",
            "probability": "double",
            "type": "string",
            "description": "string",
            "max_grade": "int32",
        }
        assert made["probability"].to_pylist() == [0.5, None, 1, 1, 1]
        assert made["type"].to_pylist() == ["inf", None, "nav", "", "x"]
        in_memory = self.table(more, "qrels", compact=False)
        assert [str(in_memory.schema.field(name).type) for name in ("doc_id", "relevance")] == ["large_string", "int64"]

    @pytest.mark.parametrize(
        ("columns", "ties", "expected"),
        [
            ({"score": [2.5], "rank": [7]}, "input", {"score": [2.5], "rank": [7.0]}),
            ({"score": [2.5], "rank": ["x"]}, "input", {"score": [2.5], "rank": [None]}),
            ({"score": ["x"], "rank": [7]}, "rank", {"rank": [7.0]}),
            ({"rank": [7]}, "input", {"rank": [7.0]}),
        ],
    )
    def test_runs(self, columns, ties, expected):
        made = self.table(pd.DataFrame({"query_id": [1], "doc_id": "a", **columns}), "run", ties)
        assert made.drop_columns(["query_id", "doc_id"]).to_pydict() == expected
        assert made["query_id"].to_pylist() == ["1"]

    def test_a_rank_that_orders_must_be_a_number(self):
        ranked = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "rank": ["x"]})
        assert "column 'rank' of the run must hold numbers" in error_of(self.table, ranked, "run")

    @pytest.mark.parametrize("column", ["query_id", "doc_id", "iteration"])
    def test_ids_with_fractions(self, column):
        with pytest.raises(IrdivError, match=f"column '{column}' of the qrels has numbers with fractions as ids"):
            self.table(QRELS.assign(**{column: 1.5}), "qrels")

    def test_errors_name_the_row_at_which_a_chunk_starts(self, monkeypatch):
        monkeypatch.setattr(sources, "_CHUNK_ROWS", 2)
        source = RowSource(RUN.assign(score=[np.nan, 1, np.nan]), "run")
        first, second = source.chunks()
        bad = "column 'score' of the run must hold finite numbers, found nan in row 0 (1 such rows); drop or correct "
        bad += "them."
        assert error_of(source.to_table, first) == bad
        assert error_of(source.to_table, second) == f"{bad} (rows counted from row 2 of the run)"

    def test_dictionaries_stay_in_memory_only(self, parquet):
        source = RowSource(parquet(RUN), "run")
        chunk = next(iter(source.chunks()))
        assert pa.types.is_dictionary(source.to_table(chunk, compact=False)["query_id"].type)
        assert source.to_table(chunk)["query_id"].type == pa.string()


class TestTotals:
    def test_of_all_rows(self):
        source, totals = RowSource(QRELS, "qrels"), Totals()
        table = source.to_table(next(iter(source.chunks())))
        totals.add(table[:2], source)
        assert (totals.row_count, totals.max_grade, totals.sample_topics) == (2, 1, ["1"])
        totals.add(table[2:], source)
        assert (totals.row_count, totals.max_grade, totals.sample_topics) == (5, 2, ["1"])
        assert totals.has_only_adhoc_iterations
        assert "intent_id" not in totals.without_known_columns(table).column_names

    def test_a_stated_highest_grade(self):
        source, totals = RowSource(QRELS.assign(max_grade=[1, 4, 1, 1, 1]), "qrels"), Totals()
        totals.add(source.to_table(next(iter(source.chunks()))), source)
        assert totals.max_grade == 4

    def test_grades_of_0(self):
        source, totals = RowSource(QRELS.assign(relevance=[0, 0, -1, 0, 0]), "qrels"), Totals()
        totals.add(source.to_table(next(iter(source.chunks()))), source)
        assert totals.max_grade == 0

    @pytest.mark.parametrize("change", [{"iteration": list("00001")}, {"intent_id": "0"}])
    def test_intents_stay(self, change):
        source, totals = RowSource(QRELS.assign(**change), "qrels"), Totals()
        table = source.to_table(next(iter(source.chunks())))
        totals.add(table, source)
        assert not totals.has_only_adhoc_iterations
        assert totals.without_known_columns(table) == table

    def test_topics_of_the_first_rows(self):
        many = pd.DataFrame({"query_id": range(1500), "doc_id": "a", "score": 1.0})
        source, totals = RowSource(many, "run"), Totals()
        totals.add(source.to_table(next(iter(source.chunks()))), source)
        assert totals.sample_topics == [str(topic) for topic in range(1000)]


class TestBuckets:
    def test_contiguous_topics_fill_one_bucket_after_the_other(self):
        plan = BucketPlan(bucket_rows=4, expected_rows=100)
        assert plan.topic_count == 0
        assert plan.assign(string_array(["a", "b", "c"]), np.array([3, 1, 2]), True).tolist() == [0, 0, 1]
        # Those that have a bucket keep it; 6 rows are assigned.
        assert plan.assign(string_array(["c", "d", "e"]), np.array([9, 2, 9]), True).tolist() == [1, 1, 2]
        assert plan.assign(string_array(["a"]), np.array([9]), True).tolist() == [0]
        assert plan.assign(string_array(["f"]), np.array([1]), True).tolist() == [4]
        assert plan.buckets == {0, 1, 2, 4}
        assert plan.topic_count == 6
        assert plan.buckets_of(string_array(["d", "x", "a"])).tolist() == [1, -1, 0]

    @pytest.mark.parametrize(("rows", "count"), [(8, 2), (9, 3), (1, 1), (0, 1)])
    def test_other_topics_are_spread_by_hash(self, rows, count):
        plan = BucketPlan(bucket_rows=4, expected_rows=rows)
        topics = string_array([str(topic) for topic in range(50)])
        expected = (hash_ids(topics) % np.uint64(count)).tolist()
        assert plan.assign(topics, np.ones(50, dtype=np.int64), False).tolist() == expected
        assert plan.buckets == set(range(count))

    @pytest.mark.parametrize("chunk_rows", [1, 2, 10])
    @pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [0, 2, 3, 1, 4], [4, 2, 0, 3, 1]])
    def test_rows_of_each_bucket(self, monkeypatch, chunk_rows, order):
        monkeypatch.setattr(sources, "_CHUNK_ROWS", chunk_rows)
        labels = []

        @contextmanager
        def count(total, unit, description):
            counted = []
            yield counted.append
            labels.append((total, sum(counted), unit, description))

        monkeypatch.setattr(buckets, "progress_counter", count)
        plan = BucketPlan(bucket_rows=2, expected_rows=5)
        qrels = QRELS.iloc[order].assign(iteration="1")
        with TemporaryFile() as file:
            judged = TopicBuckets(RowSource(qrels, "qrels"), plan, file)
            assert judged.totals.row_count == 5
            ranked = TopicBuckets(RowSource(pd.concat([RUN, RUN.assign(query_id="9")]), "run"), plan, file)
            assert ranked.totals.row_count == 6
            of_topic = {}
            for bucket, load in zip(sorted(plan.buckets), judged.loads(sorted(plan.buckets)), strict=True):
                for row in load().to_pylist():
                    of_topic.setdefault(row["query_id"], set()).add((bucket, row["doc_id"], row["relevance"]))
            found = [load().to_pylist() for load in ranked.loads(sorted(plan.buckets))]
            # Rows of topics that are not judged are not even written.
            assert [load().num_rows for load in ranked.loads([-1, 77])] == [0, 0]
        for topic, rows in QRELS.groupby("query_id"):
            (bucket,) = plan.buckets_of(string_array([topic]))
            assert of_topic[topic] == {(bucket, row.doc_id, row.relevance) for row in rows.itertuples()}
        assert sorted(row["doc_id"] for rows in found for row in rows) == ["a", "b", "c"]
        assert labels == [(5, 5, "row", "rows of the qrels"), (6, 6, "row", "rows of the run")]

    def test_iterations_of_ad_hoc_qrels_are_left_out(self):
        plan = BucketPlan(bucket_rows=10, expected_rows=5)
        with TemporaryFile() as file:
            judged = TopicBuckets(RowSource(QRELS, "qrels"), plan, file)
            assert next(iter(judged.loads([0])))().column_names == ["query_id", "doc_id", "relevance"]

    def test_no_rows(self):
        with TemporaryFile() as file, pytest.raises(IrdivError, match="the run is empty"):
            TopicBuckets(RowSource(RUN.iloc[:0], "run"), BucketPlan(2, 5), file)


class TestGroups:
    def test_buckets(self):
        groups = TopicGroups(string_array(list("abcd")), np.array([0, 3, 4, 9]), SimpleNamespace(row_count=11))
        assert groups.row_counts.tolist() == [3, 1, 5, 2]
        assert groups.buckets(4).tolist() == [0, 0, 1, 2]
        assert groups.first_of_buckets(4).tolist() == [0, 2, 3]
        assert groups.first_of_buckets(100).tolist() == [0]

    def test_where_rows_of_a_topic_are_apart(self, parquet):
        assert find_groups(RowSource(QRELS, "qrels")) is None
        for order in ([0, 2, 1, 3, 4], [0, 2, 3, 4, 1]):
            for rows in (1, 2, 10):
                assert find_groups(RowSource(parquet(QRELS.iloc[order], rows), "qrels")) is None
        assert find_groups(RowSource(parquet(QRELS), "qrels")) is not None

    @pytest.mark.parametrize("chunk_rows", [1, 2, 3, 10])
    @pytest.mark.parametrize(
        ("bucket_rows", "docs", "run_docs"),
        [
            (1, ["ab", "c", "de"], ["ab", "c", ""]),
            (2, ["ab", "cde"], ["ab", "c"]),
            (3, ["abc", "de"], ["abc", ""]),
            (9, ["abcde"], ["abc"]),
        ],
    )
    def test_rows_of_each_bucket(self, parquet, monkeypatch, chunk_rows, bucket_rows, docs, run_docs):
        monkeypatch.setattr(sources, "_CHUNK_ROWS", chunk_rows)
        source = RowSource(parquet(QRELS), "qrels")
        groups = find_groups(source)
        judged = GroupedRows.of_qrels(source, groups, bucket_rows)
        count = len(groups.first_of_buckets(bucket_rows))
        loaded = [load() for load in judged.loads(range(count))]
        assert ["".join(table["doc_id"].to_pylist()) for table in loaded] == docs
        assert loaded[0].column_names == ["query_id", "doc_id", "relevance"]
        ranked = GroupedRows.of_run(RowSource(parquet(RUN), "run"), groups, bucket_rows)
        loaded = [load() for load in ranked.loads(range(count))]
        assert ["".join(table["doc_id"].to_pylist()) for table in loaded] == run_docs

    def test_runs_in_another_order(self, parquet):
        source = RowSource(parquet(QRELS), "qrels")
        groups = find_groups(source)
        assert GroupedRows.of_run(RowSource(parquet(RUN.iloc[::-1]), "run"), groups, 2) is None
        assert GroupedRows.of_run(RowSource(parquet(RUN.iloc[[0, 2, 1]]), "run"), groups, 2) is None
        assert GroupedRows.of_run(RowSource(RUN, "run"), groups, 2) is None
        three = pd.DataFrame({"query_id": ["2", "1", "3"], "doc_id": "a", "score": 1.0})
        assert GroupedRows.of_run(RowSource(parquet(three), "run"), groups, 2) is None
        unknown = pd.concat([RUN.iloc[:2], RUN.iloc[:1].assign(query_id="x"), RUN.iloc[2:]])
        assert GroupedRows.of_run(RowSource(parquet(unknown), "run"), groups, 2) is not None

    def test_errors_name_the_row_at_which_a_bucket_starts(self, parquet):
        groups = find_groups(RowSource(parquet(QRELS), "qrels"))
        bad = RUN.assign(score=[np.nan, 1, np.nan])
        first, second, _ = GroupedRows.of_run(RowSource(parquet(bad), "run"), groups, 1).loads(range(3))
        assert error_of(first).endswith("found nan in row 0 (1 such rows); drop or correct them.")
        assert error_of(second).endswith("drop or correct them. (rows counted from row 2 of the run)")

    def test_a_file_that_changes(self, parquet):
        source = RowSource(parquet(QRELS), "qrels")
        groups = find_groups(source)
        groups.totals.row_count += 1
        rows = GroupedRows.of_qrels(source, groups, 9)
        assert error_of(list, rows.loads(range(1))) == "the qrels changed while it was read: evaluate it again."


class TestParquet:
    def test_encoded_columns(self, parquet):
        path = parquet(RUN.assign(number=1))
        plain = open_parquet(path, "run")
        assert [str(kind) for kind in plain.schema.types[:2]] in (["string", "string"], ["large_string"] * 2)
        encoded = open_parquet(path, "run", ["query_id", "number"]).schema
        assert pa.types.is_dictionary(encoded.field("query_id").type)
        assert not pa.types.is_dictionary(encoded.field("doc_id").type)
        assert encoded.field("number").type == pa.int64()

    def test_a_missing_file(self, tmp_path):
        path = tmp_path / "a.parquet"
        assert error_of(open_parquet, path, "run") == f"no such run file: {str(path)!r}"

    def test_a_folder(self, tmp_path):
        for number, frame in enumerate((RUN, RUN.assign(query_id=[1, 1, 2], score=[3, 2, 1], extra=1))):
            (tmp_path / f"tag={number}").mkdir()
            frame.to_parquet(tmp_path / f"tag={number}" / "part.parquet", index=False)
        (tmp_path / "_SUCCESS").touch()
        (tmp_path / "_metadata.parquet").write_text("x")
        table = open_parquet(tmp_path, "run").to_table()
        assert table["query_id"].to_pylist() == ["1", "1", "2"] * 2
        assert table["score"].to_pylist() == [3.0, 2.0, 1.0] * 2
        assert table["extra"].to_pylist() == [None] * 3 + [1] * 3
        assert table["tag"].to_pylist() == [0] * 3 + [1] * 3


def test_nobody_waits_for_results_that_are_not_used():
    release, finished = threading.Event(), []

    def work(item: int) -> int:
        if item:
            release.wait(10)
            finished.append(item)
        return item

    results = prefetch(work, range(3), workers=1)
    assert next(results) == 0
    results.close()
    assert finished == []
    release.set()
