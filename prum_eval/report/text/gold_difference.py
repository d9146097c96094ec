"""What moved between gold values and an evaluation, for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tabulate import tabulate

from prum_eval.analysis.regression import Absent, ComparedRun, GoldCell, GoldCheck, Moved
from prum_eval.report.layout import ALL, formatted

TOPICS = 10
"""How many topics of a measure a short report names."""
DIGITS = 10


def summary(comparison: GoldCheck) -> str:
    """One sentence: how many runs and values were compared, and whether any moved."""
    runs, values = _counted(len(comparison.runs), "run"), _counted(comparison.values, "value")
    moved = f"{comparison.moved} moved" if comparison.moved else "none moved"
    return f"{runs}, {values}, {moved}"


def difference(name: str, comparison: GoldCheck, *, full: bool = False) -> str:
    """Notes, then a table for each run: of each measure the mean, then the topics that moved most.

    Not `full`, a measure shows at most ten topics.
    """
    lines = [f"{name}: {summary(comparison)}", *(f"  {note}" for note in comparison.notes)]
    for run in comparison.runs:
        if run.moved:
            moved = f"{len(run.moved)} of {_counted(run.values, 'value')} moved"
            lines += ["", f"{run.run_id} ({run.path}): {moved}", *run_table(run, full=full).splitlines()]
    return "\n".join(lines) + "\n"


def run_table(run: ComparedRun, *, full: bool = False) -> str:
    """The values of one run that moved, measure by measure."""
    rows: list[list[str]] = []
    for measure, cells in groupby(run.moved, key=lambda cell: cell.measure):
        listed = list(cells)
        means = [cell for cell in listed if cell.topic == ALL]
        topics = sorted((cell for cell in listed if cell.topic != ALL), key=_by_size)
        kept = topics if full else topics[:TOPICS]
        rows += [
            [measure, cell.topic, number(cell.gold), number(cell.now), change(cell.difference)]
            for cell in [*means, *kept]
        ]
        if len(kept) < len(topics):
            rows.append([measure, f"({len(topics) - len(kept)} more)", "", "", ""])
    headers = ["measure", "topic", "gold", "now", "difference"]
    align = ["left", "left", "right", "right", "right"]
    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True, colalign=align if rows else None)


def _by_size(cell: Moved) -> tuple[bool, float]:
    size = cell.difference
    return size is not None, -abs(size or 0.0)


def number(value: GoldCell) -> str:
    """A value with ten digits after the point; ``absent`` where a side does not have it at all."""
    return value.value if isinstance(value, Absent) else formatted(value, DIGITS)


def change(difference: float | None) -> str:
    """How far a value moved, with its sign; enough digits to see a rounding error.

    >>> change(-1.25e-13), change(2), change(None)
    ('-1.25e-13', '+2', '')
    """
    if difference is None:
        return ""
    return f"{difference:+d}" if isinstance(difference, int) else f"{difference:+.3g}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def notes_line(notes: Sequence[str]) -> str:
    """The notes in one line."""
    return "; ".join(notes)
