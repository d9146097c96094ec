"""Stretches [start, end) of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from prum_eval.arrays import IntArray

Intervals = list[tuple[int, int]]


def merge_intervals(spans: Iterable[tuple[int, int]]) -> Intervals:
    """What spans cover together, as spans in order that share nothing; those that only touch stay two.

    >>> merge_intervals([(5, 9), (0, 3), (3, 6), (9, 9)])
    [(0, 3), (3, 9), (9, 9)]
    """
    joined: Intervals = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def any_overlap(spans: Iterable[tuple[int, int]]) -> bool:
    """Whether any two of some spans share something, or one without length lies inside another."""
    return any(after < before for (_, before), (after, _) in pairwise(sorted(spans)))


# Trees as columns: nodes in pre-order, told by their depths.


def nesting_from_depths(depth: IntArray) -> tuple[IntArray, IntArray]:
    """Parent (-1 for a root) and size of subtree of nodes in pre-order, the roots at depth 1.

    The depth must begin with 1 and never grow by more than 1: then the last node one level up is the parent. A subtree
    ends where the next node of its level begins, or with its parent.
    """
    parent = np.full(len(depth), -1, dtype=np.int64)
    end = np.full(len(depth) + 1, len(depth), dtype=np.int64)
    order = np.argsort(depth.astype(np.min_scalar_type(int(depth.max(initial=0)))), kind="stable")
    above = order[:0]
    for level in np.split(order, np.cumsum(np.bincount(depth, minlength=2))[1:-1]):
        end[level] = np.append(level[1:], len(depth))
        if len(above):
            parent[level] = above[np.searchsorted(above, level) - 1]
            end[level] = np.minimum(end[level], end[parent[level]])
        above = level
    return parent, end[:-1] - np.arange(len(depth))
