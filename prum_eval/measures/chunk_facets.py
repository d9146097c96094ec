"""Facets of highlighted text: what the characters that were read hold of each alternative.

Conventions are those of `prum_eval.measures.chunks`. The text of a topic's targets is cut into *pieces* wherever a
target begins or ends, so that every target and every alternative is a set of whole pieces. What is read is given per
result as the number of its first characters, ``read`` of shape (n,); characters of pieces are counted where they are
read first. Targets without length, alternatives and facets without characters are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.arrays import (
    EMPTY_INTS,
    BoolArray,
    FloatArray,
    IntArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    grouped_sums,
    sorted_unique,
)
from prum_eval.collection.locations import same_document_pairs
from prum_eval.measures.passages import RetrievedText, position_keys
from prum_eval.measures.topic_data import JudgedTopic, TopicBatch

if TYPE_CHECKING:
    from prum_eval.measures.chunks import RelevantSpans, TextReading


@dataclass(slots=True, eq=False, repr=False)
class FacetText:
    """Facets of one or more topics with their text.

    Facet i has the alternatives ``bounds[i]:bounds[i + 1]``; alternative j the targets ``members[...]`` in
    `member_bounds` and the pieces ``pieces[...]`` in `piece_bounds`. `row`, `start`, `end`: of each target, its article
    in the assessments and its extent; target t has the pieces ``first[t]:last[t]``. `piece_row`, `piece_start`,
    `piece_end`: of each piece, sorted by article and start.
    """

    weight: FloatArray
    bounds: IntArray
    member_bounds: IntArray
    members: IntArray
    piece_bounds: IntArray
    pieces: IntArray
    row: IntArray
    start: IntArray
    end: IntArray
    first: IntArray
    last: IntArray
    piece_row: IntArray
    piece_start: IntArray
    piece_end: IntArray


_BOUNDS = frozenset({"bounds", "member_bounds", "piece_bounds"})
"""Columns of bounds."""
_OFFSETS = {"members": "row", "pieces": "piece_row", "first": "piece_row", "last": "piece_row"}
"""Columns of numbers, and a column with an entry for each of what they number."""


def facet_text(judged: JudgedTopic) -> FacetText:
    """The facets of a topic that declares some, with their text."""
    return judged.memo.get_or_compute("facet text", lambda: _make_facet_text(judged))


def _make_facet_text(judged: JudgedTopic) -> FacetText:
    facets = judged.facets
    assert facets is not None  # noqa: S101 - the caller asks for topics with facets only
    places = facets.targets.locations
    rows = {name: row for row, name in enumerate(judged.assessed_topic.documents)}
    row_of_document = np.array([rows[name] for name in facets.targets.documents], dtype=np.int64)
    row, start = row_of_document[places.document], places.start
    end = start + places.length
    kept = np.flatnonzero(places.length > 0)
    number = np.full(len(places), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    ways = [[_numbered(way, number) for way in facets.alternatives(facet)] for facet in range(len(facets))]
    ways = [[way for way in of_facet if way] for of_facet in ways]
    weights = [weight for weight, of_facet in zip(facets.weight.tolist(), ways, strict=True) if of_facet]
    ways = [of_facet for of_facet in ways if of_facet]
    row, start, end = row[kept], start[kept], end[kept]
    low, high, first, last = _cut_pieces(row, start, end)
    alternatives = [way for of_facet in ways for way in of_facet]
    pieces = [sorted({piece for t in way for piece in range(first[t], last[t])}) for way in alternatives]
    return FacetText(
        np.array(weights),
        group_bounds([len(of_facet) for of_facet in ways]),
        group_bounds([len(way) for way in alternatives]),
        _flat(alternatives),
        group_bounds([len(part) for part in pieces]),
        _flat(pieces),
        *(row, start, end, first, last),
        *(low[:, 0], low[:, 1], high),
    )


def _numbered(targets: Sequence[int], number: IntArray) -> list[int]:
    """New numbers of targets, without those that have none."""
    return [int(number[target]) for target in targets if number[target] >= 0]


def _flat(parts: Sequence[Sequence[int]]) -> IntArray:
    return np.array([number for part in parts for number in part], dtype=np.int64)


def _cut_pieces(row: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Pieces of the union of extents: (row, start) and end of each, and each extent's first and last piece."""
    points = sorted(
        {(r, p) for r, s, e in zip(row.tolist(), start.tolist(), end.tolist(), strict=True) for p in (s, e)}
    )
    place = {point: number for number, point in enumerate(points)}
    extents = list(zip(row.tolist(), start.tolist(), end.tolist(), strict=True))
    inside = np.zeros(len(points) + 1, dtype=np.int64)
    for r, s, e in extents:
        inside[place[r, s]] += 1
        inside[place[r, e]] -= 1
    covered = np.cumsum(inside)[:-1] > 0
    before = np.append(0, np.cumsum(covered))
    table = np.array(points, dtype=np.int64).reshape(-1, 2)
    pieces = np.flatnonzero(covered)
    first = np.array([before[place[r, s]] for r, s, _ in extents], dtype=np.int64)
    last = np.array([before[place[r, e]] for r, _, e in extents], dtype=np.int64)
    return table[pieces], table[pieces + 1, 1] if len(pieces) else EMPTY_INTS, first, last


