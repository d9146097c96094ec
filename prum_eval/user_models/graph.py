"""User model of a navigation graph: probabilities from a navigation file or from links, as reach or as single steps.

From steps, R of x and y is the probability that a random walk from x ever visits y. Nodes are named by `node_name`;
edges are given per topic, under None for all other topics. `most_probable_paths` finds the way that a user takes.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
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

MAX_DIRECT_SIZE = 1500
"""Largest linear system that is solved directly; larger ones are iterated."""
MAX_FALLBACK_SIZE = 6000
"""Largest linear system that is solved directly if the iteration does not converge."""
MAX_ITERATIONS = 20_000
RECENT_ITERATIONS = 30
"""Number of last iterations whose slowest one decides on convergence."""
_SLACK = 1e-9

Edges = dict[tuple[str, str], float]
"""Probability by source and target."""
_Entries = tuple[IntArray, IntArray, FloatArray]
"""Rank, target and probability of some entries of R."""


# Edges


def graph_edges(context: ModelContext, damping: float) -> tuple[bool, Mapping[str | None, Edges]]:
    """Whether the edges are single steps, and the edges by topic (None: all other topics).

    Args:
        context: with a navigation file or links.
        damping: probability to follow some link of an element whose links have no probabilities.

    Raises:
        DataError: there is neither.
        InputError: the steps from a node have a total probability above 1.
    """
    if context.navigation is not None:
        steps = context.navigation_kind == "step"
        return steps, _file_edges(context.navigation, steps=steps)
    if context.links:
        return True, {None: _link_edges(context.links, context.links_path, damping)}
    raise DataError("user model graph needs a navigation file (--navigation) or a structure with links")


def _file_edges(file: NavigationFile, *, steps: bool) -> dict[str | None, Edges]:
    """Edges by topic: those for every topic, overridden by lines for the topic."""
    lines: dict[str | None, Edges] = defaultdict(dict)
    locations: dict[str | None, dict[str, int]] = defaultdict(dict)
    rows = zip(file.topic, file.source, file.target, file.probability.tolist(), file.lines.tolist(), strict=True)
    for topic, source, target, probability, line in rows:
        lines[topic][source, target] = probability
        locations[topic][source] = line
    common = lines[None]
    edges = {topic: {**common, **topic_edges} for topic, topic_edges in lines.items()}
    if steps:
        for topic, topic_edges in edges.items():
            _check_probability_sums(topic_edges, file.path, {**locations[None], **locations[topic]})
    return edges


def _link_edges(links: Sequence[Link], path: str, damping: float) -> Edges:
    """Step probabilities of links, by default damping / out-degree (the assumption of PageRank)."""
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
            reason = f"the steps out of {source} have probability {total:.6g} in total, above 1"
            raise InputError(path, lines[source], reason)


# Paths


def most_probable_paths(edges: Edges) -> PathFinder:
    """Finder of most probable paths along steps; ties go to the shorter path, then by name.

    >>> find_path = most_probable_paths({("a", "b"): 0.5, ("b", "c"): 0.5, ("a", "c"): 0.2})
    >>> find_path(["a"], "c"), find_path(["c"], "a")
    (('a', 'b', 'c'), ())
    """
    into: dict[str, list[tuple[str, float]]] = {}
    for (source, target), probability in edges.items():
        if probability > 0:
            into.setdefault(target, []).append((source, -math.log(min(probability, 1.0))))
    next_nodes = cache(partial(_next_nodes, into))

    def find_path(sources: Iterable[str], target: str) -> tuple[str, ...]:
        following = next_nodes(target)
        start = min((node for node in sources if node in following), key=lambda node: following[node], default=None)
        if start is None:
            return ()
        nodes = [start]
        while nodes[-1] != target:
            nodes.append(following[nodes[-1]][2])
        return tuple(nodes)

    return find_path


def _next_nodes(into: dict[str, list[tuple[str, float]]], target: str) -> dict[str, tuple[float, int, str]]:
    """Per node that leads to a target: -log of the probability of the best path, its steps, its next node."""
    best: dict[str, tuple[float, int, str]] = {}
    heap = [(0.0, 0, target, target)]
    while heap:
        cost, steps, following, node = heapq.heappop(heap)
        if node not in best:
            best[node] = (cost, steps, following)
            for source, step_cost in into.get(node, ()):
                if source not in best:
                    heapq.heappush(heap, (round(cost + step_cost, 12), steps + 1, node, source))
    return best


# Reach


class Graph:
    """Weighted edges between named nodes, and the probability that each node leads to a target."""

    def __init__(self, edges: Edges) -> None:
        self.number: dict[str, int] = {}
        ends = [tuple(self.number.setdefault(name, len(self.number)) for name in edge) for edge in edges]
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((pairs[:, 0], pairs[:, 1]))
        self.source, self.target = pairs[order, 0], pairs[order, 1]
        self.probability = np.array(list(edges.values()), dtype=np.float64)[order]

    def numbers(self, names: Iterable[str]) -> IntArray:
        """Numbers of nodes; -1 for nodes without edges."""
        return np.array([self.number.get(name, -1) for name in names], dtype=np.int64)

    def incoming_edges(self, target: int) -> tuple[IntArray, FloatArray]:
        """Sources and probabilities of the edges into a node."""
        low, high = np.searchsorted(self.target, (target, target + 1))
        return self.source[low:high], self.probability[low:high]

    def edge_probabilities(self, target: int) -> FloatArray:
        """Probability of the edge from every node to a target."""
        reach = np.zeros(len(self.number))
        source, probability = self.incoming_edges(target)
        reach[source] = probability
        return reach

    def visit_probabilities(self, target: int) -> FloatArray:
        """Probability that a walk from every node ever visits a target y (first passage).

        The minimal non-negative solution of v(x) = P(x, y) + sum_{z != y} P(x, z) v(z), restricted to the nodes that
        can reach y; there the system has exactly one solution.
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
        """Nodes, except the target, from which a walk can reach it."""
        seen, frontier = {target}, [target]
        while frontier:
            sources, probability = self.incoming_edges(frontier.pop())
            new = [node for node in sources[probability > 0].tolist() if node not in seen]
            seen.update(new)
            frontier += new
        return np.array(sorted(seen - {target}), dtype=np.int64)


