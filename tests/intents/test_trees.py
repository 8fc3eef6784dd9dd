"""Trees of intents as nested dicts, paths and parents, as frames, reports and on the command line."""

from __future__ import annotations

from inspect import signature
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from irdiv import IrdivError
from irdiv.analysis import hierarchy_nodes, layer_scores, node_coverage
from irdiv_cli import main

# TREC topic 77 of DEFINITIONS: q → {n2 → {n1 → {i1, i3}, i4}, i2}
TREE = {"n2": {"n1": ["i1", "i3"], "i4": None}, "i2": None}
JUDGED = pd.DataFrame(
    [("77", "i1", "d1", 1), ("77", "i3", "d3", 1), ("77", "i4", "d4", 1), ("77", "i2", "d2", 1)],
    columns=["query_id", "intent_id", "doc_id", "relevance"],
)
QRELS = irdiv.with_intents(JUDGED, irdiv.intents.nested_intents({"77": TREE}))
RUN = {"77": {"d1": 3.0, "x": 2.0, "d2": 1.0}}


def score(qrels, *specs: str) -> list[float]:
    return irdiv.evaluate(qrels, RUN, specs).values[0, :, 0].tolist()


def test_nested_trees_as_tables():
    frame = irdiv.intents.nested_intents({1: {"a": {"b": {"c": 0.5}, "d": 1}, 2: None}})
    assert frame.columns.tolist() == ["query_id", "intent_id", "parent_id", "probability"]
    assert frame.astype(object).where(frame.notna(), None).to_numpy().tolist() == [
        ["1", "a", None, None],
        ["1", "b", "a", None],
        ["1", "c", "b", 0.5],
        ["1", "d", "a", 1.0],
        ["1", "2", None, None],
    ]
    assert irdiv.intents.nested_intents({}).empty


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_paths_make_the_same_tree(convert):
    rows = [("n2", "n1", "i1"), ("n2", "n1", "i3"), ("n2", "i4", None), ("i2", None, None)]
    paths = pd.DataFrame(rows, columns=["a", "b", "c"])
    qrels = convert(pd.concat([JUDGED.drop(columns="intent_id"), paths], axis=1))
    made = irdiv.intents.with_paths(qrels, ["a", "b", "c"])
    assert type(made) is type(qrels)
    parents = dict(zip(made["intent_id"], made["parent_id"], strict=True))
    above = {"n2/n1/i1": "n2/n1", "n2/n1/i3": "n2/n1", "n2/i4": "n2", "n2/n1": "n2", "n2": "_root_", "i2": "_root_"}
    assert parents == above
    assert score(made, "N-rec@3", "LAD#-nDCG@3") == score(QRELS, "N-rec@3", "LAD#-nDCG@3")


def test_paths_of_several_topics():
    qrels = pd.DataFrame({"query_id": ["1", "1", "2"], "s": "x", "t": ["y", None, "y"], "doc_id": "d", "relevance": 1})
    folded = irdiv.intents.with_paths(qrels, ["s", "t"])
    found = folded[["query_id", "intent_id", "parent_id"]].drop_duplicates().values.tolist()
    assert sorted(found) == [["1", "x", "_root_"], ["1", "x/y", "x"], ["2", "x", "_root_"], ["2", "x/y", "x"]]


