"""Which runs of an evaluation are best: what tables and pages mark, and which lines of a picture have a colour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prum_eval.analysis.matrix import counts_among, settled
from prum_eval.analysis.telling import telling
from prum_eval.arrays import FloatArray
from prum_eval.evaluation.results import Evaluation, MeasuredValue
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import printed_by


def best_runs(evaluation: Evaluation) -> dict[str, frozenset[int]]:
    """By measure the places of the runs with the best average, several where they are equal to twelve digits.

    A measure that counts, or of which neither direction is better, has none; nor is one run the best of one,
    or an average over some topics better than one over others.
    """
    if evaluation.different_topics:
        return {}
    all_signs = score_signs(evaluation.names)
    return {name: best_among([run.all.get(name) for run in evaluation.runs], sign) for name, sign in all_signs.items()}


def best_among(values: Sequence[MeasuredValue], sign: int) -> frozenset[int]:
    """Places of the largest values, or with sign -1 of the smallest; none of fewer than two values."""
    known = sign * settled(np.array([np.nan if value is None else float(value) for value in values]))
    if np.isnan(known).sum() + 2 > len(known):
        return frozenset()
    return frozenset(np.flatnonzero(known == np.nanmax(known)).tolist())


def best_first(evaluation: Evaluation, measure: str | None = None) -> list[int]:
    """Places of the runs, the best first by a measure, without one by that which ranks them; without values last.

    Equal ones, and all where there are but counts, are in the order in which they came. A measure that neither is a
    score puts the largest value first.
    """
    name = telling(order_asked(evaluation)).headline if measure is None else measure
    if name is None:
        return list(range(len(evaluation.runs)))
    values = score_signs([name]).get(name, 1) * averages(evaluation, name)
    order: list[int] = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable").tolist()
    return order


def order_asked(evaluation: Evaluation) -> Sequence[str]:
    """The measures as they were asked for, which is how people are shown them."""
    return evaluation.asked or evaluation.names


def score_signs(names: Sequence[str]) -> dict[str, int]:
    """1 for measures of which higher values are better, -1 for lower; names that are no scores are left out."""
    known, counts = printed_by(names), counts_among(names)
    directions = {name: known[name].direction if name in known else Direction.HIGHER for name in names}
    sign = {Direction.HIGHER: 1, Direction.LOWER: -1}
    return {name: sign[way] for name, way in directions.items() if way in sign and name not in counts}


def averages(evaluation: Evaluation, name: str) -> FloatArray:
    """The averages of the runs to twelve digits, shape (runs,); NaN where there is none."""
    found = [run.all.get(name) for run in evaluation.runs]
    return settled(np.array([np.nan if value is None else float(value) for value in found]))
