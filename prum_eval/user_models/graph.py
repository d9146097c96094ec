"""The graph user model: probabilities given in a file or by links, as reach or as single steps.

Steps are closed: reach(x, y) is the probability that a walk of these steps, started at x, ever visits y.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations, exact_entries, same_document_pairs
from prum_eval.collection.trees import node_name
from prum_eval.errors import DataError, InputError
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import Link, NavigationFile
from prum_eval.user_models.model import (
    PRUM_ARTICLE,
    Model,
    ModelContext,
    ModelNeed,
    NavigationBasis,
    PathFinder,
    RankedTopic,
    Reach,
    UserModel,
    make_reach,
)

# The edges of a navigation graph: those of a navigation file, or the links of a structure.


_SLACK = 1e-9

Edges = dict[tuple[str, str], float]
"""Probability by the names of both ends."""


def graph_edges(context: ModelContext, damping: float) -> tuple[bool, Mapping[str | None, Edges]]:
    """Whether the edges are single steps, and the edges by topic, under None those of all other topics.

    Args:
        context: has a navigation file, or links.
        damping: probability to follow some link of an element whose links have no probabilities.

    Raises:
        DataError: there is neither.
        InputError: the steps out of a node have more than probability 1.
    """
    if context.navigation is not None:
        steps = context.navigation_kind == "step"
        return steps, _file_edges(context.navigation, steps=steps)
    if context.links:
        return True, {None: _link_edges(context.links, context.links_path, damping)}
    raise DataError("user model graph needs a navigation file (--navigation) or a structure with links")


def _file_edges(file: NavigationFile, *, steps: bool) -> dict[str | None, Edges]:
    """Edges by topic: those for every topic, overridden by a topic's own lines."""
    lines: dict[str | None, Edges] = defaultdict(dict)
    locations: dict[str | None, dict[str, int]] = defaultdict(dict)
    rows = zip(file.topic, file.source, file.target, file.probability.tolist(), file.lines.tolist(), strict=True)
    for topic, source, target, probability, line in rows:
        lines[topic][source, target] = probability
        locations[topic][source] = line
    common = lines[None]
    edges = {topic: {**common, **own} for topic, own in lines.items()}
    if steps:
        for topic, own in edges.items():
            where = {**locations[None], **locations[topic]}
            _check_probability_sums(own, file.path, where)
    return edges


def _link_edges(links: Sequence[Link], path: str, damping: float) -> Edges:
    """Step probabilities of links: their own, or damping / out-degree where they have none (PageRank's assumption)."""
    edges: Edges = defaultdict(float)
    degree: dict[str, int] = defaultdict(int)
    for link in links:
        degree[node_name(link.document, link.path)] += 1
    for link in links:
        source = node_name(link.document, link.path)
        target = link.target if link.target_path is None else node_name(link.target, link.target_path)
        edges[source, target] += damping / degree[source] if link.probability is None else link.probability
    _check_probability_sums(edges, path, {node_name(link.document, link.path): link.line for link in links})
    return edges


def _check_probability_sums(edges: Edges, path: str, lines: dict[str, int]) -> None:
    out: dict[str, float] = defaultdict(float)
    for (source, _), probability in edges.items():
        out[source] += probability
    for source, total in out.items():
        if total > 1 + _SLACK:
            raise InputError(
                path, lines[source], f"the steps out of {source} have probability {total:.6g} in total, above 1"
            )


# The most probable way along a graph of steps: how a user gets from a result to a target.


def most_probable_paths(edges: Edges) -> PathFinder:
    """Ways along steps of these probabilities; of equally probable ones the shorter, then the first by name.

    >>> ways = most_probable_paths({("a", "b"): 0.5, ("b", "c"): 0.5, ("a", "c"): 0.2})
    >>> ways(["a"], "c"), ways(["c"], "a")
    (('a', 'b', 'c'), ())
    """
    into: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in edges.items():
        if probability > 0:
            into.setdefault(target, []).append((source, -math.log(min(probability, 1.0))))
    found: dict[str, dict[str, tuple[float, int, str]]] = {}

    def way(sources: Iterable[str], target: str) -> tuple[str, ...]:
        if target not in found:
            found[target] = _next_nodes(into, target)
        following = found[target]
        begin = min((node for node in sources if node in following), key=lambda node: following[node], default=None)
        if begin is None:
            return ()
        nodes = [begin]
        while nodes[-1] != target:
            nodes.append(following[nodes[-1]][2])
        return tuple(nodes)

    return way


