"""Contents of input files as frozen records: assessments, runs, structures, navigation, configuration and user logs.

Conventions: columns of topics or documents are grouped by bounds, as in `prum_eval.arrays`. ``lines`` are line numbers
in the input. Unknown or missing integers are -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, NarrowArray, group_bounds, group_numbers
from prum_eval.tabular import plural

__path__: list[str] = []  # old modules were below this one: prum_eval.moved


class AssessmentKind(StrEnum):
    """Judged units of assessments, and the scale of judgements."""

    FLAT = "documents"  # TREC qrels
    PASSAGES = "passages"  # INEX text, 2007-2010
    ELEMENTS_2002 = "elements, 2002"  # relevance 0-3 and a coverage letter
    ELEMENTS_2003 = "elements, 2003-2004"  # exhaustiveness 0-3, specificity 0-3
    ELEMENTS_2005 = "elements, 2005-2007"  # exhaustivity 0, 1, 2 or ?, specificity = rsize / size
    ELEMENTS_GRADED = "elements, graded"  # exhaustivity 2 * grade / largest grade, specificity 1 if relevant

    @property
    def has_sizes(self) -> bool:
        """Whether elements have `size` and `rsize`, numbers of characters."""
        return self in (AssessmentKind.ELEMENTS_2005, AssessmentKind.ELEMENTS_GRADED)


@dataclass(slots=True, eq=False, repr=False)
class Facets:
    """Facets of one topic, in file order: which documents or extents satisfy which, alone or together.

    A row is a document, or an extent in one, that belongs to an alternative; alternative i is of facet ``facet_of[i]``.
    `names`, `alternatives`: names, empty for the facet of a target without one, and for an alternative of one target
    that has none. `document`: numbers of the topic's documents. `start`, `length`: -1 for a whole document. `grades`:
    1 for extents.
    """

    names: tuple[str, ...]
    weights: FloatArray
    alternatives: tuple[str, ...]
    facet_of: IntArray
    alternative: IntArray
    document: IntArray
    start: IntArray
    length: IntArray
    grades: IntArray
    lines: IntArray


@dataclass(slots=True, eq=False)
class FlatTopic:
    """Graded documents of one topic, in file order."""

    path: str
    documents: tuple[str, ...]
    grades: IntArray
    lines: IntArray
    facets: Facets | None = None


@dataclass(slots=True, eq=False, repr=False)
class LabelledRows:
    """Rows of qrels with their second column: codes of topics, documents and labels, grades and lines.

    `labels`: names of the codes `label`; None if all rows have the only label. `conflicts`: row and first row of each
    document that is judged twice in a topic under different labels.
    """

    labels: tuple[str, ...]
    label: NarrowArray | None
    topic: NarrowArray
    document: NarrowArray
    grades: NarrowArray
    lines: NarrowArray
    conflicts: tuple[tuple[int, int], ...] = ()


@dataclass(eq=False, repr=False)
class FlatTopics(Mapping[str, FlatTopic]):
    """Graded documents of many topics as columns; a `FlatTopic` is made on access.

    Topic ``names[i]`` comes from the file ``paths[i]`` and has rows ``bounds[i]:bounds[i + 1]``; `document` has codes
    of `documents`.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]
    bounds: IntArray
    documents: Sequence[str]
    document: NarrowArray
    grades: NarrowArray
    lines: NarrowArray
    facets: Mapping[str, Facets] = field(default_factory=dict)  # of the topics that have some
    labelled: LabelledRows | None = None  # until the readers chose what the second column of qrels means

    @cached_property
    def number(self) -> Mapping[str, int]:
        """Number of each topic."""
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def __getitem__(self, topic: str) -> FlatTopic:
        number = self.number[topic]
        low, high = self.bounds[number : number + 2].tolist()
        documents = tuple(map(self.documents.__getitem__, self.document[low:high].tolist()))
        grades, lines = self.grades[low:high].astype("int64"), self.lines[low:high].astype("int64")
        return FlatTopic(self.paths[number], documents, grades, lines, self.facets.get(topic))

    def __contains__(self, topic: object) -> bool:
        return topic in self.number

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(slots=True, eq=False)
class PassageTopic:
    """Highlighted passages of one topic; document i has rows ``bounds[i]:bounds[i + 1]`` of `start` and `length`."""

    path: str
    documents: tuple[str, ...]
    relevant: IntArray  # relevant characters, from the file (never recomputed)
    lengths: IntArray  # length of the document, -1 if unknown
    bep: IntArray  # offset of the best entry point, -1 if none
    bounds: IntArray
    start: IntArray
    length: IntArray
    lines: IntArray  # one per document
    group: str = ""  # group of the topic, if the file has one
    merged: int = 0  # number of passages merged into overlapping ones
    ignored: tuple[str, ...] = ()  # unknown keys in the file
    chunks: bool = False  # answers to questions for chunk retrieval, which has other defaults
    facets: Facets | None = None  # of extents as given; the passages are merged

    def known_lengths(self) -> dict[str, int]:
        """Lengths of documents, without unknown ones."""
        lengths = dict(zip(self.documents, self.lengths.tolist(), strict=True))
        if not (self.lengths < 0).any():
            return lengths
        return {name: length for name, length in lengths.items() if length >= 0}


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A best entry point of an XML assessment: a pointer in the document with this number."""

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


@dataclass(slots=True, eq=False)
class ElementTopic:
    """Judged elements of one topic; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns.

    The two judged dimensions by kind: 2002 relevance 0-3 and coverage (0 none, 1 too small, 2 too large, 3 exact);
    2003-2004 exhaustiveness and specificity 0-3; 2005-2007 exhaustivity (0, 1, 2; -1 for `?`, too small) and
    specificity rsize/size. Elements with a grade: exhaustivity is 2 times the grade over the largest grade of the file,
    specificity 1 if the grade is above 0. A dimension that was not assessed is NaN.
    """

    path: str
    documents: tuple[str, ...]
    document_lines: IntArray
    bounds: IntArray
    paths: tuple[str, ...]
    exhaustivity: FloatArray  # 2002: relevance
    specificity: FloatArray  # 2002: coverage
    size: IntArray  # -1 before 2005, and if not given
    rsize: IntArray  # likewise
    lines: IntArray  # one per element
    entry_points: tuple[EntryPoint, ...]
    highlights: tuple[Highlight, ...]


Topic = FlatTopic | PassageTopic | ElementTopic


@dataclass(slots=True, eq=False, repr=False)
class Assessments:
    """Assessments of one kind for a set of topics, in input order.

    `groups` has the group of each topic that has one; None if no topic has one.
    """

    path: str
    kind: AssessmentKind
    topics: Mapping[str, Topic]
    groups: Mapping[str, str] | None = None

    @property
    def merged_note(self) -> str | None:
        """Notice about merged overlapping passages; None if there are none."""
        if self.kind is not AssessmentKind.PASSAGES:
            return None
        count = sum(topic.merged for topic in self.topics.values() if isinstance(topic, PassageTopic))
        if not count:
            return None
        what = "overlaps another one and is merged with it" if count == 1 else "overlap others and are merged with them"
        return f"{self.path}: {plural(count, 'span')} {what}"

    @property
    def has_facets(self) -> bool:
        """Whether the judgements of some topic declare facets."""
        if isinstance(self.topics, FlatTopics):
            return bool(self.topics.facets)
        return any(topic.facets is not None for topic in self.topics.values() if not isinstance(topic, ElementTopic))

    @property
    def chunks(self) -> bool:
        """Whether all topics are questions for chunk retrieval."""
        if self.kind is not AssessmentKind.PASSAGES:
            return False
        topics = self.topics.values()
        return bool(topics) and all(isinstance(topic, PassageTopic) and topic.chunks for topic in topics)

    def __repr__(self) -> str:
        return f"<Assessments {self.path}: {plural(len(self.topics), 'topic')}, {self.kind}>"


class RunKind(StrEnum):
    """Units of the results of a run."""

    FLAT = "documents"
    ELEMENTS = "element paths"
    EXTENTS = "offsets"


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """The ranked results of every topic, best first, as columns.

    Topic ``topics[i]`` has rows ``bounds[i]:bounds[i + 1]`` of every column.
    """

    path: str
    run_id: str
    kind: RunKind
    topics: tuple[str, ...]  # in file order
    bounds: IntArray  # len(topics) + 1
    documents: Sequence[str]
    document: NarrowArray  # codes of `documents`
    paths: tuple[str, ...]
    first_path: NarrowArray  # codes of `paths`: the element, or the first of a range; -1 if none
    last_path: NarrowArray  # the last element of a range; equals `first_path` for one element
    start: NarrowArray  # offset of the first character; -1 if not given (may be any number in official runs)
    length: NarrowArray
    exists: BoolArray  # False for the results X and -1, which refer to no element
    score: FloatArray
    line: NarrowArray
    tied: int  # number of results ordered by the rule for equal scores
    task: str | None = None  # task of the run, in XML runs only
    tokens: IntArray | None = None  # tokens of each result; 0 if missing, None if all are
    ignored: tuple[str, ...] = ()  # unknown keys; of several runs in a file the first has them

    def __repr__(self) -> str:
        return (
            f"<Run {self.run_id}: {plural(len(self.topics), 'topic')}, {plural(len(self.line), 'result')}, {self.kind}>"
        )


def topic_numbers(run: Run) -> IntArray:
    """Number of the topic of each result."""
    return group_numbers(run.bounds)


def select_results(run: Run, mask: BoolArray) -> Run:
    """The masked results, and the topics that still have any."""
    if mask.all():
        return run
    sizes = np.bincount(topic_numbers(run)[mask], minlength=len(run.topics))
    topics = tuple(topic for topic, size in zip(run.topics, sizes.tolist(), strict=True) if size)
    return select_columns(run, mask, topics, group_bounds(sizes[sizes > 0]))


def select_columns(run: Run, rows: BoolArray | IntArray, topics: tuple[str, ...], bounds: IntArray) -> Run:
    """The results of a mask or of row numbers, with the given topics and bounds between them."""
    names = ("document", "first_path", "last_path", "start", "length", "exists", "score", "line")
    columns = {name: getattr(run, name)[rows] for name in names}
    if run.tokens is not None:
        columns["tokens"] = run.tokens[rows]
    return replace(run, topics=topics, bounds=bounds, **columns)


@dataclass(slots=True, eq=False)
class StructureDocument:
    """One document of a collection structure: its elements in document order.

    `retrievable` marks the elements that a system may return; None if all.
    """

    name: str
    paths: tuple[str, ...]
    start: IntArray
    length: IntArray
    lines: IntArray
    retrievable: BoolArray | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Link:
    """A link from an element to a document or to an element."""

    document: str
    path: str
    target: str
    target_path: str | None
    probability: float | None
    line: int


@dataclass(slots=True, eq=False, repr=False)
class Structure:
    """A collection structure: totals of the collection, and trees of the requested documents only."""

    path: str
    elements: int  # elements that a system may return, N
    characters: int  # sum of the lengths of all documents
    names: AbstractSet[str]
    documents: Mapping[str, StructureDocument]
    links: Sequence[Link]

    def __repr__(self) -> str:
        return f"<Structure {self.path}: {plural(len(self.names), 'document')}, {plural(self.elements, 'element')}>"


@dataclass(slots=True, eq=False, repr=False)
class TreeColumns:
    """Elements of many documents; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns."""

    names: tuple[str, ...]
    bounds: IntArray
    paths: Sequence[str]  # distinct
    path: NarrowArray  # codes of `paths`
    parent: NarrowArray  # index in its document, -1 for the root
    end: NarrowArray  # index after its subtree
    start: NarrowArray
    length: NarrowArray
    retrievable: BoolArray | None = None  # elements that a system may return; None if all
    lines: NarrowArray | None = None  # None if not read from lines

    def paths_of(self, number: int) -> tuple[str, ...]:
        """Paths of a document's elements."""
        low, high = self.bounds[number : number + 2].tolist()
        return tuple(map(self.paths.__getitem__, self.path[low:high].tolist()))


