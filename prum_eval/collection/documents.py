"""Reading of one XML or HTML document: options, serialised body, retrievable elements, links and anchors.

`ReadingOptions` are the options of an index of documents; `DocumentReader` parses a document with lxml and serialises
it so that `prum_eval.collection.document_scan` finds its elements. A document is named by its path in the source
without ``.xml`` or ``.html``. Elements are numbered from 0 in document order, like the rows of a tree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.collection.index_batches import Anchor, Reference
from prum_eval.errors import UsageError
from prum_eval.text.element_paths import sanitise_tag
from prum_eval.text.markup import TAGS_WITHOUT_TEXT, XPathExpression, check_encoding, parse_html
from prum_eval.text.names import strip_document_suffix
from prum_eval.text.numbers import quote_value
from prum_eval.text.xml import parse_document

if TYPE_CHECKING:
    from lxml import etree

    from prum_eval.formats.structure_index import MetaValue


_LAST_LINE = 65534  # beyond it libxml2 does not know the line
_ANCHORS = "//*[@id or @xml:id or (@name and local-name()='a')]"
_IDS = ("id", "{http://www.w3.org/XML/1998/namespace}id")
_INDEX_PAGE = "index.html"
HTML_ENDINGS = (".html", ".htm")
_WORD = re.compile(r"\s*[\w-]+\s*")
READING_OPTIONS = ("retrievable", "without", "links to", "namespaces", "read as", "encoding")
"""Names of the options in an index, beside `counting`; options without a value are absent."""
_WHITE_SPACE_NAMES = {False: "white space once", True: "raw"}


# Links


def document_name(file: str) -> str:
    """Name of a document: its path in the source without ``.xml`` or ``.html``."""
    return strip_document_suffix(file.removeprefix("./"))


def link_target(file: str, value: str) -> tuple[str, str | None] | None:
    """Document and id that a reference in a file leads to; None if empty or external.

    >>> link_target("an/1995/a1.xml", "../1996/a%202.xml#sec3"), link_target("an/a1.html", "#sec3")
    (('an/1996/a 2', 'sec3'), ('an/a1', 'sec3'))
    >>> link_target("an/a1.html", "https://example.org/an/a1.html")
    """
    try:
        url = urlsplit(value.strip())
    except ValueError:  # brackets that enclose no host address
        return None
    path, fragment = unquote(url.path), unquote(url.fragment) or None
    if url.scheme or url.netloc or not (path or fragment):
        return None
    if not path:
        return document_name(file), fragment
    if path.endswith("/"):
        path += _INDEX_PAGE
    full_path = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(file), path)
    return document_name(posixpath.normpath(full_path)), fragment


def reference_elements(
    nodes: Iterable[etree._Element | etree._ElementUnicodeResult],
) -> Iterator[tuple[etree._Element, str]]:
    """Elements with their references: values of attributes, or the text of the element."""
    for node in nodes:
        if isinstance(node, str):
            element = node.getparent()
            if element is not None:
                yield element, str(node)
        elif isinstance(node.tag, str):
            yield node, "".join(node.itertext())


def find_anchors(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Ids in a document, each with the first element that has it."""
    seen = set()
    for element in root.xpath(_ANCHORS):
        names = [element.get(attribute) for attribute in _IDS]
        if element.tag.rpartition("}")[2] == "a":
            names.append(element.get("name"))
        for name in names:
            if name is not None and name not in seen:
                seen.add(name)
                yield name, element


def element_line(element: etree._Element) -> int:
    """Line of the source where the start tag ends; -1 if unknown."""
    line = element.sourceline
    return line if line is not None and line <= _LAST_LINE else -1


