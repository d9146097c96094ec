"""What a topic's user should find: ideal elements, relevant elements, best entry points or passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.collection.places import Places, Row, make_places
from prum_eval.collection.pointers import PointerError, position
from prum_eval.collection.trees import DocumentTree, make_partial_tree, node_name
from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.formats.records import Assessments, ElementTopic, FlatTopic, Kind, PassageTopic, Topic
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.recall_base import Keep, full_base, ideal_base


class TargetKind(StrEnum):
    """The kinds of targets."""

    IDEAL = "ideal"
    RELEVANT = "relevant"
    BEP = "bep"
    PASSAGES = "passages"


@dataclass(frozen=True, slots=True)
class TargetSet:
    """The targets of one topic, in the order of the judgements.

    `documents` and `trees` say what the numbers in `places` mean (a tree is None where nothing is known of the
    inside of a document), `lengths` their lengths where judgements of passages tell them (else -1); `weight` is
    P(x in I) in (0, 1]; `nodes` are names for navigation files.
    """

    documents: tuple[str, ...]
    trees: tuple[DocumentTree | None, ...]
    lengths: tuple[int, ...]
    places: Places
    weight: FloatArray
    nodes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.weight)


def default_targets(kind: Kind) -> TargetKind:
    """`passages` for text judgements with offsets, `ideal` for all others."""
    return TargetKind.PASSAGES if kind is Kind.PASSAGES else TargetKind.IDEAL


def check_targets(kind: Kind, targets: TargetKind) -> None:
    """Refuse targets that such judgements do not have.

    Raises:
        UsageError: judgements of this kind say nothing of such targets.
    """
    inside = {TargetKind.BEP, TargetKind.PASSAGES}
    possible = {
        Kind.FLAT: {TargetKind.IDEAL, TargetKind.RELEVANT},
        Kind.PASSAGES: inside,
        Kind.ELEMENTS_2005: inside | {TargetKind.IDEAL, TargetKind.RELEVANT},
    }.get(kind, {TargetKind.IDEAL, TargetKind.RELEVANT})
    if targets not in possible:
        names = ", ".join(sorted(possible))
        raise UsageError(f"judgements of {kind} have no targets of kind {targets} (they have: {names})")


def target_documents(assessments: Assessments) -> set[str]:
    """Documents that may hold a target in some topic: the only ones whose trees are needed."""
    names: set[str] = set()
    for topic in assessments.topics.values():
        names.update(topic.documents[i] for i in _holding(topic))
    return names


def _holding(topic: Topic) -> list[int]:
    if isinstance(topic, FlatTopic):
        return [int(i) for i in np.flatnonzero(topic.grades > 0)]
    if isinstance(topic, PassageTopic):
        return [int(i) for i in np.flatnonzero((topic.relevant > 0) | (np.diff(topic.bounds) > 0))]
    owner = np.repeat(np.arange(len(topic.documents)), np.diff(topic.bounds))
    judged = set(owner[~(topic.first == 0)].tolist())
    judged.update(point.document for point in topic.entry_points)
    judged.update(highlight.document for highlight in topic.highlights)
    return sorted(judged)


class _Rows:
    """Targets of one topic while they are gathered."""

    def __init__(self, topic: Topic, trees: Mapping[str, DocumentTree] | None) -> None:
        self.topic = topic
        self.structure = trees
        self.numbers: dict[str, int] = {}  # in order of first use: the names by number
        self.trees: list[DocumentTree | None] = []
        self.lengths: list[int] = []
        self.rows: list[Row] = []
        self.weight: list[float] = []
        self.nodes: list[str] = []

    def number(self, document: int, line: int, *, needed: bool) -> int:
        """Number of a judged document among those that hold a target."""
        name = self.topic.documents[document]
        if name not in self.numbers:
            self.numbers[name] = len(self.trees)
            self.trees.append(self._tree(document, name, line, needed=needed))
            length = int(self.topic.lengths[document]) if isinstance(self.topic, PassageTopic) else -1
            self.lengths.append(length)
        return self.numbers[name]

    def _tree(self, document: int, name: str, line: int, *, needed: bool) -> DocumentTree | None:
        if self.structure is not None:
            if name in self.structure:
                return self.structure[name]
            if needed:
                raise InputError(self.topic.path, line, f"document {name} is not in the structure")
            return None
        if isinstance(self.topic, ElementTopic):
            rows = slice(int(self.topic.bounds[document]), int(self.topic.bounds[document + 1]))
            return make_partial_tree(name, self.topic.paths[rows], self.topic.size[rows].tolist())
        return None

    def add_element(self, number: int, element: int, weight: float) -> None:
        """An element, or (with no tree) a whole document."""
        tree = self.trees[number]
        if tree is None:
            self._add((number, 0, 1, -1, -1, False), weight, list(self.numbers)[number])
            return
        start, length = int(tree.start[element]), int(tree.length[element])
        row = (number, element, int(tree.end[element]), start, length, tree.complete)
        self._add(row, weight, node_name(tree.name, tree.paths[element]))

    def add_extent(self, number: int, start: int, length: int, node: str) -> None:
        """A passage, or a point where `length` is 0."""
        self._add((number, -1, -1, start, length, True), 1.0, node)

    def _add(self, row: Row, weight: float, node: str) -> None:
        self.rows.append(row)
        self.weight.append(weight)
        self.nodes.append(node)

    def finish(self) -> TargetSet:
        places = make_places(self.rows)
        weight = np.array(self.weight, dtype=np.float64)
        return TargetSet(tuple(self.numbers), tuple(self.trees), tuple(self.lengths), places, weight, tuple(self.nodes))


def make_targets(
    topic: Topic,
    kind: TargetKind,
    quantisation: Quantisation,
    trees: Mapping[str, DocumentTree] | None,
    *,
    largest_grade: int = 1,
    keep: Keep = Keep.SHORTER,
) -> TargetSet:
    """The targets of a topic.

    Args:
        topic: the judgements of one topic.
        kind: which targets.
        quantisation: how judgements become P(x in I).
        trees: trees of the structure by document name; None where there is no structure.
        largest_grade: largest grade of the whole file, for flat judgements.
        keep: which of two nested elements stays in the ideal recall base.

    Raises:
        InputError: a target's document, path or pointer is not in the structure.
        DataError: positions are needed and only a structure could tell them.
    """
    rows = _Rows(topic, trees)
    if isinstance(topic, FlatTopic):
        largest = np.full(len(topic.grades), float(largest_grade))
        values = quantisation.values(topic.grades.astype(np.float64), largest)
        for i in full_base(values).tolist():
            rows.add_element(rows.number(i, int(topic.lines[i]), needed=True), 0, float(values[i]))
    elif isinstance(topic, PassageTopic):
        _add_text(rows, topic, kind)
    elif kind in (TargetKind.BEP, TargetKind.PASSAGES):
        _add_pointers(rows, topic, kind)
    else:
        gains = quantisation.values(topic.first, topic.second)
        base = full_base(gains) if kind is TargetKind.RELEVANT else ideal_base(topic, gains, keep)
        owner = np.repeat(np.arange(len(topic.documents)), np.diff(topic.bounds))
        for row in base.tolist():
            number = rows.number(int(owner[row]), int(topic.lines[row]), needed=True)
            tree = rows.trees[number]
            element = tree.find(topic.paths[row]) if tree is not None else 0
            if element < 0:
                reason = f"element {topic.paths[row]} of document {topic.documents[owner[row]]} is not in the structure"
                raise InputError(topic.path, int(topic.lines[row]), reason)
            rows.add_element(number, element, float(gains[row]))
    return rows.finish()


def _add_text(rows: _Rows, topic: PassageTopic, kind: TargetKind) -> None:
    for i, name in enumerate(topic.documents):
        line = int(topic.lines[i])
        if kind is TargetKind.BEP:
            if topic.relevant[i] > 0 and topic.bep[i] >= 0:
                rows.add_extent(rows.number(i, line, needed=False), int(topic.bep[i]), 0, name)
            continue
        for row in range(int(topic.bounds[i]), int(topic.bounds[i + 1])):
            number = rows.number(i, line, needed=False)
            rows.add_extent(number, int(topic.start[row]), int(topic.length[row]), name)


def _add_pointers(rows: _Rows, topic: ElementTopic, kind: TargetKind) -> None:
    if rows.structure is None:
        raise DataError(f"targets of kind {kind} need --structure: XML assessments give no positions in the text")
    marks = (
        [(point.document, point.pointer, point.pointer, point.line) for point in topic.entry_points]
        if kind is TargetKind.BEP
        else [(mark.document, mark.first, mark.last, mark.line) for mark in topic.highlights]
    )
    for document, first, last, line in marks:
        number = rows.number(document, line, needed=True)
        tree = rows.trees[number]
        if tree is None:  # cannot be: a needed document has a tree or is refused
            continue
        try:
            start = position(tree, first)
            end = start if kind is TargetKind.BEP else position(tree, last, at_end=True)
        except PointerError as error:
            raise InputError(topic.path, line, str(error)) from error
        if end < start:
            raise InputError(topic.path, line, f"the passage ends before it begins ({first} to {last})")
        rows.add_extent(number, start, end - start, tree.name)
