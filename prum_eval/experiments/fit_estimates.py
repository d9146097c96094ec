"""Estimates with intervals clustered by session: sandwich variances, and the bootstrap where there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, grouped_sums
from prum_eval.errors import DataError
from prum_eval.experiments.fit_log import FOLDS, CellCounts, Cells, Remark, Remarks, ShareCounts, ViewPairs, Visits
from prum_eval.numerics.estimation import (
    Maximum,
    Slope,
    decreasing_root,
    half_width,
    logit_share_variance,
    maximise_likelihood,
    sandwich_variances,
    survival_median,
)
from prum_eval.numerics.resampling import bootstrap_counts
from prum_eval.text.names import find_document
from prum_eval.user_models.model import ReadingDistribution

# The likelihood of views: y log R' + (1 - y) log(1 - R'), R' = e + (1 - 2 e) R, R = reach rank_decay^(rank - 1).
#
# Parameters are points of three numbers: the scaled parameter of the user model (its logarithm, or its logit where it is
# a share), the leak e in [0, .5), and minus the logarithm of rank_decay, from 0 up.


LARGEST_LEAK = 0.5 - 1e-9
PARAMETER, LEAK, DECAY = range(3)
FASTEST_DECAY = 50.0
"""The largest minus logarithm of rank_decay: nothing is left of anything, rank_decay is 0."""
MAX_SCALED_VALUES = {False: 8 * math.log(10.0), True: 12.0}
"""How far a scaled parameter goes in either direction: from 1e-8 to 1e8; a share that far is 0 or 1."""
_NEGLIGIBLE_VARIANCE = 1e-280
"""A variance so small is none."""


@dataclass(frozen=True, eq=False)
class ReachCurve:
    """R of distinct pairs as a function of a parameter: `reach`, and its derivative by the scaled parameter, `slope`.

    `share`: the scale is the logit, else the logarithm. Where nothing is to be estimated, `slope` is None, and `reach`
    the same for all values.
    """

    reach: Callable[[float], FloatArray]
    slope: Callable[[float], FloatArray] | None
    share: bool = False

    def value(self, scaled: float) -> float:
        """The parameter of a number on its scale."""
        if not self.share:
            return math.exp(scaled)
        if abs(scaled) >= MAX_SCALED_VALUES[True]:
            return float(scaled > 0)
        return 1.0 / (1.0 + math.exp(-scaled))

    def with_fixed_value(self, value: float) -> ReachCurve:
        """The curve of a parameter that is known."""
        reach = self.reach(value)
        return ReachCurve(lambda _: reach, None, self.share)


def rank_decay_from_scaled(scaled: float) -> float:
    """rank_decay, of minus its logarithm.

    >>> rank_decay_from_scaled(0.0), rank_decay_from_scaled(50.0)
    (1.0, 0.0)
    """
    return 0.0 if scaled >= FASTEST_DECAY else math.exp(-max(scaled, 0.0))


def cell_reach(curve: ReachCurve, cells: Cells, point: FloatArray) -> FloatArray:
    """R of each cell."""
    fades = np.exp(-point[DECAY] * cells.ranks_before)
    found: FloatArray = np.where(
        cells.unopened_document, curve.reach(curve.value(float(point[PARAMETER])))[cells.pair] * fades, 0.0
    )
    return found


def add_leak(reach: FloatArray, leak: float) -> FloatArray:
    """R' of R."""
    return leak + (1.0 - 2.0 * leak) * reach


