"""Estimates of parameters of user models with intervals clustered by session, and the quality of fits.

The likelihood of views is y log R' + (1 - y) log(1 - R'), with R' = e + (1 - 2 e) R and R = reach rank_decay^(rank -
1).

Conventions. Parameters are points of three numbers: the scaled parameter of the user model (its logarithm, or its logit
if it is a share), the leak e in [0, .5), and minus the logarithm of rank_decay, from 0 up. Parameters are estimated by
maximum likelihood, thresholds by the fewest errors, others from readings or counts. Intervals come from sandwich
variances, or from the bootstrap over sessions.
"""

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

LARGEST_LEAK = 0.5 - 1e-9
PARAMETER, LEAK, DECAY = range(3)
FASTEST_DECAY = 50.0
"""Largest minus logarithm of rank_decay; it stands for rank_decay = 0."""
MAX_SCALED_VALUES = {False: 8 * math.log(10.0), True: 12.0}
"""Bounds of scaled parameters, not shares and shares: from 1e-8 to 1e8; a share at the bound is 0 or 1."""
_NEGLIGIBLE_VARIANCE = 1e-280
"""Variances up to this count as 0."""


@dataclass(frozen=True, eq=False)
class ReachCurve:
    """R of distinct pairs as a function of a parameter, and its derivative `slope` by the scaled parameter.

    `share`: the scale is the logit, else the logarithm. Without a parameter to estimate, `slope` is None and `reach`
    constant.
    """

    reach: Callable[[float], FloatArray]
    slope: Callable[[float], FloatArray] | None
    share: bool = False

    def value(self, scaled: float) -> float:
        """The parameter of a scaled parameter."""
        if not self.share:
            return math.exp(scaled)
        if abs(scaled) >= MAX_SCALED_VALUES[True]:
            return float(scaled > 0)
        return 1.0 / (1.0 + math.exp(-scaled))

    def with_fixed_value(self, value: float) -> ReachCurve:
        """The constant curve of a fixed value."""
        reach = self.reach(value)
        return ReachCurve(lambda _: reach, None, self.share)


def rank_decay_from_scaled(scaled: float) -> float:
    """rank_decay from minus its logarithm.

    >>> rank_decay_from_scaled(0.0), rank_decay_from_scaled(50.0)
    (1.0, 0.0)
    """
    return 0.0 if scaled >= FASTEST_DECAY else math.exp(-max(scaled, 0.0))


def cell_reach(curve: ReachCurve, cells: Cells, point: FloatArray) -> FloatArray:
    """R of each cell."""
    decay = np.exp(-point[DECAY] * cells.ranks_before)
    reach: FloatArray = np.where(
        cells.unopened_document, curve.reach(curve.value(float(point[PARAMETER])))[cells.pair] * decay, 0.0
    )
    return reach


def add_leak(reach: FloatArray, leak: float) -> FloatArray:
    """R' from R."""
    return leak + (1.0 - 2.0 * leak) * reach


def log_likelihood(predicted: FloatArray, cells: Cells) -> float:
    """Log-likelihood of the views of cells; minus infinity for impossible views."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(cells.views > 0, cells.views * np.log(predicted), 0.0)
        passed = cells.trials - cells.views
        missed = np.where(passed > 0, passed * np.log1p(-predicted), 0.0)
    return float((seen + missed).sum())


def slope_at(curve: ReachCurve, cells: Cells, point: FloatArray, chosen: IntArray) -> Slope:
    """Value, gradient and information of the likelihood by the chosen of the three parameters.

    The information is the expected one, without certain views, for which it has no bound. For certain views that
    happened, the gradient is that of log R' or log(1 - R').
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
    """1 / (R' (1 - R')); 0 for certain views."""
    spread = predicted * (1.0 - predicted)
    return np.divide(1.0, spread, out=np.zeros(len(spread)), where=spread > _NEGLIGIBLE_VARIANCE)


def jacobian_at(curve: ReachCurve, cells: Cells, point: FloatArray, reach: FloatArray) -> FloatArray:
    """Derivatives of R' by the three parameters, shape (cells, 3)."""
    leak = float(point[LEAK])
    jacobian = np.zeros((len(cells.pair), 3))
    if curve.slope is not None:
        slope = curve.slope(curve.value(float(point[PARAMETER])))[cells.pair] * np.exp(
            -point[DECAY] * cells.ranks_before
        )
        jacobian[:, PARAMETER] = (1.0 - 2.0 * leak) * np.where(cells.unopened_document, slope, 0.0)
    jacobian[:, LEAK] = 1.0 - 2.0 * reach
    jacobian[:, DECAY] = -(1.0 - 2.0 * leak) * cells.ranks_before * reach
    return jacobian


