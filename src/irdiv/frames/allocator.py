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

    At 10^5 topics that saved about a quarter of all processor time, most of it the kernel's; it takes more memory at
    10^6. An allocator that the user chose stays, by ``ARROW_DEFAULT_MEMORY_POOL`` or by ``pa.set_memory_pool``, but for
    mimalloc by the latter, which looks like the default: it is restored at the end. So does another allocator
    that is chosen meanwhile, as by another thread.
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
        if pa.default_memory_pool().backend_name == "system":
            pa.set_memory_pool(before)