def log_likelihood(predicted: FloatArray, cells: Cells) -> float:
    """Of the views of cells with these probabilities; minus infinity where something impossible happened."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(cells.views > 0, cells.views * np.log(predicted), 0.0)
        passed = cells.trials - cells.views
        missed = np.where(passed > 0, passed * np.log1p(-predicted), 0.0)
    return float((seen + missed).sum())


def slope_at(curve: ReachCurve, cells: Cells, point: FloatArray, chosen: IntArray) -> Slope:
    """Value, gradient and information of the likelihood in the chosen ones of the three parameters.

    The information is the expected one, without that of what is certain, which has no bound. Of what is certain, and
    happened so, the gradient is that of log R' or log(1 - R').
    """
    reach = cell_reach(curve, cells, point)
    predicted = add_leak(reach, float(point[LEAK]))
    jacobian = jacobian_at(curve, cells, point, reach)[:, chosen]
    weight = inverse_variance(predicted)
    surprise = (cells.views - cells.trials * predicted) * weight
    surprise += np.where((weight == 0) & (predicted < 0.5) & (cells.views == 0), -cells.trials, 0.0)
    surprise += np.where((weight == 0) & (predicted > 0.5) & (cells.views == cells.trials), cells.trials, 0.0)
    weighted = jacobian * (cells.trials * weight)[:, None]
    return Slope(log_likelihood(predicted, cells), jacobian.T @ surprise, weighted.T @ jacobian)


def inverse_variance(predicted: FloatArray) -> FloatArray:
    """1 / (R' (1 - R')); 0 where that is certain, which tells nothing."""
    spread = predicted * (1.0 - predicted)
    return np.divide(1.0, spread, out=np.zeros(len(spread)), where=spread > _NEGLIGIBLE_VARIANCE)


def jacobian_at(curve: ReachCurve, cells: Cells, point: FloatArray, reach: FloatArray) -> FloatArray:
    """Derivatives of R' by the three parameters, shape (cells, 3)."""
    leak = float(point[LEAK])
    found = np.zeros((len(cells.pair), 3))
    if curve.slope is not None:
        slope = curve.slope(curve.value(float(point[PARAMETER])))[cells.pair] * np.exp(
            -point[DECAY] * cells.ranks_before
        )
        found[:, PARAMETER] = (1.0 - 2.0 * leak) * np.where(cells.unopened_document, slope, 0.0)
    found[:, LEAK] = 1.0 - 2.0 * reach
    found[:, DECAY] = -(1.0 - 2.0 * leak) * cells.ranks_before * reach
    return found


def leaked_share(reach: FloatArray, predicted: FloatArray, cells: Cells, leak: float) -> float:
    """Share of the views that the leak explains: the sum of e (1 - R) / R' over the views; 0 where there are none."""
    views = float(cells.views.sum())
    if views == 0 or leak == 0:
        return 0.0
    return float((cells.views * leak * (1.0 - reach) / predicted).sum()) / views


# Parameters estimated from views: the most likely ones, or of a threshold that of the fewest errors.


_STEPS = 33
_LEAKS = (0.0, 0.003, 0.03, 0.15, 0.4)
_STARTS = 3
_MIN_INFORMATION = 1e-9
"""Information on a scaled parameter with which nothing is known of it."""


@dataclass(frozen=True, eq=False)
class ViewFit:
    """The most likely point, and the likelihood there.

    `free`: which of the three parameters were estimated, are not held by a bound, and matter to the likelihood.
    """

    point: FloatArray
    value: float
    free: BoolArray


def fit_view_model(
    curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray, *, near: bool = False
) -> ViewFit:
    """The most likely point; `chosen` ones of its parameters are estimated, the others stay as in `start`.

    `near`: it is looked for from `start` on, and nowhere else.
    """
    low = np.array([-MAX_SCALED_VALUES[curve.share], 0.0, 0.0])
    high = np.array([MAX_SCALED_VALUES[curve.share], LARGEST_LEAK, FASTEST_DECAY])
    best: Maximum | None = None
    for one in [start] if near else _start_points(curve, cells, start, chosen):
        begin = one.copy()

        def there(values: FloatArray, begin: FloatArray = begin) -> Slope:
            point = begin.copy()
            point[chosen] = values
            return slope_at(curve, cells, point, chosen)

        found = maximise_likelihood(there, begin[chosen], low[chosen], high[chosen])
        if best is None or found.slope.value > best.slope.value:
            best = found
    assert best is not None  # noqa: S101 -- there is one start at least
    point, free = start.copy(), np.zeros(3, dtype=np.bool_)
    point[chosen] = best.point
    free[chosen] = best.free & (np.diag(best.slope.information) > _MIN_INFORMATION)
    return ViewFit(point, best.slope.value, free)


