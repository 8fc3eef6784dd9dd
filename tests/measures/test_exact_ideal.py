"""α-nDCG with the true maximum for its ideal, against trying every list."""

from __future__ import annotations

from itertools import permutations
from math import log2

import numpy as np
import pytest

import irdiv
from helpers import by_intents, ranked, value
from irdiv.kernels.exact import exact_ideals
from irdiv.kernels.lists import log_discount
from irdiv.kernels.novelty import novelty_gain


def best_by_brute_force(relevant: np.ndarray, alpha: float, cutoff: int) -> float:
    depth = int(min(cutoff, len(relevant)))
    lists = np.array(list(permutations(range(len(relevant)), depth)))
    NG = novelty_gain(np.moveaxis(relevant[lists], 2, 1), alpha)
    return float((NG @ log_discount(depth)[1 : depth + 1]).max())


@pytest.mark.parametrize("seed", range(40))
def test_brute_force(seed):
    rng = np.random.default_rng(seed)
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


def test_greedy_falls_short_where_the_tie_goes_the_wrong_way():
    # All tie at 2 for rank 1. After z neither of the others brings two new intents; a and m together do.
    documents = {"a": "23", "m": "14", "z": "12"}
    greedy = 2 + 1.5 / log2(3)
    best = 2 + 2 / log2(3)
    assert value(by_intents(documents), ranked("am"), "α-nDCG@2") == pytest.approx(best / greedy)
    assert value(by_intents(documents), ranked("am"), "α-nDCG(ideal='exact')@2") == pytest.approx(1)


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


def test_a_cutoff_is_needed():
    with pytest.raises(irdiv.IrdivError, match="needs a cutoff"):
        value(by_intents({"a": "1"}), ranked("a"), "α-nDCG(ideal='exact')")


def test_a_time_limit_ends_with_an_honest_bound(monkeypatch):
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


def test_gaps_by_topic():
    frame = irdiv.analysis.ideal_gaps(by_intents({"a": "23", "m": "14", "z": "12"}), cutoff=2)
    greedy, best = 2 + 1.5 / log2(3), 2 + 2 / log2(3)
    row = frame.iloc[0]
    assert [row["greedy"], row["exact"], row["bound"], row["gap"]] == pytest.approx(
        [greedy, best, best, 1 - greedy / best]
    )
    assert row["proven"]


@pytest.mark.parametrize(
    ("year", "k", "topics"),
    [
        ("2009", 10, 3), ("2009", 20, 3), ("2010", 10, 2), ("2010", 20, 4),
        ("2011", 10, 1), ("2011", 20, 1), ("2012", 10, 1), ("2012", 20, 1),
    ],
)  # fmt: skip
def test_topics_of_trec_in_which_greedy_falls_short(real_data, year, k, topics):
    path = next(iter(sorted((real_data / "trec-web" / year).glob("*qrels*"))))
    frame = irdiv.analysis.ideal_gaps(path, cutoff=k)
    assert frame["proven"].all()
    assert (frame["gap"] > 0).sum() == topics
    assert frame["gap"].max() < 0.015


def test_the_command(capsys, tmp_path):
    from irdiv_cli import main

    (tmp_path / "qrels").write_text("1 1 m 1\n1 4 m 1\n1 2 a 1\n1 3 a 1\n1 1 z 1\n1 2 z 1\n")
    assert main(["ideals", str(tmp_path / "qrels"), "-k", "2"]) == 0
    assert "falls short of the best one in 1 of 1 topics" in capsys.readouterr().out
    assert main(["ideals", str(tmp_path / "qrels"), "-k", "2", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("query_id,greedy,exact,bound,gap,proven,seconds")
