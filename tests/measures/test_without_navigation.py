"""Where a result leads to nothing but itself, PRUM and EPRUM are classic precision and recall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.prum import prum_precisions
from tests.oracles.worlds import examples, facts_of, value_of


@st.composite
def rankings(draw):
    names = [f"d{i}" for i in range(draw(st.integers(1, 12)))]
    targets = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    return dict.fromkeys(targets, 1.0), draw(st.permutations(names))[: draw(st.integers(0, 12))]


def natural_points(weights, results):
    """{r: precision where the r-th target is found}"""
    ranks = [rank for rank, name in enumerate(results, 1) if name in weights]
    return {r: r / rank for r, rank in enumerate(ranks, 1)}


@pytest.mark.parametrize("mode", ["paper", "exact", "normal"])
@examples(40)
@given(ranking=rankings(), more=st.integers(0, 20))
def test_prum_is_precision_wherever_the_run_gets(mode, ranking, more):
    weights, results = ranking
    size = len(results) + sum(name not in results for name in weights) + more
    data = facts_of({}, weights, results, size)
    values = prum_precisions(data.seen, size, len(results), mode)
    for r, precision in natural_points(weights, results).items():
        assert values[r - 1] == pytest.approx(precision, rel=1e-12)


@pytest.mark.parametrize("at_recall", ["product", "ratio"])
@pytest.mark.parametrize("ideal_list", ["targets", "greedy"])
@examples(30)
@given(ranking=rankings())
def test_eprum_is_precision_and_nothing_where_the_run_does_not_get(at_recall, ideal_list, ranking):
    weights, results = ranking
    t, points = len(weights), natural_points(weights, results)
    data, chosen = facts_of({}, weights, results), {"at_recall": at_recall, "ideal_list": ideal_list}
    values = value_of("eprum_prec_at_recall", data, [r / t for r in range(1, t + 1)], **chosen)
    np.testing.assert_allclose(values, [points.get(r, 0.0) for r in range(1, t + 1)], rtol=1e-12)


@examples(40)
@given(rankings())
def test_eprum_at_rank_is_precision_at_rank_and_recall_is_recall(ranking):
    weights, results = ranking
    data, ranks = facts_of({}, weights, results), list(range(1, 15))
    found = np.array([sum(name in weights for name in results[:k]) for k in ranks])
    np.testing.assert_allclose(value_of("eprum_P", data, ranks), found / ranks, rtol=1e-12)
    np.testing.assert_allclose(value_of("gen_recall", data, ranks), found / len(weights), rtol=1e-12)


@pytest.mark.parametrize("mode", ["paper", "exact", "normal"])
@examples(20)
@given(ranking=rankings(), more=st.integers(0, 20))
def test_beyond_the_run_prum_draws_from_what_is_left(mode, ranking, more):
    """Raghavan, Bollmann and Jung: r targets in the ranks so far and the draws still to be expected."""
    weights, results = ranking
    missing = sum(name not in results for name in weights)
    size, t = len(results) + missing + more, len(weights)
    values = prum_precisions(facts_of({}, weights, results, size).seen, size, len(results), mode)
    for r in range(t - missing + 1, t + 1):
        drawn = r - (t - missing)
        expected = r / (len(results) + drawn + more * drawn / (missing + 1))
        assert values[r - 1] == pytest.approx(expected, rel=1e-12)
