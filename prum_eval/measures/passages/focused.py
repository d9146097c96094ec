"""Focused retrieval: interpolated precision over characters.

Conventions. Of one topic, S_i and R_i are the characters and the relevant characters of the first i results, T all
relevant characters. Source: inex_eval 3.1, tasks -f and -t; Lalmas et al., INEX 2006 Evaluation Measures.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure, Shape
from prum_eval.measures.passages.lengths import OVERLAP, Lengths, read_lengths
from prum_eval.measures.passages.official import INEX06, INEX_EVAL, NEEDS
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.levels import at_levels
from prum_eval.parameters import ParameterValues

_POINTS = 101
"""Recall is read at whole hundredths, 0 included."""


def precision_at_hundredths(lengths: Lengths) -> FloatArray:
    """IP[k/100] for k = 0..100: the highest precision at the end of any result with recall k/100 or more, else 0.

    P_i = R_i / S_i; recall R_i / T counts as floor(100.0 R_i / T) hundredths in doubles, so 29 of 100 characters are
    28 hundredths. A result is never cut at the recall point. Nothing read yet (S_i = 0) has no precision; a recall
    above 1, of assessments that contradict themselves, is passed over. Without relevant text every value is 0.
    """
    values = np.zeros(_POINTS)
    if not lengths.total or not len(lengths.size):
        return values
    read, relevant = np.cumsum(lengths.size), np.cumsum(lengths.relevant)
    precision = np.zeros(len(read))
    np.divide(relevant, read, out=precision, where=read > 0)
    hundredths = np.floor(100.0 * (relevant / lengths.total))
    precision[hundredths >= _POINTS] = 0.0
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(hundredths, np.arange(float(_POINTS)))]


def _curve(data: TopicData, values: ParameterValues) -> FloatArray:
    key = ("iP", values["overlap"])
    return data.memo.once(key, lambda: precision_at_hundredths(read_lengths(data, values)))


def _ip(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return at_levels(_curve(data, values), cutoffs)


def _maip(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    return math.fsum(_curve(data, values).tolist()) / _POINTS


_TEXT = (
    "After each result, precision is relevant characters / characters read so far and recall relevant characters read "
    "/ all of the topic. Only ends of results count: a result is never cut at the recall point."
)
_measure = partial(
    Measure,
    family="focused",
    source=f"{INEX_EVAL}; {INEX06}",
    needs=NEEDS,
    parameters=(OVERLAP,),
    without_targets=True,
)

MEASURES = (
    _measure(
        name="iP",
        summary="interpolated precision at recall X, in characters",
        explanation="Highest precision after any result with recall X or more, in whole hundredths, floor(100 recall). "
        f"{_TEXT}",
        shape=Shape.AT_LEVELS,
        per_topic=_ip,
        cutoffs=(0.0, 0.01, 0.05, 0.1),
        y_label="interpolated precision, in characters",
    ),
    _measure(
        name="maip",
        summary="mean average interpolated precision, in characters",
        explanation=f"AiP = mean of iP at the 101 points .00, .01, ... 1.00. {_TEXT}",
        shape=Shape.SCALAR,
        per_topic=_maip,
    ),
)
