"""NTCIR-11 IMine: topics with two levels of weighted intents, and judgments by second-level intent."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from irdiv.datasets.collection import Dataset
from irdiv.datasets.imine_repair import (
    Completed,
    add_missing_labels,
    complete_from_iprob,
    drop_topics_without_intents,
    drop_topics_without_numbers,
    keys_of,
    read_numbered_intents,
    share_remaining_probability,
)
from irdiv.datasets.imine_xml import NO_INTENT, read_imine_hierarchy, read_imine_judgments
from irdiv.errors import IrdivError, examples, warn
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
    matches = _find_xml(folder, language)
    repeated = next((name for name, paths in matches.items() if len(paths) > 1), None)
    if repeated is not None:
        raise IrdivError(
            f"expected one file {repeated} in {str(folder)!r} or a folder below it; found "
            f"{examples(map(str, matches[repeated]))}."
        )
    missing = [name for name, paths in matches.items() if not paths]
    if missing:
        raise IrdivError(
            f"{str(folder)!r} and the folders below it lack {' and '.join(missing)}; expected {' and '.join(matches)} "
            f"for language={language!r}.{_hint_at_other_languages(folder, language)}"
        )
    (hierarchy,), (judgments,) = matches.values()
    return Files(hierarchy, judgments, judgments.with_name("sls.Dqrels"), judgments.with_name("sls.Iprob"))


def has_files(folder: PathLike, language: str) -> bool:
    """Return whether a folder or one below it has a file of this language, even if others are missing."""
    return any(_find_xml(folder, language).values())


def _find_xml(folder: PathLike, language: str) -> dict[str, list[Path]]:
    """Return the paths of the XML files of the hierarchy and the judgments, by name."""
    if language not in LANGUAGES:
        raise IrdivError(f"language={language!r} is unknown; choose {examples(LANGUAGES)}.")
    folder, letter = Path(folder), LANGUAGES[language]
    if not folder.is_dir():
        raise IrdivError(f"{str(folder)!r} is not a folder; expected the one with IMine's files.")
    names = (f"IMine.Qrel.SM{letter}.xml", f"IMine.Qrel.DR{letter}.xml")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {name: [path for path in files if path.name.lower() == name.lower()] for name in names}


def _hint_at_other_languages(folder: PathLike, language: str) -> str:
    others = [other for other in LANGUAGES if other != language and has_files(folder, other)]
    return f" It has files for language={' and '.join(map(repr, others))}." if others else ""


def read_imine(folder: PathLike, language: str = "en") -> Dataset:
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
    Dataset
        The ids of intents are their labels, and ``level`` is 1 or 2. First-level intents are parents of second-level
        ones, for which documents are judged, with the grades 0 (irrelevant or inaccessible), 1 and 2.
        A judged label that the hierarchy lacks is put below the first-level label that it starts with; without such a
        label it has no parent and is a node of the first layer. The notes list these labels. Their probabilities come
        from ``sls.Iprob`` and ``sls.Dqrels`` in the folder of the judgments if these files exist and have topics of
        this language; else they are equal parts of what the other intents leave of 1.

    Warns
    -----
    IrdivWarning
        Where the files contradict each other, as those for Chinese do. They are repaired as the organizers did: a
        second-level label with several parents is under the one whose label it starts with; a topic that neither has
        relevant documents nor is in ``sls.Iprob``, and relevant documents that ``sls.Dqrels`` lacks, are left out.
        Judgments of a topic without intents may contradict each other, as it is left out. The notes list these
        repairs too.
    """
    files = find_files(folder, language)
    topics, intents, repairs_of_hierarchy = read_imine_hierarchy(files.hierarchy)
    known = set(topics["query_id"])
    judgments, repairs_of_judgments = read_imine_judgments(files.judgments, known)
    qrels, notes_on_topics = drop_topics_without_intents(judgments, known, files.judgments)
    intents, notes_on_labels = add_missing_labels(intents, qrels)
    completed = _complete(intents, qrels, files, known)
    intents = completed.intents.sort_values("query_id", kind="stable", ignore_index=True)
    qrels = completed.qrels
    without_intent = int((qrels["relevant"] & (qrels["intent_id"] == NO_INTENT)).sum())
    kept = set(keys_of(intents))
    repairs = (*repairs_of_hierarchy, *repairs_of_judgments, *completed.repairs)
    notes = (
        *repairs,
        *notes_on_topics,
        *(note for key, note in notes_on_labels.items() if key in kept),
        *completed.notes,
        *([f"{without_intent} relevant documents belong to no intent, and count as irrelevant"] * bool(without_intent)),
    )
    judged = with_intents(qrels.drop(columns=["relevant", "line"]), intents)
    if repairs:
        warn(f"the files of NTCIR-11 IMine ({language}) contradict each other: {'; '.join(repairs)}.")
    return Dataset(f"NTCIR-11 IMine ({language})", judged, intents, topics, notes)


def _about_unused(files: Files) -> list[str]:
    """Return why Iprob and Dqrels were not used, if one of them exists."""
    there = [path.name for path in (files.iprob, files.dqrels) if path.exists()]
    if len(there) == 2:
        return [f"{' and '.join(there)} have other topics, and were not used"]
    return [f"{name} is there without the other of sls.Iprob and sls.Dqrels, and was not used" for name in there]


def _complete(intents: pd.DataFrame, qrels: pd.DataFrame, files: Files, topics: set[str]) -> Completed:
    """Complete the intents from Iprob and Dqrels if both files exist and are of the same language."""
    has_both = files.iprob.exists() and files.dqrels.exists()
    numbered = read_numbered_intents(files.iprob, files.dqrels, topics) if has_both else []
    if not numbered:
        intents, notes = share_remaining_probability(intents)
        return Completed(intents, qrels, [*notes, *_about_unused(files)], [])
    intents, qrels, repairs = drop_topics_without_numbers(intents, qrels, numbered, files.iprob)
    completed = complete_from_iprob(intents, qrels, numbered, files.iprob, files.dqrels)
    return completed._replace(repairs=[*completed.repairs, *repairs])
