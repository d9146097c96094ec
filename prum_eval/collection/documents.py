"""One real document: its tree as lxml has it, serialised so that arrays can find its elements."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.collection.index_batches import Anchor, Reference
from prum_eval.errors import UsageError
from prum_eval.text.element_paths import sanitise_tag
from prum_eval.text.markup import TAGS_WITHOUT_TEXT, XPathExpression, parse_html
from prum_eval.text.names import strip_document_suffix
from prum_eval.text.numbers import quote_value as quoted
from prum_eval.text.xml import parse_document

if TYPE_CHECKING:
    from lxml import etree

    from prum_eval.formats.structure_index import MetaValue


# What a document refers to, and what may be referred to in it.


_LAST_LINE = 65534  # from there on libxml2 does not know
_ANCHORS = "//*[@id or @xml:id or (@name and local-name()='a')]"
_IDS = ("id", "{http://www.w3.org/XML/1998/namespace}id")
_INDEX_PAGE = "index.html"


def document_name(file: str) -> str:
    """Name of a document in a source: its path without ``.xml`` or ``.html``, which runs may write or not."""
    return strip_document_suffix(file.removeprefix("./"))


def link_target(file: str, value: str) -> tuple[str, str | None] | None:
    """Document and id that a reference in a file leads to; None for what leads out of the source, or is empty.

    >>> link_target("an/1995/a1.xml", "../1996/a%202.xml#sec3"), link_target("an/a1.html", "#sec3")
    (('an/1996/a 2', 'sec3'), ('an/a1', 'sec3'))
    >>> link_target("an/a1.html", "https://example.org/an/a1.html")
    """
    try:
        url = urlsplit(value.strip())
    except ValueError:  # brackets where an address of a machine would stand
        return None
    path, fragment = unquote(url.path), unquote(url.fragment) or None
    if url.scheme or url.netloc or not (path or fragment):
        return None
    if not path:
        return document_name(file), fragment
    if path.endswith("/"):
        path += _INDEX_PAGE
    whole = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(file), path)
    return document_name(posixpath.normpath(whole)), fragment


def reference_elements(
    nodes: Iterable[etree._Element | etree._ElementUnicodeResult],
) -> Iterator[tuple[etree._Element, str]]:
    """Elements that carry references, and these: values of attributes, or all the text of an element."""
    for node in nodes:
        if isinstance(node, str):
            element = node.getparent()
            if element is not None:
                yield element, str(node)
        elif isinstance(node.tag, str):
            yield node, "".join(node.itertext())


def find_anchors(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Ids of a document, each with the first element that has it."""
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
    """Line of the source where the start tag of an element ends, -1 where that is not known."""
    line = element.sourceline
    return line if line is not None and line <= _LAST_LINE else -1


# Numbers and paths of elements in the tree of lxml, as an index has them.


class ElementNumbering:
    """Where the elements of a document are, and which of them are retrievable (None: all)."""

    def __init__(self, root: etree._Element, retrievable: Collection[etree._Element] | None) -> None:
        self._order = list(root.iter("*"))  # which also keeps them: lxml would make others of the same nodes
        self._number = {element: number for number, element in enumerate(self._order)}
        self._retrievable = retrievable if retrievable is None else frozenset(retrievable)
        self._paths = {root: f"/{step_name(root)}[1]"}

    def retrievable(self) -> BoolArray | None:
        """Of each element, whether it is; shape (elements,)."""
        if self._retrievable is None:
            return None
        return np.fromiter(map(self._retrievable.__contains__, self._order), np.bool_, len(self._order))

    def nearest_retrievable(self, element: etree._Element | None) -> etree._Element | None:
        """The element, or the nearest one around it, that is retrievable; None where none is."""
        while self._retrievable is not None and element is not None and element not in self._retrievable:
            element = element.getparent()
        return element

    def number(self, element: etree._Element) -> int:
        """In document order, from 0."""
        return self._number[element]

    def path(self, element: etree._Element) -> str:
        """Path in normal form."""
        for around in reversed(list(element.iterancestors())):
            first = next(around.iterchildren("*"))
            if first not in self._paths:
                self._name_children(around)
        return self._paths[element]

    def _name_children(self, element: etree._Element) -> None:
        ranks: dict[str, int] = {}
        for child in element.iterchildren("*"):
            name = step_name(child)
            ranks[name] = ranks.get(name, 0) + 1
            self._paths[child] = f"{self._paths[element]}/{name}[{ranks[name]}]"


def step_name(element: etree._Element) -> str:
    """Name of an element in paths: with its prefix, as it stands in the document."""
    local = str(element.tag).rpartition("}")[2]
    return sanitise_tag(f"{element.prefix}:{local}" if element.prefix else local)


# How real documents are read: the options of an index that a structure has no use for.


