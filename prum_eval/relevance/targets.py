"""Recall bases and targets of a topic: elements, best entry points or passages of its assessments.

`make_targets` locates the targets in the trees of a structure, else in trees of the judged elements, and gives each the
weight P(x in I) of its quantisation. Targets keep the order of the assessments. An `InputError` names the line of a
target that the structure lacks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, group_numbers, group_sizes, sorted_unique
from prum_eval.collection.locations import Locations, PointerError, pointer_extent, pointer_offset
from prum_eval.collection.trees import (
    DocumentTree,
    Forest,
    NodeNames,
    NumberedTrees,
    forest_from_assessments,
    parent_path,
)
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
from prum_eval.text.names import FILE_ENDINGS, strip_document_suffix

# Recall bases: the judged elements that count, all relevant ones (full) or without nesting (ideal).
#
# `use_structure_names` renames documents of assessments that are called by their file (``a.html``) where the structure
# says ``a``.


class NestingChoice(StrEnum):
    """Which of two nested ideal elements stays: the outer one (the literal reading) or the inner one."""

    SHORTER = "shorter"
    BEST = "best"


def full_base(gains: FloatArray) -> IntArray:
    """Rows of all relevant elements, in the order of the assessments."""
    return np.flatnonzero(gains > 0)


def ideal_base(topic: ElementTopic, gains: FloatArray, keep: NestingChoice = NestingChoice.SHORTER) -> IntArray:
    """Rows of the ideal recall base, in the order of the assessments.

    For each relevant element without relevant descendants, the element of highest gain on its path from the root, ties
    to the ancestor; `keep` chooses between two such elements that nest. [PRUM] C.3, METRICS section 7.
    """
    relevant = full_base(gains)
    owner = np.searchsorted(topic.bounds, relevant, side="right")
    above = _nearest_ancestors(owner, [topic.paths[row] for row in relevant.tolist()])
    return relevant[_choose_ideal(above, gains[relevant], keep)]


def _nearest_ancestors(owner: IntArray, paths: Sequence[str]) -> IntArray:
    """Index of the nearest listed ancestor of each element, -1 if none; `owner`: its document."""
    above: list[int] = []
    borders = np.flatnonzero(np.diff(owner, prepend=-1, append=-1)).tolist()
    for low, high in pairwise(borders):
        locations = {path: place for place, path in enumerate(paths[low:high], low)}
        for path in paths[low:high]:
            up = parent_path(path)
            while up and up not in locations:
                up = parent_path(up)
            above.append(locations[up] if up else -1)
    return np.array(above, dtype=np.int64)


def _choose_ideal(above: IntArray, gains: FloatArray, keep: NestingChoice) -> IntArray:
    """Ascending indices of the ideal elements; `above` is the nearest ancestor of each element."""
    levels = _ancestor_levels(above)
    best = np.arange(len(above))  # per element, the element of highest gain from the root to it
    for rows in levels:
        inherited = best[above[rows]]
        best[rows] = np.where(gains[inherited] >= gains[rows], inherited, rows)
    leaf = np.ones(len(above), dtype=np.bool_)
    leaf[above[above >= 0]] = False
    picked, dropped = np.zeros((2, len(above)), dtype=np.bool_)
    picked[best[leaf]] = True
    if keep is NestingChoice.SHORTER:  # drop all elements below a picked one
        for rows in levels:
            dropped[rows] = picked[above[rows]] | dropped[above[rows]]
    else:  # drop all elements above a picked one
        for rows in reversed(levels):
            dropped[above[rows[picked[rows] | dropped[rows]]]] = True
    return np.flatnonzero(picked & ~dropped)


def _ancestor_levels(above: IntArray) -> list[IntArray]:
    """Indices of the elements with 1, 2, ... ancestors."""
    levels = []
    rows, ancestor = np.flatnonzero(above >= 0), above[above >= 0]
    while len(rows):
        inner = above[ancestor] >= 0
        levels.append(rows[~inner])
        rows, ancestor = rows[inner], above[ancestor[inner]]
    return levels


def use_structure_names(assessments: Assessments, documents: Container[str]) -> Assessments:
    """Assessments with the names of the documents instead of their files.

    A document keeps its name if `documents` has that name, or if the topic assesses both names.
    """
    topics = {name: _rename_documents(topic, documents) for name, topic in assessments.topics.items()}
    if all(topics[name] is topic for name, topic in assessments.topics.items()):
        return assessments
    return dataclasses.replace(assessments, topics=topics)


def _rename_documents(topic: Topic, documents: Container[str]) -> Topic:
    if not any(name.endswith(FILE_ENDINGS) for name in topic.documents):
        return topic
    old_names = set(topic.documents)

    def new_name(name: str) -> str:
        document = strip_document_suffix(name)
        return name if document in old_names or name in documents or document not in documents else document

    names = tuple(map(new_name, topic.documents))
    return topic if names == topic.documents else dataclasses.replace(topic, documents=names)


class TargetKind(StrEnum):
    """The kinds of targets."""

    IDEAL = "ideal"
    RELEVANT = "relevant"
    BEP = "bep"
    PASSAGES = "passages"


@dataclass(slots=True, eq=False, repr=False)
class TargetSet:
    """The targets of one topic, in the order of the assessments.

    `documents` has the names of the numbers in `locations`, `lengths` their lengths in assessments of passages (else
    -1); `weight` is P(x in I) in (0, 1]; `nodes` are names in navigation files. `forest` has the trees of the documents
    under `numbers` (-1 if unknown).
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
        """Tree of each document, None if unknown."""
        return NumberedTrees(self.forest, self.numbers)

    def __len__(self) -> int:
        return len(self.weight)