def text_of_spans(spans: RelevantSpans, chosen: IntArray) -> FacetText:
    """Spans that do not overlap as facets of their own."""
    row, start, end = spans.row[chosen], spans.start[chosen], spans.end[chosen]
    count = len(chosen)
    one, number = np.arange(count + 1), np.arange(count)
    weight = np.ones(count)
    return FacetText(weight, one, one, number, one, number, row, start, end, number, number + 1, row, start, end)


def join_facet_texts(parts: Sequence[FacetText], rows: Sequence[int]) -> FacetText:
    """The facets of several topics, one after the other; articles of part i are numbered from ``rows[i]`` on."""
    columns: dict[str, list[Any]] = {name: [] for name in FacetText.__slots__}
    for part, low in zip(parts, rows, strict=True):
        for name, column in columns.items():
            values = getattr(part, name)
            if name in ("row", "piece_row"):
                values = values + low
            elif name in _OFFSETS:
                values = values + sum(map(len, columns[_OFFSETS[name]]))
            column.append(values)
    joined: dict[str, Any] = {
        name: group_bounds(np.concatenate([EMPTY_INTS, *map(np.diff, column)]))
        if name in _BOUNDS
        else np.concatenate([np.empty(0) if name == "weight" else EMPTY_INTS, *column])
        for name, column in columns.items()
    }
    return FacetText(**joined)