READING_OPTIONS = ("retrievable", "without", "links to", "namespaces", "read as", "encoding")
"""Names in an index of what was chosen, beside how characters were counted; those that were not are not there."""
_WHITE_SPACE_NAMES = {False: "white space once", True: "raw"}


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Which files are documents, what counts as a character, what is an element, where links are."""

    patterns: tuple[str, ...] = ()  # for file names, instead of the usual endings
    raw: bool = False  # every character counts; else a run of white space is one
    elements: tuple[str, ...] = ()  # XPath of those that a system may return; all without
    excluded: tuple[str, ...] = ()  # XPath of those whose text counts nothing
    links: tuple[str, ...] = ()  # XPath of attributes or elements that hold references
    namespaces: tuple[tuple[str, str], ...] = ()  # of the prefixes in these: (prefix, URI)
    html: bool = False  # whatever the files are called
    encoding: str | None = None  # of pages in HTML, whatever they declare

    def meta(self) -> dict[str, MetaValue]:
        """The options as an index has them, by their names there."""
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
        """Some of its XPath expressions, with their namespaces."""
        from prum_eval.text.markup import XPathExpression

        return [XPathExpression(text, self.namespaces) for text in texts]

    def check(self) -> None:
        """Refuse what no document can be read with.

        Raises:
            UsageError: an XPath expression is none, a namespace has no name, the encoding is not known.
        """
        for option, texts in (("--elements", self.elements), ("--without", self.excluded), ("--links", self.links)):
            for expression in self.expressions(texts):
                _name_option_in_errors(option, expression.check)
        if self.encoding is not None:
            from prum_eval.text.markup import check_encoding

            encoding = self.encoding
            _name_option_in_errors("--encoding", lambda: check_encoding(encoding))


def reading_options_from_meta(meta: Mapping[str, MetaValue]) -> ReadingOptions:
    """How the texts of documents were read whose index has these options."""

    def said(key: str) -> str:
        return str(meta.get(key, ""))

    return ReadingOptions(
        raw=said("counting") == _WHITE_SPACE_NAMES[True],
        excluded=(said("without"),) if "without" in meta else (),
        namespaces=tuple(map(parse_namespace, said("namespaces").split())),
        html="read as" in meta,
        encoding=said("encoding") or None,
    )


def parse_namespace(text: str) -> tuple[str, str]:
    """Prefix and URI of `PREFIX=URI`.

    Raises:
        UsageError: it is not that.
    """
    prefix, equals, uri = text.partition("=")
    if not equals or not prefix.replace("-", "a").replace(".", "a").isidentifier() or uri.split() != [uri]:
        raise UsageError(f"--namespace: expected PREFIX=URI, found {text!r}")
    return prefix, uri


def _name_option_in_errors(option: str, check: Callable[[], None]) -> None:
    try:
        check()
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None


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

    def __init__(self, reading: ReadingOptions) -> None:
        self._reading = reading
        self._elements = reading.expressions(reading.elements)
        self._without = reading.expressions(reading.excluded)
        self._links = reading.expressions(reading.links)

    def can_stream(self, file: str) -> bool:
        """Whether no expression looks at the document, which is in XML."""
        return not (self._elements or self._without or self._links or self._is_html(file))

    def _is_html(self, file: str) -> bool:
        return self._reading.html or file.endswith(HTML_ENDINGS)

    def read(self, data: bytes, file: str, shown: str) -> Document:
        """A document of these bytes; `file` is its path in the source, `quote_value` its name in messages.

        Raises:
            InputError: it is not well-formed, declares entities, cannot be decoded, or is nested too deep.
            UsageError: an expression is no good, which only a document tells.
        """
        html = self._is_html(file)
        root = parse_html(data, shown, self._reading.encoding) if html else parse_document(data, shown)
        name = document_name(file)
        silent = _elements(self._without, root, "--without")
        looked_at = self._apply_expressions(root, name, file) if self._elements or self._links else None
        _remove_text([*silent, *(root.iter(*TAGS_WITHOUT_TEXT) if html else ())])
        body = _serialise(root, html=html)
        return Document(name, body) if looked_at is None else replace(looked_at, body=body)

    def _apply_expressions(self, root: etree._Element, name: str, file: str) -> Document:
        """What the expressions say of a document, whose body is left out."""
        places = ElementNumbering(root, _elements(self._elements, root, "--elements") if self._elements else None)
        if not self._links:
            return Document(name, b"", places.retrievable())
        references = []
        for element, value in reference_elements(node for expression in self._links for node in expression.nodes(root)):
            target, around = link_target(file, value), places.nearest_retrievable(element)
            if target is not None and around is not None:
                line = element_line(element)
                word = _WORD.fullmatch(value) is not None
                references.append(Reference(name, places.number(around), places.path(around), *target, line, word))
        named = [Anchor(name, key, places.path(element)) for key, element in find_anchors(root)]
        return Document(name, b"", places.retrievable(), references, named)


def _elements(expressions: Sequence[XPathExpression], root: etree._Element, option: str) -> list[etree._Element]:
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


def _remove_text(elements: Iterable[etree._Element]) -> None:
    """Take all text out of elements, which stay where they are."""
    for element in elements:
        for inner in element.iter():
            if isinstance(inner.tag, str):
                inner.text = None
            if inner is not element:
                inner.tail = None


def _serialise(root: etree._Element, *, html: bool) -> bytes:
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