def _start_points(curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray) -> list[FloatArray]:
    """The best points of a coarse grid of the parameter and the leak, peaks apart from each other."""
    scaled = np.linspace(-MAX_SCALED_VALUES[curve.share], MAX_SCALED_VALUES[curve.share], _STEPS)
    values = scaled if PARAMETER in chosen else start[[PARAMETER]]
    leaks = np.array(_LEAKS) if LEAK in chosen else start[[LEAK]]
    decay = 0.05 if DECAY in chosen else start[DECAY]
    heights = np.empty((len(values), len(leaks)))
    for row, value in enumerate(values):
        reach = cell_reach(curve, cells, np.array([value, 0.0, decay]))
        heights[row] = [log_likelihood(add_leak(reach, float(leak)), cells) for leak in leaks]
    best_leak = heights.argmax(axis=1)
    profile = heights.max(axis=1)
    padded = np.concatenate(([-np.inf], profile, [-np.inf]))
    peaks = np.flatnonzero((profile >= padded[:-2]) & (profile > padded[2:]))
    if not len(peaks):
        peaks = np.array([int(profile.argmax())])
    order = peaks[np.argsort(-profile[peaks], kind="stable")][:_STARTS]
    return [np.array([values[row], min(leaks[best_leak[row]], LARGEST_LEAK), decay]) for row in order.tolist()]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The values that tell thresholds on distances apart: `values`, rising, and the `place` of each distance in them.

    `reachable`: which distances a threshold reaches at all; `place` is of these.
    """

    values: FloatArray
    place: IntArray
    reachable: BoolArray

    def best_range(self, gain: FloatArray) -> tuple[float, float]:
        """Between which values a threshold makes the fewest errors, from the first and below the second.

        `gain`: of each distance, how many errors fewer are made by reaching it. Of several such stretches the first.
        """
        sums = grouped_sums(self.place, gain[self.reachable], len(self.values))
        saved = np.concatenate(([0.0], np.cumsum(sums)))  # errors fewer than with a threshold below all
        if len(self.values) and self.values[0] <= 0:
            saved[0] = -np.inf  # no threshold is below
        best = int(saved.argmax())
        low = self.values[best - 1] if best else 0.0
        return float(low), float(self.values[best]) if best < len(self.values) else np.inf


def make_thresholds(distance: FloatArray) -> Thresholds:
    """The thresholds on distances, of which those that are infinite are never reached."""
    known = np.isfinite(distance)
    values, place = np.unique(distance[known], return_inverse=True)
    return Thresholds(values, place.ravel(), known)


def best_threshold_range(distance: FloatArray, viewed: FloatArray, trials: FloatArray) -> tuple[float, float]:
    """Between which values a threshold makes the fewest errors, from the first and below the second.

    An error is a view behind the threshold, or none up to it.

    Args:
        distance: of pairs, infinite where no threshold reaches.
        viewed: how many of them were viewed.
        trials: how many there are.

    Returns:
        Of several such stretches the first. The first value is 0 where the smallest distance is too far already.

    >>> best_threshold_range(np.array([10.0, 30.0, 20.0]), np.array([1.0, 0.0, 1.0]), np.ones(3))
    (20.0, 30.0)
    """
    return make_thresholds(distance).best_range(2.0 * viewed - trials)


def range_middle(low: float, high: float) -> float:
    """The threshold in the middle of a stretch; its beginning where it has no end."""
    return low if np.isinf(high) else (low + high) / 2


# How far users read, from `read=`: where they stopped, or where the document ended and nobody knows.


_MAX_LOG_PARAMETER = 60.0
"""The largest logarithm of a parameter."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Results that were read: so many characters, whether reading `stopped` there, and by which session."""

    read: FloatArray
    stopped: BoolArray
    session: IntArray

    def __len__(self) -> int:
        return len(self.read)

    def take(self, rows: IntArray | BoolArray) -> Readings:
        """Some of them."""
        return Readings(self.read[rows], self.stopped[rows], self.session[rows])


def collect_readings(visits: Visits, lengths: dict[str, int], remarks: Remarks) -> Readings:
    """What a log tells of readings; reading that came to the end of a document, or is said to go on, is cut off there.

    `lengths`: characters of documents, as far as they are known.
    """
    rows = []
    for one in visits.lists:
        results = one.places.ranked.results
        for line in one.lines:
            if line.read is None:
                continue
            place = one.places.number[line.result]
            if not results.located[place] or not one.places.in_known_document[place]:
                remarks.add(Remark.LOST_READING, line.line)
                continue
            length = find_document(lengths, line.result.document)
            if length is None:
                remarks.add(Remark.ENDLESS_READING, line.line)
                rows.append((line.read, True, one.session))
                continue
            room = max(0, length - int(results.start[place]))
            remarks.add(Remark.LONG_READING, line.line, int(line.read > room))
            rows.append((min(line.read, room), line.read < room, one.session))
    read, ended, session = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Readings(read.astype(np.float64), ended > 0, session)


