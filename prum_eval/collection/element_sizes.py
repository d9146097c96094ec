"""Sizes of judged elements of 2005-2007, compared with a structure and completed by it.

Files of 2005 and 2006 count one character more for each element and for each passage inside, so a size may exceed the
length in the structure by that number. A missing size is the length in the structure, a missing `rsize` what the
passages of the file highlight of the element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from prum_eval.arrays import group_numbers
from prum_eval.collection.locations import PointerError, pointer_extent
from prum_eval.collection.trees import DocumentTree, Forest, make_forest
from prum_eval.errors import InputError
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, StructureDocument
from prum_eval.text.numbers import expected_message


def size_conflicts(assessments: Assessments, trees: Forest) -> Iterator[tuple[ElementTopic, int, str]]:
    """Judged elements of other sizes than in the structure: topic, line, reason."""
    for topic in _element_topics(assessments):
        owner, size = group_numbers(topic.bounds), topic.size
        numbers = trees.numbers(topic.documents)[owner]
        rows = trees.rows(numbers, trees.codes(topic.paths))
        known = np.flatnonzero((rows >= 0) & (size >= 0))
        length = trees.columns.length[rows[known]].astype(np.int64)
        elements = trees.columns.end[rows[known]] - (rows[known] - trees.columns.bounds[numbers[known]])
        passages = np.bincount([mark.document for mark in topic.highlights], minlength=len(topic.documents))
        most = length + elements + passages[owner[known]]
        for place in np.flatnonzero((size[known] < length) | (size[known] > most)).tolist():
            row = int(known[place])
            what = f"element {topic.paths[row]} of document {topic.documents[owner[row]]}"
            yield topic, int(topic.lines[row]), _conflict_reason(what, int(size[row]), int(length[place]))


def passage_size_conflicts(assessments: Assessments, trees: Forest) -> Iterator[tuple[ElementTopic, int, str]]:
    """Passages of other sizes than the text between their ends: topic, line, reason. It takes its time."""
    for topic in _element_topics(assessments):
        passages = Counter(mark.document for mark in topic.highlights)
        for mark in topic.highlights:
            tree = trees.get(topic.documents[mark.document])
            extent = None if tree is None else _extent(tree, mark.first, mark.last)
            if tree is None or extent is None:
                continue
            if not extent[1] <= mark.size <= extent[1] + len(tree.paths) + passages[mark.document]:
                what = f"passage {mark.first} of document {tree.name}"
                yield topic, mark.line, _conflict_reason(what, mark.size, extent[1])


def _element_topics(assessments: Assessments) -> Iterator[ElementTopic]:
    if assessments.kind.has_sizes:
        yield from (topic for topic in assessments.topics.values() if isinstance(topic, ElementTopic))


def _conflict_reason(what: str, size: int, length: int) -> str:
    return f"{what} has {size} characters here, {length} in the structure"


def _extent(tree: DocumentTree, first: str, last: str) -> tuple[int, int] | None:
    """Extent of a passage; None if a pointer leads nowhere."""
    try:
        return pointer_extent(tree, first, last)
    except PointerError:
        return None


def complete_sizes(assessments: Assessments, documents: Mapping[str, StructureDocument] | None) -> Assessments:
    """Assessments with the sizes that they leave open, from the documents of the structure and the passages.

    Raises:
        InputError: neither tells a size.
    """
    if not assessments.kind.has_sizes:
        return assessments
    incomplete = {
        name: topic
        for name, topic in assessments.topics.items()
        if isinstance(topic, ElementTopic) and bool(((topic.size < 0) | (topic.rsize < 0)).any())
    }
    if not incomplete:
        return assessments
    trees = None if documents is None else make_forest(documents)
    complete = _complete_graded if assessments.kind is AssessmentKind.ELEMENTS_GRADED else _complete_topic
    completed = {name: complete(topic, trees) for name, topic in incomplete.items()}
    return replace(assessments, topics={**assessments.topics, **completed})


def _complete_graded(topic: ElementTopic, trees: Forest | None) -> ElementTopic:
    """The topic with sizes; relevant elements are relevant as a whole."""
    if trees is None:
        reason = "the sizes of judged elements come from the structure: give --structure"
        raise InputError(topic.path, int(topic.lines[0]), reason)
    relevant, owner = topic.exhaustivity > 0, group_numbers(topic.bounds)
    numbers = trees.numbers(topic.documents)[owner]
    rows = trees.rows(numbers, trees.codes(topic.paths))
    for row in np.flatnonzero((rows < 0) & relevant).tolist():
        document, path = topic.documents[owner[row]], topic.paths[row]
        element = -1 if numbers[row] < 0 else trees.tree(int(numbers[row])).find(path)  # perhaps in other case
        if element < 0:
            what = f"element {path} of document {document}" if numbers[row] >= 0 else f"document {document}"
            raise InputError(topic.path, int(topic.lines[row]), f"{what} is not in the structure")
        rows[row] = trees.columns.bounds[numbers[row]] + element
    size = np.full(len(rows), -1, dtype=np.int64)
    size[rows >= 0] = trees.columns.length[rows[rows >= 0]]
    return replace(topic, size=size, rsize=np.where(relevant, size, 0))


def _complete_topic(topic: ElementTopic, trees: Forest | None) -> ElementTopic:
    owner = group_numbers(topic.bounds)
    size, rsize = np.array(topic.size, dtype=np.int64), np.array(topic.rsize, dtype=np.int64)
    for row in np.flatnonzero((size < 0) | (rsize < 0)).tolist():
        document, path, line = int(owner[row]), topic.paths[row], int(topic.lines[row])
        name, missing = topic.documents[document], "size" if size[row] < 0 else "rsize"
        if trees is None:
            raise InputError(topic.path, line, f"element {path} has no {missing}: give it, or --structure")
        if (tree := trees.get(name)) is None:
            raise InputError(topic.path, line, f"element {path} has no {missing}, and the structure no document {name}")
        if (element := tree.find(path)) < 0:
            reason = f"element {path} has no {missing}, and is not in the structure of document {name}"
            raise InputError(topic.path, line, reason)
        start, length = int(tree.start[element]), int(tree.length[element])
        if size[row] < 0:
            size[row] = length
            if rsize[row] > length:
                raise InputError(
                    topic.path, line, expected_message("rsize", f"at most the size {length}", str(rsize[row]))
                )
        if rsize[row] < 0:
            rsize[row] = min(_highlighted(topic, document, tree, start, start + length, line), size[row])
    specificity = np.where(size > 0, rsize / np.maximum(size, 1), 0.0)
    return replace(topic, size=size, rsize=rsize, specificity=specificity)


def _highlighted(topic: ElementTopic, document: int, tree: DocumentTree, start: int, end: int, line: int) -> int:
    """Number of characters from `start` to `end` that the passages of a document highlight.

    Raises:
        InputError: the document has no passages, or one leads nowhere.
    """
    extents = []
    for mark in topic.highlights:
        if mark.document == document:
            try:
                extents.append(pointer_extent(tree, mark.first, mark.last))
            except PointerError as error:
                raise InputError(topic.path, mark.line, str(error)) from error
    if not extents and _is_relevant(topic, line):
        raise InputError(topic.path, line, f"no rsize, and no passage in document {tree.name} tells it")
    characters, reached = 0, start
    for first, length in sorted(extents):
        low, high = max(first, reached), min(first + length, end)
        characters, reached = characters + max(0, high - low), max(reached, high)
    return characters


def _is_relevant(topic: ElementTopic, line: int) -> bool:
    """Whether the element on a line is not judged irrelevant."""
    return bool((topic.exhaustivity[topic.lines == line] != 0).any())
