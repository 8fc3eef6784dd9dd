"""The forms in which qrels and runs may be given, the libraries of results, and the errors about other forms."""

from __future__ import annotations

import re
import warnings
from collections import namedtuple
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError, IrdivWarning
from irdiv.frames import backends, inputs, runs, streams, swapped
from irdiv.frames.checked import QrelsColumns, RunColumns, checked_run_columns, qrels_columns, run_columns
from irdiv.frames.mismatch import describe_difference
from irdiv.frames.run_column import RunsFrame
from irdiv.frames.run_names import RunNames

FRAME = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
RUN = ("query_id", "doc_id", "score")
RECORDS = " reads records of JSON, and pandas.DataFrame(records) makes a frame."
SEVERAL = "Several runs go in a mapping from name to run"
PATHS = ", or to the path of its file; irdiv.rag.read_contexts reads several JSON files."


def error_of(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


class TestData:
    @pytest.mark.parametrize(("role", "lists"), [("run", " (for a run, of lists too)"), ("qrels", ""), ("intents", "")])
    @pytest.mark.parametrize("data", [3, None, b"1 0 d 1"])
    def test_objects_of_unknown_types(self, data, role, lists):
        assert error_of(inputs.as_frame, data, role, RUN) == (
            f"cannot read the {role} from {type(data).__name__!r}. Give a pandas, polars or pyarrow frame, an Arrow "
            f"dataset or stream, a DuckDB relation, a dict of dicts{lists}, an iterable of namedtuples, or the path of "
            "a TREC or NTCIREVAL or Parquet file."
        )

    def test_qrels_in_place_of_a_run(self):
        collection = irdiv.Collection({"1": {"a": 1}})
        assert error_of(inputs.run_frame, collection) == (
            "cannot read the run from 'Collection', which holds qrels; expected the columns query_id, doc_id, score."
        )

    @pytest.mark.parametrize(
        ("role", "items", "remedy"),
        [
            ("run", [{"a": 1}], "irdiv.rag.read_contexts" + RECORDS),
            ("qrels", [{"a": 1}], "irdiv.rag.read_nuggets" + RECORDS),
            ("intents", [{"a": 1}], SEVERAL + "; ir_measures itself takes pandas frames only."),
            ("run", [{"a": FRAME}], SEVERAL + "; ir_measures itself takes pandas frames only."),
            ("run", [{"a": FRAME, "b": 1}], SEVERAL + "; ir_measures itself takes pandas frames only."),
            ("run", [FRAME], SEVERAL + "; ir_measures itself takes pandas frames only."),
            ("run", ["a.txt"], SEVERAL + PATHS),
            ("run", [Path("a.txt")], SEVERAL + PATHS),
        ],
    )
    def test_iterables_of_other_things_than_namedtuples(self, role, items, remedy):
        assert error_of(inputs.as_frame, items, role, RUN) == (
            f"cannot read the {role} from an iterable of {type(items[0]).__name__!r}: expected namedtuples such as "
            "ir_measures.Qrel or ir_measures.ScoredDoc, with the fields query_id, doc_id, score. " + remedy
        )

    def test_namedtuples(self):
        row = namedtuple("Row", ["qid", "docno", "score"])
        frame = inputs.as_frame(iter([row("1", "a", 2.0), row("1", "b", 1.0)]), "run", RUN).to_native()
        assert frame.to_dict("list") == {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]}
        assert inputs.as_frame([], "run", RUN).columns == list(RUN)
        assert inputs.as_frame([row("1", "a", 2.0)], "run", RUN).rows() == [("1", "a", 2.0)]
        with pytest.raises(IrdivError, match="iterable of 'tuple'"):
            inputs.as_frame([row("1", "a", 2.0), ("1", "b", 1.0)], "run", RUN)

    @pytest.mark.parametrize(
        ("data", "rows"),
        [
            ({"1": {"a": 2, "b": 1}, "2": {}, 3: {7: 0}}, [("1", "a", 2), ("1", "b", 1), ("3", "7", 0)]),
            ({"1": {"a": 2.5, "b": 1}}, [("1", "a", 2.5), ("1", "b", 1.0)]),
            # Values and ids that are not plain stay as they are, and are checked as columns.
            ({"1": {"a": "x", "b": 1}}, [("1", "a", "x"), ("1", "b", 1)]),
            ({"1": {"a": 2**70}}, [("1", "a", 2**70)]),
            ({1.5: {None: True}}, [(1.5, None, True)]),
        ],
    )
    def test_dicts_of_dicts(self, data, rows):
        assert inputs.as_frame(data, "run", RUN).rows() == rows

    def test_dicts_of_lists(self):
        frame = inputs.run_frame({1: ["b", "a"], "2": (7,), "3": np.array(["c"]), "4": []})
        assert frame.columns == ["query_id", "doc_id", "rank"]
        assert frame.rows() == [("1", "b", 1), ("1", "a", 2), ("2", "7", 1), ("3", "c", 1)]

    @pytest.mark.parametrize(
        ("role", "value", "lists"), [("run", "score", " or {query_id: [doc_id, …]}"), ("qrels", "relevance", "")]
    )
    def test_dicts_of_other_things(self, role, value, lists):
        assert error_of(inputs.as_frame, {"a": {}, "b": 1, "c": "x"}, role, ("query_id", "doc_id", value)) == (
            f"cannot read the {role} from this dict: expected {{query_id: {{doc_id: {value}}}}}{lists}, found values "
            "of type 'dict', 'int', 'str'."
        )

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (["a", 1], True),
            ((), True),
            (np.array([1, 2]), True),
            ([True], False),
            ([1.5], False),
            (["a", 1.5], False),
            ([("a", 1)], False),
            ("ab", False),
            ({"a"}, False),
        ],
    )
    def test_lists_of_ids(self, value, expected):
        assert inputs.is_ranked_list(value) is expected

    def test_one_name_for_two_columns(self):
        twice = pd.concat([FRAME, FRAME[["score"]]], axis=1)
        message = error_of(inputs.run_frame, twice)
        assert re.fullmatch(r"two columns of the run have the same name: \S.*score.*", message)
        assert "\n" not in message
        assert "  " not in message

    def test_a_batch_of_arrow(self):
        batch = pa.Table.from_pandas(FRAME).to_batches()[0]
        assert inputs.run_frame(batch).rows() == [("1", "a", 1.0)]

    def test_a_reader_of_text_files_of_a_role(self, tmp_path):
        frame = inputs.as_frame("x.csv", "intents", RUN, read_text=lambda path: pd.DataFrame({"path": [str(path)]}))
        assert frame.rows() == [("x.csv",)]
        FRAME.to_parquet(tmp_path / "x.parquet")
        assert inputs.as_frame(tmp_path / "x.parquet", "intents", RUN, read_text=None).rows() == [("1", "a", 1.0)]
        assert inputs.as_frame(tmp_path / "x.parquet", "intents", RUN, read_text=pytest.fail).rows()

    def test_qrels_of_a_file_in_the_callers_library(self, tmp_path):
        (tmp_path / "qrels").write_text("1 0 a 1\n")
        assert inputs.qrels_frame(tmp_path / "qrels").implementation.is_pyarrow()
        assert inputs.qrels_frame(tmp_path / "qrels", callers_library=True).implementation.is_pandas()
        table = pa.table({"query_id": ["1"]})
        assert inputs.qrels_frame(table, callers_library=True).implementation.is_pyarrow()
        assert inputs.qrels_frame(pl.from_arrow(table), callers_library=True).implementation.is_polars()


