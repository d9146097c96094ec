"""Names of documents as integer codes, and how runs name documents.

Names are kept packed as words (conventions in `prum_eval.text.lines`) and coded with a hash table, many at once: few of
the documents of a run are ever needed as text.
"""

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
from prum_eval.text.lines import HIGH_BITS_OF_BYTES, WORD_BYTES, Vocabulary, WordArray, unpack_names

_T = TypeVar("_T", bytes, str)
_Document = TypeVar("_Document")

CodeArray = NDArray[np.int32]

FILE_ENDINGS = (".xml", ".html", ".htm")
"""File endings that a run may append to a document's name."""

_BUCKETS = 1 << 16
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_FREE_SLOT = -1
_FEWEST_SLOTS = 1 << 6
_GROWTH_FACTOR = 1.5  # capacity over number of names; unused memory is not allocated by the system
_LOOKUP_BATCH = 1 << 18  # names per look-up, which fit the processor's caches


@dataclass(frozen=True, eq=False, repr=False)
class _PackedNames(Sequence[_T]):
    """Distinct packed names as a sequence; iteration unpacks all at once.

    `words` has shape (words of the longest, names).
    """

    words: WordArray

    @abstractmethod
    def unpack(self, words: WordArray) -> list[_T]:
        """Unpack names."""

    @cached_property
    def all_names(self) -> list[_T]:
        """All names."""
        return self.unpack(self.words)

    def select(self, codes: IntArray) -> list[_T]:
        """Names with these codes."""
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
        """One name or a slice, after unpacking all names; `select` unpacks only a few."""
        return self.all_names[place]


class WordNames(_PackedNames[bytes]):
    """Distinct names as bytes."""

    def unpack(self, words: WordArray) -> list[bytes]:
        """Unpack names."""
        return unpack_names(words)

    @cached_property
    def as_text(self) -> TextNames | None:
        """The names as text; None if one is not ASCII."""
        return None if any((row & HIGH_BITS_OF_BYTES).any() for row in self.words) else TextNames(self.words)


class TextNames(_PackedNames[str]):
    """Distinct ASCII names as text."""

    def unpack(self, words: WordArray) -> list[str]:
        """Unpack names."""
        return list(map(bytes.decode, unpack_names(words)))

    def contain_any(self, parts: Iterable[str]) -> bool:
        """Whether a name contains one of these texts; rarely true if none does."""
        joined = np.ascontiguousarray(self.words.T).tobytes()
        return any(part.encode() in joined for part in parts)


