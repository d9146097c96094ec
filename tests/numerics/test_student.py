"""Student's t distribution and the power of its test, beside scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prum_eval.numerics.significance import detectable_effect, t_quantile, t_test_power, two_sided_p
from tests.oracles.worlds import examples
from tests.slow import slow_but

DEGREES = [1, 2, 3, 4, 7, 9, 24, 49, 99, 100, 101, 299, 9999]


@pytest.mark.parametrize("degrees", DEGREES)
def test_quantiles_and_tails_as_scipy(degrees):
    for tail in (0.49, 0.4, 0.25, 0.1, 0.05, 0.025, 0.005, 0.0005, 1e-6, 1e-12):
        t = t_quantile(tail, degrees)
        assert t == pytest.approx(stats.t.isf(tail, degrees), rel=1e-10)
        for of in (t, -t, t / 3, t / 1000):
            assert two_sided_p(of, degrees) == pytest.approx(2 * stats.t.sf(abs(of), degrees), rel=1e-10)


@examples(200)
@given(st.floats(0, 1e6), st.integers(1, 5000))
def test_tails_as_scipy(t, degrees):
    # of small t scipy takes a tail of 7e-9 for that of 0: there the density, as good as constant, says what is missing
    theirs = 2 * stats.t.sf(t, degrees) if t > 1e-4 else 1 - 2 * t * stats.t.pdf(0, degrees)
    assert two_sided_p(t, degrees) == pytest.approx(theirs, rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("t", [1e-300, 1e-12, 7.4e-9, 1e-6, 1e-4, 0.3, 1e5])
def test_tails_of_one_degree_are_those_of_cauchy(t):
    assert two_sided_p(t, 1) == pytest.approx(2 * math.atan2(1, t) / math.pi, rel=1e-12)


def test_the_ends():
    assert (two_sided_p(0.0, 5), two_sided_p(math.inf, 5), t_quantile(0.5, 5)) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("n", slow_but([2, 10, 50], [2, 3, 5, 10, 25, 50, 300]))
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2])
def test_power_is_that_of_the_noncentral_t_distribution(n, alpha):
    critical, law = stats.t.isf(alpha / 2, n - 1), stats.nct
    for power in (0.5, 0.8, 0.95):
        effect = detectable_effect(n, power, alpha)
        shift = effect * math.sqrt(n)
        other = np.nan_to_num(law.cdf(-critical, n - 1, shift))  # scipy has NaN where it is as good as 0
        assert law.sf(critical, n - 1, shift) + other == pytest.approx(power, abs=1e-10)
        assert t_test_power(effect, n, alpha) == pytest.approx(power, abs=1e-10)
    assert t_test_power(0.0, n, alpha) == pytest.approx(alpha, rel=1e-10)
