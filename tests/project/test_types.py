"""Types as a user's checker sees them: mypy and pyright agree with `tests/typed/user_code.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
# Stubs change with versions.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="types are checked with the newest packages"
    ),
]
USER_CODE = ROOT / "tests" / "typed" / "user_code.py"


def check(*command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "MYPYPATH": str(ROOT / "src"), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT, env=env)


def test_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed")
    done = check("mypy", str(USER_CODE))
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright():
    pytest.importorskip("pyright", reason="pyright is not installed")
    done = check("pyright", "--outputjson", "--pythonpath", sys.executable, str(USER_CODE))
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright, which npm installs, does not start here: {done.stderr[-200:]}")
    found = json.loads(done.stdout)
    problems = [f"line {d['range']['start']['line'] + 1}: {d['message']}" for d in found["generalDiagnostics"]]
    assert found["summary"]["filesAnalyzed"] == 1
    assert not problems, "\n".join(problems)
