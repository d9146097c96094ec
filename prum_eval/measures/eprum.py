"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

C_r is the cost up to the first rank after which r targets are seen, A_r is 1 if that ever happens, a star marks
the ideal list. If every rank costs 1, C_r is that rank, ML_r in the article. `targets`: the ideal list is the targets
by decreasing P(x in I). `greedy`: for each r the list that grows P(F_k >= r) fastest, and of the two lists the one with
the smaller expected length [EPRUM section 5 and its example].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import NOWHERE, Locations, make_locations
from prum_eval.collection.trees import node_name
from prum_eval.measures.base import (
    CUTOFFS,
    EFFORT_NEEDS,
    TENTHS,
    Measure,
    Need,
    Shape,
    measure_of_states,
    split_by_truncation,
)
from prum_eval.measures.seen_states import SeenStates, make_seen_states
from prum_eval.measures.topic_data import JudgedTopic, TopicData, ideal_costs, positive_costs, reading_costs
from prum_eval.numerics.count_distributions import count_distribution
from prum_eval.numerics.curves import ROUNDING_SLACK, values_at_targets
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.relevance.facets import FacetSet
from prum_eval.user_models.model import Reach

# The ideal list and its costs E[C*_r].

_DIGITS = 12
"""Probabilities that agree to this many digits tie: rounding noise must not choose the list."""


_SMALLEST_CELL = 1e-30
"""Smaller probabilities do not show in E[C*_r], which is at least the cost of the first rank, at least 1."""

CostFunction = Callable[[IntArray, int], FloatArray]
"""(targets in the order of a list, its number of ranks) -> what the first k ranks cost, for k = 0..ranks."""


def unit_costs(_order: IntArray, ranks: int) -> FloatArray:
    """The costs where effort is counted in ranks."""
    return np.arange(ranks + 1.0)


def ideal_lengths(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], ideal_list: str, mode: str
) -> list[FloatArray]:
    """E[ML*_r] for r = 1..size, one array for each of the sizes of the ideal set, the first so many of `order`."""
    key = ("ideal_lengths", ideal_list, mode, tuple(sizes))
    return judged.memo.get_or_compute(key, lambda: _lengths(judged, order, sizes, ideal_list, mode))


def _lengths(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], ideal_list: str, mode: str
) -> list[FloatArray]:
    if judged.facets is not None:
        return lengths_of_facets(judged, judged.facets, sizes)
    lengths = lengths_of_targets(judged, order, sizes, mode)
    if ideal_list == "greedy":
        greedy = (greedy_lengths(judged, order[:size]) for size in sizes)
        lengths = [np.minimum(own, other) for own, other in zip(lengths, greedy, strict=True)]
    return lengths


def lengths_of_targets(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], mode: str, costs: CostFunction = unit_costs
) -> list[FloatArray]:
    """E[C*_r] of the targets in that order, for r = 1..size, one array for each of the sizes of the ideal set."""
    reach = judged.reach_of_targets(order)
    if reach.ranks == len(order):
        return prefix_lengths(reach, order, sizes, mode, costs)
    parts = [order[:size] for size in sizes]  # results joined to items: the last item of a shorter list is another one
    return [list_lengths(judged.reach_of_targets(part), part, mode, costs) for part in parts]


def lengths_of_facets(
    judged: JudgedTopic,
    facets: FacetSet,
    sizes: Sequence[int],
    costs: CostFunction = unit_costs,
    *,
    shortest_first: bool = False,
) -> list[FloatArray]:
    """E[C*_r] of the ideal list of facets, for r = 1..size, one array for each number of facets that are ideal."""
    from prum_eval.measures.facet_states import shared_facet_states  # few topics have facets

    order, listed = facets.ideal_list(shortest_first=shortest_first)
    ideal, where = judged.navigated, f"{judged.assessed_topic.path}: topic {judged.name}"

    def lengths(rows: IntArray, reach: Reach, counted: Sequence[int], ends: Sequence[int]) -> list[FloatArray]:
        spent = costs(rows, reach.ranks)
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


def list_lengths(reach: Reach, rows: IntArray, mode: str = "exact", costs: CostFunction = unit_costs) -> FloatArray:
    """E[C*_r] of a list whose reach matrix is given, counting the targets `rows` only."""
    return prefix_lengths(reach, rows, [len(rows)], mode, costs, cut=False)[0]