class NameTable:
    """Hash table from packed names to codes in order of first occurrence.

    A name is searched in the slot of its hash and in the following slots until one contains it or is free. At least
    half of the slots are free.
    """

    def __init__(self) -> None:
        self._count = 0
        self._words: WordArray = np.empty((1, 0), dtype=np.uint64)  # the names, with spare capacity
        self._slots: CodeArray = np.full(_FEWEST_SLOTS, _FREE_SLOT, dtype=np.int32)

    def __len__(self) -> int:
        return self._count

    @property
    def words(self) -> WordArray:
        """Names by code, of shape (words of the longest, names)."""
        return self._words[:, : self._count]

    def add(self, names: WordArray) -> CodeArray:
        """Code of each name, after adding new names."""
        codes = np.empty(names.shape[1], dtype=np.int32)
        for low in range(0, len(codes), _LOOKUP_BATCH):
            codes[low : low + _LOOKUP_BATCH] = self._add_batch(names[:, low : low + _LOOKUP_BATCH])
        return codes

    def _add_batch(self, names: WordArray) -> CodeArray:
        before, added = self._count, names.shape[1]
        self._grow(len(names), before + added)
        # Every name gets its own code at first and keeps it only at its first occurrence.
        self._words[: len(names), before : before + added] = names
        self._words[len(names) :, before : before + added] = 0
        codes, slots = self._assign_slots(np.arange(before, before + added, dtype=np.int32))
        new = np.flatnonzero(slots >= 0)
        self._count += len(new)
        if len(new) < added:
            final = np.empty(added, dtype=np.int32)
            final[new] = np.arange(before, self._count, dtype=np.int32)
            self._words[:, before : self._count] = self._words[:, before + new]
            self._slots[slots[new]] = final[new]
            late = codes >= before
            codes[late] = final[codes[late] - before]
        return codes

    def find(self, names: WordArray) -> CodeArray:
        """Code of each name, -1 if it was never added."""
        codes = np.full(names.shape[1], -1, dtype=np.int32)
        rows = len(self._words)
        if len(names) > rows:  # names longer than every added one are not in the table
            short = np.flatnonzero(~names[rows:].any(axis=0))
            codes[short] = self.find(names[:rows, short])
            return codes
        for low in range(0, len(codes), _LOOKUP_BATCH):
            size = min(_LOOKUP_BATCH, len(codes) - low)
            batch = np.zeros((rows, size), dtype=np.uint64)
            batch[: len(names)] = names[:, low : low + size]
            todo, slot = np.arange(size), self._first_slots(batch)
            while len(todo):
                occupants = self._slots[slot]
                used = occupants != _FREE_SLOT
                todo, slot, occupants = todo[used], slot[used], occupants[used]
                same = _names_equal(self._words, occupants, batch, todo)
                codes[low + todo[same]] = occupants[same]
                todo, slot = todo[~same], self._next_slots(slot[~same])
        return codes

    def _assign_slots(self, codes: CodeArray) -> tuple[CodeArray, IntArray]:
        """For the names with consecutive codes the code of the first equal name, and the slots of new names or -1."""
        low = int(codes[0]) if len(codes) else 0
        firsts, slots = np.empty(len(codes), dtype=np.int32), np.full(len(codes), -1, dtype=np.int64)
        todo, slot = codes, self._first_slots(self._words[:, low : low + len(codes)])
        while len(todo):
            occupants = self._slots[slot]
            free = np.flatnonzero(occupants == _FREE_SLOT)
            if len(free):
                backwards = free[::-1]
                self._slots[slot[backwards]] = todo[backwards]  # of several names for one slot the first gets it
                occupants[free] = self._slots[slot[free]]
                placed = free[occupants[free] == todo[free]]
                slots[todo[placed] - low] = slot[placed]
            same = _names_equal(self._words, occupants, self._words, todo)
            firsts[todo[same] - low] = occupants[same]
            todo, slot = todo[~same], self._next_slots(slot[~same])
        return firsts, slots

    def _grow(self, rows: int, names: int) -> None:
        """Reserve capacity for this total number of names, each of up to `rows` words."""
        old_rows, capacity = self._words.shape
        if rows > old_rows or names > capacity:
            words = np.zeros((max(rows, old_rows), max(names, int(capacity * _GROWTH_FACTOR))), dtype=np.uint64)
            words[:old_rows, : self._count] = self.words
            self._words = words
        if rows > old_rows or 2 * names > len(self._slots):  # hashes depend on all rows, slots on their number
            self._slots = np.full(max(len(self._slots), 1 << (2 * names).bit_length()), _FREE_SLOT, dtype=np.int32)
            for low in range(0, self._count, _LOOKUP_BATCH):
                self._assign_slots(np.arange(low, min(low + _LOOKUP_BATCH, self._count), dtype=np.int32))

    def _first_slots(self, names: WordArray) -> IntArray:
        bits = len(self._slots).bit_length() - 1
        slots: IntArray = (hash_names(names) >> np.uint64(64 - bits)).astype(np.int64)
        return slots

    def _next_slots(self, slots: IntArray) -> IntArray:
        return (slots + 1) & (len(self._slots) - 1)


class NameColumn:
    """Coder of a column of names that arrives table by table; much faster than one look-up per line.

    After the first name that cannot be packed, all names are looked up one by one.
    """

    def __init__(self) -> None:
        self._pending: list[WordArray] = []
        self._pending_rows = 0
        self._table = NameTable()
        self._vocabulary: Vocabulary | None = None
        self._codes: list[CodeArray] = []

    def add(self, names: WordArray | list[bytes]) -> None:
        """Append names, as `name_column` of a table returns them."""
        if self._vocabulary is None and not isinstance(names, list):
            self._pending.append(names)
            self._pending_rows += names.shape[1]
            if self._pending_rows >= _LOOKUP_BATCH:
                self._code_pending()
            return
        if self._vocabulary is None:
            self._code_pending()
            self._vocabulary = Vocabulary()
            self._vocabulary.codes(unpack_names(self._table.words))
            self._table = NameTable()
        cells = names if isinstance(names, list) else unpack_names(names)
        self._codes.append(self._vocabulary.codes(cells).astype(np.int32))

    def encode(self) -> tuple[Collection[bytes], CodeArray]:
        """Distinct names in order of first occurrence, and the code of each row."""
        self._code_pending()
        names = WordNames(self._table.words.copy()) if self._vocabulary is None else self._vocabulary
        codes = self._codes[0] if len(self._codes) == 1 else np.concatenate([np.empty(0, dtype=np.int32), *self._codes])
        self._codes = []
        return names, codes

    def _code_pending(self) -> None:
        if not self._pending:
            return
        rows = max(map(len, self._pending))
        # Padding is slow; most parts have the same length.
        padded = [
            part if len(part) == rows else np.pad(part, ((0, rows - len(part)), (0, 0))) for part in self._pending
        ]
        self._codes.append(self._table.add(np.concatenate(padded, axis=1)))
        self._pending, self._pending_rows = [], 0


