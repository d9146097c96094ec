"""Trees as columns: nodes in pre-order, told by their depths."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import IntArray


def nesting(depth: IntArray) -> tuple[IntArray, IntArray]:
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
