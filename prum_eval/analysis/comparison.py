"""Two or more runs compared with the first of them, on every measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.matrix import Matrix, mean
from prum_eval.analysis.paired import (
    bootstrap_test,
    cohen_d,
    holm,
    paired_difference,
    randomisation_test,
    wins_ties_losses,
)
from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.tabular import RowValue, Table, Tabular, plural

_CELLS = 1 << 22
"""About so many means of trials are held at a time."""

STATISTICS = (
    *("difference", "low", "high", "p_randomisation", "holm_randomisation", "p_bootstrap", "holm_bootstrap"),
    *("cohen_d", "wins", "ties", "losses", "exact"),
)
"""What csv and data frames have of a difference, in their order."""


@dataclass(frozen=True)
class TrialSettings:
    """What the user chooses: seed and number of trials, and alpha, of which intervals leave out as much."""

    seed: int = 1
    trials: int = 100_000
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("trials", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name}={getattr(self, name)}: {name} is a whole number from {least} up")
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha={self.alpha}: alpha is a number between 0 and 1")


@dataclass(frozen=True)
class Tested:
    """A two-sided p-value, and corrected by Holm's procedure for all comparisons of the table; None if undefined."""

    p: float | None
    holm: float | None


@dataclass(frozen=True)
class Difference:
    """A run minus the first one on one measure.

    `mean` of the differences, `low` and `high` of its bootstrap interval; `randomisation`, `exact` where all
    arrangements were gone through; `bootstrap`; `cohen_d` by the standard deviation of the differences (d_z);
    `wins`, `ties`, `losses` by topic.
    """

    mean: float
    low: float | None
    high: float | None
    randomisation: Tested
    exact: bool
    bootstrap: Tested
    cohen_d: float | None
    wins: int
    ties: int
    losses: int

    def statistics(self) -> dict[str, float | int | bool | None]:
        """All of it by the names of `STATISTICS`."""
        tests = (self.randomisation.p, self.randomisation.holm, self.bootstrap.p, self.bootstrap.holm)
        counts = (self.wins, self.ties, self.losses)
        values = (self.mean, self.low, self.high, *tests, self.cohen_d, *counts, self.exact)
        return dict(zip(STATISTICS, values, strict=True))


@dataclass(frozen=True)
class MeasuredRun:
    """One run on one measure: its mean over `topics`, and how it differs from the first run, which has None there.

    `run` is its place among the runs.
    """

    measure: str
    run: int
    topics: int
    mean: float
    difference: Difference | None


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """What `compare` returns. `measured` has one for each measure and run, in the order of the matrix of values."""

    matrix: Matrix
    settings: TrialSettings
    measured: tuple[MeasuredRun, ...]

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Sentences for the user; the last says where no randomisation test could find a difference."""
        topics, alpha = max(one.topics for one in self.measured), self.settings.alpha
        least = 2.0 ** (1 - topics)
        if least < alpha:
            return self.matrix.warnings
        told = f"with {plural(topics, 'topic')} no p-value of the randomisation test is below {least:g}"
        return (*self.matrix.warnings, told)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings, differences = self.settings, self._differences()
        how = {True: "exact", False: f"{settings.trials} trials"}
        exact = sorted({one.exact for one in differences}, reverse=True)
        parts = [
            f"{self.matrix.signature}|compare|topics:{len(self.matrix.topics)}",
            f"randomisation:{' or '.join(how[one] for one in exact)}",
            f"bootstrap:{settings.trials} trials",
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
            f"holm:{len(differences)}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure and run; what differs from the first run is None there."""
        for one in self.measured:
            found = dict.fromkeys(STATISTICS) if one.difference is None else one.difference.statistics()
            run = self.matrix.runs[one.run]
            yield {"measure": one.measure, "run": run, "topics": one.topics, "mean": one.mean, **found}

    def _differences(self) -> list[Difference]:
        return [one.difference for one in self.measured if one.difference is not None]

    def _summary(self) -> str:
        runs, topics = plural(len(self.matrix.runs), "run"), plural(len(self.matrix.topics), "topic")
        return f"{runs}, {topics}, {plural(len(self.matrix.measures), 'measure')}, against {self.matrix.runs[0]}"

    def _table(self) -> Table:
        names = ("measure", "run", "mean", "difference", "low", "high", "p_randomisation", "holm_randomisation")
        return names, ([row[name] for name in names] for row in self.rows())


def compare_matrix(matrix: Matrix, settings: TrialSettings) -> Comparison:
    """Compare every run with the first, on every measure."""
    between = paired_difference(matrix.values[:, 1:], matrix.values[:, :1])
    found = iter(_differences(between.reshape(-1, len(matrix.topics)), settings))
    measured = []
    for measure, of_measure in zip(matrix.measures, matrix.values, strict=True):
        for run, values in enumerate(of_measure):
            difference = next(found) if run else None
            topics = int(np.count_nonzero(~np.isnan(values)))
            measured.append(MeasuredRun(measure, run, topics, mean(values) or 0.0, difference))
    return Comparison(matrix, settings, tuple(measured))


def _differences(differences: FloatArray, settings: TrialSettings) -> list[Difference]:
    """What there is to say of differences, shape (comparisons, topics); Holm's correction is over all of them."""
    tested = np.empty((len(differences), 6))
    for rows in _batches(differences, max(1, _CELLS // settings.trials)):
        known = differences[rows][:, ~np.isnan(differences[rows[0]])]
        randomised, exact = randomisation_test(known, settings.trials, settings.seed)
        resampled, *interval = bootstrap_test(known, settings.trials, settings.seed, settings.alpha)
        tested[rows] = np.stack([randomised, resampled, *interval, cohen_d(known), exact], axis=1)
    corrected = zip(holm(tested[:, 0]), holm(tested[:, 1]), strict=True)
    listed = zip(differences, tested, corrected, wins_ties_losses(differences).tolist(), strict=True)
    return [
        Difference(
            mean(values) or 0.0,
            _known(low),
            _known(high),
            Tested(_known(p), _known(holm_p)),
            bool(exact),
            Tested(_known(p_bootstrap), _known(holm_bootstrap)),
            _known(effect),
            *counts,
        )
        for values, (p, p_bootstrap, low, high, effect, exact), (holm_p, holm_bootstrap), counts in listed
    ]


def _batches(differences: FloatArray, size: int) -> Iterator[list[int]]:
    """Rows over the same topics, so many together: they share the trials."""
    groups: dict[bytes, list[int]] = {}
    for row, missing in enumerate(np.isnan(differences)):
        groups.setdefault(missing.tobytes(), []).append(row)
    for rows in groups.values():
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
