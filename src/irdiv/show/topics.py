"""A topic as text: the values of runs, and for each run the grades of its documents by intent and rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from irdiv.types import Objects

NOT_RELEVANT, UNJUDGED = "·", "?"
LEGEND = f"grades by intent and rank: {NOT_RELEVANT} not relevant to the intent, {UNJUDGED} unjudged"
_LONGEST_DESCRIPTION = 80


def describe_intents(intents: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each intent of ``intent_id, probability, description``."""
    width = max(map(len, intents["intent_id"]), default=0)
    for intent_id, probability, description in intents.itertuples(index=False):
        text = "" if description is None else _shorten(" ".join(description.split()))
        yield f"  {intent_id:<{width}}  {probability:.3f}  {text}".rstrip()


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_DESCRIPTION else f"{text[: _LONGEST_DESCRIPTION - 1]}…"


def table_of_grades(grades: Mapping[str, pd.DataFrame], cutoff: int) -> Iterator[str]:
    """Yield lines with the grades of runs, given by name as intent × rank, missing for unjudged documents."""
    intent_width = max((len(intent) for frame in grades.values() for intent in frame.index), default=0)
    widths = [
        max(
            len(str(rank)),
            *(
                len(_cell(value))
                for frame in grades.values()
                for value in _values(frame[[rank]] if rank in frame else frame[[]]).ravel()
            ),
            1,
        )
        for rank in range(1, cutoff + 1)
    ]
    name_width = max(map(len, (*grades, "run")))
    yield _line("run", name_width, "", intent_width, map(str, range(1, cutoff + 1)), widths)
    for name, frame in grades.items():
        if frame.empty:
            yield _line(name, name_width, "", intent_width, (), ())
        for row, (intent, values) in enumerate(zip(frame.index, _values(frame), strict=True)):
            cells = map(_cell, values)
            yield _line("" if row else name, name_width, intent, intent_width, cells, widths)


def _values(grades: pd.DataFrame) -> Objects:
    return grades.astype(object).where(grades.notna(), None).to_numpy()


def _cell(grade: int | None) -> str:
    return UNJUDGED if grade is None else str(grade) if grade else NOT_RELEVANT


def _line(
    name: str,
    name_width: int,
    intent: str,
    intent_width: int,
    cells: Iterator[str] | Sequence[str],
    widths: Sequence[int],
) -> str:
    shown = " ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=False))
    return f"{name:<{name_width}}  {intent:<{intent_width}}  {shown}".rstrip()
