"""Axes of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from irdiv.plots.axes import Canvas, text_width
from irdiv.plots.style import COLUMN_WIDTH

TopicOrder: TypeAlias = Literal["size", "topic"]
"""Topics by value, or by id."""

_TOPIC_WIDTH = 0.115
_WIDEST = 16.0
_TEXT_SIZE = 6.0


def width_of_topics(count: int, besides: float = 0.7) -> float:
    """Return the width of a figure with a bar or a cell for each topic, and something besides, in inches."""
    return min(max(COLUMN_WIDTH, max(_TOPIC_WIDTH * count, 1.5) + besides), _WIDEST)


def label_topics(canvas: Canvas, topics: Sequence[str], order: str | None) -> None:
    """Write the ids of topics below the axes if there is room for them, else only how many there are."""
    label = "topic" if order is None else f"topic, {order}"
    if _TEXT_SIZE / 72 * len(topics) <= canvas.width:
        is_narrow = text_width(topics, _TEXT_SIZE) > 0.8 * canvas.width / len(topics)
        canvas.ax.set_xticks(range(len(topics)), topics, rotation=90 if is_narrow else 0, fontsize=_TEXT_SIZE)
        canvas.ax.tick_params(axis="x", length=0)
        canvas.ax.set_xlabel(label)
    else:
        canvas.ax.set_xticks([])
        canvas.ax.set_xlabel(f"{len(topics)} topics" + (f", {order}" if order else ""))
