"""Search of many quotes in texts at once: exact, folded, and most similar places (by rapidfuzz).

A gram is a sequence of 1, 2, 4 ... 32 characters; its number is a sum of products modulo 2^32. Equal grams have equal
numbers; different ones rarely do. Tables of grams find candidate places, which are then compared. Folding unifies
white space, quotation marks, dashes and letter case, character by character, so that folding preserves containment.

For similar places, texts are cut into blocks. Rapidfuzz compares a quote only with the blocks that share most grams of
8 characters (4 for short quotes): for a whole text of a gigabyte it would take ten seconds per quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, IntArray, concatenated_ranges, group_bounds, group_numbers, group_sizes

if TYPE_CHECKING:
    from types import ModuleType


Numbers: TypeAlias = NDArray[np.uint32]

LARGEST_GRAM = 32
MAX_PLACES = 1000
"""Maximal number of places per quote; a quote in more places is meaningless."""
_FACTORS = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2860486313)
_BITS = 20
_BATCH = 1 << 20  # characters that are searched at once
_BLOCK = 512
_LONG = 16  # minimal length of quotes that are compared by large grams
_BLOCK_GRAMS_PER_MATCH = {8: 10, 4: 4}  # by gram size: a block shares at least one of n grams with the quote
_COMMON, _COMMON_IN = 8, 4096  # grams in more places, and in more than one of n, are ignored
_MAX_REGIONS = 16  # regions per quote
_REGION_MARGIN = 64  # maximal difference in length of a quote and its place

_QUOTATION_MARKS = '"`´‘’‚‛“”„‟′″‵‶«»‹›「」『』〝〞〟＂＇ʼ'
_DASHES = "‐‑‒–—―−﹘﹣－"
_MARK_FORMS = {**dict.fromkeys(_QUOTATION_MARKS, "'"), **dict.fromkeys(_DASHES, "-")}
_unify_marks = partial(re.compile(f"[{re.escape(''.join(_MARK_FORMS))}]").sub, lambda match: _MARK_FORMS[match[0]])
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()])


# Grams


def gram_size(length: int) -> int:
    """Size of the longest gram of a string of that length (at least 1)."""
    return min(LARGEST_GRAM, 1 << (length.bit_length() - 1))


def gram_numbers(text: str, sizes: Iterable[int]) -> Iterator[tuple[int, Numbers]]:
    """Sizes in ascending order, each with the number of the gram at every place of a text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    numbers: Numbers = codes * np.uint32(_FACTORS[0])
    current, step = 1, 1
    for size in sorted(sizes):
        while current < size:
            following = numbers[current:]
            numbers = numbers[: len(following)] * np.uint32(_FACTORS[step]) + following
            current, step = 2 * current, step + 1
        yield size, numbers


