"""Near misses: each result moves a random number of steps along the tree, stopping at every step with 1 - m.

Piwowarski, Dupret, "Expected precision-recall with user modelling" (EPRUM), SIGIR 2006, section 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from prum_eval.arrays import IntArray, concatenated_ranges
from prum_eval.errors import DataError
from prum_eval.experiments.changes import (
    ApplyChange,
    ListedResult,
    ListedTopic,
    NamedResult,
    Ranks,
    iterate_results,
    one_per_rank,
    replace_rank,
)
from prum_eval.experiments.simulated_topics import Elements, RandomStream
from prum_eval.numerics.curves import ROUNDING_SLACK
from prum_eval.parameters import ParameterValues
from prum_eval.records import RunKind
from prum_eval.tabular import plural
from prum_eval.text.names import find_document

Step = Callable[[int], int]
"""From an element to the next one; below 0 where the way ends."""


def move(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Each result a number of steps: k or more with probability m^k."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    m, axis, elements = float(values["m"]), values["axis"], topic.elements

    def moved(item: ListedResult) -> ListedResult:
        if not isinstance(item, int):  # nothing is known of its neighbours
            return item
        # As many numbers are drawn whatever m is: then another m moves the same results in the same directions.
        upwards, steps, way = draws.coin(), draws.uniform(), draws.random_bits()
        step: Step
        if axis == "siblings":
            step = _step_aside(elements, item, -1 if upwards else 1)
        else:
            step = elements.parent if upwards else _step_down(elements, way)
        chance = m
        while steps < chance and (after := step(item)) >= 0:  # at least k steps: probability m^k
            item = after
            chance *= m
        return item

    return [[moved(item) for item in rank] for rank in ranks]


def _step_down(elements: Elements, way: int) -> Step:
    """To a child, each as likely as the others, chosen by the bits of `way`."""

    def step(row: int) -> int:
        nonlocal way
        children = elements.children(row)
        if not children:
            return -1
        way, child = divmod(way, len(children))
        return children[child]

    return step


def _step_aside(elements: Elements, row: int, direction: int) -> Step:
    """To the next sibling in a direction."""
    siblings = elements.nonempty_siblings(row)
    last = siblings.index(row)

    def step(_row: int) -> int:
        nonlocal last
        last += direction
        return siblings[last] if 0 <= last < len(siblings) else -1

    return step


# Noise: elements of documents that hold no target of the topic.


def noise(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """The list with noise before, behind or between its ranks."""
    n, place = int(values["n"]), values["place"]
    wanted = n * max(len(ranks) - 1, 0) if place == "between" else n
    new = one_per_rank(_draw_noise(wanted, ranks, topic, draws))
    if place == "front":
        return new + ranks
    if place == "end":
        return ranks + new
    return [one for number, rank in enumerate(ranks) for one in (*new[max(number - 1, 0) * n : number * n], rank)]


def _draw_noise(wanted: int, ranks: Ranks, topic: ListedTopic, draws: RandomStream) -> list[ListedResult]:
    """So many different elements of positive length from documents without a target, none that is listed already.

    Raises:
        DataError: there are not so many.
    """
    elements = topic.elements
    assert elements is not None  # noqa: S101 -- checked before
    flat, columns = topic.kind is RunKind.FLAT, elements.forest.columns
    possible = elements.nonempty_roots if flat else elements.nonempty_rows
    barred = _excluded_positions(possible, ranks, topic, elements)
    free = len(possible) - len(barred)
    if free < wanted:
        what = "document" if flat else "element"
        where = "without a target" if flat else "in documents without a target"
        reason = f"{plural(wanted, what)} of positive length {where}, there are {free}"
        raise DataError(f"noise: topic {topic.name} needs {reason}")
    chosen = np.array(draws.sample(free, wanted), dtype=np.int64)
    # The i-th that is free stands behind as many barred ones as have at most i free ones before them.
    chosen += np.searchsorted(barred - np.arange(len(barred)), chosen, side="right")
    rows = possible[chosen]
    if topic.kind is RunKind.ELEMENTS:
        return [*rows.tolist()]
    names = elements.documents(rows)
    if flat:
        return [*map(NamedResult, names)]
    extents = zip(columns.start[rows].tolist(), columns.length[rows].tolist(), strict=True)
    return [NamedResult(name, start=start, length=length) for name, (start, length) in zip(names, extents, strict=True)]


def _excluded_positions(possible: IntArray, ranks: Ranks, topic: ListedTopic, elements: Elements) -> IntArray:
    """Places, in the list of what is possible, of elements in documents with a target and of results; ascending."""
    columns, number = elements.forest.columns, elements.number
    known = [found for name in topic.target_documents if (found := number(name)) >= 0]
    listed: set[int] = set()
    for item in iterate_results(ranks):
        if isinstance(item, int):
            if elements.is_nonempty(item):
                listed.add(item)
        elif (found := number(item.document)) >= 0:
            known.append(found)  # extents and documents: all of the document, of which part is listed
    numbers = np.unique(np.array(known, dtype=np.int64))
    low, high = (np.searchsorted(possible, columns.bounds[numbers + after]) for after in (0, 1))
    there = np.searchsorted(possible, np.array(sorted(listed), dtype=np.int64))
    barred: IntArray = np.union1d(there, concatenated_ranges(low, high - low))
    return barred


# Passages and entry points at some distance from where they belong.


def jitter(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Each extent moved by a number of characters, all from -c to c equally likely, and kept within its document."""
    most = int(values["characters"])

    def moved(item: ListedResult) -> ListedResult:
        if not isinstance(item, NamedResult):
            return item
        start = item.start + draws.integer_below(2 * most + 1) - most
        length = find_document(topic.lengths, item.document)
        if length is not None:
            start = min(start, length - item.length)
        return item._replace(start=max(start, 0))

    return [[moved(item) for item in rank] for rank in ranks]


