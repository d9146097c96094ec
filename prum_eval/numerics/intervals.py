"""Stretches [start, end) of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

Ranges = list[tuple[int, int]]


def union(spans: Iterable[tuple[int, int]]) -> Ranges:
    """What spans cover together, as spans in order that share nothing; those that only touch stay two.

    >>> union([(5, 9), (0, 3), (3, 6), (9, 9)])
    [(0, 3), (3, 9), (9, 9)]
    """
    joined: Ranges = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def any_overlap(spans: Iterable[tuple[int, int]]) -> bool:
    """Whether any two of some spans share something, or one without length lies inside another."""
    return any(after < before for (_, before), (after, _) in pairwise(sorted(spans)))
