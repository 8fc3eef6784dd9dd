from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from ir_measures import Qrel

import irdiv


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real collections, which are not ours to ship."""
    here = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("IRDIV_REAL_DATA", here.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("real TREC and NTCIR data not at hand: set IRDIV_REAL_DATA to their folder")
    return folder


@pytest.fixture(autouse=True)
def _hand_back():
    yield
    irdiv.hand_back()


@pytest.fixture
def qrels() -> pd.DataFrame:
    """Two topics, three and two intents, graded."""
    rows = [
        ("1", "d1", 2, "1"),
        ("1", "d1", 1, "2"),
        ("1", "d2", 1, "1"),
        ("1", "d3", 3, "3"),
        ("1", "d4", 0, "1"),
        ("2", "e1", 1, "1"),
        ("2", "e2", 2, "2"),
        ("2", "e3", -2, "2"),
    ]
    return pd.DataFrame(rows, columns=list(Qrel._fields))


@pytest.fixture
def run() -> pd.DataFrame:
    """One run of both topics, with unjudged documents."""
    rows = [
        ("1", "d2", 5.0),
        ("1", "d1", 4.0),
        ("1", "u1", 3.0),
        ("1", "d3", 2.0),
        ("2", "u2", 9.0),
        ("2", "e2", 8.0),
        ("2", "e3", 7.0),
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
