"""The html format of an explanation: why a score is what it is, on one page that needs no network.

The page has tables, a drawing of ranks and documents that follows the pointer, and the texts of the documents. What
belongs together carries the same keys: ``r3`` is rank 3, ``t1`` is target 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from prum_eval.analysis.explanation import (
    Excerpt,
    Explanation,
    NamedLocation,
    Rank,
    ReachedTarget,
    ReadDocument,
    SeenCount,
    Stretch,
    Target,
)
from prum_eval.collection.trees import node_name
from prum_eval.report.html_page import details_element, facts
from prum_eval.report.layout import Layout, Markup, add_line_breaks, fill, fill_page, join_lines
from prum_eval.report.text_explanation import (
    document_counts_text,
    facet_description,
    format_addition,
    format_ranks,
    gain_text,
    settings_line,
    target_name,
)
from prum_eval.tabular import plural, to_single_line
from prum_eval.text.names import strip_document_suffix

_LEGEND = '<ul class="legend" aria-label="Signs">\n{items}\n</ul>'
_ITEM = '<li><svg width="44" height="18" viewBox="0 0 44 18" aria-hidden="true">{marker}</svg>{text}</li>'
_LEGEND_MARKERS = {
    "a rank that reaches something": '<g class="rank"><circle cx="22" cy="9" r="5"/></g>',
    "a target, filled as far as it is seen in the end": (
        '<g class="target"><circle cx="14" cy="9" r="6"/><circle cx="32" cy="9" r="6" fill-opacity=".3"/></g>'
    ),
    "a target that is never reached": ('<g class="target missed"><circle cx="22" cy="9" r="6" fill-opacity="0"/></g>'),
    "a result of a rank": '<rect class="own" x="14" y="1" width="16" height="16"/>',
    "navigation, the wider the more probable": (
        '<path class="edge" stroke-width="3.6" d="M2 5H42"/><path class="edge" stroke-width="1" d="M2 13H42"/>'
    ),
    "what encloses": '<path class="branch" d="M10 2V12H26"/><circle class="plain" cx="10" cy="3" r="3"/>',
}
_LINK_MARKER = {"a link on the way": '<path class="link" marker-end="url(#arrow)" d="M4 9H38"/>'}


@dataclass(frozen=True, slots=True)
class DocumentNode:
    """A document, or a place in one, with the number of nodes around it (`depth`).

    `label`: the path from the node around it. `targets`: numbers of the targets at this place. `ranks`: those that
    return it and reach a target. `name`: its name as the end of a link; empty for passages and ranges.
    """

    label: str
    depth: int
    targets: tuple[int, ...]
    ranks: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link between two named places, with the ranks that follow it and the targets reached through it."""

    source: str
    target: str
    ranks: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass
class _Place:
    location: NamedLocation
    targets: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)


_DIGITS = re.compile("([0-9]+)")
LocationKey = tuple[str | None, int | None, int | None]
_WHOLE_DOCUMENT: LocationKey = (None, None, None)
_NEVER = 1 << 62


def ranks_with_targets(explanation: Explanation) -> list[Rank]:
    """The ranks that reach a target."""
    return [rank for rank in explanation.ranks if rank.reached_targets]


def document_trees(explanation: Explanation, ranks: Sequence[Rank]) -> tuple[tuple[DocumentNode, ...], ...]:
    """The documents with a reached target, a result of those ranks, or an end of a link, in the order of the ranks.

    A document is its nodes in document order, each after the one around it; the first is the document itself.
    """
    documents: dict[str, dict[LocationKey, _Place]] = {}
    names = {target.location.document for target in explanation.targets}
    names.update(_parse_location(node).document for rank in ranks for node in _linked_names(rank))

    def place(location: NamedLocation) -> _Place:
        stem = strip_document_suffix(location.document)
        if location.document not in names and stem in names:  # the run names the file
            location = replace(location, document=stem)
        inside = documents.setdefault(location.document, {_WHOLE_DOCUMENT: _Place(NamedLocation(location.document))})
        return inside.setdefault(_location_key(location), _Place(location))

    first: dict[str, int] = {}
    for target in explanation.targets:
        place(target.location).targets.append(target.number)
        first[target.location.document] = min((first.get(target.location.document, _NEVER), *target.ranks[:1]))
    for rank in ranks:
        for result in rank.results:
            if result.exists:
                place(result.location).ranks.append(rank.number)
        for name in _linked_names(rank):
            place(_parse_location(name))
            first.setdefault(_parse_location(name).document, rank.number)
    returned = {name for name, inside in documents.items() if any(place.ranks for place in inside.values())}
    reached = [name for name in documents if first.get(name, _NEVER) < _NEVER or name in returned]
    ordered = sorted(reached, key=lambda name: first.get(name, _NEVER))
    return tuple(tuple(_nodes(documents[name])) for name in ordered)