class TestLibraries:
    def test_the_library_of_data(self, tmp_path):
        FRAME.to_parquet(tmp_path / "x.parquet")
        polars = pl.from_pandas(FRAME)
        expected = {
            "pandas": [FRAME, irdiv.Collection({"1": {"a": 1}})],
            "polars": [polars, polars.lazy()],
            "pyarrow": [pa.Table.from_pandas(FRAME), pa.Table.from_pandas(FRAME).to_reader()],
            None: ["x", Path("x"), tmp_path / "x.parquet", {"1": {}}, [], 3],
        }
        for library, data in expected.items():
            assert [backends.backend_of(one) for one in data] == [library] * len(data)
        assert backends.common_backend("x", polars, FRAME) == "polars"
        assert backends.common_backend("x", {}) == "pandas"
        assert backends.callers_backend({"a": "x", "b": polars}) == "polars"
        assert backends.callers_backend({"a": {"1": polars}}) == "pandas"
        assert backends.callers_backend(polars) == "polars"

    def test_a_pandas_frame_with_two_columns_of_a_name_is_of_pandas(self):
        assert backends.backend_of(pd.concat([FRAME, FRAME], axis=1)) == "pandas"

    def test_frames_of_each_library(self):
        indexed = FRAME.set_index("query_id")
        assert backends.from_pandas(indexed, "pandas") is indexed
        assert backends.from_pandas(indexed, "polars").columns == ["query_id", "doc_id", "score"]
        assert backends.from_pandas(FRAME, "pyarrow").column_names == ["query_id", "doc_id", "score"]
        table = pa.table({"a": [1]})
        assert backends.to_backend(table, "pyarrow") is table
        assert isinstance(backends.to_backend(table, "polars"), pl.DataFrame)
        assert isinstance(backends.to_backend(table, "pandas"), pd.DataFrame)

    def test_the_first_argument_decides(self):
        @backends.returns_callers_frame
        def function(data, other=None):
            """Say so."""
            return FRAME

        polars = pl.from_pandas(FRAME)
        assert isinstance(function(polars), pl.DataFrame)
        assert isinstance(function(data=polars), pl.DataFrame)
        assert isinstance(function(FRAME, polars), pd.DataFrame)
        assert isinstance(function("x", other=polars), pd.DataFrame)
        assert function.__doc__ == "Say so."


