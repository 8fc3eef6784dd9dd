"""A small synthetic diversity collection with the runs of four systems, for examples and tests.

`irdiv.demo.make` generates its files. `irdiv.demo.rag` has questions with judged nuggets and three retrievers.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import pandas as pd

from irdiv.datasets.collection import Dataset
from irdiv.demo.rag import rag_demo_files, write_rag_demo
from irdiv.demo.writing import write_files
from irdiv.intents.files import read_intents
from irdiv.intents.folding import with_intents
from irdiv.io.trec import read_qrels, read_run

__all__ = ["demo_collection", "demo_qrels_and_runs", "write_demo", "write_rag_demo"]

SYSTEMS = ("relevance", "diversified", "one-intent", "spammy")
FILES = ("topics.tsv", "qrels.txt", "intents.csv", *(f"{system}.run" for system in SYSTEMS))


def demo_qrels_and_runs() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return qrels with intents folded in, and the runs of four systems by name.

    >>> qrels, runs = demo_qrels_and_runs()
    >>> list(runs)
    ['relevance', 'diversified', 'one-intent', 'spammy']
    """
    with as_file(files(__name__)) as folder:
        return demo_collection().qrels, {name: read_run(folder / f"{name}.run") for name in SYSTEMS}


def demo_collection() -> Dataset:
    """Return the demo collection: qrels, intents and topics.

    >>> demo_collection()
    irdiv demo
      12 judged topics of 12
      93 intents, 60 with a relevant document
      379 judgments, 283 of them relevant
    """
    with as_file(files(__name__)) as folder:
        intents = read_intents(folder / "intents.csv")
        topics = pd.read_csv(folder / "topics.tsv", sep="\t", dtype=str)
        qrels = read_qrels(folder / "qrels.txt").rename(columns={"iteration": "intent_id"})
        return Dataset("irdiv demo", with_intents(qrels, intents), intents, topics)


def write_demo(folder: Path, *, force: bool = False) -> list[Path]:
    """Write the files of the demo collection and of `write_rag_demo` to a folder, and return their paths.

    A file that is there with other content is an error, and then none is written, unless ``force``.
    """
    with as_file(files(__name__)) as source:
        contents = {name: (source / name).read_bytes() for name in FILES}
    return write_files(folder, contents | rag_demo_files(), force=force)