# Other elements of the same branch of the tree: in place of results, or beside them.


def _replace_with(relatives: Callable[[Elements, int], list[int]]) -> ApplyChange:
    """Each result replaced by some relatives of it, in its place; what has none of them stays."""

    def apply(ranks: Ranks, _values: ParameterValues, topic: ListedTopic, _draws: RandomStream) -> Ranks:
        assert topic.elements is not None  # noqa: S101 -- checked before
        elements = topic.elements

        def others(item: ListedResult) -> list[ListedResult]:
            return [*(relatives(elements, item) if isinstance(item, int) else [])] or [item]

        return [new for rank in ranks for new in replace_rank(rank, [other for item in rank for other in others(item)])]

    return apply


parents = _replace_with(lambda elements, row: elements.ancestors(row)[:1])
children = _replace_with(Elements.children)
siblings = _replace_with(lambda elements, row: [other for other in elements.nonempty_siblings(row) if other != row])
articles = _replace_with(lambda elements, row: elements.ancestors(row)[-1:])


def ancestors(ranks: Ranks, values: ParameterValues, topic: ListedTopic, _draws: RandomStream) -> Ranks:
    """The list and all ancestors of its results, each once, in the order in which the list comes to them."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    known = set(iterate_results(ranks))
    new: list[list[ListedResult]] = []  # of each result, those that none before it has
    for item in iterate_results(ranks):
        own = topic.elements.ancestors(item) if isinstance(item, int) else []
        new.append([row for row in own if row not in known])
        known.update(own)
    if values["place"] == "around":
        each = iter(new)
        behind = [[row for _ in rank for row in next(each)] for rank in ranks]
        return [one for rank, own in zip(ranks, behind, strict=True) for one in (rank, *one_per_rank(own))]
    together = [[row for own in new for row in own]] if any(new) else []
    return ranks + together if values["place"] == "after" else together + ranks


# Which results stay, and in which order.


def drop(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Each result dropped with probability p."""
    p = float(values["p"])
    kept = ([item for item in rank if draws.uniform() >= p] for rank in ranks)
    return [rank for rank in kept if rank]


def keep_first(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, _draws: RandomStream) -> Ranks:
    """The first n results, or the first ceil(share t - 1e-9) of t."""
    listed = sum(map(len, ranks))
    left = int(values["n"]) if "n" in values else math.ceil(float(values["share"]) * listed - ROUNDING_SLACK)
    kept: Ranks = []
    for rank in ranks:
        if left <= 0:
            break
        kept.append(rank[:left])
        left -= len(kept[-1])
    return kept


def reverse(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, _draws: RandomStream) -> Ranks:
    """The ranks in reverse order; the order within a rank stays."""
    return ranks[::-1]


def shuffle(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, draws: RandomStream) -> Ranks:
    """The results in random order, each with a rank of its own."""
    listed = list(iterate_results(ranks))
    draws.shuffle(listed)
    return one_per_rank(listed)
