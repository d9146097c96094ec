"""Names as numbers: a hash table that codes names kept as words (see `fast_lines`), many at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, IntArray
from prum_eval.text.lines import WORD_BYTES, Vocabulary, WordArray, unpack_names

# Distinct names kept as words (see `fast_lines`): of the many documents of a run few are ever asked for by name.


_T = TypeVar("_T", bytes, str)

_HIGH_BITS_OF_BYTES = np.uint64(0x8080808080808080)


class _PackedNames(Sequence[_T]):
    """What both kinds of names have in common; all are made at once where somebody goes through them."""

    words: WordArray

    @abstractmethod
    def unpack(self, words: WordArray) -> list[_T]:
        """The names that these words are."""

    @cached_property
    def all_names(self) -> list[_T]:
        """All names."""
        return self.unpack(self.words)

    def select(self, codes: IntArray) -> list[_T]:
        """The names with these codes."""
        return self.unpack(self.words[:, codes])

    def __len__(self) -> int:
        return len(self.words[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __iter__(self) -> Iterator[_T]:
        return iter(self.all_names)

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        """A name, or some; who wants few of many asks for `some`, since where one is asked for others often follow."""
        return self.all_names[place]


@dataclass(eq=False, repr=False)
class WordNames(_PackedNames[bytes]):
    """Distinct names as they are in an input; `words` has shape (words of the longest, names)."""

    words: WordArray

    def unpack(self, words: WordArray) -> list[bytes]:
        """The names that these words are."""
        return unpack_names(words)

    @cached_property
    def as_text(self) -> TextNames | None:
        """The same names as text; None where a byte has its highest bit, so that it may be none."""
        return None if any((row & _HIGH_BITS_OF_BYTES).any() for row in self.words) else TextNames(self.words)


@dataclass(eq=False, repr=False)
class TextNames(_PackedNames[str]):
    """Distinct names in ASCII as text; `words` as those of `WordNames`."""

    words: WordArray

    def unpack(self, words: WordArray) -> list[str]:
        """The names that these words are."""
        return list(map(bytes.decode, unpack_names(words)))

    def contain_any(self, parts: Iterable[str]) -> bool:
        """Whether one of these texts is part of a name: seldom true where none is."""
        joined = np.ascontiguousarray(self.words.T).tobytes()
        return any(part.encode() in joined for part in parts)


def pack_names(names: Iterable[str], longest: int) -> WordArray:
    """Those of the names that have so many words at most, of shape (longest, names); none may hold a NUL."""
    encoded = [name.encode(errors="replace") for name in names]
    cells = np.array([name for name in encoded if len(name) <= longest * WORD_BYTES], dtype=f"S{longest * WORD_BYTES}")
    return np.ascontiguousarray(cells.view("<u8").reshape(-1, longest).T)


CodeArray = NDArray[np.int32]

_BUCKETS = 1 << 16
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_FREE_SLOT = -1
_FEWEST_SLOTS = 1 << 6
_GROWTH_FACTOR = 1.5  # for so many times the names that are there: memory that is not used yet takes none
_LOOKUP_BATCH = 1 << 18  # names that are looked up at once: what the processor's caches hold


class NameTable:
    """Distinct names in the order in which they were met; each new one gets the next code.

    A name is looked for in the slot that its hash tells, and in those behind it until one holds it or is free. Half of
    the slots at least are.
    """

    def __init__(self) -> None:
        self._count = 0
        self._words: WordArray = np.empty((1, 0), dtype=np.uint64)  # the names, and room for more
        self._slots: CodeArray = np.full(_FEWEST_SLOTS, _FREE_SLOT, dtype=np.int32)

    def __len__(self) -> int:
        return self._count

    @property
    def words(self) -> WordArray:
        """The names by code, of shape (words of the longest, names)."""
        return self._words[:, : self._count]

    def add(self, names: WordArray) -> CodeArray:
        """The code of each of these names, those of new ones too; of shape (names,)."""
        codes = np.empty(names.shape[1], dtype=np.int32)
        for low in range(0, len(codes), _LOOKUP_BATCH):
            part = names[:, low : low + _LOOKUP_BATCH]
            codes[low : low + _LOOKUP_BATCH] = self._add_batch(part)
        return codes

    def find(self, names: WordArray) -> CodeArray:
        """The code of each of these names, -1 where it was not added; of shape (names,)."""
        codes = np.full(names.shape[1], -1, dtype=np.int32)
        rows = len(self._words)
        if len(names) > rows:  # longer names than any that was added
            fit = np.flatnonzero(~names[rows:].any(axis=0))
            codes[fit] = self.find(names[:rows, fit])
            return codes
        for low in range(0, len(codes), _LOOKUP_BATCH):
            part = np.zeros((rows, min(_LOOKUP_BATCH, len(codes) - low)), dtype=np.uint64)
            part[: len(names)] = names[:, low : low + _LOOKUP_BATCH]
            codes[low : low + _LOOKUP_BATCH] = self._find_batch(part)
        return codes

    def _find_batch(self, names: WordArray) -> CodeArray:
        codes = np.full(names.shape[1], -1, dtype=np.int32)
        todo, slot = np.arange(len(codes)), self._first_slots(names)
        while len(todo):
            held = self._slots[slot]
            there = held != _FREE_SLOT
            todo, slot, held = todo[there], slot[there], held[there]
            same = _names_equal(self._words, held, names, todo)
            codes[todo[same]] = held[same]
            todo, slot = todo[~same], self._next(slot[~same])
        return codes

    def _add_batch(self, names: WordArray) -> CodeArray:
        before, more = self._count, names.shape[1]
        self._grow(len(names), before + more)
        # Each name has a code of its own at first. It keeps it where it is the first with this name.
        self._words[: len(names), before : before + more] = names
        self._words[len(names) :, before : before + more] = 0
        codes, slots = self._assign_slots(np.arange(before, before + more, dtype=np.int32))
        new = np.flatnonzero(slots >= 0)
        self._count += len(new)
        if len(new) < more:
            final = np.empty(more, dtype=np.int32)
            final[new] = np.arange(before, self._count, dtype=np.int32)
            self._words[:, before : self._count] = self._words[:, before + new]
            self._slots[slots[new]] = final[new]
            late = codes >= before
            codes[late] = final[codes[late] - before]
        return codes

    def _assign_slots(self, codes: CodeArray) -> tuple[CodeArray, IntArray]:
        """Of the names under these consecutive codes the first code of each, and the slots of those that get one."""
        low = int(codes[0]) if len(codes) else 0
        firsts, slots = np.empty(len(codes), dtype=np.int32), np.full(len(codes), -1, dtype=np.int64)
        todo, slot = codes, self._first_slots(self._words[:, low : low + len(codes)])
        while len(todo):
            held = self._slots[slot]
            free = np.flatnonzero(held == _FREE_SLOT)
            if len(free):
                backwards = free[::-1]
                self._slots[slot[backwards]] = todo[backwards]  # of several that want a slot the first has it
                held[free] = self._slots[slot[free]]
                got = free[held[free] == todo[free]]
                slots[todo[got] - low] = slot[got]
            same = _names_equal(self._words, held, self._words, todo)
            firsts[todo[same] - low] = held[same]
            todo, slot = todo[~same], self._next(slot[~same])
        return firsts, slots

    def _grow(self, rows: int, names: int) -> None:
        """Room for so many names in all, of so many words."""
        held, room = self._words.shape
        if rows > held or names > room:
            words = np.zeros((max(rows, held), max(names, int(room * _GROWTH_FACTOR))), dtype=np.uint64)
            words[:held, : self._count] = self.words
            self._words = words
        if rows > held or 2 * names > len(self._slots):  # hashes are those of all words, and slots those of hashes
            self._slots = np.full(max(len(self._slots), 1 << (2 * names).bit_length()), _FREE_SLOT, dtype=np.int32)
            for low in range(0, self._count, _LOOKUP_BATCH):
                self._assign_slots(np.arange(low, min(low + _LOOKUP_BATCH, self._count), dtype=np.int32))

    def _first_slots(self, names: WordArray) -> IntArray:
        bits = len(self._slots).bit_length() - 1
        slots: IntArray = (hash_names(names) >> np.uint64(64 - bits)).astype(np.int64)
        return slots

    def _next(self, slots: IntArray) -> IntArray:
        return (slots + 1) & (len(self._slots) - 1)


class NameColumn:
    """A column of names, table by table, each of which gets a code: many times faster than a look-up a line.

    One long name makes it look up all of them, one by one.
    """

    def __init__(self) -> None:
        self._waiting: list[WordArray] = []
        self._rows = 0  # of those that wait
        self._table = NameTable()
        self._vocabulary: Vocabulary | None = None
        self._codes: list[CodeArray] = []

    def add(self, names: WordArray | list[bytes]) -> None:
        """Take the names of a table, as its `named` gives them."""
        if isinstance(names, list):
            self._codes.append(self._switch_to_vocabulary().codes(names).astype(np.int32))
        elif self._vocabulary is None:
            self._waiting.append(names)
            self._rows += names.shape[1]
            if self._rows >= _LOOKUP_BATCH:
                self._code()
        else:
            self._codes.append(self._vocabulary.codes(unpack_names(names)).astype(np.int32))

    def encode(self) -> tuple[Collection[bytes], CodeArray]:
        """Distinct names in the order in which they were met, and the code of each line."""
        self._code()
        names = WordNames(self._table.words.copy()) if self._vocabulary is None else self._vocabulary
        codes = self._codes[0] if len(self._codes) == 1 else np.concatenate([np.empty(0, dtype=np.int32), *self._codes])
        self._codes = []
        return names, codes

    def _code(self) -> None:
        if self._waiting:
            self._codes.append(self._table.add(_concatenate_names(self._waiting)))
            self._waiting, self._rows = [], 0

    def _switch_to_vocabulary(self) -> Vocabulary:
        if self._vocabulary is None:
            self._code()
            self._vocabulary = Vocabulary()
            self._vocabulary.codes(unpack_names(self._table.words))
            self._table = NameTable()
        return self._vocabulary


def group_names(names: WordArray) -> tuple[IntArray, IntArray]:
    """Code of each name and, by code, a row that has it: for a few names, each of which is there many times."""
    bucket = (hash_names(names) >> np.uint64(48)).astype(np.int64)
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


def _concatenate_names(parts: list[WordArray]) -> WordArray:
    """The names of all parts."""
    rows = max(map(len, parts))
    # Padding is slow, and parts of one length are the rule.
    padded = [part if len(part) == rows else np.pad(part, ((0, rows - len(part)), (0, 0))) for part in parts]
    return np.concatenate(padded, axis=1)


def hash_names(names: WordArray) -> WordArray:
    """A number of each name, seldom the same for two."""
    found = np.zeros(names.shape[1], dtype=np.uint64)
    for row in names:
        found = (found ^ row) * _MIXER
        found ^= found >> np.uint64(32)
    return found


def _names_equal(
    left: WordArray, here: IntArray | CodeArray, right: WordArray, there: IntArray | CodeArray
) -> BoolArray:
    """Whether names in these places are the same."""
    same: BoolArray = left[0][here] == right[0][there]
    for mine, others in zip(left[1:], right[1:], strict=True):
        same &= mine[here] == others[there]
    return same


# How runs name documents: as assessments and structures do, ``a``, or by their files, ``a.xml`` or ``a.html``.


_Document = TypeVar("_Document")

FILE_ENDINGS = (".xml", ".html", ".htm")
"""What a document's file may have after its name."""


