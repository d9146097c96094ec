"""Maxima of likelihoods within bounds, by Fisher's scoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray

_ROUNDS = 500
_HALVINGS = 60
_CLOSE = 1e-7
"""So near to a maximum, in squared standard errors, what is gained is lost in the rounding of the likelihood."""
_NEAREST = 1e-24


@dataclass(frozen=True)
class Slope:
    """A log-likelihood at a point: its `value`, its `gradient`, and the Fisher `information`, a matrix."""

    value: float
    gradient: FloatArray
    information: FloatArray


@dataclass(frozen=True)
class Maximum:
    """A maximum: the point, the likelihood there, and which parameters are `free`, not held by a bound."""

    point: FloatArray
    slope: Slope
    free: BoolArray


def scored_maximum(
    slope_at: Callable[[FloatArray], Slope], start: FloatArray, low: FloatArray, high: FloatArray
) -> Maximum:
    """The maximum that scoring finds from a point on; all arrays have one entry a parameter.

    A step is the gradient over the information, halved until the likelihood rises; very near to the maximum until the
    gradient falls. A parameter at a bound that the gradient leads out of stays there.
    """
    point = np.clip(start, low, high)
    slope = slope_at(point)
    for _ in range(_ROUNDS):
        free = _free(point, slope, low, high)
        step = _step(slope, free)
        gain = float(slope.gradient @ step)
        if gain <= _NEAREST:
            break
        found = _better(slope_at, point, step, slope, gain, (low, high))
        if found is None:
            break
        point, slope = found
    return Maximum(point, slope, _free(point, slope, low, high))


def _free(point: FloatArray, slope: Slope, low: FloatArray, high: FloatArray) -> BoolArray:
    held: BoolArray = ((point <= low) & (slope.gradient <= 0)) | ((point >= high) & (slope.gradient >= 0))
    return ~held


def _step(slope: Slope, free: BoolArray) -> FloatArray:
    step = np.zeros(len(free))
    own = np.flatnonzero(free)
    if len(own):
        information = slope.information[np.ix_(own, own)]
        scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
        scaled = information / np.outer(scale, scale)  # units apart, it is singular where parameters are the same
        solved = np.linalg.lstsq(scaled, slope.gradient[own] / scale, rcond=1e-12)[0]
        step[own] = solved / scale
    return step


def _better(
    slope_at: Callable[[FloatArray], Slope],
    point: FloatArray,
    step: FloatArray,
    slope: Slope,
    gain: float,
    bounds: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, Slope] | None:
    for halving in range(_HALVINGS):
        following = np.clip(point + step * 0.5**halving, *bounds)
        if (following == point).all():
            return None
        there = slope_at(following)
        if gain > _CLOSE:
            better = there.value > slope.value
        else:
            left = float(there.gradient @ _step(there, _free(following, there, *bounds)))
            better = left < gain
        if better:
            return following, there
    return None
