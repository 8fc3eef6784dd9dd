"""Files of figures: which may be written, and in which format."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, cast

from irdiv_cli.local_files import is_read

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SOFTWARE = "irdiv"


def figure_path(path: str, arguments: argparse.Namespace) -> str:
    """Return where the figure of a command is written: to a PNG file if the path has no ending.

    It is an error if that is a folder or a device, a file that the command reads, or a file of something else under a
    name that the user has not given in full.
    """
    from irdiv.errors import IrdivError

    has_ending = len(os.path.splitext(path)[1]) > 1
    is_special = os.path.exists(path) and not os.path.isfile(path)
    if path == "-" or os.path.isdir(path) or (is_special and not has_ending):
        raise IrdivError(
            f"{path!r} is a folder, a device or standard output; expected the file of a figure, such as 'figure.png'."
        )
    full = path if has_ending else f"{path.rstrip('.')}.png"  # as matplotlib does
    if is_read(full, arguments):
        raise IrdivError(f"{full!r} is read by this command, and would be overwritten; choose another file.")
    if not has_ending:
        require_own_figure(full, "--plot" if "plot" in arguments else "-o")
    return full


def require_own_figure(path: str, option: str) -> None:
    """Raise an error if a file that the user has not named is there, and not a figure of irdiv."""
    from irdiv.errors import IrdivError

    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        head = file.read(4096)
    if head and f"Software\0{_SOFTWARE}".encode() not in head:
        raise IrdivError(
            f"{path!r} exists and is not a figure of irdiv; name the file to write by {option}, with its ending."
        )


def save_figure(axes: Axes, path: str) -> None:
    """Write a figure to a file in the format of its ending."""
    from irdiv.errors import IrdivError
    from irdiv.files import write_atomically

    ending = path.rpartition(".")[2]
    # A file in PNG states which program wrote it, so that irdiv knows its own.
    metadata = {"Software": _SOFTWARE} if ending.lower() == "png" else None
    try:
        with write_atomically(path) as file:
            cast("Figure", axes.figure).savefig(file, format=ending, metadata=metadata)
    except ValueError as error:
        raise IrdivError(f"cannot write the plot {path!r}: {error}") from None
