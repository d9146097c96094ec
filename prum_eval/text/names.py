"""Names as numbers: columns of them are coded by sorting their words (see `fast_lines`), not by looking each up."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from prum_eval.arrays import EMPTY, IntArray
from prum_eval.text.fast_lines import FastTable, WordArray, texts
from prum_eval.text.lines import PlainTable, Vocabulary

_BUCKETS = 1 << 16
_MIXER = np.uint64(0x9E3779B97F4A7C15)


class NameColumn:
    """A column of names, table by table, coded by sorting it at the end: many times faster than a look-up a line.

    One long name makes it look up all of them, one by one.
    """

    def __init__(self) -> None:
        self._names: list[WordArray] = []
        self._vocabulary: Vocabulary | None = None
        self._codes: list[IntArray] = []

    def add(self, table: FastTable | PlainTable, column: int) -> None:
        """Take a column of a table."""
        names = table.names(column) if isinstance(table, FastTable) and self._vocabulary is None else None
        if names is not None:
            self._names.append(names)
        else:
            self._codes.append(self._looked_up().codes(table.cells(column)))

    def coded(self) -> tuple[Collection[bytes], IntArray]:
        """Distinct names in the order in which they were met, and the code of each line."""
        found = distinct_names(self._names) if self._names else None
        return (self._looked_up(), np.concatenate([EMPTY, *self._codes])) if found is None else found

    def _looked_up(self) -> Vocabulary:
        if self._vocabulary is None:
            self._vocabulary = Vocabulary()
            self._codes += [self._vocabulary.codes(texts(names)) for names in self._names]
            self._names = []
        return self._vocabulary


def grouped(names: WordArray) -> tuple[IntArray, IntArray]:
    """Code of each name and, by code, a row that has it: for a few names, each of which is there many times."""
    bucket = (_hashes(names) >> np.uint64(48)).astype(np.int64)
    row_of = np.full(_BUCKETS, -1, dtype=np.int64)
    row_of[bucket] = np.arange(names.shape[1])
    rows = row_of[bucket]
    if any((row[rows] != row).any() for row in names):  # two names in one bucket
        _, rows, code = np.unique(names, axis=1, return_index=True, return_inverse=True)
        return code.reshape(-1), rows
    used = np.flatnonzero(row_of >= 0)
    place = np.empty(_BUCKETS, dtype=np.int64)
    place[used] = np.arange(len(used))
    return place[bucket], row_of[used]


def distinct_names(parts: list[WordArray]) -> tuple[list[bytes], IntArray] | None:
    """Distinct names and the code of each; None where different ones have one hash."""
    rows = max(map(len, parts))
    # Padding is slow, and parts of one length are the rule.
    padded = [part if len(part) == rows else np.pad(part, ((0, rows - len(part)), (0, 0))) for part in parts]
    names = np.concatenate(padded, axis=1)
    key = _hashes(names)
    order = np.argsort(key)
    key = key[order]
    starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    firsts = np.minimum.reduceat(order, starts)  # where each name is met first
    new = np.zeros(len(order), dtype=np.bool_)
    new[firsts] = True
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.repeat((np.cumsum(new) - 1)[firsts], np.diff(starts, append=len(order)))
    distinct = np.ascontiguousarray(names[:, new])
    if any((row[codes] != column).any() for row, column in zip(distinct, names, strict=True)):
        return None
    return texts(distinct), codes


def _hashes(names: WordArray) -> WordArray:
    """A number of each name, seldom the same for two."""
    hashes = np.zeros(names.shape[1], dtype=np.uint64)
    for row in names:
        hashes = (hashes ^ row) * _MIXER
        hashes ^= hashes >> np.uint64(32)
    return hashes