class GramTable:
    """Lookup of some grams of one size in texts."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers: Numbers = np.unique(np.fromiter(numbers, dtype=np.uint32))
        self._filter = np.zeros(1 << _BITS, dtype=bool)
        self._filter[self.numbers >> (32 - _BITS)] = True

    def find(self, numbers: Numbers) -> tuple[IntArray, IntArray]:
        """Places of the grams in a text, with their indices in `self.numbers`."""
        places = np.flatnonzero(self._filter[numbers >> (32 - _BITS)])
        which = np.searchsorted(self.numbers, numbers[places])
        which[which == len(self.numbers)] = 0
        same = self.numbers[which] == numbers[places] if len(self.numbers) else np.zeros(len(places), dtype=bool)
        return places[same], which[same]


# Folding


def fold(text: str) -> str:
    r"""Text with single blanks (none at the ends), ``'`` and ``-`` for marks and dashes, small letters.

    >>> fold(" “Straße”\n  —  A")
    "'strasse' - a"
    """
    return " ".join(_unify_marks(text.casefold()).split())


class FoldedOffsets:
    """Offsets in a text of the characters of the folded text."""

    def __init__(self, text: str) -> None:
        folded = text.casefold()
        origins = np.arange(len(text), dtype=np.int32 if len(text) < 1 << 31 else np.int64)
        if len(folded) != len(text):
            widths = np.fromiter((len(character.casefold()) for character in text), dtype=np.int64, count=len(text))
            origins = np.repeat(origins, widths)
        blank = np.isin(np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), _SPACES)
        mask: BoolArray = ~blank
        mask[1:] |= blank[1:] & ~blank[:-1]  # the first blank of a run, but not at the ends of the text
        if blank.any():
            inside = np.flatnonzero(~blank)
            mask[: inside[0] if len(inside) else len(mask)] = False
            mask[inside[-1] + 1 if len(inside) else 0 :] = False
        self._origins = origins[mask]

    def original_span(self, begin: int, end: int) -> tuple[int, int]:
        """Start and end in the text of the (non-empty) characters ``begin:end`` of the folded text."""
        return int(self._origins[begin]), int(self._origins[end - 1]) + 1

    def is_whole(self, begin: int, end: int) -> bool:
        """Whether folded characters are whole characters of the text, without a part of a ligature."""
        origins = self._origins
        return (begin == 0 or origins[begin - 1] != origins[begin]) and (
            end == len(origins) or origins[end] != origins[end - 1]
        )


class FoldedTexts(NamedTuple):
    """Some documents, folded and joined: document i has characters ``bounds[i]:bounds[i + 1]``."""

    names: list[str]
    texts: list[str]
    folded: str
    bounds: IntArray


def folded_batches(documents: Iterable[tuple[str, str]]) -> Iterator[FoldedTexts]:
    """Batches of named texts, which bound memory and make long arrays."""

    def batch() -> FoldedTexts:
        folded = list(map(fold, texts))
        return FoldedTexts(names, texts, "".join(folded), group_bounds(list(map(len, folded))))

    names: list[str] = []
    texts: list[str] = []
    size = 0
    for name, text in documents:
        names.append(name)
        texts.append(text)
        size += len(text)
        if size >= _BATCH:
            yield batch()
            names, texts, size = [], [], 0
    if names:
        yield batch()


# Exact and folded search


class Place(NamedTuple):
    """An extent in a document."""

    document: str
    start: int
    end: int

    def overlaps(self, other: Place) -> bool:
        """Whether the places share characters."""
        return self.document == other.document and self.start < other.end and other.start < self.end


@dataclass(slots=True)
class SearchedText:
    """A text with its exact and its folded places; the places of a list do not overlap."""

    text: str
    exact: list[Place] = field(default_factory=list)
    folded: list[Place] = field(default_factory=list)

    def add_folded(self, document: str, text: str, offsets: FoldedOffsets, folded: tuple[int, int]) -> None:
        """Add a place in a folded text if it has whole characters and does not overlap the previous place."""
        if not offsets.is_whole(*folded):
            return
        place = Place(document, *offsets.original_span(*folded))
        is_exact = text[place.start : place.end] == self.text
        for places in (self.exact, self.folded) if is_exact else (self.folded,):
            before = places[-1] if places else None
            overlaps = before is not None and before.document == document and place.start < before.end
            if not overlaps and len(places) < MAX_PLACES:
                places.append(place)

    @property
    def is_full(self) -> bool:
        """Whether the maximal number of places is reached."""
        return len(self.exact) == MAX_PLACES


def search_documents(searched: Sequence[SearchedText], documents: Iterable[tuple[str, str]]) -> None:
    """Find texts (not blank) in documents and add their places."""
    patterns: dict[str, list[SearchedText]] = {}
    for item in searched:
        patterns.setdefault(fold(item.text), []).append(item)
    tables = _GramTables(patterns)
    for batch in folded_batches(documents):
        offsets: dict[int, FoldedOffsets] = {}
        for place, pattern in tables.candidates(batch.folded):
            if not batch.folded.startswith(pattern, place):
                continue
            number = int(np.searchsorted(batch.bounds, place, side="right")) - 1
            begin = place - int(batch.bounds[number])
            if place + len(pattern) > batch.bounds[number + 1]:
                continue  # it extends into the next document
            if number not in offsets:
                offsets[number] = FoldedOffsets(batch.texts[number])
            span = begin, begin + len(pattern)
            for item in patterns[pattern]:
                item.add_folded(batch.names[number], batch.texts[number], offsets[number], span)
        full = [pattern for pattern, items in patterns.items() if all(item.is_full for item in items)]
        if full:
            for pattern in full:
                del patterns[pattern]
            tables = _GramTables(patterns)


def search_document(searched: Iterable[SearchedText], document: str, text: str) -> None:
    """Find few texts in one document and add their places."""
    folded, offsets = fold(text), FoldedOffsets(text)
    for item in searched:
        pattern = fold(item.text)
        place = folded.find(pattern)
        while place >= 0 and not item.is_full:
            item.add_folded(document, text, offsets, (place, place + len(pattern)))
            place = folded.find(pattern, place + 1)


class _GramTables:
    """First grams of the searched strings, by size."""

    def __init__(self, patterns: Iterable[str]) -> None:
        by_size: dict[int, list[str]] = {}
        for pattern in patterns:
            by_size.setdefault(gram_size(len(pattern)), []).append(pattern)
        self._tables: dict[int, tuple[GramTable, list[list[str]]]] = {}
        for size, same_size in by_size.items():
            numbers = [int(next(gram_numbers(pattern[:size], [size]))[1][0]) for pattern in same_size]
            table = GramTable(numbers)
            owners: list[list[str]] = [[] for _ in table.numbers]
            for number, pattern in zip(np.searchsorted(table.numbers, numbers).tolist(), same_size, strict=True):
                owners[number].append(pattern)
            self._tables[size] = table, owners

    def candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """Places in a text where a string may begin, ascending per string."""
        for begin in range(0, len(text), _BATCH):  # bounds memory
            for size, numbers in gram_numbers(text[begin : begin + _BATCH + LARGEST_GRAM - 1], self._tables):
                table, owners = self._tables[size]
                places, which = table.find(numbers[:_BATCH])
                for place, number in zip(places.tolist(), which.tolist(), strict=True):
                    for pattern in owners[number]:
                        yield begin + place, pattern


# Fuzzy search


class NearestPlaces(NamedTuple):
    """The places most similar to a quote, with equal scores."""

    score: float  # of 100; 100 for equal folded texts
    places: tuple[Place, ...]
    text: str  # at the first place


class _Region(NamedTuple):
    """Part of a folded text that may contain a quote; sorted by the number of shared grams."""

    shared: int
    order: int  # descending, so that the first of equal regions is preferred
    document: str
    begin: int
    text: str


def rapidfuzz() -> ModuleType | None:
    """The functions of rapidfuzz; None if it is not installed."""
    try:
        from rapidfuzz import fuzz
    except ModuleNotFoundError:
        return None
    return fuzz


def nearest_places(
    quotes: Sequence[str],
    documents: Iterable[tuple[str, str]],
    text_of: Callable[[str], str],
    fuzz: ModuleType,
) -> Iterator[NearestPlaces | None]:
    """Most similar places of each quote (not blank); None if no block is similar at all.

    Args:
        quotes: the quotes.
        documents: names and texts, iterated once.
        text_of: function from a name to its text.
        fuzz: functions of rapidfuzz.
    """
    folded = list(map(fold, quotes))
    for quote, regions in zip(folded, _regions(folded, documents), strict=True):
        aligned = [(_best_alignment(quote, region.text, fuzz), region) for region in sorted(regions, reverse=True)]
        top = max((score for (score, _, _), _ in aligned), default=0)
        places: list[Place] = []
        for (score, begin, end), region in aligned:
            offsets = FoldedOffsets(text_of(region.document)) if score == top else None
            while offsets is not None and score == top:
                place = Place(region.document, *offsets.original_span(region.begin + begin, region.begin + end))
                if not any(map(place.overlaps, places)):
                    places.append(place)
                score, more, length = _best_alignment(quote, region.text[end:], fuzz)  # noqa: PLW2901
                begin, end = end + more, end + length  # noqa: PLW2901
        if not places:
            yield None
            continue
        places.sort()
        document, start, end = places[0]
        yield NearestPlaces(top, tuple(places), text_of(document)[start:end])


def _best_alignment(quote: str, text: str, fuzz: ModuleType) -> tuple[float, int, int]:
    """Score, begin and end of the part of a text most similar to a quote."""
    if not text:
        return 0, 0, 0
    alignment = fuzz.partial_ratio_alignment(quote, text)  # as long as the quote
    begin, end = alignment.dest_start, alignment.dest_end
    margin = min(_REGION_MARGIN, len(quote) // 4 + 4)
    for _ in range(2):
        ends = range(max(begin + 1, end - margin), min(len(text), end + margin) + 1)
        end = max(ends, key=lambda place: (fuzz.ratio(quote, text[begin:place]), -place))
        begins = range(max(0, begin - margin), min(end - 1, begin + margin) + 1)
        begin = max(begins, key=lambda place: (fuzz.ratio(quote, text[place:end]), place))
    begin += text[begin:end].startswith(" ")
    end -= text[begin:end].endswith(" ")
    return fuzz.ratio(quote, text[begin:end]), begin, end


def _regions(folded: Sequence[str], documents: Iterable[tuple[str, str]]) -> list[list[_Region]]:
    """Regions per quote that are compared with it."""
    indexes = [_QuoteGrams(folded, size) for size in _BLOCK_GRAMS_PER_MATCH]
    heaps: list[list[_Region]] = [[] for _ in folded]
    order = 0
    for batch in folded_batches(documents):
        first_block = group_bounds(-(-group_sizes(batch.bounds) // _BLOCK))
        owner = group_numbers(first_block)
        for index in indexes:
            for quote, block, shared in index.shared(batch, first_block, owner):
                order -= 1
                heap, document = heaps[quote], int(owner[block])
                if len(heap) == _MAX_REGIONS and shared < heap[0].shared:
                    continue
                low, high = batch.bounds[document : document + 2].tolist()
                at = low + (block - int(first_block[document])) * _BLOCK
                begin = max(low, at - len(folded[quote]))
                text = batch.folded[begin : min(high, at + 2 * _BLOCK + len(folded[quote]))]
                region = _Region(shared, order, batch.names[document], begin - low, text)
                (heappush if len(heap) < _MAX_REGIONS else heappushpop)(heap, region)
    return heaps


class _QuoteGrams:
    """The grams of one size of all quotes."""

    def __init__(self, folded: Sequence[str], size: int) -> None:
        self._size = size
        large = size == max(_BLOCK_GRAMS_PER_MATCH)
        grams: list[list[int]] = [
            np.unique(next(gram_numbers(text, [size]))[1]).tolist() if (len(text) >= _LONG) == large else []
            for text in folded
        ]
        numbers = [number for quote_grams in grams for number in quote_grams]
        self._table = GramTable(numbers)
        self._n_quotes = len(grams)
        quote = np.repeat(np.arange(len(grams)), [len(quote_grams) for quote_grams in grams])
        which = np.searchsorted(self._table.numbers, numbers)
        ordered = np.argsort(which, kind="stable")
        self._quotes: IntArray = quote[ordered]  # the quotes of each gram, gram by gram
        self._count: IntArray = np.bincount(which, minlength=len(self._table.numbers))
        self._gram: IntArray = which[ordered]

    def shared(self, batch: FoldedTexts, first_block: IntArray, owner: IntArray) -> Iterator[tuple[int, int, int]]:
        """Quote, block and number of grams that this and the next block share, best blocks of a quote first."""
        places, which = self._table.find(next(gram_numbers(batch.folded, [self._size]))[1])
        common = np.bincount(which, minlength=len(self._count)) > max(_COMMON, len(batch.folded) // _COMMON_IN)
        places, which = places[~common[which]], which[~common[which]]
        if not len(places):
            return
        rare_grams = np.bincount(self._quotes[~common[self._gram]], minlength=self._n_quotes)
        minimum = rare_grams / _BLOCK_GRAMS_PER_MATCH[self._size]
        document = np.searchsorted(batch.bounds, places, side="right") - 1
        block = first_block[document] + (places - batch.bounds[document]) // _BLOCK
        block, which = np.divmod(np.unique(block * len(self._count) + which), len(self._count))
        quote = self._quotes[concatenated_ranges(group_bounds(self._count)[which], self._count[which])]
        key, count = np.unique(np.repeat(block, self._count[which]) * self._n_quotes + quote, return_counts=True)
        block, quote = np.divmod(key, self._n_quotes)
        similar = count >= minimum[quote]
        following = np.searchsorted(key, key + self._n_quotes)
        following[following == len(key)] = 0
        continues = (key[following] == key + self._n_quotes) & (owner[block[following]] == owner[block])
        count = count + np.where(continues, count[following], 0)
        block, quote, count = block[similar], quote[similar], count[similar]
        ordered = np.lexsort([-count, quote])
        block, quote, count = block[ordered], quote[ordered], count[ordered]
        best = np.arange(len(quote)) - np.searchsorted(quote, quote) < _MAX_REGIONS
        yield from zip(quote[best].tolist(), block[best].tolist(), count[best].tolist(), strict=True)
