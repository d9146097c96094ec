"""A document as arrays in pre-order, where "contains" is an interval test; trees from paths, depths and tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from typing import overload

import numpy as np

from prum_eval.arrays import (
    BoolArray,
    IntArray,
    NarrowArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    group_sizes,
    narrow,
    sorted_unique,
)
from prum_eval.numerics.intervals import nesting_from_depths
from prum_eval.records import ColumnDocuments, Run, StructureDocument, TreeColumns
from prum_eval.text.names import FILE_ENDINGS, match_documents, strip_document_suffix


@dataclass(eq=False, repr=False)
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

    def is_retrievable(self, element: int) -> bool:
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
            if self.is_retrievable(number):
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


def nest_paths(paths: Sequence[str]) -> tuple[list[int], list[int]]:
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


def match_tags(level: IntArray, closing: BoolArray, empty: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
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


# The trees of many documents as columns, so that many places are found at once.


_NONE = -1
_MAX_INT32 = 2**31 - 1
_ROWS_TOGETHER = 1 << 18
"""So many elements are put in order together."""


class Forest(Mapping[str, DocumentTree]):
    """Trees by name, and by the number of their document; a tree is made only when it is asked for.

    `complete` is that of all trees. Elements of all documents, one after the other, are rows of `columns`.
    """

    def __init__(self, columns: TreeColumns, *, complete: bool = True) -> None:
        self.columns = columns
        self.complete = complete
        self._number = {name: number for number, name in enumerate(columns.names)}
        self._trees: dict[int, DocumentTree] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __getitem__(self, name: str) -> DocumentTree:
        return self.tree(self._number[name])

    def number(self, name: str) -> int:
        """Number of a document; -1 where it is not there."""
        return self._number.get(name, _NONE)

    @property
    def names(self) -> AbstractSet[str]:
        """Names of all documents."""
        return self._number.keys()

    def numbers(self, names: Sequence[str]) -> IntArray:
        """The number of each of many documents."""
        return np.fromiter(map(self._number.get, names, repeat(_NONE)), np.int64, len(names))

    def tree(self, number: int) -> DocumentTree:
        """Tree of a numbered document."""
        if number not in self._trees:
            columns = self.columns
            rows = slice(*columns.bounds[number : number + 2].tolist())
            kept = (columns.parent, columns.end, columns.start, columns.length)
            parent, end, start, length = (column[rows].astype(np.int64) for column in kept)
            bits = None if columns.retrievable is None else columns.retrievable[rows]
            paths = columns.paths_of(number)
            self._trees[number] = DocumentTree(
                columns.names[number], paths, parent, end, start, length, self.complete, bits
            )
        return self._trees[number]

    def codes(self, paths: Sequence[str]) -> IntArray:
        """Code of each path in the columns; -1 where no document has it."""
        code = self._code
        return np.array([code.get(path, _NONE) for path in paths], dtype=np.int64)

    def rows(self, documents: IntArray, codes: IntArray) -> IntArray:
        """Rows of the elements of numbered documents with these paths, written just so; -1 where there is none."""
        order, keys = self._keys
        if not len(keys):
            return np.full(len(codes), _NONE, dtype=np.int64)
        wanted = (documents * len(self.columns.paths) + codes).astype(keys.dtype)  # of another type it would copy them
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found: IntArray = np.where((keys[place] == wanted) & (documents >= 0) & (codes >= 0), order[place], _NONE)
        return found

    @cached_property
    def _code(self) -> dict[str, int]:
        return {path: code for code, path in enumerate(self.columns.paths)}

    @cached_property
    def _keys(self) -> tuple[NarrowArray, NarrowArray]:
        """Rows ordered by document and path, and what they are ordered by; some documents at a time."""
        columns, bounds = self.columns, self.columns.bounds
        keys: NarrowArray = np.empty(len(columns.path), dtype=np.int64)
        if len(columns.names) * len(columns.paths) <= _MAX_INT32:
            keys = np.empty(len(columns.path), dtype=np.int32)
        order: NarrowArray = narrow(np.arange(len(keys)))
        cuts = np.searchsorted(bounds, np.arange(0, len(keys), _ROWS_TOGETHER), side="right") - 1
        for first, last in pairwise([*sorted_unique(cuts).tolist(), len(bounds) - 1]):
            rows = slice(int(bounds[first]), int(bounds[last]))
            document = first + group_numbers(bounds[first : last + 1])
            own = document * len(columns.paths) + columns.path[rows]
            by_key = np.argsort(own)
            keys[rows], order[rows] = own[by_key], by_key + rows.start
        return order, keys


@dataclass(eq=False, repr=False)
class RunPlaces:
    """Where the o results of a run are in one forest, as it names them; what is looked up is kept.

    What is not found is -1.
    """

    forest: Forest
    run: Run

    @cached_property
    def _document_codes(self) -> Mapping[str, int]:
        """Codes of the documents of the run that are there, by the names that the run has for them."""
        return match_documents(self.run.documents, self.forest.names)

    @cached_property
    def names_files(self) -> bool:
        """Whether the run names files of documents."""
        return any(name.endswith(FILE_ENDINGS) for name in self._document_codes)

    @cached_property
    def numbers(self) -> IntArray:
        """Number in the forest of each document, by its name, else as the document of that file."""
        known = self._document_codes
        found = np.full(len(self.run.documents), _NONE, dtype=np.int64)
        of_names = self.forest.numbers(list(known))
        if self.names_files:
            lost = [name for name, one in zip(known, of_names.tolist(), strict=True) if one < 0]
            of_names[of_names < 0] = self.forest.numbers(list(map(strip_document_suffix, lost)))
        found[list(known.values())] = of_names
        return found

    @cached_property
    def codes(self) -> IntArray:
        """Code in the forest of each path."""
        return self.forest.codes(self.run.paths)

    @cached_property
    def rows(self) -> IntArray:
        """Row in the forest of the element that each result names, shape (o,), if it is written there just so."""
        run = self.run
        one = (run.first_path >= 0) & (run.first_path == run.last_path)
        named = np.flatnonzero(one & (self.numbers >= 0)[run.document])
        documents, codes = self.numbers[run.document[named]], self.codes[run.first_path[named]]
        order = np.argsort(documents * (len(self.forest.columns.paths) + 1) + codes)  # what is near is found together
        found = np.full(len(one), _NONE, dtype=np.int64)
        found[named[order]] = self.forest.rows(documents[order], codes[order])
        return found

    @cached_property
    def extents(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The `row_extents` the rows."""
        return row_extents(self.forest, self.numbers[self.run.document], self.rows)


