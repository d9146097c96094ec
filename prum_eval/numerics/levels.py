"""Recall levels: which count a level asks for, and how a curve is read between its points."""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import FloatArray, IntArray

SLACK = 1e-9
"""Slack of every comparison with a recall goal: 0.7 of 10 is 7, whatever the doubles say."""

HUNDREDTHS = np.arange(1, 101) / 100
"""The recall levels .01, .02, ... 1.00."""


def goal(level: float, total: int) -> int:
    """Number of targets that recall ``level`` in [0, 1] asks for: max(1, ceil(level total)).

    >>> [goal(level, 10) for level in (0.0, 0.1, 0.7, 1.0)]
    [1, 1, 7, 10]
    """
    return max(1, math.ceil(level * total - SLACK))


def goals(levels: FloatArray, total: int) -> IntArray:
    """Numbers of targets for many levels, the array form of `goal`."""
    return np.maximum(1, np.ceil(np.asarray(levels) * total - SLACK)).astype(np.int64)


def at_goals(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Read a step function: values[r - 1] belongs to r targets of len(values); no interpolation."""
    return values[goals(levels, len(values)) - 1]


def ceiling_interpolation(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Highest value at the level's goal or any later one ([PRUM] ceiling interpolation).

    >>> ceiling_interpolation(np.array([0.5, 0.2, 0.4]), np.array([0.0, 0.5, 1.0])).tolist()
    [0.5, 0.4, 0.4]
    """
    envelope = np.maximum.accumulate(values[::-1])[::-1]
    return at_goals(envelope, levels)


def at_levels(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Values at recall levels, of a curve at 0, 1/k, ..., 1; a level between two points is read at the next one.

    >>> at_levels(np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.7])).tolist()
    [3.0, 2.0, 1.0]
    """
    return values[np.ceil(levels * (len(values) - 1) - SLACK).astype(np.int64)]