def estimate_reading_parameter(
    law: ReadingDistribution, readings: Readings, weight: FloatArray | None = None
) -> float | None:
    """The parameter of a law that readings tell; None where too few stopped to tell it.

    The most likely one; where the parameter is the median, that of Kaplan and Meier. `weight`: how often each counts.
    """
    weights = np.ones(len(readings)) if weight is None else weight
    if not (weights * readings.stopped).any():
        return None
    score = law.score
    if score is None:
        return survival_median(readings.read, readings.stopped, weights)

    def slope(logarithm: float) -> tuple[float, float]:
        first, second = score(readings.read, readings.stopped, math.exp(logarithm))
        return float(weights @ first), -float(weights @ second)

    return math.exp(decreasing_root(slope, -_MAX_LOG_PARAMETER, _MAX_LOG_PARAMETER))


def reading_scores(law: ReadingDistribution, readings: Readings, value: float) -> tuple[FloatArray, float] | None:
    """Scores of all readings in the logarithm of the parameter, and their information; None for a median."""
    if law.score is None:
        return None
    first, second = law.score(readings.read, readings.stopped, value)
    return first, float(second.sum())


# One user model fitted to some sessions: by likelihood, fewest errors, readings or counts, whichever it asks for.


MIN_DECAY_GAIN = 2.0
"""rank_decay is estimated where that raises the log-likelihood by more: AIC then falls by more than 2."""


@dataclass(frozen=True, eq=False)
class EstimationProblem:
    """What is estimated of a model.

    `curve`: R of the pairs, of all sessions (None) or of those that are not of a fold; for most models the same.
    `fixed_value`: the parameter where it is given. `distance`: of distinct pairs, of a threshold. `reading` and
    `readings`: where the parameter comes from how far users read. `fixed_decay`: minus the logarithm of rank_decay where that
    is given, None where it is estimated if that is worth it. `counted_parameters`: parameters of the curve that counts told.
    """

    curve: Callable[[int | None], ReachCurve]
    fixed_value: float | None = None
    distance: FloatArray | None = None
    reading: ReadingDistribution | None = None
    readings: Readings | None = None
    fixed_decay: float | None = None
    counted_parameters: Callable[[int | None], int] = lambda _: 0


@dataclass(frozen=True, eq=False)
class Solution:
    """A model fitted: the most likely point, and the curve that it is of.

    `value`: of the model's parameter, where it has one. `parameters`: how many were estimated. `estimates_decay`: rank_decay
    is one of them; `gain`: of log-likelihood by that.
    """

    fit: ViewFit
    curve: ReachCurve
    value: float
    parameters: int
    estimates_decay: bool
    gain: float


def solve_problem(
    question: EstimationProblem, cells: Cells, fold: int | None = None, whole: Solution | None = None
) -> Solution:
    """Fit a model to the cells of all sessions, or of those that are not of a fold.

    `whole`: the solution of all sessions, near to which that of most of them lies.

    Raises:
        DataError: too few readings stopped to tell the parameter.
    """
    curve = question.curve(fold)
    chosen, parameters, value = [LEAK], 1 + question.counted_parameters(fold), question.fixed_value
    if value is None and question.reading is not None:
        value = round_to_ten_digits(_reading_value(question, fold))
        parameters += 1
    elif value is None and question.distance is not None:
        distance = np.where(cells.unopened_document, question.distance[cells.pair], np.inf)
        value = range_middle(*best_threshold_range(distance, cells.views, cells.trials))
        parameters += 1
    elif value is None and curve.slope is not None:
        chosen.insert(0, PARAMETER)
        parameters += 1
    if value is not None:
        curve = curve.with_fixed_value(value)
    start = np.zeros(3) if whole is None else whole.fit.point.copy()
    start[DECAY] = question.fixed_decay or 0.0
    found = fit_view_model(curve, cells, start, np.array(chosen), near=whole is not None)
    gain = 0.0
    if question.fixed_decay is None and _may_decay(curve, cells, found):
        begin = found.point if whole is None else whole.fit.point
        decaying = fit_view_model(curve, cells, begin, np.array([*chosen, DECAY]), near=whole is not None)
        gain = decaying.value - found.value
        if gain > MIN_DECAY_GAIN:
            found, parameters = decaying, parameters + 1
    own = round_to_ten_digits(curve.value(float(found.point[PARAMETER]))) if value is None else value
    return Solution(found, curve, own, parameters, estimates_decay=gain > MIN_DECAY_GAIN, gain=max(gain, 0.0))