def default_targets(kind: AssessmentKind) -> TargetKind:
    """Default kind: `passages` for text assessments with offsets, else `ideal`."""
    return TargetKind.PASSAGES if kind is AssessmentKind.PASSAGES else TargetKind.IDEAL


def check_targets(kind: AssessmentKind, targets: TargetKind) -> None:
    """Check that assessments of a kind have such targets.

    Raises:
        UsageError: they do not.
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
    """Documents that may contain a target of some topic; only their trees are needed."""
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
    counts = ~(topic.exhaustivity == 0) | (topic.specificity > 0)  # some quantisations use only one dimension
    documents = set(owner[counts].tolist())
    documents.update(point.document for point in topic.entry_points)
    documents.update(highlight.document for highlight in topic.highlights)
    return sorted(documents)


def _numbers(forest: Forest | None, documents: Iterable[str]) -> IntArray:
    return np.array([-1 if forest is None else forest.number(name) for name in documents], dtype=np.int64)


def _missing_document_reason(name: str) -> str:
    return f"document {name} is not in the structure"


def _check_retrievable(forest: Forest, rows: IntArray, topic: FlatTopic | ElementTopic, base: IntArray) -> None:
    """Check that targets, in rows of the forest and rows `base` of the assessments, are retrievable."""
    columns = forest.columns
    if columns.retrievable is None or columns.retrievable[rows].all():
        return
    place = int(columns.retrievable[rows].argmin())
    row = int(rows[place])
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
    """Targets of a topic.

    Args:
        topic: the assessments of the topic.
        kind: kind of the targets.
        quantisation: function from assessments to P(x in I).
        forest: trees of the structure; None without a structure.
        largest_grade: largest grade of the whole file, for flat assessments.
        keep: which of two nested elements stays in the ideal recall base.

    Raises:
        InputError: the document, path or pointer of a target is not in the structure.
        DataError: positions are needed, and there is no structure.
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
    """Targets of the judged documents in rows `base`: their roots if there are trees."""
    documents = tuple(topic.documents[i] for i in base.tolist())
    numbers, place = _numbers(forest, documents), np.arange(len(base))
    none = np.full(len(base), -1)
    locations = Locations(place, np.zeros_like(place), np.ones_like(place), none, none, none > 0)
    if forest is not None:
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            first = missing[0]
            raise InputError(topic.path, int(topic.lines[base[first]]), _missing_document_reason(documents[first]))
        root, columns = forest.columns.bounds[numbers], forest.columns
        _check_retrievable(forest, root, topic, base)
        end, start, length = (column[root].astype(np.int64) for column in (columns.end, columns.start, columns.length))
        locations = Locations(place, np.zeros_like(place), end, start, length, none < 0)
    return TargetSet(documents, (-1,) * len(documents), locations, weight, documents, numbers, forest)


def _element_targets(topic: ElementTopic, base: IntArray, weight: FloatArray, forest: Forest | None) -> TargetSet:
    """Targets of the judged elements in rows `base`."""
    document_rows, number = np.unique(np.searchsorted(topic.bounds, base, side="right") - 1, return_inverse=True)
    documents = tuple(topic.documents[i] for i in document_rows.tolist())
    if forest is None:
        bounds = zip(topic.bounds[document_rows].tolist(), topic.bounds[document_rows + 1].tolist(), strict=True)
        elements = [(topic.paths[low:high], topic.size[low:high].tolist()) for low, high in bounds]
        forest = forest_from_assessments(dict(zip(documents, elements, strict=True)))
    numbers, columns = _numbers(forest, documents), forest.columns
    rows = forest.rows(numbers[number], forest.codes([topic.paths[row] for row in base.tolist()]))
    for place in np.flatnonzero(rows < 0).tolist():
        rows[place] = _find_element_row(topic, int(base[place]), documents[number[place]], forest)
    _check_retrievable(forest, rows, topic, base)
    element = rows - columns.bounds[numbers[number]]
    end, start, length = (column[rows].astype(np.int64) for column in (columns.end, columns.start, columns.length))
    locations = Locations(number, element, end, start, length, np.full(len(base), forest.complete))
    nodes = NodeNames(documents, number, columns.paths, columns.path[rows])
    return TargetSet(documents, (-1,) * len(documents), locations, weight, nodes, numbers, forest)


