"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

C_r is the cost up to the first rank after which r targets are seen, A_r is 1 if that ever happens, a star marks
the ideal list. If every rank costs 1, C_r is that rank, ML_r in the article. `targets`: the ideal list is the targets
by decreasing P(x in I). `greedy`: for each r the list that grows P(F_k >= r) fastest, and of the two lists the one with
the smaller expected length [EPRUM section 5 and its example].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, concatenated_ranges, group_bounds
from prum_eval.collection.locations import NOWHERE, Locations, make_locations
from prum_eval.collection.trees import node_name
from prum_eval.measures.base import (
    CUTOFFS,
    EFFORT_NEEDS,
    TENTHS,
    Measure,
    Need,
    Shape,
    split_by_truncation,
)
from prum_eval.measures.seen_states import SeenStates, make_seen_states
from prum_eval.measures.topic_data import (
    JudgedTopic,
    TopicBatch,
    ideal_costs,
    positive_costs,
    reading_costs,
    states_of_targets,
)
from prum_eval.numerics.count_distributions import count_distribution
from prum_eval.numerics.curves import ROUNDING_SLACK, required_targets
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.relevance.facets import FacetSet
from prum_eval.user_models.model import Reach

# The ideal list and its costs E[C*_r].

_DIGITS = 12
"""Probabilities that agree to this many digits tie: rounding noise must not choose the list."""


_SMALLEST_CELL = 1e-30
"""Smaller probabilities do not show in E[C*_r], which is at least the cost of the first rank, at least 1."""


def ideal_lengths(
    topics: Sequence[JudgedTopic], sizes: Sequence[Sequence[int]], ideal_list: str, mode: str, effort: str
) -> list[FloatArray]:
    """E[C*_r] for r = 1..size of the first so many ideal targets or facets, one size after the other, per topic."""
    keys = [("ideal_lengths", ideal_list, mode, effort, tuple(part)) for part in sizes]
    rows = {id(topic): row for row, topic in enumerate(topics) if keys[row] not in topic.memo}.values()  # all runs
    plain = [row for row in rows if topics[row].facets is None]
    orders = [_ideal_order(topics[row], effort) for row in plain]
    states = dict(zip(plain, states_of_targets([topics[row] for row in plain], orders), strict=True))
    for row, order in zip(plain, orders, strict=True):
        lengths = _lengths_of_targets(topics[row], order, states.pop(row), sizes[row], mode, effort)
        if ideal_list == "greedy" and effort == "rank":
            greedy = (greedy_lengths(topics[row], order[:size]) for size in sizes[row])
            lengths = [np.minimum(own, other) for own, other in zip(lengths, greedy, strict=True)]
        topics[row].memo[keys[row]] = np.concatenate(lengths)
    for row in rows:
        facets = topics[row].facets
        if facets is not None:
            topics[row].memo[keys[row]] = np.concatenate(lengths_of_facets(topics[row], facets, sizes[row], effort))
    return [topic.memo[key] for topic, key in zip(topics, keys, strict=True)]  # type: ignore[misc]


def _ideal_order(judged: JudgedTopic, effort: str) -> IntArray:
    """The targets by decreasing P(x in I); of equal ones the shortest first where they cost characters."""
    if effort == "rank":
        return judged.order
    return np.lexsort((judged.targets.locations.length, -judged.targets.weight))


def _ideal_costs(judged: JudgedTopic, order: IntArray, ranks: int, effort: str) -> FloatArray:
    """What the first k ranks of a list of targets cost, for k = 0..ranks."""
    if effort == "rank":
        return np.arange(ranks + 1.0)
    return positive_costs(ideal_costs(judged.navigated, order, effort))


def _lengths_of_targets(
    judged: JudgedTopic, order: IntArray, seen: SeenStates, sizes: Sequence[int], mode: str, effort: str
) -> list[FloatArray]:
    """E[C*_r] of the targets in that order, for r = 1..size, one array for each of the sizes of the ideal set."""
    if seen.ranks == len(order):
        return prefix_lengths(seen, order, sizes, mode, _ideal_costs(judged, order, seen.ranks, effort))
    lengths = []  # results joined to items: the last item of a shorter list is another one
    for part in (order[:size] for size in sizes):
        own = make_seen_states(judged.reach_of_targets(part), part)
        lengths += prefix_lengths(
            own, part, [len(part)], mode, _ideal_costs(judged, part, own.ranks, effort), cut=False
        )
    return lengths


