"""A small diversity collection of our own making, with four systems; `irdiv.demo.make` makes it."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from shutil import copy

import pandas as pd

from irdiv.datasets.irds import TestCollection
from irdiv.frames.intent_files import read_intents
from irdiv.frames.intents import with_intents
from irdiv.frames.trec import read_qrels, read_run

SYSTEMS = ("relevance", "diversified", "one-intent", "spammy")
FILES = ("topics.tsv", "qrels.txt", "intents.csv", *(f"{system}.run" for system in SYSTEMS))


def demo_collection() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return qrels with intents folded in, and the runs of four systems by name.

    >>> qrels, runs = demo_collection()
    >>> list(runs)
    ['relevance', 'diversified', 'one-intent', 'spammy']
    """
    with as_file(files(__name__)) as folder:
        return demo().qrels, {name: read_run(folder / f"{name}.run") for name in SYSTEMS}


def demo() -> TestCollection:
    """Return the collection: qrels, intents and topics.

    >>> demo()
    irdiv demo
      12 judged topics of 12
      93 intents, 60 with a relevant document
      412 judgments, 283 of them relevant
    """
    with as_file(files(__name__)) as folder:
        intents = read_intents(folder / "intents.csv")
        topics = pd.read_csv(folder / "topics.tsv", sep="\t", dtype=str)
        qrels = read_qrels(folder / "qrels.txt").rename(columns={"iteration": "intent_id"})
        return TestCollection("irdiv demo", with_intents(qrels, intents), intents, topics)


def write_demo(target: Path) -> list[Path]:
    """Copy the files of the collection to a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with as_file(files(__name__)) as folder:
        return [Path(copy(folder / name, target / name)) for name in FILES]
