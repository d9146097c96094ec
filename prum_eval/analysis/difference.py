"""The difference of two runs on one measure, with everything that tests say of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from prum_eval.analysis.paired import cohen_d, randomisation_test, t_margin, t_test
from prum_eval.analysis.settings import ComparisonSettings
from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.numerics.bootstrap import bootstrap_margin, bootstrap_test

STATISTICS = (
    *("difference", "low", "high", "p_randomisation", "holm_randomisation", "p_bootstrap", "holm_bootstrap"),
    *("cohen_d", "wins", "ties", "losses", "exact", "p_t", "holm_t", "p_tukey"),
)
"""What csv and data frames have of a difference, in their order."""
TESTS = ("randomisation", "t", "bootstrap")


@dataclass(frozen=True)
class Tested:
    """A two-sided p-value, and corrected by Holm's procedure for all comparisons of its family; None if undefined."""

    p: float | None
    holm: float | None


@dataclass(frozen=True)
class Difference:
    """A run minus another on one measure.

    `mean` of the differences by topic, `low` and `high` of its interval; `randomisation`, `exact` where all
    arrangements were gone through; `bootstrap`, `t`; `tukey`: p corrected for all pairs of the measure, where all were
    compared; `cohen_d` by the standard deviation of the differences (d_z); `wins`, `ties`, `losses` by topic. Of a
    count there are `mean`, `wins` (more), `ties` and `losses` (less) alone.
    """

    mean: float
    low: float | None
    high: float | None
    randomisation: Tested
    exact: bool
    bootstrap: Tested
    t: Tested
    tukey: float | None
    cohen_d: float | None
    wins: int
    ties: int
    losses: int

    def tested(self, test: str) -> Tested:
        """The result of one of `TESTS`."""
        found: Tested = getattr(self, test)
        return found

    def reversed(self) -> Difference:
        """The other run minus the one."""
        return replace(
            self,
            mean=0.0 - self.mean,
            low=_negative(self.high),
            high=_negative(self.low),
            cohen_d=_negative(self.cohen_d),
            wins=self.losses,
            losses=self.wins,
        )

    def statistics(self) -> dict[str, float | int | bool | None]:
        """All of it by the names of `STATISTICS`."""
        tests = (self.randomisation.p, self.randomisation.holm, self.bootstrap.p, self.bootstrap.holm)
        counts = (self.wins, self.ties, self.losses, self.exact)
        later = (self.t.p, self.t.holm, self.tukey)
        values = (self.mean, self.low, self.high, *tests, self.cohen_d, *counts, *later)
        return dict(zip(STATISTICS, values, strict=True))


def statistics_of(
    differences: FloatArray, values: FloatArray, pairs: IntArray, settings: ComparisonSettings
) -> dict[str, FloatArray]:
    """Intervals, p-values and effect sizes by name, each of shape (k,).

    Args:
        differences: shape (k, topics); NaN marks topics that do not count.
        values: what they are differences of, shape (rows, topics).
        pairs: rows of the two values of each difference, shape (k, 2).
        settings: which interval, and the trials.

    Returns:
        NaN is what is not defined.
    """
    names = ("low", "high", *TESTS, "exact", "cohen_d")
    found = {name: np.full(len(differences), np.nan) for name in names}
    for rows, topics in _same_topics(differences):
        known = differences[rows][:, topics]
        mean, margin = known.mean(axis=1), _margin(known, settings)
        used, places = np.unique(pairs[rows], return_inverse=True)
        origin = (values[used][:, topics], places.reshape(-1, 2))
        randomisation, exact = randomisation_test(known, settings.trials, settings.seed, origin)
        bootstrap = bootstrap_test(known, settings.trials, settings.seed, origin)
        own = (mean - margin, mean + margin, randomisation, t_test(known), bootstrap, exact, cohen_d(known))
        for name, column in zip(names, own, strict=True):
            found[name][rows] = column
    return found


def _margin(differences: FloatArray, settings: ComparisonSettings) -> FloatArray:
    if settings.interval == "t":
        return t_margin(differences, settings.alpha)
    return bootstrap_margin(differences, settings.trials, settings.seed, settings.alpha)


def _same_topics(differences: FloatArray) -> Iterator[tuple[list[int], BoolArray]]:
    """Rows over the same topics, and which these are: they share the trials."""
    groups: dict[bytes, list[int]] = {}
    missing = np.isnan(differences)
    for row, own in enumerate(missing):
        groups.setdefault(own.tobytes(), []).append(row)
    for rows in groups.values():
        yield rows, ~missing[rows[0]]


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value  # not -0.0