class TestRuns:
    def test_names(self):
        assert runs.named_runs("runs/bm25.v2.txt.gz") == {"bm25.v2": "runs/bm25.v2.txt.gz"}
        assert list(runs.named_runs(FRAME)) == ["run"]
        assert list(runs.named_runs({"1": {"a": 1.0}, "2": {}})) == ["run"]
        assert list(runs.named_runs({"1": ["a"], "2": ["b"]})) == ["run"]
        assert list(runs.named_runs({1: FRAME, "b": FRAME})) == ["1", "b"]
        assert list(runs.named_runs({"x": {"1": ["a"]}})) == ["x"]
        assert list(runs.named_runs({"x": {"1": ["a"], "2": 3.0}})) == ["x"]
        assert list(runs.named_runs({"x": ["a"], "y": FRAME})) == ["x", "y"]
        assert runs.run_name("runs/.txt") == ".txt"

    def test_errors_about_names(self):
        assert error_of(runs.named_runs, {}) == "no runs given: expected a run or a mapping from name to run."
        many = {**{str(i): FRAME for i in range(10)}, 1: FRAME}
        assert error_of(runs.named_runs, many) == (
            "two runs have the same name: '0', '1', '2', '3', '4', '5', '6', '7', '8', …."
        )
        assert "is half of a surrogate pair" in error_of(runs.named_runs, {"\udc80": FRAME})

    def test_folders(self, tmp_path):
        for name in ("10", "9", "b.txt", ".hidden"):
            (tmp_path / name).write_text("1 Q0 a 1 1 t\n")
        assert list(runs.named_runs(tmp_path)) == ["9", "10", "b"]
        for name in ("c~", ".d.swp", "e.swp"):
            (tmp_path / name).touch()
        (tmp_path / "more").mkdir()
        with pytest.warns(IrdivWarning) as caught:
            assert [path.name for path in runs.run_files(tmp_path)] == ["9", "10", "b.txt"]
        assert [str(warning.message) for warning in caught] == [
            f"the folder {str(tmp_path)!r} has subfolders or backups, which are not read: 'c~', 'e.swp', 'more/'."
        ]

    def test_errors_about_folders(self, tmp_path):
        assert error_of(runs.named_runs, tmp_path) == (
            f"the folder {str(tmp_path)!r} has no files; expected one for each run, or Parquet files of one run."
        )
        for name in ("a.txt", "b.txt", "b.run"):
            (tmp_path / name).touch()
        message = error_of(runs.named_runs, tmp_path)
        assert message == (f"two files of the folder {str(tmp_path)!r} have the same name but for the ending: 'b.run'.")

    def test_a_folder_of_parquet_is_one_run(self, tmp_path):
        FRAME.to_parquet(tmp_path / "part.parquet")
        assert not runs.is_folder_of_runs(tmp_path)
        assert not runs.is_folder_of_runs(tmp_path / "part.parquet")
        assert list(runs.named_runs(tmp_path)) == [tmp_path.name]

    def test_tags(self, tmp_path):
        (tmp_path / "run.txt").write_text("1 Q0 a 1 1 bm25\n")
        assert runs.run_tag(tmp_path / "run.txt") == "bm25"
        assert error_of(runs.run_tag, "a.parquet") == (
            "'a.parquet' is a Parquet file, and only TREC files have a tag; name runs by their files."
        )

    def test_files_that_threads_read(self, tmp_path):
        plain, other = tmp_path / "plain", tmp_path / "other"
        plain.write_text("1 Q0 a 1 1 t\n")
        other.write_text("1  Q0 a 1 1 t\n")
        assert isinstance(runs.read_in_thread(plain), pa.Table)
        for run in (other, "a.parquet", FRAME):
            assert runs.read_in_thread(run) is run

    def test_half_characters_in_names_of_files(self):
        assert runs.run_name("runs/b\udcffm.txt") == "b\ufffdm"


