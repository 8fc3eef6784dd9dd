"""Numbers for ids: equal for equal ids, and hardly ever for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint64]

_WORD = 8
_LENGTH, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)
_SPARE_BITS = np.array([56, 56, 48, 40, 32, 24, 16, 8, 0], dtype=np.uint64)
"""How many bits of a word to drop to keep as many bytes as a string has; those of an empty one do not matter."""


def fingerprints(ids: Any, salt: int = 0) -> Words:
    """Return a number for each string of an Arrow array, mixed of its length and all its words of 8 bytes.

    Strings are read from Arrow's memory word by word, all of them at once, from their ends; the last word to be read
    is the first of the string, whatever it shares with the one before. Another salt gives other numbers, and so
    tells apart two strings that share one.
    """
    if len(ids) == 0:
        return np.zeros(0, dtype=np.uint64)
    memory, edges, length = _memory(ids)
    word = _words(memory, edges, length)
    number = (length + (salt << 32)).astype(np.uint64) * _LENGTH
    for place in range(-(-int(length.max()) // _WORD)):
        mixed = word(place) ^ number
        mixed *= _FACTOR
        mixed ^= mixed >> _HALF
        there = length > _WORD * place
        number = mixed if there.all() else np.where(there, mixed, number)
    return np.broadcast_to(number, len(ids))


def _memory(ids: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Return the bytes of strings, where they begin and end there, and their lengths, or one if that is all's."""
    import pyarrow as pa

    array = ids.cast(pa.large_string())
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    memory = np.frombuffer(data or b"", dtype=np.uint8)[edges[0] : edges[-1]]
    length = np.diff(edges)
    if (length == length[0]).all():
        length = length[:1]
    return memory, edges - edges[0], length


def _words(memory: NDArray[np.uint8], edges: NDArray[np.int64], length: NDArray[np.int64]) -> Callable[[int], Words]:
    """Return what gives the word of each string by its place from the end; ``length`` may be one for all."""
    size, spare = int(length[0]), _SPARE_BITS.take(length, mode="clip")
    if len(length) == 1 and size >= _WORD:
        # Copied, as arithmetic is slow on words that are not aligned.
        return lambda place: _at_distances(memory, max(size - _WORD * (place + 1), 0), size, len(edges) - 1).copy()
    # The word of a short string begins before it, and maybe before the memory.
    padded = np.concatenate([np.zeros(_WORD, np.uint8), memory])
    if len(length) == 1:
        return lambda place: _at_distances(padded, size, size, len(edges) - 1) >> spare
    every = _at_distances(padded, 0, 1, len(padded) - _WORD + 1)
    end = edges[1:]
    if length.max() <= _WORD:
        return lambda place: every[end] >> spare
    first = np.where(length < _WORD, end, edges[:-1] + _WORD)
    return lambda place: every[np.maximum(end - _WORD * place, first)] >> spare


def _at_distances(memory: NDArray[np.uint8], start: int, distance: int, number: int) -> Words:
    return np.ndarray(number, "<u8", buffer=memory, offset=start, strides=(distance,))
