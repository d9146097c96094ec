"""From the paths that libxml2 gives in its messages to elements, and from elements to the lines of the bytes.

Of a line beyond 65,535 the tree keeps a guess, so elements are counted: the k-th element of a document is that of the
k-th start tag in its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_START_OR_OTHER = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|(<[^!?/])", re.DOTALL)
_STEP = re.compile(r"(?P<name>[^\[]+)(?:\[(?P<position>[0-9]+)\])?")


class Steps:
    """Follows paths as libxml2 writes them: `/a/b[2]`, `/*/*[3]`, `/p:a/p:b`, also with `/text()` or `/@x` at the end.

    The children of an element are sorted once.
    """

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._children: dict[etree._Element, dict[str, list[etree._Element]]] = {}

    def find(self, path: str) -> etree._Element:
        """The element at the end of a path, or where it leads no further."""
        element = self._root
        for step in path.split("/")[2:]:
            found = _STEP.fullmatch(step)
            named = self._sorted(element).get(found["name"], []) if found is not None else []
            place = int(found["position"] or 1) - 1 if found is not None else 0
            if place >= len(named):
                break
            element = named[place]
        return element

    def _sorted(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        """The children by the name that a step has for them, `*` for all."""
        if element not in self._children:
            by_name: dict[str, list[etree._Element]] = {"*": list(element.iterchildren("*"))}
            for child in by_name["*"]:
                tag = str(child.tag).rpartition("}")[2]
                by_name.setdefault(f"{child.prefix}:{tag}" if child.prefix else tag, []).append(child)
            self._children[element] = by_name
        return self._children[element]


def lines_of_tags(text: bytes, wanted: Collection[int]) -> dict[int, int]:
    """Lines on which start tags begin, by their number from 0.

    Args:
        text: a well-formed document as the parser got it, in UTF-8.
        wanted: numbers of start tags, which are also those of the elements in document order.
    """
    lines: dict[int, int] = {}
    line, at, number = 1, 0, 0
    for tag in _START_OR_OTHER.finditer(text):
        if tag[1] is None:
            continue
        if number in wanted:
            line, at = line + text.count(b"\n", at, tag.start()), tag.start()
            lines[number] = line
            if len(lines) == len(wanted):
                break
        number += 1
    return lines
