"""Gains of results that overlap: what a user who minds redundancy still gains from each.

Sources: [PRUM] C.3; Kazai, Lalmas, TOIS 24(4), 2006; [INEX06] section 5. Symbols: q quantised value, alpha in [0, 1]
how far the user minds, |x| the length of x, rv the gain of a result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import DocumentTree
from prum_eval.measures.coverage import NEVER, Coverage, inside

_NOISE = 1e-12
"""Largest gain that is taken for rounding noise of the recursion."""


class Reader:
    """What a user has seen of one document, and what each of its elements would still gain.

    For an element x without any result in it, rv(x) = q(x). A seen one has (1 - alpha) q(x). One that holds seen
    elements has alpha sum over children ch of rv(ch) |ch| / |x| + (1 - alpha) q(x). Instead of rv, the loss q - rv
    is kept, which is 0 for all but the seen elements and their ancestors: a result changes its own path only.
    """

    def __init__(self, tree: DocumentTree, q: FloatArray, alpha: float) -> None:
        self.tree = tree
        self.alpha = alpha
        self._q = q.tolist()
        self._length = tree.length.tolist()
        self._parent = tree.parent.tolist()
        inner = tree.parent >= 0
        weighted = np.bincount(tree.parent[inner], (q * tree.length)[inner], len(q))
        self._inside = weighted.tolist()  # sum over children of rv |ch|, as things stand
        self._unknown = bool((tree.length < 0).any())
        self._loss: dict[int, float] = {}  # of seen elements and of those that hold seen ones
        self._seen: set[int] = set()

    def gain(self, x: int) -> float:
        """Gain of an element that no earlier result covers; NaN if it depends on lengths that are not known."""
        if x in self._loss and self._unknown:
            return math.nan
        return float(self._q[x] - self._loss.get(x, 0.0))

    def see(self, x: int) -> None:
        """The user has seen the element x."""
        if x not in self._seen:
            self._seen.add(x)
            self._lose(x, self.alpha * self._q[x])

    def see_inside(self, x: int) -> None:
        """The user has seen something irrelevant that lies in x, and in none of its children that are known."""
        if x not in self._seen:
            self._lose(x, self._loss_of(x))

    def _loss_of(self, x: int) -> float:
        """Loss of an element that holds seen ones and was not seen itself."""
        length = self._length[x]
        return float(self.alpha * (self._q[x] - (self._inside[x] / length if length > 0 else 0.0)))

    def _lose(self, x: int, loss: float) -> None:
        """Set the loss of x, and what follows from it for the elements around x."""
        while True:
            change = loss - self._loss.get(x, 0.0)
            self._loss[x] = loss
            above = self._parent[x]
            if above < 0:
                return
            self._inside[above] -= change * self._length[x]
            if above in self._seen:
                return
            x, loss = above, self._loss_of(above)


def dependent_gains(
    q: FloatArray,
    results: Locations,
    cover: Coverage,
    alpha: float,
    trees: Sequence[DocumentTree | None],
    values: Sequence[FloatArray],
    around: IntArray,
) -> FloatArray:
    """Gain of each result with dependency alpha, shape (o,).

    Already inside an earlier result, or the same: (1 - alpha) q. Containing earlier results: the recursion of `Reader`.
    Otherwise q. NaN where a result contains an earlier one and the lengths are not known.

    Args:
        q: value of each result.
        results: where they are.
        cover: which of them lie in others.
        alpha: 0 for a user who does not mind, 1 for one who gains nothing from what was seen.
        trees: trees of the documents that hold a relevant element; no other result gains.
        values: q of each of their elements.
        around: for a result that its tree does not list, the innermost listed element around it; else -1.
    """
    if alpha == 0:
        return q
    gains = np.where(cover.covered, (1.0 - alpha) * q, q)
    asked, seen = _steps(results, cover, around, len(trees))
    rows = np.flatnonzero(asked | seen)
    columns = (rows, results.document[rows], results.element[rows], around[rows], asked[rows], seen[rows])
    readers: dict[int, Reader] = {}
    for i, number, x, holder, gaining, changing in zip(*(column.tolist() for column in columns), strict=True):
        reader = readers.get(number)
        if reader is None:
            tree = trees[number]
            if tree is None:
                continue
            reader = readers[number] = Reader(tree, values[number], alpha)
        if gaining:
            gains[i] = reader.gain(x)
        if changing and x >= 0:
            reader.see(x)
        elif changing:
            reader.see_inside(holder)
    return without_noise(gains)


def _steps(results: Locations, cover: Coverage, around: IntArray, documents: int) -> tuple[BoolArray, BoolArray]:
    """The results whose gain must be asked of a `Reader`, and those that change what it says of others.

    What an earlier result covers gains what its value tells, and a result without another in it gains its value. A
    result changes only what contains it, and what is covered changes nothing outside of its cover, which was seen; so
    only results that lie in later ones change anything. Where a tree does not list all, every result may.
    """
    judged = (results.document >= 0) & (results.document < documents)
    element = results.element >= 0
    partial = np.zeros(documents, dtype=np.bool_)
    partial[results.document[judged & (around >= 0)]] = True
    whole = np.zeros(len(judged), dtype=np.bool_)
    whole[judged] = partial[results.document[judged]]
    asked = judged & element & ~cover.covered & (cover.nested | whole)
    inner = element & ~cover.covered & (cover.above != NEVER)
    return asked, judged & (inner | (whole & (element | (around >= 0))))


def capped(gains: FloatArray, results: Locations, ideal: Locations, limit: FloatArray) -> FloatArray:
    """Gains where the strict descendants of an ideal element y together gain no more than q(y); shape (o,).

    What passes it is cut off, in the order of the list. `ideal` are elements that do not nest, `limit` their q, which
    stands for [PRUM]'s rv(y).
    """
    result, holder = inside(results, ideal)
    below = results.element[result] != ideal.element[holder]
    order = np.lexsort((result[below], holder[below]))
    result, holder = result[below][order], holder[below][order]
    first = np.flatnonzero(np.diff(holder, prepend=-1)).tolist()
    cut = gains.copy()
    for low, high in zip(first, [*first[1:], len(holder)], strict=False):
        own = gains[result[low:high]]
        left = np.maximum(limit[holder[low]] - (np.cumsum(own) - own), 0.0)
        cut[result[low:high]] = np.minimum(own, left)
    return without_noise(cut)


def without_noise(gains: FloatArray) -> FloatArray:
    """Gains that are rounding noise become 0: measures count the ranks that gain something."""
    return np.where(gains < _NOISE, 0.0, gains)