class TestSeveralNames:
    def warnings_of(self, *frames) -> list[str]:
        names = RunNames()
        for frame in frames:
            names.add(nw.from_native(frame, eager_only=True))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            names.warn_if_several()
        return [str(warning.message) for warning in caught]

    @pytest.mark.parametrize(
        "frames",
        [
            [pd.DataFrame({"run": ["a", None, "b", "c"]})],
            [pd.DataFrame({"run": ["a"]}), pd.DataFrame({"run": ["a", "b"]}), pd.DataFrame({"run": ["c"]})],
            [pd.DataFrame({"run": ["a"]}), pd.DataFrame({"run": ["b"]})],
            [pd.DataFrame({"run": [None, None]}), pl.DataFrame({"run": ["a", "b"]})],
            [pl.DataFrame({"run": ["a", "b"]}, schema={"run": pl.Categorical})],
            [pl.DataFrame({"run": ["a", "b"]}, schema={"run": pl.Enum(["a", "b"])})],
        ],
    )
    def test_the_first_two(self, frames):
        assert self.warnings_of(*frames) == [
            "the column 'run' of the run has several names, such as 'a', 'b', but all rows are scored as one run; to "
            "score each, give irdiv.evaluate run_column='run' (on the command line, irdiv eval --run-column run), else "
            "drop the column."
        ]

    @pytest.mark.parametrize("frame", [pd.DataFrame({"run": [1, 2]}), pa.table({"run": [1, 2]})])
    def test_numbers(self, frame):
        assert "such as 1, 2, but" in self.warnings_of(frame)[0]

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"run": ["a", "a", None]}),
            pd.DataFrame({"name": ["a", "b"]}),
            pd.DataFrame({"run": [0.5, 1.5]}),
            pl.DataFrame({"run": [["a"], ["b"]]}),
        ],
    )
    def test_no_names_or_one(self, frame):
        assert self.warnings_of(frame) == []


