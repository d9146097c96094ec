"""Measures of chunks: highlighted text found, spans hit, and the cost of reading.

Families: chunk_text (precision, recall, F1, intersection over union), chunk_spans (hits, recall of spans, reciprocal
rank), chunk_budgets (size, redundancy, tokens, recall within a budget).

Conventions. G are the highlighted characters of a topic; its *spans* are its passages, those that overlap merged (those
that only touch stay two), those without length left out. A result [s, e) costs e - s characters, also where an earlier
one holds the same; a result that points to nothing costs 0 and finds nothing. Values are computed after the first k
results of each topic, for `ranks` k of shape (topics, n), none past the end of its list. A single result *finds* a
span: with touch=any by one character of it, half by half of them, whole by all.

Sources: sets of characters as in HiXEval and inex_eval; sizes of all results in full as in Smith, Troynikov, Evaluating
chunking strategies for retrieval, 2024; budgets and spans are our own definitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, concatenated_ranges, group_numbers, sums_of_groups
from prum_eval.errors import UnsupportedResultError
from prum_eval.measures.base import CURVE_BUDGETS, Direction, Measure, Need, Shape
from prum_eval.measures.chunk_facets import FacetReading, facet_reading, span_reading
from prum_eval.measures.passages import (
    JudgedArticles,
    Requirement,
    RetrievedText,
    checked_results,
    cut_segments,
    first_cover,
    position_keys,
    retrieved_text,
)
from prum_eval.measures.registry import PRECISION_OMEGA
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.parameters import Parameter, ParameterValues

CHUNK_OVERLAP_PARAMETER = Parameter(
    "overlap",
    "count",
    "count: every result in full, as a language model pays for it; novel: what an earlier result holds too counts "
    "once; reject: text retrieved twice is an error",
    ("count", "novel", "reject"),
)


@dataclass(frozen=True, slots=True)
class RelevantSpans:
    """The spans of topics (m), sorted by document and start.

    `row`: of their documents in the assessments; `start`, `end`: their extents.
    """

    row: IntArray
    start: IntArray
    end: IntArray


def relevant_spans(judged: JudgedArticles) -> RelevantSpans:
    """The passages of topics as spans."""
    nonempty = judged.end > judged.start
    row, start, end = group_numbers(judged.bounds)[nonempty], judged.start[nonempty], judged.end[nonempty]
    begin, stop = np.split(position_keys(np.concatenate((row, row)), np.concatenate((start, end))), 2)
    furthest = np.maximum.accumulate(stop)  # keys of a later document are larger than all of this one
    first = np.ones(len(row), dtype=np.bool_)
    first[1:] = begin[1:] >= furthest[:-1]
    heads = np.flatnonzero(first)
    return RelevantSpans(row[heads], start[heads], np.maximum.reduceat(end, heads) if len(heads) else end)


@dataclass(frozen=True, slots=True)
class TextReading:
    """The results of topics (n in all), read one after the other; topic i has the rows ``bounds[i]:bounds[i + 1]``.

    `spans`: the highlighted spans, `span_bounds` those of each topic; `totals`: |G| of each topic. `size`: characters
    of each result. `relevant`, `read_characters`, `distinct_characters`: |U_k n G|, the characters read, and the
    distinct ones among them, summed over all results before each, shape (n + 1,). `new_stretches`: the stretches of
    highlighted text that no earlier result holds: result (from 0), offset from its start, length. `span_overlaps`: the
    pairs of a result and a span that share characters: result, span, number of shared characters.
    """

    bounds: IntArray
    spans: RelevantSpans
    span_bounds: IntArray
    totals: IntArray
    size: IntArray
    relevant: IntArray
    read_characters: IntArray
    distinct_characters: IntArray
    new_stretches: tuple[IntArray, IntArray, IntArray]
    span_overlaps: tuple[IntArray, IntArray, IntArray]

    def after(self, sums: IntArray, ranks: IntArray) -> IntArray:
        """Sum over the first k results of each topic, for ranks k of shape (topics, n)."""
        first = self.bounds[:-1, None]
        return np.asarray(sums[first + ranks] - sums[first])

    def relevant_before(self, read: IntArray) -> IntArray:
        """Highlighted characters that are read first in the results before each, of so many characters of each."""
        result, offset, length = self.new_stretches
        return _sums_before(len(self.size), result, np.clip(read[result] - offset, 0, length))

    def relevant_read(self, read: IntArray) -> IntArray:
        """|U n G| of each topic, if so many characters of each result are read."""
        sums = self.relevant_before(read)
        return np.asarray(sums[self.bounds[1:]] - sums[self.bounds[:-1]])


def text_reading(batch: TopicBatch) -> TextReading:
    """Highlighted text and cost of the results of topics; computed once for all measures."""
    return batch.memo.get_or_compute("reading", lambda: _make_text_reading(retrieved_text(batch)))


def _make_text_reading(retrieved: RetrievedText) -> TextReading:
    spans = relevant_spans(retrieved.judged)
    span_bounds = np.searchsorted(spans.row, retrieved.judged_bounds)
    size = retrieved.end - retrieved.start
    rows = np.flatnonzero(size > 0)
    article = np.full(
        len(retrieved.judged.relevant), -1, dtype=np.int64
    )  # by row of the assessments, of those retrieved
    judged_articles = np.flatnonzero(retrieved.row >= 0)
    article[retrieved.row[judged_articles]] = judged_articles
    span_article = article[spans.row]
    shared_spans = np.flatnonzero(span_article >= 0)
    shared_spans = shared_spans[
        np.argsort(span_article[shared_spans], kind="stable")
    ]  # articles are numbered by their first results
    span_article = span_article[shared_spans]
    start, end = retrieved.start[rows], retrieved.end[rows]
    position = np.concatenate((start, end, spans.start[shared_spans], spans.end[shared_spans]))
    segments, number = cut_segments(
        np.concatenate((retrieved.article[rows], retrieved.article[rows], span_article, span_article)), position
    )
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(shared_spans)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    new = covered[segments.count_covering(begin, stop)[covered] > 0]
    reader = rows[first[new]]
    return TextReading(
        retrieved.bounds,
        spans,
        span_bounds,
        sums_of_groups(spans.end - spans.start, span_bounds),
        size,
        _sums_before(len(retrieved), reader, segments.length[new]),
        _sums_before(len(retrieved), rows, size[rows]),
        _sums_before(len(retrieved), rows[first[covered]], segments.length[covered]),
        (reader, segments.start[new] - retrieved.start[reader], segments.length[new]),
        _span_overlaps(retrieved, spans, rows, shared_spans, (low, high, begin, stop)),
    )


def facets_read(batch: TopicBatch) -> FacetReading | None:
    """What the results hold of facets, in topics that declare some; None if none does."""
    if all(topic.judged.facets is None for topic in batch.topics):
        return None
    return batch.memo.get_or_compute(
        "facets read", lambda: facet_reading(batch, retrieved_text(batch), text_reading(batch))
    )


def spans_read(batch: TopicBatch) -> FacetReading | None:
    """What the results hold of facets in all topics; in topics that declare none every span is a facet."""
    return batch.memo.get_or_compute(
        "spans read", lambda: span_reading(batch, retrieved_text(batch), text_reading(batch))
    )


OfFacets = Callable[[FacetReading, IntArray], FloatArray | BoolArray]
"""(facets, characters read of each result) -> values of the topics with facets, shape (topics,)."""


def with_facets(
    values: FloatArray, facets: FacetReading | None, read: IntArray, ranks: IntArray, of: OfFacets
) -> FloatArray:
    """The values after ranks, shape (topics, n), with those of the topics that have facets in their place.

    Args:
        values: the values without facets.
        facets: the facets.
        read: characters that are read of each result.
        ranks: where the lists are cut, shape (topics, n).
        of: computes the values of facets.
    """
    if facets is not None:
        for number, column in enumerate(facets.columns(read, ranks)):
            values[facets.topics, number] = of(facets, column)
    return values


def _sums_before(results: int, owner: IntArray, amount: IntArray) -> IntArray:
    """Sums of the amounts that belong to the results before each, shape (results + 1,)."""
    sums = np.zeros(results + 1, dtype=np.int64)
    np.add.at(sums, owner + 1, amount)
    return np.cumsum(sums)


def _span_overlaps(
    retrieved: RetrievedText, spans: RelevantSpans, rows: IntArray, shared_spans: IntArray, cuts: tuple[IntArray, ...]
) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of results `rows` and spans `shared_spans` that share characters; `cuts`: numbers of their ends."""
    low, high, begin, stop = cuts
    first = np.searchsorted(stop, low, side="right")  # spans are in order and apart
    count = np.maximum(np.searchsorted(begin, high, side="left") - first, 0)
    result, span = np.repeat(rows, count), shared_spans[concatenated_ranges(first, count)]
    shared = np.minimum(retrieved.end[result], spans.end[span]) - np.maximum(retrieved.start[result], spans.start[span])
    return result, span, shared


