"""GRP against expected search lengths by enumeration, a transcription in fractions, and classic precision."""

from fractions import Fraction
from itertools import permutations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import DataError, UsageError
from prum_eval.measures import grp
from prum_eval.numerics.curves import PERCENT_LEVELS
from prum_eval.records import RunKind
from tests.measures.collections import examples, flat_assessments_of, run_of, values

QUARTERS = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)])
BINARY = st.sampled_from([Fraction(0), Fraction(1)])


def lists(q):
    """Ranks as lists of q, and q of what is not retrieved."""
    return st.tuples(st.lists(st.lists(q, min_size=1, max_size=3), max_size=4), st.lists(q, max_size=4)).filter(
        lambda drawn: any(value for rank in [*drawn[0], drawn[1]] for value in rank)
    )


def transcribed(ranks, rest, level, *, ceiling=False):
    """METRICS section 5 in fractions, rank by rank."""
    n = sum(sum(rank) for rank in [*ranks, rest])
    wanted, before, j = level * n, Fraction(0), Fraction(0)
    for rank in [*ranks, rest]:
        r, i = sum(rank, Fraction(0)), sum((1 - q for q in rank), Fraction(0))
        if before + r >= wanted:
            s = (ceil(wanted) if ceiling else wanted) - before
            return wanted / (wanted + j + s * i / (r + 1))
        before, j = before + r, j + i
    raise AssertionError


def order_of(ranks, rest, unranked=0):
    q = [value for rank in ranks for value in rank]
    score = [-k for k, rank in enumerate(ranks) for _ in rank]
    base = [float(value) for value in [*q, *rest] if value]
    gains = np.array(q, dtype=float)
    bounds, total, existing = np.array([0, len(q)]), np.array([sum(base)]), np.array([len(q) - unranked])
    return grp.weak_orders(gains, np.array(score, dtype=float), bounds, total, len(q) + len(rest), existing)


def precision(*arguments, **settings):
    """The precision of a single topic."""
    return grp.precision(*arguments, **settings)[0]


def search_length(*arguments, **settings):
    """The search length of a single topic."""
    return grp.search_length(*arguments, **settings)[0]


@given(lists(QUARTERS))
@examples(150)
def test_the_curve_is_the_transcribed_one(drawn):
    ranks, rest = drawn
    found = precision(order_of(ranks, rest), PERCENT_LEVELS)
    wanted = [float(transcribed(ranks, rest, Fraction(i, 100))) for i in range(1, 101)]
    assert found.tolist() == pytest.approx(wanted, abs=1e-9)


@given(lists(BINARY))
@examples(150)
def test_the_ceiling_curve_is_the_transcribed_one(drawn):
    ranks, rest = drawn
    found = precision(order_of(ranks, rest), PERCENT_LEVELS, ceiling=True)
    wanted = [float(transcribed(ranks, rest, Fraction(i, 100), ceiling=True)) for i in range(1, 101)]
    assert found.tolist() == pytest.approx(wanted, abs=1e-9)


@given(lists(BINARY))
@examples(60)
def test_precision_is_that_of_the_expected_search_length(drawn):
    """NR / (NR + esl), esl the irrelevant elements seen before the goal, on average over orders within the ranks."""
    ranks, rest = drawn
    n = int(sum(sum(rank) for rank in [*ranks, rest]))
    for goal in range(1, n + 1):
        seen, length = 0, Fraction(0)
        for rank in [*ranks, rest]:
            relevant = int(sum(rank))
            if seen + relevant < goal:
                seen, length = seen + relevant, length + len(rank) - relevant
                continue
            orders = list(permutations(rank))
            length += Fraction(sum(_irrelevant_before(order, goal - seen) for order in orders), len(orders))
            break
        order, level = order_of(ranks, rest), np.array([goal / n])
        assert precision(order, level)[0] == pytest.approx(float(goal / (goal + length)), abs=1e-9)
        assert search_length(order, level)[0] == pytest.approx(float(length), rel=1e-12, abs=1e-12)


@given(lists(QUARTERS), st.booleans())
@examples(150)
def test_the_search_length_is_that_of_the_precision(drawn, whole):
    """X n (1 / p - 1), with both computed in fractions."""
    ranks, rest = drawn
    ceiling = whole and all(q in (0, 1) for rank in [*ranks, rest] for q in rank)
    n = sum(sum(rank) for rank in [*ranks, rest])
    found = search_length(order_of(ranks, rest), PERCENT_LEVELS, ceiling=ceiling).tolist()
    levels = [Fraction(i, 100) for i in range(1, 101)]
    wanted = [level * n * (1 / transcribed(ranks, rest, level, ceiling=ceiling) - 1) for level in levels]
    assert found == pytest.approx(list(map(float, wanted)), rel=1e-9, abs=1e-9)


def _irrelevant_before(order, goal):
    for at in range(len(order) + 1):
        if sum(order[:at]) == goal:
            return at - goal
    raise AssertionError


@given(st.lists(BINARY, min_size=1, max_size=8), st.integers(0, 3))
@examples(100)
def test_without_ties_it_is_classic_precision_at_every_recall_that_the_run_reaches(q, missing):
    n = int(sum(q)) + missing
    if n == 0:
        return
    order = order_of([[value] for value in q], [Fraction(1)] * missing + [Fraction(0)])
    for found, rank in enumerate([k for k, value in enumerate(q, 1) if value], 1):
        for ceiling in (False, True):
            value = precision(order, np.array([found / n]), ceiling=ceiling)[0]
            assert value == pytest.approx(found / rank, abs=1e-9)


