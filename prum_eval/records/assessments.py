"""Assessments: what was judged of every topic, in the five kinds that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from prum_eval.tabular import plural

if TYPE_CHECKING:  # help lists formats without numpy
    from prum_eval.arrays import FloatArray, IntArray, NarrowArray


class AssessmentKind(StrEnum):
    """What a set of assessments judges, and on which scale."""

    FLAT = "documents"  # TREC qrels
    PASSAGES = "passages"  # INEX text, 2007-2010
    ELEMENTS_2002 = "elements, 2002"  # relevance 0-3 and a coverage letter
    ELEMENTS_2003 = "elements, 2003-2004"  # exhaustiveness 0-3, specificity 0-3
    ELEMENTS_2005 = "elements, 2005-2007"  # exhaustivity 0, 1, 2 or ?, specificity = rsize / size


@dataclass(frozen=True, slots=True, eq=False)
class FlatTopic:
    """Graded documents of one topic, in the order of the file."""

    path: str
    documents: tuple[str, ...]
    grades: IntArray
    lines: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class FlatTopics(Mapping[str, FlatTopic]):
    """Graded documents of many topics as columns; the record of a topic is made when it is asked for.

    Topic ``names[i]`` comes from the file ``paths[i]`` and has rows ``bounds[i]:bounds[i + 1]``; `document` has codes
    of `documents`, which are made text where they are asked for.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]
    bounds: IntArray
    documents: Sequence[str]
    document: NarrowArray
    grades: NarrowArray
    lines: NarrowArray

    @cached_property
    def number(self) -> Mapping[str, int]:
        """Number of each topic."""
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def __getitem__(self, topic: str) -> FlatTopic:
        number = self.number[topic]
        low, high = self.bounds[number : number + 2].tolist()
        documents = tuple(map(self.documents.__getitem__, self.document[low:high].tolist()))
        grades, lines = self.grades[low:high].astype("int64"), self.lines[low:high].astype("int64")
        return FlatTopic(self.paths[number], documents, grades, lines)

    def __contains__(self, topic: object) -> bool:
        return topic in self.number

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class PassageTopic:
    """Highlighted passages of one topic; document i has rows ``bounds[i]:bounds[i + 1]`` of `start` and `length`."""

    path: str
    documents: tuple[str, ...]
    relevant: IntArray  # relevant characters, as the file says (never recomputed)
    lengths: IntArray  # length of the document, -1 where it is not known
    bep: IntArray  # offset of the best entry point, -1 where none
    bounds: IntArray
    start: IntArray
    length: IntArray
    lines: IntArray  # one a document
    group: str = ""  # of the topic, where the file says so
    merged: int = 0  # how many fewer passages there are because those that overlapped were joined
    ignored: tuple[str, ...] = ()  # keys of its file that mean nothing here
    chunks: bool = False  # answers of questions to systems that retrieve chunks: other defaults apply

    def known_lengths(self) -> dict[str, int]:
        """The length of each document whose length is known."""
        lengths = dict(zip(self.documents, self.lengths.tolist(), strict=True))
        if not (self.lengths < 0).any():
            return lengths
        return {name: length for name, length in lengths.items() if length >= 0}


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A best entry point of an XML assessment: a pointer in the document with that number."""

    document: int
    pointer: str
    line: int


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlighted passage of an XML assessment: from one pointer to another."""

    document: int
    first: str
    last: str
    size: int
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class ElementTopic:
    """Judged elements of one topic; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns.

    The two judged dimensions by kind: 2002 relevance 0-3 and coverage (0 none, 1 too small, 2 too large, 3 exact);
    2003-2004 exhaustiveness and specificity 0-3; 2005-2007 exhaustivity (0, 1, 2; -1 for `?`, too small) and
    specificity rsize/size. A dimension that was not assessed is NaN.
    """

    path: str
    documents: tuple[str, ...]
    document_lines: IntArray
    bounds: IntArray
    paths: tuple[str, ...]
    exhaustivity: FloatArray  # 2002: relevance
    specificity: FloatArray  # 2002: coverage
    size: IntArray  # -1 before 2005
    rsize: IntArray  # -1 before 2005
    lines: IntArray  # one an element
    entry_points: tuple[EntryPoint, ...]
    highlights: tuple[Highlight, ...]


Topic = FlatTopic | PassageTopic | ElementTopic


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assessments:
    """Assessments of one kind for a set of topics, in the order of the input.

    `groups`: the group of each topic that has one; None where none has.
    """

    path: str
    kind: AssessmentKind
    topics: Mapping[str, Topic]
    groups: Mapping[str, str] | None = None

    @property
    def merged_note(self) -> str | None:
        """What there is to say of passages that were joined because they overlap; None where none were."""
        if self.kind is not AssessmentKind.PASSAGES:
            return None
        count = sum(topic.merged for topic in self.topics.values() if isinstance(topic, PassageTopic))
        if not count:
            return None
        what = "overlaps another one and is merged with it" if count == 1 else "overlap others and are merged with them"
        return f"{self.path}: {plural(count, 'span')} {what}"

    @property
    def chunks(self) -> bool:
        """Whether all topics are questions to systems that retrieve chunks."""
        if self.kind is not AssessmentKind.PASSAGES:
            return False
        topics = self.topics.values()
        return bool(topics) and all(isinstance(topic, PassageTopic) and topic.chunks for topic in topics)

    def __repr__(self) -> str:
        return f"<Assessments {self.path}: {plural(len(self.topics), 'topic')}, {self.kind}>"