def strip_document_suffix(file: str) -> str:
    """Name of the document of a file; what is no name of a file stays as it is.

    >>> strip_document_suffix("1995/a1.xml"), strip_document_suffix("1995/a1"), strip_document_suffix("faq/index.html")
    ('1995/a1', '1995/a1', 'faq/index')
    """
    for ending in FILE_ENDINGS:
        if file.endswith(ending):
            return file[: -len(ending)]
    return file


def candidate_documents(names: Iterable[str]) -> set[str]:
    """All documents that names in runs may mean: those of just that name, and those whose files they name."""
    named = set(names)
    return named.union(map(strip_document_suffix, named))


def match_documents(names: Sequence[str], documents: AbstractSet[str]) -> dict[str, int]:
    """The places of those names of a run that mean one of the documents, by itself or by its file.

    >>> match_documents(["b", "a.xml", "c", "a"], {"a", "c"})
    {'a.xml': 1, 'c': 2, 'a': 3}
    """
    if isinstance(names, TextNames) and not names.contain_any(FILE_ENDINGS):
        table = NameTable()
        table.add(pack_names(documents, len(names.words)))
        found = np.flatnonzero(table.find(names.words) >= 0)
        named = zip(names.select(found), found.tolist(), strict=True)
        return {name: code for name, code in named if name in documents}  # what is no Unicode has words of others
    coded = zip(names, range(len(names)), strict=True)
    joined = "\n".join(names)
    if not any(ending in joined for ending in FILE_ENDINGS):
        return dict(compress(coded, map(documents.__contains__, names)))
    return {
        name: code
        for name, code in coded
        if name in documents or (name.endswith(FILE_ENDINGS) and strip_document_suffix(name) in documents)
    }


def find_document(known: Mapping[str, _Document], name: str) -> _Document | None:
    """What is known under a document's name, else under the name of the document whose file it is; None if nothing.

    >>> find_document({"a": 1}, "a"), find_document({"a": 1}, "a.xml"), find_document({"a.xml": 2, "a": 1}, "a.xml")
    (1, 1, 2)
    """
    found = known.get(name)
    return known.get(strip_document_suffix(name)) if found is None else found