def _linked_names(rank: Rank) -> dict[str, None]:
    """The names of places on the links from a rank to its targets."""
    return dict.fromkeys(name for reached in rank.reached_targets for name in reached.link.path)


def followed_links(ranks: Sequence[Rank]) -> list[FollowedLink]:
    """The links by which those ranks reach targets, in the order of their first use."""
    links: dict[tuple[str, str], tuple[dict[int, None], dict[int, None]]] = {}
    for rank in ranks:
        for reached in rank.reached_targets:
            for ends in pairwise(reached.link.path):
                by, to = links.setdefault(ends, ({}, {}))
                by[rank.number] = to[reached.target] = None
    return [FollowedLink(*ends, tuple(by), tuple(to)) for ends, (by, to) in links.items()]


def _parse_location(name: str) -> NamedLocation:
    """The location with that name: a document, or an element of it after ``#``."""
    document, _, path = name.rpartition("#/")
    return NamedLocation(document, f"/{path}") if document else NamedLocation(name)


def _location_name(key: LocationKey, location: NamedLocation) -> str:
    """The name of a location; empty if it is no element."""
    if key == _WHOLE_DOCUMENT:
        return location.document
    return node_name(location.document, location.path) if location.path and location.last is None else ""


def _location_key(location: NamedLocation) -> LocationKey:
    """Equal for locations at the same place of a document; the root element is the document."""
    if location.path is None:
        return (None, location.start, location.length)
    return (location.position_text, None, None) if location.path.count("/") > 1 or location.last else _WHOLE_DOCUMENT


def _nodes(inside: Mapping[LocationKey, _Place]) -> Iterator[DocumentNode]:
    children: dict[LocationKey, list[LocationKey]] = {}
    for key, place in inside.items():
        if key != _WHOLE_DOCUMENT:
            children.setdefault(_enclosing(place.location, inside), []).append(key)
    stack: list[tuple[LocationKey, LocationKey, int]] = [(_WHOLE_DOCUMENT, _WHOLE_DOCUMENT, 0)]
    while stack:
        key, above, depth = stack.pop()
        place = inside[key]
        label = place.location.document if key == _WHOLE_DOCUMENT else _label(place.location, inside[above].location)
        yield DocumentNode(label, depth, tuple(place.targets), tuple(place.ranks), _location_name(key, place.location))
        within = children.get(key, [])
        by_extent = all(None not in (inside[child].location.start, inside[child].location.length) for child in within)
        ordered = sorted(within, key=lambda child: _order(inside[child].location, by_extent=by_extent), reverse=True)
        stack += [(child, key, depth + 1) for child in ordered]


def _enclosing(location: NamedLocation, inside: Mapping[LocationKey, _Place]) -> LocationKey:
    """The smallest place around a location: by path if both have one, else by extent."""
    best, size = _WHOLE_DOCUMENT, float("inf")
    for key, place in inside.items():
        other = place.location
        if key == _WHOLE_DOCUMENT or other is location or not _encloses(other, location):
            continue
        extent = float("inf") if other.length is None else other.length
        deeper = other.path is not None and (inside[best].location.path or "") < other.path
        if extent < size or (extent == size and deeper):
            best, size = key, extent
    return best


def _encloses(outer: NamedLocation, inner: NamedLocation) -> bool:
    if outer.path is not None and inner.path is not None and outer.last is None and inner.last is None:
        return inner.path.startswith(f"{outer.path}/")
    if outer.start is None or outer.length is None or inner.start is None or inner.length is None:
        return False
    larger = (outer.length, outer.path is not None) > (inner.length, inner.path is not None)
    return larger and outer.start <= inner.start and inner.start + inner.length <= outer.start + outer.length


def _label(location: NamedLocation, above: NamedLocation) -> str:
    if location.path is None:
        return f"characters {location.position_text}" if location.length else f"character {location.position_text}"
    if above.path is not None and location.path.startswith(f"{above.path}/"):
        return location.position_text[len(above.path) + 1 :]
    parts = location.position_text.split("/", 2)  # without the root
    return parts[2] if len(parts) > 2 and location.last is None else location.position_text


def _order(location: NamedLocation, *, by_extent: bool) -> tuple[int, int, list[str]]:
    """Sort key: start, then size from the largest; if an extent is unknown the path, with p[2] before p[10]."""
    path = [step.zfill(9) if step.isdigit() else step for step in _DIGITS.split(location.path or "")]
    return (location.start or 0, -(location.length or 0), path) if by_extent else (-1, 0, path)


