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


OTHER = [Fraction(1), Fraction(1, 2)]
"""Gains of another topic in the same batch."""


def vectors(gains):
    """The gains of two topics, of which the second has these."""
    return xcg.GainVectors(np.array([*OTHER, *gains], dtype=float), np.array([0, 2, 2 + len(gains)]))


def second(function, *lists, **settings):
    """The values of the second of two topics."""
    return function(*lists, **settings)[1].tolist()


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
    own, best = vectors(gains), vectors(ideal)
    assert second(xcg.cumulated_gain, own, ranks) == [float(sum(gains[:k])) for k in range(1, 20)]
    assert second(xcg.normalised_gain, own, best, ranks) == pytest.approx([float(v) for v in wanted])
    means = [float(sum(wanted[:k]) / k) for k in range(1, 20)]
    assert second(xcg.mean_normalised_gain, own, best, ranks) == pytest.approx(means, abs=1e-12)


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
    found = second(xcg.effort_precision, vectors(gains), vectors(ideal), np.arange(1, 101) / 100, whole=whole)
    assert found == pytest.approx(wanted, abs=1e-6)
    mean = sum(ideal_rank(sum(gains[:i])) / i for i in range(1, len(gains) + 1) if gains[i - 1] > 0) / len(ideal)
    (found,) = second(xcg.mean_effort_precision, vectors(gains), vectors(ideal), whole=whole)
    assert found == pytest.approx(float(mean), abs=1e-9)


@given(IDEALS)
@examples(60)
def test_an_ideal_vector_scores_1_everywhere_on_linear_ranks(ideal):
    gains, levels = vectors(ideal), np.arange(1, 101) / 100
    assert second(xcg.normalised_gain, gains, gains, np.arange(1.0, 12)) == [1] * 11
    assert second(xcg.effort_precision, gains, gains, levels, whole=False) == pytest.approx([1] * 100)
    assert second(xcg.effort_precision, gains, gains, levels, whole=True) == [1] * 100
    assert second(xcg.mean_effort_precision, gains, gains, whole=False) == pytest.approx([1])


def test_a_late_cut_off_needs_no_memory():
    assert second(xcg.mean_normalised_gain, vectors([1, 0]), vectors([1, 1]), np.array([4e15])) == pytest.approx([0.5])
