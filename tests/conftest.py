from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis
import pandas as pd
import pytest
from ir_measures import Qrel

import irdiv
from helpers import REAL_DATA, TREC_WEB

# A busy machine is no error.
hypothesis.settings.register_profile("irdiv", deadline=None)
# tests/fuzz then tries ten times as many examples, and others.
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("irdiv")

collect_ignore = ["typed"]  # code that is type-checked, not run


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real collections, which are not ours to ship."""
    if not REAL_DATA.is_dir():
        pytest.skip("real TREC and NTCIR data not at hand: set IRDIV_REAL_DATA to their folder")
    return REAL_DATA


def pytest_configure(config: pytest.Config) -> None:
    """Give ir_datasets, which looks for its cache when it is imported, one of our own."""
    os.environ["IR_DATASETS_HOME"] = tempfile.mkdtemp(prefix="irdiv-test-")


def pytest_report_header() -> str:
    """Say once whether the real collections are there."""
    found = (
        REAL_DATA
        if REAL_DATA.is_dir()
        else "not found, so tests on them are skipped; IRDIV_REAL_DATA names their folder"
    )
    return f"real collections: {found}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with other seeds than 0 as slow."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        if callspec is not None and callspec.params.get("seed", 0) != 0:
            item.add_marker(pytest.mark.slow)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(os.environ["IR_DATASETS_HOME"], ignore_errors=True)


@pytest.fixture(scope="session")
def irds_home(real_data: Path) -> Path:
    """Fill ir_datasets' cache with the real files."""
    home = Path(os.environ["IR_DATASETS_HOME"])
    for year, (qrels, cached, topics) in TREC_WEB.items():
        source, target = real_data / "trec-web" / year, home / "clueweb09" / f"trec-web-{year}"
        target.mkdir(parents=True)
        content = (source / qrels).read_bytes()
        (target / cached).write_bytes(gzip.compress(content) if cached.endswith(".gz") else content)
        (target / "queries.xml").write_bytes((source / topics).read_bytes())
    return home


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A local session of Spark, as `fuzz.spark_session` makes it."""
    pytest.importorskip("pyspark.sql", reason="Spark is not installed here: pip install 'irdiv[spark]'")
    if shutil.which("java") is None:
        pytest.skip("no Java here for Spark to run on")
    from fuzz.spark_session import local_session

    session = local_session(tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _clean_up():
    """Undo what tests do to other packages: ir_measures' provider, open figures of pyplot."""
    yield
    irdiv.plugins.ir_measures.set_ndeval_provider("pyndeval")
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


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
