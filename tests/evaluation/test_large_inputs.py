"""Qrels and runs that come in batches, and frames of other libraries: the values of pandas frames, bit for bit."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError, demo
from irdiv.measures.catalogue import registry

ALL_MEASURES = [name for name in registry if not name.endswith("-LA")]
SPECS = ["D#-nDCG@5", "alpha-nDCG@5", "ERR-IA", "Vital-coverage@5", "nDCG@5", "P@3", "Judged@3", "SetP", "NumRet"]
TOPICS = 20


def collection(seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    judged = [
        (f"{topic}", f"d{doc}", int(rng.integers(-1, 4)), f"{intent}")
        for topic in range(TOPICS)
        for intent in range(1, 4)
        for doc in rng.choice(30, size=8, replace=False)
    ]
    qrels = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance", "intent_id"])
    # The only grade 5, which ERR of all topics depends on.
    qrels.loc[0, "relevance"] = 5
    qrels["importance"] = qrels["intent_id"].map({"1": "vital", "2": "okay", "3": "vital"})
    ranked = [
        (f"{topic}", f"d{doc}", float(rng.integers(0, 9)))
        for topic in range(TOPICS + 5)
        for doc in rng.choice(30, size=12, replace=False)
        if topic % 7
    ]
    return qrels, pd.DataFrame(ranked, columns=["query_id", "doc_id", "score"])


QRELS, RUN = collection()


def values(qrels, runs, measures=SPECS, **options) -> np.ndarray:
    return irdiv.evaluate(qrels, runs, measures, **options).values


def assert_same(found: irdiv.Evaluation, expected: irdiv.Evaluation) -> None:
    assert (found.runs, found.query_ids.tolist()) == (expected.runs, expected.query_ids.tolist())
    for index, measure in enumerate(expected.specs()):
        np.testing.assert_array_equal(found.values[:, index], expected.values[:, index], err_msg=measure)


@pytest.fixture(scope="module")
def whole() -> irdiv.Evaluation:
    return irdiv.evaluate(QRELS, RUN, SPECS)


ORDERS = {
    "by topic": lambda frame: frame,
    "shuffled": lambda frame: frame.sample(frac=1, random_state=0),
    "by document": lambda frame: frame.sort_values("doc_id"),
    "in two halves": lambda frame: pd.concat([frame[::2], frame[1::2]]),
}


@pytest.mark.parametrize("order", ORDERS)
def test_batches_change_no_bit(whole, order):
    assert whole.query_ids.tolist() == [f"{topic}" for topic in range(TOPICS)]
    qrels, run = ORDERS[order](QRELS), ORDERS[order](RUN)
    for rows in (1, 24, 100, 10**6):
        assert_same(irdiv.evaluate(qrels, run, SPECS, batch_rows=rows), whole)
        assert_same(irdiv.evaluate(reader(qrels, 16), reader(run, 16), SPECS, batch_rows=rows), whole)


@pytest.mark.parametrize("order", ["by topic", "shuffled"])
def test_every_measure_in_batches(order):
    found = irdiv.evaluate(ORDERS[order](QRELS), ORDERS[order](RUN), ALL_MEASURES, batch_rows=100)
    assert_same(found, irdiv.evaluate(QRELS, RUN, ALL_MEASURES))


def reader(frame: pd.DataFrame, chunk: int = 70) -> pa.RecordBatchReader:
    return table_of(frame).to_reader(max_chunksize=chunk)


def table_of(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with qrels and a run as files of Parquet, by usual and by other names, and as folders."""
    folder = tmp_path_factory.mktemp("parquet")
    for name, frame in (("qrels", QRELS), ("run", RUN)):
        table = table_of(frame)
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=100)
        ds.write_dataset(table, folder / name, format="parquet", max_rows_per_file=150, max_rows_per_group=50)
    content = (folder / "run.parquet").read_bytes()
    for name in ("UPPER.PARQUET", "none", "run.pq", "of folders/a.pq"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "of folders" / "README.txt").write_text("no Parquet")
    pq.write_to_dataset(table_of(RUN), folder / "by topic", partition_cols=["query_id"])
    return folder


