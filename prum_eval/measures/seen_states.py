"""States of a user who goes down a list: the probability that each target is seen, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.numerics.count_distributions import means_of_distributions, sums_of_distributions
from prum_eval.numerics.divide_and_conquer import StepTable, step_table
from prum_eval.user_models.model import Reach


@dataclass(slots=True, eq=False, repr=False)
class ReachEntries:
    """Entries of R, ordered by state, then target: in state `state` a rank leads to row `target` of `active`."""

    state: IntArray
    target: IntArray
    probability: FloatArray

    def select_states(self, low: int, high: int) -> ReachEntries:
        """Those of the states low, ..., high - 1, counted from low on."""
        part = slice(*np.searchsorted(self.state, (low, high)).tolist())
        return ReachEntries(self.state[part] - low, self.target[part], self.probability[part])


@dataclass(slots=True, eq=False, repr=False)
class SeenStates:
    """States 0..J of a user who goes down a list; state 0 is before the first rank.

    p_k(x) = P(x seen after k ranks) = 1 - prod_{j <= k} (1 - R[j, x])   [PRUM eq. 1, EPRUM eq. 1]

    `ranks`: length o of the list. `targets`: number t of targets. `active`: the targets that are ever seen, in
    the given order. `change_ranks`: the J ranks (from 1) where something changes. `probabilities`: the probability that
    each active target is seen in each state, one row per target. `reach`: the entries of R that change something.
    """

    ranks: int
    targets: int
    active: IntArray
    change_ranks: IntArray
    probabilities: StepTable
    reach: ReachEntries

    @property
    def p(self) -> FloatArray:
        """The probability that each active target is seen in each state, shape (active, J + 1), made anew."""
        return self.probabilities.columns(0, len(self.change_ranks) + 1)

    def cut_after(self, state: int) -> SeenStates:
        """The states of the list cut after the rank that leads to this one."""
        ranks = int(self.change_ranks[state - 1]) if state else 0
        chances = StepTable(state + 1, self.probabilities.begin, self.probabilities.value)
        return SeenStates(
            ranks, self.targets, self.active, self.change_ranks[:state], chances, self.reach.select_states(0, state)
        )

    @property
    def dwell(self) -> IntArray:
        """For how many ranks k the user is in each state before looking at rank k; sums to o."""
        return np.diff(np.concatenate(([0], self.change_ranks, [self.ranks])))

    def count_ever_seen(self, order: IntArray, sizes: Sequence[int]) -> list[int]:
        """Number of the first n targets in that order that are ever seen, for each size n.

        Where `active` follows the order, these are the first so many of `active`.
        """
        place = np.empty(int(order.max(initial=-1)) + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        counts: list[int] = np.searchsorted(place[self.active], sizes).tolist()
        return counts

    def states_at(self, ranks: IntArray) -> IntArray:
        """State after each of these ranks; past the end of the list the last one."""
        return np.searchsorted(self.change_ranks, ranks, side="right")

    def sums_of_counts(
        self,
        counts: Sequence[int],
        bounds: FloatArray,
        ends: Sequence[float] | None = None,
        *,
        normal: bool = False,
        smallest: float = 0.0,
    ) -> list[FloatArray]:
        """Sum over the states of weight P(F = f), F counting the first active ones; as `sums_of_distributions`."""
        return sums_of_distributions(self.probabilities, counts, bounds, ends, normal=normal, smallest=smallest)

    def means_of_counts(
        self, states: IntArray, counts: Sequence[int], values: Sequence[FloatArray], *, normal: bool = False
    ) -> list[FloatArray]:
        """Sum over f of P(F = f) values[i][f] in some states; as `means_of_distributions`."""
        return means_of_distributions(self.probabilities.take(states), counts, values, normal=normal)

    def last_counts(self, counts: Sequence[int], *, normal: bool = False) -> list[FloatArray]:
        """P(F = f) in the last state, F counting the first active ones."""
        last = self.probabilities.take(np.array([len(self.change_ranks)]))
        return sums_of_distributions(step_table(last), counts, np.array([0.0, 1.0]), normal=normal)

    def probability_of_all(self, states: IntArray) -> FloatArray:
        """The probability that all targets are seen, in some states."""
        if len(self.active) < self.targets:
            return np.zeros(len(states))
        return np.asarray(self.probabilities.take(states).prod(axis=0))


def probabilities_at(topics: Sequence[SeenStates], ranks: IntArray) -> FloatArray:
    """The probability that each active target is seen after ranks, topic after topic; shape (active, ranks)."""
    tables = [seen.probabilities for seen in topics]
    begin, value = (np.concatenate(column) for column in zip(*((one.begin, one.value) for one in tables), strict=True))
    states = np.array([seen.states_at(ranks) for seen in topics])
    rows = np.repeat(states, [len(seen.active) for seen in topics], axis=0)
    return StepTable(max(table.width for table in tables), begin, value).take(rows)


def split_states(seen: SeenStates, rank_bounds: IntArray, target_bounds: IntArray) -> list[SeenStates]:
    """The states of each topic, from those of many topics, which have their own ranks and targets.

    Args:
        seen: `active` has the targets of one topic after the other.
        rank_bounds: bounds of the ranks of each topic.
        target_bounds: bounds of the targets of each topic.
    """
    active = np.searchsorted(
        np.searchsorted(target_bounds, seen.active, side="right"), np.arange(len(target_bounds)) + 1
    )
    states = np.searchsorted(seen.change_ranks, rank_bounds, side="right")
    values = np.append(np.flatnonzero(seen.probabilities.begin == 0), len(seen.probabilities.begin))[active]
    entries = np.searchsorted(seen.reach.state, states)
    before = np.repeat(states[:-1], np.diff(values))
    begin, value = np.maximum(seen.probabilities.begin - before, 0), seen.probabilities.value
    reach, change_ranks, numbers = seen.reach, seen.change_ranks, seen.active
    columns = (column.tolist() for column in (rank_bounds, target_bounds, active, states, values, entries))
    parts = []
    for (rank, o), (target, t), (first, last), (state, end), edges, entry in zip(*map(pairwise, columns), strict=True):
        table, steps = slice(*edges), slice(*entry)
        parts.append(
            SeenStates(
                o - rank,
                t - target,
                numbers[first:last] - target,
                change_ranks[state:end] - rank,
                StepTable(end - state + 1, begin[table], value[table]),
                ReachEntries(reach.state[steps] - state, reach.target[steps] - first, reach.probability[steps]),
            )
        )
    return parts


def make_seen_states(reach: Reach, order: IntArray | None = None) -> SeenStates:
    """The states that a reach matrix leads through.

    Args:
        reach: R of one list and topic.
        order: targets in the order in which `active` shall name them; all of them, as numbered, by default.
    """
    listed_targets = np.arange(reach.targets) if order is None else order
    is_reached = np.zeros(reach.targets, dtype=np.bool_)
    is_reached[reach.target] = True
    active = listed_targets[is_reached[listed_targets]]
    place = np.full(reach.targets, -1, dtype=np.int64)
    place[active] = np.arange(len(active))
    row = place[reach.target]
    sure = (row >= 0) & (reach.probability >= 1)
    first_sure = np.full(len(active), reach.ranks)
    np.minimum.at(first_sure, row[sure], reach.rank[sure])
    used = np.flatnonzero(row >= 0)
    used = used[reach.rank[used] <= first_sure[row[used]]]  # who has seen a target for sure sees nothing new
    used = used[np.lexsort((row[used], reach.rank[used]))]
    row, probability = row[used], reach.probability[used]
    ranks, column = np.unique(reach.rank[used], return_inverse=True)
    chances, changes = _states(row, column, probability, (len(active), len(ranks)))
    state = np.cumsum(changes) - 1
    changing = changes[column]
    steps = ReachEntries(state[column[changing]], row[changing], probability[changing])
    return SeenStates(reach.ranks, len(listed_targets), active, ranks[changes] + 1, chances, steps)


def _states(
    row: IntArray, column: IntArray, probability: FloatArray, shape: tuple[int, int]
) -> tuple[StepTable, BoolArray]:
    """P(x seen) before the first and after each rank that changes something, and which ranks do.

    A target stays as it is from one entry of R to the next, so that only at entries there is something to compute.

    Args:
        row: the target of each entry of R.
        column: its rank, never falling.
        probability: its value.
        shape: number of targets, each with an entry, and of ranks.
    """
    events, n = shape
    order = np.argsort(row, kind="stable")
    row, column = row[order], column[order]
    bounds = np.searchsorted(row, np.arange(events + 1))
    seen = _probability_after_entries(probability[order], bounds)
    before = np.concatenate((np.zeros(1), seen))[:-1]
    before[bounds[:-1]] = 0.0
    fresh = seen > before
    changes = np.zeros(n, dtype=np.bool_)
    changes[column[fresh]] = True
    state, width = np.cumsum(changes, dtype=np.int64), int(np.count_nonzero(changes)) + 1
    first = np.searchsorted(row[fresh], np.arange(events))  # every row begins with 0
    begin = np.insert(state[column[fresh]], first, 0)
    return StepTable(width, begin, np.insert(seen[fresh], first, 0.0)), changes


def _probability_after_entries(probability: FloatArray, bounds: IntArray) -> FloatArray:
    """P(x seen) after each entry of R; the entries of the i-th target are bounds[i]:bounds[i + 1], by rank."""
    seen = np.empty(len(probability))
    sizes = np.diff(bounds)
    order = np.argsort(sizes, kind="stable")
    ranked, low = sizes[order], 0
    while low < len(order):  # targets together of which the last has at most twice as many entries as the first
        high = int(np.searchsorted(ranked, 2 * ranked[low], side="right"))
        rows = order[low:high]
        place = np.arange(ranked[high - 1])
        filled = place < sizes[rows][:, None]
        entries = (bounds[rows][:, None] + place)[filled]
        steps = np.zeros(filled.shape)
        steps[filled] = probability[entries]
        seen[entries] = _cumulative_probability(steps)[filled]
        low = high
    return seen


def _cumulative_probability(steps: FloatArray) -> FloatArray:
    """1 - prod_{j <= k} (1 - steps_j) along the last axis, accurate relative to itself and never falling.

    Where it is small, one minus a product would lose it: there it is the sum of the first sightings.
    """
    unseen = np.cumprod(1.0 - steps, axis=1)
    first = steps.copy()
    first[:, 1:] *= unseen[:, :-1]
    p: FloatArray = np.where(unseen < 0.5, 1.0 - unseen, np.cumsum(first, axis=1))
    return np.maximum.accumulate(p, axis=1)
