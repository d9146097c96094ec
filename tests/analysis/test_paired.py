"""Paired tests: published tables, scipy on the same data, all arrangements written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prum_eval.analysis.comparison import (
    MAX_EXACT_TOPICS,
    cohen_d,
    holm_correction,
    paired_difference,
    randomisation_test,
    t_margin,
    t_test,
    wins_ties_losses,
)
from prum_eval.numerics.resampling import bootstrap_counts, random_signs
from tests.oracles.worlds import examples

# Darwin's cross- minus self-fertilised plants, in eighths of an inch (Fisher, The Design of Experiments, table 3).
DARWIN = np.array([[49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]]) / 8
# Student's extra hours of sleep under two drugs (Biometrika 6, 1908).
SLEEP = np.array(
    [[0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0], [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]]
)


def mean_difference(x, y, axis):
    return np.mean(x - y, axis=axis)


def test_fisher_counts_863_of_32768_arrangements_on_each_side():
    p, exact = randomisation_test(DARWIN, 1000, 1)
    assert exact.all()
    assert p[0] * 2**15 == 2 * 863


def test_the_sleep_data_as_scipy():
    differences = (SLEEP[1] - SLEEP[0])[None]
    p, exact = randomisation_test(differences, 1000, 1)
    theirs = stats.permutation_test(SLEEP[::-1], mean_difference, permutation_type="samples", n_resamples=np.inf)
    assert exact.all()
    assert p[0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert stats.ttest_rel(*SLEEP).pvalue == pytest.approx(0.002833, abs=1e-6)  # as published, to see the data are his


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_exact_p_values_as_scipy(n):
    random = np.random.default_rng(n)
    x, y = random.integers(0, 6, (2, 5, n)) / 10  # tenths: equal sums that differ by rounding
    p, exact = randomisation_test(paired_difference(x, y), 10, 1)
    assert exact.all()
    for row in range(5):
        data = ((10 * x[row]).round(), (10 * y[row]).round())
        if n == 1:  # scipy wants two; the two arrangements of one topic are equally far from 0
            assert p[row] == 1
            continue
        theirs = stats.permutation_test(data, mean_difference, permutation_type="samples", n_resamples=np.inf)
        assert p[row] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_random_arrangements_estimate_the_exact_p_value():
    random = np.random.default_rng(4)
    values = random.normal(0.35, 1, (3, 40)).round(2)
    p, exact = randomisation_test(values, 50_000, 7)
    assert not exact.any()
    # the distribution of the sum, exact: whole hundredths, so a convolution tells how many arrangements give each sum
    for row, found in zip((100 * values).round().astype(int), p, strict=True):
        law = {0: 1}
        for one in row.tolist():
            grown = {}
            for total, count in law.items():
                for step in (one, -one):
                    grown[total + step] = grown.get(total + step, 0) + count
            law = grown
        truth = sum(count for total, count in law.items() if abs(total) >= abs(row.sum())) / 2 ** len(row)
        assert found == pytest.approx(truth, abs=5 * math.sqrt(truth * (1 - truth) / 50_000) + 1 / 50_000)


def test_many_pairs_of_few_runs_have_the_p_values_of_each_alone():
    random = np.random.default_rng(6)
    values = random.integers(0, 6, (8, 40)) / 5  # fifths: many sums are equal
    values[7] = values[6] + random.choice([-1e-9, 1e-9], 40)  # nearly one run
    pairs = np.array(list(itertools.combinations(range(8), 2)))
    differences = paired_difference(values[pairs[:, 0]], values[pairs[:, 1]])
    together, exact = randomisation_test(differences, 2000, 3, (values, pairs))
    assert not exact.any()
    assert together.tolist() == randomisation_test(differences, 2000, 3)[0].tolist()
    assert together.tolist() == [randomisation_test(one[None], 2000, 3)[0][0] for one in differences]


def test_topics_without_difference_change_nothing():
    padded = np.concatenate((DARWIN, np.zeros((1, 2 * MAX_EXACT_TOPICS))), axis=1)
    p, exact = randomisation_test(padded, 10, 1)
    assert (p[0] * 2**15, exact[0]) == (1726, True)


def test_the_seed_decides():
    values = np.random.default_rng(0).normal(0.2, 1, (2, 30))
    first, again, other = (randomisation_test(values, 999, seed)[0].tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_a_comparison_does_not_depend_on_those_beside_it():
    values = np.random.default_rng(0).normal(0.2, 1, (3, 30))
    assert randomisation_test(values, 999, 1)[0][2] == randomisation_test(values[2:], 999, 1)[0][0]


@examples(60)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_exact_p_values_by_writing_out_all_arrangements(values):
    arrangements = [sum(s * v for s, v in zip(signs, values, strict=True)) for signs in all_signs(len(values))]
    truth = np.mean([abs(one) >= abs(sum(values)) for one in arrangements])
    p, exact = randomisation_test(np.array([values]) / 10, 10, 1)
    assert (p[0], exact[0]) == (truth, True)


def all_signs(n):
    return itertools.product((-1, 1), repeat=n)


@pytest.mark.parametrize("n", [2, 3, 8, 30])
def test_the_t_test_and_its_interval_as_scipy(n):
    values = np.random.default_rng(n).normal(0.3, 1, (4, n))
    theirs = stats.ttest_1samp(values, 0, axis=1)
    assert t_test(values) == pytest.approx(theirs.pvalue, rel=1e-10)
    for alpha in (0.05, 0.3):
        interval = theirs.confidence_interval(1 - alpha)
        margin = t_margin(values, alpha)
        assert values.mean(axis=1) - margin == pytest.approx(interval.low, rel=1e-10, abs=1e-12)
        assert values.mean(axis=1) + margin == pytest.approx(interval.high, rel=1e-10, abs=1e-12)


def test_identical_runs():
    nothing = np.zeros((1, 5))
    assert randomisation_test(nothing, 100, 1)[0].tolist() == [1.0]
    assert np.isnan(t_test(nothing)).all()
    assert t_margin(nothing, 0.05).tolist() == [0.0]
    assert cohen_d(nothing).tolist() == [0.0]
    assert wins_ties_losses(nothing).tolist() == [[0, 5, 0]]


def test_one_topic():
    one = np.array([[0.3]])
    assert randomisation_test(one, 100, 1)[0].tolist() == [1.0]
    assert np.isnan(t_test(one)).all()
    assert np.isnan(t_margin(one, 0.05)).all()
    assert np.isnan(cohen_d(one)).all()


def test_the_same_difference_everywhere():
    same = np.full((1, 4), 0.1)
    assert randomisation_test(same, 100, 1)[0].tolist() == [2 / 2**4]
    assert np.isnan(t_test(same)).all()
    assert t_margin(same, 0.05) == pytest.approx(0, abs=1e-15)
    assert np.isnan(cohen_d(same)).all()


def test_cohen_d_is_the_paired_one():
    # mean 20.93 eighths, standard deviation 37.74 eighths (Fisher gives t = 2.148 = d sqrt 15)
    assert cohen_d(DARWIN)[0] * math.sqrt(15) == pytest.approx(2.148, abs=5e-4)


def test_differences_of_nothing_but_rounding_are_ties():
    found = paired_difference(np.array([0.1 + 0.2, 0.5, 1.0]), np.array([0.3, 0.5, 1 - 1e-9]))
    assert wins_ties_losses(found[None]).tolist() == [[1, 2, 0]]


def test_holm_by_its_definition():
    # Holm: compare the smallest with alpha / m, the next with alpha / (m - 1), and stop at the first that is above
    random = np.random.default_rng(2)
    p = np.append(random.random(9) ** 3, np.nan)
    corrected = holm_correction(p)
    assert np.isnan(corrected[9])
    for alpha in np.linspace(0.001, 0.999, 200):
        rejected = set()
        for step, k in enumerate(np.argsort(p[:9])):
            if p[k] > alpha / (10 - step):  # the undefined one counts as 1
                break
            rejected.add(int(k))
        assert rejected == set(np.flatnonzero(corrected[:9] <= alpha).tolist())


def test_holm_worked_out():
    assert holm_correction(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_correction(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]


def test_draws_are_fair_and_known():
    drawn = np.concatenate(list(random_signs(1, 4000, 70)))
    assert drawn.shape == (4000, 70)
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    assert abs(drawn.mean(axis=0)).max() < 5 / math.sqrt(4000)
    # the first word of PCG64(1), bit by bit, its lowest byte first
    word = int(np.random.PCG64(1).random_raw())
    first = [1 - 2 * (byte >> bit & 1) for byte in word.to_bytes(8, "little") for bit in range(7, -1, -1)]
    assert drawn[0, :64].tolist() == first
    counts = np.concatenate(list(bootstrap_counts(1, 3000, 9)))
    assert (counts.sum(axis=1) == 9).all()
    assert abs(counts.mean(axis=0) - 1).max() < 5 / math.sqrt(3000)


def test_chunks_do_not_change_the_draws(monkeypatch):
    whole = [np.concatenate(list(draw(3, 50, 13))) for draw in (random_signs, bootstrap_counts)]
    monkeypatch.setattr("prum_eval.numerics.resampling.CELLS_PER_CHUNK", 40)
    parts = [np.concatenate(list(draw(3, 50, 13))) for draw in (random_signs, bootstrap_counts)]
    assert all((one == other).all() for one, other in zip(whole, parts, strict=True))
