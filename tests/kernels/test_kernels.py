"""Kernels by themselves: curves by their formulas, tables, greedy rankings, and programs that are not solved."""

from __future__ import annotations

import operator
from functools import reduce
from math import log, log2

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import OptimizeResult

import irdiv
from irdiv.kernels import base, exact, novelty, utility
from irdiv.kernels.lists import (
    HitLists,
    ideal_hit_lists,
    jarvelin_kekalainen_discount,
    log_discount,
    ordered_sum,
    powers,
    safe_divide,
    value_at_cutoff,
)
from irdiv.measures.catalogue import registry

# Two lists, hits at ranks 1, 2, 4 and at rank 3: grades 1 3 2 of 3 2 1 1, and 2 of 2
LISTS = HitLists(
    rank=np.array([[1, 2, 4], [3, 5, 5]]),
    gain=np.array([[1.0, 3.0, 2.0], [2.0, 0.0, 0.0]]),
    relevant=np.array([[True, True, True], [True, False, False]]),
    grade=np.array([[1, 3, 2], [2, 0, 0]]),
    max_rank=4,
    length=np.array([6, 3]),
)
GRADES = np.array([[1, 3, 2, 1], [0, 2, 0, 0]])
IDEAL = ideal_hit_lists(GRADES.astype(float), GRADES > 0, GRADES)
STOP = np.array([[0.5, 0.25, 0.5], [0.2, 0.0, 0.0]])


def test_the_ideal_list_has_the_highest_first():
    assert IDEAL.rank.tolist() == [1, 2, 3, 4]
    assert IDEAL.gain.tolist() == [[3, 2, 1, 1], [2, 0, 0, 0]]
    assert IDEAL.grade.tolist() == [[3, 2, 1, 1], [2, 0, 0, 0]]
    assert IDEAL.relevant.tolist() == [[True] * 4, [True, False, False, False]]
    assert (IDEAL.max_rank, IDEAL.length.tolist()) == (4, [4, 4])
    by_intent = GRADES[:, None].repeat(3, axis=1)
    ideals = ideal_hit_lists(by_intent.astype(float), by_intent > 0, None)
    assert (ideals.length.shape, ideals.gain[1, 2].tolist(), ideals.grade) == ((2, 3), [2, 0, 0, 0], None)


# C(r) is 1, 2, 3; cg is 1, 4, 6; cg* at ranks 1, 2, 4 is 3, 5, 7; of the second list 1, 2 and, at rank 3, 2
BLENDED = [[2 / 4, 6 / 7, 9 / 11], [3 / 5, 0, 0]]
STOPS = [[0.5, 0.5 * 0.25, 0.5 * 0.75 * 0.5], [0.2, 0, 0]]


def curves_and_terms() -> dict[str, tuple[np.ndarray, list[list[float]]]]:
    return {
        "cg": (base.cumulative_gain_curve(LISTS), [[1, 3, 2], [2, 0, 0]]),
        "dcg": (base.dcg_curve(LISTS, log_discount(4)), [[1, 3 / log2(3), 2 / log2(5)], [2 / 2, 0, 0]]),
        "Q": (base.q_measure_curve(LISTS, IDEAL, 1.0), BLENDED),
        "ERR": (base.err_curve(LISTS.rank, STOP), [[STOPS[0][0], STOPS[0][1] / 2, STOPS[0][2] / 4], [0.2 / 3, 0, 0]]),
        "iRBU": (base.irbu_curve(LISTS, STOP, 0.9), [[0.45, 0.125 * 0.81, 0.1875 * 0.6561], [0.2 * 0.729, 0, 0]]),
        "EBR": (
            base.ebr_curve(LISTS, IDEAL, STOP, 1.0),
            [[s * b for s, b in zip(*rows, strict=True)] for rows in zip(STOPS, BLENDED, strict=True)],
        ),
        # steps weigh 1, 10, 100: at rank 2 two have step 1, one all three; at rank 4 three have step 1, two step 2
        "GAP": (
            base.graded_average_precision_curve(LISTS.rank, LISTS.grade, np.array([1.0, 10.0, 100.0])),
            [[1, (2 + 10 + 100) / 2, (3 + 2 * 10) / 4], [11 / 3, 0, 0]],
        ),
        "AP": (base.average_precision_curve(LISTS.relevant, LISTS.rank), [[1, 1, 3 / 4], [1 / 3, 0, 0]]),
        "C": (base.cumulative_relevant(LISTS.relevant), [[1, 1, 1], [1, 0, 0]]),
        "RR": (base.first_relevant_curve(LISTS, 1 / LISTS.rank), [[1, 0, 0], [1 / 3, 0, 0]]),
        "Rprec": (base.relevant_in_first_R(LISTS, IDEAL), [[1, 1, 1], [0, 0, 0]]),
        "RBP": (base.rbp_curve(LISTS, LISTS.gain, 0.9), [[0.1, 0.27, 0.2 * 0.729], [0.2 * 0.81, 0, 0]]),
        "height": (utility.heights(LISTS.relevant, LISTS.grade, 0.5, 1.0), [[0.5, 0.5, 0], [1, 0, 0]]),
        "satisfaction": (
            utility.satisfaction(LISTS.grade, np.array([[3], [2]]), LISTS.rank, 0.9, 4),
            [[0.1 / 8, 0.1 * 0.9 * 7 / 8 * 7 / 8, 0.1 * 0.729 * 3 / 8 * 7 / 8 / 8], [0.1 * 0.81 * 3 / 4, 0, 0]],
        ),
    }


