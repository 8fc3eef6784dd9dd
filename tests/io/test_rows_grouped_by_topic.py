"""Parquet files whose rows are grouped by topic: read in order, without temporary files, with the same values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.files import TemporaryFile
from irdiv.frames.grouped import find_groups
from irdiv.frames.sources import RowSource

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


@pytest.fixture
def no_temporary_files(monkeypatch):
    def append(self, part):
        raise AssertionError("a temporary file is written")

    monkeypatch.setattr(TemporaryFile, "append", append)


def unknown(topic: str) -> pd.DataFrame:
    return pd.DataFrame({"query_id": topic, "doc_id": ["d1", "d2"], "score": [2.0, 1.0]})


RUNS_IN_ORDER = {
    "all topics": RUN,
    "some topics": RUN[RUN["query_id"].isin(["10", "9", "3"])],
    "the first topic only": RUN[RUN["query_id"] == TOPICS[0]],
    "the last topic only": RUN[RUN["query_id"] == TOPICS[-1]],
    "other topics first": pd.concat([unknown("x"), unknown("y"), RUN]),
    "other topics last": pd.concat([RUN, unknown("x")]),
    "other topics between": pd.concat([by_topic(RUN, TOPICS[:3]), unknown("x"), by_topic(RUN, TOPICS[3:])]),
}


@pytest.mark.usefixtures("no_temporary_files")
@pytest.mark.parametrize("rows", [1, 5, 20, 10**6])
@pytest.mark.parametrize("name", RUNS_IN_ORDER)
def test_runs_in_the_order_of_the_qrels(tmp_path, name, rows):
    run = RUNS_IN_ORDER[name]
    made = irdiv.evaluate(write(tmp_path, "qrels", QRELS), write(tmp_path, "run", run), SPECS, batch_rows=rows)
    whole = irdiv.evaluate(QRELS, run, SPECS)
    assert made.query_ids.tolist() == whole.query_ids.tolist()
    np.testing.assert_array_equal(made.values, whole.values)


RUNS_OUT_OF_ORDER = {
    "reversed": by_topic(RUN, TOPICS[::-1]),
    "two topics exchanged": by_topic(RUN, [TOPICS[1], TOPICS[0], *TOPICS[2:]]),
    "shuffled": RUN.sample(frac=1, random_state=1),
    "one topic apart": pd.concat([RUN[1:], RUN[:1]]),
}


@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("name", RUNS_OUT_OF_ORDER)
def test_runs_in_another_order(tmp_path, name, rows):
    runs = {"a": RUN, "b": RUNS_OUT_OF_ORDER[name]}
    files = {key: write(tmp_path, key, run) for key, run in runs.items()}
    made = irdiv.evaluate(write(tmp_path, "qrels", QRELS), files, SPECS, batch_rows=rows)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(QRELS, runs, SPECS).values)


@pytest.mark.parametrize("rows", [1, 20])
def test_qrels_with_rows_of_a_topic_apart(tmp_path, rows):
    qrels = pd.concat([QRELS[2:], QRELS[:2]])
    made = irdiv.evaluate(write(tmp_path, "qrels", qrels), write(tmp_path, "run", RUN), SPECS, batch_rows=rows)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(qrels, RUN, SPECS).values)


def test_many_runs_are_not_all_open_at_once(tmp_path):
    runs = {f"r{number}": frames(number)[1] for number in range(9)}
    files = {name: write(tmp_path, name, run) for name, run in runs.items()}
    made = irdiv.evaluate(write(tmp_path, "qrels", QRELS), files, SPECS, batch_rows=20)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(QRELS, runs, SPECS).values)


@pytest.mark.usefixtures("no_temporary_files")
@pytest.mark.parametrize("row_group_size", [1, 3, 10**6])
def test_groups(tmp_path, row_group_size):
    found = find_groups(RowSource(write(tmp_path, "qrels", QRELS, row_group_size), "qrels"))
    assert found is not None
    assert found.topics.to_pylist() == TOPICS
    assert found.start.tolist() == [int((QRELS["query_id"] == topic).to_numpy().argmax()) for topic in TOPICS]
    assert found.row_counts.tolist() == [int((QRELS["query_id"] == topic).sum()) for topic in TOPICS]
    assert (found.totals.row_count, found.totals.max_grade) == (len(QRELS), 3)


IDS = {
    "numbers": lambda frame: frame.assign(query_id=frame["query_id"].map({t: i for i, t in enumerate(TOPICS)})),
    "without dictionaries": lambda frame: frame,
    "large strings": lambda frame: frame.astype({"query_id": "large_string[pyarrow]"}),
    "categories": lambda frame: frame.astype({"query_id": "category", "doc_id": "category"}),
}


@pytest.mark.usefixtures("no_temporary_files")
@pytest.mark.parametrize("kind", IDS)
def test_ids_of_other_kinds(tmp_path, kind):
    qrels, run = IDS[kind](QRELS), IDS[kind](RUN)
    files = [
        write(tmp_path, name, frame, use_dictionary=kind != "without dictionaries")
        for name, frame in (("qrels", qrels), ("run", run))
    ]
    whole = irdiv.evaluate(qrels, run, SPECS)
    np.testing.assert_array_equal(irdiv.evaluate(*files, SPECS, batch_rows=10).values, whole.values)


@pytest.mark.usefixtures("no_temporary_files")
def test_adhoc_iterations(tmp_path):
    qrels = QRELS[QRELS["intent_id"] == "1"].assign(intent_id="0").rename(columns={"intent_id": "iteration"})
    made = irdiv.evaluate(write(tmp_path, "qrels", qrels), write(tmp_path, "run", RUN), "nDCG@5", batch_rows=10)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(qrels, RUN, "nDCG@5").values)
    mixed = qrels.assign(iteration=["0"] * (len(qrels) - 1) + ["2"])
    made = irdiv.evaluate(write(tmp_path, "mixed", mixed), write(tmp_path, "run", RUN), "D#-nDCG@5", batch_rows=10)
    np.testing.assert_array_equal(made.values, irdiv.evaluate(mixed, RUN, "D#-nDCG@5").values)


@pytest.mark.parametrize(
    ("role", "column", "value", "message"),
    [
        ("qrels", "query_id", None, "column 'query_id' of the qrels has a missing id"),
        ("qrels", "intent_id", None, "column 'intent_id' of the qrels has a missing id"),
        ("qrels", "doc_id", None, "column 'doc_id' of the qrels has a missing id"),
        ("qrels", "relevance", 0.5, "grades are whole numbers"),
        ("run", "query_id", None, "column 'query_id' of the run has a missing id"),
        ("run", "score", np.nan, "column 'score' of the run must hold finite numbers"),
    ],
)
def test_bad_rows(tmp_path, role, column, value, message):
    made = {"qrels": QRELS.copy(), "run": RUN.copy()}
    made[role][column] = made[role][column].astype(object if value is None else float)
    made[role].loc[len(made[role]) - 1, column] = value
    files = [write(tmp_path, name, frame) for name, frame in made.items()]
    with pytest.raises(IrdivError, match=f"{message}.*rows counted from row"):
        irdiv.evaluate(*files, SPECS, batch_rows=10)


def test_contradictions_and_duplicates(tmp_path):
    qrels = pd.concat([QRELS, QRELS[-1:].assign(relevance=QRELS["relevance"].iloc[-1] + 1)])
    run = pd.concat([RUN, RUN[-1:]])
    good_qrels, good_run = write(tmp_path, "qrels", QRELS), write(tmp_path, "run", RUN)
    with pytest.raises(IrdivError, match="contradict themselves"):
        irdiv.evaluate(write(tmp_path, "bad", qrels), good_run, SPECS, batch_rows=10)
    with pytest.raises(IrdivError, match="repeats documents"):
        irdiv.evaluate(good_qrels, write(tmp_path, "bad", run), SPECS, batch_rows=10)


def test_no_topic_in_common(tmp_path):
    with pytest.raises(IrdivError, match=r"no topic in common: the qrels have '3', '7', '9', … and the run has 'x'"):
        irdiv.evaluate(write(tmp_path, "qrels", QRELS), write(tmp_path, "run", unknown("x")), SPECS)


@pytest.mark.parametrize("role", ["qrels", "run"])
def test_files_without_rows(tmp_path, role):
    made = {"qrels": QRELS, "run": RUN}
    made[role] = made[role][:0]
    files = [write(tmp_path, name, frame.astype({"query_id": str, "doc_id": str})) for name, frame in made.items()]
    with pytest.raises(IrdivError, match=f"the {role}.*no rows|{role}.*empty"):
        irdiv.evaluate(*files, SPECS)


def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    qrels, run = write(tmp_path, "qrels", QRELS), write(tmp_path, "run", RUN)
    monkeypatch.setattr(
        "irdiv.evaluation.batches.find_groups", lambda source: _then_shorten(find_groups(source), qrels)
    )
    with pytest.raises(IrdivError, match="the qrels changed while it was read"):
        irdiv.evaluate(qrels, run, SPECS, batch_rows=10)


def _then_shorten(groups, path: Path):
    write(path.parent, path.stem, QRELS[:-1])
    return groups
