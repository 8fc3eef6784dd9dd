"""Figures as tests look at them, and frames of other libraries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.text import Text


def drawn(ax):
    """Lay out the figure, as saving it does; nothing is cut off, too small to read in print, or on another label."""
    figure = ax.figure
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox()
    outside = {"left": -box.x0, "right": box.x1 - width, "bottom": -box.y0, "top": box.y1 - height}
    assert {side: inches for side, inches in outside.items() if inches > 0.02} == {}
    texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert [text.get_text() for text in texts if text.get_size() < 7] == []
    for axis, low, high in ((ax.xaxis, "x0", "x1"), (ax.yaxis, "y0", "y1")):
        boxes = [(label.get_window_extent(), label.get_text()) for label in axis.get_ticklabels() if label.get_text()]
        boxes.sort(key=lambda box: getattr(box[0], low))
        for (one, name), (two, other) in pairwise(boxes):
            assert getattr(one, high) <= getattr(two, low) + 2, (name, other)
    legend = ax.get_legend()
    assert legend is None or not ax.get_window_extent().overlaps(legend.get_window_extent().padded(-1))
    return ax


def lines(ax) -> dict[str, np.ndarray]:
    """Return the points of the lines by label."""
    return {line.get_label(): line.get_xydata() for line in ax.lines if len(line.get_xydata())}


def tick_labels(axis) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def legend_texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def shown(ax) -> tuple:
    """Return all texts, the points of lines and the heights of bars."""
    texts = [text.get_text() for text in ax.findobj(Text)]
    return texts, [line.get_xydata().tolist() for line in ax.lines], [bar.get_height() for bar in ax.patches]


def in_library(library: str, frame: pd.DataFrame):
    if library == "pandas":
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table if library == "pyarrow" else pytest.importorskip("polars").from_arrow(table)
