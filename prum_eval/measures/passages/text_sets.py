"""Precision, recall and F1 of what was retrieved as a set: of articles, or of characters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure, Shape
from prum_eval.measures.passages.lengths import OVERLAP, read_lengths
from prum_eval.measures.passages.official import INEX_EVAL, NEEDS
from prum_eval.measures.passages.refusals import Demand, checked
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import ParameterValues


def ratios(part: int, retrieved: int, relevant: int) -> tuple[float, float, float]:
    """Precision, recall and F1 = 2 P R / (P + R) of a set of which `part` are relevant.

    Precision of nothing is 0, F1 is 0 where precision is; recall where nothing is relevant has no value (NaN).

    >>> ratios(1, 4, 2)
    (0.25, 0.5, 0.3333333333333333)
    """
    precision = part / retrieved if retrieved else 0.0
    recall = part / relevant if relevant else float("nan")
    return precision, recall, 2 * precision * recall / (precision + recall) if precision else 0.0


def _articles(data: TopicData, values: ParameterValues) -> tuple[float, float, float]:
    read_lengths(data, values)  # the same runs are refused
    found = checked(data, Demand.NOTHING)
    return ratios(int(np.count_nonzero(found.is_relevant)), found.articles, found.judged.count)


def _characters(data: TopicData, values: ParameterValues) -> tuple[float, float, float]:
    lengths = read_lengths(data, values)
    return ratios(int(lengths.relevant.sum()), int(lengths.size.sum()), lengths.total)


def _three(
    before: str, noun: str, of: Callable[[TopicData, ParameterValues], tuple[float, float, float]], text: str
) -> tuple[Measure, ...]:
    """Precision, recall and F1 of one kind of thing."""

    def measure(number: int, name: str, summary: str) -> Measure:
        def per_topic(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
            return of(data, values)[number]

        return Measure(
            f"{before}_{name}",
            "text_sets",
            summary,
            f"{text} The order of the results has no part in it. F1 = 2 P R / (P + R), 0 where P is. Recall has no "
            "value where nothing is relevant: the topic is left out of its mean.",
            INEX_EVAL,
            Shape.SCALAR,
            per_topic,
            NEEDS,
            parameters=(OVERLAP,),
            without_targets=True,
            needs_relevance=name == "rec",
        )

    return (
        measure(0, "prec", f"share of retrieved {noun} that are relevant"),
        measure(1, "rec", f"share of relevant {noun} that are retrieved"),
        measure(2, "f1", f"harmonic mean of {before}_prec and {before}_rec"),
    )


MEASURES = (
    *_three(
        "art",
        "articles",
        _articles,
        "Over distinct articles retrieved; an article is relevant if it holds relevant text.",
    ),
    *_three(
        "char",
        "characters",
        _characters,
        "Over characters retrieved; a result that points to nothing has 18, as in the official tool.",
    ),
)
