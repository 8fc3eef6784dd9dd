"""A topic as text: the values of runs, and for each run the grades of its documents by intent and rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import pandas as pd

from irdiv.errors import printable

NOT_RELEVANT, UNJUDGED = "·", "?"
LEGEND = f"grades by intent and rank: {NOT_RELEVANT} not relevant to the intent, {UNJUDGED} unjudged"
_LONGEST_DESCRIPTION = 80
_LONGEST_INTENT = 40


def describe_intents(intents: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each intent of ``intent_id, probability, description``."""
    width = max(map(len, intents["intent_id"]), default=0)
    for intent_id, probability, description in intents.itertuples(index=False):
        text = "" if description is None else _shorten(" ".join(description.split()), _LONGEST_DESCRIPTION)
        yield printable(f"  {intent_id:<{width}}  {probability:.3f}  {text}".rstrip())


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def table_of_grades(grades: Mapping[str, pd.DataFrame], cutoff: int) -> Iterator[str]:
    """Yield lines with the grades of runs, given by name as intent × rank, missing for unjudged documents."""
    lines = [("run", "", [str(rank) for rank in range(1, cutoff + 1)])]
    for name, frame in grades.items():
        rows = zip(frame.index, frame.astype(object).where(frame.notna(), None).to_numpy(), strict=True)
        of_run = [(name, _shorten(intent, _LONGEST_INTENT), list(map(_cell, values))) for intent, values in rows]
        of_run = of_run or [(name, "", [])]
        lines += [of_run[0], *(("", intent, cells) for _, intent, cells in of_run[1:])]
    name_width, intent_width = (max(len(line[column]) for line in lines) for column in (0, 1))
    widths = [max(map(len, column)) for column in zip_longest(*(cells for _, _, cells in lines), fillvalue="")]
    for name, intent, cells in lines:
        shown = " ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=False))
        yield printable(f"{name:<{name_width}}  {intent:<{intent_width}}  {shown}".rstrip())


def _cell(grade: int | None) -> str:
    return UNJUDGED if grade is None else str(grade) if grade else NOT_RELEVANT
