"""Trees of many documents as columns, and their packed form in an index: a row of small integers an element.

A row holds how far before it the parent stands, the size of the subtree, tag, rank, start and length. Each document has
its own layout, the number of bytes (1, 2, 4 or 8) of each of the six; documents of one layout unpack in one go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, GrowingColumn, IntArray, sizes_of
from prum_eval.records.tree_columns import TreeColumns

_FIELDS = ("up", "size", "tag", "rank", "start", "length")
_WIDTHS = ("<u1", "<u2", "<u4", "<u8")
_LIMITS = (0xFF, 0xFFFF, 0xFFFFFFFF)
_COLUMNS = ("path", "parent", "end", "start", "length")
"""Of the elements, as `TreeColumns` calls them."""
_BYTES_TOGETHER = 1 << 20
"""About so many bytes are unpacked together: some memory for a quarter of a million elements, not for all."""
_DAMAGED = "a tree does not have its layout"

PackedRow = tuple[str, Any, Any, Any]
"""Of a packed document: name, layout, tree, and a bit an element for those that are retrievable (None: all are)."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Complete trees, one after the other; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns."""

    names: tuple[str, ...]
    lines: IntArray  # where each document begins in the source, -1 where it is a file of its own
    bounds: IntArray
    tags: tuple[str, ...]
    tag: IntArray  # codes of `tags`
    rank: IntArray  # position among the siblings of that tag, from 1
    parent: IntArray  # number in its document, -1 for the root
    size: IntArray  # elements of the subtree, itself included
    start: IntArray
    length: IntArray
    retrievable: BoolArray | None = field(default=None, kw_only=True)  # elements that a system may return; None: all


def pack_trees(trees: Trees, codes: Sequence[int]) -> list[tuple[int, bytes]]:
    """Layout and bytes of each tree; `codes` are those of the tags in the index."""
    first, counts = trees.bounds[:-1], sizes_of(trees.bounds)
    number = np.arange(len(trees.tag)) - np.repeat(first, counts)
    columns = (
        np.where(trees.parent < 0, 0, number - trees.parent),
        trees.size,
        np.array(codes, dtype=np.int64)[trees.tag],
        trees.rank,
        trees.start,
        trees.length,
    )
    layout = np.zeros(len(counts), dtype=np.int64)
    for column in columns:
        layout = layout * 4 + np.searchsorted(_LIMITS, np.maximum.reduceat(column, first))
    packed: list[tuple[int, bytes]] = [(0, b"")] * len(counts)
    for one in sorted(set(layout.tolist())):  # numpy.unique would import much that nothing else needs
        members = np.flatnonzero(layout == one)
        chosen = np.flatnonzero(np.repeat(layout == one, counts))
        form = _form(one)
        rows = np.empty(len(chosen), dtype=form)
        for name, column in zip(_FIELDS, columns, strict=True):
            rows[name] = column[chosen]
        text = rows.tobytes()
        ends = (np.cumsum(counts[members]) * form.itemsize).tolist()
        for member, begin, end in zip(members.tolist(), [0, *ends], ends, strict=False):
            packed[member] = (one, text[begin:end])
    return packed


def pack_retrievable(trees: Trees) -> list[bytes | None]:
    """Of each tree a bit an element that is retrievable; None where all are."""
    if trees.retrievable is None:
        return [None] * len(trees.names)
    each = np.split(trees.retrievable, trees.bounds[1:-1])
    return [None if one.all() else np.packbits(one).tobytes() for one in each]


def unpack_trees(rows: Iterable[PackedRow], tags: Sequence[str]) -> TreeColumns:
    """The documents of packed rows, of some at a time those of one layout together.

    Raises:
        ValueError: a tree is not what its layout says.
    """
    names, bits, sizes = list[str](), list[bytes | None](), [0]
    grown, paths = {name: GrowingColumn() for name in _COLUMNS}, _Paths(tags)
    for some in _together(rows):
        for same in _alike(some):
            counts, table = _table(same)
            for name, column in zip(_COLUMNS, _unpacked(counts, table, paths), strict=True):
                grown[name].add(column)
            names += [row[0] for row in same]
            bits += [row[3] for row in same]
            sizes += counts.tolist()
    found = {name: grown[name].whole() for name in _COLUMNS}
    retrievable = _unpack_retrievable(bits, sizes[1:])
    return TreeColumns(tuple(names), np.cumsum(sizes), paths.all, **found, retrievable=retrievable)


def _together(rows: Iterable[PackedRow]) -> Iterator[list[PackedRow]]:
    """The rows in lists of about as many bytes as are unpacked together."""
    some, size = list[PackedRow](), 0
    for row in rows:
        some.append(row)
        size += len(row[2]) if isinstance(row[2], bytes) else 0
        if size >= _BYTES_TOGETHER:
            yield some
            some, size = [], 0
    if some:
        yield some