def lengths_of_facets(
    judged: JudgedTopic,
    facets: FacetSet,
    sizes: Sequence[int],
    effort: str,
) -> list[FloatArray]:
    """E[C*_r] of the ideal list of facets, for r = 1..size, one array for each number of facets that are ideal."""
    from prum_eval.measures.facet_states import shared_facet_states  # few topics have facets

    order, listed = facets.ideal_list(shortest_first=effort != "rank")
    ideal, where = judged.navigated, f"{judged.assessed_topic.path}: topic {judged.name}"

    def lengths(rows: IntArray, reach: Reach, counted: Sequence[int], ends: Sequence[int]) -> list[FloatArray]:
        spent = _ideal_costs(judged, rows, reach.ranks, effort)
        if (reach.probability >= 1).all():
            times = facets.first_satisfied(reach.target, reach.rank + 1)[facets.order]
            return [spent[np.sort(times[:size])] for size in counted]
        seen = shared_facet_states(make_seen_states(reach, np.arange(len(facets.targets))), facets, where)
        starts = np.concatenate(([0], seen.change_ranks, [seen.ranks]))
        counts = seen.count_ever_seen(facets.order, counted)
        sums = seen.sums_of_counts(counts, spent[starts], spent[ends].tolist(), smallest=_SMALLEST_CELL)
        return [np.cumsum(found)[:size] for size, found in zip(counted, sums, strict=True)]

    ends = listed[sizes].tolist()
    reach = ideal.reach_of_targets(order)
    if reach.ranks == len(order):
        return lengths(order, reach, sizes, ends)
    parts = ((order[:end], size) for end, size in zip(ends, sizes, strict=True))  # joined to items
    return [
        lengths(rows, reach, [size], [reach.ranks])[0]
        for rows, size in parts
        for reach in [ideal.reach_of_targets(rows)]
    ]


def list_lengths(reach: Reach, rows: IntArray) -> FloatArray:
    """E[ML*_r] of a list whose reach matrix is given, counting the targets `rows` only."""
    seen = make_seen_states(reach, rows)
    return prefix_lengths(seen, rows, [len(rows)], "exact", np.arange(seen.ranks + 1.0), cut=False)[0]


def prefix_lengths(
    seen: SeenStates, order: IntArray, sizes: Sequence[int], mode: str, spent: FloatArray, *, cut: bool = True
) -> list[FloatArray]:
    """E[C*_r] of the first so many results of a list, for as many targets, for all sizes in one pass.

    The first rows of the list's reach matrix are the matrix of its first results, because no user looks ahead. Not
    `cut`, the whole list serves every size.

    Args:
        seen: the states of the list.
        order: its targets, in its order.
        sizes: numbers of targets that are ideal.
        mode: exact or normal.
        spent: what the first k ranks cost, for k = 0..ranks.
        cut: see above.
    """
    if len(seen.change_ranks) == seen.ranks and np.array_equal(seen.reach.target, np.arange(seen.ranks)):
        return [spent[1 : size + 1] for size in sizes]  # no target leads to another
    starts = np.concatenate(([0], seen.change_ranks, [seen.ranks]))
    # Every target is in the list itself, each r is reached surely: the cost is sum_{k>=0} P(F_k < r) (c_{k+1} - c_k).
    ends = spent[[size if cut else seen.ranks for size in sizes]].tolist()
    counts = seen.count_ever_seen(order, sizes)
    sums = seen.sums_of_counts(counts, spent[starts], ends, normal=mode == "normal", smallest=_SMALLEST_CELL)
    return [np.cumsum(found)[:size] for size, found in zip(sizes, sums, strict=True)]


def greedy_lengths(judged: JudgedTopic, rows: IntArray) -> FloatArray:
    """E[ML*_r] of the greedy list of each r = 1..len(rows).

    Candidates are the targets and the elements that reach one. Ties, and steps that do not grow P(F >= r), go to the
    largest sum of p, then to the order of the assessments. The list stops when P(F >= r) = 1.
    """
    rows = np.sort(rows)  # the order of the assessments
    candidates, nodes = _candidates(judged, rows)
    return np.array([_greedy_length(judged, rows, candidates, nodes, r) for r in range(1, len(rows) + 1)])


