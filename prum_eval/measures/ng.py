"""The INEX 2003 metric, inex_eval_ng: recall and precision of elements that have sizes and overlap.

Sources: [ING] Goevert, Fuhr, Lalmas, Kazai 2006, equations 12-19; [PRUM] C.2.

Arrays. ``exh``, ``spec``: quantised exhaustivity and specificity of each result, 0 where unjudged, shape (o,).
``length``: |c| of each result in characters, 0 where it does not exist; ``new``: |U|, the part of it that no earlier
result covers. Variant s takes size into account, variant o size and overlap. 0/0 is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.trees import DocumentTree
from prum_eval.numerics.levels import SLACK, total

LEVELS = np.arange(1, 101) / 100
"""The recall levels that the means are over."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Recall and precision after each rank, shape (o,)."""

    recall: FloatArray
    precision: FloatArray

    def interpolated(self, levels: FloatArray) -> FloatArray:
        """Salton's interpolation: the highest precision at equal or higher recall, 0 where that is never reached."""
        best = np.append(np.maximum.accumulate(self.precision[::-1])[::-1], 0.0)
        return best[np.searchsorted(self.recall, levels - SLACK)]

    def mean(self) -> float:
        """Mean of the interpolated precision over the levels .01, .02, ... 1.00."""
        return total(self.interpolated(LEVELS).tolist()) / len(LEVELS)

    def end(self) -> float:
        """Recall of the whole list."""
        return float(self.recall[-1]) if len(self.recall) else 0.0


def quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient of two columns, 0 where the divisor is 0."""
    values = np.zeros(len(above))
    np.divide(above, below, out=values, where=below > 0)
    return values


def by_size(exh: FloatArray, spec: FloatArray, length: FloatArray, base: float) -> Curve:
    """Variant s: recall = sum exh / base, precision = sum spec |c| / sum |c| ([ING] equations 12, 13).

    `base` is the sum of exh over the recall base.
    """
    return Curve(np.cumsum(exh) / base, quotient(np.cumsum(spec * length), np.cumsum(length)))


def by_overlap(exh: FloatArray, spec: FloatArray, length: FloatArray, new: FloatArray, base: float) -> Curve:
    """Variant o: recall = sum exh |U| / |c| / base, precision = sum spec |U| / sum |U| ([ING] equations 18, 19).

    `base` is what can be retrieved at most, `most_relevant`; or, in [PRUM]'s simplification, the sum of exh.
    """
    recall = np.cumsum(exh * quotient(new, length)) / base
    return Curve(recall, quotient(np.cumsum(spec * new), np.cumsum(new)))


def most_relevant(trees: Sequence[DocumentTree], exh: FloatArray) -> float:
    """rel(root) of a virtual root that joins all documents: the sum of rel over their roots ([ING] equation 17).

    rel(c) = exh(c) for an element without children in the structure, else the sum over its children ch of
    max(rel(ch), exh(c) |ch| / |c|). Text that stands directly in an element with children is lost by this recursion,
    so recall can pass 1.

    Args:
        trees: complete trees of the documents that hold something exhaustive; other documents have rel 0.
        exh: the exhaustivity of their elements, tree after tree.
    """
    if not trees:
        return 0.0
    first = np.cumsum([0, *(len(tree.paths) for tree in trees)])[:-1]
    parent = np.concatenate(
        [np.where(tree.parent >= 0, tree.parent + at, -1) for tree, at in zip(trees, first, strict=True)]
    )
    length = np.concatenate([tree.length for tree in trees]).astype(np.float64)
    inner = parent >= 0
    share = np.zeros(len(exh))  # exh of the parent, as far as it falls on this child
    share[inner] = exh[parent[inner]] * quotient(length[inner], length[parent[inner]])
    rel = exh.copy()
    rel[parent[inner]] = 0.0
    for row in _deepest_first(parent):
        np.add.at(rel, parent[row], np.maximum(rel[row], share[row]))
    return total(rel[~inner].tolist())


def _deepest_first(parent: IntArray) -> list[IntArray]:
    """Elements that have a parent, by depth, the deepest first."""
    depth = np.zeros(len(parent), dtype=np.int64)
    level = np.flatnonzero(parent >= 0)
    above = parent[level]
    while len(level):
        depth[level] += 1
        above = parent[above]
        level, above = level[above >= 0], above[above >= 0]
    order = np.argsort(-depth, kind="stable")
    bounds = np.flatnonzero(np.diff(-depth[order])) + 1
    return [rows for rows in np.split(order, bounds) if depth[rows[0]] > 0]