PATHS = JUDGED.assign(s=["x", "y", "x", None], t=["a", "b", None, None])
SAME_PATHS = JUDGED.iloc[:2].assign(s=["x", "x/a"], t=["a/b", "b"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irdiv.intents.nested_intents(["x"]), "a dict from topic to tree; found 'list'"),
        (lambda: irdiv.intents.nested_intents({"1": "abc"}), "topic '1' must be a dict .*found 'abc'"),
        (lambda: irdiv.intents.nested_intents({"1": {"a": "b"}}), "topic '1' .*found 'b'"),
        (lambda: irdiv.intents.nested_intents({"1": {1.5: None}}), "topic '1' has the name 1.5; .*string"),
        (lambda: irdiv.intents.nested_intents({"1": ["x", {"a": ["b"]}]}), "topic '1' has the name {.*string"),
        (lambda: irdiv.intents.nested_intents({"1": {"a": ["x", "y"], "b": ["x"]}}), "topic '1' has two nodes 'x'"),
        (lambda: irdiv.with_intents(JUDGED, irdiv.intents.nested_intents({"77": ["_root_"]})), "'_root_'.*rename"),
        (lambda: irdiv.intents.with_paths(PATHS, "s"), "one or more columns, each once; found 's'"),
        (lambda: irdiv.intents.with_paths(PATHS, []), r"one or more columns, each once; found \[\]"),
        (lambda: irdiv.intents.with_paths(PATHS, ["s", "s"]), "one or more columns, each once; found"),
        (lambda: irdiv.intents.with_paths(PATHS, ["s", "u", "v"]), "no column 'u', 'v'; found 'query_id'"),
        (lambda: irdiv.intents.with_paths(PATHS, ["s", "t"]), r"row 3 .*gap in its path: \(None, None\)"),
        (lambda: irdiv.intents.with_paths(PATHS, ["t", "s"]), r"row 2 .*gap in its path: \(None, 'x'\)"),
        (
            lambda: irdiv.intents.with_paths(SAME_PATHS, ["s", "t"]),
            r"\('x', 'a/b'\) and \('x/a', 'b'\) are both 'x/a/b'",
        ),
        (lambda: irdiv.Hierarchy(QRELS, hierarchy="XIH"), "^hierarchy='XIH' is not one of 'EIH', 'OIH'"),
        (lambda: irdiv.Hierarchy(QRELS, weights="U"), "^weights='U' is not one of"),
        (lambda: irdiv.Hierarchy({"1": {"d": 1}}), "needs intents"),
        (lambda: irdiv.Hierarchy(QRELS).draw("78"), "no topic is called '78'; there are '77'"),
        (lambda: irdiv.Hierarchy(QRELS).report(RUN, "77", cutoff=0), "cutoff=0 is not an integer of 1 or more"),
        (lambda: hierarchy_nodes(QRELS, rel=0), "^rel=0 is not an integer of 1 or more"),
        (lambda: node_coverage(QRELS, RUN, intents="x"), "^intents='x' is not one of"),
        (lambda: layer_scores(QRELS, RUN, "N-rec@3"), "N-rec@3 does not score single layers"),
        (lambda: layer_scores(QRELS, RUN, "DIN-nDCG@3"), "DIN-nDCG@3 does not score single layers"),
        (lambda: layer_scores(QRELS, RUN, "D-nDCG-LA@3"), "D-nDCG-LA@3 does not score single layers"),
        (lambda: layer_scores(QRELS, RUN, "nDCG@3"), "nDCG@3 does not score single layers"),
        (lambda: irdiv.parse("D-Q-LA(layer_weights=(0,0))"), "not a sequence of numbers from 0"),
        (lambda: irdiv.parse("D-Q-LA(layer_weights='ab')"), "not a sequence of numbers from 0"),
        (lambda: score(QRELS, "D-Q-LA(weights='NT')"), "weights='NT' needs .*'i1' of topic '77'.*'UT' or 'UB'"),
    ],
)
def test_bad_trees_paths_and_options(make, message):
    with pytest.raises(IrdivError, match=message):
        make()


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"i1": "n", "n": "m", "m": "n"}, "topic '77' is its own ancestor: .*cycle"),
        ({"i1": "i1"}, "'i1' of topic '77' is its own ancestor"),
        ({"i1": "gone", "i2": ""}, "'i1' of topic '77' has the parent 'gone', .*not a node .*'_root_'"),
        ({"i1": "i2", "i2": None}, "'i2' of topic '77' has relevant documents and nodes below it"),
        ({"i1": "n", "n": None}, "'i2' of topic '77' has relevant documents but is not in .*hierarchy"),
    ],
)
def test_parents_that_make_no_tree(parents, message):
    rows = [("77", *row) for row in parents.items()]
    qrels = irdiv.with_intents(JUDGED[::3], pd.DataFrame(rows, columns=["query_id", "intent_id", "parent_id"]))
    with pytest.raises(IrdivError, match=message):
        score(qrels, "N-rec@5")
    # flat measures do not use the tree
    assert score(qrels, "I-rec@1") == [0.5]


def test_rows_that_contradict_each_other_about_the_parent():
    qrels = JUDGED[:2].assign(intent_id="i1", parent_id=["x", "y"])
    with pytest.raises(IrdivError, match="'i1' of topic '77' has two parents, 'x' and 'y'"):
        score(qrels, "N-rec@5")


def test_the_topic_itself_may_be_named_as_the_root():
    table = pd.DataFrame({"query_id": "77", "intent_id": JUDGED["intent_id"], "parent_id": "77"})
    assert score(irdiv.with_intents(JUDGED, table), "N-rec@5") == [2 / 4]


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_nodes_coverage_and_report(convert):
    qrels = convert(QRELS)
    hierarchy = irdiv.Hierarchy(qrels)
    report = hierarchy.report(RUN, "77", ["I-rec@3"])
    covered = node_coverage(qrels, RUN, cutoff=2)
    frames = [hierarchy.frame, hierarchy.topic("77"), hierarchy_nodes(qrels), report.nodes, covered, report.layers]
    assert {type(frame) for frame in frames} == {type(qrels)}
    *frames, layers = [frame if convert is pd.DataFrame else frame.to_pandas() for frame in frames]
    columns = ["query_id", "layer", "node_id", "parent_id", "leaf", "weight", "relevant"]
    for nodes in frames:
        assert nodes.columns.tolist()[:7] == columns
        assert nodes[nodes["layer"] == 2][columns].values.tolist() == [
            ["77", 2, "n1", "n2", False, 1 / 2, 2],
            ["77", 2, "i2", "i2", True, 1 / 4, 1],
            ["77", 2, "i4", "n2", True, 1 / 4, 1],
        ]
    ranks = [nodes.dropna(subset="rank").set_index("node_id")["rank"].to_dict() for nodes in frames[3:]]
    assert ranks == [{"n2": 1, "n1": 1, "i1": 1, "i2": 3}, {"n2": 1, "n1": 1, "i1": 1}]
    assert layers[["nodes", "covered"]].values.tolist() == [[2, 2], [3, 2], [4, 2]]
    assert layers["I-rec@3"].tolist() == pytest.approx([1, 2 / 3, 2 / 4])
    assert "i3  weight 0.250, 1 relevant, not covered" in str(report)


