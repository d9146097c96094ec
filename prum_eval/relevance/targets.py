"""What a topic's user should find, made from its assessments: elements, best entry points or passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, group_numbers, group_sizes, sorted_unique
from prum_eval.collection.locations import Locations, PointerError, pointer_extent, pointer_offset
from prum_eval.collection.trees import DocumentTree, Forest, NodeNames, NumberedTrees, forest_from_assessments
from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    ElementTopic,
    EntryPoint,
    FlatTopic,
    FlatTopics,
    Highlight,
    PassageTopic,
    Topic,
)
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.recall_base import NestingChoice, full_base, ideal_base


class TargetKind(StrEnum):
    """The kinds of targets."""

    IDEAL = "ideal"
    RELEVANT = "relevant"
    BEP = "bep"
    PASSAGES = "passages"


@dataclass(slots=True, eq=False, repr=False)
class TargetSet:
    """The targets of one topic, in the order of the assessments.

    `documents` says what the numbers in `locations` mean, `lengths` their lengths where assessments of passages tell
    them (else -1); `weight` is P(x in I) in (0, 1]; `nodes` are names for navigation files. `forest` has the trees of
    the documents, under `numbers` (-1 where nothing is known of the inside of a document).
    """

    documents: tuple[str, ...]
    lengths: tuple[int, ...]
    locations: Locations
    weight: FloatArray
    nodes: Sequence[str]
    numbers: IntArray
    forest: Forest | None = None

    @property
    def trees(self) -> Sequence[DocumentTree | None]:
        """Tree of each document, None where nothing is known of its inside."""
        return NumberedTrees(self.forest, self.numbers)

    def __len__(self) -> int:
        return len(self.weight)


def default_targets(kind: AssessmentKind) -> TargetKind:
    """`passages` for text assessments with offsets, `ideal` for all others."""
    return TargetKind.PASSAGES if kind is AssessmentKind.PASSAGES else TargetKind.IDEAL


def check_targets(kind: AssessmentKind, targets: TargetKind) -> None:
    """Refuse targets that such assessments do not have.

    Raises:
        UsageError: assessments of this kind say nothing of such targets.
    """
    inside = {TargetKind.BEP, TargetKind.PASSAGES}
    possible = {
        AssessmentKind.FLAT: {TargetKind.IDEAL, TargetKind.RELEVANT},
        AssessmentKind.PASSAGES: inside,
        AssessmentKind.ELEMENTS_2005: inside | {TargetKind.IDEAL, TargetKind.RELEVANT},
    }.get(kind, {TargetKind.IDEAL, TargetKind.RELEVANT})
    if targets not in possible:
        names = ", ".join(sorted(possible))
        raise UsageError(f"assessments of {kind} have no targets of kind {targets} (they have: {names})")


def target_documents(assessments: Assessments) -> set[str]:
    """Documents that may hold a target in some topic: the only ones whose trees are needed."""
    topics = assessments.topics
    if isinstance(topics, FlatTopics):
        return {topics.documents[code] for code in sorted_unique(topics.document[topics.grades > 0]).tolist()}
    names: set[str] = set()
    for topic in topics.values():
        names.update(topic.documents[i] for i in _documents_with_targets(topic))
    return names


def _documents_with_targets(topic: Topic) -> list[int]:
    if isinstance(topic, FlatTopic):
        return [int(i) for i in np.flatnonzero(topic.grades > 0)]
    if isinstance(topic, PassageTopic):
        return [int(i) for i in np.flatnonzero((topic.relevant > 0) | (group_sizes(topic.bounds) > 0))]
    owner = group_numbers(topic.bounds)
    counts = ~(topic.exhaustivity == 0) | (topic.specificity > 0)  # some quantisations look at one dimension alone
    judged = set(owner[counts].tolist())
    judged.update(point.document for point in topic.entry_points)
    judged.update(highlight.document for highlight in topic.highlights)
    return sorted(judged)


def _numbers(forest: Forest | None, documents: Iterable[str]) -> IntArray:
    return np.array([-1 if forest is None else forest.number(name) for name in documents], dtype=np.int64)


def _missing_document_reason(name: str) -> str:
    return f"document {name} is not in the structure"


def _check_retrievable(forest: Forest, found: IntArray, topic: FlatTopic | ElementTopic, base: IntArray) -> None:
    """Refuse targets, in these rows of the forest and of the assessments, that no system may return."""
    columns = forest.columns
    barred = [] if columns.retrievable is None else np.flatnonzero(~columns.retrievable[found]).tolist()
    for place in barred[:1]:
        row = int(found[place])
        number = int(np.searchsorted(columns.bounds, row, side="right")) - 1
        element = f"element {columns.paths[columns.path[row]]} of document {columns.names[number]}"
        raise InputError(topic.path, int(topic.lines[base[place]]), f"{element} is not retrievable")


def make_targets(
    topic: Topic,
    kind: TargetKind,
    quantisation: Quantisation,
    forest: Forest | None,
    *,
    largest_grade: int = 1,
    keep: NestingChoice = NestingChoice.SHORTER,
) -> TargetSet:
    """The targets of a topic.

    Args:
        topic: the assessments of one topic.
        kind: which targets.
        quantisation: how assessments become P(x in I).
        forest: trees of the structure; None where there is no structure.
        largest_grade: largest grade of the whole file, for flat assessments.
        keep: which of two nested elements stays in the ideal recall base.

    Raises:
        InputError: a target's document, path or pointer is not in the structure.
        DataError: positions are needed and only a structure could tell them.
    """
    if isinstance(topic, ElementTopic) and kind in (TargetKind.IDEAL, TargetKind.RELEVANT):
        gains = quantisation.values(topic.exhaustivity, topic.specificity)
        base = full_base(gains) if kind is TargetKind.RELEVANT else ideal_base(topic, gains, keep)
        return _element_targets(topic, base, gains[base], forest)
    if isinstance(topic, FlatTopic):
        largest = np.full(len(topic.grades), float(largest_grade))
        gains = quantisation.values(topic.grades.astype(np.float64), largest)
        base = np.flatnonzero(gains > 0)
        return _document_targets(topic, base, gains[base], forest)
    if isinstance(topic, PassageTopic):
        return _text_targets(topic, kind, forest)
    return _pointer_targets(topic, kind, forest)


def _document_targets(topic: FlatTopic, base: IntArray, weight: FloatArray, forest: Forest | None) -> TargetSet:
    """Judged documents, the rows `base` of the assessments, as targets: their roots, where there are trees."""
    documents = tuple(topic.documents[i] for i in base.tolist())
    numbers, place = _numbers(forest, documents), np.arange(len(base))
    none = np.full(len(base), -1)
    locations = Locations(place, np.zeros_like(place), np.ones_like(place), none, none, none > 0)
    if forest is not None:
        lost = np.flatnonzero(numbers < 0)
        if len(lost):
            raise InputError(topic.path, int(topic.lines[base[lost[0]]]), _missing_document_reason(documents[lost[0]]))
        root, columns = forest.columns.bounds[numbers], forest.columns
        if columns.retrievable is not None:
            _check_retrievable(forest, root, topic, base)
        end, start, length = (column[root].astype(np.int64) for column in (columns.end, columns.start, columns.length))
        locations = Locations(place, np.zeros_like(place), end, start, length, none < 0)
    return TargetSet(documents, (-1,) * len(documents), locations, weight, documents, numbers, forest)


def _element_targets(topic: ElementTopic, base: IntArray, weight: FloatArray, forest: Forest | None) -> TargetSet:
    """Judged elements, the rows `base` of the assessments, as targets."""
    judged, number = np.unique(np.searchsorted(topic.bounds, base, side="right") - 1, return_inverse=True)
    documents = tuple(topic.documents[i] for i in judged.tolist())
    if forest is None:
        bounds = zip(topic.bounds[judged].tolist(), topic.bounds[judged + 1].tolist(), strict=True)
        listed = [(topic.paths[low:high], topic.size[low:high].tolist()) for low, high in bounds]
        forest = forest_from_assessments(dict(zip(documents, listed, strict=True)))
    numbers, columns = _numbers(forest, documents), forest.columns
    found = forest.rows(numbers[number], forest.codes([topic.paths[row] for row in base.tolist()]))
    for place in np.flatnonzero(found < 0).tolist():
        found[place] = _find_element_row(topic, int(base[place]), documents[number[place]], forest)
    if columns.retrievable is not None:
        _check_retrievable(forest, found, topic, base)
    locations = Locations(
        number,
        found - columns.bounds[numbers[number]],
        columns.end[found].astype(np.int64),
        columns.start[found].astype(np.int64),
        columns.length[found].astype(np.int64),
        np.full(len(base), forest.complete),
    )
    nodes = NodeNames(documents, number, columns.paths, columns.path[found])
    return TargetSet(documents, (-1,) * len(documents), locations, weight, nodes, numbers, forest)


def _find_element_row(topic: ElementTopic, row: int, document: str, forest: Forest) -> int:
    """Row in the forest of a judged element that is not there as it is written.

    Raises:
        InputError: it is not there at all.
    """
    tree, path = forest.get(document), topic.paths[row]
    element = tree.find(path) if tree is not None else -1
    if element < 0:
        reason = (
            _missing_document_reason(document)
            if tree is None
            else f"element {path} of {_missing_document_reason(document)}"
        )
        raise InputError(topic.path, int(topic.lines[row]), reason)
    return int(forest.columns.bounds[forest.number(document)]) + element


def _text_targets(topic: PassageTopic, kind: TargetKind, forest: Forest | None) -> TargetSet:
    """Best entry points, or highlighted passages, of assessments with offsets."""
    if kind is TargetKind.BEP:
        holding = np.flatnonzero((topic.relevant > 0) & (topic.bep >= 0))
        number, start, length = np.arange(len(holding)), topic.bep[holding], np.zeros(len(holding), dtype=np.int64)
    else:
        passages = group_sizes(topic.bounds)
        holding = np.flatnonzero(passages)
        number, start, length = np.repeat(np.arange(len(holding)), passages[holding]), topic.start, topic.length
    documents = tuple(topic.documents[i] for i in holding.tolist())
    return _extent_targets(documents, topic.lengths[holding].tolist(), number, start, length, forest)


def _pointer_targets(topic: ElementTopic, kind: TargetKind, forest: Forest | None) -> TargetSet:
    """The same of assessments that say where they are by pointers into elements."""
    if forest is None:
        raise DataError(f"targets of kind {kind} need --structure: XML assessments give no positions in the text")

    marks: Sequence[EntryPoint | Highlight] = topic.entry_points if kind is TargetKind.BEP else topic.highlights
    begin = _element_starts(topic, forest) if kind is TargetKind.BEP else [-1] * len(marks)
    numbers: dict[str, int] = {}  # of documents in order of first use
    found = []
    for mark, start in zip(marks, begin, strict=True):
        extent = mark_extent(mark, topic, forest) if start < 0 else (start, 0)
        found.append((numbers.setdefault(topic.documents[mark.document], len(numbers)), *extent))
    number, start_at, length = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return _extent_targets(tuple(numbers), [-1] * len(numbers), number, start_at, length, forest)


def _element_starts(topic: ElementTopic, forest: Forest) -> list[int]:
    """Where the elements begin that best entry points name, written as in the structure; -1 for a closer look."""
    documents = forest.numbers([topic.documents[point.document] for point in topic.entry_points])
    rows = forest.rows(documents, forest.codes([point.pointer for point in topic.entry_points]))
    begin = rows.copy()
    begin[rows >= 0] = forest.columns.start[rows[rows >= 0]]
    listed: list[int] = begin.tolist()
    return listed


def _extent_targets(
    documents: tuple[str, ...],
    lengths: Sequence[int],
    number: IntArray,
    start: IntArray,
    length: IntArray,
    forest: Forest | None,
) -> TargetSet:
    """Passages, or points where `length` is 0, in numbered documents of some lengths."""
    none = np.full(len(number), -1)
    nodes = tuple(documents[i] for i in number.tolist())
    locations = Locations(number, none, none, start, length, none < 0)
    weight = np.ones(len(number))
    return TargetSet(documents, tuple(lengths), locations, weight, nodes, _numbers(forest, documents), forest)


# Where XML assessments highlight text, and where their best entry points are.


def mark_extent(
    mark: Highlight | EntryPoint, topic: ElementTopic, trees: Mapping[str, DocumentTree]
) -> tuple[int, int]:
    """Start and length, in characters, of a highlighted passage; a best entry point has length 0.

    Raises:
        InputError: the document is not in the structure, a pointer leads nowhere, or the passage ends before it begins.
    """
    name = topic.documents[mark.document]
    tree = trees.get(name)
    if tree is None:
        raise InputError(topic.path, mark.line, f"document {name} is not in the structure")
    try:
        if isinstance(mark, EntryPoint):
            return pointer_offset(tree, mark.pointer), 0
        return pointer_extent(tree, mark.first, mark.last)
    except PointerError as error:
        raise InputError(topic.path, mark.line, str(error)) from error
