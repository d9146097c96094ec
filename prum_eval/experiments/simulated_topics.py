"""Topics of a simulation: initial lists of results, elements of document trees, and random numbers.

Conventions. A list is a sequence of ranks, best first; results that are elements of the structure are rows of its
forest. Lists come from targets (`rank_targets`) or from a run (`lists_from_run`); `run_from_lists` makes runs of
changed lists. Random numbers of a topic are the same on every machine, in every process and for every value of --vary.
"""

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
from prum_eval.relevance.facets import make_facet_set
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.tabular import join_names, plural
from prum_eval.text.names import strip_document_suffix

# Lists of targets


_MOST_SPECIFIC: Mapping[AssessmentKind, float] = {
    AssessmentKind.ELEMENTS_2002: 3.0,  # exact coverage
    AssessmentKind.ELEMENTS_2003: 3.0,
    AssessmentKind.ELEMENTS_2005: 1.0,
    AssessmentKind.ELEMENTS_GRADED: 1.0,
}


def result_kind(kind: AssessmentKind, targets: TargetKind) -> RunKind:
    """Kind of results that are targets."""
    if targets in (TargetKind.BEP, TargetKind.PASSAGES):
        return RunKind.EXTENTS
    return RunKind.FLAT if kind is AssessmentKind.FLAT else RunKind.ELEMENTS


