"""Processors of this machine, and the life cycle of worker processes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from prum_eval.errors import DataError

_POLL_SECONDS = 1.0  # between two checks of the parent process


def available_cpus() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_threads() -> int:
    """Number of threads to start: 1 in a worker process, since its siblings use the other processors."""
    module = sys.modules.get("multiprocessing.process")
    return available_cpus() if module is None or module.parent_process() is None else 1


def exit_with_parent() -> None:
    """End this worker process when the main process ends, even if that is killed."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    def watch() -> None:
        parent = parent_process()
        # Workers forked later inherit the parent's end of the sentinel's pipe, so the process number is compared too.
        while parent is not None and os.getppid() == parent.pid and not wait([parent.sentinel], _POLL_SECONDS):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def explain_lost_workers() -> Iterator[None]:
    """Explain the loss of a worker process.

    Raises:
        DataError: a process of a pool ended unexpectedly.
    """
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        reason = "a worker process ended before its time, perhaps for lack of memory; fewer --jobs need less"
        raise DataError(reason) from error
