"""What a reader has of the highlighted text after each result, and what that costs: the data of all measures of chunks.

Conventions. G are the highlighted characters of a topic; its *spans* are its passages, those that overlap merged (those
that only touch stay two), those without length left out. A result [s, e) costs e - s characters, also where an earlier
one holds the same; a result that points to nothing costs 0 and finds nothing. A curve has shape (n + 1,): its value
after the first k of n results, for k = 0, ..., n; past the end of the list it stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, groups_of_rows, stretches
from prum_eval.measures.base import Compute, Measure, Split
from prum_eval.measures.passages.judged import JudgedArticles
from prum_eval.measures.passages.refusals import Demand, checked
from prum_eval.measures.passages.retrieved import Retrieved, retrieved
from prum_eval.measures.passages.segments import cut, first_cover, keys
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

COUNTED_OVERLAP = Parameter(
    "overlap",
    "count",
    "count: every result in full, as a language model pays for it; novel: what an earlier result holds too counts "
    "once; reject: text retrieved twice is an error",
    ("count", "novel", "reject"),
)


@dataclass(frozen=True, slots=True)
class GoldSpans:
    """The spans of a topic (m), sorted by document and start: rows of their documents in the assessments, extents."""

    row: IntArray
    start: IntArray
    end: IntArray

    @property
    def total(self) -> int:
        """|G|, characters."""
        return int((self.end - self.start).sum())


def spans_of(judged: JudgedArticles) -> GoldSpans:
    """The passages of a topic as spans."""
    kept = judged.end > judged.start
    row, start, end = groups_of_rows(judged.bounds)[kept], judged.start[kept], judged.end[kept]
    begin, stop = np.split(keys(np.concatenate((row, row)), np.concatenate((start, end))), 2)
    reached = np.maximum.accumulate(stop)  # keys of a later document are larger than all of this one
    first = np.ones(len(row), dtype=np.bool_)
    first[1:] = begin[1:] >= reached[:-1]
    heads = np.flatnonzero(first)
    return GoldSpans(row[heads], start[heads], np.maximum.reduceat(end, heads) if len(heads) else end)


@dataclass(frozen=True, slots=True)
class ReadText:
    """The results of one topic (n), read one after the other.

    `spans`: what is highlighted; `total`: |G|. `size`: characters of each result. `relevant`, `gross`, `union`: curves
    of |U_k n G|, of the characters read, and of those among them that are not read twice. `new`: the stretches of
    highlighted text that no earlier result holds: result (from 0), offset from its start, length. `shared`: the pairs
    of a result and a span that have characters in common: result, span, number of these characters.
    """

    spans: GoldSpans
    total: int
    size: IntArray
    relevant: IntArray
    gross: IntArray
    union: IntArray
    new: tuple[IntArray, IntArray, IntArray]
    shared: tuple[IntArray, IntArray, IntArray]

    def __len__(self) -> int:
        return len(self.size)


def reading_of(data: TopicData) -> ReadText:
    """What the results of a topic bring and cost; made once for all measures."""
    return data.memo.once("reading", lambda: _read(retrieved(data), _spans(data)))


def _spans(data: TopicData) -> GoldSpans:
    judged = retrieved(data).judged
    return data.judged.memo.once("spans", lambda: spans_of(judged))


def _read(found: Retrieved, spans: GoldSpans) -> ReadText:
    size = found.end - found.start
    rows = np.flatnonzero(size > 0)
    article = np.full(len(found.judged.relevant), -1, dtype=np.int64)  # by row of the assessments, of those retrieved
    inside = np.flatnonzero(found.row >= 0)
    article[found.row[inside]] = inside
    owner = article[spans.row]
    there = np.flatnonzero(owner >= 0)
    there = there[np.argsort(owner[there], kind="stable")]  # articles are numbered by their first results
    owner = owner[there]
    start, end = found.start[rows], found.end[rows]
    position = np.concatenate((start, end, spans.start[there], spans.end[there]))
    segments, number = cut(np.concatenate((found.article[rows], found.article[rows], owner, owner)), position)
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(there)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    new = covered[segments.covers(begin, stop)[covered] > 0]
    reader = rows[first[new]]
    return ReadText(
        spans,
        spans.total,
        size,
        _curve(len(found), reader, segments.length[new]),
        _curve(len(found), rows, size[rows]),
        _curve(len(found), rows[first[covered]], segments.length[covered]),
        (reader, segments.start[new] - found.start[reader], segments.length[new]),
        _shared(found, spans, rows, there, (low, high, begin, stop)),
    )


def _curve(results: int, owner: IntArray, amount: IntArray) -> IntArray:
    """Sums of what each of the first k results owns."""
    curve = np.zeros(results + 1, dtype=np.int64)
    np.add.at(curve, owner + 1, amount)
    return np.cumsum(curve)


def _shared(
    found: Retrieved, spans: GoldSpans, rows: IntArray, there: IntArray, cuts: tuple[IntArray, ...]
) -> tuple[IntArray, IntArray, IntArray]:
    """The pairs of results `rows` and spans `there` that share characters; `cuts`: numbers of their ends, in order."""
    low, high, begin, stop = cuts
    first = np.searchsorted(stop, low, side="right")  # spans are in order and apart
    count = np.maximum(np.searchsorted(begin, high, side="left") - first, 0)
    result, span = np.repeat(rows, count), there[stretches(first, count)]
    both = np.minimum(found.end[result], spans.end[span]) - np.maximum(found.start[result], spans.start[span])
    return result, span, both


CurveOfRanks = Callable[[TopicData, ParameterValues], FloatArray]


def at_ranks(curve: CurveOfRanks) -> tuple[Compute, Split]:
    """A measure that is a curve read at the cut-offs, or at its end: its value, and what each rank adds to that.

    Without highlighted text it has no value.
    """

    def values_of(data: TopicData, values: ParameterValues, ranks: FloatArray) -> tuple[FloatArray, IntArray]:
        reading = reading_of(data)
        last = np.minimum(ranks, len(reading)).astype(np.int64) if len(ranks) else np.array([len(reading)])
        found = curve(data, values) if reading.total else np.full(len(reading) + 1, np.nan)
        return found, last

    def value(data: TopicData, values: ParameterValues, ranks: FloatArray) -> FloatArray:
        found, last = values_of(data, values, ranks)
        return found[last]

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, ranks: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        found, last = values_of(data, values, ranks)
        cut_after = found[np.minimum(np.arange(len(found))[:, None], last)]
        return np.diff(cut_after, axis=0), cut_after[0]

    return value, split


def ratio(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """A quotient, 0 where it would be 0 / 0.

    >>> ratio(np.array([0, 1]), np.array([0, 4])).tolist()
    [0.0, 0.25]
    """
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def refuse_overlap(data: TopicData, values: ParameterValues) -> None:
    """Refuse text that is retrieved twice, where the parameter `COUNTED_OVERLAP` says so.

    Raises:
        RefusedError: with the line of the first result that does it.
    """
    if values["overlap"] == "reject":
        checked(data, Demand.NO_OVERLAP, "count")
