"""A document that is too large for a tree of its own: read element by element, with the memory of an open path."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from prum_eval.arrays import IntArray, bounds_of, sizes_of
from prum_eval.errors import InputError
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.xml.encodings import utf_8_chunks
from prum_eval.text.xml.parsing import OPTIONS, feed
from prum_eval.text.xml.prolog import safe_chunks

if TYPE_CHECKING:
    import io

    from lxml import etree

_CHUNK = 1 << 20
_BLANKS = re.compile(r"\s+")
_COLUMNS = ("rank", "parent", "size", "start", "length")


def read_streamed(stream: BinaryIO | io.FileIO, shown: str, name: str, *, raw: bool) -> Trees:
    """The tree of a document in XML; `shown` is its file in messages, `name` its name in the index.

    Raises:
        InputError: it is not well-formed, declares entities, cannot be decoded or read, or is nested too deep.
    """
    from lxml import etree

    elements = _Elements(raw=raw)
    parser: Any = etree.XMLPullParser(("start", "end"), recover=True, **OPTIONS)  # of what nothing declares
    chunks = safe_chunks(utf_8_chunks(_chunks(stream, shown), shown), shown, alone=False)
    for chunk in chain(chunks, (None,)):
        problem = feed(parser, chunk, shown, undeclared=True)
        if problem is not None:
            raise problem
        elements.take(parser.read_events())
    return elements.trees(name)


def _chunks(stream: BinaryIO | io.FileIO, shown: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(_CHUNK):
            yield chunk
    except OSError as error:
        raise InputError(shown, None, f"cannot be read: {error.strerror}") from error


class _Elements:
    """Rows for elements as they begin and end; what was counted is taken out of the tree."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._characters = 0
        self._after_blank = False
        self._names: dict[str, int] = {}
        self._codes: dict[tuple[str, str | None], int] = {}  # of names as the tree has them
        self._open: list[tuple[etree._Element, int, dict[int, int]]] = []  # with number, and children so far by tag
        self._inside = False  # whether the text of the innermost element is counted
        self._tag, self._rank, self._parent, self._size, self._start, self._length = (array("q") for _ in range(6))

    def take(self, events: Iterator[tuple[str, etree._Element]]) -> None:
        """Count what these events say."""
        for event, element in events:
            if event == "start":
                self._begin(element)
            else:
                self._end(element)

    def _begin(self, element: etree._Element) -> None:
        tag = self._code(str(element.tag), element.prefix)
        number, rank, parent = len(self._tag), 1, -1
        if self._open:
            around, parent, ranks = self._open[-1]
            rank = ranks[tag] = ranks.get(tag, 0) + 1
            self._count_inside(around)
            while (before := around[0]) is not element:
                self._count(before.tail)
                del around[0]
        self._open.append((element, number, {}))
        self._inside = False
        values = tag, rank, parent, 0, self._characters, 0
        columns = self._tag, self._rank, self._parent, self._size, self._start, self._length
        for column, value in zip(columns, values, strict=True):
            column.append(value)

    def _code(self, tag: str, prefix: str | None) -> int:
        code = self._codes.get((tag, prefix))
        if code is None:
            local = tag.rpartition("}")[2]
            code = self._names.setdefault(f"{prefix}:{local}" if prefix else local, len(self._names))
            self._codes[tag, prefix] = code
        return code

    def _end(self, element: etree._Element) -> None:
        _, number, _ = self._open.pop()
        self._count_inside(element)
        for inner in element:
            self._count(inner.tail)
        del element[:]
        self._inside = True  # of the element around
        self._size[number] = len(self._tag) - number
        self._length[number] = self._characters - self._start[number]

    def _count_inside(self, element: etree._Element) -> None:
        if not self._inside:
            self._count(element.text)
            self._inside = True

    def _count(self, text: str | None) -> None:
        if text and self._raw:
            self._characters += len(text)
        elif text:
            text = _BLANKS.sub(" ", text)
            self._characters += len(text) - (self._after_blank and text[0] == " ")
            self._after_blank = text[-1] == " "

    def trees(self, name: str) -> Trees:
        """All elements, as the tree of a document called so."""
        columns: list[IntArray] = [
            np.array(column, dtype=np.int64)
            for column in (self._tag, self._rank, self._parent, self._size, self._start, self._length)
        ]
        return Trees((name,), np.array([-1]), np.array([0, len(self._tag)]), tuple(self._names), *columns)


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