def leaked_share(reach: FloatArray, predicted: FloatArray, cells: Cells, leak: float) -> float:
    """Share of the views that the leak explains: sum of e (1 - R) / R' over the views; 0 without views."""
    views = float(cells.views.sum())
    if views == 0 or leak == 0:
        return 0.0
    return float((cells.views * leak * (1.0 - reach) / predicted).sum()) / views


# Estimation from views


_STEPS = 33
_LEAKS = (0.0, 0.003, 0.03, 0.15, 0.4)
_STARTS = 3
_MIN_INFORMATION = 1e-9
"""Up to this information, a scaled parameter is undetermined."""


@dataclass(frozen=True, eq=False)
class ViewFit:
    """The most likely point, and its likelihood.

    `free`: parameters that were estimated, are not at a bound, and affect the likelihood.
    """

    point: FloatArray
    value: float
    free: BoolArray


def fit_view_model(
    curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray, *, near: bool = False
) -> ViewFit:
    """The most likely point; only the `chosen` parameters are estimated, the others stay as in `start`.

    `near`: search only from `start` on.
    """
    low = np.array([-MAX_SCALED_VALUES[curve.share], 0.0, 0.0])
    high = np.array([MAX_SCALED_VALUES[curve.share], LARGEST_LEAK, FASTEST_DECAY])
    best: Maximum | None = None
    for initial in [start] if near else _start_points(curve, cells, start, chosen):
        origin = initial.copy()

        def slope_of_values(values: FloatArray, origin: FloatArray = origin) -> Slope:
            point = origin.copy()
            point[chosen] = values
            return slope_at(curve, cells, point, chosen)

        maximum = maximise_likelihood(slope_of_values, origin[chosen], low[chosen], high[chosen])
        if best is None or maximum.slope.value > best.slope.value:
            best = maximum
    assert best is not None  # noqa: S101 -- there is one start at least
    point, free = start.copy(), np.zeros(3, dtype=np.bool_)
    point[chosen] = best.point
    free[chosen] = best.free & (np.diag(best.slope.information) > _MIN_INFORMATION)
    return ViewFit(point, best.slope.value, free)


def is_identified(curve: ReachCurve, cells: Cells, fit: ViewFit) -> bool:
    """Whether the log-likelihood falls by a standard step, 1/2, somewhere in the range of the scaled parameter.

    At each value the leak is that of the fit or one of a coarse grid, whichever is more likely.
    """
    leaks = (float(fit.point[LEAK]), *_LEAKS)
    for scaled in np.linspace(-MAX_SCALED_VALUES[curve.share], MAX_SCALED_VALUES[curve.share], _STEPS):
        reach = cell_reach(curve, cells, np.array([scaled, 0.0, fit.point[DECAY]]))
        if max(log_likelihood(add_leak(reach, leak), cells) for leak in leaks) < fit.value - 0.5:
            return True
    return False


def _start_points(curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray) -> list[FloatArray]:
    """The best peaks of a coarse grid of the parameter and the leak."""
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
    """Rising `values` that separate thresholds on distances, and the `place` of each reachable distance in them.

    `reachable`: mask of finite distances.
    """

    values: FloatArray
    place: IntArray
    reachable: BoolArray

    def best_range(self, gain: FloatArray) -> tuple[float, float]:
        """The first range of thresholds with the fewest errors, excluding its end.

        `gain`: by distance, errors avoided by reaching it.
        """
        sums = grouped_sums(self.place, gain[self.reachable], len(self.values))
        saved = np.concatenate(([0.0], np.cumsum(sums)))  # errors avoided, relative to a threshold below all
        if len(self.values) and self.values[0] <= 0:
            saved[0] = -np.inf  # no threshold is lower
        best = int(saved.argmax())
        low = self.values[best - 1] if best else 0.0
        return float(low), float(self.values[best]) if best < len(self.values) else np.inf


