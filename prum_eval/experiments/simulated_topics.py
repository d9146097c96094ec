"""The topics of a simulation: the list that all runs of a topic begin with, and what changes may look at."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TypeVar

import numpy as np

from prum_eval.arrays import IntArray, group_bounds, group_sizes
from prum_eval.collection.trees import Forest
from prum_eval.errors import UsageError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.experiments.changes import (
    ListedResult,
    ListedTopic,
    MissingResult,
    NamedResult,
    Ranks,
    iterate_results,
    one_per_rank,
)
from prum_eval.records import AssessmentKind, Run, RunKind, Topic
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.tabular import join_names, plural
from prum_eval.text.names import strip_document_suffix

# Targets as lists of results: by weight, or by exhaustivity among the most specific elements.


_MOST_SPECIFIC: Mapping[AssessmentKind, float] = {
    AssessmentKind.ELEMENTS_2002: 3.0,  # exact coverage
    AssessmentKind.ELEMENTS_2003: 3.0,
    AssessmentKind.ELEMENTS_2005: 1.0,
}


def result_kind(kind: AssessmentKind, targets: TargetKind) -> RunKind:
    """What results are that are targets."""
    if targets in (TargetKind.BEP, TargetKind.PASSAGES):
        return RunKind.EXTENTS
    return RunKind.FLAT if kind is AssessmentKind.FLAT else RunKind.ELEMENTS


def exhaustivity_of_most_specific(kind: AssessmentKind) -> Quantisation:
    """Exhaustivity, as a quantisation, where specificity is the highest that can be given, else 0.

    Raises:
        UsageError: what is assessed are documents or passages.
    """
    if kind not in _MOST_SPECIFIC:
        raise UsageError(f"a perfect run needs elements assessed in two dimensions, these are assessments of {kind}")
    highest = _MOST_SPECIFIC[kind]
    return Quantisation(
        "perfect",
        "exhaustivity of the most specific elements",
        "Goevert, Fuhr, Lalmas, Kazai 2006, section 4.1",
        lambda first, second: np.where((second == highest) & (first > 0), first, 0.0),
    )


def rank_targets(targets: TargetSet, kind: RunKind, *, shared: bool = False) -> Ranks:
    """Targets by decreasing weight, equal ones in the order of the assessments, with `shared` in one rank."""
    listed = list(_target_results(targets, kind))
    order = np.argsort(-targets.weight, kind="stable").tolist()
    if shared:
        weight = targets.weight.tolist()
        return [[listed[row] for row in rows] for _, rows in groupby(order, key=weight.__getitem__)]
    return one_per_rank(listed[row] for row in order)


def _target_results(targets: TargetSet, kind: RunKind) -> Iterator[ListedResult]:
    places, forest = targets.locations, targets.forest
    names = [targets.documents[number] for number in places.document.tolist()]
    if kind is RunKind.FLAT:
        yield from map(NamedResult, names)
    elif kind is RunKind.EXTENTS:
        extents = zip(names, places.start.tolist(), places.length.tolist(), strict=True)
        yield from (NamedResult(name, start=start, length=length) for name, start, length in extents)
    elif forest is not None and forest.complete:
        yield from (forest.columns.bounds[targets.numbers[places.document]] + places.element).tolist()
    else:
        trees = targets.trees
        for name, number, element in zip(names, places.document.tolist(), places.element.tolist(), strict=True):
            tree = trees[number]
            path = tree.paths[element] if tree is not None else ""
            yield NamedResult(name, path, path)


# Steps in document trees, on the rows of a forest: up, down and aside.


NONE = -1


class Elements:
    """The elements of all documents of a structure, each by its row in the columns of the forest.

    Only those that a system may return are stepped on, and down and aside only those of positive length.
    """

    def __init__(self, forest: Forest) -> None:
        columns = forest.columns
        first = np.repeat(columns.bounds[:-1], group_sizes(columns.bounds))
        self.forest = forest
        possible = columns.length > 0  # to step down to or aside, and to be noise
        if columns.retrievable is not None:
            possible &= columns.retrievable
        # A memoryview gives plain integers, one at a time, much faster than an array.
        self._up = np.where(columns.parent < 0, NONE, columns.parent + first).data
        self._end = (columns.end + first).data
        self._possible = possible.data
        self._retrievable = None if columns.retrievable is None else columns.retrievable.data
        self._below: dict[int, list[int]] = {}

    @cached_property
    def nonempty_rows(self) -> IntArray:
        """Rows of all elements of positive length."""
        return np.flatnonzero(self._possible)

    @cached_property
    def nonempty_roots(self) -> IntArray:
        """Rows of all documents of positive length."""
        return self.nonempty_rows[np.isin(self.nonempty_rows, self.forest.columns.bounds[:-1])]

    def is_nonempty(self, row: int) -> bool:
        """Whether an element has a positive length, and may be returned."""
        return bool(self._possible[row])

    def parent(self, row: int) -> int:
        """The nearest element around one; -1 for a root."""
        up: int = self._up[row]
        while up >= 0 and self._retrievable is not None and not self._retrievable[up]:
            up = self._up[up]
        return up

    def ancestors(self, row: int) -> list[int]:
        """All elements around one, the nearest first."""
        found = []
        while (row := self.parent(row)) >= 0:
            found.append(row)
        return found

    def children(self, row: int) -> list[int]:
        """The elements of positive length right below one, in document order."""
        found = self._below.get(row)
        if found is None:
            found, child, end = [], row + 1, self._end[row]
            while child < end:
                if self._possible[child]:
                    found.append(child)
                child = self._end[child]
            self._below[row] = found
        return found

    def nonempty_siblings(self, row: int) -> list[int]:
        """An element between its siblings of positive length, in document order."""
        up = self._up[row]
        listed = self.children(up) if up >= 0 else []
        return listed if row in listed else sorted([*listed, row])

    def document(self, row: int) -> str:
        """Name of the document of an element."""
        columns = self.forest.columns
        return columns.names[int(np.searchsorted(columns.bounds, row, side="right")) - 1]

    def number(self, name: str) -> int:
        """Number of a document, which may be named by its file; -1 where it is not there."""
        found = self.forest.number(name)
        return self.forest.number(strip_document_suffix(name)) if found < 0 else found

    def documents(self, rows: IntArray) -> list[str]:
        """Names of the documents of some elements."""
        number = np.searchsorted(self.forest.columns.bounds, rows, side="right") - 1
        return [*map(self.forest.columns.names.__getitem__, number.tolist())]

    def paths(self, rows: IntArray) -> list[str]:
        """Paths of some elements."""
        return [*map(self.forest.columns.paths.__getitem__, self.forest.columns.path[rows].tolist())]


# Runs as lists of ranks, and lists of ranks as runs.


def lists_from_run(run: Run, elements: Elements | None) -> dict[str, Ranks]:
    """The lists of a run by topic; results of one score that follow each other share a rank."""
    score = run.score.astype(np.float32).astype(np.float64) if run.kind is RunKind.FLAT else run.score
    listed = list(_run_results(run, elements))
    again = np.concatenate([[False], score[1:] == score[:-1]]).tolist()  # a missing score is equal to none
    found: dict[str, Ranks] = {}
    for number, topic in enumerate(run.topics):
        ranks = found[topic] = []
        begin, end = run.bounds[number : number + 2].tolist()
        for row in range(begin, end):
            if row > begin and again[row]:
                ranks[-1].append(listed[row])
            else:
                ranks.append([listed[row]])
    return found


def _run_results(run: Run, elements: Elements | None) -> Iterator[ListedResult]:
    rows = np.full(len(run.line), -1, dtype=np.int64)
    if elements is not None and run.kind is RunKind.ELEMENTS:
        rows = _forest_rows(run, elements)
    paths = [*run.paths, ""]  # code -1 is the last
    tokens = np.zeros(len(run.line), dtype=np.int64) if run.tokens is None else run.tokens
    columns = (rows, run.exists, run.document, run.first_path, run.last_path, run.start, run.length, tokens)
    for row, exists, document, first, last, start, length, count in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if not exists:
            yield MissingResult(run.documents[document])
        elif row >= 0:
            yield row
        else:
            yield NamedResult(run.documents[document], paths[first], paths[last], start, length, count)


def _forest_rows(run: Run, elements: Elements) -> IntArray:
    """Rows of the elements of a run in the forest; -1 where there is none, and for ranges."""
    forest = elements.forest
    number = np.array([*map(elements.number, run.documents)], dtype=np.int64)[run.document]
    one = np.flatnonzero((run.first_path >= 0) & (run.first_path == run.last_path) & (number >= 0))
    rows = np.full(len(run.line), -1, dtype=np.int64)
    rows[one] = forest.rows(number[one], forest.codes(run.paths)[run.first_path[one]])
    for row in one[rows[one] < 0].tolist():  # written in other letters
        element = forest.tree(int(number[row])).find(run.paths[run.first_path[row]])
        if element >= 0:
            rows[row] = forest.columns.bounds[number[row]] + element
    return rows


def run_from_lists(name: str, kind: RunKind, lists: Iterable[tuple[str, Ranks]], elements: Elements | None) -> Run:
    """A run with these lists by topic; scores fall by 1 from rank to rank. Topics without results are left out."""
    topics: list[str] = []
    sizes: list[int] = []
    listed: list[ListedResult] = []
    score: list[float] = []
    for topic, ranks in lists:
        if ranks:
            before = len(listed)
            for number, rank in enumerate(ranks):
                listed += rank
                score += [float(len(ranks) - number)] * len(rank)
            topics.append(topic)
            sizes.append(len(listed) - before)
    documents: dict[str, int] = {}
    paths: dict[str, int] = {"": -1}
    rows = []
    for place in _named_results(listed, elements):
        document = documents.setdefault(place.document, len(documents))
        if isinstance(place, MissingResult):
            rows.append((document, -1, -1, -1, -1, 0, False))
        else:
            first = paths.setdefault(place.first_path, len(paths) - 1)
            last = paths.setdefault(place.last_path, len(paths) - 1)
            rows.append((document, first, last, place.start, place.length, place.tokens, True))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 7).T
    return Run(
        path=name, run_id=name, kind=kind, topics=tuple(topics), bounds=group_bounds(sizes), documents=tuple(documents),
        document=columns[0], paths=tuple(paths)[1:], first_path=columns[1], last_path=columns[2], start=columns[3],
        length=columns[4], exists=columns[6] > 0, score=np.array(score), line=np.zeros(len(listed), dtype=np.int64),
        tied=0, tokens=columns[5] if columns[5].any() else None,
    )  # fmt: skip


def _named_results(listed: Sequence[ListedResult], elements: Elements | None) -> Iterator[NamedResult | MissingResult]:
    """The results with the names of their documents and elements."""
    if elements is None:
        yield from (item for item in listed if not isinstance(item, int))
        return
    rows = np.array([item for item in listed if isinstance(item, int)], dtype=np.int64)
    named = zip(elements.documents(rows), elements.paths(rows), strict=True)
    for item in listed:
        if isinstance(item, int):
            document, path = next(named)
            yield NamedResult(document, path, path)
        else:
            yield item


@dataclass(frozen=True)
class ListSource:
    """What lists begin with: those of a run, or targets of a kind under a quantisation.

    `perfect_quantisation`: the quantisation whose targets are listed, by rank, instead. `kind`: of the results.
    """

    kind: RunKind
    targets: TargetKind
    quantisation: Quantisation
    perfect_quantisation: Quantisation | None = None
    run: Run | None = None


def make_listed_topics(
    inputs: Inputs, begin: ListSource, elements: Elements | None, lengths: Mapping[str, int]
) -> tuple[tuple[ListedTopic, ...], list[str]]:
    """The topics that have targets and results, and what there is to say of others and of results out of reach."""
    own = None if begin.run is None else lists_from_run(begin.run, elements)
    found, aimless, empty = [], [], []
    for name, topic in inputs.assessments.topics.items():
        if own is not None and name not in own:
            continue
        targets = _topic_targets(inputs, topic, begin.targets, begin.quantisation)
        ranks = own[name] if own is not None else _starting_ranks(inputs, topic, begin, targets)
        if not len(targets):
            aimless.append(name)
        elif not ranks:
            empty.append(name)
        else:
            holding = frozenset(targets.documents)
            found.append(ListedTopic(name, begin.kind, ranks, holding, lengths, elements))
    unassessed = [name for name in own or () if name not in inputs.assessments.topics]
    notes = [
        *_omission_notes(aimless, "has no targets", "have no targets"),
        *_omission_notes(empty, "has no result to begin with", "have no results to begin with"),
        *_omission_notes(unassessed, "has no assessments", "have no assessments"),
    ]
    if own is not None and elements is not None and begin.kind is RunKind.ELEMENTS:
        stray = sum(isinstance(item, NamedResult) for one in found for item in iterate_results(one.ranks))
        if stray:
            are = "is no element" if stray == 1 else "are no elements"
            notes.append(f"{plural(stray, 'result')} {are} of the structure; changes in its trees pass over them")
    return tuple(found), notes


def _starting_ranks(inputs: Inputs, topic: Topic, begin: ListSource, targets: TargetSet) -> Ranks:
    if begin.perfect_quantisation is None:
        return rank_targets(targets, begin.kind)
    specific = _topic_targets(inputs, topic, TargetKind.RELEVANT, begin.perfect_quantisation)
    return rank_targets(specific, begin.kind, shared=True)


def _topic_targets(inputs: Inputs, topic: Topic, kind: TargetKind, scale: Quantisation) -> TargetSet:
    return make_targets(topic, kind, scale, inputs.trees, largest_grade=inputs.largest_grade)


def _omission_notes(names: list[str], one: str, many: str) -> Iterator[str]:
    if names:
        said = f"{one} and is" if len(names) == 1 else f"{many} and are"
        yield f"{plural(len(names), 'topic')} {said} left out: {join_names(names)}"


# Random numbers of one topic: the same on every machine, in every process and for every value of --vary.


_T = TypeVar("_T")
_DIGITS = 1 << 53
"""`random.Random.random` returns multiples of 1 / this."""


class RandomStream:
    """A stream of random numbers; all come from `random.Random.random`, which Python promises never to change."""

    def __init__(self, seed: str) -> None:
        self.uniform = random.Random(seed).random  # noqa: S311 -- reproducible on purpose, no secrets
        """The next number in [0, 1)."""

    def coin(self) -> bool:
        """A fair coin."""
        return self.uniform() < 0.5

    def integer_below(self, count: int) -> int:
        """One of 0, 1, ..., count - 1."""
        return int(self.uniform() * count)

    def random_bits(self) -> int:
        """A whole number of 106 random bits: the choices of a way, taken off by `divmod` one after the other.

        Drawn at once, they leave the stream where it is, however long the way becomes.
        """
        high = int(self.uniform() * _DIGITS)
        return high * _DIGITS + int(self.uniform() * _DIGITS)

    def shuffle(self, listed: MutableSequence[_T]) -> None:
        """Put a list into random order, each as likely as the others."""
        for last in range(len(listed) - 1, 0, -1):
            other = self.integer_below(last + 1)
            listed[last], listed[other] = listed[other], listed[last]

    def sample(self, count: int, wanted: int) -> list[int]:
        """`wanted` different ones of 0, 1, ..., count - 1, in random order."""
        moved: dict[int, int] = {}  # the first steps of a shuffle, without a list of all
        found = []
        for place in range(wanted):
            other = place + self.integer_below(count - place)
            found.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return found


def make_streams(seed: int, topic: str, copy: int, changes: int) -> list[RandomStream]:
    """A stream for each of the changes of a topic; they depend on seed, topic, copy and the place of the change alone.

    Each change has its own, so that what one draws, which may differ with its parameters, moves none of the others.
    """
    return [RandomStream(f"{seed} {copy} {number} {topic}") for number in range(changes)]
