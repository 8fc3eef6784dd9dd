"""The allocator from which Arrow takes memory while rows are read batch by batch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa


@contextmanager
def system_allocator() -> Iterator[None]:
    """Let Arrow take memory from the system's allocator in place of mimalloc, its default, on Linux.

    mimalloc returns the pages of each batch, and the system clears them anew for the next one, which took a quarter of
    all processor time. An allocator that the user chose stays.
    """
    before = pa.default_memory_pool()
    is_default = before.backend_name == "mimalloc" and "ARROW_DEFAULT_MEMORY_POOL" not in os.environ
    if sys.platform != "linux" or not is_default:
        yield
        return
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)
