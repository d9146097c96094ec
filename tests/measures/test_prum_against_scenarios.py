"""PRUM without hypothesis 2.3 is what the enumeration of all scenarios gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.prum import prum_precisions
from tests.oracles import scenarios
from tests.oracles.worlds import examples, facts_of, matrices, matrix_of, seen_of, unseen_surely, value_of, worlds


@examples(150)
@given(matrices(), st.integers(0, 6), st.integers(0, 2))
def test_exact_mode_equals_the_enumeration_of_scenarios(matrix, more, missing):
    R, t = matrix
    existing = max(0, len(R) - missing)  # some results may not exist
    size = existing + unseen_surely(R, t) + more
    values = prum_precisions(seen_of(R, t), size, existing, "exact")
    np.testing.assert_allclose(values, scenarios.prum(R, t, size, existing), rtol=1e-10, atol=0)


@examples(60)
@given(worlds(), st.integers(0, 5))
def test_measures_equal_the_enumeration_on_small_webs(world, more):
    edges, weights, results = world
    R, t = matrix_of(edges, weights, results), len(weights)
    size = len(results) + sum(name not in results for name in weights) + more
    expected = scenarios.prum(R, t, size, len(results))
    data = facts_of(edges, weights, results, size)
    assert value_of("prum_map", data, mode="exact") == pytest.approx(sum(expected) / t, rel=1e-10)
    levels = [0.0, 0.1, 0.3, 1 / 3, 0.5, 0.7, 1.0]
    highest = [max(expected[scenarios.goal(level, t) - 1 :]) for level in levels]
    curve = value_of("prum_prec_at_recall", data, levels, mode="exact")
    np.testing.assert_allclose(curve, highest, rtol=1e-10)


def test_table_of_scenarios_of_the_article():
    R = [[0.4, 0.4], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]]
    assert scenarios.prum(R, 2, 4, 4) == pytest.approx([1 / 1.4464, 1.7536 / 2.7136], rel=1e-12)
    assert prum_precisions(seen_of(R, 2), 4, 4, "exact") == pytest.approx([0.69137168, 0.64622642], abs=1e-8)


@examples(60)
@given(matrices(max_ranks=4), st.integers(1, 4))
def test_law_of_the_count_is_that_of_the_scenarios(matrix, k):
    R, t = matrix
    seen = seen_of(R, t)
    state = int(seen.states_at(np.array([k]))[0])
    from prum_eval.numerics.count_distributions import count_distribution

    found = count_distribution(seen.p)[:, state]
    expected = scenarios.count_law(R, t, k)
    np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-10, atol=1e-15)
    assert sum(expected[len(found) :]) == 0