def _candidates(judged: JudgedTopic, rows: IntArray) -> tuple[Locations, list[str]]:
    """Targets, then every other element of their documents that reaches a target."""
    targets = judged.targets
    listed = targets.locations.take(rows).rows()
    nodes = [targets.nodes[row] for row in rows.tolist()]
    target_places = {(document, element) for document, element, *_ in listed}
    for number, tree in enumerate(targets.trees):
        for element, path in enumerate(tree.paths if tree is not None else ()):
            if tree is not None and (number, element) not in target_places:
                extent = int(tree.end[element]), int(tree.start[element]), int(tree.length[element])
                listed.append((number, element, *extent, tree.complete))
                nodes.append(node_name(tree.name, path))
    more_nodes = [name for name in judged.unplaced_nodes if name not in nodes]
    listed += [(NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, False)] * len(more_nodes)
    nodes += more_nodes
    locations = make_locations(listed)
    reach = judged.reach(locations, lambda: nodes)
    reaching = np.zeros(len(locations), dtype=np.bool_)
    reaches_ideal = np.isin(reach.target, rows)
    reaching[reach.rank[reaches_ideal]] = True
    reaching[: len(rows)] = True
    chosen = np.flatnonzero(reaching)
    return locations.take(chosen), [nodes[i] for i in chosen.tolist()]


def _greedy_length(judged: JudgedTopic, rows: IntArray, candidates: Locations, nodes: Sequence[str], r: int) -> float:
    chosen: list[int] = []
    left = list(range(len(candidates)))
    seen = np.zeros(len(rows))
    length, reached = 0.0, 0.0
    while left and reached < 1.0 - ROUNDING_SLACK:
        length += 1.0 - reached  # E[ML] = sum over k >= 0 of P(F_k < r)
        steps = _candidate_reach(judged, rows, candidates, nodes, chosen, left)
        after = 1.0 - (1.0 - seen) * (1.0 - steps)
        goal = count_distribution(after.T)[r:].sum(axis=0)
        growth = np.where(goal > reached + ROUNDING_SLACK, goal, reached).round(_DIGITS)
        mass = after.sum(axis=1).round(_DIGITS)
        best = max(range(len(left)), key=lambda i: (growth[i], mass[i], -left[i]))
        seen, reached = after[best], max(reached, float(goal[best]))
        chosen.append(left.pop(best))
    return length if reached >= 1.0 - ROUNDING_SLACK else np.inf


def _candidate_reach(
    judged: JudgedTopic,
    rows: IntArray,
    candidates: Locations,
    nodes: Sequence[str],
    chosen: Sequence[int],
    left: Sequence[int],
) -> FloatArray:
    """R of each candidate that is left, placed behind those that were chosen: shape (left, rows)."""
    if judged.memoryless:
        base = judged.memo.get_or_compute(
            ("greedy", len(rows)), lambda: judged.reach(candidates, lambda: nodes).dense()[:, rows]
        )
        return base[list(left)]
    matrix = []
    for candidate in left:
        listed = np.array([*chosen, candidate])
        names = [nodes[i] for i in listed.tolist()]
        matrix.append(judged.reach(candidates.take(listed), partial(list, names)).dense()[-1, rows])
    return np.array(matrix)


@dataclass(slots=True, eq=False, repr=False)
class SatisfactionLevels:
    """Levels at which the set of ideal targets changes; topic i has the levels ``bounds[i]:bounds[i + 1]``.

    `sizes`: number of ideal targets of each level; `shares`: shares of the levels of a topic, which sum to 1.
    """

    bounds: IntArray
    sizes: IntArray
    shares: FloatArray

    def mean(self, values: FloatArray) -> FloatArray:
        """Mean over the levels of each topic by their shares, of values of shape (levels, n)."""
        return np.asarray(np.add.reduceat(self.shares[:, None] * values, self.bounds[:-1], axis=0))


def satisfaction_levels(weights: FloatArray, bounds: IntArray, *, graded: bool) -> SatisfactionLevels:
    """The satisfaction levels of topics.

    With distinct values v_1 > ... > v_m > 0 = v_{m+1} the set {P >= v_i} has share (v_i - v_{i+1}) / v_1. Not graded,
    all targets are ideal at the one level.

    Args:
        weights: P(x in I) of the targets of each topic, which has some, in decreasing order.
        bounds: bounds of the targets of each topic.
        graded: whether there is more than one level.
    """
    if not graded:
        return SatisfactionLevels(np.arange(len(bounds)), np.diff(bounds), np.ones(len(bounds) - 1))
    first_of_topic = np.zeros(len(weights) + 1, dtype=np.bool_)
    first_of_topic[bounds] = True
    changes = np.append(weights[1:] != weights[:-1], True)
    last = np.flatnonzero(changes | first_of_topic[1:])
    following = np.where(first_of_topic[last + 1], 0.0, np.append(weights, 0.0)[last + 1])
    start = np.repeat(bounds[:-1], np.diff(np.searchsorted(last, bounds)))
    return SatisfactionLevels(
        np.searchsorted(last, bounds), last + 1 - start, (weights[last] - following) / weights[start]
    )


