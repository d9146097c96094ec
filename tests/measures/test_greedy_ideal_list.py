"""The ideal list that grows P(F >= r) fastest, and which of the two lists is taken."""

import numpy as np
import pytest
from hypothesis import given

from tests.oracles import scenarios
from tests.oracles.greedy import greedy_list
from tests.oracles.worlds import examples, facts_of, matrix_of, value_of, worlds


def ideal_lengths(edges, targets, weights):
    """E[ML*_r], ideal set in the order of the judgements: the smaller of the list of targets and the greedy one."""
    t, others = len(targets), [source for source, _ in edges if source not in targets]
    rows = matrix_of(edges, targets, [*targets, *dict.fromkeys(others)])
    by_weight = matrix_of(edges, targets, sorted(targets, key=lambda name: -weights[name]))
    lengths = []
    for r in range(1, t + 1):
        chosen = [rows[i] for i in greedy_list(rows, r)]
        lengths.append(min(scenarios.length(chosen, t, r), scenarios.length(by_weight, t, r)))
    return lengths


@pytest.mark.slow
@examples(150)
@given(worlds(max_documents=6, steps=4))
def test_expected_lengths_are_those_of_the_shorter_list_at_every_satisfaction_level(world):
    edges, weights, results = world
    expected = 0.0
    for share, rows in scenarios.satisfaction_sets(list(weights.values())):
        targets = [list(weights)[x] for x in rows]
        R, t = matrix_of(edges, targets, results), len(targets)
        lengths = ideal_lengths(edges, targets, weights)
        expected += share * np.mean([lengths[r - 1] * scenarios.quotient(R, t, r) for r in range(1, t + 1)])
    found = value_of("eprum_map", facts_of(edges, weights, results), ideal_list="greedy")
    assert found == pytest.approx(expected, rel=1e-10)


def test_last_ties_go_by_the_order_of_the_judgements_not_by_the_weight():
    edges = {("d2", "d0"): 0.5, ("d0", "d5"): 0.25, ("d1", "d0"): 0.5, ("d2", "d5"): 0.5, ("d5", "d0"): 0.25,
             ("d2", "d1"): 0.75}  # fmt: skip
    weights = {"d0": 0.25, "d1": 0.25, "d2": 0.25, "d5": 1.0}
    lengths = ideal_lengths(edges, list(weights), weights)
    assert lengths == pytest.approx([1.0, 1.0625, 1.46875, 2.59375], rel=1e-12)
    # d5 alone is ideal for three quarters of the users, all four for the others
    mean = 0.75 * 1 + 0.25 * np.mean([lengths[r - 1] * q for r, q in enumerate(quotients(edges, weights), 1)])
    data = facts_of(edges, weights, ["d5", "d2", "d1", "d0"])
    assert value_of("eprum_map", data, ideal_list="greedy") == pytest.approx(mean, rel=1e-12)


def quotients(edges, weights):
    R = matrix_of(edges, weights, ["d5", "d2", "d1", "d0"])
    return [scenarios.quotient(R, len(weights), r) for r in range(1, len(weights) + 1)]


def test_example_of_the_article_and_a_value_above_one():
    edges, weights = {("a", "b"): 0.9, ("a", "c"): 0.9}, {"b": 1.0, "c": 1.0}
    assert ideal_lengths(edges, list(weights), weights) == pytest.approx([1, 1.29], rel=1e-12)
    data = facts_of(edges, weights, ["a", "b", "c"])
    found = value_of("eprum_prec_at_recall", data, [1.0], ideal_list="greedy")
    assert found == pytest.approx([1.14595], rel=1e-10)
    assert value_of("eprum_prec_at_recall", data, [1.0]) == pytest.approx([2 * 0.8883333333333], rel=1e-10)


def test_no_step_grows_the_goal_so_the_largest_sum_of_sightings_goes_first():
    edges = {("hub", "x"): 0.5, ("hub", "y"): 0.5, ("hub", "z"): 0.5}  # 1.5 targets in sum, but x is sure of one
    weights = dict.fromkeys("xyz", 1.0)
    rows = matrix_of(edges, weights, ["x", "y", "z", "hub"])
    assert greedy_list(rows, 3)[0] == 3  # only the hub makes three at once possible
    assert greedy_list(rows, 1)[0] == 0
    assert greedy_list([[1.0, 0.0], [0.0, 1.0], [0.75, 0.0]], 2) == [0, 1]


# Small webs on which each clause of the definition decides: (edges, targets, r, E[ML*_r])
CLAUSES = {
    "without growth the largest sum of sightings": ({("d3", "d1"): 0.25}, ["d1", "d3", "d2"], 3, 2.75),
    "growth comes before the sum of sightings": (
        {("d1", "d3"): 0.5, ("d4", "d1"): 1.0, ("d1", "d4"): 0.5}, ["d4", "d1", "d3"], 3, 2.25),
    "the list of targets where it is the shorter one": (
        {("d3", "d0"): 0.75, ("d1", "d2"): 0.5, ("d2", "d1"): 0.5, ("d1", "d3"): 0.5, ("d1", "d4"): 0.25},
        ["d4", "d2", "d0"], 2, 2.0),
}  # fmt: skip


@pytest.mark.parametrize(("edges", "targets", "r", "expected"), CLAUSES.values(), ids=CLAUSES)
def test_each_clause_of_the_definition(edges, targets, r, expected):
    weights = dict.fromkeys(targets, 1.0)
    assert ideal_lengths(edges, targets, weights)[r - 1] == pytest.approx(expected, rel=1e-12)
    data = facts_of(edges, weights, targets)
    quotient = scenarios.quotient(matrix_of(edges, targets, targets), 3, r)
    found = value_of("eprum_prec_at_recall", data, [r / 3], ideal_list="greedy")
    assert found == pytest.approx([expected * quotient], rel=1e-12)
