"""Random collections that once were scored differently, each with what was wrong."""

from __future__ import annotations

import pytest

from .case import Case, Intent, Judgment, Ranked
from .points import CHEAP, differences

CASES = {
    "ids in an intent table that end in a space of Unicode": Case(
        [Judgment("1", "x\u2003", "a", 1), Judgment("1", "y", "b", 1)],
        {"r": [Ranked("1", "a", 2.0), Ranked("1", "b", 1.0)]},
        ["P+Q", "Coverage"],
        [Intent("1", "x\u2003", type="nav"), Intent("1", "y", type="inf")],
    ),
    "intents in a table of which nothing is known but their ids, beside others": Case(
        [Judgment("1", "x", "a", 1), Judgment("1", "y", "b", 0)],
        {"r": [Ranked("1", "a", 2.0), Ranked("1", "b", 1.0)]},
        ["A-Recall", "Coverage@1", "I-rec"],
        [Intent("1", "x", type="nav"), Intent("1", "y"), Intent("1", "no document")],
    ),
    "a missing type in an intent table with a probability before it": Case(
        [Judgment("1", "x", "a", 1), Judgment("1", "y", "b", 1)],
        {"r": [Ranked("1", "a", 2.0), Ranked("1", "b", 1.0)]},
        ["P+Q", "DIN-nDCG@3"],
        [Intent("1", "x", 0.5, "nav"), Intent("1", "y", 0.5)],
    ),
    "equal scores beyond single precision, for a measure that ir_measures computes": Case(
        [Judgment("1", None, "a", 1)], {"r": [Ranked("1", "b", 1e300), Ranked("1", "a", 1e300)]}, ["RR@3"]
    ),
    "global gains that are equal but for the rounding of their sums": Case(
        [
            Judgment("1", intent, doc, 1)
            for doc, intents in {"a": "123", "b": "234", "c": "2"}.items()
            for intent in intents
        ],
        {name: [Ranked("1", doc, -rank) for rank, doc in enumerate(name)] for name in ("acb", "bca")},
        ["D-P+"],
        [Intent("1", "1", 0.125), Intent("1", "2", 0.125), Intent("1", "3", 0.5), Intent("1", "4", 0.125)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_saved_case(name):
    assert differences(CASES[name], CHEAP) == []
