"""States of a user who goes down a list, by facet: the probability that each facet is satisfied.

Targets are seen independently of each other. If no alternatives share a target that is uncertain, facets are
independent too: p_k(f) = 1 - prod_a (1 - prod_{x in a} p_k(x)). `facet_states` computes these for the facets of many
topics at once. Otherwise `SharedStates` conditions on the targets that alternatives share: values are expectations over
their 2^s states, of facets that are independent in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import (
    EMPTY_INTS,
    FloatArray,
    IntArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    sorted_unique,
)
from prum_eval.errors import DataError
from prum_eval.measures.seen_states import ReachEntries, SeenStates, split_states
from prum_eval.numerics.count_distributions import count_distribution, events_by_turn, probability_of_any
from prum_eval.numerics.divide_and_conquer import StepTable
from prum_eval.relevance.facets import FacetSet

MAX_SHARED = 12
"""Maximal number of uncertain targets at one rank that alternatives share."""

_NO_REACH = ReachEntries(EMPTY_INTS, EMPTY_INTS, np.empty(0))


@dataclass(slots=True, eq=False, repr=False)
class FacetTables:
    """Facets of one or more topics: alternatives of each facet, targets of each alternative, as in `FacetSet`.

    `order`: facets by topic, then decreasing weight.
    """

    bounds: IntArray
    member_bounds: IntArray
    members: IntArray
    order: IntArray


def join_facets(facets: Sequence[FacetSet | None], target_bounds: IntArray) -> FacetTables:
    """The facets of topics, one topic after the other; topic i has the targets from ``target_bounds[i]`` on."""
    topics = [(each, low) for each, low in zip(facets, target_bounds.tolist(), strict=False) if each is not None]
    first = group_bounds([len(each) for each, _ in topics]).tolist()
    return FacetTables(
        group_bounds(np.concatenate([EMPTY_INTS, *(np.diff(each.bounds) for each, _ in topics)])),
        group_bounds(np.concatenate([EMPTY_INTS, *(np.diff(each.member_bounds) for each, _ in topics)])),
        np.concatenate([EMPTY_INTS, *(each.members + low for each, low in topics)]),
        np.concatenate([EMPTY_INTS, *(each.order + low for (each, _), low in zip(topics, first, strict=False))]),
    )


def split_facet_states(
    seen: SeenStates, facets: Sequence[FacetSet | None], rank_bounds: IntArray, target_bounds: IntArray
) -> list[SeenStates | None]:
    """The states of the facets of each topic; None if it has no facets, or if alternatives share a target.

    Args:
        seen: the states of the targets of all topics.
        facets: the facets of each topic.
        rank_bounds: bounds of the ranks of each topic.
        target_bounds: bounds of the targets of each topic.
    """
    apart = [None if each is None or len(each.shared) else each for each in facets]
    states = facet_states(seen, join_facets(apart, target_bounds))
    facet_bounds = group_bounds([0 if each is None else len(each) for each in apart])
    parts = split_states(states, rank_bounds, facet_bounds)
    return [None if each is None else part for each, part in zip(apart, parts, strict=True)]


def facet_states(seen: SeenStates, facets: FacetTables) -> SeenStates:
    """States of facets from those of their targets, of which alternatives share none that is uncertain.

    The states are those of the targets, also where no facet changes.
    """
    row = np.full(seen.targets, -1, dtype=np.int64)
    row[seen.active] = np.arange(len(seen.active))
    member_row = row[facets.members]
    alternative = group_numbers(facets.member_bounds)
    possible = np.ones(len(facets.member_bounds) - 1, dtype=np.bool_)
    possible[alternative[member_row < 0]] = False
    place = np.empty(len(facets.order), dtype=np.int64)
    place[facets.order] = np.arange(len(place))
    facet = place[group_numbers(facets.bounds)]  # of each alternative, in the given order
    order = np.argsort(facet, kind="stable")
    alternatives = order[possible[order]]  # that may be seen in full, by facet
    active, sizes = _count_runs(facet[alternatives])
    alternative_bounds = group_bounds(sizes)
    member_counts = np.diff(facets.member_bounds)[alternatives]
    rows = member_row[concatenated_ranges(facets.member_bounds[alternatives], member_counts)]
    member_bounds = group_bounds(member_counts)

    begin, width = seen.probabilities.begin, seen.probabilities.width
    entries = np.append(np.flatnonzero(begin == 0), len(begin))
    keys = group_numbers(entries) * width + begin
    changes = np.diff(entries)[rows]  # entries of each member
    facet_of_member = np.repeat(np.arange(len(active)), np.diff(member_bounds[alternative_bounds]))
    columns = begin[concatenated_ranges(entries[rows], changes)]
    events = sorted_unique(np.repeat(facet_of_member, changes) * width + columns)  # facets and where they may change
    owner, column = np.divmod(events, max(width, 1))

    first, count = alternative_bounds[owner], np.diff(alternative_bounds)[owner]
    chosen = concatenated_ranges(first, count)  # alternatives of each event
    members = concatenated_ranges(member_bounds[chosen], member_counts[chosen])
    column_of_member = np.repeat(np.repeat(column, count), member_counts[chosen])
    wanted = rows[members] * width + column_of_member
    p = seen.probabilities.value[np.searchsorted(keys, wanted, side="right") - 1]
    value = _any_of_groups(_all_of_groups(p, member_counts[chosen]), count)
    fresh = np.ones(len(value), dtype=np.bool_)
    fresh[1:] = (column[1:] == 0) | (value[1:] > value[:-1])
    table = StepTable(width, column[fresh], value[fresh])
    return SeenStates(seen.ranks, len(facets.order), facets.order[active], seen.change_ranks, table, _NO_REACH)


def _count_runs(values: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct ones of ascending values, and how often each is there."""
    distinct = sorted_unique(values)
    return distinct, np.diff(np.searchsorted(values, np.append(distinct, np.iinfo(np.int64).max)))


