"""Timing whole processes: wall-clock seconds and peak memory, medians of several runs."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass

# An installed program has its byte code; a variable that keeps Python from writing it would have it compiled each time.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Measured:
    """Medians over the runs."""

    seconds: float
    megabytes: float


def measure(command: list[str], repeat: int) -> Measured:
    """Run a command once to warm the disk, then `repeat` times; its output is thrown away.

    Raises:
        RuntimeError: it fails.
    """
    once(command)
    runs = [once(command) for _ in range(repeat)]
    return Measured(statistics.median(run.seconds for run in runs), statistics.median(run.megabytes for run in runs))


def once(command: list[str]) -> Measured:
    """One run of a command."""
    start = time.perf_counter()
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    child = os.posix_spawn(command[0], command, ENVIRONMENT, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"failed: {' '.join(command)}")
    return Measured(time.perf_counter() - start, usage.ru_maxrss / 1024)
