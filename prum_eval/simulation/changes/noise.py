"""Noise: elements of documents that hold no target of the topic."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import IntArray, stretches
from prum_eval.errors import DataError
from prum_eval.parameters import ParameterValues
from prum_eval.records.run import RunKind
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import ListedResult, NamedResult, Ranks, each_alone, items
from prum_eval.tabular import plural


def noise(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: Draws) -> Ranks:
    """The list with noise before, behind or between its ranks."""
    n, place = int(values["n"]), values["place"]
    wanted = n * max(len(ranks) - 1, 0) if place == "between" else n
    new = each_alone(_drawn(wanted, ranks, topic, draws))
    if place == "front":
        return new + ranks
    if place == "end":
        return ranks + new
    return [one for number, rank in enumerate(ranks) for one in (*new[max(number - 1, 0) * n : number * n], rank)]


def _drawn(wanted: int, ranks: Ranks, topic: ListedTopic, draws: Draws) -> list[ListedResult]:
    """So many different elements of positive length from documents without a target, none that is listed already.

    Raises:
        DataError: there are not so many.
    """
    elements = topic.elements
    assert elements is not None  # noqa: S101 -- checked before
    flat, columns = topic.kind is RunKind.FLAT, elements.forest.columns
    possible = elements.possible_roots if flat else elements.possible
    barred = _barred(possible, ranks, topic, elements)
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


def _barred(possible: IntArray, ranks: Ranks, topic: ListedTopic, elements: Elements) -> IntArray:
    """Places, in the list of what is possible, of elements in documents with a target and of results; ascending."""
    columns, number = elements.forest.columns, elements.number
    known = [found for name in topic.holding if (found := number(name)) >= 0]
    listed: set[int] = set()
    for item in items(ranks):
        if isinstance(item, int):
            if elements.is_possible(item):
                listed.add(item)
        elif (found := number(item.document)) >= 0:
            known.append(found)  # extents and documents: all of the document, of which part is listed
    numbers = np.unique(np.array(known, dtype=np.int64))
    low, high = (np.searchsorted(possible, columns.bounds[numbers + after]) for after in (0, 1))
    there = np.searchsorted(possible, np.array(sorted(listed), dtype=np.int64))
    barred: IntArray = np.union1d(there, stretches(low, high - low))
    return barred
