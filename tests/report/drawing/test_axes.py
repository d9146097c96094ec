"""Axes hold all values, end on marks, and their marks keep apart."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.registry import MEASURES_BY_NAME, all_measures
from prum_eval.report.drawing import line_style, linear_axis, rank_axis


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_linear_axis_holds_what_it_is_for(one, other):
    low, high = min(one, other), max(one, other)
    axis = linear_axis(low, high)
    slack = 1e-6 * (abs(low) + abs(high)) + 1e-300
    assert axis.low <= low + slack
    assert axis.high >= high - slack
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])
    assert 2 <= len(axis.ticks) <= 8
    assert len(axis.ticks) == len(axis.texts)


def test_linear_axes_by_hand():
    assert linear_axis(0, 1).texts == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")
    assert linear_axis(0, 0.1).texts == ("0.00", "0.02", "0.04", "0.06", "0.08", "0.10")
    assert linear_axis(0, 0).texts == linear_axis(0, 1).texts
    assert linear_axis(0, 3e-6).texts == ("0", "1e-06", "2e-06", "3e-06")
    assert linear_axis(0, 1).place(0.25) == 0.25


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=30, unique=True))
def test_a_rank_axis_holds_all_ranks_and_marks_the_last(ranks):
    axis = rank_axis(ranks)
    places = [axis.place(rank) for rank in ranks]
    assert 0 <= min(places) <= max(places) <= 1
    assert axis.ticks[-1] == max(ranks)
    marks = [axis.place(tick) for tick in axis.ticks]
    assert all(after - before >= 0.07 for before, after in itertools.pairwise(marks))


def test_marks_of_ranks_stand_seven_hundredths_of_the_axis_apart():
    assert rank_axis([1859, 1999]).ticks == (1859, 1999)  # 140 of 2,000
    assert rank_axis([1860, 1999]).ticks == (1999,)  # 139 of 2,000: the last rank keeps its mark
    assert rank_axis([100, 140, 180, 1999]).ticks == (100, 140, 180, 1999)
    assert rank_axis([100, 101, 1999]).ticks == (101, 1999)


def test_ranks_are_placed_by_their_logarithm_where_they_span_a_lot():
    axis = rank_axis([1, 10, 100])
    assert axis.logarithmic
    assert math.isclose(axis.place(10) - axis.place(1), axis.place(100) - axis.place(10))
    assert not rank_axis([5, 10]).logarithmic


def test_line_styles_differ_without_colour():
    assert len({(one.dashes, one.marker, one.hollow) for one in map(line_style, range(28))}) == 28


@pytest.mark.parametrize(
    ("measure", "x", "y"),
    [
        ("P", "rank", "precision"),
        ("eprum_P", "rank", "EPRUM precision"),
        ("prum_prec_at_recall", "recall", "PRUM precision"),
        ("ng_o_prec_at_recall", "recall", "INEX 2003 precision, size and overlap"),
        ("ep_at_gr", "gain-recall", "effort-precision"),
        ("iP", "recall", "interpolated precision, in characters"),
        ("gP_at_gR", "generalised recall", "highest generalised precision"),
        ("gR", "rank (articles)", "generalised recall"),
        ("xcg", "rank", "cumulated gain"),
        ("ndcg_cut", "rank", "ndcg"),
        ("manxcg", "rank", "mean of nxcg"),
    ],
)
def test_axes_say_what_they_show(measure, x, y):
    assert MEASURES_BY_NAME[measure].axes == (x, y)


def test_no_label_keeps_the_letter_of_a_cut_off_or_level():
    for measure in all_measures():
        if measure.cutoffs:
            assert not any(label.endswith((" K", " X")) or " K " in label for label in measure.axes)
