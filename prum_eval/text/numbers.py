"""Numbers from text: plain ASCII only, whereas Python accepts ``1_000``, ``nan``, blanks and more."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from prum_eval.arrays import FloatArray, IntArray

MAX_INT64 = 2**63 - 1
FIRST_INEXACT_INTEGER = 2**53
"""From here on a double does not represent every integer."""
MAX_OFFSET = 1 << 40
"""Largest magnitude of offsets and lengths; keeps sums and products exact."""
PAST_MAX_OFFSET = f"past the largest offset, {MAX_OFFSET}"
"""For messages about extents that end after `MAX_OFFSET`."""

_INTEGER = re.compile(rb"[+-]?[0-9]+")
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER_BYTES = b"0123456789+-"
_DECIMAL_BYTES = b"0123456789+-.eE"
_MAX_QUOTED = 80


def parse_integers(cells: Sequence[bytes]) -> IntArray | None:
    """A column of plain 64-bit integers; None if a cell is anything else."""
    if b"".join(cells).translate(None, _INTEGER_BYTES):
        return None
    try:
        return np.fromiter(map(int, cells), dtype=np.int64, count=len(cells))
    except (ValueError, OverflowError):
        return None


def parse_decimals(cells: Sequence[bytes]) -> FloatArray | None:
    """A column of plain, finite decimal numbers; None if a cell is anything else."""
    if b"".join(cells).translate(None, _DECIMAL_BYTES):
        return None
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


@lru_cache(maxsize=1 << 14)  # XML runs repeat the same ranks in every topic
def parse_integer(text: bytes) -> int | None:
    """A plain 64-bit integer; None for any other text."""
    if not _INTEGER.fullmatch(text):
        return None
    try:
        number = int(text)
    except ValueError:  # too many digits for Python
        return None
    return number if -MAX_INT64 - 1 <= number <= MAX_INT64 else None


def parse_decimal(text: bytes) -> float | None:
    """A plain, finite decimal number; None for any other text."""
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def quote_value(value: bytes | str) -> str:
    """The value in quotes for messages: shortened, with unprintable characters written out."""
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    if len(text) > _MAX_QUOTED:
        text = text[:_MAX_QUOTED] + "..."
    return "'" + "".join(char if char.isprintable() else repr(char)[1:-1] for char in text) + "'"


def expected_message(field: str, expected: str, value: bytes | str) -> str:
    """Message of all readers about a bad value."""
    return f"{field}: expected {expected}, found {quote_value(value)}"
