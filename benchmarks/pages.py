"""The page of a campaign beside its table: ``irdiv report`` and ``irdiv eval`` on the same files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import data
from benchmarks.timing import Comparison, compare

RUN_FILES = 40
DEPTHS = (100, 1000)
MEASURES = ["D#-nDCG@10", "I-rec@10", "D-nDCG@10", "ERR-IA@10", "alpha-nDCG@10", "nDCG@10", "D-Q@10", "P-IA@10", "AP"]
MEASURES += ["nERR-IA@10"]
_SCRIPT = "import sys; from irdiv_cli import main; sys.exit(main())"
"""What the script ``irdiv`` does."""


def pages() -> Iterator[Comparison]:
    """Yield how many times as long as the table of 40 run files by ten measures their page takes."""
    for depth in DEPTHS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = [data.write_qrels(folder), *(data.write_run(folder, number, depth) for number in range(RUN_FILES))]
            run = partial(_run, _with_bytecode(folder))
            page = str(folder / "page.html")
            yield compare(
                "m",
                f"{RUN_FILES} run files of {data.TOPICS} topics × {depth} documents by {len(MEASURES)} measures",
                {
                    "irdiv eval": partial(run, "eval", *files, "-m", *MEASURES),
                    "irdiv report, at most 2x": partial(run, "report", *files, "-m", *MEASURES, "-o", page),
                },
                repetitions=9,
                memory=False,
            )


def _run(environment: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, "-c", _SCRIPT, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def _with_bytecode(folder: Path) -> dict[str, str]:
    """Return an environment in which modules are compiled once, as they are where packages are installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
