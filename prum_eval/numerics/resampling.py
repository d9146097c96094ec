"""Seeded draws for tests and intervals: the same numbers on every machine and with every version of numpy.

They are made from the raw words of the PCG64 generator, whose stream numpy never changes; the streams of its
distributions may. A trial always takes the same number of words, so that results do not depend on the size of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from prum_eval.arrays import FloatArray

CELLS = 1 << 20
"""About so many cells a chunk."""


def signs(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """Random signs in chunks of shape (some trials, n), each -1 or +1 with probability 1/2."""
    source = np.random.PCG64(seed)
    words = -(-n // 64)
    for count in _chunks(trials, n):
        raw = source.random_raw(count * words).astype("<u8").view(np.uint8)
        bits = np.unpackbits(raw.reshape(count, 8 * words), axis=1, count=n)
        yield 1.0 - 2.0 * bits.astype(np.float64)


def resamples(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """How often each of n items is drawn in n draws with replacement: chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        uniform = (source.random_raw(count * n) >> np.uint64(11)) * 2.0**-53
        drawn = (uniform * n).astype(np.int64).reshape(count, n) + n * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def _chunks(trials: int, n: int) -> Iterator[int]:
    size = max(1, CELLS // max(1, n))
    for start in range(0, trials, size):
        yield min(size, trials - start)
