"""Collection structures as XML: nested ``<element>`` of each ``<document>``, and links."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems, raise_first
from prum_eval.records.structure import Link, Structure, StructureDocument
from prum_eval.text.element_paths import PATH_EXAMPLE, is_tag, normal_path
from prum_eval.text.numbers import LARGEST, decimal, expected, integer, shown
from prum_eval.text.writing import Holds, joined_lines
from prum_eval.text.xml_events import Attributes, XmlReader

_ROOT = "collection"
_CHILDREN = {_ROOT: ("document",), "document": ("element", "link"), "element": ("element",), "link": ()}


def read_structure_xml(stream: BinaryIO, name: str, wanted: Container[str] | None, problems: Problems) -> Structure:
    """Read a structure in XML, the form for people and small collections.

    The paths of all documents are remembered, as short codes, because links may point to any of them.
    """
    reader = _StructureReader(name, wanted, problems)
    if reader.parse(stream) and reader.known_root:
        reader.check_links()
        if not reader.paths_of:
            problems(InputError(name, reader.line, "no <document> in the whole structure"))
    return Structure(
        name, reader.elements, reader.characters, frozenset(reader.paths_of), reader.documents, tuple(reader.links)
    )


def stream_structure_xml(stream: BinaryIO, name: str) -> Iterator[tuple[int, StructureDocument, list[Link]]]:
    """Line, document and links of each document of a structure in XML, one after the other, none remembered.

    That a document is described twice, or that what a link points to is missing, is for the caller to notice.

    Raises:
        InputError: what is wrong with the structure.
    """
    reader = _Streamed(name, None, raise_first)
    found = False
    for _ in reader.steps(stream):
        found |= bool(reader.complete)
        yield from reader.complete
        reader.complete.clear()
    yield from reader.complete
    if not found and not reader.complete:
        raise InputError(name, reader.line, "no <document> in the whole structure")


@dataclass(slots=True)
class _Element:
    """An element that is still open."""

    path: str
    start: int
    end: int
    tags: dict[str, int] = field(default_factory=dict)  # children so far, by tag


@dataclass(slots=True)
class _Document:
    """The document that is being read."""

    name: str
    line: int
    open: list[_Element] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    columns: tuple[array[int], array[int], array[int]] = field(
        default_factory=lambda: (array("q"), array("q"), array("q"))
    )
    links: list[Link] = field(default_factory=list)
    sound: bool = True  # no element was left out


class _StructureReader(XmlReader):
    """Builds documents from nested elements."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: Problems) -> None:
        super().__init__(name, problems)
        self.wanted = wanted
        self.known_root = False
        self.elements = 0
        self.characters = 0
        self.documents: dict[str, StructureDocument] = {}
        self.links: list[Link] = []
        self.paths_of: dict[str, IntArray | None] = {}  # codes of the paths; None where some were left out
        self._codes: dict[str, int] = {}
        self._lines: dict[str, int] = {}  # on which the documents begin
        self._tags: list[str] = []  # open elements of the XML
        self._document: _Document | None = None
        self._skipped = 0  # depth inside something that was reported

    def start(self, tag: str, attributes: Attributes) -> None:
        """Something begins; what lies in a reported element is passed over."""
        if self._skipped:
            self._skipped += 1
        elif not self._begins(tag, attributes):
            self._skipped = 1
            if self._document is not None:
                self._document.sound = False
        self._tags.append(tag)

    def end(self, tag: str, /) -> None:
        """An element or a document is complete."""
        self._tags.pop()
        if self._skipped:
            self._skipped -= 1
        elif self._document is not None:
            if tag == "element":
                self._document.open.pop()
            elif tag == "document":
                self._finish(self._document)
                self._document = None

    def _begins(self, tag: str, attributes: Attributes) -> bool:
        if not self._tags:
            return self._root(tag, attributes)
        parent = self._tags[-1]
        if tag not in _CHILDREN[parent]:
            self.problem(f"unexpected <{tag}> in <{parent}>")
        elif tag == "document":
            return self._begin_document(attributes)
        elif self._document is not None:
            if tag == "element":
                return self._element(self._document, attributes)
            return self._link(self._document, attributes)
        return False

    def _root(self, tag: str, attributes: Attributes) -> bool:
        self.known_root = tag == _ROOT
        if not self.known_root:
            self.problem(f"expected the root <{_ROOT}>, found <{tag}>")
        elif attributes.get("unit", "character") != "character":
            self.problem(expected("unit", "'character'", attributes["unit"]))
        return self.known_root

    def _begin_document(self, attributes: Attributes) -> bool:
        name = attributes.get("id", "")
        if not name:
            self.problem("<document> lacks the attribute id")
            return False
        before = self._lines.get(name)
        if before is not None:
            self.problem(f"document {shown(name)} is described twice (first on line {before})")
            return False
        self._lines[name] = self.line
        self._document = _Document(name, self.line)
        return True

    def _element(self, document: _Document, attributes: Attributes) -> bool:
        extent = self._extent(attributes)
        if extent is None:
            return False
        tag, start, length = extent
        if document.open:
            parent = document.open[-1]
            number = parent.tags[tag] = parent.tags.get(tag, 0) + 1
            path = f"{parent.path}/{tag}[{number}]"
            if start < parent.start or start + length > parent.end:
                self.problem(
                    f"element {shown(path)} from {start} to {start + length} is outside its parent "
                    f"{shown(parent.path)} from {parent.start} to {parent.end}"
                )
        elif document.paths:
            self.problem(f"document {shown(document.name)} has a second root element")
            return False
        else:
            path = f"/{tag}[1]"
            self.characters += length
        document.open.append(_Element(path, start, start + length))
        document.paths.append(path)
        for column, value in zip(document.columns, (start, length, self.line), strict=True):
            column.append(value)
        return True

    def _extent(self, attributes: Attributes) -> tuple[str, int, int] | None:
        """Tag, start and length of an element; None where one is missing or bad, which is reported."""
        missing = [field for field in ("tag", "start", "length") if field not in attributes]
        if missing:
            self.problem(f"<element> lacks the attribute {missing[0]}")
            return None
        tag = attributes["tag"]
        start, length = integer(attributes["start"].encode()), integer(attributes["length"].encode())
        if not is_tag(tag):
            self.problem(expected("tag", "the name of an element", tag))
        elif start is None or start < 0:
            self.problem(expected("start", "an integer, 0 or more", attributes["start"]))
        elif length is None or length < 0:
            self.problem(expected("length", "an integer, 0 or more", attributes["length"]))
        elif start > LARGEST - length:
            self.problem(f"start {start} and length {length} end past the largest number of 64 bits")
        else:
            return tag, start, length
        return None

    def _link(self, document: _Document, attributes: Attributes) -> bool:
        missing = [field for field in ("path", "to") if not attributes.get(field)]
        if missing:
            self.problem(f"<link> lacks the attribute {missing[0]}")
            return True
        path, to_path = normal_path(attributes["path"]), attributes.get("to-path")
        target_path = None if to_path is None else normal_path(to_path)
        text = attributes.get("probability")
        probability = None if text is None else decimal(text.encode())
        if path is None:
            self.problem(expected("path", PATH_EXAMPLE, attributes["path"]))
        elif to_path is not None and target_path is None:
            self.problem(expected("to-path", PATH_EXAMPLE, to_path))
        elif text is not None and (probability is None or not 0 <= probability <= 1):
            self.problem(expected("probability", "a number from 0 to 1", text))
        else:
            document.links.append(Link(document.name, path, attributes["to"], target_path, probability, self.line))
        return True

    def _finish(self, document: _Document) -> None:
        if not document.paths and document.sound:
            self.problem(f"document {shown(document.name)} has no root element", document.line)
            document.sound = False
        self.elements += len(document.paths)
        self._keep(document)

    def _keep(self, document: _Document) -> None:
        codes = [self._codes.setdefault(path, len(self._codes)) for path in document.paths]
        self.paths_of[document.name] = np.array(codes, dtype=np.int32) if document.sound else None
        self.links.extend(document.links)
        if document.paths and (self.wanted is None or document.name in self.wanted):
            self.documents[document.name] = _record(document)

    def check_links(self) -> None:
        """Report links from or to what the structure lacks, and links without the probability that others have."""
        with_probability = next((link for link in self.links if link.probability is not None), None)
        for link in self.links:
            if link.target not in self.paths_of:
                self.problem(f"to: the structure has no document {shown(link.target)}", link.line)
            elif not self._has(link.document, link.path):
                self.problem(f"path: document {shown(link.document)} has no element {shown(link.path)}", link.line)
            elif link.target_path is not None and not self._has(link.target, link.target_path):
                what = f"document {shown(link.target)} has no element {shown(link.target_path)}"
                self.problem(f"to-path: {what}", link.line)
            if link.probability is None and with_probability is not None:
                reason = f"<link> lacks the probability that others have, as on line {with_probability.line}"
                self.problem(reason, link.line)

    def _has(self, document: str, path: str) -> bool:
        codes = self.paths_of[document]
        if codes is None:
            return True  # what is missing may be what was left out
        return bool((codes == self._codes.get(path, -1)).any())


