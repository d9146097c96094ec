"""Coefficients against scipy, against the definition of tau-ap, and against a published example."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from prum_eval import correlate
from prum_eval.analysis.correlation import pairwise_order, pearson

# The example in the documentation of the R package ircor by the authors of tau_ap,b, with the values printed there.
X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])


def one_way(x, y):
    """tau_ap of the ranking by y against that by x, word for word from the article; no ties."""
    ranking = sorted(range(len(y)), key=lambda i: -y[i])
    total = 0.0
    for i in range(2, len(ranking) + 1):
        correct = sum(x[above] > x[ranking[i - 1]] for above in ranking[: i - 1])
        total += correct / (i - 1)
    return 2 / (len(ranking) - 1) * total - 1


def single(x, y):
    each, once = np.arange(len(x)), np.ones((1, len(x)))
    lie = pairwise_order(x, y, each, len(x))
    return pearson(x, y, each, once)[0], lie.tau_b(once)[0], lie.tau_ap(once)[0]


def test_the_published_example():
    assert one_way(X, Y) == pytest.approx(0.3928571, abs=5e-8)
    assert single(X, Y)[2] == pytest.approx((one_way(X, Y) + one_way(Y, X)) / 2, abs=1e-12)
    assert single(X, Y.round(1))[2] == pytest.approx(0.3317019, abs=5e-8)
    assert single(X.round(1), Y.round(1))[2] == pytest.approx(0.339418, abs=5e-7)


def test_each_direction_takes_the_other_measure_as_the_truth():
    each, once = np.arange(len(X)), np.ones((1, len(X)))
    lie = pairwise_order(X, Y, each, len(X))
    assert lie.tau_ap_of_y(once)[0] == pytest.approx(one_way(X, Y), abs=1e-12)
    assert lie.tau_ap_of_x(once)[0] == pytest.approx(one_way(Y, X), abs=1e-12)
    assert one_way(X, Y) != pytest.approx(one_way(Y, X), abs=0.01)


def test_a_wrong_order_at_the_top_costs_more():
    good = np.array([4.0, 3.0, 2.0, 1.0])
    top, bottom = np.array([3.0, 4.0, 2.0, 1.0]), np.array([4.0, 3.0, 1.0, 2.0])
    # by hand: top exchanged 2/3 (0 + 1 + 1) - 1, bottom exchanged 2/3 (1 + 1 + 2/3) - 1
    assert single(good, top)[2] == pytest.approx(1 / 3)
    assert single(good, bottom)[2] == pytest.approx(7 / 9)
    assert single(good, top)[1] == single(good, bottom)[1] == pytest.approx(2 / 3)
    assert single(good, good) == pytest.approx((1, 1, 1))
    assert single(good, -good) == pytest.approx((-1, -1, -1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("levels", [3, 8, 10**9])
def test_as_scipy_with_and_without_ties(seed, levels):
    random = np.random.default_rng(seed)
    x, y = random.integers(0, levels, (2, 30)).astype(float)
    r, tau_b, tau_ap = single(x, y)
    assert r == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert tau_b == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    if levels > 100:
        assert tau_ap == pytest.approx((one_way(x, y) + one_way(y, x)) / 2, abs=1e-12)


@pytest.mark.parametrize("stripe", [1, 7, 1 << 22])
def test_a_resample_is_the_sample_of_its_copies(monkeypatch, stripe):
    monkeypatch.setattr("prum_eval.analysis.correlation._CELLS", stripe)
    random = np.random.default_rng(5)
    group = np.array([2, 0, 1, 1, 0, 2, 3, 3, 1, 4])
    x, y = random.integers(0, 6, (2, 10)).astype(float)
    weights = np.array([[1, 1, 1, 1, 1], [2, 0, 1, 1, 1], [0, 3, 0, 2, 0], [0, 1, 2, 0, 2]], dtype=float)
    lie = pairwise_order(x, y, group, 5)
    found = np.stack((pearson(x, y, group, weights), lie.tau_b(weights), lie.tau_ap(weights)), axis=1)
    for row, counts in zip(found, weights.astype(int), strict=True):
        copies = np.repeat(np.arange(10), counts[group])
        assert row == pytest.approx(single(x[copies], y[copies]), abs=1e-12)
        assert row[1] == pytest.approx(stats.kendalltau(x[copies], y[copies]).statistic, abs=1e-12)


def test_without_spread_nothing_is_defined():
    same, other = np.full(3, 0.1), np.array([1.0, 2.0, 3.0])
    assert np.isnan(single(same, other)).all()
    each = np.arange(3)
    only_one = np.array([[3.0, 0.0, 0.0]])  # a resample of one item, three times
    lie = pairwise_order(other, other, each, 3)
    assert np.isnan([*pearson(other, other, each, only_one), *lie.tau_b(only_one), *lie.tau_ap(only_one)]).all()


def correlated(**values):
    """tau_b, tau_ap and both directions of two measures over runs with these values."""
    runs = {f"r{place}": {"t": {name: float(own[place]) for name, own in values.items()}} for place in range(len(X))}
    (pair,) = correlate(values=runs, trials=20).pairs
    return [one.value for one in (pair.tau_b, pair.tau_ap, pair.tau_ap_first, pair.tau_ap_second)]


def test_the_good_end_of_costs_is_the_low_one():
    # both costs: the rankings of the runs from the lowest value on
    _, both, first, second = correlated(size_5=X, tokens_5=Y)
    assert (first, second) == pytest.approx((one_way(-Y, -X), one_way(-X, -Y)))
    assert both == pytest.approx((first + second) / 2)
    assert both != pytest.approx(correlated(map=X, ndcg=Y)[1])
    assert correlated(map=-X, ndcg=-Y)[1] == pytest.approx(both)


def test_with_one_cost_the_sign_is_that_of_the_values():
    tau_b, _, first, second = correlated(map=X, size_5=Y)
    assert tau_b == pytest.approx(correlated(map=X, ndcg=Y)[0])
    assert first == pytest.approx(-one_way(-Y, X))
    assert second == pytest.approx(-one_way(X, -Y))
    assert first == pytest.approx(correlated(map=X, ndcg=Y)[2])  # the order by map weighs the same end
    rising = np.arange(10.0)
    assert correlated(map=rising, size_5=rising) == pytest.approx([1, 1, 1, 1])


def test_over_resampled_topics_too():
    random = np.random.default_rng(2)
    size, tokens = random.random((2, 6, 9))
    runs = {
        f"r{run}": {f"t{t}": {"size_5": size[run, t], "tokens_5": tokens[run, t]} for t in range(9)} for run in range(6)
    }
    (pair,) = correlate(values=runs, trials=50, resample="topics").pairs
    assert pair.tau_ap_first.value == pytest.approx(one_way(-tokens.mean(axis=1), -size.mean(axis=1)))
    assert pair.tau_ap_first.low <= pair.tau_ap_first.value <= pair.tau_ap_first.high


def test_the_unit_of_the_data_changes_nothing():
    for unit in (1e-200, 1e160):
        assert single(X * unit, Y * unit) == pytest.approx(single(X, Y))