def round_to_ten_digits(value: float) -> float:
    """An estimate to ten digits that count: to these it is the same on every machine.

    >>> round_to_ten_digits(1 / 3), round_to_ten_digits(287.5)
    (0.3333333333, 287.5)
    """
    return float(f"{value:.10g}")


def _reading_value(question: EstimationProblem, fold: int | None) -> float:
    """The parameter that readings tell."""
    assert question.readings is not None  # noqa: S101 -- there are some where they are asked
    assert question.reading is not None  # noqa: S101 -- likewise
    readings = question.readings
    if fold is not None:
        readings = readings.take(readings.session % FOLDS != fold)
    value = estimate_reading_parameter(question.reading, readings)
    if value is None:
        raise DataError("too few readings stopped before the end of their documents to tell how far users read")
    return value


def _may_decay(curve: ReachCurve, cells: Cells, found: ViewFit) -> bool:
    """Whether anything was viewed at all, and anything is reached from ranks behind the first."""
    later = (cells.ranks_before > 0) & (cells.trials > 0)
    return bool(cells.views.any() and later.any()) and bool((cell_reach(curve, cells, found.point)[later] > 0).any())


@dataclass(frozen=True)
class ParameterEstimate:
    """A parameter: its value, and an interval where there is one.

    `se`: the clustered standard error on the scale that the interval is made on (logarithm, logit or the value itself);
    `naive`: that of independent views. `source`: what it was estimated from; empty where it was given.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    se: float | None = None
    naive: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Resampling:
    """What the bootstrap needs, and how much intervals leave out."""

    seed: int
    trials: int
    alpha: float


def estimate_from_views(
    solution: Solution, counts: CellCounts, pairs: ViewPairs, names: tuple[str, str, str], alpha: float
) -> dict[int, ParameterEstimate]:
    """Estimates, by number, of the parameters that the likelihood told; `names`: of the three."""
    cells, point = counts.cells, solution.fit.point
    chosen = np.flatnonzero(solution.fit.free)
    slope = slope_at(solution.curve, cells, point, chosen)
    reach = cell_reach(solution.curve, cells, point)
    predicted = add_leak(reach, float(point[LEAK]))
    weight = inverse_variance(predicted)
    jacobian = jacobian_at(solution.curve, cells, point, reach)[:, chosen]
    surprise = (pairs.viewed - predicted[counts.cell]) * weight[counts.cell]
    clusters, session = np.unique(pairs.session, return_inverse=True)
    scores = np.zeros((len(clusters), len(chosen)))
    for place, column in enumerate(jacobian.T):
        scores[:, place] = grouped_sums(session.ravel(), surprise * column[counts.cell], len(clusters))
    variance = sandwich_variances(scores, slope.information) if len(chosen) else None
    naive = _naive_errors(slope.information)
    found = {}
    for place, parameter in enumerate(chosen.tolist()):
        error = None if variance is None else math.sqrt(variance[place, place])
        half = None if variance is None else half_width(float(variance[place, place]), len(clusters), alpha)
        own = None if naive is None else float(naive[place])
        found[parameter] = _unscaled_estimate(solution, parameter, names[parameter], half, error, own)
    if LEAK not in found:
        found[LEAK] = ParameterEstimate(names[LEAK], float(point[LEAK]), source="views")
    if solution.estimates_decay and DECAY not in found:
        found[DECAY] = ParameterEstimate(names[DECAY], rank_decay_from_scaled(float(point[DECAY])), source="views")
    return found


def _naive_errors(information: FloatArray) -> FloatArray | None:
    """Standard errors of independent views: the roots of the inverse's diagonal."""
    if not len(information) or np.linalg.cond(information) > 1e14:
        return None
    found: FloatArray = np.sqrt(np.diag(np.linalg.inv(information)))
    return found


