"""Columns that change places between rows, against all pairs of columns and rows one by one."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics.crossings import widest_crossing

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
