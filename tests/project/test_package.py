from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import narwhals
import pytest

import irdiv
import irdiv_cli

pytestmark = pytest.mark.slow

SRC = Path(__file__).resolve().parents[2] / "src"


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


SCORING = "import irdiv; irdiv.evaluate({'1': {'d': 1}}, {'1': {'d': 1.0}}, 'Q')"
EXTRAS = {"scipy", "ir_datasets", "polars", "pyndeval", "matplotlib"}


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [("import irdiv", EXTRAS | {"pandas", "narwhals", "pyarrow", "pytrec_eval"}), (SCORING, EXTRAS)],
    ids=["import", "scoring"],
)
def test_imports_are_light(statement, heavy):
    assert imported_after(statement) & heavy == set()


def test_a_command_imports_only_what_it_uses(tmp_path):
    (tmp_path / "qrels").write_text("1 1 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 1.0 tag\n")
    command = f"from irdiv_cli import main; main(['eval', {str(tmp_path / 'qrels')!r}, {str(tmp_path / 'run')!r}])"
    modules = python(f"import sys; {command}; print(*sys.modules)").split()
    not_used = {"scipy", "ir_datasets", "polars", "matplotlib", "pyarrow.parquet", "irdiv.datasets", "irdiv.plots"}
    if tuple(map(int, narwhals.__version__.split(".")[:2])) >= (1, 48):  # older versions import it themselves
        not_used.add("importlib.metadata")
    assert "irdiv.evaluation" in modules
    assert not_used & set(modules) == set()


PACKAGES = ["irdiv", *(f"irdiv.{name}" for name in irdiv.__all__ if isinstance(getattr(irdiv, name), ModuleType))]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist_and_no_others(package):
    module = importlib.import_module(package)
    assert module.__doc__
    assert [name for name in module.__all__ if getattr(module, name, None) is None or name not in dir(module)] == []
    assert len(set(module.__all__)) == len(module.__all__)
    # Importing a module of this name would replace the function.
    submodules = {path.stem for path in Path(module.__file__).parent.glob("*.py")}
    functions = {name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)}
    assert functions & submodules == set()
    with pytest.raises(AttributeError, match="attribute '?nonsense"):
        module.nonsense  # noqa: B018


def test_hash_seeds_change_nothing():
    code = (
        "import irdiv; from irdiv.demo import demo_qrels_and_runs; q, r = demo_qrels_and_runs();"
        " q = q.assign(importance='vital');"
        "print(irdiv.evaluate(q, r, list(irdiv.measures.registry)).values.tobytes().hex())"
    )
    assert len({python(code, PYTHONHASHSEED=seed) for seed in ("0", "99")}) == 1