def _unscaled_estimate(
    solution: Solution, parameter: int, name: str, half: float | None, error: float | None, naive: float | None
) -> ParameterEstimate:
    """An estimate, with its interval taken back from its scale."""
    middle = float(solution.fit.point[parameter])
    back: Callable[[float], float] = {
        PARAMETER: solution.curve.value,
        LEAK: lambda leak: min(max(leak, 0.0), 0.5),
        DECAY: rank_decay_from_scaled,
    }[parameter]
    ends = (None, None) if half is None else sorted((back(middle - half), back(middle + half)))
    return ParameterEstimate(name, round_to_ten_digits(back(middle)), ends[0], ends[1], error, naive, "views")


def estimate_from_readings(
    name: str, law: ReadingDistribution, readings: Readings, value: float, resampling: Resampling
) -> ParameterEstimate:
    """A parameter that readings tell: on a logarithmic scale, or a median by the bootstrap."""
    scored = reading_scores(law, readings, value)
    clusters, session = np.unique(readings.session, return_inverse=True)
    session = session.ravel()
    if scored is None:
        ends = bootstrap_interval(
            lambda weight: (found := estimate_reading_parameter(law, readings, weight[session]), found),
            len(clusters),
            resampling,
        )
        return ParameterEstimate(name, value, *ends, source="readings")
    scores = grouped_sums(session, scored[0], len(clusters))[:, None]
    variance = sandwich_variances(scores, np.array([[scored[1]]]))
    naive = 1.0 / math.sqrt(scored[1]) if scored[1] > 0 else None
    if variance is None:
        return ParameterEstimate(name, value, naive=naive, source="readings")
    half = half_width(float(variance[0, 0]), len(clusters), resampling.alpha)
    error = math.sqrt(variance[0, 0])
    return ParameterEstimate(name, value, value * math.exp(-half), value * math.exp(half), error, naive, "readings")


def estimate_threshold(
    name: str, distance: FloatArray, pairs: ViewPairs, reached: BoolArray, value: float, resampling: Resampling
) -> ParameterEstimate:
    """A threshold by the bootstrap over sessions; `distance`: of each pair, `reached`: what counts at all."""
    thresholds = make_thresholds(np.where(reached, distance, np.inf))
    clusters, session = np.unique(pairs.session, return_inverse=True)
    own, gain = session.ravel(), np.where(pairs.viewed, 1.0, -1.0)

    def stretch(weight: FloatArray) -> tuple[float, float]:
        return thresholds.best_range(gain * weight[own])

    return ParameterEstimate(name, value, *bootstrap_interval(stretch, len(clusters), resampling), source="views")


def bootstrap_interval(
    ends: Callable[[FloatArray], tuple[float | None, float | None]], clusters: int, resampling: Resampling
) -> tuple[float | None, float | None]:
    """Percentiles over resampled clusters: of the lower ends that `ends` gives for weights, and of the upper ones.

    None where an end is at times not known, or endless.
    """
    if clusters < 2:
        return None, None
    found = [
        ends(weight) for chunk in bootstrap_counts(resampling.seed, resampling.trials, clusters) for weight in chunk
    ]
    lows = np.array([np.nan if low is None else low for low, _ in found])
    highs = np.array([np.nan if high is None else high for _, high in found])
    low = float(np.quantile(lows, resampling.alpha / 2, method="inverted_cdf"))
    high = float(np.quantile(highs, 1 - resampling.alpha / 2, method="inverted_cdf"))
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def estimate_share(name: str, counted: ShareCounts, source: str, alpha: float) -> ParameterEstimate | None:
    """A share that is counted; None where nothing was."""
    share = counted.share()
    if share is None:
        return None
    own: IntArray = np.flatnonzero(counted.whole > 0)
    variance = logit_share_variance(counted.part[own], counted.whole[own])
    if variance is None:
        return ParameterEstimate(name, share, source=source)
    half, logit = half_width(variance, len(own), alpha), math.log(share / (1 - share))
    low, high = (1 / (1 + math.exp(-end)) for end in (logit - half, logit + half))
    naive = 1 / math.sqrt(counted.whole.sum() * share * (1 - share))
    return ParameterEstimate(name, share, low, high, math.sqrt(variance), naive, source)


