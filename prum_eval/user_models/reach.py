"""The reach matrix R[k, x] = P(rank k -> x) of one topic: sparse, sorted by rank, then target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations, own_entries


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


def identity(results: Locations, targets: Locations) -> Reach:
    """R without any navigation: 1 where a rank points to the target itself, else 0."""
    rows, columns = own_entries(results, targets)
    ones = np.ones(len(rows))
    return make_reach(len(results), len(targets), rows, columns, ones, ones > 0)
