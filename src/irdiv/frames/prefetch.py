"""Results computed in threads, a few items ahead of their use."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORKERS = min(os.cpu_count() or 1, 4)


def prefetch(function: Callable[[T], R], items: Iterable[T], workers: int = WORKERS) -> Iterator[R]:
    """Yield a function's results in the order of the items; the next ones are computed in threads meanwhile."""
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # After an error or Ctrl-C nobody waits for the results of items that are being computed.
        pool.shutdown(wait=False, cancel_futures=True)
