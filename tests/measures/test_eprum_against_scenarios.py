"""EPRUM and generalised recall are what the enumeration of all scenarios gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.seen_states import make_seen_states
from tests.oracles import scenarios
from tests.oracles.worlds import examples, facts_of, matrix_of, value_of, worlds

RANKS = [1, 2, 3, 4, 7, 30]
LEVELS = [0.0, 0.2, 0.25, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 1.0]


def by_level(world, value, graded):
    """Weighted mean of value(R, R*, t) over the satisfaction levels: R and R* count the ideal set of the level."""
    edges, weights, results = world
    names = list(weights)
    sets = scenarios.satisfaction_sets(list(weights.values())) if graded else [(1.0, range(len(names)))]
    total = 0.0
    for share, rows in sets:
        ideal = sorted((names[x] for x in rows), key=lambda name: -weights[name])  # stable: ties as judged
        R, starred = matrix_of(edges, ideal, results), matrix_of(edges, ideal, ideal)
        total = total + share * np.array(value(R, starred, len(ideal)))
    return total


def product_at(R, starred, t, r):
    return scenarios.length(starred, t, r) * scenarios.quotient(R, t, r)


def ratio_at(R, starred, t, r):
    own = scenarios.length(R, t, r)
    return scenarios.length(starred, t, r) / own if np.isfinite(own) else 0.0


@pytest.mark.parametrize("graded", ["on", "off"])
@pytest.mark.parametrize(("at_recall", "at"), [("product", product_at), ("ratio", ratio_at)])
@examples(40)
@given(world=worlds())
def test_precision_at_recall(world, at_recall, at, graded):
    def curve(R, starred, t):
        return [at(R, starred, t, scenarios.goal(level, t)) for level in LEVELS]

    def mean(R, starred, t):
        return [np.mean([at(R, starred, t, r) for r in range(1, t + 1)])]

    data, chosen = facts_of(*world), {"at_recall": at_recall, "graded": graded}
    found = value_of("eprum_prec_at_recall", data, LEVELS, **chosen)
    np.testing.assert_allclose(found, by_level(world, curve, graded == "on"), rtol=1e-10, atol=0)
    found = value_of("eprum_map", data, **chosen)
    assert found == pytest.approx(by_level(world, mean, graded == "on")[0], rel=1e-10)


@pytest.mark.parametrize("graded", ["on", "off"])
@examples(40)
@given(world=worlds())
def test_precision_at_rank(world, graded):
    def at_ranks(R, starred, t):
        lengths = [scenarios.length(starred, t, r) for r in range(1, t + 1)]
        return [scenarios.eprum_at_rank(R, t, k, lengths) for k in RANKS]

    found = value_of("eprum_P", facts_of(*world), RANKS, graded=graded)
    np.testing.assert_allclose(found, by_level(world, at_ranks, graded == "on"), rtol=1e-10, atol=0)


@examples(60)
@given(worlds())
def test_generalised_recall(world):
    edges, weights, results = world
    R = matrix_of(edges, weights, results)
    expected = [scenarios.generalised_recall(R, list(weights.values()), k) for k in RANKS]
    np.testing.assert_allclose(value_of("gen_recall", facts_of(*world), RANKS), expected, rtol=1e-10, atol=0)


@examples(60)
@given(worlds())
def test_what_was_seen_never_falls_and_never_passes_one(world):
    data = facts_of(*world)
    for order in (None, data.judged.order):
        p = make_seen_states(data.reach, order).p
        assert (np.diff(p, axis=1) >= 0).all()
        assert ((p >= 0) & (p <= 1)).all()


@examples(40)
@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=40))
def test_seen_probabilities_are_the_noisy_or(R):
    from tests.oracles.worlds import seen_of

    seen = seen_of(R, 3)
    for k in range(len(R) + 1):
        expected = [1 - np.prod([1 - row[x] for row in R[:k]]) for x in range(3)]
        state = int(seen.states_at(np.array([k]))[0])
        np.testing.assert_allclose(seen.p[:, state], np.array(expected)[seen.active], rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize(("probability", "value"), [(1.0, 1.0), (1 - 1e-12, 1.0), (0.999, 0.0)])
def test_the_ratio_form_is_0_unless_the_goal_is_reached_surely(probability, value):
    data = facts_of({("a", "x"): probability}, {"x": 1.0}, ["a"])
    assert value_of("eprum_prec_at_recall", data, [1.0], at_recall="ratio") == pytest.approx([value], abs=1e-9)