class ColumnDocuments(Mapping[str, StructureDocument]):
    """Documents of `TreeColumns` by name; a record is made on access."""

    def __init__(self, columns: TreeColumns) -> None:
        self.columns = columns
        self._number = {name: number for number, name in enumerate(columns.names)}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __getitem__(self, name: str) -> StructureDocument:
        number, columns = self._number[name], self.columns
        rows = slice(*columns.bounds[number : number + 2].tolist())
        lines = np.full(rows.stop - rows.start, -1) if columns.lines is None else columns.lines[rows].astype(np.int64)
        bits = None if columns.retrievable is None else columns.retrievable[rows]
        start, length = columns.start[rows].astype(np.int64), columns.length[rows].astype(np.int64)
        return StructureDocument(name, columns.paths_of(number), start, length, lines, retrievable=bits)


@dataclass(slots=True, eq=False, repr=False)
class NavigationFile:
    """Lines of a navigation file: source, target, probability; topic None stands for every topic.

    Nodes are ``file`` or ``file#path``; the root element of a document is written as the document.
    """

    path: str
    topic: tuple[str | None, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    probability: FloatArray
    lines: IntArray

    def __repr__(self) -> str:
        return f"<NavigationFile {self.path}: {plural(len(self.source), 'line')}>"


MAX_CONFIGURATION_BYTES = 1 << 20
"""Maximum of bytes in a configuration file."""
ConfigurationValue = str | bool | int | float | tuple[str, ...]


class Dialect(Enum):
    """Program whose keys a configuration file uses."""

    NATIVE = auto()
    EVALJ = auto()
    XCGEVAL = auto()


@dataclass(slots=True, eq=False, repr=False)
class ConfigurationEntry:
    """A value and the line of its key."""

    value: ConfigurationValue
    line: int


@dataclass(slots=True, eq=False, repr=False)
class ConfigurationBlock:
    """Settings of one measure: kind of block, and entries by key; nested keys are ``outer.inner``."""

    kind: str
    line: int
    entries: Mapping[str, ConfigurationEntry]


@dataclass(slots=True, eq=False, repr=False)
class ConfigurationFile:
    """A configuration file: entries by key, and a block per measure (none in properties)."""

    path: str
    dialect: Dialect
    entries: Mapping[str, ConfigurationEntry] = field(default_factory=dict)
    blocks: tuple[ConfigurationBlock, ...] = ()


class LoggedPlace(NamedTuple):
    """A place in a user log: a document, an element by its path, or an extent in characters.

    `path` is in normal form, empty if there is none; `start` and `length` are -1 if there is no extent.
    """

    document: str
    path: str = ""
    start: int = -1
    length: int = -1

    @property
    def text(self) -> str:
        """The place in the syntax of logs.

        >>> LoggedPlace("a", "/x[1]/p[2]").text, LoggedPlace("a", start=5, length=7).text, LoggedPlace("a").text
        ('a#/x[1]/p[2]', 'a@5:7', 'a')
        """
        if self.start >= 0:
            return f"{self.document}@{self.start}:{self.length}"
        return f"{self.document}#{self.path}" if self.path else self.document


class Consultation(NamedTuple):
    """A line of a user log: a result that a user consulted.

    Attributes:
        viewed: places that the user saw from there, in order.
        read: characters read from the beginning of the result; None if unknown.
        stop: whether the user stopped at this result.
    """

    session: str
    topic: str
    rank: int
    result: LoggedPlace
    viewed: tuple[LoggedPlace, ...]
    read: int | None
    stop: bool
    line: int


@dataclass(slots=True, eq=False, repr=False)
class UserLog:
    """A user log, in line order."""

    path: str
    lines: tuple[Consultation, ...]

    @property
    def summary(self) -> str:
        """Numbers of sessions and lines."""
        users = plural(len({line.session for line in self.lines}), "session")
        return f"{users}, {plural(len(self.lines), 'line')}"

    def __repr__(self) -> str:
        return f"<UserLog {self.path}: {self.summary}>"
