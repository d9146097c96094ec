"""Structure text as a table: document, path, start and length of every line."""

from __future__ import annotations

from prum_eval.arrays import IntArray
from prum_eval.text.fast_lines import FastTable
from prum_eval.text.lines import PlainTable
from prum_eval.text.numbers import LARGEST

COLUMNS_A_LINE = 4
DOCUMENT, PATH, START, LENGTH = range(COLUMNS_A_LINE)


def extents(table: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths of the elements; None where a pair is not two numbers, 0 or more, that make an extent."""
    start, length = table.integers(START), table.integers(LENGTH)
    if start is None or length is None or start.min() < 0 or length.min() < 0 or (start > LARGEST - length).any():
        return None
    return start, length
