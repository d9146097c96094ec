"""Columns that grow are what their parts would be together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.arrays import GrowingColumn, narrow

NUMBERS = st.one_of(st.integers(-5, 5), st.integers(-(2**31), 2**31), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(st.lists(NUMBERS, max_size=40), max_size=8))
def test_whole_numbers_grow_into_what_they_are_together(parts):
    column = GrowingColumn()
    for part in parts:
        column.add(narrow(np.array(part, dtype=np.int64)))
    assert len(column) == sum(map(len, parts))
    found = column.take_array()
    assert found.tolist() == [number for part in parts for number in part]
    assert found.dtype == narrow(np.array(found, dtype=np.int64)).dtype
    assert len(column) == 0


@given(st.lists(st.lists(st.floats(allow_nan=False), max_size=40), max_size=8))
def test_floats_stay_floats(parts):
    column = GrowingColumn(np.float64)
    for part in parts:
        column.add(np.array(part))
    found = column.take_array()
    assert found.dtype == np.float64
    assert found.tolist() == [number for part in parts for number in part]


def test_a_column_can_grow_anew():
    column = GrowingColumn()
    column.add(np.array([2**40]))
    assert column.take_array().tolist() == [2**40]
    column.add(np.array([1]))
    assert column.take_array().tolist() == [1]
