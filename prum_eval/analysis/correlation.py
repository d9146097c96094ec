"""Correlation of measures, or of settings of one measure, over many runs.

Conventions. Items have values ``x`` and ``y``, shape (n,), higher is better; ``group`` gives the index of the group of
each item, of m groups: a run with one value per topic, say. ``weights`` has shape (b, m): the count of each group in
each of b resamples; a group with count 2 appears twice, tied with itself. A row of ones is the sample itself. Results
have shape (b,); NaN if a coefficient is undefined.

Coefficients are Pearson's r, Kendall's tau-b and tau-ap (`pearson`, `PairwiseOrder`), with bootstrap intervals over
runs or topics (`estimates_by_group`, `estimates_of_means`). `correlate_matrix` correlates all pairs of measures of a
matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import Matrix, TrialSettings, mean_matrix, round_significant
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.numerics.resampling import bootstrap_counts, power_of_two_unit
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import RowValue, Table, Tabular, plural

COEFFICIENTS = ("pearson", "tau_b", "tau_ap", "tau_ap_first", "tau_ap_second")
"""The last two are tau-ap of the order by one measure, with the other as the truth."""
MIN_RUNS = 3
"""With fewer runs (or topics, if these are resampled) there is no interval."""
OVER_CHOICES = ("means", "values")
"""One point per run (its mean over topics), or one per run and topic."""
RESAMPLE_CHOICES = ("runs", "topics")
"""Units of resampling for the intervals."""
_SYMMETRIC_COEFFICIENTS = COEFFICIENTS[:3]
_CELLS = 1 << 22
"""Approximate size of an array of intermediate results."""


def pearson(x: FloatArray, y: FloatArray, group: IntArray, weights: FloatArray) -> FloatArray:
    """Pearson's product-moment correlation of the weighted items.

    >>> sample, group = np.ones((1, 3)), np.arange(3)
    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]), group, sample).round(12).tolist()
    [1.0]
    """
    x, y = ((values - values.mean()) / power_of_two_unit(values) for values in (x, y))
    parts = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.stack([np.bincount(group, part, minlength=weights.shape[1]) for part in parts])
    n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
    scatter_x, scatter_y = sxx - sx * sx / n, syy - sy * sy / n
    scatter_x[scatter_x <= 1e-12 * sxx] = 0.0
    scatter_y[scatter_y <= 1e-12 * syy] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        r: FloatArray = (sxy - sx * sy / n) / np.sqrt(scatter_x * scatter_y)
    return np.clip(r, -1.0, 1.0)


@dataclass(frozen=True)
class PairwiseOrder:
    """Order of each pair of items by two measures, counted by group; arrays of shape (n, m).

    For item i and group g: `above_x` counts the items j of g with x_j > x_i, `above_y` those with y_j > y_i,
    `concordant` those with both, `discordant` those with y_j > y_i and x_j < x_i.
    """

    group: IntArray
    above_x: FloatArray
    above_y: FloatArray
    concordant: FloatArray
    discordant: FloatArray

    def tau_b(self, weights: FloatArray) -> FloatArray:
        """Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x, pairs untied in y).

        Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
        """
        members = weights[:, self.group]
        agree, untied_x, untied_y = (
            ((weights @ part.T) * members).sum(axis=1)
            for part in (self.concordant - self.discordant, self.above_x, self.above_y)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            tau: FloatArray = agree / np.sqrt(untied_x * untied_y)
        return tau

    def tau_ap(self, weights: FloatArray) -> FloatArray:
        """The AP correlation: like tau, but exchanges near the top weigh more.

        Of a ranking against another, tau_ap = 2 / (n - 1) sum over i = 2..n of C(i) / (i - 1) - 1, where C(i) counts
        the items above rank i that are above its item in the other ranking too (Yilmaz, Aslam, Robertson, A new rank
        correlation coefficient for information retrieval, SIGIR 2008). This is their symmetric form, the mean of both
        directions, since neither measure is the truth. With ties it is tau_ap,b: i - 1 is the number of items strictly
        above, items that share the first rank are left out, tied items are not concordant (Urbano and Marrero, The
        treatment of ties in AP correlation, ICTIR 2017).
        """
        return (self.tau_ap_of_x(weights) + self.tau_ap_of_y(weights)) / 2

    def tau_ap_of_x(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by x with the order by y as the truth."""
        return self._tau_ap(self.above_x, weights)

    def tau_ap_of_y(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by y with the order by x as the truth."""
        return self._tau_ap(self.above_y, weights)

    def _tau_ap(self, above: FloatArray, weights: FloatArray) -> FloatArray:
        higher = weights @ above.T
        counts = np.where(higher > 0, weights[:, self.group], 0.0)
        agree = weights @ self.concordant.T
        shares = np.divide(agree, higher, out=np.zeros_like(agree), where=higher > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau: FloatArray = 2 * (shares * counts).sum(axis=1) / counts.sum(axis=1) - 1
        return tau


def pairwise_order(x: FloatArray, y: FloatArray, group: IntArray, groups: int) -> PairwiseOrder:
    """Compare all items with all, a stripe at a time, in quadratic time."""
    n = len(x)
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], np.arange(groups))
    sorted_x, sorted_y = x[by_group], y[by_group]
    counts = np.zeros((4, n, groups))
    stripe = max(1, _CELLS // max(1, n))
    for low in range(0, n, stripe):
        rows = slice(low, low + stripe)
        higher_x, higher_y = sorted_x > x[rows, None], sorted_y > y[rows, None]
        lower_x = sorted_x < x[rows, None]
        for number, mask in enumerate((higher_x, higher_y, higher_x & higher_y, lower_x & higher_y)):
            counts[number, rows] = np.add.reduceat(mask, starts, axis=1, dtype=np.float64)
    return PairwiseOrder(group, *counts)


# Coefficients with bootstrap intervals


@dataclass(frozen=True)
class Estimate:
    """A coefficient and its bootstrap interval; None if undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PairedPoints:
    """Two measures over points of shape (points,), and the resampled unit (run or topic) of each point.

    `signs`: of each measure 1, or -1 if lower is better.
    """

    x: FloatArray
    y: FloatArray
    group: IntArray
    signs: tuple[int, int] = (1, 1)


def estimates_by_group(points: PairedPoints, settings: TrialSettings) -> list[Estimate]:
    """The coefficients, with percentile intervals from resampling groups with all their points."""
    defined = ~(np.isnan(points.x) | np.isnan(points.y))
    x, y = points.x[defined], points.y[defined]
    if not len(x):
        return [Estimate(None, None, None)] * len(COEFFICIENTS)
    groups, group = np.unique(points.group[defined], return_inverse=True)
    coefficients = _coefficient_functions(x, y, group, len(groups), points.signs)
    sample = np.ones((1, len(groups)))
    values = [float(coefficient(sample)[0]) for coefficient in coefficients]
    if len(groups) < MIN_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    trials = np.empty((len(coefficients), settings.trials))
    start = 0
    for chunk in bootstrap_counts(settings.seed, settings.trials, len(groups)):
        for low in range(0, len(chunk), step := max(1, _CELLS // len(x))):
            weights = chunk[low : low + step]
            for number, coefficient in enumerate(coefficients):
                trials[number, start : start + len(weights)] = coefficient(weights)
            start += len(weights)
    return _estimates(values, trials, settings)


def estimates_of_means(
    x: FloatArray, y: FloatArray, settings: TrialSettings, signs: tuple[int, int] = (1, 1)
) -> list[Estimate]:
    """The coefficients of the means of runs, with percentile intervals from resampling topics.

    Args:
        x: values of a measure, shape (runs, topics); NaN on a topic without values, for all runs.
        y: values of the other measure.
        settings: seed, trials and alpha.
        signs: of each measure 1, or -1 if lower is better.
    """
    topics = x.shape[1]

    def means(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        return _means(x, weights), _means(y, weights)

    def coefficients(first: FloatArray, second: FloatArray) -> list[float]:
        group, sample = np.arange(len(first)), np.ones((1, len(first)))
        functions = _coefficient_functions(first, second, group, len(first), signs)
        return [float(coefficient(sample)[0]) for coefficient in functions]

    values = coefficients(*means(np.ones(topics)))
    if topics < MIN_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    resamples = (weights for chunk in bootstrap_counts(settings.seed, settings.trials, topics) for weights in chunk)
    trials = [coefficients(*pair) for pair in map(means, resamples) if not np.isnan(pair).any()]
    return _estimates(values, np.array(trials).reshape(-1, len(values)).T, settings)


def _coefficient_functions(
    x: FloatArray, y: FloatArray, group: IntArray, groups: int, signs: tuple[int, int]
) -> tuple[Callable[[FloatArray], FloatArray], ...]:
    """The coefficients as functions of weights; tau-ap weighs the good end of each measure.

    Its sign is that of the values, as of the other coefficients: it is reversed if lower is better by one measure only.
    """
    order = by_quality = pairwise_order(x, y, group, groups)
    if signs != (1, 1):
        by_quality = pairwise_order(signs[0] * x, signs[1] * y, group, groups)
    sign = signs[0] * signs[1]
    return (
        lambda weights: pearson(x, y, group, weights),
        order.tau_b,
        lambda weights: sign * by_quality.tau_ap(weights),
        lambda weights: sign * by_quality.tau_ap_of_x(weights),
        lambda weights: sign * by_quality.tau_ap_of_y(weights),
    )


def _means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Means of the runs over topics with weights; NaN if all weights are 0."""
    defined = ~np.isnan(values[0])
    count = weights[defined].sum()
    if not count:
        return np.full(len(values), np.nan)
    return round_significant((values[:, defined] * weights[defined]).sum(axis=1) / count)


def _estimates(values: list[float], trials: FloatArray, settings: TrialSettings) -> list[Estimate]:
    """Estimates from values and trials; undefined trials, such as one run repeated, do not count."""
    ends = (settings.alpha / 2, 1 - settings.alpha / 2)
    estimates = []
    for value, row in zip(values, trials, strict=True):
        defined = row[~np.isnan(row)]
        low, high = np.quantile(defined, ends).tolist() if len(defined) else (None, None)
        estimates.append(Estimate(None if np.isnan(value) else value, low, high))
    return estimates


# All pairs of measures


@dataclass(frozen=True)
class Correlation:
    """Coefficients of two measures, given by index.

    `tau_ap` is the mean of both directions, `tau_ap_first` that of the order by the first measure with the second as
    the truth, `tau_ap_second` the reverse.
    """

    first: int
    second: int
    pearson: Estimate
    tau_b: Estimate
    tau_ap: Estimate
    tau_ap_first: Estimate
    tau_ap_second: Estimate


@dataclass(frozen=True)
class CorrelationPart:
    """All pairs of measures over part of the points: the ``best`` n, or the ``other`` ones."""

    name: str
    points: int
    pairs: tuple[Correlation, ...]


@dataclass(frozen=True, repr=False)
class Correlations(Tabular):
    """The result of `correlate`: all pairs of measures, and the points behind them.

    `matrix`: the runs, the best first if only the best are used. `over`: means or values. `points` has shape (measures,
    points); `run` and `topic`, shape (points,), are indices in the matrix; `topic` is -1 for means. `top`: number of
    best runs by the measure `by`. `resample`: runs or topics. `parts`: correlations over the best points, by `by`, and
    over the rest, if requested.
    """

    matrix: Matrix
    over: str
    points: FloatArray
    run: IntArray
    topic: IntArray
    pairs: tuple[Correlation, ...]
    settings: TrialSettings
    top: int | None = None
    by: str | None = None
    resample: str = "runs"
    parts: tuple[CorrelationPart, ...] = ()

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Notices for the user."""
        return self.matrix.warnings

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings, runs = self.settings, len(self.matrix.runs)
        parts = [
            f"{self.matrix.signature}|correlate|over:{self.over}",
            f"runs:{runs}" if self.top is None else f"runs:{runs} best by {self.by}",
            f"topics:{len(self.matrix.topics)}",
            *([f"split:{self.parts[0].points} best by {self.by}"] if self.parts else []),
            f"bootstrap{'' if self.resample == 'runs' else f' over {self.resample}'}:{settings.trials} trials",
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per pair of measures and coefficient, over all points and then over each part."""
        names = self.matrix.measures
        for part, pairs in [("all", self.pairs), *((part.name, part.pairs) for part in self.parts)]:
            prefix = {"part": part} if self.parts else {}
            for pair in pairs:
                for coefficient in COEFFICIENTS:
                    row = {"first": names[pair.first], "second": names[pair.second], "coefficient": coefficient}
                    yield {**prefix, **row, **vars(getattr(pair, coefficient))}

    def _summary(self) -> str:
        points = plural(len(self.matrix.runs), "run") if self.over == "means" else plural(len(self.run), "value")
        return f"{plural(len(self.matrix.measures), 'measure')} over {points}"

    def _table(self) -> Table:
        names = self.matrix.measures
        return ("first", "second", *_SYMMETRIC_COEFFICIENTS), (
            [names[pair.first], names[pair.second], *(getattr(pair, name).value for name in _SYMMETRIC_COEFFICIENTS)]
            for pair in self.pairs
        )


@dataclass(frozen=True)
class CorrelationSettings(TrialSettings):
    """Settings of a correlation.

    `over`: means or values. `top`: use only the n best runs, by their means. `split`: also correlate the n best points,
    and the rest. `by`: the measure that defines the best, by default the first. `resample`: runs with all their topics,
    or topics with all runs.
    """

    trials: int = 1000
    over: str = "means"
    top: int | None = None
    by: str | None = None
    split: int | None = None
    resample: str = "runs"

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        for name, choices in (("over", OVER_CHOICES), ("resample", RESAMPLE_CHOICES)):
            if (value := getattr(self, name)) not in choices:
                raise UsageError(f"{name}={value}: {name} is {' or '.join(choices)}")
        if self.by is not None and self.top is None and self.split is None:
            raise UsageError("by needs top or split")
        for name in ("top", "split"):
            if (count := getattr(self, name)) is not None and count < 2:
                raise UsageError(f"{name}={count}: {name} is a whole number from 2 on")


def correlate_matrix(matrix: Matrix, settings: CorrelationSettings) -> Correlations:
    """Correlate every measure with every other.

    Raises:
        DataError: fewer than two runs or measures, or fewer than two points in a part.
        UsageError: an unknown name.
    """
    if len(matrix.measures) < 2:
        raise DataError(f"a correlation needs two measures; there is only {matrix.measures[0]}")
    by = settings.by
    if settings.top is not None or settings.split is not None:
        by = matrix.measures[0] if by is None else by
        if by not in matrix.measures:
            raise UsageError(f"no measure {by} among those correlated{did_you_mean(by, matrix.measures)}")
    if settings.top is not None and by is not None:
        matrix = select_best_runs(matrix, settings.top, by)
    if len(matrix.runs) < 2:
        raise DataError("a correlation needs two runs")
    points, run, topic = _points(matrix, settings.over)
    points = round_significant(points)
    result = Correlations(matrix, settings.over, points, run, topic, (), settings, settings.top, by, settings.resample)
    pairs = _pairs(result, np.arange(points.shape[1]))
    return replace(result, pairs=pairs, parts=_parts(result, settings.split))


def _parts(result: Correlations, split: int | None) -> tuple[CorrelationPart, ...]:
    """The best points by a measure, and the rest; points without a value of it are in neither."""
    if split is None or result.by is None:
        return ()
    values = result.points[result.matrix.measures.index(result.by)]
    defined = np.flatnonzero(~np.isnan(values))
    keys = values[defined] if result.by in result.matrix.lower_better else -values[defined]
    ranked = defined[np.argsort(keys, kind="stable")]
    if len(ranked) - split < 2:
        raise DataError(f"split={split}: of {len(ranked)} points that leaves fewer than two")
    parts = (("best", ranked[:split]), ("other", ranked[split:]))
    return tuple(CorrelationPart(name, len(points), _pairs(result, np.sort(points))) for name, points in parts)


def _pairs(result: Correlations, points: IntArray) -> tuple[Correlation, ...]:
    """The coefficients of all pairs of measures over the points with these indices."""
    pairs = []
    group = result.run if result.resample == "runs" else result.topic
    lower = [-1 if name in result.matrix.lower_better else 1 for name in result.matrix.measures]
    for i, k in combinations(range(len(result.matrix.measures)), 2):
        signs = lower[i], lower[k]
        if result.resample == "topics" and result.over == "means":  # one point per run
            values = result.matrix.values
            estimates = estimates_of_means(values[i, points], values[k, points], result.settings, signs)
        else:
            pair = PairedPoints(result.points[i, points], result.points[k, points], group[points], signs)
            estimates = estimates_by_group(pair, result.settings)
        pairs.append(Correlation(i, k, *estimates))
    return tuple(pairs)


def select_best_runs(matrix: Matrix, top: int, by: str) -> Matrix:
    """The matrix of the runs with the best means of a measure, best first, ties in their order."""
    means = round_significant(mean_matrix(matrix))[matrix.measures.index(by)]
    ranked = np.argsort(means if by in matrix.lower_better else -means, kind="stable")[:top]
    names, paths = (tuple(texts[run] for run in ranked) for texts in (matrix.runs, matrix.paths))
    return replace(matrix, runs=names, paths=paths, values=matrix.values[:, ranked])


def _points(matrix: Matrix, over: str) -> tuple[FloatArray, IntArray, IntArray]:
    """Points of shape (measures, points), with the indices of their runs and topics."""
    count = len(matrix.runs)
    if over == "means":
        return mean_matrix(matrix), np.arange(count), np.full(count, -1)
    _, topics = np.shape(matrix.values[0])
    run, topic = np.repeat(np.arange(count), topics), np.tile(np.arange(topics), count)
    return matrix.values.reshape(len(matrix.measures), -1), run, topic