def _all_of_groups(chances: FloatArray, sizes: IntArray) -> FloatArray:
    """Product of each group of probabilities; no group is empty."""
    return np.multiply.reduceat(chances, group_bounds(sizes)[:-1]) if len(sizes) else chances


def _any_of_groups(chances: FloatArray, sizes: IntArray) -> FloatArray:
    """Probability that any of each group of independent events happens; no group is empty."""
    if not len(sizes):
        return chances
    events, turns = events_by_turn(group_bounds(sizes))
    happened = probability_of_any(chances[None, events], turns)[0]
    values = np.empty(len(sizes))
    values[np.argsort(-sizes, kind="stable")] = happened
    return values


@dataclass(slots=True, eq=False, repr=False)
class SharedStates(SeenStates):
    """States of facets whose alternatives share uncertain targets.

    `seen`: the states of the targets.
    """

    seen: SeenStates
    facets: FacetSet

    def cut_after(self, state: int) -> SeenStates:
        """The states of the list cut after the rank that leads to this one."""
        short = SeenStates.cut_after(self, state)
        return _with_targets(short, self.seen.cut_after(state), self.facets)

    def distributions(self, count: int, states: IntArray) -> FloatArray:
        """P(F = f) for f = 0..count in some states, F counting the first active facets; shape (count + 1, states)."""
        columns = [
            (count_distribution(p[self.active[:count]]) * weight).sum(axis=1)
            for p, weight in _conditional_states(self.seen, self.facets, states)
        ]
        return np.stack(columns, axis=1)

    def sums_of_counts(
        self,
        counts: Sequence[int],
        bounds: FloatArray,
        ends: Sequence[float] | None = None,
        *,
        normal: bool = False,  # noqa: ARG002 - refused with facets
        smallest: float = 0.0,  # noqa: ARG002 - keeps all
    ) -> list[FloatArray]:
        """As `SeenStates.sums_of_counts`."""
        states = np.arange(len(bounds) - 1)
        weights = [np.diff(np.minimum(bounds, end)) for end in ([np.inf] * len(counts) if ends is None else ends)]
        return [
            np.vecdot(self.distributions(count, states), weight) for count, weight in zip(counts, weights, strict=True)
        ]

    def means_of_counts(
        self,
        states: IntArray,
        counts: Sequence[int],
        values: Sequence[FloatArray],
        *,
        normal: bool = False,  # noqa: ARG002
    ) -> list[FloatArray]:
        """As `SeenStates.means_of_counts`."""
        return [
            (self.distributions(count, states) * value[: count + 1, None]).sum(axis=0)
            for count, value in zip(counts, values, strict=True)
        ]

    def last_counts(self, counts: Sequence[int], *, normal: bool = False) -> list[FloatArray]:  # noqa: ARG002
        """As `SeenStates.last_counts`."""
        last = np.array([len(self.change_ranks)])
        return [self.distributions(count, last)[:, 0] for count in counts]

    def probability_of_all(self, states: IntArray) -> FloatArray:
        """As `SeenStates.probability_of_all`."""
        if len(self.active) < self.targets:
            return np.zeros(len(states))
        everything: FloatArray = self.distributions(self.targets, states)[-1]
        return everything


