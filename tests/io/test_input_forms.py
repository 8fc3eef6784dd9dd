"""The forms in which qrels and runs may be given, the names of runs, and the errors about other forms."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc
from pyarrow import dataset

import irdiv
from irdiv import IrdivError, IrdivWarning

SPECS = ["D#-nDCG@3", "alpha-nDCG@3", "I-rec(intents='all')@2", "nDCG@3", "Judged@3"]
FRAME = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]})
TABLE = pd.DataFrame({"query_id": ["1"], "intent_id": ["1"], "description": ["x"]})
FLAT = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}


def refused(function, *arguments, **options) -> str:
    with pytest.raises(IrdivError) as caught:
        function(*arguments, **options)
    return str(caught.value)


def missing_from(message: str, *texts: str) -> list[str]:
    """Return the texts that a message lacks."""
    return [text for text in texts if text not in message]


def to_parquet(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    frame.to_parquet(path)
    return path


FRAMES = {
    "objects": lambda frame, folder: frame.astype(object),
    "categories": lambda frame, folder: frame.astype({"query_id": "category", "doc_id": "category"}),
    "polars": lambda frame, folder: pl.from_pandas(frame),
    "lazy polars": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "Arrow": lambda frame, folder: pa.Table.from_pandas(frame),
    "batch": lambda frame, folder: pa.Table.from_pandas(frame).to_batches()[0],
    "reader": lambda frame, folder: pa.Table.from_pandas(frame).to_reader(max_chunksize=2),
    "Parquet": lambda frame, folder: to_parquet(frame, folder),
    "path as text": lambda frame, folder: str(to_parquet(frame, folder)),
    "dataset": lambda frame, folder: dataset.dataset(to_parquet(frame, folder)),
    "dataset in memory": lambda frame, folder: dataset.dataset(pa.Table.from_pandas(frame)),
    "scanner": lambda frame, folder: dataset.dataset(pa.Table.from_pandas(frame)).scanner(),
    "DuckDB": lambda frame, folder: duckdb.from_arrow(pa.Table.from_pandas(frame)),
    "namedtuples": lambda frame, folder: frame.itertuples(index=False, name="Row"),
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames_have_the_values_of_pandas(qrels, run, tmp_path, form):
    expected = irdiv.evaluate(qrels, run, SPECS)
    for options in ({}, {"batch_rows": 3}):
        data = (FRAMES[form](frame, tmp_path) for frame in (qrels, run))
        found = irdiv.evaluate(*data, SPECS, **options)
        np.testing.assert_array_equal(found.values, expected.values, err_msg=f"{form} {options}")
    ranked = run.assign(system="x")
    found = irdiv.evaluate(qrels, FRAMES[form](ranked, tmp_path), SPECS, run_column="system")
    np.testing.assert_array_equal(found.values, expected.values, err_msg=f"{form} with run_column")


def test_the_library_of_a_text_file_is_pandas(tmp_path):
    (tmp_path / "qrels").write_text("1 1 a 1\n")
    probabilities = irdiv.analysis.intent_probabilities(tmp_path / "qrels")
    assert isinstance(probabilities, pd.DataFrame)
    assert isinstance(irdiv.with_intents(tmp_path / "qrels", TABLE), pd.DataFrame)


@pytest.mark.parametrize(
    ("qrels", "run", "values"),
    [
        (FLAT, {"1": {"b": 2, "a": 1}, "2": {}}, [1 / 2, 0]),
        (FLAT, {1: {"a": 0.5}, 2: {"x": 1, "c": 0.5}}, [1, 1 / 2]),
        ({1.0: {7: 1}}, {1: {"7": 2**70}}, [1]),
        ({1.5: {True: 1}}, {"1.5": {"True": 1.0}}, [1]),
        (FLAT, {"1": {"a": "2.5", "x": 1}}, [1, 0]),
        ([Qrel("1", "a", 1, "0")], [ScoredDoc("1", "x", 2), ScoredDoc("1", "a", 1)], [1 / 2]),
        (FLAT, iter([ScoredDoc("1", "x", 2.5), ScoredDoc("2", "c", 1)]), [0, 1]),
        (FLAT, [namedtuple("Row", ["qid", "docno", "rank"])("1", "a", 1)], [1, 0]),
        ({"1": {"7": 1}, "2": {"8": 1}, "3": {"9": 1}}, {1: [7], "2": (3, 8), "3": np.array([9])}, [1, 1 / 2, 1]),
        (FLAT, {"1": ["x", "b", "a"], "2": []}, [1 / 3, 0]),
    ],
)
@pytest.mark.filterwarnings("ignore:.* lacks")
def test_dicts_lists_and_namedtuples(qrels, run, values):
    found = irdiv.evaluate(qrels, run, "RR")
    assert found.values[0, 0].tolist() == values
    assert found.runs == ("run",)


class TestRefusedForms:
    @pytest.mark.parametrize("data", [3, None, b"1 0 d 1"])
    def test_objects_of_unknown_types(self, data):
        texts = (type(data).__name__, "pandas", "polars", "pyarrow", "DuckDB", "dict of dicts", "namedtuples")
        texts = (*texts, "path", "TREC", "Parquet", "NTCIREVAL")
        assert missing_from(refused(irdiv.evaluate, FLAT, data, "P@1"), "the run", "of lists", *texts) == []
        message = refused(irdiv.Collection, data)
        assert missing_from(message, "the qrels", *texts) == []
        assert "of lists" not in message
        assert missing_from(refused(irdiv.with_intents, FLAT, data), "the intents", *texts[:1]) == []

    @pytest.mark.parametrize(
        ("items", "texts"),
        [
            ([{"a": 1}], ["'dict'", "irdiv.rag.read_contexts", "pandas.DataFrame"]),
            ([{"a": FRAME}], ["'dict'", "mapping from name to run"]),
            ([{"a": FRAME, "b": 1}], ["'dict'", "mapping from name to run"]),
            ([FRAME], ["'DataFrame'", "mapping from name to run"]),
            (["a.txt"], ["'str'", "mapping from name to run", "path", "irdiv.rag.read_contexts"]),
            ([Path("a.txt")], ["Path'", "mapping from name to run", "path"]),
            ([("1", "d", 1.0)], ["'tuple'", "query_id, doc_id, score"]),
            ([ScoredDoc("1", "a", 1.0), ("1", "b", 1.0)], ["'tuple'"]),
            ({"1": [("d", 1.0)]}, ["'tuple'"]),
            ({"1": [1.5]}, ["'float'"]),
            ({"1": ["d"], "2": [True]}, ["'str'"]),
        ],
    )
    def test_iterables_of_other_things_than_namedtuples(self, items, texts):
        message = refused(irdiv.evaluate, FLAT, items, "P@1")
        assert missing_from(message, "the run from an iterable of", "namedtuples", *texts) == []

    def test_records_of_qrels(self):
        message = refused(irdiv.Collection, [{"a": 1}])
        assert missing_from(message, "the qrels", "'dict'", "irdiv.rag.read_nuggets", "pandas.DataFrame") == []

    @pytest.mark.parametrize(
        "run", [{"a": {"1": ["d"], "2": {"d": 1.0}}, "b": {"1": ["d"]}}, {"a": {"1": ["d"], "2": 3.0}}, {"1": {"a"}}]
    )
    def test_dicts_of_other_things(self, run):
        assert "cannot read the run from" in refused(irdiv.evaluate, FLAT, run, "P@1")

    def test_what_dicts_hold(self):
        message = refused(irdiv.evaluate, FLAT, {"x": {"1": ["d"], "2": {"d": 1.0}}}, "P@1")
        assert missing_from(message, "{query_id: {doc_id: score}}", "{query_id: [doc_id, …]}", "'dict'", "'list'") == []
        message = refused(irdiv.Collection, {"1": ["d"], "2": {}, "3": 1})
        assert missing_from(message, "{query_id: {doc_id: relevance}}", "'dict'", "'int'", "'list'") == []
        assert "[doc_id" not in message

    def test_qrels_in_place_of_a_run(self):
        for qrels in (irdiv.Collection(FLAT), irdiv.Dataset("test", FRAME, FRAME, FRAME)):
            message = refused(irdiv.evaluate, FLAT, qrels, "P@1")
            assert missing_from(message, type(qrels).__name__, "holds qrels", "query_id, doc_id, score") == []


class TestNamesOfRuns:
    @pytest.mark.parametrize(
        ("runs", "names"),
        [
            (FRAME, ["run"]),
            ({"1": {"a": 1.0}, "2": {}}, ["run"]),
            ({"1": ["a"], "2": ["c"]}, ["run"]),
            ({1: FRAME, "b": FRAME}, ["1", "b"]),
            ({"x": {"1": ["a"]}}, ["x"]),
            ({"x": {"1": ["a"]}, "y": FRAME, "z": {"1": {"a": 1.0}}}, ["x", "y", "z"]),
        ],
        ids=range(6),
    )
    @pytest.mark.filterwarnings("ignore:.* lacks")
    def test_mappings(self, runs, names):
        assert list(irdiv.evaluate(FLAT, runs, "P@1").runs) == names

    @pytest.mark.parametrize(
        ("file", "name"),
        [
            *((f"a{ending}", "a") for ending in ("", ".txt", ".run", ".res", ".trec", ".txt.gz", ".gz")),
            ("bm25.v2.txt", "bm25.v2"),
            ("a.csv", "a.csv"),
            ("b\udcffm.txt", "b\ufffdm"),
        ],
    )
    def test_files(self, tmp_path, file, name):
        (tmp_path / file).write_text("1 Q0 a 1 1 t\n2 Q0 c 1 1 t\n")
        assert irdiv.evaluate(FLAT, tmp_path / file, "P@1").runs == (name,)
        assert irdiv.evaluate(FLAT, tmp_path, "P@1").runs == (name,)

    @pytest.mark.filterwarnings("ignore:.* lacks")
    def test_folders(self, tmp_path):
        for name in ("10", "9", "b.txt", ".hidden"):
            (tmp_path / name).write_text(f"1 Q0 {'a' if name == '9' else 'b'} 1 1 t\n")
        found = irdiv.evaluate(FLAT, tmp_path, "P@1")
        assert dict(zip(found.runs, found.values[:, 0, 0].tolist(), strict=True)) == {"9": 1, "10": 0, "b": 0}
        for name in ("c~", ".d.swp", "e.swp"):
            (tmp_path / name).touch()
        (tmp_path / "more").mkdir()
        with pytest.warns(IrdivWarning, match="not read: 'c~', 'e.swp', 'more/'"):
            assert irdiv.evaluate(FLAT, tmp_path, "P@1").runs == ("9", "10", "b")
        (tmp_path / "b.run").touch()
        with pytest.warns(IrdivWarning, match="not read"):
            assert missing_from(refused(irdiv.evaluate, FLAT, tmp_path, "P@1"), "same name", "'b.run'") == []
        (tmp_path / "empty").mkdir()
        assert missing_from(refused(irdiv.evaluate, FLAT, tmp_path / "empty", "P@1"), "no files", "empty") == []

    def test_a_folder_of_parquet_is_one_run(self, tmp_path):
        """Values in the names of folders are columns, and the types of columns may differ from file to file."""
        for number, ids in enumerate((["1", "2"], [1, 2])):
            (tmp_path / f"part={number}").mkdir()
            frame = pd.DataFrame({"query_id": ids, "doc_id": [f"d{number}"] * 2, "score": [2.5, 2][number]})
            frame.to_parquet(tmp_path / f"part={number}" / "a.parquet", index=False)
        for name in ("_SUCCESS", "_metadata.parquet", ".hidden.parquet"):
            (tmp_path / name).write_text("no Parquet")
        qrels = {"1": {"d1": 1}, "2": {"d1": 1}}
        found = irdiv.evaluate(qrels, tmp_path, "RR")
        assert (found.runs, found.values.tolist()) == ((tmp_path.name,), [[[0.5, 0.5]]])
        assert irdiv.evaluate(qrels, tmp_path, "RR", run_column="part").runs == ("0", "1")

    def test_refused_names(self):
        assert "no runs given" in refused(irdiv.evaluate, FLAT, {}, "P@1")
        assert missing_from(refused(irdiv.evaluate, FLAT, {"1": FRAME, 1: FRAME}, "P@1"), "same name", "'1'") == []
        assert "surrogate" in refused(irdiv.evaluate, FLAT, {"\udc80": FRAME}, "P@1")
        assert "run 'b': " in refused(irdiv.evaluate, FLAT, {"a": FRAME, "b": FRAME.drop(columns="score")}, "P@1")
        assert "run 'a': the run is empty" in refused(irdiv.evaluate, FLAT, {"a": {}, "b": {"1": {"a": 1.0}}}, "P@1")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (pd.Series([None, "a", "b", "c"]), "'a', 'b'"),
        (pd.Series([1, 1, 2, 2]), "1, 2"),
        (pl.Series(["a", "a", "b", "b"], dtype=pl.Enum(["a", "b"])), "'a', 'b'"),
        (pa.array([1, 1, 2, 2]), "1, 2"),
    ],
    ids=["names", "numbers", "Enum", "Arrow"],
)
def test_several_names_in_one_run(names, shown):
    """A frame of several runs without run_column would pass for one run."""
    library = pa.table if isinstance(names, pa.Array) else type(names.to_frame())
    frame = library({"query_id": list("1122"), "doc_id": list("abcd"), "score": [1.0] * 4, "run": names})
    with pytest.warns(IrdivWarning, match=f"'run'.*{shown}.*run_column='run'"):
        irdiv.evaluate(FLAT, frame, "P@1")


MANY = pd.DataFrame({"run": ["x", "y"], "query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
WIDE = MANY.assign(**dict.fromkeys("abcdefghijkl", 1))


@pytest.mark.parametrize(
    ("runs", "run_column", "texts"),
    [
        (WIDE, "tag", ["'tag'", "'run', 'query_id', 'doc_id', 'score', 'a'", "…"]),
        (WIDE, "score", ["'score'", "'run', 'a', 'b'", "…"]),
        (MANY.drop(columns="run"), "doc_id", ["'doc_id'", "no other column"]),
        (MANY.drop(columns="doc_id"), "run", ["'docno'", "'run', 'query_id', 'score'"]),
        (MANY.assign(rank=1).drop(columns="score"), "rank", ["'rank'", "topics"]),
    ],
    ids=range(5),
)
def test_columns_that_name_no_runs(runs, run_column, texts):
    assert missing_from(refused(irdiv.evaluate, FLAT, runs, "P@1", run_column=run_column), *texts) == []


@pytest.mark.filterwarnings("ignore:.* lacks")
def test_scores_may_name_runs_that_are_ordered_by_rank():
    ranked = MANY.assign(rank=1).drop(columns="run")
    assert irdiv.evaluate(FLAT, ranked, "P@1", run_column="score", ties="rank").runs == ("2", "1")
