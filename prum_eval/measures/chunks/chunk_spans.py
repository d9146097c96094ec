"""Whether the spans that answer a question are among the first K results: hit rate, recall of spans, reciprocal rank.

A result by itself *finds* a span: with touch=any by one character of it, half by half of them, whole by all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.chunks.reading import ReadText, at_ranks, reading_of
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_TOUCH = Parameter(
    "touch",
    "any",
    "how much of a span a single result must hold to find it: any, one character; half of it; the whole of it",
    ("any", "half", "whole"),
)


def found_after(reading: ReadText, touch: str) -> IntArray:
    """How many spans the first k results find, each by itself: a curve."""
    result, span, shared = reading.shared
    length = (reading.spans.end - reading.spans.start)[span]
    finds = {"any": shared > 0, "half": 2 * shared >= length, "whole": shared == length}[touch]
    first = np.full(len(reading.spans.row), len(reading), dtype=np.int64)
    np.minimum.at(first, span[finds], result[finds])
    counts = np.bincount(first[first < len(reading)] + 1, minlength=len(reading) + 1)
    return np.cumsum(counts)


def hits(found: IntArray, _spans: int) -> FloatArray:
    """1 from the first result on that finds a span."""
    return (found > 0).astype(np.float64)


def recall_of_spans(found: IntArray, spans: int) -> FloatArray:
    """Spans found / spans."""
    share: FloatArray = found / spans
    return share


def first_hit(found: IntArray, _spans: int) -> FloatArray:
    """1 / rank of the first result that finds a span, 0 before it."""
    some = np.flatnonzero(found)
    rank = int(some[0]) if len(some) else 1
    return (found > 0) / np.float64(rank)


def _answered(data: TopicData, _values: ParameterValues) -> FloatArray:
    reading = reading_of(data)
    held: FloatArray = (reading.relevant == reading.total).astype(np.float64)
    return held


def _by_spans(of: Callable[[IntArray, int], FloatArray]) -> Callable[[TopicData, ParameterValues], FloatArray]:
    def curve(data: TopicData, values: ParameterValues) -> FloatArray:
        reading, touch = reading_of(data), str(values["touch"])
        found = data.memo.once(("spans found", touch), lambda: found_after(reading, touch))
        return of(found, len(reading.spans.row))

    return curve


def _measure(
    name: str, summary: str, explanation: str, curve: Callable[[TopicData, ParameterValues], FloatArray],
    parameters: tuple[Parameter, ...] = (_TOUCH,), shape: Shape = Shape.AT_RANKS, y_label: str = "",
) -> Measure:  # fmt: skip
    value, split = at_ranks(curve)
    cutoffs = (1.0, 3.0, 5.0, 10.0) if shape is Shape.AT_RANKS else ()
    return _entry(
        name=name, summary=summary, explanation=f"{explanation} {_TEXT}", per_topic=value, split=split,
        parameters=parameters, shape=shape, cutoffs=cutoffs, y_label=y_label,
    )  # fmt: skip


_TEXT = (
    "Spans are the highlighted passages, those that overlap merged; those of all documents count. A topic without any "
    "is left out."
)
_entry = partial(
    Measure,
    family="chunk_spans",
    source="hit rate, recall and reciprocal rank as in retrieval-augmented generation; the definitions are ours",
    needs=frozenset({Need.SPANS, Need.EXTENTS}),
    without_targets=True,
    needs_relevance=True,
)

MEASURES = (
    _measure(
        "hit",
        "whether one of the first K results finds a span",
        "1 if one of the first K results finds some span, else 0.",
        _by_spans(hits),
        y_label="hit rate",
    ),
    _measure(
        "answered",
        "whether the first K results together hold all highlighted text",
        "1 if every highlighted character is in one of the first K results, else 0.",
        _answered,
        (),
        y_label="share of topics answered in full",
    ),
    _measure(
        "span_recall",
        "share of the spans that the first K results find",
        "Share of the spans that some single result up to K finds.",
        _by_spans(recall_of_spans),
        y_label="recall of spans",
    ),
    _measure(
        "span_rr",
        "reciprocal rank of the first result that finds a span",
        "1 / rank of the first result of the whole list that finds a span, else 0.",
        _by_spans(first_hit),
        shape=Shape.SCALAR,
    ),
)
