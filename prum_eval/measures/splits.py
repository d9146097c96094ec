"""How a value divides among the ranks of a list: what it is of the list cut after each rank, less that before it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Direction, Measure
from prum_eval.measures.topic_data import Memo, TopicData
from prum_eval.parameters import ParameterValues


def is_divisible(measure: Measure) -> bool:
    """Whether the value of a measure on a topic can be told rank by rank: of every score, not of counts."""
    return not (measure.is_count or measure.only_average or measure.direction is Direction.NEITHER)


def divided(
    measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """How the value of any divisible measure divides, by its own `split` where it has one, else by results.

    Args:
        measure: the measure.
        data: the data of a topic with targets.
        values: parameters of the measure.
        cutoffs: cut-offs or levels.

    Returns:
        What is added, and what is there without any rank, as `prum_eval.measures.base.Split` says.
    """
    if measure.split is not None:
        return measure.split(measure, data, values, cutoffs)
    cut = [replace(data, ranking=data.ranking.first(results), memo=Memo()) for results in range(len(data.ranking))]
    found = np.array([np.atleast_1d(measure.per_topic(one, values, cutoffs)) for one in [*cut, data]])
    return np.diff(np.nan_to_num(found), axis=0), np.nan_to_num(found[0])


def by_cutting(
    measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A rank adds the value of the list cut after it, less that of the list cut before it.

    Args:
        measure: one whose value depends on the list through ``data.seen`` alone.
        data: the data of a topic.
        values: parameters of the measure.
        cutoffs: cut-offs or levels.

    Returns:
        What each rank of ``seen.change`` adds, shape (J, cutoffs or 1), and the values of an empty list.
    """
    cut = [_after(data, state) for state in range(len(data.seen.change))]
    found = np.array([np.atleast_1d(measure.per_topic(one, values, cutoffs)) for one in [*cut, data]])
    return np.diff(found, axis=0), found[0]


def _after(data: TopicData, state: int) -> TopicData:
    """The topic with the list cut after the rank that leads to a state."""
    short = copy(data)  # with what is known of the whole list, such as what its ranks cost
    vars(short).update(seen=data.seen.until(state), memo=Memo())
    return short
