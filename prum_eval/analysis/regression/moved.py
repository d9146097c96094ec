"""What a check of gold values finds: the values that moved beyond a tolerance, run by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from prum_eval.evaluation.notices.notice import Notice
from prum_eval.formats.values.gold import GoldValue


class Absent(Enum):
    """A value that one side does not have at all; a topic that has no value of a measure has None."""

    ABSENT = "absent"


GoldCell = GoldValue | Absent


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may move: the larger of `absolute` and `relative` times the larger of the two magnitudes.

    The defaults allow what the rounding of another processor or library may do, and nothing that can be printed.
    """

    absolute: float = 1e-15
    relative: float = 1e-12

    def allows(self, gold: GoldCell, now: GoldCell) -> bool:
        """Whether a value may be `now` where it was `gold`."""
        if isinstance(gold, Absent) or isinstance(now, Absent) or gold is None or now is None:
            return gold is now
        return abs(now - gold) <= max(self.absolute, self.relative * max(abs(gold), abs(now)))


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Moved:
    """One value that moved too far: of a topic, or of ``all`` topics."""

    topic: str
    measure: str
    gold: GoldCell
    now: GoldCell

    @property
    def difference(self) -> float | None:
        """How far, and which way; None where one side has no number."""
        numbers = [value for value in (self.gold, self.now) if value is not None and not isinstance(value, Absent)]
        return numbers[1] - numbers[0] if len(numbers) == 2 else None


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run: its measures in the order of printing, the number of values compared, and what moved."""

    run_id: str
    path: str
    measures: tuple[str, ...]
    values: int
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """What became of a gold file. `notes` name what else differs: the version, the inputs, the signature, a run's id.

    They fail nothing by themselves: they are where to look first when a value moved. `warnings` are those of the
    evaluation, sentences for the user.
    """

    runs: tuple[ComparedRun, ...]
    notes: tuple[str, ...]
    warnings: Sequence[Notice] = ()

    @property
    def moved(self) -> int:
        """Number of values that moved."""
        return sum(len(run.moved) for run in self.runs)

    @property
    def values(self) -> int:
        """Number of values that were compared."""
        return sum(run.values for run in self.runs)
