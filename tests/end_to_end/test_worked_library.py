"""Worked examples at the level of the library: P8, W1, E2."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval.evaluation.evaluate_run import judged_topic
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import TopicCache
from prum_eval.evaluation.prepare import prepare
from prum_eval.measures.eprum import greedy_lengths, list_lengths
from prum_eval.measures.seen_states import make_seen_states
from prum_eval.user_models.graph import Graph
from prum_eval.user_models.model import make_reach
from tests.gold import ROOT


def reach_of(rows):
    matrix = np.array(rows, dtype=float)
    rank, target = np.nonzero(matrix)
    return make_reach(*matrix.shape, rank, target, matrix[rank, target], np.zeros(len(rank), dtype=bool))


def test_p8_seen_probabilities():
    seen = make_seen_states(reach_of([[0.4], [0.9], [0.2]]))
    assert seen.p[0].tolist() == pytest.approx([0, 0.4, 0.94, 0.952], abs=1e-15)
    assert seen.change_ranks.tolist() == [1, 2, 3]


def test_p3_seen_probabilities():
    seen = make_seen_states(reach_of([[1 / 6], [1 / 4], [1]]))
    assert seen.p[0].tolist() == pytest.approx([0, 1 / 6, 3 / 8, 1], abs=1e-15)


def test_w1_closure_of_the_steps():
    steps = {("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12}
    graph = Graph(steps)
    x, y, z = graph.numbers(["x", "y", "z"]).tolist()
    assert graph.visit_probabilities(y)[x] == pytest.approx(0.536, abs=1e-12)
    assert graph.visit_probabilities(z)[x] == pytest.approx(0.7, abs=1e-12)
    assert graph.visit_probabilities(z)[y] == pytest.approx(0.8, abs=1e-12)
    assert not graph.visit_probabilities(x).any()  # no step leads to x


def test_e2_length_of_the_list_with_a_first():
    """The example of the EPRUM article, section 5."""
    lengths = list_lengths(reach_of([[0.9, 0.9], [1, 0], [0, 1]]), np.arange(2))
    # P(F_1 >= 1) = .99, then 1; P(F_k >= 2) = .81, .9, 1
    assert lengths.tolist() == pytest.approx([1.01, 1.29], abs=1e-12)


def test_e2_the_greedy_list_is_that_list():
    row = ROOT / "fixtures" / "worked" / "E2"
    options = EvaluationOptions(
        assessments=row / "qrels", runs=(), navigation=row / "navigation.tsv", measures="eprum_map", user_model="graph"
    )
    plan = prepare(options)
    judged = judged_topic(plan, TopicCache(), plan.pairs[0][1], "1")
    # r = 1 is reached surely by b alone; r = 2 fastest by a, which is no target itself
    assert greedy_lengths(judged, np.arange(2)).tolist() == pytest.approx([1, 1.29], abs=1e-12)
    assert list_lengths(judged.reach_of_targets(np.arange(2)), np.arange(2)).tolist() == [1, 2]
