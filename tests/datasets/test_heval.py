"""heval: the published intent hierarchies of TREC Web."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError

# As the page of heval shows topic 77.
TOPIC_77 = "77\t2\t.25\n77\t1\t.75\t4\t.33333333\n77\t1\t.75\t1\t.66666667\t1\t.5\n77\t1\t.75\t1\t.66666667\t3\t.5\n"


def test_topic_77(tmp_path):
    (tmp_path / "heval").write_text(TOPIC_77)
    frame = irdiv.datasets.read_heval(tmp_path / "heval").set_index("intent_id")
    assert set(frame["query_id"]) == {"77"}
    assert frame["parent_id"].dropna().to_dict() == {"4": "1@1", "1@2": "1@1", "1": "1@2", "3": "1@2"}
    assert frame["probability"].to_dict() == pytest.approx(
        {"2": 0.25, "1@1": 0.75, "4": 0.25, "1@2": 0.5, "1": 0.25, "3": 0.25}, abs=1e-8
    )


def test_reading_and_writing_gives_the_same_tree(tmp_path):
    (tmp_path / "heval").write_text(TOPIC_77)
    irdiv.datasets.write_heval(irdiv.datasets.read_heval(tmp_path / "heval"), tmp_path / "again")
    cells = [line.split("\t") for line in (tmp_path / "again").read_text().splitlines()]
    assert [row[1::2] for row in cells] == [["1", "1", "1"], ["2"], ["1", "1", "3"], ["1", "4"]]
    assert [float(row[-1]) for row in cells] == pytest.approx([0.5, 0.25, 0.5, 0.33333333])


trees = st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=12).filter(bool)


def nodes_of(tree, query, random, parent=None, prefix="n"):
    """Return a row for each node of a tree: lists are inner nodes, None is a leaf."""
    rows = []
    for index, child in enumerate(tree):
        name = prefix + random.choice(["", '"', ",", ";", " ", "'", "é\u2028"]) + str(index)
        rows.append((query, name, parent, random.uniform(0.1, 1)))
        if child is not None:
            rows += nodes_of(child, query, random, name, name)
    return rows


@given(st.lists(trees, min_size=1, max_size=3), st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_round_trip_loses_nothing(tmp_path, forest, random):
    rows = [row for query, tree in enumerate(forest) for row in nodes_of(tree, str(query), random)]
    intents = pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id", "probability"])
    irdiv.datasets.write_heval(intents, tmp_path / "heval")
    again = irdiv.datasets.read_heval(tmp_path / "heval")
    assert path_probabilities(again) == pytest.approx(path_probabilities(intents), rel=1e-12)


def path_probabilities(intents: pd.DataFrame) -> dict[tuple[str, str, int], float]:
    """Return the probability of each node on the path to each leaf by (topic, leaf, depth)."""
    rows = {(q, i): (None if pd.isna(p) else p, w) for q, i, p, w in intents.itertuples(index=False, name=None)}
    inner = {(query, parent) for (query, _), (parent, _) in rows.items()}
    out = {}
    for query, leaf in rows.keys() - inner:
        path, node = [], leaf
        while node is not None:
            node, weight = rows[query, node]
            path.insert(0, weight)
        out.update({(query, leaf, depth): weight for depth, weight in enumerate(path)})
    return out


def test_an_inner_node_without_a_probability_has_the_sum_of_its_children(tmp_path):
    rows = [("1", "a", None, None), ("1", "a1", "a", 0.2), ("1", "a2", "a", 0.6), ("1", "b", None, 0.2)]
    intents = pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id", "probability"])
    irdiv.datasets.write_heval(intents, tmp_path / "heval")
    assert (tmp_path / "heval").read_text().splitlines() == [
        "1\ta1\t0.8\ta1\t0.25",
        "1\ta1\t0.8\ta2\t0.7499999999999999",
        "1\tb\t0.2",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("77\t2\t.25\n77\t1\n", "line 2: found 2 columns"),
        ("77\t2\t.25\n77\t1\t.75\t4\n", "line 2: found 4 columns"),
        ("77\t2\tmuch\n", "line 1: weight is 'much'"),
        ("77\t2\t-1\n", "line 1: weight is '-1'"),
        ("77\t1\t.5\t2\t1\n77\t1\t.6\t3\t1\n", "line 2: node 1 had the weight 0.5 before"),
        ("77\t2\t.5\n77\t2\t.5\n", "line 2: leaf 2 of topic 77 occurs twice"),
        ("77\t2\t.5\n77\t2\t.5\t3\t1\n", "line 1: leaf 2 of topic 77 has nodes below it"),
        ("77\t2\t.5\n77\t1\t.5\t2\t1\n", "line 2: topic 77 has two leaves 2"),
        ("77\t\t.25\n", "line 1: the topic or a node is empty"),
        ("", "the heval file is empty"),
    ],
)
def test_bad_heval(tmp_path, text, message):
    (tmp_path / "heval").write_text(text)
    with pytest.raises(IrdivError) as caught:
        irdiv.datasets.read_heval(tmp_path / "heval")
    assert message in str(caught.value)
    assert str(tmp_path / "heval") in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("1", "a", "b", 0.5), ("1", "b", "a", 0.5), ("1", "c", "a", 0.5)], "a cycle"),
        ([("1", "a", None, 0.0), ("1", "b", "a", 0.5)], "the node above it has the probability 0"),
        ([("1", "a", None, 0.5), ("1", "b", "a", None)], "none for 'b'"),
        ([("1", "a\tb", None, 0.5)], "by tabs"),
        ([("1\t", "a", None, 0.5)], "by tabs"),
        ([("1", "a", "b", None), ("1", "b", "a", None), ("1", "c", None, 1.0)], "a cycle"),
        ([("1", "a", None, None), ("1", "b", None, 1.0)], "none for 'a'"),
        ([("1", "a", None, -1.0)], "give 0 or more"),
        (
            [("1", "n", None, None), ("1", "1", "n", 0.5), ("1", "1@1", "n", 0.5)],
            "the id that an inner node would have",
        ),
        ([("1", "a", None, 0.5), ("1", "a", None, 0.6)], "two rows that differ"),
    ],
)
def test_hierarchies_that_heval_cannot_express(tmp_path, rows, message):
    intents = pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id", "probability"])
    with pytest.raises(IrdivError, match=message):
        irdiv.datasets.write_heval(intents, tmp_path / "heval")


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_integer_ids(tmp_path, convert):
    intents = {"query_id": [1] * 3, "intent_id": [10, 1, 2], "parent_id": [None, 10, 10], "probability": [1, 0.4, 0.6]}
    irdiv.datasets.write_heval(convert(pd.DataFrame(intents)), tmp_path / "heval")
    assert (tmp_path / "heval").read_text() == "1\t1\t1.0\t1\t0.4\n1\t1\t1.0\t2\t0.6\n"
