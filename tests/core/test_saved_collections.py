"""Collections that are saved and loaded: the same arrays and values, and no file that was changed is used."""

from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import Collection, IrdivError, demo
from irdiv.arrays import storage
from irdiv.arrays.pairs import PairIndex
from irdiv.measures.catalogue import registry

CACHES = {"_memo", "blocks", "topic_blocks", "topic_index", "_judged"}


def plain_qrels() -> dict[str, dict[str, int]]:
    return {"1": {"d1": 1, "d2": 0, "d3": -2}, "ü 2": {"d1": 0}, "10": {"é" * 40: 3, "": 1}}


def described_qrels() -> pd.DataFrame:
    """Return qrels with all that may be known of intents, missing for some."""
    qrels = random_collection(3)
    intents = qrels[["query_id", "intent_id"]].drop_duplicates()
    texts = [f"text “{number}”" if number % 3 else None for number in range(len(intents))]
    types = ["nav" if number % 4 else "inf" for number in range(len(intents))]
    return irdiv.with_intents(qrels, intents.assign(description=texts, type=types))


QRELS = {
    "dicts": plain_qrels,
    "described": described_qrels,
    "without probabilities": lambda: random_collection(1, weighted=False),
    "demo": lambda: demo.demo_qrels_and_runs()[0],
    "no relevant document": lambda: {"1": {"d1": 0}, "2": {"d1": -300}},
    "highest grade of the scale": lambda: random_collection(2).assign(max_grade=7),
}


def compile_qrels(qrels) -> Collection:
    """Compile qrels without the warning about topics without relevant documents."""
    collection = Collection.of(qrels, warn=False)
    assert isinstance(collection, Collection)
    return collection


@pytest.fixture(params=QRELS)
def collection(request) -> Collection:
    return compile_qrels(QRELS[request.param]())


def assert_equal_attributes(one: Collection, two: Collection) -> None:
    """Everything that a collection holds is the same, but what it keeps of results."""
    attributes = set(vars(one)) - CACHES
    assert attributes == set(vars(two)) - CACHES
    for name in attributes:
        ours, theirs = getattr(one, name), getattr(two, name)
        assert type(ours) is type(theirs), name
        if isinstance(ours, np.ndarray):
            assert ours.dtype == theirs.dtype, name
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
        elif isinstance(ours, PairIndex):
            every = np.arange(len(ours.first_rows))
            assert ours.doc_ids(every).equals(theirs.doc_ids(every))
        else:
            assert ours.equals(theirs) if isinstance(ours, pa.Array) else ours == theirs, name


def test_all_that_a_collection_holds_comes_back(collection, tmp_path):
    collection.save(tmp_path / "c.arrow")
    loaded = Collection.load(tmp_path / "c.arrow")
    assert type(loaded) is Collection
    assert_equal_attributes(collection, loaded)
    assert repr(loaded) == repr(collection)
    for one, two in zip(collection.adhoc_judgments(), loaded.adhoc_judgments(), strict=True):
        assert pa.array(one).equals(pa.array(two))
    # What was saved can be saved again, to the same bytes.
    loaded.save(tmp_path / "again.arrow")
    assert (tmp_path / "again.arrow").read_bytes() == (tmp_path / "c.arrow").read_bytes()


def test_every_measure_has_the_same_values(tmp_path):
    collection, run = Collection(described_qrels()), random_run(3)
    collection.save(tmp_path / "c")
    loaded = Collection.load(str(tmp_path / "c"))
    specs = [*registry, "nDCG@10", "AP", "Bpref"]
    one, two = irdiv.evaluate(collection, run, specs), irdiv.evaluate(loaded, run, specs)
    np.testing.assert_array_equal(one.values, two.values)
    assert one.notes == two.notes
    pd.testing.assert_frame_equal(one.missed(), two.missed())
    reports = [list(map(str, irdiv.Hierarchy(qrels).reports(run))) for qrels in (collection, loaded)]
    assert reports[0] == reports[1]
    assert irdiv.oracle(collection).equals(irdiv.oracle(loaded))


@pytest.mark.parametrize(("convert", "backend"), [(pl.from_pandas, "polars"), (pa.Table.from_pandas, "pyarrow")])
def test_frames_are_of_the_library_of_the_qrels(tmp_path, convert, backend):
    Collection(convert(random_collection(0))).save(tmp_path / "c.arrow")
    loaded = Collection.load(tmp_path / "c.arrow")
    assert loaded.backend == backend
    assert irdiv.evaluate(loaded, {"1": ["d00"]}, "nDCG@3").backend == backend
    assert isinstance(loaded.to_pandas(), Collection)
    assert loaded.to_pandas().backend == "pandas"


