"""How measures, or settings of one measure, agree over many runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import Matrix, TrialSettings, mean_matrix, round_significant
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.numerics.resampling import bootstrap_counts
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import RowValue, Table, Tabular, plural

# Pearson's r, Kendall's tau-b and tau-ap, of many resamples at once.
#
# Conventions. Items have values ``x`` and ``y``, shape (n,), higher is better; ``group`` says which of m groups (a run,
# with one value a topic) each item belongs to. ``weights`` has shape (b, m): how often each group counts in each of b
# resamples; a group that counts twice is there twice, tied with itself. A row of ones is the sample itself. Results
# have shape (b,); NaN where a coefficient is not defined.


_CELLS_rank_correlation = 1 << 22
"""About so many cells of a comparison of all items with all at a time."""


def pearson(x: FloatArray, y: FloatArray, group: IntArray, weights: FloatArray) -> FloatArray:
    """The product-moment correlation of the weighted items.

    >>> one, each = np.ones((1, 3)), np.arange(3)
    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]), each, one).round(12).tolist()
    [1.0]
    """
    x, y = x - x.mean(), y - y.mean()
    parts = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.stack([np.bincount(group, part, minlength=weights.shape[1]) for part in parts])
    n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
    scatter_x, scatter_y = sxx - sx * sx / n, syy - sy * sy / n
    scatter_x[scatter_x <= 1e-12 * sxx] = 0.0
    scatter_y[scatter_y <= 1e-12 * syy] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = (sxy - sx * sy / n) / np.sqrt(scatter_x * scatter_y)
    return np.clip(found, -1.0, 1.0)


@dataclass(frozen=True)
class PairwiseOrder:
    """How items of two rankings lie to each other, counted by group; arrays of shape (n, m).

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
            found: FloatArray = agree / np.sqrt(untied_x * untied_y)
        return found

    def tau_ap(self, weights: FloatArray) -> FloatArray:
        """The AP correlation: like tau, but an exchange near the top weighs more.

        Of a ranking against another, tau_ap = 2 / (n - 1) sum over i = 2..n of C(i) / (i - 1) - 1, where C(i) counts
        the items above rank i that are above its item in the other ranking too (Yilmaz, Aslam, Robertson, A new rank
        correlation coefficient for information retrieval, SIGIR 2008). Neither measure being the truth, it is the mean
        of both directions, their symmetric form; with ties it is tau_ap,b: i - 1 is the number of items strictly above,
        items that share the first rank are left out, tied items are not concordant (Urbano and Marrero, The treatment
        of ties in AP correlation, ICTIR 2017).
        """
        return (self.tau_ap_of_x(weights) + self.tau_ap_of_y(weights)) / 2

    def tau_ap_of_x(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by x, that by y being the truth."""
        return self._tau_ap(self.above_x, weights)

    def tau_ap_of_y(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by y, that by x being the truth."""
        return self._tau_ap(self.above_y, weights)

    def _tau_ap(self, above: FloatArray, weights: FloatArray) -> FloatArray:
        higher = weights @ above.T
        counts = np.where(higher > 0, weights[:, self.group], 0.0)
        agree = weights @ self.concordant.T
        shares = np.divide(agree, higher, out=np.zeros_like(agree), where=higher > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = 2 * (shares * counts).sum(axis=1) / counts.sum(axis=1) - 1
        return found


def pairwise_order(x: FloatArray, y: FloatArray, group: IntArray, groups: int) -> PairwiseOrder:
    """Compare all items with all, a stripe at a time; the time grows with the square of their number."""
    n = len(x)
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], np.arange(groups))
    x_of, y_of = x[by_group], y[by_group]
    counted = np.zeros((4, n, groups))
    stripe = max(1, _CELLS_rank_correlation // max(1, n))
    for low in range(0, n, stripe):
        rows = slice(low, low + stripe)
        higher_x, higher_y = x_of > x[rows, None], y_of > y[rows, None]
        lower_x = x_of < x[rows, None]
        for number, hit in enumerate((higher_x, higher_y, higher_x & higher_y, lower_x & higher_y)):
            counted[number, rows] = np.add.reduceat(hit, starts, axis=1, dtype=np.float64)
    return PairwiseOrder(group, *counted)


# Coefficients of agreement of two measures with bootstrap intervals, over runs or over topics.


COEFFICIENTS = ("pearson", "tau_b", "tau_ap", "tau_ap_first", "tau_ap_second")
"""The last two are tau-ap of the order by one of the measures, the other's being the truth."""
MIN_RUNS = 3
"""With fewer runs, or topics where these are drawn, no interval: resamples would be little but one of them repeated."""
_CELLS = 1 << 22

_Coefficients = tuple[Callable[[FloatArray], FloatArray], ...]


@dataclass(frozen=True)
class Estimate:
    """A coefficient and its bootstrap interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PairedPoints:
    """Two measures over runs, or runs and topics: values of shape (points,), and the run or topic that is drawn."""

    x: FloatArray
    y: FloatArray
    group: IntArray


def estimates_by_group(points: PairedPoints, settings: TrialSettings) -> list[Estimate]:
    """The coefficients, with percentile intervals from drawing groups with all their points."""
    known = ~(np.isnan(points.x) | np.isnan(points.y))
    x, y = points.x[known], points.y[known]
    if not len(x):
        return [Estimate(None, None, None)] * len(COEFFICIENTS)
    drawn, group = np.unique(points.group[known], return_inverse=True)
    coefficients = _coefficient_functions(x, y, group, pairwise_order(x, y, group, len(drawn)))
    once = np.ones((1, len(drawn)))
    values = [float(coefficient(once)[0]) for coefficient in coefficients]
    if len(drawn) < MIN_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    found = np.empty((len(coefficients), settings.trials))
    start = 0
    for chunk in bootstrap_counts(settings.seed, settings.trials, len(drawn)):
        for low in range(0, len(chunk), step := max(1, _CELLS // len(x))):
            weights = chunk[low : low + step]
            for number, coefficient in enumerate(coefficients):
                found[number, start : start + len(weights)] = coefficient(weights)
            start += len(weights)
    return _estimates(values, found, settings)


def estimates_of_means(x: FloatArray, y: FloatArray, settings: TrialSettings) -> list[Estimate]:
    """The coefficients of the means of runs, with percentile intervals from drawing topics.

    Args:
        x: values of a measure, shape (runs, topics); NaN on a topic that has none, for all runs.
        y: the same of the other.
        settings: seed, trials and alpha.
    """
    topics = x.shape[1]

    def means(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        return _means(x, weights), _means(y, weights)

    def coefficients(first: FloatArray, second: FloatArray) -> list[float]:
        each, once = np.arange(len(first)), np.ones((1, len(first)))
        lie = pairwise_order(first, second, each, len(first))
        return [float(coefficient(once)[0]) for coefficient in _coefficient_functions(first, second, each, lie)]

    values = coefficients(*means(np.ones(topics)))
    if topics < MIN_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    drawn = (weights for chunk in bootstrap_counts(settings.seed, settings.trials, topics) for weights in chunk)
    found = [coefficients(*pair) for pair in map(means, drawn) if not np.isnan(pair).any()]
    return _estimates(values, np.array(found).reshape(-1, len(values)).T, settings)


def _coefficient_functions(x: FloatArray, y: FloatArray, group: IntArray, lie: PairwiseOrder) -> _Coefficients:
    return (
        lambda weights: pearson(x, y, group, weights),
        lie.tau_b,
        lie.tau_ap,
        lie.tau_ap_of_x,
        lie.tau_ap_of_y,
    )


def _means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Means of the runs over topics that count as often as their weights say; NaN where none of them has a value."""
    known = ~np.isnan(values[0])
    count = weights[known].sum()
    if not count:
        return np.full(len(values), np.nan)
    return round_significant((values[:, known] * weights[known]).sum(axis=1) / count)


def _estimates(values: list[float], trials: FloatArray, settings: TrialSettings) -> list[Estimate]:
    """Resamples in which a coefficient is not defined, such as one run repeated, do not count."""
    ends = (settings.alpha / 2, 1 - settings.alpha / 2)
    found = []
    for value, own in zip(values, trials, strict=True):
        known = own[~np.isnan(own)]
        low, high = np.quantile(known, ends).tolist() if len(known) else (None, None)
        found.append(Estimate(None if np.isnan(value) else value, low, high))
    return found


OVER_CHOICES = ("means", "values")
"""One point a run (its mean over topics), or one a run and topic."""
RESAMPLE_CHOICES = ("runs", "topics")
"""What is drawn anew for the intervals."""
_MAIN_COEFFICIENTS = COEFFICIENTS[:3]
"""Those that do not ask which measure is the truth."""


@dataclass(frozen=True)
class Correlation:
    """Agreement of two measures, given by their places in the list of measures.

    `tau_ap` is the mean of both directions, `tau_ap_first` that of the order by the first measure with the second's as
    the truth, `tau_ap_second` the other.
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
    """All pairs of measures over a part of the points: the `select_best_runs` ones, or the `other` ones."""

    name: str
    points: int
    pairs: tuple[Correlation, ...]


@dataclass(frozen=True, repr=False)
class Correlations(Tabular):
    """What `correlate` returns: all pairs of measures, and the points they come from.

    `matrix`: the runs that count, the best ones first where only those do. `over`: means or values. `points` has shape
    (measures, points); `run` and `topic`, shape (points,), say whose they are, by place in the matrix; `topic` is -1
    for means. `top`: the number of best runs asked for, by the measure `by`. `resample`: runs or topics. `parts`: the
    same over the best points, by `by`, and over the rest, where that was asked for.
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
        """Sentences for the user."""
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
        """One row a pair of measures and coefficient, of all points and then of each part."""
        names = self.matrix.measures
        for part, pairs in [("all", self.pairs), *((part.name, part.pairs) for part in self.parts)]:
            of_part = {"part": part} if self.parts else {}
            for pair in pairs:
                for coefficient in COEFFICIENTS:
                    own = {"first": names[pair.first], "second": names[pair.second], "coefficient": coefficient}
                    yield {**of_part, **own, **vars(getattr(pair, coefficient))}

    def _summary(self) -> str:
        points = plural(len(self.matrix.runs), "run") if self.over == "means" else plural(len(self.run), "value")
        return f"{plural(len(self.matrix.measures), 'measure')} over {points}"

    def _table(self) -> Table:
        names = self.matrix.measures
        return ("first", "second", *_MAIN_COEFFICIENTS), (
            [names[pair.first], names[pair.second], *(getattr(pair, name).value for name in _MAIN_COEFFICIENTS)]
            for pair in self.pairs
        )


@dataclass(frozen=True)
class CorrelationSettings(TrialSettings):
    """What the user chooses of a correlation.

    `over`: means or values. `top`: only so many best runs count, by their means. `split`: the same for so many best
    points, and for the rest. `by`: the measure by which they are best, the first if not given. `resample`: runs with
    all their topics, or topics with all runs, are drawn anew for the intervals.
    """

    trials: int = 1000
    over: str = "means"
    top: int | None = None
    by: str | None = None
    split: int | None = None
    resample: str = "runs"

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        for name, known in (("over", OVER_CHOICES), ("resample", RESAMPLE_CHOICES)):
            if (value := getattr(self, name)) not in known:
                raise UsageError(f"{name}={value}: {name} is {' or '.join(known)}")
        if self.by is not None and self.top is None and self.split is None:
            raise UsageError("by says which runs are best, and is for top and split")
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
    found = Correlations(matrix, settings.over, points, run, topic, (), settings, settings.top, by, settings.resample)
    pairs = _pairs(found, np.arange(points.shape[1]))
    return replace(found, pairs=pairs, parts=_parts(found, settings.split))


def _parts(found: Correlations, split: int | None) -> tuple[CorrelationPart, ...]:
    """The best points by a measure, and the rest; points without a value of it are in neither."""
    if split is None or found.by is None:
        return ()
    values = found.points[found.matrix.measures.index(found.by)]
    known = np.flatnonzero(~np.isnan(values))
    worth = values[known] if found.by in found.matrix.lower_better else -values[known]
    ranked = known[np.argsort(worth, kind="stable")]
    if len(ranked) - split < 2:
        raise DataError(f"split={split}: of {len(ranked)} points that leaves fewer than two")
    chosen = (("best", ranked[:split]), ("other", ranked[split:]))
    return tuple(CorrelationPart(name, len(rows), _pairs(found, np.sort(rows))) for name, rows in chosen)


def _pairs(found: Correlations, kept: IntArray) -> tuple[Correlation, ...]:
    """The coefficients of all pairs of measures over some of the points."""
    pairs = []
    for i, k in combinations(range(len(found.matrix.measures)), 2):
        if found.resample == "topics" and found.over == "means":  # a point a run
            estimates = estimates_of_means(found.matrix.values[i, kept], found.matrix.values[k, kept], found.settings)
        else:
            group = found.run if found.resample == "runs" else found.topic
            points = PairedPoints(found.points[i, kept], found.points[k, kept], group[kept])
            estimates = estimates_by_group(points, found.settings)
        pairs.append(Correlation(i, k, *estimates))
    return tuple(pairs)


def select_best_runs(matrix: Matrix, top: int, by: str) -> Matrix:
    """The runs with the best means of a measure, the best first; of equal ones, that named first."""
    found = round_significant(mean_matrix(matrix))[matrix.measures.index(by)]
    ranked = np.argsort(found if by in matrix.lower_better else -found, kind="stable")[:top]
    names, paths = (tuple(listed[run] for run in ranked) for listed in (matrix.runs, matrix.paths))
    return replace(matrix, runs=names, paths=paths, values=matrix.values[:, ranked])


def _points(matrix: Matrix, over: str) -> tuple[FloatArray, IntArray, IntArray]:
    count = len(matrix.runs)
    if over == "means":
        return mean_matrix(matrix), np.arange(count), np.full(count, -1)
    _, topics = np.shape(matrix.values[0])
    run, topic = np.repeat(np.arange(count), topics), np.tile(np.arange(topics), count)
    return matrix.values.reshape(len(matrix.measures), -1), run, topic
