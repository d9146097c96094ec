"""The likelihood of views and its maxima: against plain sums, numerical derivatives and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from prum_eval.experiments.fit_estimates import (
    DECAY,
    LEAK,
    PARAMETER,
    ReachCurve,
    add_leak,
    best_threshold_range,
    cell_reach,
    fit_view_model,
    leaked_share,
    log_likelihood,
    range_middle,
    slope_at,
)
from prum_eval.experiments.fit_log import Cells
from tests.measures.collections import examples

D = np.array([20.0, 150.0, 400.0, 900.0, 2500.0, 7000.0])
L = 1000.0


def nearness(scale):
    return scale * L / (scale * L + D)


CURVE = ReachCurve(nearness, lambda scale: nearness(scale) * (1 - nearness(scale)))


def drawn(seed, scale=0.4, leak=0.05, decay=0.0, trials=80):
    rng = np.random.default_rng(seed)
    pair, before = np.repeat(np.arange(len(D)), 3), np.tile([0, 1, 4], len(D))
    p = add_leak(nearness(scale)[pair] * np.exp(-decay * before), leak)
    return Cells(
        pair, before, np.ones(len(pair), bool), np.full(len(pair), float(trials)), rng.binomial(trials, p).astype(float)
    )


def plain(cells, scale, leak, decay):
    """The formula of the contract, a pair at a time."""
    total = 0.0
    for pair, before, trials, views in zip(cells.pair, cells.ranks_before, cells.trials, cells.views, strict=True):
        r = scale * L / (scale * L + D[pair]) * math.exp(-decay) ** before
        p = leak + (1 - 2 * leak) * r
        total += views * math.log(p) + (trials - views) * math.log(1 - p)
    return total


@examples(30)
@given(st.integers(0, 50), st.floats(0.01, 9), st.floats(0.001, 0.49), st.floats(0, 0.5))
def test_value_gradient_and_information(seed, scale, leak, decay):
    cells = drawn(seed)
    point, everything = np.array([math.log(scale), leak, decay]), np.arange(3)
    slope = slope_at(CURVE, cells, point, everything)
    assert slope.value == pytest.approx(plain(cells, scale, leak, decay), rel=1e-12)

    def value(at):
        return plain(cells, math.exp(at[0]), at[1], at[2])

    for number in range(3):
        step = np.zeros(3)
        step[number] = 1e-6
        if number == DECAY and decay < 1e-6:
            continue
        measured = (value(point + step) - value(point - step)) / 2e-6
        assert slope.gradient[number] == pytest.approx(measured, rel=1e-4, abs=1e-3)
    expected = np.zeros((3, 3))
    for pair, before, trials in zip(cells.pair, cells.ranks_before, cells.trials, strict=True):
        r = nearness(scale)[pair] * math.exp(-decay * before)
        own = nearness(scale)[pair]
        p = leak + (1 - 2 * leak) * r
        j = np.array([(1 - 2 * leak) * r * (1 - own), 1 - 2 * r, -(1 - 2 * leak) * before * r])
        expected += trials * np.outer(j, j) / (p * (1 - p))
    assert slope.information == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_most_likely_point_is_that_of_scipy(seed):
    cells = drawn(seed)
    found = fit_view_model(CURVE, cells, np.zeros(3), np.array([PARAMETER, LEAK]))
    best = min(
        (
            optimize.minimize(
                lambda x: -plain(cells, math.exp(x[0]), x[1], 0.0), start, method="L-BFGS-B",
                bounds=[(-15, 15), (1e-9, 0.4999)], options={"ftol": 1e-14, "gtol": 1e-9},
            )
            for start in ([0.0, 0.01], [-3.0, 0.2], [2.0, 0.1])
        ),
        key=lambda result: result.fun,
    )  # fmt: skip
    assert found.value >= -best.fun - 1e-7
    assert found.point[:2] == pytest.approx(best.x, abs=2e-4)


@pytest.mark.parametrize("seed", range(5))
def test_with_rank_decay_too(seed):
    cells = drawn(seed, decay=0.2, trials=400)
    found = fit_view_model(CURVE, cells, np.zeros(3), np.arange(3))
    best = optimize.minimize(
        lambda x: -plain(cells, math.exp(x[0]), x[1], x[2]), [-1.0, 0.05, 0.2], method="L-BFGS-B",
        bounds=[(-15, 15), (1e-9, 0.4999), (0, 5)], options={"ftol": 1e-14, "gtol": 1e-9},
    )  # fmt: skip
    assert found.value >= -best.fun - 1e-7
    assert found.point == pytest.approx(best.x, abs=5e-4)


def test_without_a_leak_it_is_logistic_regression():
    """With e = 0, logit R = log A L - log d: the intercept of a logistic regression on an offset, by scipy's root."""
    cells = drawn(4, leak=0.0)
    found = fit_view_model(CURVE, cells, np.zeros(3), np.array([PARAMETER]))

    def score(logarithm):
        return float((cells.views - cells.trials * nearness(math.exp(logarithm))[cells.pair]).sum())

    assert found.point[PARAMETER] == pytest.approx(optimize.brentq(score, -9, 9, xtol=1e-13), abs=1e-9)


