"""Functions of the changes, each from a list, parameters, topic and random numbers to a new list.

Near misses (`move`): each result moves a random number of steps along the tree and stops at every step with probability
1 - m (Piwowarski, Dupret, "Expected precision-recall with user modelling" (EPRUM), SIGIR 2006, section 7). The others
add noise, move extents, replace results by relatives, and remove or reorder results.
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


def move(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Move each result by k or more steps with probability m^k."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    m, axis, elements = float(values["m"]), values["axis"], topic.elements

    def move_result(item: ListedResult) -> ListedResult:
        if not isinstance(item, int):  # its neighbours are unknown
            return item
        # as many numbers are drawn whatever m is: then another m moves the same results in the same directions
        upwards, steps, path = draws.coin(), draws.uniform(), draws.random_bits()
        siblings = elements.nonempty_siblings(item) if axis == "siblings" else []
        place = siblings.index(item) if siblings else 0
        chance = m
        while steps < chance:  # at least k steps: probability m^k
            if axis == "siblings":
                place += -1 if upwards else 1
                after = siblings[place] if 0 <= place < len(siblings) else -1
            elif upwards:
                after = elements.parent(item)
            else:  # to a child, each with the same probability
                children = elements.children(item)
                path, child = divmod(path, len(children)) if children else (path, 0)
                after = children[child] if children else -1
            if after < 0:
                break
            item = after
            chance *= m
        return item

    return [[move_result(item) for item in rank] for rank in ranks]


# Noise: elements of documents without a target of the topic


def noise(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Add noise before, after or between the ranks."""
    n, place = int(values["n"]), values["place"]
    count = n * max(len(ranks) - 1, 0) if place == "between" else n
    noise_ranks = one_per_rank(_draw_noise(count, ranks, topic, draws))
    if place == "front":
        return noise_ranks + ranks
    if place == "end":
        return ranks + noise_ranks
    return [
        item for number, rank in enumerate(ranks) for item in (*noise_ranks[max(number - 1, 0) * n : number * n], rank)
    ]


def _draw_noise(count: int, ranks: Ranks, topic: ListedTopic, draws: RandomStream) -> list[ListedResult]:
    """`count` distinct unlisted elements of positive length from documents without a target.

    Raises:
        DataError: there are too few.
    """
    elements = topic.elements
    assert elements is not None  # noqa: S101 -- checked before
    flat, columns = topic.kind is RunKind.FLAT, elements.forest.columns
    candidates = elements.nonempty_roots if flat else elements.nonempty_rows
    excluded = _excluded_positions(candidates, ranks, topic, elements)
    free = len(candidates) - len(excluded)
    if free < count:
        what = "document" if flat else "element"
        where = "without a target" if flat else "in documents without a target"
        reason = f"{plural(count, what)} of positive length {where}, there are {free}"
        raise DataError(f"noise: topic {topic.name} needs {reason}")
    indices = np.array(draws.sample(free, count), dtype=np.int64)
    # the i-th free one follows all excluded ones with at most i free ones before them
    indices += np.searchsorted(excluded - np.arange(len(excluded)), indices, side="right")
    rows = candidates[indices]
    if topic.kind is RunKind.ELEMENTS:
        return [*rows.tolist()]
    names = elements.documents(rows)
    if flat:
        return [*map(NamedResult, names)]
    extents = zip(columns.start[rows].tolist(), columns.length[rows].tolist(), strict=True)
    return [NamedResult(name, start=start, length=length) for name, (start, length) in zip(names, extents, strict=True)]


def _excluded_positions(candidates: IntArray, ranks: Ranks, topic: ListedTopic, elements: Elements) -> IntArray:
    """Ascending indices among the candidates of results, and of elements in documents with a target."""
    columns, number = elements.forest.columns, elements.number
    documents = [number_found for name in topic.target_documents if (number_found := number(name)) >= 0]
    rows: set[int] = set()
    for item in iterate_results(ranks):
        if isinstance(item, int):
            if elements.is_nonempty(item):
                rows.add(item)
        elif (number_found := number(item.document)) >= 0:
            documents.append(number_found)  # an extent or document excludes its whole document
    numbers = np.unique(np.array(documents, dtype=np.int64))
    low, high = (np.searchsorted(candidates, columns.bounds[numbers + after]) for after in (0, 1))
    result_positions = np.searchsorted(candidates, np.array(sorted(rows), dtype=np.int64))
    excluded: IntArray = np.union1d(result_positions, concatenated_ranges(low, high - low))
    return excluded


# Displaced passages and entry points


def jitter(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Move each extent by -c to c characters, uniformly, within its document."""
    distance = int(values["characters"])

    def move_extent(item: ListedResult) -> ListedResult:
        if not isinstance(item, NamedResult):
            return item
        start = item.start + draws.integer_below(2 * distance + 1) - distance
        length = find_document(topic.lengths, item.document)
        if length is not None:
            start = min(start, length - item.length)
        return item._replace(start=max(start, 0))

    return [[move_extent(item) for item in rank] for rank in ranks]


# Relatives in the tree, instead of results or besides them


def _replace_with(relatives: Callable[[Elements, int], list[int]]) -> ApplyChange:
    """A change that replaces each result by relatives; results without them stay."""

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
    """The list and all ancestors of its results, each once, in the order of the list."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    seen = set(iterate_results(ranks))
    new: list[list[ListedResult]] = []  # per result, ancestors that no earlier result has
    for item in iterate_results(ranks):
        above = topic.elements.ancestors(item) if isinstance(item, int) else []
        new.append([row for row in above if row not in seen])
        seen.update(above)
    if values["place"] == "around":
        groups = iter(new)
        added = [[row for _ in rank for row in next(groups)] for rank in ranks]
        return [new_rank for rank, above in zip(ranks, added, strict=True) for new_rank in (rank, *one_per_rank(above))]
    last = [[row for above in new for row in above]] if any(new) else []
    return ranks + last if values["place"] == "after" else last + ranks


# Selection and order of results


def drop(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Drop each result with probability p."""
    p = float(values["p"])
    remaining = ([item for item in rank if draws.uniform() >= p] for rank in ranks)
    return [rank for rank in remaining if rank]


def keep_first(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, _draws: RandomStream) -> Ranks:
    """Keep the first n results, or the first ceil(share t - 1e-9) of t."""
    total = sum(map(len, ranks))
    remaining = int(values["n"]) if "n" in values else math.ceil(float(values["share"]) * total - ROUNDING_SLACK)
    first_ranks: Ranks = []
    for rank in ranks:
        if remaining <= 0:
            break
        first_ranks.append(rank[:remaining])
        remaining -= len(first_ranks[-1])
    return first_ranks


def reverse(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, _draws: RandomStream) -> Ranks:
    """Reverse the ranks; the order within a rank stays."""
    return ranks[::-1]


def shuffle(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, draws: RandomStream) -> Ranks:
    """Shuffle the results; none share a rank."""
    results = list(iterate_results(ranks))
    draws.shuffle(results)
    return one_per_rank(results)
