"""What each rank adds to a measure of a navigating user, so that the additions sum up to the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData


@dataclass(frozen=True, slots=True)
class RankContributions:
    """A printed measure: its value, what each rank of ``seen.change`` adds, and what is there without any rank.

    `rest` is PRUM's gain from the elements after the list; of other measures the value of an empty list, 0. The sum of
    `added` and `rest` is the value.
    """

    measure: str
    value: float
    added: FloatArray
    rest: float


def contributions(data: TopicData, instances: Sequence[ConfiguredMeasure]) -> list[RankContributions]:
    """The shares of all printed names of measures that have a `split`; the topic has targets."""
    return [contribution for one in instances for contribution in _contributions(data, one)]


def _contributions(data: TopicData, instance: ConfiguredMeasure) -> list[RankContributions]:
    measure, cutoffs = instance.measure, np.array(instance.cutoffs)
    if measure.split is None:
        return []
    values = np.atleast_1d(measure.per_topic(data, instance.values, cutoffs)).tolist()
    added, rest = measure.split(measure, data, instance.values, cutoffs)
    columns = zip(instance.names, values, added.T, rest.tolist(), strict=True)
    return [RankContributions(*column) for column in columns]
