"""Searches for the best list: the exact ideal of α-nDCG and the cheapest cover, against trying every list."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log2

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import OptimizeResult

import irdiv
from helpers import by_intents, ranked, value
from irdiv.kernels.exact import exact_ideals, min_cover_cost
from irdiv.kernels.lists import log_discount
from irdiv.kernels.novelty import novelty_gain
from irdiv.measures import novelty
from irdiv_cli import main

TIES = by_intents({"a": "23", "m": "14", "z": "12"})
"""All tie at 2 for rank 1. After z neither of the others brings two new intents; a and m together do."""


def best_by_brute_force(relevant: np.ndarray, alpha: float, cutoff: int) -> float:
    depth = int(min(cutoff, len(relevant)))
    lists = np.array(list(permutations(range(len(relevant)), depth)))
    NG = novelty_gain(np.moveaxis(relevant[lists], 2, 1), alpha)
    return float((NG @ log_discount(depth)[1 : depth + 1]).max())


@pytest.mark.parametrize("number", range(40))
def test_brute_force(number):
    rng = np.random.default_rng(number)
    documents, intents, cutoff = rng.integers(1, 7), rng.integers(1, 6), rng.integers(1, 6)
    alpha = rng.choice([0.0, 0.2, 0.5, 0.9, 1.0])
    relevant = rng.random((documents, intents)) < 0.5
    expected = best_by_brute_force(relevant, alpha, cutoff)
    (ideal,) = exact_ideals(relevant[None], alpha, cutoff)
    assert ideal.value == pytest.approx(expected, abs=1e-12)
    assert ideal.proven


def test_documents_cannot_be_shared_out_between_ranks():
    """Halves of documents would gain more than any list, and lists that are near them less than the best."""
    documents = ["134", "12357", "14", "2356", "0124", "0567", "23457", "0125", "2367"]
    relevant = np.array([[str(intent) in intents for intent in range(8)] for intents in documents]).astype(bool)
    expected = best_by_brute_force(relevant, 0.5, 3)
    (ideal,) = exact_ideals(relevant[None], 0.5, 3)
    assert (ideal.value, ideal.upper_bound) == pytest.approx((expected, expected), abs=1e-12)


@pytest.mark.parametrize("number", range(12))
def test_the_cheapest_cover(number):
    relevant = np.random.default_rng(number).random((6, 4)) < 0.4
    subsets = [list(chosen) for size in range(1, 7) for chosen in combinations(range(6), size)]
    for wanted in range(1, relevant.any(axis=0).sum() + 1):
        covering = [chosen for chosen in subsets if relevant[chosen].any(axis=0).sum() >= wanted]
        best = min(sum(1 + 0.7 * relevant[doc].sum() for doc in chosen) for chosen in covering)
        assert min_cover_cost(relevant, 1, 0.7, wanted) == pytest.approx(best), wanted


@pytest.mark.parametrize("intents", ["1", "123"])
def test_documents_with_the_same_intents_need_no_program(monkeypatch, intents):
    """All lists are equal, however many documents there are: here Σ_r N · 0.5^{r−1} / log2(r+1) for N intents."""
    monkeypatch.setattr("scipy.optimize.milp", None)
    judged = by_intents({f"d{document:03}": intents for document in range(708)})
    frame = irdiv.analysis.ideal_gaps(judged, cutoff=1000)
    best = len(intents) * sum(0.5 ** (rank - 1) / log2(rank + 1) for rank in range(1, 709))
    assert frame[["greedy", "exact", "bound"]].to_numpy().tolist() == [pytest.approx([best] * 3)]
    assert frame["gap"].tolist() == [0]
    assert frame["proven"].tolist() == [True]
    assert value(judged, ranked(["d000"]), "α-nDCG(ideal='exact')@1000") == pytest.approx(len(intents) / best)


def test_a_time_limit_ends_with_an_honest_bound():
    rng = np.random.default_rng(0)
    relevant = rng.random((1, 40, 9)) < 0.25
    (proven,) = exact_ideals(relevant, 0.5, 10)
    (stopped,) = exact_ideals(relevant, 0.5, 10, time_limit=1e-3)
    assert stopped.value <= proven.value + 1e-9
    assert proven.value <= stopped.upper_bound + 1e-9
    assert not stopped.proven
    qrels = by_intents(
        {f"d{n:02}": "".join(chr(97 + i) for i in np.flatnonzero(row)) for n, row in enumerate(relevant[0])}
    )
    with pytest.warns(irdiv.IrdivWarning, match="was not proven in 0.001 s"):
        bounded = value(qrels, ranked(["d00"]), "α-nDCG(ideal='exact',time_limit=0.001)@10")
    assert bounded <= value(qrels, ranked(["d00"]), "α-nDCG(ideal='exact')@10")
    frame = irdiv.analysis.ideal_gaps(qrels, time_limit=1e-3)
    assert frame["proven"].tolist() == [False]


def test_topics_whose_ideal_is_a_bound_are_named(monkeypatch):
    result = OptimizeResult(status=1, x=None, message="stopped")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: result)
    qrels = pd.concat([TIES.assign(query_id=str(topic)) for topic in range(10, 21)])
    run = {str(topic): {"a": 2.0, "m": 1.0} for topic in range(10, 21)}
    names = ", ".join(f"'{topic}'" for topic in range(10, 20))
    with pytest.warns(irdiv.IrdivWarning, match=f"11 topics was not proven in 2 s.* divided by a bound.*: {names}, …"):
        irdiv.evaluate(qrels, run, "alpha-nDCG(ideal='exact',time_limit=2)@2")


def test_programs_that_are_too_large(monkeypatch):
    # 3 documents at 2 ranks, and 4 intents that occur first or second at one of 2 ranks
    spec = "alpha-nDCG(ideal='exact')@2"
    monkeypatch.setattr(novelty, "MOST_VARIABLES", 22)
    assert value(TIES, ranked("am"), spec) == pytest.approx(1)
    monkeypatch.setattr(novelty, "MOST_VARIABLES", 21)
    message = (
        "topic '85' has 3 relevant documents of 4 intents.* at cutoff 2 .* 22 variables; at most 21.*ideal='greedy'"
    )
    with pytest.raises(irdiv.IrdivError, match=message):
        value(TIES, ranked("am"), spec)
    with pytest.raises(irdiv.IrdivError, match=message):
        irdiv.analysis.ideal_gaps(TIES, cutoff=2)
    # as large as its distinct sets: 2 sets at 3 ranks, and 2 intents at one of 3 ranks, each of 3 times
    repeated = by_intents({"a": "12", "b": "12", "c": "12", "d": "2", "e": "2"})
    with pytest.raises(irdiv.IrdivError, match="5 relevant documents of 2 intents.* of 24 variables"):
        value(repeated, ranked("abc"), "alpha-nDCG(ideal='exact')@3")


def test_gaps_by_topic():
    greedy, best = 2 + 1.5 / log2(3), 2 + 2 / log2(3)
    (row,) = irdiv.analysis.ideal_gaps(TIES, cutoff=2).to_dict("records")
    expected = {"greedy": greedy, "exact": best, "bound": best, "gap": 1 - greedy / best, "proven": True}
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 20])
def test_topics_of_trec_in_which_greedy_falls_short(real_data, k):
    found = {}
    for year in ("2009", "2010", "2011", "2012"):
        path = next(iter(sorted((real_data / "trec-web" / year).glob("*qrels*"))))
        frame = irdiv.analysis.ideal_gaps(path, cutoff=k)
        assert frame["proven"].all(), year
        assert frame["gap"].max() < 0.015, year
        found[year] = int((frame["gap"] > 0).sum())
    assert found == {"2009": 3, "2010": 2 if k == 10 else 4, "2011": 1, "2012": 1}


def test_the_command(capsys, tmp_path):
    (tmp_path / "qrels").write_text("1 1 m 1\n1 4 m 1\n1 2 a 1\n1 3 a 1\n1 1 z 1\n1 2 z 1\n")
    assert main(["ideals", str(tmp_path / "qrels"), "-k", "2"]) == 0
    assert "falls short of the best one in 1 of 1 topics" in capsys.readouterr().out
    assert main(["ideals", str(tmp_path / "qrels"), "-k", "2", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("query_id,greedy,exact,bound,gap,proven,seconds")
