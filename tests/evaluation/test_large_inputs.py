"""Qrels and runs that come in batches, and frames of other libraries: the values of pandas frames, bit for bit."""

from __future__ import annotations

import pickle
import sys
from contextlib import nullcontext
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
from irdiv.frames.allocator import system_allocator
from irdiv.frames.backends import backend_of
from irdiv.frames.prefetch import prefetch
from irdiv.measures.catalogue import registry

ALL_MEASURES = [name for name in registry if not name.endswith("-LA")]


def collection(seed: int = 0, topics: int = 20) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    judged = [
        (f"{topic}", f"d{doc}", int(rng.integers(-1, 4)), f"{intent}")
        for topic in range(topics)
        for intent in range(1, 4)
        for doc in rng.choice(30, size=8, replace=False)
    ]
    qrels = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance", "intent_id"])
    # The only grade 5, which ERR of all topics depends on.
    qrels.loc[0, "relevance"] = 5
    qrels["importance"] = qrels["intent_id"].map({"1": "vital", "2": "okay", "3": "vital"})
    ranked = [
        (f"{topic}", f"d{doc}", float(rng.integers(0, 9)))
        for topic in range(topics + 5)
        for doc in rng.choice(30, size=12, replace=False)
        if topic % 7
    ]
    return qrels, pd.DataFrame(ranked, columns=["query_id", "doc_id", "score"])


QRELS, RUN = collection()


def values(qrels, runs, measures=ALL_MEASURES, **options) -> np.ndarray:
    return irdiv.evaluate(qrels, runs, measures, **options).values


@pytest.fixture(scope="module")
def whole() -> np.ndarray:
    return values(QRELS, RUN)


@pytest.mark.parametrize("rows", [1, 24, 100, 10**6])
@pytest.mark.parametrize("shuffled", [False, True])
def test_batches_change_no_bit(whole, rows, shuffled):
    qrels, run = (frame.sample(frac=1, random_state=0) if shuffled else frame for frame in (QRELS, RUN))
    made = irdiv.evaluate(qrels, run, ALL_MEASURES, batch_rows=rows)
    np.testing.assert_array_equal(made.values, whole)
    assert made.query_ids.tolist() == [f"{topic}" for topic in range(20)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    for name, frame in (("qrels", QRELS), ("run", RUN)):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=100)
        ds.write_dataset(table, folder / name, format="parquet", max_rows_per_file=150, max_rows_per_group=50)
    return folder


def reader(frame: pd.DataFrame) -> pa.RecordBatchReader:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=70))


STREAMS = {
    "parquet files": lambda folder: (folder / "qrels.parquet", str(folder / "run.parquet")),
    "parquet folders": lambda folder: (folder / "qrels", folder / "run"),
    "datasets": lambda folder: (ds.dataset(folder / "qrels"), ds.dataset(folder / "run")),
    "arrow readers": lambda folder: (reader(QRELS), reader(RUN)),
    "duckdb": lambda folder: (
        duckdb.sql(f"select * from '{folder}/qrels/*.parquet'"),
        duckdb.sql(f"select query_id as qid, doc_id as docno, score from '{folder}/run.parquet'"),
    ),
    "a stream and a frame": lambda folder: (folder / "qrels", RUN),
    "a frame and a stream": lambda folder: (pl.from_pandas(QRELS), folder / "run"),
}


@pytest.mark.parametrize("form", STREAMS)
def test_streams(whole, folder, form):
    qrels, run = STREAMS[form](folder)
    np.testing.assert_array_equal(values(qrels, run, batch_rows=200), whole)


@pytest.mark.parametrize("form", ["parquet files", "parquet folders", "datasets", "arrow readers", "duckdb"])
def test_streams_compiled_once(whole, folder, form):
    qrels, run = STREAMS[form](folder)
    np.testing.assert_array_equal(values(irdiv.Collection(qrels), run), whole)


@pytest.mark.filterwarnings("ignore:.*ranks that contradict its scores")
@pytest.mark.parametrize("ties", ["docid_asc", "input", "rank"])
def test_ties_in_batches(ties):
    run = RUN.assign(rank=np.random.default_rng(1).permutation(len(RUN)))
    specs = ["D#-nDCG@5", "P@3"]
    np.testing.assert_array_equal(
        values(QRELS, run, specs, ties=ties, batch_rows=50), values(QRELS, run, specs, ties=ties)
    )


