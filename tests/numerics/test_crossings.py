"""Columns that change places between rows, against all pairs of columns and rows one by one."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics.curves import exchanges, widest_crossing

tables = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]), min_size=columns, max_size=columns),
        min_size=1,
        max_size=4,
    )
)


@given(tables)
def test_the_widest_of_all(table):
    width = {
        (left, right, above, below): min(
            table[above][left] - table[above][right], table[below][right] - table[below][left]
        )
        for left, right in combinations(range(len(table[0])), 2)
        for above, below in permutations(range(len(table)), 2)
        if table[above][left] > table[above][right] and table[below][left] < table[below][right]
    }
    found = widest_crossing(np.array(table))
    assert (found is None) == (not width)
    if found is not None:
        assert width[found] == max(width.values())


def test_no_column_and_one():
    assert widest_crossing(np.zeros((2, 1))) is None
    assert widest_crossing(np.zeros((1, 0))) is None


@given(tables)
def test_all_exchanges(table):
    known = []
    for left, right in combinations(range(len(table[0])), 2):
        last = None
        for row, values in enumerate(table):
            if math.isnan(values[left]) or math.isnan(values[right]) or values[left] == values[right]:
                continue
            upper, lower = (left, right) if values[left] > values[right] else (right, left)
            if last is not None and last[0] != upper:
                known.append((*last, row))
            last = (upper, lower, row)
    assert sorted(exchanges(np.array(table))) == sorted(known)
    assert [one.before for one in exchanges(np.array(table))] == sorted(row for _, _, row, _ in known)
