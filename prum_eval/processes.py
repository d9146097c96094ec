"""Processors and worker processes of this machine: how many there are, and that none outlives whom it works for."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from prum_eval.errors import DataError

_POLL_SECONDS = 1.0  # seconds between two looks at who the parent is


def available_cpus() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_threads() -> int:
    """Processors that threads of this process may fill: one in a worker process, whose siblings fill the others."""
    module = sys.modules.get("multiprocessing.process")
    return available_cpus() if module is None or module.parent_process() is None else 1


def exit_with_parent() -> None:
    """In a worker process: end with the main process, however that is killed; nobody else would close its tasks."""
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    # Workers that were forked later hold what tells of the parent's end open, so its number is looked at too.
    while parent is not None and os.getppid() == parent.pid and not wait([parent.sentinel], _POLL_SECONDS):
        pass
    os._exit(1)


@contextmanager
def explain_lost_workers() -> Iterator[None]:
    """Say in words that a worker process was lost.

    Raises:
        DataError: one of a pool ended before its time.
    """
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        reason = "a worker process ended before its time, perhaps for lack of memory; fewer --jobs need less"
        raise DataError(reason) from error