STREAMS = {
    "files": lambda folder: (folder / "qrels.parquet", str(folder / "run.parquet")),
    "folders": lambda folder: (folder / "qrels", folder / "run"),
    "datasets": lambda folder: (ds.dataset(folder / "qrels"), ds.dataset(folder / "run")),
    "readers": lambda folder: (reader(QRELS), reader(RUN)),
    "duckdb": lambda folder: (
        duckdb.sql(f"select * from '{folder}/qrels/*.parquet'"),
        duckdb.sql(f"select query_id as qid, doc_id as docno, score from '{folder}/run.parquet'"),
    ),
    "stream and frame": lambda folder: (folder / "qrels", RUN),
    "frame and stream": lambda folder: (pl.from_pandas(QRELS), folder / "run"),
    "scanner": lambda folder: (QRELS, ds.dataset(folder / "run").scanner()),
    "record batch": lambda folder: (QRELS, table_of(RUN).combine_chunks().to_batches()[0]),
    "UPPER.PARQUET": lambda folder: (QRELS, folder / "UPPER.PARQUET"),
    "no ending": lambda folder: (QRELS, folder / "none"),
    "other ending": lambda folder: (QRELS, folder / "run.pq"),
    "folder with other files": lambda folder: (QRELS, folder / "of folders"),
    "topics as names of folders": lambda folder: (QRELS, folder / "by topic"),
}


@pytest.mark.parametrize("form", STREAMS)
def test_streams(whole, folder, form):
    expected = whole.values
    np.testing.assert_array_equal(values(*STREAMS[form](folder), batch_rows=200), expected)
    np.testing.assert_array_equal(values(*STREAMS[form](folder)), expected)
    qrels, run = STREAMS[form](folder)
    np.testing.assert_array_equal(values(irdiv.Collection(qrels), run), expected)


@pytest.mark.filterwarnings("ignore:.*ranks that contradict its scores")
@pytest.mark.parametrize("ties", ["docid_asc", "input", "rank"])
def test_ties_in_batches(ties):
    run = RUN.assign(rank=np.random.default_rng(1).permutation(len(RUN)))
    runs = {"a": run, "b": run.assign(score=-run["score"])}
    expected = irdiv.evaluate(QRELS, runs, SPECS, ties=ties)
    assert_same(irdiv.evaluate(QRELS, runs, SPECS, ties=ties, batch_rows=50), expected)


def test_described_intents_in_batches():
    intents = QRELS[["query_id", "intent_id"]].drop_duplicates().assign(probability=1 / 3, parent_id=None, type="inf")
    qrels = irdiv.with_intents(QRELS, intents)
    specs = ["D#-nDCG@5", "LAD#-nDCG@5", "DIN-nDCG@5"]
    np.testing.assert_array_equal(values(qrels, RUN, specs, batch_rows=50), values(qrels, RUN, specs))


