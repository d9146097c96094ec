"""Collection structures as XML: nested ``<element>`` of each ``<document>``, and links.

A document without links is read by columns, with no object per element: each column of attributes has to be as long as
there are tags, so that no element lacks an attribute, and the depth of elements follows from the document as the parser
writes it. All other documents are read element by element, which reports what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, BinaryIO
from xml.sax.saxutils import quoteattr

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, ProblemHandler, raise_first
from prum_eval.formats.structure_text import outside_parent_message
from prum_eval.records import Link, Structure, StructureDocument
from prum_eval.text.element_paths import PATH_EXAMPLE, PathCount, is_tag, normalise_path
from prum_eval.text.numbers import (
    MAX_OFFSET,
    PAST_MAX_OFFSET,
    expected_message,
    parse_decimal,
    parse_integer,
    parse_integers,
    quote_value,
)
from prum_eval.text.streams import Contents, encode_lines
from prum_eval.text.xml import XmlBlock, XmlBlocks, local_name

if TYPE_CHECKING:
    from lxml import etree


_LESS, _SLASH, _GREATER = b"</>"
_COLUMNS = ("tag", "start", "length")


def read_plain_document(block: XmlBlock, name: str, count: PathCount) -> StructureDocument | None:
    """The document; None if it has links, is not plain, or has an error. `count` are the paths so far."""
    lines = block.lines[1:]
    columns: list[list[str]] = [column(block.element) for column in _queries()]
    if not len(lines) or any(len(column) != len(lines) for column in columns):
        return None
    tags = columns[0]
    start, length = (parse_integers([text.encode() for text in column]) for column in columns[1:])
    if start is None or length is None or not all(map(is_tag, set(tags))):
        return None
    depths = _depths(block.element)[1:]
    if (depths[1:] == 1).any() or (start < 0).any() or (length < 0).any() or (start > MAX_OFFSET - length).any():
        return None
    try:
        paths, parent = _paths(tags, depths.tolist(), count)
    except ValueError:
        return None
    end = start + length
    if (start[1:] < start[parent[1:]]).any() or (end[1:] > end[parent[1:]]).any():
        return None
    return StructureDocument(name, tuple(paths), start, length, lines)


def _depths(element: etree._Element) -> IntArray:
    """Depth of each element, in document order."""
    from lxml import etree

    text = np.frombuffer(etree.tostring(element, encoding="utf-8", with_tail=False), dtype=np.uint8)
    tags = np.flatnonzero(text == _LESS)
    is_end_tag = text[tags + 1] == _SLASH
    starts = tags[~is_end_tag]
    empty = np.flatnonzero((text[:-1] == _SLASH) & (text[1:] == _GREATER))
    ended = np.searchsorted(np.sort(np.concatenate((tags[is_end_tag], empty))), starts)
    depths: IntArray = np.arange(len(starts)) - ended
    return depths


def _paths(tags: list[str], depths: list[int], count: PathCount) -> tuple[list[str], IntArray]:
    """Path and number of the parent of each element, -1 for the first.

    Raises:
        ValueError: the paths are too long.
    """
    paths, parents = [], []
    open_paths, numbers = [""] * (max(depths) + 1), [-1] * (max(depths) + 1)  # of the open elements, by depth
    children: list[dict[str, int]] = [{} for _ in open_paths]
    for number, (tag, depth) in enumerate(zip(tags, depths, strict=True)):
        counts = children[depth - 1]
        rank = counts[tag] = counts.get(tag, 0) + 1
        path = open_paths[depth] = f"{open_paths[depth - 1]}/{tag}[{rank}]"
        paths.append(path)
        count.add(path)
        parents.append(numbers[depth - 1])
        numbers[depth], children[depth] = number, {}
    return paths, np.array(parents)


@cache
def _queries() -> list[etree.XPath]:
    from lxml import etree

    return [etree.XPath(f"descendant::element/@{field}", smart_strings=False) for field in _COLUMNS]


ReportProblem = Callable[[str, int], None]
"""Called with the reason of a problem and its line."""
_CHILDREN = {"document": ("element", "link"), "element": ("element",), "link": ()}


@dataclass(frozen=True, slots=True)
class XmlDocument:
    """A document as it was read."""

    record: StructureDocument
    line: int
    links: Sequence[Link] = ()
    is_valid: bool = True  # no element was left out


@dataclass(slots=True)
class _OpenTag:
    """An open tag: an element, the document itself, or a link."""

    tag: etree._Element
    path: str = ""
    start: int = 0
    end: int = 0
    children: dict[str, int] = field(default_factory=dict)  # number of elements in it so far, by tag
    is_accepted: bool = True  # False if it was left out


class XmlDocumentReader:
    """Reads a document element by element; reports bad elements and leaves out their subtrees."""

    def __init__(self, name: str, count: PathCount, report: ReportProblem) -> None:
        self._name = name
        self._count = count
        self._report = report
        self._is_full = False  # the paths are too long
        self._line = 0  # of the current tag
        self._paths: list[str] = []
        self._columns = array("q"), array("q"), array("q")
        self._links: list[Link] = []

    def read(self, block: XmlBlock) -> XmlDocument:
        """The document."""
        first, *lines = block.lines.tolist()
        sound = True
        parents = [_OpenTag(block.element)]
        for tag, self._line in zip(block.element.iterdescendants("*"), lines, strict=True):
            while parents[-1].tag is not tag.getparent():
                parents.pop()
            opened = self._open_tag(tag, parents[-1]) if parents[-1].is_accepted else _OpenTag(tag, is_accepted=False)
            sound &= opened.is_accepted
            parents.append(opened)
        if not self._paths and sound:
            self._report(f"document {quote_value(self._name)} has no root element", first)
            sound = False
        start, length, line = (np.array(column, dtype=np.int64) for column in self._columns)
        document = StructureDocument(self._name, tuple(self._paths), start, length, line)
        return XmlDocument(document, first, self._links, sound)

    def _problem(self, reason: str) -> None:
        self._report(reason, self._line)

    def _open_tag(self, tag: etree._Element, parent: _OpenTag) -> _OpenTag:
        name, within = local_name(tag), local_name(parent.tag)
        if name not in _CHILDREN[within]:
            self._problem(f"unexpected <{name}> in <{within}>")
            return _OpenTag(tag, is_accepted=False)
        if name == "element":
            return self._element(tag, parent)
        link = parse_link(self._name, tag, self._line, self._problem)
        if link is not None:
            self._links.append(link)
        return _OpenTag(tag)

    def _element(self, element: etree._Element, parent: _OpenTag) -> _OpenTag:
        rejected = _OpenTag(element, is_accepted=False)
        extent = self._extent(element)
        if extent is None:
            return rejected
        tag, start, length = extent
        if not parent.path and self._paths:
            self._problem(f"document {quote_value(self._name)} has a second root element")
            return rejected
        number = parent.children[tag] = parent.children.get(tag, 0) + 1
        path = f"{parent.path}/{tag}[{number}]"
        try:
            self._count.add(path)
        except ValueError as error:
            if not self._is_full:
                self._problem(str(error))
            self._is_full = True
            return rejected
        if parent.path and (start < parent.start or start + length > parent.end):
            parent_extent = (parent.start, parent.end)
            self._problem(outside_parent_message(path, (start, start + length), parent.path, parent_extent))
        self._paths.append(path)
        for column, value in zip(self._columns, (start, length, self._line), strict=True):
            column.append(value)
        return _OpenTag(element, path, start, start + length)

    def _extent(self, element: etree._Element) -> tuple[str, int, int] | None:
        """Tag, start and length of an element; None after reporting a missing or bad one."""
        texts = {field: element.get(field) for field in ("tag", "start", "length")}
        missing = next((field for field, text in texts.items() if text is None), None)
        tag, start_text, length_text = (text or "" for text in texts.values())
        start, length = parse_integer(start_text.encode()), parse_integer(length_text.encode())
        if missing is not None:
            self._problem(f"<element> lacks the attribute {missing}")
        elif not is_tag(tag):
            self._problem(expected_message("tag", "the name of an element", tag))
        elif start is None or start < 0:
            self._problem(expected_message("start", "an integer, 0 or more", start_text))
        elif length is None or length < 0:
            self._problem(expected_message("length", "an integer, 0 or more", length_text))
        elif start > MAX_OFFSET - length:
            self._problem(f"start {start} and length {length} end {PAST_MAX_OFFSET}")
        else:
            return tag, start, length
        return None


def parse_link(document: str, element: etree._Element, line: int, problem: Callable[[str], None]) -> Link | None:
    """A link of a document; None after reporting a bad attribute."""
    missing = next((field for field in ("path", "to") if not element.get(field)), None)
    path, to_path = normalise_path(element.get("path", "")), element.get("to-path")
    target_path = None if to_path is None else normalise_path(to_path)
    text = element.get("probability")
    probability = None if text is None else parse_decimal(text.encode())
    if missing is not None:
        problem(f"<link> lacks the attribute {missing}")
    elif path is None:
        problem(expected_message("path", PATH_EXAMPLE, element.get("path", "")))
    elif to_path is not None and target_path is None:
        problem(expected_message("to-path", PATH_EXAMPLE, to_path))
    elif text is not None and (probability is None or not 0 <= probability <= 1):
        problem(expected_message("probability", "a number from 0 to 1", text))
    else:
        return Link(document, path, element.get("to", ""), target_path, probability, line)
    return None


_ROOT = "collection"
_NO_DOCUMENT = "no <document> in the whole structure"


def read_structure_xml(
    stream: BinaryIO, name: str, wanted: Container[str] | None, problems: ProblemHandler
) -> Structure:
    """Read a structure in XML, the format for people and small collections.

    The paths of all documents are stored, as short codes, because links may point to any of them.
    """
    blocks = XmlBlocks(stream, name, problems, block="document", tags=None)
    parser, result = _StructureParser(name, problems), _StructureBuilder(name, wanted, problems)
    for block in blocks:
        document = parser.document(block)
        if document is not None:
            result.add_document(document)
    if blocks.sound and parser.known_root:
        result.check_links()
        if not result.paths_of:
            problems(InputError(name, blocks.line, _NO_DOCUMENT))
    names, links = frozenset(result.paths_of), tuple(result.links)
    return Structure(name, result.elements, result.characters, names, result.documents, links)


def stream_structure_xml(stream: BinaryIO, name: str) -> Iterator[tuple[int, StructureDocument, list[Link]]]:
    """Line, document and links of each document of a structure in XML, one after the other.

    The caller has to notice documents that are described twice, and missing targets of links.

    Raises:
        InputError: the structure is malformed.
    """
    blocks, parser = (
        XmlBlocks(stream, name, raise_first, block="document", tags=None),
        _StructureParser(name, raise_first),
    )
    is_empty = True
    for block in blocks:
        document = parser.document(block)
        parser.lines.clear()
        parser.count = PathCount()
        if document is not None:
            is_empty = False
            yield document.line, document.record, list(document.links)
    if is_empty:
        raise InputError(name, blocks.line, _NO_DOCUMENT)


class _StructureParser:
    """Makes documents of the blocks of a structure."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.known_root: bool | None = None
        self.lines: dict[str, int] = {}  # on which the documents begin
        self.count = PathCount()
        self._name = name
        self._problems = problems

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def document(self, block: XmlBlock) -> XmlDocument | None:
        """The document of a block; None for the root, or after reporting a bad one."""
        tag, line = local_name(block.element), int(block.lines[0])
        if self.known_root is None:
            self._root(block, line)
        elif self.known_root and tag != "document":
            self._problem(f"unexpected <{tag}> in <{_ROOT}>", line)
        elif self.known_root:
            name = block.element.get("id", "")
            first_line = self.lines.setdefault(name, line)
            if not name:
                self._problem("<document> lacks the attribute id", line)
            elif first_line != line:
                self._problem(f"document {quote_value(name)} is described twice (first on line {first_line})", line)
            else:
                count = replace(self.count)
                plain = read_plain_document(block, name, count)
                if plain is not None:
                    self.count = count
                    return XmlDocument(plain, line)
                return XmlDocumentReader(name, self.count, self._problem).read(block)
        return None

    def _root(self, block: XmlBlock, line: int) -> None:
        root = local_name(block.element)
        unit = block.element.get("unit", "character")
        self.known_root = root == _ROOT
        if not self.known_root:
            self._problem(f"expected the root <{_ROOT}>, found <{root}>", line)
        elif unit != "character":
            self._problem(expected_message("unit", "'character'", unit), line)


