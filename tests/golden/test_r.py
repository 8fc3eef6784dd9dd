"""Tests and corrections of R for made-up values; README.md says where they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from irdiv import stats

GOLDEN = Path(__file__).parent


@pytest.fixture(scope="module")
def golden() -> pd.DataFrame:
    return pd.read_csv(GOLDEN / "r.tsv", sep="\t")


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    return stats.compare(GOLDEN / "values.csv", test="t", interval="t")


@pytest.mark.parametrize("column", ["difference", "statistic", "p", "low", "high"])
def test_paired_t_tests(golden, compared, column):
    assert compared[["run", "other"]].values.tolist() == golden[["run", "other"]].values.tolist()
    np.testing.assert_allclose(compared[column], golden[column], rtol=1e-11)


@pytest.mark.parametrize(("correction", "column"), [("holm", "holm"), ("fdr_bh", "BH"), ("bonferroni", "bonferroni")])
def test_corrections(golden, correction, column):
    if correction != "holm":
        pytest.importorskip("statsmodels")
    found = stats.compare(GOLDEN / "values.csv", test="t", interval="t", correction=correction)
    np.testing.assert_allclose(found["p_adjusted"], golden[column], rtol=1e-11)


def test_kendalls_tau(golden):
    values = pd.read_csv(GOLDEN / "values.csv").pivot(index="query_id", columns="run", values="value")
    found = [stats.tau(values[run], values[other]) for run, other in zip(golden["run"], golden["other"], strict=True)]
    np.testing.assert_allclose(found, golden["tau"], rtol=1e-12)
