"""User model of reading forward from the start of a result, with a tolerance to irrelevance.

d is the gap between the start of the result and its target in characters: 0 within the target, infinite if the target
lies before the result. By decay, R is a step (1 up to the tolerance), tolerance / (tolerance + d) or
exp(-d / tolerance).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    PRUM_ARTICLE,
    EstimableParameter,
    Model,
    ModelContext,
    ModelNeed,
    NavigationBasis,
    RankedTopic,
    Reading,
    ReadingDistribution,
    UserModel,
    model_of_pairs,
    pair_features,
)


def _gap(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Characters from the start of each result to its target; infinite if it lies before."""
    start = targets.start[columns]
    gap: FloatArray = np.maximum(start - results.start[rows], 0).astype(np.float64)
    gap[start + targets.length[columns] <= results.start[rows]] = np.inf
    return gap


def _step(gap: FloatArray, tolerance: float) -> FloatArray:
    return np.where(gap <= tolerance, 1.0, 0.0)


def _inverse(gap: FloatArray, tolerance: float) -> FloatArray:
    value = np.ones(len(gap))
    np.divide(tolerance, tolerance + gap, out=value, where=tolerance + gap > 0)
    return value


def _exponential(gap: FloatArray, tolerance: float) -> FloatArray:
    reach: FloatArray = np.exp(-_gap_in_tolerances(gap, tolerance))
    return reach


def _gap_in_tolerances(gap: FloatArray, tolerance: float) -> FloatArray:
    """Quotient of gap and tolerance; 0 / 0 is 0."""
    return np.divide(gap, tolerance, out=np.where(gap > 0, np.inf, 0.0), where=tolerance > 0)


def _inverse_slope(gap: FloatArray, tolerance: float) -> FloatArray:
    value = _inverse(gap, tolerance)
    return value * (1.0 - value)


def _exponential_slope(gap: FloatArray, tolerance: float) -> FloatArray:
    scaled = np.minimum(_gap_in_tolerances(gap, tolerance), 1e3)  # where exp is 0
    slope: FloatArray = scaled * np.exp(-scaled)
    return slope


def _inverse_score(read: FloatArray, stopped: BoolArray, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Score of tau / (tau + r)^2 if reading stopped, of tau / (tau + r) if it was cut off."""
    terms = np.where(stopped, 2.0, 1.0)
    whole = tolerance + read
    return 1.0 - terms * tolerance / whole, terms * tolerance * read / whole**2


def _exponential_score(read: FloatArray, stopped: BoolArray, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Score of exp(-r / tau) / tau if reading stopped, of exp(-r / tau) if it was cut off."""
    return read / tolerance - stopped, read / tolerance


def _step_integral(start: FloatArray, end: FloatArray, tolerance: float) -> FloatArray:
    return np.maximum(np.minimum(tolerance, end) - start, 0.0)


def _inverse_integral(start: FloatArray, end: FloatArray, tolerance: float) -> FloatArray:
    whole = tolerance + start
    ratio = np.divide(end - start, whole, out=np.zeros(len(start)), where=whole > 0)
    integral: FloatArray = tolerance * np.log1p(ratio)
    return integral


def _exponential_integral(start: FloatArray, end: FloatArray, tolerance: float) -> FloatArray:
    first, more = (_gap_in_tolerances(gap, tolerance) for gap in (start, end - start))
    integral: FloatArray = -tolerance * np.exp(-first) * np.expm1(-more)
    return integral


_STEP_READING = ReadingDistribution(lambda _, tolerance: tolerance)
_INVERSE_READING = ReadingDistribution(lambda u, tolerance: tolerance * (1.0 / u - 1.0), _inverse_score)
_EXPONENTIAL_READING = ReadingDistribution(lambda u, tolerance: -tolerance * math.log(u), _exponential_score)
_Reach = Callable[[FloatArray, float], FloatArray]
_Integral = Callable[[FloatArray, FloatArray, float], FloatArray]
_DECAYS: Mapping[str, tuple[_Reach, _Reach | None, ReadingDistribution, _Integral]] = {
    "step": (_step, None, _STEP_READING, _step_integral),
    "inverse": (_inverse, _inverse_slope, _INVERSE_READING, _inverse_integral),
    "exponential": (_exponential, _exponential_slope, _EXPONENTIAL_READING, _exponential_integral),
}
"""By decay: R, its slope, the distribution of reading lengths, and the integral of R from one distance to another."""
TOLERANCE = Parameter("tolerance", 300.0, "characters read before the user gives up", low=0.0)


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    tolerance, reach = float(values["tolerance"]), _DECAYS[str(values["decay"])][0]

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return reach(_gap(results, targets, rows, columns), tolerance)

    return model_of_pairs(probability, located=True)


def _reading(values: ParameterValues, _context: ModelContext) -> Reading:
    tolerance, integral = float(values["tolerance"]), _DECAYS[str(values["decay"])][3]

    def characters(ranked: RankedTopic) -> FloatArray:
        length = ranked.results.length.astype(np.float64)
        with np.errstate(over="ignore"):  # of a tolerance near 0
            return integral(length, np.maximum(ranked.characters_to_end, length), tolerance)

    return characters


def _estimable_parameter(values: ParameterValues, _context: ModelContext) -> EstimableParameter:
    reach, slope, reading, _ = _DECAYS[str(values["decay"])]
    return EstimableParameter(TOLERANCE.name, pair_features(_gap), reach, slope, reading=reading)


MODEL = UserModel(
    "t2i",
    "reading forward from the start, with a tolerance to irrelevance",
    "R = 1 if the target ends after the result's start and begins no more than `tolerance` characters on, else "
    "0. All text counts; reading does not stop at the first target. decay=inverse: "
    "tolerance / (tolerance + d) instead of the step, 1 at d = 0 whatever the tolerance; decay=exponential: "
    "exp(-d / tolerance), likewise.",
    f"{PRUM_ARTICLE}, section 2.2; decay=exponential is our own",
    _build,
    (
        TOLERANCE,
        Parameter("decay", "step", "how the probability falls with the distance", tuple(_DECAYS)),
    ),
    frozenset({ModelNeed.POSITIONS}),
    navigation_basis=NavigationBasis.FORWARD,
    estimable_parameter=_estimable_parameter,
    reading=_reading,
)
