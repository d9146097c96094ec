"""Blocks of structure text as arrays: document, path, start and length of every line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.text.byte_fields import PADDING, Fields
from prum_eval.text.line_blocks import Block
from prum_eval.text.numbers import LARGEST, integers

WIDTH = 4
_TAB, _LINE_END = b"\t\n"
_KINDS = np.frombuffer(b"\t\t\t\n", dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class StructureRows:
    """Lines of one element each; names and paths are where they begin and end in the padded text."""

    text: bytes
    fields: Fields
    document: IntArray
    document_end: IntArray
    path: IntArray
    path_end: IntArray
    start: IntArray
    length: IntArray

    def __len__(self) -> int:
        return len(self.start)

    def documents(self, rows: IntArray) -> list[bytes]:
        """Names of documents on some lines."""
        return _cells(self.text, self.document[rows], self.document_end[rows])

    def paths(self, rows: slice) -> list[bytes]:
        """Paths of elements."""
        return _cells(self.text, self.path[rows], self.path_end[rows])

    def begins(self) -> IntArray:
        """Lines whose document is not that of the line before; the first is one."""
        return np.flatnonzero(self.fields.changes(self.document, self.document_end - self.document))


def structure_rows(block: Block) -> StructureRows | None:
    """The lines of a block that all have four fields: a name, a path, and two numbers, 0 or more, that make an extent.

    None for any other block. Names and paths may be anything, a path even nothing.
    """
    text = PADDING + block.text + PADDING
    signs = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(signs[len(PADDING) : -len(PADDING)] <= _LINE_END) + len(PADDING)
    kinds = signs[ends]
    if not (separates := (kinds == _TAB) | (kinds == _LINE_END)).all():  # control characters are parts of names
        ends, kinds = ends[separates], kinds[separates]
    if len(ends) != block.lines * WIDTH or not (kinds.reshape(-1, WIDTH) == _KINDS).all():
        return None
    document_end, path_end, start_end, line_end = ends.reshape(-1, WIDTH).T
    document = np.concatenate(([len(PADDING)], line_end[:-1] + 1))
    fields = Fields(text)
    start, length = (
        _numbers(text, fields, begin, end) for begin, end in ((path_end + 1, start_end), (start_end + 1, line_end))
    )
    if start is None or length is None or (document == document_end).any():
        return None
    if start.min() < 0 or length.min() < 0 or (start > LARGEST - length).any():
        return None
    return StructureRows(text, fields, document, document_end, document_end + 1, path_end, start, length)


def _numbers(text: bytes, fields: Fields, begin: IntArray, end: IntArray) -> IntArray | None:
    numbers = fields.numbers(begin, end - begin)
    return integers(_cells(text, begin, end)) if numbers is None else numbers


def _cells(text: bytes, begin: IntArray, end: IntArray) -> list[bytes]:
    return [text[first:last] for first, last in zip(begin.tolist(), end.tolist(), strict=True)]