def _alike(rows: Sequence[PackedRow]) -> Iterable[list[PackedRow]]:
    """The rows of each layout."""
    found: dict[int, list[PackedRow]] = defaultdict(list)
    for row in rows:
        found[row[1]].append(row)
    return found.values()


def _unpacked(counts: IntArray, table: NDArray[np.void], paths: _Paths) -> tuple[IntArray, ...]:
    """The `_COLUMNS` of trees of one layout."""
    up, size, tag, rank, start, length = (table[field].astype(np.int64) for field in _FIELDS)
    place = np.arange(len(up))
    first = np.cumsum(counts) - counts
    number = place - np.repeat(first, counts)
    if (
        min(column.min(initial=0) for column in (up, size, tag, rank, start, length)) < 0  # more than 63 bits
        or (up > number).any()
        or ((up == 0) != (number == 0)).any()
        or tag.max(initial=-1) >= len(paths.tags)
        or (size > len(up) - place).any()
    ):
        raise ValueError(_DAMAGED)
    ended = np.cumsum(np.bincount(place + size, minlength=len(up) + 1))[:-1]
    level = place - ended  # elements that have begun before, and not ended
    if ((level != level[place - up] + 1) & (up > 0)).any() or level[first].any():
        raise ValueError(_DAMAGED)
    return paths.coded(up, level, tag, rank), np.where(up == 0, -1, number - up), number + size, start, length


def _unpack_retrievable(packed: Sequence[bytes | None], counts: Sequence[int]) -> BoolArray | None:
    if all(bits is None for bits in packed):
        return None
    parts = [
        np.ones(count, np.bool_) if bits is None else np.unpackbits(np.frombuffer(bits, np.uint8), count=count) > 0
        for bits, count in zip(packed, counts, strict=True)
    ]
    return np.concatenate(parts)


def _table(rows: list[PackedRow]) -> tuple[IntArray, NDArray[np.void]]:
    """Numbers of elements, and the elements, of trees of one layout."""
    layout = rows[0][1]
    if not isinstance(layout, int):
        raise ValueError(_DAMAGED)  # noqa: TRY004 -- of bad data, not of a bad call
    form = _form(layout)
    trees = [row[2] for row in rows]
    if set(map(type, trees)) != {bytes}:
        raise ValueError(_DAMAGED)
    counts, rest = np.divmod(np.array(list(map(len, trees)), dtype=np.int64), form.itemsize)
    if rest.any() or not counts.all():
        raise ValueError(_DAMAGED)
    return counts, np.frombuffer(b"".join(trees), dtype=form)


class _Paths:
    """Distinct paths, each with a code: few paths are many elements'."""

    def __init__(self, tags: Sequence[str]) -> None:
        self.tags = tags
        self.all: list[str] = []
        self._code: dict[tuple[int, int, int], int] = {}

    def coded(self, up: IntArray, level: IntArray, tag: IntArray, rank: IntArray) -> IntArray:
        """The code of the path of each element of some trees; a root, 0 up and of level 0, begins anew.

        Level by level, because a path is the parent's path and a step.
        """
        largest = int(rank.max(initial=0))
        ranks = np.arange(min(largest, len(rank)) + 1)  # not more than need be: the keys below are products
        if largest > len(rank):
            ranks, rank = np.unique(rank, return_inverse=True)
        width = len(self.tags) * len(ranks)
        step = tag * len(ranks) + rank
        code = np.zeros(len(up), dtype=np.int64)  # plus 1, so that a root, too, has something before it
        order = np.argsort(level.astype(np.min_scalar_type(int(level.max(initial=0)))), kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(level))[:-1]):
            distinct, place = np.unique(code[rows - up[rows]] * width + step[rows], return_inverse=True)
            before, last = np.divmod(distinct, width)
            name, position = np.divmod(last, len(ranks))
            steps = list(zip(before.tolist(), name.tolist(), ranks[position].tolist(), strict=True))
            code[rows] = np.array(self._of(steps), dtype=np.int64)[place] + 1
        return code - 1

    def _of(self, steps: list[tuple[int, int, int]]) -> list[int]:
        """The code of each path from that of its parent, plus 1, tag and rank."""
        for before, tag, rank in [step for step in steps if step not in self._code]:
            self._code[before, tag, rank] = len(self.all)
            self.all.append(f"{self.all[before - 1] if before else ''}/{self.tags[tag]}[{rank}]")
        return [self._code[step] for step in steps]


def _form(layout: int) -> np.dtype[np.void]:
    digits = [layout >> 2 * place & 3 for place in reversed(range(len(_FIELDS)))]
    return np.dtype([(field, _WIDTHS[digit]) for field, digit in zip(_FIELDS, digits, strict=True)])
