"""The xCG family: measures of a vector of gains beside an ideal one.

Sources: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, sections 4 and 5; [PRUM] C.3; MAnxCG [LIT].

Arrays. ``gains``: xG, the gain of each result, best first, shape (o,). ``ideal``: xI, the gains of the ideal list,
decreasing and above 0, shape (n,), n >= 1. xCG and xCI are their prefix sums. Nothing is clipped: where gains come from
another base than the ideal ones, nxCG and MAep can pass 1.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.numerics.levels import SLACK, total


def cumulated(gains: FloatArray, ranks: FloatArray) -> FloatArray:
    """xCG[k], the sum of the first k gains; constant past the end."""
    sums = np.concatenate(([0.0], np.cumsum(gains)))
    return sums[np.minimum(ranks, len(gains)).astype(np.int64)]


def normalised(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """nxCG[k] = xCG[k] / xCI[k], k >= 1."""
    values: FloatArray = cumulated(gains, ranks) / cumulated(ideal, ranks)
    return values


def mean_normalised(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """MAnxCG[k], the mean of nxCG[1..k]; past the end of both lists nxCG stays, and k grows."""
    longest = max(len(gains), len(ideal))
    curve = normalised(gains, ideal, np.arange(1.0, longest + 1))
    sums = np.concatenate(([0.0], np.cumsum(curve)))
    within = np.minimum(ranks, longest).astype(np.int64)
    means: FloatArray = (sums[within] + (ranks - within) * curve[-1]) / ranks
    return means


def ranks_of(gains: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """The rank where cumulated gain reaches each goal, NaN where it never does.

    Read on the piecewise linear curve through (0, 0), or at whole ranks.
    """
    sums = np.cumsum(gains)
    step = np.searchsorted(sums, goals - SLACK)
    found = step < len(sums)
    ranks = np.full(len(goals), np.nan)
    at = step[found]
    if whole:
        ranks[found] = at + 1
        return ranks
    share = 1.0 - (sums[at] - goals[found]) / np.where(gains[at] > 0, gains[at], 1.0)
    ranks[found] = at + np.clip(share, 0.0, 1.0)
    return ranks


def ideal_ranks(ideal: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """i_ideal: the rank where the ideal list reaches each gain; n past its end."""
    ranks = ranks_of(ideal, goals, whole=whole)
    return np.where(np.isnan(ranks), float(len(ideal)), ranks)


def effort_precision(gains: FloatArray, ideal: FloatArray, levels: FloatArray, *, whole: bool) -> FloatArray:
    """Ep = i_ideal / i_run at the gain gr xCI[n], for levels gr in (0, 1]; 0 where the run does not reach it."""
    goals = levels * np.cumsum(ideal)[-1]
    own = ranks_of(gains, goals, whole=whole)
    values = np.zeros(len(levels))
    np.divide(ideal_ranks(ideal, goals, whole=whole), own, out=values, where=~np.isnan(own))
    return values


def mean_effort_precision(gains: FloatArray, ideal: FloatArray, *, whole: bool) -> float:
    """MAep: the sum, over the ranks i with a gain, of i_ideal / i at the gain xCG[i]; divided by n."""
    ranks = np.flatnonzero(gains > 0)
    efforts = ideal_ranks(ideal, np.cumsum(gains)[ranks], whole=whole) / (ranks + 1)
    return total(efforts.tolist()) / len(ideal)
