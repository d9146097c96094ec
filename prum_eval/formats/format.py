"""The record of a format: name, recogniser, reader, writer, and its capacity (what it can hold)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Any

from prum_eval.plugins import deprecated_fields
from prum_eval.records import AssessmentKind, RunKind


class FormatKind(StrEnum):
    """Kind of the files of a format."""

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
    """What a format requires of the scores of a run, so that a reader gets the same order."""

    FREE = auto()  # any result may have a score; scores do not decide the order
    EVERY = auto()  # every result has a score; scores do not decide the order
    ORDER = auto()  # all results have a score or none has; descending order, ties as in the file
    TREC = auto()  # every result has a score; descending order, ties by document as in trec_eval


_NUMBER_SIGNS = b"0123456789+-."


def has_extra_text(cells: Sequence[bytes]) -> bool:
    """Whether a line of a run has more than six columns, and those after the sixth are a text, which trec_eval ignores.

    A path, a number and the marker X of a missing result are no text, but a place in a document.

    >>> [has_extra_text(line.split()) for line in (b"1 Q0 a 1 2 r by me", b"1 Q0 a 1 2 r /p[1]", b"1 Q0 a 1 2 r 0 9")]
    [True, False, False]
    """
    first = cells[6] if len(cells) > 6 else b"X"
    return first != b"X" and first[:1] not in _NUMBER_SIGNS and b"/" not in first and b"[" not in first


@deprecated_fields(
    absent="missing_results", early="negative_offsets", any_name="free_run_names", several="multiple_runs"
)
@dataclass(slots=True, eq=False, repr=False)
class RunCapacity:
    """What a format of runs can hold."""

    kind: RunKind
    scores: ScoreRule
    missing_results: bool = False  # results that do not exist
    ranges: bool = False  # from one element to another
    negative_offsets: bool = True  # offsets below 0
    free_run_names: bool = False  # names of runs with blanks
    task: bool = False  # the task of the run
    tokens: bool = False  # number of tokens per result
    multiple_runs: bool = False  # several runs in one file

    @property
    def description(self) -> str:
        """Description of what it holds."""
        if self.kind is RunKind.ELEMENTS:
            return "elements and ranges of them" if self.ranges else "elements"
        return "documents" if self.kind is RunKind.FLAT else "passages"

    @property
    def description_with_structure(self) -> str:
        """Description of what else it can hold if a structure is given."""
        others = {
            RunKind.FLAT: "",
            RunKind.ELEMENTS: "offsets, whole documents",
            RunKind.EXTENTS: "paths, whole documents",
        }
        return others[self.kind]


@deprecated_fields(loose="overlapping_passages")
@dataclass(slots=True, eq=False, repr=False)
class AssessmentCapacity:
    """What a format of assessments can hold: grades of documents, or passages of them with best entry points."""

    kind: AssessmentKind  # FLAT or PASSAGES
    # passages that overlap or end past the document, relevant characters outside of them
    overlapping_passages: bool = True
    groups: bool = False  # groups of topics
    facets: bool = False  # facets of topics
    chunks: bool = False  # assessments read from it have the defaults for chunks

    @property
    def description(self) -> str:
        """Description of what it holds."""
        if self.kind is AssessmentKind.FLAT:
            return "grades of documents"
        restriction = "" if self.overlapping_passages else ", apart from each other and inside the document,"
        return f"passages{restriction} and best entry points"

    @property
    def description_with_structure(self) -> str:
        """Description of what else it can hold if a structure is given."""
        return "" if self.kind is AssessmentKind.FLAT else "XML assessments"


@deprecated_fields(gaps="numbering_gaps")
@dataclass(slots=True, eq=False, repr=False)
class StructureCapacity:
    """What a format of collection structures can hold besides elements with their extents."""

    links: bool
    numbering_gaps: bool  # positions that skip siblings with the same tag

    @property
    def description(self) -> str:
        """Description of what it holds."""
        return f"elements{'' if self.numbering_gaps else ' numbered without gaps'}{', links' if self.links else ''}"

    @property
    def description_with_structure(self) -> str:
        """Nothing: the structure is the input itself."""
        return ""


Capacity = RunCapacity | AssessmentCapacity | StructureCapacity


@dataclass(slots=True, eq=False, repr=False)
class Format:
    """A format of files.

    Args:
        name: name in ``convert --to``.
        kind: kind of its files.
        summary: contents of a file, in one line for help and documentation.
        recognises: whether a file is of this format, decided by its head: up to 256 KiB of bytes, decompressed, without
            byte-order mark and leading blanks. The first format that recognises a file reads it.
        read: makes the record. Its arguments are the stream of bytes, the name of the input for messages and, last, a
            function to call with every `InputError`; if that returns, the bad part is left out. Between name and
            function stands, for a run, how to rank (a `RankBy`, or None for the rule of the format) and, for a
            structure, the names of the wanted documents (None for all). It returns a `Run` (or a tuple of several), a
            `Structure`, a `NavigationFile`, a `ConfigurationFile`, a `UserLog`; for assessments their kind (None if
            unknown) and the topics by name.
        write: returns the bytes of a file for a record that the format can hold; None if it is not written.
        holds: capacity of `write`, for runs, assessments and structures; a conversion loses the rest.
        needs_structure: recognised only if a structure is given.
    """

    name: str
    kind: FormatKind
    summary: str
    recognises: Callable[[bytes], object]
    read: Callable[..., Any]
    write: Callable[[Any], bytes] | None = None
    holds: Capacity | None = None
    needs_structure: bool = False