@dataclass(eq=False, repr=False)
class FacetReading:
    """What the results of topics hold of the text of facets.

    `topics`: numbers of the topics in the batch, ascending; topic ``topics[i]`` has the facets ``bounds[i]:bounds[i +
    1]``. `place`: rank, from 0, of each result of the batch; `owner`: its topic in the batch.
    """

    topics: IntArray
    bounds: IntArray
    text: FacetText
    retrieved: RetrievedText
    reading: TextReading
    place: IntArray
    owner: IntArray

    @cached_property
    def _overlaps(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Text that is read first: piece, result, offset in the result, length."""
        text, retrieved = self.text, self.retrieved
        result, offset, length = self.reading.new_stretches
        start = retrieved.start[result] + offset
        row = retrieved.row[retrieved.article[result]]
        rows = np.concatenate((row, row, text.piece_row, text.piece_row))
        ends = np.concatenate((start, start + length, text.piece_start, text.piece_end))
        cuts = np.cumsum([len(row), len(row), len(text.piece_row)])
        low, high, begin, stop = np.split(position_keys(rows, ends), cuts)
        first = np.searchsorted(stop, low, side="right")
        count = np.maximum(np.searchsorted(begin, high, side="left") - first, 0)
        piece, stretch = concatenated_ranges(first, count), np.repeat(np.arange(len(row)), count)
        inside = np.maximum(text.piece_start[piece], start[stretch])
        until = np.minimum(text.piece_end[piece], (start + length)[stretch])
        owner = result[stretch]
        return piece, owner, inside - retrieved.start[owner], until - inside

    def read_pieces(self, read: IntArray) -> IntArray:
        """Characters of each piece that are read."""
        piece, result, offset, length = self._overlaps
        characters = np.clip(read[result] - offset, 0, length)
        return grouped_sums(piece, characters.astype(np.float64), len(self.text.piece_row)).astype(np.int64)

    @cached_property
    def piece_length(self) -> IntArray:
        """Characters of each piece."""
        return self.text.piece_end - self.text.piece_start

    @cached_property
    def alternative_length(self) -> IntArray:
        """Characters of each alternative."""
        return self._alternative_sums(self.piece_length)

    def _alternative_sums(self, characters: IntArray) -> IntArray:
        return np.asarray(np.add.reduceat(characters[self.text.pieces], self.text.piece_bounds[:-1]))

    @cached_property
    def facet_length(self) -> FloatArray:
        """c_f: weight times the mean number of characters of the alternatives."""
        sums = np.add.reduceat(self.alternative_length, self.text.bounds[:-1])
        return np.asarray(self.text.weight * (sums / np.diff(self.text.bounds)))

    def columns(self, read: IntArray, ranks: IntArray) -> Iterator[IntArray]:
        """What is read of each result after ranks of shape (topics of the batch, n), a column after the other."""
        for column in ranks.T:
            yield np.where(self.place < column[self.owner], read, 0)

    def _topic_sums(self, values: FloatArray) -> FloatArray:
        """Sum over the facets of each topic, in their order."""
        return grouped_sums(group_numbers(self.bounds), values, len(self.topics))

    def recall(self, read: IntArray) -> FloatArray:
        """sum_f c_f max_a share(a) / sum_f c_f."""
        share = self._alternative_sums(self.read_pieces(read)) / self.alternative_length
        best = np.maximum.reduceat(share, self.text.bounds[:-1])
        return self._topic_sums(self.facet_length * best) / self._topic_sums(self.facet_length)

    def best_text(self, read: IntArray) -> tuple[IntArray, IntArray]:
        """|U n G*| and |G*|, G* the union of the best alternatives of all facets."""
        characters = self.read_pieces(read)
        share = self._alternative_sums(characters) / self.alternative_length
        facet = group_numbers(self.text.bounds)
        order = np.lexsort((self.alternative_length, -share, facet))  # stable: the first of equal ones
        best = order[self.text.bounds[:-1]]
        counts = np.diff(self.text.piece_bounds)[best]
        chosen = sorted_unique(self.text.pieces[concatenated_ranges(self.text.piece_bounds[best], counts)])
        sums = (self._sum_pieces(column, chosen) for column in (characters, self.piece_length))
        relevant, total = sums
        return relevant, total

    def _sum_pieces(self, column: IntArray, chosen: IntArray) -> IntArray:
        """Sum over some pieces of each topic."""
        sums = grouped_sums(self._topic_of_piece[chosen], column[chosen].astype(np.float64), len(self.topics))
        return sums.astype(np.int64)

    @cached_property
    def _topic_of_piece(self) -> IntArray:
        alternative = group_numbers(self.text.piece_bounds)
        facet = group_numbers(self.text.bounds)[alternative]
        topic = np.empty(len(self.text.piece_row), dtype=np.int64)
        topic[self.text.pieces] = group_numbers(self.bounds)[facet]
        return topic

    def answered(self, read: IntArray, touch: str) -> BoolArray:
        """Whether every facet has an alternative of which what is read holds enough of every target."""
        text = self.text
        sums = np.append(0, np.cumsum(self.read_pieces(read)))
        enough = is_enough(sums[text.last] - sums[text.first], text.end - text.start, touch)
        together = np.logical_and.reduceat(enough[text.members], text.member_bounds[:-1])
        satisfied = np.logical_or.reduceat(together, text.bounds[:-1])
        return np.asarray(np.logical_and.reduceat(satisfied, self.bounds[:-1]))

    @cached_property
    def _shared(self) -> tuple[IntArray, IntArray, IntArray]:
        """Pairs of a result and a target that share characters: result, target, number of characters."""
        retrieved, text = self.retrieved, self.text
        results = np.flatnonzero(retrieved.end > retrieved.start)
        pairs = same_document_pairs(retrieved.row[retrieved.article[results]], text.row)
        result, target = results[pairs[0]], pairs[1]
        shared = np.minimum(retrieved.end[result], text.end[target])
        shared -= np.maximum(retrieved.start[result], text.start[target])
        some = shared > 0
        return result[some], target[some], shared[some]

    def findings(self, touch: str) -> tuple[IntArray, IntArray]:
        """Pairs of a result and a target that it finds by itself."""
        result, target, shared = self._shared
        enough = is_enough(shared, (self.text.end - self.text.start)[target], touch)
        return result[enough], target[enough]

    def first_findings(self, touch: str) -> IntArray:
        """The first result that finds each target by itself; the number of all results if none does."""
        result, target = self.findings(touch)
        first = np.full(len(self.text.row), len(self.place), dtype=np.int64)
        np.minimum.at(first, target, result)
        return first

    def first_satisfied(self, touch: str) -> IntArray:
        """The first result after which each facet has an alternative whose targets were all found."""
        text = self.text
        together = np.maximum.reduceat(self.first_findings(touch)[text.members], text.member_bounds[:-1])
        return np.asarray(np.minimum.reduceat(together, text.bounds[:-1]))

    def span_recall(self, touch: str, ranks: IntArray) -> FloatArray:
        """Weight of the facets that the first k results find, over that of all; shape (topics, n)."""
        last = np.repeat(self.reading.bounds[self.topics][:, None] + ranks[self.topics], np.diff(self.bounds), axis=0)
        found = (self.first_satisfied(touch)[:, None] < last) * self.text.weight[:, None]
        columns = [self._topic_sums(column) / self._topic_sums(self.text.weight) for column in found.T]
        return np.stack(columns, axis=1)

    def first_hits(self, touch: str) -> IntArray:
        """The first result that finds any target of each topic; the number of all results if none does."""
        text = self.text
        in_order = self.first_findings(touch)[text.members]
        targets = text.member_bounds[text.bounds[self.bounds]]
        return np.asarray(np.minimum.reduceat(in_order, targets[:-1]))


def is_enough(shared: IntArray, length: IntArray, touch: str) -> BoolArray:
    """Whether enough of targets is shared: any character, half of them, or all."""
    enough: BoolArray = {"any": shared > 0, "half": 2 * shared >= length, "whole": shared == length}[touch]
    return enough


def facet_reading(batch: TopicBatch, retrieved: RetrievedText, reading: TextReading) -> FacetReading | None:
    """What results hold of the facets of the topics that declare some; None if no topic has facets with text."""
    texts = {
        number: facet_text(topic.judged) for number, topic in enumerate(batch.topics) if topic.judged.facets is not None
    }
    return _make_reading({number: text for number, text in texts.items() if len(text.weight)}, retrieved, reading)


def span_reading(batch: TopicBatch, retrieved: RetrievedText, reading: TextReading) -> FacetReading | None:
    """What results hold of facets in all topics; in topics that declare none every merged span is a facet."""
    edges = reading.span_bounds.tolist()
    texts: dict[int, FacetText] = {}
    for number, topic in enumerate(batch.topics):
        if topic.judged.facets is not None:
            texts[number] = facet_text(topic.judged)
        else:
            text = text_of_spans(reading.spans, np.arange(edges[number], edges[number + 1]))
            low = int(retrieved.judged_bounds[number])
            text.row, text.piece_row = text.row - low, text.piece_row - low
            texts[number] = text
    return _make_reading({number: text for number, text in texts.items() if len(text.weight)}, retrieved, reading)


def _make_reading(texts: dict[int, FacetText], retrieved: RetrievedText, reading: TextReading) -> FacetReading | None:
    if not texts:
        return None
    topics = np.array(list(texts), dtype=np.int64)
    text = join_facet_texts(list(texts.values()), retrieved.judged_bounds[topics].tolist())
    owner = group_numbers(reading.bounds)
    place = np.arange(len(owner)) - reading.bounds[owner]
    bounds = group_bounds([len(part.weight) for part in texts.values()])
    return FacetReading(topics, bounds, text, retrieved, reading, place, owner)