def search_quotients(seen: SeenStates, counts: Sequence[int], mode: str, costs: FloatArray) -> list[FloatArray]:
    """E[A_r / C_r] for r = 1..count, at every level; ``costs[k]`` is c_k.

    It is sum_{k<o} P(F_k >= r) (1/c_k - 1/c_{k+1}) + P(F_o >= r) / c_o.
    """
    falling = -1.0 / costs[seen.change_ranks]
    bounds = np.concatenate((falling[:1], falling, [0.0]))
    sums = seen.sums_of_counts(counts, bounds, normal=mode == "normal")
    return [np.cumsum(found[:0:-1])[::-1] for found in sums]


def search_lengths(seen: SeenStates, counts: Sequence[int], mode: str, costs: FloatArray) -> list[FloatArray]:
    """E[C_r] for r = 1..count = sum_{k>=0} P(F_k < r) (c_{k+1} - c_k), at every level; ``costs[k]`` is c_k.

    It is infinite unless r is reached surely: where it is not, the search may never end and has no expected length.
    """
    bounds = costs[np.concatenate(([0], seen.change_ranks, [seen.ranks]))]
    stays = seen.sums_of_counts(counts, bounds, normal=mode == "normal")
    ends = seen.last_counts(counts, normal=mode == "normal")
    return [
        np.where(np.cumsum(end[:0:-1])[::-1] >= 1.0 - ROUNDING_SLACK, np.cumsum(below)[:-1], np.inf)
        for below, end in zip(stays, ends, strict=True)
    ]


@dataclass(eq=False, repr=False)
class _Searches:
    """Values that the EPRUM measures of a batch share.

    `active`: per topic of which a target is ever seen, its states, its costs by rank, and the number of ideal targets
    that are ever seen, per level. `bounds`: level j has the r = 1..ideal targets ``bounds[j]:bounds[j + 1]``.
    `lengths`: E[C*_r] of the ideal list of each topic, for each r of each of its levels.
    """

    levels: SatisfactionLevels
    active: Mapping[int, tuple[SeenStates, FloatArray, Sequence[int]]]
    lengths: Sequence[FloatArray]
    at_recall: str
    mode: str

    @cached_property
    def bounds(self) -> IntArray:
        """Bounds of the numbers r of each level."""
        return group_bounds(self.levels.sizes)

    @cached_property
    def precisions(self) -> FloatArray:
        """Those of the run, for each r of each level: 0 unless r targets are ever seen."""
        values = np.zeros(int(self.bounds[-1]))
        for topic, (seen, costs, counts) in self.active.items():
            first = self.bounds[self.levels.bounds[topic] : self.levels.bounds[topic + 1]]
            rows = concatenated_ranges(first, np.array(counts))
            lengths = self.lengths[topic][rows - first[0]]
            if self.at_recall == "product":
                values[rows] = lengths * np.concatenate(search_quotients(seen, counts, self.mode, costs))
            else:
                values[rows] = lengths / np.concatenate(search_lengths(seen, counts, self.mode, costs))
        return values


def _searches(batch: TopicBatch, values: ParameterValues) -> _Searches:
    mode, ideal_list, graded = (str(values[p.name]) for p in _PARAMETERS)
    at_recall, effort = (str(values.get(p.name, p.default)) for p in (_AT_RECALL, _EFFORT))
    batch.compute_states()

    def compute() -> _Searches:
        topics, judged = batch.topics, [topic.judged for topic in batch.topics]
        weights = [topic.goal_weights[topic.goal_order] for topic in judged]
        levels = satisfaction_levels(
            np.concatenate(weights), group_bounds(list(map(len, weights))), graded=graded == "on"
        )
        sizes = [levels.sizes[low:high].tolist() for low, high in pairwise(levels.bounds.tolist())]
        active = {}
        for row, topic in enumerate(topics):
            seen = topic.goal_states
            if effort != "rank":
                costs = positive_costs(reading_costs(topic, effort))  # refuses results of unknown length
            if len(seen.change_ranks):
                costs = np.arange(seen.ranks + 1.0) if effort == "rank" else costs
                active[row] = seen, costs, seen.count_ever_seen(topic.judged.goal_order, sizes[row])
        lengths = ideal_lengths(judged, sizes, ideal_list, mode, effort)
        return _Searches(levels, active, lengths, at_recall, mode)

    return batch.memo.get_or_compute(("eprum", mode, ideal_list, at_recall, graded, effort), compute)


