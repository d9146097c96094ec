"""Clustered variances, and survival, against plain sums and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prum_eval.numerics.estimation import half_width, logit_share_variance, sandwich_variances, survival_median
from tests.measures.collections import examples


def test_the_sandwich_of_a_mean_is_its_variance_over_clusters():
    """For a mean of cluster means the sandwich is the variance of these over their number."""
    values = np.array([1.0, 4.0, 2.5, 9.0, 3.5])
    scores = (values - values.mean())[:, None]
    assert sandwich_variances(scores, np.array([[5.0]]))[0, 0] == pytest.approx(values.var(ddof=1) / 5, rel=1e-12)


def test_independent_scores_give_the_inverse_information():
    """Where each cluster is one observation of a model that holds, both are the same on average."""
    rng = np.random.default_rng(3)
    y = rng.random(40_000) < 0.3
    p = y.mean()
    found = sandwich_variances((y - p)[:, None].astype(float), np.array([[len(y) * p * (1 - p)]]))
    assert found[0, 0] == pytest.approx(1 / (len(y) * p * (1 - p)), rel=1e-3)


@pytest.mark.parametrize(
    ("scores", "information"),
    [
        (np.ones((1, 1)), np.ones((1, 1))),
        (np.ones((3, 1)), np.zeros((1, 1))),
        (np.ones((3, 2)), np.ones((2, 2))),
    ],
)
def test_what_cannot_be_told_is_none(scores, information):
    assert sandwich_variances(scores, information) is None


def test_shares():
    part, whole = np.array([3.0, 0.0, 5.0]), np.array([4.0, 2.0, 9.0])
    share = 8 / 15
    residuals = part - share * whole
    plain = (residuals**2).sum() * 3 / 2 / (15 * share * (1 - share)) ** 2
    assert logit_share_variance(part, whole) == pytest.approx(plain, rel=1e-12)
    assert logit_share_variance(np.zeros(3), whole) is None
    assert logit_share_variance(part[:1], whole[:1]) is None


def test_intervals_are_students():
    assert half_width(4.0, 10, 0.05) == pytest.approx(2 * stats.t.ppf(0.975, 9), rel=1e-10)


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=12))
def test_the_median_is_that_of_scipys_survival_function(listed):
    time, ended = np.array([one for one, _ in listed], dtype=float), np.array([end for _, end in listed])
    if not ended.any():
        assert survival_median(time, ended, np.ones(len(time))) is None
        return
    data = stats.CensoredData(uncensored=time[ended], right=time[~ended])
    function = stats.ecdf(data).sf
    half = np.flatnonzero(function.probabilities <= 0.5 + 1e-12)
    expected = float(function.quantiles[half[0]]) if len(half) else None
    assert survival_median(time, ended, np.ones(len(time))) == expected


def test_weights_count_as_often():
    time, ended = np.array([1.0, 2.0, 3.0]), np.array([True, True, False])
    assert survival_median(time, ended, np.array([1.0, 3.0, 2.0])) == survival_median(
        np.repeat(time, [1, 3, 2]), np.repeat(ended, [1, 3, 2]), np.ones(6)
    )
