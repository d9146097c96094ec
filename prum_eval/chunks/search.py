"""Quotes looked for in texts: all of them at once, exactly and folded."""

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


# Many strings looked for at once: numbers for all sequences of 1, 2, 4 ... 32 signs of a text, and a table of some.
#
# A gram of a text is a sequence of so many signs; its number is a sum of products modulo 2^32. Equal grams have equal
# numbers, and different ones seldom.


Numbers: TypeAlias = NDArray[np.uint32]

LARGEST_GRAM = 32
_FACTORS = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2860486313)
_BITS = 20


def gram_size(length: int) -> int:
    """The longest gram that a string of that length, 1 at least, has: a power of two, at most `LARGEST_GRAM`."""
    return min(LARGEST_GRAM, 1 << (length.bit_length() - 1))


def gram_numbers(text: str, sizes: Iterable[int]) -> Iterator[tuple[int, Numbers]]:
    """Of some sizes, in ascending order, the number of the gram at each place of a text."""
    wanted = sorted(sizes)
    signs = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    numbers: Numbers = signs * np.uint32(_FACTORS[0])
    size, step = 1, 1
    for one in wanted:
        while size < one:
            following = numbers[size:]
            numbers = numbers[: len(following)] * np.uint32(_FACTORS[step]) + following
            size, step = 2 * size, step + 1
        yield one, numbers


