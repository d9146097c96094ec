"""The gains of many ranked lists, end to end: what a measure that looks at gains alone is a function of.

Those of graded documents are looked up for all topics of a run at once.
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
"""So many results are looked up at once: memory for a few columns of them, not of a whole run."""


@dataclass(eq=False, repr=False)
class GainLists:
    """The results with a gain of some lists, one list after the other, and the recall base of each.

    List i has the results ``bounds[i]:bounds[i + 1]``, by rank: `ranks` counts from 1, `gains` are above 0. Its recall
    base has the gains ``base_bounds[i]:base_bounds[i + 1]`` of `base`, in any order, all above 0 too.

    Sums go down a list one by one, from 0 on, so that a list has the same sum among others and by itself.
    """

    bounds: IntArray
    ranks: IntArray
    gains: FloatArray
    base_bounds: IntArray
    base: FloatArray

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def list_numbers(self) -> IntArray:
        """Number of the list of each result."""
        return group_numbers(self.bounds)

    @cached_property
    def relevant(self) -> IntArray:
        """R: number of gains in each recall base."""
        return np.diff(self.base_bounds)

    @cached_property
    def precisions(self) -> FloatArray:
        """Precision at the rank of each result."""
        found: FloatArray = _places_in_groups(self.bounds, self.list_numbers) / self.ranks
        return found

    @cached_property
    def discounted_gains(self) -> FloatArray:
        """Of each result, gain / log2(rank + 1)."""
        return _discount(self.gains, self.ranks)

    @cached_property
    def ideal_places(self) -> IntArray:
        """Place, from 1, of each gain of the recall bases in their ideal lists: those by decreasing gain."""
        return _places_in_groups(self.base_bounds, self._base_list_numbers)

    @cached_property
    def ideal_discounted_gains(self) -> FloatArray:
        """Of the ideal lists, gain / log2(place + 1)."""
        ordered = self.base[np.lexsort((-self.base, self._base_list_numbers))]
        return _discount(ordered, self.ideal_places)

    @cached_property
    def _base_list_numbers(self) -> IntArray:
        return group_numbers(self.base_bounds)

    def sums(self, values: FloatArray, last: float | None = None) -> FloatArray:
        """Sum over each list of a value a result, or of those up to rank `last`; shape (lists,)."""
        if last is None:
            return grouped_sums(self.list_numbers, values, len(self))
        kept = self.ranks <= last
        return grouped_sums(self.list_numbers[kept], values[kept], len(self))

    def ideal_sums(self, last: float | None = None) -> FloatArray:
        """Sum over each ideal list of `ideal_discounted`, or of its first `last`; shape (lists,)."""
        kept = slice(None) if last is None else self.ideal_places <= last
        return grouped_sums(self._base_list_numbers[kept], self.ideal_discounted_gains[kept], len(self))

    def counts(self, last: FloatArray | IntArray) -> IntArray:
        """Number of results up to some rank, of shape (n,) or (lists, n); the counts have the latter."""
        width = int(self.ranks.max(initial=0)) + 1
        first = np.arange(len(self))[:, None] * width
        wanted = first + np.minimum(last, width - 1).astype(np.int64)
        found = np.searchsorted(self.list_numbers * width + self.ranks, wanted.ravel(), side="right").reshape(
            wanted.shape
        )
        counts: IntArray = found - self.bounds[:-1, None]
        return counts


def gain_list(gains: FloatArray, base: FloatArray) -> GainLists:
    """One list: the gain of each result, best first, and those of the recall base, in any order."""
    found, wanted = np.flatnonzero(gains > 0), base[base > 0]
    return GainLists(np.array([0, len(found)]), found + 1, gains[found], np.array([0, len(wanted)]), wanted)


@dataclass(eq=False, repr=False)
class RelevantDocuments:
    """The documents with a gain of all assessed topics.

    `number`: of each topic; topic i has rows ``bounds[i]:bounds[i + 1]``. `document`: codes of `names`. `gain`: above
    0.
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
        """The code of each document of a run, -1 for others; None where one is called by its file, ``a.xml``."""
        if (
            isinstance(documents, TextNames)
            and isinstance(self.names, TextNames)
            and not documents.contain_any(FILE_ENDINGS)
        ):
            return self._table.find(documents.words)
        found = match_documents(documents, self._code.keys())
        if any(name.endswith(FILE_ENDINGS) and strip_document_suffix(name) in self._code for name in found):
            return None
        codes = np.full(len(documents), -1, dtype=np.int64)
        codes[list(found.values())] = [self._code[name] for name in found]
        return codes


