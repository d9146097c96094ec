"""Kaplan and Meier's estimate of a survival function, and its median."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray


def survival_median(time: FloatArray, ended: BoolArray, weight: FloatArray) -> float | None:
    """The first time at which half or less survive; None where more than half always do.

    Args:
        time: when each was last seen.
        ended: whether it ended then; else it was lost from sight, and survived at least so long.
        weight: how often each counts.

    >>> survival_median(np.array([3.0, 1.0, 2.0]), np.array([True, True, False]), np.ones(3))
    3.0
    """
    order = np.argsort(time, kind="stable")
    times, first = np.unique(time[order], return_index=True)
    ends = np.add.reduceat((weight * ended)[order], first)
    leaving = np.add.reduceat(weight[order], first)
    at_risk = np.cumsum(leaving[::-1])[::-1]
    surviving = np.cumprod(1.0 - np.divide(ends, at_risk, out=np.zeros(len(ends)), where=at_risk > 0))
    half = np.flatnonzero(surviving <= 0.5 + 1e-12)
    return float(times[half[0]]) if len(half) else None
