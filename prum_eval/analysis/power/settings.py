"""What the user chooses of the power of measures, and which sizes of topic sets are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.analysis.difference import TESTS
from prum_eval.analysis.settings import TrialSettings
from prum_eval.errors import UsageError
from prum_eval.parameters import nearest
from prum_eval.value_lists import values_listed

_SMALLEST = 5


@dataclass(frozen=True)
class PowerSettings(TrialSettings):
    """Trials of tests, which are as many as topic sets drawn of each size, and alpha.

    `test`: whose p-values count. `fuzziness`: means tie that differ by no more than this share of the larger one.
    `sizes`: of the topic sets, None for `usual_sizes`.
    """

    trials: int = 1000
    test: str = "bootstrap"
    fuzziness: float = 0.05
    sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        if self.test not in TESTS:
            names = f"{', '.join(TESTS[:-1])} or {TESTS[-1]}"
            raise UsageError(f"test={self.test}: test is {names}{nearest(self.test, TESTS)}")
        if not 0 <= self.fuzziness < 1:
            raise UsageError(f"fuzziness={self.fuzziness}: fuzziness is a number from 0 on and below 1")


def sizes_given(sizes: str | int | Sequence[int] | None) -> tuple[int, ...] | None:
    """Sizes of topic sets, increasing, each once, of numbers or of a list in text.

    >>> sizes_given("5:25:10"), sizes_given([10, 5, 5]), sizes_given(None)
    ((5, 15, 25), (5, 10), None)

    Raises:
        UsageError: one is no whole number from 1 on, or there is none.
    """
    if sizes is None:
        return None
    given = [sizes] if isinstance(sizes, int) else sizes
    listed = values_listed(given) if isinstance(given, str) else [str(size) for size in given]
    bad = next((size for size in listed if not (size.isascii() and size.isdigit() and len(size) < 10)), None)
    bad = next((size for size in listed if int(size) < 1), None) if bad is None else bad
    if bad is not None or not listed:
        found = bad if listed else "empty"
        raise UsageError(f"sizes: {found}: the size of a topic set is a whole number from 1 on")
    return tuple(sorted({int(size) for size in listed}))


def usual_sizes(topics: int) -> tuple[int, ...]:
    """5, 10, 20 and so on below half of the topics, and half of them.

    >>> usual_sizes(50), usual_sizes(8), usual_sizes(20)
    ((5, 10, 20, 25), (4,), (5, 10))
    """
    half = topics // 2
    found, size = [], _SMALLEST
    while size < half:
        found.append(size)
        size *= 2
    return (*found, half)
