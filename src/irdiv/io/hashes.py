"""64-bit hashes of ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from irdiv.io.ids import Ids
    from irdiv.types import Hashes, Ints

_WORD = 8
_USUAL_LENGTH = 256
"""Bytes that few ids exceed."""
_LENGTH, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)
_SPARE_BITS = np.array([56, 56, 48, 40, 32, 24, 16, 8, 0], dtype=np.uint64)
"""Bits of a word that are not of the string, by the length of the string; arbitrary for an empty one."""


def hash_ids(ids: Ids, salt: int = 0) -> Hashes:
    """Return a hash of each id, mixed from its length and all its words of 8 bytes.

    All ids are read from Arrow's memory at once, word by word from their ends; the word read last is the first one of
    the id and may overlap the one before. Ids that collide are unlikely to collide with another salt.
    """
    return _hash_ids(ids, salt, _USUAL_LENGTH)


def _hash_ids(ids: Ids, salt: int, usual: int) -> Hashes:
    """Return the hashes; ids longer than usual are hashed apart, as all take as many steps as the longest."""
    if len(ids) == 0:
        return np.zeros(0, dtype=np.uint64)
    memory, edges, length = _memory(ids)
    if len(length) > 1 and length.max() > usual:
        is_long = length > usual
        apart = np.empty(len(ids), dtype=np.uint64)
        apart[is_long] = _hash_ids(ids.take(np.flatnonzero(is_long)), salt, 4 * usual)
        apart[~is_long] = _hash_ids(ids.take(np.flatnonzero(~is_long)), salt, usual)
        return apart
    word = _words(memory, edges, length)
    hashes = (length + (salt << 32)).astype(np.uint64) * _LENGTH
    for index in range(-(-int(length.max()) // _WORD)):
        mixed = word(index) ^ hashes
        mixed *= _FACTOR
        mixed ^= mixed >> _HALF
        has_word = length > _WORD * index
        hashes = mixed if has_word.all() else np.where(has_word, mixed, hashes)
    return np.broadcast_to(hashes, len(ids))


def _memory(ids: Ids) -> tuple[NDArray[np.uint8], Ints, Ints]:
    """Return the bytes of ids, the offsets where they start and end, and their lengths, or one length shared by all."""
    import pyarrow as pa

    array = ids.cast(pa.large_string())
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    memory = np.frombuffer(data or b"", dtype=np.uint8)[edges[0] : edges[-1]]
    length = np.diff(edges)
    if (length == length[0]).all():
        length = length[:1]
    return memory, edges - edges[0], length


def _words(memory: NDArray[np.uint8], edges: Ints, length: Ints) -> Callable[[int], Hashes]:
    """Return a function from an index, counted from the end, to that word of each id; ``length`` may be one for all."""
    size, spare = int(length[0]), _SPARE_BITS.take(length, mode="clip")
    if len(length) == 1 and size >= _WORD:
        # Copied, as arithmetic is slow on words that are not aligned.
        return lambda index: _strided_words(memory, max(size - _WORD * (index + 1), 0), size, len(edges) - 1).copy()
    # The word of a short id starts before it, and maybe before the memory.
    padded = np.concatenate([np.zeros(_WORD, np.uint8), memory])
    if len(length) == 1:
        return lambda index: _strided_words(padded, size, size, len(edges) - 1) >> spare
    every = _strided_words(padded, 0, 1, len(padded) - _WORD + 1)
    end = edges[1:]
    if length.max() <= _WORD:
        return lambda index: every[end] >> spare
    first = np.where(length < _WORD, end, edges[:-1] + _WORD)
    return lambda index: every[np.maximum(end - _WORD * index, first)] >> spare


def _strided_words(memory: NDArray[np.uint8], start: int, stride: int, count: int) -> Hashes:
    """Return words at equal distances in memory, without copying."""
    return np.ndarray(count, "<u8", buffer=memory, offset=start, strides=(stride,))