class GramTable:
    """Some grams of one size, to be found in texts."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers: Numbers = np.unique(np.fromiter(numbers, dtype=np.uint32))
        self._some = np.zeros(1 << _BITS, dtype=bool)
        self._some[self.numbers >> (32 - _BITS)] = True

    def find(self, numbers: Numbers) -> tuple[IntArray, IntArray]:
        """Places where a text has one of the grams, and which: an index of `self.numbers`."""
        places = np.flatnonzero(self._some[numbers >> (32 - _BITS)])
        which = np.searchsorted(self.numbers, numbers[places])
        which[which == len(self.numbers)] = 0
        same = self.numbers[which] == numbers[places] if len(self.numbers) else np.zeros(len(places), dtype=bool)
        return places[same], which[same]


# Texts without what people change when they copy: white space, quotation marks, dashes, letter case.


_QUOTATION_MARKS = '"`´‘’‚‛“”„‟′″‵‶«»‹›「」『』〝〞〟＂＇ʼ'
_DASHES = "‐‑‒–—―−﹘﹣－"
_MARK_FORMS = {**dict.fromkeys(_QUOTATION_MARKS, "'"), **dict.fromkeys(_DASHES, "-")}
_unify_marks = partial(re.compile(f"[{re.escape(''.join(_MARK_FORMS))}]").sub, lambda found: _MARK_FORMS[found[0]])
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()])


def fold(text: str) -> str:
    r"""The text with one form of each: a blank for white space (none at the ends), ``'``, ``-``, small letters.

    Every character is folded by itself, so that what a text contains is contained in the same way when both are folded.

    >>> fold(" “Straße”\n  —  A")
    "'strasse' - a"
    """
    return " ".join(_unify_marks(text.casefold()).split())


class FoldedOffsets:
    """Where the characters of a folded text are in the text itself."""

    def __init__(self, text: str) -> None:
        folded = text.casefold()
        widths: IntArray | None = None  # of the characters of the text; None where all are 1
        if len(folded) != len(text):
            widths = np.fromiter((len(sign.casefold()) for sign in text), dtype=np.int64, count=len(text))
        origins = np.arange(len(text), dtype=np.int32 if len(text) < 1 << 31 else np.int64)
        origins = origins if widths is None else np.repeat(origins, widths)
        blank = np.isin(np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), _SPACES)
        kept: BoolArray = ~blank
        kept[1:] |= blank[1:] & ~blank[:-1]  # the first of a run, but not at the ends of the text
        if blank.any():
            inside = np.flatnonzero(~blank)
            kept[: inside[0] if len(inside) else len(kept)] = False
            kept[inside[-1] + 1 if len(inside) else 0 :] = False
        self._origins = origins[kept]

    def original_span(self, begin: int, end: int) -> tuple[int, int]:
        """Start and end in the text of characters ``begin:end`` of the folded text, one at least."""
        return int(self._origins[begin]), int(self._origins[end - 1]) + 1

    def is_whole(self, begin: int, end: int) -> bool:
        """Whether these are whole characters of the text, not one of the two that a sign was folded to."""
        origins = self._origins
        return (begin == 0 or origins[begin - 1] != origins[begin]) and (
            end == len(origins) or origins[end] != origins[end - 1]
        )


MAX_PLACES = 1000
"""Places of a quote that are kept; whoever looks for more has a quote that says nothing."""
_BATCH = 1 << 20  # characters that are searched at once


class Place(NamedTuple):
    """Where something stands."""

    document: str
    start: int
    end: int


@dataclass(slots=True)
class SearchedText:
    """Where a text to look for was found: as it is, and folded; none of the places of a list overlap."""

    text: str
    exact: list[Place] = field(default_factory=list)
    folded: list[Place] = field(default_factory=list)

    def add(self, place: Place, *, exact: bool) -> None:
        """Take a place, if it does not overlap the one before."""
        for places in (self.exact, self.folded) if exact else (self.folded,):
            before = places[-1] if places else None
            overlaps = before is not None and before.document == place.document and place.start < before.end
            if not overlaps and len(places) < MAX_PLACES:
                places.append(place)

    def add_folded(self, document: str, text: str, offsets: FoldedOffsets, folded: tuple[int, int]) -> None:
        """Take begin and end in a folded text, if these are whole characters of the text."""
        if offsets.is_whole(*folded):
            start, end = offsets.original_span(*folded)
            self.add(Place(document, start, end), exact=text[start:end] == self.text)

    @property
    def is_full(self) -> bool:
        """Whether no more places are kept."""
        return len(self.exact) == MAX_PLACES


class FoldedTexts(NamedTuple):
    """Some documents, folded, one after the other: document i has characters ``bounds[i]:bounds[i + 1]``."""

    names: list[str]
    texts: list[str]
    folded: str
    bounds: IntArray

    def document_at(self, places: IntArray) -> IntArray:
        """Number of the document of each place."""
        return np.searchsorted(self.bounds, places, side="right") - 1


def folded_batches(documents: Iterable[tuple[str, str]]) -> Iterator[FoldedTexts]:
    """Names and texts in batches, so that memory is bounded and arrays are long."""
    names: list[str] = []
    texts: list[str] = []
    size = 0
    for name, text in documents:
        names.append(name)
        texts.append(text)
        size += len(text)
        if size >= _BATCH:
            yield _batch(names, texts)
            names, texts, size = [], [], 0
    if names:
        yield _batch(names, texts)


def _batch(names: list[str], texts: list[str]) -> FoldedTexts:
    folded = list(map(fold, texts))
    return FoldedTexts(names, texts, "".join(folded), group_bounds(list(map(len, folded))))


def search_documents(wanted: Sequence[SearchedText], documents: Iterable[tuple[str, str]]) -> None:
    """Find texts, none of which is blank, in documents; what is found is added to `wanted`."""
    patterns: dict[str, list[SearchedText]] = {}
    for one in wanted:
        patterns.setdefault(fold(one.text), []).append(one)
    tables = _GramTables(patterns)
    for batch in folded_batches(documents):
        offsets: dict[int, FoldedOffsets] = {}
        for place, pattern in tables.candidates(batch.folded):
            if not batch.folded.startswith(pattern, place):
                continue
            number = int(np.searchsorted(batch.bounds, place, side="right")) - 1
            begin = place - int(batch.bounds[number])
            if place + len(pattern) > batch.bounds[number + 1]:
                continue  # it goes on in the next document
            if number not in offsets:
                offsets[number] = FoldedOffsets(batch.texts[number])
            for one in patterns[pattern]:
                one.add_folded(batch.names[number], batch.texts[number], offsets[number], (begin, begin + len(pattern)))
        done = [pattern for pattern, found in patterns.items() if all(one.is_full for one in found)]
        if done:
            for pattern in done:
                del patterns[pattern]
            tables = _GramTables(patterns)


def search_document(wanted: Iterable[SearchedText], document: str, text: str) -> None:
    """The same for one document, in which few texts are looked for."""
    folded, offsets = fold(text), FoldedOffsets(text)
    for one in wanted:
        pattern = fold(one.text)
        place = folded.find(pattern)
        while place >= 0 and not one.is_full:
            one.add_folded(document, text, offsets, (place, place + len(pattern)))
            place = folded.find(pattern, place + 1)


class _GramTables:
    """What texts begin with that are looked for, by the size of these grams."""

    def __init__(self, patterns: Iterable[str]) -> None:
        by_size: dict[int, list[str]] = {}
        for pattern in patterns:
            by_size.setdefault(gram_size(len(pattern)), []).append(pattern)
        self._tables: dict[int, tuple[GramTable, list[list[str]]]] = {}
        for size, some in by_size.items():
            numbers = [int(next(gram_numbers(pattern[:size], [size]))[1][0]) for pattern in some]
            table = GramTable(numbers)
            owners: list[list[str]] = [[] for _ in table.numbers]
            for number, pattern in zip(np.searchsorted(table.numbers, numbers).tolist(), some, strict=True):
                owners[number].append(pattern)
            self._tables[size] = table, owners

    def candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """Places in a text where one of the strings may begin; of each string in ascending order."""
        for begin in range(0, len(text), _BATCH):  # long texts have long arrays
            for size, numbers in gram_numbers(text[begin : begin + _BATCH + LARGEST_GRAM - 1], self._tables):
                table, owners = self._tables[size]
                places, which = table.find(numbers[:_BATCH])
                for place, number in zip(places.tolist(), which.tolist(), strict=True):
                    for pattern in owners[number]:
                        yield begin + place, pattern


# Quotes that stand in texts with other words or letters here and there: the places most like them, by rapidfuzz.
#
# Texts are cut into blocks. Only the blocks that share most sequences of 8 signs (4 for short quotes) with a quote are
# looked at with rapidfuzz: in a text of a gigabyte it would take ten seconds for each quote.


_BLOCK = 512
_LONG = 16  # quotes of so many signs are told by large grams, others by small ones
_BLOCK_GRAMS_PER_MATCH = {8: 10, 4: 4}  # size of grams: a block has to share one in so many with the quote
_COMMON, _COMMON_IN = 8, 4096  # grams that are more often than that, or than once in so many signs, tell nothing
_MAX_REGIONS = 16  # blocks of each quote
_REGION_MARGIN = 64  # signs by which a place may be shorter or longer than the quote


class NearestPlaces(NamedTuple):
    """The places most like a quote, equally so."""

    score: float  # 100 for what is the same when folded
    places: tuple[Place, ...]
    text: str  # what stands at the first


class _Region(NamedTuple):
    """Part of a folded text that may hold a quote; the more it shares the later it is sorted."""

    shared: int
    order: int  # descending, so that of equal ones the first is kept
    document: str
    begin: int
    text: str


def rapidfuzz() -> ModuleType | None:
    """Its functions, None where it is not installed."""
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
    """For each quote, none of which is blank, the places most like it, None where no block is like it at all.

    Args:
        quotes: what is looked for.
        documents: names and texts, which are gone through once.
        text_of: one of these texts again.
        fuzz: what `rapidfuzz` found.
    """
    folded = list(map(fold, quotes))
    for quote, regions in zip(folded, _regions(folded, documents), strict=True):
        aligned = [(_best_alignment(quote, one.text, fuzz), one) for one in sorted(regions, reverse=True)]
        top = max((score for (score, _, _), _ in aligned), default=0)
        places: list[Place] = []
        for (score, begin, end), one in aligned:
            offsets = FoldedOffsets(text_of(one.document)) if score == top else None
            while offsets is not None and score == top:
                place = Place(one.document, *offsets.original_span(one.begin + begin, one.begin + end))
                if not any(_overlap(place, other) for other in places):
                    places.append(place)
                score, more, length = _best_alignment(quote, one.text[end:], fuzz)  # noqa: PLW2901
                begin, end = end + more, end + length  # noqa: PLW2901
        places.sort()
        yield (
            NearestPlaces(top, tuple(places), text_of(places[0].document)[places[0].start : places[0].end])
            if places
            else None
        )


def _overlap(one: Place, other: Place) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def _best_alignment(quote: str, text: str, fuzz: ModuleType) -> tuple[float, int, int]:
    """The part of a text most like a quote: its score, begin and end."""
    if not text:
        return 0, 0, 0
    found = fuzz.partial_ratio_alignment(quote, text)  # of the length of the quote
    begin, end = found.dest_start, found.dest_end
    wider = min(_REGION_MARGIN, len(quote) // 4 + 4)
    for _ in range(2):
        ends = range(max(begin + 1, end - wider), min(len(text), end + wider) + 1)
        end = max(ends, key=lambda one: (fuzz.ratio(quote, text[begin:one]), -one))
        begins = range(max(0, begin - wider), min(end - 1, begin + wider) + 1)
        begin = max(begins, key=lambda one: (fuzz.ratio(quote, text[one:end]), one))
    begin += text[begin:end].startswith(" ")
    end -= text[begin:end].endswith(" ")
    return fuzz.ratio(quote, text[begin:end]), begin, end


def _regions(folded: Sequence[str], documents: Iterable[tuple[str, str]]) -> list[list[_Region]]:
    """The regions of each quote that are looked at."""
    indexes = [_Index(folded, size) for size in _BLOCK_GRAMS_PER_MATCH]
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


class _Index:
    """The grams of quotes, those of one size."""

    def __init__(self, folded: Sequence[str], size: int) -> None:
        self._size = size
        large = size == max(_BLOCK_GRAMS_PER_MATCH)
        grams: list[list[int]] = [
            np.unique(next(gram_numbers(text, [size]))[1]).tolist() if (len(text) >= _LONG) == large else []
            for text in folded
        ]
        self._table = GramTable(number for some in grams for number in some)
        self._wanted = len(grams)
        quote = np.repeat(np.arange(len(grams)), [len(some) for some in grams])
        which = np.searchsorted(self._table.numbers, [number for some in grams for number in some])
        ordered = np.argsort(which, kind="stable")
        self._quotes: IntArray = quote[ordered]  # the quotes of each gram, one gram after the other
        self._count: IntArray = np.bincount(which, minlength=len(self._table.numbers))
        self._gram: IntArray = which[ordered]

    def shared(self, batch: FoldedTexts, first_block: IntArray, owner: IntArray) -> Iterator[tuple[int, int, int]]:
        """Quote, block and how many grams of the quote this and the next block have, best blocks of a quote first."""
        places, which = self._table.find(next(gram_numbers(batch.folded, [self._size]))[1])
        common = np.bincount(which, minlength=len(self._count)) > max(_COMMON, len(batch.folded) // _COMMON_IN)
        places, which = places[~common[which]], which[~common[which]]
        if not len(places):
            return
        least = (
            np.bincount(self._quotes[~common[self._gram]], minlength=self._wanted) / _BLOCK_GRAMS_PER_MATCH[self._size]
        )
        document = batch.document_at(places)
        block = first_block[document] + (places - batch.bounds[document]) // _BLOCK
        block, which = np.divmod(np.unique(block * len(self._count) + which), len(self._count))
        quote = self._quotes[concatenated_ranges(group_bounds(self._count)[which], self._count[which])]
        key, count = np.unique(np.repeat(block, self._count[which]) * self._wanted + quote, return_counts=True)
        block, quote = np.divmod(key, self._wanted)
        kept = count >= least[quote]
        following = np.searchsorted(key, key + self._wanted)
        following[following == len(key)] = 0
        goes_on = (key[following] == key + self._wanted) & (owner[block[following]] == owner[block])
        count = count + np.where(goes_on, count[following], 0)
        block, quote, count = block[kept], quote[kept], count[kept]
        ordered = np.lexsort([-count, quote])
        block, quote, count = block[ordered], quote[ordered], count[ordered]
        few = np.arange(len(quote)) - np.searchsorted(quote, quote) < _MAX_REGIONS
        yield from zip(quote[few].tolist(), block[few].tolist(), count[few].tolist(), strict=True)
