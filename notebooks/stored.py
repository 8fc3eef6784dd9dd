"""Run notebooks and store their outputs: ``python notebooks/stored.py``, or with names of some of them.

Notebook 07 and the end of 08 need the collections in the folder that ``IRDIV_REAL_DATA`` names.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
NEEDS_REAL_DATA = ("07_reproduce_papers", "08_rag_coverage")


def run(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs that running it gives, without what programs write to standard error."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """Return the outputs of each code cell as text, what is printed first; of figures, only that there is one.

    Kernels send what is printed in pieces of any size.
    """
    return [_texts(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


def _texts(outputs: list[nbformat.NotebookNode]) -> list[str]:
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    return [printed, *(_shown(output.data) for output in outputs if output.output_type != "stream")]


def _shown(data: dict[str, str]) -> str:
    return next((kind for kind in data if kind.startswith("image/")), data["text/plain"])


def main(names: list[str]) -> None:
    """Store the outputs of notebooks, all by default."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            nbformat.write(run(path), path)
            print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