_CUTOFFS = (1.0, 3.0, 5.0, 10.0)
_chunk_measure = partial(
    Measure, needs=frozenset({Need.SPANS, Need.EXTENTS}), without_targets=True, needs_relevance=True, over_facets=True
)

ValuesAfter = Callable[[TopicBatch, ParameterValues, IntArray], FloatArray]
"""(topics, parameters, ranks of shape (topics, n)) -> values after the first k results, shape (topics, n)."""


def values_of_highlighted(
    batch: TopicBatch, shape: tuple[int, ...], compute: Callable[[TopicBatch], FloatArray]
) -> FloatArray:
    """Values, of some shape, of each topic; NaN for topics without highlighted text, which are not computed."""
    rows = np.flatnonzero(text_reading(batch).totals)
    if len(rows) == len(batch):
        return compute(batch)
    values = np.full((len(batch), *shape), np.nan)
    if len(rows):
        values[rows] = compute(batch.memo.get_or_compute("highlighted", lambda: batch.select(rows)))
    return values


def measure_of_ranks(values_after: ValuesAfter) -> dict[str, Any]:
    """The functions of a measure of the first k results, k the cut-offs or the length of the list.

    The value is NaN without highlighted text.
    """

    def compute(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        def after_cutoffs(part: TopicBatch) -> FloatArray:
            sizes = np.diff(part.bounds)[:, None]
            return values_after(part, values, np.minimum(cutoffs, sizes).astype(np.int64) if len(cutoffs) else sizes)

        return values_of_highlighted(batch, (max(len(cutoffs), 1),), after_cutoffs)

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        ranks = np.arange(len(data.ranking) + 1)[None, :]
        points = values_of_highlighted(
            TopicBatch([data]), ranks.shape[1:], lambda batch: values_after(batch, values, ranks)
        )[0]
        last = np.minimum(cutoffs if len(cutoffs) else np.inf, len(data.ranking)).astype(np.int64).reshape(-1)
        cut_after = points[np.minimum(ranks.T, last)]
        return np.diff(cut_after, axis=0), cut_after[0]

    return {"per_batch": compute, "split": split}


def ratio(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """Quotients, with 0 / 0 = 0.

    >>> ratio(np.array([0, 1]), np.array([0, 4])).tolist()
    [0.0, 0.25]
    """
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) > 0)


