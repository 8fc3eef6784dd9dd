from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import irdiv
import irdiv_cli

SRC = Path(__file__).resolve().parents[1] / "src"


def python(code: str, **environment: str) -> str:
    """Return what a new Python prints that imports the checkout, whatever is installed."""
    env = {**os.environ, "PYTHONPATH": str(SRC), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def imported_after(statement: str) -> set[str]:
    return set(python(f"import sys; {statement}; print(' '.join(m for m in sys.modules if '.' not in m))").split())


@pytest.mark.parametrize("package", [irdiv, irdiv_cli])
def test_the_checkout_is_tested(package):
    assert Path(package.__file__).is_relative_to(SRC)
    assert Path(python(f"import {package.__name__} as p; print(p.__file__, end='')")).is_relative_to(SRC)


def test_import_is_light():
    heavy = {
        "pandas",
        "scipy",
        "narwhals",
        "ir_datasets",
        "polars",
        "pyarrow",
        "pytrec_eval",
        "pyndeval",
        "matplotlib",
    }
    assert not imported_after("import irdiv") & heavy


def test_scoring_imports_no_extra():
    extras = {"scipy", "ir_datasets", "polars", "pyndeval", "matplotlib"}
    statement = "import irdiv; irdiv.evaluate({'1': {'d': 1}}, {'1': {'d': 1.0}}, 'Q')"
    assert not imported_after(statement) & extras


@pytest.mark.parametrize("name", irdiv.__all__)
def test_public_names_exist(name):
    assert getattr(irdiv, name) is not None
    assert name in dir(irdiv)


def test_the_namespace_is_small():
    assert len(irdiv.__all__) <= 40
    assert sorted(irdiv.__all__, key=str.casefold) == sorted(set(irdiv.__all__), key=str.casefold)


@pytest.mark.parametrize(
    "room", ["analysis", "datasets", "demo", "measures", "plots", "plugins", "properties", "rag", "report", "stats"]
)
def test_rooms_name_what_is_public(room):
    module = getattr(irdiv, room)
    assert module.__doc__
    for name in module.__all__:
        assert getattr(module, name) is not None, name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        irdiv.nonsense  # noqa: B018


def test_hash_seeds_change_nothing():
    code = (
        "import irdiv; from irdiv.demo import demo_qrels_and_runs; q, r = demo_qrels_and_runs();"
        " q = q.assign(importance='vital');"
        "print(irdiv.evaluate(q, r, list(irdiv.measures.registry)).values.tobytes().hex())"
    )
    assert len({python(code, PYTHONHASHSEED=seed) for seed in ("0", "1", "2", "99")}) == 1
