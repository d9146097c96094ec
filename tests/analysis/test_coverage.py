"""Intervals hold what they say: a simulation of runs whose difference is known."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval.analysis.comparison import t_margin
from prum_eval.numerics.resampling import bootstrap_margin

SIZES = (3, 5, 10, 25, 50)
DRAWS = 1000


def logistic(x):
    return 1 / (1 + np.exp(-x))


def drawn(random, topics):
    """Differences by topic, shape (draws, topics), of the average precision of two runs.

    A topic is easy or hard, N(-1.1, 1.3) on the logistic scale; on it each run is off by N(0, 0.7), the better one by
    0.25 more: a mean difference of 0.04 with a standard deviation of 0.19 and tails heavier than normal ones.
    """
    difficulty = random.normal(-1.1, 1.3, topics)
    better, other = random.normal(0, 0.7, (2, *topics))
    return logistic(difficulty + 0.25 + better) - logistic(difficulty + other)


TRUTH = float(drawn(np.random.default_rng(0), (4000, 1000)).mean())


def coverage(margin_of, topics):
    differences = drawn(np.random.default_rng(topics), (DRAWS, topics))
    return float((np.abs(differences.mean(axis=1) - TRUTH) <= margin_of(differences)).mean())


@pytest.mark.parametrize("topics", SIZES)
def test_the_t_interval_covers_the_truth(topics):
    assert 0.93 <= coverage(lambda differences: t_margin(differences, 0.05), topics) <= 0.98


@pytest.mark.parametrize("topics", SIZES)
def test_so_does_the_studentised_bootstrap(topics):
    """Less exactly, as few resamples differ with few topics: over 10,000 draws .939 with three, .983 with five."""
    least, most = (0.92, 0.99) if topics <= 5 else (0.93, 0.98)
    assert least <= coverage(lambda differences: bootstrap_margin(differences, 2000, 1, 0.05), topics) <= most


def test_a_percentile_interval_would_not():
    """What compare printed before: seen here so that this test can fail."""
    differences = drawn(np.random.default_rng(3), (DRAWS, 5))
    resampled = differences[:, np.random.default_rng(1).integers(0, 5, (2000, 5))].mean(axis=2)
    low, high = np.quantile(resampled, (0.025, 0.975), axis=1)
    assert ((low <= TRUTH) & (high >= TRUTH)).mean() < 0.88
