"""Two or more runs compared with the first of them, on every measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from prum_eval.analysis.matrix import Matrix
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
from prum_eval.numerics.levels import mean
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
    def warnings(self) -> tuple[str, ...]:
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
    runs = len(matrix.runs)
    differences = {
        (number, run): paired_difference(values[run], values[0])
        for number, values in enumerate(matrix.values)
        for run in range(1, runs)
    }
    found: dict[tuple[int, int], Difference] = {}
    for keys in _batches(differences, max(1, _CELLS // settings.trials)):
        listed = np.stack([differences[key] for key in keys])
        found.update(zip(keys, _differences(listed[:, ~np.isnan(listed[0])], settings), strict=True))
    corrected = _corrected(found)
    rows = []
    for number, measure in enumerate(matrix.measures):
        for run in range(runs):
            known = matrix.values[number, run][~np.isnan(matrix.values[number, run])]
            rows.append(
                MeasuredRun(measure, run, len(known), mean(known.tolist()) or 0.0, corrected.get((number, run)))
            )
    return Comparison(matrix, settings, tuple(rows))


def _batches(differences: dict[tuple[int, int], FloatArray], size: int) -> Iterator[list[tuple[int, int]]]:
    """Comparisons over the same topics, so many together: they share the trials."""
    groups: dict[bytes, list[tuple[int, int]]] = {}
    for key, values in differences.items():
        groups.setdefault(np.isnan(values).tobytes(), []).append(key)
    for keys in groups.values():
        for start in range(0, len(keys), size):
            yield keys[start : start + size]


def _differences(differences: FloatArray, settings: TrialSettings) -> list[Difference]:
    randomised, exact = randomisation_test(differences, settings.trials, settings.seed)
    resampled, low, high = bootstrap_test(differences, settings.trials, settings.seed, settings.alpha)
    effects, counts = cohen_d(differences), wins_ties_losses(differences)
    return [
        Difference(
            mean(differences[k].tolist()) or 0.0,
            _known(low[k]),
            _known(high[k]),
            Tested(_known(randomised[k]), None),
            bool(exact[k]),
            Tested(_known(resampled[k]), None),
            _known(effects[k]),
            *map(int, counts[k]),
        )
        for k in range(len(differences))
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _corrected(found: dict[tuple[int, int], Difference]) -> dict[tuple[int, int], Difference]:
    """The same with Holm's correction over all comparisons, for each test by itself."""
    ordered = list(found.values())
    tests = {
        name: holm(np.array([np.nan if (p := getattr(one, name).p) is None else p for one in ordered]))
        for name in ("randomisation", "bootstrap")
    }
    return {
        key: replace(
            one,
            randomisation=Tested(one.randomisation.p, _known(tests["randomisation"][k])),
            bootstrap=Tested(one.bootstrap.p, _known(tests["bootstrap"][k])),
        )
        for k, (key, one) in enumerate(found.items())
    }
