"""How values and rows look in every textual format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prum_eval.evaluation.results import Evaluation, MeasuredValue, RunResult

DIGITS = 4
ALL = "all"


@dataclass(frozen=True)
class Layout:
    """What to show: a block a topic (-q), the averages (off with -n), digits after the point."""

    per_topic: bool = False
    averages: bool = True
    digits: int = DIGITS


def formatted(value: MeasuredValue, digits: int) -> str:
    """A count as it is, a number with fixed digits, ``nan`` where a topic has no value.

    >>> formatted(3, 4), formatted(0.5, 4), formatted(None, 4)
    ('3', '0.5000', 'nan')
    """
    if value is None:
        return "nan"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def blocks(run: RunResult, layout: Layout) -> Iterator[tuple[str, Mapping[str, MeasuredValue]]]:
    """The topics and averages of a run that are to be shown, in order."""
    if layout.per_topic:
        yield from run.topics.items()
    if layout.averages:
        yield ALL, run.all


def grid(evaluation: Evaluation, layout: Layout) -> tuple[list[str], list[list[str]]]:
    """Headers and rows for people: a row a topic and measure, a column a run."""
    runs = evaluation.runs
    headers = [*(["topic"] if layout.per_topic else []), "measure", *(run.run_id for run in runs)]
    found = [dict(blocks(run, layout)) for run in runs]
    topics = sorted({topic for values in found for topic in values} - {ALL})
    rows = []
    for topic in [*topics, *([ALL] if layout.averages else [])]:
        own = [values.get(topic, {}) for values in found]
        # A run may lack a measure: one that refused it, or that is only for another task.
        for name in evaluation.names:
            if not any(name in values for values in own):
                continue
            cells = [formatted(values[name], layout.digits) if name in values else "" for values in own]
            rows.append([*([topic] if layout.per_topic else []), name, *cells])
    return headers, rows
