"""What is shown of a result and how: the options of a command that change no number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prum_eval.evaluation.results import MeasuredValue, RunResult

DIGITS = 4
ALL = "all"


@dataclass(frozen=True)
class Layout:
    """How a result is to be written; every format takes from it what concerns it.

    Attributes:
        per_topic: a block a topic (-q); of a gold check, every topic that moved (--full).
        averages: the averages over topics (off with -n).
        digits: digits after the point.
        test: the test whose p-values the tables of a comparison show.
        title: what the result is called: of a gold check, its file.
        size: the size of pictures (--plot-size).
        format: the name of the format, set when it is rendered.
    """

    per_topic: bool = False
    averages: bool = True
    digits: int = DIGITS
    test: str = "randomisation"
    title: str = ""
    size: str = "column"
    format: str = ""


def formatted(value: MeasuredValue, digits: int) -> str:
    """A count as it is, a number with fixed digits, ``nan`` where a topic has no value.

    >>> formatted(3, 4), formatted(0.5, 4), formatted(None, 4)
    ('3', '0.5000', 'nan')
    """
    if value is None:
        return "nan"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def blocks(run: RunResult, layout: Layout) -> list[tuple[str, Mapping[str, MeasuredValue]]]:
    """The topics and averages of a run that are to be shown, in order."""
    return [*(run.topics.items() if layout.per_topic else ()), *([(ALL, run.all)] if layout.averages else ())]
