"""Pictures of how measures react: their values of a few short lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd

import irdiv
from irdiv.plots.styles import styled

INTENTS = {"a": ["a"], "b": ["b"], "c": ["a", "b"], "x": []}
"""The intents of a kind of document: a and b answer one intent, c both, x none."""
LISTS = ["aaaaa", "aaaab", "aaabb", "ababa", "bbaaa", "xabab", "xxxab", "cxxxx"]
MARKERS = "osD^vP"


def values_of_lists(
    measures: Sequence[str],
    lists: Sequence[str] = LISTS,
    *,
    probability: Mapping[str, float] | None = None,
    types: Mapping[str, str] | None = None,
    grades: Mapping[str, int] | None = None,
) -> dict[str, list[float]]:
    """Return the values of measures of lists, in which a letter is a document; five of each kind are judged."""
    grade = {"a": 1, "b": 1, **(grades or {})}
    rows = [
        {
            "query_id": letters,
            "intent_id": intent,
            "doc_id": f"{kind}{number}",
            "relevance": grade[intent],
            "probability": (probability or {}).get(intent, 0.5),
            "type": (types or {}).get(intent, "inf"),
        }
        for letters in lists
        for kind, intents in INTENTS.items()
        for number in range(5)
        for intent in intents
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    run = {letters: [f"{kind}{letters[:rank].count(kind)}" for rank, kind in enumerate(letters)] for letters in lists}
    frame = irdiv.evaluate(pd.DataFrame(columns), run, list(measures)).pivot().loc["run"]
    return {measure: frame.loc[list(lists), measure].tolist() for measure in measures}


@styled
def draw(values: Mapping[str, Sequence[float]], lists: Sequence[str] = LISTS) -> None:
    """Draw values by list, a line for each measure."""
    figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
    for marker, (measure, heights) in zip(MARKERS, values.items(), strict=False):
        axes.plot(range(len(lists)), heights, marker=marker, markersize=5, linewidth=1, label=measure)
    axes.set_xticks(range(len(lists)), list(lists), family="monospace", fontsize=9)
    axes.set_ylim(min(0, axes.get_ylim()[0]), None)
    axes.set_ylabel("value")
    axes.set_xlabel("list, from the first document")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    figure.get_layout_engine().set(w_pad=0.05)


def draw_reactions(measures: Sequence[str], lists: Sequence[str] = LISTS, **options: Mapping[str, object]) -> None:
    """Draw the values of measures of short lists."""
    draw(values_of_lists(measures, lists, **options), lists)  # type: ignore[arg-type]
