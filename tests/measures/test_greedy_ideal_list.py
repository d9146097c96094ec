"""The ideal list that grows P(F >= r) fastest, and which of the two lists is taken."""

import numpy as np
import pytest
from hypothesis import given

from tests.oracles import scenarios
from tests.oracles.greedy import greedy_list
from tests.oracles.worlds import examples, facts_of, matrix_of, value_of, worlds


def ideal_length(edges, weights, r):
    """E[ML*_r]: the smaller of the list of targets and the greedy list."""
    targets = list(weights)
    others = [source for source, _ in edges if source not in weights]
    candidates = [*targets, *dict.fromkeys(others)]
    rows = matrix_of(edges, targets, candidates)
    chosen = [rows[i] for i in greedy_list(rows, r)]
    return min(scenarios.length(chosen, len(targets), r), scenarios.length(rows[: len(targets)], len(targets), r))


@examples(60)
@given(worlds(max_documents=5, max_targets=3))
def test_expected_length_is_that_of_the_shorter_list(world):
    edges, weights, results = world
    weights = dict.fromkeys(weights, 1.0)
    t, R = len(weights), matrix_of(edges, weights, results)
    found = value_of("eprum_prec_at_recall", facts_of(edges, weights, results), [r / t for r in range(1, t + 1)],
                     ideal_list="greedy")  # fmt: skip
    expected = [ideal_length(edges, weights, r) * scenarios.quotient(R, t, r) for r in range(1, t + 1)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_example_of_the_article_and_a_value_above_one():
    edges, weights = {("a", "b"): 0.9, ("a", "c"): 0.9}, {"b": 1.0, "c": 1.0}
    assert ideal_length(edges, weights, 2) == pytest.approx(1.29, rel=1e-12)
    facts = facts_of(edges, weights, ["a", "b", "c"])
    found = value_of("eprum_prec_at_recall", facts, [1.0], ideal_list="greedy")
    assert found == pytest.approx([1.14595], rel=1e-10)
    assert value_of("eprum_prec_at_recall", facts, [1.0]) == pytest.approx([2 * 0.8883333333333], rel=1e-10)


def test_no_step_grows_the_goal_so_the_largest_sum_of_sightings_goes_first():
    edges = {("hub", "x"): 0.5, ("hub", "y"): 0.5, ("hub", "z"): 0.5}  # 1.5 targets in sum, but x is sure of one
    weights = dict.fromkeys("xyz", 1.0)
    rows = matrix_of(edges, weights, ["x", "y", "z", "hub"])
    assert greedy_list(rows, 3)[0] == 3  # only the hub makes three at once possible
    assert greedy_list(rows, 1)[0] == 0
    assert greedy_list([[1.0, 0.0], [0.0, 1.0], [0.75, 0.0]], 2) == [0, 1]
