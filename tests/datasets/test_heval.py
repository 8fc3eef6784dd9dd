"""heval: the published intent hierarchies of TREC Web."""

from __future__ import annotations

import pytest

from irdiv import IrdivError
from irdiv.datasets import read_heval

# As the page of heval shows topic 77.
TOPIC_77 = "77\t2\t.25\n77\t1\t.75\t4\t.33333333\n77\t1\t.75\t1\t.66666667\t1\t.5\n77\t1\t.75\t1\t.66666667\t3\t.5\n"


def test_topic_77(tmp_path):
    (tmp_path / "heval").write_text(TOPIC_77)
    frame = read_heval(tmp_path / "heval").set_index("intent_id")
    assert set(frame["query_id"]) == {"77"}
    assert frame["parent_id"].dropna().to_dict() == {"4": "1@1", "1@2": "1@1", "1": "1@2", "3": "1@2"}
    assert frame["probability"].to_dict() == pytest.approx(
        {"2": 0.25, "1@1": 0.75, "4": 0.25, "1@2": 0.5, "1": 0.25, "3": 0.25}, abs=1e-8
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("77\t2\t.25\n77\t1\n", "line 2: found 2 columns"),
        ("77\t2\t.25\n77\t1\t.75\t4\n", "line 2: found 4 columns"),
        ("77\t2\tmuch\n", "line 1: weight .*'much'"),
        ("77\t2\t-1\n", "line 1: weight .*'-1'"),
        ("77\t1\t.5\t2\t1\n77\t1\t.6\t3\t1\n", "line 2: node 1 .*weight 0.5"),
        ("77\t2\t.5\n77\t2\t.5\n", "line 2: leaf 2 of topic 77 .*twice"),
        ("77\t2\t.5\n77\t2\t.5\t3\t1\n", "line 1: leaf 2 of topic 77 has nodes below"),
        ("77\t2\t.5\n77\t1\t.5\t2\t1\n", "line 2: topic 77 has two leaves 2"),
        ("77\t1\t.5\t1\t1\t2\t1\n77\t3\t.5\t1\t1\t4\t1\n", "topic 77 has two nodes 1 at depth 2"),
        ("77\t\t.25\n", "line 1: .* empty"),
        ("", "empty"),
    ],
)
def test_errors_name_the_file_and_the_line(tmp_path, text, message):
    (tmp_path / "heval").write_text(text)
    with pytest.raises(IrdivError, match=f"heval.*{message}"):
        read_heval(tmp_path / "heval")