def test_probabilities_of_some_topics_only():
    rows = [("1", "0", "x", 0), ("1", "1", "a", 1), ("1", "2", "b", 1), ("2", "1", "a", 1), ("2", "2", "b", 1)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    intents = pd.DataFrame({"query_id": "2", "intent_id": ["1", "2"], "probability": [0.7, 0.3]})
    qrels, run = irdiv.with_intents(qrels, intents), {"1": {"a": 1.0}, "2": {"a": 1.0}}
    for given in (qrels, pl.from_pandas(qrels), pl.from_pandas(qrels, nan_to_null=False)):
        for rows in (None, 1):
            assert values(given, run, "I-rec@5", intents="all", batch_rows=rows).tolist() == [[[0.5, 0.5]]]


def test_iterations_that_are_0_in_some_topics_only():
    qrels = QRELS.drop(columns="importance").rename(columns={"intent_id": "iteration"})
    qrels.loc[qrels["query_id"].astype(int) < 10, "iteration"] = "0"
    qrels = qrels.drop_duplicates(["query_id", "doc_id", "iteration"])
    np.testing.assert_array_equal(values(qrels, RUN, "I-rec@5", batch_rows=30), values(qrels, RUN, "I-rec@5"))
    adhoc = qrels.drop_duplicates(["query_id", "doc_id"])
    for iteration in ("0", 0.0, ["0", "Q0"] * (len(adhoc) // 2) + ["0"] * (len(adhoc) % 2)):
        for rows in (None, 30):
            with pytest.raises(IrdivError, match="needs intents"):
                values(adhoc.assign(iteration=iteration), RUN, "I-rec@5", batch_rows=rows)


def test_columns_of_mixed_types_in_batches():
    qrels = QRELS.drop(columns="importance")[24:48].assign(
        description=[1.5, "b", None] * 8, type=["inf", None, "inf"] * 8
    )
    qrels["parent_id"] = pd.Series([3, "3", None] * 8, dtype=object)
    qrels = qrels.assign(intent_id="1").drop_duplicates(["query_id", "doc_id"])
    np.testing.assert_array_equal(values(qrels, RUN, "I-rec@5", batch_rows=2), values(qrels, RUN, "I-rec@5"))


def test_topics_that_are_numbers_in_batches():
    qrels = pa.table({"query_id": [1.0, 1.0, 2.0], "doc_id": ["a", "b", "a"], "relevance": [1, 1, 1]})
    assert values(qrels, {"1": {"a": 1.0}}, "P@2", batch_rows=1).tolist() == [[[0.5, 0.0]]]
    fractions = qrels.set_column(0, "query_id", pa.array([1.0, 1.0, 2.5]))
    with pytest.raises(IrdivError, match=r"'query_id' of the qrels has numbers with fractions as ids, such as 2\.5"):
        values(fractions, {"1": {"a": 1.0}}, "P@2", batch_rows=1)


def write_files(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir()
    for index, table in enumerate(tables):
        pq.write_table(table, folder / f"{index}.parquet")
    return folder


def test_files_of_a_folder_that_differ(tmp_path):
    judged = pa.table({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 2], "intent_id": ["1", "2"]})
    more = judged.set_column(0, "query_id", pa.array(["2", "2"]))
    weighted = more.append_column("probability", pa.array([0.9, 0.1]))
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    expected = values(pa.concat_tables([judged, weighted], promote_options="default"), run, "D-nDCG@2")
    with_nulls = judged.append_column("probability", pa.nulls(2))
    for name, first in (("without the column", judged), ("with nulls", with_nulls)):
        folder = write_files(tmp_path / name, first, weighted)
        np.testing.assert_array_equal(values(folder, run, "D-nDCG@2"), expected, err_msg=name)
    # Scores that differ in double precision only stay apart beside a file of single precision.
    near = pa.table({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [1 + 1e-12, 1.0]})
    far = pa.table({"query_id": ["2"], "doc_id": ["a"], "score": pa.array([1.0], pa.float32())})
    both = write_files(tmp_path / "run", far, near)
    assert values(judged, both, "nDCG@1").tolist() == values(judged, near, "nDCG@1").tolist()
    numbered = far.set_column(0, "query_id", pa.array([1])).set_column(1, "doc_id", pa.array(["c"]))
    assert values(judged, write_files(tmp_path / "other", near, numbered), "P@3").tolist() == [[[2 / 3]]]


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS.drop(columns="doc_id"), RUN, "the qrels lack a column: expected 'doc_id'"),
        (QRELS, RUN.drop(columns="score"), "the run lacks a column: expected 'score'"),
        (QRELS[:0], RUN, "the qrels are empty"),
        (QRELS, RUN[:0], "the run is empty"),
        (QRELS, RUN.assign(query_id="x" + RUN["query_id"]), "no topic in common: the qrels have '0', '1', '2', …"),
        (QRELS.assign(relevance=0.5), RUN, "grades are whole numbers"),
        (QRELS, RUN.assign(score=np.nan), "must hold finite numbers"),
        (QRELS, pd.concat([RUN, RUN[:1]]), "the run repeats documents, 1 in all"),
        (pd.concat([QRELS, QRELS[:1].assign(relevance=2)]), RUN, "the qrels contradict themselves"),
    ],
)
def test_bad_input_in_batches(qrels, run, message):
    with pytest.raises(IrdivError, match=message):
        values(qrels, run, "I-rec@5", batch_rows=50)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, "many"])
def test_bad_batch_rows(rows):
    for qrels in (QRELS, irdiv.Collection(QRELS)):
        with pytest.raises(IrdivError, match="batch_rows=.* is not an integer of 1 or more"):
            values(qrels, RUN, "I-rec@5", batch_rows=rows)
    assert values(QRELS, RUN, "P@1", batch_rows=np.int64(5)).shape == (1, 1, TOPICS)


def test_errors_name_the_run_and_the_rows_of_a_stream():
    run = RUN.assign(score=RUN["score"].where(RUN.index != 150))
    with pytest.raises(IrdivError, match=r"run 'b': .*found nan in row 10 .*\(rows counted from row 140 of the run\)"):
        values(QRELS, {"a": RUN, "b": reader(run)}, "I-rec@5")


