"""NTCIR-11 IMine: topics with two levels of weighted intents, and judgments by second-level intent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from irdiv.datasets.irds import TestCollection
from irdiv.datasets.ntcir import read_ntcir_qrels
from irdiv.datasets.xml import Element, read_elements
from irdiv.errors import IrdivError, examples
from irdiv.frames.intent_files import read_intents
from irdiv.frames.intents import with_intents
from irdiv.frames.trec import INTEGER, NUMBER, PathLike

LANGUAGES = {"en": "E", "zh": "C"}
"""The letter that stands for a language in the names of IMine's files."""

_NO_INTENT = "0"
_IRRELEVANT = 1
_ROUNDING = 1e-9
Key = tuple[str, str]


class Files(NamedTuple):
    """Where the parts of a collection are; the last two may be missing."""

    hierarchy: Path
    judgments: Path
    dqrels: Path
    iprob: Path


def find_files(folder: PathLike, language: str) -> Files:
    """Find the files of one language in a folder, however deep, as NII ships them or one folder for each language."""
    if language not in LANGUAGES:
        raise IrdivError(f"language={language!r} is not known; choose {examples(LANGUAGES)}.")
    folder, letter = Path(folder), LANGUAGES[language]
    if not folder.is_dir():
        raise IrdivError(f"{str(folder)!r} is not a folder; expected the one with IMine's files.")
    hierarchy = _find(folder, f"IMine.Qrel.SM{letter}.xml")
    judgments = _find(folder, f"IMine.Qrel.DR{letter}.xml")
    return Files(hierarchy, judgments, judgments.with_name("sls.Dqrels"), judgments.with_name("sls.Iprob"))


def _find(folder: Path, name: str) -> Path:
    hits = sorted(path for path in folder.rglob("*") if path.name.lower() == name.lower() and path.is_file())
    if len(hits) != 1:
        found = f"found {examples(map(str, hits))}" if hits else "found none"
        raise IrdivError(f"expected one file {name} in {str(folder)!r} or a folder below it; {found}.")
    return hits[0]


def read_imine(folder: PathLike, language: str = "en") -> TestCollection:
    """Read NTCIR-11 IMine from a folder with the files that NII ships.

    Parameters
    ----------
    folder
        Where ``IMine.Qrel.SME.xml`` (the intents) and ``IMine.Qrel.DRE.xml`` (the judgments) are, or ``…SMC.xml`` and
        ``…DRC.xml`` for Chinese; folders below it are looked through.
    language
        ``"en"`` or ``"zh"``.

    Returns
    -------
    TestCollection
        Intents are called by their labels, and ``level`` tells where IMine has them. First-level intents are parents
        of second-level ones, which the judgments are of, with the grades 0 (irrelevant or inaccessible), 1 and 2.
        A judged label that the hierarchy lacks belongs to the first-level label that it starts with, else it has no
        parent and is a node of the first layer; the notes name it. Its probability comes from ``sls.Iprob`` and
        ``sls.Dqrels`` beside the judgments, where they are, else an equal share of what the others leave of 1.
    """
    files = find_files(folder, language)
    topics, nodes = read_imine_hierarchy(files.hierarchy)
    qrels, clear = _with_hierarchy(read_imine_judgments(files.judgments), set(topics["query_id"]), files.judgments)
    nodes, orphans = _with_orphans(nodes, qrels)
    if files.iprob.exists() and files.dqrels.exists():
        nodes, qrels, completed = _from_iprob(nodes, qrels, files)
    else:
        nodes, completed = _from_the_rest(nodes)
    nodes = nodes.sort_values("query_id", kind="stable", ignore_index=True)
    bare = int((qrels["relevant"] & (qrels["intent_id"] == _NO_INTENT)).sum())
    unlabelled = [f"{bare} relevant documents belong to no intent, and count as irrelevant"] if bare else []
    judged = with_intents(qrels.drop(columns=["relevant", "line"]), nodes)
    placed = [note for key, note in orphans.items() if key in set(_keys(nodes))]
    notes = (*clear, *placed, *completed, *unlabelled)
    return TestCollection(f"NTCIR-11 IMine ({language})", judged, nodes, topics, notes)