def refuse_overlap(batch: TopicBatch, values: ParameterValues) -> None:
    """Refuse text that is retrieved twice, if overlap=reject.

    Raises:
        UnsupportedResultError: with the line of the first result that does it.
    """
    if values["overlap"] == "reject":
        checked_results(batch, Requirement.NO_OVERLAP, "count")


# Sets of characters: precision, recall, F1 and intersection over union of the first K results.


def text_precision(relevant: IntArray, read: IntArray, _total: IntArray) -> FloatArray:
    """rel_k / characters read."""
    return ratio(relevant, read)


def text_recall(relevant: IntArray, _read: IntArray, total: IntArray) -> FloatArray:
    """rel_k / |G|."""
    return ratio(relevant, np.broadcast_to(total, relevant.shape))


def f1(relevant: IntArray, read: IntArray, total: IntArray) -> FloatArray:
    """2 P R / (P + R), 0 where P = 0."""
    recall, precision = text_recall(relevant, read, total), text_precision(relevant, read, total)
    return ratio(2 * precision * recall, precision + recall)


def intersection_over_union(relevant: IntArray, read: IntArray, total: IntArray) -> FloatArray:
    """rel_k / (characters read + |G| - rel_k)."""
    return ratio(relevant, read + total - relevant)


TextFormula = Callable[[IntArray, IntArray, IntArray], FloatArray]
"""(relevant characters, characters read, highlighted characters) -> values."""


