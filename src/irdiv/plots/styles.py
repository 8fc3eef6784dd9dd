"""The style of all plots: widths of a two-column paper, sizes of text and lines, and a light and a dark theme."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, ParamSpec, TypeAlias, cast, get_args

from irdiv.checks import choice, require
from irdiv.errors import IrdivError, warn
from irdiv.progress import is_in_notebook
from irdiv.show.palette import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")

ThemeName: TypeAlias = Literal["light", "dark"]
SizeName: TypeAlias = Literal["auto", "column", "page"]

COLUMN_WIDTH = 3.3
PAGE_WIDTH = 7.0
PAGE_HEIGHT = 9.0
"""The widths in inches of a column and of both columns of a two-column paper, and the height of a figure on a page."""
TEXT_SIZE = 8.0
SMALL_TEXT_SIZE = 7.0
"""Sizes in points, of labels, and of all other text: journals ask for 7 points in print."""
LINE_HEIGHT = 1.2 * SMALL_TEXT_SIZE / 72
"""The height in inches of a line of small text."""
LINE_WIDTH = 1.2
THIN_LINE_WIDTH = 0.6
"""Widths in points, of curves, and of lines in the background."""

_THEMES = {"light": LIGHT, "dark": DARK}


class _Style(NamedTuple):
    theme: ThemeName = "light"
    size: SizeName = "auto"


_LIGHT: Final = _Style()
_current: ContextVar[_Style] = ContextVar("style", default=_LIGHT)


@contextmanager
def style(theme: ThemeName = "light", size: SizeName = "auto") -> Iterator[None]:
    """Draw plots inside a ``with`` block in a theme and a size; those of matplotlib itself in the theme as well.

    After the block, and after each plot, ``matplotlib.rcParams`` are what they were. Settings other than matplotlib's
    own are kept: with ``rcParams["font.size"] = 12`` text is larger.

    Parameters
    ----------
    theme
        ``"light"`` or ``"dark"``.
    size
        The width of new figures in a two-column paper: ``"column"`` (3.3 inches), ``"page"`` (7 inches), or ``"auto"``,
        which is a column unless what is shown needs the page. Figures are at most 9 inches high.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    >>> with irdiv.plots.style("dark", size="page"):
    ...     ax = irdiv.plots.ranking(evaluation)
    >>> ax.get_xlabel(), float(ax.figure.get_figwidth())
    ('D#-nDCG@10', 7.0)
    """
    require(choice(*_THEMES), theme=theme)
    require(choice(*get_args(SizeName)), size=size)
    token = _current.set(_Style(theme, size))
    try:
        with _applied(_settings(current_theme())):
            yield
    finally:
        _current.reset(token)


def current_theme() -> Theme:
    """Return the colors of the theme in use."""
    return _THEMES[_current.get().theme]


def figure_width(is_wide: bool) -> float:
    """Return the width of a new figure in inches; with ``size="auto"`` that of the page if it shows much."""
    size = _current.get().size
    return PAGE_WIDTH if size == "page" or (size == "auto" and is_wide) else COLUMN_WIDTH


def styled(plot: Callable[P, Axes]) -> Callable[P, Axes]:
    """Decorate a plot to be drawn in the style."""

    @wraps(plot)
    def drawn(*args: P.args, **options: P.kwargs) -> Axes:
        # A dollar sign in a name is shown as it is, where matplotlib would read a formula.
        with _applied({**_settings(current_theme()), "text.parse_math": False}), warnings.catch_warnings():
            # matplotlib warns about missing characters when the figure is saved.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            ax = plot(*args, **options)
            if options.get("ax") is not None:
                _warn_of_texts_outside(ax)
            return ax

    return drawn


def _warn_of_texts_outside(ax: Axes) -> None:
    """Warn if labels of axes that were given are outside their figure or on other axes, and nothing lays them out."""
    from matplotlib.transforms import Bbox

    figure = cast("Figure", ax.get_figure(root=True))
    if figure.get_layout_engine() is not None:
        return
    box, inside = ax.get_tightbbox(), figure.bbox.padded(2)
    if box is None or (
        Bbox.union([box, inside]).bounds == inside.bounds
        and not any(box.overlaps(other.get_window_extent()) for other in figure.axes if other is not ax)
    ):
        return
    warn(
        "labels of the plot are cut off or cover other axes, as nothing lays out the figure: make it with "
        'layout="constrained", such as plt.subplots(1, 2, layout="constrained"), or call its tight_layout().'
    )


@contextmanager
def _applied(settings: dict[Any, object]) -> Iterator[None]:
    """Apply settings of matplotlib but for those that the user has changed."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise IrdivError("plots need matplotlib: pip install 'irdiv[plots]'.") from None
    _import_pyplot_in_notebooks()
    # Inside a theme, settings are those of the theme.
    not_users = [mpl.rcParamsDefault, *map(_settings, _THEMES.values())]
    with mpl.rc_context(
        {
            name: value
            for name, value in settings.items()
            if any(name in other and mpl.rcParams[name] == other[name] for other in not_users)
        }
    ):
        yield


def _settings(theme: Theme) -> dict[Any, object]:
    return {
        "figure.dpi": 200,
        "font.size": TEXT_SIZE,
        "axes.labelsize": TEXT_SIZE,
        "axes.titlesize": TEXT_SIZE,
        **dict.fromkeys(
            ("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize"), SMALL_TEXT_SIZE
        ),
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
        **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), theme.background),
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), theme.text),
        # Journals refuse the fonts that matplotlib embeds in PDF by default.
        "pdf.fonttype": 42,
    }


def _import_pyplot_in_notebooks() -> None:
    """Import pyplot in a kernel of Jupyter, which displays its figures.

    Its backend changes settings, which would be undone if it were loaded while others are applied.
    """
    if is_in_notebook() and "matplotlib.pyplot" not in sys.modules:
        import matplotlib.pyplot as plt

        plt.switch_backend(plt.get_backend())