def _next_nodes(into: dict[str, list[tuple[str, float]]], target: str) -> dict[str, tuple[float, int, str]]:
    """Of every node that leads to a target: -log of the best way's probability, its steps, and the node behind it."""
    best: dict[str, tuple[float, int, str]] = {}
    waiting = [(0.0, 0, target, target)]
    while waiting:
        cost, steps, following, node = heapq.heappop(waiting)
        if node not in best:
            best[node] = (cost, steps, following)
            for source, more in into.get(node, ()):
                if source not in best:
                    heapq.heappush(waiting, (round(cost + more, 12), steps + 1, node, source))
    return best


MAX_DIRECT_SIZE = 1500
"""Largest linear system that is solved directly; larger ones are iterated."""
MAX_FALLBACK_SIZE = 6000
"""Largest one that is solved directly where iterating it does not converge."""
MAX_ITERATIONS = 20_000
RECENT_ITERATIONS = 30
"""Rounds of the iteration whose slowest decides how much is still missing."""

_Entries = tuple[IntArray, IntArray, FloatArray]
"""Rank, target and probability of some entries of R."""


class Graph:
    """Weighted edges between named nodes, and how likely each node leads to a given one."""

    def __init__(self, edges: Edges) -> None:
        self.number: dict[str, int] = {}
        ends = [(self._node(source), self._node(target)) for source, target in edges]
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        self.source, self.target = pairs[order, 0], pairs[order, 1]
        self.probability = np.array(list(edges.values()), dtype=np.float64)[order]

    def _node(self, name: str) -> int:
        return self.number.setdefault(name, len(self.number))

    def numbers(self, names: Iterable[str]) -> IntArray:
        """Numbers of nodes; -1 for those that no edge touches."""
        return np.array([self.number.get(name, -1) for name in names], dtype=np.int64)

    def incoming_edges(self, target: int) -> tuple[IntArray, FloatArray]:
        """Sources and probabilities of the edges into a node."""
        low, high = np.searchsorted(self.target, (target, target + 1))
        return self.source[low:high], self.probability[low:high]

    def edge_probabilities(self, target: int) -> FloatArray:
        """Probability, from every node, of its own edge into a node."""
        reach = np.zeros(len(self.number))
        source, probability = self.incoming_edges(target)
        reach[source] = probability
        return reach

    def visit_probabilities(self, target: int) -> FloatArray:
        """Probability, from every node, that a walk ever visits a node: its first passage.

        The minimal non-negative solution of v(x) = P(x, y) + sum_{z != y} P(x, z) v(z), found on the nodes that can
        reach y at all; there the system has exactly one solution.
        """
        reach = np.zeros(len(self.number))
        nodes = self._nodes_leading_to(target)
        if not len(nodes):
            return reach
        place = np.full(len(self.number), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        inner = (place[self.source] >= 0) & (place[self.target] >= 0)
        row, column = place[self.source[inner]], place[self.target[inner]]
        solution = _solve(row, column, self.probability[inner], self.edge_probabilities(target)[nodes])
        reach[nodes] = np.clip(solution, 0.0, 1.0)
        return reach

    def _nodes_leading_to(self, target: int) -> IntArray:
        """Nodes, without the target, from which some walk gets there."""
        seen, frontier = {target}, [target]
        while frontier:
            sources, probability = self.incoming_edges(frontier.pop())
            fresh = [x for x in sources[probability > 0].tolist() if x not in seen]
            seen.update(fresh)
            frontier += fresh
        return np.array(sorted(seen - {target}), dtype=np.int64)


def _solve(row: IntArray, column: IntArray, probability: FloatArray, start: FloatArray) -> FloatArray:
    """Solve v = start + P v, P given by its entries.

    Raises:
        DataError: the system is too large to be solved directly, and iterating it does not converge.
    """
    if len(start) > MAX_DIRECT_SIZE:
        found = _iterate(row, column, probability, start)
        if found is not None:
            return found
        if len(start) > MAX_FALLBACK_SIZE:
            raise DataError(f"the closure of the navigation graph did not converge in {MAX_ITERATIONS} rounds")
    system = np.eye(len(start))
    system[row, column] -= probability
    solution: FloatArray = np.linalg.solve(system, start).astype(np.float64)
    return solution


def _iterate(row: IntArray, column: IntArray, probability: FloatArray, start: FloatArray) -> FloatArray | None:
    """Solve v = start + P v by adding one step of the walk at a time: exact from below, and ever closer.

    The changes shrink by the share of walks that go on; with the largest share of the last rounds, what is still
    missing is about the last change times share / (1 - share). None where walks hardly ever stop.
    """
    value, before = start, np.inf
    shares: deque[float] = deque([1.0], maxlen=RECENT_ITERATIONS)
    for _ in range(MAX_ITERATIONS):
        following = start + np.bincount(row, weights=probability * value[column], minlength=len(start))
        change = float(np.abs(following - value).max())
        shares.append(change / before)
        share = max(shares)
        if change == 0 or (share < 1 and change * share / (1 - share) < np.finfo(np.float64).eps):
            return following
        value, before = following, change
    return None


def _build(values: ParameterValues, context: ModelContext) -> Model:
    """The model of a navigation file, or of the structure's links where no file is given."""
    steps, edges = graph_edges(context, float(values["damping"]))
    graphs: dict[str | None, Graph] = {}
    columns: dict[tuple[str | None, int], tuple[IntArray, FloatArray]] = {}  # the nodes that lead to a target

    def model(ranked: RankedTopic) -> Reach:
        topic = ranked.topic if ranked.topic in edges else None
        if topic not in graphs:
            graphs[topic] = Graph(edges.get(topic, {}))
        net = graphs[topic]
        nodes = net.numbers(ranked.result_nodes())
        entered = ranked.contained_nodes()
        nodes[list(entered)] = -1  # they leave from what lies in them
        inside_rank = np.repeat(np.array(list(entered), dtype=np.int64), list(map(len, entered.values())))
        inside = net.numbers(chain.from_iterable(entered.values()))
        entries = [_certain_entries(ranked.results, ranked.targets)]
        for x, y in enumerate(net.numbers(ranked.target_nodes).tolist()):
            if y < 0:
                continue
            if (topic, y) not in columns:
                reach = net.visit_probabilities(y) if steps else net.edge_probabilities(y)
                columns[topic, y] = np.flatnonzero(reach), reach[reach > 0]
            found = _probabilities_at(columns[topic, y], nodes)
            if len(inside):  # noisy-or over what lies in a result
                with np.errstate(divide="ignore"):  # what leads there for sure
                    missed = np.bincount(
                        inside_rank, np.log1p(-_probabilities_at(columns[topic, y], inside)), len(nodes)
                    )
                found = np.where(missed < 0, -np.expm1(missed), found)
            ranks = np.flatnonzero(found)
            entries.append((ranks, np.full(len(ranks), x), found[ranks]))
        return _add_exact_entries(ranked, entries)

    return model


def _probabilities_at(column: tuple[IntArray, FloatArray], nodes: IntArray) -> FloatArray:
    """The probabilities of some nodes, from those that have one: (nodes in order, probabilities)."""
    known, probability = column
    if not len(known):
        return np.zeros(len(nodes))
    place = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
    return np.where(known[place] == nodes, probability[place], 0.0)


def _certain_entries(results: Locations, targets: Locations) -> _Entries:
    """Results that are no elements, and targets that they begin at, or (elements) hold."""
    rows, columns = same_document_pairs(results.document, targets.document)
    start, size = targets.start[columns] - results.start[rows], results.length[rows]
    inside = (targets.element[columns] >= 0) & (start > 0) & (start < size) & (start + targets.length[columns] <= size)
    passage = (results.element[rows] < 0) & results.located[rows] & targets.located[columns]
    sure = passage & ((start == 0) | inside)
    return rows[sure], columns[sure], np.ones(int(sure.sum()))


def _add_exact_entries(ranked: RankedTopic, entries: Sequence[_Entries]) -> Reach:
    """R from entries; of those of one rank and target the first counts, and own ones before all."""
    own_rank, own_target = exact_entries(ranked.results, ranked.targets)
    parts = [(own_rank, own_target, np.ones(len(own_rank))), *entries]
    rank, target, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
    t = len(ranked.targets)
    _, first = np.unique(rank * t + target, return_index=True)
    return make_reach(len(ranked.results), t, rank[first], target[first], probability[first], first < len(own_rank))


def _make_path_finder(values: ParameterValues, context: ModelContext) -> Callable[[str], PathFinder] | None:
    """The ways along the steps of a topic; None where the probabilities are no steps."""
    steps, edges = graph_edges(context, float(values["damping"]))
    return (lambda topic: most_probable_paths(edges.get(topic, edges.get(None, {})))) if steps else None


MODEL = UserModel(
    "graph",
    "probabilities from a navigation file or the structure's links",
    "With --navigation-kind reach the file's probabilities are R; with step they are single steps, and R is "
    "the probability that a walk of these steps ever visits the target. Links of the structure are steps, with "
    "probability damping / out-degree where they have none. A passage or range that is no element is left from every "
    "element that lies in it: R is one minus the product of their 1 - R. It is 1 where the result begins at the target "
    "or holds the target's element.",
    f"{PRUM_ARTICLE}, section 3; closure of steps section 2.1, figure 2",
    _build,
    (Parameter("damping", 0.85, "probability to follow some link of a page", low=0.0, high=1.0),),
    frozenset({ModelNeed.GRAPH}),
    navigation_basis=NavigationBasis.GRAPH,
    paths=_make_path_finder,
)
