"""Inputs that are nearly right: what a target begins with, changed here and there."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, seeds_of

Edit = tuple[int, float, float, bytes]
"""What to do, where (a share of the length), how far (likewise), and with which word."""


def _replace(data: bytes, begin: int, end: int, word: bytes) -> bytes:
    return data[:begin] + word + data[end:]


def _flip(data: bytes, begin: int, _end: int, word: bytes) -> bytes:
    return data[:begin] + bytes([data[begin] ^ 1 << len(word) % 8]) + data[begin + 1 :] if begin < len(data) else data


def _set(data: bytes, begin: int, _end: int, word: bytes) -> bytes:
    return data[:begin] + word + data[begin + len(word) :]


def _repeat(data: bytes, begin: int, end: int, _word: bytes) -> bytes:
    return data[:end] + data[begin:end] + data[end:]


def _line(data: bytes, begin: int, _end: int, word: bytes) -> bytes:
    """A cell of a line, or of markup, is exchanged."""
    low = max(data.rfind(sign, 0, begin) for sign in (b" ", b"\t", b"\n", b"'", b'"', b">", b":")) + 1
    high = min(
        (at for sign in (b" ", b"\t", b"\n", b"'", b'"', b"<", b",") if (at := data.find(sign, begin)) >= 0),
        default=begin,
    )
    return data[:low] + word + data[max(low, high) :]


EDITS: tuple[Callable[[bytes, int, int, bytes], bytes], ...] = (
    _line,
    lambda data, begin, _end, word: _replace(data, begin, begin, word),
    lambda data, begin, end, _word: _replace(data, begin, end, b""),
    _flip,
    _set,
    _repeat,
    lambda data, begin, _end, _word: data[:begin],
    _replace,
    lambda data, _begin, _end, word: (data + word) * 2,
    lambda data, _begin, _end, _word: gzip.compress(data[: 1 << 16], 1),
)


def mutated(seed: bytes, edits: list[Edit]) -> bytes:
    """A seed after some edits."""
    data = seed
    for kind, where, far, word in edits:
        begin = round(where * len(data))
        end = min(len(data), begin + round(far**4 * len(data)))
        data = EDITS[kind](data, begin, end, word)[: 1 << 18]
    return data


def inputs(name: str) -> st.SearchStrategy[bytes]:
    """Inputs of a target."""
    if (draw := TARGETS[name].inputs) is not None:
        return draw()
    share = st.floats(0, 1)
    words = st.sampled_from(TARGETS[name].words) | st.binary(max_size=4)
    edits = st.lists(st.tuples(st.sampled_from(range(len(EDITS))), share, share, words), max_size=6)
    return st.builds(mutated, st.sampled_from(list(seeds_of(name))), edits)
