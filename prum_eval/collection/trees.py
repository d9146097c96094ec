"""Trees of documents as arrays in document order (pre-order), and lookup of many elements at once.

Element j lies in element i (or is it) iff ``i <= j < end[i]``, so containment is an interval test. A `DocumentTree` is
one document; a `Forest` has the elements of many documents as columns, one document after the other, and creates a tree
only on request. Numbers of documents and elements count from 0; -1 stands for something that does not exist.
"""

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
from prum_eval.text.lines import WORD_BYTES
from prum_eval.text.names import FILE_ENDINGS, NameTable, TextNames, match_documents, pack_names, strip_document_suffix

_NONE = -1
_MAX_INT32 = 2**31 - 1
_MAX_WORDS = 16  # of packed names
_ROWS_TOGETHER = 1 << 18  # elements that are sorted together


@dataclass(eq=False, repr=False)
class DocumentTree:
    """The elements of one document in document order.

    `start` and `length` count characters, -1 if unknown. A `complete` tree comes from a structure and has all elements
    with their extents; a tree from assessments has only the judged elements, ancestors before descendants, no starts.
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
        """Number of the element with a path, else with that path in another case; -1 if none."""
        number = self._exact.get(path)
        return self._folded.get(path.lower(), -1) if number is None else number

    def extent(self, first: int, last: int) -> tuple[int, int] | None:
        """Start and length from one element to the end of another; None if that is reversed."""
        start = int(self.start[first])
        length = int(self.start[last] + self.length[last]) - start
        return None if length < 0 or self.end[last] <= first else (start, length)

    def find_extent(self, start: int, length: int) -> int:
        """Number of the outermost retrievable element with exactly an extent; -1 if none."""
        return self._extents.get((start, length), -1)

    def nodes_within(self, start: int, length: int) -> list[str]:
        """Navigation names of the element with exactly an extent, else of all elements in it.

        An empty element at the start of the extent counts, one at its end does not.
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


@lru_cache(maxsize=1 << 14)  # documents share a few paths
def parent_path(path: str) -> str:
    """Path of the enclosing element; empty for a root.

    >>> parent_path("/article[1]/sec[2]")
    '/article[1]'
    """
    return path[: path.rfind("/")]


def node_name(document: str, path: str) -> str:
    """Name of an element in navigation files: ``file#path``, or just the file for its root.

    >>> node_name("a1004", "/article[1]"), node_name("a1004", "/article[1]/sec[2]")
    ('a1004', 'a1004#/article[1]/sec[2]')
    """
    return f"{document}#{path}" if path.count("/") > 1 else document


class NodeNames(Sequence[str]):
    """Names of many elements in navigation files, created on first use (few models need them).

    Element i has the path ``paths[codes[i]]`` in the document ``documents[numbers[i]]``.
    """

    def __init__(self, documents: Sequence[str], numbers: IntArray, paths: Sequence[str], codes: NarrowArray) -> None:
        self._columns = documents, numbers, paths, codes

    @cached_property
    def _all(self) -> tuple[str, ...]:
        documents, numbers, paths, codes = self._columns
        elements = zip(numbers.tolist(), codes.tolist(), strict=True)
        return tuple(node_name(documents[number], paths[code]) for number, code in elements)

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
    """Parent (nearest listed ancestor, or -1) and end of subtree of each path; descendants follow their ancestor."""
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
    """Sort key that places descendants directly after their ancestor, siblings in any order."""
    return path.replace("/", "\0")


