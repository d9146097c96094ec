"""Trees as columns: nodes in pre-order, told by their depths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from prum_eval.arrays import IntArray


def nesting(depth: IntArray) -> tuple[IntArray, IntArray]:
    """Parent (-1 for a root) and size of subtree of nodes in pre-order, the roots at depth 1.

    The depth must begin with 1 and never grow by more than 1: then the last node one level up is the parent.
    """
    parent = np.full(len(depth), -1, dtype=np.int64)
    size = np.ones(len(depth), dtype=np.int64)
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)
    for above, level in pairwise(levels):
        parent[level] = above[np.searchsorted(above, level) - 1]
    for level in reversed(levels[1:]):
        owner = parent[level]
        first = np.concatenate([[0], np.flatnonzero(np.diff(owner)) + 1])
        size[owner[first]] += np.add.reduceat(size[level], first)
    return parent, size
