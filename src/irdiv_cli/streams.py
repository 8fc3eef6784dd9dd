"""Standard streams: opened if closed, and written without losing characters."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from io import TextIOWrapper


def open_closed_streams() -> None:
    """Open the null device for standard streams that are closed, as by ``>&-``; only ``sys.stdin`` stays None.

    Files that are opened later would get their descriptors, and then what other packages and processes print.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # noqa: PERF203 (there are three)
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest free descriptor, this one
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (as long as the process)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def escape_unencodable() -> None:
    """Print escapes for characters that the encoding of a stream lacks, such as symbols of formulas."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_data(text: str) -> None:
    """Write lines for programs to standard output: to a terminal as other text, else in UTF-8 or another Unicode."""
    stream = sys.stdout
    if isinstance(stream, TextIOWrapper) and stream.errors != "surrogateescape" and not stream.isatty():
        is_unicode = codecs.lookup(stream.encoding).name.startswith("utf")
        # Bytes of paths that are not characters are written as they are.
        stream.reconfigure(encoding=stream.encoding if is_unicode else "utf-8", errors="surrogateescape")
    stream.write(text)


def print_message(text: str) -> None:
    """Print to standard error; what cannot be written there has no other place, and is no reason to stop."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def discard_unwritable() -> None:
    """Discard what cannot be written to standard output or error, or Python would complain of it at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # noqa: PERF203 (there are two)
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