def _text_measure(
    name: str,
    summary: str,
    formula: str,
    y_label: str,
    of: TextFormula,
    of_facets: Callable[[FacetReading, IntArray, FloatArray], FloatArray] | None = None,
) -> Measure:
    """A measure of sets of characters; `of_facets` takes facets, what is read of each result, and how much."""

    def values_after(batch: TopicBatch, values: ParameterValues, ranks: IntArray) -> FloatArray:
        refuse_overlap(batch, values)
        reading = text_reading(batch)
        read = reading.distinct_characters if values["overlap"] == "novel" else reading.read_characters
        relevant, characters = reading.after(reading.relevant, ranks), reading.after(read, ranks)
        of_text = of(relevant, characters, reading.totals[:, None])
        facets = facets_read(batch) if of_facets is not None else None
        if of_facets is not None and facets is not None:
            for number, column in enumerate(facets.columns(reading.size, ranks)):
                rows = facets.topics
                of_text[rows, number] = of_facets(facets, column, characters[rows, number].astype(np.float64))
        return of_text

    return _chunk_measure(
        name=name,
        family="chunk_text",
        summary=summary,
        explanation=f"{formula} {_TEXT}",
        source="sets of characters as HiXEval and inex_eval; Smith, Troynikov: Evaluating chunking strategies for "
        "retrieval, 2024",
        shape=Shape.AT_RANKS,
        cutoffs=_CUTOFFS,
        parameters=(CHUNK_OVERLAP_PARAMETER,),
        y_label=f"{y_label}, in characters",
        **measure_of_ranks(values_after),
    )


def _f1_of_facets(facets: FacetReading, read: IntArray, characters: FloatArray) -> FloatArray:
    relevant = facets.reading.relevant_read(read)[facets.topics]
    precision, recall = ratio(relevant, characters), facets.recall(read)
    return ratio(2 * precision * recall, precision + recall)


def _iou_of_facets(facets: FacetReading, read: IntArray, characters: FloatArray) -> FloatArray:
    relevant, total = facets.best_text(read)
    return ratio(relevant, characters + total - relevant)


_TEXT = (
    "G: highlighted characters; relevant: characters of G that the first K results hold, each counted once. Characters "
    "read are those of the first K results, each result in full (overlap=novel: what they hold together). A list "
    "shorter than K counts as it is. A topic without highlighted text is left out."
)
CHUNK_TEXT = (
    _text_measure(
        "char_rec_K",
        "share of highlighted characters among the first K results",
        "Relevant / |G|. Of a topic with facets: sum of c max a / sum of c over the facets, a being the share of an "
        "alternative that is read, c the weight times the mean number of characters of the alternatives.",
        "recall",
        text_recall,
        lambda facets, read, _characters: facets.recall(read),
    ),
    _text_measure(
        "char_prec_K",
        "share of the characters of the first K results that are highlighted",
        "Relevant / characters read.",
        "precision",
        text_precision,
    ),
    _text_measure(
        "char_f1_K",
        "harmonic mean of char_prec and char_rec at K",
        "F1 = 2 P R / (P + R), 0 where P is.",
        "F1",
        f1,
        _f1_of_facets,
    ),
    _text_measure(
        "char_iou",
        "intersection over union of highlighted characters and the first K results",
        "Relevant / (characters read + |G| - relevant). Of a topic with facets G is the text of one alternative per "
        "facet, that of which the largest share is read.",
        "intersection over union",
        intersection_over_union,
        _iou_of_facets,
    ),
)


