"""What each rank adds to a measure of a navigating user, so that the additions sum up to the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import RefusedError
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData


@dataclass(frozen=True, slots=True)
class RankContributions:
    """A printed measure: its value, what each rank adds, and what is there without any rank.

    `rest` is PRUM's gain from the elements after the list; of other measures the value of an empty list, 0. The sum of
    `added` and `rest` is the value.
    """

    measure: str
    value: float
    added: FloatArray
    rest: float


def contributions(
    data: TopicData, instances: Sequence[ConfiguredMeasure], item: IntArray | None = None
) -> list[RankContributions]:
    """The shares of all printed names of measures that have a `split`; the topic has targets.

    `item`: the rank, from 0, that each result is a part of; a rank each where it is not given. Measures of a set that
    refuse the run are left out.

    Raises:
        RefusedError: one that was asked for does.
    """
    ranks, found = np.arange(len(data.ranking)) if item is None else item, list[RankContributions]()
    for one in instances:
        try:
            found += _contributions(data, one, ranks)
        except RefusedError:
            if one.explicit:
                raise
    return found


def _contributions(data: TopicData, instance: ConfiguredMeasure, item: IntArray) -> list[RankContributions]:
    measure, cutoffs = instance.measure, np.array(instance.cutoffs)
    if measure.split is None:
        return []
    values = np.atleast_1d(measure.per_topic(data, instance.values, cutoffs)).tolist()
    added, rest = measure.split(measure, data, instance.values, cutoffs)
    by_rank = np.zeros((data.reach.ranks, added.shape[1]))
    np.add.at(by_rank, data.seen.change - 1 if Need.REACH in measure.needs else item, added)
    columns = zip(instance.names, values, by_rank.T, rest.tolist(), strict=True)
    return [RankContributions(*column) for column in columns]
