"""Laws of counts against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics import count_distributions as growing_counts
from prum_eval.numerics.count_distributions import (
    count_distribution,
    count_distributions,
    events_by_turn,
    means_of_distributions,
    missing_given_count,
    normal_count_distribution,
    probability_of_any,
    sums_of_distributions,
)
from prum_eval.numerics.divide_and_conquer import step_table
from tests.oracles import transcription
from tests.oracles.worlds import PROBABILITIES, examples

EVENTS = st.lists(PROBABILITIES, min_size=1, max_size=7)


def fractions(p):
    return [Fraction(x) for x in p]


@examples(80)
@given(EVENTS)
def test_law_of_the_count(p):
    found = count_distribution(np.array(p)[:, None])[:, 0]
    np.testing.assert_allclose(found, np.array(transcription.law(fractions(p)), dtype=np.float64), rtol=1e-13)


def check_missing(p):
    law = transcription.law(fractions(p))
    column = np.array(law, dtype=np.float64)[:, None]
    found = missing_given_count(np.array(p), column, np.zeros(len(p), dtype=np.int64))
    assert ((found >= 0) & (found <= 1)).all()
    for x, others in enumerate(transcription.laws_without(fractions(p))):
        for s in range(len(p)):
            joint = float((1 - Fraction(p[x])) * others[s])
            assert found[s, x] * float(law[s]) == pytest.approx(joint, rel=1e-9, abs=1e-14)


@examples(80)
@given(EVENTS)
def test_leaving_an_event_out_undoes_its_convolution(p):
    check_missing(p)


@examples(80)
@given(EVENTS, st.integers(0, 3), st.integers(0, 3))
def test_leaving_an_event_out_looks_only_where_the_law_holds_something(p, before, behind):
    """To the last digit, so that rows of nothing need no room."""
    law = count_distribution(np.array(p)[:, None])
    held = np.flatnonzero(law[:, 0])
    law = law[held[0] : held[-1] + 1]
    uncertain = np.array([x for x in p if 0 < x < 1])
    situation = np.zeros(len(uncertain), dtype=np.int64)
    alone = missing_given_count(uncertain, law, situation)
    wider = missing_given_count(uncertain, np.pad(law, ((before, behind), (0, 0))), situation)
    assert wider[before : before + len(law)].tolist() == alone.tolist()
    assert not wider[:before].any()
    assert not wider[before + len(law) :].any()


@pytest.mark.parametrize("p", [[0.4, 1e-310, 0.0], [0.6, 1e-310, 0.0], [0.3, 1.0, 0.0], [1e-310, 1e-310, 1.0]])
def test_leaving_an_event_out_survives_quotients_beyond_the_largest_double(p):
    check_missing(p)


@examples(80)
@given(
    st.lists(st.lists(st.one_of(PROBABILITIES, st.sampled_from([1e-300, 1e-17, 1e-9])), min_size=1, max_size=6)),
    st.integers(0, 3),
)
def test_any_of_the_events_of_a_situation(situations, before):
    """Relative to itself, whatever the sizes: against exact fractions."""
    if not situations:
        return
    bounds = before + np.cumsum([0, *map(len, situations)])
    events, sizes = events_by_turn(bounds)
    assert sorted(events.tolist()) == list(range(bounds[0], bounds[-1]))
    assert sizes == [sum(len(one) > turn for one in situations) for turn in range(max(map(len, situations)))]
    chances = np.array([0.0] * before + [chance for one in situations for chance in one])
    found = probability_of_any(np.vstack([chances, 0.5 * chances])[:, events], sizes)
    own = np.searchsorted(bounds, events[: sizes[0]], side="right") - 1
    assert sorted(own.tolist()) == list(range(len(situations)))
    for column, situation in enumerate(own.tolist()):
        for row, scale in enumerate((1.0, 0.5)):
            none = math.prod(1 - Fraction(scale * chance) for chance in situations[situation])
            assert found[row, column] == pytest.approx(float(1 - none), rel=1e-14, abs=0)


def test_normal_law_is_the_exact_one_up_to_ten_uncertain_events():
    p = np.array([0.1 * i for i in range(11)] + [0.95, 1.0])[:, None]  # 0 and 1 are sure
    assert np.count_nonzero((p > 0) & (p < 1)) == 10
    assert normal_count_distribution(p).tolist() == count_distribution(p).tolist()


def test_normal_law_beyond_is_the_article_s():
    from scipy.stats import norm

    p = np.array([0.05 * i for i in range(1, 13)])[:, None]
    law = norm(p.sum(), np.sqrt((p * (1 - p)).sum()))
    expected = [law.cdf(s + 0.5) - law.cdf(s - 0.5) for s in range(13)]
    np.testing.assert_allclose(normal_count_distribution(p)[:, 0], expected, rtol=1e-9, atol=1e-15)


def rising(events, situations, seed):
    """Probabilities that never fall along the situations, with some 0 and some 1."""
    random = np.random.default_rng(seed)
    return np.sort(np.clip(random.uniform(-0.7, 1.7, (events, situations)), 0.0, 1.0), axis=1)


@pytest.mark.parametrize("situations", [1, 5, 64, 150])
def test_laws_of_more_and_more_events(situations):
    p = rising(12, situations, 3)
    p[[2, 7]] = 0.0
    p[[4, 9]] = 1.0
    counts = [0, 1, 3, 3, 5, 8, 12]
    random = np.random.default_rng(5)
    bounds, values = np.cumsum(random.random(situations + 1)), random.random((len(counts), 13))
    ends = np.sort(random.uniform(bounds[0] - 1, bounds[-1] + 1, len(counts))).tolist()
    laws = [count_distribution(p[:count]) for count in counts]
    for normal in (False, True):  # up to ten uncertain events they agree
        for some in (None, ends):
            sums = sums_of_distributions(step_table(p), counts, bounds, some, normal=normal)
            for found, law, end in zip(sums, laws, some or [np.inf] * len(counts), strict=True):
                weight = np.diff(np.minimum(bounds, end))
                np.testing.assert_allclose(found, law @ weight, rtol=1e-13, atol=1e-15)
        means = means_of_distributions(p, counts, list(values), normal=normal)
        for found, law, value in zip(means, laws, values, strict=True):
            np.testing.assert_allclose(found, value[: len(law)] @ law, rtol=1e-13)


@examples(60)
@given(
    st.integers(0, 12),
    st.integers(1, 20),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 1e-9, 1e-120]),
    st.sampled_from([0.0, 1e-30, 1e-3]),
)
def test_laws_are_cut_where_they_hold_nothing(events, situations, seed, scale, smallest):
    """At 0 the same to the last digit; else what is left out is at most `smallest` a cell, against exact fractions."""
    rng = np.random.default_rng(seed)
    p = rising(events, situations, seed) * np.where(rng.random((events, 1)) < 0.7, scale, 1.0)
    counts, bounds = sorted(rng.integers(0, events + 1, 3).tolist()), np.sort(rng.random(situations + 1))
    ends = np.sort(rng.random(3)).tolist()
    weights = [np.diff(np.minimum(bounds, end)) for end in ends]
    whole = sums_of_distributions(step_table(p), counts, bounds, ends)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_counts, "_LONG", 1)
        patch.setattr(growing_counts, "_BETWEEN_CUTS", 1)
        cut = sums_of_distributions(step_table(p), counts, bounds, ends, smallest=smallest)
    for count, weight, found, before in zip(counts, weights, cut, whole, strict=True):
        if not smallest:
            assert found.tolist() == before.tolist()
        laws = [transcription.law(fractions(column)) for column in p[:count].T.tolist()]
        exact = [sum(Fraction(w) * law[f] for w, law in zip(weight, laws, strict=True)) for f in range(count + 1)]
        lost = smallest * weight.sum() * (count + 1) ** 2
        np.testing.assert_allclose(found, np.array(exact, dtype=np.float64), rtol=1e-13, atol=1e-300 + lost)


@examples(100)
@given(st.integers(2, 9), st.integers(1, 12), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5]), st.booleans())
def test_sums_where_some_situations_last_no_time(events, situations, seed, together, ended):
    """However many are counted together, and wherever each number of events ends."""
    rng = np.random.default_rng(seed)
    p = np.repeat(rising(events, situations, seed), rng.integers(1, 3, situations), axis=1)
    bounds = np.sort(rng.integers(0, 4, p.shape[1] + 1)) / 3
    counts = sorted(rng.integers(0, events + 1, 4).tolist())
    ends = np.sort(rng.integers(0, 9, 4) / 8).tolist() if ended else [np.inf] * 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_counts, "_SITUATIONS_PER_BLOCK", together)
        sums = sums_of_distributions(step_table(p), counts, bounds, ends if ended else None)
    for found, count, end in zip(sums, counts, ends, strict=True):
        expected = count_distribution(p[:count]) @ np.diff(np.minimum(bounds, end))
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_laws_of_many_events_are_cut_and_of_fewer_are_not():
    """At 1e-40: what is left out is that small, and what is kept is as it was to twelve digits."""
    counts, bounds = [100, 199, 200], np.arange(4.0)
    p = rising(200, 3, 7) * 0.01
    few, many = (
        sums_of_distributions(step_table(p[:events]), [min(events, count) for count in counts], bounds)
        for events in (127, 200)
    )
    assert few[2][100] > 0  # 1e-130 and thereabouts
    assert many[2][100] == 0
    law = count_distribution(p)
    np.testing.assert_allclose(many[2], law.sum(axis=1), rtol=1e-12, atol=1e-38)


def test_law_with_room_for_uncertain_events_only():
    p = rising(9, 40, 4)
    law, whole = count_distributions(p), count_distribution(p)
    for situation in range(40):
        expected = whole[law.least[situation] :, situation][: law.span[situation] + 1]
        np.testing.assert_allclose(law.cells[: len(expected), situation], expected, rtol=1e-13)
        assert law.least[situation] == np.count_nonzero(p[:, situation] == 1)
    weight = np.arange(40.0)
    np.testing.assert_allclose(law.weighted_sum(weight), whole @ weight, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_a_mean_is_the_same_whatever_stands_beside_its_situation(seed):
    """To the last digit: what is equal of two lists must stay equal, or ties between runs break."""
    p, counts = rising(30, 40, seed), [10, 20, 30]
    values = list(np.random.default_rng(seed).random((3, 31)))
    for begin in (10, 20, 30):
        own, whole = (means_of_distributions(part, counts, values) for part in (p[:, begin:], p))
        assert [one.tolist() for one in own] == [one[begin:].tolist() for one in whole]


def test_weighted_rows_in_blocks():
    rng = np.random.default_rng(3)
    rows, weights = rng.random((40, 500)), rng.random(40)
    whole = growing_counts.sum_weighted_rows(weights, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_counts, "_CELLS_TOGETHER", 1)
        blocks = growing_counts.sum_weighted_rows(weights, rows)
    assert blocks.tolist() == whole.tolist()
    assert whole == pytest.approx([sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows.T], rel=1e-12)
