"""Simulated results: what stands in the lists that changes work on.

A list is a sequence of ranks, best first; a rank holds one result, or several that share it (they get one score). Of
results that are elements of a known structure only the row of the forest is kept, so that lists are short and steps in
the tree are look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class NamedResult(NamedTuple):
    """A result that is no row of a forest: a document, an element or range by its paths, or an extent."""

    document: str
    first_path: str = ""
    last_path: str = ""
    start: int = -1
    length: int = -1
    tokens: int = 0


class NoResult(NamedTuple):
    """A result that does not exist (X), in a document."""

    document: str


ListedResult = int | NamedResult | NoResult
"""A result: row of an element in the forest of the structure, or named, or none."""
OneRank = list[ListedResult]
Ranks = list[OneRank]


def items(ranks: Ranks) -> Iterator[ListedResult]:
    """The results one after the other."""
    return (item for rank in ranks for item in rank)


def each_alone(listed: Iterable[ListedResult]) -> Ranks:
    """A list in which no rank is shared."""
    return [[item] for item in listed]


def replaced(rank: OneRank, others: list[ListedResult]) -> Ranks:
    """What stands where one rank stood: shared by all if it was shared, else a rank each."""
    return [others] if len(rank) > 1 else each_alone(others)


def without_repeats(ranks: Ranks, held: Callable[[ListedResult], NoResult] | None) -> Ranks:
    """Every result once, at its first rank; with `held` what that makes of it stands where it came again."""
    seen: set[ListedResult] = set()
    left: Ranks = []
    for rank in ranks:
        kept: OneRank = []
        for item in rank:
            if isinstance(item, NoResult) or item not in seen:
                kept.append(item)
                seen.add(item)
            elif held is not None:
                kept.append(held(item))
        if kept:
            left.append(kept)
    return left
