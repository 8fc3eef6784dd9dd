"""Figures as tests look at them, and frames of other libraries."""

from __future__ import annotations

from itertools import pairwise

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
    assert min(box.x0, box.y0) > -0.02
    assert box.x1 < width + 0.02
    assert box.y1 < height + 0.02
    assert width in (3.3, 7.0)
    assert all(text.get_size() >= 7 for text in figure.findobj(Text) if text.get_text() and text.get_visible())
    for axis, low, high in ((ax.xaxis, "x0", "x1"), (ax.yaxis, "y0", "y1")):
        boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
        boxes.sort(key=lambda box: getattr(box, low))
        assert all(getattr(one, high) <= getattr(two, low) + 2 for one, two in pairwise(boxes))
    return ax


def in_library(library: str, frame: pd.DataFrame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table if library == "pyarrow" else pytest.importorskip("polars").from_arrow(table)
