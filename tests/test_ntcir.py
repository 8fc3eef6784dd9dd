"""Files of NTCIR: Dqrels, probabilities, and runs with a description of the system."""

from __future__ import annotations

import pytest

import irdiv
from irdiv import IrdivError

DQRELS = "0001 0 d0 L0\n0001 1 d1 L2\n0001 2 d1 L1\n"


def test_dqrels_with_probabilities_and_types(tmp_path):
    (tmp_path / "Dqrels").write_text(DQRELS)
    (tmp_path / "DINprob").write_text("0001 1 0.75 nav\n0001 2 0.2 inf\n0001 3 0.05 inf\n")
    frame = irdiv.read_ntcir_qrels(tmp_path / "Dqrels", tmp_path / "DINprob")
    assert frame["relevance"].tolist() == [0, 2, 1, 0]
    assert frame["type"].tolist()[1:] == ["nav", "inf", "inf"]
    assert frame["query_id"].unique().tolist() == ["0001"]
    evaluation = irdiv.evaluate(frame, {"0001": {"d1": 1.0}}, ["I-rec@1", "I-rec(intents=all)@1"])
    # intent 0 is no intent, and intent 3 one without relevant documents
    assert evaluation.values[0, :, 0].tolist() == pytest.approx([1, 2 / 3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0001 1 d1 2\n", "line 1: relevance is '2', not a level such as L2"),
        (DQRELS + "0001 1 d2 Lx\n", "line 4: relevance is 'Lx', not a level"),
        (DQRELS + "0001 1 d2\n", "line 4: found 3 columns"),
        ("", "the Dqrels file is empty"),
    ],
)
def test_bad_dqrels(tmp_path, text, message):
    path = tmp_path / "bad.Dqrels"
    path.write_text(text)
    with pytest.raises(IrdivError) as caught:
        irdiv.read_ntcir_qrels(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("description", ["", "<SYSDESC>one line</SYSDESC>\n", "<SYSDESC>\ntwo\nlines </SYSDESC>\n"])
def test_descriptions_and_byte_order_marks_are_passed_over(tmp_path, mark, description):
    path = tmp_path / "run"
    path.write_text(f"{mark}{description}0001 0 d1 1 9.5 me\n0001 0 d2 2 9.0 me\n", encoding="utf-8")
    assert irdiv.read_run(path)["query_id"].tolist() == ["0001", "0001"]


def test_a_fault_behind_a_description_is_named_by_its_line(tmp_path):
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
