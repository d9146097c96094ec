"""The smallest lists and topics, sure and hopeless results, repeated results, and the normal law."""

import random

import numpy as np
import pytest
from hypothesis import given

from prum_eval.errors import DataError
from prum_eval.measures.prum import prum_precisions
from tests.oracles import scenarios, transcription
from tests.oracles.files import evaluate
from tests.oracles.worlds import examples, facts_of, matrix_of, seen_of, value_of, worlds

MODES = pytest.mark.parametrize("mode", ["paper", "exact", "normal"])


@MODES
@pytest.mark.parametrize("t", [1, 2, 5])
def test_no_results_leave_the_draws_alone(mode, t):
    targets = dict.fromkeys((f"x{i}" for i in range(t)), 1.0)
    data = facts_of({}, targets, [], size=50)
    assert prum_precisions(data.seen, 50, 0, mode) == pytest.approx([(t + 1) / 51] * t, rel=1e-12)
    assert value_of("eprum_map", data) == 0
    assert value_of("eprum_P", data, [1, 5]).tolist() == [0, 0]
    assert value_of("gen_recall", data, [1, 5]).tolist() == [0, 0]
    assert value_of("ndcg_cut", data, [1, 5]).tolist() == [0, 0]


@MODES
def test_results_that_lead_nowhere(mode):
    data = facts_of({("a", "b"): 0.5}, {"x": 1.0, "y": 1.0}, ["a", "b", "c"], size=10)
    drawn = [1 * 8 / 3, 2 * 8 / 3]  # from 7 elements with 2 targets
    expected = [r / (3 + draws) for r, draws in enumerate(drawn, 1)]
    assert prum_precisions(data.seen, 10, 3, mode) == pytest.approx(expected, rel=1e-12)
    assert value_of("eprum_map", data) == 0


@MODES
def test_a_list_of_everything_leaves_nothing_to_draw(mode):
    data = facts_of({}, {"x": 1.0, "y": 1.0}, ["a", "x", "y"], size=3)
    assert prum_precisions(data.seen, 3, 3, mode) == pytest.approx([1 / 2, 2 / 3], rel=1e-12)


@MODES
def test_one_target_is_found_at_the_expected_rank(mode):
    R = [[0.4], [0.9], [0.2]]
    assert seen_of(R, 1).p[0].tolist() == pytest.approx([0, 0.4, 0.94, 0.952], rel=1e-12)
    expected = scenarios.prum(R, 1, 20, 3)
    assert prum_precisions(seen_of(R, 1), 20, 3, mode) == pytest.approx(expected, rel=1e-12)


@MODES
def test_a_result_that_shows_all_targets_is_perfect(mode):
    data = facts_of({("a", "x"): 1.0, ("a", "y"): 1.0}, {"x": 1.0, "y": 1.0}, ["a"], size=100)
    assert prum_precisions(data.seen, 100, 1, mode).tolist() == [1.0, 1.0]
    assert value_of("eprum_prec_at_recall", data, [0.5, 1.0]).tolist() == [1.0, 2.0]  # shorter than the ideal list


@examples(60)
@given(worlds())
def test_a_repeated_target_is_seen_once(world):
    edges, weights, results = world
    results = [*results, *results, *weights, *weights]
    R = matrix_of(edges, weights, results)
    data = facts_of(edges, weights, results, len(results))
    expected = scenarios.prum(R, len(weights), len(results), len(results))
    assert value_of("prum_map", data, mode="exact") == pytest.approx(np.mean(expected), rel=1e-10)
    assert value_of("gen_recall", data, [len(results)]) == pytest.approx([1.0], rel=1e-12)


def test_a_collection_smaller_than_what_is_known_of_it_is_refused(tmp_path):
    judgements, results = {"1": {"a": 1, "b": 1, "c": 0}}, {"1": {"a": 2.0, "d": 1.0}}
    assert evaluate(tmp_path, judgements, results, measures="prum_map", collection_size=3).all["prum_map"] > 0
    with pytest.raises(DataError, match="2 results and 1 targets"):
        evaluate(tmp_path, judgements, results, measures="prum_map", collection_size=2)


def test_an_absent_topic_scores_by_the_formula_and_others_0(tmp_path):
    judgements = {"1": {"a": 1, "b": 2}, "2": {"c": 1}, "3": {"d": 0}}
    options = {"measures": ["prum", "eprum", "gen_recall"], "collection_size": 99, "complete": True}
    found = evaluate(tmp_path, judgements, {"2": {"c": 1.0}}, **options)
    assert found.topics["1"]["prum_map"] == pytest.approx(3 / 100, rel=1e-12)
    assert {value for name, value in found.topics["1"].items() if not name.startswith("prum")} == {0.0}
    assert set(found.topics["3"].values()) == {None}
    assert found.all["prum_map"] == pytest.approx((1 + 3 / 100) / 2, rel=1e-12)
    assert found.all["eprum_map"] == pytest.approx(0.5, rel=1e-12)


def uncertain(count, ranks, seed):
    rng = random.Random(seed)
    return [[rng.uniform(0.1, 0.5) for _ in range(count)] for _ in range(ranks)]


@pytest.mark.parametrize("sure", [0, 3])
def test_normal_mode_is_the_paper_s_up_to_ten_uncertain_targets(sure):
    R = [[*row, *[1.0] * sure] for row in uncertain(10, 4, 1)]
    seen = seen_of(R, 10 + sure)
    values = [prum_precisions(seen, 500, 4, mode) for mode in ("normal", "paper")]
    np.testing.assert_allclose(*values, rtol=1e-12)


@pytest.mark.parametrize("t", [11, 12, 30])
def test_normal_mode_is_the_paper_s_with_the_normal_law(t):
    R = uncertain(t, 4, t)
    R[1][:3] = [1.0, 0.0, 1.0]  # from rank 2 on some states have ten uncertain targets or fewer
    expected = transcription.prum_normal(R, t, 500, 4)
    np.testing.assert_allclose(prum_precisions(seen_of(R, t), 500, 4, "normal"), expected, rtol=1e-7)


@pytest.mark.parametrize("t", [20, 40, 120])
def test_normal_mode_comes_near_with_many_uncertain_targets(t):
    R = uncertain(t, 6, t)
    seen = seen_of(R, t)
    normal, paper = (prum_precisions(seen, 500, 6, mode) for mode in ("normal", "paper"))
    within = t // 2  # what nearly every user finds in the list; beyond, the tails weigh much
    np.testing.assert_allclose(normal[:within], paper[:within], atol=0.005)
    np.testing.assert_allclose(normal, paper, atol=0.1)
    edges = {(f"y{k}", f"x{i}"): R[k][i] for k in range(6) for i in range(t)}
    data = facts_of(edges, {f"x{i}": 1.0 for i in range(t)}, [f"y{k}" for k in range(6)])
    curves = [value_of("eprum_prec_at_recall", data, np.arange(11) / 10, mode=mode) for mode in ("normal", "exact")]
    np.testing.assert_allclose(*curves, rtol=0.1, atol=0.1)
    assert (curves[0] != curves[1]).any()
