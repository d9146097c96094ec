"""One user model fitted to some sessions: by likelihood, fewest errors, readings or counts, whichever it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError
from prum_eval.fitting.likelihood import DECAY, LEAK, PARAMETER, ReachCurve, reach_of_cells
from prum_eval.fitting.logged.pairs import FOLDS, Cells
from prum_eval.fitting.reading import Readings, read_parameter
from prum_eval.fitting.views import ViewFit, fewest_errors, middle, most_likely
from prum_eval.user_models.model import ReadingLaw

WORTH = 2.0
"""rank_decay is estimated where that raises the log-likelihood by more: AIC then falls by more than 2."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is estimated of a model.

    `curve`: R of the pairs, of all sessions (None) or of those that are not of a fold; for most models the same.
    `held`: the parameter where it is given. `distance`: of distinct pairs, of a threshold. `reading` and
    `readings`: where the parameter comes from how far users read. `decay`: minus the logarithm of rank_decay where that
    is given, None where it is estimated if that is worth it. `counted`: parameters of the curve that counts told.
    """

    curve: Callable[[int | None], ReachCurve]
    held: float | None = None
    distance: FloatArray | None = None
    reading: ReadingLaw | None = None
    readings: Readings | None = None
    decay: float | None = None
    counted: Callable[[int | None], int] = lambda _: 0


@dataclass(frozen=True, eq=False)
class Solution:
    """A model fitted: the most likely point, and the curve that it is of.

    `value`: of the model's parameter, where it has one. `parameters`: how many were estimated. `decaying`: rank_decay
    is one of them; `gain`: of log-likelihood by that.
    """

    fit: ViewFit
    curve: ReachCurve
    value: float
    parameters: int
    decaying: bool
    gain: float


def solved(question: Question, cells: Cells, fold: int | None = None, whole: Solution | None = None) -> Solution:
    """Fit a model to the cells of all sessions, or of those that are not of a fold.

    `whole`: the solution of all sessions, near to which that of most of them lies.

    Raises:
        DataError: too few readings stopped to tell the parameter.
    """
    curve = question.curve(fold)
    chosen, parameters, value = [LEAK], 1 + question.counted(fold), question.held
    if value is None and question.reading is not None:
        value = ten_digits(_read(question, fold))
        parameters += 1
    elif value is None and question.distance is not None:
        distance = np.where(cells.open, question.distance[cells.pair], np.inf)
        value = middle(*fewest_errors(distance, cells.views, cells.trials))
        parameters += 1
    elif value is None and curve.slope is not None:
        chosen.insert(0, PARAMETER)
        parameters += 1
    if value is not None:
        curve = curve.at(value)
    start = np.zeros(3) if whole is None else whole.fit.point.copy()
    start[DECAY] = question.decay or 0.0
    found = most_likely(curve, cells, start, np.array(chosen), near=whole is not None)
    gain = 0.0
    if question.decay is None and _may_decay(curve, cells, found):
        begin = found.point if whole is None else whole.fit.point
        decaying = most_likely(curve, cells, begin, np.array([*chosen, DECAY]), near=whole is not None)
        gain = decaying.value - found.value
        if gain > WORTH:
            found, parameters = decaying, parameters + 1
    own = ten_digits(curve.value(float(found.point[PARAMETER]))) if value is None else value
    return Solution(found, curve, own, parameters, decaying=gain > WORTH, gain=max(gain, 0.0))


def ten_digits(value: float) -> float:
    """An estimate to ten digits that count: to these it is the same on every machine.

    >>> ten_digits(1 / 3), ten_digits(287.5)
    (0.3333333333, 287.5)
    """
    return float(f"{value:.10g}")


def _read(question: Question, fold: int | None) -> float:
    """The parameter that readings tell."""
    assert question.readings is not None  # noqa: S101 -- there are some where they are asked
    assert question.reading is not None  # noqa: S101 -- likewise
    readings = question.readings
    if fold is not None:
        readings = readings.take(readings.session % FOLDS != fold)
    value = read_parameter(question.reading, readings)
    if value is None:
        raise DataError("too few readings stopped before the end of their documents to tell how far users read")
    return value


def _may_decay(curve: ReachCurve, cells: Cells, found: ViewFit) -> bool:
    """Whether anything was viewed at all, and anything is reached from ranks behind the first."""
    later = (cells.before > 0) & (cells.trials > 0)
    return bool(cells.views.any() and later.any()) and bool(
        (reach_of_cells(curve, cells, found.point)[later] > 0).any()
    )
