"""How a value divides among the ranks of a list, for measures that are functions of what the user has seen."""

from __future__ import annotations

from copy import copy

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure
from prum_eval.measures.topic_data import Memo, SeenStates, TopicData
from prum_eval.parameters import ParameterValues


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
    seen = data.seen
    ranks = int(seen.change[state - 1]) if state else 0
    short = copy(data)  # with what is known of the whole list, such as what its ranks cost
    cut = SeenStates(
        ranks, seen.targets, seen.active, seen.change[:state], seen.p[:, : state + 1], seen.reach.within(0, state)
    )
    vars(short).update(seen=cut, memo=Memo())
    return short
