"""Why a score is what it is, as one page that needs no network: tables, and a drawing that answers to the mouse."""

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
from prum_eval.report.drawing import to_single_line
from prum_eval.report.html_page import facts
from prum_eval.report.layout import Layout, Markup, add_line_breaks, fill, fill_page, join_lines
from prum_eval.report.text_explanation import (
    document_counts_text,
    format_ranks,
    settings_line,
    target_name,
)
from prum_eval.tabular import plural
from prum_eval.text.names import strip_document_suffix

# What the signs of the drawing of an explanation say.


_LEGEND = '<ul class="legend" aria-label="Signs">\n{items}\n</ul>'
_ITEM = '<li><svg width="44" height="18" viewBox="0 0 44 18" aria-hidden="true">{sign}</svg>{said}</li>'
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
_LINK = '<path class="link" marker-end="url(#arrow)" d="M4 9H38"/>'


def explanation_legend(*, links: bool) -> Markup:
    """The list of signs; `links`: whether there are arrows among them."""
    shown = {**_LEGEND_MARKERS, **({"a link on the way": _LINK} if links else {})}
    return fill(_LEGEND, items=[fill(_ITEM, sign=Markup(sign), said=said) for said, sign in shown.items()])


# The documents of an explanation as small trees: targets, results that lead to one, and what encloses what.


@dataclass(frozen=True, slots=True)
class DocumentNode:
    """A document, or a place in one. `label` leads on from the node that encloses it, `depth` nodes up from it.

    `targets`: numbers of the targets that it is. `ranks`: those that point to it and lead to a target. `target_name`: what it
    is called on ways along links; of passages and ranges none.
    """

    label: str
    depth: int
    targets: tuple[int, ...]
    ranks: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link on the way of some ranks to some targets, from one place to another by their names."""

    source: str
    target: str
    ranks: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass
class _Place:
    location: NamedLocation
    targets: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)


_NUMBER_drawing = re.compile("([0-9]+)")
LocationKey = tuple[str | None, int | None, int | None]
_WHOLE_DOCUMENT: LocationKey = (None, None, None)
_NEVER = 1 << 62


def ranks_with_targets(explanation: Explanation) -> list[Rank]:
    """The ranks that lead to a target."""
    return [rank for rank in explanation.ranks if rank.reached_targets]


def document_trees(explanation: Explanation, ranks: Sequence[Rank]) -> tuple[tuple[DocumentNode, ...], ...]:
    """The documents that hold a target, a result of those ranks, or what links lead by, as the ranks get there.

    A document is its nodes in document order, each behind the one that encloses it; the first is the document itself.
    """
    found: dict[str, dict[LocationKey, _Place]] = {}

    known = {target.location.document for target in explanation.targets}
    known.update(
        _parse_location(node).document for rank in ranks for one in rank.reached_targets for node in one.link.path
    )

    def place(location: NamedLocation) -> _Place:
        if (
            location.document not in known and strip_document_suffix(location.document) in known
        ):  # the run names the file
            location = replace(location, document=strip_document_suffix(location.document))
        inside = found.setdefault(location.document, {_WHOLE_DOCUMENT: _Place(NamedLocation(location.document))})
        return inside.setdefault(_location_key(location), _Place(location))

    first: dict[str, int] = {}
    for target in explanation.targets:
        place(target.location).targets.append(target.number)
        first[target.location.document] = min((first.get(target.location.document, _NEVER), *target.ranks[:1]))
    for rank in ranks:
        for result in rank.results:
            if result.exists:
                place(result.location).ranks.append(rank.number)
        for name in dict.fromkeys(name for one in rank.reached_targets for name in one.link.path):
            place(_parse_location(name))
            first.setdefault(_parse_location(name).document, rank.number)
    ordered = sorted(found, key=lambda name: first.get(name, _NEVER))
    return tuple(tuple(_nodes(found[name])) for name in ordered)


def followed_links(ranks: Sequence[Rank]) -> list[FollowedLink]:
    """The links by which those ranks lead to targets, in the order in which they are followed first."""
    used: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for rank in ranks:
        for one in rank.reached_targets:
            for step in pairwise(one.link.path):
                by, to = used.setdefault(step, ([], []))
                by.append(rank.number)
                to.append(one.target)
    return [FollowedLink(*step, tuple(dict.fromkeys(by)), tuple(dict.fromkeys(to))) for step, (by, to) in used.items()]


def _parse_location(name: str) -> NamedLocation:
    """The place of a name on a way: a document, or an element of it behind ``#``."""
    document, _, path = name.rpartition("#/")
    return NamedLocation(document, f"/{path}") if document else NamedLocation(name)