def precision_omega(batch: TopicBatch, _values: ParameterValues, ranks: IntArray) -> FloatArray:
    """|U n G| / |U u G|, U the union of the results that hold a highlighted character."""
    reading = text_reading(batch)
    sums = batch.memo.get_or_compute("omega", lambda: _sum_relevant_results(retrieved_text(batch), reading))
    relevant, union = reading.after(reading.relevant, ranks), reading.after(sums, ranks)
    return ratio(relevant, union + reading.totals[:, None] - relevant)


def _sum_relevant_results(retrieved: RetrievedText, reading: TextReading) -> IntArray:
    """Characters of the union of the results that hold highlighted text, of those before each result."""
    rows = np.unique(reading.span_overlaps[0])
    ends = np.concatenate((retrieved.start[rows], retrieved.end[rows]))
    segments, number = cut_segments(np.tile(retrieved.article[rows], 2), ends)
    low, high = np.split(number, 2)
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    return _sums_before(len(retrieved), rows[first[covered]], segments.length[covered])


OMEGA = _chunk_measure(
    name=PRECISION_OMEGA,
    family="chunk_text",
    summary="precision of a retriever that finds every chunk with highlighted text",
    explanation="|U and G| / |U or G|, where G is the highlighted characters and U the characters of all listed "
    "results that hold one of them. It bounds the precision that these chunks allow. It equals precision-omega of its "
    "source only if every list holds all chunks of the corpus. A topic without highlighted text is left out.",
    source="Smith, Troynikov: Evaluating chunking strategies for retrieval, 2024",
    shape=Shape.SCALAR,
    **measure_of_ranks(precision_omega),
)


# Spans that the first K results find.

SPAN_TOUCH = Parameter(
    "touch",
    "any",
    "how much of a span a single result must hold to find it: any, one character; half of it; the whole of it",
    ("any", "half", "whole"),
)


_TOUCH_TOGETHER = Parameter(
    "touch",
    "whole",
    "how much of a span the results must hold together: any, one character; half of it; the whole of it",
    ("whole", "half", "any"),
)


def sum_found_spans(reading: TextReading, touch: str) -> IntArray:
    """Number of spans that single results found before each result, shape (n + 1,)."""
    result, span, shared = reading.span_overlaps
    length = (reading.spans.end - reading.spans.start)[span]
    finds = {"any": shared > 0, "half": 2 * shared >= length, "whole": shared == length}[touch]
    results = len(reading.size)
    first = np.full(len(reading.spans.row), results, dtype=np.int64)
    np.minimum.at(first, span[finds], result[finds])
    return np.cumsum(np.bincount(first[first < results] + 1, minlength=results + 1))


def _found_spans(batch: TopicBatch, values: ParameterValues) -> IntArray:
    touch = str(values["touch"])
    return batch.memo.get_or_compute(("spans found", touch), lambda: sum_found_spans(text_reading(batch), touch))


def has_hit(batch: TopicBatch, values: ParameterValues, ranks: IntArray) -> FloatArray:
    """1 from the first result on that finds a span."""
    return (_first_hits(batch, values)[:, None] < ranks).astype(np.float64)


def _first_hits(batch: TopicBatch, values: ParameterValues) -> IntArray:
    """Rank, from 0, of the first result of each topic that finds a span; past the list if none does."""

    def compute() -> IntArray:
        reading, found, facets = text_reading(batch), _found_spans(batch, values), facets_read(batch)
        first = np.searchsorted(found, found[reading.bounds[:-1]], side="right") - reading.bounds[:-1] - 1
        if facets is not None:
            first[facets.topics] = facets.first_hits(str(values["touch"])) - reading.bounds[facets.topics]
        return np.where(first < np.diff(reading.bounds), first, len(reading.size))

    return batch.memo.get_or_compute(("first hits", values["touch"]), compute)


def is_answered(batch: TopicBatch, values: ParameterValues, ranks: IntArray) -> FloatArray:
    """1 if what the results hold together answers every facet, else all highlighted text."""
    return _answered_by(batch, text_reading(batch).size, values, ranks)


def _answered_by(batch: TopicBatch, read: IntArray, values: ParameterValues, ranks: IntArray) -> FloatArray:
    """1 if the text that is read answers every facet, else every span; `read`: characters of each result."""
    reading, touch = text_reading(batch), str(values["touch"])
    relevant = reading.after(reading.relevant_before(read), ranks)
    answered = np.where(relevant == reading.totals[:, None], 1.0, 0.0)
    facets = facets_read(batch) if touch == "whole" else spans_read(batch)
    return with_facets(answered, facets, read, ranks, lambda each, column: each.answered(column, touch))


