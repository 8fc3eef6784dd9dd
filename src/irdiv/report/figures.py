"""Figures of the page as SVG, in the colors of the page around them.

They are drawn by the functions of `irdiv.plots`, so that they look like those of ``evaluation.plot``. Text is text, and
not outlines of letters. Each run's element has an id that ends in ``run-<i>``, where i is the index of the run in the
evaluation, after the name of the figure: ``scatter-run-3`` and ``ranking-run-3`` can be on one page. Other ids are
removed, or begin with the name of the figure as well.

A process that only draws imports this, so that it imports neither pandas nor what evaluates runs.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from irdiv.plots.highlights import Highlight
from irdiv.plots.levels import SortedLevels, draw_asl_curves
from irdiv.plots.rows import RankedMean, draw_ranking
from irdiv.plots.scatter import RunPoints, draw_recall_relevance
from irdiv.plots.styles import style, styled
from irdiv.show.palette import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.axes import Axes

_WIDTH = 4.6
"""In inches: text of 7 points is large enough on a telephone, and not too large on a desktop."""
_FONT = 'font-family="DejaVu Sans, Verdana, sans-serif"'
"""That of matplotlib, and one that is as wide."""
_ROW_HEIGHT = 0.13
_MOST_NAMED = 16
"""With more runs, a few of the scatter plot are named; the page names the one that is pointed at."""
_FEW_NAMED = 5


def recall_figure(points: RunPoints, highlight: Highlight = None) -> Markup:
    """Return the plot of runs by intent recall and a D-measure, named ``scatter``.

    ``highlight`` is that of `irdiv.plots.recall_relevance`; by default all of up to 16 runs are named, and of more runs
    the five best.
    """
    if highlight is None and len(points.runs) > _MOST_NAMED:
        highlight = _FEW_NAMED
    ax = _new_axes(3.8)
    styled(draw_recall_relevance)(points, highlight=highlight, ax=ax)
    # The names of points are placed in a figure that is laid out.
    return _to_svg(ax, "scatter", "runs by recall and relevance", is_laid_out=True)


def ranking_figure(means: Sequence[RankedMean], measure: str, topic_count: int, confidence_level: float) -> Markup:
    """Return the plot of runs with the intervals of their means by a measure, best first, named ``ranking``."""
    ax = _new_axes(0.8 + _ROW_HEIGHT * max(len(means), 4))
    styled(draw_ranking)(means, measure, topic_count, confidence_level, ax=ax)
    return _to_svg(ax, "ranking", f"means of runs by {measure} with confidence intervals")


def asl_figure(curves: Mapping[str, SortedLevels], level: float) -> Markup:
    """Return the plot of ASL curves, named ``asl``."""
    ax = _new_axes(3.4)
    styled(draw_asl_curves)(curves, level, ax=ax)
    return _to_svg(ax, "asl", "ASL curves")


def _new_axes(height: float) -> Axes:
    """Return axes that fill a new figure, until labels make them smaller."""
    from matplotlib.figure import Figure

    with style("light"):
        figure = Figure(figsize=(_WIDTH, height), dpi=72, layout="constrained")
        return figure.subplots(gridspec_kw={"left": 0, "bottom": 0, "right": 1, "top": 1})


def _to_svg(ax: Axes, name: str, label: str, *, is_laid_out: bool = False) -> Markup:
    """Return the figure of axes as an element of a page, whose ids begin with a name."""
    import matplotlib as mpl
    from markupsafe import Markup, escape
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.set_facecolor("none")
    ax.set_facecolor("none")
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}), warnings.catch_warnings():
        # Browsers have fonts for characters that the fonts of matplotlib lack.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        engine = figure.get_layout_engine()
        if engine is not None and not is_laid_out:
            engine.execute(figure)
        # Once is enough: the figure is laid out, and savefig would draw it twice.
        figure.set_layout_engine("none")
        print_svg: Callable[..., None] = FigureCanvasSVG(figure).print_svg
        print_svg(buffer, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(
        r"<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>", "", text[text.index("<svg") :], flags=re.DOTALL
    )
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    # matplotlib has escaped all names, so that < and > are only around elements.
    text = re.sub(r"<[^<>]*>", lambda element: _shortened(element[0], name, used), text)
    text = re.sub(r">\s*\n\s*<", ">\n<", text)
    # matplotlib leaves out the color of black text.
    start = f'<svg role="img" class="figure-{name}" aria-label="{escape(label)}" fill="currentColor" {_FONT} '
    return Markup(text.replace("<svg ", start, 1).replace(">\n", f">\n<style>{_dark_colors(name)}</style>\n", 1))


def _shortened(element: str, name: str, used: set[str]) -> str:
    """Return an element with ids of the figure, colors and font of the page, and positions in hundredths of a point."""

    def own_id(found: re.Match[str]) -> str:
        is_kept = found[1] in used or re.search(r"run-\d+$", found[1])
        return f' id="{name}-{found[1]}"' if is_kept else ""

    element = re.sub(r' id="([^"]*)"', own_id, element)
    element = re.sub(r'(url\(|href=")#', rf"\1#{name}-", element)
    element = re.sub(r" font-family: [^;\"]*;?", "", element)
    element = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), element)
    return re.sub(r"#[0-9a-f]{6}", lambda color: _page_color(color[0]), element)


def _page_color(color: str) -> str:
    """Return a color of the light theme by the name that the page gives it, so that it can have another one."""
    if color == LIGHT.text:
        return "currentColor"
    index = _colors(LIGHT).index(color) if color in _colors(LIGHT) else None
    return color if index is None else f"var(--figure-{index}, {color})"


def _dark_colors(name: str) -> str:
    """Return a style sheet with the colors of the dark theme."""
    colors = ";".join(f"--figure-{index}:{color}" for index, color in enumerate(_colors(DARK)))
    return f"@media (prefers-color-scheme: dark){{.figure-{name}{{{colors}}}}}"


def _colors(theme: Theme) -> tuple[str, ...]:
    return (*theme.colors, theme.muted_text, theme.guide, theme.contour, theme.missing)