def _location_name(key: LocationKey, location: NamedLocation) -> str:
    """The other way round; empty for what is no element."""
    if key == _WHOLE_DOCUMENT:
        return location.document
    return node_name(location.document, location.path) if location.path and location.last is None else ""


def _location_key(location: NamedLocation) -> LocationKey:
    """What makes two spots of a document the same place; its root element is the document."""
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
        known = all(_has_extent(inside[child].location) for child in within)
        ordered = sorted(within, key=lambda one: _order(inside[one].location, known=known), reverse=True)
        stack += [(child, key, depth + 1) for child in ordered]


def _enclosing(location: NamedLocation, inside: Mapping[LocationKey, _Place]) -> LocationKey:
    """The smallest place that encloses a spot: by path where both have one, else by extent."""
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
    parts = location.position_text.split("/", 2)  # the root goes without saying
    return parts[2] if len(parts) > 2 and location.last is None else location.position_text


def _has_extent(location: NamedLocation) -> bool:
    return location.start is not None and location.length is not None


def _order(location: NamedLocation, *, known: bool) -> tuple[int, int, list[str]]:
    """Places by where they begin, then the larger first; where not all extents are known by path: p[2] before p[10]."""
    path = [step.zfill(9) if step.isdigit() else step for step in _NUMBER_drawing.split(location.path or "")]
    return (location.start or 0, -(location.length or 0), path) if known else (-1, 0, path)


# The drawing of an explanation: ranks on the left, documents on the right, and who leads where between them.
#
# Texts stand in full, in as many lines as they need, broken between the words of a name or the steps of a path only.