# The drawing: ranks on the left, documents on the right, edges between them. Long paths lose their beginning, so that
# neighbours differ; the texts on hover are complete. Names of documents may take several lines.

ROW_HEIGHT = 24
"""Height of a row with one line."""
MAX_LINE_LETTERS = 40
"""Approximate number of letters in a line of a label; a longer word has a line of its own."""
_LINE = 15
_CHARACTER_WIDTH = 7.2
_NUMBER = 34
"""Space for the number of a rank."""
_EDGE_AREA_WIDTH = 130
"""Space for the lines between ranks and documents."""
_INDENT = 18


_SVG = '<svg viewBox="0 0 {width} {height}" role="group" aria-label="Ranks, documents and navigation">'
_EDGE = '<path class="edge" data-in="{keys}" stroke-width="{width:.2f}" d="{path}"><title>{title}</title></path>'
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    ' markerUnits="userSpaceOnUse"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>'
)
_LINK = '<path class="link" data-in="{keys}" marker-end="url(#arrow)" d="{path}"><title>{title}</title></path>'
_LINES = '<text x="{x}" y="{y}"{anchor}>{spans}</text>'
_SPAN = '<tspan x="{x}" dy="{down}">{line}</tspan>'
_NAME = '<tspan class="name">{names}</tspan>'
_RANK_ROW = (
    '<g class="rank" id="r{number}" data-key="r{number}" data-in="{keys}" tabindex="0" role="button" '
    'aria-label="rank {number}: {title}">'
    '<title>{title}</title><rect class="hit" x="0" y="{top}" width="{width}" height="{height}"/>'
    '<text class="name" x="4" y="{base}">{number}</text>{words}<circle cx="{x}" cy="{y}" r="5"/></g>'
)


@dataclass(frozen=True)
class _Row:
    """A rank or a node: the lines of its text, and the top and height of the row."""

    text: Sequence[str]
    top: int
    height: int

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


def data_keys(rank: Rank) -> str:
    """The keys of a rank and of the targets that it reaches."""
    return " ".join([f"r{rank.number}", *(f"t{reached.target}" for reached in rank.reached_targets)])


def text_lines(text: str, letters: int) -> list[str]:
    """The lines of a text, broken only before a slash or after a blank; a longer word has a line of its own.

    >>> text_lines("tides /article[1]/body[1]/section[12]", 20)
    ['tides /article[1]', '/body[1]/section[12]']
    """
    lines: list[str] = []
    for piece in re.findall(r"\S[^\s/]*\s*|/", text):
        if lines and len(lines[-1] + piece.rstrip()) <= letters:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines] or [""]


def cut_path(text: str, letters: int) -> str:
    """A text whose path lost its first steps if it is longer; other texts as they are.

    >>> cut_path("T1 tides /article[1]/body[1]/section[12]/p[3]", 30)
    'T1 tides \u2026/section[12]/p[3]'
    """
    start = text.find(" /") + 1 or text.find("/")
    while len(text) > letters and (cut := text.find("/", start + (text[start] == "\u2026") + 1)) >= 0:
        text = f"{text[:start]}\u2026{text[cut:]}"
    return text


def _label_lines(text: str, letters: int) -> list[str]:
    return text_lines(cut_path(text, letters), letters)


def explanation_drawing(
    explanation: Explanation, ranks: Sequence[Rank], documents: Sequence[Sequence[DocumentNode]]
) -> Markup:
    """The ranks, the nodes of the documents, an edge from a rank to each target that it reaches, and followed links.

    The opacity of a target's dot is the share of the target seen in the end; the width of an edge its probability.
    """
    nodes = [node for document in documents for node in document]
    left = list(_rows([_label_lines(_rank_title(rank), MAX_LINE_LETTERS) for rank in ranks]))
    right = list(_rows([_label_lines(_names(node) + node.label, MAX_LINE_LETTERS - 2 * node.depth) for node in nodes]))
    start = round(_NUMBER + _CHARACTER_WIDTH * max(len(line) for row in left for line in row.text) + 12)
    begin = start + _EDGE_AREA_WIDTH
    ends = (
        begin + node.depth * _INDENT + 12 + _CHARACTER_WIDTH * max(map(len, row.text))
        for node, row in zip(nodes, right, strict=True)
    )
    width = round(max(ends)) + 8
    height = max(rows[-1].top + rows[-1].height for rows in (left, right)) + ROW_HEIGHT // 2
    spots = [(begin + node.depth * _INDENT, row.middle) for node, row in zip(nodes, right, strict=True)]
    target_positions = {target: spot for node, spot in zip(nodes, spots, strict=True) for target in node.targets}
    positions = {node.name: spot for node, spot in zip(nodes, spots, strict=True) if node.name}
    parts = [
        _SVG.format(width=width, height=height),
        *_edges(ranks, left, start, target_positions),
        *_branches(documents, spots),
        *_links(ranks, positions),
        *(_node(explanation, node, row, spot) for node, row, spot in zip(nodes, right, spots, strict=True)),
        *(_rank(rank, row, start) for rank, row in zip(ranks, left, strict=True)),
        "</svg>",
    ]
    return join_lines(parts)


