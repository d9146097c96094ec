"""A column of names to codes: by sorting it at the end, many times faster than a look-up a line."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.text.byte_fields import Words, texts
from prum_eval.text.field_tables import Table
from prum_eval.text.line_blocks import Vocabulary, joined

_MIXER = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class NameColumn:
    """Collects a column table by table; a long name makes it look up all of them, one by one."""

    def __init__(self) -> None:
        self._words: list[Words] = []
        self._vocabulary = Vocabulary()
        self._codes: list[IntArray] = []

    def add(self, table: Table, column: int) -> None:
        """Take a column of a table."""
        words = table.words(column) if not self._codes else None
        if words is not None:
            self._words.append(words)
            return
        self._look_up_words()
        self._codes.append(self._vocabulary.codes(table.cells(column)))

    def coded(self) -> tuple[Collection[bytes], IntArray]:
        """Distinct names in the order in which they were met, and the code of each line."""
        if self._words:
            found = _grouped(_side_by_side(self._words))
            if found is not None:
                return found
            self._look_up_words()
        return self._vocabulary, joined(self._codes)

    def _look_up_words(self) -> None:
        self._codes += [self._vocabulary.codes(texts(words)) for words in self._words]
        self._words = []


def _side_by_side(parts: list[Words]) -> Words:
    rows = max(map(len, parts))
    words = np.zeros((rows, sum(part.shape[1] for part in parts)), dtype=np.uint64)
    begin = 0
    for part in parts:
        words[: len(part), begin : begin + part.shape[1]] = part
        begin += part.shape[1]
    return words


def _grouped(words: Words) -> tuple[list[bytes], IntArray] | None:
    """Distinct names and the code of each; None where different ones have one hash."""
    key = _hashes(words)
    order = np.argsort(key)
    key = key[order]
    starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    firsts = np.minimum.reduceat(order, starts)  # where each name is met first
    new = np.zeros(len(order), dtype=np.bool_)
    new[firsts] = True
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.repeat((np.cumsum(new) - 1)[firsts], np.diff(starts, append=len(order)))
    distinct = np.ascontiguousarray(words[:, new])
    if any((row[codes] != column).any() for row, column in zip(distinct, words, strict=True)):
        return None
    return texts(distinct), codes


def _hashes(words: Words) -> Words:
    """A number of each name, seldom the same for two."""
    hashes = np.zeros(words.shape[1], dtype=np.uint64)
    for row in words:
        hashes = (hashes ^ row) * _MIXER
        hashes ^= hashes >> _HALF
    return hashes
