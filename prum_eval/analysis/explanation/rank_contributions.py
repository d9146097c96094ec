"""What each rank adds to a measure of a navigating user, so that the additions sum up to the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Shape
from prum_eval.measures.prum import prum_precisions, prum_shares
from prum_eval.measures.seen_states import SeenStates
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import Memo, TopicData
from prum_eval.numerics.levels import goals

FAMILIES = ("prum", "eprum", "gen_recall")
"""Families of measures that are functions of what the user has seen."""


@dataclass(frozen=True, slots=True)
class Share:
    """A printed measure: its value, what each rank of ``seen.change`` adds, and what is there without any rank.

    `rest` is PRUM's gain from the elements after the list; of other measures the value of an empty list, 0. The sum of
    `added` and `rest` is the value.
    """

    measure: str
    value: float
    added: FloatArray
    rest: float


def shares(data: TopicData, instances: Sequence[ConfiguredMeasure]) -> list[Share]:
    """The shares of all printed names of measures of `FAMILIES`; the topic has targets.

    PRUM: what rank k adds is its term of the precision (see `prum_shares`), at a recall level that of the r at which
    the precision is highest. Others: the value of the list cut after rank k, less that of the list cut before it.
    """
    return [share for one in instances for share in (_prum if one.measure.family == "prum" else _cut)(data, one)]


def _prum(data: TopicData, instance: ConfiguredMeasure) -> list[Share]:
    mode, size = str(instance.values["mode"]), data.collection_size
    assert size is not None  # noqa: S101 - the evaluation refuses PRUM without a size
    added, rest = prum_shares(data.seen, size, data.existing, mode)
    values = _values(data, instance)
    if instance.measure.shape is Shape.SCALAR:
        return [Share(instance.printed()[0], values[0], added.mean(axis=1), float(rest.mean()))]
    precision = prum_precisions(data.seen, size, data.existing, mode)
    low = goals(np.array(instance.cutoffs), len(precision)) - 1
    best = [int(r) + int(precision[r:].argmax()) for r in low]
    return [
        Share(name, value, added[:, r], float(rest[r]))
        for name, value, r in zip(instance.printed(), values, best, strict=True)
    ]


def _cut(data: TopicData, instance: ConfiguredMeasure) -> list[Share]:
    states = range(len(data.seen.change) + 1)
    cut = np.array([_values(_after(data, state), instance) for state in states[:-1]] + [_values(data, instance)])
    return [
        Share(name, float(values[-1]), np.diff(values), float(values[0]))
        for name, values in zip(instance.printed(), cut.T, strict=True)
    ]


def _values(data: TopicData, instance: ConfiguredMeasure) -> list[float]:
    found = instance.measure.per_topic(data, instance.values, np.array(instance.cutoffs))
    values: list[float] = np.atleast_1d(found).tolist()
    return values


def _after(data: TopicData, state: int) -> TopicData:
    """The topic with the list cut after the rank that leads to a state: all that these measures ask of a list."""
    seen = data.seen
    ranks = int(seen.change[state - 1]) if state else 0
    short = replace(data, memo=Memo())
    vars(short)["seen"] = SeenStates(
        ranks, seen.targets, seen.active, seen.change[:state], seen.p[:, : state + 1], seen.reach[:, :state]
    )
    return short