def make_thresholds(distance: FloatArray) -> Thresholds:
    """Thresholds on distances; infinite ones are never reached."""
    reachable = np.isfinite(distance)
    values, place = np.unique(distance[reachable], return_inverse=True)
    return Thresholds(values, place.ravel(), reachable)


def best_threshold_range(distance: FloatArray, viewed: FloatArray, trials: FloatArray) -> tuple[float, float]:
    """The first range of thresholds with the fewest errors, excluding its end.

    An error is a view beyond the threshold, or a missing view within it. The range begins at 0 if the smallest distance
    is too far.

    Args:
        distance: distances of pairs; infinite ones are never reached.
        viewed: number of views.
        trials: number of pairs.

    >>> best_threshold_range(np.array([10.0, 30.0, 20.0]), np.array([1.0, 0.0, 1.0]), np.ones(3))
    (20.0, 30.0)
    """
    return make_thresholds(distance).best_range(2.0 * viewed - trials)


def range_middle(low: float, high: float) -> float:
    """Middle of a range of thresholds; its beginning if it has no end."""
    return low if np.isinf(high) else (low + high) / 2


# Readings, censored at the end of documents


_MAX_LOG_PARAMETER = 60.0
"""Bound of the logarithm of a parameter."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Readings of results: characters read, whether reading `stopped` there, and the session."""

    read: FloatArray
    stopped: BoolArray
    session: IntArray

    def __len__(self) -> int:
        return len(self.read)

    def take(self, rows: IntArray | BoolArray) -> Readings:
        """The readings of these rows."""
        return Readings(self.read[rows], self.stopped[rows], self.session[rows])


def collect_readings(visits: Visits, lengths: dict[str, int], remarks: Remarks) -> Readings:
    """Readings of a log; those up to the end of a document, or that go on, are censored there.

    `lengths`: known lengths of documents in characters.
    """
    rows = []
    for visited in visits.lists:
        results = visited.places.ranked.results
        for line in visited.lines:
            if line.read is None:
                continue
            place = visited.places.number[line.result]
            if not results.located[place] or not visited.places.in_known_document[place]:
                remarks.add(Remark.LOST_READING, line.line)
                continue
            length = find_document(lengths, line.result.document)
            if length is None:
                remarks.add(Remark.ENDLESS_READING, line.line)
                rows.append((line.read, True, visited.session))
                continue
            remaining = max(0, length - int(results.start[place]))
            remarks.add(Remark.LONG_READING, line.line, int(line.read > remaining))
            rows.append((min(line.read, remaining), line.read < remaining, visited.session))
    read, ended, session = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Readings(read.astype(np.float64), ended > 0, session)


def estimate_reading_parameter(
    distribution: ReadingDistribution, readings: Readings, weight: FloatArray | None = None
) -> float | None:
    """The parameter of a distribution of readings; None if too few stopped.

    It is the most likely one; if it is the median, that of Kaplan and Meier. `weight`: of each reading.
    """
    weights = np.ones(len(readings)) if weight is None else weight
    if not (weights * readings.stopped).any():
        return None
    score = distribution.score
    if score is None:
        return survival_median(readings.read, readings.stopped, weights)

    def slope(logarithm: float) -> tuple[float, float]:
        first, second = score(readings.read, readings.stopped, math.exp(logarithm))
        return float(weights @ first), -float(weights @ second)

    return math.exp(decreasing_root(slope, -_MAX_LOG_PARAMETER, _MAX_LOG_PARAMETER))


def reading_scores(
    distribution: ReadingDistribution, readings: Readings, value: float
) -> tuple[FloatArray, float] | None:
    """Scores of all readings by the logarithm of the parameter, and information; None for a median."""
    if distribution.score is None:
        return None
    first, second = distribution.score(readings.read, readings.stopped, value)
    return first, float(second.sum())


# Fit of a user model to some sessions


MIN_DECAY_GAIN = 2.0
"""rank_decay is estimated if that raises the log-likelihood by more: AIC then falls by more than 2."""