def span_recall(batch: TopicBatch, values: ParameterValues, ranks: IntArray) -> FloatArray:
    """Spans found / spans; with facets the weight of those that are found / that of all."""
    reading, facets = text_reading(batch), facets_read(batch)
    found = reading.after(_found_spans(batch, values), ranks)
    recall = ratio(found, np.broadcast_to(np.diff(reading.span_bounds)[:, None], found.shape))
    if facets is not None:
        recall[facets.topics] = facets.span_recall(str(values["touch"]), ranks)
    return recall


def first_hit(batch: TopicBatch, values: ParameterValues, ranks: IntArray) -> FloatArray:
    """1 / rank of the first result that finds a span, 0 before it."""
    first = _first_hits(batch, values)[:, None] + 1
    return np.where(first <= ranks, 1.0 / first, 0.0)


def _span_measure(
    name: str,
    summary: str,
    explanation: str,
    values_after: ValuesAfter,
    parameters: tuple[Parameter, ...] = (SPAN_TOUCH,),
    shape: Shape = Shape.AT_RANKS,
    y_label: str = "",
) -> Measure:
    return _chunk_measure(
        name=name,
        family="chunk_spans",
        summary=summary,
        explanation=f"{explanation} {_SPANS_TEXT}",
        source="hit rate, recall and reciprocal rank as in retrieval-augmented generation; the definitions are ours",
        shape=shape,
        cutoffs=_CUTOFFS if shape is Shape.AT_RANKS else (),
        parameters=parameters,
        y_label=y_label,
        **measure_of_ranks(values_after),
    )


_SPANS_TEXT = (
    "Spans are the highlighted passages, those that overlap merged (in a topic with facets: as given); those of all "
    "documents count. A topic without any is left out."
)
CHUNK_SPANS = (
    _span_measure(
        "hit",
        "whether one of the first K results finds a span",
        "1 if one of the first K results finds some span, else 0.",
        has_hit,
        y_label="hit rate",
    ),
    _span_measure(
        "answered",
        "whether the first K results together hold all highlighted text",
        "1 if every highlighted character is in one of the first K results, else 0; with touch=half or any if half, or "
        "one character, of each span is. Of a topic with facets: if every facet has an alternative with enough of all "
        "its spans in the first K results together.",
        is_answered,
        (_TOUCH_TOGETHER,),
        y_label="share of topics answered in full",
    ),
    _span_measure(
        "span_recall",
        "share of the spans that the first K results find",
        "Share of the spans that some single result up to K finds; of a topic with facets, that share of the weight of "
        "facets with an alternative all of whose spans are found.",
        span_recall,
        y_label="recall of spans",
    ),
    _span_measure(
        "span_rr",
        "reciprocal rank of the first result that finds a span",
        "1 / rank of the first result of the whole list that finds a span, else 0.",
        first_hit,
        shape=Shape.SCALAR,
    ),
)


# Cost of reading the first K results, in characters or tokens, and recall within a budget.

_CUT = Parameter(
    "cut",
    "inside",
    "inside: the result that crosses the budget is read up to it; whole: it is not read, and reading stops",
    ("inside", "whole"),
)


def _size(batch: TopicBatch, _values: ParameterValues, ranks: IntArray) -> FloatArray:
    reading = text_reading(batch)
    return reading.after(reading.read_characters, ranks).astype(np.float64)


def _redundancy(batch: TopicBatch, _values: ParameterValues, ranks: IntArray) -> FloatArray:
    reading = text_reading(batch)
    read = reading.after(reading.read_characters, ranks)
    return ratio(read - reading.after(reading.distinct_characters, ranks), read)


def result_sizes(batch: TopicBatch) -> IntArray:
    """Characters that each result costs."""
    return text_reading(batch).size