def test_files_and_streams_that_cannot_be_read(tmp_path, folder):
    text, damaged, empty = tmp_path / "qrels.parquet", tmp_path / "damaged", tmp_path / "empty"
    text.write_text("1 0 d1 1\n")
    damaged.mkdir()
    empty.mkdir()
    whole = (folder / "run.parquet").read_bytes()
    (damaged / "a.parquet").write_bytes(whole)
    (damaged / "b.parquet").write_bytes(whole[:500])
    connection = duckdb.connect()
    connection.register("frame", RUN)
    closed = connection.sql("select * from frame")
    connection.close()
    used = reader(RUN)
    values(QRELS, used)
    cases = [
        (tmp_path / "missing.parquet", RUN, "no such qrels file: '.*missing.parquet'"),
        (text, RUN, "cannot read the qrels from '.*qrels.parquet': .*not a parquet file"),
        (QRELS, {"a": RUN, "b": damaged}, "run 'b': cannot read the run from '.*': .*b.parquet"),
        (damaged, RUN, "cannot read the qrels from '.*': .*b.parquet"),
        (QRELS, {"a": RUN, "b": closed}, "run 'b': cannot read the run from DuckDBPyRelation: .*closed"),
        (QRELS, pl.from_pandas(RUN).lazy().select("nothing"), "cannot read the run from LazyFrame"),
        (QRELS, used, "Arrow stream without rows; one can be read only once"),
        (QRELS, {"run": empty}, "is a folder without Parquet"),
        (QRELS, empty, "has no files"),
    ]
    for qrels, run, message in cases:
        with pytest.raises(IrdivError, match=message):
            values(qrels, run, "I-rec@5")
    with pytest.raises(IrdivError, match="is Parquet, not a TREC file"):
        irdiv.read_run(folder / "run.parquet")


LIBRARIES = {
    "polars": (pl.from_pandas, pl.DataFrame),
    "polars lazy": (lambda frame: pl.from_pandas(frame).lazy(), pl.DataFrame),
    "arrow": (table_of, pa.Table),
    "arrow reader": (reader, pa.Table),
    "duckdb": (lambda frame: duckdb.from_df(frame), pa.Table),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_are_frames_of_the_callers_library(library):
    convert, frame = LIBRARIES[library]
    expected = irdiv.evaluate(QRELS, {"a": RUN, "b": RUN[:99]}, ["D#-nDCG@5", "P@3"])
    made = irdiv.evaluate(convert(QRELS), {"a": convert(RUN), "b": convert(RUN[:99])}, ["D#-nDCG@5", "P@3"])
    wide = {name: getattr(expected, name)().reset_index().rename_axis(columns=None) for name in ("summary", "pivot")}
    found = {"frame": made.frame, "summary": made.summary(), "pivot": made.pivot()}
    for name, in_pandas in {"frame": expected.frame, **wide}.items():
        assert isinstance(found[name], frame), name
        pd.testing.assert_frame_equal(
            found[name].to_pandas(), in_pandas, check_dtype=False, check_column_type=False, obj=name
        )
    assert repr(made).split("note:")[0] == repr(expected).split("note:")[0]
    assert made.to_markdown() == expected.to_markdown()
    pd.testing.assert_frame_equal(made.to_pandas().summary(), expected.summary())


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_functions_of_a_collection_return_frames_of_the_library_of_its_qrels(library):
    convert, frame = LIBRARIES[library]
    compiled, run = irdiv.Collection(convert(QRELS)), {"1": ["d1"], "2": ["d2"]}
    made = {
        "oracle": irdiv.oracle(compiled, depth=3),
        "ideal_gaps": irdiv.analysis.ideal_gaps(compiled, cutoff=3),
        "relevant_documents_by_intent": irdiv.analysis.relevant_documents_by_intent(compiled, run),
        "gain_vectors": irdiv.analysis.gain_vectors(compiled, run).means,
        "hierarchy": irdiv.Hierarchy(compiled).frame,
    }
    assert {name: type(result) for name, result in made.items()} == dict.fromkeys(made, frame)


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_other_frames_are_not_converted_to_pandas(monkeypatch, library):
    qrels, run = (LIBRARIES[library][0](frame) for frame in (QRELS, RUN))

    def refuse(*arguments, **options):
        raise AssertionError("a pandas frame was made")

    for owner in (pd.DataFrame, pd.Series):
        monkeypatch.setattr(owner, "__init__", refuse)
    for rows in (None, 100):
        made = irdiv.evaluate(qrels, run, ["D#-nDCG@5", "alpha-nDCG@5", "nDCG@5", "Judged@3"], batch_rows=rows)
        assert (len(made.frame), len(made.summary())) == (made.values.size, 1)


@pytest.mark.parametrize("library", ["polars", "arrow", "parquet", "duckdb"])
def test_an_intent_file_for_qrels_in_any_form(library, tmp_path):
    # In this file cells are empty where inner nodes have no type.
    path = Path(demo.__file__).parent / "intents.csv"
    qrels, runs = irdiv.read_qrels(path.with_name("qrels.txt")), demo.demo_qrels_and_runs()[1]
    qrels.to_parquet(tmp_path / "qrels.parquet")
    converted = tmp_path / "qrels.parquet" if library == "parquet" else LIBRARIES[library][0](qrels)
    specs = ["D-nDCG@5", "DIN-nDCG@5", "LAD#-nDCG@5"]
    expected = values(irdiv.with_intents(qrels, path), runs, specs)
    np.testing.assert_array_equal(values(irdiv.with_intents(converted, path), runs, specs), expected)
