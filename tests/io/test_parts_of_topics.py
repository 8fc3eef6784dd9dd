"""Inputs that are scored some topics at a time: the values, errors and warnings of frames in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.io import sources

TOPICS = ["7", "10", "b", "9", "a", "3"]
SPECS = ["D#-nDCG@5", "ERR-IA@5", "alpha-nDCG@5", "P@3"]


def frames(seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    judged = [
        (topic, str(intent), f"d{doc}", int(rng.integers(-1, 4)))
        for topic in TOPICS
        for doc in rng.choice(20, size=int(rng.integers(2, 9)), replace=False)
        for intent in (1, 2)
    ]
    ranked = [
        (topic, f"d{doc}", float(rng.integers(0, 9)))
        for topic in TOPICS
        for doc in rng.choice(20, size=int(rng.integers(1, 12)), replace=False)
    ]
    qrels = pd.DataFrame(judged, columns=["query_id", "intent_id", "doc_id", "relevance"])
    return qrels, pd.DataFrame(ranked, columns=["query_id", "doc_id", "score"])


QRELS, RUN = frames()


def by_topic(frame: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    return pd.concat([frame[frame["query_id"] == topic] for topic in order], ignore_index=True)


def write(folder: Path, name: str, frame: pd.DataFrame, row_group_size: int = 7, **options) -> Path:
    path = folder / f"{name}.parquet"
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=row_group_size, **options)
    return path


def assert_same(folder: Path, qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], specs=SPECS, rows=10, **options):
    """Assert that Parquet files have the values, bit for bit, topics and notes of the frames in memory."""
    files = {name: write(folder, name, run, **options) for name, run in runs.items()}
    found = irdiv.evaluate(write(folder, "qrels", qrels, **options), files, specs, batch_rows=rows)
    expected = irdiv.evaluate(qrels, runs, specs)
    assert (found.runs, found.query_ids.tolist()) == (expected.runs, expected.query_ids.tolist())
    for index, measure in enumerate(expected.specs()):
        np.testing.assert_array_equal(found.values[:, index], expected.values[:, index], err_msg=measure)


def unknown(topic: str) -> pd.DataFrame:
    return pd.DataFrame({"query_id": topic, "doc_id": ["d1", "d2"], "score": [2.0, 1.0]})


IN_ORDER = {
    "all topics": RUN,
    "some topics": RUN[RUN["query_id"].isin(["10", "9", "3"])],
    "the first topic": RUN[RUN["query_id"] == TOPICS[0]],
    "the last topic": RUN[RUN["query_id"] == TOPICS[-1]],
    "other topics first": pd.concat([unknown("x"), unknown("y"), RUN]),
    "other topics last": pd.concat([RUN, unknown("x")]),
    "other topics between": pd.concat([by_topic(RUN, TOPICS[:3]), unknown("x"), by_topic(RUN, TOPICS[3:])]),
}
OUT_OF_ORDER = {
    "reversed": by_topic(RUN, TOPICS[::-1]),
    "two topics exchanged": by_topic(RUN, [TOPICS[1], TOPICS[0], *TOPICS[2:]]),
    "shuffled": RUN.sample(frac=1, random_state=1),
    "one topic apart": pd.concat([RUN[1:], RUN[:1]]),
}


@pytest.mark.filterwarnings("ignore:.* lacks")
@pytest.mark.parametrize("rows", [1, 20, 10**6])
@pytest.mark.parametrize("chunk_rows", [3, 1 << 20])
def test_runs_in_any_order(tmp_path, monkeypatch, rows, chunk_rows):
    monkeypatch.setattr(sources, "_CHUNK_ROWS", chunk_rows)
    assert_same(tmp_path, QRELS, IN_ORDER, rows=rows)
    assert_same(tmp_path, QRELS, {"all topics": RUN} | OUT_OF_ORDER, rows=rows)
    # So many are not all open at once.
    assert_same(tmp_path, QRELS, IN_ORDER | OUT_OF_ORDER, rows=rows)


@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("row_group_size", [1, 3, 10**6])
def test_qrels_in_any_order(tmp_path, rows, row_group_size):
    for qrels in (QRELS, pd.concat([QRELS[2:], QRELS[:2]]), QRELS.sample(frac=1, random_state=2)):
        assert_same(tmp_path, qrels, {"a": RUN, "b": frames(1)[1]}, rows=rows, row_group_size=row_group_size)


@pytest.mark.parametrize("kind", ["numbers", "without dictionaries", "large strings", "categories"])
def test_ids_of_other_kinds(tmp_path, kind):
    convert = {
        "numbers": lambda frame: frame.assign(query_id=frame["query_id"].map(TOPICS.index)),
        "large strings": lambda frame: frame.astype({"query_id": "large_string[pyarrow]"}),
        "categories": lambda frame: frame.astype({"query_id": "category", "doc_id": "category"}),
    }.get(kind, lambda frame: frame)
    assert_same(tmp_path, convert(QRELS), {"a": convert(RUN)}, use_dictionary=kind != "without dictionaries")


def test_what_depends_on_all_topics(tmp_path):
    """The highest grade, stated or not, and whether iterations are intents."""
    runs = {"a": RUN}
    flat = QRELS[QRELS["intent_id"] == "1"].assign(intent_id="0").rename(columns={"intent_id": "iteration"})
    assert_same(tmp_path, flat, runs, "nDCG@5")
    assert_same(tmp_path, flat.assign(iteration=["0"] * (len(flat) - 1) + ["2"]), runs)
    assert_same(tmp_path, QRELS.assign(relevance=[*QRELS["relevance"][:-1], 9]), runs, "ERR-IA@5")
    stated = QRELS.assign(max_grade=[8, *[3] * (len(QRELS) - 1)])
    assert_same(tmp_path, stated, runs, "ERR-IA@5")
    assert irdiv.evaluate(stated, RUN, "ERR-IA@5").values.max() < irdiv.evaluate(QRELS, RUN, "ERR-IA@5").values.max()


def test_columns_of_intents_and_ranks(tmp_path):
    more = {"type": ["inf", "nav"], "description": ["x", None], "importance": ["vital", "okay"]}
    intents = pd.DataFrame({"intent_id": ["1", "2"], "probability": [0.75, 0.25], **more})
    runs = {
        "ranks": RUN.drop(columns="score").assign(rank=np.random.default_rng(0).permutation(len(RUN))),
        "words as ranks": RUN.assign(rank="x"),
    }
    assert_same(tmp_path, QRELS.merge(intents), runs, ["D#-nDCG@5", "DIN-nDCG@5", "Vital-coverage@5"])


@pytest.mark.parametrize(
    ("role", "column", "value", "message"),
    [
        ("qrels", "query_id", None, "'query_id' of the qrels has a missing id"),
        ("qrels", "intent_id", None, "'intent_id' of the qrels has a missing id"),
        ("qrels", "doc_id", None, "'doc_id' of the qrels has a missing id"),
        ("qrels", "relevance", 0.5, "whole numbers"),
        ("run", "query_id", None, "'query_id' of the run has a missing id"),
        ("run", "score", np.nan, "'score' of the run must hold finite numbers"),
    ],
)
@pytest.mark.parametrize("form", ["Parquet", "reader"])
def test_bad_rows(tmp_path, role, column, value, message, form):
    """The row is counted from where a part starts, which is said."""
    made = {"qrels": QRELS.copy(), "run": RUN.copy()}
    made[role][column] = made[role][column].astype(object if value is None else float)
    made[role].loc[len(made[role]) - 1, column] = value
    if form == "Parquet":
        data = [write(tmp_path, name, frame) for name, frame in made.items()]
    else:
        data = [pa.Table.from_pandas(frame).to_reader(max_chunksize=7) for frame in made.values()]
    with pytest.raises(IrdivError, match=f"{message}.*rows counted from row [1-9]"):
        irdiv.evaluate(*data, SPECS, batch_rows=10)


@pytest.mark.parametrize("role", ["qrels", "run"])
def test_files_without_rows(tmp_path, role):
    made = {"qrels": QRELS, "run": RUN}
    made[role] = made[role][:0]
    files = [write(tmp_path, name, frame.astype({"query_id": str, "doc_id": str})) for name, frame in made.items()]
    with pytest.raises(IrdivError, match=f"{role}.*empty"):
        irdiv.evaluate(*files, SPECS)
