"""Coverage of nuggets, rubrics and aspects: by hand, by brute force, and on published figures."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irdiv
from helpers import random_collection, random_run
from irdiv import IrdivError
from irdiv.measures import AllCovered, ARecall, Coverage, MRecall, VitalCoverage

SPECS = ["Coverage", "All-covered", "Vital-coverage", "A-Recall", "MRecall"]

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


def score(docs: str, *specs: str, qrels=QRELS, **parameters) -> list[float]:
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(docs.split())}}
    return irdiv.evaluate(qrels, run, list(specs), **parameters).values[0, :, 0].tolist()


class TestByHand:
    def test_coverage_counts_nuggets_that_nothing_supports(self):
        # v, then v and o, then all but p
        found = score("d1 d2 d5 d3", "Coverage@1", "Coverage@2", "Coverage@3", "Coverage@4", "Coverage")
        assert found == [1 / 4, 2 / 4, 2 / 4, 3 / 4, 3 / 4]
        assert score("d1 d2", "I-rec(intents='all')@2", "I-rec@2", "Coverage(intents='relevant')@2") == [
            2 / 4,
            2 / 3,
            2 / 3,
        ]

    def test_full_support_only(self):
        # d1 supports v and d3 supports o; d2 supports nothing fully
        assert score("d1 d2 d3", "Coverage(rel=2)", "Vital-coverage(rel=2)", "MRecall(rel=2)@2") == [2 / 4, 1 / 2, 0]

    def test_weighted_by_importance(self):
        # weights 1, 1, ½, ½: v and o of 3
        assert score("d2", "Coverage(weighted=True)@1", "A-Recall@1") == pytest.approx([1.5 / 3, 1.5 / 3])
        # as they are: 1 + ½
        assert score("d2", "A-Recall(renormalize=False)@1") == [1.5]

    def test_probabilities_come_before_importance(self):
        qrels = irdiv.with_intents(QRELS, NUGGETS.assign(probability=[0.1, 0.2, 0.3, 0.4]))
        assert score("d2", "Coverage(weighted=True)@1", "A-Recall@1", qrels=qrels) == pytest.approx([0.4, 0.4])
        assert score("d2", "Vital-coverage@1", qrels=qrels) == [1 / 2]

    def test_importance_is_a_weight_of_every_measure(self):
        weights = irdiv.with_intents(QRELS.drop(columns="importance"), NUGGETS.assign(probability=[1, 1, 0.5, 0.5]))
        specs = ["alpha-nDCG(weighted=True)@3", "D#-nDCG@3", "ERR-IA@3", "A-Recall@3", "Coverage(weighted=True)@3"]
        assert score("d2 d1 d4", *specs) == score("d2 d1 d4", *specs, qrels=weights.drop(columns="importance"))

    def test_vital_nuggets(self):
        found = score("d2 d5 d4", "Vital-coverage@1", "Vital-coverage@2", "Vital-coverage@3")
        assert found == [1 / 2, 1 / 2, 1]

    def test_all_covered(self):
        assert score("d1 d3", "All-covered", "All-covered(intents='relevant')@1") == [0, 0]
        assert score("d1 d3", "All-covered(intents='relevant')@2") == [1]
        # without p, all three nuggets
        without = QRELS[QRELS["intent_id"] != "p"]
        assert score("d1 d5 d3", "All-covered@2", "All-covered@3", "All-covered", qrels=without) == [0, 1, 1]

    def test_mrecall(self):
        # n = 4: one nugget at 1, two at 2, three at 3, all four at 4 and deeper
        specs = [f"MRecall@{k}" for k in (1, 2, 3, 4)]
        assert score("d1 d5 d3 d4", *specs) == [1, 0, 1, 0]
        assert score("d2 d3", *specs, "MRecall") == [1, 1, 1, 0, 0]

    def test_unjudged_documents_can_be_left_out(self):
        assert score("x y d1", "Coverage@1") == [0]
        assert score("x y d1", "Coverage@1", judged_only=True) == [1 / 4]

    def test_a_topic_without_vital_nuggets_scores_0(self):
        qrels = QRELS.assign(importance="okay")
        assert score("d1 d3", "Vital-coverage", qrels=qrels) == [0]

    def test_which_aspect_is_missed(self):
        run = {"q": {"d2": 2.0, "d5": 1.0}}
        frame = irdiv.evaluate(QRELS, run, "Coverage@10").per_intent("A-Recall@10")
        assert dict(zip(frame["intent_id"], frame["value"], strict=True)) == {"o": 1, "p": 0, "v": 1, "w": 0}

    def test_layers_of_a_hierarchy(self):
        # v and o are below a, w and p below b: layers score 1/2 and 2/4
        qrels = irdiv.with_intents(
            QRELS,
            pd.DataFrame(
                [("a", None), ("b", None), ("v", "a"), ("o", "a"), ("w", "b"), ("p", "b")],
                columns=["intent_id", "parent_id"],
            ).assign(query_id="q"),
        )
        assert score("d2", "Coverage@1", "Coverage-LA@1", qrels=qrels) == [2 / 4, (1 / 2 + 2 / 4) / 2]
        assert score("d2 d4", "All-covered-LA(layer_weights=(0.3,0.7))", qrels=qrels) == pytest.approx([0.3])
        with pytest.raises(IrdivError, match="Vital-coverage needs the importance of intents, which the nodes"):
            irdiv.parse("Vital-coverage-LA@3")


def test_measures_as_objects():
    objects = [Coverage(rel=2) @ 10, AllCovered @ 5, VitalCoverage @ 10, ARecall @ 10, MRecall @ 5]
    specs = ["Coverage(rel=2)@10", "All-covered@5", "Vital-coverage@10", "A-Recall@10", "MRecall@5"]
    assert objects == [irdiv.parse(spec) for spec in specs]
    assert irdiv.parse("All_covered@5") == AllCovered @ 5


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
    table = np.array([list(expected[topic].values()) for topic in evaluation.query_ids]).T
    np.testing.assert_allclose(evaluation.values[0], table, rtol=0, atol=1e-12)


def test_frames_of_other_libraries_and_batches():
    run = pd.DataFrame({"query_id": "q", "doc_id": ["d2", "d3"], "score": [2.0, 1.0]})
    specs = [f"{name}@2" for name in SPECS]
    expected = irdiv.evaluate(QRELS, run, specs).values
    assert expected.any()
    np.testing.assert_array_equal(irdiv.evaluate(pl.from_pandas(QRELS), pl.from_pandas(run), specs).values, expected)
    np.testing.assert_array_equal(irdiv.evaluate(QRELS, run, specs, batch_rows=1).values, expected)
    folded = irdiv.with_intents(pl.from_pandas(QRELS.drop(columns="importance")), pl.from_pandas(NUGGETS))
    assert isinstance(folded, pl.DataFrame)
    np.testing.assert_array_equal(irdiv.evaluate(folded, run, specs).values, expected)


def test_importance_from_a_file(tmp_path):
    NUGGETS.to_csv(tmp_path / "nuggets.csv", index=False)
    qrels = irdiv.with_intents(QRELS.drop(columns=["importance", "description"]), tmp_path / "nuggets.csv")
    assert score("d2", "Vital-coverage@1", qrels=qrels) == [1 / 2]


class TestBadInput:
    def test_no_importance(self):
        with pytest.raises(IrdivError, match=r"Vital-coverage@9 needs the importance of intents, but the qrels"):
            score("d1", "Vital-coverage@9", qrels=QRELS.drop(columns="importance"))

    def test_one_nugget_without_importance(self):
        qrels = QRELS.assign(importance=QRELS["importance"].where(QRELS["intent_id"] != "o"))
        with pytest.raises(IrdivError, match="intent 'o' of topic 'q' counts but has no importance; give 'vital'"):
            score("d1", "Vital-coverage", qrels=qrels)
        assert score("d1", "Coverage", qrels=qrels) == [1 / 4]

    def test_labels_that_are_not_known(self):
        labels = QRELS["importance"].replace({"vital": "Vital", "okay": "nice"})
        with pytest.raises(IrdivError, match=r"no intent of topic 'q' has the importance.* found 'nice', 'Vital'\."):
            score("d1", "Vital-coverage", qrels=QRELS.assign(importance=labels))
        with pytest.raises(IrdivError, match="the intent table has 'Vital', 'nice'; map these labels, or rename"):
            irdiv.with_intents(
                QRELS, NUGGETS.assign(importance=NUGGETS["importance"].replace({"vital": "Vital", "okay": "nice"}))
            )

    def test_a_label_beside_known_ones_is_not_vital_and_has_no_weight(self):
        qrels = QRELS.assign(importance=QRELS["importance"].where(QRELS["intent_id"] != "w", "failed"))
        assert score("d1", "Vital-coverage", "Coverage", qrels=qrels) == [1, 1 / 4]
        for spec in ("Coverage(weighted=True)", "A-Recall", "D#-nDCG@3"):
            with pytest.raises(IrdivError, match="intent 'w' of topic 'q' counts but its importance 'failed' has"):
                score("d1", spec, qrels=qrels)
        weighed = qrels.assign(probability=qrels["importance"].map({"vital": 1, "okay": 0.5, "failed": 0.25}))
        assert score("d1", "Coverage(weighted=True)", qrels=weighed) == [pytest.approx(1 / 2.25)]

    def test_two_importances_of_one_nugget(self):
        qrels = QRELS.assign(importance=["vital", *QRELS["importance"][1:-1], "okay"])
        qrels.loc[qrels.index[0], "importance"] = "okay"
        with pytest.raises(IrdivError, match="intent 'v' of topic 'q' has two importances"):
            score("d1", "Coverage", qrels=qrels)

    def test_numbers_are_not_labels(self):
        with pytest.raises(IrdivError, match="or rename the column 'probability' if it has weights"):
            irdiv.with_intents(QRELS, NUGGETS.assign(importance=[3, 2, 1, 1]))
        # in qrels, numbers may be those of documents
        assert score("d1", "Coverage", qrels=QRELS.assign(importance=range(len(QRELS)))) == [1 / 4]

    def test_qrels_that_lost_their_nuggets_have_no_importance(self):
        adhoc = QRELS.drop(columns="intent_id").drop_duplicates("doc_id")
        assert score("d1", "P@1", qrels=adhoc) == [1]

    def test_an_empty_column_is_none(self):
        table = NUGGETS.assign(importance=None, probability=0.25)
        assert score("d1", "Coverage(weighted=True)", qrels=irdiv.with_intents(QRELS, table)) == [1 / 4]

    def test_nothing_to_weigh_by_is_noted(self):
        qrels = QRELS.drop(columns="importance")
        run = {"q": {"d1": 1.0}}
        note = "no intent has a probability or importance, so weighted=True changes nothing."
        assert note in irdiv.evaluate(qrels, run, "Coverage(weighted=True)@1").notes
        assert note in irdiv.evaluate(qrels, run, "alpha-nDCG(weighted=True)@1").notes
        assert note not in irdiv.evaluate(qrels, run, "Coverage@1").notes
        assert note not in irdiv.evaluate(QRELS, run, "Coverage(weighted=True)@1").notes

    def test_a_nugget_0_that_nothing_supports_is_noted(self):
        qrels = QRELS[["query_id", "intent_id", "doc_id", "relevance"]].replace({"intent_id": {"p": "0"}})
        evaluation = irdiv.evaluate(qrels, {"q": {"d1": 1.0}}, ["Coverage@1", "I-rec@1"])
        # TREC's subtopic 0 has the judged documents that are relevant to no intent
        assert evaluation.values[0, :, 0].tolist() == [1 / 3, 1 / 3]
        assert any(note.startswith("intent 0 of 1 topics has no relevant document") for note in evaluation.notes)
        described = irdiv.with_intents(qrels, NUGGETS.replace({"intent_id": {"p": "0"}}))
        evaluation = irdiv.evaluate(described, {"q": {"d1": 1.0}}, ["Coverage@1"])
        assert evaluation.values[0, 0, 0] == 1 / 4
        assert not any("intent 0" in note for note in evaluation.notes)

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("Coverage(weighted=2)@5", "weighted=2 is not"),
            ("Coverage(rel=0)@5", "rel=0 is not"),
            ("Coverage(intents='some')", "intents='some' is not"),
            ("MRecall@0", "an integer of 1 or more"),
            ("Vital-coverage(weighted=True)@5", "has no parameter 'weighted'"),
            ("coverage@5", "did you mean 'Coverage'"),
            ("Vital-Coverage@5", "did you mean 'Vital-coverage'"),
        ],
    )
    def test_specs(self, spec, message):
        with pytest.raises(IrdivError, match=message):
            irdiv.parse(spec)

    def test_ad_hoc_qrels(self):
        with pytest.raises(IrdivError, match="Coverage@5 needs intents"):
            irdiv.evaluate({"q": {"d1": 1}}, {"q": {"d1": 1.0}}, "Coverage@5")


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
