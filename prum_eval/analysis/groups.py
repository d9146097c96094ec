"""Runs by group of topics: their means in each, and the measures by which their order is not the same in all."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.matrix import Matrix, mean, scores_among, settled
from prum_eval.arrays import FloatArray
from prum_eval.evaluation.groups import by_group
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import printed_by
from prum_eval.numerics.crossings import widest_crossing


@dataclass(frozen=True)
class GroupMean:
    """The mean of a run on a measure over the topics of a group; `run` is its place; None without a topic."""

    measure: str
    group: str
    run: int
    topics: int
    mean: float | None


@dataclass(frozen=True)
class OrderChange:
    """By `measure`, the run at place `run` is better than the `other` in one group, and worse in another.

    `better` and `worse` are these groups, `means` those of the run and the other in the first, then in the second. Of
    all such pairs it is the one that changes places most.
    """

    measure: str
    run: int
    other: int
    better: str
    worse: str
    means: tuple[float, float, float, float]


def group_means(matrix: Matrix) -> tuple[GroupMean, ...]:
    """One for each measure, group and run; groups in byte order, the topics those that count for the measure."""
    place = {topic: number for number, topic in enumerate(matrix.topics)}
    groups = {
        group: [place[topic] for topic in topics] for group, topics in by_group(matrix.groups, matrix.topics).items()
    }
    return tuple(
        GroupMean(measure, group, run, int(np.count_nonzero(~np.isnan(own[topics]))), mean(own[topics]))
        for measure, values in zip(matrix.measures, matrix.values, strict=True)
        for group, topics in groups.items()
        for run, own in enumerate(values)
    )


def order_changes(evaluation: Evaluation) -> list[OrderChange]:
    """The measures of an evaluation that change the order of its runs between groups of topics."""
    scores = scores_among(evaluation.names)
    names = [name for name in evaluation.names if name in scores]
    groups = sorted({group for run in evaluation.runs for group in run.groups}, key=str.encode)
    tables = {name: [[_mean_in(run, group, name) for run in evaluation.runs] for group in groups] for name in names}
    return changes_among({name: np.array(own, dtype=np.float64) for name, own in tables.items()}, groups)


def changes_among(means: Mapping[str, FloatArray], groups: Sequence[str]) -> list[OrderChange]:
    """Those of some scores, each with its means by group and run, NaN where there is none."""
    if len(groups) < 2:
        return []
    lower = {name for name, measure in printed_by(means).items() if measure.direction is Direction.LOWER}
    return [one for name, own in means.items() if (one := _change(name, own, groups, lower)) is not None]


def _change(measure: str, means: FloatArray, groups: Sequence[str], lower: Container[str]) -> OrderChange | None:
    found = widest_crossing(settled(means))
    if found is None:
        return None
    first, second = (found.below, found.above) if measure in lower else (found.above, found.below)
    pairs = [(row, column) for row in (first, second) for column in (found.upper, found.lower)]
    values = [float(means[pair]) for pair in pairs]
    return OrderChange(
        measure, found.upper, found.lower, groups[first], groups[second], (values[0], values[1], values[2], values[3])
    )


def _mean_in(run: RunResult, group: str, measure: str) -> float:
    value = run.groups[group].all.get(measure) if group in run.groups else None
    return np.nan if value is None else float(value)
