"""The edges of a navigation graph: those of a navigation file, or the links of a structure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from prum_eval.collection.trees import node_name
from prum_eval.errors import DataError, InputError
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Link
from prum_eval.user_models.model import ModelContext

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
            _check_sums(own, file.path, where)
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
    _check_sums(edges, path, {node_name(link.document, link.path): link.line for link in links})
    return edges


def _check_sums(edges: Edges, path: str, lines: dict[str, int]) -> None:
    out: dict[str, float] = defaultdict(float)
    for (source, _), probability in edges.items():
        out[source] += probability
    for source, total in out.items():
        if total > 1 + _SLACK:
            raise InputError(
                path, lines[source], f"the steps out of {source} have probability {total:.6g} in total, above 1"
            )
