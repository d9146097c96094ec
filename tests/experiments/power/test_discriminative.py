"""Discriminative power and the difference required, by definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from prum_eval.experiments.power import PowerSettings, difference_required, discriminative_power, power_of_sets
from prum_eval.numerics.resampling import bootstrap_counts

RANDOM = np.random.default_rng(5)


def test_five_topics_have_no_power_by_randomisation_and_six_have():
    constant = np.arange(1.0, 6.0)[None, :]
    assert discriminative_power(constant, PowerSettings(test="randomisation")) == 0.0
    assert discriminative_power(np.arange(1.0, 7.0)[None, :], PowerSettings(test="randomisation")) == 1.0


def test_power_is_the_share_of_significant_pairs():
    differences = RANDOM.normal(0.5, 1.0, (40, 12))
    p = stats.ttest_1samp(differences, 0.0, axis=1).pvalue
    assert 0 < (p < 0.05).mean() < 1
    assert discriminative_power(differences, PowerSettings(test="t")) == (p < 0.05).mean()
    assert discriminative_power(differences, PowerSettings(test="t", alpha=0.3)) == (p < 0.3).mean()


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "t"])
def test_pairs_of_equal_runs_are_never_told_apart(test):
    assert discriminative_power(np.zeros((3, 8)), PowerSettings(test=test)) == 0.0
    assert difference_required(np.zeros((3, 8)), PowerSettings(test=test)) is None


def test_power_grows_with_the_size_of_sets():
    differences = RANDOM.normal(0.6, 1.0, (60, 40))
    origin = (np.vstack((np.zeros(40), differences)), np.array([(run, 0) for run in range(1, 61)]))
    found = [power_of_sets(differences, size, PowerSettings(test="t"), origin) for size in (5, 10, 20, 40)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(discriminative_power(differences, PowerSettings(test="t")))


def test_the_power_of_t_is_that_of_the_noncentral_t():
    pairs, n, effect = 3000, 10, 0.7
    differences = np.random.default_rng(6).normal(effect, 1.0, (pairs, n))
    critical, shift = stats.t.ppf(0.975, n - 1), effect * np.sqrt(n)
    expected = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
    found = discriminative_power(differences, PowerSettings(test="t"))
    assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / pairs)


@pytest.mark.parametrize(("trials", "alpha", "n"), [(200, 0.05, 9), (100, 0.01, 20), (7, 0.05, 6)])
def test_the_difference_required_is_the_largest_of_all_pairs(trials, alpha, n):
    differences = RANDOM.normal(0.1, 1.0, (5, n))
    required = []
    for own in differences:
        shifted, drawn = own - own.mean(), []
        for weights in np.concatenate(list(bootstrap_counts(4, trials, n))):
            sample = np.repeat(shifted, weights.astype(int))
            drawn.append((abs(sample.mean()) / sample.std(ddof=1), abs(sample.mean())))
        required.append(sorted(drawn, reverse=True)[max(1, round(trials * alpha)) - 1][1])
    found = difference_required(differences, PowerSettings(4, trials, alpha))
    assert found == pytest.approx(max(required), rel=1e-9)


def test_samples_of_one_topic_are_as_far_as_can_be():
    found = difference_required(np.array([[0.0, 1.0]]), PowerSettings(trials=100))
    assert found == 0.5  # only drawing one of the two twice has no variance


def test_a_difference_that_is_significant_needs_no_more_than_is_required_of_its_pair():
    for own in RANDOM.normal(0.5, 1.0, (30, 1, 25)):
        required = difference_required(own, PowerSettings(trials=2000))
        if discriminative_power(own, PowerSettings(trials=2000)):
            assert required is not None
            assert abs(own.mean()) > 0.7 * required
