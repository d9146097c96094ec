"""Sums and means that are exactly rounded."""

import math
import random
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.analysis.matrix import mean
from tests.oracles.worlds import examples


@examples(100)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_sums_and_means_are_exactly_rounded_in_any_order(values, rng):
    exact = sum(map(Fraction, values))
    mixed = rng.sample(values, len(values))
    assert math.fsum(values) == math.fsum(mixed) == float(exact)
    assert mean(np.array(values)) == mean(np.array(mixed)) == float(exact) / len(values)


def test_sums_keep_what_additions_in_order_lose():
    values = [1.0, 1e100, 1.0, -1e100] * 10_000
    random.Random(3).shuffle(values)
    assert math.fsum(values) == 20_000.0
    assert mean(np.array(values)) == 20_000.0 / len(values)
    assert mean(np.full(10, 0.1)) == 0.1
    assert mean(np.array([math.nan, 0.5])) == 0.5
    assert mean(np.array([math.nan])) is mean(np.empty(0)) is None
