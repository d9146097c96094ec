"""What a topic's user should find: ideal elements, relevant elements, best entry points or passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, groups_of_rows, sizes_of
from prum_eval.collection.forest import Forest, NumberedTrees
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import UsageError
from prum_eval.records.assessments import AssessmentKind, Assessments, FlatTopic, PassageTopic, Topic


class TargetKind(StrEnum):
    """The kinds of targets."""

    IDEAL = "ideal"
    RELEVANT = "relevant"
    BEP = "bep"
    PASSAGES = "passages"


@dataclass(frozen=True, slots=True, eq=False)
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
    nodes: tuple[str, ...]
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
        return [int(i) for i in np.flatnonzero((topic.relevant > 0) | (sizes_of(topic.bounds) > 0))]
    owner = groups_of_rows(topic.bounds)
    counts = ~(topic.exhaustivity == 0) | (topic.specificity > 0)  # some quantisations look at one dimension alone
    judged = set(owner[counts].tolist())
    judged.update(point.document for point in topic.entry_points)
    judged.update(highlight.document for highlight in topic.highlights)
    return sorted(judged)
