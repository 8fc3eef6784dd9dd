"""Files of NTCIR: Dqrels, probabilities, and runs with a description of the system, read and written."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError
from irdiv.datasets import read_heval, read_ntcir_qrels, write_ntcir

KEYS = ["query_id", "intent_id", "doc_id"]
DQRELS = "0001 0 d0 L0\n0001 1 d1 L2\n0001 2 d1 L1\n"


@pytest.fixture
def dqrels(tmp_path):
    (tmp_path / "Dqrels").write_text(DQRELS)
    return tmp_path / "Dqrels"


def test_dqrels_with_probabilities_and_types(dqrels, tmp_path):
    (tmp_path / "DINprob").write_text("0001 1 0.75 nav\n0001 2 0.2 inf\n0001 3 0.05 inf\n")
    frame = read_ntcir_qrels(dqrels, tmp_path / "DINprob")
    assert frame["relevance"].tolist() == [0, 2, 1, 0]
    assert frame["type"].tolist()[1:] == ["nav", "inf", "inf"]
    assert frame["query_id"].unique().tolist() == ["0001"]
    evaluation = irdiv.evaluate(frame, {"0001": {"d1": 1.0}}, ["I-rec@1", "I-rec(intents=all)@1"])
    # intent 0 is not an intent, and intent 3 has no relevant documents
    assert evaluation.values[0, :, 0].tolist() == pytest.approx([1, 2 / 3])


def test_a_relevant_intent_without_a_probability_is_an_error(dqrels, tmp_path):
    (tmp_path / "Iprob").write_text("0001 1 1.0\n")
    with pytest.raises(IrdivError, match="Dqrels, line 3: intent '2' of topic '0001' .*Iprob"):
        read_ntcir_qrels(dqrels, tmp_path / "Iprob")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0001 1 d1 2\n", "line 1: .*'2', not a level"),
        (DQRELS + "0001 1 d2 Lx\n", "line 4: .*'Lx', not a level"),
        (DQRELS + "0001 1 d2\n", "line 4: found 3 columns"),
        ("0001;1;d 1;L1\n0001;1;d 2\n", "line 2: found 3 columns"),
        ("0001;1;d 1;L1\n0001;;d 2;L1\n", "line 2: the intent_id is empty"),
    ],
)
def test_errors_in_dqrels_name_the_line(dqrels, text, message):
    dqrels.write_text(text)
    with pytest.raises(IrdivError, match=message):
        read_ntcir_qrels(dqrels)


READERS = {
    "qrels": (irdiv.read_qrels, b"1 1 d1 1\n"),
    "run": (irdiv.read_run, b"1 Q0 d1 1 2.5 me\n"),
    "Dqrels": (read_ntcir_qrels, b"0001 1 d1 L1\n"),
    "intents": (irdiv.read_intents, b"0001 1 0.5\n"),
    "heval": (read_heval, b"77\t1\t0.5\n"),
}
FAULTS = {
    "Latin-1": (lambda good: good + good.replace(b"1", b"\xe9", 1), "line 2: byte 0xe9 is not UTF-8"),
    "a truncated line": (lambda good: good + good.split()[0], "line 2: found 1 column"),
    "truncated gzip": (lambda good: gzip.compress(good * 200, mtime=0)[:-20], "truncated"),
    "damaged gzip": (lambda good: gzip.compress(good)[:10] + b"garbage here" * 4, "damaged"),
    "an empty file": (lambda good: b"", "empty"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_rejects_damaged_files(tmp_path, reader, fault):
    read, good = READERS[reader]
    damage, message = FAULTS[fault]
    (tmp_path / "file").write_bytes(damage(good))
    with pytest.raises(IrdivError, match=f"file.*{message}"):
        read(tmp_path / "file")
    with pytest.raises(IrdivError, match="no such .*none"):
        read(tmp_path / "none")


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("description", ["", "<SYSDESC>one line</SYSDESC>\n", "<SYSDESC>\ntwo\nlines </SYSDESC>\n"])
def test_descriptions_of_runs_are_skipped_but_counted_as_lines(tmp_path, mark, description):
    path, text = tmp_path / "run", f"{mark}{description}0001 0 d1 1 9.5 me\n0001 0 d2 2 9.0 me\n"
    path.write_text(text, encoding="utf-8")
    assert irdiv.read_run(path)["query_id"].tolist() == ["0001", "0001"]
    path.write_text(text.replace("9.0", "high"), encoding="utf-8")
    with pytest.raises(IrdivError, match=f"line {2 + description.count(chr(10))}: score is 'high'"):
        irdiv.read_run(path)


@pytest.mark.parametrize("text", ["<SYSDESC>\nendless\n", "<SYSDESC>a</SYSDESC>1 Q0 d 1 2 x\n1 Q0 e 2 1 x\n"])
def test_descriptions_that_hide_rows_are_errors(tmp_path, text):
    (tmp_path / "run").write_text(text)
    with pytest.raises(IrdivError, match="(without|after) </SYSDESC>"):
        irdiv.read_run(tmp_path / "run")


def test_the_15_english_runs_of_imine(real_data):
    paths = sorted((real_data / "ntcir11-imine" / "en" / "runs").glob("*.gz"))
    assert len(paths) == 15
    for path in paths:
        query_ids = irdiv.read_run(path)["query_id"]
        assert query_ids[~query_ids.str.fullmatch("0[01][0-9]{2}")].tolist() == [], path.name


def test_semicolons_separate_ids_with_spaces(tmp_path):
    (tmp_path / "Dqrels").write_text("0001;1;windows 8;L2\n0001; 2;a pane of glass ;L1\n", encoding="utf-8")
    (tmp_path / "Iprob").write_text("0001;1;0.75\n0001;2;0.25\n")
    (tmp_path / "run").write_text("<SYSDESC>x</SYSDESC>\n0001;0;a pane of glass;1;2.5;me\n0001;0;windows 8;2;1.5;me\n")
    qrels = read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")
    assert qrels["doc_id"].tolist() == ["windows 8", "a pane of glass"]
    assert qrels["probability"].tolist() == [0.75, 0.25]
    evaluation = irdiv.evaluate(qrels, tmp_path / "run", ["I-rec@1", "I-rec@2"])
    assert evaluation.values[0, :, 0].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("doc", ["a", "a b", 'say "hi"', "a,b"])
def test_semicolons_whatever_the_ids_contain(tmp_path, doc):
    (tmp_path / "Dqrels").write_text(f"0001;1;{doc};L1\n")
    (tmp_path / "run").write_text(f"0001;0;{doc};1;2.5;me\n")
    assert read_ntcir_qrels(tmp_path / "Dqrels")["doc_id"].tolist() == [doc]
    assert irdiv.read_run(tmp_path / "run")["doc_id"].tolist() == [doc]


# What irdiv writes for NTCIREVAL


def frame(*rows: tuple, columns: str = "query_id intent_id doc_id relevance") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def test_semicolons_are_written_where_ids_contain_spaces(tmp_path):
    rows = [("1", "big cat", "d 1", 2, 0.5), ("1", "car", "d 2", 1, 0.5)]
    qrels = frame(*rows, columns="query_id intent_id doc_id relevance probability")
    with pytest.raises(IrdivError, match="by spaces, .*intent_id .*'big cat'"):
        write_ntcir(qrels, tmp_path / "Dqrels")
    write_ntcir(qrels, tmp_path / "Dqrels", tmp_path / "Iprob", sep=";")
    again = read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")
    pd.testing.assert_frame_equal(again, qrels, check_dtype=False)


ids = st.integers(0, 30).map(str)
judgments = st.dictionaries(
    st.tuples(ids, ids, st.text("ab-é\"'_", min_size=1, max_size=6)), st.integers(0, 4), min_size=1, max_size=30
)


@given(judgments, st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
def test_ntcir_round_trip_loses_nothing(tmp_path, rows, random):
    qrels = frame(*((*key, grade) for key, grade in rows.items()))
    intents = qrels[["query_id", "intent_id"]].drop_duplicates().reset_index(drop=True)
    intents["probability"] = [random.random() for _ in range(len(intents))]
    intents["type"] = [random.choice(["inf", "nav"]) for _ in range(len(intents))]
    unjudged = frame((qrels["query_id"][0], "99", 0.25, "inf"), columns="query_id intent_id probability type")
    folded = irdiv.with_intents(qrels, pd.concat([intents, unjudged]))
    write_ntcir(folded, tmp_path / "Dqrels", tmp_path / "DINprob")
    again = read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "DINprob")
    columns = ["relevance", "probability", "type"]
    pd.testing.assert_frame_equal(
        again.set_index(KEYS)[columns].sort_index(), folded.set_index(KEYS)[columns].sort_index(), check_dtype=False
    )


@pytest.mark.parametrize(("grade", "level"), [(-2, "L0"), (1, "L1"), (1.0, "L1")])
def test_grades_are_written_as_levels(tmp_path, grade, level):
    write_ntcir(frame(("1", "2", "d", grade)), tmp_path / "Dqrels")
    assert (tmp_path / "Dqrels").read_text() == f"1 2 d {level}\n"


@pytest.mark.parametrize("grade", ["much", 1.5, float("nan")])
def test_values_that_are_not_grades(tmp_path, grade):
    with pytest.raises(IrdivError, match="numbers"):
        write_ntcir(frame(("1", "2", "d", grade)), tmp_path / "Dqrels")


def test_only_leaves_with_probabilities_are_intents_for_ntcireval(tmp_path):
    paths = tmp_path / "Dqrels", tmp_path / "Iprob"
    qrels = frame(("1", "a", "d", 1), ("1", "b", "e", 1))
    with pytest.raises(IrdivError, match="no probabilities"):
        write_ntcir(qrels, *paths)
    rows = [("1", "top", None, 1.0), ("1", "a", "top", 0.25), ("1", "b", "top", 0.75)]
    folded = irdiv.with_intents(qrels, frame(*rows, columns="query_id intent_id parent_id probability"))
    write_ntcir(folded, *paths)
    assert paths[1].read_text() == "1 a 0.25\n1 b 0.75\n"
    partly = folded.assign(probability=folded["probability"].where(folded["intent_id"] != "b"))
    with pytest.raises(IrdivError, match="intent 'b' of topic '1' .*no probability"):
        write_ntcir(partly, *paths)
    typed = folded.assign(type=folded["intent_id"].map({"top": "inf", "a": "nav"}))
    with pytest.raises(IrdivError, match="type"):
        write_ntcir(typed, *paths)
