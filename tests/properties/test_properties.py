"""The case analysis: published counts, hand-made spaces, and properties of one's own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irdiv
from irdiv import IrdivError, properties
from irdiv.properties import scores as scores_module
from irdiv.properties.scores import make_collection, score_rankings
from irdiv_cli import main

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
    row = properties.check("AP_IA", "redundancy", length=3).iloc[0]
    # ten relevant documents become three: AP of aa is (1 + 1)/3, of ab (1 + ½)/3, and half of that over two aspects
    assert row["counterexample"] == "aa > ab"
    assert [row["score"], row["other_score"]] == pytest.approx([1 / 3, 1.5 / 6])
    assert row["share"] == 1


def test_scores_are_those_of_evaluate():
    rankings = properties.Rankings(aspects=2, length=3, grades=2)
    specs = [
        "D#-nDCG@3", "ERR-IA@2", "alpha-nDCG@3", "LAD#-Q@3", "RBU", "ACT", "nERR_IA@3", "P+Q#@3", "nDCG@2", "AP", "RR",
        "Rprec", "Success@2", "R@2", "P@3", "S-precision", "N-rec@2", "nNRBP", "GAP", "HD-ERR@2", "F@2",
    ]  # fmt: skip
    collection, rows = make_collection(rankings, probabilities=[0.7, 0.3], types=["nav", "inf"])
    table = score_rankings(rankings, [irdiv.parse(spec) for spec in specs], collection, rows)
    rng = np.random.default_rng(0)
    names = {label: f"{label:03}" for label in rankings.relevant_labels}
    judged = [
        ("1", f"i{rankings.aspect_of(label)}", f"{name}-{n:03}", int(rankings.grade_of(label)))
        for label, name in names.items()
        for n in range(3)
    ]
    intent_table = {"query_id": "1", "intent_id": ["i0", "i1"], "probability": [0.7, 0.3], "type": ["nav", "inf"]}
    qrels = irdiv.with_intents(
        pd.DataFrame(judged, columns=["query_id", "intent_id", "doc_id", "relevance"]), pd.DataFrame(intent_table)
    )
    chosen = rng.choice(np.arange(1, len(rankings)), 25, replace=False)
    runs: dict[str, dict[str, list[str]]] = {}
    for index in chosen:
        seen: dict[int, int] = {}
        docs = []
        for rank, label in enumerate(rankings.labels[index][: rankings.lengths[index]]):
            docs.append(f"x{rank}" if label == 0 else f"{names[label]}-{seen.get(label, 0):03}")
            seen[label] = seen.get(label, 0) + 1
        runs[str(index)] = {"1": docs}
    expected = irdiv.evaluate(qrels, runs, specs).values[:, :, 0]
    for spec, ours, theirs in zip(specs, table[:, chosen], expected.T, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=spec)


def test_batches_change_nothing(monkeypatch):
    whole = properties.check(["D#-nDCG@5", "NRBP", "LAD#-nDCG@5"], length=5)
    monkeypatch.setattr(scores_module, "BATCH_SIZE", 7)
    pd.testing.assert_frame_equal(properties.check(["D#-nDCG@5", "NRBP", "LAD#-nDCG@5"], length=5), whole)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 2))
@settings(max_examples=20)
def test_rankings_are_ordered_by_their_labels(aspects, max_length, grades):
    rankings = properties.Rankings(aspects, max_length, grades)
    choices = 1 + aspects * grades
    assert len(rankings) == (choices ** (max_length + 1) - 1) // (choices - 1)
    assert len({tuple(row) for row in rankings.labels}) == len(rankings)
    for index in range(0, len(rankings), max(1, len(rankings) // 30)):
        length = rankings.lengths[index]
        if 0 < length < max_length:
            longer = rankings.append(np.array([index]), 1)[0]
            assert rankings.labels[longer][: length + 1].tolist() == [*rankings.labels[index][:length], 1]
        if length:
            other = rankings.replace(np.array([index]), length - 1, 0)[0]
            assert rankings.labels[other][:length].tolist() == [*rankings.labels[index][: length - 1], 0]


def test_relations_of_rankings_up_to_two():
    frame = properties.relations()
    pairs = {name: set(zip(rows["worse"], rows["better"], strict=True)) for name, rows in frame.groupby("property")}
    assert pairs == {
        "relevance": {("a", "aa"), ("a", "ab"), ("b", "ba"), ("b", "bb"), ("x", "xa"), ("x", "xb")},
        "irrelevance": {("ax", "a"), ("bx", "b"), ("xx", "x")},
        "redundancy": {("aa", "ab"), ("bb", "ba")},
    }
    # bx is no better than bb, by b
    induced = properties.relations("induction")
    pairs = set(zip(induced["worse"], induced["better"], strict=True))
    assert [pair in pairs for pair in (("bx", "bb"), ("bb", "bx"))] == [True, False]


def test_the_picture_of_relations_has_all_rankings():
    frame = properties.relations()
    picture = properties.relations_svg()
    assert {name for name in (*frame["worse"], *frame["better"]) if f">{name}<" not in picture} == set()
    with pytest.raises(IrdivError, match="60 rankings"):
        properties.relations_svg(length=5)


def test_replacement_and_swap():
    replaced = properties.relations("replacement", aspects=1, length=2)
    assert set(zip(replaced["worse"], replaced["better"], strict=True)) == {
        ("x", "a"), ("xx", "ax"), ("xx", "xa"), ("xa", "aa"), ("ax", "aa"),
    }  # fmt: skip
    swapped = properties.relations("swap", aspects=1, length=2)
    assert swapped[["worse", "better"]].values.tolist() == [["xa", "ax"]]
    graded = properties.relations("replacement", aspects=1, length=1, grades=2)
    assert set(zip(graded["worse"], graded["better"], strict=True)) == {("x", "a1"), ("x", "a2"), ("a1", "a2")}
    table = properties.check(["P@2", "D-nDCG@5", "RR"], ["replacement", "swap"], length=5)
    assert table["violations"].tolist() == [0] * 6


def test_unequal_probabilities_may_violate_redundancy():
    even = properties.check("D-nDCG@5", "redundancy", length=5)
    skewed = properties.check("D-nDCG@5", "redundancy", length=5, probabilities=[0.9, 0.1])
    assert even["violations"][0] == 0
    assert skewed["violations"][0] > 0
    assert skewed["counterexample"][0].startswith("aa >")


def test_a_hierarchy_of_aspects():
    tree = irdiv.intents.nested_intents({"1": {"top": ["i0", "i1"], "i2": None}})
    frame = properties.check(["N-rec@4", "I-rec@4"], "redundancy", aspects=3, length=4, tree=tree)
    assert frame["violations"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: properties.check([]), "no measures given"),
        (lambda: properties.check("D-nDCG", "symmetry"), "no property is called 'symmetry'"),
        (lambda: properties.check("D-nDCG", aspects=0), "aspects=0 is not an integer from 1 to 25"),
        (lambda: properties.check("D-nDCG", length=2, probabilities=[1]), "1 values of probability .* 2 aspects"),
        (lambda: properties.check("Bpref", length=2), "Bpref cannot be analyzed"),
        (lambda: properties.check("D-nDCG", aspects=4, length=27), "choose a length up to 9"),
        (lambda: properties.check("D-nDCG", length=10**18), "choose a length up to 13"),
        (lambda: properties.check("D-nDCG", grades=10**18), "choose fewer grades"),
        (lambda: properties.check("D-nDCG", []), "one or more properties with different names"),
        (lambda: properties.check("D-nDCG", ["swap", "swap"]), "one or more properties with different names"),
        (lambda: properties.check("DIN-nDCG", length=2, types=["nav", "x"]), "has the type 'x'"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(IrdivError, match=message):
        call()


def test_the_command_line(capsys):
    assert main(["properties", "-m", "ACT", "NRBP", "--length", "4", "-p", "irrelevance"]) == 0
    text = capsys.readouterr().out
    assert "xax > xa" in text
    assert main(["properties", "-m", "NRBP", "--length", "3", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("measure,property,length,cases,violations,share,ties,counterexample")
    assert main(["properties", "-m", "NRBP", "--length", "99"]) == 2


def test_where_less_is_better():
    frame = properties.check(["E", "F"], length=4)
    even = frame.pivot(index="property", columns="measure", values="violations")
    assert even["E"].to_dict() == even["F"].to_dict()


@pytest.mark.slow
def test_induction_of_ones_own_and_of_large_spaces():
    own = properties.induce("own", properties.SWAP, properties.IRRELEVANCE)
    induced = set(map(tuple, properties.relations(own, aspects=1, length=3)[["worse", "better"]].values))
    # xax is no better than axx by a swap, and that no better than ax
    assert ("xax", "ax") in induced
    assert properties.check("ACT", "induction", aspects=3, grades=2, length=6)["cases"][0] > 0
