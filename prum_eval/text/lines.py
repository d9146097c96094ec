"""Lines: blocks of them with their numbers, and their fields as Python splits them.

A reader takes the blocks of a stream, of each its columns at once (`fast_lines.fast_table`), and goes through the
lines of a block only where something is wrong; the lines that are good it then takes as a `PlainTable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO, NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.text.numbers import decimals, integers

BLOCK_BYTES = 1 << 20  # what the processor's caches hold: larger blocks make reading slower
LONGEST_LINE = 1 << 24

_LINE_END = ord("\n")


class LineBlock(NamedTuple):
    """Some whole lines of an input; the text ends with a line end."""

    first_line: int
    lines: int
    text: bytes

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """The lines without their line ends, each with its number."""
        return enumerate(self.text[:-1].split(b"\n"), self.first_line)


def line_blocks(stream: BinaryIO, name: str, problems: Problems) -> Iterator[LineBlock]:
    """The lines of a stream in blocks of about `BLOCK_BYTES`; many blank lines may come as one.

    Failures to read and lines longer than `LONGEST_LINE` are reported and end the iteration.
    """
    line = 1
    while True:
        try:
            text = stream.read(BLOCK_BYTES)
            final = len(text) < BLOCK_BYTES
            rest = b"" if final or text.endswith(b"\n") else stream.readline(LONGEST_LINE)
        except InputError as problem:
            problems(problem)
            return
        if not text:
            return
        if len(rest) == LONGEST_LINE:
            problems(InputError(name, line + text.count(b"\n"), f"a line longer than {LONGEST_LINE} bytes"))
            return
        text += rest
        if not text.endswith(b"\n"):
            text += b"\n"
        lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == _LINE_END))
        # Of a block of nothing but blank lines the first says it all: files may have gigabytes of them.
        yield LineBlock(line, 1, b"\n") if text.isspace() else LineBlock(line, lines, text)
        if final:
            return
        line += lines


class BlankLines:
    """Blank lines of an input in which only the last lines may be blank: those before others are reported."""

    def __init__(self, name: str, problems: Problems, wanted: str) -> None:
        self._name = name
        self._problems = problems
        self._wanted = wanted
        self.pending = 0  # number of the first blank line since the last line with content, 0 for none

    def skip(self, line: int, text: bytes) -> bool:
        """Whether the line is blank; a line with content makes an earlier blank one a problem."""
        if not text or text.isspace():
            self.pending = self.pending or line
            return True
        if self.pending:
            problem = InputError(self._name, self.pending, f"a blank line, expected {self._wanted}")
            self.pending = 0
            self._problems(problem)
        return False


class Vocabulary(defaultdict[bytes, int]):
    """Distinct names in the order in which they were met; looking a new one up gives it the next code."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

    def codes(self, cells: Sequence[bytes]) -> IntArray:
        """Code of each cell."""
        return np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))


@dataclass(frozen=True, slots=True)
class PlainTable:
    """The fields of some lines, all equally many: slow, and what `fast_lines.FastTable` has to agree with."""

    rows: Sequence[Sequence[bytes]]
    lines: IntArray  # their numbers

    def __len__(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        return self.rows[row][column]

    def cells(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """The fields of a column, or of some rows of it."""
        return [self.rows[row][column] for row in np.arange(len(self.rows))[rows].tolist()]

    def named(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """Fields of a column that are names."""
        return self.cells(column, rows)

    def integers(self, column: int) -> IntArray | None:
        """A column of plain integers that fit 64 bits, None where a field is anything else."""
        return integers(self.cells(column))

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers, None where a field is anything else."""
        return decimals(self.cells(column))

    def changes(self, column: int) -> IntArray:
        """Rows where a column is not what it is in the row before; the first is one."""
        cells = self.cells(column)
        return np.flatnonzero([True, *map(bytes.__ne__, cells, cells[1:])])

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """The code of each field of a column."""
        return vocabulary.codes(self.cells(column))

    def same(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        return self.cells(column) == self.cells(other)
