"""The topics on which runs are worst, explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

from prum_eval.analysis.explanation.explain import Explanation
from prum_eval.analysis.explanation.one_topic import explain_run
from prum_eval.errors import InputError, UsageError
from prum_eval.evaluation.api import MeasuringKeywords
from prum_eval.evaluation.evaluate_runs import read_source
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import Prepared, prepare
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.formats.given import GivenAssessments, GivenRuns, PathName
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import printed_by
from prum_eval.measures.splits import is_divisible
from prum_eval.records.run import Run


@dataclass(frozen=True)
class WorstTopic:
    """A topic on which a run is bad: the number of the run in the evaluation, from 0, and the value of a measure."""

    run: int
    topic: str
    measure: str
    value: float
    explanation: Explanation


def explain_worst(
    evaluation: Evaluation,
    count: int,
    assessments: GivenAssessments | None,
    runs: GivenRuns | None,
    *,
    texts: PathName | None = None,
    **options: Unpack[MeasuringKeywords],
) -> list[WorstTopic]:
    """Explain the topics of each run that are worst by the first measure that `explain` is about, the worst first.

    Runs are read again. A topic without a value, or that a run does not answer, is none of them.

    Args:
        evaluation: the result of `prum_eval.evaluate` for the same assessments, runs and options.
        count: so many topics of each run.
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        texts: as `prum_eval.explain` takes them.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`.
    """
    name, sign = told_by(evaluation)
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=runs, **options))
    found: list[WorstTopic] = []
    waiting = list(enumerate(evaluation.runs))
    for run in _runs(prepared):
        place = next((one for one in waiting if (one[1].path, one[1].run_id) == (run.path, run.run_id)), None)
        if place is not None:
            waiting.remove(place)
            for topic, value in _worst(place[1], set(run.topics), name, sign)[:count]:
                explanation = explain_run(prepared, run, topic, texts, options, whole_list=False)
                found.append(WorstTopic(place[0], topic, name, value, explanation))
    return found


def told_by(evaluation: Evaluation) -> tuple[str, int]:
    """The first printed name that can be explained and says which values are better, and 1 where those are higher."""
    names = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    measures = printed_by(names)
    scores = [name for name in names if name in measures and is_divisible(measures[name])]
    for name in sorted(scores, key=lambda one: measures[one].split is None):  # of a navigating user before all others
        return name, 1 if measures[name].direction is Direction.HIGHER else -1
    raise UsageError(f"explain says nothing about the measures {', '.join(names)}")


def _runs(prepared: Prepared) -> Iterator[Run]:
    """The runs that can be read."""
    for source in prepared.sources:
        yield from (one for one in read_source(source, prepared.rank_by) if not isinstance(one, InputError))


def _worst(run: RunResult, answered: set[str], name: str, sign: int) -> list[tuple[str, float]]:
    """Topics with their values, the worst first, equal ones by name."""
    values = ((topic, found.get(name)) for topic, found in run.topics.items() if topic in answered)
    known = [(topic, float(value)) for topic, value in values if value is not None]
    return sorted(known, key=lambda one: (sign * one[1], one[0].encode()))
