"""What moved between gold values and an evaluation, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from prum_eval.analysis.regression.moved import Absent, ComparedRun, GoldCell, GoldCheck, Moved, Movement, Unmet
from prum_eval.formats.values.gold import Gold
from prum_eval.report.layout import ALL, Layout, formatted
from prum_eval.report.writing import PLAIN, table_text
from prum_eval.tabular import plural

_TOPICS = 10
"""How many topics of a measure a short report names."""
_DIGITS = 10


def contents(gold: Gold) -> str:
    """What was written: how many runs, topics, measures and bounds."""
    topics = {topic for run in gold.runs for topic in run.topics}
    measures = {name for run in gold.runs for name in run.all}
    parts = [plural(len(gold.runs), "run"), plural(len(topics), "topic"), plural(len(measures), "measure")]
    bounds = [plural(len(gold.thresholds), "bound")] if gold.thresholds else []
    return f"written: {', '.join([*parts, *bounds])}"


def summary(check: GoldCheck) -> str:
    """One sentence: how many runs and values were compared, which way any moved, how many thresholds are not met."""
    parts = [plural(len(check.runs), "run"), plural(check.values, "value"), _ways(check.movements)]
    failing = sum(len(run.failing) for run in check.runs)
    if failing < check.moved:
        parts.append(f"{failing or 'none'} worse")
    if check.thresholds:
        bounds = len(check.thresholds) * len(check.runs)
        unmet = f"{len(check.unmet)} of {plural(bounds, 'bound')} not met"
        parts.append(unmet if check.unmet else f"{plural(bounds, 'bound')} met")
    return ", ".join(parts)


def _ways(movements: Counter[Movement]) -> str:
    """How many values moved, and how many each way.

    >>> _ways(Counter({Movement.ROSE: 2, Movement.GONE: 1})), _ways(Counter())
    ('3 moved (2 rose, 1 gone)', 'none moved')
    """
    total = movements.total()
    ways = ", ".join(f"{movements[way]} {way.value}" for way in Movement if movements[way])
    return f"{total} moved ({ways})" if total else "none moved"


def gold_check_text(check: GoldCheck, layout: Layout) -> str:
    """Notes, bounds that are not met, then a table for each run: of each measure the mean, then topics, by how far.

    Only what fails the check is listed. Unless topics are asked for, a measure shows at most ten.
    """
    lines = [f"{layout.title}: {summary(check)}", *(f"  {note}" for note in check.notes)]
    if check.unmet:
        lines += ["", *_unmet_table(check.unmet).splitlines()]
    for run in check.runs:
        if run.failing:
            how = "moved" if run.failing == run.moved else "worse"
            failing = f"{len(run.failing)} of {plural(run.values, 'value')} {how}"
            lines += ["", f"{run.run_id} ({run.path}): {failing}", *_run_table(run, full=layout.per_topic).splitlines()]
    return "\n".join(lines) + "\n"


def unmet_line(unmet: Unmet) -> str:
    """One bound that a run does not meet, in one line."""
    return f"{unmet.run_id} ({unmet.path}): {unmet.threshold.text} is not met: {number(unmet.value)}"


def _unmet_table(listed: Sequence[Unmet]) -> str:
    rows = [[one.run_id, one.threshold.text, number(one.value)] for one in listed]
    return table_text(["run", "not met", "now"], rows, PLAIN, words=2)


def _run_table(run: ComparedRun, *, full: bool) -> str:
    """The values of one run that fail, measure by measure."""
    rows: list[list[str]] = []
    for measure, cells in groupby(run.failing, key=lambda cell: cell.measure):
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