def prefix_lengths(
    reach: Reach,
    order: IntArray,
    sizes: Sequence[int],
    mode: str,
    costs: CostFunction = unit_costs,
    *,
    cut: bool = True,
) -> list[FloatArray]:
    """E[C*_r] of the first so many results of a list, for as many targets, for all sizes in one pass.

    The first rows of the list's reach matrix are the matrix of its first results, because no user looks ahead. Not
    `cut`, the whole list serves every size.
    """
    spent = costs(order, reach.ranks)
    if len(reach.rank) == len(order) == reach.ranks and reach.exact.all():
        return [spent[1 : size + 1] for size in sizes]  # no target leads to another
    seen = make_seen_states(reach, order)
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


def satisfaction_levels(weights: FloatArray, order: IntArray, *, graded: bool) -> tuple[list[int], FloatArray]:
    """The levels at which the set of ideal targets changes: its size at each, and the share of each level.

    With distinct values v_1 > ... > v_m > 0 = v_{m+1} the set {P >= v_i} has share (v_i - v_{i+1}) / v_1. Not graded,
    all targets are ideal at the one level.

    Args:
        weights: P(x in I) of each target, shape (t,).
        order: the targets by decreasing P(x in I), shape (t,).
        graded: whether there is more than one level.
    """
    if not graded or not len(weights):
        return [len(weights)], np.ones(1)
    ranked = weights[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    following = np.append(ranked[last][1:], 0.0)
    return (last + 1).tolist(), (ranked[last] - following) / ranked[0]


def search_quotients(
    seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str, costs: FloatArray
) -> list[FloatArray]:
    """E[A_r / C_r] for r = 1..targets, at every level; ``costs[k]`` is c_k.

    It is sum_{k<o} P(F_k >= r) (1/c_k - 1/c_{k+1}) + P(F_o >= r) / c_o.
    """
    quotients = [np.zeros(number) for number in targets]
    if len(seen.change_ranks):
        falling = -1.0 / costs[seen.change_ranks]
        bounds = np.concatenate((falling[:1], falling, [0.0]))
        sums = seen.sums_of_counts(counts, bounds, normal=mode == "normal")
        for quotient, count, found in zip(quotients, counts, sums, strict=True):
            quotient[:count] = np.cumsum(found[:0:-1])[::-1]
    return quotients


def search_lengths(
    seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str, costs: FloatArray
) -> list[FloatArray]:
    """E[C_r] for r = 1..targets = sum_{k>=0} P(F_k < r) (c_{k+1} - c_k), at every level; ``costs[k]`` is c_k.

    It is infinite unless r is reached surely: where it is not, the search may never end and has no expected length.
    """
    lengths = [np.full(number, np.inf) for number in targets]
    bounds = costs[np.concatenate(([0], seen.change_ranks, [seen.ranks]))]
    stays = seen.sums_of_counts(counts, bounds, normal=mode == "normal")
    ends = seen.last_counts(counts, normal=mode == "normal")
    for length, count, below, end in zip(lengths, counts, stays, ends, strict=True):
        surely = np.cumsum(end[:0:-1])[::-1] >= 1.0 - ROUNDING_SLACK
        length[:count] = np.where(surely, np.cumsum(below)[:-1], np.inf)
    return lengths


@dataclass(eq=False, repr=False)
class _LevelData:
    """Values that the EPRUM measures of one topic share.

    `counts`: number of targets that are ideal and ever seen, per level; `shares`: shares of the levels; `lengths`:
    E[C*_r] of the ideal list for r = 1..ideal targets, one array per level; `compute_precisions`: computes
    `precisions`, which not all measures need.
    """

    counts: Sequence[int]
    shares: FloatArray
    lengths: Sequence[FloatArray]
    compute_precisions: Callable[[], Sequence[FloatArray]]

    @cached_property
    def precisions(self) -> Sequence[FloatArray]:
        """Those of the run, for r = 1..ideal targets, one array a level."""
        return self.compute_precisions()

    def mean(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Mean over the levels of values of one shape, by their shares, added up in their order."""
        return np.asarray((self.shares[:, None] * np.array(parts)).sum(axis=0))


def _level_data(data: TopicData, values: ParameterValues) -> _LevelData:
    mode, ideal_list, graded = (str(values[p.name]) for p in _PARAMETERS)
    at_recall, effort = (str(values.get(p.name, p.default)) for p in (_AT_RECALL, _EFFORT))
    order, weights = data.judged.goal_order, data.judged.goal_weights

    def compute() -> _LevelData:
        sizes, shares = data.judged.memo.get_or_compute(
            ("levels", graded), lambda: satisfaction_levels(weights, order, graded=graded == "on")
        )
        if effort == "rank":
            lengths = ideal_lengths(data.judged, order, sizes, ideal_list, mode)
            costs = np.arange(data.goal_states.ranks + 1.0)
        else:
            costs = positive_costs(reading_costs(data, effort))
            lengths = _ideal_efforts(data.judged, sizes, mode, effort)
        seen = data.goal_states
        counts = seen.count_ever_seen(order, sizes)

        def precisions() -> list[FloatArray]:  # no reference to `data`, whose memo holds this function
            if at_recall == "product":
                quotients = search_quotients(seen, counts, sizes, mode, costs)
                return [ideal * own for ideal, own in zip(lengths, quotients, strict=True)]
            searches = search_lengths(seen, counts, sizes, mode, costs)
            return [ideal / own for ideal, own in zip(lengths, searches, strict=True)]

        return _LevelData(counts, shares, lengths, precisions)

    return data.memo.get_or_compute(("eprum", mode, ideal_list, at_recall, graded, effort), compute)


def _ideal_efforts(judged: JudgedTopic, sizes: Sequence[int], mode: str, effort: str) -> list[FloatArray]:
    """E[C*_r] in characters, of the targets by decreasing P(x in I), of equal ones the shortest first."""

    def costs(order: IntArray, _ranks: int) -> FloatArray:
        return positive_costs(ideal_costs(judged.navigated, order, effort))

    def compute() -> list[FloatArray]:
        if judged.facets is not None:
            return lengths_of_facets(judged, judged.facets, sizes, costs, shortest_first=True)
        order = np.lexsort((judged.targets.locations.length, -judged.targets.weight))
        return lengths_of_targets(judged, order, sizes, mode, costs)

    return judged.memo.get_or_compute(("ideal_efforts", mode, effort, tuple(sizes)), compute)


def _mean(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    """Mean over all r."""
    shared = _level_data(data, values)
    return float(shared.mean([value.mean(keepdims=True) for value in shared.precisions])[0])


def _at_recall(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at each recall level (a step function)."""
    shared = _level_data(data, values)
    return shared.mean([values_at_targets(value, cutoffs) for value in shared.precisions])


def _at_ranks(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at rank k: (1/k) sum_f P(F_k = f) E[ML*_f], E[ML*_0] = 0; past the end F stays and k grows."""
    shared = _level_data(data, values)
    seen = data.goal_states
    states = seen.states_at(cutoffs.astype(np.int64))
    ideal = [np.concatenate(([0.0], own)) for own in shared.lengths]
    return shared.mean(seen.means_of_counts(states, shared.counts, ideal, normal=values["mode"] == "normal")) / cutoffs


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
        per_batch=measure_of_states(_mean),
    ),
    _measure(
        name="eprum_prec_at_recall",
        summary="EPRUM precision at recall X",
        explanation="E[ML*_r] E[A_r / ML_r] with r = max(1, ceil(X t)): a step function, no interpolation. "
        f"{_TEXT}{_SIZE}",
        source=f"{_SIGIR}, sections 2 and 5; ratio form {_INEX06}",
        shape=Shape.AT_LEVELS,
        per_batch=measure_of_states(_at_recall),
        cutoffs=TENTHS,
    ),
    _measure(
        name="eprum_P",
        summary="EPRUM precision at rank K",
        explanation=f"(1/K) sum over f of P(F_K = f) E[ML*_f]; past the end of the list F stays and K grows. {_TEXT}",
        source=_INEX06,
        shape=Shape.AT_RANKS,
        per_batch=measure_of_states(_at_ranks),
        parameters=_PARAMETERS,
        cutoffs=CUTOFFS,
    ),
)
