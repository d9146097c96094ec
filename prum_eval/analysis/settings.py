"""What the user chooses of tests and intervals."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.errors import UsageError
from prum_eval.parameters import nearest

PAIRS = ("first", "best", "all")
"""Each run with the first, or with the best by each measure; or each with every other."""
INTERVALS = ("t", "bootstrap")
"""Student's, or by the studentised bootstrap."""
FAMILIES = ("measure", "call")
"""p-values are corrected for the comparisons of their measure, or for all of the call."""


@dataclass(frozen=True)
class TrialSettings:
    """Seed and number of trials, and alpha, of which intervals leave out as much."""

    seed: int = 1
    trials: int = 100_000
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, least, most in (("seed", 0, 2**63 - 1), ("trials", 1, 10**7)):
            if not least <= getattr(self, name) <= most:
                raise UsageError(f"{name}={getattr(self, name)}: {name} is a whole number from {least} to {most}")
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha={self.alpha}: alpha is a number between 0 and 1")


@dataclass(frozen=True)
class ComparisonSettings(TrialSettings):
    """The same for a comparison: which pairs of runs, how intervals are made, what is corrected together.

    `baseline` is the run, by its name or path, that stands in place of the first.
    """

    pairs: str = "first"
    baseline: str | None = None
    interval: str = "t"
    family: str = "measure"

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        for name, known in (("pairs", PAIRS), ("interval", INTERVALS), ("family", FAMILIES)):
            if (value := getattr(self, name)) not in known:
                listed = f"{', '.join(known[:-1])} or {known[-1]}"
                raise UsageError(f"{name}={value}: {name} is {listed}{nearest(value, known)}")
        if self.baseline is not None and self.pairs != PAIRS[0]:
            raise UsageError("a baseline is what the other runs are compared with, and goes with pairs=first only")