def result_tokens(batch: TopicBatch) -> IntArray:
    """Tokens that each result costs, 0 where it has no text.

    Raises:
        UnsupportedResultError: a result does not say how many it has, with its line.
    """
    parts = [topic.ranking.tokens for topic in batch.topics]
    unknown = (np.zeros(len(topic.ranking), dtype=np.int64) for topic in batch.topics)
    tokens = np.concatenate([none if part is None else part for part, none in zip(parts, unknown, strict=True)])
    missing = np.flatnonzero((tokens <= 0) & batch.exists)
    if len(missing):
        topic, _ = batch.result(int(missing[0]))
        ranking = topic.ranking
        rows = np.flatnonzero(ranking.exists if ranking.tokens is None else ranking.exists & (ranking.tokens <= 0))
        reason = "the result has no 'tokens', which measures of tokens need of every result; try --tokens-per-char"
        raise UnsupportedResultError(ranking.path, int(ranking.lines[rows].min()), reason)
    return np.where(text_reading(batch).size > 0, tokens, 0)


def _tokens(batch: TopicBatch, _values: ParameterValues, ranks: IntArray) -> FloatArray:
    sums = np.concatenate(([0], np.cumsum(result_tokens(batch))))
    return text_reading(batch).after(sums, ranks).astype(np.float64)


