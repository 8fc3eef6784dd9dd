"""The case analysis: published counts, hand-made spaces, and properties of one's own."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError, properties
from irdiv.cli import main
from irdiv.properties import scores as scores_module
from irdiv.properties.scores import collection_of, scores

PUBLISHED = [
    "RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP", "StRecall@10", "P_IA@10", "AP_IA", "ERR_IA@10", "alpha_nDCG@10",
    "NRBP", "CT", "nCT", "ACT",
]  # fmt: skip


def test_the_published_table():
    frame = properties.check(PUBLISHED)
    assert len(properties.Rankings()) == 88_573
    cases = frame.groupby("property")["cases"].unique().map(list).to_dict()
    assert cases == {"relevance": [59_046], "irrelevance": [29_523], "redundancy": [2_026]}
    violated = frame[frame["violations"] > 0].set_index(["measure", "property"])["violations"].to_dict()
    assert violated == {("ACT", "irrelevance"): 29_496, ("AP_IA", "redundancy"): 2_026}


def test_the_shortest_counterexample_and_its_scores():
    row = properties.check("AP_IA", "redundancy", depth=3).iloc[0]
    # ten relevant documents become three: AP of aa is (1 + 1)/3, of ab (1 + ½)/3, and half of that over two aspects
    assert row["counterexample"] == "aa > ab"
    assert [row["score"], row["other_score"]] == pytest.approx([1 / 3, 1.5 / 6])
    assert row["share"] == 1


def test_scores_are_those_of_evaluate():
    space = properties.Rankings(aspects=2, depth=3, grades=2)
    specs = [
        "D#-nDCG@3",
        "ERR-IA@2",
        "alpha-nDCG@3",
        "LAD#-Q@3",
        "RBU",
        "ACT",
        "nERR_IA@3",
        "P+Q#@3",
        "nDCG@2",
        "AP",
        "RR",
    ]
    specs += ["Rprec", "Success@2", "R@2", "P@3", "S-precision", "N-rec@2", "nNRBP", "GAP", "HD-ERR@2", "F@2"]
    collection, rows = collection_of(space, weights=[0.7, 0.3], types=["nav", "inf"])
    table = scores(space, [irdiv.parse(spec) for spec in specs], collection, rows)
    rng = np.random.default_rng(0)
    names = {label: f"{label:03}" for label in space.relevant}
    judged = [
        ("1", f"i{space.aspect(label)}", f"{name}-{n:03}", int(space.grade(label)))
        for label, name in names.items()
        for n in range(3)
    ]
    facts = {"query_id": "1", "intent_id": ["i0", "i1"], "probability": [0.7, 0.3], "type": ["nav", "inf"]}
    qrels = irdiv.with_intents(
        pd.DataFrame(judged, columns=["query_id", "intent_id", "doc_id", "relevance"]), pd.DataFrame(facts)
    )
    for number in rng.choice(np.arange(1, len(space)), 25, replace=False):
        seen: dict[int, int] = {}
        run = {}
        for rank, label in enumerate(space.labels[number][: space.length[number]]):
            doc = f"x{rank}" if label == 0 else f"{names[label]}-{seen.get(label, 0):03}"
            seen[label] = seen.get(label, 0) + 1
            run[doc] = -float(rank)
        expected = irdiv.evaluate(qrels, {"1": run}, specs).values[0, :, 0]
        np.testing.assert_allclose(table[:, number], expected, atol=1e-9)


def test_batches_change_nothing(monkeypatch):
    whole = properties.check(["D#-nDCG@5", "NRBP", "LAD#-nDCG@5"], depth=5)
    monkeypatch.setattr(scores_module, "BATCH", 7)
    pd.testing.assert_frame_equal(properties.check(["D#-nDCG@5", "NRBP", "LAD#-nDCG@5"], depth=5), whole)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 2))
@settings(max_examples=20, deadline=None)
def test_rankings_are_numbered_by_their_labels(aspects, depth, grades):
    space = properties.Rankings(aspects, depth, grades)
    choices = 1 + aspects * grades
    assert len(space) == (choices ** (depth + 1) - 1) // (choices - 1)
    assert len({tuple(row) for row in space.labels}) == len(space)
    for number in range(0, len(space), max(1, len(space) // 30)):
        length = space.length[number]
        if 0 < length < depth:
            longer = space.append(np.array([number]), 1)[0]
            assert space.labels[longer][: length + 1].tolist() == [*space.labels[number][:length], 1]
        if length:
            other = space.replace(np.array([number]), length - 1, 0)[0]
            assert space.labels[other][:length].tolist() == [*space.labels[number][: length - 1], 0]


def test_relations_of_rankings_up_to_two():
    frame = properties.relations()
    pairs = {kind: set(zip(rows["worse"], rows["better"], strict=True)) for kind, rows in frame.groupby("property")}
    assert pairs == {
        "relevance": {("a", "aa"), ("a", "ab"), ("b", "ba"), ("b", "bb"), ("x", "xa"), ("x", "xb")},
        "irrelevance": {("ax", "a"), ("bx", "b"), ("xx", "x")},
        "redundancy": {("aa", "ab"), ("bb", "ba")},
    }
    # bx is no better than bb, by b
    induced = properties.relations("induction")
    assert ("bx", "bb") in set(zip(induced["worse"], induced["better"], strict=True))
    assert ("bb", "bx") not in set(zip(induced["worse"], induced["better"], strict=True))


def test_replacement_and_swap():
    replaced = properties.relations("replacement", aspects=1, depth=2)
    assert set(zip(replaced["worse"], replaced["better"], strict=True)) == {
        ("x", "a"), ("xx", "ax"), ("xx", "xa"), ("xa", "aa"), ("ax", "aa"),
    }  # fmt: skip
    swapped = properties.relations("swap", aspects=1, depth=2)
    assert swapped[["worse", "better"]].values.tolist() == [["xa", "ax"]]
    graded = properties.relations("replacement", aspects=1, depth=1, grades=2)
    assert set(zip(graded["worse"], graded["better"], strict=True)) == {("x", "a1"), ("x", "a2"), ("a1", "a2")}
    table = properties.check(["P@2", "D-nDCG@5", "RR"], ["replacement", "swap"], depth=5)
    assert table["violations"].tolist() == [0] * 6


def test_unequal_weights_may_violate_redundancy():
    even = properties.check("D-nDCG@5", "redundancy", depth=5)
    skewed = properties.check("D-nDCG@5", "redundancy", depth=5, weights=[0.9, 0.1])
    assert even["violations"][0] == 0
    assert skewed["violations"][0] > 0
    assert skewed["counterexample"][0].startswith("aa >")


def test_a_hierarchy_of_aspects():
    tree = irdiv.nested_intents({"1": {"top": ["i0", "i1"], "i2": None}})
    frame = properties.check(["N-rec@4", "I-rec@4"], "redundancy", aspects=3, depth=4, tree=tree)
    assert frame["violations"].tolist() == [0, 0]


def test_graph_of_relations():
    svg = ET.fromstring(properties.graph())
    name = "{http://www.w3.org/2000/svg}"
    assert len(svg.findall(f"{name}circle")) == 12
    # eleven relations, and a line for each of three kinds in the legend
    assert len(svg.findall(f"{name}line")) == 11 + 3
    place = {t.text: float(t.get("y")) for t in svg.findall(f"{name}text")}
    assert place["ab"] < place["aa"] < place["a"] < place["ax"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: properties.check([]), "no measures given"),
        (lambda: properties.check("D-nDCG", "symmetry"), "no property is called 'symmetry'"),
        (lambda: properties.check("D-nDCG", aspects=0), "aspects=0 is not a whole number"),
        (lambda: properties.check("D-nDCG", depth=30), "rankings, more than"),
        (lambda: properties.check("D-nDCG", depth=2, weights=[1]), "2 aspects, but 1 of probability"),
        (lambda: properties.check("Bpref", depth=2), "Bpref has no place in a case analysis"),
        (lambda: properties.check("D-nDCG", aspects=4, depth=27), "rankings, more than"),
        (lambda: properties.check("D-nDCG", []), "names of their own"),
        (lambda: properties.check("D-nDCG", ["swap", "swap"]), "names of their own"),
        (lambda: properties.check("DIN-nDCG", depth=2, types=["nav", "x"]), "has the type 'x'"),
        (lambda: properties.graph(depth=5), "a picture has 1 to 60 rankings"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(IrdivError, match=message):
        call()


def test_the_command_line(capsys):
    assert main(["properties", "-m", "ACT", "NRBP", "--depth", "4", "-p", "irrelevance"]) == 0
    text = capsys.readouterr().out
    assert "xax > xa" in text
    assert main(["properties", "-m", "NRBP", "--depth", "3", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("measure,property,cases,violations,share,ties,counterexample")
    assert main(["properties", "-m", "NRBP", "--depth", "99"]) == 2


def test_where_less_is_better():
    frame = properties.check(["E", "F"], depth=4)
    even = frame.pivot(index="property", columns="measure", values="violations")
    assert (even["E"] == even["F"]).all()


def test_induction_of_ones_own_and_of_large_spaces():
    mine = properties.induced("mine", properties.SWAP, properties.IRRELEVANCE)
    induced = set(map(tuple, properties.relations(mine, aspects=1, depth=3)[["worse", "better"]].values))
    # xax is no better than axx by a swap, and that no better than ax
    assert ("xax", "ax") in induced
    assert properties.check("ACT", "induction", aspects=3, grades=2, depth=6)["cases"][0] > 0