def test_a_leak_of_nothing_leaves_one_parameter():
    cells = drawn(0, leak=0.0, trials=30)
    found = fit_view_model(CURVE, cells, np.zeros(3), np.array([PARAMETER, LEAK]))
    if found.point[LEAK] == 0:
        assert found.free.tolist() == [True, False, False]
    assert found.point[LEAK] >= 0


def test_what_is_certain_holds_the_leak_down():
    """Nothing is seen where nothing is reached: a leak would cost as much as there is of that, and stays at 0."""
    curve = ReachCurve(lambda _: np.array([0.0, 0.5, 1.0]), None)
    three, none = np.arange(3), np.zeros(3, dtype=np.int64)
    trials = np.array([900.0, 40.0, 70.0])
    cells = Cells(three, none, none == 0, trials, np.array([0.0, 20.0, 70.0]))
    at_zero = slope_at(curve, cells, np.zeros(3), np.array([LEAK]))
    small = log_likelihood(add_leak(curve.reach(0), 1e-9), cells)
    assert at_zero.gradient[0] == pytest.approx((small - at_zero.value) / 1e-9, rel=1e-4) == -970
    found = fit_view_model(curve, cells, np.zeros(3), np.array([LEAK]))
    assert (found.point[LEAK], found.free[LEAK]) == (0.0, False)


def test_what_cannot_happen_is_infinitely_unlikely():
    cells = Cells(np.array([0]), np.array([0]), np.array([True]), np.array([1.0]), np.array([1.0]))
    assert log_likelihood(np.array([0.0]), cells) == -math.inf
    assert log_likelihood(np.array([1.0]), cells) == 0.0


def test_the_share_of_the_views_that_the_leak_explains():
    """Of a view of R = .5 under e = .1, R' = .5: .1; of one of R = 0, R' = .1: all of it."""
    cells = Cells(np.arange(2), np.zeros(2, int), np.ones(2, bool), np.full(2, 4.0), np.array([3.0, 1.0]))
    reach = np.array([0.5, 0.0])
    expected = (3 * 0.1 * 0.5 / 0.5 + 1 * 0.1 * 1.0 / 0.1) / 4
    assert leaked_share(reach, add_leak(reach, 0.1), cells, 0.1) == pytest.approx(expected, rel=1e-12)
    assert leaked_share(reach, reach, cells, 0.0) == 0.0


def test_what_an_earlier_rank_opened_is_not_reached():
    cells = drawn(1)
    shut = Cells(cells.pair, cells.ranks_before, np.zeros(len(cells.pair), bool), cells.trials, cells.views)
    assert not cell_reach(CURVE, shut, np.zeros(3)).any()


@examples(150)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 5.0, 9.0, np.inf]), st.booleans()), min_size=1, max_size=12))
def test_the_fewest_errors_by_trying_all_thresholds(listed):
    distance = np.array([one for one, _ in listed])
    viewed = np.array([float(view) for _, view in listed])

    def errors(threshold):
        inside = distance <= threshold
        return int(((inside == 0) & (viewed > 0)).sum() + (inside & (viewed == 0)).sum())

    low, high = best_threshold_range(distance, viewed, np.ones(len(listed)))
    tries = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 9.0, 10.0]
    best = min(map(errors, tries))
    assert errors(low) == errors(range_middle(low, high)) == best
    assert all(errors(one) > best for one in tries if one < low)
    assert math.isinf(high) or high in distance