class _StructureBuilder:
    """Collects the documents of a structure, and checks its links."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: ProblemHandler) -> None:
        self.elements = 0
        self.characters = 0
        self.documents: dict[str, StructureDocument] = {}
        self.links: list[Link] = []
        self.paths_of: dict[str, IntArray | None] = {}  # codes of the paths; None if some were left out
        self._name = name
        self._wanted = wanted
        self._problems = problems
        self._codes: dict[str, int] = {}

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def add_document(self, document: XmlDocument) -> None:
        """Add a document."""
        record = document.record
        self.elements += len(record.paths)
        self.characters += int(record.length[:1].sum())
        codes = [self._codes.setdefault(path, len(self._codes)) for path in record.paths]
        self.paths_of[record.name] = np.array(codes, dtype=np.int32) if document.is_valid else None
        self.links.extend(document.links)
        if record.paths and (self._wanted is None or record.name in self._wanted):
            self.documents[record.name] = record

    def check_links(self) -> None:
        """Report links from or to what the structure lacks, and links without the probability that others have."""
        with_probability = next((link for link in self.links if link.probability is not None), None)
        for link in self.links:
            if link.target not in self.paths_of:
                self._problem(f"to: the structure has no document {quote_value(link.target)}", link.line)
            elif not self._has(link.document, link.path):
                reason = f"document {quote_value(link.document)} has no element {quote_value(link.path)}"
                self._problem(f"path: {reason}", link.line)
            elif link.target_path is not None and not self._has(link.target, link.target_path):
                reason = f"document {quote_value(link.target)} has no element {quote_value(link.target_path)}"
                self._problem(f"to-path: {reason}", link.line)
            if link.probability is None and with_probability is not None:
                reason = f"<link> lacks the probability that others have, as on line {with_probability.line}"
                self._problem(reason, link.line)

    def _has(self, document: str, path: str) -> bool:
        codes = self.paths_of[document]  # None: the element may be one that was left out
        return codes is None or bool((codes == self._codes.get(path, -1)).any())


def write_structure_xml(structure: Structure) -> bytes:
    """XML of nested elements, whose order gives their positions among siblings, and links."""
    documents = list(structure.documents.values())
    Contents.XML.check(structure.path, "document", structure.documents, lambda number: documents[number].lines[0])
    links: dict[str, list[Link]] = {}
    for link in structure.links:
        links.setdefault(link.document, []).append(link)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<collection unit="character">']
    for document in documents:
        lines.append(f"  <document id={quoteattr(document.name)}>")
        lines += _element_lines(document)
        for link in links.get(document.name, ()):
            to_path = "" if link.target_path is None else f" to-path={quoteattr(link.target_path)}"
            probability = "" if link.probability is None else f' probability="{link.probability!r}"'
            lines.append(f"    <link path={quoteattr(link.path)} to={quoteattr(link.target)}{to_path}{probability}/>")
        lines.append("  </document>")
    return encode_lines((*lines, "</collection>"))


def _element_lines(document: StructureDocument) -> Iterator[str]:
    open_elements = 0
    depths = [path.count("/") for path in document.paths]
    rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
    for (path, start, length), depth, next_depth in zip(rows, depths, [*depths[1:], 0], strict=True):
        while open_elements >= depth:
            yield f"{'  ' * (open_elements + 1)}</element>"
            open_elements -= 1
        has_children = next_depth > depth
        tag = path[path.rindex("/") + 1 : path.rindex("[")]
        end = ">" if has_children else "/>"
        yield f'{"  " * (depth + 1)}<element tag="{tag}" start="{start}" length="{length}"{end}'
        open_elements += has_children
    while open_elements:
        yield f"{'  ' * (open_elements + 1)}</element>"
        open_elements -= 1
