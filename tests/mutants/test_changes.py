from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .changes import compile_mutant, mutants_of

pytestmark = pytest.mark.slow

MODULE = '''
"""A module."""
from __future__ import annotations

NAME = "name"
TEXT = "only a reader sees this"


def share(count: int | None, total: int = 1) -> float:
    """Return a share."""
    if count is None or total <= 0:
        raise ValueError(f"no share of {total} things")
    return min(count, total) / total
'''


@pytest.fixture
def package(tmp_path):
    (tmp_path / "shares.py").write_text(MODULE)
    return tmp_path


def changed(package, function=None):
    return [
        (mutant.before, mutant.after)
        for mutant in mutants_of(package, "shares.py")
        if function is None or mutant.in_function == function
    ]


def test_text_of_modules_and_annotations_are_left_alone(package):
    assert changed(package, function=False) == [
        ("NAME = 'name'", "NAME = 'XX'"),
        (
            "def share(count: int | None, total: int=1) -> float:",
            "def share(count: int | None, total: int=2) -> float:",
        ),
    ]


def test_every_operator_constant_and_call_is_changed_once(package):
    condition, error = "if count is None or total <= 0:", "raise ValueError(f'no share of {total} things')"
    value = "return min(count, total) / total"
    assert changed(package, function=True) == [
        (condition, "if not (count is None or total <= 0):"),
        (condition, "if count is None and total <= 0:"),
        (condition, "if count is not None or total <= 0:"),
        (condition, "if count is None or total < 0:"),
        (condition, "if count is None or total <= 1:"),
        (error, "raise ValueError(f'XX{total} things')"),
        (error, "pass"),
        (value, "return min(count, total) * total"),
        (value, "return max(count, total) / total"),
    ]


def test_a_mutant_is_compiled_with_its_change_alone(package):
    values = []
    for mutant in mutants_of(package, "shares.py"):
        scope: dict[str, object] = {}
        exec(compile_mutant(package, mutant), scope)
        try:
            values.append(scope["share"](2, 4))
        except ValueError:
            values.append("error")
    assert values == [0.5, 0.5, "error", 0.5, "error", 0.5, 0.5, 0.5, 0.5, 8, 1.0]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 writes statements in another way")
def test_changes_that_are_known_as_equivalent_can_be_made():
    import tomllib

    tests = Path(__file__).parent
    rows = tomllib.loads((tests / "equivalent.toml").read_text(encoding="utf-8"))["mutant"]
    listed = {(row["path"], row["before"], row["after"]) for row in rows}
    package = tests.parents[1] / "src" / "irdiv"
    mutants = [mutant for path in sorted({path for path, *_ in listed}) for mutant in mutants_of(package, path)]
    assert listed <= {(mutant.path, mutant.before, mutant.after) for mutant in mutants}