def test_curves_add_up_the_terms_of_their_formulas():
    for name, (curve, terms) in curves_and_terms().items():
        assert curve.dtype == np.float64, name
        np.testing.assert_allclose(curve, np.cumsum(terms, axis=1), rtol=1e-12, err_msg=name)


def test_p_plus_is_the_mean_down_to_the_highest_gain_so_far():
    # the highest gain is at the second hit, and stays there
    expected = [[2 / 4, (2 / 4 + 6 / 7) / 2, (2 / 4 + 6 / 7) / 2], [3 / 5, 3 / 5, 3 / 5]]
    np.testing.assert_allclose(base.p_plus_curve(LISTS, IDEAL, 1.0), expected)
    # gains of documents that do not count as relevant
    none = LISTS._replace(relevant=np.zeros((2, 3), dtype=bool))
    assert base.p_plus_curve(none, IDEAL, 1.0).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_stopping():
    by_gain = base.stop_probability_by_gain(LISTS.gain, IDEAL)
    np.testing.assert_allclose(by_gain, [[1 / 4, 3 / 4, 2 / 4], [2 / 3, 0, 0]])
    assert base.stop_probability_by_grade(LISTS.grade, 3).tolist() == [[1 / 8, 7 / 8, 3 / 8], [3 / 8, 0, 0]]
    assert base.graded_average_precision_total(GRADES, np.array([1.0, 10.0, 100.0])).tolist() == [124, 11]


def test_values_at_cutoffs():
    curve = np.array([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]])
    at = {cutoff: value_at_cutoff(curve, LISTS.rank, cutoff).tolist() for cutoff in (1, 2, 3, 4, 9, None)}
    assert at == {1: [1, 0], 2: [2, 0], 3: [2, 4], 4: [3, 4], 9: [3, 4], None: [3, 4]}
    assert safe_divide(np.array([1, 2]), np.array([0, 4])).tolist() == [0, 0.5]


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 34])
def test_sums_run_from_first_to_last(count):
    terms = np.random.default_rng(count).random((3, count)) ** 9
    # not by sum(), which compensates errors of rounding since Python 3.12
    expected = [reduce(operator.add, row.tolist()) for row in terms]
    assert ordered_sum(terms).tolist() == expected
    assert ordered_sum(terms.T, axis=0).tolist() == expected
    assert ordered_sum(terms[:, :, None] * np.ones(2), axis=1)[:, 1].tolist() == expected


def test_tables_of_ranks():
    assert log_discount(3)[:5].tolist() == pytest.approx([1, 1, 1 / log2(3), 1 / 2, 1 / log2(5)])
    assert jarvelin_kekalainen_discount(5, 2.5)[:6].tolist() == pytest.approx(
        [1, 1, 1, log(2.5) / log(3), log(2.5) / log(4), log(2.5) / log(5)]
    )
    assert powers(0.5, 3)[:5].tolist() == [1, 0.5, 0.25, 0.125, 0.0625]
    for last in (1, 1021, 1022, 1023, 1024, 2046, 2047, 5000):
        # the padding has the rank after the last
        assert min(map(len, (log_discount(last), jarvelin_kekalainen_discount(last, 2), powers(0.5, last)))) > last + 1
    for table in (log_discount(3), jarvelin_kekalainen_discount(3, 2), powers(0.5, 3)):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 2.0


