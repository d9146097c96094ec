"""Goals of recall levels, and curves between their points."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics.curves import ceiling_interpolation, required_targets, values_at_targets
from tests.oracles.worlds import examples

HUNDREDTHS = np.arange(101) / 100


@pytest.mark.parametrize("t", [1, 2, 3, 7, 10, 33, 100, 299, 1000])
def test_goals_of_decimal_levels_are_those_of_the_decimals(t):
    expected = [max(1, math.ceil(Fraction(i, 100) * t)) for i in range(101)]
    assert [int(required_targets(level, t)) for level in HUNDREDTHS] == expected
    assert required_targets(HUNDREDTHS, t).tolist() == expected
    summed = np.cumsum(np.full(100, 0.01))  # levels with the noise of a hundred additions
    assert required_targets(summed, t).tolist() == expected[1:]


@pytest.mark.parametrize("t", [3, 7, 49, 300])
def test_every_number_of_targets_has_its_level(t):
    assert [required_targets(r / t, t) for r in range(1, t + 1)] == list(range(1, t + 1))


def test_the_slack_is_small():
    assert required_targets(0.5 + 1e-6, 1000) == 501
    assert required_targets(0.5 + 1e-13, 1000) == 500


@examples(60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.lists(st.integers(0, 100), min_size=1, max_size=5))
def test_reading_a_curve(values, hundredths):
    levels, t = np.array(hundredths) / 100, len(values)
    places = [max(1, math.ceil(Fraction(i, 100) * t)) for i in hundredths]
    assert values_at_targets(np.array(values), levels).tolist() == [values[r - 1] for r in places]
    assert ceiling_interpolation(np.array(values), levels).tolist() == [max(values[r - 1 :]) for r in places]