def _solve(row: IntArray, column: IntArray, probability: FloatArray, start: FloatArray) -> FloatArray:
    """Solution of v = start + P v, P given by its entries.

    Raises:
        DataError: the system is too large for a direct solution, and the iteration does not converge.
    """
    if len(start) > MAX_DIRECT_SIZE:
        value = _iterate(row, column, probability, start)
        if value is not None:
            return value
        if len(start) > MAX_FALLBACK_SIZE:
            raise DataError(f"the closure of the navigation graph did not converge in {MAX_ITERATIONS} rounds")
    system = np.eye(len(start))
    system[row, column] -= probability
    solution: FloatArray = np.linalg.solve(system, start).astype(np.float64)
    return solution


def _iterate(row: IntArray, column: IntArray, probability: FloatArray, start: FloatArray) -> FloatArray | None:
    """Iterative solution of v = start + P v, which adds one step of the walk per iteration; None if too slow.

    The changes shrink by the share of walks that go on. With the largest share of the last iterations, the remaining
    error is about the last change times share / (1 - share).
    """
    value, last_change = start, np.inf
    shares: deque[float] = deque([1.0], maxlen=RECENT_ITERATIONS)
    for _ in range(MAX_ITERATIONS):
        following = start + np.bincount(row, weights=probability * value[column], minlength=len(start))
        change = float(np.abs(following - value).max())
        shares.append(change / last_change)
        share = max(shares)
        if change == 0 or (share < 1 and change * share / (1 - share) < np.finfo(np.float64).eps):
            return following
        value, last_change = following, change
    return None