def _rows(texts: Sequence[Sequence[str]]) -> Iterator[_Row]:
    top = ROW_HEIGHT // 2
    for text in texts:
        height = ROW_HEIGHT + _LINE * (len(text) - 1)
        yield _Row(text, top, height)
        top += height


def _rank_title(rank: Rank) -> str:
    more = f" + {len(rank.results) - 1}" if len(rank.results) > 1 else ""
    return rank.results[0].location.description + more


def _names(node: DocumentNode) -> str:
    return "".join(f"{target_name(target)} " for target in node.targets)


def _edges(
    ranks: Sequence[Rank], rows: Sequence[_Row], start: int, positions: dict[int, tuple[int, int]]
) -> Iterator[str]:
    for rank, row in zip(ranks, rows, strict=True):
        for reached in rank.reached_targets:
            x, y = positions[reached.target]
            middle = (start + x) // 2
            name, how = target_name(reached.target), reached.link.description
            title = f"rank {rank.number} to {name}: {how}, {reached.probability:.4f}"
            path = f"M{start} {row.middle}C{middle} {row.middle} {middle} {y} {x} {y}"
            keys, width = f"r{rank.number} t{reached.target}", 0.6 + 3 * reached.probability
            yield fill(_EDGE, keys=keys, width=width, path=path, title=title)