def relevant_documents(topics: FlatTopics, value: Callable[[FloatArray], FloatArray]) -> RelevantDocuments:
    """The documents whose grades have a positive value.

    Args:
        topics: all that are assessed.
        value: from grades to gains in [0, 1], one by one.
    """
    places, gains = [EMPTY_INTS], [np.empty(0)]
    for low in range(0, len(topics.grades), ROWS_TOGETHER):
        found = value(topics.grades[low : low + ROWS_TOGETHER].astype(np.float64))
        places.append(low + np.flatnonzero(found > 0))
        gains.append(found[found > 0])
    rows, gain = np.concatenate(places), np.concatenate(gains)
    owner = np.searchsorted(topics.bounds, rows, side="right") - 1
    used = np.zeros(topics.document.max(initial=-1) + 1, dtype=np.bool_)
    used[topics.document[rows]] = True
    document = (np.cumsum(used) - 1)[topics.document[rows]]
    bounds = group_bounds(np.bincount(owner, minlength=len(topics)))
    return RelevantDocuments(
        topics.number, bounds, _select_names(topics.documents, np.flatnonzero(used)), document, gain
    )


def _select_names(names: Sequence[str], codes: IntArray) -> Sequence[str]:
    """The names with these codes."""
    if isinstance(names, TextNames):
        return TextNames(names.words[:, codes])
    return tuple(map(names.__getitem__, codes.tolist()))


def flat_topics(topics: Mapping[str, Topic]) -> FlatTopics:
    """Assessments of graded documents as columns, whatever they are in."""
    if isinstance(topics, FlatTopics):
        return topics
    judged = {name: topic for name, topic in topics.items() if isinstance(topic, FlatTopic)}
    code = {name: 0 for topic in judged.values() for name in topic.documents}
    code = dict(zip(code, range(len(code)), strict=True))
    return FlatTopics(
        tuple(judged),
        tuple(topic.path for topic in judged.values()),
        group_bounds([len(topic.documents) for topic in judged.values()]),
        tuple(code),
        np.array([code[name] for topic in judged.values() for name in topic.documents], dtype=np.int64),
        np.concatenate([EMPTY_INTS, *(topic.grades for topic in judged.values())]),
        np.concatenate([EMPTY_INTS, *(topic.lines for topic in judged.values())]),
    )


def gain_lists_of_run(
    relevant: RelevantDocuments, run: Run, topics: Sequence[str], limit: int | None = None
) -> GainLists | None:
    """The gains of the results of these assessed topics; a topic that the run lacks has an empty list.

    None where the run calls one of the documents by its file, ``a.xml`` for ``a``: who knows whether it calls it by its
    own name too must look closer.

    Args:
        relevant: what is to be found.
        run: results that are documents.
        topics: the lists, in their order.
        limit: only so many results of each topic count.
    """
    names = relevant.codes_of(run.documents)
    if names is None:
        return None
    chosen = np.array([relevant.number[topic] for topic in topics], dtype=np.int64)
    lists = np.full(len(relevant.bounds), -1, dtype=np.int64)  # by number of the topic; the last is for all others
    lists[chosen] = np.arange(len(topics))
    of_run = lists[np.fromiter(map(relevant.number.get, run.topics, repeat(-1)), np.int64, len(run.topics))]
    width = len(relevant.names)
    keys = group_numbers(relevant.bounds) * width + relevant.document
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    found: list[tuple[IntArray, IntArray, IntArray]] = [(EMPTY_INTS, EMPTY_INTS, EMPTY_INTS)]
    for low in range(0, len(run.document) if len(keys) else 0, ROWS_TOGETHER):
        part = slice(low, low + ROWS_TOGETHER)
        rows = low + np.flatnonzero((names[run.document[part]] >= 0) & run.exists[part])
        topic = np.searchsorted(run.bounds, rows, side="right") - 1
        owner = of_run[topic]
        ranks = rows - run.bounds[topic] + 1
        wanted = chosen[owner] * width + names[run.document[rows]]
        places = np.searchsorted(keys, wanted, side="right") - 1  # of a document that is there twice the last counts
        hits = (owner >= 0) & (keys[places] == wanted)
        if limit is not None:
            hits &= ranks <= limit
        found.append((owner[hits], ranks[hits], order[places[hits]]))
    owner, ranks, rows = (np.concatenate(column) for column in zip(*found, strict=True))
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
    found: FloatArray = gains / np.log2(places + 1)
    return found
