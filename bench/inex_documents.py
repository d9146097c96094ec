"""Synthetic structured documents: their shape, their XML and the pointers into their text.

A document is drawn from a random generator of its own, seeded by the workload's seed and the document's number, so any
document can be made without making those before it. Offsets and lengths count characters of the document's text, all
text nodes joined. The order in which random numbers are drawn is part of the workload's definition: changing it
changes every file.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

INLINE_TAGS = ("collectionlink", "emph2", "emph3", "outsidelink", "unknownlink")
MAX_SECTION_DEPTH = 3
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


class TextNode(NamedTuple):
    """One text node: the ``rank``-th (from 1) directly under ``element``."""

    element: int
    rank: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document's elements in document order, as parallel lists, and its text nodes in order."""

    number: int
    paths: list[str]
    starts: list[int]
    lengths: list[int]
    parents: list[int]  # -1 for the root
    tags: list[str]
    text_nodes: list[TextNode]
    length: int

    def extent(self, element: int) -> tuple[int, int]:
        """Offsets of an element's first character and of the one after its last."""
        return self.starts[element], self.starts[element] + self.lengths[element]

    def pointer(self, offset: int, *, begins: bool) -> str:
        """``PATH/text()[k].n`` of the boundary before the character at ``offset``.

        Between two text nodes the boundary belongs to the second if something ``begins`` there, else to the first.
        """
        node = self.text_nodes[bisect_right(self.text_nodes, offset - (not begins), key=attrgetter("start")) - 1]
        return f"{self.paths[node.element]}/text()[{node.rank}].{offset - node.start}"


class _Builder:
    """Draws one document from the root down, keeping to a budget of elements as far as well-formedness allows."""

    def __init__(self, number: int, mean_elements: float, seed: int) -> None:
        self.random = random.Random(seed * 1000003 + number)
        self.budget = max(5, int(self.random.lognormvariate(math.log(mean_elements) - 0.18, 0.6)))
        self.position = 0
        self.paths: list[str] = []
        self.starts: list[int] = []
        self.lengths: list[int] = []
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.text_nodes: list[TextNode] = []
        self._children_by_tag: list[dict[str, int]] = []
        self._text_count: list[int] = []

    @property
    def full(self) -> bool:
        return len(self.paths) >= self.budget

    def open(self, tag: str, parent: int) -> int:
        if parent < 0:
            path = f"/{tag}[1]"
        else:
            siblings = self._children_by_tag[parent]
            siblings[tag] = siblings.get(tag, 0) + 1
            path = f"{self.paths[parent]}/{tag}[{siblings[tag]}]"
        self.paths.append(path)
        self.starts.append(self.position)
        self.lengths.append(0)
        self.parents.append(parent)
        self.tags.append(tag)
        self._children_by_tag.append({})
        self._text_count.append(0)
        return len(self.paths) - 1

    def text(self, element: int, length: int) -> None:
        self._text_count[element] += 1
        self.text_nodes.append(TextNode(element, self._text_count[element], self.position, length))
        self.position += length

    def close(self, element: int) -> None:
        self.lengths[element] = self.position - self.starts[element]

    def leaf(self, tag: str, parent: int, shortest: int, longest: int) -> None:
        element = self.open(tag, parent)
        self.text(element, self.random.randint(shortest, longest))
        self.close(element)

    def paragraph(self, parent: int, tag: str = "p") -> None:
        """Mixed content: inline elements, most of them after some text, and text at the end."""
        draw = self.random
        element = self.open(tag, parent)
        for _ in range(min(int(draw.expovariate(1 / 2.5)), max(0, self.budget - len(self.paths)))):
            if draw.random() < 0.9:
                self.text(element, 2 + int(draw.lognormvariate(4.0, 0.8)))
            self.leaf(draw.choice(INLINE_TAGS), element, 3, 25)
        self.text(element, 2 + int(draw.lognormvariate(4.6, 0.9)))
        self.close(element)

    def item_list(self, parent: int) -> None:
        element = self.open("normallist", parent)
        for _ in range(self.random.randint(2, 6)):
            if not self.full:
                self.paragraph(element, "item")
        if self.position == self.starts[element]:
            self.text(element, 5)
        self.close(element)

    def section(self, parent: int, depth: int) -> None:
        element = self.open("section", parent)
        self.leaf("title", element, 4, 40)
        for _ in range(1 + int(self.random.expovariate(1 / 2.0))):
            if self.full:
                break
            kind = self.random.random()
            if kind < 0.15:
                self.item_list(element)
            elif kind < 0.3 and depth < MAX_SECTION_DEPTH:
                self.section(element, depth + 1)
            else:
                self.paragraph(element)
        self.close(element)

    def article(self) -> None:
        article = self.open("article", -1)
        self.leaf("name", article, 4, 40)
        body = self.open("body", article)
        self.paragraph(body)
        while not self.full:
            self.section(body, 1)
        self.close(body)
        self.close(article)


def make_document(number: int, mean_elements: float, seed: int) -> Document:
    """Document ``number`` of a collection whose documents have about ``mean_elements`` elements (log-normal)."""
    builder = _Builder(number, mean_elements, seed)
    builder.article()
    return Document(
        number,
        builder.paths,
        builder.starts,
        builder.lengths,
        builder.parents,
        builder.tags,
        builder.text_nodes,
        builder.position,
    )


@cache
def _filler() -> str:
    """One fixed text of single-spaced words, of which every document takes a slice."""
    draw = random.Random(42)
    return " ".join("".join(draw.choice(LETTERS) for _ in range(draw.randint(2, 10))) for _ in range(20000))


def write_xml(document: Document, path: Path) -> None:
    """Write the document with no white space of its own, so that its text nodes have exactly their lengths.

    Being a slice of single-spaced text, and with its two ends made letters, the text survives any reader that strips or
    joins white space.
    """
    filler = _filler()
    begin = (document.number * 7919) % (len(filler) - document.length - 2)
    text = filler[begin : begin + document.length]
    text = text[0].replace(" ", "a") + text[1:-1] + text[-1].replace(" ", "z")

    content: list[list[tuple[int, int | str]]] = [[] for _ in document.paths]  # (start, child element or text)
    for element in range(1, len(document.paths)):
        content[document.parents[element]].append((document.starts[element], element))
    for node in document.text_nodes:
        content[node.element].append((node.start, text[node.start : node.start + node.length]))

    def serialise(element: int) -> str:
        parts = sorted(content[element], key=lambda part: part[0])
        inner = "".join(part if isinstance(part, str) else serialise(part) for _, part in parts)
        return f"<{document.tags[element]}>{inner}</{document.tags[element]}>"

    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{serialise(0)}\n', encoding="utf-8", newline="\n")
