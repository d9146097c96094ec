"""Recall bases: the judged elements that count, all relevant ones (full) or without nesting (ideal).

`use_structure_names` renames documents of assessments that are called by their file (``a.html``) where the structure
says ``a``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Sequence
from enum import StrEnum
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.trees import parent_path
from prum_eval.records import Assessments, ElementTopic, Topic
from prum_eval.text.names import FILE_ENDINGS, strip_document_suffix


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
