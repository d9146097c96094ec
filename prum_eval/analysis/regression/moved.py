"""What a check of gold values finds: values that moved, and which way, run by run; thresholds that are not met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from prum_eval.evaluation.notices.notice import Notice
from prum_eval.formats.values.gold import GoldValue
from prum_eval.formats.values.thresholds import Threshold
from prum_eval.measures.base import Direction
from prum_eval.tabular import RowValue, Table, Tabular, plural


class Absent(Enum):
    """A value that one side does not have at all; a topic that has no value of a measure has None."""

    ABSENT = "absent"


GoldCell = GoldValue | Absent


class Movement(Enum):
    """Which way a value moved: the value says it in words. One that one side has no number of is gone or new."""

    ROSE = "rose"
    FELL = "fell"
    GONE = "gone"
    NEW = "new"


_WORSE = {Direction.HIGHER: Movement.FELL, Direction.LOWER: Movement.ROSE}


@dataclass(frozen=True, slots=True)
class Moved:
    """One value that moved too far: of a topic, or of ``all`` topics; `direction` is that of its measure."""

    topic: str
    measure: str
    gold: GoldCell
    now: GoldCell
    direction: Direction = Direction.HIGHER

    @property
    def difference(self) -> float | None:
        """How far, and which way; None where one side has no number."""
        if isinstance(self.gold, Absent) or isinstance(self.now, Absent) or self.gold is None or self.now is None:
            return None
        return self.now - self.gold

    @property
    def movement(self) -> Movement:
        """Which way."""
        size = self.difference
        if size is not None:
            return Movement.ROSE if size > 0 else Movement.FELL
        return Movement.NEW if isinstance(self.gold, Absent) or self.gold is None else Movement.GONE

    @property
    def is_worse(self) -> bool:
        """Whether it is worse now: gone, or moved against the direction of its measure; counts have none."""
        return self.movement is Movement.GONE or self.movement is _WORSE.get(self.direction)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run: its measures in the order of printing, the number of values compared, what moved.

    `failing`: those of `moved` that fail the check.
    """

    run_id: str
    path: str
    measures: tuple[str, ...]
    values: int
    moved: tuple[Moved, ...]
    failing: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A run whose average does not keep to a threshold; `value` is None where it has no number."""

    run_id: str
    path: str
    threshold: Threshold
    value: float | None


@dataclass(frozen=True, repr=False)
class GoldCheck(Tabular):
    """What became of a gold file. `notes` name what else differs: the version, the inputs, the signature, a run's id.

    They fail nothing by themselves: they are where to look first when a value moved. `warnings` are those of the
    evaluation, sentences for the user. `thresholds`: those of the file, each of which every run has to meet.
    """

    runs: tuple[ComparedRun, ...]
    notes: tuple[str, ...]
    warnings: Sequence[Notice] = ()
    thresholds: tuple[Threshold, ...] = ()
    unmet: tuple[Unmet, ...] = ()

    @property
    def moved(self) -> int:
        """Number of values that moved."""
        return sum(len(run.moved) for run in self.runs)

    @property
    def movements(self) -> Counter[Movement]:
        """How many values rose, fell, are gone, are new."""
        return Counter(cell.movement for run in self.runs for cell in run.moved)

    @property
    def values(self) -> int:
        """Number of values that were compared."""
        return sum(run.values for run in self.runs)

    @property
    def passed(self) -> bool:
        """Whether no value fails the check and every threshold is met."""
        return not self.unmet and not any(run.failing for run in self.runs)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a value that moved."""
        for run in self.runs:
            for cell in run.moved:
                sides = {"gold": _number(cell.gold), "now": _number(cell.now)}
                change = {"difference": cell.difference, "change": cell.movement.value, "fails": cell in run.failing}
                yield {"run": run.run_id, "measure": cell.measure, "topic": cell.topic, **sides, **change}

    def _summary(self) -> str:
        unmet = f", {plural(len(self.unmet), 'threshold')} not met" if self.unmet else ""
        return f"{plural(self.values, 'value')}, {self.moved} moved{unmet}"

    def _table(self) -> Table:
        columns = ("run", "measure", "topic", "gold", "now", "difference", "change", "fails")
        return columns, (list(row.values()) for row in self.rows())


def _number(value: GoldCell) -> GoldValue:
    return None if isinstance(value, Absent) else value
