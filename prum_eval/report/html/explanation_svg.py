"""The drawing of an explanation: ranks on the left, documents on the right, and who leads where between them.

Texts stand in full, in as many lines as they need, broken between the words of a name or the steps of a path only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prum_eval.analysis.explanation.drawing import Node, followed_links
from prum_eval.analysis.explanation.explain import Explanation, Rank
from prum_eval.report.markup import Markup, fill, lines
from prum_eval.report.text.explanation import name

ROW = 24
"""Height of a row with one line."""
LETTERS = 54
"""About as many letters of a label stand in a line; a longer word has a line of its own."""
_LINE = 15
_LETTER = 7.2
_NUMBER = 34
"""Room for the number of a rank."""
_BETWEEN = 130
"""Room for the lines between ranks and documents."""
_INDENT = 18


_SVG = (
    '<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="group" '
    'aria-label="Ranks, documents and navigation">'
)
_EDGE = '<path class="edge" data-in="{keys}" stroke-width="{width:.2f}" d="{path}"><title>{said}</title></path>'
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    ' markerUnits="userSpaceOnUse"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>'
)
_LINK = '<path class="link" data-in="{keys}" marker-end="url(#arrow)" d="{path}"><title>{said}</title></path>'
_LINES = '<text x="{x}" y="{y}"{anchor}>{spans}</text>'
_SPAN = '<tspan x="{x}" dy="{down}">{line}</tspan>'
_NAME = '<tspan class="name">{names}</tspan>'
_RANK = (
    '<g class="rank" id="r{number}" data-key="r{number}" data-in="{keys}" tabindex="0" role="button" '
    'aria-label="rank {number}: {title}">'
    '<title>{title}</title><rect class="hit" x="0" y="{top}" width="{width}" height="{height}"/>'
    '<text class="name" x="4" y="{base}">{number}</text>{words}<circle cx="{x}" cy="{y}" r="5"/></g>'
)


@dataclass(frozen=True)
class _Row:
    """A rank or a node: the lines of its text, where the row begins, and how high it is."""

    text: Sequence[str]
    top: int
    height: int

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


def data_keys(rank: Rank) -> str:
    """What a rank belongs to: itself and the targets that it reaches."""
    return " ".join([f"r{rank.number}", *(f"t{one.target}" for one in rank.reached)])


def text_lines(text: str, letters: int) -> list[str]:
    """A text in lines, broken before a slash and after a blank only: a longer word has a line of its own.

    >>> text_lines("tides /article[1]/body[1]/section[12]", 20)
    ['tides /article[1]', '/body[1]/section[12]']
    """
    found: list[str] = []
    for piece in re.findall(r"\S[^\s/]*\s*|/", text):
        if found and len(found[-1] + piece.rstrip()) <= letters:
            found[-1] += piece
        else:
            found.append(piece)
    return [line.rstrip() for line in found] or [""]


def drawing(explanation: Explanation, ranks: Sequence[Rank], documents: Sequence[Sequence[Node]]) -> Markup:
    """The ranks, the nodes of the documents, an edge for every target that a rank reaches, the links on the way there.

    A target's dot is filled as far as the target is seen in the end; an edge is as wide as it is probable.
    """
    nodes = [node for one in documents for node in one]
    left = list(_rows([text_lines(_said(rank), LETTERS) for rank in ranks]))
    right = list(_rows([text_lines(_names(node) + node.label, LETTERS - 2 * node.depth) for node in nodes]))
    start = round(_NUMBER + _LETTER * max(len(line) for row in left for line in row.text) + 12)
    begin = start + _BETWEEN
    ends = (
        begin + node.depth * _INDENT + 12 + _LETTER * max(map(len, row.text))
        for node, row in zip(nodes, right, strict=True)
    )
    width = round(max(ends)) + 8
    height = max(rows[-1].top + rows[-1].height for rows in (left, right)) + ROW // 2
    spots = [(begin + node.depth * _INDENT, row.middle) for node, row in zip(nodes, right, strict=True)]
    place = {target: spot for node, spot in zip(nodes, spots, strict=True) for target in node.targets}
    named = {node.name: spot for node, spot in zip(nodes, spots, strict=True) if node.name}
    parts = [
        _SVG.format(width=width, height=height),
        *_edges(ranks, left, start, place),
        *_branches(documents, spots),
        *_links(ranks, named),
        *(_node(explanation, node, row, spot) for node, row, spot in zip(nodes, right, spots, strict=True)),
        *(_rank(rank, row, start) for rank, row in zip(ranks, left, strict=True)),
        "</svg>",
    ]
    return lines(parts)


def _rows(texts: Sequence[Sequence[str]]) -> Iterator[_Row]:
    top = ROW // 2
    for text in texts:
        height = ROW + _LINE * (len(text) - 1)
        yield _Row(text, top, height)
        top += height


def _said(rank: Rank) -> str:
    more = f" + {len(rank.results) - 1}" if len(rank.results) > 1 else ""
    return rank.results[0].location.words + more


def _names(node: Node) -> str:
    return "".join(f"{name(target)} " for target in node.targets)


def _edges(ranks: Sequence[Rank], rows: Sequence[_Row], start: int, place: dict[int, tuple[int, int]]) -> Iterator[str]:
    for rank, row in zip(ranks, rows, strict=True):
        for one in rank.reached:
            x, y = place[one.target]
            middle = (start + x) // 2
            said = f"rank {rank.number} to {name(one.target)}: {one.link.words}, {one.probability:.4f}"
            path = f"M{start} {row.middle}C{middle} {row.middle} {middle} {y} {x} {y}"
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


def _branches(documents: Sequence[Sequence[Node]], spots: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The lines from each node to the one that encloses it."""
    free = iter(spots)
    for nodes in documents:
        above: dict[int, tuple[int, int]] = {}
        for node in nodes:
            x, y = above[node.depth] = next(free)
            if node.depth:
                from_x, from_y = above[node.depth - 1]
                yield f'<path class="branch" d="M{from_x} {from_y}V{y}H{x}"/>'