class ElementNumbering:
    """Numbers and paths of the elements of a document; `retrievable` None means all elements."""

    def __init__(self, root: etree._Element, retrievable: Collection[etree._Element] | None) -> None:
        self._order = list(root.iter("*"))  # keeps the proxies alive: lxml would make new ones for the same nodes
        self.number = {element: number for number, element in enumerate(self._order)}
        self._retrievable = retrievable if retrievable is None else frozenset(retrievable)
        self._paths = {root: f"/{step_name(root)}[1]"}

    def retrievable(self) -> BoolArray | None:
        """Mask of the retrievable elements, shape (elements,); None for all."""
        if self._retrievable is None:
            return None
        return np.fromiter(map(self._retrievable.__contains__, self._order), np.bool_, len(self._order))

    def nearest_retrievable(self, element: etree._Element | None) -> etree._Element | None:
        """The element or its nearest ancestor that is retrievable; None if there is none."""
        while self._retrievable is not None and element is not None and element not in self._retrievable:
            element = element.getparent()
        return element

    def path(self, element: etree._Element) -> str:
        """Path in normal form."""
        for ancestor in reversed(list(element.iterancestors())):
            if next(ancestor.iterchildren("*")) not in self._paths:
                ranks: dict[str, int] = {}
                for child in ancestor.iterchildren("*"):
                    name = step_name(child)
                    ranks[name] = ranks.get(name, 0) + 1
                    self._paths[child] = f"{self._paths[ancestor]}/{name}[{ranks[name]}]"
        return self._paths[element]


def step_name(element: etree._Element) -> str:
    """Name of an element in paths, with its prefix in the document."""
    local = str(element.tag).rpartition("}")[2]
    return sanitise_tag(f"{element.prefix}:{local}" if element.prefix else local)


# Options


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Which files are documents, what counts as a character, what is an element, where links are."""

    patterns: tuple[str, ...] = ()  # of file names, instead of the usual endings
    raw: bool = False  # count every character; else a run of white space is one
    elements: tuple[str, ...] = ()  # XPath of retrievable elements; all if empty
    excluded: tuple[str, ...] = ()  # XPath of elements whose text does not count
    links: tuple[str, ...] = ()  # XPath of attributes or elements with references
    namespaces: tuple[tuple[str, str], ...] = ()  # (prefix, URI) for the XPath expressions
    html: bool = False  # read all files as HTML
    encoding: str | None = None  # of HTML pages, whatever they declare

    def meta(self) -> dict[str, MetaValue]:
        """The options by their names in an index."""
        options = {
            "counting": _WHITE_SPACE_NAMES[self.raw],
            "patterns": " ".join(self.patterns),
            "retrievable": " | ".join(self.elements),
            "without": " | ".join(self.excluded),
            "links to": " | ".join(self.links),
            "namespaces": " ".join(f"{prefix}={uri}" for prefix, uri in self.namespaces),
            "read as": "HTML" if self.html else "",
            "encoding": self.encoding or "",
        }
        return {key: value for key, value in options.items() if value}

    def expressions(self, texts: Iterable[str]) -> list[XPathExpression]:
        """XPath expressions with the namespaces of the options."""
        return [XPathExpression(text, self.namespaces) for text in texts]

    def check(self) -> None:
        """Check the XPath expressions and the encoding.

        Raises:
            UsageError: an expression is not valid, a prefix has no namespace, the encoding is unknown.
        """
        options = {"--elements": self.elements, "--without": self.excluded, "--links": self.links}
        checks: list[tuple[str, Callable[[], object]]] = [
            (option, expression.check) for option, texts in options.items() for expression in self.expressions(texts)
        ]
        if self.encoding is not None:
            checks.append(("--encoding", partial(check_encoding, self.encoding)))
        for option, check in checks:
            try:
                check()
            except UsageError as error:
                raise UsageError(f"{option}: {error}") from None


def reading_options_from_meta(meta: Mapping[str, MetaValue]) -> ReadingOptions:
    """Options for reading the texts of the documents of an index."""
    options = {key: str(meta.get(key, "")) for key in ("counting", "without", "namespaces", "encoding")}
    return ReadingOptions(
        raw=options["counting"] == _WHITE_SPACE_NAMES[True],
        excluded=(options["without"],) if "without" in meta else (),
        namespaces=tuple(map(parse_namespace, options["namespaces"].split())),
        html="read as" in meta,
        encoding=options["encoding"] or None,
    )


def parse_namespace(text: str) -> tuple[str, str]:
    """Prefix and URI of `PREFIX=URI`.

    Raises:
        UsageError: the text has another form.
    """
    prefix, equals, uri = text.partition("=")
    if not equals or not prefix.replace("-", "a").replace(".", "a").isidentifier() or uri.split() != [uri]:
        raise UsageError(f"--namespace: expected PREFIX=URI, found {text!r}")
    return prefix, uri


# Documents


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose elements are not yet counted."""

    name: str
    body: bytes  # the root element in UTF-8, without comments, instructions and CDATA
    retrievable: BoolArray | None = None  # shape (elements,); None for all
    references: Sequence[Reference] = ()
    anchors: Sequence[Anchor] = ()


