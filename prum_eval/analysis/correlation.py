"""How measures, or settings of one measure, agree over many runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import Matrix, means, settled
from prum_eval.analysis.rank_correlation import order, pearson
from prum_eval.analysis.settings import TrialSettings
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.numerics.resampling import resamples
from prum_eval.parameters import nearest
from prum_eval.tabular import RowValue, Table, Tabular, plural

Coefficients = Callable[[FloatArray], FloatArray]

COEFFICIENTS = ("pearson", "tau_b", "tau_ap")
OVER = ("means", "values")
"""One point a run (its mean over topics), or one a run and topic."""
FEWEST_RUNS = 3
"""With fewer, no interval: resamples would be little but one run repeated."""
_CELLS = 1 << 22


@dataclass(frozen=True)
class Estimate:
    """A coefficient and its bootstrap interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Correlation:
    """Agreement of two measures, given by their places in the list of measures."""

    first: int
    second: int
    pearson: Estimate
    tau_b: Estimate
    tau_ap: Estimate


@dataclass(frozen=True, repr=False)
class Correlations(Tabular):
    """What `correlate` returns: all pairs of measures, and the points they come from.

    `matrix`: the runs that count, the best ones first where only those do. `over`: means or values. `points` has shape
    (measures, points); `run` and `topic`, shape (points,), say whose they are, by place in the matrix; `topic` is -1
    for means. `top`: the number of best runs asked for, by the measure `by`.
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
            f"bootstrap:{settings.trials} trials",
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a pair of measures and coefficient."""
        names = self.matrix.measures
        for pair in self.pairs:
            for coefficient in COEFFICIENTS:
                own = {"first": names[pair.first], "second": names[pair.second], "coefficient": coefficient}
                yield {**own, **vars(getattr(pair, coefficient))}

    def _summary(self) -> str:
        points = plural(len(self.matrix.runs), "run") if self.over == "means" else plural(len(self.run), "value")
        return f"{plural(len(self.matrix.measures), 'measure')} over {points}"

    def _table(self) -> Table:
        names = self.matrix.measures
        return ("first", "second", *COEFFICIENTS), (
            [names[pair.first], names[pair.second], *(getattr(pair, name).value for name in COEFFICIENTS)]
            for pair in self.pairs
        )


def correlate_matrix(
    matrix: Matrix, settings: TrialSettings, *, over: str = "means", top: int | None = None, by: str | None = None
) -> Correlations:
    """Correlate every measure with every other.

    Args:
        matrix: the values.
        settings: seed, trials and alpha of the intervals. They come from resampling runs, with all their topics.
        over: ``means`` or ``values``.
        top: only so many best runs count, by their means.
        by: the measure by which they are best; the first if not given.

    Raises:
        DataError: fewer than two runs or measures.
        UsageError: an unknown name.
    """
    if over not in OVER:
        raise UsageError(f"over={over}: over is {' or '.join(OVER)}")
    if len(matrix.measures) < 2:
        raise DataError(f"a correlation needs two measures; there is only {matrix.measures[0]}")
    if top is not None:
        by = matrix.measures[0] if by is None else by
        matrix = best(matrix, top, by)
    if len(matrix.runs) < 2:
        raise DataError("a correlation needs two runs")
    points, run, topic = _points(matrix, over)
    points = settled(points)
    pairs = tuple(
        _correlation(i, k, points, run, len(matrix.runs), settings)
        for i, k in combinations(range(len(matrix.measures)), 2)
    )
    return Correlations(matrix, over, points, run, topic, pairs, settings, top, by)


def best(matrix: Matrix, top: int, by: str) -> Matrix:
    """The runs with the best means of a measure, the best first; of equal ones, that named first.

    Raises:
        UsageError: there is no such measure.
    """
    if by not in matrix.measures:
        raise UsageError(f"no measure {by} among those correlated{nearest(by, matrix.measures)}")
    found = settled(means(matrix))[matrix.measures.index(by)]
    ranked = np.argsort(found if by in matrix.lower_better else -found, kind="stable")[:top]
    names, paths = (tuple(listed[run] for run in ranked) for listed in (matrix.runs, matrix.paths))
    return replace(matrix, runs=names, paths=paths, values=matrix.values[:, ranked])


def _points(matrix: Matrix, over: str) -> tuple[FloatArray, IntArray, IntArray]:
    count = len(matrix.runs)
    if over == "means":
        return means(matrix), np.arange(count), np.full(count, -1)
    _, topics = np.shape(matrix.values[0])
    run, topic = np.repeat(np.arange(count), topics), np.tile(np.arange(topics), count)
    return matrix.values.reshape(len(matrix.measures), -1), run, topic


def _correlation(i: int, k: int, points: FloatArray, run: IntArray, runs: int, settings: TrialSettings) -> Correlation:
    x, y, group = points[i], points[k], run
    known = ~(np.isnan(x) | np.isnan(y))
    x, y, group = x[known], y[known], group[known]
    lie = order(x, y, group, runs)
    coefficients: tuple[Coefficients, ...] = (
        lambda weights: pearson(x, y, group, weights),
        lie.tau_b,
        lie.tau_ap,
    )
    once = np.ones((1, runs))
    values = [float(coefficient(once)[0]) for coefficient in coefficients]
    ends = _intervals(coefficients, len(x), runs, settings)
    return Correlation(i, k, *(Estimate(*map(_known, (value, *end))) for value, end in zip(values, ends, strict=True)))


def _intervals(
    coefficients: tuple[Coefficients, ...], items: int, runs: int, settings: TrialSettings
) -> list[tuple[float, float]]:
    """Percentile intervals; resamples in which a coefficient is not defined, such as one run repeated, do not count."""
    if runs < FEWEST_RUNS:
        return [(np.nan, np.nan)] * len(coefficients)
    found = np.empty((len(coefficients), settings.trials))
    start = 0
    for chunk in resamples(settings.seed, settings.trials, runs):
        for low in range(0, len(chunk), step := max(1, _CELLS // items)):
            weights = chunk[low : low + step]
            for number, coefficient in enumerate(coefficients):
                found[number, start : start + len(weights)] = coefficient(weights)
            start += len(weights)
    ends = (settings.alpha / 2, 1 - settings.alpha / 2)
    known = [one[~np.isnan(one)] for one in found]
    return [tuple(np.quantile(one, ends).tolist()) if len(one) else (np.nan, np.nan) for one in known]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
