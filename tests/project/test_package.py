from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

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


def test_figures_of_pages_import_nothing_that_computes():
    computing = {"pandas", "scipy", "narwhals", "pyarrow", "jinja2"}
    assert not imported_after("import irdiv.report.figures") & computing


def test_scoring_imports_no_extra():
    extras = {"scipy", "ir_datasets", "polars", "pyndeval", "matplotlib"}
    statement = "import irdiv; irdiv.evaluate({'1': {'d': 1}}, {'1': {'d': 1.0}}, 'Q')"
    assert not imported_after(statement) & extras


def test_a_command_imports_only_what_it_uses(tmp_path):
    (tmp_path / "qrels").write_text("1 1 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 1.0 tag\n")
    command = f"from irdiv_cli import main; main(['eval', {str(tmp_path / 'qrels')!r}, {str(tmp_path / 'run')!r}])"
    modules = python(f"import sys; {command}; print(*sys.modules)").split()
    not_used = ["scipy", "ir_datasets", "polars", "matplotlib", "pyarrow.parquet"]
    if tuple(map(int, narwhals.__version__.split(".")[:2])) >= (1, 48):  # older versions import it themselves
        not_used.append("importlib.metadata")
    not_used += ["irdiv.datasets", "irdiv.stats.comparison", "irdiv.stats.resampling", "irdiv.show.tables"]
    assert "irdiv_cli.commands.eval" in modules
    assert not {*not_used, "irdiv_cli.commands.compare"} & set(modules)


@pytest.mark.parametrize("room", ["analysis", "datasets", "plots", "report", "stats"])
def test_names_that_are_imported_when_used_are_those_of_type_checkers(room):
    module = getattr(irdiv, room)
    imports = next(node.body for node in ast.parse(Path(module.__file__).read_text()).body if isinstance(node, ast.If))
    declared = {alias.name: node.module for node in imports for alias in node.names}
    assert declared == module._MODULE_OF
    assert sorted(declared) == sorted(module.__all__) == sorted(dir(module))
    # Importing a module of this name would replace the function.
    assert not set(declared) & {path.stem for path in Path(module.__file__).parent.glob("*.py")}
    with pytest.raises(AttributeError, match=f"module 'irdiv.{room}' has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


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
