"""User model of navigation up and down in a document: R = (|x n y| / max(|x|, |y|))^exponent."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    PRUM_ARTICLE,
    EstimableParameter,
    Model,
    ModelContext,
    ModelNeed,
    RankedTopic,
    UserModel,
    model_of_pairs,
    overlap_ratio,
)

EXPONENT = Parameter("exponent", 1.0, "power that the ratio is raised to", low=0.0, open_low=True)


def _power(ratio: FloatArray, exponent: float) -> FloatArray:
    """ratio^exponent for ratios in [0, 1]."""
    powered: FloatArray = ratio**exponent
    return powered


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    exponent = float(values[EXPONENT.name])
    if exponent == 1:
        return model_of_pairs(overlap_ratio)

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return _power(overlap_ratio(results, targets, rows, columns), exponent)

    return model_of_pairs(probability)


def _estimable_parameter(_values: ParameterValues, _context: ModelContext) -> EstimableParameter:
    def features(ranked: RankedTopic, rows: IntArray, columns: IntArray) -> FloatArray:
        return overlap_ratio(ranked.results, ranked.targets, rows, columns)

    def slope(ratio: FloatArray, exponent: float) -> FloatArray:
        log_reach = exponent * np.log(ratio, out=np.zeros(len(ratio)), where=ratio > 0)
        return log_reach * _power(ratio, exponent)

    return EstimableParameter(EXPONENT.name, features, _power, slope)


MODEL = UserModel(
    "hierarchical",
    "from an element to those that contain it or lie in it",
    "R = (|x n y| / max(|x|, |y|))^exponent within a document: with the default exponent 1, length of the inner over "
    "length of the outer element when one contains the other, 0 when they are apart; passages that overlap in part "
    "fall under the same formula. Users with an exponent above 1 go less far, those below 1 go further.",
    f"{PRUM_ARTICLE}, equation 9; Piwowarski, Dupret, SIGIR 2006, section 7; the exponent is our own",
    _build,
    (EXPONENT,),
    frozenset({ModelNeed.LENGTHS}),
    estimable_parameter=_estimable_parameter,
)