def exhaustivity_of_most_specific(kind: AssessmentKind) -> Quantisation:
    """A quantisation: exhaustivity at the highest specificity, else 0.

    Raises:
        UsageError: documents or passages are assessed.
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
    """Targets by decreasing weight, ties in the order of the assessments, or with `shared` in one rank."""
    results = list(_target_results(targets, kind))
    order = np.argsort(-targets.weight, kind="stable").tolist()
    if shared:
        weight = targets.weight.tolist()
        return [[results[row] for row in rows] for _, rows in groupby(order, key=weight.__getitem__)]
    return one_per_rank(results[row] for row in order)


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


# Document trees


class Elements:
    """Elements of all documents of a structure, each given by its row in the columns of the forest.

    Steps lead only to elements that a system may return; steps down and aside only to those of positive length.
    """

    def __init__(self, forest: Forest) -> None:
        columns = forest.columns
        first = np.repeat(columns.bounds[:-1], group_sizes(columns.bounds))
        self.forest = forest
        possible = columns.length > 0  # steps down and aside, and noise
        if columns.retrievable is not None:
            possible &= columns.retrievable
        # a memoryview returns single integers much faster than an array
        self._up = np.where(columns.parent < 0, -1, columns.parent + first).data
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
        """Whether an element has a positive length and may be returned."""
        return bool(self._possible[row])

    def parent(self, row: int) -> int:
        """The nearest retrievable ancestor; -1 without one."""
        up: int = self._up[row]
        while up >= 0 and self._retrievable is not None and not self._retrievable[up]:
            up = self._up[up]
        return up

    def ancestors(self, row: int) -> list[int]:
        """All retrievable ancestors, nearest first."""
        ancestors = []
        while (row := self.parent(row)) >= 0:
            ancestors.append(row)
        return ancestors

    def children(self, row: int) -> list[int]:
        """Children of positive length, in document order."""
        children = self._below.get(row)
        if children is None:
            children, child, end = [], row + 1, self._end[row]
            while child < end:
                if self._possible[child]:
                    children.append(child)
                child = self._end[child]
            self._below[row] = children
        return children

    def nonempty_siblings(self, row: int) -> list[int]:
        """An element and its siblings of positive length, in document order."""
        up = self._up[row]
        rows = self.children(up) if up >= 0 else []
        return rows if row in rows else sorted([*rows, row])

    def document(self, row: int) -> str:
        """Name of the document of an element."""
        columns = self.forest.columns
        return columns.names[int(np.searchsorted(columns.bounds, row, side="right")) - 1]

    def number(self, name: str) -> int:
        """Number of a document, by name or file name; -1 if it is unknown."""
        number_by_name = self.forest.number(name)
        return self.forest.number(strip_document_suffix(name)) if number_by_name < 0 else number_by_name

    def documents(self, rows: IntArray) -> list[str]:
        """Names of the documents of elements."""
        number = np.searchsorted(self.forest.columns.bounds, rows, side="right") - 1
        return [*map(self.forest.columns.names.__getitem__, number.tolist())]

    def paths(self, rows: IntArray) -> list[str]:
        """Paths of elements."""
        return [*map(self.forest.columns.paths.__getitem__, self.forest.columns.path[rows].tolist())]


# Conversion between runs and lists


def lists_from_run(run: Run, elements: Elements | None) -> dict[str, Ranks]:
    """Lists of a run by topic; consecutive results with one score share a rank."""
    score = run.score
    results = list(_run_results(run, elements))
    same_score = np.concatenate([[False], score[1:] == score[:-1]]).tolist()  # NaN equals no score
    lists: dict[str, Ranks] = {}
    for number, topic in enumerate(run.topics):
        ranks = lists[topic] = []
        begin, end = run.bounds[number : number + 2].tolist()
        for row in range(begin, end):
            if row > begin and same_score[row]:
                ranks[-1].append(results[row])
            else:
                ranks.append([results[row]])
    return lists


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
    """Rows of the elements of a run in the forest; -1 for unknown elements and ranges."""
    forest = elements.forest
    number = np.array([*map(elements.number, run.documents)], dtype=np.int64)[run.document]
    single = np.flatnonzero((run.first_path >= 0) & (run.first_path == run.last_path) & (number >= 0))
    rows = np.full(len(run.line), -1, dtype=np.int64)
    rows[single] = forest.rows(number[single], forest.codes(run.paths)[run.first_path[single]])
    for row in single[rows[single] < 0].tolist():  # not an exact path
        element = forest.tree(int(number[row])).find(run.paths[run.first_path[row]])
        if element >= 0:
            rows[row] = forest.columns.bounds[number[row]] + element
    return rows


def run_from_lists(name: str, kind: RunKind, lists: Iterable[tuple[str, Ranks]], elements: Elements | None) -> Run:
    """A run of lists by topic; scores decrease by 1 per rank. Topics without results are left out."""
    topics: list[str] = []
    sizes: list[int] = []
    results: list[ListedResult] = []
    score: list[float] = []
    for topic, ranks in lists:
        if ranks:
            before = len(results)
            for number, rank in enumerate(ranks):
                results += rank
                score += [float(len(ranks) - number)] * len(rank)
            topics.append(topic)
            sizes.append(len(results) - before)
    documents: dict[str, int] = {}
    paths: dict[str, int] = {"": -1}
    rows = []
    for place in _named_results(results, elements):
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
        length=columns[4], exists=columns[6] > 0, score=np.array(score), line=np.zeros(len(results), dtype=np.int64),
        tied=0, tokens=columns[5] if columns[5].any() else None,
    )  # fmt: skip


def _named_results(results: Sequence[ListedResult], elements: Elements | None) -> Iterator[NamedResult | MissingResult]:
    """Results with the names of their documents and elements."""
    if elements is None:
        yield from (item for item in results if not isinstance(item, int))
        return
    rows = np.array([item for item in results if isinstance(item, int)], dtype=np.int64)
    names = zip(elements.documents(rows), elements.paths(rows), strict=True)
    for item in results:
        if isinstance(item, int):
            document, path = next(names)
            yield NamedResult(document, path, path)
        else:
            yield item


# Topics


@dataclass(frozen=True)
class ListSource:
    """Source of the initial lists: a run, or targets of a kind under a quantisation.

    `perfect_quantisation`: list the targets of this quantisation instead, ties in shared ranks. `kind`: of the results.
    """

    kind: RunKind
    targets: TargetKind
    quantisation: Quantisation
    perfect_quantisation: Quantisation | None = None
    run: Run | None = None


def make_listed_topics(
    inputs: Inputs, source: ListSource, elements: Elements | None, lengths: Mapping[str, int]
) -> tuple[tuple[ListedTopic, ...], list[str]]:
    """Topics with targets and results, and notes on omitted topics and unknown results."""
    run_lists = None if source.run is None else lists_from_run(source.run, elements)
    topics, without_targets, without_results = [], [], []
    for name, topic in inputs.assessments.topics.items():
        if run_lists is not None and name not in run_lists:
            continue
        targets = _topic_targets(inputs, topic, source.targets, source.quantisation)
        if run_lists is not None:
            ranks = run_lists[name]
        elif source.perfect_quantisation is None:
            ranks = _ideal_list(inputs, topic, targets, source)
        else:
            specific = _topic_targets(inputs, topic, TargetKind.RELEVANT, source.perfect_quantisation)
            ranks = rank_targets(specific, source.kind, shared=True)
        if not len(targets):
            without_targets.append(name)
        elif not ranks:
            without_results.append(name)
        else:
            documents = frozenset(targets.documents)
            topics.append(ListedTopic(name, source.kind, ranks, documents, lengths, elements))
    unassessed = [name for name in run_lists or () if name not in inputs.assessments.topics]
    notes = [
        *_omission_notes(without_targets, "has no targets", "have no targets"),
        *_omission_notes(without_results, "has no result to begin with", "have no results to begin with"),
        *_omission_notes(unassessed, "has no assessments", "have no assessments"),
    ]
    if run_lists is not None and elements is not None and source.kind is RunKind.ELEMENTS:
        unknown = sum(
            isinstance(item, NamedResult) for listed_topic in topics for item in iterate_results(listed_topic.ranks)
        )
        if unknown:
            are = "is no element" if unknown == 1 else "are no elements"
            notes.append(f"{plural(unknown, 'result')} {are} of the structure; changes in its trees pass over them")
    return tuple(topics), notes


def _ideal_list(inputs: Inputs, topic: Topic, targets: TargetSet, source: ListSource) -> Ranks:
    """The ideal list of a topic: of its facets if it declares some, else its targets by decreasing weight."""
    facets = None
    if source.targets is not TargetKind.BEP:
        facets = make_facet_set(topic, targets, source.quantisation, inputs.largest_grade)
    if facets is None:
        return rank_targets(targets, source.kind)
    results = list(_target_results(facets.targets, source.kind))
    order, _ = facets.ideal_list()
    return one_per_rank(results[row] for row in order.tolist())


def _topic_targets(inputs: Inputs, topic: Topic, kind: TargetKind, quantisation: Quantisation) -> TargetSet:
    return make_targets(topic, kind, quantisation, inputs.trees, largest_grade=inputs.largest_grade)


def _omission_notes(names: list[str], singular: str, plural_text: str) -> Iterator[str]:
    if names:
        text = f"{singular} and is" if len(names) == 1 else f"{plural_text} and are"
        yield f"{plural(len(names), 'topic')} {text} left out: {join_names(names)}"


# Random numbers


_T = TypeVar("_T")
_DIGITS = 1 << 53
"""`random.Random.random` returns multiples of 1 / this."""


class RandomStream:
    """Random numbers from `random.Random.random`, which is the same in all versions of Python."""

    def __init__(self, seed: str) -> None:
        self.uniform = random.Random(seed).random  # noqa: S311 -- reproducible on purpose, no secrets
        """The next number in [0, 1)."""

    def coin(self) -> bool:
        """True with probability 1/2."""
        return self.uniform() < 0.5

    def integer_below(self, count: int) -> int:
        """One of 0, 1, ..., count - 1."""
        return int(self.uniform() * count)

    def random_bits(self) -> int:
        """A whole number of 106 random bits; `divmod` takes the choices of a path from it.

        Two numbers are drawn whatever the length of the path.
        """
        high = int(self.uniform() * _DIGITS)
        return high * _DIGITS + int(self.uniform() * _DIGITS)

    def shuffle(self, items: MutableSequence[_T]) -> None:
        """Shuffle a list in place, uniformly."""
        for last in range(len(items) - 1, 0, -1):
            other = self.integer_below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, count: int, size: int) -> list[int]:
        """`size` distinct numbers of 0, 1, ..., count - 1, in random order."""
        swapped: dict[int, int] = {}  # the first steps of a shuffle, without a list of all
        numbers = []
        for place in range(size):
            other = place + self.integer_below(count - place)
            numbers.append(swapped.get(other, other))
            swapped[other] = swapped.get(place, place)
        return numbers


def make_streams(seed: int, topic: str, copy: int, changes: int) -> list[RandomStream]:
    """One stream per change of a topic, by seed, topic, copy and index of the change.

    Changes have separate streams, so that the draws of one, which may depend on its parameters, do not affect the
    others.
    """
    return [RandomStream(f"{seed} {copy} {number} {topic}") for number in range(changes)]
