"""Files of intents, and white space and numbers of Unicode in these and other files."""

from __future__ import annotations

import hypothesis
import pandas as pd
import pytest
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError
from irdiv.io import trec


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "intents"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("separator", [" ", ";", "\t", ","])
def test_files_without_a_header(write, separator):
    frame = irdiv.read_intents(write("\n01 a 0.5\n1 NA 0.5\n".replace(" ", separator)))
    expected = {"query_id": ["01", "1"], "intent_id": ["a", "NA"], "probability": [0.5, 0.5]}
    assert frame.to_dict("list") == expected
    frame = irdiv.read_intents(write("1 a 0.5 inf\n1 b 0.5 nav\n".replace(" ", separator)))
    assert frame["type"].tolist() == ["inf", "nav"]


@pytest.mark.parametrize("separator", [";", "\t", ",", ", "])
def test_files_with_a_header(write, separator):
    lines = ["qid intent weight type description", "1 a 0.5 nav None", "1 b   y", "01 NA   "]
    path = write("\n".join(line.replace(" ", separator) for line in lines))
    frame = irdiv.read_intents(path)
    assert frame["weight"].dtype == float
    frame = frame.astype(object)
    assert frame.where(frame.notna(), None).to_dict("list") == {
        "qid": ["1", "1", "01"],
        "intent": ["a", "b", "NA"],
        "weight": [0.5, None, None],
        "type": ["nav", None, None],
        "description": ["None", "y", None],
    }
    qrels = pd.DataFrame({"query_id": "1", "doc_id": "d", "intent_id": ["a", "b"], "relevance": 1})
    assert irdiv.with_intents(qrels, path)["type"].fillna("").tolist() == ["nav", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", ": .*empty; expected 'topic intent probability', or a header"),
        ("\n1 a x\n", ", line 2: expected 'topic intent probability .*header .*found '1 a x'"),
        ("1 a 0.5 x\n", ", line 1: expected .*found '1 a 0.5 x'"),
        ("1 a\n", ", line 1: expected .*found '1 a'"),
        ("1 a 0.5 inf 7\n", ", line 1: expected .*found '1 a 0.5 inf 7'"),
        ("y" * 90, f", line 1: .*found '{'y' * 80}'"),
        ("1 a 0.5\n1 b\n", ", line 2: found 2 columns; expected 3 columns, query_id, intent_id, probability"),
        ("1 a 0.5 inf\n1\n", ", line 2: found 1 column; expected 4 columns"),
        ("1 a 0.5 inf\n1 b 0.5 no\n", ", line 2: type is 'no', not inf or nav"),
        ("1 a 0.5\n1 b much\n", ", line 2: probability is 'much', not a finite number"),
        ("query_id,intent_id,weight\n1,a,much\n", ", line 2: weight is 'much', not a finite number"),
        ("query_id;intent_id;type\n1;a;no\n", ", line 2: type is 'no', not inf or nav"),
        ("qid,intent,weight,probability\n1,1,1,1\n", "two columns for one thing: 'probability', 'weight'"),
    ],
)
def test_bad_files(write, text, message):
    path = write(text)
    prefix = "" if message.startswith("two") else "intents"
    with pytest.raises(IrdivError, match=prefix + message):
        irdiv.read_intents(path)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(IrdivError, match="no such intents file: .*gone"):
        irdiv.read_intents(tmp_path / "gone")


@pytest.mark.parametrize("separator", [" ", "\t", ";"])
def test_white_space_of_unicode_belongs_to_ids(write, separator):
    rows = ["1 x\u2003 a\u00a0b 1", "1 \u00a0y \u3000c\u00a0 0"]
    qrels = write("\n".join(row.replace(" ", separator) for row in rows), "qrels")
    assert irdiv.read_qrels(qrels)["doc_id"].tolist() == ["a\u00a0b", "\u3000c\u00a0"]
    folded = irdiv.with_intents(qrels, write("1 x\u2003 0.5\n1 \u00a0y 0.25\n".replace(" ", separator)))
    assert folded[["iteration", "probability"]].values.tolist() == [["x\u2003", 0.5], ["\u00a0y", 0.25]]


def test_the_line_of_an_unknown_intent_with_white_space_of_unicode(write):
    qrels, probabilities = write("1 0 a\u00a0b L1\n1 1\u00a0 c L1\n", "Dqrels"), write("1 0 1\n", "Iprob")
    with pytest.raises(IrdivError, match=r"line 2: intent '1\\xa0' of topic '1' is not in"):
        irdiv.datasets.read_ntcir_qrels(qrels, probabilities)


@pytest.mark.parametrize("score", ["\u00a01.5", "1.5\u2003", "\u0661"])
def test_numbers_in_unicode(write, score):
    with pytest.raises(IrdivError, match="line 2: score is .*, not a finite number"):
        irdiv.read_run(write(f"1 Q0 a 1 2.5 x\n1 Q0 b 2 {score} x\n"))


CELLS = st.sampled_from(["1", "Q0", "é", "+3", "-4", "1.5", "-2e-3", ".5", "nan", "1e400", "1_0", "0x1", '"a', "'", ""])
SPACES = st.sampled_from([" ", " ", " ", "\t", "  ", "\x0b", "\u00a0"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\r"])


@hypothesis.given(st.data())
def test_the_fast_parser_reads_what_the_other_does(tmp_path_factory, data):
    space, end = (strategy if data.draw(st.booleans()) else st.just(data.draw(strategy)) for strategy in (SPACES, ENDS))
    ranks, tags = st.sampled_from(["1", "+3", "x"]), st.sampled_from(["tag", "", "a b"])
    line = st.tuples(
        st.sampled_from("1é"), space, st.just("Q0"), space, CELLS, space, ranks, space, CELLS, space, tags, end
    )
    path = tmp_path_factory.mktemp("runs") / "run.txt"
    path.write_bytes("".join("".join(cells) for cells in data.draw(st.lists(line, max_size=4))).encode())

    def outcome():
        try:
            return irdiv.read_run(path).to_dict("list")
        except IrdivError as error:
            return str(error)

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "_parse_plain", lambda content, layout: None)
        assert fast == outcome()