def test_coverage_and_novelty():
    relevant = np.array([[[1, 0, 1], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    count = novelty.covered_intent_count(relevant)
    assert (count.tolist(), count.dtype) == ([[1, 1, 2]], np.float64)
    assert novelty.covered_weight(relevant, np.array([[0.5, 0.25, 1.0]])).tolist() == [[0.5, 0.5, 0.75]]
    assert novelty.novelty_gain(relevant, 0.25).tolist() == [[1, 0, 1.75]]
    assert novelty.first_hit_of_intent(relevant).tolist() == [[[1, 0, 0], [0, 0, 1], [0, 0, 0]]]
    # 1 − (1 − ¼·½·¾)(1 − ¼·1)
    union = novelty.novelty_gain(relevant, 0.25, np.array([[0.5, 1.0, 1.0]]), union=True)
    assert union.tolist() == [[0.125, 0, 1 - (1 - 0.09375) * 0.75]]


def greedy(relevant: np.ndarray, depth: int, worst: bool) -> tuple[list[int], list[float]]:
    """Rank the documents of a topic as the definition says, with α = ½."""
    worth, left = np.ones(relevant.shape[1]), [d for d in range(len(relevant)) if relevant[d].any()]
    documents, gains = [], []
    while left and len(documents) < depth:
        gain = {d: float(worth[relevant[d]].sum()) for d in left}
        best = (min if worst else max)(gain.values())
        documents.append(max(d for d in left if gain[d] == best))
        gains.append(best)
        left.remove(documents[-1])
        worth[relevant[documents[-1]]] /= 2
    rest = depth - len(documents)
    return documents + [-1] * rest, gains + [0.0] * rest


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("intents", [1, 3, 61, 62, 63, 70])
def test_greedy_rankings(intents, worst):
    rng = np.random.default_rng(intents)
    relevant = rng.random((5, 30, intents)) < 0.3
    relevant[:, 15:] = relevant[:, rng.integers(0, 15, 15)]  # several documents with the same intents
    relevant[1, 4:] = False  # a topic that runs out of documents
    relevant[2] = False  # one without any
    documents, gains = novelty.greedy_ranking(relevant, 0.5, 32, worst=worst)
    expected = [greedy(topic, 32, worst) for topic in relevant]
    assert documents.tolist() == [of_topic[0] for of_topic in expected]
    assert gains.tolist() == [of_topic[1] for of_topic in expected]
    nothing, none = novelty.greedy_ranking(relevant[2:3], 0.5, 3, worst=worst)
    assert (nothing.tolist(), none.tolist()) == ([[-1] * 3], [[0] * 3])


def test_of_many_documents_with_the_same_intents_the_largest_id_comes_first():
    documents, _ = novelty.greedy_ranking(np.ones((1, 300, 2), dtype=bool), 0.5, 300)
    assert documents.tolist() == [list(range(299, -1, -1))]


def test_the_last_rank_that_can_change_a_sum():
    # β^{r−1} · N ≥ 2^−54
    assert novelty.last_significant_rank(0.5, 1) == novelty.last_significant_rank(0.5, 0) == 55
    assert novelty.last_significant_rank(0.5, 4) == 57
    assert novelty.last_significant_rank(0.6, 1) == 75
    assert novelty.last_significant_rank(0.0, 4) == 1
    assert novelty.last_significant_rank(1.0, 4) == 2**63 - 1


def test_heights_of_ideal_lists_and_of_the_paper():
    grade = np.array([[[1, 0], [3, 2], [2, 0]]])
    # 3 + 2/2 + 1/4, and 2; of two documents 3 + 2/2
    assert utility.ideal_height(grade, 0.5, 9.0, 6).tolist() == [[4.25, 2]]
    assert utility.ideal_height(grade, 0.5, 9.0, 2).tolist() == [[4, 2]]
    assert utility.ideal_height(grade, 0.5, 3.5, 6).tolist() == [[3.5, 2]]
    # H = 2: 1/2, 3/2·½ as 1/2 is below MH = 1, and no more
    found = utility.published_heights(LISTS.relevant, LISTS.grade, 2, 0.5, 1.0)
    assert found.tolist() == [[0.5, 1.25, 1.25], [1, 1, 1]]


def test_variables_of_an_integer_program():
    # the sets ab, a and b of four documents that have intents: 3·3 + 2·3² at cutoff 3, and 3·4 + 2·4² at 4 and deeper
    relevant = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    assert [exact.variable_count(relevant, cutoff) for cutoff in (1, 3, 4, 9)] == [5, 27, 44, 44]
    assert exact.variable_count(relevant[:2], 2) == 2 * 2 + 2 * 4
    # documents with the same intents need no program
    assert exact.variable_count(relevant[1:3], 2) == 0


TIES = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0]], dtype=bool)
"""Greedy takes the last for its id, and then no document brings two intents."""


