"""A document as arrays in pre-order, where "contains" is an interval test; trees from paths, depths and tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import overload

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, NarrowArray


@dataclass(frozen=True, eq=False)
class DocumentTree:
    """The elements of one document in document order.

    Element j lies in element i (or is it) iff ``i <= j < end[i]``. `start` and `length` count characters, -1 where
    unknown. `complete` says that the tree comes from a structure, with every element and its extent; a tree taken from
    assessments has only the judged elements, in an order that keeps descendants behind ancestors, and no starts.
    """

    name: str
    paths: tuple[str, ...]
    parent: IntArray
    end: IntArray
    start: IntArray
    length: IntArray
    complete: bool = True
    retrievable: BoolArray | None = None  # elements that a system may return; None: all

    def find(self, path: str) -> int:
        """Number of the element with that path, exactly or else ignoring case; -1 where there is none."""
        found = self._exact.get(path)
        return self._folded.get(path.lower(), -1) if found is None else found

    def extent(self, first: int, last: int) -> tuple[int, int] | None:
        """Start and length of the range from one element to the end of another; None if it ends before it begins."""
        start = int(self.start[first])
        length = int(self.start[last] + self.length[last]) - start
        return None if length < 0 or self.end[last] <= first else (start, length)

    def find_extent(self, start: int, length: int) -> int:
        """Number of the outermost retrievable element with exactly that extent; -1 where there is none."""
        return self._extents.get((start, length), -1)

    def nodes_within(self, start: int, length: int) -> list[str]:
        """Names, in navigation files, of the element of exactly that extent, else of all elements that lie in it.

        An empty element at the end of an extent does not lie in it, one at its beginning does.
        """
        exact = self.find_extent(start, length)
        if exact >= 0:
            return [node_name(self.name, self.paths[exact])]
        inside = (self.start >= start) & (self.start + self.length <= start + length)
        inside &= (self.start < start + length) | (self.start == start)
        return [node_name(self.name, self.paths[number]) for number in np.flatnonzero(inside).tolist()]

    def may_be_returned(self, element: int) -> bool:
        """Whether a system may return an element."""
        return self.retrievable is None or bool(self.retrievable[element])

    @cached_property
    def _exact(self) -> dict[str, int]:
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def _folded(self) -> dict[str, int]:
        folded: dict[str, int] = {}
        for number, path in enumerate(self.paths):
            folded.setdefault(path.lower(), number)
        return folded

    @cached_property
    def _extents(self) -> dict[tuple[int, int], int]:
        extents: dict[tuple[int, int], int] = {}
        for number, extent in enumerate(zip(self.start.tolist(), self.length.tolist(), strict=True)):
            if self.may_be_returned(number):
                extents.setdefault(extent, number)
        return extents


@lru_cache(maxsize=1 << 14)  # documents name the same few paths again and again
def parent_path(path: str) -> str:
    """Path of the enclosing element; empty for a root.

    >>> parent_path("/article[1]/sec[2]")
    '/article[1]'
    """
    return path[: path.rfind("/")]


def node_name(document: str, path: str) -> str:
    """Name of an element in navigation files: ``file#path``, and the bare file for its root.

    >>> node_name("a1004", "/article[1]"), node_name("a1004", "/article[1]/sec[2]")
    ('a1004', 'a1004#/article[1]/sec[2]')
    """
    return f"{document}#{path}" if path.count("/") > 1 else document


class NodeNames(Sequence[str]):
    """Names of many elements in navigation files; all are made when one is asked for, and few models ask.

    Element i has the path ``paths[codes[i]]`` in the document ``documents[numbers[i]]``.
    """

    def __init__(self, documents: Sequence[str], numbers: IntArray, paths: Sequence[str], codes: NarrowArray) -> None:
        self._columns = documents, numbers, paths, codes

    @cached_property
    def _all(self) -> tuple[str, ...]:
        documents, numbers, paths, codes = self._columns
        listed = zip(numbers.tolist(), codes.tolist(), strict=True)
        return tuple(node_name(documents[number], paths[code]) for number, code in listed)

    def __len__(self) -> int:
        return len(self._columns[1])

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._all[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)


def nest(paths: Sequence[str]) -> tuple[list[int], list[int]]:
    """Parent and end of subtree of each element, listed with its descendants right behind it.

    The parent is the nearest ancestor that is listed, -1 where none is.
    """
    parent = [-1] * len(paths)
    end = list(range(1, len(paths) + 1))
    open_elements: list[tuple[int, str]] = []
    for number, path in enumerate(paths):
        while open_elements and not path.startswith(open_elements[-1][1]):
            end[open_elements.pop()[0]] = number
        if open_elements:
            parent[number] = open_elements[-1][0]
        open_elements.append((number, path + "/"))
    for number, _ in open_elements:
        end[number] = len(paths)
    return parent, end


def nesting_key(path: str) -> str:
    """Key of an order in which the descendants of an element follow it at once; siblings stand in any order."""
    return path.replace("/", "\0")


def matched(level: IntArray, closing: BoolArray, empty: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Elements from tags: parent, size of subtree, the tag that ends each, and an order in which siblings are together.

    Args:
        level: depth of the element of each tag, 1 for a root.
        closing: which tags only end their element.
        empty: which tags begin and end it.
    """
    # Sorted by level, an opening tag stands before the one that closes it, and siblings stand one after the other.
    by_level = np.argsort(level.astype(np.min_scalar_type(level.max())), kind="stable")
    element = np.cumsum(~closing) - 1
    closes = closing[by_level]
    ends = np.flatnonzero(closes)
    close, opened = by_level[ends], element[by_level[ends - 1]]
    opening = np.flatnonzero(~closing)
    last = opening.copy()
    last[opened] = close
    size = np.ones(len(last), dtype=np.int64)
    size[opened] = element[close] - opened + 1
    order = element[by_level[~closes]]
    first_child = ~(closing | empty)[opening - 1]  # its parent is the element before
    first_child[0] = True
    heads = np.flatnonzero(first_child[order])
    parent = np.empty(len(order), dtype=np.int64)
    parent[order] = np.repeat(order[heads] - 1, np.diff(np.append(heads, len(order))))
    return parent, size, last, order