def _with_targets(states: SeenStates, seen: SeenStates, facets: FacetSet) -> SharedStates:
    table, changes = states.probabilities, states.change_ranks
    return SharedStates(states.ranks, states.targets, states.active, changes, table, _NO_REACH, seen, facets)


def shared_facet_states(seen: SeenStates, facets: FacetSet, where: str) -> SeenStates:
    """States of the facets of one topic, whose alternatives may share uncertain targets.

    Args:
        seen: the states of the targets.
        facets: the facets.
        where: file and topic, for messages.

    Raises:
        DataError: more than `MAX_SHARED` shared targets are uncertain in one state.
    """
    p = seen.p
    uncertain = np.zeros((seen.targets, p.shape[1]), dtype=np.bool_)
    uncertain[seen.active] = (p > 0) & (p < 1)
    number = int(uncertain[facets.shared].sum(axis=0).max(initial=0))
    if number > MAX_SHARED:
        raise DataError(
            f"{where}: {number} targets of several alternatives are uncertain at one rank, at most {MAX_SHARED} can be"
        )
    if not number:
        return facet_states(seen, join_facets([facets], np.zeros(1, dtype=np.int64)))
    states = np.arange(p.shape[1])
    columns = [(p * weight).sum(axis=1) for p, weight in _conditional_states(seen, facets, states)]
    table = np.maximum.accumulate(np.stack(columns, axis=1), axis=1)[facets.order]
    active = table[:, -1] > 0
    begin = np.tile(states, int(active.sum()))
    steps = StepTable(len(states), begin, table[active].ravel())
    marginal = SeenStates(seen.ranks, len(facets), facets.order[active], seen.change_ranks, steps, _NO_REACH)
    return _with_targets(marginal, seen, facets)


def _conditional_states(seen: SeenStates, facets: FacetSet, states: IntArray) -> list[tuple[FloatArray, FloatArray]]:
    """For each state, the probabilities of facets given what is seen of the targets that alternatives share.

    Returns:
        Per state the probability of each facet, shape (facets, 2^s), and that of each of the 2^s conditions.
    """
    table = np.zeros((seen.targets, len(seen.change_ranks) + 1))
    table[seen.active] = seen.p
    parts = []
    for state in states.tolist():
        p = table[:, state]
        uncertain = facets.shared[(p[facets.shared] > 0) & (p[facets.shared] < 1)]
        bits = (np.arange(1 << len(uncertain)) >> np.arange(len(uncertain))[:, None]) & 1
        weight = np.where(bits, p[uncertain, None], 1.0 - p[uncertain, None]).prod(axis=0)
        given = np.repeat(p[:, None], bits.shape[1], axis=1)
        given[uncertain] = bits
        together = np.multiply.reduceat(given[facets.members], facets.member_bounds[:-1], axis=0)
        missed = np.multiply.reduceat(1.0 - together, facets.bounds[:-1], axis=0)
        parts.append((1.0 - missed, weight))
    return parts
