from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="names of code objects need Python 3.11"),
]

MODULE = """
TWICE = 2


def double(number):
    return TWICE * number


def is_large(number):
    def than(limit):
        return number > limit

    return than(100)


SIX = double(3)
"""
TESTS = """
import shares


def test_double():
    assert shares.double(4) == 8


def test_large():
    assert shares.is_large(101) and not shares.is_large(99)


def test_six():
    assert shares.SIX == 6
"""
SCRIPT = """
import json, sys
from pathlib import Path
from mutants import trials
from mutants.changes import mutants_of

package = Path("shares").resolve()
way = getattr(trials, sys.argv[1])
tests = ["test_shares.py::test_double", "test_shares.py::test_large", "test_shares.py::test_six"]
found = [trials.Trial(mutant, tests[int(sys.argv[2]):], 1) for mutant in mutants_of(package, "__init__.py")]
outcomes = {}
way(package, found, 2, lambda mutant, outcome, last: outcomes.__setitem__(mutant.after, outcome))
print(json.dumps(outcomes))
"""


@pytest.fixture
def outcomes(tmp_path):
    """Outcomes of mutants of a small package by what they are changed to; some tests of it may be left out."""
    (tmp_path / "shares").mkdir()
    (tmp_path / "shares" / "__init__.py").write_text(MODULE)
    (tmp_path / "test_shares.py").write_text(TESTS)

    def run(way, left_out=0):
        paths = [str(Path(__file__).parents[1]), str(tmp_path)]
        script = f"import sys; sys.path[:0] = {paths!r}\n{SCRIPT}"
        command = [sys.executable, "-c", script, way, str(left_out)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    return run


IN_FUNCTIONS = {"return TWICE / number": "killed", "return number >= limit": "survived", "return than(101)": "killed"}


def test_in_place_only_functions_are_changed(outcomes):
    assert outcomes("in_place") == {"TWICE = 3": "not run", **IN_FUNCTIONS, "SIX = double(4)": "not run"}


def test_in_place_what_an_import_computed_stays(outcomes):
    assert outcomes("in_place", left_out=1)["return TWICE / number"] == "survived"


def test_by_import_all_is_changed(outcomes):
    assert outcomes("by_import", left_out=1) == {"TWICE = 3": "killed", **IN_FUNCTIONS, "SIX = double(4)": "killed"}
