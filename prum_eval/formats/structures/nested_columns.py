"""The elements of many documents checked at once: is every one inside a parent that is listed before it?

Documents share most of their paths, so each distinct path is looked at once and has a code. A document in which
anything is unusual is left to `prum_eval.formats.structures.nesting`, element by element, which says what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from prum_eval.arrays import BoolArray, GrowingColumn, IntArray, bounds_of, groups_of_rows, sizes_of, stretches
from prum_eval.errors import Problems
from prum_eval.formats.structures.nesting import ListedElements, nested_document
from prum_eval.numerics.preorder import nesting
from prum_eval.records.structure import StructureDocument
from prum_eval.records.tree_columns import ColumnDocuments, TreeColumns
from prum_eval.text.element_paths import normal_path

_NONE = -1
_Waiting = tuple[str, Sequence[ListedElements], bool]
"""A document, the parts of its elements, and whether it lost lines."""
_COLUMNS = ("path", "parent", "end", "start", "length", "lines")


class _Codes(dict[bytes, int]):
    """The code of each path as it is written; -1 of what is no path. `paths`, `parent`, `depth`: by code.

    A parent has a lower code than its children, -1 of a root; a root has depth 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []
        self.parent, self.depth = array("q"), array("q")
        self._normal: dict[str, int] = {}

    def __missing__(self, raw: bytes) -> int:
        above, _, step = raw.rpartition(b"/")
        parent = self.get(above, _NONE)  # the rule: parents are listed first, and few steps are many paths'
        path = normal_path((raw if parent < 0 else b"/" + step).decode(errors="backslashreplace"))
        if path is None:
            code = _NONE
        else:
            code = self._code(path) if parent < 0 else self._below(parent, self.paths[parent] + path)
        self[raw] = code
        return code

    def _below(self, parent: int, path: str) -> int:
        """The code of a path whose parent has a code."""
        code = self._normal.setdefault(path, len(self.paths))
        if code == len(self.paths):
            self.paths.append(path)
            self.parent.append(parent)
            self.depth.append(self.depth[parent] + 1)
        return code

    def _code(self, path: str) -> int:
        if path not in self._normal:
            inner, parent = [path], path.rpartition("/")[0]
            while parent and parent not in self._normal:
                inner.append(parent)
                parent = parent.rpartition("/")[0]
            for one in reversed(inner):
                parent = one.rpartition("/")[0]
                above = self._normal[parent] if parent else _NONE
                self._normal[one] = len(self.paths)
                self.paths.append(one)
                self.parent.append(above)
                self.depth.append(self.depth[above] + 1 if parent else 1)
        return self._normal[path]


class NestedColumns:
    """Takes documents, and hands out what is sound in them; every problem is reported in the order of the documents."""

    def __init__(self, name: str, problems: Problems) -> None:
        self._name = name
        self._problems = problems
        self._waiting: list[_Waiting] = []
        self._codes = _Codes()
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._columns = {name: GrowingColumn() for name in _COLUMNS}
        self._odd: dict[str, StructureDocument] = {}
        self._order: list[str] = []

    def add(self, document: str, parts: Sequence[ListedElements], *, damaged: bool) -> None:
        """Take the elements of a document; of a `damaged` one, which lost lines, nothing that it may lack for that."""
        self._waiting.append((document, parts, damaged))

    def check(self) -> None:
        """Check what was taken since the last check, and report."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        listed = [part for _, parts, _ in waiting for part in parts]
        codes, count = self._codes, sum(len(part[0]) for part in listed)
        path = np.fromiter(map(codes.__getitem__, chain.from_iterable(part[0] for part in listed)), np.int64, count)
        start, length, lines = (np.concatenate([part[column] for part in listed]) for column in (1, 2, 3))
        bounds = bounds_of([sum(len(part[0]) for part in parts) for _, parts, _ in waiting])
        whole = _all_of(self._may_be_placed(path, bounds), bounds)
        path, start, length, lines = (column[whole[groups_of_rows(bounds)]] for column in (path, start, length, lines))
        kept = bounds_of(sizes_of(bounds)[whole])
        parent, size, placed = self._placed(path, start, start + length)
        sound = whole.copy()
        sound[whole] = _all_of(placed, kept)
        for (document, parts, damaged), good in zip(waiting, sound.tolist(), strict=True):
            self._order.append(document)
            if good:
                self._names.append(document)
            else:
                self._odd[document] = nested_document(document, parts, self._name, self._problems, damaged=damaged)
        self._sizes += sizes_of(bounds)[sound].tolist()
        rows = sound[whole][groups_of_rows(kept)]
        place = stretches(0, sizes_of(kept))
        up = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + place)
        for name, column in zip(_COLUMNS, (path, up, place + size, start, length, lines), strict=True):
            self._columns[name].add(column[rows])

    def documents(self) -> Mapping[str, StructureDocument]:
        """All documents that were taken, in that order."""
        self.check()
        path, parent, end, start, length, lines = (self._columns[name].whole() for name in _COLUMNS)
        columns = TreeColumns(
            tuple(self._names), bounds_of(self._sizes), self._codes.paths, path, parent, end, start, length, lines=lines
        )
        found = ColumnDocuments(columns)
        if not self._odd:
            return found
        return {name: self._odd[name] if name in self._odd else found[name] for name in self._order}

    def _may_be_placed(self, path: IntArray, bounds: IntArray) -> BoolArray:
        """Whether each element is the root and first, or is at most one level below the one before, and is new."""
        coded = path >= 0
        if not coded.any():
            return coded
        depth = np.frombuffer(self._codes.depth, np.int64)[path]
        first = np.zeros(len(path), dtype=np.bool_)
        first[bounds[:-1]] = True
        below = np.append(False, depth[1:] <= depth[:-1] + 1)
        listed: BoolArray = coded & np.where(first, depth == 1, (depth > 1) & below)
        return listed & _first_of_its_kind(path, groups_of_rows(bounds), len(self._codes.paths))

    def _placed(self, path: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Row of the parent, -1 of a root, size of the subtree, and whether the element is in the parent of its path.

        The last element one level up has to be that parent, and its extent to hold the element's.
        """
        if not len(path):
            return path, path, np.zeros(0, dtype=np.bool_)
        parent, size = nesting(np.frombuffer(self._codes.depth, np.int64)[path])
        above = np.frombuffer(self._codes.parent, np.int64)[path]
        inside = (path[parent] == above) & (start >= start[parent]) & (end <= end[parent])
        return parent, size, inside | (parent < 0)


def _first_of_its_kind(path: IntArray, document: IntArray, paths: int) -> BoolArray:
    """Whether no element before has the same document and path."""
    key = document * (paths + 1) + path
    order = np.argsort(key, kind="stable")
    found = np.ones(len(path), dtype=np.bool_)
    found[order[1:]] = key[order[1:]] != key[order[:-1]]
    return found


def _all_of(flags: BoolArray, bounds: IntArray) -> BoolArray:
    """Whether all flags of each document are set; every document has some."""
    found: BoolArray = np.logical_and.reduceat(flags, bounds[:-1]) if len(flags) else flags
    return found
