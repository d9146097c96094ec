"""Roots and maxima against scipy's."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize

from prum_eval.numerics.estimation import Slope, decreasing_root, maximise_likelihood
from tests.measures.collections import examples


@examples(80)
@example([(8.0, False), (2.220446049250313e-16, True)])
@given(
    st.lists(st.tuples(st.floats(0, 1e4), st.booleans()), min_size=1, max_size=12).filter(
        lambda listed: any(stopped and read for read, stopped in listed)
    )
)
def test_roots_are_those_of_brentq(listed):
    """The equation of readings that the contract gives for the inverse law: n / tau = sum of 2 or 1 over (tau + r)."""
    read, stopped = (np.array(column, dtype=float) for column in zip(*listed, strict=True))

    def value(logarithm):
        tau = np.exp(logarithm)
        return float((1 - (1 + stopped) * tau / (tau + read)).sum())

    def both(logarithm):
        tau = np.exp(logarithm)
        return value(logarithm), -float(((1 + stopped) * tau * read / (tau + read) ** 2).sum())

    if value(60.0) >= 0 or value(-60.0) <= 0:
        return
    expected = optimize.brentq(value, -60.0, 60.0, xtol=1e-14, rtol=1e-14)
    # where the sum is flat, as for readings of 8 and 2e-16 characters, its rounding alone moves the root
    moved_by_rounding = 4 * len(read) * np.finfo(float).eps / -both(expected)[1]
    assert decreasing_root(both, -60.0, 60.0) == pytest.approx(expected, abs=1e-9 + moved_by_rounding)


def test_a_root_out_of_bounds_is_the_bound():
    assert decreasing_root(lambda x: (5 - x, -1.0), 0.0, 2.0) == 2.0
    assert decreasing_root(lambda x: (-1 - x, -1.0), 0.0, 2.0) == 0.0
    assert decreasing_root(lambda x: (1 - x, -1.0), 0.0, 2.0) == 1.0


def test_a_derivative_that_is_wrong_costs_time_only():
    assert decreasing_root(lambda x: (2 - x**3, 0.0), 0.0, 4.0) == pytest.approx(2 ** (1 / 3), rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bounded", [False, True])
def test_maxima_are_those_of_scipy(seed, bounded):
    """Logistic regression of two parameters: Fisher's scoring and L-BFGS-B find the same, bounds or not."""
    rng = np.random.default_rng(seed)
    design = np.column_stack((np.ones(60), rng.normal(size=60)))
    y = (rng.random(60) < 1 / (1 + np.exp(-design @ [0.3, 1.0]))).astype(float)
    low, high = (np.array([-9.0, -9.0]), np.array([9.0, 0.6 if bounded else 9.0]))

    def slope(point):
        p = 1 / (1 + np.exp(-design @ point))
        value = float((y * np.log(p) + (1 - y) * np.log1p(-p)).sum())
        return Slope(value, design.T @ (y - p), (design * (p * (1 - p))[:, None]).T @ design)

    found = maximise_likelihood(slope, np.zeros(2), low, high)
    expected = optimize.minimize(
        lambda x: (-slope(x).value, -slope(x).gradient), np.zeros(2), jac=True,
        bounds=list(zip(low, high, strict=True)), method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    assert found.point == pytest.approx(expected.x, abs=1e-5)
    assert found.slope.value >= -expected.fun - 1e-9
    inside = np.abs(found.slope.gradient[found.free])
    assert (inside < 1e-9).all()
    assert found.free.tolist() == [True, not (bounded and found.point[1] == 0.6)]


def test_a_flat_direction_is_left_alone():
    found = maximise_likelihood(
        lambda x: Slope(-float((x[0] - 2) ** 2), np.array([-2 * (x[0] - 2), 0.0]), np.diag([2.0, 0.0])),
        np.array([0.0, 0.5]), np.array([-5.0, 0.0]), np.array([5.0, 1.0]),
    )  # fmt: skip
    assert found.point.tolist() == [2.0, 0.5]
