"""α-nDCG with the true maximum for its ideal, against trying every list."""

from __future__ import annotations

from itertools import permutations
from math import log2

import numpy as np
import pytest

import irdiv
from irdiv.kernels.exact import exact_ideal
from irdiv.kernels.lists import log_discount
from irdiv.kernels.novelty import greedy_ideal, novelty_gain
from test_worked_examples import by_intents, ranked, value


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
    assert exact_ideal(relevant[None], alpha, cutoff)[0] == pytest.approx(expected, abs=1e-12)


def test_greedy_falls_short_where_the_tie_goes_the_wrong_way():
    # All tie at 2 for rank 1. After z neither of the others brings two new intents; a and m together do.
    documents = {"a": "23", "m": "14", "z": "12"}
    greedy = 2 + 1.5 / log2(3)
    best = 2 + 2 / log2(3)
    assert value(by_intents(documents), ranked("am"), "α-nDCG@2") == pytest.approx(best / greedy)
    assert value(by_intents(documents), ranked("am"), "α-nDCG(ideal='exact')@2") == pytest.approx(1)


def test_a_cutoff_is_needed():
    with pytest.raises(irdiv.IrdivError, match="needs a cutoff"):
        value(by_intents({"a": "1"}), ranked("a"), "α-nDCG(ideal='exact')")


@pytest.mark.parametrize("year", ["2009", "2010", "2011", "2012"])
def test_never_below_greedy_on_trec(real_data, year):
    path = next(iter(sorted((real_data / "trec-web" / year).glob("*qrels*"))))
    (block,) = irdiv.Collection(path).blocks
    relevant = block.grades[block.pool] >= 1
    greedy = greedy_ideal(relevant, 0.5, 10) @ log_discount(10)[1:11]
    exact = exact_ideal(relevant, 0.5, 10)
    assert (exact >= greedy - 1e-12).all()
    assert (exact > greedy + 1e-6).any()
