"""How measures, or settings of one measure, agree over many runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.correlation.estimates import (
    COEFFICIENTS,
    Estimate,
    Points,
    estimates_by_group,
    estimates_of_means,
)
from prum_eval.analysis.matrix import Matrix, means, settled
from prum_eval.analysis.settings import TrialSettings
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.parameters import nearest
from prum_eval.tabular import RowValue, Table, Tabular, plural

OVER = ("means", "values")
"""One point a run (its mean over topics), or one a run and topic."""
RESAMPLED = ("runs", "topics")
"""What is drawn anew for the intervals."""
_LEADING = COEFFICIENTS[:3]
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
class Part:
    """All pairs of measures over a part of the points: the `best` ones, or the `other` ones."""

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
    parts: tuple[Part, ...] = ()

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
        return ("first", "second", *_LEADING), (
            [names[pair.first], names[pair.second], *(getattr(pair, name).value for name in _LEADING)]
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
        for name, known in (("over", OVER), ("resample", RESAMPLED)):
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
            raise UsageError(f"no measure {by} among those correlated{nearest(by, matrix.measures)}")
    if settings.top is not None and by is not None:
        matrix = best(matrix, settings.top, by)
    if len(matrix.runs) < 2:
        raise DataError("a correlation needs two runs")
    points, run, topic = _points(matrix, settings.over)
    points = settled(points)
    found = Correlations(matrix, settings.over, points, run, topic, (), settings, settings.top, by, settings.resample)
    pairs = _pairs(found, np.arange(points.shape[1]))
    return replace(found, pairs=pairs, parts=_parts(found, settings.split))


def _parts(found: Correlations, split: int | None) -> tuple[Part, ...]:
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
    return tuple(Part(name, len(rows), _pairs(found, np.sort(rows))) for name, rows in chosen)


def _pairs(found: Correlations, kept: IntArray) -> tuple[Correlation, ...]:
    """The coefficients of all pairs of measures over some of the points."""
    pairs = []
    for i, k in combinations(range(len(found.matrix.measures)), 2):
        if found.resample == "topics" and found.over == "means":  # a point a run
            estimates = estimates_of_means(found.matrix.values[i, kept], found.matrix.values[k, kept], found.settings)
        else:
            group = found.run if found.resample == "runs" else found.topic
            points = Points(found.points[i, kept], found.points[k, kept], group[kept])
            estimates = estimates_by_group(points, found.settings)
        pairs.append(Correlation(i, k, *estimates))
    return tuple(pairs)


def best(matrix: Matrix, top: int, by: str) -> Matrix:
    """The runs with the best means of a measure, the best first; of equal ones, that named first."""
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
