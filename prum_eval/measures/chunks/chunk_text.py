"""Precision, recall, F1 and intersection over union of the characters of the first K results.

Sources: sets of characters as in HiXEval and inex_eval; on the sizes of all results in full as in Smith, Troynikov,
Evaluating chunking strategies for retrieval, 2024.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.chunks.reading import COUNTED_OVERLAP, ReadText, at_ranks, ratio, reading_of, refuse_overlap
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import ParameterValues


def precision_of_text(reading: ReadText, read: IntArray) -> FloatArray:
    """rel_k / characters read."""
    return ratio(reading.relevant, read)


def recall_of_text(reading: ReadText, _read: IntArray) -> FloatArray:
    """rel_k / |G|."""
    return reading.relevant / reading.total


def f1(reading: ReadText, read: IntArray) -> FloatArray:
    """2 P R / (P + R), 0 where P = 0."""
    found, right = recall_of_text(reading, read), precision_of_text(reading, read)
    return ratio(2 * right * found, right + found)


def intersection_over_union(reading: ReadText, read: IntArray) -> FloatArray:
    """rel_k / (characters read + |G| - rel_k)."""
    return ratio(reading.relevant, read + reading.total - reading.relevant)


def _measure(
    name: str, summary: str, formula: str, y_label: str, of: Callable[[ReadText, IntArray], FloatArray]
) -> Measure:
    def curve(data: TopicData, values: ParameterValues) -> FloatArray:
        refuse_overlap(data, values)
        reading = reading_of(data)
        return of(reading, reading.union if values["overlap"] == "novel" else reading.gross)

    value, split = at_ranks(curve)
    return _entry(
        name=name, summary=summary, explanation=f"{formula} {_TEXT}", per_topic=value, split=split,
        y_label=f"{y_label}, in characters",
    )  # fmt: skip


_TEXT = (
    "G: highlighted characters; relevant: characters of G that the first K results hold, each counted once. Characters "
    "read are those of the first K results, each result in full (overlap=novel: what they hold together). A list "
    "shorter than K counts as it is. A topic without highlighted text is left out."
)
_entry = partial(
    Measure,
    family="chunk_text",
    source="sets of characters as HiXEval and inex_eval; Smith, Troynikov: Evaluating chunking strategies for "
    "retrieval, 2024",
    shape=Shape.AT_RANKS,
    needs=frozenset({Need.SPANS, Need.EXTENTS}),
    parameters=(COUNTED_OVERLAP,),
    cutoffs=(1.0, 3.0, 5.0, 10.0),
    without_targets=True,
    needs_relevance=True,
)

MEASURES = (
    _measure(
        "char_rec_K",
        "share of highlighted characters among the first K results",
        "Relevant / |G|.",
        "recall",
        recall_of_text,
    ),
    _measure(
        "char_prec_K",
        "share of the characters of the first K results that are highlighted",
        "Relevant / characters read.",
        "precision",
        precision_of_text,
    ),
    _measure(
        "char_f1_K",
        "harmonic mean of char_prec and char_rec at K",
        "F1 = 2 P R / (P + R), 0 where P is.",
        "F1",
        f1,
    ),
    _measure(
        "char_iou",
        "intersection over union of highlighted characters and the first K results",
        "Relevant / (characters read + |G| - relevant).",
        "intersection over union",
        intersection_over_union,
    ),
)
