"""Locate the results of a run: from names, paths and offsets to places in the documents of a topic.

Documents of a topic are numbered, those with targets first. `ListLocator` gives located lists without any measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from prum_eval.arrays import (
    EMPTY_INTS,
    BoolArray,
    IntArray,
    NarrowArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
)
from prum_eval.collection.locations import NOWHERE, Locations
from prum_eval.collection.trees import DocumentTree, Forest, RunPlaces, node_name, row_extents
from prum_eval.errors import InputError
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.evaluation.notices import NOT_IN_STRUCTURE, NOT_RETRIEVABLE, UNLISTED
from prum_eval.evaluation.settings import target_kind
from prum_eval.measures.topic_data import Ranking, ranked_topic
from prum_eval.records import Run, RunKind
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.quantisations import find_quantisation as quantisation_of
from prum_eval.relevance.targets import TargetKind, TargetSet, default_targets, make_targets
from prum_eval.text.names import FILE_ENDINGS, find_document, match_documents, strip_document_suffix
from prum_eval.user_models.model import RankedTopic
from prum_eval.user_models.registry import ModelChoice, build_model


def result_nodes(
    run: Run, rows: slice, locations: Locations, targets: TargetSet, linked: AbstractSet[str] | None
) -> list[str]:
    """Names of some results in navigation files; empty for a result that is nowhere.

    Args:
        run: the run.
        rows: its results on a topic.
        locations: their locations.
        targets: those of the topic.
        linked: names of all documents, if there are links between them.
    """
    names = []
    columns = (locations.document, locations.element, run.document[rows], run.first_path[rows])
    for number, element, code, first in zip(*(column.tolist() for column in columns), strict=True):
        if number < 0:
            names.append("")
            continue
        inside = number < len(targets.documents)
        document = targets.documents[number] if inside else _linked_name(run.documents[code], linked)
        tree = targets.trees[number] if inside else None
        if tree is not None and element >= 0:
            names.append(node_name(document, tree.paths[element]))
        elif run.kind is RunKind.EXTENTS:
            names.append("")
        else:
            names.append(document if first < 0 else node_name(document, run.paths[first]))
    return names


def _linked_name(name: str, linked: AbstractSet[str] | None) -> str:
    """The name of a document in links; the run may name its file."""
    document = strip_document_suffix(name)
    return name if linked is None or document == name or name in linked else document


def find_contained_nodes(
    run: Run, rows: slice, locations: Locations, target_documents: int, trees: Forest | None
) -> dict[int, list[str]]:
    """The elements within passages and ranges in documents without targets, by rank from 0.

    Args:
        run: the run.
        rows: its results on a topic.
        locations: their locations.
        target_documents: number of documents with targets, which come first.
        trees: trees of all documents; without them the result is empty.
    """
    contained = dict[int, list[str]]()
    if trees is None:
        return contained
    for rank in np.flatnonzero(locations.document >= target_documents).tolist():
        row = rows.start + rank
        first, last = int(run.first_path[row]), int(run.last_path[row])
        if run.kind is not RunKind.EXTENTS and first == last:
            continue
        tree = find_document(trees, run.documents[int(run.document[row])])
        if tree is None:
            continue
        ends = None if first < 0 else (tree.find(run.paths[first]), tree.find(run.paths[last]))
        extent = (int(run.start[row]), int(run.length[row])) if ends is None else tree.extent(*ends)
        contained[rank] = tree.nodes_within(*extent) if extent is not None and (not ends or min(ends) >= 0) else []
    return contained


IN_TARGET_DOCUMENTS = "in documents that hold a target"

_ResolvedLocation = tuple[int, int, int, int, bool, bool]  # element, end, start, length, located, exists
_UNKNOWN: _ResolvedLocation = (NOWHERE, NOWHERE, NOWHERE, NOWHERE, False, True)
_MISSING: _ResolvedLocation = (NOWHERE, NOWHERE, NOWHERE, NOWHERE, False, False)
_NOT_RETRIEVABLE: _ResolvedLocation = (*_MISSING[:4], False, False)


class Targets:
    """The targets of topics, for looking up their documents.

    `sizes`: number of documents with targets of each topic; `first`: bounds of these in `numbers`, which has their
    numbers in the forest. `have_trees`: whether a topic's document is in the forest; `have_lengths`: whether the
    assessments have the length of any.
    """

    def __init__(self, sets: Sequence[TargetSet]) -> None:
        self.sets = sets
        self.forest = sets[0].forest if sets else None
        self.share_forest = all(one.forest is self.forest for one in sets)
        self.sizes = np.array([len(one.documents) for one in sets], dtype=np.int64)
        self.first = group_bounds(self.sizes)
        self.numbers = np.concatenate([EMPTY_INTS, *(one.numbers for one in sets)])
        self.have_trees = np.array([(one.numbers >= 0).any() for one in sets], dtype=np.bool_)
        self.have_lengths = any(max(one.lengths, default=NOWHERE) >= 0 for one in sets)


@dataclass(eq=False, repr=False)
class Resolver:
    """Locates the results of one run, some topics at a time, and keeps what it looked up.

    Only results in documents with targets are looked up; with `trees`, those of all documents.
    `documents_with_targets`: names of all documents that may hold a target. `lengths`: of documents, if every document
    of a flat run needs one. `nested_trees`: trees of all documents, if a user model navigates from the elements within
    passages. `linked_documents`: names of all documents, if there are links between them. `allow_repeats`: an element
    may come twice, in two spellings. `run_places`: the run in the structure of the targets' trees; all settings share
    it. `known_lengths`: makes the characters of documents whose length is known. `counts`: of the last results, those
    with a kind of notice, and those in documents with targets.
    """

    run: Run
    documents_with_targets: AbstractSet[str]
    trees: Forest | None = None
    nested_trees: Forest | None = None
    linked_documents: AbstractSet[str] | None = None
    lengths: Mapping[str, int] | None = None
    allow_repeats: bool = False
    run_places: RunPlaces | None = field(default=None, repr=False)
    known_lengths: Callable[[], Mapping[str, int]] = dict
    counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def _code(self) -> Mapping[str, int]:
        return match_documents(self.run.documents, self.documents_with_targets)

    @cached_property
    def _files(self) -> bool:
        """Whether the run names files of documents."""
        return any(name.endswith(FILE_ENDINGS) for name in self._code)

    @cached_property
    def _number(self) -> IntArray:
        """Numbers of the documents of one topic at a time, by code; empty between topics."""
        return np.full(len(self.run.documents), NOWHERE, dtype=np.int64)

    @cached_property
    def _document_lengths(self) -> IntArray:
        """Characters of the documents of the run, by code; -1 if unknown."""
        known = self.known_lengths()
        lengths = (find_document(known, name) for name in self.run.documents)
        return np.array([NOWHERE if length is None else length for length in lengths], dtype=np.int64)

    @cached_property
    def _place(self) -> IntArray:
        """The same by their number in the structure; the last entry is for documents outside it."""
        return np.full(
            1 if self.run_places is None else len(self.run_places.forest.columns.names) + 1, NOWHERE, dtype=np.int64
        )

    def make_rankings(self, parts: Sequence[tuple[slice, TargetSet]]) -> list[Ranking]:
        """The rankings of topics: some rows of the run, and the targets, of each."""
        targets = Targets([target_set for _, target_set in parts])
        if not targets.share_forest:
            rankings, counts = [], Counter[str]()
            for part in parts:
                rankings += self.make_rankings([part])
                counts += self.counts
            self.counts = counts
            return rankings
        bounds = group_bounds([rows.stop - rows.start for rows, _ in parts])
        locations, exists = self._locate(parts, bounds, targets)
        return [
            self._ranking(rows, target_set, locations.take(slice(low, high)), exists[low:high])
            for (rows, target_set), (low, high) in zip(parts, pairwise(bounds.tolist()), strict=True)
        ]

    def _locate(
        self, parts: Sequence[tuple[slice, TargetSet]], bounds: IntArray, targets: Targets
    ) -> tuple[Locations, BoolArray]:
        """Locations of results of topics, and which exist; `bounds`: bounds of those of each topic."""
        run, owner = self.run, group_numbers(bounds)
        rows = concatenated_ranges(np.array([rows.start for rows, _ in parts], dtype=np.int64), np.diff(bounds))
        number = np.concatenate([EMPTY_INTS, *(self._numbers(run.document[part], one) for part, one in parts)])
        exists = run.exists[rows]
        number[~exists] = NOWHERE
        in_target_documents = (number >= 0) & (number < targets.sizes[owner])
        self.counts = Counter({IN_TARGET_DOCUMENTS: int(np.count_nonzero(in_target_documents))})
        element, end, start, size = np.full((4, len(rows)), NOWHERE, dtype=np.int64)
        located = np.zeros(len(rows), dtype=np.bool_)
        if run.kind is RunKind.EXTENTS:
            start, size = run.start[rows].astype(np.int64), run.length[rows].astype(np.int64)
            located = exists.copy()
        mask = number >= 0 if self.trees is not None or self.lengths else in_target_documents
        if run.kind is RunKind.EXTENTS and self.trees is None:
            mask &= targets.have_trees[owner]  # else offsets are all that is known
        hits = np.flatnonzero(mask)
        if len(hits):
            columns = self._look_up(rows[hits], number[hits], owner[hits], targets)
            element[hits], end[hits], start[hits], size[hits], located[hits], exists[hits] = columns
            self._refuse_repeated(rows[hits], owner[hits], number[hits], element[hits])
        number[~exists] = NOWHERE
        return Locations(number, element, end, start, size, located), exists

    def _ranking(self, rows: slice, targets: TargetSet, locations: Locations, exists: BoolArray) -> Ranking:
        run = self.run
        return Ranking(
            locations,
            exists,
            self.run.score[rows],
            lambda: result_nodes(run, rows, locations, targets, self.linked_documents),
            run.path,
            run.line[rows].astype(np.int64),
            lambda: [run.documents[code] for code in run.document[rows].tolist()],
            lambda: find_contained_nodes(run, rows, locations, len(targets.documents), self.nested_trees),
            run.tokens[rows] if run.tokens is not None else None,
            lambda: self._document_lengths[run.document[rows]],
        )

    def _refuse_repeated(self, rows: IntArray, owner: IntArray, number: IntArray, element: IntArray) -> None:
        """Refuse an element that two spellings name: `a` and `a.xml`, `/ARTICLE[1]` and `/article[1]`."""
        if self.allow_repeats or self.run.kind is RunKind.EXTENTS:
            return  # elements of equal extent exist, so equal offsets are no repetition
        document = owner * (int(number.max(initial=0)) + 1) + number
        keys = np.sort((document * (int(element.max(initial=0)) + 1) + element)[element >= 0])
        if (keys[1:] != keys[:-1]).all():
            return
        first: dict[tuple[int, int], int] = {}
        for row, key in zip(rows.tolist(), zip(document.tolist(), element.tolist(), strict=True), strict=True):
            if key[1] >= 0 and first.setdefault(key, row) != row:
                name = self.run.documents[int(self.run.document[row])]
                other = int(self.run.line[first[key]])
                reason = f"duplicate result: this element of document {name} is also named on line {other}"
                raise InputError(self.run.path, int(self.run.line[row]), reason)

    def _tree(self, number: int, row: int, targets: TargetSet) -> DocumentTree | None:
        """The tree of a numbered document: of one with targets, or of another, looked up by name."""
        if number < len(targets.documents):
            return targets.trees[number]
        name = self.run.documents[int(self.run.document[row])]
        return None if self.trees is None else find_document(self.trees, name)

    def _numbers(self, codes: NarrowArray, targets: TargetSet) -> IntArray:
        """Numbers, within the topic, of some documents of the run: those with targets first."""
        documents, places = targets.documents, self.run_places
        if (
            places is not None
            and targets.forest is places.forest
            and targets.numbers.min(initial=0) >= 0
            and not places.names_files
        ):
            self._place[targets.numbers] = np.arange(len(documents))
            result = self._place[places.numbers[codes]]
            self._place[targets.numbers] = NOWHERE
            return np.where(result == NOWHERE, codes + len(documents), result)
        code_of = self._code.get
        numbers = {code: number for number, name in enumerate(documents) if (code := code_of(name)) is not None}
        if self._files:
            known = set(documents)
            for number, name in enumerate(documents):
                for ending in FILE_ENDINGS:
                    file = name + ending
                    code = code_of(file)
                    if code is not None and file not in known:
                        numbers[code] = number
        target_codes = list(numbers)
        self._number[target_codes] = list(numbers.values())
        result = self._number[codes]
        self._number[target_codes] = NOWHERE  # as before, without a new column of all documents per topic
        return np.where(result == NOWHERE, codes + len(documents), result)

    def _look_up(
        self, rows: IntArray, numbers: IntArray, owner: IntArray, targets: Targets
    ) -> Iterable[Sequence[int] | IntArray | int]:
        """The columns of `_ResolvedLocation` for some rows of the run; a number if all rows have the same."""
        run, forest = self.run, self.trees if targets.forest is None else targets.forest
        if run.kind is RunKind.FLAT and forest is None and not self.lengths and not targets.have_lengths:
            return _whole_document(None, NOWHERE)
        if run.kind is RunKind.EXTENTS:
            columns = (column.tolist() for column in (rows, numbers, owner, run.start[rows], run.length[rows]))
            return zip(
                *(
                    _extent(self._tree(number, row, targets.sets[topic]), start, length)
                    for row, number, topic, start, length in zip(*columns, strict=True)
                ),
                strict=True,
            )
        found, parts = self._exact_matches(rows, numbers, owner, targets)
        plain = found >= 0
        complete = forest is not None and forest.complete
        located = [*parts, (plain & complete).astype(np.int64), plain.astype(np.int64)]
        if forest is not None and forest.columns.retrievable is not None:
            out = np.flatnonzero(plain)[~forest.columns.retrievable[found[plain]]]
            self.counts[NOT_RETRIEVABLE] += len(out)
            for column, value in zip(located, _MISSING, strict=True):
                column[out] = value
        for place in np.flatnonzero(~plain).tolist():
            looked_up = self._element(int(numbers[place]), int(rows[place]), targets.sets[owner[place]])
            self.counts[NOT_IN_STRUCTURE] += looked_up is _MISSING
            self.counts[NOT_RETRIEVABLE] += looked_up is _NOT_RETRIEVABLE
            self.counts[UNLISTED] += looked_up is _UNKNOWN
            for column, value in zip(located, looked_up, strict=True):
                column[place] = value
        return located

    def _exact_matches(
        self, rows: IntArray, numbers: IntArray, owner: IntArray, targets: Targets
    ) -> tuple[IntArray, tuple[IntArray, IntArray, IntArray, IntArray]]:
        """Rows in the forest of elements with exactly these paths, -1 for others, and their extents."""
        forest = self.trees if targets.forest is None else targets.forest
        run, named = self.run, self.run_places
        found = np.full(len(rows), NOWHERE, dtype=np.int64)
        if forest is None:
            return found, (found.copy(), found.copy(), found.copy(), found.copy())
        shared = named is not None and named.forest is forest  # else it is of one topic's assessments
        if named is not None and shared and not named.names_files:
            element, end, start, length = (column[rows] for column in named.extents)
            return named.rows[rows], (element, end, start, length)
        held = numbers < targets.sizes[owner]
        documents = found.copy()
        documents[held] = targets.numbers[targets.first[owner[held]] + numbers[held]]
        first = run.first_path[rows]
        one = (first >= 0) & (first == run.last_path[rows])
        if named is not None and shared:
            documents[~held] = named.numbers[run.document[rows[~held]]]
            codes = named.codes[first[one]]
        else:
            codes = forest.codes([run.paths[code] for code in first[one].tolist()])
        found[one] = forest.rows(documents[one], codes)
        return found, row_extents(forest, documents, found)

    def _element(self, number: int, row: int, targets: TargetSet) -> _ResolvedLocation:
        first, last = int(self.run.first_path[row]), int(self.run.last_path[row])
        tree = self._tree(number, row, targets)
        if first < 0:
            return _whole_document(tree, self._length(number, row, targets))
        if tree is None:
            return _MISSING
        ends = [tree.find(self.run.paths[code]) for code in (first, last)]
        if min(ends) < 0:
            return _MISSING if tree.complete else _UNKNOWN
        if ends[0] == ends[1]:  # of one element in two spellings too
            return _tree_element(tree, ends[0])
        if not tree.complete:
            return _UNKNOWN
        extent = tree.extent(*ends)
        if extent is None:
            between = f"{self.run.paths[first]} to {self.run.paths[last]}"
            raise InputError(self.run.path, int(self.run.line[row]), f"the range {between} ends before it begins")
        return (NOWHERE, NOWHERE, *extent, True, True)

    def _length(self, number: int, row: int, targets: TargetSet) -> int:
        """Characters of a numbered document from the assessments; -1 if unknown."""
        if number < len(targets.documents) and targets.lengths[number] >= 0:
            return targets.lengths[number]
        found = find_document(self.lengths, self.run.documents[int(self.run.document[row])]) if self.lengths else None
        return NOWHERE if found is None else found


def _tree_element(tree: DocumentTree, element: int) -> _ResolvedLocation:
    if tree.retrievable is not None and not tree.retrievable[element]:
        return _NOT_RETRIEVABLE
    return element, int(tree.end[element]), int(tree.start[element]), int(tree.length[element]), tree.complete, True


def _whole_document(tree: DocumentTree | None, length: int) -> _ResolvedLocation:
    """A whole document: its root element, or all of its text if only its length is known."""
    if tree is not None:
        return _tree_element(tree, 0) if tree.paths[0].count("/") == 1 else _UNKNOWN
    return (0, 1, NOWHERE, NOWHERE, False, True) if length < 0 else (NOWHERE, NOWHERE, 0, length, True, True)


def _extent(tree: DocumentTree | None, start: int, length: int) -> _ResolvedLocation:
    """A passage, and the element with exactly its extent, if any."""
    element = tree.find_extent(start, length) if tree is not None and tree.complete else NOWHERE
    end = int(tree.end[element]) if tree is not None and element >= 0 else NOWHERE
    return (element, end, start, length, True, True)


# Located lists without measures


@dataclass(eq=False, repr=False)
class LocatedList:
    """The results of a topic with its targets; `first_row`: their first row in the run."""

    topic: str
    targets: TargetSet
    ranking: Ranking
    ranked_topic: RankedTopic
    first_row: int


@dataclass(eq=False, repr=False)
class ListLocator:
    """Locates lists of results: inputs, kind of targets and quantisation."""

    inputs: Inputs
    kind: TargetKind
    scale: Quantisation

    def targets(self, topic: str) -> TargetSet:
        """The targets of a topic.

        Raises:
            InputError: one cannot be placed.
        """
        assessed = self.inputs.assessments.topics[topic]
        return make_targets(assessed, self.kind, self.scale, self.inputs.trees, largest_grade=self.inputs.largest_grade)

    def lists(self, run: Run, *, graph: bool, repeats: bool = False) -> Iterator[LocatedList]:
        """The lists of the assessed topics of a run.

        Args:
            run: its results; those in documents without targets are looked up too.
            graph: a navigation graph leads from the elements within passages.
            repeats: an element may come twice, in two spellings.
        """
        inputs = self.inputs
        linked = inputs.structure.names if graph and inputs.structure and inputs.navigation is None else None
        inside = inputs.trees if graph else None
        named = None if inputs.trees is None else RunPlaces(inputs.trees, run)
        resolver = Resolver(
            run,
            inputs.documents_with_targets,
            inputs.trees,
            inside,
            linked,
            inputs.lengths,
            allow_repeats=repeats,
            run_places=named,
        )
        for number, topic in enumerate(run.topics):
            if topic not in inputs.assessments.topics:
                continue
            low, high = run.bounds[number : number + 2].tolist()
            targets = self.targets(topic)
            (ranking,) = resolver.make_rankings([(slice(low, high), targets)])
            ranked = ranked_topic(topic, targets, ranking.locations, ranking.nodes, ranking.contained_nodes)
            yield LocatedList(topic, targets, ranking, ranked, low)


def make_list_locator(inputs: Inputs, targets: str | None, quantisation: str) -> ListLocator:
    """A `ListLocator` for targets and a quantisation by name.

    Raises:
        UsageError: an unknown name, or one that such assessments do not have.
    """
    kind = inputs.assessments.kind
    target_set = default_targets(kind) if targets is None else target_kind(targets, kind)
    return ListLocator(inputs, target_set, quantisation_of(quantisation, kind))


def check_buildable_model(choice: ModelChoice, inputs: Inputs) -> None:
    """Refuse a user model that needs more than these inputs.

    Raises:
        DataError: it needs to know more of the documents, or a navigation graph.
    """
    check_model(choice, inputs)
    build_model(choice, inputs.context)