class _Streamed(_StructureReader):
    """Hands documents on instead of keeping them."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: Problems) -> None:
        super().__init__(name, wanted, problems)
        self.complete: list[tuple[int, StructureDocument, list[Link]]] = []

    def _keep(self, document: _Document) -> None:
        self._lines.clear()
        self.complete.append((document.line, _record(document), document.links))


def _record(document: _Document) -> StructureDocument:
    start, length, lines = (np.array(column, dtype=np.int64) for column in document.columns)
    return StructureDocument(document.name, tuple(document.paths), start, length, lines)


def write_structure_xml(structure: Structure) -> bytes:
    """Nested elements, whose positions among siblings of one name follow from their order, and links."""
    documents = list(structure.documents.values())
    Holds.XML.check(structure.path, "document", structure.documents, lambda number: documents[number].lines[0])
    links: dict[str, list[Link]] = {}
    for link in structure.links:
        links.setdefault(link.document, []).append(link)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<collection unit="character">']
    for document in documents:
        lines.append(f"  <document id={quoteattr(document.name)}>")
        lines += _element_lines(document)
        lines += map(_link_line, links.get(document.name, ()))
        lines.append("  </document>")
    return joined_lines((*lines, "</collection>"))


def _element_lines(document: StructureDocument) -> Iterator[str]:
    open_elements = 0
    depths = [path.count("/") for path in document.paths]
    rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
    for number, (path, start, length) in enumerate(rows):
        depth = depths[number]
        while open_elements >= depth:
            yield f"{'  ' * (open_elements + 1)}</element>"
            open_elements -= 1
        parent = number + 1 < len(depths) and depths[number + 1] > depth
        tag = path[path.rindex("/") + 1 : path.rindex("[")]
        end = ">" if parent else "/>"
        yield f'{"  " * (depth + 1)}<element tag="{tag}" start="{start}" length="{length}"{end}'
        open_elements += parent
    while open_elements:
        yield f"{'  ' * (open_elements + 1)}</element>"
        open_elements -= 1


def _link_line(link: Link) -> str:
    to_path = "" if link.target_path is None else f" to-path={quoteattr(link.target_path)}"
    probability = "" if link.probability is None else f' probability="{link.probability!r}"'
    return f"    <link path={quoteattr(link.path)} to={quoteattr(link.target)}{to_path}{probability}/>"
