"""Trees of many documents as columns, and their packed form in an index: a row of small integers an element.

A row holds how far before it the parent stands, the size of the subtree, tag, rank, start and length. Each document has
its own layout, the number of bytes (1, 2, 4 or 8) of each of the six; documents of one layout unpack in one go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.formats.records import StructureDocument

_FIELDS = ("up", "size", "tag", "rank", "start", "length")
_WIDTHS = ("<u1", "<u2", "<u4", "<u8")
_LIMITS = (0xFF, 0xFFFF, 0xFFFFFFFF)
_TOGETHER = 1 << 12  # documents of one layout that are unpacked in one go

Row = tuple[str, int, bytes]
"""Of a packed document: name, layout, tree."""


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


def pack(trees: Trees, codes: Sequence[int]) -> list[tuple[int, bytes]]:
    """Layout and bytes of each tree; `codes` are those of the tags in the index."""
    first, counts = trees.bounds[:-1], np.diff(trees.bounds)
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
    for one in np.unique(layout).tolist():
        members = np.flatnonzero(layout == one)
        chosen = np.repeat(layout == one, counts)
        form = _form(one)
        rows = np.empty(int(counts[members].sum()), dtype=form)
        for field, column in zip(_FIELDS, columns, strict=True):
            rows[field] = column[chosen]
        text = rows.tobytes()
        ends = (np.cumsum(counts[members]) * form.itemsize).tolist()
        for member, begin, end in zip(members.tolist(), [0, *ends], ends, strict=False):
            packed[member] = (one, text[begin:end])
    return packed


def unpack(rows: Iterable[Row], tags: Sequence[str]) -> Iterator[StructureDocument]:
    """The documents of packed rows, in any order.

    Raises:
        ValueError: a tree is not what its layout says.
    """
    waiting: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        alike = waiting[row[1]]
        alike.append(row)
        if len(alike) == _TOGETHER:
            yield from _unpack_alike(alike, tags)
            alike.clear()
    for alike in waiting.values():
        if alike:
            yield from _unpack_alike(alike, tags)


def _unpack_alike(rows: list[Row], tags: Sequence[str]) -> Iterator[StructureDocument]:
    form = _form(rows[0][1])
    if any(not row[2] or len(row[2]) % form.itemsize for row in rows):
        raise ValueError("a tree does not have its layout")
    table = np.frombuffer(b"".join(row[2] for row in rows), dtype=form)
    up, size, tag, rank, start, length = (table[field].astype(np.int64) for field in _FIELDS)
    counts = np.array([len(row[2]) // form.itemsize for row in rows], dtype=np.int64)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    number = np.arange(len(table)) - np.repeat(bounds[:-1], counts)
    if (up > number).any() or tag.max() >= len(tags):
        raise ValueError("a tree does not have its layout")
    paths = _paths(up, tag, rank, tags)
    parent, end = np.where(up == 0, -1, number - up), number + size
    columns = (start, length, np.full(len(table), -1, dtype=np.int64), parent, end)
    cuts = bounds.tolist()
    for (name, _, _), begin, stop in zip(rows, cuts, cuts[1:], strict=False):
        starts, lengths, lines, parents, ends = (column[begin:stop] for column in columns)
        yield StructureDocument(name, tuple(paths[begin:stop]), starts, lengths, lines, (parents, ends))


def _paths(up: IntArray, tag: IntArray, rank: IntArray, tags: Sequence[str]) -> list[str]:
    """Paths of elements that stand one after the other; a root, 0 up, begins anew."""
    distinct, code = np.unique(tag * (int(rank.max()) + 1) + rank, return_inverse=True)
    named = zip(*(part.tolist() for part in np.divmod(distinct, int(rank.max()) + 1)), strict=True)
    steps = [f"/{tags[number]}[{position}]" for number, position in named]
    before = np.where(up == 0, 0, np.arange(1, len(up) + 1) - up).tolist()
    paths = [""]  # so that a root, too, has something before it
    add = paths.append
    for parent, step in zip(before, code.tolist(), strict=True):
        add(paths[parent] + steps[step])
    return paths[1:]


def _form(layout: int) -> np.dtype[np.void]:
    digits = [layout >> 2 * place & 3 for place in reversed(range(len(_FIELDS)))]
    return np.dtype([(field, _WIDTHS[digit]) for field, digit in zip(_FIELDS, digits, strict=True)])
