"""Measures of chunks: highlighted text found, spans hit, and the cost of reading.

Families: chunk_text (precision, recall, F1, intersection over union), chunk_spans (hits, recall of spans, reciprocal
rank), chunk_budgets (size, redundancy, tokens, recall within a budget).

Conventions. G are the highlighted characters of a topic; its *spans* are its passages, those that overlap merged (those
that only touch stay two), those without length left out. A result [s, e) costs e - s characters, also where an earlier
one holds the same; a result that points to nothing costs 0 and finds nothing. A curve has shape (n + 1,): its value
after the first k of n results, for k = 0, ..., n; past the end of the list it stays. A single result *finds* a span:
with touch=any by one character of it, half by half of them, whole by all.

Sources: sets of characters as in HiXEval and inex_eval; sizes of all results in full as in Smith, Troynikov, Evaluating
chunking strategies for retrieval, 2024; budgets and spans are our own definitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, concatenated_ranges, group_numbers
from prum_eval.errors import UnsupportedResultError
from prum_eval.measures.base import ComputeTopic, Direction, Measure, Need, Shape, Split
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
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

CHUNK_OVERLAP_PARAMETER = Parameter(
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


def gold_spans(judged: JudgedArticles) -> GoldSpans:
    """The passages of a topic as spans."""
    nonempty = judged.end > judged.start
    row, start, end = group_numbers(judged.bounds)[nonempty], judged.start[nonempty], judged.end[nonempty]
    begin, stop = np.split(position_keys(np.concatenate((row, row)), np.concatenate((start, end))), 2)
    furthest = np.maximum.accumulate(stop)  # keys of a later document are larger than all of this one
    first = np.ones(len(row), dtype=np.bool_)
    first[1:] = begin[1:] >= furthest[:-1]
    heads = np.flatnonzero(first)
    return GoldSpans(row[heads], start[heads], np.maximum.reduceat(end, heads) if len(heads) else end)


@dataclass(frozen=True, slots=True)
class TextReading:
    """The results of one topic (n), read one after the other.

    `spans`: the highlighted spans; `total`: |G|. `size`: characters of each result. `relevant`, `read_characters`,
    `distinct_characters`: curves of |U_k n G|, of the characters read, and of the distinct ones among them.
    `new_stretches`: the stretches of highlighted text that no earlier result holds: result (from 0), offset from its
    start, length. `span_overlaps`: the pairs of a result and a span that share characters: result, span, number of
    shared characters.
    """

    spans: GoldSpans
    total: int
    size: IntArray
    relevant: IntArray
    read_characters: IntArray
    distinct_characters: IntArray
    new_stretches: tuple[IntArray, IntArray, IntArray]
    span_overlaps: tuple[IntArray, IntArray, IntArray]

    def __len__(self) -> int:
        return len(self.size)


def text_reading(data: TopicData) -> TextReading:
    """Highlighted text and cost of the results of a topic; computed once for all measures."""

    def compute() -> TextReading:
        retrieved = retrieved_text(data)
        spans = data.judged.memo.get_or_compute("spans", lambda: gold_spans(retrieved.judged))
        return _make_text_reading(retrieved, spans)

    return data.memo.get_or_compute("reading", compute)


def _make_text_reading(retrieved: RetrievedText, spans: GoldSpans) -> TextReading:
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
        spans,
        spans.total,
        size,
        _curve(len(retrieved), reader, segments.length[new]),
        _curve(len(retrieved), rows, size[rows]),
        _curve(len(retrieved), rows[first[covered]], segments.length[covered]),
        (reader, segments.start[new] - retrieved.start[reader], segments.length[new]),
        _span_overlaps(retrieved, spans, rows, shared_spans, (low, high, begin, stop)),
    )


def _curve(results: int, owner: IntArray, amount: IntArray) -> IntArray:
    """Sums of the amounts that belong to the first k results."""
    curve = np.zeros(results + 1, dtype=np.int64)
    np.add.at(curve, owner + 1, amount)
    return np.cumsum(curve)


def _span_overlaps(
    retrieved: RetrievedText, spans: GoldSpans, rows: IntArray, shared_spans: IntArray, cuts: tuple[IntArray, ...]
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
    Measure, needs=frozenset({Need.SPANS, Need.EXTENTS}), without_targets=True, needs_relevance=True
)

CurveOfRanks = Callable[[TopicData, ParameterValues], FloatArray]


def measure_of_curve(curve: CurveOfRanks) -> tuple[ComputeTopic, Split]:
    """The functions `per_topic` and `split` of a measure: a curve read at the cut-offs, or at its end.

    The value is NaN without highlighted text.
    """

    def values_of(data: TopicData, values: ParameterValues, ranks: FloatArray) -> tuple[FloatArray, IntArray]:
        reading = text_reading(data)
        last = np.minimum(ranks, len(reading)).astype(np.int64) if len(ranks) else np.array([len(reading)])
        points = curve(data, values) if reading.total else np.full(len(reading) + 1, np.nan)
        return points, last

    def value(data: TopicData, values: ParameterValues, ranks: FloatArray) -> FloatArray:
        points, last = values_of(data, values, ranks)
        return points[last]

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, ranks: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        points, last = values_of(data, values, ranks)
        cut_after = points[np.minimum(np.arange(len(points))[:, None], last)]
        return np.diff(cut_after, axis=0), cut_after[0]

    return value, split


def ratio(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """Quotients, with 0 / 0 = 0.

    >>> ratio(np.array([0, 1]), np.array([0, 4])).tolist()
    [0.0, 0.25]
    """
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def refuse_overlap(data: TopicData, values: ParameterValues) -> None:
    """Refuse text that is retrieved twice, if overlap=reject.

    Raises:
        UnsupportedResultError: with the line of the first result that does it.
    """
    if values["overlap"] == "reject":
        checked_results(data, Requirement.NO_OVERLAP, "count")


# Sets of characters: precision, recall, F1 and intersection over union of the first K results.


def text_precision(reading: TextReading, read: IntArray) -> FloatArray:
    """rel_k / characters read."""
    return ratio(reading.relevant, read)


def text_recall(reading: TextReading, _read: IntArray) -> FloatArray:
    """rel_k / |G|."""
    return reading.relevant / reading.total


def f1(reading: TextReading, read: IntArray) -> FloatArray:
    """2 P R / (P + R), 0 where P = 0."""
    recall, precision = text_recall(reading, read), text_precision(reading, read)
    return ratio(2 * precision * recall, precision + recall)


def intersection_over_union(reading: TextReading, read: IntArray) -> FloatArray:
    """rel_k / (characters read + |G| - rel_k)."""
    return ratio(reading.relevant, read + reading.total - reading.relevant)


def _text_measure(
    name: str, summary: str, formula: str, y_label: str, of: Callable[[TextReading, IntArray], FloatArray]
) -> Measure:
    def curve(data: TopicData, values: ParameterValues) -> FloatArray:
        refuse_overlap(data, values)
        reading = text_reading(data)
        return of(reading, reading.distinct_characters if values["overlap"] == "novel" else reading.read_characters)

    value, split = measure_of_curve(curve)
    return _chunk_measure(
        name=name,
        family="chunk_text",
        summary=summary,
        explanation=f"{formula} {_TEXT}",
        source="sets of characters as HiXEval and inex_eval; Smith, Troynikov: Evaluating chunking strategies for "
        "retrieval, 2024",
        shape=Shape.AT_RANKS,
        per_topic=value,
        cutoffs=_CUTOFFS,
        parameters=(CHUNK_OVERLAP_PARAMETER,),
        y_label=f"{y_label}, in characters",
        split=split,
    )


_TEXT = (
    "G: highlighted characters; relevant: characters of G that the first K results hold, each counted once. Characters "
    "read are those of the first K results, each result in full (overlap=novel: what they hold together). A list "
    "shorter than K counts as it is. A topic without highlighted text is left out."
)
CHUNK_TEXT = (
    _text_measure(
        "char_rec_K",
        "share of highlighted characters among the first K results",
        "Relevant / |G|.",
        "recall",
        text_recall,
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
    ),
    _text_measure(
        "char_iou",
        "intersection over union of highlighted characters and the first K results",
        "Relevant / (characters read + |G| - relevant).",
        "intersection over union",
        intersection_over_union,
    ),
)


# Spans that the first K results find.

_TOUCH = Parameter(
    "touch",
    "any",
    "how much of a span a single result must hold to find it: any, one character; half of it; the whole of it",
    ("any", "half", "whole"),
)


def count_found_spans(reading: TextReading, touch: str) -> IntArray:
    """Number of spans that single results among the first k find: a curve."""
    result, span, shared = reading.span_overlaps
    length = (reading.spans.end - reading.spans.start)[span]
    finds = {"any": shared > 0, "half": 2 * shared >= length, "whole": shared == length}[touch]
    first = np.full(len(reading.spans.row), len(reading), dtype=np.int64)
    np.minimum.at(first, span[finds], result[finds])
    counts = np.bincount(first[first < len(reading)] + 1, minlength=len(reading) + 1)
    return np.cumsum(counts)


def has_hit(counts: IntArray, _spans: int) -> FloatArray:
    """1 from the first result on that finds a span."""
    return (counts > 0).astype(np.float64)


def span_recall(counts: IntArray, spans: int) -> FloatArray:
    """Spans counts / spans."""
    return np.asarray(counts / spans)


def first_hit(counts: IntArray, _spans: int) -> FloatArray:
    """1 / rank of the first result that finds a span, 0 before it."""
    hits = np.flatnonzero(counts)
    rank = int(hits[0]) if len(hits) else 1
    return (counts > 0) / np.float64(rank)


def _answered(data: TopicData, _values: ParameterValues) -> FloatArray:
    reading = text_reading(data)
    return np.asarray(reading.relevant == reading.total, dtype=np.float64)


def _span_curve(of: Callable[[IntArray, int], FloatArray]) -> Callable[[TopicData, ParameterValues], FloatArray]:
    def curve(data: TopicData, values: ParameterValues) -> FloatArray:
        reading, touch = text_reading(data), str(values["touch"])
        counts = data.memo.get_or_compute(("spans found", touch), lambda: count_found_spans(reading, touch))
        return of(counts, len(reading.spans.row))

    return curve


def _span_measure(
    name: str,
    summary: str,
    explanation: str,
    curve: Callable[[TopicData, ParameterValues], FloatArray],
    parameters: tuple[Parameter, ...] = (_TOUCH,),
    shape: Shape = Shape.AT_RANKS,
    y_label: str = "",
) -> Measure:
    value, split = measure_of_curve(curve)
    return _chunk_measure(
        name=name,
        family="chunk_spans",
        summary=summary,
        explanation=f"{explanation} {_SPANS_TEXT}",
        source="hit rate, recall and reciprocal rank as in retrieval-augmented generation; the definitions are ours",
        shape=shape,
        per_topic=value,
        cutoffs=_CUTOFFS if shape is Shape.AT_RANKS else (),
        parameters=parameters,
        y_label=y_label,
        split=split,
    )


_SPANS_TEXT = (
    "Spans are the highlighted passages, those that overlap merged; those of all documents count. A topic without any "
    "is left out."
)
CHUNK_SPANS = (
    _span_measure(
        "hit",
        "whether one of the first K results finds a span",
        "1 if one of the first K results finds some span, else 0.",
        _span_curve(has_hit),
        y_label="hit rate",
    ),
    _span_measure(
        "answered",
        "whether the first K results together hold all highlighted text",
        "1 if every highlighted character is in one of the first K results, else 0.",
        _answered,
        (),
        y_label="share of topics answered in full",
    ),
    _span_measure(
        "span_recall",
        "share of the spans that the first K results find",
        "Share of the spans that some single result up to K finds.",
        _span_curve(span_recall),
        y_label="recall of spans",
    ),
    _span_measure(
        "span_rr",
        "reciprocal rank of the first result that finds a span",
        "1 / rank of the first result of the whole list that finds a span, else 0.",
        _span_curve(first_hit),
        shape=Shape.SCALAR,
    ),
)


# Cost of reading the first K results, in characters or tokens, and recall within a budget.

_CURVE_BUDGETS = tuple(step * power for power in (100.0, 1000.0, 10_000.0) for step in (1, 1.5, 2, 3, 5, 7))
"""Budgets of a curve, evenly on a logarithmic axis."""
_CUT = Parameter(
    "cut",
    "inside",
    "inside: the result that crosses the budget is read up to it; whole: it is not read, and reading stops",
    ("inside", "whole"),
)


def _size(data: TopicData, _values: ParameterValues) -> FloatArray:
    return text_reading(data).read_characters.astype(np.float64)


def _redundancy(data: TopicData, _values: ParameterValues) -> FloatArray:
    reading = text_reading(data)
    return ratio(reading.read_characters - reading.distinct_characters, reading.read_characters)


def result_tokens(data: TopicData) -> IntArray:
    """Tokens that each result costs, 0 where it has no text.

    Raises:
        UnsupportedResultError: a result does not say how many it has, with its line.
    """
    ranking, size = data.ranking, text_reading(data).size
    tokens = np.zeros(len(size), dtype=np.int64) if ranking.tokens is None else ranking.tokens
    missing = np.flatnonzero((tokens <= 0) & ranking.exists)
    if len(missing):
        reason = "the result has no 'tokens', which measures of tokens need of every result; try --tokens-per-char"
        raise UnsupportedResultError(ranking.path, int(ranking.lines[missing].min()), reason)
    return np.where(size > 0, tokens, 0)


def _tokens(data: TopicData, _values: ParameterValues) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(result_tokens(data))))


def relevant_within_budget(reading: TextReading, cost: IntArray, budget: int, *, inside: bool) -> IntArray:
    """|U n G| of the list cut after k results and read within a budget: shape (n + 1,).

    Args:
        reading: the results.
        cost: what each costs, in characters or tokens.
        budget: how much may be spent; a result that fits exactly is read.
        inside: whether the result that crosses the budget is read up to it.
    """
    spent = np.concatenate(([0], np.cumsum(cost)))
    crossing = int(np.searchsorted(spent, budget, side="right")) - 1  # the first result that does not fit, from 0
    relevant = reading.relevant[np.minimum(np.arange(len(spent)), crossing)]
    if inside and crossing < len(reading):
        read = int(reading.size[crossing]) * (budget - int(spent[crossing])) // int(cost[crossing])
        _, offset, length = (column[reading.new_stretches[0] == crossing] for column in reading.new_stretches)
        relevant[crossing + 1 :] += int(np.clip(read - offset, 0, length).sum())
    return relevant


def _recall_within(cost_of: Callable[[TopicData], IntArray]) -> Callable[..., FloatArray]:
    """Recall of the list cut after each number of results, within each budget: shape (n + 1, budgets)."""

    def curves(data: TopicData, values: ParameterValues, budgets: FloatArray) -> FloatArray:
        reading = text_reading(data)
        if not reading.total:
            return np.full((len(reading) + 1, len(budgets)), np.nan)
        cost, inside = cost_of(data), values["cut"] == "inside"
        relevant = [relevant_within_budget(reading, cost, int(budget), inside=inside) for budget in budgets.tolist()]
        return np.array(relevant).T / reading.total

    return curves


def _cost(
    name: str,
    summary: str,
    explanation: str,
    curve: Callable[[TopicData, ParameterValues], FloatArray],
    *,
    bounded: bool = False,
) -> Measure:
    value, split = measure_of_curve(curve)
    label = summary.replace(" of the first K results", "")
    text = f"{explanation} A topic without highlighted text is left out, so that it averages the same topics as recall."
    return _chunk_measure(
        name=name,
        family="chunk_budgets",
        summary=summary,
        explanation=text,
        source="our own definition",
        shape=Shape.AT_RANKS,
        per_topic=value,
        cutoffs=_CUTOFFS,
        bounded=bounded,
        direction=Direction.LOWER,
        y_label=label,
        split=split,
    )


def _recall_at(
    name: str, unit: str, budget: str, explanation: str, cost_of: Callable[[TopicData], IntArray]
) -> Measure:
    curves = _recall_within(cost_of)

    def value(data: TopicData, values: ParameterValues, budgets: FloatArray) -> FloatArray:
        return np.asarray(curves(data, values, budgets)[-1])

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, budgets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        recall = curves(data, values, budgets)
        return np.diff(recall, axis=0), recall[0]

    return _chunk_measure(
        name=name,
        family="chunk_budgets",
        source="our own definition",
        summary=f"share of highlighted characters within the first N {unit} read",
        explanation=f"Results are read in rank order, each in full also where it repeats an earlier one, until "
        f"N {unit} are read; a result that fits exactly is read. {explanation} A topic without highlighted text is "
        "left out.",
        per_topic=value,
        split=split,
        shape=Shape.AT_BUDGETS,
        cutoffs=(500.0, 1000.0, 2000.0, 4000.0, 8000.0),
        curve_levels=_CURVE_BUDGETS,
        parameters=(_CUT,),
        budget=budget,
        x_label=f"{unit} read",
        y_label="recall, in characters",
    )


CHUNK_BUDGETS = (
    _cost(
        "size",
        "characters of the first K results",
        "Characters that someone must read, each result in full, also where results overlap.",
        _size,
    ),
    _cost(
        "redundancy",
        "share of the characters of the first K results that are read twice",
        "1 - characters that the first K results hold together / characters of each of them; 0 for an empty list.",
        _redundancy,
        bounded=True,
    ),
    _recall_at(
        "char_rec_at_size",
        "characters",
        "size",
        "Of the result that crosses the budget the first characters are read (cut=whole: nothing).",
        lambda data: text_reading(data).size,
    ),
    _cost(
        "tokens",
        "tokens of the first K results",
        "As the run counts them (key tokens in JSON Lines), which it must for every result of the topic, or as "
        "--tokens-per-char says.",
        _tokens,
    ),
    _recall_at(
        "char_rec_at_tokens",
        "tokens",
        "tokens",
        "Of the result that crosses the budget, of n characters and t tokens, the first floor(n left / t) characters "
        "are read, left being the tokens left (cut=whole: nothing).",
        result_tokens,
    ),
)


MEASURES = (*CHUNK_TEXT, *CHUNK_SPANS, *CHUNK_BUDGETS)