def match_tags(level: IntArray, closing: BoolArray, empty: BoolArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Parent, size of subtree and last tag of each element, and an order that groups siblings.

    Args:
        level: depth of the element of each tag, 1 for a root.
        closing: mask of the end tags.
        empty: mask of the tags of empty elements.
    """
    # Sorted by level, a start tag directly precedes its end tag, and siblings follow each other.
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
    first_child = ~(closing | empty)[opening - 1]  # its parent is the previous element
    first_child[0] = True
    heads = np.flatnonzero(first_child[order])
    parent = np.empty(len(order), dtype=np.int64)
    parent[order] = np.repeat(order[heads] - 1, np.diff(np.append(heads, len(order))))
    return parent, size, last, order


# Many documents


class Forest(Mapping[str, DocumentTree]):
    """Trees by the name or the number of their document; elements of all documents are rows of `columns`."""

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
        """Number of a document; -1 if there is none."""
        return self._number.get(name, _NONE)

    @property
    def names(self) -> AbstractSet[str]:
        """Names of all documents."""
        return self._number.keys()

    def numbers(self, names: Sequence[str]) -> IntArray:
        """The number of each of many documents."""
        if isinstance(names, TextNames) and self._table is not None:
            return self._table.find(names.words).astype(np.int64)
        return np.fromiter(map(self._number.get, names, repeat(_NONE)), np.int64, len(names))

    def tree(self, number: int) -> DocumentTree:
        """Tree of a numbered document."""
        if number not in self._trees:
            columns = self.columns
            rows = slice(*columns.bounds[number : number + 2].tolist())
            whole = (columns.parent, columns.end, columns.start, columns.length)
            parent, end, start, length = (column[rows].astype(np.int64) for column in whole)
            mask = None if columns.retrievable is None else columns.retrievable[rows]
            paths = columns.paths_of(number)
            self._trees[number] = DocumentTree(
                columns.names[number], paths, parent, end, start, length, self.complete, mask
            )
        return self._trees[number]

    @cached_property
    def _table(self) -> NameTable | None:
        """The names by their numbers; None if one is not ASCII, or long, so that packing them takes memory."""
        longest = max(map(len, self._number), default=0) // WORD_BYTES + 1
        if longest > _MAX_WORDS or not all(map(str.isascii, self._number)):
            return None
        table = NameTable()
        table.add(pack_names(self._number, longest))
        return table

    def codes(self, paths: Sequence[str]) -> IntArray:
        """Code of each path in the columns; -1 if no document has it."""
        return np.fromiter(map(self._code.get, paths, repeat(_NONE)), np.int64, len(paths))

    def rows(self, documents: IntArray, codes: IntArray) -> IntArray:
        """Rows of the elements with the paths `codes` in numbered documents; -1 if there is none."""
        order, keys = self._keys
        if not len(keys):
            return np.full(len(codes), _NONE, dtype=np.int64)
        targets = (documents * len(self.columns.paths) + codes).astype(keys.dtype)  # another type would copy the keys
        place = np.minimum(np.searchsorted(keys, targets), len(keys) - 1)
        rows: IntArray = np.where((keys[place] == targets) & (documents >= 0) & (codes >= 0), order[place], _NONE)
        return rows

    @cached_property
    def _code(self) -> dict[str, int]:
        return {path: code for code, path in enumerate(self.columns.paths)}

    @cached_property
    def _keys(self) -> tuple[NarrowArray, NarrowArray]:
        """Rows in the order of document and path, and the sorted keys; sorted some documents at a time."""
        columns, bounds = self.columns, self.columns.bounds
        keys: NarrowArray = np.empty(len(columns.path), dtype=np.int64)
        if len(columns.names) * len(columns.paths) <= _MAX_INT32:
            keys = np.empty(len(columns.path), dtype=np.int32)
        order: NarrowArray = narrow(np.arange(len(keys)))
        cuts = np.searchsorted(bounds, np.arange(0, len(keys), _ROWS_TOGETHER), side="right") - 1
        for first, last in pairwise([*sorted_unique(cuts).tolist(), len(bounds) - 1]):
            rows = slice(int(bounds[first]), int(bounds[last]))
            document = first + group_numbers(bounds[first : last + 1])
            key = document * len(columns.paths) + columns.path[rows]
            by_key = np.argsort(key)
            keys[rows], order[rows] = key[by_key], by_key + rows.start
        return order, keys


@dataclass(eq=False, repr=False)
class RunPlaces:
    """Places of the o results of a run in a forest, cached; -1 for what does not exist."""

    forest: Forest
    run: Run

    @cached_property
    def names_files(self) -> bool:
        """Whether the run names files of documents."""
        return any(name.endswith(FILE_ENDINGS) for name in self._files)

    @cached_property
    def _files(self) -> Mapping[str, int]:
        """Codes of the documents that the run names by document or file, if it names any file; else empty."""
        names = self.run.documents
        if isinstance(names, TextNames) and not names.contain_any(FILE_ENDINGS):
            return {}
        return match_documents(names, self.forest.names)

    @cached_property
    def numbers(self) -> IntArray:
        """Number of each document in the forest, by its name or that of its file."""
        numbers = self.forest.numbers(self.run.documents)
        files = {name: code for name, code in self._files.items() if numbers[code] < 0}
        numbers[list(files.values())] = self.forest.numbers(list(map(strip_document_suffix, files)))
        return numbers

    @cached_property
    def codes(self) -> IntArray:
        """Code in the forest of each path."""
        return self.forest.codes(self.run.paths)

    @cached_property
    def rows(self) -> IntArray:
        """Row in the forest of the element that each result names exactly, shape (o,)."""
        run = self.run
        is_element = (run.first_path >= 0) & (run.first_path == run.last_path)
        results = np.flatnonzero(is_element & (self.numbers >= 0)[run.document])
        documents, codes = self.numbers[run.document[results]], self.codes[run.first_path[results]]
        order = np.argsort(documents * (len(self.forest.columns.paths) + 1) + codes)  # faster: memory locality
        rows = np.full(len(is_element), _NONE, dtype=np.int64)
        rows[results[order]] = self.forest.rows(documents[order], codes[order])
        return rows

    @cached_property
    def extents(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The `row_extents` of the rows."""
        return row_extents(self.forest, self.numbers[self.run.document], self.rows)


def row_extents(forest: Forest, documents: IntArray, rows: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Element number, end of subtree, start and length of rows of numbered documents; -1 for row -1."""
    columns, valid = forest.columns, np.flatnonzero(rows >= 0)
    row = rows[valid]
    element, end, start, length = (np.full(len(rows), -1, dtype=np.int64) for _ in range(4))
    element[valid] = row - columns.bounds[documents[valid]]
    end[valid], start[valid], length[valid] = columns.end[row], columns.start[row], columns.length[row]
    return element, end, start, length


class NumberedTrees(Sequence[DocumentTree | None]):
    """Trees of numbered documents of a forest, None for -1, created on request."""

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
    """Forest of the documents of a structure."""
    if isinstance(documents, ColumnDocuments):
        return Forest(documents.columns)
    items = list(documents.values())
    paths, path, bounds = _encode_paths([item.paths for item in items])
    depth = np.array([text.count("/") for text in paths], dtype=np.int64)[path]
    parent, size = nesting_from_depths(depth)
    place = concatenated_ranges(0, group_sizes(bounds))
    up = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + place)
    start, length = _concatenate([item.start for item in items]), _concatenate([item.length for item in items])
    mask = None
    if any(item.retrievable is not None for item in items):
        mask = np.concatenate(
            [np.ones(len(item.paths), np.bool_) if item.retrievable is None else item.retrievable for item in items]
        )
    return Forest(TreeColumns(tuple(documents), bounds, paths, path, up, place + size, start, length, mask))


def forest_from_assessments(documents: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> Forest:
    """Forest of judged elements, given as paths and sizes (-1 if unknown) per document; no positions."""
    sorted_paths, parent, end, length = [], [], [], []
    for paths, sizes in documents.values():
        order = sorted(range(len(paths)), key=lambda row: nesting_key(paths[row]))
        sorted_paths.append([paths[row] for row in order])
        parents, ends = nest_paths(sorted_paths[-1])
        parent.append(parents)
        end.append(ends)
        length.append([sizes[row] for row in order])
    distinct, path, bounds = _encode_paths(sorted_paths)
    start = np.full(len(path), _NONE, dtype=np.int64)
    columns = _concatenate(parent), _concatenate(end), start, _concatenate(length)
    return Forest(TreeColumns(tuple(documents), bounds, distinct, path, *columns), complete=False)


def _encode_paths(paths: Sequence[Sequence[str]]) -> tuple[list[str], IntArray, IntArray]:
    """Distinct paths, the code of each path, and the bounds of the documents."""
    code: dict[str, int] = {}
    path = np.array([code.setdefault(text, len(code)) for document in paths for text in document], dtype=np.int64)
    return list(code), path, group_bounds(list(map(len, paths)))


def _concatenate(parts: Sequence[IntArray | list[int]]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
