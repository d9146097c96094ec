"""What moved between gold values and an evaluation, for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from prum_eval.analysis.regression.moved import Absent, ComparedRun, GoldCell, GoldCheck, Moved
from prum_eval.report.registry import ALL, Layout, formatted
from prum_eval.report.writing import PLAIN, table_text
from prum_eval.tabular import plural

_TOPICS = 10
"""How many topics of a measure a short report names."""
_DIGITS = 10


def summary(check: GoldCheck) -> str:
    """One sentence: how many runs and values were compared, and whether any moved."""
    runs, values = plural(len(check.runs), "run"), plural(check.values, "value")
    moved = f"{check.moved} moved" if check.moved else "none moved"
    return f"{runs}, {values}, {moved}"


def gold_check_text(check: GoldCheck, layout: Layout) -> str:
    """Notes, then a table for each run: of each measure the mean, then the topics that moved most.

    Unless topics are asked for, a measure shows at most ten.
    """
    lines = [f"{layout.title}: {summary(check)}", *(f"  {note}" for note in check.notes)]
    for run in check.runs:
        if run.moved:
            moved = f"{len(run.moved)} of {plural(run.values, 'value')} moved"
            lines += ["", f"{run.run_id} ({run.path}): {moved}", *_run_table(run, full=layout.per_topic).splitlines()]
    return "\n".join(lines) + "\n"


def _run_table(run: ComparedRun, *, full: bool) -> str:
    """The values of one run that moved, measure by measure."""
    rows: list[list[str]] = []
    for measure, cells in groupby(run.moved, key=lambda cell: cell.measure):
        listed = list(cells)
        means = [cell for cell in listed if cell.topic == ALL]
        topics = sorted((cell for cell in listed if cell.topic != ALL), key=_by_size)
        kept = topics if full else topics[:_TOPICS]
        rows += [
            [measure, cell.topic, number(cell.gold), number(cell.now), change(cell.difference)]
            for cell in [*means, *kept]
        ]
        if len(kept) < len(topics):
            rows.append([measure, f"({len(topics) - len(kept)} more)", "", "", ""])
    return table_text(["measure", "topic", "gold", "now", "difference"], rows, PLAIN, words=2)


def _by_size(cell: Moved) -> tuple[bool, float]:
    size = cell.difference
    return size is not None, -abs(size or 0.0)


def number(value: GoldCell) -> str:
    """A value with ten digits after the point; ``absent`` where a side does not have it at all."""
    return value.value if isinstance(value, Absent) else formatted(value, _DIGITS)


def change(difference: float | None) -> str:
    """How far a value moved, with its sign; enough digits to see a rounding error.

    >>> change(-1.25e-13), change(2), change(None)
    ('-1.25e-13', '+2', '')
    """
    if difference is None:
        return ""
    return f"{difference:+d}" if isinstance(difference, int) else f"{difference:+.3g}"


def notes_line(notes: Sequence[str]) -> str:
    """The notes in one line."""
    return "; ".join(notes)
