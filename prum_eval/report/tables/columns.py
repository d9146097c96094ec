"""Columns side by side for terminals: heads and names in several lines where they are long."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from prum_eval.report.writing import LINE_WIDTH, padded

_NARROW = 8
"""Names of measures are broken into lines of this width, at underscores."""
NAME_WIDTH = 30
"""Longer names of runs stand in several lines of a leaderboard."""
GAP = 2
"""Blanks between columns."""


@dataclass(frozen=True)
class Column:
    """Lines of the head, a cell a row, which may have several lines, the rows with the best ones, the least width."""

    head: Sequence[str]
    cells: Sequence[str]
    best: Collection[int] = ()
    least: int = 0

    @property
    def width(self) -> int:
        """That of its longest line."""
        return max(self.least, *map(len, [*self.head, *(line for cell in self.cells for line in cell.split("\n"))]))


def fits(columns: Sequence[Column]) -> bool:
    """Whether they have room in a line."""
    return sum(column.width + GAP for column in columns) - GAP <= LINE_WIDTH


def column_lines(
    columns: Sequence[Column], *, words: int = 1, bold: bool, apart: Collection[int] = ()
) -> Iterator[str]:
    """The lines of a table.

    Args:
        columns: all with as many cells.
        words: so many columns are words, to the left.
        bold: show the best values in bold.
        apart: rows before which a line is left free.
    """
    widths = [column.width for column in columns]
    tall = max(len(column.head) for column in columns)
    heads = [[""] * (tall - len(column.head)) + list(column.head) for column in columns]
    for line in zip(*heads, strict=True):
        yield padded(line, widths, words)
    yield (" " * GAP).join("-" * width for width in widths)
    for row in range(len(columns[0].cells)):
        best = [number for number, column in enumerate(columns) if row in column.best] if bold else []
        if row in apart:
            yield ""
        lines = zip_longest(*(column.cells[row].split("\n") for column in columns), fillvalue="")
        for number, line in enumerate(lines):
            yield padded(line, widths, words, bold=best if number == 0 else ())


def broken(name: str) -> list[str]:
    """The name of a measure in narrow lines.

    >>> broken("char_rec_at_size_2000"), broken("redundancy_5"), broken("P_5:quantisation=strict")
    (['char_rec', '_at_size', '_2000'], ['redundancy', '_5'], ['P_5:', 'quantisation=', 'strict'])
    """
    spaced = name.replace("_", " _").replace(":", ": ").replace("=", "= ").replace(",", ", ")
    lines: list[str] = []
    for piece in spaced.split():
        if lines and len(lines[-1] + piece) <= _NARROW:
            lines[-1] += piece
        else:
            lines.append(piece)
    return lines
