from __future__ import annotations

import subprocess
import sys

import pytest

import irdiv


def imported_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


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


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        irdiv.nonsense  # noqa: B018


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_hash_seeds_change_nothing(seed):
    code = (
        "import irdiv; from irdiv.demo import demo_collection; q, r = demo_collection();"
        "print(irdiv.evaluate(q, r, list(irdiv.measures.registry)).values.tobytes().hex())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": s},
        ).stdout
        for s in (seed, "99")
    ]
    assert runs[0] == runs[1]
