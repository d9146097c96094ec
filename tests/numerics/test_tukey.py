"""Randomised Tukey HSD: all arrangements written out, permutations drawn anew for every trial, ties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from prum_eval.analysis.comparison import randomisation_test
from prum_eval.numerics.resampling import permuted_sums
from prum_eval.numerics.significance import tukey_hsd

TRIALS = 20_000


def close(truth):
    """Five standard errors of a share of trials, those of the permutations drawn at first among them."""
    return 5 * math.sqrt(truth * (1 - truth) * (1 / TRIALS + 1 / 512**2)) + 2 / TRIALS


@pytest.mark.parametrize("topics", [1, 2, 3, 4])
def test_all_arrangements_written_out(topics):
    values = np.random.default_rng(topics).integers(0, 6, (3, topics)) / 5  # fifths: many ranges are equal
    pairs = np.array([(1, 0), (2, 0), (2, 1)])
    found = tukey_hsd(values, pairs, TRIALS, 1)
    arranged = itertools.product(*(list(itertools.permutations(own)) for own in values.T.tolist()))
    ranges = np.array([np.ptp(np.sum(one, axis=0)) for one in arranged])
    for (run, other), p in zip(pairs, found, strict=True):
        truth = (ranges >= abs(values[run].sum() - values[other].sum()) - 1e-9).mean()
        assert p == pytest.approx(truth, abs=close(truth))


def test_permutations_drawn_anew_give_the_same():
    random = np.random.default_rng(7)
    values = random.beta(0.8, 2, (8, 20)) + np.linspace(0, 0.5, 8)[:, None]
    pairs = np.array(list(itertools.combinations(range(8), 2)))
    ranges = [np.ptp(random.permuted(values, axis=0).mean(axis=1)) for _ in range(TRIALS)]
    apart = np.abs(values.mean(axis=1)[pairs[:, 0]] - values.mean(axis=1)[pairs[:, 1]])
    truth = (np.array(ranges)[:, None] >= apart - 1e-9).mean(axis=0)
    found = tukey_hsd(values, pairs, TRIALS, 1)
    assert 0 < truth.min() < 0.05
    assert truth.max() > 0.5
    for p, one in zip(found, truth, strict=True):
        assert p == pytest.approx(one, abs=2 * close(one))


def test_two_runs_have_the_p_value_of_the_randomisation_test():
    values = np.random.default_rng(3).integers(0, 5, (2, 14)) / 4
    truth = randomisation_test((values[1] - values[0])[None], 10, 1)[0][0]
    assert tukey_hsd(values, np.array([(1, 0)]), TRIALS, 4)[0] == pytest.approx(truth, abs=close(truth))


def test_equal_runs():
    assert tukey_hsd(np.full((3, 5), 0.25), np.array([(1, 0), (2, 1)]), 100, 1).tolist() == [1.0, 1.0]


def test_sums_of_permuted_rows_are_fair_and_do_not_depend_on_chunks(monkeypatch):
    rows = np.array([[0.0, 1.0, 2.0, 5.0], [1.0, 1.0, 0.0, 0.0]])
    whole = np.concatenate(list(permuted_sums(5, 4000, rows)))
    assert whole.shape == (4000, 4)
    assert np.allclose(whole.sum(axis=1), 10)
    assert abs(whole.mean(axis=0) - 2.5).max() < 0.2
    monkeypatch.setattr("prum_eval.numerics.resampling.CELLS_PER_CHUNK", 100)
    assert (np.concatenate(list(permuted_sums(5, 4000, rows))) == whole).all()