def _build(values: ParameterValues, context: ModelContext) -> Model:
    """Model of a navigation file, or of the links of the structure."""
    steps, edges = graph_edges(context, float(values["damping"]))
    graphs: dict[str | None, Graph] = {}
    columns: dict[tuple[str | None, int], tuple[IntArray, FloatArray]] = {}  # nodes that lead to a target, with R

    def model(ranked: RankedTopic) -> Reach:
        topic = ranked.topic if ranked.topic in edges else None
        if topic not in graphs:
            graphs[topic] = Graph(edges.get(topic, {}))
        graph = graphs[topic]
        nodes = graph.numbers(ranked.result_nodes())
        contained = ranked.contained_nodes()
        nodes[list(contained)] = -1  # users leave from the elements in the result
        inside_rank = np.repeat(np.array(list(contained), dtype=np.int64), list(map(len, contained.values())))
        inside = graph.numbers(chain.from_iterable(contained.values()))
        entries = [_certain_entries(ranked.results, ranked.targets)]
        for target, node in enumerate(graph.numbers(ranked.target_nodes).tolist()):
            if node < 0:
                continue
            if (topic, node) not in columns:
                reach = graph.visit_probabilities(node) if steps else graph.edge_probabilities(node)
                columns[topic, node] = np.flatnonzero(reach), reach[reach > 0]
            probability = _probabilities_at(columns[topic, node], nodes)
            if len(inside):  # noisy-or over the elements in a result
                with np.errstate(divide="ignore"):  # of probability 1
                    log_missed = np.log1p(-_probabilities_at(columns[topic, node], inside))
                missed = np.bincount(inside_rank, log_missed, len(nodes))
                probability = np.where(missed < 0, -np.expm1(missed), probability)
            ranks = np.flatnonzero(probability)
            entries.append((ranks, np.full(len(ranks), target), probability[ranks]))
        return _add_exact_entries(ranked, entries)

    return model


def _probabilities_at(column: tuple[IntArray, FloatArray], nodes: IntArray) -> FloatArray:
    """Probabilities of some nodes; `column` has sorted nodes with theirs, others have 0."""
    sorted_nodes, probability = column
    if not len(sorted_nodes):
        return np.zeros(len(nodes))
    place = np.minimum(np.searchsorted(sorted_nodes, nodes), len(sorted_nodes) - 1)
    return np.where(sorted_nodes[place] == nodes, probability[place], 0.0)


def _certain_entries(results: Locations, targets: Locations) -> _Entries:
    """Entries of results that are no elements, begin at a target, or contain its element."""
    rows, columns = same_document_pairs(results.document, targets.document)
    start, size = targets.start[columns] - results.start[rows], results.length[rows]
    inside = (targets.element[columns] >= 0) & (start > 0) & (start < size) & (start + targets.length[columns] <= size)
    passage = (results.element[rows] < 0) & results.located[rows] & targets.located[columns]
    certain = passage & ((start == 0) | inside)
    return rows[certain], columns[certain], np.ones(int(certain.sum()))


def _add_exact_entries(ranked: RankedTopic, entries: Sequence[_Entries]) -> Reach:
    """R from exact entries and others; of a rank and target, the first entry counts."""
    exact_rank, exact_target = exact_entries(ranked.results, ranked.targets)
    parts = [(exact_rank, exact_target, np.ones(len(exact_rank))), *entries]
    rank, target, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
    t = len(ranked.targets)
    _, first = np.unique(rank * t + target, return_index=True)
    return make_reach(len(ranked.results), t, rank[first], target[first], probability[first], first < len(exact_rank))


def _make_path_finder(values: ParameterValues, context: ModelContext) -> Callable[[str], PathFinder] | None:
    """Path finder by topic; None if the probabilities are no steps."""
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
