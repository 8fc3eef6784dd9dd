"""Notebooks are stored with the outputs that running them gives."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from helpers import REAL_DATA

pytestmark = pytest.mark.slow

stored = pytest.importorskip("stored", reason="running notebooks needs nbclient, of the extra test")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 prints frames of strings in another way")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_what_running_gives(path, monkeypatch):
    if path.stem in stored.NEEDS_REAL_DATA:
        if not REAL_DATA.is_dir():
            pytest.skip("its outputs are of collections that irdiv may not distribute: set IRDIV_REAL_DATA")
        monkeypatch.setenv("IRDIV_REAL_DATA", str(REAL_DATA))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    kept = stored.nbformat.read(path, as_version=4)
    assert stored.texts(stored.run(path)) == stored.texts(kept)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_a_figure_and_no_errors_or_folders(path):
    notebook = stored.nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", ())}
    assert kinds & {"image/png", "image/svg+xml"}
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert str(Path(__file__).resolve().parents[3]) not in path.read_text(encoding="utf-8")