@dataclass(frozen=True, eq=False)
class EstimationProblem:
    """Parameters to estimate of a model, and the data for them.

    `curve`: R of the pairs, from all sessions (None) or from all but a fold; for most models the same. `fixed_value`:
    the parameter if given. `distance`: by distinct pair, for a threshold. `reading` and `readings`: distribution and
    data if the parameter comes from readings. `fixed_decay`: minus the logarithm of rank_decay if given; None to
    estimate it if useful. `counted_parameters`: number of parameters of the curve that come from counts.
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
    """A fitted model: the most likely point and its curve.

    `value`: of the model's parameter. `parameters`: number of estimated ones. `estimates_decay`: rank_decay is among
    them; `gain`: of log-likelihood by that.
    """

    fit: ViewFit
    curve: ReachCurve
    value: float
    parameters: int
    estimates_decay: bool
    gain: float


def solve_problem(
    problem: EstimationProblem, cells: Cells, fold: int | None = None, whole: Solution | None = None
) -> Solution:
    """Fit a model to the cells of all sessions, or of all but a fold.

    `whole`: the solution for all sessions, near which the search starts.

    Raises:
        DataError: too few readings stopped.
    """
    curve = problem.curve(fold)
    chosen, parameters, value = [LEAK], 1 + problem.counted_parameters(fold), problem.fixed_value
    if value is None and problem.reading is not None:
        value = round_to_ten_digits(_reading_value(problem, fold))
        parameters += 1
    elif value is None and problem.distance is not None:
        distance = np.where(cells.unopened_document, problem.distance[cells.pair], np.inf)
        value = range_middle(*best_threshold_range(distance, cells.views, cells.trials))
        parameters += 1
    elif value is None and curve.slope is not None:
        chosen.insert(0, PARAMETER)
        parameters += 1
    if value is not None:
        curve = curve.with_fixed_value(value)
    start = np.zeros(3) if whole is None else whole.fit.point.copy()
    start[DECAY] = problem.fixed_decay or 0.0
    view_fit = fit_view_model(curve, cells, start, np.array(chosen), near=whole is not None)
    gain = 0.0
    if problem.fixed_decay is None and _may_decay(curve, cells, view_fit):
        origin = view_fit.point if whole is None else whole.fit.point
        decaying = fit_view_model(curve, cells, origin, np.array([*chosen, DECAY]), near=whole is not None)
        gain = decaying.value - view_fit.value
        if gain > MIN_DECAY_GAIN:
            view_fit, parameters = decaying, parameters + 1
    estimate = round_to_ten_digits(curve.value(float(view_fit.point[PARAMETER]))) if value is None else value
    return Solution(view_fit, curve, estimate, parameters, estimates_decay=gain > MIN_DECAY_GAIN, gain=max(gain, 0.0))


def round_to_ten_digits(value: float) -> float:
    """An estimate rounded to ten significant digits, which are the same on every machine.

    >>> round_to_ten_digits(1 / 3), round_to_ten_digits(287.5)
    (0.3333333333, 287.5)
    """
    return float(f"{value:.10g}")


def _reading_value(problem: EstimationProblem, fold: int | None) -> float:
    """The parameter estimated from readings."""
    assert problem.readings is not None  # noqa: S101 -- there are some where they are asked
    assert problem.reading is not None  # noqa: S101 -- likewise
    readings = problem.readings
    if fold is not None:
        readings = readings.take(readings.session % FOLDS != fold)
    value = estimate_reading_parameter(problem.reading, readings)
    if value is None:
        raise DataError("too few readings stopped before the end of their documents to estimate how far users read")
    return value


def _may_decay(curve: ReachCurve, cells: Cells, view_fit: ViewFit) -> bool:
    """Whether there are views, and later ranks reach anything."""
    later = (cells.ranks_before > 0) & (cells.trials > 0)
    return bool(cells.views.any() and later.any()) and bool((cell_reach(curve, cells, view_fit.point)[later] > 0).any())


@dataclass(frozen=True)
class ParameterEstimate:
    """Value of a parameter, with an interval if available.

    `se`: clustered standard error on the scale of the interval (logarithm, logit or the value itself); `naive`: that of
    independent views. `source`: data of the estimate; empty if given.
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
    """Settings of the bootstrap, and alpha of the intervals."""

    seed: int
    trials: int
    alpha: float


