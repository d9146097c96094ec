"""Collection structures: the elements of documents, and links between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from prum_eval.arrays import BoolArray, IntArray
from prum_eval.tabular import plural


@dataclass(frozen=True, slots=True, eq=False)
class StructureDocument:
    """One document of a collection structure: its elements in document order.

    `retrievable`: which of them a system may return; None: all.
    """

    name: str
    paths: tuple[str, ...]
    start: IntArray
    length: IntArray
    lines: IntArray
    retrievable: BoolArray | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the structure, from an element to a document or an element of it."""

    document: str
    path: str
    target: str
    target_path: str | None
    probability: float | None
    line: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Structure:
    """A collection structure: counts over all of it, trees only for the documents that were asked for."""

    path: str
    elements: int  # that a system may return, N
    characters: int  # sum over all documents of the length of the root
    names: AbstractSet[str]
    documents: Mapping[str, StructureDocument]
    links: Sequence[Link]

    def __repr__(self) -> str:
        return f"<Structure {self.path}: {plural(len(self.names), 'document')}, {plural(self.elements, 'element')}>"
