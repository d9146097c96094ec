"""Orders of runs and changes of places, against a plain count over all tables."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.experiments.sweep import place_changes, taus

tables = st.integers(1, 5).flatmap(
    lambda runs: st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0, math.nan]), min_size=runs, max_size=runs),
        min_size=2,
        max_size=5,
    )
)


@given(tables)
def test_tau_b(table):
    for row, found in zip(table, taus(np.array(table), 1), strict=True):
        known = [(own, other) for own, other in zip(row, table[1], strict=True) if not math.isnan(own + other)]
        agree = untied = untied_reference = 0
        for (own, other), (mine, its) in combinations(known, 2):
            agree += ((own > mine) - (own < mine)) * ((other > its) - (other < its))
            untied, untied_reference = untied + (own != mine), untied_reference + (other != its)
        if untied and untied_reference:
            assert found == pytest.approx(agree / math.sqrt(untied * untied_reference), abs=1e-12)
        else:
            assert found is None


@given(tables, st.booleans())
def test_lines_cross_where_it_is_said(table, logarithmic):
    numbers = [0.5 * 3.0**place for place in range(len(table))]
    axis = np.log(numbers) if logarithmic else np.array(numbers)
    for one in place_changes("m", np.array(table), numbers, logarithmic=logarithmic):
        upper, lower = (np.array(table)[:, run] for run in (one.upper, one.lower))
        assert upper[one.before] > lower[one.before]
        assert upper[one.after] < lower[one.after]
        assert numbers[one.before] < one.at < numbers[one.after]
        place = math.log(one.at) if logarithmic else one.at
        ends = [one.before, one.after]
        ties = [numbers[row] for row in range(one.before, one.after) if upper[row] == lower[row]]
        if ties:
            assert one.at == ties[0]
        else:
            heights = [np.interp(place, axis[ends], values[ends]) for values in (upper, lower)]
            assert heights[0] == pytest.approx(heights[1], abs=1e-12)


def test_values_that_are_no_numbers_have_no_place_between_them():
    (one,) = place_changes("m", np.array([[0.2, 0.1], [0.1, 0.2]]), None, logarithmic=False)
    assert (one.upper, one.lower, one.before, one.after, one.at) == (0, 1, 0, 1, None)
