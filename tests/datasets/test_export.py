"""Qrels for ir_measures, PyTerrier, ndeval and ad hoc evaluation; test_ntcir.py has those for NTCIREVAL."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.datasets import to_adhoc, to_ir_measures, to_pyterrier, write_ndeval

KEYS = ["query_id", "intent_id", "doc_id"]


def as_frame(rows: dict[tuple[str, str, str], float]) -> pd.DataFrame:
    return pd.DataFrame([(*key, grade) for key, grade in rows.items()], columns=[*KEYS, "relevance"])


def as_dict(frame: pd.DataFrame) -> dict[tuple[str, str, str], int]:
    frame = frame.rename(columns={"iteration": "intent_id"})
    return dict(zip(frame[KEYS].itertuples(index=False, name=None), frame["relevance"], strict=True))


def test_ndeval_round_trip_loses_nothing_but_negative_grades(tmp_path):
    rows = {("1", "0", "a-é"): 4, ("10", "2", '"it\'s_"'): 0, ("2", "10", "a"): 1, ("2", "9", "a"): 2}
    write_ndeval(as_frame({**rows, ("1", "1", "d"): -2}), tmp_path / "qrels")
    assert as_dict(irdiv.read_qrels(tmp_path / "qrels")) == {**rows, ("1", "1", "d"): 0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("1", "car", "d"), "intent_id.*'car'"),
        (("one", "1", "d"), "query_id.*'one'"),
        (("1", "1", "a b"), "doc_id.*'a b'"),
    ],
)
def test_ids_that_ndeval_does_not_take(tmp_path, row, message):
    with pytest.raises(IrdivError, match=message):
        write_ndeval(as_frame({row: 1}), tmp_path / "qrels")


def test_column_names_of_ir_measures_and_pyterrier():
    qrels = pd.DataFrame(
        {"qid": [10, 9], "docno": "d", "subtopic": ["1", "2"], "label": [1, 2], "type": ["inf", "nav"]}
    )
    assert to_ir_measures(qrels).to_dict("list") == {
        "query_id": ["9", "10"],
        "iteration": ["2", "1"],
        "doc_id": ["d", "d"],
        "relevance": [2, 1],
        "type": ["nav", "inf"],
    }
    assert to_pyterrier(qrels).to_dict("list") == {
        "qid": ["9", "10"],
        "subtopic_id": ["2", "1"],
        "docno": ["d", "d"],
        "label": [2, 1],
        "type": ["nav", "inf"],
        "grades_below_max": [0, 1],
    }


FRAMES = {"polars": (pl.from_pandas, pl.DataFrame), "pyarrow": (pa.Table.from_pandas, pa.Table)}
TABLE = pd.DataFrame({"query_id": ["1", "1"], "intent_id": ["a", "c"], "probability": [0.75, 0.25]})
CONVERSIONS = {
    "to_ir_measures": to_ir_measures,
    "to_pyterrier": to_pyterrier,
    "to_adhoc": to_adhoc,
    "to_adhoc by count": lambda qrels: to_adhoc(qrels=qrels, how="count"),
    "with_intents": lambda qrels: irdiv.with_intents(qrels, TABLE),
    "with_paths": lambda qrels: irdiv.intents.with_paths(qrels, ["intent_id"]),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("name", CONVERSIONS)
def test_the_result_is_a_frame_of_the_callers_library(name, library):
    qrels = as_frame({("1", "a", "d"): 1, ("1", "b", "d"): 2, ("2", "a", "e"): 0})
    expected = CONVERSIONS[name](qrels)
    assert isinstance(expected, pd.DataFrame)
    convert, type_ = FRAMES[library]
    found = CONVERSIONS[name](convert(qrels))
    assert isinstance(found, type_)
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False)


@pytest.mark.parametrize("convert", [to_ir_measures, to_pyterrier, to_adhoc])
def test_files_and_namedtuples_become_pandas_frames(tmp_path, convert):
    frame = as_frame({("1", "a", "d"): 1, ("1", "b", "d"): 2})
    (tmp_path / "qrels").write_text("1 a d 1\n1 b d 2\n")
    for qrels in (tmp_path / "qrels", list(frame.itertuples(index=False))):
        pd.testing.assert_frame_equal(convert(qrels), convert(frame))


def test_repeated_rows_count_once_and_contradictions_are_errors(tmp_path):
    same = pd.DataFrame([("1", "2", "d", 1)] * 2, columns=[*KEYS, "relevance"])
    assert to_adhoc(same, how="count")["relevance"].tolist() == [1]
    for write in (to_adhoc, to_pyterrier, lambda qrels: write_ndeval(qrels, tmp_path / "qrels")):
        with pytest.raises(IrdivError, match="contradict.* 'd' of topic '1'"):
            write(same.assign(relevance=[1, 2]))
    with pytest.raises(IrdivError, match="how='mean'.*'max', 'count'"):
        to_adhoc(same, how="mean")


def test_reductions_of_2009_as_sakai_and_song_count_them(real_data):
    path = real_data / "trec-web" / "2009" / "qrels.diversity"
    counts = to_adhoc(path, how="count")["relevance"].value_counts()
    assert {level: counts[level] for level in (1, 2, 3, 4, 5)} == {1: 3622, 2: 1113, 3: 178, 4: 28, 5: 1}
    assert to_adhoc(path)["relevance"].max() == 1


def test_the_qrels_of_ndeval_of_2012(real_data, tmp_path):
    folder = real_data / "trec-web" / "2012"
    write_ndeval(folder / "qrels.diversity.txt", tmp_path / "qrels")
    ours = as_dict(irdiv.read_qrels(tmp_path / "qrels"))
    theirs = as_dict(irdiv.read_qrels(folder / "qrels-for-ndeval.txt"))
    assert dict(theirs.items() - ours.items()) == {}
    # NIST left intents without a relevant document out of its file.
    assert {ours[key] for key in ours.keys() - theirs.keys()} == {0}
