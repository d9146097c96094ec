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
from prum_eval.numerics.levels import mean

_CELLS = 1 << 22
"""About so many means of trials are held at a time."""


@dataclass(frozen=True)
class TrialSettings:
    """What the user chooses: seed and number of trials, and alpha, of which intervals leave out as much."""

    seed: int = 1
    trials: int = 100_000
    alpha: float = 0.05


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


@dataclass(frozen=True)
class Comparison:
    """A row a measure and run, in the order of the matrix."""

    matrix: Matrix
    settings: TrialSettings
    measured: tuple[MeasuredRun, ...]


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


def too_few(comparison: Comparison) -> str | None:
    """A sentence for the user where no randomisation test could find a difference, whatever the values."""
    topics, alpha = max(row.topics for row in comparison.measured), comparison.settings.alpha
    least = 2.0 ** (1 - topics)
    if least < alpha:
        return None
    return f"with {topics} topic{'s'[: topics != 1]} no p-value of the randomisation test is below {least:g}"


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