def _links(ranks: Sequence[Rank], positions: dict[str, tuple[int, int]]) -> Iterator[str]:
    """An arrow for each followed link, bent to the left of the dots."""
    links = followed_links(ranks)
    if links:
        yield _ARROW
    for link in links:
        (x, y), (end_x, end_y) = positions[link.source], positions[link.target]
        bend = min(x, end_x) - min(24 + abs(end_y - y) // 5, 84)
        loop = ROW_HEIGHT // 2 if y == end_y else 0  # a link to itself
        path = f"M{x - 7} {y}C{bend} {y + loop} {bend} {end_y - loop} {end_x - 9} {end_y}"
        keys = " ".join([*(f"r{rank}" for rank in link.ranks), *(f"t{target}" for target in link.targets)])
        by, to = ", ".join(map(str, link.ranks)), ", ".join(map(target_name, link.targets))
        title = f"link from {link.source} to {link.target}, followed from rank {by} to {to}"
        yield fill(_LINK, keys=keys, path=path, title=title)


def _branches(documents: Sequence[Sequence[DocumentNode]], spots: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The lines from each node to the one around it."""
    free = iter(spots)
    for nodes in documents:
        above: dict[int, tuple[int, int]] = {}
        for node in nodes:
            x, y = above[node.depth] = next(free)
            if node.depth:
                from_x, from_y = above[node.depth - 1]
                yield f'<path class="branch" d="M{from_x} {from_y}V{y}H{x}"/>'


def _text(text: Sequence[str], x: int, middle: int, *, bold: str = "", end: bool = False) -> Markup:
    """Lines of a text around a middle; `bold` is the beginning of the first line."""
    first = middle + 4 - _LINE * (len(text) - 1) // 2
    spans = []
    for number, line in enumerate(text):
        content: Sequence[str] = [line]
        if number == 0 and bold and line.startswith(bold.rstrip()):
            content = [fill(_NAME, names=bold), line[len(bold) :]]
        spans.append(fill(_SPAN, x=x, down=_LINE if number else 0, line=content))
    anchor = Markup(' text-anchor="end"' if end else "")
    return fill(_LINES, x=x, y=first, anchor=anchor, spans=spans)


def _node(explanation: Explanation, node: DocumentNode, row: _Row, spot: tuple[int, int]) -> str:
    x, y = spot
    reaching = {rank for target in node.targets for rank in explanation.targets[target - 1].ranks}
    keys = [*(f"t{target}" for target in node.targets), *(f"r{rank}" for rank in sorted({*node.ranks, *reaching}))]
    own_keys = " ".join(f"r{rank}" for rank in dict.fromkeys(node.ranks))
    square = f'<rect class="own" data-in="{own_keys}" x="{x - 8}" y="{y - 8}" width="16" height="16"/>'
    first = explanation.targets[node.targets[0] - 1] if node.targets else None
    parts = [square if own_keys else ""]
    if first is None:
        parts.append(f'<circle class="plain" cx="{x}" cy="{y}" r="3"/>')
        kind, choose = "node", ""
    else:
        place = f"{_names(node)}{first.location.description}"
        title = f"{place}: worth {first.weight:.2f}, seen in the end with {first.seen:.4f}"
        parts.insert(0, fill("<title>{title}</title>", title=title))
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill-opacity="{first.seen:.3f}"/>')
        kind = "node target" if first.ranks else "node target missed"
        choose = fill(
            ' data-key="t{number}" tabindex="0" role="button" aria-label="{title}"', number=first.number, title=title
        )
        choose = choose if first.ranks else ""
    parts.append(_text(row.text, x + 12, y, bold=_names(node)))
    return f'<g class="{kind}"{choose} data-in="{" ".join(keys)}">{"".join(parts)}</g>'


def _rank(rank: Rank, row: _Row, start: int) -> str:
    title = "; ".join(result.location.description for result in rank.results)
    return fill(
        _RANK_ROW,
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


# Excerpts and whole documents.

MAX_UNFOLDED_LENGTH = 360
"""Characters of the longest excerpt that is not folded."""
_WHOLE = '<blockquote class="excerpt">{text}</blockquote>'
_FOLDED = '<details class="excerpt"><summary>{front}{head}...</summary><blockquote>{text}</blockquote></details>'
_OMISSION = '<span class="quiet">({count} more characters)</span>'


def excerpt_quote(excerpt: Excerpt | None) -> Markup:
    """The text with highlights in <mark>; a long one is folded with its beginning as summary."""
    if excerpt is None or not excerpt.text.strip():
        return Markup("")
    text = [*_omission(excerpt.before), *_mark_highlights(excerpt, 0, len(excerpt.text)), *_omission(excerpt.after)]
    if len(excerpt.text) <= MAX_UNFOLDED_LENGTH:
        return fill(_WHOLE, text=text)
    first = excerpt.marks[0][0] if excerpt.marks else 0
    begin = first - MAX_UNFOLDED_LENGTH // 8 if first > MAX_UNFOLDED_LENGTH // 2 else 0
    return fill(
        _FOLDED,
        front="..." if begin else "",
        head=_mark_highlights(excerpt, begin, MAX_UNFOLDED_LENGTH // 2),
        text=text,
    )


def _omission(count: int) -> list[str]:
    return [" ", fill(_OMISSION, count=count), " "] if count else []


def _mark_highlights(excerpt: Excerpt, begin: int, most: int) -> list[str]:
    """At most `most` characters of an excerpt from `begin` on."""
    parts: list[str] = []
    for piece, marked in excerpt.pieces(begin):
        parts.append(fill("<mark>{text}</mark>", text=piece[:most]) if marked else piece[:most])
        most -= len(piece)
        if most <= 0:
            break
    return parts


MAX_TEXT_LENGTHS = {(True, True): 4000, (True, False): 4000, (False, True): 600, (False, False): 160}
"""Characters of a stretch that are shown, by (highlighted, read); longer ones show beginning and end."""

_SECTION = '<h2>The texts</h2>\n<p class="quiet">{legend}</p>\n{documents}{others}'
_DOCUMENTS_LEGEND = Markup(
    'What is highlighted stands in <mark>yellow</mark>, what the run has is <span class="read">underlined</span>, with '
    'its rank before it, <span class="read again">twice</span> where it is read again, and what is highlighted and in '
    'no result is <mark class="missed">missed</mark>.'
)
_DOCUMENT = (
    '<section class="document"><h3>{name}</h3><p class="quiet">{counts}</p><blockquote>{text}</blockquote></section>'
)
_READ = '<span class="read{again}" data-in="{keys}"><sup title="{title}">{ranks}</sup>{text}</span>'
_MARK = '<mark title="highlighted">{text}</mark>'
_MISSED = '<mark class="missed" title="missed">{text}</mark>'
_CUT = ' <span class="quiet">(... {count} more characters ...)</span> '
_NOTHING_HIGHLIGHTED = '<p class="quiet">Nothing is highlighted in {characters} of {documents}, {ranks}.</p>'


def documents_section(documents: Sequence[ReadDocument]) -> Markup:
    """Documents with highlights, their read and missed text marked; of the others how much is read."""
    if not any(document.highlighted_size for document in documents):
        return Markup("")
    others = [document for document in documents if not document.highlighted_size and document.read_size]
    note = fill(
        _NOTHING_HIGHLIGHTED,
        characters=plural(sum(document.read_size for document in others), "character"),
        ranks=format_ranks(tuple(sorted({rank for document in others for rank in document.ranks}))),
        documents=plural(len(others), "other document"),
    )
    shown = [_document(document) for document in documents if document.highlighted_size]
    return fill(_SECTION, legend=_DOCUMENTS_LEGEND, documents=shown, others=note if others else "")


def _document(document: ReadDocument) -> Markup:
    text = [_stretch(stretch, document.text[stretch.start : stretch.end]) for stretch in document.stretches]
    return fill(
        _DOCUMENT,
        name=add_line_breaks(document.name, before="/"),
        counts=f"Characters: {document_counts_text(document)}.",
        text=text,
    )


def _stretch(stretch: Stretch, text: str) -> Markup:
    read, longest = bool(stretch.ranks), MAX_TEXT_LENGTHS[stretch.highlighted, bool(stretch.ranks)]
    shown = fill("{text}", text=text)
    if len(text) > longest:
        half = longest // 2
        cut = fill(_CUT, count=len(text) - 2 * half)
        shown = fill("{parts}", parts=[text[:half], cut, text[-half:]])
    if stretch.highlighted:
        shown = fill(_MARK if read else _MISSED, text=shown)
    if not read:
        return shown
    keys = " ".join(f"r{rank}" for rank in stretch.ranks)
    ranks = ",".join(map(str, stretch.ranks[:4])) + ("..." if len(stretch.ranks) > 4 else "")
    again = " again" if len(stretch.ranks) > 1 else ""
    return fill(_READ, again=again, keys=keys, title=format_ranks(stretch.ranks), ranks=ranks, text=shown)


# The page.

MAX_DRAWN_RANKS = 150
"""Maximum number of drawn ranks that reach something; the table has all of them."""
MAX_BARS = 40
"""Maximum number of bars of a distribution."""

_NOTHING_DRAWN = Markup("<p>No rank reaches a target.</p>")
_TABLE = (
    '<div class="scroll" role="region" aria-label="{label}" tabindex="0">'
    "<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>"
)
_KEYS = ' data-key="{key}" data-in="{keys}" tabindex="0"'
_PICTURE = """<h2>What each rank reaches</h2>
<p class="quiet">{hint}</p>
{legend}
<div class="picture" role="region" aria-label="Drawing" tabindex="0">
{drawing}
</div><div class="details" aria-live="polite">
{details}</div>
"""
_UNSEEN = "<h2>Expected missed</h2>\n{unseen}\n"
_ADDS_NOTHING = '<p class="quiet">{others} added nothing.</p>'
_QUIET = '<p class="quiet">{others} reached nothing.</p>'
_RANK = (
    '<section data-in="r{number}"><h3>Rank {number}</h3><p>{places}</p>{texts}{reached}'
    "<p>Seen by then: {seen:.4f} of {targets}, likely {likely}; unseen: {unseen:.4f}</p>{bars}{added}</section>"
)
_LINK_PATH = '<p class="quiet">{who} by {path}</p>'
_TARGET = (
    '<section data-in="t{number}"><h3>Target {name}</h3><p>{place}</p>{text}'
    "<p>Worth {weight:.2f}, seen in the end with {seen:.4f}</p>{reached}</section>"
)
_BARS = (
    '<svg class="bars" width="{width}" height="80" role="img" '
    'aria-label="Probability of each number of targets seen">{parts}</svg>'
)
_BAR = '<rect x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}"><title>{title}</title></rect>'
_BAR_TEXT = '<text x="{x}" y="{y}">{text}</text>'


def explanation_page(explanation: Explanation, layout: Layout) -> Markup:
    """The page; its drawing has the first ranks that reach a target."""
    ranks = ranks_with_targets(explanation)
    drawn = ranks[:MAX_DRAWN_RANKS]
    links = any(reached.link.path for rank in drawn for reached in rank.reached_targets)
    note = (
        f" The first {MAX_DRAWN_RANKS} of {len(ranks)} ranks that reach something are drawn."
        if len(ranks) > MAX_DRAWN_RANKS
        else ""
    )
    terms = {"Settings": settings_line(explanation), **({"Date": layout.date} if layout.date else {})}
    return fill_page(
        "explanation",
        ["all", "explanation"],
        ["explanation"],
        title=f"Topic {explanation.topic}, run {explanation.run_id}",
        facts=facts({}, [explanation.path], "", "", terms),
        values=_values(explanation),
        picture=""
        if explanation.gains
        else fill(
            _PICTURE,
            legend=_legend(links=links) if drawn else "",
            hint=f"Point at a rank or a target, or click to keep it; Escape lets go.{note}",
            drawing=explanation_drawing(explanation, drawn, document_trees(explanation, drawn))
            if drawn
            else _NOTHING_DRAWN,
            details=[
                *(Markup(f"{_rank_details(rank, explanation)}\n") for rank in ranks),
                *(
                    Markup(f"{_target_details(target, explanation)}\n")
                    for target in explanation.targets
                    if target.ranks
                ),
            ],
        ),
        ranks=_rank_table(explanation),
        unseen="" if explanation.gains else fill(_UNSEEN, unseen=_unseen(explanation)),
        documents=documents_section(explanation.documents),
        signature=add_line_breaks(to_single_line(explanation.signature), after="|,"),
    )


def _legend(*, links: bool) -> Markup:
    """The list of markers; `links`: whether there are arrows among them."""
    markers = {**_LEGEND_MARKERS, **(_LINK_MARKER if links else {})}
    return fill(_LEGEND, items=[fill(_ITEM, marker=Markup(marker), text=text) for text, marker in markers.items()])


def _table(headers: Sequence[str], rows: Iterable[Markup], numbers: int) -> Markup:
    """A table whose last `numbers` columns hold numbers."""
    words = len(headers) - numbers
    heads = [fill("<th scope=col>{name}</th>", name=name) for name in headers[:words]]
    heads += [fill("<th scope=col class=number>{name}</th>", name=name) for name in headers[words:]]
    return fill(_TABLE, label=", ".join(headers), heads=heads, rows=list(rows))


def _row(words: Sequence[str], numbers: Sequence[str], more: str = "") -> Markup:
    texts = [text if isinstance(text, Markup) else add_line_breaks(text, before="/") for text in words]
    cells = [fill("<td>{text}</td>", text=text) for text in texts]
    cells += [fill("<td class=number>{text}</td>", text=text) for text in numbers]
    return fill("<tr{more}>{cells}</tr>\n", more=more, cells=cells)


def _values(explanation: Explanation) -> Markup:
    has_rest = any(contribution.rest for contribution in explanation.contributions)
    headers = ["measure", "value", *(["by the ranks", "by the elements after the list"] if has_rest else [])]
    rows = []
    for contribution in explanation.contributions:
        parts = (
            [f"{contribution.value - contribution.rest:.4f}", f"{contribution.rest:.4f}"]
            if contribution.rest
            else ["", ""]
        )
        rows.append(_row([contribution.measure], [f"{contribution.value:.4f}", *(parts if has_rest else [])]))
    return _table(headers, rows, len(headers) - 1)


def _rank_details(rank: Rank, explanation: Explanation) -> Markup:
    """Shown beside the drawing while a rank is chosen."""
    words = [
        result.location.description + ("" if result.exists else " (not in the collection)") for result in rank.results
    ]
    adds = [
        _row([contribution.measure], [format_addition(addition)])
        for contribution, addition in zip(explanation.contributions, rank.additions, strict=True)
    ]
    return fill(
        _RANK,
        number=rank.number,
        places=Markup("<br>".join(add_line_breaks(text, before="/") for text in words)),
        texts=[excerpt_quote(explanation.excerpts.get(result.location)) for result in rank.results],
        reached=_reached("target", [(target_name(reach.target), "", reach) for reach in rank.reached_targets]),
        seen=rank.count.mean,
        targets=len(explanation.targets),
        likely=_likely_count(rank.count),
        unseen=len(explanation.targets) - rank.count.mean,
        bars=_bars(rank.count),
        added=_table(["measure", "added"], adds, 1),
    )


def _reached(head: str, reached: Sequence[tuple[str, str, ReachedTarget]]) -> Markup:
    """A table of reached targets, a row per name (with a prefix in texts), and the paths of more than one link."""
    rows = [
        _row([name, reach.link.description], [f"{reach.probability:.4f}", f"{reach.before:.4f}", f"{reach.after:.4f}"])
        for name, _, reach in reached
    ]
    paths = [
        fill(_LINK_PATH, who=prefix + name, path=add_line_breaks(" > ".join(reach.link.path[1:-1]), before="/"))
        for name, prefix, reach in reached
        if reach.link.path[2:]
    ]
    return Markup("".join([_table([head, "how", "reached", "seen before", "after"], rows, 3), *paths]))


def _likely_count(count: SeenCount) -> str:
    return f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"


def _bars(count: SeenCount) -> Markup:
    """The distribution of F_k, the number of targets seen, as bars without the tails that round to .00."""
    visible = [f for f, probability in enumerate(count.distribution) if probability >= 0.005] or [0]
    low = visible[0]
    drawn = list(enumerate(count.distribution))[low : min(visible[-1] + 1, low + MAX_BARS)]
    largest = max(probability for _, probability in drawn)
    step = min(28, 300 // len(drawn))
    parts = []
    for number, (f, probability) in enumerate(drawn):
        height = 48 * probability / largest
        x = 2 + number * step
        title = f"{plural(f, 'target')}: {probability:.4f}"
        parts.append(fill(_BAR, x=x, y=62 - height, width=step - 3, height=height, title=title))
        middle = x + (step - 3) / 2
        if step >= 18 or f % 5 == 0:
            parts.append(fill(_BAR_TEXT, x=middle, y="75", text=f))
        if step >= 28:
            parts.append(fill(_BAR_TEXT, x=middle, y=f"{59 - height:.1f}", text=f"{probability:.2f}"[1:]))
    return fill(_BARS, width=len(drawn) * step + 4, parts=parts)


def _target_details(target: Target, explanation: Explanation) -> Markup:
    """Shown beside the drawing while a target is chosen."""
    reached = [
        (f"{rank.number}", "rank ", reach)
        for rank in explanation.ranks
        for reach in rank.reached_targets
        if reach.target == target.number
    ]
    return fill(
        _TARGET,
        number=target.number,
        name=target_name(target.number),
        place=add_line_breaks(target.location.description, before="/"),
        text=excerpt_quote(explanation.excerpts.get(target.location)),
        weight=target.weight,
        seen=target.seen,
        reached=_reached("rank", reached),
    )


def _rank_table(explanation: Explanation) -> Markup:
    names = [contribution.measure for contribution in explanation.contributions]
    rows = []
    for rank in explanation.ranks:
        if not any(rank.additions) and (explanation.gains or not rank.reached_targets):
            continue
        results = "; ".join(result.location.description for result in rank.results)
        if explanation.gains:
            gained = "; ".join(gain_text(gain) for gain in explanation.gains[rank.number - 1])
            additions = list(map(format_addition, rank.additions))
            rows.append(_row([str(rank.number), results, gained], additions))
            continue
        reached = ", ".join(
            f"{target_name(reach.target)} {reach.probability:.2f}" for reach in rank.reached_targets[:6]
        )
        more = f" and {len(rank.reached_targets) - 6} more" if len(rank.reached_targets) > 6 else ""
        numbers = [
            f"{rank.count.mean:.4f}",
            _likely_count(rank.count),
            *map(format_addition, rank.additions),
        ]
        keys = fill(_KEYS, key=f"r{rank.number}", keys=data_keys(rank)) if rank.reached_targets else Markup("")
        rows.append(_row([str(rank.number), results, reached + more], numbers, keys))
    nothing = len(explanation.ranks) - len(rows)
    headers = ["gain and overlap"] if explanation.gains else ["reaches", "seen", "likely"]
    table = _table(["rank", "result", *headers, *names], rows, len(headers) - 1 + len(names))
    if explanation.gains:
        return fill("{table}" + (_ADDS_NOTHING if nothing else ""), table=table, others=plural(nothing, "other rank"))
    return fill("{table}" + (_QUIET if nothing else ""), table=table, others=plural(nothing, "other rank"))


def _unseen_place(target: Target, explanation: Explanation) -> Markup:
    """The location of a target, and its text if it is never reached and thus nowhere else on the page."""
    place = add_line_breaks(target.location.description, before="/")
    return place if target.ranks else Markup(place + excerpt_quote(explanation.excerpts.get(target.location)))


def _unseen(explanation: Explanation) -> Markup:
    expected = sum(1 - target.seen for target in explanation.targets)
    missed = [
        target
        for target in sorted(explanation.targets, key=lambda target: (target.seen, target.number))
        if target.seen < 0.99995
    ]
    reached = [
        _row(
            [target_name(target.number), _unseen_place(target, explanation), f"by {plural(len(target.ranks), 'rank')}"],
            [f"{target.weight:.2f}", f"{1 - target.seen:.4f}"],
            fill(_KEYS, key=f"t{target.number}", keys=f"t{target.number}"),
        )
        for target in missed
        if target.ranks
    ]
    unreached = [
        _row([target_name(target.number), _unseen_place(target, explanation)], [f"{target.weight:.2f}"])
        for target in missed
        if not target.ranks
    ]
    parts: list[Markup | str] = []
    if reached:
        parts.append(_table(["target", "place", "reached", "worth", "missed"], reached, 2))
    if unreached:
        summary = f"{plural(len(unreached), 'target')} never reached"
        parts.append(details_element(summary, _table(["target", "place", "worth"], unreached, 1)))
    total = plural(len(explanation.targets), "target")
    text = "<p>{expected:.3g} of {total}.</p>{tables}{facets}"
    return fill(text, expected=expected, total=total, tables=parts, facets=_facets(explanation))


def _facets(explanation: Explanation) -> Markup | str:
    """A table of facets: what satisfies each, at which rank, and what is missing."""
    if not explanation.facets:
        return ""
    rows = [
        _row([f"F{facet.number}", facet_description(facet)], [f"{facet.weight:.2f}", f"{facet.satisfied:.4f}"])
        for facet in explanation.facets
    ]
    return _table(["facet", "satisfied", "worth", "probability"], rows, 2)
