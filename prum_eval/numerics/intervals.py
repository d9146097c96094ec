"""Intervals [start, end) of integers, and the intervals of trees in pre-order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from prum_eval.arrays import IntArray

Intervals = list[tuple[int, int]]


def merge_intervals(spans: Iterable[tuple[int, int]]) -> Intervals:
    """The union of spans as disjoint spans in order; adjacent ones stay separate.

    >>> merge_intervals([(5, 9), (0, 3), (3, 6), (9, 9)])
    [(0, 3), (3, 9), (9, 9)]
    """
    merged: Intervals = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def any_overlap(spans: Iterable[tuple[int, int]]) -> bool:
    """Whether two spans overlap, or an empty one lies inside another."""
    return any(start < end for (_, end), (start, _) in pairwise(sorted(spans)))


def nesting_from_depths(depth: IntArray) -> tuple[IntArray, IntArray]:
    """Parent (-1 for a root) and subtree size of nodes in pre-order, by their depths; roots have depth 1.

    The depth must begin with 1 and never grow by more than 1, so the parent is the last node one level up. A subtree
    ends at the next node of its level, or with its parent.
    """
    parent = np.full(len(depth), -1, dtype=np.int64)
    end = np.full(len(depth) + 1, len(depth), dtype=np.int64)
    order = np.argsort(depth.astype(np.min_scalar_type(int(depth.max(initial=0)))), kind="stable")
    upper = order[:0]
    for level in np.split(order, np.cumsum(np.bincount(depth, minlength=2))[1:-1]):
        end[level] = np.append(level[1:], len(depth))
        if len(upper):
            parent[level] = upper[np.searchsorted(upper, level) - 1]
            end[level] = np.minimum(end[level], end[parent[level]])
        upper = level
    return parent, end[:-1] - np.arange(len(depth))
