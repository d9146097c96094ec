"""Seeded draws for tests and intervals: the same numbers on every machine and with every version of numpy.

They are made from the raw words of the PCG64 generator, whose stream numpy never changes; the streams of its
distributions may. A trial always takes the same number of words, so that results do not depend on the size of chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import FloatArray, IntArray

CELLS = 1 << 20
"""About so many cells a chunk."""
PERMUTATIONS = 512
"""So many permutations of each row of a table are drawn, a power of 2."""


class WatchedTrials(int):
    """A number of trials, and what is called after each chunk of them with how many it had."""

    watch: Callable[[int], object]

    def __new__(cls, trials: int, watch: Callable[[int], object]) -> Self:
        """The number."""
        made = super().__new__(cls, trials)
        made.watch = watch
        return made


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


def orders(seed: int, trials: int, n: int) -> Iterator[IntArray]:
    """Random orders of n items, by number: chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        yield np.argsort(source.random_raw(count * n).reshape(count, n), axis=1, kind="stable")


def permuted_sums(seed: int, trials: int, rows: FloatArray) -> Iterator[NDArray[np.float32]]:
    """Column sums of a table whose rows are permuted, each for itself: chunks of shape (some trials, columns).

    Sums are of single precision. A permutation is one of `PERMUTATIONS` that are drawn for its row at first: to draw
    and sort anew takes ten times as long. What does not depend on the order of columns, such as the range of the sums,
    does not depend on what is drawn for any one row alone: to the variance of a share p of trials this adds at most
    p (1 - p) / `PERMUTATIONS` squared, as much as a quarter of a million trials have.
    """
    source = np.random.PCG64(seed)
    n, k = rows.shape
    tables = np.empty((n, PERMUTATIONS, k), dtype=np.float32)
    for row, table in zip(rows, tables, strict=True):
        table[:] = row[np.argsort(source.random_raw(PERMUTATIONS * k).reshape(PERMUTATIONS, k), axis=1, kind="stable")]
    for count in _chunks(trials, max(n, 5 * k)):
        words = source.random_raw(count * n) & np.uint64(PERMUTATIONS - 1)
        drawn = np.ascontiguousarray(words.view(np.int64).reshape(count, n).T)
        sums, taken = np.zeros((count, k), dtype=np.float32), np.empty((count, k), dtype=np.float32)
        for table, chosen in zip(tables, drawn, strict=True):
            np.take(table, chosen, axis=0, out=taken, mode="clip")  # any other mode makes a copy
            sums += taken
        yield sums


def _chunks(trials: int, n: int) -> Iterator[int]:
    size = max(1, CELLS // max(1, n))
    for start in range(0, trials, size):
        count = min(size, trials - start)
        yield count
        if isinstance(trials, WatchedTrials):
            trials.watch(count)