def pack_names(names: Iterable[str], longest: int) -> WordArray:
    """Pack the names of at most `longest` words; no name may contain NUL."""
    encoded = [name.encode(errors="replace") for name in names]
    cells = np.array([name for name in encoded if len(name) <= longest * WORD_BYTES], dtype=f"S{longest * WORD_BYTES}")
    return np.ascontiguousarray(cells.view("<u8").reshape(-1, longest).T)


def group_names(names: WordArray) -> tuple[IntArray, IntArray]:
    """Code of each name, and one row per code; fast for a few names that occur many times."""
    bucket = (hash_names(names) >> np.uint64(48)).astype(np.int64)
    row_of = np.full(_BUCKETS, -1, dtype=np.int64)
    row_of[bucket] = np.arange(names.shape[1])
    rows = row_of[bucket]
    if any((row[rows] != row).any() for row in names):  # two names in one bucket
        _, rows, code = np.unique(names, axis=1, return_index=True, return_inverse=True)
        return code.reshape(-1), rows
    used = np.flatnonzero(row_of >= 0)
    code_of = np.empty(_BUCKETS, dtype=np.int64)
    code_of[used] = np.arange(len(used))
    return code_of[bucket], row_of[used]


def hash_names(names: WordArray) -> WordArray:
    """Hash of each name."""
    hashes = np.zeros(names.shape[1], dtype=np.uint64)
    for row in names:
        hashes = (hashes ^ row) * _MIXER
        hashes ^= hashes >> np.uint64(32)
    return hashes


def _names_equal(
    left: WordArray, left_places: IntArray | CodeArray, right: WordArray, right_places: IntArray | CodeArray
) -> BoolArray:
    """Whether the names at these places are equal."""
    same: BoolArray = left[0][left_places] == right[0][right_places]
    for left_row, right_row in zip(left[1:], right[1:], strict=True):
        same &= left_row[left_places] == right_row[right_places]
    return same


# Names of documents in runs: as in assessments and structures, ``a``, or by file, ``a.xml`` or ``a.html``.


def strip_document_suffix(file: str) -> str:
    """The name of a document without its file ending, if any.

    >>> strip_document_suffix("1995/a1.xml"), strip_document_suffix("1995/a1"), strip_document_suffix("faq/index.html")
    ('1995/a1', '1995/a1', 'faq/index')
    """
    for ending in FILE_ENDINGS:
        if file.endswith(ending):
            return file[: -len(ending)]
    return file


def candidate_documents(names: Iterable[str]) -> set[str]:
    """Names of all documents that the names in runs may refer to, with and without file ending."""
    candidates = set(names)
    return candidates.union(map(strip_document_suffix, candidates))


def match_documents(names: Sequence[str], documents: AbstractSet[str]) -> dict[str, int]:
    """Positions of the names that refer to one of the documents, directly or by file.

    >>> match_documents(["b", "a.xml", "c", "a"], {"a", "c"})
    {'a.xml': 1, 'c': 2, 'a': 3}
    """
    if isinstance(names, TextNames) and not names.contain_any(FILE_ENDINGS):
        table = NameTable()
        table.add(pack_names(documents, len(names.words)))
        codes = np.flatnonzero(table.find(names.words) >= 0)
        matches = zip(names.select(codes), codes.tolist(), strict=True)
        return {name: code for name, code in matches if name in documents}  # lone surrogates are packed as "?"
    numbered = zip(names, range(len(names)), strict=True)
    joined = "\n".join(names)
    if not any(ending in joined for ending in FILE_ENDINGS):
        return dict(compress(numbered, map(documents.__contains__, names)))
    return {
        name: code
        for name, code in numbered
        if name in documents or (name.endswith(FILE_ENDINGS) and strip_document_suffix(name) in documents)
    }


def find_document(documents: Mapping[str, _Document], name: str) -> _Document | None:
    """The value of a document by its name, else by its name without file ending; None if missing.

    >>> find_document({"a": 1}, "a"), find_document({"a": 1}, "a.xml"), find_document({"a.xml": 2, "a": 1}, "a.xml")
    (1, 1, 2)
    """
    value = documents.get(name)
    return documents.get(strip_document_suffix(name)) if value is None else value
