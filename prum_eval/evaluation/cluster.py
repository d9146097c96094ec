"""Workers of a Dask cluster, through `distributed.Client.get_executor`.

Workers need prum-eval, and no files of this machine: what all runs share is sent to each worker once, parsed, and a
run as the bytes of its file. The runs of a lost worker are evaluated by another. No wait is unlimited: scheduler and
workers are polled while a result is pending.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Generic

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.parallel import Item, Output, Shared, Workers
from prum_eval.version import __version__

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?P<host>[^/:\[\]]+|\[[0-9a-fA-F:]+\]):(?P<port>[0-9]{1,5})/?")
LOCAL = "local"
"""In place of an address: start a cluster on this machine."""
CONNECT_TIMEOUT = 30
"""Seconds to wait for a scheduler and its first worker."""
TASKS_AHEAD = 4
"""Tasks per thread that are sent ahead: enough to keep it busy, few enough to fit into memory."""
POLL_INTERVAL = 2.0
"""Seconds between two polls of the cluster while a result is pending, and that a poll may take."""
LOSS_TIMEOUT = 12.0
"""Seconds after which scheduler and workers that do not answer, or a task nobody works on, count as lost."""
MAX_ATTEMPTS = 3
"""Most times that a task is sent."""


@dataclass(frozen=True)
class ClusterBackend:
    """A Dask scheduler at an address; for `local`, one started here with `count` workers."""

    address: str
    count: int
    remote: bool = True

    @property
    def ships(self) -> bool:
        """Whether workers get the bytes of runs; on this machine they read the files themselves."""
        return self.address != LOCAL

    @contextmanager
    def workers(self, work: Callable[[Shared, Item], Output], shared: Shared) -> Iterator[Workers[Item, Output]]:
        """Threads of the cluster's workers that compute ``work(shared, item)``.

        Raises:
            DataError: no scheduler, no worker, another version there, or workers that are lost again and again.
        """
        with self._client() as client:
            threads = sum(client.nthreads().values())
            sent = _ClusterTasks(client, work, shared)
            yield Workers(threads, sent.submit, TASKS_AHEAD * threads)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A client whose cluster has workers of this version."""
        dask: Any = import_module("dask")  # as Any: not all of it has types
        # Tasks hold the bytes of runs, which is meant; a lost worker is said by what is lost with it, if anything.
        settings = {
            "distributed.admin.large-graph-warning-threshold": "1TB",
            "distributed.comm.timeouts.connect": f"{CONNECT_TIMEOUT}s",
            "distributed.comm.timeouts.tcp": f"{CONNECT_TIMEOUT}s",  # of a worker that vanished without a word
            "logging": {"distributed": "critical", "distributed.client": "critical"},  # which has a level of its own
            "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
        }
        with dask.config.set(settings), ExitStack() as stack:
            distributed: Any = import_module("distributed")  # which reads the settings
            place: Any = self.address
            if self.address == LOCAL:
                own = distributed.LocalCluster(
                    n_workers=self.count, threads_per_worker=1, dashboard_address="127.0.0.1:0"
                )
                place = stack.enter_context(own)
            try:
                # Asked first: a client that finds no one cannot be closed without a word.
                if self.address != LOCAL:
                    _check_certificates(self.address)
                    socket.create_connection(_host_and_port(self.address), CONNECT_TIMEOUT).close()
                client = distributed.Client(place, timeout=CONNECT_TIMEOUT, set_as_default=False)
            except OSError as error:  # a timeout too
                raise DataError(f"no scheduler answers at {self.address}") from error
            stack.callback(client.close, timeout=POLL_INTERVAL)
            self._check(client)
            yield client

    def _check(self, client: Any) -> None:  # noqa: ANN401 - distributed has no types
        try:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
        except TimeoutError as error:
            raise DataError(f"the scheduler at {self.address} has no workers") from error
        for worker, found in client.run(version, "prum-eval", on_error="return").items():
            if found != __version__:
                there = "no prum-eval" if isinstance(found, PackageNotFoundError) else f"prum-eval {found}"
                raise DataError(f"worker {worker} has {there}, this is {__version__}")


