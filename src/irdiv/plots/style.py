"""The style of all plots: sizes for a two-column paper, and a light and a dark theme."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias

from irdiv.checks import choice, require
from irdiv.errors import IrdivError
from irdiv.show.palette import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")

ThemeName: TypeAlias = Literal["light", "dark"]

COLUMN_WIDTH = 3.4
"""The width in inches of a column of a two-column paper."""
TEXT_SIZE = 8.0
SMALL_TEXT_SIZE = 7.0
"""Sizes in points, of labels, and of ticks and legends."""

_THEMES = {"light": LIGHT, "dark": DARK}
_current: ContextVar[ThemeName] = ContextVar("theme", default="light")


@contextmanager
def style(theme: ThemeName = "light") -> Iterator[None]:
    """Draw plots inside a ``with`` block in a theme; those of matplotlib itself as well.

    Plots are in the light theme by default. Settings in ``matplotlib.rcParams`` other than matplotlib's own are kept:
    with ``rcParams["font.size"] = 12`` text is larger.

    Parameters
    ----------
    theme
        ``"light"`` or ``"dark"``.

    Examples
    --------
    >>> import irdiv
    >>> from irdiv.demo import demo_qrels_and_runs
    >>> evaluation = irdiv.evaluate(*demo_qrels_and_runs(), "D#-nDCG@10")
    >>> with irdiv.plots.style("dark"):
    ...     ax = irdiv.plots.ranking(evaluation)
    >>> ax.get_xlabel()
    'D#-nDCG@10'
    """
    require(choice(*_THEMES), theme=theme)
    token = _current.set(theme)
    try:
        with _applied(_settings(current_theme())):
            yield
    finally:
        _current.reset(token)


def current_theme() -> Theme:
    """Return the colors of the theme in use."""
    return _THEMES[_current.get()]


def styled(plot: Callable[P, Axes]) -> Callable[P, Axes]:
    """Decorate a plot to be drawn in the style."""

    @wraps(plot)
    def drawn(*args: P.args, **options: P.kwargs) -> Axes:
        # A dollar sign in a name is shown as it is, where matplotlib would read a formula.
        with _applied({**_settings(current_theme()), "text.parse_math": False}), warnings.catch_warnings():
            # matplotlib warns about missing characters when the figure is saved.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            return plot(*args, **options)

    return drawn


@contextmanager
def _applied(settings: dict[Any, object]) -> Iterator[None]:
    """Apply settings of matplotlib but for those that the user has changed."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise IrdivError("plots need matplotlib: pip install 'irdiv[plots]'.") from None
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
