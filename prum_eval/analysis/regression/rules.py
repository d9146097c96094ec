"""What fails a check of gold values: which values are compared, how far they may move, and which way."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.analysis.regression.moved import Absent, Moved
from prum_eval.errors import UsageError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may move: the larger of `absolute` and `relative` times the larger of the two magnitudes.

    The defaults allow what the rounding of another processor or library may do, and nothing that can be printed.
    """

    absolute: float = 1e-15
    relative: float = 1e-12

    def allows(self, cell: Moved) -> bool:
        """Whether a value may have moved like this; one side without a number is never allowed."""
        if isinstance(cell.gold, Absent) or isinstance(cell.now, Absent) or cell.gold is None or cell.now is None:
            return cell.gold is cell.now
        return abs(cell.now - cell.gold) <= max(self.absolute, self.relative * max(abs(cell.gold), abs(cell.now)))


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rules:
    """What fails a check.

    Attributes:
        averages: how far averages may move.
        topics: how far values of single topics may move; None where these are not compared.
        only_worse: values that got better, and counts, which have no better, fail nothing.
    """

    averages: Tolerance = Tolerance()
    topics: Tolerance | None = Tolerance()
    only_worse: bool = False

    def fails(self, cell: Moved) -> bool:
        """Whether a value that moved fails the check."""
        return cell.is_worse or not self.only_worse


def rules(
    *,
    absolute: float | None = None,
    relative: float | None = None,
    exact: bool = False,
    topics_within: float | None = None,
    means: bool = False,
    only_worse: bool = False,
) -> Rules:
    """The rules that a call asks for.

    Args:
        absolute: how far values may move.
        relative: by what share of the larger magnitude they may move; with `absolute` by the larger of the two.
        exact: values may not move at all.
        topics_within: values of single topics may move by this much; averages keep to the others.
        means: only averages are compared.
        only_worse: only values that got worse, by the direction of their measure, and those that are gone fail.

    Raises:
        UsageError: two that exclude each other.
    """
    given = absolute is not None or relative is not None
    if exact and given:
        raise UsageError("--exact leaves no room for --absolute or --relative")
    if means and topics_within is not None:
        raise UsageError("--means compares no values of topics, which --topics-within is for")
    averages = Tolerance(absolute or 0.0, relative or 0.0) if given else EXACT if exact else Tolerance()
    own = averages if topics_within is None else Tolerance(topics_within, 0.0)
    return Rules(averages, None if means else own, only_worse)
