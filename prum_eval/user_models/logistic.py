"""User model of nearness by a logistic function: R = 2 / (1 + exp(lambda d)), d the distance of the beginnings.

d is in characters. R is 1 at the target, where the formula of the article gives 1/2.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    EstimableParameter,
    Model,
    ModelContext,
    ModelNeed,
    NavigationBasis,
    UserModel,
    distance,
    model_of_pairs,
    pair_features,
)

RATE = Parameter("lambda", 0.01, "fall per character", low=0.0, open_low=True)
_LARGEST = 700.0  # exp of more overflows, and R is 0 before


def _scaled_distance(distances: FloatArray, rate: float) -> FloatArray:
    """Lambda d."""
    scaled: FloatArray = np.minimum(rate * np.minimum(distances, _LARGEST / rate), _LARGEST)
    return scaled


def _logistic_decay(distances: FloatArray, rate: float) -> FloatArray:
    """2 / (1 + exp(lambda d))."""
    return 2.0 / (1.0 + np.exp(_scaled_distance(distances, rate)))


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    rate = float(values["lambda"])

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return _logistic_decay(distance(results, targets, rows, columns), rate)

    return model_of_pairs(probability, located=True)


def _estimable_parameter(_values: ParameterValues, _context: ModelContext) -> EstimableParameter:
    def slope(distances: FloatArray, rate: float) -> FloatArray:
        decay = _logistic_decay(distances, rate)
        return -_scaled_distance(distances, rate) * decay * (1.0 - decay / 2)

    return EstimableParameter(RATE.name, pair_features(distance), _logistic_decay, slope)


MODEL = UserModel(
    "logistic",
    "nearness of the beginnings, by a logistic law",
    "R = 2 / (1 + exp(lambda d)), d as in bep-distance. The article's formula gives 1/2 at d = 0; it is scaled "
    "to 1 here, because a result that begins at the target shows it.",
    "Piwowarski, Dupret, SIGIR 2006, sections 3.3 and 4",
    _build,
    (RATE,),
    frozenset({ModelNeed.POSITIONS}),
    navigation_basis=NavigationBasis.NEARBY,
    estimable_parameter=_estimable_parameter,
)