def estimate_from_views(
    solution: Solution, counts: CellCounts, pairs: ViewPairs, names: tuple[str, str, str], alpha: float
) -> dict[int, ParameterEstimate]:
    """Estimates, by number, of the parameters determined by the likelihood; `names`: of all three."""
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
    for column, derivative in enumerate(jacobian.T):
        scores[:, column] = grouped_sums(session.ravel(), surprise * derivative[counts.cell], len(clusters))
    variance = sandwich_variances(scores, slope.information) if len(chosen) else None
    naive = _naive_errors(slope.information)
    estimates = {}
    for column, parameter in enumerate(chosen.tolist()):
        error = None if variance is None else math.sqrt(variance[column, column])
        half = None if variance is None else half_width(float(variance[column, column]), len(clusters), alpha)
        naive_error = None if naive is None else float(naive[column])
        estimates[parameter] = _unscaled_estimate(solution, parameter, names[parameter], half, error, naive_error)
    if LEAK not in estimates:
        estimates[LEAK] = ParameterEstimate(names[LEAK], float(point[LEAK]), source="views")
    if solution.estimates_decay and DECAY not in estimates:
        estimates[DECAY] = ParameterEstimate(names[DECAY], rank_decay_from_scaled(float(point[DECAY])), source="views")
    return estimates


def _naive_errors(information: FloatArray) -> FloatArray | None:
    """Standard errors of independent views: roots of the diagonal of the inverse."""
    if not len(information) or np.linalg.cond(information) > 1e14:
        return None
    errors: FloatArray = np.sqrt(np.diag(np.linalg.inv(information)))
    return errors


def _unscaled_estimate(
    solution: Solution, parameter: int, name: str, half: float | None, error: float | None, naive: float | None
) -> ParameterEstimate:
    """An estimate with its interval, transformed back from its scale."""
    middle = float(solution.fit.point[parameter])
    back: Callable[[float], float] = {
        PARAMETER: solution.curve.value,
        LEAK: lambda leak: min(max(leak, 0.0), 0.5),
        DECAY: rank_decay_from_scaled,
    }[parameter]
    ends = (None, None) if half is None else sorted((back(middle - half), back(middle + half)))
    return ParameterEstimate(name, round_to_ten_digits(back(middle)), ends[0], ends[1], error, naive, "views")