def read_within_budget(reading: TextReading, cost: IntArray, budget: int, *, inside: bool) -> IntArray:
    """Characters of each result that are read within a budget, from its first character on.

    Args:
        reading: the results.
        cost: what each costs, in characters or tokens.
        budget: how much may be spent; a result that fits exactly is read.
        inside: whether the result that crosses the budget is read up to it.
    """
    first, end = reading.bounds[:-1], reading.bounds[1:]
    spent = np.concatenate(([0], np.cumsum(cost)))
    crossing = np.minimum(np.searchsorted(spent, spent[first] + budget, side="right") - 1, end)  # does not fit
    read = np.where(np.arange(len(cost)) < np.repeat(crossing, np.diff(reading.bounds)), reading.size, 0)
    if inside:
        topics = np.flatnonzero(crossing < end)
        results = crossing[topics]
        left = (budget - (spent[results] - spent[first[topics]])).tolist()
        columns = zip(reading.size[results].tolist(), left, cost[results].tolist(), strict=True)
        read[results] = [size * more // whole for size, more, whole in columns]  # Python numbers do not overflow
    return read


def _cost(
    name: str,
    summary: str,
    explanation: str,
    values_after: ValuesAfter,
    *,
    bounded: bool = False,
    aliases: tuple[str, ...] = (),
) -> Measure:
    label = summary.replace(" of the first K results", "")
    text = f"{explanation} A topic without highlighted text is left out, so that it averages the same topics as recall."
    return _chunk_measure(
        name=name,
        family="chunk_budgets",
        summary=summary,
        explanation=text,
        source="our own definition",
        shape=Shape.AT_RANKS,
        cutoffs=_CUTOFFS,
        bounded=bounded,
        direction=Direction.LOWER,
        y_label=label,
        aliases=aliases,
        **measure_of_ranks(values_after),
    )


def _recall_of_read(batch: TopicBatch, read: IntArray, _values: ParameterValues, ranks: IntArray) -> FloatArray:
    """Share of the highlighted text, or of that of facets, among what is read of each result."""
    reading = text_reading(batch)
    recall = np.asarray(reading.after(reading.relevant_before(read), ranks) / reading.totals[:, None])
    return with_facets(recall, facets_read(batch), read, ranks, FacetReading.recall)


ValuesOfRead = Callable[[TopicBatch, IntArray, ParameterValues, IntArray], FloatArray]
"""(topics, characters read of each result, parameters, ranks) -> values of the lists cut there, (topics, ranks)."""
_ANSWERED = "1 if what is read answers every facet, else every span, as in answered; else 0."


def _within_budget(
    name: str,
    summary: str,
    unit: str,
    explanation: str,
    cost_of: Callable[[TopicBatch], IntArray],
    of_read: ValuesOfRead,
    y_label: str,
    parameters: tuple[Parameter, ...] = (_CUT,),
) -> Measure:
    def points(batch: TopicBatch, values: ParameterValues, budgets: FloatArray, ranks: IntArray) -> FloatArray:
        """Values of the lists cut after ranks, within each budget: shape (topics, ranks, budgets)."""
        reading, cost, inside = text_reading(batch), cost_of(batch), values["cut"] == "inside"
        reads = (read_within_budget(reading, cost, int(most), inside=inside) for most in budgets.tolist())
        return np.stack([of_read(batch, read, values, ranks) for read in reads], axis=2)

    def compute(batch: TopicBatch, values: ParameterValues, budgets: FloatArray) -> FloatArray:
        def of_all_results(part: TopicBatch) -> FloatArray:
            return points(part, values, budgets, np.diff(part.bounds)[:, None])[:, 0]

        return values_of_highlighted(batch, budgets.shape, of_all_results)

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, budgets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        ranks = np.arange(len(data.ranking) + 1)[None, :]
        curves = values_of_highlighted(
            TopicBatch([data]),
            (ranks.shape[1], len(budgets)),
            lambda batch: points(batch, values, budgets, ranks),
        )[0]
        return np.diff(curves, axis=0), curves[0]

    return _chunk_measure(
        name=name,
        family="chunk_budgets",
        source="our own definition",
        summary=f"{summary} within the first N {unit} read",
        explanation=f"Results are read in rank order, each in full also where it repeats an earlier one, until "
        f"N {unit} are read; a result that fits exactly is read. {explanation} A topic without highlighted text is "
        "left out.",
        per_batch=compute,
        split=split,
        shape=Shape.AT_BUDGETS,
        cutoffs=(500.0, 1000.0, 2000.0, 4000.0, 8000.0),
        curve_levels=CURVE_BUDGETS,
        parameters=parameters,
        budget=unit if unit == "tokens" else "size",
        aliases=(name.replace("_size", "_chars"),) if unit == "characters" else (),
        x_label=f"{unit} read",
        y_label=y_label,
    )


_CUT_SIZE = "Of the result that crosses the budget the first characters are read (cut=whole: nothing)."
_CUT_TOKENS = (
    "Of the result that crosses the budget, of n characters and t tokens, the first floor(n left / t) characters are "
    "read, left being the tokens left (cut=whole: nothing)."
)


CHUNK_BUDGETS = (
    _cost(
        "size",
        "characters of the first K results",
        "Characters that someone must read, each result in full, also where results overlap.",
        _size,
        aliases=("chars",),
    ),
    _cost(
        "redundancy",
        "share of the characters of the first K results that are read twice",
        "1 - characters that the first K results hold together / characters of each of them; 0 for an empty list.",
        _redundancy,
        bounded=True,
    ),
    _within_budget(
        "char_rec_at_size",
        "share of highlighted characters",
        "characters",
        _CUT_SIZE,
        result_sizes,
        _recall_of_read,
        "recall, in characters",
    ),
    _within_budget(
        "answered_at_size",
        "whether all highlighted text is",
        "characters",
        f"{_ANSWERED} {_CUT_SIZE}",
        result_sizes,
        _answered_by,
        "share of topics answered in full",
        (_CUT, _TOUCH_TOGETHER),
    ),
    _cost(
        "tokens",
        "tokens of the first K results",
        "As the run counts them (key tokens in JSON Lines), which it must for every result of the topic, or as "
        "--tokens-per-char says.",
        _tokens,
    ),
    _within_budget(
        "char_rec_at_tokens",
        "share of highlighted characters",
        "tokens",
        _CUT_TOKENS,
        result_tokens,
        _recall_of_read,
        "recall, in characters",
    ),
    _within_budget(
        "answered_at_tokens",
        "whether all highlighted text is",
        "tokens",
        f"{_ANSWERED} {_CUT_TOKENS}",
        result_tokens,
        _answered_by,
        "share of topics answered in full",
        (_CUT, _TOUCH_TOGETHER),
    ),
)


TOKEN_MEASURES = frozenset({"tokens", "char_rec_at_tokens", "answered_at_tokens"})
"""Names of the measures for which every result needs tokens."""
MEASURES = (*CHUNK_TEXT, OMEGA, *CHUNK_SPANS, *CHUNK_BUDGETS)
