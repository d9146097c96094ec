"""The most probable way along a graph of steps: how a user gets from a result to a target."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable

from prum_eval.user_models.graph_edges import Edges
from prum_eval.user_models.model import Ways


def most_probable_ways(edges: Edges) -> Ways:
    """Ways along steps of these probabilities; of equally probable ones the shorter, then the first by name.

    >>> ways = most_probable_ways({("a", "b"): 0.5, ("b", "c"): 0.5, ("a", "c"): 0.2})
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
            found[target] = _following(into, target)
        following = found[target]
        begin = min((node for node in sources if node in following), key=lambda node: following[node], default=None)
        if begin is None:
            return ()
        nodes = [begin]
        while nodes[-1] != target:
            nodes.append(following[nodes[-1]][2])
        return tuple(nodes)

    return way


def _following(into: dict[str, list[tuple[str, float]]], target: str) -> dict[str, tuple[float, int, str]]:
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
