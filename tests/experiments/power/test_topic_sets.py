"""Swaps, errors, ties and tau of random topic sets: closed forms, and a count by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from prum_eval.experiments.power import disjoint_topic_sets, draw_topic_sets


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def single(differences, size, trials, fuzziness=0.0, seed=1):
    """Pairs that have nothing to do with each other, against runs of 0."""
    values, pairs = np.zeros((1, differences.shape[1])), np.zeros((len(differences), 2), int)
    return draw_topic_sets(differences, values, pairs, size, fuzziness, seed, trials)


@pytest.mark.parametrize(("delta", "sigma", "n"), [(0.0, 1.0, 5), (0.05, 0.2, 10), (0.3, 1.0, 10), (0.5, 2.0, 25)])
def test_normal_differences_swap_as_often_as_the_closed_form_says(delta, sigma, n):
    pairs = 4000
    differences = np.random.default_rng(7).normal(delta, sigma, (pairs, 2 * n))
    found = single(differences, n, 8)
    z = math.sqrt(n) * delta / sigma
    expected = 2 * phi(z) * phi(-z)
    error = (found.swaps / 8).std(ddof=1) / math.sqrt(pairs)
    assert error < 0.01
    assert abs(found.swap_rate - expected) < 4 * error


def test_normal_differences_tie_as_often_as_the_closed_form_says():
    pairs, n, delta, sigma, fuzziness = 4000, 10, 0.02, 0.2, 0.1
    differences = np.random.default_rng(8).normal(delta, sigma, (pairs, 2 * n))
    values = np.stack([np.full(2 * n, 1.0)])  # both runs of every pair are 1 on average, so that 0.1 is a tie
    found = draw_topic_sets(differences, values, np.zeros((pairs, 2), int), n, fuzziness, 1, 1)
    spread = sigma / math.sqrt(n)
    expected = phi((fuzziness - delta) / spread) - phi((-fuzziness - delta) / spread)
    assert abs(found.ties - expected) < 4 * math.sqrt(expected * (1 - expected) / pairs)


def test_two_sets_are_disjoint_and_every_topic_is_as_likely():
    (sets,) = disjoint_topic_sets(3, 3000, 9, 4)
    assert sets.shape == (3000, 8)
    assert all(len(set(row)) == 8 for row in sets.tolist())
    counts = np.bincount(sets[:, :4].ravel(), minlength=9)
    assert abs(counts / 3000 - 4 / 9).max() < 4 * math.sqrt(4 / 9 * 5 / 9 / 3000)
    (smaller,) = disjoint_topic_sets(3, 3000, 9, 2)
    assert (smaller[:, :2] == sets[:, :2]).all()


def counted(values, size, fuzziness, seed, trials):
    """Swaps, errors, ties and tau by hand, in whole numbers."""
    pairs = list(combinations(range(len(values)), 2))
    swaps, ties, greater, less, taus = 0, 0, dict.fromkeys(pairs, 0), dict.fromkeys(pairs, 0), []
    for (chosen,) in (
        chunk for chunk in zip(np.concatenate(list(disjoint_topic_sets(seed, trials, len(values[0]), size))))
    ):
        first, second = ([sum(run[t] for t in half) for run in values] for half in (chosen[:size], chosen[size:]))
        for a, b in pairs:
            swaps += (first[a] - first[b]) * (second[a] - second[b]) < 0
            if abs(first[a] - first[b]) <= fuzziness * max(abs(first[a]), abs(first[b])):
                ties += 1
            elif first[a] > first[b]:
                greater[a, b] += 1
            else:
                less[a, b] += 1
        taus.append(stats.kendalltau(first, second).statistic)
    draws = trials * len(pairs)
    known = [tau for tau in taus if not math.isnan(tau)]
    errors = sum(min(greater[pair], less[pair]) for pair in pairs)
    return swaps / draws, errors / draws, ties / draws, float(np.mean(known)) if known else None


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda runs: st.integers(2, 7).flatmap(
            lambda topics: st.lists(
                st.lists(st.integers(0, 4), min_size=topics, max_size=topics), min_size=runs, max_size=runs
            )
        )
    ),
    st.data(),
)
def test_counts_are_those_made_by_hand(values, data):
    size = data.draw(st.integers(1, len(values[0]) // 2))
    fuzziness = data.draw(st.sampled_from([0.0, 0.25, 0.5]))
    seed = data.draw(st.integers(0, 9))
    table = np.array(values, dtype=float)
    pairs = np.array(list(combinations(range(len(values)), 2)))
    found = draw_topic_sets(table[pairs[:, 0]] - table[pairs[:, 1]], table, pairs, size, fuzziness, seed, 20)
    swaps, errors, ties, tau = counted(values, size, fuzziness, seed, 20)
    assert (found.swap_rate, found.error_rate) == pytest.approx((swaps, errors))
    assert found.ties == pytest.approx(ties)
    assert found.tau == pytest.approx(tau)


def test_rates_near_those_of_all_possible_sets():
    differences = np.array([[3.0, -1.0, 1.0, -2.0, 4.0, 0.5]])
    every = [
        (differences[0, list(own)].sum(), differences[0].sum() - differences[0, list(own)].sum())
        for own in combinations(range(6), 3)
    ]
    expected = sum(a * b < 0 for a, b in every) / len(every)
    assert 0 < expected < 1
    found = single(differences, 3, 4000).swap_rate
    assert abs(found - expected) < 4 * math.sqrt(expected * (1 - expected) / 4000)
