"""The studentised bootstrap: all resamples written out, scipy on the same data, what is not defined."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prum_eval.numerics import resampling as bootstrap
from prum_eval.numerics import resampling as contrasts
from prum_eval.numerics.resampling import bootstrap_margin, bootstrap_test, is_constant


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.7, 0.35], [0.5, -0.1, 0.3, 0.3], [-0.4, -0.2, 0.1, 0.0]])
def test_all_resamples_written_out(values):
    observed = abs(np.mean(values)) / np.std(values)
    far, studentised = 0, []
    for drawn in itertools.product(values, repeat=4):
        shift = abs(np.mean(drawn) - np.mean(values))
        far += bool(shift > 1e-9 and (np.std(drawn) < 1e-9 or shift / np.std(drawn) >= observed - 1e-9))
        if np.std(drawn) > 1e-9:
            studentised.append(shift / np.std(drawn))
    trials = 40_000
    truth = far / 4**4
    p = bootstrap_test(np.array([values]), trials, 3)[0]
    assert p == pytest.approx(truth, abs=5 * math.sqrt(truth * (1 - truth) / trials) + 1 / trials)
    found = bootstrap_margin(np.array([values]), trials, 3, 0.1)[0] / np.std(values)
    below, up_to = (np.mean(np.array(studentised) <= found + slack) for slack in (-1e-9, 1e-9))
    assert below - 0.008 <= 0.9 <= up_to + 0.008  # the law has atoms: a quantile is one whose sides fit


def test_the_interval_holds_the_means_that_the_test_does_not_reject():
    values = np.random.default_rng(8).gamma(2, 1, (1, 30)) - 1
    margin = bootstrap_margin(values, 9999, 5, 0.05)[0]
    for shift, rejected in ((margin * 1.001, True), (margin * 0.999, False)):
        p = bootstrap_test(values - values.mean() + shift, 9999, 5)[0]
        assert (p <= 0.05) == rejected


def test_p_and_interval_near_those_of_the_t_test_on_normal_data():
    values = np.random.default_rng(8).normal(0.25, 1, 100)
    theirs = stats.ttest_1samp(values, 0)
    assert bootstrap_test(values[None], 20_000, 5)[0] == pytest.approx(theirs.pvalue, abs=0.02)
    interval = theirs.confidence_interval(0.95)
    assert bootstrap_margin(values[None], 20_000, 5, 0.05)[0] == pytest.approx((interval.high - interval.low) / 2, 0.02)


@pytest.mark.parametrize("values", [[0.1, 0.1, 0.1, 0.1], [0.0, 0.0, 0.0], [0.3], [1 / 3, 1 - 2 / 3, 1 / 3]])
def test_of_constant_differences_nothing_is_defined(values):
    one = np.array([values])
    assert is_constant(one).all()
    assert np.isnan(bootstrap_test(one, 100, 1)).all()
    assert np.isnan(bootstrap_margin(one, 100, 1, 0.05)).all()


def test_two_topics_have_a_p_value_and_no_interval():
    two = np.array([[0.1, 0.5]])
    assert 0 < bootstrap_test(two, 100, 1)[0] <= 1
    assert np.isnan(bootstrap_margin(two, 100, 1, 0.05)).all()


def test_a_mean_of_0_is_as_near_as_can_be():
    assert bootstrap_test(np.array([[0.5, -0.5, 0.2, -0.2]]), 200, 1).tolist() == [1.0]


def test_a_comparison_does_not_depend_on_those_beside_it(monkeypatch):
    values = np.random.default_rng(0).normal(0.2, 1, (5, 30))
    values[1] = 0.25
    together = (bootstrap_test(values, 999, 1), bootstrap_margin(values, 999, 1, 0.05))
    assert np.isnan(together[0]).tolist() == [False, True, False, False, False]
    monkeypatch.setattr(contrasts, "COMPARISONS_PER_BLOCK", 2)
    monkeypatch.setattr(bootstrap, "_MEANS_PER_BLOCK", 1)
    for row in (0, 3):
        alone = (
            bootstrap_test(values[row : row + 1], 999, 1)[0],
            bootstrap_margin(values[row : row + 1], 999, 1, 0.05)[0],
        )
        assert [one[row] for one in together] == pytest.approx(alone, abs=1e-12)
    apart = (bootstrap_test(values, 999, 1), bootstrap_margin(values, 999, 1, 0.05))
    assert np.array(apart) == pytest.approx(np.array(together), abs=1e-12, nan_ok=True)


def test_many_pairs_of_few_runs_have_the_p_values_of_each_alone():
    random = np.random.default_rng(6)
    values = random.integers(0, 6, (8, 14)) / 5  # fifths: many resamples are as far as the observed one
    values[7] = values[6] + random.choice([-1e-9, 1e-9], 14)  # nearly one run
    pairs = np.array(list(itertools.combinations(range(8), 2)))
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    assert 20 < contrasts.same_origin(differences, (values, pairs)).sum() < len(pairs)
    together = bootstrap_test(differences, 2000, 3, (values, pairs))
    assert together.tolist() == bootstrap_test(differences, 2000, 3).tolist()


@given(
    st.integers(4, 9),
    st.integers(3, 40),
    st.sampled_from([1, 2, 5, 10**6]),
    st.sampled_from([1e-30, 1e-3, 1.0, 1e12]),
    st.sampled_from([0.0, 1.0, 1e6]),
    st.integers(0, 2**32),
)
def test_single_precision_decides_as_double_does(runs, topics, steps, unit, offset, seed):
    random = np.random.default_rng(seed)
    values = (random.integers(0, steps, (runs, topics), endpoint=True) / steps + offset) * unit
    # Not 1e-12 of a value, which is what counts as rounding: of a trial that is as much off either may be said.
    values[1] = values[0] * (1 + random.choice([0, 1e-14, 1e-10, 1e-7, 1e-3], topics))
    pairs = np.array(list(itertools.combinations(range(runs), 2)))
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    found = bootstrap_test(differences, 300, 3, (values, pairs))
    assert np.array_equal(found, bootstrap_test(differences, 300, 3), equal_nan=True)


def test_the_seed_decides():
    values = np.random.default_rng(0).normal(0.2, 1, (2, 30))
    for function in (bootstrap_test, lambda *given: bootstrap_margin(*given, 0.05)):
        first, again, other = (function(values, 999, seed).tolist() for seed in (1, 1, 2))
        assert first == again != other
