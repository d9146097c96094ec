"""The reach matrix R[k, x] = P(rank k -> x) of one topic: sparse, sorted by rank, then target."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations, same_document_pairs, same_place


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Entries of a (ranks, targets) matrix of probabilities; those not listed are 0.

    `own` marks the entries where the rank points to the target itself: always 1, and not navigation.
    """

    ranks: int
    targets: int
    rank: IntArray
    target: IntArray
    probability: FloatArray
    own: BoolArray

    def dense(self) -> FloatArray:
        """The whole matrix, shape (ranks, targets)."""
        matrix = np.zeros((self.ranks, self.targets))
        matrix[self.rank, self.target] = self.probability
        return matrix


def make_reach(
    ranks: int, targets: int, rank: IntArray, target: IntArray, probability: FloatArray, own: BoolArray
) -> Reach:
    """A reach matrix from entries in any order; zeros are dropped, own entries become 1."""
    probability = np.where(own, 1.0, probability)
    order = np.lexsort((target, rank))
    kept = order[probability[order] > 0]
    return Reach(ranks, targets, rank[kept], target[kept], probability[kept], own[kept])


def own_entries(results: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """The pairs (rank, target) where the rank points to the target itself."""
    rows, columns = same_document_pairs(results.document, targets.document)
    own = same_place(results, targets, rows, columns)
    return rows[own], columns[own]


def identity(results: Locations, targets: Locations) -> Reach:
    """R without any navigation: 1 where a rank points to the target itself, else 0."""
    rows, columns = own_entries(results, targets)
    ones = np.ones(len(rows))
    return make_reach(len(results), len(targets), rows, columns, ones, ones > 0)


def open_once(reach: Reach, document: IntArray, position: IntArray) -> Reach:
    """No navigation from a document that a result at an earlier position already opened: only itself is seen.

    `document` and `position` (its rank, or its item's number) have one entry a result; document -1 opens nothing.
    """
    opened = document >= 0
    first = np.full(int(document.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, document[opened], position[opened])
    again = opened.copy()
    again[opened] = first[document[opened]] < position[opened]
    return _keep(reach, reach.own | ~again[reach.rank])


def decay_with_rank(reach: Reach, decay: float, position: IntArray) -> Reach:
    """Navigation from position k (counted from 0) times decay^k ([PRUM] section 5); the result itself stays seen."""
    factor = np.where(reach.own, 1.0, decay ** position[reach.rank].astype(np.float64))
    return _keep(replace(reach, probability=reach.probability * factor), factor > 0)


def opens_item(document: IntArray) -> BoolArray:
    """Where successive results of one article form an item: whether each result is the first of its item.

    A result that is nowhere (document -1) is an item of its own.
    """
    fresh = np.ones(len(document), dtype=np.bool_)
    fresh[1:] = (document[1:] != document[:-1]) | (document[1:] < 0)
    return fresh


def combine_items(reach: Reach, item: IntArray, consider: FloatArray) -> Reach:
    """Join the results of one item: P(k -> x) = 1 - prod over its elements e of (1 - consider(e) R[e, x]).

    `item` numbers the item of each result, `consider` is the probability that the user considers it.
    """
    items = int(item.max(initial=-1)) + 1
    key = item[reach.rank] * reach.targets + reach.target
    order = np.argsort(key, kind="stable")
    unique, first = np.unique(key[order], return_index=True)
    if not len(unique):
        return replace(reach, ranks=items)
    missed = 1.0 - (consider[reach.rank] * reach.probability)[order]
    probability = 1.0 - np.multiply.reduceat(missed, first)
    own = np.logical_or.reduceat(reach.own[order], first)
    rank, target = np.divmod(unique, max(reach.targets, 1))
    return _keep(Reach(items, reach.targets, rank, target, probability, own), probability > 0)


def _keep(reach: Reach, kept: BoolArray) -> Reach:
    rank, target, probability, own = reach.rank, reach.target, reach.probability, reach.own
    return Reach(reach.ranks, reach.targets, rank[kept], target[kept], probability[kept], own[kept])
