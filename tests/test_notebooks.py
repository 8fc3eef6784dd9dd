from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import REAL_DATA

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def code_cells(path: Path) -> list[dict]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


# PyTerrier has deprecated calls of its own.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_from_top_to_bottom(path, monkeypatch):
    if REAL_DATA.is_dir():
        monkeypatch.setenv("IRDIV_REAL_DATA", str(REAL_DATA))
    names: dict[str, object] = {}
    for cell in code_cells(path):
        exec("".join(cell["source"]), names)
    assert names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_without_outputs(path):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells(path))


def test_there_are_notebooks():
    assert NOTEBOOKS
