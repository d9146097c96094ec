"""The trees of many documents as columns, so that many places are found at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat
from typing import overload

import numpy as np

from prum_eval.arrays import IntArray, NarrowArray, bounds_of, distinct, groups_of_rows, narrow, sizes_of, stretches
from prum_eval.collection.trees import DocumentTree, nest, nesting_key
from prum_eval.numerics.preorder import nesting
from prum_eval.records.run import Run
from prum_eval.records.structure import StructureDocument
from prum_eval.records.tree_columns import ColumnDocuments, TreeColumns
from prum_eval.text.document_names import FILE_ENDINGS, codes_among, document_of

_NONE = -1
_MOST_32 = 2**31 - 1
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
        if len(columns.names) * len(columns.paths) <= _MOST_32:
            keys = np.empty(len(columns.path), dtype=np.int32)
        order: NarrowArray = narrow(np.arange(len(keys)))
        cuts = np.searchsorted(bounds, np.arange(0, len(keys), _ROWS_TOGETHER), side="right") - 1
        for first, last in pairwise([*distinct(cuts).tolist(), len(bounds) - 1]):
            rows = slice(int(bounds[first]), int(bounds[last]))
            document = first + groups_of_rows(bounds[first : last + 1])
            own = document * len(columns.paths) + columns.path[rows]
            by_key = np.argsort(own)
            keys[rows], order[rows] = own[by_key], by_key + rows.start
        return order, keys


@dataclass(frozen=True, eq=False)
class NamedPlaces:
    """Where the o results of a run are in one forest, as it names them; what is looked up is kept.

    What is not found is -1.
    """

    forest: Forest
    run: Run

    @cached_property
    def _known(self) -> Mapping[str, int]:
        """Codes of the documents of the run that are there, by the names that the run has for them."""
        return codes_among(self.run.documents, self.forest.names)

    @cached_property
    def files(self) -> bool:
        """Whether the run names files of documents."""
        return any(name.endswith(FILE_ENDINGS) for name in self._known)

    @cached_property
    def numbers(self) -> IntArray:
        """Number in the forest of each document, by its name, else as the document of that file."""
        known = self._known
        found = np.full(len(self.run.documents), _NONE, dtype=np.int64)
        of_names = self.forest.numbers(list(known))
        if self.files:
            lost = [name for name, one in zip(known, of_names.tolist(), strict=True) if one < 0]
            of_names[of_names < 0] = self.forest.numbers(list(map(document_of, lost)))
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
        """The `extents_of` the rows."""
        return extents_of(self.forest, self.numbers[self.run.document], self.rows)


def extents_of(forest: Forest, documents: IntArray, rows: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
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


def forest_of(documents: Mapping[str, StructureDocument]) -> Forest:
    """The trees of a structure's documents."""
    if isinstance(documents, ColumnDocuments):
        return Forest(documents.columns)
    named = list(documents.values())
    paths, path, bounds = _coded([one.paths for one in named])
    depth = np.array([text.count("/") for text in paths], dtype=np.int64)[path]
    parent, size = nesting(depth)
    place = stretches(0, sizes_of(bounds))
    up = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + place)
    start, length = _joined([one.start for one in named]), _joined([one.length for one in named])
    bits = None
    if any(one.retrievable is not None for one in named):
        each = [np.ones(len(one.paths), np.bool_) if one.retrievable is None else one.retrievable for one in named]
        bits = np.concatenate(each)
    return Forest(TreeColumns(tuple(documents), bounds, paths, path, up, place + size, start, length, bits))


def judged_forest(documents: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> Forest:
    """Trees from what assessments tell: some elements of documents, their sizes (-1 where unknown), no positions."""
    listed, parent, end, length = [], [], [], []
    for paths, sizes in documents.values():
        order = sorted(range(len(paths)), key=lambda row: nesting_key(paths[row]))
        listed.append([paths[row] for row in order])
        nested = nest(listed[-1])
        parent.append(nested[0])
        end.append(nested[1])
        length.append([sizes[row] for row in order])
    distinct, path, bounds = _coded(listed)
    nowhere = np.full(len(path), _NONE, dtype=np.int64)
    columns = [_joined(parts) for parts in (parent, end, length)]
    return Forest(
        TreeColumns(tuple(documents), bounds, distinct, path, columns[0], columns[1], nowhere, columns[2]),
        complete=False,
    )


def _coded(paths: Sequence[Sequence[str]]) -> tuple[list[str], IntArray, IntArray]:
    """Distinct paths, the code of each path, and where each document begins and ends."""
    code: dict[str, int] = {}
    path = np.array([code.setdefault(one, len(code)) for listed in paths for one in listed], dtype=np.int64)
    return list(code), path, bounds_of(list(map(len, paths)))


def _joined(parts: Sequence[IntArray | list[int]]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
