"""Measures beyond the flat core, each by hand on a few documents."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import irdiv
from irdiv import IrdivError


def judged(rows: dict[str, dict[str, int]], **facts) -> pd.DataFrame:
    """Return qrels of topic 1 from document to intent to grade, with facts by intent."""
    table = [("1", intent, doc, grade) for doc, of in rows.items() for intent, grade in of.items()]
    qrels = pd.DataFrame(table, columns=["query_id", "intent_id", "doc_id", "relevance"])
    if not facts:
        return qrels
    intents = pd.DataFrame(facts).rename_axis("intent_id").reset_index().assign(query_id="1")
    return irdiv.with_intents(qrels, intents)


def score(qrels, docs: str, *specs: str) -> list[float]:
    run = {"1": {doc: -float(rank) for rank, doc in enumerate(docs.split())}}
    return irdiv.evaluate(qrels, run, specs).values[0, :, 0].tolist()


TWO = judged({"a": {"i": 1}, "A": {"i": 1}, "b": {"j": 1}, "B": {"j": 1}})


class TestCubeTest:
    def test_the_example_of_the_properties_paper(self):
        # CT(a) = ½·(½·1)/5 = .05, CT(ab) = .1, CT(abx) = .1
        assert score(TWO, "a b", "CT", "ACT") == pytest.approx([0.1, 0.075])
        assert score(TWO, "a b x", "CT", "ACT") == pytest.approx([0.1, 0.25 / 3])
        assert score(TWO, "a b x", "ACT@2") == pytest.approx([0.075])

    def test_repeated_intents_fill_less(self):
        # heights ½ + ¼ of i, p = ½: ½ · ¾ / 5
        assert score(TWO, "a A", "CT") == pytest.approx([0.075])
        # γ = .8: .8 + .64
        assert score(TWO, "a A", "CT(gamma=0.8)") == pytest.approx([0.5 * 1.44 / 5])

    def test_a_full_intent_gains_no_more(self):
        deep = judged({d: {"i": 3} for d in "abc"})
        # 3γ + 3γ² + … reaches MH = 2 with the second document
        assert score(deep, "a b", "CT(height=2)") == pytest.approx([1.0])
        assert score(deep, "a b c", "CT(height=2)") == pytest.approx([1.0])
        assert score(deep, "a", "CT(height=2)") == pytest.approx([1.5 / 2])

    def test_time_by_documents(self):
        assert score(TWO, "a b x y", "CT(time='rank')") == pytest.approx([0.1 / 4])
        # prefixes: .05/1, .1/2, .1/3, .1/4
        expected = (0.05 + 0.1 / 2 + 0.1 / 3 + 0.1 / 4) / 4
        assert score(TWO, "a b x y", "ACT(time='rank')") == pytest.approx([expected])

    def test_normalized(self):
        # two documents of each intent: ½·(1 + ½)/5 for each
        assert score(TWO, "a b", "nCT") == pytest.approx([0.1 / (1.5 / 5)])
        many = judged({f"d{n}": {"i": 1} for n in range(9)})
        # the six best: Σ_{j<6} ½^j = 63/32
        assert score(many, "d0", "nCT") == pytest.approx([(0.5 / 5) / (63 / 32 / 5)])

    def test_the_papers_form(self):
        graded = judged({"a": {"i": 2}, "A": {"i": 1}, "b": {"j": 2}})
        # H = 2: ½·(1·1 + ½·½) for i and ½·1 for j
        assert score(graded, "a A b", "CT(form='paper')") == pytest.approx([0.5 * 1.25 + 0.5])
        assert score(graded, "a A b", "CT(form='paper',time='rank')") == pytest.approx([1.125 / 3])
        # i is full after the first document
        assert score(graded, "a A b", "CT(form='paper',height=1)") == pytest.approx([0.5 * 1 + 0.5])

    def test_a_full_intent_of_the_paper_takes_no_document_more(self):
        # tenths of grades add up to .8 only but for rounding
        fine = judged({f"d{n}": {"i": 1} for n in range(9)} | {"e": {"j": 10}})
        docs = " ".join(f"d{n}" for n in range(9))
        assert score(fine, docs, "CT(form='paper',height=0.8,gamma=1)") == pytest.approx([0.5 * 0.8])

    def test_normalized_by_the_same_relevance(self):
        graded = judged({"a": {"i": 1}, "b": {"i": 2}, "c": {"j": 3}})
        assert score(graded, "b c", "nCT(rel=2)") == pytest.approx([0.5])

    def test_weighted_by_probability(self):
        skewed = judged({"a": {"i": 1}, "b": {"j": 1}}, probability={"i": 0.9, "j": 0.1})
        assert score(skewed, "a", "CT", "CT(weighted=True)") == pytest.approx([0.05, 0.09])


class TestRankBiasedUtility:
    def test_by_hand(self):
        # H = 1 in each intent: R = ½. ½·(1−p)·½ for a, and p times that for b, less e·(1 − p²)
        p, e = 0.8, 0.03
        expected = 0.5 * 0.2 * 0.5 + 0.5 * 0.2 * p * 0.5 - e * (1 - p**2)
        assert score(TWO, "a b", "RBU") == pytest.approx([expected])

    def test_satisfied_users_gain_less(self):
        # the second document of i: p·½·(1 − ½)
        expected = 0.5 * 0.2 * (0.5 + 0.8 * 0.25) - 0.03 * (1 - 0.64)
        assert score(TWO, "a A", "RBU") == pytest.approx([expected])

    def test_reading_in_vain_costs(self):
        assert score(TWO, "x y", "RBU(e=0.1)") == pytest.approx([-0.1 * 0.36])
        assert score(TWO, "x y", "RBU(e=0.1)@1") == pytest.approx([-0.1 * 0.2])

    def test_the_highest_grade_is_that_of_the_intent(self):
        graded = judged({"a": {"i": 1}, "A": {"i": 2}, "b": {"j": 1}})
        # R_i(a) = 1/4, R_j(b) = 1/2
        found = score(graded, "a", "RBU(e=0)") + score(graded, "b", "RBU(e=0)")
        assert found == pytest.approx([0.5 * 0.2 / 4, 0.5 * 0.2 / 2])
        assert score(graded, "b", "RBU(e=0,max_grade=3)") == pytest.approx([0.5 * 0.2 / 8])
        with pytest.raises(IrdivError, match="max_grade=1, but the qrels have grades up to 2"):
            score(graded, "b", "RBU(max_grade=1)")


class TestNavigationalIntents:
    QRELS = judged(
        {"a": {"i": 1}, "A": {"i": 1}, "b": {"j": 1}, "B": {"j": 1}},
        probability={"i": 0.5, "j": 0.5},
        type={"i": "nav", "j": "inf"},
    )

    def test_a_navigational_intent_gains_once(self):
        # D: ½, ½ of the ideal ½ ½; DIN: ½, 0
        ideal = 0.5 + 0.5 / math.log2(3)
        assert score(self.QRELS, "a A", "D-nDCG@2", "DIN-nDCG@2") == pytest.approx([1, 0.5 / ideal])
        assert score(self.QRELS, "b B", "D-nDCG@2", "DIN-nDCG@2") == pytest.approx([1, 1])
        assert score(self.QRELS, "a A", "DIN#-nDCG@2") == pytest.approx([(0.5 + 0.5 / ideal) / 2])

    def test_without_types_it_is_d(self):
        plain = self.QRELS.drop(columns="type")
        for docs in ("a A b", "b a B"):
            assert score(plain, docs, "DIN-Q@3", "DIN#-ERR@3") == score(plain, docs, "D-Q@3", "D#-ERR@3")

    def test_p_plus_for_navigational_and_q_for_informational(self):
        q, p_plus = score(self.QRELS, "x a b A", "Q-IA", "P+-IA")
        only_i, only_j = (self.QRELS[self.QRELS["intent_id"] == intent] for intent in "ij")
        by_hand = 0.5 * score(only_i, "x a b A", "P+-IA")[0] + 0.5 * score(only_j, "x a b A", "Q-IA")[0]
        assert score(self.QRELS, "x a b A", "P+Q") == pytest.approx([by_hand])
        assert by_hand not in (q, p_plus)
        recall = score(self.QRELS, "x a b A", "I-rec@2")[0]
        mixed = score(self.QRELS, "x a b A", "P+Q@2", "P+Q#(gamma=0.25)@2")
        assert mixed[1] == pytest.approx(0.25 * recall + 0.75 * mixed[0])

    @pytest.mark.parametrize("kind", ["navigational", "NAV"])
    def test_types_that_are_none(self, kind):
        rows = self.QRELS.assign(type=self.QRELS["type"].replace("nav", kind))
        with pytest.raises(
            IrdivError, match=f"intent 'i' of topic '1' has the type '{kind}'; a type is 'inf' or 'nav'"
        ):
            score(rows, "a", "DIN-nDCG")

    def test_types_that_contradict_each_other(self):
        rows = pd.DataFrame(
            {"query_id": "1", "intent_id": "i", "doc_id": ["a", "b"], "relevance": 1, "type": ["inf", "nav"]}
        )
        with pytest.raises(IrdivError, match="two types, 'inf' and 'nav'|two types, 'nav' and 'inf'"):
            score(rows, "a", "DIN-nDCG")


class TestSetCover:
    # the shortest cover is {ab, cd}; greedy would take abc first
    QRELS = judged({"abc": dict.fromkeys("bcx", 1), "ab": dict.fromkeys("ab", 1), "cx": dict.fromkeys("cx", 1)})

    def test_s_precision(self):
        # all of a, b, c, x: 2 documents at best, here at rank 4
        assert score(self.QRELS, "abc u ab cx", "S-precision") == pytest.approx([2 / 3])
        assert score(self.QRELS, "ab cx", "S-precision") == pytest.approx([1])
        assert score(self.QRELS, "ab u", "S-precision") == [0]
        # half of the intents: one document does
        assert score(self.QRELS, "u ab", "S-precision(recall=0.5)") == pytest.approx([1 / 2])
        assert score(self.QRELS, "u ab cx", "S-precision@2") == [0]

    def test_s_recall_at_the_smallest_rank_that_covers_all(self):
        # K* = 2
        assert score(self.QRELS, "ab cx", "S-recall@min") == [1]
        assert score(self.QRELS, "u ab cx", "S-recall@min") == pytest.approx(score(self.QRELS, "u ab cx", "I-rec@2"))
        assert 0 < score(self.QRELS, "u ab cx", "S-recall@min")[0] < 1
        assert score(self.QRELS, "u u2 ab cx", "S-recall@min") == [0]

    def test_ws_precision(self):
        # cost of ab, cx: 2·1 + 4·1; of abc, u, ab: 3 documents and 5 mentions
        assert score(self.QRELS, "abc u ab cx", "WS-precision") == pytest.approx([6 / 8])
        assert score(self.QRELS, "ab cx", "WS-precision") == pytest.approx([1])
        assert score(self.QRELS, "abc ab", "WS-precision(b=2)") == pytest.approx([(2 + 8) / (2 + 10)])

    def test_the_cheapest_cover_against_enumeration(self):
        from irdiv.kernels.exact import min_cover_cost

        rng = np.random.default_rng(0)
        for _ in range(40):
            relevant = rng.random((6, 4)) < 0.4
            covered = relevant.any(axis=0).sum()
            for wanted in range(1, covered + 1):
                best = min(
                    sum(1 + 0.7 * relevant[d].sum() for d in chosen)
                    for size in range(1, 7)
                    for chosen in itertools.combinations(range(6), size)
                    if relevant[list(chosen)].any(axis=0).sum() >= wanted
                )
                assert min_cover_cost(relevant, 1, 0.7, wanted) == pytest.approx(best)


class TestTextbookMeasures:
    # MIR's first example: ten relevant documents, found at ranks 1, 3, 6, 10 and 15
    QRELS = judged(
        {f"d{n}": {"0": 1} for n in (3, 5, 9, 25, 39, 44, 56, 71, 89, 123)} | {"d84": {"0": 0}, "d6": {"0": 0}}
    )
    RUN = "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3"

    def test_f_and_e(self):
        # at 10: recall 4/10, precision 4/10
        assert score(self.QRELS, self.RUN, "F@10", "E@10") == pytest.approx([0.4, 0.6])
        # at 5: recall .2, precision .4: 2/(1/.2 + 1/.4); b = 2: 5/(4/.2 + 1/.4)
        expected = [2 / (1 / 0.2 + 1 / 0.4), 5 / (4 / 0.2 + 1 / 0.4), 1 - 5 / (4 / 0.2 + 1 / 0.4)]
        assert score(self.QRELS, self.RUN, "F@5", "F(b=2)@5", "E(b=2)@5") == pytest.approx(expected)
        assert score(self.QRELS, "x y", "F", "E") == [0, 1]

    def test_f_on_the_whole_list_is_trec_evals(self):
        ours, theirs = score(self.QRELS, self.RUN, "F", "SetF")
        assert ours == pytest.approx(theirs, abs=1e-12)

    def test_mean_precision_at_seen_relevant_documents(self):
        # (1 + .66 + .5 + .4 + .33)/5, in the book .57
        assert score(self.QRELS, self.RUN, "AP-seen") == pytest.approx([(1 + 2 / 3 + 3 / 6 + 4 / 10 + 5 / 15) / 5])
        assert round(score(self.QRELS, self.RUN, "AP-seen")[0], 2) == 0.58

    def test_bpref(self):
        # d84 and d6 are judged irrelevant; R = 10: d123 has none above, d56 one, d9, d25 and d3 two
        expected = (1 + 0.9 + 3 * 0.8) / 10
        assert score(self.QRELS, self.RUN, "bpref-R") == pytest.approx([expected])
        ten = (1 + (1 - 1 / 20) + 3 * (1 - 2 / 20)) / 10
        assert score(self.QRELS, self.RUN, "bpref-10") == pytest.approx([ten])
        # trec_eval divides by the smaller of R and the number judged irrelevant
        assert score(self.QRELS, self.RUN, "Bpref") == pytest.approx([(1 + 0.5 + 3 * 0) / 10])
        run = {"1": {doc: -float(rank) for rank, doc in enumerate(self.RUN.split())}}
        for judged_only in (False, True):
            both = irdiv.evaluate(self.QRELS, run, ["bpref-R", "Q"], judged_only=judged_only)
            assert both.values[0, 0, 0] == pytest.approx(expected)

    def test_bpref_equals_trec_evals_where_enough_is_judged(self):
        rng = np.random.default_rng(1)
        qrels = judged({f"d{n:02}": {"0": int(n < 6)} for n in range(30)})
        for _ in range(5):
            docs = " ".join(f"d{n:02}" for n in rng.permutation(40))
            ours, theirs = score(qrels, docs, "bpref-R", "Bpref")
            assert ours == pytest.approx(theirs, abs=1e-9)
