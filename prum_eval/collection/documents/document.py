"""One real document: its tree as lxml has it, serialised so that arrays can find its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from prum_eval.arrays import BoolArray
from prum_eval.collection.documents.links import anchors, carriers, document_name, line_of, link_target
from prum_eval.collection.documents.places import Places, step_name
from prum_eval.collection.documents.reading import Reading
from prum_eval.collection.index.batches import Anchor, Reference
from prum_eval.errors import UsageError
from prum_eval.text.numbers import shown as quoted
from prum_eval.text.xml.html import NO_TEXT, parse_html
from prum_eval.text.xml.parsing import parse_document
from prum_eval.text.xml.xpath import Expression

if TYPE_CHECKING:
    from lxml import etree

HTML_ENDINGS = (".html", ".htm")

_WORD = re.compile(r"\s*[\w-]+\s*")


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document before its elements are counted."""

    name: str
    body: bytes  # from the beginning of the root to its end, in UTF-8, without comments, instructions and CDATA
    retrievable: BoolArray | None = None  # shape (elements,); None for all
    references: Sequence[Reference] = ()
    anchors: Sequence[Anchor] = ()


class DocumentReader:
    """Reads documents as the options say."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._elements = reading.expressions(reading.elements)
        self._without = reading.expressions(reading.without)
        self._links = reading.expressions(reading.links)

    def can_stream(self, file: str) -> bool:
        """Whether no expression looks at the document, which is in XML."""
        return not (self._elements or self._without or self._links or self._is_html(file))

    def _is_html(self, file: str) -> bool:
        return self._reading.html or file.endswith(HTML_ENDINGS)

    def read(self, data: bytes, file: str, shown: str) -> Document:
        """A document of these bytes; `file` is its path in the source, `shown` its name in messages.

        Raises:
            InputError: it is not well-formed, declares entities, cannot be decoded, or is nested too deep.
            UsageError: an expression is no good, which only a document tells.
        """
        html = self._is_html(file)
        root = parse_html(data, shown, self._reading.encoding) if html else parse_document(data, shown)
        name = document_name(file)
        silent = _elements(self._without, root, "--without")
        looked_at = self._looked_at(root, name, file) if self._elements or self._links else None
        _silence([*silent, *(root.iter(*NO_TEXT) if html else ())])
        body = _serialised(root, html=html)
        return Document(name, body) if looked_at is None else replace(looked_at, body=body)

    def _looked_at(self, root: etree._Element, name: str, file: str) -> Document:
        """What the expressions say of a document, whose body is left out."""
        places = Places(root, _elements(self._elements, root, "--elements") if self._elements else None)
        if not self._links:
            return Document(name, b"", places.retrievable())
        references = []
        for element, value in carriers(node for expression in self._links for node in expression.nodes(root)):
            target, around = link_target(file, value), places.nearest(element)
            if target is not None and around is not None:
                line = line_of(element)
                word = _WORD.fullmatch(value) is not None
                references.append(Reference(name, places.number(around), places.path(around), *target, line, word))
        named = [Anchor(name, key, places.path(element)) for key, element in anchors(root)]
        return Document(name, b"", places.retrievable(), references, named)


def _elements(expressions: Sequence[Expression], root: etree._Element, option: str) -> list[etree._Element]:
    """What the expressions select.

    Raises:
        UsageError: something else than elements.
    """
    found: list[etree._Element] = []
    for expression in expressions:
        for node in expression.nodes(root):
            if isinstance(node, str) or not isinstance(node.tag, str):
                raise UsageError(f"{option}: {quoted(expression.text)} selects what is no element")
            found.append(node)
    return found


def _silence(elements: Iterable[etree._Element]) -> None:
    """Take all text out of elements, which stay where they are."""
    for element in elements:
        for inner in element.iter():
            if isinstance(inner.tag, str):
                inner.text = None
            if inner is not element:
                inner.tail = None


def _serialised(root: etree._Element, *, html: bool) -> bytes:
    from lxml import etree

    about = root.getroottree().docinfo
    if about.doctype:
        about.clear()  # that of XHTML would have the serialiser add a <meta>
    body = etree.tostring(root, encoding="utf-8", with_tail=False)
    if html and body.count(b"<") != body.count(b">"):  # names in HTML may have "<" in them
        for element in root.iter("*"):
            element.attrib.clear()
            element.tag = step_name(element)
        body = etree.tostring(root, encoding="utf-8", with_tail=False)
    return body
