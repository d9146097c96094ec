"""Timing whole processes: wall-clock seconds and peak memory, medians of several runs."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

# Byte code is compiled before anything is timed, also that of an installed package in a folder that is not writable.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT.setdefault("PYTHONPYCACHEPREFIX", str(Path(__file__).resolve().parent / "generated" / "bytecode"))
PROCESSOR_TIME = "BENCH_PROCESSOR_TIME"
"""Variable under which seconds are those of the processor, which other programs on the machine change least."""
COSTLY, FEW = 5.0, 3
"""A command of more than so many seconds is run at most so many times."""
VERY_COSTLY = 30.0
"""Of a command of more than so many seconds the first run counts, and is the only one."""
LIMIT = 300.0
"""Seconds after which a command is ended, and counts as failed."""


@dataclass(frozen=True)
class Measured:
    """Medians over so many runs."""

    seconds: float
    megabytes: float
    calls: int = 1


def measure(command: list[str], repeat: int, *, inside: bool = False) -> Measured:
    """Run a command once to warm the disk, then `repeat` times, or fewer where it is costly; its output is thrown away.

    `inside`: it measures itself and prints seconds and megabytes.

    Raises:
        RuntimeError: it fails, or takes longer than `LIMIT`.
    """
    run = _printed if inside else once
    first = run(command)
    if first.seconds > VERY_COSTLY:
        return first
    runs = [run(command) for _ in range(repeats(first.seconds, repeat))]
    seconds, megabytes = [one.seconds for one in runs], [one.megabytes for one in runs]
    return Measured(statistics.median(seconds), statistics.median(megabytes), len(runs))


def repeats(seconds: float, repeat: int) -> int:
    """How often a command of so many seconds is run."""
    return min(repeat, FEW) if seconds > COSTLY else repeat


def once(command: list[str]) -> Measured:
    """One run of a command.

    Raises:
        RuntimeError: it fails, or takes longer than `LIMIT`.
    """
    start = time.perf_counter()
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    child = os.posix_spawn(command[0], command, ENVIRONMENT, file_actions=nowhere)
    timer = Timer(LIMIT, os.kill, (child, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(child, 0)
    finally:
        timer.cancel()
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"failed: {' '.join(command)}")
    seconds = time.perf_counter() - start
    if PROCESSOR_TIME in os.environ:
        seconds = usage.ru_utime + usage.ru_stime
    return Measured(seconds, usage.ru_maxrss / 1024)


def _printed(command: list[str]) -> Measured:
    """What a command that measures itself prints."""
    try:
        made = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=LIMIT, check=True)
        seconds, megabytes = map(float, made.stdout.split())
    except (subprocess.SubprocessError, ValueError) as error:
        raise RuntimeError(f"failed: {' '.join(command)}") from error
    return Measured(seconds, megabytes)