def _mean(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Mean over all r."""
    searches = _searches(batch, values)
    sums = np.add.reduceat(searches.precisions, searches.bounds[:-1])
    return searches.levels.mean((sums / searches.levels.sizes)[:, None])


def _at_recall(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at each recall level (a step function)."""
    searches = _searches(batch, values)
    required = required_targets(cutoffs, searches.levels.sizes[:, None])
    return searches.levels.mean(searches.precisions[searches.bounds[:-1, None] + required - 1])


def _at_ranks(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at rank k: (1/k) sum_f P(F_k = f) E[ML*_f], E[ML*_0] = 0; past the end F stays and k grows."""
    searches = _searches(batch, values)
    precisions = np.zeros((len(searches.levels.sizes), len(cutoffs)))
    for topic, (seen, _, counts) in searches.active.items():
        levels = slice(*searches.levels.bounds[topic : topic + 2].tolist())
        parts = np.split(searches.lengths[topic], searches.bounds[levels][1:] - searches.bounds[levels.start])
        ideal = [np.concatenate(([0.0], part)) for part in parts]
        states = seen.states_at(cutoffs.astype(np.int64))
        precisions[levels] = seen.means_of_counts(states, counts, ideal, normal=values["mode"] == "normal")
    return searches.levels.mean(precisions) / cutoffs


def _needs(values: ParameterValues) -> frozenset[Need]:
    """Effort in characters asks for the length of every result, wherever it is."""
    return frozenset({Need.REACH, *EFFORT_NEEDS[str(values.get("effort", "rank"))]})


_PARAMETERS = (
    Parameter(
        "mode", "exact", "exact: the law of the count by convolution; normal: by the normal law", ("exact", "normal")
    ),
    Parameter(
        "ideal_list",
        "targets",
        "targets: by decreasing P(x in I); greedy: the list that grows P(F >= r) fastest, if it is shorter",
        ("targets", "greedy"),
        option="ideal_list",
    ),
    Parameter("graded", "on", "on: satisfaction levels from P(x in I); off: every target is ideal", ("on", "off")),
)
_AT_RECALL = Parameter("at_recall", "product", "product: E[ML*] E[A/ML]; ratio: E[ML*] / E[ML]", ("product", "ratio"))
_EFFORT = Parameter(
    "effort",
    "rank",
    "rank: every rank costs 1; size: the characters of its result; read: those, and what is read beyond it",
    ("rank", "size", "read"),
)
_TEXT = (
    "ML_r is the first rank after which r targets are seen, A_r says whether that happens, a star marks the ideal "
    "list. With graded targets, the weighted mean over the satisfaction levels. With a stochastic ideal list it can "
    "pass 1."
)
_SIZE = (
    " With effort=size the rank k costs c_k in place of k: the characters of the first k results, overlapping ones in "
    "full, and at least 1; so do the ranks of the ideal list, where of equal targets the shortest comes first. With "
    "effort=read navigation costs too: c_k is read_k, and the same of the ideal list."
)
_SIGIR = "Piwowarski, Dupret, SIGIR 2006"
_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 7.2"
_measure = partial(
    Measure,
    family="eprum",
    needs=frozenset({Need.REACH}),
    needs_by=_needs,
    parameters=(*_PARAMETERS[:2], _AT_RECALL, *_PARAMETERS[2:], _EFFORT),
    bounded=False,
    y_label="EPRUM precision",
    split=split_by_truncation,
    over_facets=True,
)

MEASURES = (
    _measure(
        name="eprum_map",
        summary="EPRUM precision, mean over all r",
        explanation=f"(1/t) sum over r = 1..t of E[ML*_r] E[A_r / ML_r]. {_TEXT}{_SIZE}",
        source=f"{_SIGIR}, sections 2 and 5",
        shape=Shape.SCALAR,
        per_batch=_mean,
    ),
    _measure(
        name="eprum_prec_at_recall",
        summary="EPRUM precision at recall X",
        explanation="E[ML*_r] E[A_r / ML_r] with r = max(1, ceil(X t)): a step function, no interpolation. "
        f"{_TEXT}{_SIZE}",
        source=f"{_SIGIR}, sections 2 and 5; ratio form {_INEX06}",
        shape=Shape.AT_LEVELS,
        per_batch=_at_recall,
        cutoffs=TENTHS,
    ),
    _measure(
        name="eprum_P",
        summary="EPRUM precision at rank K",
        explanation=f"(1/K) sum over f of P(F_K = f) E[ML*_f]; past the end of the list F stays and K grows. {_TEXT}",
        source=_INEX06,
        shape=Shape.AT_RANKS,
        per_batch=_at_ranks,
        parameters=_PARAMETERS,
        cutoffs=CUTOFFS,
    ),
)
