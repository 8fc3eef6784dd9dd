"""Files that are written: outputs that are complete or not there, and temporary files that never remain."""

from __future__ import annotations

import atexit
import errno
import os
import platform
import re
import secrets
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from irdiv.errors import IrdivError, short
from irdiv.types import PathLike

_HOST = f"{zlib.crc32(platform.node().encode()):08x}"
"""Which machine this is, as another may write to the same folder, and has processes of its own."""
_UNFINISHED = re.compile(rf"\.irdiv-{_HOST}-(?P<process>\d+)-[0-9a-f]+")
_DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
_unfinished: set[Path] = set()


@contextmanager
def write_atomically(path: PathLike) -> Iterator[Path]:
    """Yield the path of a file to write, in the same folder, which becomes the given one when it is complete.

    If an error or Ctrl-C ends the writing, no file is left, and one that was there before stays as it was. The
    yielded path has the last suffixes of the given one. What is not a regular file, such as ``/dev/stdout``, is
    written itself.
    """
    require_possible_path(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
        yield target
        return
    _remove_files_of_killed_processes(target.parent)
    unfinished = target.parent / _unfinished_name(_ending(target.name))
    _unfinished.add(unfinished)
    try:
        yield unfinished
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError as error:
        if error.errno in _DISK_IS_FULL or unfinished.name in str(error):
            reason = (error.strerror or str(error)).replace(unfinished.name, target.name)
            # Libraries raise some without a number, and Python shows a missing one as "[Errno None]".
            arguments = (reason,) if error.errno is None else (error.errno, reason, os.fspath(path))
            raise OSError(*arguments) from error
        raise
    finally:
        unfinished.unlink(missing_ok=True)
        _unfinished.discard(unfinished)


def require_possible_path(path: PathLike) -> None:
    """Raise an error for a path that no file can have."""
    try:
        os.lstat(path)
    except OSError:
        return
    except ValueError:
        raise IrdivError(
            f"no file can have the path {short(os.fspath(path))}: it has a null character, or one that the system's "
            "encoding lacks."
        ) from None


def _ending(name: str) -> str:
    """Return the one or two short suffixes by which libraries choose a format, as ``.csv.gz``."""
    endings: list[str] = re.findall(r"(?:\.\w{1,9}){0,2}\Z", name)
    return endings[0]


def _unfinished_name(suffix: str = "") -> str:
    return f".irdiv-{_HOST}-{os.getpid()}-{secrets.token_hex(4)}{suffix}"


def remove_unfinished_files() -> None:
    """Remove temporary files that have a name, for a process that must end at once."""
    for path in list(_unfinished):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _remove_files_of_killed_processes(folder: Path) -> None:
    """Remove what a process that was killed while it wrote to a folder has left there."""
    if os.name != "posix":  # elsewhere signal 0 does more than ask whether a process is alive
        return
    for path in folder.glob(f".irdiv-{_HOST}-*"):
        match = _UNFINISHED.match(path.name)
        if match is not None and not _is_alive(int(match["process"])):
            with suppress(OSError):
                path.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


class TemporaryFile:
    """A file to which parts are added, and from which they are read, private to the user.

    It has no name where the system allows that, and is gone when the process ends, also when it is killed. If it must
    have a path on a system that has no paths of open files, it is removed at exit.
    """

    def __init__(self, *, has_path: bool = False) -> None:
        descriptors = Path("/proc/self/fd")
        self.path: Path | None = None
        """The path by which this process can open the file."""
        if has_path and not descriptors.is_dir():
            folder = Path(tempfile.gettempdir())
            _remove_files_of_killed_processes(folder)
            self.path = folder / _unfinished_name()
            self._file = os.fdopen(os.open(self.path, _NEW_FILE, 0o600), "wb+", buffering=0)
            _unfinished.add(self.path)
            atexit.register(remove_unfinished_files)
        else:
            self._file = tempfile.TemporaryFile(prefix="irdiv-", buffering=0)  # noqa: SIM115 (`__exit__` closes it)
            self.path = descriptors / str(self._file.fileno()) if has_path else None
        self._size, self._lock = 0, Lock()
        weakref.finalize(self, self._file.close)

    def __enter__(self) -> TemporaryFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, part: bytes | memoryview) -> slice:
        """Write bytes at the end, and return where they are."""
        start, rest = self._size, memoryview(part)
        try:
            while len(rest):
                written = self._file.write(rest)
                self._size += written
                rest = rest[written:]
        except OSError as error:
            if error.errno not in _DISK_IS_FULL:
                raise
            raise IrdivError(
                f"no space is left for temporary files in {tempfile.gettempdir()!r} ({os.strerror(error.errno)}): free "
                "some, or set the environment variable TMPDIR to another folder."
            ) from error
        return slice(start, self._size)

    def read_into(self, start: int, target: memoryview) -> None:
        """Fill a buffer with the bytes from ``start`` on; several threads may read at once."""
        while len(target):
            count = self._read_some(start, target)
            if count == 0:
                raise EOFError("a temporary file is shorter than what was written to it")
            start, target = start + count, target[count:]

    def _read_some(self, start: int, target: memoryview) -> int:
        """Read as many bytes as the system gives at once, and return their count."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [target], start)
        with self._lock:
            self._file.seek(start)
            return self._file.readinto(target)
