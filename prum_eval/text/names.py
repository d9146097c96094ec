"""Names as numbers: columns of them are coded by sorting their words (see `fast_lines`), not by looking each up."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from prum_eval.arrays import EMPTY, IntArray
from prum_eval.text.fast_lines import FastTable, WordArray, texts
from prum_eval.text.lines import PlainTable, Vocabulary
from prum_eval.text.word_names import WordNames, hashes

_BUCKETS = 1 << 16
_FEW = 1 << 20  # names of which 44 bits of a hash seldom tell two not apart


class NameColumn:
    """A column of names, table by table, coded by sorting it at the end: many times faster than a look-up a line.

    One long name makes it look up all of them, one by one.
    """

    def __init__(self) -> None:
        self._names: list[WordArray] = []
        self._vocabulary: Vocabulary | None = None
        self._codes: list[IntArray] = []

    def add(self, names: WordArray | list[bytes]) -> None:
        """Take the names of a table, as `names_in` gives them."""
        if isinstance(names, list):
            self._codes.append(self._looked_up().codes(names))
        elif self._vocabulary is None:
            self._names.append(names)
        else:
            self._codes.append(self._vocabulary.codes(texts(names)))

    def coded(self) -> tuple[Collection[bytes], IntArray]:
        """Distinct names in the order in which they were met, and the code of each line."""
        if len(self._names) > 1:
            self._names = [_joined(self._names)]  # the parts are needed no longer, and may be most of what is held
        found = distinct_names(*self._names) if self._names else None
        return (self._looked_up(), np.concatenate([EMPTY, *self._codes])) if found is None else found

    def _looked_up(self) -> Vocabulary:
        if self._vocabulary is None:
            self._vocabulary = Vocabulary()
            self._codes += [self._vocabulary.codes(texts(names)) for names in self._names]
            self._names = []
        return self._vocabulary


def names_in(table: FastTable | PlainTable, column: int) -> WordArray | list[bytes]:
    """A column of names: as words where they are short, else one by one."""
    names = table.names(column) if isinstance(table, FastTable) else None
    return table.cells(column) if names is None else names


def grouped(names: WordArray) -> tuple[IntArray, IntArray]:
    """Code of each name and, by code, a row that has it: for a few names, each of which is there many times."""
    bucket = (hashes(names) >> np.uint64(48)).astype(np.int64)
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


def _joined(parts: list[WordArray]) -> WordArray:
    """The names of all parts."""
    rows = max(map(len, parts))
    # Padding is slow, and parts of one length are the rule.
    padded = [part if len(part) == rows else np.pad(part, ((0, rows - len(part)), (0, 0))) for part in parts]
    return np.concatenate(padded, axis=1)


def distinct_names(names: WordArray) -> tuple[WordNames, IntArray] | None:
    """Distinct names and the code of each; None where different ones have one hash."""
    keys = hashes(names)
    found = _coded(names, *_by_places(keys)) if len(keys) <= _FEW else None
    return found or _coded(names, *_by_keys(keys))


def _coded(names: WordArray, order: IntArray, starts: IntArray) -> tuple[WordNames, IntArray] | None:
    """Distinct names and the code of each, from their order and where runs of one name start in it, each ascending.

    None where a run holds two names.
    """
    firsts = order[starts]  # where each name is met first
    new = np.zeros(len(order), dtype=np.bool_)
    new[firsts] = True
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.repeat((np.cumsum(new) - 1)[firsts], np.diff(starts, append=len(order)))
    distinct = np.ascontiguousarray(names[:, new])
    if any((row[codes] != column).any() for row, column in zip(distinct, names, strict=True)):
        return None
    return WordNames(distinct), codes


def _by_places(keys: WordArray) -> tuple[IntArray, IntArray]:
    """Rows in the order of the keys' higher bits, and where runs of one key start: the lower bits hold the row.

    Sorting such numbers takes a third of sorting rows by their keys.
    """
    bits = np.uint64(len(keys).bit_length())
    places = (np.uint64(1) << bits) - np.uint64(1)
    keys = (keys & ~places) | np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    order: IntArray = (keys & places).astype(np.int64)
    return order, _run_starts(keys >> bits)


def _by_keys(keys: WordArray) -> tuple[IntArray, IntArray]:
    """Rows in the order of all bits of the keys, and where runs of one key start."""
    order = np.argsort(keys, kind="stable")
    return order, _run_starts(keys[order])


def _run_starts(keys: WordArray) -> IntArray:
    return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
