"""One real document: its elements, and the characters of its text up to every border of an element."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import IntArray, bounds_of, sizes_of
from prum_eval.errors import raise_first
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.xml_events import Attributes, XmlReader

_BLANKS = re.compile(r"\s+")
_COLUMNS = ("rank", "parent", "size", "start", "length")


class DocumentReader(XmlReader):
    """Reads one document, event by event. Entities that only an external DTD declares, which is not read, are no text.

    A run of white space is one character, also where borders of elements lie inside it; with `raw` every character
    counts. Comments, processing instructions and attributes are no text. `links` collects the values of attributes
    called so, each with its element and line.
    """

    alone = False

    def __init__(self, name: str, *, raw: bool, link_attributes: Sequence[str] = ()) -> None:
        super().__init__(name, raise_first)
        self._parser.UseForeignDTD(True)  # noqa: FBT003 -- the parser's signature
        self._parser.ExternalEntityRefHandler = _ignored
        self.links: list[tuple[int, str, int]] = []
        self._link_attributes = link_attributes
        self._parser.CharacterDataHandler = self._raw_text if raw else self._text
        self._characters = 0
        self._after_blank = False
        self._tags: dict[str, int] = {}
        self._open: list[tuple[int, dict[str, int]]] = [(-1, {})]  # number, and children so far by tag
        self._tag, self._rank, self._parent, self._size, self._start, self._length = (array("q") for _ in range(6))

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element begins."""
        for attribute in self._link_attributes:
            if attribute in attributes:
                self.links.append((len(self._tag), attributes[attribute], self.line))
        parent, ranks = self._open[-1]
        rank = ranks[tag] = ranks.get(tag, 0) + 1
        self._open.append((len(self._tag), {}))
        self._tag.append(self._tags.setdefault(tag, len(self._tags)))
        self._rank.append(rank)
        self._parent.append(parent)
        self._size.append(0)
        self._start.append(self._characters)
        self._length.append(0)

    def end(self, _tag: str, /) -> None:
        """An element ends."""
        number, _ = self._open.pop()
        self._size[number] = len(self._tag) - number
        self._length[number] = self._characters - self._start[number]

    def _raw_text(self, text: str) -> None:
        self._characters += len(text)

    def _text(self, text: str) -> None:
        text = _BLANKS.sub(" ", text)
        self._characters += len(text) - (self._after_blank and text[0] == " ")
        self._after_blank = text[-1] == " "

    def read(self, stream: BinaryIO, name: str) -> Trees:
        """The tree of the whole document, under that name.

        Raises:
            InputError: the document is not well-formed, declares entities, or cannot be read.
        """
        try:
            self.parse(stream)
        finally:
            del self._parser  # it refers to the reader: together they would stay until cycles are looked for
        columns: list[IntArray] = [
            np.array(column, dtype=np.int64)
            for column in (self._tag, self._rank, self._parent, self._size, self._start, self._length)
        ]
        return Trees((name,), np.array([-1]), np.array([0, len(self._tag)]), tuple(self._tags), *columns)

    def path(self, number: int) -> str:
        """Path of an element."""
        tags, path = list(self._tags), ""
        while number >= 0:
            path = f"/{tags[self._tag[number]]}[{self._rank[number]}]{path}"
            number = self._parent[number]
        return path


def _ignored(*_: str | None) -> int:
    """Stands for an external DTD that is not read."""
    return 1


def joined(parts: list[Trees]) -> Trees | None:
    """All the trees as one batch."""
    if len(parts) < 2:
        return parts[0] if parts else None
    codes: dict[str, int] = {}
    tag = []
    for part in parts:
        own = np.array([codes.setdefault(name, len(codes)) for name in part.tags], dtype=np.int64)
        tag.append(own[part.tag])
    counts = np.concatenate([sizes_of(part.bounds) for part in parts])
    rest = (np.concatenate([getattr(part, field) for part in parts]) for field in _COLUMNS)
    names = tuple(name for part in parts for name in part.names)
    lines = np.concatenate([part.lines for part in parts])
    retrievable = None
    if any(part.retrievable is not None for part in parts):
        retrievable = np.concatenate(
            [np.ones(len(part.tag), np.bool_) if part.retrievable is None else part.retrievable for part in parts]
        )
    return Trees(names, lines, bounds_of(counts), tuple(codes), np.concatenate(tag), *rest, retrievable=retrievable)
