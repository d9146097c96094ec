"""Trees from depths: what a list in document order says of parents and subtrees."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from prum_eval.arrays import BoolArray, IntArray


def nesting(depth: IntArray) -> tuple[IntArray, IntArray]:
    """Parent (-1 for a root) and size of subtree of elements in document order, the roots at depth 1.

    The depth must begin with 1 and never grow by more than 1: then the last element one level up is the parent.
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


def matched(level: IntArray, closing: BoolArray, empty: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Elements from tags: parent, size of subtree, the tag that ends each, and an order in which siblings are together.

    Args:
        level: depth of the element of each tag, 1 for a root.
        closing: which tags only end their element.
        empty: which tags begin and end it.
    """
    # Sorted by level, an opening tag stands before the one that closes it, and siblings stand one after the other.
    by_level = np.argsort(level.astype(np.min_scalar_type(level.max())), kind="stable")
    element = np.cumsum(~closing) - 1
    closes = closing[by_level]
    ends = np.flatnonzero(closes)
    close, opened = by_level[ends], element[by_level[ends - 1]]
    opening = np.flatnonzero(~closing)
    last = opening.copy()
    last[opened] = close
    size = np.ones(len(last), dtype=np.int64)
    size[opened] = element[close] - opened + 1
    order = element[by_level[~closes]]
    first_child = ~(closing | empty)[opening - 1]  # its parent is the element before
    first_child[0] = True
    heads = np.flatnonzero(first_child[order])
    parent = np.empty(len(order), dtype=np.int64)
    parent[order] = np.repeat(order[heads] - 1, np.diff(np.append(heads, len(order))))
    return parent, size, last, order
