"""What the readers hand on: frozen records of columns, free of any file syntax.

Conventions of every record here: integers are ``int64`` arrays, ``-1`` says "not given"; codes are positions in the
tuple of names beside them; lines are physical lines of the input, counted from 1. All offsets and lengths are in
characters. Element paths are normalised: every step carries its position, ``/article[1]/sec[2]``. Records of arrays are
equal to themselves only (``eq=False``): what compares arrays is no truth value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from prum_eval.arrays import BoolArray, FloatArray, IntArray


class Shape(StrEnum):
    """What a run's results are."""

    FLAT = "documents"
    ELEMENTS = "element paths"
    EXTENTS = "offsets"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run: the ranked results of every topic, best first, as columns.

    The results of topic ``topics[i]`` are rows ``bounds[i]:bounds[i + 1]`` of every column.
    """

    path: str
    run_id: str
    shape: Shape
    topics: tuple[str, ...]  # in the order of the file
    bounds: IntArray  # len(topics) + 1
    documents: tuple[str, ...]
    document: IntArray  # codes of `documents`
    paths: tuple[str, ...]
    first: IntArray  # codes of `paths`: the element, or the first of a range; -1 where none
    last: IntArray  # the last element of a range; equals `first` for one element
    start: IntArray  # offset of the result's first character; -1 where not given (may be any number in official runs)
    length: IntArray
    exists: BoolArray  # False for the results X and -1, which point to nothing
    score: FloatArray
    line: IntArray
    tied: int  # results whose order was decided by the rule for equal scores
    task: str | None = None  # the task that the run says it is for; only XML runs say so


class Kind(StrEnum):
    """What a set of assessments judges, and on which scale."""

    FLAT = "documents"  # TREC qrels
    PASSAGES = "passages"  # INEX text judgements, 2007-2010
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


@dataclass(frozen=True, slots=True, eq=False)
class PassageTopic:
    """Highlighted passages of one topic; document i has rows ``bounds[i]:bounds[i + 1]`` of `start` and `length`."""

    path: str
    documents: tuple[str, ...]
    relevant: IntArray  # relevant characters, as the file says (never recomputed)
    lengths: IntArray  # length of the document
    bep: IntArray  # offset of the best entry point, -1 where none
    bounds: IntArray
    start: IntArray
    length: IntArray
    lines: IntArray  # one a document


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
    first: FloatArray
    second: FloatArray
    size: IntArray  # -1 before 2005
    rsize: IntArray  # -1 before 2005
    lines: IntArray  # one an element
    entry_points: tuple[EntryPoint, ...]
    highlights: tuple[Highlight, ...]


Topic = FlatTopic | PassageTopic | ElementTopic


@dataclass(frozen=True, slots=True, eq=False)
class Assessments:
    """Judgements of one kind for a set of topics, in the order of the input."""

    path: str
    kind: Kind
    topics: Mapping[str, Topic]


@dataclass(frozen=True, slots=True, eq=False)
class StructureDocument:
    """One document of a collection structure: its elements in document order."""

    name: str
    paths: tuple[str, ...]
    start: IntArray
    length: IntArray
    lines: IntArray


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the structure, from an element to a document or an element of it."""

    document: str
    path: str
    target: str
    target_path: str | None
    probability: float | None
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """A collection structure: counts over all of it, trees only for the documents that were asked for."""

    path: str
    elements: int
    characters: int  # sum over all documents of the length of the root
    names: AbstractSet[str]
    documents: Mapping[str, StructureDocument]
    links: Sequence[Link]


@dataclass(frozen=True, slots=True, eq=False)
class NavigationFile:
    """Lines of a navigation file: source, target, probability; topic None holds for every topic.

    Nodes are ``file`` or ``file#path``; the root element of a document is written as the document.
    """

    path: str
    topic: tuple[str | None, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    probability: FloatArray
    lines: IntArray
