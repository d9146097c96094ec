"""How a result is to be written, whatever the format: what of it, in which order, with how many digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.evaluation.results import MeasuredValue, RunResult

if TYPE_CHECKING:  # most results are no comparisons
    from prum_eval.analysis.comparison import Comparison

DIGITS = 4
ALL = "all"
DIFFERENT = "*"
"""What marks averages that are over other topics than those of other runs."""


class TopicPage(NamedTuple):
    """A page about a topic of a run, whose number in the evaluation counts from 0, and the value that leads to it."""

    run: int
    topic: str
    measure: str
    value: float
    path: str


@dataclass(frozen=True)
class Layout:
    """How a result is to be written; every format takes from it what concerns it.

    Attributes:
        per_topic: a block a topic (-q); of a gold check, every topic that moved (--full).
        averages: the averages over topics (off with -n).
        digits: digits after the point.
        full: a comparison shows every measure with all its statistics, where else it would be a leaderboard (--full).
        bold: the best values are bold, as a terminal shows them.
        test: the test whose p-values the tables of a comparison show.
        title: what the result is called: of a gold check, its file; of fitted models, that of the steps of a graph.
        size: the size of pictures (--plot-size).
        sort: the measure by which tables put the best runs first.
        transpose: rows and columns of tables change places.
        marks: a comparison of the runs of an evaluation, whose significant differences tables mark.
        worst: the topics that have a page of their own, which a page of an evaluation leads to.
        raw_csv: CSV has names as they are, also those that a spreadsheet would run as formulas (--raw-csv).
        date: what pages say of their date; nothing if empty.
        format: the name of the format, set when it is rendered.
    """

    per_topic: bool = False
    averages: bool = True
    digits: int = DIGITS
    full: bool = False
    bold: bool = False
    test: str = "randomisation"
    title: str = ""
    size: str = "column"
    sort: str | None = None
    transpose: bool = False
    marks: Comparison | None = None
    worst: Sequence[TopicPage] = ()
    raw_csv: bool = False
    date: str = ""
    format: str = ""


def formatted(value: MeasuredValue, digits: int) -> str:
    """A count as it is, a number with fixed digits, ``nan`` where a topic has no value.

    >>> formatted(3, 4), formatted(0.5, 4), formatted(None, 4)
    ('3', '0.5000', 'nan')
    """
    if value is None:
        return "nan"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def numbers(values: Sequence[float], digits: int) -> list[str]:
    """Numbers of a column for people: without digits after the point where one of them is 100 or more.

    >>> numbers([0.5, 0.25], 2), numbers([99, 1234.5], 2)
    (['0.50', '0.25'], ['99', '1,234'])
    """
    large = max(map(abs, values)) >= 100
    return [f"{value:,.0f}" if large else formatted(value, digits) for value in values]


class Block(NamedTuple):
    """The values of a run on a topic, or its averages: of a group, or with neither of all topics."""

    group: str | None
    topic: str
    values: Mapping[str, MeasuredValue]


def blocks(run: RunResult, layout: Layout) -> list[Block]:
    """The topics, groups and averages of a run that are to be shown, in order; topics are called `ALL` in averages."""
    group_of = run.group_of if run.groups else {}
    listed = run.topics.items() if layout.per_topic else ()
    topics = [Block(group_of.get(topic), topic, values) for topic, values in listed]
    averages = [*(Block(group, ALL, one.all) for group, one in run.groups.items()), Block(None, ALL, run.all)]
    return topics + (averages if layout.averages else [])