def read_imine_hierarchy(path: PathLike) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read IMine's hierarchy of intents; return topics, and intents with ``parent_id`` and ``probability``."""
    topics, nodes = [], []
    for element in read_elements(path):
        if element.tag == "topic":
            topics.append((_attribute(path, element, "id"), _attribute(path, element, "content")))
        elif element.tag in ("fls", "sls"):
            topic, parent = element.inside("topic"), element.inside("fls")
            if topic is None or (element.tag == "sls") != (parent is not None):
                raise _fault(path, element, "an fls stands in a topic, and an sls in an fls")
            label, weight = _attribute(path, element, "content"), _attribute(path, element, "poss")
            if not NUMBER.holds(weight) or float(weight) < 0:
                raise _fault(path, element, f"poss is {weight!r}, not a number of 0 or more")
            above = None if parent is None else parent.attributes["content"]
            nodes.append((topic.attributes["id"], label, above, float(weight), 1 if parent is None else 2))
    if not nodes:
        raise IrdivError(f"{path}: no intents; expected <topic id=…><fls content=… poss=…><sls content=… poss=…>.")
    frame = pd.DataFrame(nodes, columns=["query_id", "intent_id", "parent_id", "probability", "level"])
    twice = frame[frame.duplicated(["query_id", "intent_id"])]
    if len(twice):
        raise IrdivError(f"{path}: topic {twice['query_id'].iloc[0]} has two intents {twice['intent_id'].iloc[0]!r}.")
    return pd.DataFrame(topics, columns=["query_id", "query"]), frame


def read_imine_judgments(path: PathLike) -> pd.DataFrame:
    """Read IMine's judgments; documents of no second-level intent have the intent 0."""
    grades: dict[tuple[str, str, str], tuple[int, bool, int]] = {}
    for element in read_elements(path):
        if element.tag != "doc":
            continue
        query, doc = _attribute(path, element, "queryid"), _attribute(path, element, "docid")
        level = _attribute(path, element, "relevance")
        if not INTEGER.holds(level) or not 0 <= int(level) <= 3:
            raise _fault(path, element, f"relevance is {level!r}, not 0, 1, 2 or 3")
        label = element.attributes.get("sls", _NO_INTENT)
        grade = max(int(level) - _IRRELEVANT, 0)
        row = (0 if label == _NO_INTENT else grade, grade > 0, element.line)
        if grades.setdefault((query, label, doc), row)[:2] != row[:2]:
            raise _fault(path, element, f"document {doc!r} of topic {query} was judged otherwise before")
    if not grades:
        raise IrdivError(f"{path}: no judgments; expected <doc queryid=… docid=… relevance=… [sls=…]>.")
    of_an_intent = {(query, doc) for query, label, doc in grades if label != _NO_INTENT}
    rows = [(*key, *row) for key, row in grades.items() if key[1] != _NO_INTENT or (key[0], key[2]) not in of_an_intent]
    return pd.DataFrame(rows, columns=["query_id", "intent_id", "doc_id", "relevance", "relevant", "line"])


def _attribute(path: PathLike, element: Element, name: str) -> str:
    if name not in element.attributes:
        raise _fault(path, element, f"<{element.tag}> has no {name}")
    return element.attributes[name]


def _fault(path: PathLike, element: Element, fault: str) -> IrdivError:
    return IrdivError(f"{path}, line {element.line}: {fault}.")


