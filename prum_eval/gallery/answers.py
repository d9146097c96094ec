"""How measures answer to the situations of the gallery, as values of each step."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from prum_eval.evaluation.api import evaluated
from prum_eval.evaluation.notices.notice import REFUSED, Notice
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import MeasuredValue, RunResult
from prum_eval.gallery.sample import Sample, sample
from prum_eval.gallery.situations import SITUATIONS, Situation
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import split_cutoffs
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records.run import Run
from prum_eval.simulation.simulate import simulate
from prum_eval.tabular import RowValue, Table, Tabular, plural

_LEFT_OUT = "; left out: "
_REASON = re.compile(r"^.*: document .*, retrieved on line [0-9]+, ")
"""What a warning says of a run that a measure refuses, before the reason."""
_SEED = 40
"""The first with which no two elements of noise are in one document, which some measures refuse."""
TOKENS = 0.25
"""Tokens a character, for measures that count tokens."""
_USUAL = {Shape.AT_RANKS: 10.0, Shape.AT_LEVELS: 0.2, Shape.AT_BUDGETS: 2000.0}
"""Of a measure with many cut-offs, levels or budgets, the one nearest to this is shown."""


@dataclass(frozen=True)
class MeasureAnswer:
    """A measure in a situation: `values` has one a step, the ideal list first, None where it refuses such runs.

    `reason`: why it refuses the first of those, if it does. `top`: the value at the top of its picture, the same in all
    situations: 1, or the largest one where that is more.
    """

    measure: str
    situation: Situation
    values: tuple[float | None, ...]
    reason: str | None
    top: float


@dataclass(frozen=True, repr=False)
class Answers(Tabular):
    """What `answers` returns: of each measure one answer a situation, in the order of these."""

    answers: tuple[MeasureAnswer, ...]

    @property
    def by_measure(self) -> Mapping[str, Sequence[MeasureAnswer]]:
        """The answers of each measure."""
        found: dict[str, list[MeasureAnswer]] = {}
        for one in self.answers:
            found.setdefault(one.measure, []).append(one)
        return found

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure, situation and step."""
        for one in self.answers:
            for step, value in zip(one.situation.places, one.values, strict=True):
                yield {"measure": one.measure, "situation": one.situation.name, "step": step, "value": value}

    def _summary(self) -> str:
        return f"{plural(len(self.by_measure), 'measure')} in {plural(len(SITUATIONS), 'situation')}"

    def _table(self) -> Table:
        rows = list(self.rows())
        return ("measure", "situation", "step", "value"), (list(row.values()) for row in rows)


def answers(measure: str) -> Answers:
    """How a measure answers to near misses, overlap, noise in front, missing targets and reading effort.

    >>> from prum_eval import answers
    >>> found = answers("eprum_map")
    >>> found
    <Answers: 1 measure in 5 situations>
    >>> [round(value, 4) for value in found.answers[3].values]
    [1.0, 0.875, 0.5833, 0.2917, 0.0972]

    The runs are simulated on a small collection that is made up, the same for every measure; results are as evaluate
    gives them there.

    Args:
        measure: a specification as ``-m`` takes it: a measure, a family or a set, with settings if need be. If it names
            no cut-offs, levels or budgets, one of each measure is shown.

    Raises:
        UsageError: an unknown name, or a value that is not legal.
        DataError: it cannot be computed on the collection.
    """
    made = sample()
    runs = list(_runs(made))
    options = EvaluationOptions(
        assessments=made.assessments,
        runs=[run for _, run in runs],
        structure=made.structure,
        measures=measure,
        tokens=TOKENS,
    )
    prepared = prepare(options)
    # a measure that refuses some runs is shown all the same
    pairs = [(replace(instance, explicit=False), setting) for instance, setting in prepared.plan.pairs]
    evaluation = evaluated(replace(prepared, plan=replace(prepared.plan, pairs=pairs)))
    found: dict[StepName, list[RunResult]] = {}
    for (place, _), result in zip(runs, evaluation.runs, strict=True):
        found.setdefault(place, []).append(result)
    refused = [notice for notice in evaluation.warnings if notice.kind == REFUSED]
    every = split_cutoffs(measure.partition(":")[0])[1] is not None
    return Answers(
        tuple(
            answer
            for instance, _ in pairs
            for name in (instance.names if every else _one(instance))
            for answer in _of_measure(name, found, [one for one in refused if instance.called in _left_out(one)])
        )
    )


StepName = tuple[str, str]
"""A situation and a step of it, by name; those of the ideal list are empty."""
_IDEAL = ("", "")


def _runs(made: Sample) -> Iterator[tuple[StepName, Run]]:
    """The runs of all steps, the ideal list first."""
    steps: list[tuple[StepName, tuple[str, ...], int]] = [(_IDEAL, (), 1)]
    steps += [((one.name, step.name), step.changes, one.copies) for one in SITUATIONS for step in one.steps]
    for place, changes, copies in steps:
        made_runs = simulate(made.assessments, structure=made.structure, changes=changes, copies=copies, seed=_SEED)
        for simulated in made_runs:
            name = "-".join(filter(None, (*place, str(simulated.copy))))
            yield place, replace(simulated.run, run_id=name, path=name)


def _one(instance: ConfiguredMeasure) -> tuple[str, ...]:
    """The name that is shown of a measure: of several, the one whose cut-off, level or budget is a usual one."""
    usual = _USUAL.get(instance.measure.shape, 0.0)
    points = dict(zip(instance.cutoffs, instance.names, strict=False))
    return (points[min(points, key=lambda point: abs(point - usual))],) if points else instance.names


def _of_measure(
    name: str, found: Mapping[StepName, Sequence[RunResult]], refused: Sequence[Notice]
) -> list[MeasureAnswer]:
    """The answers of a measure: means over copies, and why the first step that has none has none."""
    values = {place: _mean([run.all.get(name) for run in runs]) for place, runs in found.items()}
    top = max([1.0, *(value for value in values.values() if value is not None)])
    reasons = {one.run: _REASON.sub("", one.text).partition(_LEFT_OUT)[0] for one in refused}
    answered = []
    for situation in SITUATIONS:
        places = [_IDEAL, *((situation.name, step.name) for step in situation.steps)]
        reason = next((reasons[run.path] for place in places for run in found[place] if run.path in reasons), None)
        answered.append(MeasureAnswer(name, situation, tuple(values[place] for place in places), reason, top))
    return answered


def _mean(values: Sequence[MeasuredValue]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) else None


def _left_out(notice: Notice) -> list[str]:
    """The measures that refuse a run, as a warning names them."""
    return notice.text.rpartition(_LEFT_OUT)[2].split(", ")
