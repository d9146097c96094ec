"""User model of best entry points (INEX 2006): R = A L / (A L + d), d the distance of the beginnings in characters."""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.errors import DataError
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

SCALE = Parameter("A", 1.0, "how far from a target a start still helps, in documents", low=0.0, open_low=True)


def distance_decay(distances: FloatArray, scale: float, length: float) -> FloatArray:
    """A L / (A L + d) for distances d in characters, A > 0 and L > 0 of any size."""
    product = scale * length
    if 0 < product < math.inf:
        return product / (product + distances)
    with np.errstate(over="ignore"):  # 0 at infinite distance
        decay: FloatArray = 1.0 / (1.0 + distances / length / scale)
    return decay


def _length(values: ParameterValues, context: ModelContext) -> float:
    length = values.get("L", context.mean_length)
    if length is None:
        raise DataError("user model bep-distance needs the mean document length: give --structure or set L")
    return float(length)


def _build(values: ParameterValues, context: ModelContext) -> Model:
    length, scale = _length(values, context), float(values["A"])

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return distance_decay(distance(results, targets, rows, columns), scale, length)

    return model_of_pairs(probability, located=True)


def _estimable_parameter(values: ParameterValues, context: ModelContext) -> EstimableParameter:
    length = _length(values, context)

    def reach(distances: FloatArray, scale: float) -> FloatArray:
        return distance_decay(distances, scale, length)

    def slope(distances: FloatArray, scale: float) -> FloatArray:
        decay = distance_decay(distances, scale, length)
        return decay * (1.0 - decay)  # logit R = log(A L) - log d

    return EstimableParameter(SCALE.name, pair_features(distance), reach, slope)


MODEL = UserModel(
    "bep-distance",
    "nearness of the beginnings, scaled by the mean document length",
    "R = A L / (A L + d), d the distance in characters between the beginnings within one document.",
    "Lalmas et al., INEX 2006 Evaluation Measures, section 7",
    _build,
    (SCALE, Parameter("L", None, "mean document length in characters", low=0.0, open_low=True)),
    frozenset({ModelNeed.POSITIONS, ModelNeed.MEAN_LENGTH}),
    navigation_basis=NavigationBasis.NEARBY,
    estimable_parameter=_estimable_parameter,
)
