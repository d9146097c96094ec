"""How well a fitted model predicts views: likelihood, sessions held out, calibration, against a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, sums_by
from prum_eval.fitting.likelihood import LARGEST_LEAK, LEAK, leaking, log_likelihood, reach_of_cells
from prum_eval.fitting.logged.pairs import FOLDS, CellCounts
from prum_eval.fitting.solving import Question, Solution, solved

CALIBRATION_BINS = 10


@dataclass(frozen=True)
class Tenth:
    """Pairs whose predicted probability lies between `low` and `high`: how many, `predicted` on average, `observed`."""

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


@dataclass(frozen=True)
class Quality:
    """Log-likelihood of all views; AIC, 2 parameters - 2 log-likelihood; that of each fold by the others, summed.

    `held_out` is None of a single fold. `shared`: the same of the pairs that all models compared have.
    """

    log_likelihood: float
    aic: float
    held_out: float | None
    shared: float | None


def quality_of(
    question: Question, counts: CellCounts, viewed: BoolArray, solution: Solution, shared: BoolArray
) -> Quality:
    """The quality of a model that was fitted to all sessions; `shared`: cells of pairs that all models have."""
    value = solution.fit.value
    found = held_out(question, counts, viewed, solution, shared)
    return Quality(value, 2 * solution.parameters - 2 * value, *(found or (None, None)))


def baseline_quality(counts: CellCounts, viewed: BoolArray) -> tuple[float, Quality]:
    """The constant of users who do not navigate, all views of whom are leaks, and its quality."""
    cells = counts.cells
    leak = _constant(float(cells.views.sum()), float(cells.trials.sum()))
    value = log_likelihood(np.full(len(cells.pair), leak), cells)
    total = 0.0
    folds = _folds(counts)
    if len(folds) < 2:
        return leak, Quality(value, 2 - 2 * value, None, None)
    for fold in folds:
        others, own = counts.of_folds(fold, viewed)
        trials = float(others.trials.sum())
        constant = max(_constant(float(others.views.sum()), trials), _least_leak(trials))
        total += log_likelihood(np.full(len(own.pair), constant), own)
    return leak, Quality(value, 2 - 2 * value, total, total)


def held_out(
    question: Question, counts: CellCounts, viewed: BoolArray, whole: Solution, shared: BoolArray
) -> tuple[float, float] | None:
    """The log-likelihood of the sessions of each fold by the model fitted to all others: of all pairs, of the shared.

    The leak of these is 1 / 2n at least, n pairs: no view of others is impossible. None of a single fold.
    """
    total = common = 0.0
    folds = _folds(counts)
    if len(folds) < 2:
        return None
    for fold in folds:
        others, own = counts.of_folds(fold, viewed)
        solution = solved(question, others, fold, whole)
        reach = reach_of_cells(solution.curve, own, solution.fit.point)
        leak = max(float(solution.fit.point[LEAK]), _least_leak(float(others.trials.sum())))
        predicted = leaking(reach, leak)
        total += log_likelihood(predicted, own)
        common += log_likelihood(predicted[shared], own.take(shared))
    return total, common


def calibration(predicted: FloatArray, trials: FloatArray, views: FloatArray) -> tuple[Tenth, ...]:
    """Observed against predicted, by tenths of the predicted probability; the last holds 1 too."""
    place = np.minimum((predicted * CALIBRATION_BINS + 1e-9).astype(np.int64), CALIBRATION_BINS - 1)
    count, seen, expected = (sums_by(place, values, CALIBRATION_BINS) for values in (trials, views, trials * predicted))
    found = []
    for tenth, (pairs, observed, mean) in enumerate(zip(count.tolist(), seen.tolist(), expected.tolist(), strict=True)):
        shares = (mean / pairs, observed / pairs) if pairs else (None, None)
        found.append(Tenth(tenth / CALIBRATION_BINS, (tenth + 1) / CALIBRATION_BINS, int(pairs), *shares))
    return tuple(found)


def _folds(counts: CellCounts) -> list[int]:
    return [fold for fold in range(FOLDS) if (counts.fold == fold).any()]


def _constant(views: float, trials: float) -> float:
    return min(views / trials, LARGEST_LEAK) if trials else 0.0


def _least_leak(trials: float) -> float:
    return 1.0 / (2.0 * trials)
