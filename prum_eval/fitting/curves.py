"""What a user model says of the pairs of a log, for every value of the parameter that is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.fitting.likelihood import ReachCurve
from prum_eval.fitting.logged.pairs import TopicPairs, ViewPairs
from prum_eval.user_models.model import ModelContext, ParameterLaw
from prum_eval.user_models.registry import ModelChoice


@dataclass(frozen=True, eq=False)
class LawOfPairs:
    """A law with the features of all distinct pairs; 0 is reached of those that are not `inside` one document."""

    law: ParameterLaw
    features: FloatArray
    inside: BoolArray

    def reach(self, value: float) -> FloatArray:
        """R of all distinct pairs."""
        return np.where(self.inside, self.law.reach(self.features, value), 0.0)

    def slope(self, value: float) -> FloatArray:
        """The derivative of R by the scaled parameter; 0 of a threshold."""
        if self.law.slope is None:
            return np.zeros(len(self.inside))
        return np.where(self.inside, self.law.slope(self.features, value), 0.0)

    @property
    def curve(self) -> ReachCurve:
        """As likelihoods take it."""
        return ReachCurve(self.reach, self.slope, self.law.share)

    @property
    def distance(self) -> FloatArray:
        """Of a threshold: what is compared with it, infinite where no threshold reaches."""
        return np.where(self.inside, self.features, np.inf)


def law_of_pairs(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> LawOfPairs | None:
    """The law of a model's parameter; None where it has none."""
    if choice.model.law is None:
        return None
    law = choice.model.law(choice.values, context)
    parts = [law.features(one.places.ranked, one.place, one.target) for one in pairs.distinct]
    return LawOfPairs(law, _stacked(parts), pairs.inside)


def _stacked(parts: Sequence[FloatArray]) -> FloatArray:
    """Features of all topics; rows of different lengths are filled up with zeros."""
    if not parts:
        return np.zeros(0)
    if parts[0].ndim == 1:
        return np.concatenate(parts)
    widest = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in parts])


def fixed_curve(choice: ModelChoice, context: ModelContext, pairs: ViewPairs) -> ReachCurve:
    """The curve of a model of which no parameter is estimated: R of all distinct pairs, whatever the value."""
    model = choice.model.build(choice.values, context)
    parts = [_entries(model(one.places.ranked).dense(), one) for one in pairs.distinct]
    reach = np.concatenate([np.zeros(0), *parts])
    return ReachCurve(lambda _: reach, None)


def _entries(matrix: FloatArray, pairs: TopicPairs) -> FloatArray:
    found: FloatArray = matrix[pairs.place, pairs.target]
    return found
