"""Trees told by depths, beside a walk with a stack."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics.intervals import nesting_from_depths


def walked(depth):
    """Parents and sizes, node by node."""
    parent, size, ancestors = [], [1] * len(depth), []
    for node, level in enumerate(depth):
        del ancestors[level - 1 :]
        parent.append(ancestors[-1] if ancestors else -1)
        for ancestor in ancestors:
            size[ancestor] += 1
        ancestors.append(node)
    return parent, size


@st.composite
def depths(draw):
    found = []
    for below in draw(st.lists(st.integers(0, 6), max_size=60)):
        found.append(max(1, found[-1] + 1 - below) if found else 1)
    return found


@given(depths())
def test_parents_and_sizes_are_those_of_a_walk(depth):
    parent, size = nesting_from_depths(np.array(depth, dtype=np.int64))
    assert (parent.tolist(), size.tolist()) == walked(depth)


def test_a_chain_deeper_than_a_byte_counts():
    depth = [*range(1, 400), *range(2, 300)]
    parent, size = nesting_from_depths(np.array(depth, dtype=np.int64))
    assert (parent.tolist(), size.tolist()) == walked(depth)
