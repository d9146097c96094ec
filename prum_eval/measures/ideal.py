"""E[C*_r]: what the ideal user's search for r targets costs; where every rank costs 1 its length, E[ML*_r].

`targets`: the ideal list is the targets by decreasing P(x in I). `greedy`: for each r the list that grows
P(F_k >= r) fastest, and of the two lists the one with the smaller expected length [EPRUM section 5 and its example].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import NOWHERE, Locations, make_locations
from prum_eval.collection.trees import node_name
from prum_eval.measures.seen_states import make_seen
from prum_eval.measures.topic_data import JudgedTopic
from prum_eval.numerics.growing_counts import sums_of_laws
from prum_eval.numerics.levels import SLACK
from prum_eval.numerics.poisson_binomial import count_distribution
from prum_eval.user_models.model import Reach

_DIGITS = 12
"""Probabilities that agree to this many digits tie: rounding noise must not choose the list."""


_SMALLEST_CELL = 1e-30
"""Smaller ends of laws do not show in E[C*_r], which is at least the cost of the first rank, and that at least 1."""

Costs = Callable[[IntArray, int], FloatArray]
"""(targets in the order of a list, its number of ranks) -> what the first k ranks cost, for k = 0..ranks."""


def each_rank_one(_order: IntArray, ranks: int) -> FloatArray:
    """The costs where effort is counted in ranks."""
    return np.arange(ranks + 1.0)


def ideal_lengths(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], ideal_list: str, mode: str
) -> list[FloatArray]:
    """E[ML*_r] for r = 1..size, one array for each of the sizes of the ideal set, the first so many of `order`."""
    key = ("ideal_lengths", ideal_list, mode, tuple(sizes))
    return judged.memo.once(key, lambda: _lengths(judged, order, sizes, ideal_list, mode))


def _lengths(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], ideal_list: str, mode: str
) -> list[FloatArray]:
    lengths = lengths_of_targets(judged, order, sizes, mode)
    if ideal_list == "greedy":
        greedy = (greedy_lengths(judged, order[:size]) for size in sizes)
        lengths = [np.minimum(own, other) for own, other in zip(lengths, greedy, strict=True)]
    return lengths


def lengths_of_targets(
    judged: JudgedTopic, order: IntArray, sizes: Sequence[int], mode: str, costs: Costs = each_rank_one
) -> list[FloatArray]:
    """E[C*_r] of the targets in that order, for r = 1..size, one array for each of the sizes of the ideal set."""
    reach = judged.reach_of_targets(order)
    if reach.ranks == len(order):
        return prefix_lengths(reach, order, sizes, mode, costs)
    parts = [order[:size] for size in sizes]  # results joined to items: the last item of a shorter list is another one
    return [list_lengths(judged.reach_of_targets(part), part, mode, costs) for part in parts]


def list_lengths(reach: Reach, rows: IntArray, mode: str = "exact", costs: Costs = each_rank_one) -> FloatArray:
    """E[C*_r] of a list whose reach matrix is given, counting the targets `rows` only."""
    return prefix_lengths(reach, rows, [len(rows)], mode, costs, cut=False)[0]


def prefix_lengths(
    reach: Reach, order: IntArray, sizes: Sequence[int], mode: str, costs: Costs = each_rank_one, *, cut: bool = True
) -> list[FloatArray]:
    """E[C*_r] of the first so many results of a list, for as many targets, for all sizes in one pass.

    The first rows of the list's reach matrix are the matrix of its first results, because no user looks ahead. Not
    `cut`, the whole list serves every size.
    """
    spent = costs(order, reach.ranks)
    if len(reach.rank) == len(order) == reach.ranks and reach.own.all():
        return [spent[1 : size + 1] for size in sizes]  # no target leads to another
    seen = make_seen(reach, order)
    starts = np.concatenate(([0], seen.change, [seen.ranks]))
    # Every target is in the list itself, each r is reached surely: the cost is sum_{k>=0} P(F_k < r) (c_{k+1} - c_k).
    ends = spent[[size if cut else seen.ranks for size in sizes]].tolist()
    counts = seen.ever_seen(order, sizes)
    sums = sums_of_laws(seen.p, counts, spent[starts], ends, normal=mode == "normal", smallest=_SMALLEST_CELL)
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
    taken = {(document, element) for document, element, *_ in listed}
    for number, tree in enumerate(targets.trees):
        for element, path in enumerate(tree.paths if tree is not None else ()):
            if tree is not None and (number, element) not in taken:
                extent = int(tree.end[element]), int(tree.start[element]), int(tree.length[element])
                listed.append((number, element, *extent, tree.complete))
                nodes.append(node_name(tree.name, path))
    fresh = [name for name in judged.elsewhere if name not in nodes]
    listed += [(NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, False)] * len(fresh)
    nodes += fresh
    locations = make_locations(listed)
    reach = judged.reach(locations, lambda: nodes)
    reaching = np.zeros(len(locations), dtype=np.bool_)
    wanted = np.isin(reach.target, rows)
    reaching[reach.rank[wanted]] = True
    reaching[: len(rows)] = True
    kept = np.flatnonzero(reaching)
    return locations.take(kept), [nodes[i] for i in kept.tolist()]


def _greedy_length(judged: JudgedTopic, rows: IntArray, candidates: Locations, nodes: Sequence[str], r: int) -> float:
    chosen: list[int] = []
    left = list(range(len(candidates)))
    seen = np.zeros(len(rows))
    length, reached = 0.0, 0.0
    while left and reached < 1.0 - SLACK:
        length += 1.0 - reached  # E[ML] = sum over k >= 0 of P(F_k < r)
        steps = _steps(judged, rows, candidates, nodes, chosen, left)
        after = 1.0 - (1.0 - seen) * (1.0 - steps)
        goal = count_distribution(after.T)[r:].sum(axis=0)
        growth = np.where(goal > reached + SLACK, goal, reached).round(_DIGITS)
        mass = after.sum(axis=1).round(_DIGITS)
        best = max(range(len(left)), key=lambda i: (growth[i], mass[i], -left[i]))
        seen, reached = after[best], max(reached, float(goal[best]))
        chosen.append(left.pop(best))
    return length if reached >= 1.0 - SLACK else np.inf


def _steps(
    judged: JudgedTopic,
    rows: IntArray,
    candidates: Locations,
    nodes: Sequence[str],
    chosen: Sequence[int],
    left: Sequence[int],
) -> FloatArray:
    """R of each candidate that is left, placed behind those that were chosen: shape (left, rows)."""
    if judged.memoryless:
        base = judged.memo.once(("greedy", len(rows)), lambda: judged.reach(candidates, lambda: nodes).dense()[:, rows])
        return base[list(left)]
    matrix = []
    for candidate in left:
        listed = np.array([*chosen, candidate])
        names = [nodes[i] for i in listed.tolist()]
        matrix.append(judged.reach(candidates.take(listed), partial(list, names)).dense()[-1, rows])
    return np.array(matrix)