ROW_HEIGHT = 24
"""Height of a row with one line."""
MAX_LINE_LETTERS = 54
"""About as many letters of a label stand in a line; a longer word has a line of its own."""
_LINE = 15
_CHARACTER_WIDTH = 7.2
_NUMBER = 34
"""Room for the number of a rank."""
_EDGE_AREA_WIDTH = 130
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
_LINK_explanation_svg = (
    '<path class="link" data-in="{keys}" marker-end="url(#arrow)" d="{path}"><title>{said}</title></path>'
)
_LINES = '<text x="{x}" y="{y}"{anchor}>{spans}</text>'
_SPAN = '<tspan x="{x}" dy="{down}">{line}</tspan>'
_NAME = '<tspan class="name">{names}</tspan>'
_RANK_explanation_svg = (
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
    return " ".join([f"r{rank.number}", *(f"t{one.target}" for one in rank.reached_targets)])


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


def explanation_drawing(
    explanation: Explanation, ranks: Sequence[Rank], documents: Sequence[Sequence[DocumentNode]]
) -> Markup:
    """The ranks, the nodes of the documents, an edge for every target that a rank reaches, the links on the way there.

    A target's dot is filled as far as the target is seen in the end; an edge is as wide as it is probable.
    """
    nodes = [node for one in documents for node in one]
    left = list(_rows([text_lines(_rank_title(rank), MAX_LINE_LETTERS) for rank in ranks]))
    right = list(_rows([text_lines(_names(node) + node.label, MAX_LINE_LETTERS - 2 * node.depth) for node in nodes]))
    start = round(_NUMBER + _CHARACTER_WIDTH * max(len(line) for row in left for line in row.text) + 12)
    begin = start + _EDGE_AREA_WIDTH
    ends = (
        begin + node.depth * _INDENT + 12 + _CHARACTER_WIDTH * max(map(len, row.text))
        for node, row in zip(nodes, right, strict=True)
    )
    width = round(max(ends)) + 8
    height = max(rows[-1].top + rows[-1].height for rows in (left, right)) + ROW_HEIGHT // 2
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


def _edges(ranks: Sequence[Rank], rows: Sequence[_Row], start: int, place: dict[int, tuple[int, int]]) -> Iterator[str]:
    for rank, row in zip(ranks, rows, strict=True):
        for one in rank.reached_targets:
            x, y = place[one.target]
            middle = (start + x) // 2
            said = f"rank {rank.number} to {target_name(one.target)}: {one.link.description}, {one.probability:.4f}"
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
        loop = ROW_HEIGHT // 2 if y == end_y else 0  # a link to where one is
        path = f"M{x - 7} {y}C{bend} {y + loop} {bend} {end_y - loop} {end_x - 9} {end_y}"
        keys = " ".join([*(f"r{rank}" for rank in one.ranks), *(f"t{target}" for target in one.targets)])
        by = ", ".join(map(str, one.ranks))
        to = ", ".join(target_name(target) for target in one.targets)
        said = f"link from {one.source} to {one.target}, followed from rank {by} to {to}"
        yield fill(_LINK_explanation_svg, keys=keys, path=path, said=said)


def _branches(documents: Sequence[Sequence[DocumentNode]], spots: Sequence[tuple[int, int]]) -> Iterator[str]:
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


def _node(explanation: Explanation, node: DocumentNode, row: _Row, spot: tuple[int, int]) -> str:
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
        title = f"{_names(node)}{first.location.description}: worth {first.weight:.2f}, seen in the end with {first.seen:.4f}"
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
    title = "; ".join(one.location.description for one in rank.results)
    return fill(
        _RANK_explanation_svg,
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


# An excerpt of a document on a page.


MAX_UNFOLDED_LENGTH = 360
"""Characters of an excerpt that is not folded."""
_WHOLE = '<blockquote class="excerpt">{text}</blockquote>'
_FOLDED = '<details class="excerpt"><summary>{front}{head}...</summary><blockquote>{text}</blockquote></details>'
_OMISSION = '<span class="quiet">({count} more characters)</span>'


def excerpt_quote(excerpt: Excerpt | None) -> Markup:
    """The text with what is highlighted in <mark>; a long one is folded, and its beginning stands for it."""
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
    """So many characters from one on."""
    parts: list[str] = []
    for piece, marked in excerpt.pieces(begin):
        parts.append(fill("<mark>{text}</mark>", text=piece[:most]) if marked else piece[:most])
        most -= len(piece)
        if most <= 0:
            break
    return parts


# Documents beside what a run returned of them, on a page.


MAX_TEXT_LENGTHS = {(True, True): 4000, (True, False): 4000, (False, True): 600, (False, False): 160}
"""Characters of a stretch that are shown, by (highlighted, read): of longer ones beginning and end."""

_SECTION = '<h2>The texts</h2>\n<p class="quiet">{legend}</p>\n{documents}{others}'
_LEGEND_read_documents = Markup(
    'What is highlighted stands in <mark>yellow</mark>, what the run has is <span class="read">underlined</span>, with '
    'its rank before it, <span class="read again">twice</span> where it is read again, and what is highlighted and in '
    'no result is <mark class="missed">missed</mark>.'
)
_DOCUMENT = (
    '<section class="document"><h3>{name}</h3><p class="quiet">{said}</p><blockquote>{text}</blockquote></section>'
)
_READ = '<span class="read{again}" data-in="{keys}"><sup title="{said}">{ranks}</sup>{text}</span>'
_MARK = '<mark title="highlighted">{text}</mark>'
_MISSED = '<mark class="missed" title="missed">{text}</mark>'
_CUT = ' <span class="quiet">(... {count} more characters ...)</span> '
_NOTHING_HIGHLIGHTED = '<p class="quiet">Nothing is highlighted in {characters} of {documents}, {ranks}.</p>'


def documents_section(documents: Sequence[ReadDocument]) -> Markup:
    """The documents that have something highlighted, with what is read and missed; of the others how much is read."""
    if not any(document.highlighted_size for document in documents):
        return Markup("")
    others = [one for one in documents if not one.highlighted_size and one.read_size]
    vain = fill(
        _NOTHING_HIGHLIGHTED,
        characters=plural(sum(one.read_size for one in others), "character"),
        ranks=format_ranks(tuple(sorted({rank for one in others for rank in one.ranks}))),
        documents=plural(len(others), "other document"),
    )
    shown = [_document(one) for one in documents if one.highlighted_size]
    return fill(_SECTION, legend=_LEGEND_read_documents, documents=shown, others=vain if others else "")


def _document(document: ReadDocument) -> Markup:
    text = [_stretch(one, document.text[one.start : one.end]) for one in document.stretches]
    return fill(
        _DOCUMENT,
        name=add_line_breaks(document.name, before="/"),
        said=f"Characters: {document_counts_text(document)}.",
        text=text,
    )


def _stretch(one: Stretch, text: str) -> Markup:
    read = bool(one.ranks)
    shown = Markup("".join(_shorten_text(text, MAX_TEXT_LENGTHS[one.highlighted, read])))
    if one.highlighted:
        shown = fill(_MARK if read else _MISSED, text=shown)
    if not read:
        return shown
    keys = " ".join(f"r{rank}" for rank in one.ranks)
    ranks = ",".join(map(str, one.ranks[:4])) + ("..." if len(one.ranks) > 4 else "")
    again = " again" if len(one.ranks) > 1 else ""
    return fill(_READ, again=again, keys=keys, said=format_ranks(one.ranks), ranks=ranks, text=shown)


def _shorten_text(text: str, longest: int) -> Iterator[Markup]:
    """All of a text, or its beginning and end."""
    if len(text) <= longest:
        yield fill("{text}", text=text)
        return
    half = longest // 2
    yield fill("{text}", text=text[:half])
    yield fill(_CUT, count=len(text) - 2 * half)
    yield fill("{text}", text=text[-half:])


MAX_DRAWN_RANKS = 150
"""How many of the ranks that reach something are drawn; the table has all of them."""
MAX_BARS = 40
"""How many bars of a distribution are drawn."""

_NOTHING_DRAWN = Markup("<p>No rank reaches a target.</p>")
_TABLE = (
    '<div class="scroll" role="region" aria-label="{label}" tabindex="0">'
    "<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>"
)
_KEYS = ' data-key="{key}" data-in="{keys}" tabindex="0"'
_QUIET = '<p class="quiet">{others} reached nothing.</p>'
_RANK = (
    '<section data-in="r{number}"><h3>Rank {number}</h3><p>{places}</p>{texts}{reached}'
    "<p>Seen by then: {seen:.4f} of {targets}, likely {likely}; unseen: {unseen:.4f}</p>{bars}{added}</section>"
)
_LINK_PATH = '<p class="quiet">{who} by {way}</p>'
_TARGET = (
    '<section data-in="t{number}"><h3>Target {name}</h3><p>{place}</p>{text}'
    "<p>Worth {weight:.2f}, seen in the end with {seen:.4f}</p>{reached}</section>"
)
_BARS = (
    '<svg class="bars" width="{width}" height="80" role="img" '
    'aria-label="Probability of each number of targets seen">{parts}</svg>'
)
_BAR = '<rect x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}"><title>{told}</title></rect>'
_BAR_TEXT = '<text x="{x}" y="{y}">{text}</text>'


def explanation_page(explanation: Explanation, layout: Layout) -> Markup:
    """The page. What belongs together carries the same keys, ``r3`` for rank 3 and ``t1`` for target 1."""
    ranks = ranks_with_targets(explanation)
    drawn = ranks[:MAX_DRAWN_RANKS]
    links = any(one.link.path for rank in drawn for one in rank.reached_targets)
    note = (
        f" The first {MAX_DRAWN_RANKS} of {len(ranks)} ranks that reach something are drawn."
        if len(ranks) > MAX_DRAWN_RANKS
        else ""
    )
    return fill_page(
        "explanation",
        ["all", "explanation"],
        ["explanation"],
        title=f"Topic {explanation.topic}, run {explanation.run_id}",
        facts=_facts(explanation, layout.date),
        legend=explanation_legend(links=links) if drawn else "",
        values=_values(explanation),
        hint=f"Point at a rank or a target, or click to keep it; Escape lets go.{note}",
        drawing=explanation_drawing(explanation, drawn, document_trees(explanation, drawn))
        if drawn
        else _NOTHING_DRAWN,
        details=[
            *(fill("{about}\n", about=_rank_details(rank, explanation)) for rank in ranks),
            *(
                fill("{about}\n", about=_target_details(one.number, explanation))
                for one in explanation.targets
                if one.ranks
            ),
        ],
        ranks=_rank_table(explanation),
        unseen=_unseen(explanation),
        documents=documents_section(explanation.documents),
        signature=add_line_breaks(to_single_line(explanation.signature), after="|,"),
    )


def _facts(explanation: Explanation, date: str) -> Markup:
    """Inputs, settings and date."""
    terms = {"Settings": settings_line(explanation), **({"Date": date} if date else {})}
    return facts({}, [explanation.path], "", "", terms)


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
    rested = any(each.rest for each in explanation.contributions)
    headers = ["measure", "value", *(["by the ranks", "by the elements after the list"] if rested else [])]
    rows = []
    for each in explanation.contributions:
        parts = [f"{each.value - each.rest:.4f}", f"{each.rest:.4f}"] if each.rest else ["", ""]
        rows.append(_row([each.measure], [f"{each.value:.4f}", *(parts if rested else [])]))
    return _table(headers, rows, len(headers) - 1)


def _rank_details(rank: Rank, explanation: Explanation) -> Markup:
    """What stands beside the drawing while a rank is chosen."""
    words = [one.location.description + ("" if one.exists else " (not in the collection)") for one in rank.results]
    reached = [
        _row(
            [target_name(one.target), one.link.description],
            [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"],
        )
        for one in rank.reached_targets
    ]
    adds = [
        _row([each.measure], [f"{added:+.4f}"])
        for each, added in zip(explanation.contributions, rank.additions, strict=True)
    ]
    return fill(
        _RANK,
        number=rank.number,
        places=Markup("<br>".join(add_line_breaks(text, before="/") for text in words)),
        texts=[excerpt_quote(explanation.excerpts.get(one.location)) for one in rank.results],
        reached=[
            _table(["target", "how", "reached", "seen before", "after"], reached, 3),
            _link_paths((target_name(one.target), one) for one in rank.reached_targets),
        ],
        seen=rank.count.mean,
        targets=len(explanation.targets),
        likely=_likely_count(rank.count),
        unseen=len(explanation.targets) - rank.count.mean,
        bars=_bars(rank.count),
        added=_table(["measure", "added"], adds, 1),
    )


def _link_paths(ways: Iterable[tuple[str, ReachedTarget]]) -> Markup:
    """What leads on to what, where a way has more than one link."""
    named = ((who, " > ".join(one.link.path[1:-1])) for who, one in ways if one.link.path[2:])
    return Markup("".join(fill(_LINK_PATH, who=who, way=add_line_breaks(way, before="/")) for who, way in named))


def _likely_count(count: SeenCount) -> str:
    return f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"


def _bars(count: SeenCount) -> Markup:
    """The law of F_k as bars, without the tails that nothing is left of."""
    kept = [f for f, probability in enumerate(count.distribution) if probability >= 0.005]
    low = kept[0] if kept else 0
    listed = list(enumerate(count.distribution))[low : min(kept[-1] + 1 if kept else 1, low + MAX_BARS)]
    largest = max(probability for _, probability in listed)
    step = min(28, 300 // len(listed))
    parts = []
    for number, (f, probability) in enumerate(listed):
        height = 48 * probability / largest
        x = 2 + number * step
        told = f"{plural(f, 'target')}: {probability:.4f}"
        parts.append(fill(_BAR, x=x, y=62 - height, width=step - 3, height=height, told=told))
        middle = x + (step - 3) / 2
        if step >= 18 or f % 5 == 0:
            parts.append(fill(_BAR_TEXT, x=middle, y="75", text=f))
        if step >= 28:
            parts.append(fill(_BAR_TEXT, x=middle, y=f"{59 - height:.1f}", text=f"{probability:.2f}"[1:]))
    return fill(_BARS, width=len(listed) * step + 4, parts=parts)


def _target_details(number: int, explanation: Explanation) -> Markup:
    """What stands beside the drawing while a target is chosen."""
    target = explanation.targets[number - 1]
    leading_there = [(rank, one) for rank in explanation.ranks for one in rank.reached_targets if one.target == number]
    rows = [
        _row(
            [f"{rank.number}", one.link.description],
            [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"],
        )
        for rank, one in leading_there
    ]
    return fill(
        _TARGET,
        number=number,
        name=target_name(number),
        place=add_line_breaks(target.location.description, before="/"),
        text=excerpt_quote(explanation.excerpts.get(target.location)),
        weight=target.weight,
        seen=target.seen,
        reached=[
            _table(["rank", "how", "reached", "seen before", "after"], rows, 3),
            _link_paths((f"rank {rank.number}", one) for rank, one in leading_there),
        ],
    )


def _rank_table(explanation: Explanation) -> Markup:
    names = [each.measure for each in explanation.contributions]
    rows = []
    for rank in explanation.ranks:
        if not rank.reached_targets and not any(rank.additions):
            continue
        named = "; ".join(one.location.description for one in rank.results)
        reached = ", ".join(f"{target_name(one.target)} {one.probability:.2f}" for one in rank.reached_targets[:6])
        more = f" and {len(rank.reached_targets) - 6} more" if len(rank.reached_targets) > 6 else ""
        numbers = [f"{rank.count.mean:.4f}", _likely_count(rank.count), *(f"{added:+.4f}" for added in rank.additions)]
        keys = fill(_KEYS, key=f"r{rank.number}", keys=data_keys(rank)) if rank.reached_targets else Markup("")
        rows.append(_row([str(rank.number), named, reached + more], numbers, keys))
    nothing = len(explanation.ranks) - len(rows)
    table = _table(["rank", "result", "reaches", "seen", "likely", *names], rows, 2 + len(names))
    return fill("{table}" + (_QUIET if nothing else ""), table=table, others=plural(nothing, "other rank"))


def _unseen_place(target: Target, explanation: Explanation) -> Markup:
    """Where a target is; nowhere else on the page is the text of one that is never reached."""
    place = add_line_breaks(target.location.description, before="/")
    return place if target.ranks else Markup(place + excerpt_quote(explanation.excerpts.get(target.location)))


def _unseen(explanation: Explanation) -> Markup:
    left = sum(1 - target.seen for target in explanation.targets)
    rows = [
        _row(
            [
                target_name(target.number),
                _unseen_place(target, explanation),
                f"by {plural(len(target.ranks), 'rank')}" if target.ranks else "never reached",
            ],
            [f"{target.weight:.2f}", f"{1 - target.seen:.4f}"],
            fill(_KEYS, key=f"t{target.number}", keys=f"t{target.number}") if target.ranks else "",
        )
        for target in sorted(explanation.targets, key=lambda one: (one.seen, one.number))
        if target.seen < 0.99995
    ]
    total = plural(len(explanation.targets), "target")
    table = _table(["target", "place", "reached", "worth", "unseen"], rows, 2) if rows else ""
    return fill("<p>{left:.4f} of {total} expected.</p>{table}", left=left, total=total, table=table)