def estimate_from_readings(
    name: str, distribution: ReadingDistribution, readings: Readings, value: float, resampling: Resampling
) -> ParameterEstimate:
    """Estimate from readings: interval on a logarithmic scale, or by the bootstrap for a median."""
    scored = reading_scores(distribution, readings, value)
    clusters, session = np.unique(readings.session, return_inverse=True)
    session = session.ravel()
    if scored is None:
        ends = bootstrap_interval(
            lambda weight: (estimate_reading_parameter(distribution, readings, weight[session]),) * 2,
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
    """Estimate of a threshold by the bootstrap over sessions; `reached`: mask of reachable pairs."""
    thresholds = make_thresholds(np.where(reached, distance, np.inf))
    clusters, session = np.unique(pairs.session, return_inverse=True)
    rows, gain = session.ravel(), np.where(pairs.viewed, 1.0, -1.0)

    def best_range(weight: FloatArray) -> tuple[float, float]:
        return thresholds.best_range(gain * weight[rows])

    return ParameterEstimate(name, value, *bootstrap_interval(best_range, len(clusters), resampling), source="views")


def bootstrap_interval(
    ends: Callable[[FloatArray], tuple[float | None, float | None]], clusters: int, resampling: Resampling
) -> tuple[float | None, float | None]:
    """Percentiles over resampled clusters of the lower and upper ends that `ends` returns for weights.

    None for an end that is sometimes undefined or infinite.
    """
    if clusters < 2:
        return None, None
    ranges = [
        ends(weight) for chunk in bootstrap_counts(resampling.seed, resampling.trials, clusters) for weight in chunk
    ]
    lows = np.array([np.nan if low is None else low for low, _ in ranges])
    highs = np.array([np.nan if high is None else high for _, high in ranges])
    low = float(np.quantile(lows, resampling.alpha / 2, method="inverted_cdf"))
    high = float(np.quantile(highs, 1 - resampling.alpha / 2, method="inverted_cdf"))
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def estimate_share(name: str, counts: ShareCounts, source: str, alpha: float) -> ParameterEstimate | None:
    """Estimate of a counted share; None without counts."""
    share = counts.share()
    if share is None:
        return None
    sessions: IntArray = np.flatnonzero(counts.whole > 0)
    variance = logit_share_variance(counts.part[sessions], counts.whole[sessions])
    if variance is None:
        return ParameterEstimate(name, share, source=source)
    half, logit = half_width(variance, len(sessions), alpha), math.log(share / (1 - share))
    low, high = (1 / (1 + math.exp(-end)) for end in (logit - half, logit + half))
    naive = 1 / math.sqrt(counts.whole.sum() * share * (1 - share))
    return ParameterEstimate(name, share, low, high, math.sqrt(variance), naive, source)


# Quality of a fit


CALIBRATION_BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Pairs with a predicted probability from `low` to `high`: number, mean prediction, observed share."""

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


@dataclass(frozen=True)
class Quality:
    """Log-likelihood of all views, AIC, and likelihood of each fold by the model of the others, summed.

    AIC is 2 parameters - 2 log-likelihood. `held_out` is None for a single fold. `shared`: the same over the pairs that
    all compared models have.
    """

    log_likelihood: float
    aic: float
    held_out: float | None
    shared: float | None


def assess_fit(
    problem: EstimationProblem, counts: CellCounts, viewed: BoolArray, solution: Solution, shared: BoolArray
) -> Quality:
    """Quality of a model fitted to all sessions; `shared`: mask of cells that all models have."""
    value = solution.fit.value
    held_out = held_out_likelihood(problem, counts, viewed, solution, shared)
    return Quality(value, 2 * solution.parameters - 2 * value, *(held_out or (None, None)))


def baseline_quality(counts: CellCounts, viewed: BoolArray) -> tuple[float, Quality]:
    """The leak of users who do not navigate, all of whose views are leaks, and its quality."""
    cells = counts.cells
    leak = _constant_leak(float(cells.views.sum()), float(cells.trials.sum()))
    value = log_likelihood(np.full(len(cells.pair), leak), cells)
    total = 0.0
    folds = _nonempty_folds(counts)
    if len(folds) < 2:
        return leak, Quality(value, 2 - 2 * value, None, None)
    for fold in folds:
        others, held_out = counts.split_fold(fold, viewed)
        trials = float(others.trials.sum())
        constant = max(_constant_leak(float(others.views.sum()), trials), _least_leak(trials))
        total += log_likelihood(np.full(len(held_out.pair), constant), held_out)
    return leak, Quality(value, 2 - 2 * value, total, total)


def held_out_likelihood(
    problem: EstimationProblem, counts: CellCounts, viewed: BoolArray, whole: Solution, shared: BoolArray
) -> tuple[float, float] | None:
    """Log-likelihood of each fold by the model fitted to the others, over all and over shared pairs.

    The leak is at least 1 / 2n for n pairs, so that all views are possible. None for a single fold.
    """
    total = shared_total = 0.0
    folds = _nonempty_folds(counts)
    if len(folds) < 2:
        return None
    for fold in folds:
        others, held_out = counts.split_fold(fold, viewed)
        solution = solve_problem(problem, others, fold, whole)
        reach = cell_reach(solution.curve, held_out, solution.fit.point)
        leak = max(float(solution.fit.point[LEAK]), _least_leak(float(others.trials.sum())))
        predicted = add_leak(reach, leak)
        total += log_likelihood(predicted, held_out)
        shared_total += log_likelihood(predicted[shared], held_out.take(shared))
    return total, shared_total


def calibration(predicted: FloatArray, trials: FloatArray, views: FloatArray) -> tuple[CalibrationBin, ...]:
    """Observed against predicted shares, by tenths of the predicted probability; the last includes 1."""
    place = np.minimum((predicted * CALIBRATION_BINS + 1e-9).astype(np.int64), CALIBRATION_BINS - 1)
    count, seen, expected = (
        grouped_sums(place, values, CALIBRATION_BINS) for values in (trials, views, trials * predicted)
    )
    bins = []
    for tenth, (pairs, observed, mean) in enumerate(zip(count.tolist(), seen.tolist(), expected.tolist(), strict=True)):
        shares = (mean / pairs, observed / pairs) if pairs else (None, None)
        bins.append(CalibrationBin(tenth / CALIBRATION_BINS, (tenth + 1) / CALIBRATION_BINS, int(pairs), *shares))
    return tuple(bins)


def _nonempty_folds(counts: CellCounts) -> list[int]:
    return [fold for fold in range(FOLDS) if (counts.fold == fold).any()]


def _constant_leak(views: float, trials: float) -> float:
    return min(views / trials, LARGEST_LEAK) if trials else 0.0


def _least_leak(trials: float) -> float:
    return 1.0 / (2.0 * trials)