class DocumentReader:
    """Reads documents with some options."""

    def __init__(self, reading: ReadingOptions) -> None:
        self._reading = reading
        self._elements = reading.expressions(reading.elements)
        self._excluded = reading.expressions(reading.excluded)
        self._links = reading.expressions(reading.links)

    def can_stream(self, file: str) -> bool:
        """Whether a file is XML that no expression is applied to."""
        return not (self._elements or self._excluded or self._links or self._is_html(file))

    def _is_html(self, file: str) -> bool:
        return self._reading.html or file.endswith(HTML_ENDINGS)

    def read(self, data: bytes, file: str, shown: str) -> Document:
        """Parse and serialise a document.

        Args:
            data: the bytes of the document.
            file: its path in the source.
            shown: its name in messages.

        Raises:
            InputError: it is not well-formed, declares entities, cannot be decoded, or is nested too deep.
            UsageError: an expression fails on the document.
        """
        html = self._is_html(file)
        root = parse_html(data, shown, self._reading.encoding) if html else parse_document(data, shown)
        document = Document(document_name(file), b"")
        without_text = _elements(self._excluded, root, "--without")
        if self._elements or self._links:
            document = self._apply_expressions(root, document.name, file)
        if html:
            without_text += root.iter(*TAGS_WITHOUT_TEXT)
        for element in without_text:
            for inner in element.iter():
                if isinstance(inner.tag, str):
                    inner.text = None
                if inner is not element:
                    inner.tail = None
        return replace(document, body=_serialise(root, html=html))

    def _apply_expressions(self, root: etree._Element, name: str, file: str) -> Document:
        """Document with retrievable elements, references and anchors, without its body."""
        numbering = ElementNumbering(root, _elements(self._elements, root, "--elements") if self._elements else None)
        if not self._links:
            return Document(name, b"", numbering.retrievable())
        references = []
        for element, value in reference_elements(node for expression in self._links for node in expression.nodes(root)):
            target, source = link_target(file, value), numbering.nearest_retrievable(element)
            if target is not None and source is not None:
                line, is_word = element_line(element), _WORD.fullmatch(value) is not None
                number, path = numbering.number[source], numbering.path(source)
                references.append(Reference(name, number, path, *target, line, is_word))
        anchors = [Anchor(name, key, numbering.path(element)) for key, element in find_anchors(root)]
        return Document(name, b"", numbering.retrievable(), references, anchors)


def _elements(expressions: Sequence[XPathExpression], root: etree._Element, option: str) -> list[etree._Element]:
    """Elements that the expressions select.

    Raises:
        UsageError: an expression selects something else.
    """
    elements: list[etree._Element] = []
    for expression in expressions:
        for node in expression.nodes(root):
            if isinstance(node, str) or not isinstance(node.tag, str):
                raise UsageError(f"{option}: {quote_value(expression.text)} selects something that is not an element")
            elements.append(node)
    return elements


def _serialise(root: etree._Element, *, html: bool) -> bytes:
    from lxml import etree

    docinfo = root.getroottree().docinfo
    if docinfo.doctype:
        docinfo.clear()  # for the doctype of XHTML the serialiser would add a <meta>
    body = etree.tostring(root, encoding="utf-8", with_tail=False)
    if html and body.count(b"<") != body.count(b">"):  # names in HTML may contain "<"
        for element in root.iter("*"):
            element.attrib.clear()
            element.tag = step_name(element)
        body = etree.tostring(root, encoding="utf-8", with_tail=False)
    return body