@pytest.mark.parametrize("order", ["by topic", "by document", "in two halves"])
def test_topics_in_many_chunks(monkeypatch, whole, order):
    monkeypatch.setattr("irdiv.frames.sources._CHUNK_ROWS", 16)
    qrels, run = QRELS, RUN
    if order == "by document":
        qrels, run = qrels.sort_values("doc_id"), run.sort_values("doc_id")
    if order == "in two halves":
        qrels = pd.concat([qrels[::2], qrels[1::2]])
        run = pd.concat([run[::2], run[1::2]])
    np.testing.assert_array_equal(values(qrels, run, batch_rows=100), whole)


def test_measures_of_ir_measures_and_several_runs_in_batches():
    runs = {"a": RUN, "b": RUN.assign(score=-RUN["score"])}
    specs = ["SetP", "NumRet", "D#-nDCG@5", "nDCG@5"]
    whole, parts = irdiv.evaluate(QRELS, runs, specs), irdiv.evaluate(QRELS, runs, specs, batch_rows=60)
    np.testing.assert_array_equal(parts.values, whole.values)
    assert parts.runs == ("a", "b")


def test_described_intents_in_batches():
    intents = QRELS[["query_id", "intent_id"]].drop_duplicates().assign(probability=1 / 3, parent_id=None, type="inf")
    qrels = irdiv.with_intents(QRELS, intents)
    specs = ["D#-nDCG@5", "LAD#-nDCG@5", "DIN-nDCG@5"]
    np.testing.assert_array_equal(values(qrels, RUN, specs, batch_rows=50), values(qrels, RUN, specs))


def test_iterations_that_are_0_in_some_topics_only():
    qrels = QRELS.drop(columns="importance").rename(columns={"intent_id": "iteration"})
    qrels.loc[qrels["query_id"].astype(int) < 10, "iteration"] = "0"
    qrels = qrels.drop_duplicates(["query_id", "doc_id", "iteration"])
    np.testing.assert_array_equal(values(qrels, RUN, "I-rec@5", batch_rows=30), values(qrels, RUN, "I-rec@5"))
    with pytest.raises(IrdivError, match="needs intents"):
        values(qrels.assign(iteration="0").drop_duplicates(["query_id", "doc_id"]), RUN, "I-rec@5", batch_rows=30)


def test_topics_without_relevant_documents_are_noted():
    qrels = QRELS.assign(relevance=QRELS["relevance"].where(QRELS["query_id"].astype(int) > 3, 0))
    note, *_ = irdiv.evaluate(qrels, RUN, "I-rec@5", batch_rows=100).notes
    assert note == "4 of 20 topics have no relevant document and score 0 in measures of relevance: '0', '1', '2', '3'."


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS.drop(columns="doc_id"), RUN, "the qrels lack a column: expected 'doc_id' or 'docno'"),
        (QRELS, RUN.drop(columns="score"), "the run lacks a column: expected 'score'"),
        (QRELS[:0], RUN, "the qrels are empty: expected at least one row with 'query_id'"),
        (QRELS, RUN[:0], "the run is empty"),
        (
            QRELS,
            RUN.assign(query_id="x" + RUN["query_id"]),
            "no topic in common: the qrels have '0', '1', '2', … and the run",
        ),
        (QRELS.assign(relevance=0.5), RUN, "grades are whole numbers"),
        (QRELS, RUN.assign(score=np.nan), "must hold finite numbers"),
        (QRELS, pd.concat([RUN, RUN[:1]]), "the run repeats documents, 1 in all"),
        (pd.concat([QRELS, QRELS[:1].assign(relevance=2)]), RUN, "the qrels contradict themselves"),
    ],
)
def test_bad_input_in_batches(qrels, run, message):
    with pytest.raises(IrdivError, match=message):
        values(qrels, run, "I-rec@5", batch_rows=50)


def test_errors_name_the_rows_of_a_stream(tmp_path):
    run = RUN.assign(score=RUN["score"].where(RUN.index != 150))
    with pytest.raises(IrdivError, match=r"run 'b': .*found nan in row 10 .*\(rows counted from row 140 of the run\)"):
        values(QRELS, {"a": RUN, "b": reader(run)}, "I-rec@5")


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, "many"])
def test_bad_batch_rows(rows):
    with pytest.raises(IrdivError, match="batch_rows=.* is not an integer of 1 or more"):
        values(QRELS, RUN, "I-rec@5", batch_rows=rows)