def row_extents(forest: Forest, documents: IntArray, rows: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Of rows of numbered documents the number in the document, the end of the subtree, start and length; -1 of -1."""
    columns, there = forest.columns, np.flatnonzero(rows >= 0)
    found = rows[there]
    element, end, start, length = (np.full(len(rows), -1, dtype=np.int64) for _ in range(4))
    element[there] = found - columns.bounds[documents[there]]
    end[there], start[there], length[there] = columns.end[found], columns.start[found], columns.length[found]
    return element, end, start, length


class NumberedTrees(Sequence[DocumentTree | None]):
    """Trees of some documents of a forest by their numbers, None for -1; made when they are asked for."""

    def __init__(self, forest: Forest | None, numbers: IntArray) -> None:
        self._forest = forest
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> DocumentTree | None: ...
    @overload
    def __getitem__(self, place: slice) -> NumberedTrees: ...
    def __getitem__(self, place: int | slice) -> DocumentTree | NumberedTrees | None:
        if isinstance(place, slice):
            return NumberedTrees(self._forest, self._numbers[place])
        number = int(self._numbers[place])
        return self._forest.tree(number) if self._forest is not None and number >= 0 else None


def make_forest(documents: Mapping[str, StructureDocument]) -> Forest:
    """The trees of a structure's documents."""
    if isinstance(documents, ColumnDocuments):
        return Forest(documents.columns)
    named = list(documents.values())
    paths, path, bounds = _encode_paths([one.paths for one in named])
    depth = np.array([text.count("/") for text in paths], dtype=np.int64)[path]
    parent, size = nesting_from_depths(depth)
    place = concatenated_ranges(0, group_sizes(bounds))
    up = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + place)
    start, length = _concatenate([one.start for one in named]), _concatenate([one.length for one in named])
    bits = None
    if any(one.retrievable is not None for one in named):
        each = [np.ones(len(one.paths), np.bool_) if one.retrievable is None else one.retrievable for one in named]
        bits = np.concatenate(each)
    return Forest(TreeColumns(tuple(documents), bounds, paths, path, up, place + size, start, length, bits))


def forest_from_assessments(documents: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> Forest:
    """Trees from what assessments tell: some elements of documents, their sizes (-1 where unknown), no positions."""
    listed, parent, end, length = [], [], [], []
    for paths, sizes in documents.values():
        order = sorted(range(len(paths)), key=lambda row: nesting_key(paths[row]))
        listed.append([paths[row] for row in order])
        nested = nest_paths(listed[-1])
        parent.append(nested[0])
        end.append(nested[1])
        length.append([sizes[row] for row in order])
    distinct, path, bounds = _encode_paths(listed)
    nowhere = np.full(len(path), _NONE, dtype=np.int64)
    columns = [_concatenate(parts) for parts in (parent, end, length)]
    return Forest(
        TreeColumns(tuple(documents), bounds, distinct, path, columns[0], columns[1], nowhere, columns[2]),
        complete=False,
    )


def _encode_paths(paths: Sequence[Sequence[str]]) -> tuple[list[str], IntArray, IntArray]:
    """Distinct paths, the code of each path, and where each document begins and ends."""
    code: dict[str, int] = {}
    path = np.array([code.setdefault(one, len(code)) for listed in paths for one in listed], dtype=np.int64)
    return list(code), path, group_bounds(list(map(len, paths)))


def _concatenate(parts: Sequence[IntArray | list[int]]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