def _text(text: Sequence[str], x: int, middle: int, *, bold: str = "", end: bool = False) -> Markup:
    """Lines around a middle; what is bold is the beginning of the first."""
    first = middle + 4 - _LINE * (len(text) - 1) // 2
    spans = []
    for number, line in enumerate(text):
        own: Markup | str = line
        if number == 0 and bold and line.startswith(bold.rstrip()):
            own = Markup(fill(_NAME, names=bold) + fill("{rest}", rest=line[len(bold) :]))
        spans.append(fill(_SPAN, x=x, down=_LINE if number else 0, line=own))
    anchor = Markup(' text-anchor="end"' if end else "")
    return fill(_LINES, x=x, y=first, anchor=anchor, spans=spans)


def _node(explanation: Explanation, node: Node, row: _Row, spot: tuple[int, int]) -> str:
    x, y = spot
    leading = {rank for target in node.targets for rank in explanation.targets[target - 1].ranks}
    belongs = [*(f"t{target}" for target in node.targets), *(f"r{rank}" for rank in sorted({*node.ranks, *leading}))]
    own = [f"r{rank}" for rank in dict.fromkeys(node.ranks)]
    square = f'<rect class="own" data-in="{" ".join(own)}" x="{x - 8}" y="{y - 8}" width="16" height="16"/>'
    first = explanation.targets[node.targets[0] - 1] if node.targets else None
    parts = [square if own else ""]
    if first is None:
        parts.append(f'<circle class="plain" cx="{x}" cy="{y}" r="3"/>')
        kind, choose = "node", ""
    else:
        title = f"{_names(node)}{first.location.words}: worth {first.weight:.2f}, seen in the end with {first.seen:.4f}"
        parts.insert(0, fill("<title>{title}</title>", title=title))
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill-opacity="{first.seen:.3f}"/>')
        kind = "node target" if first.ranks else "node target missed"
        choose = fill(
            ' data-key="t{number}" tabindex="0" role="button" aria-label="{title}"', number=first.number, title=title
        )
        choose = choose if first.ranks else ""
    parts.append(_text(row.text, x + 12, y, bold=_names(node)))
    return f'<g class="{kind}"{choose} data-in="{" ".join(belongs)}">{"".join(parts)}</g>'


def _rank(rank: Rank, row: _Row, start: int) -> str:
    title = "; ".join(one.location.words for one in rank.results)
    return fill(
        _RANK,
        number=rank.number,
        keys=data_keys(rank),
        title=title,
        top=row.top,
        width=start + 8,
        height=row.height,
        base=row.middle + 4,
        words=_text(row.text, start - 12, row.middle, end=True),
        x=start,
        y=row.middle,
    )
