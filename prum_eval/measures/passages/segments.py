"""Cutting the texts of several articles where anything begins or ends: what lies between two cuts is uniform.

Conventions: an article is a number from 0 up, a position an offset in characters. Intervals are half open. Segment j
goes from cut j to cut j + 1; the one after the last cut of an article has no length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import IntArray

_SAFE = 2**62


def keys(article: IntArray, position: IntArray) -> IntArray:
    """Numbers that order pairs (article, position) by article, then position; equal for equal pairs only.

    >>> keys(np.array([1, 0, 1]), np.array([5, 9, -3])).argsort().tolist()
    [1, 2, 0]
    """
    if not len(article):
        return article
    lowest = int(position.min())
    width = int(position.max()) - lowest + 1
    if (int(article.max()) + 1) * width >= _SAFE:
        distinct, position = np.unique(position, return_inverse=True)
        lowest, width = 0, len(distinct)
    return article * width + (position - lowest)


@dataclass(frozen=True, slots=True)
class Segments:
    """Uniform stretches of text, ordered by article and position: columns of shape (S,)."""

    article: IntArray
    start: IntArray
    length: IntArray

    def covers(self, low: IntArray, high: IntArray) -> IntArray:
        """How many of the intervals from cut `low` to cut `high` cover each segment, shape (S,)."""
        size = len(self.start) + 1
        change = np.bincount(low, minlength=size) - np.bincount(high, minlength=size)
        return np.cumsum(change)[:-1]


def cut(article: IntArray, position: IntArray) -> tuple[Segments, IntArray]:
    """The segments between points, and for each point the number of its cut."""
    _, first, number = np.unique(keys(article, position), return_index=True, return_inverse=True)
    owner, start = article[first], position[first]
    length = np.zeros(len(first), dtype=np.int64)
    np.subtract(start[1:], start[:-1], out=length[:-1], where=owner[1:] == owner[:-1])
    return Segments(owner, start, length), number


def first_cover(low: IntArray, high: IntArray, segments: int) -> IntArray:
    """For each segment the first interval that covers it, len(low) where none does.

    Every interval is the union of two stretches of 2^k segments, so it marks two cells of level k; then each
    level hands what it holds down to the two halves of its stretches. O((n + S) log S), without a loop over results.

    >>> first_cover(np.array([1, 0]), np.array([3, 5]), 6).tolist()
    [1, 0, 0, 1, 1, 2]
    """
    count = len(low)
    width = high - low
    rows = np.flatnonzero(width > 0)
    level = np.zeros(count, dtype=np.int64)
    level[rows] = np.frexp(width[rows])[1] - 1  # floor of log2, exact
    marks = np.full((int(level.max(initial=0)) + 1, segments), count, dtype=np.int64)
    base = level[rows] * segments
    cells = np.concatenate((base + low[rows], base + high[rows] - (1 << level[rows])))
    np.minimum.at(marks.reshape(-1), cells, np.concatenate((rows, rows)))
    for above in range(len(marks) - 1, 0, -1):
        half, own, held = 1 << (above - 1), marks[above - 1], marks[above]
        np.minimum(own, held, out=own)
        np.minimum(own[half:], held[:-half], out=own[half:])
    first: IntArray = marks[0]
    return first
