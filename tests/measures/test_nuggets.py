"""Coverage of nuggets, rubrics and aspects: by hand, by brute force, and on published figures."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError

# Nuggets of one question: v and w are vital, o and p okay; nothing supports p. Grade 1 is partial support, 2 support.
NUGGETS = pd.DataFrame(
    {
        "query_id": "q",
        "intent_id": ["v", "w", "o", "p"],
        "description": ["a fact"] * 4,
        "importance": ["vital", "vital", "okay", "okay"],
    }
)
SUPPORT = {"d1": {"v": 2}, "d2": {"v": 1, "o": 1}, "d3": {"w": 1, "o": 2}, "d4": {"w": 2}, "d5": {}}
QRELS = irdiv.with_intents(
    pd.DataFrame(
        [("q", nugget, doc, of.get(nugget, 0)) for doc, of in SUPPORT.items() for nugget in "vwo"],
        columns=["query_id", "intent_id", "doc_id", "relevance"],
    ),
    NUGGETS,
)
WITHOUT_P = QRELS[QRELS["intent_id"] != "p"]
LIKELY = irdiv.with_intents(QRELS, NUGGETS.assign(probability=[0.1, 0.2, 0.3, 0.4]))
UNLABELLED = QRELS.drop(columns="importance")
# v and o are below a, w and p below b
TREE = irdiv.with_intents(
    QRELS,
    pd.DataFrame(
        [("a", None), ("b", None), ("v", "a"), ("o", "a"), ("w", "b"), ("p", "b")], columns=["intent_id", "parent_id"]
    ).assign(query_id="q"),
)


def evaluate(docs: str, specs, qrels=QRELS, **parameters):
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(docs.split())}}
    return irdiv.evaluate(qrels, run, specs, **parameters)


def score(docs: str, *specs: str, qrels=QRELS, **parameters) -> list[float]:
    return evaluate(docs, list(specs), qrels, **parameters).values[0, :, 0].tolist()


BY_HAND = {
    "v, then v and o, then all but p": (QRELS, "d1 d2 d5 d3", {
        "Coverage@1": 1 / 4, "Coverage@2": 2 / 4, "Coverage@3": 2 / 4, "Coverage@4": 3 / 4, "Coverage": 3 / 4,
    }),
    "nuggets that nothing supports": (QRELS, "d1 d2", {
        "I-rec(intents='all')@2": 2 / 4, "I-rec@2": 2 / 3, "Coverage(intents='relevant')@2": 2 / 3,
    }),
    "full support only: d1 supports v, d3 supports o": (QRELS, "d1 d2 d3", {
        "Coverage(rel=2)": 2 / 4, "Vital-coverage(rel=2)": 1 / 2, "MRecall(rel=2)@2": 0,
    }),
    "weights 1, 1, ½, ½: v and o of 3; as they are, 1 + ½": (QRELS, "d2", {
        "Coverage(weighted=True)@1": 1.5 / 3, "A-Recall@1": 1.5 / 3, "A-Recall(renormalize=False)@1": 1.5,
    }),
    "probabilities come before importance": (LIKELY, "d2", {
        "Coverage(weighted=True)@1": 0.4, "A-Recall@1": 0.4, "Vital-coverage@1": 1 / 2,
    }),
    "vital nuggets": (QRELS, "d2 d5 d4", {"Vital-coverage@1": 1 / 2, "Vital-coverage@2": 1 / 2, "Vital-coverage@3": 1}),
    "no vital nuggets": (QRELS.assign(importance="okay"), "d1 d3", {"Vital-coverage": 0}),
    "all that are supported": (QRELS, "d1 d3", {
        "All-covered": 0, "All-covered(intents='relevant')@1": 0, "All-covered(intents='relevant')@2": 1,
    }),
    "all three": (WITHOUT_P, "d1 d5 d3", {"All-covered@2": 0, "All-covered@3": 1, "All-covered": 1}),
    # n = 4: one nugget at 1, two at 2, three at 3, all four at 4 and deeper
    "as many nuggets as documents": (QRELS, "d1 d5 d3 d4", {
        "MRecall@1": 1, "MRecall@2": 0, "MRecall@3": 1, "MRecall@4": 0,
    }),
    "several nuggets of a document": (QRELS, "d2 d3", {
        "MRecall@1": 1, "MRecall@2": 1, "MRecall@3": 1, "MRecall@4": 0, "MRecall": 0,
    }),
    "unjudged documents": (QRELS, "x y d1", {"Coverage@1": 0, "Coverage(judged_only=True)@1": 1 / 4}),
    "layers, which score 1/2 and 2/4": (TREE, "d2", {"Coverage@1": 2 / 4, "Coverage-LA@1": (1 / 2 + 2 / 4) / 2}),
    "layers with weights": (TREE, "d2 d4", {"All-covered-LA(layer_weights=(0.3,0.7))": 0.3}),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_values_by_hand(name):
    qrels, docs, expected = BY_HAND[name]
    found = score(docs, *expected, qrels=qrels)
    assert dict(zip(expected, found, strict=True)) == pytest.approx(expected, abs=1e-12)


def test_importance_is_a_weight_of_every_measure():
    weighed = irdiv.with_intents(UNLABELLED, NUGGETS.assign(probability=[1, 1, 0.5, 0.5])).drop(columns="importance")
    specs = ["alpha-nDCG(weighted=True)@3", "D#-nDCG@3", "ERR-IA@3", "A-Recall@3", "Coverage(weighted=True)@3"]
    assert score("d2 d1 d4", *specs) == score("d2 d1 d4", *specs, qrels=weighed)


def test_which_aspect_is_missed():
    frame = evaluate("d2 d5", "Coverage@10").per_intent("A-Recall@10")
    assert dict(zip(frame["intent_id"], frame["value"], strict=True)) == {"o": 1, "p": 0, "v": 1, "w": 0}


def brute_force(qrels: pd.DataFrame, docs: list[str], rel: int, k: int | None) -> dict[str, float]:
    """Return the values of one topic by sets."""
    parents = set(qrels["parent_id"])
    nuggets = qrels[~qrels["intent_id"].isin(parents)].drop_duplicates("intent_id").set_index("intent_id")
    seen = set(docs[:k])
    supported = qrels[(qrels["relevance"] >= rel) & qrels["doc_id"].isin(seen)]
    covered = set(supported["intent_id"])
    weight, vital = nuggets["probability"], set(nuggets.index[nuggets["importance"] == "vital"])
    needed = len(nuggets) if k is None else min(len(nuggets), k)
    share = weight[list(covered)].sum() / weight.sum()
    return {
        "Coverage": len(covered) / len(nuggets),
        "Coverage(weighted=True)": share,
        "All-covered": float(covered == set(nuggets.index)),
        "Vital-coverage": len(covered & vital) / len(vital) if vital else 0.0,
        "A-Recall": share,
        "A-Recall(renormalize=False)": weight[list(covered)].sum(),
        "MRecall": float(len(covered) >= needed),
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rel", [1, 3])
@pytest.mark.parametrize("cutoff", [1, 4, 12, None])
def test_random_collections_by_sets(seed, rel, cutoff):
    qrels, run = random_collection(seed, topics=9), random_run(seed, topics=9)
    ranked = run.sort_values(["score", "doc_id"], ascending=False)
    expected = {
        topic: brute_force(of, ranked.loc[ranked["query_id"] == topic, "doc_id"].tolist(), rel, cutoff)
        for topic, of in qrels.groupby("query_id")
    }
    measures = [irdiv.parse(spec)(rel=rel) for spec in expected["1"]]
    evaluation = irdiv.evaluate(qrels, run, measures if cutoff is None else [m @ cutoff for m in measures])
    for number, topic in enumerate(evaluation.query_ids):
        found = dict(zip(expected[topic], evaluation.values[0, :, number].tolist(), strict=True))
        assert found == pytest.approx(expected[topic], abs=1e-12), topic


def relabelled(nugget: str, label: str | None) -> pd.DataFrame:
    return QRELS.assign(importance=QRELS["importance"].where(QRELS["intent_id"] != nugget, label))


def test_importance_that_is_missing_or_unknown():
    for qrels, spec, message in [
        (UNLABELLED, "Vital-coverage@9", "Vital-coverage@9 needs the importance of intents, but the qrels"),
        (relabelled("o", None), "Vital-coverage", "intent 'o' of topic 'q' counts but has no importance; give 'vital'"),
        (
            QRELS.assign(importance=QRELS["importance"].replace({"vital": "Vital", "okay": "nice"})),
            "Vital-coverage",
            "no intent of topic 'q' has the importance.* found 'nice', 'Vital'",
        ),
        (relabelled("w", "failed"), "A-Recall", "intent 'w' of topic 'q' counts but its importance 'failed' has"),
        (relabelled("w", "failed"), "D#-nDCG@3", "intent 'w' of topic 'q' counts but its importance 'failed' has"),
        (
            QRELS.assign(importance=["okay", *QRELS["importance"][1:]]),
            "Coverage",
            "intent 'v' of topic 'q' has two importances",
        ),
    ]:
        with pytest.raises(IrdivError, match=message):
            score("d1", spec, qrels=qrels)
    for labels, message in [
        (["Vital", "Vital", "nice", "nice"], "the intent table has 'Vital', 'nice'; map these labels, or rename"),
        ([3, 2, 1, 1], "or rename the column 'probability' if it has weights"),
    ]:
        with pytest.raises(IrdivError, match=message):
            irdiv.with_intents(QRELS, NUGGETS.assign(importance=labels))
    with pytest.raises(IrdivError, match="Coverage@5 needs intents"):
        irdiv.evaluate({"q": {"d1": 1}}, {"q": {"d1": 1.0}}, "Coverage@5")


def test_importance_that_does_not_count():
    assert score("d1", "Coverage", qrels=relabelled("o", None)) == [1 / 4]
    # a label beside known ones is not vital
    assert score("d1", "Vital-coverage", "Coverage", qrels=relabelled("w", "failed")) == [1, 1 / 4]
    weights = relabelled("w", "failed")["importance"].map({"vital": 1, "okay": 0.5, "failed": 0.25})
    weighed = relabelled("w", "failed").assign(probability=weights)
    assert score("d1", "Coverage(weighted=True)", qrels=weighed) == [pytest.approx(1 / 2.25)]
    # in qrels, numbers may be those of documents
    assert score("d1", "Coverage", qrels=QRELS.assign(importance=range(len(QRELS)))) == [1 / 4]
    adhoc = QRELS.drop(columns="intent_id").drop_duplicates("doc_id")
    assert score("d1", "P@1", qrels=adhoc) == [1]
    # an empty column is none
    table = NUGGETS.assign(importance=None, probability=0.25)
    assert score("d1", "Coverage(weighted=True)", qrels=irdiv.with_intents(QRELS, table)) == [1 / 4]


def test_nothing_to_weigh_by_is_noted():
    note = "no intent has a probability or importance, so weighted=True changes nothing."
    for qrels, spec, is_noted in [
        (UNLABELLED, "Coverage(weighted=True)@1", True),
        (UNLABELLED, "alpha-nDCG(weighted=True)@1", True),
        (UNLABELLED, "Coverage@1", False),
        (QRELS, "Coverage(weighted=True)@1", False),
    ]:
        assert (note in evaluate("d1", spec, qrels).notes) == is_noted, spec


def test_a_nugget_0_that_nothing_supports_is_noted():
    qrels = QRELS[["query_id", "intent_id", "doc_id", "relevance"]].replace({"intent_id": {"p": "0"}})
    evaluation = evaluate("d1", ["Coverage@1", "I-rec@1"], qrels)
    # TREC's subtopic 0 has the judged documents that are relevant to no intent
    assert evaluation.values[0, :, 0].tolist() == [1 / 3, 1 / 3]
    assert [note for note in evaluation.notes if note.startswith("intent 0 of 1 topics has no relevant document")]
    described = irdiv.with_intents(qrels, NUGGETS.replace({"intent_id": {"p": "0"}}))
    evaluation = evaluate("d1", "Coverage@1", described)
    assert evaluation.values[0, 0, 0] == 1 / 4
    assert [note for note in evaluation.notes if "intent 0" in note] == []


@pytest.mark.parametrize(("system", "published"), [("bm25", 0.514667), ("lsr", 0.577333)])
def test_coverage_of_crux(real_data, system, published):
    folder = real_data / "rag" / "crux"
    if not folder.exists():
        pytest.skip("the files of CRUX are not here")
    ratings = json.loads(gzip.decompress((folder / f"ratings.{system}.json.gz").read_bytes()))
    run = irdiv.read_run(folder / f"{system}.run.gz")
    docs = run.sort_values(["query_id", "score"], ascending=[True, False]).groupby("query_id")["doc_id"].agg(list)
    rows = [
        (topic, f"q{question}", doc, max(grade, 0))
        for topic, of_docs in ratings.items()
        for doc, grades in zip(docs[topic], of_docs, strict=True)
        for question, grade in enumerate(grades)
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"])
    assert qrels.groupby("query_id")["intent_id"].nunique().eq(15).all()
    mean = irdiv.evaluate(qrels, run, "Coverage(rel=3)@10").means()[0, 0]
    assert mean == pytest.approx(published, abs=5e-7)
