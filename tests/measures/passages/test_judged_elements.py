"""Relevant characters of elements of the assessments are found by number, for many results at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.passages import JudgedElements

PLACES = st.tuples(st.integers(0, 5), st.integers(0, 7))


@given(st.dictionaries(PLACES, st.integers(1, 99), max_size=12), st.lists(PLACES, max_size=20))
def test_relevant_characters_are_those_listed(listed, asked):
    """Numbers beyond all that are listed are those of no other article's elements."""
    width = max((element for _, element in listed), default=0) + 1
    by_key = sorted((row * width + element, relevant) for (row, element), relevant in listed.items())
    keys, relevant = (
        np.array(column, dtype=np.int64) for column in (zip(*by_key, strict=True) if by_key else ([], []))
    )
    row, element = np.array(asked, dtype=np.int64).reshape(-1, 2).T
    found = JudgedElements(keys, width, relevant).relevant_characters(row, element)
    assert found.tolist() == [listed.get(place, 0) for place in asked]
