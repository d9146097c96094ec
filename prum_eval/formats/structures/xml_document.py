"""One document of a structure in XML: its nested elements and its links, element by element."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from prum_eval.records.structure import Link, StructureDocument
from prum_eval.text.element_paths import PATH_EXAMPLE, is_tag, normal_path
from prum_eval.text.numbers import FARTHEST, PAST, decimal, expected, integer, shown
from prum_eval.text.xml.blocks import XmlBlock, name_of

if TYPE_CHECKING:
    from lxml import etree

Report = Callable[[str, int], None]
"""What is called with the reason of a problem and its line."""
_CHILDREN = {"document": ("element", "link"), "element": ("element",), "link": ()}


@dataclass(frozen=True, slots=True)
class XmlDocument:
    """A document of a structure in XML, as it was read."""

    record: StructureDocument
    line: int
    links: Sequence[Link] = ()
    sound: bool = True  # no element was left out


@dataclass(slots=True)
class _Open:
    """A tag that the next one may stand in: an element of the document, the document itself, or a link."""

    tag: etree._Element
    path: str = ""
    start: int = 0
    end: int = 0
    children: dict[str, int] = field(default_factory=dict)  # elements in it so far, by tag
    taken: bool = True  # it was not left out


class DocumentReader:
    """Reads a document element by element, reports what is bad, and leaves it out with all that is in it."""

    def __init__(self, name: str, report: Report) -> None:
        self._name = name
        self._report = report
        self._line = 0  # of the current tag
        self._paths: list[str] = []
        self._columns = array("q"), array("q"), array("q")
        self._links: list[Link] = []

    def read(self, block: XmlBlock) -> XmlDocument:
        """The document."""
        first, *lines = block.lines.tolist()
        sound = True
        parents = [_Open(block.element)]
        for tag, self._line in zip(block.element.iterdescendants("*"), lines, strict=True):
            while parents[-1].tag is not tag.getparent():
                parents.pop()
            opened = self._opened(tag, parents[-1]) if parents[-1].taken else _Open(tag, taken=False)
            sound &= opened.taken
            parents.append(opened)
        if not self._paths and sound:
            self._report(f"document {shown(self._name)} has no root element", first)
            sound = False
        start, length, line = (np.array(column, dtype=np.int64) for column in self._columns)
        document = StructureDocument(self._name, tuple(self._paths), start, length, line)
        return XmlDocument(document, first, self._links, sound)

    def _problem(self, reason: str) -> None:
        self._report(reason, self._line)

    def _opened(self, tag: etree._Element, parent: _Open) -> _Open:
        name, within = name_of(tag), name_of(parent.tag)
        if name not in _CHILDREN[within]:
            self._problem(f"unexpected <{name}> in <{within}>")
            return _Open(tag, taken=False)
        if name == "element":
            return self._element(tag, parent)
        link = link_of(self._name, tag, self._line, self._problem)
        if link is not None:
            self._links.append(link)
        return _Open(tag)

    def _element(self, element: etree._Element, parent: _Open) -> _Open:
        left_out = _Open(element, taken=False)
        extent = self._extent(element)
        if extent is None:
            return left_out
        tag, start, length = extent
        if not parent.path and self._paths:
            self._problem(f"document {shown(self._name)} has a second root element")
            return left_out
        number = parent.children[tag] = parent.children.get(tag, 0) + 1
        path = f"{parent.path}/{tag}[{number}]"
        if parent.path and (start < parent.start or start + length > parent.end):
            self._problem(
                f"element {shown(path)} from {start} to {start + length} is outside its parent "
                f"{shown(parent.path)} from {parent.start} to {parent.end}"
            )
        self._paths.append(path)
        for column, value in zip(self._columns, (start, length, self._line), strict=True):
            column.append(value)
        return _Open(element, path, start, start + length)

    def _extent(self, element: etree._Element) -> tuple[str, int, int] | None:
        """Tag, start and length of an element; None where one is missing or bad, which is reported."""
        texts = {field: element.get(field) for field in ("tag", "start", "length")}
        missing = next((field for field, text in texts.items() if text is None), None)
        tag, start_text, length_text = (text or "" for text in texts.values())
        start, length = integer(start_text.encode()), integer(length_text.encode())
        if missing is not None:
            self._problem(f"<element> lacks the attribute {missing}")
        elif not is_tag(tag):
            self._problem(expected("tag", "the name of an element", tag))
        elif start is None or start < 0:
            self._problem(expected("start", "an integer, 0 or more", start_text))
        elif length is None or length < 0:
            self._problem(expected("length", "an integer, 0 or more", length_text))
        elif start > FARTHEST - length:
            self._problem(f"start {start} and length {length} end {PAST}")
        else:
            return tag, start, length
        return None


def link_of(document: str, element: etree._Element, line: int, problem: Callable[[str], None]) -> Link | None:
    """A link of a document; None where something in it is bad, which is reported."""
    missing = next((field for field in ("path", "to") if not element.get(field)), None)
    path, to_path = normal_path(element.get("path", "")), element.get("to-path")
    target_path = None if to_path is None else normal_path(to_path)
    text = element.get("probability")
    probability = None if text is None else decimal(text.encode())
    if missing is not None:
        problem(f"<link> lacks the attribute {missing}")
    elif path is None:
        problem(expected("path", PATH_EXAMPLE, element.get("path", "")))
    elif to_path is not None and target_path is None:
        problem(expected("to-path", PATH_EXAMPLE, to_path))
    elif text is not None and (probability is None or not 0 <= probability <= 1):
        problem(expected("probability", "a number from 0 to 1", text))
    else:
        return Link(document, path, element.get("to", ""), target_path, probability, line)
    return None