def test_used_and_pickled_collections_are_saved_too(tmp_path):
    collection = Collection(described_qrels())
    collection.save(tmp_path / "new")
    irdiv.evaluate(collection, random_run(3), list(registry))
    collection.score({"1": ["d00"]}, "D#-nDCG@10")
    pickle.loads(pickle.dumps(collection)).save(tmp_path / "used")
    assert (tmp_path / "new").read_bytes() == (tmp_path / "used").read_bytes()


def test_it_is_an_arrow_file(tmp_path):
    Collection(plain_qrels_of_two_topics()).save(tmp_path / "c.arrow")
    table = feather.read_table(tmp_path / "c.arrow")
    assert table["topic_ids"].to_pylist() == [["1", "2"]]
    assert json.loads(table.schema.metadata[b"irdiv.collection"])["format"] == storage.FORMAT


def plain_qrels_of_two_topics() -> dict[str, dict[str, int]]:
    return {"1": {"d1": 1, "d2": 0}, "2": {"d1": 2}}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "c.arrow"
    Collection(described_qrels()).save(path)
    return path


def load_error(path) -> str:
    with pytest.raises(IrdivError) as error:
        Collection.load(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


def test_a_file_that_was_cut_off(saved):
    content = saved.read_bytes()
    for size in (7, 8, 100, len(content) // 2, len(content) - 8, len(content) - 1):
        saved.write_bytes(content[:size])
        assert "was cut off or changed after it was saved; save the collection again" in load_error(saved)
    for size in (0, 5):
        saved.write_bytes(content[:size])
        assert "is not a collection" in load_error(saved)


def test_no_changed_byte_changes_a_collection(saved):
    """A byte is refused, or it is one that no array depends on, such as one between them."""
    content, expected = saved.read_bytes(), Collection.load(saved)
    refused = 0
    chosen = random.Random(0).sample(range(len(content)), 400)
    for position in chosen:
        changed = bytearray(content)
        changed[position] ^= 1 << position % 8
        saved.write_bytes(changed)
        try:
            assert_equal_attributes(Collection.load(saved), expected)
        except IrdivError:
            refused += 1
    assert refused > 100


def rewritten(path, change) -> None:
    """Write the table of a saved collection anew, with changes of its metadata or columns."""
    table = feather.read_table(path)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, (new := change(table)).schema) as writer:
        writer.write_table(new)


def with_header(**facts):
    def change(table: pa.Table) -> pa.Table:
        metadata = table.schema.metadata
        header = json.loads(metadata[b"irdiv.collection"]) | facts
        return table.replace_schema_metadata(metadata | {b"irdiv.collection": json.dumps(header).encode()})

    return change


def test_a_collection_that_is_written_anew_is_the_same(saved):
    expected = Collection.load(saved)
    rewritten(saved, lambda table: table)
    assert_equal_attributes(Collection.load(saved), expected)


@pytest.mark.parametrize(
    "change",
    [
        with_header(max_grade=9),
        with_header(backend="polars"),
        lambda table: table.drop_columns(["intent_probability"]),
        lambda table: table.drop_columns(["grade_row"]).append_column("row", table["grade_row"]),
        lambda table: table.slice(0, 0),
        lambda table: pa.concat_tables([table, table]),
        lambda table: table.set_column(0, table.column_names[0], pa.array(["x"])),
        lambda table: table.replace_schema_metadata({b"irdiv.collection": b"{"}),
        lambda table: table.replace_schema_metadata({b"irdiv.collection": b"[1]"}),
        lambda table: table.replace_schema_metadata({b"irdiv.collection": b"\xff"}),
    ],
)
def test_other_content_than_the_hash_states(saved, change):
    rewritten(saved, change)
    assert "was cut off or changed" in load_error(saved)


def test_another_format(saved):
    rewritten(saved, with_header(format=1))
    assert "has the format 1 of saved collections, but this version of irdiv reads the format 2" in load_error(saved)


def test_other_files(tmp_path):
    assert "cannot read a collection from" in load_error(tmp_path / "missing")
    assert "cannot read a collection from" in load_error(tmp_path)
    path = tmp_path / "other"
    path.write_bytes(pickle.dumps({"1": 1}))
    assert "is not a collection: expected an Arrow file" in load_error(path)
    feather.write_feather(random_collection(0), path)
    assert "is an Arrow file, but not a collection" in load_error(path)


def test_a_file_is_replaced_only_when_the_new_one_is_complete(saved, monkeypatch):
    content = saved.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no more")

    monkeypatch.setattr(pa.ipc.RecordBatchFileWriter, "write_table", fail)
    with pytest.raises(OSError, match="no more"):
        Collection({"1": {"d1": 1}}).save(saved)
    assert saved.read_bytes() == content
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