class TestRunColumn:
    MANY = pd.DataFrame({"run": ["x", "y"], "query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})

    @pytest.mark.parametrize(
        ("runs", "run_column", "message"),
        [
            (
                {"a": MANY},
                "run",
                "run_column='run' is for one frame that holds many runs, but the runs are a mapping: leave run_column "
                "out, as the keys name the runs, or the topics of one run.",
            ),
            (MANY, 1, "run_column=1 is not the name of a column; expected a text such as 'run'."),
            (
                MANY,
                "tag",
                "the runs lack a column 'tag', which run_column says has their names; found 'run', 'query_id', "
                "'doc_id', 'score'.",
            ),
            (
                MANY,
                "score",
                "run_column='score' is the column of topics, documents, scores or ranks; expected the one with the "
                "names of runs, such as one of 'run'.",
            ),
            (
                MANY.assign(**dict.fromkeys("abcdefghijkl", 1)),
                "tag",
                "the runs lack a column 'tag', which run_column says has their names; found 'run', 'query_id', "
                "'doc_id', 'score', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ….",
            ),
            (
                MANY.assign(**dict.fromkeys("abcdefghijkl", 1)),
                "score",
                "run_column='score' is the column of topics, documents, scores or ranks; expected the one with the "
                "names of runs, such as one of 'run', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', ….",
            ),
            (
                MANY.drop(columns="doc_id"),
                "run",
                "the run lacks a column: expected 'doc_id' or 'docno' or 'passage_id', found 'run', 'query_id', "
                "'score'.",
            ),
            (
                MANY.drop(columns="run"),
                "doc_id",
                "run_column='doc_id' is the column of topics, documents, scores or ranks; expected the one with the "
                "names of runs, and there is no other column.",
            ),
            (
                MANY.iloc[:0],
                "run",
                "the runs are empty: expected at least one row with 'run', 'query_id', 'doc_id', 'score'.",
            ),
            (
                MANY.assign(run=pd.Series([1, "1"], dtype=object)),
                "run",
                "column 'run' of the runs has names of several types, 'int', 'str'; make them strings, as 1 and '1' "
                "would be one run.",
            ),
            (
                pl.DataFrame(MANY.assign(run=[["x"], ["y"]])),
                "run",
                "column 'run' of the runs must hold strings or numbers, found the type List(String).",
            ),
            (
                MANY.assign(query_id=[1.5, 2.0]),
                "run",
                "column 'query_id' of the runs has numbers with fractions as ids, such as 1.5; make them strings.",
            ),
        ],
    )
    def test_errors(self, runs, run_column, message):
        assert error_of(RunsFrame, runs, run_column, "input") == message

    def test_a_folder(self, tmp_path):
        (tmp_path / "a").touch()
        assert error_of(RunsFrame, tmp_path, "run", "input") == (
            f"run_column='run' is for one file that holds many runs, but {str(tmp_path)!r} is a folder of runs, which "
            "are named after their files: leave run_column out."
        )

    def test_a_column_of_ranks_is_used_only_by_rank(self):
        ranked = self.MANY.assign(rank=1)
        assert "is the column of topics" in error_of(RunsFrame, ranked, "rank", "input")
        assert "is the column of topics" in error_of(RunsFrame, ranked.drop(columns="score"), "rank", "input")
        assert RunsFrame(ranked.drop(columns="run"), "score", "rank").names == ["2", "1"]

    @pytest.mark.parametrize("mixed", [False, True])
    @pytest.mark.parametrize(
        ("most", "groups"),
        [
            (1, [["a"], ["b"], ["c"]]),
            (3, [["a"], ["b"], ["c"]]),
            (4, [["a"], ["b", "c"]]),
            (5, [["a", "b"], ["c"]]),
            (6, [["a", "b", "c"]]),
        ],
    )
    def test_groups_of_runs(self, most, groups, mixed):
        names = list("abcbba") if mixed else list("aabbbc")
        docs = [f"{name}{row}" for row, name in enumerate(names)]
        frame = pd.DataFrame({"run": names, "query_id": "1", "doc_id": docs, "score": range(6)})
        made = list(RunsFrame(frame, "run", "input").groups(most))
        assert [group.names for group in made] == groups
        for group in made:
            for run, doc, key in zip(group.run, group.columns.doc.to_pylist(), group.columns.key, strict=True):
                assert doc == f"{group.names[run]}{-int(key)}"
        assert sorted(doc for group in made for doc in group.columns.doc.to_pylist()) == sorted(docs)

    def test_rows_of_mixed_runs_stay_in_order(self):
        frame = pd.DataFrame({"run": ["a", "b"] * 50, "query_id": "1", "doc_id": range(100), "score": 1.0})
        groups = [group.columns.doc.to_pylist() for group in RunsFrame(frame, "run", "input").groups(50)]
        assert groups == [[str(row) for row in range(first, 100, 2)] for first in (0, 1)]

    def test_a_file_that_cannot_be_read(self, tmp_path):
        (tmp_path / "a.parquet").write_text("no")
        with pytest.raises(IrdivError, match=r"^cannot read the run from '.*a\.parquet': "):
            RunsFrame(tmp_path / "a.parquet", "run", "input")

    def test_a_stream_without_batches(self):
        schema = pa.Table.from_pandas(self.MANY, preserve_index=False).schema
        reader = pa.RecordBatchReader.from_batches(schema, [])
        assert error_of(RunsFrame, reader, "run", "input") == (
            "the runs are empty: expected at least one row with 'query_id', 'doc_id', 'score', 'run'."
        )


def raise_while_reading(error: Exception) -> None:
    with streams.reading_errors([], "run"):
        raise error


class TestStreams:
    def test_errors_of_other_packages_are_ours(self):
        with (
            pytest.raises(IrdivError, match="^cannot read the run from 'a.parquet': first line$"),
            streams.reading_errors("a.parquet", "run"),
        ):
            raise pa.ArrowInvalid("\n first line\nsecond line")
        with (
            pytest.raises(IrdivError, match="^cannot read the qrels from DataFrame: ColumnNotFoundError$"),
            streams.reading_errors(FRAME, "qrels"),
        ):
            raise pl.exceptions.ColumnNotFoundError("")
        with (
            pytest.raises(IrdivError, match="^cannot read the qrels from list: no disk$"),
            streams.reading_errors([], "qrels"),
        ):
            raise OSError("no disk")
        for package in ("pyarrow", "duckdb", "_duckdb", "polars", "narwhals"):
            error = type("Error", (Exception,), {"__module__": f"{package}.errors"})("no")
            with pytest.raises(IrdivError, match="^cannot read the run from list: no$"):
                raise_while_reading(error)
        for other in (KeyError("x"), IrdivError("ours")):
            with pytest.raises(type(other)) as caught, streams.reading_errors([], "qrels"):
                raise other
            assert caught.value is other

    def test_duckdb(self):
        duckdb = pytest.importorskip("duckdb")
        relation = duckdb.sql("select 1 as query_id, 'a' as doc_id, 2.5 as score union all select 1, 'b', 1.5")
        assert streams.is_stream(relation)
        assert backends.backend_of(relation) == "pyarrow"
        assert streams.stream_columns(relation, "run") == ["query_id", "doc_id", "score"]
        assert streams.stream_row_count(relation, "run") == 2
        batches = list(streams.stream_batches(relation, "run", ["doc_id"]))
        assert sorted(value for batch in batches for value in batch["doc_id"].to_pylist()) == ["a", "b"]
        assert not streams.is_in_files(relation)
        assert len(streams.read_stream(relation, "run")) == 2

    def test_datasets(self, tmp_path):
        from pyarrow import dataset

        FRAME.to_parquet(tmp_path / "a.parquet")
        files = dataset.dataset(tmp_path / "a.parquet")
        in_memory = dataset.dataset(pa.Table.from_pandas(FRAME))
        scanner = files.scanner(columns=["score", "doc_id"])
        for data in (files, in_memory, scanner, tmp_path / "a.parquet"):
            assert streams.is_stream(data)
            assert streams.stream_row_count(data, "run") == 1
            (batch,) = streams.stream_batches(data, "run", ["doc_id"])
            assert batch.to_pylist() == [{"doc_id": "a"}]
        assert streams.stream_columns(scanner, "run") == ["score", "doc_id"]
        assert streams.stream_columns(files, "run") == ["query_id", "doc_id", "score"]
        found = [streams.is_in_files(data) for data in (files, in_memory, scanner, "x", tmp_path)]
        assert found == [True, False, False, True, True]
        assert not any(map(streams.is_stream, (FRAME, "x.txt", files.schema, [])))

    def test_the_rows_of_a_reader_are_not_counted(self):
        reader = pa.Table.from_pandas(FRAME).to_reader()
        assert streams.stream_row_count(reader, "run") is None


class TestSwapped:
    FRACTIONS, INTEGERS = {"1": {"a": 0.5, "b": 1}}, {"1": {"a": 1, "b": 0}}

    @pytest.mark.parametrize(
        ("data", "role"),
        [
            (FRACTIONS, "run"),
            (INTEGERS, "qrels"),
            ({"1": {"a": 1.0}}, None),
            ({"1": {"a": 1.0, "b": 1}}, None),
            ({"1": {"a": "x"}}, None),
            ({"1": {"a": 1, "b": "x"}}, None),
            ({"1": {"a": 1}, "2": 3}, None),
            ({"1": ["a"], "2": {"a": 1.0}}, None),
            ({"1": {}}, None),
            ({}, None),
        ],
    )
    def test_the_role_of_a_dict(self, data, role):
        assert [swapped._fits(data, one) for one in ("run", "qrels")] == [role == "run", role == "qrels"]

    @pytest.mark.parametrize(
        ("data", "fits"),
        [
            ({"1": ["a"]}, (True, False)),
            (irdiv.Collection({"1": {"a": 1}}), (False, True)),
            (FRAME, (True, False)),
            (FRAME.rename(columns={"score": "rank"}), (True, False)),
            (FRAME.rename(columns={"score": "relevance"}), (False, True)),
            (FRAME.assign(relevance=1), (True, True)),
            (3, (False, False)),
        ],
    )
    def test_the_role_of_other_data(self, data, fits):
        assert (swapped._fits(data, "run"), swapped._fits(data, "qrels")) == fits

    def test_the_message(self):
        both = self.FRACTIONS, [self.INTEGERS, self.INTEGERS]
        with pytest.raises(IrdivError) as caught, swapped.explain_swapped_arguments(*both):
            raise IrdivError("other")
        assert str(caught.value) == (
            "the arguments are swapped: the first is a run, and the second are qrels. Give the qrels first, then the "
            "runs, then the measures."
        )

    @pytest.mark.parametrize(
        ("first", "second"),
        [(INTEGERS, [FRACTIONS]), (FRACTIONS, [INTEGERS, FRACTIONS]), (FRAME.assign(relevance=1), [INTEGERS])],
    )
    def test_other_errors_stay(self, first, second):
        with pytest.raises(IrdivError, match="^other$"), swapped.explain_swapped_arguments(first, second):
            raise IrdivError("other")


@pytest.mark.parametrize(
    ("ids", "others", "what"),
    [
        *(([f"p{sep}1"], ["p"], f"the part from the last {sep!r} on") for sep in "#:/|@_-."),
        *(([f"x{sep}1"], ["1"], f"the part up to the first {sep!r}") for sep in "#:/|@_-."),
        (["p x"], ["p"], "the part from the last ' ' on"),
        (["x 1"], ["1"], "the part up to the first ' '"),
        (["a#b#1"], ["a#b"], "the part from the last '#' on"),
        (["a#b#1"], ["b#1"], "the part up to the first '#'"),
        (["zZ1"], ["1"], "letters at the start"),
        (["aA7"], ["7"], "letters at the start"),
        ([" 1"], ["1"], "white space around them"),
        (["007"], ["7"], "leading zeros"),
        (["ABC"], ["abc"], "upper and lower case"),
    ],
)
def test_by_what_ids_differ(ids, others, what):
    for one, other in ((ids, others), (others, ids)):
        assert describe_difference(["none", *one], ["nobody", *other]) == f" Some are the same but for {what}."


def test_ids_of_which_nothing_is_left_are_not_the_same():
    assert describe_difference(["0", "x"], ["", "y"]) == describe_difference(["", "y"], ["0", "x"]) == ""


def test_ids_beyond_the_first_thousand_are_not_compared():
    many = [f"{i}!" for i in range(999)]
    assert describe_difference([*many, "A"], ["a"]) == " Some are the same but for upper and lower case."
    assert describe_difference(["x!", *many, "A"], ["a"]) == ""
    assert describe_difference(["a"], [*many, "A"]) != ""
    assert describe_difference(["a"], ["x!", *many, "A"]) == ""


class TestCheckedColumns:
    QRELS = pd.DataFrame(
        {
            "query_id": ["1", "1", "2"],
            "intent_id": ["x", "y", "x"],
            "doc_id": ["a", "b", "a"],
            "relevance": [1, 2, 0],
        }
    )

    def test_qrels_without_more(self):
        columns = qrels_columns(self.QRELS)
        assert columns.query.decode().to_pylist() == ["1", "1", "2"]
        assert columns.intent.decode().to_pylist() == ["x", "y", "x"]
        assert columns.doc.to_pylist() == ["a", "b", "a"]
        assert columns.grade.tolist() == [1, 2, 0]
        assert columns[4:7] == (None, None, None)
        assert columns.max_grade == 0
        assert columns.has_intent_info.tolist() == [False] * 3
        assert columns.description is columns.importance is None

    def test_qrels_with_all_columns(self):
        more = self.QRELS.assign(
            probability=[0.5, None, None],
            parent_id=["", "p", None],
            type=["inf", None, ""],
            max_grade=[3, 4, 1],
            description=[None, "text", None],
            importance=["vital", None, "okay"],
        )
        columns = qrels_columns(more)
        np.testing.assert_array_equal(columns.probability, [0.5, np.nan, np.nan])
        assert columns.parent.tolist() == [None, "p", None]
        assert columns.type.tolist() == ["inf", None, None]
        assert columns.max_grade == 4
        assert columns.description.to_pylist() == [None, "text", None]
        assert columns.importance.tolist() == ["vital", None, "okay"]
        assert columns.has_intent_info.tolist() == [True] * 3

    @pytest.mark.parametrize("name", ["probability", "type", "parent_id", "description", "importance"])
    def test_rows_with_something_about_their_intent(self, name):
        value = [None, 0.5, None] if name == "probability" else [None, "inf", None]
        assert qrels_columns(self.QRELS.assign(**{name: value})).has_intent_info.tolist() == [False, True, False]

    def test_a_stated_highest_grade(self):
        assert qrels_columns(self.QRELS.assign(max_grade=0)).max_grade == 0
        assert qrels_columns(self.QRELS.assign(max_grade=3).iloc[:0], may_be_empty=True).max_grade == 0

    @pytest.mark.parametrize("column", ["query_id", "intent_id", "doc_id"])
    def test_missing_ids_of_qrels(self, column):
        with pytest.raises(IrdivError, match=f"^column '{column}' of the qrels has a missing id: it is null in row 1"):
            qrels_columns(self.QRELS.assign(**{column: ["1", None, "2"]}))

    @pytest.mark.parametrize("column", ["query_id", "doc_id"])
    def test_missing_ids_of_runs(self, column):
        with pytest.raises(IrdivError, match=f"^column '{column}' of the run has a missing id: it is null in row 0"):
            run_columns(FRAME.assign(**{column: [None]}))

    def test_infinite_probabilities(self):
        with pytest.raises(IrdivError, match="^column 'probability' of the qrels must hold finite numbers"):
            qrels_columns(self.QRELS.assign(probability=np.inf))

    def test_importance_that_is_not_of_intents(self):
        for qrels in (
            self.QRELS.assign(importance=1.5),
            self.QRELS.drop(columns="intent_id").assign(importance="vital"),
        ):
            columns = qrels_columns(qrels)
            assert columns.importance is None
            assert not columns.has_intent_info.any()

    def test_iterations_that_are_intents(self):
        renamed = self.QRELS.rename(columns={"intent_id": "iteration"})
        assert qrels_columns(renamed).intent is not None
        assert qrels_columns(renamed.assign(iteration="0")).intent is None
        assert qrels_columns(self.QRELS.assign(intent_id="0")).intent is not None

    def test_no_rows(self):
        with pytest.raises(IrdivError, match="the qrels are empty"):
            qrels_columns(self.QRELS.iloc[:0])
        assert isinstance(qrels_columns(self.QRELS.iloc[:0], may_be_empty=True), QrelsColumns)
        with pytest.raises(IrdivError, match="the run is empty"):
            run_columns(FRAME.iloc[:0])
        assert isinstance(run_columns(FRAME.iloc[:0], may_be_empty=True), RunColumns)
        with pytest.raises(IrdivError, match="the run is empty"):
            checked_run_columns(nw.from_native(FRAME.iloc[:0], eager_only=True), ties="input")
        assert RunColumns(*run_columns(FRAME)[:4]).by_rank is False

    @pytest.mark.parametrize(
        ("columns", "ties", "key", "rank", "by_rank"),
        [
            ({"score": [2.0, 1.0]}, "input", [-2.0, -1.0], None, False),
            ({"score": [2.0, 1.0], "rank": [1, 2]}, "docid_asc", [-2.0, -1.0], [1.0, 2.0], False),
            ({"score": [2.0, 1.0], "rank": ["x", "y"]}, "input", [-2.0, -1.0], None, False),
            ({"score": ["x", "y"], "rank": [1, 2]}, "rank", [1.0, 2.0], None, True),
            ({"rank": [1, 2]}, "input", [1.0, 2.0], None, True),
        ],
    )
    def test_the_order_of_a_run(self, columns, ties, key, rank, by_rank):
        made = run_columns(pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], **columns}), ties=ties)
        assert made.key.tolist() == key
        assert (None if made.rank is None else made.rank.tolist()) == rank
        assert made.by_rank is by_rank
        for part in (made.slice_rows(slice(1, 2)), made.take(np.array([1]))):
            assert part.query.decode().to_pylist() == ["1"]
            assert part.doc.to_pylist() == ["b"]
            assert part.key.tolist() == key[1:]
            assert (None if part.rank is None else part.rank.tolist()) == (None if rank is None else rank[1:])
            assert part.by_rank is by_rank

    def test_several_names_are_pointed_out(self):
        with pytest.warns(IrdivWarning, match="several names, such as 'x', 'y'"):
            run_columns(pd.concat([FRAME.assign(run="x"), FRAME.assign(run="y", doc_id="b")]))