def _with_hierarchy(qrels: pd.DataFrame, known: set[str], path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the clear topics, which have no intents."""
    has = qrels["query_id"].isin(known)
    labelled = qrels[~has & (qrels["intent_id"] != _NO_INTENT)]
    if len(labelled):
        line, query, label = labelled[["line", "query_id", "intent_id"]].iloc[0]
        raise IrdivError(f"{path}, line {line}: topic {query!r} of intent {label!r} is not in the hierarchy.")
    clear = qrels.loc[~has, "query_id"].nunique()
    return qrels[has], [f"{clear} judged topics without intents were left out"] if clear else []


def _with_orphans(nodes: pd.DataFrame, qrels: pd.DataFrame) -> tuple[pd.DataFrame, dict[Key, str]]:
    """Add the judged labels that the hierarchy lacks, under the first-level label they start with."""
    known = set(_keys(nodes))
    first_level: dict[str, list[str]] = defaultdict(list)
    for query, label in _keys(nodes[nodes["level"] == 1]):
        first_level[query].append(label)
    rows, notes = [], {}
    for query, label in dict.fromkeys(_keys(qrels[qrels["intent_id"] != _NO_INTENT])):
        if (query, label) not in known:
            above = [parent for parent in first_level[query] if label.startswith(f"{parent}_")]
            parent = max(above, key=len, default=None)
            rows.append((query, label, parent, np.nan, 2))
            where = f"put under {parent!r}" if parent else "kept on the first level"
            notes[query, label] = f"judged label {label!r} of topic {query} is not in the hierarchy, and was {where}"
    orphans = pd.DataFrame(rows, columns=nodes.columns)
    return pd.concat([nodes, orphans], ignore_index=True) if rows else nodes, notes


def _from_iprob(nodes: pd.DataFrame, qrels: pd.DataFrame, files: Files) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Complete second-level intents from Iprob and Dqrels, where they are numbers.

    A label is the number with the same relevant documents and, where both know it, the same probability. A judged label
    is another spelling of one in the hierarchy where Dqrels has its documents under that one's number.
    """
    theirs, ours = _relevant(read_ntcir_qrels(files.dqrels)), _relevant(qrels)
    iprob = read_intents(files.iprob)[["query_id", "intent_id", "probability"]]
    free = [_Numbered(q, i, p, theirs[q, i]) for q, i, p in iprob.itertuples(index=False, name=None)]
    second = nodes[nodes["level"] == 2]
    wanted = dict(zip(_keys(second), second["probability"], strict=True))
    unjudged = []
    for key, p in wanted.items():
        if not np.isnan(p) and not _take(free, key[0], ours[key], p):
            unjudged.append(key)
    completed, respelt = {}, {}
    for key in [key for key, p in wanted.items() if np.isnan(p)]:
        number = _take(free, key[0], ours[key])
        if number is None:
            raise IrdivError(f"{files.dqrels}: no intent of topic {key[0]} has the documents of {key[1]!r}.")
        completed[key] = number.p
        same = [known for known in unjudged if known[0] == key[0] and abs(wanted[known] - number.p) < _ROUNDING]
        if same:
            unjudged.remove(same[0])
            respelt[key] = same[0][1]
    if unjudged:
        query, label = unjudged[0]
        raise IrdivError(f"{files.iprob}: no intent of topic {query} is like {label!r} with {wanted[query, label]}.")
    keys = list(_keys(nodes))
    probability = [completed.get(key, p) for key, p in zip(keys, nodes["probability"], strict=True)]
    nodes = nodes.assign(probability=probability)[[key not in respelt for key in keys]]
    qrels = qrels.assign(intent_id=[respelt.get(key, key[1]) for key in _keys(qrels)])
    notes = [
        f"judged label {key[1]!r} of topic {key[0]} is {label!r} of the hierarchy" for key, label in respelt.items()
    ]
    if free:
        notes.append(f"{len(free)} intents of {files.iprob.name} have no label and no relevant document")
        nameless = [(n.query, f"sls.{n.number}", None, n.p, 2) for n in free]
        more = pd.DataFrame(nameless, columns=nodes.columns).astype({"parent_id": object})
        nodes = pd.concat([nodes, more], ignore_index=True)
    return nodes, qrels, notes


class _Numbered(NamedTuple):
    query: str
    number: str
    p: float
    docs: frozenset[tuple[str, int]]


def _take(
    free: list[_Numbered], query: str, docs: frozenset[tuple[str, int]], p: float | None = None
) -> _Numbered | None:
    """Take the first number of a topic with these documents, and this probability, out of those left."""
    for number in free:
        if number.query == query and number.docs == docs and (p is None or abs(number.p - p) < _ROUNDING):
            free.remove(number)
            return number
    return None


def _from_the_rest(nodes: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Share what the second-level intents of a topic leave of 1 among those without a probability."""
    untold = nodes["probability"].isna()
    if not untold.any():
        return nodes, []
    told = nodes[nodes["level"] == 2].groupby("query_id")["probability"].sum()
    left = (1 - nodes["query_id"].map(told).fillna(0.0)).clip(lower=0)
    sharers = nodes["query_id"].map(Counter(nodes["query_id"][untold]))
    note = f"{int(untold.sum())} labels without a probability share what the others leave, as sls.Iprob is not there"
    return nodes.assign(probability=nodes["probability"].where(~untold, left / sharers)), [note]


def _keys(frame: pd.DataFrame) -> Iterable[Key]:
    return zip(frame["query_id"], frame["intent_id"], strict=True)


def _relevant(qrels: pd.DataFrame) -> defaultdict[Key, frozenset[tuple[str, int]]]:
    """Return the relevant documents of each intent with their grades."""
    found: defaultdict[Key, set[tuple[str, int]]] = defaultdict(set)
    relevant = qrels[qrels["relevance"] > 0]
    for key, doc, grade in zip(_keys(relevant), relevant["doc_id"], relevant["relevance"], strict=True):
        found[key].add((doc, int(grade)))
    return defaultdict(frozenset, {key: frozenset(docs) for key, docs in found.items()})
