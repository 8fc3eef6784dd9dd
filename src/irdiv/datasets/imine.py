"""NTCIR-11 IMine: topics with two levels of weighted intents, and judgments by second-level intent."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from irdiv.datasets.collection import TestCollection
from irdiv.datasets.imine_repair import (
    add_missing_labels,
    complete_from_iprob,
    drop_topics_without_intents,
    keys_of,
    share_remaining_probability,
)
from irdiv.datasets.imine_xml import NO_INTENT, read_imine_hierarchy, read_imine_judgments
from irdiv.errors import IrdivError, examples
from irdiv.intents.folding import with_intents
from irdiv.types import PathLike

LANGUAGES = {"en": "E", "zh": "C"}
"""The letter of each language in the names of IMine's files."""


class Files(NamedTuple):
    """The paths of the files of one language; those of the last two may not exist."""

    hierarchy: Path
    judgments: Path
    dqrels: Path
    iprob: Path


def find_files(folder: PathLike, language: str) -> Files:
    """Find the files of one language in a folder or any folder below it."""
    if language not in LANGUAGES:
        raise IrdivError(f"language={language!r} is unknown; choose {examples(LANGUAGES)}.")
    folder, letter = Path(folder), LANGUAGES[language]
    if not folder.is_dir():
        raise IrdivError(f"{str(folder)!r} is not a folder; expected the one with IMine's files.")
    hierarchy = _find_file(folder, f"IMine.Qrel.SM{letter}.xml")
    judgments = _find_file(folder, f"IMine.Qrel.DR{letter}.xml")
    return Files(hierarchy, judgments, judgments.with_name("sls.Dqrels"), judgments.with_name("sls.Iprob"))


def _find_file(folder: Path, name: str) -> Path:
    matches = sorted(path for path in folder.rglob("*") if path.name.lower() == name.lower() and path.is_file())
    if len(matches) != 1:
        found = f"found {examples(map(str, matches))}" if matches else "found none"
        raise IrdivError(f"expected one file {name} in {str(folder)!r} or a folder below it; {found}.")
    return matches[0]


def read_imine(folder: PathLike, language: str = "en") -> TestCollection:
    """Read NTCIR-11 IMine from a folder with the files that NII distributes.

    Parameters
    ----------
    folder
        Where ``IMine.Qrel.SME.xml`` (the intents) and ``IMine.Qrel.DRE.xml`` (the judgments) are, or ``…SMC.xml`` and
        ``…DRC.xml`` for Chinese; they may be in folders below it.
    language
        ``"en"`` or ``"zh"``.

    Returns
    -------
    TestCollection
        The ids of intents are their labels, and ``level`` is 1 or 2. First-level intents are parents of second-level
        ones, for which documents are judged, with the grades 0 (irrelevant or inaccessible), 1 and 2.
        A judged label that the hierarchy lacks is put below the first-level label that it starts with; without such a
        label it has no parent and is a node of the first layer. The notes list these labels. Their probabilities come
        from ``sls.Iprob`` and ``sls.Dqrels`` in the folder of the judgments if these files exist; else they are equal
        parts of what the other intents leave of 1.
    """
    files = find_files(folder, language)
    topics, intents = read_imine_hierarchy(files.hierarchy)
    judgments = read_imine_judgments(files.judgments)
    qrels, notes_on_topics = drop_topics_without_intents(judgments, set(topics["query_id"]), files.judgments)
    intents, notes_on_labels = add_missing_labels(intents, qrels)
    if files.iprob.exists() and files.dqrels.exists():
        intents, qrels, notes_on_probabilities = complete_from_iprob(intents, qrels, files.iprob, files.dqrels)
    else:
        intents, notes_on_probabilities = share_remaining_probability(intents)
    intents = intents.sort_values("query_id", kind="stable", ignore_index=True)
    without_intent = int((qrels["relevant"] & (qrels["intent_id"] == NO_INTENT)).sum())
    kept = set(keys_of(intents))
    notes = (
        *notes_on_topics,
        *(note for key, note in notes_on_labels.items() if key in kept),
        *notes_on_probabilities,
        *([f"{without_intent} relevant documents belong to no intent, and count as irrelevant"] * bool(without_intent)),
    )
    judged = with_intents(qrels.drop(columns=["relevant", "line"]), intents)
    return TestCollection(f"NTCIR-11 IMine ({language})", judged, intents, topics, notes)
