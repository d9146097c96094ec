"""Text to numbers: plain ASCII numbers only, where Python would also take ``1_000``, ``nan``, blanks and more."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from prum_eval.arrays import FloatArray, IntArray

MAX_INT64 = 2**63 - 1
MAX_OFFSET = 1 << 40
"""The largest magnitude of offsets and lengths: sums and products of some are exact, and no document is longer."""
PAST_MAX_OFFSET = f"past the largest offset, {MAX_OFFSET}"
"""What messages say of an extent that ends there."""

_INTEGER = re.compile(rb"[+-]?[0-9]+")
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER_BYTES = b"0123456789+-"
_DECIMAL_BYTES = b"0123456789+-.eE"
_MAX_QUOTED = 80


def parse_integers(cells: Sequence[bytes]) -> IntArray | None:
    """A column of plain integers that fit 64 bits, None where a cell is anything else."""
    if b"".join(cells).translate(None, _INTEGER_BYTES):
        return None
    try:
        return np.fromiter(map(int, cells), dtype=np.int64, count=len(cells))
    except (ValueError, OverflowError):
        return None


def parse_decimals(cells: Sequence[bytes]) -> FloatArray | None:
    """A column of plain, finite decimal numbers, None where a cell is anything else."""
    if b"".join(cells).translate(None, _DECIMAL_BYTES):
        return None
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


@lru_cache(maxsize=1 << 14)  # runs in XML have the same ranks in every topic
def parse_integer(text: bytes) -> int | None:
    """A plain integer that fits 64 bits, None for any other text."""
    if not _INTEGER.fullmatch(text):
        return None
    try:
        number = int(text)
    except ValueError:  # more digits than Python converts
        return None
    return number if -MAX_INT64 - 1 <= number <= MAX_INT64 else None


def parse_decimal(text: bytes) -> float | None:
    """A plain, finite decimal number, None for any other text."""
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def quote_value(value: bytes | str) -> str:
    """A value as messages quote it: cut where it is long, unprintable characters written out."""
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    if len(text) > _MAX_QUOTED:
        text = text[:_MAX_QUOTED] + "..."
    return "'" + "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text) + "'"


def expected_message(field: str, what: str, found: bytes | str) -> str:
    """The reason of a bad value, in the one form that all readers use."""
    return f"{field}: expected {what}, found {quote_value(found)}"
