"""Numbers and paths of elements in the tree of lxml, as an index has them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.text.element_paths import usual_tag

if TYPE_CHECKING:
    from lxml import etree


class Places:
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

    def nearest(self, element: etree._Element | None) -> etree._Element | None:
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
    return usual_tag(f"{element.prefix}:{local}" if element.prefix else local)
