"""The topics of a run, those first that are worth explaining: the worst, or those on which two runs differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from prum_eval.analysis.explanation.worst import told_by
from prum_eval.errors import UsageError
from prum_eval.evaluation.api import MeasuringKeywords, evaluate
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import RunResult
from prum_eval.formats.given import GivenAssessments, GivenRun, given_runs
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import printed_by
from prum_eval.measures.splits import is_divisible
from prum_eval.tabular import RowValue, Table, Tabular, plural

_BESIDE = 3
"""How many other measures stand beside the first."""


@dataclass(frozen=True, slots=True)
class TopicOfList:
    """A topic: its values by measure; `against`: the other run's value of the first measure, None without one."""

    topic: str
    values: tuple[float | None, ...]
    against: float | None = None

    @property
    def difference(self) -> float | None:
        """The run minus the other one, on the first measure; None where one of them has no value."""
        return None if self.values[0] is None or self.against is None else self.values[0] - self.against


@dataclass(frozen=True, repr=False)
class TopicList(Tabular):
    """What `explain_topics` returns.

    `measures`: the one that orders the topics, then others that stand beside it. `paths` and `runs`: of the run, and of
    the one that it is compared with. `topics`: without another run the worst first; with one the largest difference
    first. `unanswered`: topics with assessments for which the run, or the other one, has no results.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    topics: tuple[TopicOfList, ...]
    unanswered: tuple[str, ...]
    signature: str
    warnings: Sequence[Notice] = ()

    @property
    def wins(self) -> tuple[int, int, int]:
        """In how many topics the first value is higher, equal, lower than the other run's."""
        found = [one.difference for one in self.topics if one.difference is not None]
        return sum(one > 0 for one in found), sum(one == 0 for one in found), sum(one < 0 for one in found)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a topic."""
        for one in self.topics:
            row: dict[str, RowValue] = {"topic": one.topic, **dict(zip(self.measures, one.values, strict=True))}
            yield row | ({"against": one.against, "difference": one.difference} if len(self.runs) > 1 else {})

    def _summary(self) -> str:
        return f"{plural(len(self.topics), 'topic')} by {self.measures[0]}"

    def _table(self) -> Table:
        more = ("against", "difference") if len(self.runs) > 1 else ()
        return ("topic", *self.measures, *more), (list(row.values()) for row in self.rows())


def explain_topics(
    assessments: GivenAssessments,
    run: GivenRun,
    against: GivenRun | None = None,
    **options: Unpack[MeasuringKeywords],
) -> TopicList:
    """List the topics of a run, those first whose values are worth an explanation.

    The first measure that `explain` is about orders them: the worst value first; against another run the largest
    difference, whichever way it points. Equal ones stand by name. Topics that a run does not answer are told apart.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        against: another run to compare with.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError: as `prum_eval.evaluate`.
        UsageError: a file holds several runs; no measure can be explained.
    """
    given = [*given_runs(run), *(given_runs(against) if against is not None else ())]
    found = evaluate(assessments, given, **options)
    if len(found.runs) != (1 if against is None else 2):
        raise UsageError(f"explain is about one run, and about one other with --against, not {len(found.runs)}")
    plan = prepare(EvaluationOptions(assessments=assessments, runs=given, **options)).plan
    assessed = plan.inputs.assessments.topics if plan.topics is None else plan.topics
    name, sign = told_by(found)
    names = (name,) if against is not None else (name, *_others(name, found.runs[0]))
    first, last = found.runs[0].topics, found.runs[-1].topics
    listed = [
        TopicOfList(
            topic,
            tuple(_number(first[topic].get(one)) for one in names),
            None if against is None else _number(last[topic].get(name)),
        )
        for topic in first
        if topic in last
    ]
    return TopicList(
        names,
        tuple(one.run_id for one in found.runs),
        tuple(one.path for one in found.runs),
        tuple(sorted(listed, key=lambda one: (*_interest(one, sign, alone=against is None), one.topic.encode()))),
        tuple(topic for topic in sorted(assessed, key=str.encode) if topic not in first or topic not in last),
        found.signature,
        found.warnings,
    )


def _interest(one: TopicOfList, sign: int, *, alone: bool) -> tuple[bool, float]:
    """What orders topics: those without a value come last."""
    value = one.values[0] if alone else one.difference
    if value is None:
        return True, 0.0
    return False, sign * value if alone else -abs(value)


def _others(name: str, run: RunResult) -> list[str]:
    """Other scores that stand beside a measure, in the order of printing."""
    measures = printed_by(run.all)
    scores = [other for other, one in measures.items() if other != name and is_divisible(one)]
    return [other for other in run.all if other in scores and measures[other].direction is Direction.HIGHER][:_BESIDE]


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