@pytest.mark.parametrize("cutoff", [2, None])
def test_default_measures_of_layers_have_the_cutoff(cutoff):
    found = layer_scores(QRELS, RUN, cutoff=cutoff)
    at = "" if cutoff is None else f"@{cutoff}"
    pd.testing.assert_frame_equal(
        found, layer_scores(QRELS, RUN, [f"{name}{at}" for name in ("I-rec", "D-nDCG", "D#-nDCG")], cutoff=cutoff)
    )
    assert found["covered"].tolist() == [1 if cutoff else 2] * 3


@pytest.mark.parametrize("function", [irdiv.Hierarchy, hierarchy_nodes, node_coverage, layer_scores])
def test_defaults_are_those_of_the_measures(function):
    taken, values = signature(function).parameters, irdiv.parse("D-nDCG-LA").parameter_values()
    names = ("hierarchy", "weights", "rel", "intents")
    assert {name: taken[name].default for name in names} == {name: values[name] for name in names}


def test_the_command_line(tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("qrels", "run", "heval")]
    qrels, run, *heval = *files[:2], "--heval", files[2]
    irdiv.datasets.write_ndeval(JUDGED.assign(intent_id=JUDGED["intent_id"].str[1:]), qrels)
    lines = ["77 2 .25", "77 1 .75 4 .4", "77 1 .75 1 .6 1 .5", "77 1 .75 1 .6 3 .5"]
    (tmp_path / "heval").write_text("\n".join(lines).replace(" ", "\t"))
    (tmp_path / "run").write_text("77 Q0 d1 1 1 x\n")
    for words, code, text in [
        (["hierarchy", qrels, *heval], 0, "├─ 1@1"),
        (["hierarchy", qrels, run, *heval, "-m", "I-rec@5"], 0, "rank 1"),
        (["hierarchy", qrels, *heval, "-m", "I-rec@5"], 2, "give a run too"),
        (["hierarchy", qrels, *heval, "--topic", "78"], 2, "no topic is called '78'"),
        (["eval", qrels, run, *heval, "-m", "N-rec@5"], 0, "0.3333"),
    ]:
        assert main(words) == code, words
        assert text in "".join(capsys.readouterr()), words
    assert main(["hierarchy", qrels, *heval, "--svg"]) == 0
    assert "1@1" in "".join(ET.fromstring(capsys.readouterr().out).itertext())


def test_names_in_pictures_are_escaped():
    svg = irdiv.Hierarchy(JUDGED[:2].assign(intent_id=["<script>&", "a\x1b\x00"])).svg("77")
    assert "<script>&" in list(ET.fromstring(svg).itertext())


def test_a_second_tree_takes_the_place_of_the_first():
    other_topic = JUDGED[:1].assign(query_id="1", intent_id="a")
    judged = pd.concat([JUDGED, other_topic], ignore_index=True)
    first = irdiv.intents.nested_intents({"77": TREE, "1": {"n": ["a"]}}).assign(probability=1.0)
    second = irdiv.intents.nested_intents({"77": {"o": ["i1", "i3"], "i4": None, "i2": None}}).drop(
        columns="probability"
    )
    twice = irdiv.with_intents(irdiv.with_intents(judged, first), second)
    without = twice[twice["doc_id"] == "_no_document_"]
    # the nodes of a topic that the second table does not have stay
    assert sorted(without[["query_id", "intent_id", "relevance"]].values.tolist()) == [["1", "n", 0], ["77", "o", 0]]
    specs = ["I-rec(intents='all')@2", "N-rec(intents='all')@2", "N-rec@2"]
    found, once = (irdiv.evaluate(qrels, RUN, specs) for qrels in (twice, irdiv.with_intents(JUDGED, second)))
    row = found.query_ids.tolist().index("77")
    np.testing.assert_array_equal(found.values[0, :, row], once.values[0, :, 0])
