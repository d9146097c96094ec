"""What each rank adds to a measure, so that the additions sum up to the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import RefusedError
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.splits import divided
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
    pairs: Sequence[tuple[ConfiguredMeasure, TopicData]], ranks: int, item: IntArray | None = None
) -> list[RankContributions]:
    """The shares of all printed names of measures; the topic has targets.

    Args:
        pairs: divisible measures, each with the data of the topic under its setting.
        ranks: how many ranks there are.
        item: the rank, from 0, that each result is a part of; a rank each where it is not given.

    Raises:
        RefusedError: a measure that was asked for refuses the run; those of a set that do are left out.
    """
    found = list[RankContributions]()
    for instance, data in pairs:
        try:
            found += _contributions(data, instance, ranks, np.arange(len(data.ranking)) if item is None else item)
        except RefusedError:
            if instance.explicit:
                raise
    return found


def _contributions(data: TopicData, instance: ConfiguredMeasure, ranks: int, item: IntArray) -> list[RankContributions]:
    measure, cutoffs = instance.measure, np.array(instance.cutoffs)
    values = np.atleast_1d(measure.per_topic(data, instance.values, cutoffs)).tolist()
    added, rest = divided(measure, data, instance.values, cutoffs)
    by_rank = np.zeros((ranks, added.shape[1]))
    follows = measure.split is not None and Need.REACH in measure.needs
    np.add.at(by_rank, data.seen.change - 1 if follows else item, added)
    columns = zip(instance.names, values, by_rank.T, rest.tolist(), strict=True)
    return [RankContributions(*column) for column in columns]
