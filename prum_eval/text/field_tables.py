"""Blocks of lines as tables: where each field of each column is, without an object a field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.text.byte_fields import PADDING, Fields, Words, texts
from prum_eval.text.line_blocks import Block, Vocabulary
from prum_eval.text.numbers import decimals, integers

_LAST_BLANK, _LINE_END = b" \n"
_BLANK = np.zeros(_LAST_BLANK + 1, dtype=np.bool_)
_BLANK[list(b"\t\n\v\f\r ")] = True  # where `bytes.split` splits
_NUL = b"\x00"
_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Table:
    """Fields of whole lines: row and column say where each begins in the padded text, and its length."""

    text: bytes
    fields: Fields
    begin: IntArray
    length: IntArray

    def __len__(self) -> int:
        return len(self.begin)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        begin = int(self.begin[row, column])
        return self.text[begin : begin + int(self.length[row, column])]

    def cells(self, column: int, rows: IntArray | slice = _ALL) -> list[bytes]:
        """The fields of a column, or of some rows of it."""
        words = self.words(column, rows)
        if words is not None:
            return texts(words)
        begin, end = self.begin[rows, column], self.begin[rows, column] + self.length[rows, column]
        return [self.text[first:stop] for first, stop in zip(begin.tolist(), end.tolist(), strict=True)]

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers, None where a field is anything else."""
        numbers = self.fields.decimals(self.begin[:, column], self.length[:, column])
        return decimals(self.cells(column)) if numbers is None else numbers

    def integers(self, column: int) -> IntArray | None:
        """A column of plain integers that fit 64 bits, None where a field is anything else."""
        numbers = self.fields.numbers(self.begin[:, column], self.length[:, column])
        return integers(self.cells(column)) if numbers is None else numbers

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """Codes of a column whose equal fields stand together, as topics do: only where it changes is one looked up."""
        rows = np.flatnonzero(self.fields.changes(self.begin[:, column], self.length[:, column]))
        return np.repeat(vocabulary.codes(self.cells(column, rows)), np.diff(rows, append=len(self)))

    def same(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        length = self.length[:, column]
        if not np.array_equal(length, self.length[:, other]):
            return False
        return self.fields.equal(self.begin[:, column], self.begin[:, other], length)

    def words(self, column: int, rows: IntArray | slice = _ALL) -> Words | None:
        """Fields of a column as columns of words, None where some are long or have bytes that might be no bytes."""
        if self.text.find(_NUL, len(PADDING), -len(PADDING)) >= 0:
            return None
        return self.fields.words(self.begin[rows, column], self.length[rows, column])


def table(block: Block, width: int) -> Table | None:
    """A block whose every line has `width` fields separated by white space, None for any other block."""
    text = PADDING + block.text + PADDING
    signs = np.frombuffer(text, dtype=np.uint8)
    blanks = np.flatnonzero(signs[len(PADDING) : -len(PADDING)] <= _LAST_BLANK) + len(PADDING)
    kinds = signs[blanks]
    if not (blank := _BLANK[kinds]).all():  # other control characters are parts of fields
        blanks, kinds = blanks[blank], kinds[blank]
    line_ends = blanks[kinds == _LINE_END]
    begin = np.concatenate(([len(PADDING)], blanks[:-1] + 1))
    length = blanks - begin
    if len(blanks) != block.lines * width:  # perhaps because several blanks stand together
        begin, length = begin[length > 0], length[length > 0]
        if len(begin) != block.lines * width:
            return None
    begin, length = begin.reshape(-1, width), length.reshape(-1, width)
    last = begin[:, -1] + length[:, -1]
    if not length.all() or (last > line_ends).any() or (begin[1:, 0] < line_ends[:-1]).any():
        return None
    return Table(text, Fields(text), begin, length)


def table_of(rows: list[list[bytes]]) -> Table:
    """Rows of fields, all of one length, as a table."""
    made = table(Block(0, len(rows), b"".join(b" ".join(row) + b"\n" for row in rows)), len(rows[0]))
    if made is None:
        raise AssertionError(rows)
    return made