def _find_element_row(topic: ElementTopic, row: int, document: str, forest: Forest) -> int:
    """Row in the forest of a judged element whose path is written in another case.

    Raises:
        InputError: it does not exist.
    """
    tree, path = forest.get(document), topic.paths[row]
    element = tree.find(path) if tree is not None else -1
    if element < 0:
        reason = f"{'' if tree is None else f'element {path} of '}{_missing_document_reason(document)}"
        raise InputError(topic.path, int(topic.lines[row]), reason)
    return int(forest.columns.bounds[forest.number(document)]) + element


def _text_targets(topic: PassageTopic, kind: TargetKind, forest: Forest | None) -> TargetSet:
    """Best entry points or highlighted passages of assessments with offsets."""
    if kind is TargetKind.BEP:
        rows = np.flatnonzero((topic.relevant > 0) & (topic.bep >= 0))
        number, start, length = np.arange(len(rows)), topic.bep[rows], np.zeros(len(rows), dtype=np.int64)
    else:
        passages = group_sizes(topic.bounds)
        rows = np.flatnonzero(passages)
        number, start, length = np.repeat(np.arange(len(rows)), passages[rows]), topic.start, topic.length
    documents = tuple(topic.documents[i] for i in rows.tolist())
    return _extent_targets(documents, topic.lengths[rows].tolist(), number, start, length, forest)


def _pointer_targets(topic: ElementTopic, kind: TargetKind, forest: Forest | None) -> TargetSet:
    """Best entry points or highlighted passages of assessments with pointers into elements."""
    if forest is None:
        raise DataError(f"targets of kind {kind} need --structure: XML assessments give no positions in the text")

    marks: Sequence[EntryPoint | Highlight] = topic.entry_points if kind is TargetKind.BEP else topic.highlights
    known_starts = _element_starts(topic, forest) if kind is TargetKind.BEP else [-1] * len(marks)
    numbers: dict[str, int] = {}  # of documents in order of first use
    extents = []
    for mark, known_start in zip(marks, known_starts, strict=True):
        extent = mark_extent(mark, topic, forest) if known_start < 0 else (known_start, 0)
        extents.append((numbers.setdefault(topic.documents[mark.document], len(numbers)), *extent))
    number, start, length = np.array(extents, dtype=np.int64).reshape(-1, 3).T
    return _extent_targets(tuple(numbers), [-1] * len(numbers), number, start, length, forest)


def _element_starts(topic: ElementTopic, forest: Forest) -> list[int]:
    """Starts of the elements that best entry points name exactly; -1 for other pointers."""
    documents = forest.numbers([topic.documents[point.document] for point in topic.entry_points])
    rows = forest.rows(documents, forest.codes([point.pointer for point in topic.entry_points]))
    rows[rows >= 0] = forest.columns.start[rows[rows >= 0]]
    starts: list[int] = rows.tolist()
    return starts


def _extent_targets(
    documents: tuple[str, ...],
    lengths: Sequence[int],
    number: IntArray,
    start: IntArray,
    length: IntArray,
    forest: Forest | None,
) -> TargetSet:
    """Targets that are passages, or points (`length` 0), in numbered documents."""
    none = np.full(len(number), -1)
    nodes = tuple(documents[i] for i in number.tolist())
    locations = Locations(number, none, none, start, length, none < 0)
    weight = np.ones(len(number))
    return TargetSet(documents, tuple(lengths), locations, weight, nodes, _numbers(forest, documents), forest)


def mark_extent(
    mark: Highlight | EntryPoint, topic: ElementTopic, trees: Mapping[str, DocumentTree]
) -> tuple[int, int]:
    """Start and length in characters of a highlighted passage, or of a best entry point (length 0).

    Raises:
        InputError: the document is not in the structure, a pointer leads nowhere, or the passage ends before it begins.
    """
    name = topic.documents[mark.document]
    tree = trees.get(name)
    if tree is None:
        raise InputError(topic.path, mark.line, _missing_document_reason(name))
    try:
        if isinstance(mark, EntryPoint):
            return pointer_offset(tree, mark.pointer), 0
        return pointer_extent(tree, mark.first, mark.last)
    except PointerError as error:
        raise InputError(topic.path, mark.line, str(error)) from error
