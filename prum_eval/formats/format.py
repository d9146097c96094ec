"""What a format is: its name, how files of it are recognised, its reader, its writer, and what it can hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any

from prum_eval.records import AssessmentKind, RunKind


class FormatKind(StrEnum):
    """What a file of a format is."""

    RUN = "run"
    ASSESSMENTS = "assessments"
    STRUCTURE = "structure"
    NAVIGATION = "navigation"
    CONFIGURATION = "configuration"
    LOG = "log"


class RankBy(StrEnum):
    """What decides the order of a topic's results."""

    FILE = "file"
    RANK = "rank"
    SCORE = "score"


class ScoreRule(Enum):
    """What a format asks of the scores of a run, so that what is read back has the same order."""

    FREE = auto()  # a result may have one or not; they decide nothing
    EVERY = auto()  # every result has one; they decide nothing
    ORDER = auto()  # all results have one or none has; they decide the order, equal ones stay as they stand
    TREC = auto()  # every result has one; they decide the order as in trec_eval, equal ones by document


@dataclass(slots=True, eq=False, repr=False)
class RunCapacity:
    """What a format of runs can hold: results of one kind, and of these which."""

    kind: RunKind
    scores: ScoreRule
    missing_results: bool = False  # results that do not exist
    ranges: bool = False  # from one element to another
    negative_offsets: bool = True  # offsets below 0
    free_run_names: bool = False  # a run's name with blanks in it
    task: bool = False  # the task that the run is for
    tokens: bool = False  # how many tokens each result has
    multiple_runs: bool = False  # several runs in one file

    @property
    def description(self) -> str:
        """What it holds, in words."""
        if self.kind is RunKind.ELEMENTS:
            return "elements and ranges of them" if self.ranges else "elements"
        return "documents" if self.kind is RunKind.FLAT else "passages"

    @property
    def description_with_structure(self) -> str:
        """What it can hold where a structure is given, in words."""
        others = {
            RunKind.FLAT: "",
            RunKind.ELEMENTS: "offsets, whole documents",
            RunKind.EXTENTS: "paths, whole documents",
        }
        return others[self.kind]


@dataclass(slots=True, eq=False, repr=False)
class AssessmentCapacity:
    """What a format of assessments can hold: grades of documents, or passages of them with best entry points."""

    kind: AssessmentKind  # FLAT or PASSAGES
    overlapping_passages: bool = (
        True  # passages that overlap or end past the document, relevant characters that are not theirs
    )
    groups: bool = False  # a group of each topic
    chunks: bool = False  # what is read from it has the defaults for chunks

    @property
    def description(self) -> str:
        """What it holds, in words."""
        if self.kind is AssessmentKind.FLAT:
            return "grades of documents"
        return f"passages{'' if self.overlapping_passages else ', apart from each other and inside the document,'} and best entry points"

    @property
    def description_with_structure(self) -> str:
        """What it can hold where a structure is given, in words."""
        return "" if self.kind is AssessmentKind.FLAT else "XML assessments"


@dataclass(slots=True, eq=False, repr=False)
class StructureCapacity:
    """What a format of collection structures can hold beside elements with their extents."""

    links: bool
    numbering_gaps: bool  # elements whose position is not their place among the siblings of that name

    @property
    def description(self) -> str:
        """What it holds, in words."""
        return f"elements{'' if self.numbering_gaps else ' numbered without gaps'}{', links' if self.links else ''}"

    @property
    def description_with_structure(self) -> str:
        """Nothing: the structure is the input itself."""
        return ""


Capacity = RunCapacity | AssessmentCapacity | StructureCapacity


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Args:
        name: what ``convert --to`` calls it.
        kind: what a file of it is.
        summary: one line for help and documentation: what stands in a file.
        recognises: whether a file is of this format, told from its head: up to 256 KiB of bytes, decompressed, without
            byte-order mark and blanks in front. Of several formats that recognise a file the first counts.
        read: makes the record. It takes the stream of bytes from the beginning, the input's name in messages and, last,
            what to call with every `InputError`; where that returns, what is bad is left out. In between stand, for a
            run, how to rank (a `RankBy`, or None for the format's own rule) and, for a structure, the names of the
            documents that are wanted (None for all). It returns a `Run` (or several in a tuple), a `Structure`, a
            `NavigationFile`, a `ConfigurationFile`, a `UserLog`; for assessments their kind (None where nothing shows
            it) and the topics by name.
        write: takes a record that the format can hold and returns the bytes of a file; None where nothing writes it.
        holds: what `write` can take, for runs, assessments and structures; the rest is lost on the way into it.
    """

    name: str
    kind: FormatKind
    summary: str
    recognises: Callable[[bytes], object]
    read: Callable[..., Any]
    write: Callable[[Any], bytes] | None = None
    holds: Capacity | None = None
