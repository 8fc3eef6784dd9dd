"""The values of a case by the naive reference."""

from __future__ import annotations

from reference.measures import MEASURES
from reference.topic import Topic

from .case import Case, ranking

Values = dict[tuple[str, str, str], float]
"""By run, topic and spec."""


def naive_values(case: Case) -> Values:
    """Return the values of all runs, topics of the qrels and measures."""
    grades: dict[str, dict[str, dict[str, int]]] = {}
    for row in case.judgments:
        grades.setdefault(row.topic, {}).setdefault(row.intent or "", {})[row.doc] = row.grade
    info: dict[str, dict[str, dict[str, object]]] = {topic: {} for topic in grades}
    for row in case.intents:
        if row.topic in info:
            info[row.topic][row.intent] = row._asdict()
    highest = max(0, *(row.grade for row in case.judgments))
    values: Values = {}
    for name in case.runs:
        lists = ranking(case, name)
        for topic in grades:
            # of a document that the run repeats, the best rank counts
            ranked = list(dict.fromkeys(lists.get(topic, [])))
            known = Topic(grades[topic], ranked, highest, info[topic])
            for spec in case.specs:
                values[name, topic, spec] = float(MEASURES[spec].score(known))
    return values
