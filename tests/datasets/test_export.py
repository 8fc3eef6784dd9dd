"""Qrels for other programs: conversions, and files that are read back unchanged."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError

KEYS = ["query_id", "intent_id", "doc_id"]
ids = st.integers(0, 30).map(str)
judgments = st.dictionaries(
    st.tuples(ids, ids, st.text("ab-é\"'_", min_size=1, max_size=6)), st.integers(0, 4), min_size=1, max_size=30
)


def as_frame(rows: dict[tuple[str, str, str], int]) -> pd.DataFrame:
    return pd.DataFrame([(*key, grade) for key, grade in rows.items()], columns=[*KEYS, "relevance"])


def as_dict(frame: pd.DataFrame) -> dict[tuple[str, str, str], int]:
    frame = frame.rename(columns={"iteration": "intent_id"})
    return dict(zip(frame[KEYS].itertuples(index=False, name=None), frame["relevance"], strict=True))


@given(judgments)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_ndeval_round_trip_loses_nothing(tmp_path, rows):
    irdiv.datasets.write_ndeval(as_frame(rows), tmp_path / "qrels")
    assert as_dict(irdiv.read_qrels(tmp_path / "qrels")) == rows


@given(judgments, st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_ntcir_round_trip_loses_nothing(tmp_path, rows, random):
    frame = as_frame(rows)
    intents = frame[["query_id", "intent_id"]].drop_duplicates().reset_index(drop=True)
    intents["probability"] = [random.random() for _ in range(len(intents))]
    intents["type"] = [random.choice(["inf", "nav"]) for _ in range(len(intents))]
    unjudged = pd.DataFrame([(frame["query_id"][0], "99", 0.25, "inf")], columns=intents.columns)
    folded = irdiv.with_intents(frame, pd.concat([intents, unjudged]))
    irdiv.datasets.write_ntcir(folded, tmp_path / "Dqrels", tmp_path / "DINprob")
    again = irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "DINprob")
    for name in ("relevance", "probability", "type"):
        pd.testing.assert_series_equal(
            again.set_index(KEYS)[name].sort_index(), folded.set_index(KEYS)[name].sort_index(), check_dtype=False
        )


def test_column_names_of_ir_measures_and_pyterrier():
    qrels = pd.DataFrame(
        {"qid": [10, 9], "docno": "d", "subtopic": ["1", "2"], "label": [1, 2], "type": ["inf", "nav"]}
    )
    assert irdiv.datasets.to_ir_measures(qrels).to_dict("list") == {
        "query_id": ["9", "10"],
        "iteration": ["2", "1"],
        "doc_id": ["d", "d"],
        "relevance": [2, 1],
        "type": ["nav", "inf"],
    }
    assert list(irdiv.datasets.to_pyterrier(qrels).columns) == [
        "qid",
        "subtopic_id",
        "docno",
        "label",
        "type",
        "grades_below_max",
    ]


FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
TABLE = pd.DataFrame({"query_id": ["1", "1"], "intent_id": ["a", "c"], "probability": [0.75, 0.25]})


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize(
    "convert",
    [
        irdiv.datasets.to_ir_measures,
        irdiv.datasets.to_pyterrier,
        irdiv.datasets.to_adhoc,
        lambda qrels: irdiv.datasets.to_adhoc(qrels=qrels, how="count"),
        lambda qrels: irdiv.with_intents(qrels, TABLE),
        lambda qrels: irdiv.with_paths(qrels, ["intent_id"]),
    ],
    ids=["to_ir_measures", "to_pyterrier", "to_adhoc", "to_adhoc by count", "with_intents", "with_paths"],
)
def test_the_result_is_a_frame_of_the_callers_library(convert, library):
    qrels = as_frame({("1", "a", "d"): 1, ("1", "b", "d"): 2, ("2", "a", "e"): 0})
    expected = convert(qrels)
    assert isinstance(expected, pd.DataFrame)
    found = convert(FRAMES[library](qrels))
    assert isinstance(found, TYPES[library])
    in_pandas = found if library == "pandas" else found.to_pandas()
    pd.testing.assert_frame_equal(in_pandas, expected, check_dtype=False)


@pytest.mark.parametrize("name", ["to_ir_measures", "to_pyterrier", "to_adhoc"])
def test_files_and_namedtuples_become_pandas_frames(tmp_path, name):
    convert = getattr(irdiv.datasets, name)
    rows = {("1", "a", "d"): 1, ("1", "b", "d"): 2}
    (tmp_path / "qrels").write_text("1 a d 1\n1 b d 2\n")
    for qrels in (tmp_path / "qrels", list(as_frame(rows).itertuples(index=False))):
        pd.testing.assert_frame_equal(convert(qrels), convert(as_frame(rows)))


def test_negative_grades_become_0_in_files(tmp_path):
    qrels = as_frame({("1", "1", "d"): -2, ("1", "1", "e"): 1})
    irdiv.datasets.write_ndeval(qrels, tmp_path / "ndeval")
    assert (tmp_path / "ndeval").read_text() == "1 1 d 0\n1 1 e 1\n"
    irdiv.datasets.write_ntcir(qrels, tmp_path / "Dqrels")
    assert (tmp_path / "Dqrels").read_text() == "1 1 d L0\n1 1 e L1\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({("1", "car", "d"): 1}, "only integers as intent_id, but the qrels have 'car'"),
        ({("one", "1", "d"): 1}, "only integers as query_id"),
        ({("1", "1", "a b"): 1}, "the column doc_id has 'a b'"),
    ],
)
def test_ids_that_ndeval_does_not_take(tmp_path, rows, message):
    with pytest.raises(IrdivError, match=message):
        irdiv.datasets.write_ndeval(as_frame(rows), tmp_path / "qrels")


def test_repeated_rows_count_once_and_contradictions_are_refused(tmp_path):
    same = pd.DataFrame([("1", "2", "d", 1)] * 2, columns=[*KEYS, "relevance"])
    assert irdiv.datasets.to_adhoc(same, how="count")["relevance"].tolist() == [1]
    other = same.assign(relevance=[1, 2])
    for write in (
        irdiv.datasets.to_adhoc,
        irdiv.datasets.to_pyterrier,
        lambda qrels: irdiv.datasets.write_ndeval(qrels, tmp_path / "qrels"),
    ):
        with pytest.raises(IrdivError, match="contradict themselves: document 'd' of topic '1'"):
            write(other)


@pytest.mark.parametrize("grade", ["much", 1.5, float("nan")])
def test_values_that_are_not_grades(tmp_path, grade):
    qrels = pd.DataFrame([("1", "2", "d", grade)], columns=[*KEYS, "relevance"])
    with pytest.raises(IrdivError, match="numbers"):
        irdiv.datasets.write_ntcir(qrels, tmp_path / "Dqrels")


def test_grades_as_floats_are_written_as_levels(tmp_path):
    irdiv.datasets.write_ntcir(pd.DataFrame([("1", "2", "d", 1.0)], columns=[*KEYS, "relevance"]), tmp_path / "Dqrels")
    assert (tmp_path / "Dqrels").read_text() == "1 2 d L1\n"


def test_only_leaves_of_a_hierarchy_are_intents_for_ntcireval(tmp_path):
    qrels = as_frame({("1", "a", "d"): 1, ("1", "b", "e"): 1})
    rows = [("1", "top", None, 1.0), ("1", "a", "top", 0.25), ("1", "b", "top", 0.75)]
    folded = irdiv.with_intents(
        qrels, pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id", "probability"])
    )
    irdiv.datasets.write_ntcir(folded, tmp_path / "Dqrels", tmp_path / "Iprob")
    assert (tmp_path / "Iprob").read_text() == "1 a 0.25\n1 b 0.75\n"
    partly = folded.assign(probability=folded["probability"].where(folded["intent_id"] != "b"))
    with pytest.raises(IrdivError, match="intent 'b' of topic '1' has relevant documents but no probability"):
        irdiv.datasets.write_ntcir(partly, tmp_path / "Dqrels", tmp_path / "Iprob")


def test_missing_probabilities(tmp_path):
    with pytest.raises(IrdivError, match="have no probabilities"):
        irdiv.datasets.write_ntcir(as_frame({("1", "1", "d"): 1}), tmp_path / "Dqrels", tmp_path / "Iprob")


def test_an_unknown_reduction():
    with pytest.raises(IrdivError, match="how='mean' is not one of 'max', 'count'"):
        irdiv.datasets.to_adhoc(as_frame({("1", "1", "d"): 1}), how="mean")


def test_reductions_of_2009_as_sakai_and_song_count_them(real_data):
    path = real_data / "trec-web" / "2009" / "qrels.diversity"
    counts = irdiv.datasets.to_adhoc(path, how="count")["relevance"].value_counts()
    assert {level: counts[level] for level in (1, 2, 3, 4, 5)} == {1: 3622, 2: 1113, 3: 178, 4: 28, 5: 1}
    assert irdiv.datasets.to_adhoc(path)["relevance"].max() == 1


def test_the_qrels_of_ndeval_of_2012(real_data, tmp_path):
    folder = real_data / "trec-web" / "2012"
    irdiv.datasets.write_ndeval(folder / "qrels.diversity.txt", tmp_path / "qrels")
    ours = as_dict(irdiv.read_qrels(tmp_path / "qrels"))
    theirs = as_dict(irdiv.read_qrels(folder / "qrels-for-ndeval.txt"))
    assert theirs.items() <= ours.items()
    # NIST left intents without a relevant document out of its file.
    assert {ours[key] for key in ours.keys() - theirs.keys()} == {0}