# How well a fitted model predicts views: likelihood, sessions held out, calibration, against a constant.


CALIBRATION_BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Pairs whose predicted probability lies between `low` and `high`: how many, `predicted` on average, `observed`."""

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


@dataclass(frozen=True)
class Quality:
    """Log-likelihood of all views; AIC, 2 parameters - 2 log-likelihood; that of each fold by the others, summed.

    `held_out_likelihood` is None of a single fold. `shared`: the same of the pairs that all models compared have.
    """

    log_likelihood: float
    aic: float
    held_out: float | None
    shared: float | None


def assess_fit(
    question: EstimationProblem, counts: CellCounts, viewed: BoolArray, solution: Solution, shared: BoolArray
) -> Quality:
    """The quality of a model that was fitted to all sessions; `shared`: cells of pairs that all models have."""
    value = solution.fit.value
    found = held_out_likelihood(question, counts, viewed, solution, shared)
    return Quality(value, 2 * solution.parameters - 2 * value, *(found or (None, None)))


def baseline_quality(counts: CellCounts, viewed: BoolArray) -> tuple[float, Quality]:
    """The constant of users who do not navigate, all views of whom are leaks, and its quality."""
    cells = counts.cells
    leak = _constant_leak(float(cells.views.sum()), float(cells.trials.sum()))
    value = log_likelihood(np.full(len(cells.pair), leak), cells)
    total = 0.0
    folds = _nonempty_folds(counts)
    if len(folds) < 2:
        return leak, Quality(value, 2 - 2 * value, None, None)
    for fold in folds:
        others, own = counts.split_fold(fold, viewed)
        trials = float(others.trials.sum())
        constant = max(_constant_leak(float(others.views.sum()), trials), _least_leak(trials))
        total += log_likelihood(np.full(len(own.pair), constant), own)
    return leak, Quality(value, 2 - 2 * value, total, total)


def held_out_likelihood(
    question: EstimationProblem, counts: CellCounts, viewed: BoolArray, whole: Solution, shared: BoolArray
) -> tuple[float, float] | None:
    """The log-likelihood of the sessions of each fold by the model fitted to all others: of all pairs, of the shared.

    The leak of these is 1 / 2n at least, n pairs: no view of others is impossible. None of a single fold.
    """
    total = common = 0.0
    folds = _nonempty_folds(counts)
    if len(folds) < 2:
        return None
    for fold in folds:
        others, own = counts.split_fold(fold, viewed)
        solution = solve_problem(question, others, fold, whole)
        reach = cell_reach(solution.curve, own, solution.fit.point)
        leak = max(float(solution.fit.point[LEAK]), _least_leak(float(others.trials.sum())))
        predicted = add_leak(reach, leak)
        total += log_likelihood(predicted, own)
        common += log_likelihood(predicted[shared], own.take(shared))
    return total, common


def calibration(predicted: FloatArray, trials: FloatArray, views: FloatArray) -> tuple[CalibrationBin, ...]:
    """Observed against predicted, by tenths of the predicted probability; the last holds 1 too."""
    place = np.minimum((predicted * CALIBRATION_BINS + 1e-9).astype(np.int64), CALIBRATION_BINS - 1)
    count, seen, expected = (
        grouped_sums(place, values, CALIBRATION_BINS) for values in (trials, views, trials * predicted)
    )
    found = []
    for tenth, (pairs, observed, mean) in enumerate(zip(count.tolist(), seen.tolist(), expected.tolist(), strict=True)):
        shares = (mean / pairs, observed / pairs) if pairs else (None, None)
        found.append(CalibrationBin(tenth / CALIBRATION_BINS, (tenth + 1) / CALIBRATION_BINS, int(pairs), *shares))
    return tuple(found)


def _nonempty_folds(counts: CellCounts) -> list[int]:
    return [fold for fold in range(FOLDS) if (counts.fold == fold).any()]


def _constant_leak(views: float, trials: float) -> float:
    return min(views / trials, LARGEST_LEAK) if trials else 0.0


def _least_leak(trials: float) -> float:
    return 1.0 / (2.0 * trials)
