"""Axes of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from irdiv.plots.axes import Canvas, shortened, text_width, tick_step
from irdiv.plots.styles import COLUMN_WIDTH, LINE_HEIGHT, SMALL_TEXT_SIZE

TopicOrder: TypeAlias = Literal["size", "topic"]
"""Topics by value, or by id."""

_BESIDES = 0.7
"""The width in inches of an axis of values."""
_LONGEST = 1.0
"""Longer ids, in inches, are shortened."""


def are_wide(count: int, besides: float = _BESIDES) -> bool:
    """Return whether a bar or a cell for each topic, and something besides, need the width of the page."""
    return LINE_HEIGHT * count + besides > COLUMN_WIDTH


def label_topics(canvas: Canvas, topics: Sequence[str], order: str | None) -> None:
    """Write the ids of topics below the axes, as many as fit, or how many topics there are if they are in an order."""
    ax, topics = canvas.ax, shortened(topics, _LONGEST)
    room = canvas.axes_width
    step = tick_step(len(topics), room)
    if order is not None and step > 2:
        ax.set_xticks([])
        canvas.set_labels(f"{len(topics)} topics, {order}")
        return
    is_narrow = text_width(topics, SMALL_TEXT_SIZE) > 0.8 * room / len(topics)
    shown = range(0, len(topics), step)
    ax.set_xticks(shown, [topics[i] for i in shown], rotation=90 if is_narrow else 0, fontsize=SMALL_TEXT_SIZE)
    ax.tick_params(axis="x", length=0)
    canvas.set_labels("topic" if order is None else f"topic, {order}")