@pytest.mark.parametrize(("relevant", "size"), [(1, 1), (1, 10), (3, 10), (7, 5000)])
def test_an_absent_list_scores_by_the_formula_at_every_level(relevant, size):
    """All in one last rank: NR/(NR + NR (N - n)/(n + 1)) = (n + 1)/(N + 1)."""
    judged = flat_assessments_of({f"r{i}": 1 for i in range(relevant)})
    other = flat_assessments_of({"r0": 1}, "2")
    both = type(judged)("qrels", judged.kind, {**judged.topics, **other.topics})
    found = values(both, run_of({"2": ["r0"]}, RunKind.FLAT), "grp", collection_size=size, complete=True)
    assert list(found["1"].values()) == pytest.approx([(relevant + 1) / (size + 1)] * 11, abs=1e-12)


def test_graded_values_of_an_absent_list_follow_the_same_formula():
    order = order_of([], [Fraction(1, 2), Fraction(3, 4), Fraction(0)])
    assert precision(order, PERCENT_LEVELS).tolist() == pytest.approx([2.25 / 4] * 100, abs=1e-12)


def test_consecutive_equal_scores_share_a_rank_and_missing_scores_do_not():
    judged = flat_assessments_of({"r": 1})
    tied = values(judged, run_of({"1": ["x", "r"]}, RunKind.FLAT, [1, 1]), "grp_prec_at_recall_1.00", collection_size=2)
    assert tied["1"]["grp_prec_at_recall_1.00"] == pytest.approx(1 / 1.5)
    nan = [float("nan")] * 2
    free = values(judged, run_of({"1": ["x", "r"]}, RunKind.FLAT, nan), "grp_prec_at_recall_1.00", collection_size=2)
    assert free["1"]["grp_prec_at_recall_1.00"] == pytest.approx(1 / 2)


def test_scores_of_flat_runs_differ_in_double_precision_as_their_ranking_does():
    judged = flat_assessments_of({"r": 1})
    for score, expected in ((1.00000001, 1 / 2), (1.0 + 1e-17, 1 / 1.5)):
        near = run_of({"1": ["x", "r"]}, RunKind.FLAT, [score, 1.0])
        found = values(judged, near, "grp_prec_at_recall_1.00", collection_size=2)["1"]
        assert found == {"grp_prec_at_recall_1.00": pytest.approx(expected)}


def test_the_limit_cuts_before_ranks_are_formed():
    judged = flat_assessments_of({"r": 1})
    cut = values(judged, run_of({"1": ["x", "r"]}, RunKind.FLAT, [1, 1]), "grp_map", collection_size=2, limit=1)
    # x alone, then the last rank with r alone: NR/(NR + 1)
    assert cut["1"]["grp_map"] == pytest.approx(sum(i / (i + 100) for i in range(1, 101)) / 100)


def test_ceiling_refuses_graded_values():
    judged = flat_assessments_of({"r": 2, "s": 1})
    with pytest.raises(UsageError, match=r"s=ceiling .* not gen"):
        values(judged, run_of({"1": ["r"]}, RunKind.FLAT), "grp_map:s=ceiling", collection_size=9)
    strict = values(
        judged, run_of({"1": ["r"]}, RunKind.FLAT), "grp_map:s=ceiling", collection_size=9, quantisation="strict"
    )
    assert 0 < strict["1"]["grp_map:s=ceiling"] < 1


def test_what_cannot_be_computed_says_why():
    judged = flat_assessments_of({"r": 1})
    with pytest.raises(UsageError, match="above 0"):
        values(judged, run_of({"1": ["r"]}, RunKind.FLAT), "grp_prec_at_recall_0.00", collection_size=9)
    with pytest.raises(UsageError, match=r"^esl_at_recall is defined at levels above 0$"):
        values(judged, run_of({"1": ["r"]}, RunKind.FLAT), "esl_at_recall_0.00", collection_size=9)
    for name in ("grp_map", "esl_at_recall"):
        needs = f"^{name} needs the number of elements of the collection: give --structure or --collection-size$"
        with pytest.raises(DataError, match=needs):
            values(judged, run_of({"1": ["r"]}, RunKind.FLAT), name)


def test_a_topic_without_relevance_has_no_value():
    found = values(flat_assessments_of({"r": 0}), run_of({"1": ["r"]}, RunKind.FLAT), "grp", "esl", collection_size=9)
    assert set(found["1"].values()) == {None}


@pytest.mark.parametrize(("level", "wanted"), [(1 / 3, 2 / 3), (2 / 3, 1 / 3), (1, 0.375)])
def test_g6_at_thirds(level, wanted):
    one, nothing = Fraction(1), Fraction(0)
    order = order_of([[one, nothing], [nothing] * 2, [one, one, nothing, nothing, nothing]], [])
    assert precision(order, np.array([level]), ceiling=True)[0] == pytest.approx(wanted, abs=1e-9)


def test_g5_over_ten_levels():
    one, nothing = Fraction(1), Fraction(0)
    order = order_of([[one], [nothing], [one], [nothing], [one]], [])
    curve = precision(order, np.arange(1, 11) / 10, ceiling=True)
    wanted = [1, 1, 1, 12 / 22, 15 / 25, 18 / 28, 21 / 41, 24 / 44, 27 / 47, 30 / 50]  # 30 l / (30 l + 10 j)
    assert curve.tolist() == pytest.approx(wanted, abs=1e-12)
    assert curve.mean() == pytest.approx(0.7020429441, abs=1e-9)
