"""Runs: the ranked results of every topic as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from prum_eval.tabular import plural

if TYPE_CHECKING:  # help lists formats without numpy
    from prum_eval.arrays import BoolArray, FloatArray, IntArray, NarrowArray


class RunKind(StrEnum):
    """What a run's results are."""

    FLAT = "documents"
    ELEMENTS = "element paths"
    EXTENTS = "offsets"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run:
    """A run: the ranked results of every topic, best first, as columns.

    The results of topic ``topics[i]`` are rows ``bounds[i]:bounds[i + 1]`` of every column.
    """

    path: str
    run_id: str
    kind: RunKind
    topics: tuple[str, ...]  # in the order of the file
    bounds: IntArray  # len(topics) + 1
    documents: Sequence[str]  # as text where they are asked for
    document: NarrowArray  # codes of `documents`
    paths: tuple[str, ...]
    first_path: NarrowArray  # codes of `paths`: the element, or the first of a range; -1 where none
    last_path: NarrowArray  # the last element of a range; equals `first_path` for one element
    start: NarrowArray  # offset of its first character; -1 where not given (may be any number in official runs)
    length: NarrowArray
    exists: BoolArray  # False for the results X and -1, which point to nothing
    score: FloatArray
    line: NarrowArray
    tied: int  # results whose order was decided by the rule for equal scores
    task: str | None = None  # the task that the run says it is for; only XML runs say so
    tokens: IntArray | None = None  # what a language model counts of each result; 0 where missing, None where all are
    ignored: tuple[str, ...] = ()  # keys that mean nothing here; of several runs in a file the first has them

    def __repr__(self) -> str:
        return (
            f"<Run {self.run_id}: {plural(len(self.topics), 'topic')}, {plural(len(self.line), 'result')}, {self.kind}>"
        )
