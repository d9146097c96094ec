"""Tukey's honestly significant difference, with randomisation: all pairs of runs tested at once."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.resampling import permuted_sums

_SLACK = 1e-6
"""Relative to the largest range that there can be: arrangements as far apart but for single precision count."""


def tukey_hsd(values: FloatArray, pairs: IntArray, trials: int, seed: int) -> FloatArray:
    """p-values of pairs of runs, corrected for all pairs that there are.

    If all runs were the same, each topic's values could as well belong to the runs in any other order. p of a pair is
    the share of arrangements in which the best and the worst mean are at least as far apart as the means of the pair
    (Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, TOIS
    2012, section 4.2), estimated as (1 + m) / (1 + trials) from m of so many random arrangements.

    Args:
        values: shape (runs, topics), all known.
        pairs: places of the two runs of each pair, shape (pairs, 2).
        trials: random arrangements.
        seed: seed of them.

    Returns:
        Shape (pairs,).
    """
    centred = values - values.mean(axis=0)
    widths = [np.ptp(sums, axis=1) for sums in permuted_sums(seed, trials, centred.T)]
    ranges = np.sort(np.concatenate(widths))
    sums = centred.sum(axis=1)
    goal = np.abs(sums[pairs[:, 0]] - sums[pairs[:, 1]]) - _SLACK * np.ptp(centred, axis=0).sum()
    far = trials - np.searchsorted(ranges, goal)
    found: FloatArray = (1 + far) / (1 + trials)
    return found
