"""A target for some seconds of processor time: `fuzzed` says how many inputs it read, or which one it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.mutation import inputs
from tests.fuzz.targets import TARGETS

SLOWEST = 5.0
"""Seconds that a small input may take."""
MEMORY = 4 << 30
"""Bytes that the process may have: what unpacks without end fails instead of filling the machine."""


def bounded_memory() -> None:
    """Let this process have no more than `MEMORY`, where the system can see to that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _processor_time() -> float:
    """Seconds of processor time that this process took, and processes that it started."""
    return sum(os.times()[:4])


def fuzzed(
    name: str, seconds: float, first_seed: int, report: Callable[[bytes], None] = lambda _: None, at_once: int = 300
) -> int:
    """Read inputs, `at_once` at a time, until the time is over; returns how many. `report` gets what fails."""
    read, count, begun = TARGETS[name].read, 0, _processor_time()

    def check(data: bytes) -> None:
        nonlocal count
        count += 1
        before = _processor_time()
        try:
            read(data)
            taken = _processor_time() - before
            assert taken < SLOWEST, f"{taken:.1f} seconds for {len(data)} bytes"
        except BaseException:
            report(data)
            raise

    rounds = 0
    while _processor_time() - begun < seconds:
        some = settings(
            max_examples=at_once,
            deadline=None,
            database=None,
            derandomize=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        seed(first_seed + rounds)(some(given(inputs(name))(check)))()
        rounds += 1
    return count
