"""Lines to columns: whole blocks of lines at once, because an object a line is what makes readers slow.

A reader takes the blocks of a stream, its columns from there, and goes through the lines of a block only where
something is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import BinaryIO, NamedTuple

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems

BLOCK = 1 << 18  # what the processor's caches hold: larger blocks make reading slower
ARRAYS = 4  # as many times as much suits readers that go by arrays, not by lists of lines
LONGEST_LINE = 1 << 24

_LINE_END = ord("\n")


class Block(NamedTuple):
    """Some whole lines of an input; the text ends with a line end."""

    first_line: int
    lines: int
    text: bytes

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """The lines without their line ends, each with its number."""
        return enumerate(self.text[:-1].split(b"\n"), self.first_line)

    def line_numbers(self) -> IntArray:
        """The numbers of the lines."""
        return np.arange(self.first_line, self.first_line + self.lines)


def line_blocks(stream: BinaryIO, name: str, problems: Problems, *, times: int = 1) -> Iterator[Block]:
    """The lines of a stream in blocks, so many times larger than `BLOCK`.

    Failures to read and lines longer than `LONGEST_LINE` are reported and end the iteration.
    """
    line = 1
    while True:
        try:
            text = stream.read(times * BLOCK)
            rest = b"" if text.endswith(b"\n") else stream.readline(LONGEST_LINE)
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
        block = Block(line, int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == _LINE_END)), text)
        yield block
        line += block.lines


class Vocabulary(defaultdict[bytes, int]):
    """Distinct names in the order in which they were met; looking a new one up gives it the next code."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

    def codes(self, cells: Sequence[bytes]) -> IntArray:
        """Code of each cell."""
        return np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))


def joined(parts: Sequence[IntArray]) -> IntArray:
    """The parts of an integer column, one after the other."""
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


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