def stopped(monkeypatch, **result):
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: OptimizeResult(x=None, message="why", **result))


def test_a_program_that_was_stopped_has_a_bound(monkeypatch):
    greedy = 2 + 1.5 / log2(3)
    # no intent gains more than 1 + ½/log2(3) with two documents at ranks 1 and 2, or 1 with one
    most = 2 * (1 + 0.5 / log2(3)) + 2
    for result, bound in [({}, most), ({"mip_dual_bound": -4100.0}, 4.1), ({"mip_dual_bound": -9000.0}, most)]:
        stopped(monkeypatch, status=1, **result)
        (ideal,) = exact.exact_ideals(TIES[None], 0.5, 2, time_limit=1.0)
        assert (ideal.value, ideal.upper_bound) == pytest.approx((greedy, bound))
        assert not ideal.proven
    # a bound below what was found proves it
    stopped(monkeypatch, status=1, mip_dual_bound=-1.0)
    (ideal,) = exact.exact_ideals(TIES[None], 0.5, 2, time_limit=1.0)
    assert ideal.upper_bound == ideal.value


def test_a_program_that_fails(monkeypatch):
    stopped(monkeypatch, status=2)
    with pytest.raises(RuntimeError, match="^no best list: why$"):
        exact.exact_ideals(TIES[None], 0.5, 2)
    with pytest.raises(RuntimeError, match="^no proven cheapest cover: why$"):
        exact.min_cover_cost(TIES, 1.0, 0.0, 4)
    stopped(monkeypatch, status=1)
    with pytest.raises(RuntimeError, match="^no proven cheapest cover: why$"):
        exact.min_cover_cost(TIES, 1.0, 0.0, 4)


def test_the_time_that_an_ideal_took(monkeypatch):
    clock = iter([10.0, 12.5])
    monkeypatch.setattr(exact, "perf_counter", lambda: next(clock))
    (ideal,) = exact.exact_ideals(TIES[None], 0.5, 2)
    assert ideal.seconds == 2.5
    assert exact.exact_ideals(np.zeros((1, 2, 3), dtype=bool), 0.5, 2) == [(0.0, 0.0, 0.0)]


def test_covers_of_few_documents():
    assert exact.min_cover_cost(np.zeros((2, 3), dtype=bool), 1.0, 1.0, 0) == 0
    assert exact.min_cover_cost(np.array([[True, True]]), 1.0, 0.5, 2) == 2
    assert exact.min_cover_cost(TIES, 1.0, 0.0, 4) == 2
    # halves of three documents would do for 1.5
    pairs = np.array([[True, True, False], [False, True, True], [True, False, True]])
    assert exact.min_cover_cost(pairs, 1.0, 0.0, 3) == 2


def test_lists_of_more_than_a_thousand_hits():
    """Tables of ranks grow with a list, and documents below a cutoff change nothing above it."""
    count = 1100
    docs = [f"d{n:04}" for n in range(count)]
    rows = [("1", intent, doc, 1 + n % 3) for n, doc in enumerate(docs) for intent in ("ab" if n % 5 else "a")]
    qrels = pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance"]).assign(importance="vital")
    run = {"1": {doc: -float(n) for n, doc in enumerate(docs)}}
    top = {"1": dict(list(run["1"].items())[:10])}
    cut = [irdiv.parse(name) @ 10 for name, d in registry.items() if d.takes_cutoff]
    long, short = (irdiv.evaluate(qrels, list_, cut).values for list_ in (run, top))
    np.testing.assert_array_equal(long, short)
    whole = irdiv.evaluate(qrels, run, [*registry, "CT(form='paper')"]).values
    assert np.isfinite(whole).all()


def test_novelty_of_more_documents_than_the_smallest_table_of_powers():
    gain = novelty.novelty_gain(np.ones((1, 1, 2000), dtype=bool), 0.001)
    assert gain[0, -1] == pytest.approx(0.999**1999)


def test_the_best_list_takes_documents_of_little_gain():
    """The third occurrence of an intent gains 0.0001, and there is one document of the first set."""
    chosen, bound = exact._solve(np.array([[True, False], [True, True]]), np.array([1, 3]), 0.99, 4, None)
    assert chosen.tolist() == [1, 1, 1, 0]
    assert bound is None
