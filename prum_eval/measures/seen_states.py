"""What the user has seen, rank by rank; kept only for the ranks where it changes.

p_k(x) = P(x seen after k ranks) = 1 - prod_{j <= k} (1 - R[j, x])   [PRUM eq. 1, EPRUM eq. 1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.user_models.reach import Reach


@dataclass(frozen=True, slots=True, eq=False)
class SeenStates:
    """States 0..J of a user who goes down a list; state 0 is before the first rank.

    `ranks`: length o of the list. `targets`: number t of targets. `active`: the targets that are ever seen, in
    the given order. `change`: the J ranks (from 1) where something changes. `p`: shape (active, J + 1), the probability
    that each is seen in each state. `reach`: shape (active, J), R at the ranks that change.
    """

    ranks: int
    targets: int
    active: IntArray
    change: IntArray
    p: FloatArray
    reach: FloatArray

    @property
    def dwell(self) -> IntArray:
        """For how many ranks k the user is in each state before looking at rank k; sums to o."""
        return np.diff(np.concatenate(([0], self.change, [self.ranks])))

    def ever_seen(self, order: IntArray, sizes: Sequence[int]) -> list[int]:
        """How many of the first so many targets in that order are ever seen, for each of the sizes.

        Where `active` follows the order, these are the first so many of `active`.
        """
        place = np.empty(int(order.max(initial=-1)) + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        counts: list[int] = np.searchsorted(place[self.active], sizes).tolist()
        return counts

    def states_at(self, ranks: IntArray) -> IntArray:
        """State after each of these ranks; past the end of the list the last one."""
        return np.searchsorted(self.change, ranks, side="right")


def make_seen(reach: Reach, order: IntArray | None = None) -> SeenStates:
    """The states that a reach matrix leads through.

    Args:
        reach: R of one list and topic.
        order: targets in the order in which `active` shall name them; all of them, as numbered, by default.
    """
    wanted = np.arange(reach.targets) if order is None else order
    touched = np.zeros(reach.targets, dtype=np.bool_)
    touched[reach.target] = True
    active = wanted[touched[wanted]]
    place = np.full(reach.targets, -1, dtype=np.int64)
    place[active] = np.arange(len(active))
    used = place[reach.target] >= 0
    ranks, row = np.unique(reach.rank[used], return_inverse=True)
    steps = np.zeros((len(active), len(ranks)))
    steps[place[reach.target[used]], row] = reach.probability[used]
    p = np.concatenate((np.zeros((len(active), 1)), _ever(steps)), axis=1)
    changes = (p[:, 1:] != p[:, :-1]).any(axis=0)
    kept = np.concatenate(([True], changes))
    return SeenStates(reach.ranks, len(wanted), active, ranks[changes] + 1, p[:, kept], steps[:, changes])


def _ever(steps: FloatArray) -> FloatArray:
    """1 - prod_{j <= k} (1 - steps_j) along the last axis, accurate relative to itself and never falling.

    Where it is small, one minus a product would lose it: there it is the sum of the first sightings.
    """
    unseen = np.cumprod(1.0 - steps, axis=1)
    first = steps.copy()
    first[:, 1:] *= unseen[:, :-1]
    p: FloatArray = np.where(unseen < 0.5, 1.0 - unseen, np.cumsum(first, axis=1))
    return np.maximum.accumulate(p, axis=1)
