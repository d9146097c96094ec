"""Gains of ranked lists: `GainLists` has the lists of many topics as columns, the input of gain measures.

Ranks and places count from 1. `gain_lists` makes lists from gains; `gain_lists_of_run` looks up the graded documents of
all topics of a run at once, in `RelevantDocuments`. Sums run down each list in order, so they do not depend on other
lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np

from prum_eval.arrays import (
    EMPTY_INTS,
    FloatArray,
    IntArray,
    NarrowArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    grouped_sums,
)
from prum_eval.records import FlatTopic, FlatTopics, Run, Topic
from prum_eval.text.names import FILE_ENDINGS, NameTable, TextNames, match_documents, strip_document_suffix

ROWS_TOGETHER = 1 << 20
"""Results that are looked up at once, which bounds memory."""


@dataclass(eq=False, repr=False)
class GainLists:
    """Results with positive gains of some lists, and the recall base of each list.

    List i has the results ``bounds[i]:bounds[i + 1]``, sorted by rank. Its recall base has the gains
    ``base_bounds[i]:base_bounds[i + 1]`` of `base`, in any order, all above 0.
    """

    bounds: IntArray
    ranks: IntArray
    gains: FloatArray
    base_bounds: IntArray
    base: FloatArray

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def part(self, low: int, high: int) -> GainLists:
        """The lists low, ..., high - 1."""
        bounds, base_bounds = self.bounds[low : high + 1], self.base_bounds[low : high + 1]
        results, base = slice(bounds[0], bounds[-1]), slice(base_bounds[0], base_bounds[-1])
        return GainLists(
            bounds - bounds[0], self.ranks[results], self.gains[results], base_bounds - base_bounds[0], self.base[base]
        )

    @cached_property
    def list_numbers(self) -> IntArray:
        """Number of the list of each result."""
        return group_numbers(self.bounds)

    @cached_property
    def relevant(self) -> IntArray:
        """R: number of gains in each recall base."""
        return np.diff(self.base_bounds)

    @cached_property
    def places(self) -> IntArray:
        """Place of each result among the relevant results of its list."""
        return _places_in_groups(self.bounds, self.list_numbers)

    @cached_property
    def precisions(self) -> FloatArray:
        """Precision at the rank of each result."""
        precisions: FloatArray = self.places / self.ranks
        return precisions

    @cached_property
    def discounted_gains(self) -> FloatArray:
        """Discounted gain of each result: gain / log2(rank + 1)."""
        return _discount(self.gains, self.ranks)

    @cached_property
    def ideal_places(self) -> IntArray:
        """Place of each gain of the recall bases in the ideal list, by decreasing gain."""
        return _places_in_groups(self.base_bounds, self._base_list_numbers)

    @cached_property
    def ideal_discounted_gains(self) -> FloatArray:
        """Discounted gains of the ideal lists: gain / log2(place + 1)."""
        ordered = self.base[np.lexsort((-self.base, self._base_list_numbers))]
        return _discount(ordered, self.ideal_places)

    @cached_property
    def _base_list_numbers(self) -> IntArray:
        return group_numbers(self.base_bounds)

    def sums(self, values: FloatArray, last: float | None = None) -> FloatArray:
        """Sum per list of a value per result, up to rank `last`; shape (lists,)."""
        rows = slice(None) if last is None else self.ranks <= last
        return grouped_sums(self.list_numbers[rows], values[rows], len(self))

    def ideal_sums(self, last: float | None = None) -> FloatArray:
        """Sum per ideal list of `ideal_discounted_gains`, up to place `last`; shape (lists,)."""
        rows = slice(None) if last is None else self.ideal_places <= last
        return grouped_sums(self._base_list_numbers[rows], self.ideal_discounted_gains[rows], len(self))

    def counts(self, last: FloatArray | IntArray) -> IntArray:
        """Number of results up to ranks `last` of shape (n,) or (lists, n); shape (lists, n)."""
        width = int(self.ranks.max(initial=0)) + 1
        first = np.arange(len(self))[:, None] * width
        keys = first + np.minimum(last, width - 1).astype(np.int64)
        ends = np.searchsorted(self.list_numbers * width + self.ranks, keys.ravel(), side="right")
        counts: IntArray = ends.reshape(keys.shape) - self.bounds[:-1, None]
        return counts


def gain_lists(gains: FloatArray, bounds: IntArray, base: FloatArray, base_bounds: IntArray) -> GainLists:
    """Lists from the gain of each result, best first, and the gains of the recall bases; 0 where there is none."""
    rows, base_rows = np.flatnonzero(gains > 0), np.flatnonzero(base > 0)
    ends = np.searchsorted(rows, bounds)
    ranks = rows + 1 - np.repeat(bounds[:-1], np.diff(ends))
    return GainLists(ends, ranks, gains[rows], np.searchsorted(base_rows, base_bounds), base[base_rows])


@dataclass(eq=False, repr=False)
class RelevantDocuments:
    """The documents with positive gains of all assessed topics.

    `number`: number of each topic; topic i has the rows ``bounds[i]:bounds[i + 1]``. `document`: codes in `names`.
    """

    number: Mapping[str, int]
    bounds: IntArray
    names: Sequence[str]
    document: IntArray
    gain: FloatArray

    @cached_property
    def _code(self) -> Mapping[str, int]:
        return dict(zip(self.names, range(len(self.names)), strict=True))

    @cached_property
    def _table(self) -> NameTable:
        table = NameTable()
        if isinstance(self.names, TextNames):
            table.add(self.names.words)
        return table

    def codes_of(self, documents: Sequence[str]) -> NarrowArray | None:
        """Code of each document, or -1; None if one is called by its file, ``a.xml`` for ``a``."""
        if (
            isinstance(documents, TextNames)
            and isinstance(self.names, TextNames)
            and not documents.contain_any(FILE_ENDINGS)
        ):
            return self._table.find(documents.words)
        matched = match_documents(documents, self._code.keys())
        if any(name.endswith(FILE_ENDINGS) and strip_document_suffix(name) in self._code for name in matched):
            return None
        codes = np.full(len(documents), -1, dtype=np.int64)
        codes[list(matched.values())] = [self._code[name] for name in matched]
        return codes


def relevant_documents(topics: FlatTopics, value: Callable[[FloatArray], FloatArray]) -> RelevantDocuments:
    """Documents with positive gains.

    Args:
        topics: all assessed topics.
        value: element-wise function from grades to gains in [0, 1].
    """
    places, gains = [EMPTY_INTS], [np.empty(0)]
    for low in range(0, len(topics.grades), ROWS_TOGETHER):
        block = value(topics.grades[low : low + ROWS_TOGETHER].astype(np.float64))
        places.append(low + np.flatnonzero(block > 0))
        gains.append(block[block > 0])
    rows, gain = np.concatenate(places), np.concatenate(gains)
    owner = np.searchsorted(topics.bounds, rows, side="right") - 1
    used = np.zeros(topics.document.max(initial=-1) + 1, dtype=np.bool_)
    used[topics.document[rows]] = True
    document = (np.cumsum(used) - 1)[topics.document[rows]]
    bounds = group_bounds(np.bincount(owner, minlength=len(topics)))
    codes, names = np.flatnonzero(used), topics.documents
    used_names: Sequence[str] = (
        TextNames(names.words[:, codes])
        if isinstance(names, TextNames)
        else tuple(map(names.__getitem__, codes.tolist()))
    )
    return RelevantDocuments(topics.number, bounds, used_names, document, gain)


def flat_topics(topics: Mapping[str, Topic]) -> FlatTopics:
    """Assessments of graded documents as columns."""
    if isinstance(topics, FlatTopics):
        return topics
    flat = {name: topic for name, topic in topics.items() if isinstance(topic, FlatTopic)}
    code: dict[str, int] = {}
    document = [code.setdefault(name, len(code)) for topic in flat.values() for name in topic.documents]
    return FlatTopics(
        tuple(flat),
        tuple(topic.path for topic in flat.values()),
        group_bounds([len(topic.documents) for topic in flat.values()]),
        tuple(code),
        np.array(document, dtype=np.int64),
        np.concatenate([EMPTY_INTS, *(topic.grades for topic in flat.values())]),
        np.concatenate([EMPTY_INTS, *(topic.lines for topic in flat.values())]),
    )


def gain_lists_of_run(
    relevant: RelevantDocuments, run: Run, topics: Sequence[str], limit: int | None = None
) -> GainLists | None:
    """Gains of the results of some assessed topics; a topic that the run lacks has an empty list.

    None if the run calls a document by its file, ``a.xml`` for ``a``, as it may also contain the other name.

    Args:
        relevant: documents with gains.
        run: a run whose results are documents.
        topics: topics of the lists, in their order.
        limit: maximal number of results per topic.
    """
    names = relevant.codes_of(run.documents)
    if names is None:
        return None
    chosen = np.array([relevant.number[topic] for topic in topics], dtype=np.int64)
    lists = np.full(len(relevant.bounds), -1, dtype=np.int64)  # by number of the topic; last: all other topics
    lists[chosen] = np.arange(len(topics))
    list_of_topic = lists[np.fromiter(map(relevant.number.get, run.topics, repeat(-1)), np.int64, len(run.topics))]
    width = len(relevant.names)
    keys = group_numbers(relevant.bounds) * width + relevant.document
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    parts: list[tuple[IntArray, IntArray, IntArray]] = [(EMPTY_INTS, EMPTY_INTS, EMPTY_INTS)]
    for low in range(0, len(run.document) if len(keys) else 0, ROWS_TOGETHER):
        part = slice(low, low + ROWS_TOGETHER)
        rows = low + np.flatnonzero((names[run.document[part]] >= 0) & run.exists[part])
        topic = np.searchsorted(run.bounds, rows, side="right") - 1
        owner = list_of_topic[topic]
        ranks = rows - run.bounds[topic] + 1
        result_keys = chosen[owner] * width + names[run.document[rows]]
        places = np.searchsorted(keys, result_keys, side="right") - 1  # of a repeated document the last entry counts
        hits = (owner >= 0) & (keys[places] == result_keys)
        if limit is not None:
            hits &= ranks <= limit
        parts.append((owner[hits], ranks[hits], order[places[hits]]))
    owner, ranks, rows = (np.concatenate(column) for column in zip(*parts, strict=True))
    in_order = np.argsort(owner, kind="stable")
    sizes = np.diff(relevant.bounds)[chosen]
    return GainLists(
        group_bounds(np.bincount(owner, minlength=len(topics))),
        ranks[in_order],
        relevant.gain[rows[in_order]],
        group_bounds(sizes),
        relevant.gain[concatenated_ranges(relevant.bounds[chosen], sizes)],
    )


def _places_in_groups(bounds: IntArray, owner: IntArray) -> IntArray:
    """Place of each row in its group, from 1."""
    places: IntArray = np.arange(1, len(owner) + 1) - bounds[owner]
    return places


def _discount(gains: FloatArray, places: IntArray) -> FloatArray:
    discounted: FloatArray = gains / np.log2(places + 1)
    return discounted
