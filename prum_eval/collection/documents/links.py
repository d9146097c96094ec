"""What a document refers to, and what may be referred to in it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from prum_eval.text.document_names import document_of

if TYPE_CHECKING:
    from lxml import etree

_LAST_LINE = 65534  # from there on libxml2 does not know
_ANCHORS = "//*[@id or @xml:id or (@name and local-name()='a')]"
_IDS = ("id", "{http://www.w3.org/XML/1998/namespace}id")
_PAGE_OF_FOLDER = "index.html"


def document_name(file: str) -> str:
    """Name of a document in a source: its path without ``.xml`` or ``.html``, which runs may write or not."""
    return document_of(file.removeprefix("./"))


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
        path += _PAGE_OF_FOLDER
    whole = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(file), path)
    return document_name(posixpath.normpath(whole)), fragment


def carriers(
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


def anchors(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
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


def line_of(element: etree._Element) -> int:
    """Line of the source where the start tag of an element ends, -1 where that is not known."""
    line = element.sourceline
    return line if line is not None and line <= _LAST_LINE else -1
