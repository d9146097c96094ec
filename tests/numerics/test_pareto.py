"""The Pareto front, against all pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.numerics.curves import pareto_mask

points = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=9)


@given(points)
def test_no_other_beats_what_is_on_it(found):
    cost, quality = (np.array([pair[side] for pair in found], dtype=float) for side in (0, 1))
    wanted = [not any((c <= own and q > best) or (c < own and q >= best) for c, q in found) for own, best in found]
    assert pareto_mask(cost, quality).tolist() == wanted
