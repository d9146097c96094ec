"""Peak memory of a process and of all that it starts, by what each is, sampled from ``/proc`` while they run.

The peak is the kernel's own, ``VmHWM``, so that a sample now and then is enough as long as the process lives. Pages
that forked processes share count in each of them.
"""

from __future__ import annotations

import re
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

PROC = Path("/proc")
EVERY = 0.1
"""Seconds from one sample to the next."""
SCHEDULER, WORKER, CLIENT = "scheduler", "worker", "client"


@dataclass
class Tree:
    """While it is entered, watches processes and all below them.

    `roots`: numbers of processes; `peaks`: MB by number; `kinds`: what each is; `clock`: their processor seconds.
    """

    roots: list[int]
    peaks: dict[int, float] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    clock: dict[int, float] = field(default_factory=dict)

    def __enter__(self) -> Self:
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def peak(self, kind: str) -> float | None:
        """The largest peak of the processes of a kind, in MB."""
        return max((self.peaks[number] for number, own in self.kinds.items() if own == kind), default=None)

    def seconds(self, kind: str) -> float:
        """Processor time of all processes of a kind."""
        return sum(self.clock[number] for number, own in self.kinds.items() if own == kind)

    def sample(self) -> None:
        """Look once at all processes that are there."""
        below = children()
        waiting = [(root, True) for root in self.roots]
        while waiting:
            number, is_root = waiting.pop()
            waiting += [(child, False) for child in below.get(number, ())]
            peak, own = peak_of(number), kind_of(number, is_root=is_root)
            if peak is not None and own is not None:
                self.peaks[number] = max(peak, self.peaks.get(number, 0))
                self.kinds[number] = own
                self.clock[number] = max(seconds_of(number), self.clock.get(number, 0))

    def _watch(self) -> None:
        while not self._ended.is_set():
            self.sample()
            time.sleep(EVERY)


def children() -> dict[int, list[int]]:
    """The processes that each process has started."""
    found: dict[int, list[int]] = {}
    for path in PROC.glob("[0-9]*/stat"):
        fields = _fields(path)
        if fields:
            found.setdefault(int(fields[1]), []).append(int(path.parent.name))
    return found


def peak_of(number: int) -> float | None:
    """Peak of the memory of a process, in MB; None where it has ended."""
    try:
        text = (PROC / str(number) / "status").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else None


def seconds_of(number: int) -> float:
    """Processor time of a process so far."""
    fields = _fields(PROC / str(number) / "stat")
    return sum(map(int, fields[11:13])) / 100 if fields else 0.0  # in hundredths, as Linux reports on all its machines


def kind_of(number: int, *, is_root: bool) -> str | None:
    """What a process is, by its command; None where it has ended, or only keeps count for others."""
    try:
        command = (PROC / str(number) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    if not command or "resource_tracker" in command:
        return None
    if "dask_scheduler" in command:
        return SCHEDULER
    return CLIENT if is_root and "dask_worker" not in command else WORKER


def run_watched(command: list[str], environment: dict[str, str], others: list[int] | None = None) -> tuple[float, Tree]:
    """Run a command to its end, its output thrown away: seconds, and its processes with those of `others`.

    Raises:
        RuntimeError: it fails.
    """
    start = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as child:
        with Tree([child.pid, *(others or [])]) as tree:
            _, said = child.communicate()
        seconds = time.perf_counter() - start
    if child.returncode != 0:
        raise RuntimeError(f"failed: {' '.join(command[:12])}: {said[-300:]}")
    return seconds, tree


def _fields(path: Path) -> list[str]:
    """Fields of a stat file after the name, which may hold anything: state, parent, ..."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
