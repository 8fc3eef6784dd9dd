"""Files of NTCIR: Dqrels, probabilities, and runs with a description of the system."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError

DQRELS = "0001 0 d0 L0\n0001 1 d1 L2\n0001 2 d1 L1\n"


def test_dqrels_with_probabilities_and_types(tmp_path):
    (tmp_path / "Dqrels").write_text(DQRELS)
    (tmp_path / "DINprob").write_text("0001 1 0.75 nav\n0001 2 0.2 inf\n0001 3 0.05 inf\n")
    frame = irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "DINprob")
    assert frame["relevance"].tolist() == [0, 2, 1, 0]
    assert frame["type"].tolist()[1:] == ["nav", "inf", "inf"]
    assert frame["query_id"].unique().tolist() == ["0001"]
    evaluation = irdiv.evaluate(frame, {"0001": {"d1": 1.0}}, ["I-rec@1", "I-rec(intents=all)@1"])
    # intent 0 is not an intent, and intent 3 has no relevant documents
    assert evaluation.values[0, :, 0].tolist() == pytest.approx([1, 2 / 3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0001 1 d1 2\n", "line 1: relevance is '2', not a level such as L2"),
        (DQRELS + "0001 1 d2 Lx\n", "line 4: relevance is 'Lx', not a level"),
        (DQRELS + "0001 1 d2\n", "line 4: found 3 columns"),
        ("", "the Dqrels file is empty"),
        ("0001;1;d 1;L1\n0001;1;d 2\n", "line 2: found 3 columns"),
        ("0001;1;d 1;L1\n0001;;d 2;L1\n", "line 2: the intent_id is empty"),
    ],
)
def test_bad_dqrels(tmp_path, text, message):
    path = tmp_path / "bad.Dqrels"
    path.write_text(text)
    with pytest.raises(IrdivError) as caught:
        irdiv.datasets.read_ntcir_qrels(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("description", ["", "<SYSDESC>one line</SYSDESC>\n", "<SYSDESC>\ntwo\nlines </SYSDESC>\n"])
def test_descriptions_and_byte_order_marks_are_skipped(tmp_path, mark, description):
    path = tmp_path / "run"
    path.write_text(f"{mark}{description}0001 0 d1 1 9.5 me\n0001 0 d2 2 9.0 me\n", encoding="utf-8")
    assert irdiv.read_run(path)["query_id"].tolist() == ["0001", "0001"]


def test_an_error_after_a_description_names_its_line(tmp_path):
    path = tmp_path / "run"
    path.write_text("<SYSDESC>\nx</SYSDESC>\n0001 0 d1 1 9.5 me\n0001 0 d2 2 high me\n")
    with pytest.raises(IrdivError, match="line 4: score is 'high'"):
        irdiv.read_run(path)
    path.write_text("<SYSDESC>\nendless\n")
    with pytest.raises(IrdivError, match="SYSDESC> without </SYSDESC>"):
        irdiv.read_run(path)


def test_the_15_english_runs_of_imine(real_data):
    paths = sorted((real_data / "ntcir11-imine" / "en" / "runs").glob("*.gz"))
    assert len(paths) == 15
    for path in paths:
        assert irdiv.read_run(path)["query_id"].str.fullmatch("0[01][0-9]{2}").all()


def test_semicolons_of_intent(tmp_path):
    (tmp_path / "Dqrels").write_text("0001;1;windows 8;L2\n0001; 2;a pane of glass ;L1\n", encoding="utf-8")
    (tmp_path / "Iprob").write_text("0001;1;0.75\n0001;2;0.25\n")
    (tmp_path / "run").write_text("<SYSDESC>x</SYSDESC>\n0001;0;a pane of glass;1;2.5;me\n0001;0;windows 8;2;1.5;me\n")
    qrels = irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")
    assert qrels["doc_id"].tolist() == ["windows 8", "a pane of glass"]
    assert qrels["probability"].tolist() == [0.75, 0.25]
    evaluation = irdiv.evaluate(qrels, tmp_path / "run", ["I-rec@1", "I-rec@2"])
    assert evaluation.values[0, :, 0].tolist() == [0.5, 1.0]


def test_semicolons_are_written_where_ids_contain_spaces(tmp_path):
    rows = [("1", "big cat", "d 1", 2, 0.5), ("1", "car", "d 2", 1, 0.5)]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "probability"])
    with pytest.raises(IrdivError, match="by spaces, but the column intent_id has 'big cat'"):
        irdiv.datasets.write_ntcir(qrels, tmp_path / "Dqrels")
    irdiv.datasets.write_ntcir(qrels, tmp_path / "Dqrels", tmp_path / "Iprob", sep=";")
    again = irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")
    pd.testing.assert_frame_equal(again, qrels, check_dtype=False)


@pytest.mark.parametrize("doc", ["buy windows 8 cheap", "a", "a b", 'say "hi"', "a,b"])
def test_semicolons_whatever_the_spaces(tmp_path, doc):
    (tmp_path / "Dqrels").write_text(f"0001;1;{doc};L1\n")
    (tmp_path / "run").write_text(f"0001;0;{doc};1;2.5;me\n")
    assert irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels")["doc_id"].tolist() == [doc]
    assert irdiv.read_run(tmp_path / "run")["doc_id"].tolist() == [doc]


def test_text_after_a_description_is_not_lost(tmp_path):
    (tmp_path / "run").write_text("<SYSDESC>a</SYSDESC>1 Q0 d 1 2 x\n1 Q0 e 2 1 x\n")
    with pytest.raises(IrdivError, match="after </SYSDESC>"):
        irdiv.read_run(tmp_path / "run")


@pytest.mark.parametrize("intent", ["intent_id", "intent", "subtopic_id", "subtopic", "iteration"])
def test_probabilities_with_other_column_names(tmp_path, intent):
    (tmp_path / "Dqrels").write_text(DQRELS)
    (tmp_path / "intents").write_text(f"qid,{intent},probability\n0001,1,0.75\n0001,2,0.25\n")
    qrels = irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "intents")
    assert qrels["probability"].tolist()[1:] == [0.75, 0.25]


def test_an_intent_without_a_probability(tmp_path):
    (tmp_path / "Dqrels").write_text(DQRELS)
    (tmp_path / "Iprob").write_text("0001 1 1.0\n")
    with pytest.raises(IrdivError, match="Dqrels, line 3: intent '2' of topic '0001' is not in .*Iprob"):
        irdiv.datasets.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "Iprob")


IPROB = "0001 1 0.75\n0001 2 0.25\n"
HEADED = "query_id,intent_id,probability,description\n1,a,0.5,first\n1,b,0.5,\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the intents file is empty"),
        (b"0001 1 0.75\n0001 2\n", "line 2: found 2 columns; expected 3"),
        (b"0001 1 0.75\n0001 2 much\n", "line 2: probability is 'much'"),
        (b"0001 1 0.75\n0001 caf\xe9 0.25\n", "line 2: byte 0xe9 is not UTF-8"),
        (b"0001 1\n", "line 1: expected 'topic intent probability"),
        (b"0001 1 0.5 inf\n0001 2 0.5 xxx\n", "line 2: type is 'xxx', not inf or nav"),
        (HEADED.replace("1,b,0.5,", "1,b,half,").encode(), "line 3: probability is 'half'"),
        (HEADED.replace("1,b,0.5,", "1,b").encode(), "line 3: found 2 columns"),
        (HEADED.replace("1,b,0.5,", '1,b,0.5,"cut').encode(), "line 3: not an intents file (unexpected end of data)"),
    ],
)
def test_bad_intents_files(tmp_path, content, message):
    (tmp_path / "intents").write_bytes(content)
    with pytest.raises(IrdivError) as caught:
        irdiv.read_intents(tmp_path / "intents")
    assert str(caught.value).startswith(str(tmp_path / "intents"))
    assert message in str(caught.value)


def cut(content: bytes) -> bytes:
    return gzip.compress(content * 200, mtime=0)[:-20]


@pytest.mark.parametrize(
    ("read", "good"),
    [
        (irdiv.read_qrels, b"1 1 d1 1\n"),
        (irdiv.read_run, b"1 Q0 d1 1 2.5 me\n"),
        (irdiv.datasets.read_ntcir_qrels, b"0001 1 d1 L1\n"),
        (irdiv.read_intents, b"0001 1 0.5\n"),
        (irdiv.datasets.read_heval, b"77\t1\t0.5\n"),
    ],
    ids=["qrels", "run", "Dqrels", "intents", "heval"],
)
class TestEveryReader:
    def test_rejects_a_latin_1_byte(self, tmp_path, read, good):
        (tmp_path / "file").write_bytes(good + good.replace(b"1", b"\xe9", 1))
        with pytest.raises(IrdivError, match="file, line 2: byte 0xe9 is not UTF-8"):
            read(tmp_path / "file")

    def test_rejects_a_truncated_file(self, tmp_path, read, good):
        (tmp_path / "file").write_bytes(good + good.split()[0])
        with pytest.raises(IrdivError, match="file, line 2: found 1 column"):
            read(tmp_path / "file")

    def test_rejects_a_truncated_gzip_file(self, tmp_path, read, good):
        (tmp_path / "file").write_bytes(cut(good))
        with pytest.raises(IrdivError, match="truncated or damaged"):
            read(tmp_path / "file")

    def test_rejects_a_damaged_gzip_file(self, tmp_path, read, good):
        (tmp_path / "file").write_bytes(gzip.compress(good)[:10] + b"garbage here" * 4)
        with pytest.raises(IrdivError, match="truncated or damaged"):
            read(tmp_path / "file")

    def test_rejects_an_empty_file(self, tmp_path, read, good):
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(IrdivError, match="file is empty"):
            read(tmp_path / "file")

    def test_rejects_a_missing_file(self, tmp_path, read, good):
        with pytest.raises(IrdivError, match="no such"):
            read(tmp_path / "file")