class _ClusterTasks(Generic[Shared, Item, Output]):
    """The tasks of one call and what they share, on the cluster."""

    def __init__(self, client: Any, work: Callable[[Shared, Item], Output], shared: Shared) -> None:  # noqa: ANN401
        self.client = client
        self.work = work
        self.shared = shared
        self.executor = client.get_executor(pure=False)
        self.gone_since: float | None = None  # when the cluster was first seen without workers, in monotonic seconds
        self.there = self.scatter()

    def scatter(self) -> Any:  # noqa: ANN401 - a future of distributed
        """Send what all tasks share to every worker.

        Raises:
            DataError: the cluster does not take it.
        """
        try:
            self.there = self.client.scatter(self.shared, broadcast=True, hash=False, timeout=CONNECT_TIMEOUT)
        except OSError as error:  # a timeout too
            raise DataError("the cluster lost its workers") from error
        return self.there

    def poll(self) -> tuple[int, int]:
        """Numbers of workers now, and of tasks they work on.

        Raises:
            DataError: there have been no workers for a while.
        """
        workers: dict[str, Any] = {}
        if self.client.status == "running":
            with suppress(OSError):  # a timeout too
                workers = self.client.sync(
                    self.client.scheduler.processing, workers=None, callback_timeout=POLL_INTERVAL
                )
        now = time.monotonic()
        if workers:
            self.gone_since = None
        elif self.gone_since is None:
            self.gone_since = now
        if self.client.status == "closed" or (self.gone_since is not None and now - self.gone_since > LOSS_TIMEOUT):
            what = "its workers" if self.client.status == "running" else "its scheduler"
            raise DataError(f"the cluster lost {what}")
        return len(workers), sum(map(len, workers.values()))

    def send(self, item: Item) -> Future[Output]:
        """Send a task to some worker; the shared value takes the place of its future there."""
        future: Future[Output] = self.executor.submit(self.work, self.there, item)
        return future

    def submit(self, item: Item) -> _Task[Shared, Item, Output]:
        """Send a task, and again if it is lost."""
        return _Task(self, item, self.send(item))


@dataclass
class _Task(Generic[Shared, Item, Output]):
    """An item that was sent."""

    tasks: _ClusterTasks[Shared, Item, Output]
    item: Item
    future: Future[Output]

    def result(self) -> Output:
        """Wait for the result.

        Raises:
            DataError: workers are lost again and again.
        """
        killed = import_module("distributed").KilledWorker
        for _ in range(MAX_ATTEMPTS):
            there = self.tasks.there
            try:
                return self._wait_for_result()
            except killed as error:
                raise DataError("workers of the cluster fall on the same runs, perhaps for lack of memory") from error
            except CancelledError:  # the shared value went with the only worker that held it
                while not self.tasks.poll()[0]:
                    time.sleep(POLL_INTERVAL / 4)
                if there is self.tasks.there:
                    self.tasks.scatter()
                self.future = self.tasks.send(self.item)
        raise DataError("the cluster lost its workers")

    def _wait_for_result(self) -> Output:
        """The result, as soon as it is ready.

        Raises:
            CancelledError: it is lost, or nobody is at work on it.
        """
        idle_since: float | None = None
        while True:
            try:
                return self.future.result(POLL_INTERVAL)
            except TimeoutError:
                if self.future.done():
                    raise
            workers, tasks = self.tasks.poll()
            now = time.monotonic()
            if tasks or not workers:
                idle_since = None
            elif idle_since is None:
                idle_since = now
            elif now - idle_since > LOSS_TIMEOUT:
                self.future.cancel()
                raise CancelledError


def _check_certificates(address: str) -> None:
    """Check that Dask's configuration has the certificates that an address with TLS needs.

    Raises:
        DataError: it has none, or they cannot be read.
    """
    if not address.startswith("tls://"):
        return
    try:
        found = import_module("distributed").Security().get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:
        raise DataError(f"the certificates of Dask's configuration, distributed.comm.tls, are bad: {error}") from error
    if found is None:
        raise DataError(f"{address} needs certificates: see distributed.comm.tls in Dask's configuration")


def check_cluster(address: str) -> None:
    """Check an address, before anything is read, and that distributed is installed.

    Raises:
        UsageError: an invalid address, or the package distributed is missing.
    """
    if address != LOCAL:
        _host_and_port(address)
    if find_spec("distributed") is None:
        raise UsageError("--cluster needs distributed: pip install 'prum-eval[distributed]'")


def _host_and_port(address: str) -> tuple[str, int]:
    """Host and port of a scheduler."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UsageError(f"cluster={address}: cluster is tcp://HOST:PORT, the address of a Dask scheduler, or {LOCAL}")
    return found["host"].strip("[]"), int(found["port"])