def test_bad_parquet(tmp_path):
    path = tmp_path / "qrels.parquet"
    with pytest.raises(IrdivError, match="no such qrels file: '.*qrels.parquet'"):
        values(path, RUN)
    path.write_text("1 0 d1 1\n")
    with pytest.raises(IrdivError, match="cannot read the qrels from '.*qrels.parquet': .*not a parquet file"):
        values(path, RUN)


def test_damaged_parquet(tmp_path, folder):
    whole = (folder / "run.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole)
    (tmp_path / "b.parquet").write_bytes(whole[:500])
    with pytest.raises(IrdivError, match="run 'b': cannot read the run from '.*': .*b.parquet"):
        values(QRELS, {"a": RUN, "b": tmp_path}, "I-rec@5")
    with pytest.raises(IrdivError, match="cannot read the qrels from '.*': .*b.parquet"):
        irdiv.Collection(tmp_path)


def test_parquet_by_other_names(tmp_path, folder, whole):
    content = (folder / "run.parquet").read_bytes()
    for name in ("UPPER.PARQUET", "none", "run.pq", "of folders/a.pq"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "of folders" / "README.txt").write_text("no Parquet")
    for name in ("UPPER.PARQUET", "none", "run.pq", "of folders"):
        np.testing.assert_array_equal(values(QRELS, tmp_path / name), whole)


def test_values_in_the_names_of_folders(tmp_path, whole):
    table = pa.Table.from_pandas(RUN, preserve_index=False)
    pq.write_to_dataset(table, tmp_path / "run", partition_cols=["query_id"])
    np.testing.assert_array_equal(values(QRELS, tmp_path / "run"), whole)


def test_paths_that_are_not_trec_files(tmp_path, folder):
    with pytest.raises(
        IrdivError, match="is Parquet, not a TREC file; give it to irdiv.evaluate, or to pandas.read_parq"
    ):
        irdiv.read_run(folder / "run.parquet")
    with pytest.raises(
        IrdivError, match="is a folder without Parquet; expected a run file, or a folder of Parquet files"
    ):
        values(QRELS, {"run": tmp_path}, "I-rec@5")
    (tmp_path / "empty").mkdir()
    with pytest.raises(IrdivError, match="has no files; expected one for each run, or Parquet files of one run"):
        values(QRELS, tmp_path / "empty", "I-rec@5")


def test_other_forms_of_arrow(folder, whole):
    run = pa.Table.from_pandas(RUN, preserve_index=False)
    np.testing.assert_array_equal(values(QRELS, ds.dataset(folder / "run").scanner()), whole)
    np.testing.assert_array_equal(values(QRELS, run.combine_chunks().to_batches()[0]), whole)
    stream = reader(RUN)
    np.testing.assert_array_equal(values(QRELS, stream), whole)
    with pytest.raises(IrdivError, match="the run came as an Arrow stream without rows; one can be read only once"):
        values(QRELS, stream)


def test_relations_and_lazy_frames_that_cannot_be_read():
    connection = duckdb.connect()
    connection.register("frame", RUN)
    relation = connection.sql("select * from frame")
    connection.close()
    with pytest.raises(IrdivError, match="run 'b': cannot read the run from DuckDBPyRelation: .*closed"):
        values(QRELS, {"a": RUN, "b": relation}, "I-rec@5")
    with pytest.raises(IrdivError, match="cannot read the run from LazyFrame: .*"):
        values(QRELS, pl.from_pandas(RUN).lazy().select("nothing"), "I-rec@5")


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


LIBRARIES = {
    "pandas": (lambda frame: frame, pd.DataFrame),
    "polars": (pl.from_pandas, pl.DataFrame),
    "polars lazy": (lambda frame: pl.from_pandas(frame).lazy(), pl.DataFrame),
    "arrow": (lambda frame: pa.Table.from_pandas(frame, preserve_index=False), pa.Table),
    "arrow reader": (reader, pa.Table),
    "duckdb": (lambda frame: duckdb.from_df(frame), pa.Table),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_are_frames_of_the_callers_library(library):
    convert, frame = LIBRARIES[library]
    expected = irdiv.evaluate(QRELS, {"a": RUN, "b": RUN[:99]}, ["D#-nDCG@5", "P@3"])
    made = irdiv.evaluate(convert(QRELS), {"a": convert(RUN), "b": convert(RUN[:99])}, ["D#-nDCG@5", "P@3"])
    for name in ("frame", "summary", "pivot"):
        one, two = getattr(made, name), getattr(expected, name)
        one, two = (one, two) if name == "frame" else (one(), two())
        assert type(one) is frame or isinstance(one, frame)
        if library == "pandas":
            continue
        plain = one.to_pandas()
        wide = two if name == "frame" else two.reset_index().rename_axis(columns=None)
        pd.testing.assert_frame_equal(plain, wide, check_dtype=False, check_column_type=False)
    assert repr(made).split("note:")[0] == repr(expected).split("note:")[0]
    assert made.to_markdown() == expected.to_markdown()
    pd.testing.assert_frame_equal(made.to_pandas().summary(), expected.summary())


def test_results_are_of_the_library_of_the_runs_or_else_of_the_qrels():
    assert isinstance(irdiv.evaluate(QRELS, pl.from_pandas(RUN), "I-rec@5").frame, pl.DataFrame)
    assert isinstance(irdiv.evaluate(pl.from_pandas(QRELS), {"1": {"d1": 1.0}}, "I-rec@5").frame, pl.DataFrame)
    assert isinstance(irdiv.evaluate(pl.from_pandas(QRELS), RUN, "I-rec@5").frame, pd.DataFrame)


@pytest.mark.parametrize("library", ["polars", "arrow"])
@pytest.mark.parametrize("rows", [None, 100])
def test_other_frames_are_not_converted_to_pandas(monkeypatch, library, rows):
    qrels, run = (LIBRARIES[library][0](frame) for frame in (QRELS, RUN))

    def refuse(*arguments, **options):
        raise AssertionError("a pandas frame was made")

    for owner in (pd.DataFrame, pd.Series):
        monkeypatch.setattr(owner, "__init__", refuse)
    monkeypatch.setattr(pl.DataFrame, "to_pandas", refuse)
    made = irdiv.evaluate(qrels, run, [*ALL_MEASURES, "nDCG@5"], batch_rows=rows)
    assert len(made.frame) == made.values.size
    assert len(made.summary()) == 1


def test_statistics_take_frames_of_other_libraries():
    runs = {"a": RUN, "b": RUN.assign(score=-RUN["score"])}
    expected = irdiv.stats.compare(irdiv.evaluate(QRELS, runs, "D#-nDCG@5"), rng=0)
    made = irdiv.evaluate(pl.from_pandas(QRELS), {name: pl.from_pandas(run) for name, run in runs.items()}, "D#-nDCG@5")
    for evaluation in (made, made.frame):
        pd.testing.assert_frame_equal(irdiv.stats.compare(evaluation, rng=0).to_pandas(), expected, check_dtype=False)


def test_prefetch_is_ordered_and_bounded():
    taken = []

    def items():
        for item in range(20):
            taken.append(item)
            yield item

    for used, result in enumerate(prefetch(lambda item: item * item, items(), workers=2)):
        assert result == used * used
        assert len(taken) <= used + 4


def test_prefetch_raises_errors_in_order():
    results = prefetch(lambda item: 1 // item, [1, 0, 1], workers=2)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_functions_return_frames_of_the_callers_library(library):
    convert, frame = LIBRARIES[library]
    runs = {"a": RUN, "b": RUN.assign(score=-RUN["score"]), "c": RUN.assign(score=RUN["score"] % 3)}
    converted = {name: convert(run) for name, run in runs.items()}
    evaluation = irdiv.evaluate(QRELS, runs, ["D#-nDCG@5", "P@3", "I-rec@5"])
    theirs = irdiv.evaluate(convert(QRELS), converted, ["D#-nDCG@5", "P@3", "I-rec@5"])
    calls = [
        (lambda qrels, runs, evaluation: irdiv.oracle(qrels, depth=3)),
        (lambda qrels, runs, evaluation: irdiv.analysis.ideal_gaps(qrels, cutoff=3)),
        (lambda qrels, runs, evaluation: irdiv.analysis.interpolated_precision(qrels, runs)),
        (lambda qrels, runs, evaluation: irdiv.analysis.retrieval_counts(qrels, runs)),
        (lambda qrels, runs, evaluation: irdiv.stats.compare(evaluation, rng=0)),
        (lambda qrels, runs, evaluation: irdiv.stats.compare(evaluation.frame, rng=0)),
        (lambda qrels, runs, evaluation: irdiv.stats.concordance(evaluation, "P@3")),
        (lambda qrels, runs, evaluation: irdiv.stats.correlate(evaluation)),
    ]
    for call in calls:
        made = call(convert(QRELS), converted, theirs)
        assert isinstance(made, frame)
    assert isinstance(irdiv.oracle(order="D-nDCG", qrels=convert(QRELS)), frame)
    made, expected = irdiv.stats.compare(theirs, rng=0), irdiv.stats.compare(evaluation, rng=0)
    pd.testing.assert_frame_equal(made.to_pandas(), expected, check_dtype=False)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_collection_remembers_the_library_of_its_qrels(library):
    convert, frame = LIBRARIES[library]
    collection = irdiv.Collection(convert(QRELS))
    run = {topic: dict(zip(rows["doc_id"], rows["score"], strict=True)) for topic, rows in RUN.groupby("query_id")}
    for given in (collection, pickle.loads(pickle.dumps(collection)), irdiv.Collection.of(convert(QRELS), warn=False)):
        for made in (
            irdiv.evaluate(given, run, "I-rec@5").frame,
            irdiv.oracle(given, depth=3),
            irdiv.analysis.relevant_documents_by_intent(given, run),
            irdiv.analysis.gain_vectors(given, run).means,
            irdiv.Hierarchy(given).frame,
        ):
            assert isinstance(made, frame)
    assert isinstance(irdiv.evaluate(collection, pl.from_pandas(RUN), "I-rec@5").frame, pl.DataFrame)
    assert isinstance(irdiv.oracle(collection.to_pandas(), depth=3), pd.DataFrame)
    assert collection.backend == backend_of(convert(QRELS))


def test_a_report_of_polars_frames(tmp_path):
    from irdiv.report import Provenance, write_report

    provenance = Provenance.now("a test", [])
    runs = {"a": pl.from_pandas(RUN), "b": pl.from_pandas(RUN.assign(score=-RUN["score"]))}
    write_report(irdiv.Collection(pl.from_pandas(QRELS)), runs, tmp_path / "polars.html", provenance=provenance)
    pandas_runs = {name: run.to_pandas() for name, run in runs.items()}
    write_report(QRELS, pandas_runs, tmp_path / "pandas.html", provenance=provenance)
    assert (tmp_path / "polars.html").read_text() == (tmp_path / "pandas.html").read_text()


def test_probabilities_of_some_topics_only():
    rows = [("1", "0", "x", 0), ("1", "1", "a", 1), ("1", "2", "b", 1), ("2", "1", "a", 1), ("2", "2", "b", 1)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    intents = pd.DataFrame({"query_id": "2", "intent_id": ["1", "2"], "probability": [0.7, 0.3]})
    qrels, run = irdiv.with_intents(qrels, intents), {"1": {"a": 1.0}, "2": {"a": 1.0}}
    for given in (qrels, pl.from_pandas(qrels), pl.from_pandas(qrels, nan_to_null=False)):
        for rows in (None, 1):
            assert values(given, run, "I-rec@5", intents="all", batch_rows=rows).tolist() == [[[0.5, 0.5]]]


def test_streams_of_unknown_length_with_scattered_topics(whole):
    scattered = QRELS.sort_values("doc_id")
    np.testing.assert_array_equal(values(reader(scattered), RUN, batch_rows=1), whole)


def write_files(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir()
    for index, table in enumerate(tables):
        pq.write_table(table, folder / f"{index}.parquet")
    return folder


def test_files_of_a_folder_that_differ(tmp_path):
    judged = pa.table({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 2], "intent_id": ["1", "2"]})
    more = pa.table({"query_id": ["2"] * 2, "doc_id": ["a", "b"], "relevance": [1, 2], "intent_id": ["1", "2"]})
    weighted = more.append_column("probability", pa.array([0.9, 0.1]))
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    mixed = write_files(tmp_path / "mixed", judged, weighted)
    nulls = write_files(tmp_path / "nulls", judged.append_column("probability", pa.nulls(2)), weighted)
    expected = values(pa.concat_tables([judged, weighted], promote_options="default"), run, "D-nDCG@2")
    for folder in (mixed, nulls):
        np.testing.assert_array_equal(values(folder, run, "D-nDCG@2"), expected)

    near = pa.table({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [1 + 1e-12, 1.0]})
    far = pa.table({"query_id": ["2"], "doc_id": ["a"], "score": pa.array([1.0], pa.float32())})
    both = write_files(tmp_path / "run", far, near)
    assert values(judged, both, "P@1").tolist() == [[[1.0]]]
    assert values(judged, near, "nDCG@1").tolist() == values(judged, both, "nDCG@1").tolist()
    numbered = far.set_column(0, "query_id", pa.array([1])).set_column(1, "doc_id", pa.array(["c"]))
    other = write_files(tmp_path / "other", near, numbered)
    assert values(judged, other, "P@3").tolist() == [[[2 / 3]]]


def test_ids_with_fractions_in_chunks():
    qrels = pa.table({"query_id": [1.0, 1.0, 2.5], "doc_id": ["a", "b", "a"], "relevance": [1, 1, 1]})
    with pytest.raises(
        IrdivError, match=r"column 'query_id' of the qrels has numbers with fractions as ids, such as 2.5"
    ):
        values(qrels, {"1": {"a": 1.0}}, "P@2", batch_rows=1)
    whole_numbers = qrels.set_column(0, "query_id", pa.array([1.0, 1.0, 2.0]))
    assert values(whole_numbers, {"1": {"a": 1.0}}, "P@2", batch_rows=1).tolist() == [[[0.5, 0.0]]]


def test_unusual_columns_in_batches():
    qrels = QRELS.drop(columns="importance")[24:48].assign(
        description=[1.5, "b", None] * 8, type=["inf", None, "inf"] * 8
    )
    qrels["parent_id"] = pd.Series([3, "3", None] * 8, dtype=object)
    qrels = qrels.assign(intent_id="1").drop_duplicates(["query_id", "doc_id"])
    np.testing.assert_array_equal(values(qrels, RUN, "I-rec@5", batch_rows=2), values(qrels, RUN, "I-rec@5"))
    adhoc = qrels.drop(columns=["intent_id", "parent_id", "type", "description"])
    for iteration in (0.0, ["0", "Q0"] * (len(adhoc) // 2) + ["0"] * (len(adhoc) % 2)):
        for rows in (None, 3):
            with pytest.raises(IrdivError, match="needs intents"):
                values(adhoc.assign(iteration=iteration), RUN, "I-rec@5", batch_rows=rows)


def test_batch_rows_of_numpy_and_with_a_collection():
    assert values(QRELS, RUN, "P@1", batch_rows=np.int64(5)).shape == (1, 1, 20)
    with pytest.raises(IrdivError, match="batch_rows=-4 is not an integer of 1 or more"):
        values(irdiv.Collection(QRELS), RUN, "P@1", batch_rows=-4)


@pytest.mark.parametrize("has_error", [False, True])
def test_arrow_has_the_same_allocator_after_an_evaluation_in_batches(tmp_path, has_error):
    before = pa.default_memory_pool().backend_name
    run = pd.concat([RUN, RUN]) if has_error else RUN
    run.to_parquet(tmp_path / "run.parquet")
    with pytest.raises(IrdivError, match="repeats documents") if has_error else nullcontext():
        irdiv.evaluate(QRELS, tmp_path / "run.parquet", "I-rec@5")
    assert pa.default_memory_pool().backend_name == before


# They have to outlive all memory that is taken from them.
COUNTING_POOLS = [pa.proxy_memory_pool(pa.default_memory_pool()) for _ in range(2)]


@pytest.fixture
def mimalloc():
    """Set mimalloc as Arrow's allocator by a pool that counts bytes, and return the pool."""
    before = pa.default_memory_pool()
    if sys.platform != "linux" or before.backend_name != "mimalloc":
        pytest.skip("only mimalloc on Linux is replaced")
    pa.set_memory_pool(COUNTING_POOLS[0])
    yield COUNTING_POOLS[0]
    pa.set_memory_pool(before)


def test_mimalloc_is_restored_even_if_it_was_chosen(mimalloc, monkeypatch):
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    with system_allocator():
        assert pa.default_memory_pool().backend_name == "system"
    buffer = pa.allocate_buffer(1000)
    assert mimalloc.bytes_allocated() >= buffer.size


def test_an_allocator_chosen_by_the_environment_stays(mimalloc, monkeypatch):
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "mimalloc")
    with system_allocator():
        buffer = pa.allocate_buffer(1000)
        assert mimalloc.bytes_allocated() >= buffer.size


def test_an_allocator_that_is_chosen_meanwhile_stays(mimalloc, monkeypatch):
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    chosen = COUNTING_POOLS[1]
    with system_allocator():
        pa.set_memory_pool(chosen)
    buffer = pa.allocate_buffer(1000)
    assert chosen.bytes_allocated() >= buffer.size
