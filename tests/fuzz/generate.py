"""Random collections with runs, small and odd.

All is drawn from a `random.Random`: a seeded one for many collections in little time, or hypothesis' own, by which a
failing collection shrinks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from reference.measures import MEASURES

from .case import Case, Intent, Judgment, Ranked
from .storage import types_of

NUMBERS = ("1", "2", "3", "4", "5", "9", "10", "11", "12", "100", "101", "2147483648")
PREFIXES = ("d", "d0", "d00", "d1", "d10", "d01", "D1", "d1.", "d-1", "d1-1", "dd", "d_1")
ODD = (
    "01", "1", "001", "1.0", "1e0", "-1", "+1", "0x1F", "1_0", "nan", "NaN", "NA", "null", "None", "True", "inf",
    "é", "e\u0301", "ß", "ﬀ", "日本", "日本語", "😀", "\u00a0x", "x\u2003", "\u200bz", "a,b", 'a"b', "'", "a;b", "#",
    "\\", "//", "%s", "{}", "<b>", "Q0", "_", "~",
)  # fmt: skip
"""Ids without ASCII white space, which all forms can hold."""
BLANKS = ("a b", " a", "a ", "a\tb", " ", "")
"""Ids that files of columns cannot hold."""

FAMILIES = (NUMBERS, PREFIXES, ODD, ODD + BLANKS)

GRADES = ((1,), (0, 1), (-2, 0, 1, 2), (0, 1, 2, 3, 4), (-1, 1, 7), (0, 3), (-2, 0), (1, 30))

WEIGHTS = ((1.0, 1.0), (0.125, 0.25, 0.5, 1.0), (0.1, 0.2, 0.3, 0.7), (0.0, 0.5, 1.0), (1e-9, 1.0), (3.0, 40.0))

BATCH_ROWS = (1, 5, 20, 1000)
"""For one topic in a batch, some, or all."""

TIES = ("docid_desc", "docid_asc", "input", "rank")
DUPLICATES = ("error", "first")

SCORES = (
    (1.0,),
    (0.0, -0.0, 1.0),
    (1.0, 2.0, 3.0, 4.0),
    (-1.5, -0.5, 0.5, 12.25),
    (0.1, 0.2, 0.30000000000000004, 0.3),
    (1e300, -1e300, 5e-324, 1e-300, 0.0),
    (16777216.0, 16777217.0, 9007199254740992.0, 9007199254740991.0),
)

SPECS = {
    need: [spec for spec, measure in MEASURES.items() if measure.needs == need]
    for need in ("nothing", "intents", "weights", "importance")
}
"""The specs of the reference by what they need."""


def random_case(rng: Random, max_topics: int = 4, spec_count: int = 5) -> Case:
    """Return a collection that irdiv is to score without an error."""
    # a line that starts with "#" is a comment
    topics = some(rng, tuple(i for i in rng.choice(FAMILIES) if i != "#"), 1, min(max_topics, 4))
    topics += [f"{topic}:{number}" for number in range(rng.randint(0, max_topics // 4 - 1)) for topic in topics]
    docs = some(rng, rng.choice(FAMILIES), 2, 8)
    has_intents = rng.random() < 0.85
    judgments: list[Judgment] = []
    intents: list[Intent] = []
    for topic in topics:
        ids: list[str | None] = some(rng, rng.choice(FAMILIES), 1, 4) if has_intents else [None]
        judgments += _judgments(rng, topic, ids, docs, rng.choice(GRADES))
    if has_intents and rng.random() < 0.7:
        intents = _intent_table(rng, judgments)
    judgments += [rng.choice(judgments) for _ in range(rng.randint(0, 2))]
    rng.shuffle(judgments)
    rng.shuffle(intents)
    runs = {f"r{number}": _run(rng, topics, docs) for number in range(rng.randint(1, 3))}
    specs = [spec for need in _met_needs(judgments, intents) for spec in SPECS[need]]
    if all(row.parent is None for row in intents):
        specs = [spec for spec in specs if "hierarchy=" not in spec and "layer_weights=" not in spec]
    is_default = rng.random() < 0.5
    case = Case(
        judgments,
        runs,
        rng.sample(specs, spec_count),
        intents,
        batch_rows=rng.choice(BATCH_ROWS),
        ties="docid_desc" if is_default else rng.choice(TIES),
        duplicates="error" if is_default else rng.choice(DUPLICATES),
    )
    if case.duplicates == "first":
        runs.update({name: _with_repeated_documents(rng, rows) for name, rows in runs.items()})
    if case.ties == "rank" or rng.random() < 0.1:
        runs.update({name: _with_ranks(rng, rows) for name, rows in runs.items()})
    case.types.update(types_of(case, rng))
    return case


def _met_needs(judgments: list[Judgment], intents: list[Intent]) -> Iterator[str]:
    """Yield what a collection has of that without which some measures are an error."""
    yield "nothing"
    if judgments[0].intent is None:
        return
    yield "intents"
    judged = {(row.topic, row.intent) for row in judgments if row.intent != "0" or row.grade >= 1}
    important = {(row.topic, row.intent) for row in intents if row.importance}
    if judged <= important and len(important) == len(intents):
        yield "importance"
    weighed = {(row.topic, row.intent) for row in intents if row.importance or row.probability is not None}
    if judged <= weighed and len(weighed) == len(intents):
        yield "weights"


def some(rng: Random, pool: tuple[str, ...], least: int, most: int) -> list[str]:
    return rng.sample(pool, min(rng.randint(least, most), len(pool)))


def _judgments(
    rng: Random, topic: str, intents: list[str | None], docs: list[str], grades: tuple[int, ...]
) -> list[Judgment]:
    rows = []
    for intent in intents:
        judged = rng.sample(docs, rng.randint(1, len(docs)))
        rows += [Judgment(topic, intent, doc, rng.choice(grades)) for doc in judged]
    if intents != [None] and rng.random() < 0.2:
        # TREC's documents that are relevant to no intent, or an intent of this name
        zero = rng.choice([(0,), grades])
        rows += [Judgment(topic, "0", doc, rng.choice(zero)) for doc in rng.sample(docs, 1) if "0" not in intents]
    return rows


def _intent_table(rng: Random, judgments: list[Judgment]) -> list[Intent]:
    """Return a table of the intents of some topics or of all, with some of what can be known of them."""
    rows: list[Intent] = []
    has = {name: rng.random() < share for name, share in (("p", 0.7), ("type", 0.4), ("tree", 0.5), ("vital", 0.4))}
    if not any(has.values()):
        has["p"] = True
    for topic in dict.fromkeys(row.topic for row in judgments):
        if rng.random() < 0.85 or not rows:
            rows += _intents_of_topic(rng, topic, [row for row in judgments if row.topic == topic], has)
    return rows if any(row[2:] != (None,) * 4 for row in rows) else []


def _intents_of_topic(rng: Random, topic: str, judged: list[Judgment], has: dict[str, bool]) -> list[Intent]:
    relevant = {row.intent for row in judged if row.grade >= 1}
    ids = [i for i in dict.fromkeys(row.intent for row in judged) if i != "0" or i in relevant] or ["new"]
    # intents without documents
    ids += [extra for extra in ("no document", "n") if rng.random() < 0.15 and extra not in ids]
    # in a tree as it is given, a layer whose nodes all weigh 0 is an error
    pool = [weight for weight in rng.choice(WEIGHTS) if weight > 0 or not has["tree"]]
    weights = _weights(rng, ids, relevant, pool) if has["p"] and rng.random() < 0.9 else dict.fromkeys(ids)
    parents, inner = _tree(rng, ids) if has["tree"] else ({}, [])
    weighs_importance = has["vital"] and rng.random() < 0.8
    # a table of trees says of each intent that it is there
    types = has["type"] or not (has["p"] or weighs_importance or has["tree"])

    def importance() -> str | None:
        return rng.choice(["vital", "okay"]) if weighs_importance else None

    rows = []
    for intent in ids:
        kind = rng.choice(["inf", "nav", "nav", None]) if types else None
        rows.append(Intent(topic, intent, weights[intent], kind, parents.get(intent), importance()))
    given = any(weight is not None for weight in weights.values())
    for node, parent in inner:
        rows.append(Intent(topic, node, rng.choice(pool) if given else None, None, parent, importance()))
    return rows


def _weights(rng: Random, ids: list[str], relevant: set[str | None], pool: list[float]) -> dict[str, float | None]:
    weights: dict[str, float | None] = {intent: rng.choice(pool) for intent in ids}
    counted = [intent for intent in ids if intent in relevant] or ids
    if not any(weights[intent] for intent in counted):
        weights[counted[0]] = 1.0
    return weights


def _tree(rng: Random, leaves: list[str]) -> tuple[dict[str, str | None], list[tuple[str, str | None]]]:
    """Return the parents of leaves, and inner nodes with their parents, None for the root."""
    names = [name for name in ("m1", "m2", "m3", "0m") if name not in leaves][: rng.randint(0, 3)]
    inner: list[tuple[str, str | None]] = []
    for number, name in enumerate(names):
        inner.append((name, rng.choice([None, *names[:number]])))
    parents = {leaf: rng.choice([None, *names]) for leaf in leaves}
    # an inner node without anything below it would be an intent
    while barren := {name for name, _ in inner} - set(parents.values()) - {parent for _, parent in inner}:
        inner = [(name, parent) for name, parent in inner if name not in barren]
    return parents, inner


def _run(rng: Random, topics: list[str], docs: list[str]) -> list[Ranked]:
    scores = rng.choice(SCORES)
    ranked = rng.sample(topics, rng.randint(1, len(topics)))
    if rng.random() < 0.3:
        ranked.append("a topic of the run" if any(" " in topic for topic in topics) else "only-in-the-run")
    unjudged = [doc for doc in ("u1", "u2", "é2") if doc not in docs]
    rows = []
    for topic in ranked:
        pool = docs + unjudged[: rng.randint(0, 3)]
        chosen = rng.sample(pool, rng.randint(1, len(pool)))
        continuous = rng.random() < 0.3
        rows += [Ranked(topic, doc, rng.random() if continuous else rng.choice(scores)) for doc in chosen]
    if rng.random() < 0.7:
        rng.shuffle(rows)
    return rows


def _with_repeated_documents(rng: Random, rows: list[Ranked]) -> list[Ranked]:
    repeated = [rng.choice(rows)._replace(score=rng.choice(rows).score) for _ in range(rng.randint(0, 4))]
    together = rows + repeated
    rng.shuffle(together)
    return together


def _with_ranks(rng: Random, rows: list[Ranked]) -> list[Ranked]:
    """Return rows with ranks from 0 or 1 on, or with gaps, or some of them equal."""
    ranks: Sequence[int] = rng.choice([range(len(rows)), range(1, len(rows) + 1), range(5, 5 + 7 * len(rows), 7)])
    ranks = rng.choices(ranks, k=len(rows)) if rng.random() < 0.3 else rng.sample(ranks, len(rows))
    return [row._replace(rank=rank) for row, rank in zip(rows, ranks, strict=True)]
