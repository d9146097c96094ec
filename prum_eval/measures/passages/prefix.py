"""Focused and thorough tasks: a user reads the results in order, all of each; what is read is counted in characters.

Conventions. Of one topic, S_i and R_i are the characters and the relevant characters of the first i results, T all
relevant characters. Arrays have one entry a result, shape (n,). Source: inex_eval 3.1, tasks -f and -t; Lalmas et al.,
INEX 2006 Evaluation Measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.passages.segments import cut, first_cover
from prum_eval.numerics.levels import SLACK, total

HUNDREDTHS = 100
"""Recall is read at whole hundredths."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters `size` and relevant characters `relevant` of each result, shape (n,), and their topic's total T."""

    size: IntArray
    relevant: IntArray
    total: int


def whole(found: Retrieved) -> Lengths:
    """Every result counts in full: right where no text is retrieved twice."""
    return Lengths(found.size, found.relevant_size, found.judged.total)


def novel(found: Retrieved) -> Lengths:
    """In relevant articles only what no earlier result of the article covers counts; elsewhere every result, in full.

    A result that points to nothing counts 0 characters in a relevant article. From XML judgements a result's relevant
    characters are its rsize less the highlighted ones that earlier results cover, never below 0.
    """
    inside = found.is_relevant[found.article]
    size = np.where(inside & ~found.known, 0, found.size)
    relevant = found.relevant_size.copy()
    rows = np.flatnonzero(inside & found.known)
    judged = found.judged
    passages, owner = found.passages(np.flatnonzero(found.is_relevant))
    article = np.concatenate((found.article[rows], found.article[rows], owner, owner))
    position = (found.start[rows], found.end[rows], judged.start[passages], judged.end[passages])
    segments, number = cut(article, np.concatenate(position))
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(passages)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    own = np.zeros((2, len(rows)), dtype=np.int64)
    length = segments.length[covered]
    np.add.at(own[0], first[covered], length)
    np.add.at(own[1], first[covered], length * segments.covers(begin, stop)[covered])
    size[rows] = own[0]
    relevant[rows] = np.maximum(0, relevant[rows] - (found.highlighted[rows] - own[1]))
    return Lengths(size, relevant, judged.total)


def interpolated_precision(lengths: Lengths) -> FloatArray:
    """IP[k/100] for k = 0..100: the highest precision at the end of any result with recall k/100 or more, else 0.

    P_i = R_i / S_i; recall R_i / T counts as floor(100.0 R_i / T) hundredths in doubles, so 29 of 100 characters are
    28 hundredths. A result is never cut at the recall point. Nothing read yet (S_i = 0) has no precision; a recall
    above 1, of judgements that contradict themselves, is passed over. Without relevant text every value is 0.
    """
    values = np.zeros(HUNDREDTHS + 1)
    if not lengths.total or not len(lengths.size):
        return values
    read, relevant = np.cumsum(lengths.size), np.cumsum(lengths.relevant)
    precision = np.zeros(len(read))
    np.divide(relevant, read, out=precision, where=read > 0)
    hundredths = np.floor(100.0 * (relevant / lengths.total))
    precision[hundredths > HUNDREDTHS] = 0.0
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(hundredths, np.arange(HUNDREDTHS + 1.0))]


def at_levels(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Values at recall levels, of a curve at 0, 1/k, ..., 1; a level between two points is read at the next one.

    >>> at_levels(np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.7])).tolist()
    [3.0, 2.0, 1.0]
    """
    return values[np.ceil(levels * (len(values) - 1) - SLACK).astype(np.int64)]


def average_precision(curve: FloatArray) -> float:
    """AiP = (iP[0.00] + iP[0.01] + ... + iP[1.00]) / 101."""
    return total(curve.tolist()) / len(curve)


def ratios(part: int, retrieved: int, relevant: int) -> tuple[float, float, float]:
    """Precision, recall and F1 = 2 P R / (P + R) of a set of which `part` are relevant.

    Precision of nothing is 0, F1 is 0 where precision is; recall where nothing is relevant has no value (NaN).

    >>> ratios(1, 4, 2)
    (0.25, 0.5, 0.3333333333333333)
    """
    precision = part / retrieved if retrieved else 0.0
    recall = part / relevant if relevant else float("nan")
    return precision, recall, 2 * precision * recall / (precision + recall) if precision else 0.0
