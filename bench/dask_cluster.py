"""A Dask scheduler and workers on this machine, each a process of its own, so that each can be measured."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bench.processes import ENVIRONMENT

PATIENCE = 60.0
"""Seconds for a scheduler to answer."""


@contextmanager
def dask_cluster(workers: int) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler with so many workers, and the numbers of all their processes.

    Raises:
        RuntimeError: it does not answer.
    """
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet = {**ENVIRONMENT, "DASK_LOGGING__DISTRIBUTED": "critical"}
    with ExitStack() as stack:

        def started(module: str, *options: str) -> int:
            command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
            child = subprocess.Popen(command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(child.wait)
            stack.callback(child.terminate)
            return child.pid

        processes = [started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")]
        _await(port)
        for _ in range(workers):
            options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", _scratch())
            processes.append(started("dask_worker", address, *options))
        yield address, processes


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _scratch() -> str:
    return os.environ.get("TMPDIR", "/tmp")  # noqa: S108 - where Dask puts what it spills, a folder of its own


def _await(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("no scheduler of Dask starts here")
