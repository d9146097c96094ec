"""What of a log does not count, by line: counted and told, never dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from prum_eval.tabular import listed


class Remark(Enum):
    """Kinds of remarks: what one is, what several are."""

    UNASSESSED = "result is of a topic without assessments", "results are of topics without assessments"
    UNKNOWN_RESULT = "result is in an unknown document", "results are in unknown documents"
    MISSING_RESULT = "result is not in the structure", "results are not in the structure"
    UNLISTED_RESULT = "result is not in the assessments, so of unknown extent", \
        "results are not in the assessments, so of unknown extent"  # fmt: skip
    NO_TARGET = "result is no target itself", "results are no targets themselves"
    UNKNOWN_VIEW = "view is in an unknown document", "views are in unknown documents"
    STRAY_VIEW = "view is no target", "views are no targets"
    REPEATED_VIEW = "view is of a target seen before", "views are of targets seen before"
    OWN_VIEW = "view is of the result itself", "views are of the result itself"
    OUTSIDE_VIEW = "view is of a target in another document", "views are of targets in other documents"
    OUT_OF_ORDER = (
        "line is out of order, and taken by rank in its session",
        "lines are out of order, and taken by rank in their sessions",
    )
    EARLY_STOP = "stop is before the last rank of its list, and no stop", \
        "stops are before the last rank of their lists, and no stops"  # fmt: skip
    NO_NODE = "place is no node of a graph", "places are no nodes of a graph"
    LOST_READING = "reading is of a result whose place is unknown", "readings are of results whose places are unknown"
    LONG_READING = (
        "reading is past the end of its document, and cut off there",
        "readings are past the ends of their documents, and cut off there",
    )
    ENDLESS_READING = (
        "reading is of a document of unknown length, and counts as stopped",
        "readings are of documents of unknown length, and count as stopped",
    )


@dataclass(frozen=True)
class LogReport:
    """So many times something was met in a log; `lines`: the numbers of the lines, a line once for each time."""

    remark: Remark
    lines: tuple[int, ...]

    @property
    def text(self) -> str:
        """As a sentence."""
        distinct = list(dict.fromkeys(self.lines))
        where = f"line{'s'[: len(distinct) != 1]} {listed([str(line) for line in distinct])}"
        return f"{len(self.lines)} {self.remark.value[len(self.lines) != 1]} ({where})"


@dataclass
class Remarks:
    """Collects the lines that something is to be said of."""

    lines: dict[Remark, list[int]] = field(default_factory=dict)

    def add(self, remark: Remark, line: int, times: int = 1) -> None:
        """Note a line."""
        if times:
            self.lines.setdefault(remark, []).extend([line] * times)

    def reports(self) -> Sequence[LogReport]:
        """All of them, in the order of the kinds, lines in that of the file."""
        return tuple(LogReport(one, tuple(sorted(self.lines[one]))) for one in Remark if one in self.lines)
