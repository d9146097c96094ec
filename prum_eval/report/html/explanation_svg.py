"""The drawing of an explanation: ranks on the left, documents on the right, and who leads where between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.analysis.explanation.drawing import Node, followed_links
from prum_eval.analysis.explanation.explain import Explanation, Rank
from prum_eval.report.markup import Markup, fill, lines
from prum_eval.report.text.excerpts import shortened
from prum_eval.report.text.explanation import name

ROW = 24
LEFT = 310
"""Where the dots of the ranks are."""
RIGHT = 430
"""Where the dots of the documents are."""
_INDENT = 18
LETTERS = 42
"""About as many letters as there is room for beside a dot."""
_LETTER = 7.2


_EDGE = '<path class="edge" data-in="{keys}" stroke-width="{width:.2f}" d="{path}"><title>{said}</title></path>'
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    ' markerUnits="userSpaceOnUse"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>'
)
_LINK = '<path class="link" data-in="{keys}" marker-end="url(#arrow)" d="{path}"><title>{said}</title></path>'
_LABEL = '<text x="{x}" y="{y}"><tspan class="name">{names}</tspan>{label}</text>'
_RANK = (
    '<g class="rank" id="r{number}" data-key="r{number}" data-in="{keys}" tabindex="0" role="button">'
    '<title>{title}</title><rect class="hit" x="0" y="{top}" width="{width}" height="{height}"/>'
    '<text class="name" x="4" y="{base}">{number}</text>'
    '<text x="{end}" y="{base}" text-anchor="end">{words}</text>'
    '<circle cx="{x}" cy="{y}" r="5"/></g>'
)


def data_keys(rank: Rank) -> str:
    """What a rank belongs to: itself and the targets that it reaches."""
    return " ".join([f"r{rank.number}", *(f"t{one.target}" for one in rank.reached)])


def drawing(explanation: Explanation, ranks: Sequence[Rank], documents: Sequence[Sequence[Node]]) -> Markup:
    """The ranks, the nodes of the documents, an edge for every target that a rank reaches, the links on the way there.

    A target's dot is filled as far as the target is seen in the end; an edge is as wide as it is probable.
    """
    rows = max(len(ranks), sum(len(nodes) for nodes in documents))
    height = (rows + 1) * ROW
    nodes = [(at, node) for at, node in enumerate((node for one in documents for node in one), 1)]
    place = {target: (RIGHT + node.depth * _INDENT, at * ROW) for at, node in nodes for target in node.targets}
    room = [(LETTERS - 2 * node.depth, node) for _, node in nodes]
    longest = max(node.depth * _INDENT + _LETTER * min(len(node.label) + 6, letters) for letters, node in room)
    width = round(RIGHT + 20 + longest)
    parts = [
        f'<svg width="{width}" height="{height}" role="img" aria-label="Ranks, documents and navigation">',
        *_edges(ranks, place),
        *_branches(documents),
        *_links(ranks, {node.name: (RIGHT + node.depth * _INDENT, at * ROW) for at, node in nodes if node.name}),
        *(_node(explanation, node, at * ROW) for at, node in nodes),
        *(_rank(rank, at * ROW) for at, rank in enumerate(ranks, 1)),
        "</svg>",
    ]
    return lines(parts)


def _edges(ranks: Sequence[Rank], place: dict[int, tuple[int, int]]) -> Iterator[str]:
    for at, rank in enumerate(ranks, 1):
        for one in rank.reached:
            x, y = place[one.target]
            start, middle = at * ROW, (LEFT + x) // 2
            said = f"rank {rank.number} to {name(one.target)}: {one.link.words}, {one.probability:.4f}"
            path = f"M{LEFT} {start}C{middle} {start} {middle} {y} {x} {y}"
            keys, width = f"r{rank.number} t{one.target}", 0.6 + 3 * one.probability
            yield fill(_EDGE, keys=keys, width=width, path=path, said=said)


def _links(ranks: Sequence[Rank], place: dict[str, tuple[int, int]]) -> Iterator[str]:
    """An arrow for every link that is followed, bent to the left of the dots."""
    links = followed_links(ranks)
    if links:
        yield _ARROW
    for one in links:
        (x, y), (end_x, end_y) = place[one.source], place[one.target]
        bend = min(x, end_x) - min(24 + abs(end_y - y) // 5, 84)
        loop = ROW // 2 if y == end_y else 0  # a link to where one is
        path = f"M{x - 7} {y}C{bend} {y + loop} {bend} {end_y - loop} {end_x - 9} {end_y}"
        keys = " ".join([*(f"r{rank}" for rank in one.ranks), *(f"t{target}" for target in one.targets)])
        by = ", ".join(map(str, one.ranks))
        to = ", ".join(name(target) for target in one.targets)
        said = f"link from {one.source} to {one.target}, followed from rank {by} to {to}"
        yield fill(_LINK, keys=keys, path=path, said=said)


def _branches(documents: Sequence[Sequence[Node]]) -> Iterator[str]:
    """The lines from each node to the one that encloses it."""
    at = 0
    for nodes in documents:
        above: dict[int, int] = {}
        for node in nodes:
            at += 1
            above[node.depth] = at
            if node.depth:
                x, top, bottom = RIGHT + (node.depth - 1) * _INDENT, above[node.depth - 1] * ROW, at * ROW
                yield f'<path class="branch" d="M{x} {top}V{bottom}H{x + _INDENT}"/>'


def _node(explanation: Explanation, node: Node, y: int) -> str:
    x = RIGHT + node.depth * _INDENT
    leading = {rank for target in node.targets for rank in explanation.targets[target - 1].ranks}
    belongs = [*(f"t{target}" for target in node.targets), *(f"r{rank}" for rank in sorted({*node.ranks, *leading}))]
    own = [f"r{rank}" for rank in dict.fromkeys(node.ranks)]
    square = f'<rect class="own" data-in="{" ".join(own)}" x="{x - 8}" y="{y - 8}" width="16" height="16"/>'
    first = explanation.targets[node.targets[0] - 1] if node.targets else None
    names = "".join(f"{name(target)} " for target in node.targets)
    label = shortened(node.label, LETTERS - len(names) - 2 * node.depth)
    parts = [square if own else ""]
    if first is None:
        parts.append(f'<circle class="plain" cx="{x}" cy="{y}" r="3"/>')
        kind, choose = "node", ""
    else:
        title = f"{names}{first.location.words}: worth {first.weight:.2f}, seen in the end with {first.seen:.4f}"
        parts.insert(0, fill("<title>{title}</title>", title=title))
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill-opacity="{first.seen:.3f}"/>')
        kind = "node target" if first.ranks else "node target missed"
        choose = f' data-key="t{first.number}" tabindex="0" role="button"' if first.ranks else ""
    parts.append(fill(_LABEL, x=x + 12, y=y + 4, names=names, label=label))
    return f'<g class="{kind}"{choose} data-in="{" ".join(belongs)}">{"".join(parts)}</g>'


def _rank(rank: Rank, y: int) -> str:
    words = shortened(rank.results[0].location.words, LETTERS - len(str(rank.number)) - 2)
    more = f" + {len(rank.results) - 1}" if len(rank.results) > 1 else ""
    title = "; ".join(one.location.words for one in rank.results)
    places = {"top": y - ROW // 2, "base": y + 4, "y": y, "x": LEFT, "end": LEFT - 12, "width": LEFT + 8, "height": ROW}
    return fill(_RANK, number=rank.number, keys=data_keys(rank), title=title, words=words + more, **places)
