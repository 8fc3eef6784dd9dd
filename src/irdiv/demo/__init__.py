"""A small diversity collection of our own making, with two runs."""

from __future__ import annotations

from importlib.resources import as_file, files

import pandas as pd

from irdiv.frames.intent_files import read_intents
from irdiv.frames.intents import with_intents
from irdiv.frames.trec import read_qrels, read_run


def demo_collection() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return qrels with intents folded in, and two runs by name.

    >>> qrels, runs = demo_collection()
    >>> sorted(runs)
    ['diversified', 'relevance']
    """
    with as_file(files(__name__)) as folder:
        qrels = with_intents(read_qrels(folder / "qrels.txt"), read_intents(folder / "intents.tsv"))
        return qrels, {name: read_run(folder / f"{name}.run") for name in ("relevance", "diversified")}
