"""Curves of the xCG family against transcriptions in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures import xcg
from tests.measures.collections import examples

GAINS = st.lists(
    st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]), max_size=9
)
IDEALS = st.lists(
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]), min_size=1, max_size=6
).map(lambda gains: sorted(gains, reverse=True))


def floats(gains):
    return np.array(gains, dtype=float)


def rank_of(gains, goal, *, whole):
    """First rank where the sums reach a goal, in fractions; None where they never do."""
    before = Fraction(0)
    for rank, gain in enumerate(gains, 1):
        if before + gain >= goal:
            return Fraction(rank) if whole else rank - 1 + (goal - before) / gain
        before += gain
    return None


@given(GAINS, IDEALS)
@examples(150)
def test_normalised_gain_and_its_mean(gains, ideal):
    ranks = np.arange(1.0, 20)
    wanted = [sum(gains[:k]) / sum(ideal[:k]) for k in range(1, 20)]
    assert xcg.cumulated_gain(floats(gains), ranks).tolist() == [float(sum(gains[:k])) for k in range(1, 20)]
    assert xcg.normalised_gain(floats(gains), floats(ideal), ranks).tolist() == pytest.approx(
        [float(v) for v in wanted]
    )
    means = [float(sum(wanted[:k]) / k) for k in range(1, 20)]
    assert xcg.mean_normalised_gain(floats(gains), floats(ideal), ranks).tolist() == pytest.approx(means, abs=1e-12)


@pytest.mark.parametrize("whole", [False, True])
@given(GAINS, IDEALS)
@examples(150)
def test_effort_precision_and_its_mean(whole, gains, ideal):
    def ideal_rank(goal):
        found = rank_of(ideal, goal, whole=whole)
        return Fraction(len(ideal)) if found is None else found

    goals = [Fraction(i, 100) * sum(ideal) for i in range(1, 101)]
    own = [rank_of(gains, goal, whole=whole) for goal in goals]
    wanted = [0.0 if rank is None else float(ideal_rank(goal) / rank) for goal, rank in zip(goals, own, strict=True)]
    found = xcg.effort_precision(floats(gains), floats(ideal), np.arange(1, 101) / 100, whole=whole)
    assert found.tolist() == pytest.approx(wanted, abs=1e-6)
    mean = sum(ideal_rank(sum(gains[:i])) / i for i in range(1, len(gains) + 1) if gains[i - 1] > 0) / len(ideal)
    assert xcg.mean_effort_precision(floats(gains), floats(ideal), whole=whole) == pytest.approx(float(mean), abs=1e-9)


@given(IDEALS)
@examples(60)
def test_an_ideal_vector_scores_1_everywhere_on_linear_ranks(ideal):
    gains = floats(ideal)
    assert xcg.normalised_gain(gains, gains, np.arange(1.0, 12)).tolist() == [1] * 11
    assert xcg.effort_precision(gains, gains, np.arange(1, 101) / 100, whole=False).tolist() == pytest.approx([1] * 100)
    assert xcg.effort_precision(gains, gains, np.arange(1, 101) / 100, whole=True).tolist() == [1] * 100
    assert xcg.mean_effort_precision(gains, gains, whole=False) == pytest.approx(1)


def test_a_late_cut_off_needs_no_memory():
    assert xcg.mean_normalised_gain(floats([1, 0]), floats([1, 1]), np.array([4e15]))[0] == pytest.approx(0.5)
