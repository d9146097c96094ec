"""What no other beats in quality and in cost at once."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray


def on_front(cost: FloatArray, quality: FloatArray) -> BoolArray:
    """The Pareto front: those of which no other has as much quality for less, or more quality for no more.

    Both have shape (n,); of equal ones each is on the front, or none.

    >>> on_front(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.2, 0.5, 0.5, 0.6])).tolist()
    [True, True, False, True]
    """
    order = np.lexsort((-quality, cost))
    found = np.zeros(len(cost), dtype=np.bool_)
    best, paid = -np.inf, np.nan  # the most quality so far, and the least that it costs
    for place in order:
        if quality[place] > best:
            best, paid = quality[place], cost[place]
        found[place] = quality[place] == best and cost[place] == paid
    return found
