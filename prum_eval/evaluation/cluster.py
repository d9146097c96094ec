"""Workers of a Dask cluster, through `distributed.Client.get_executor`.

Workers need prum-eval, and no files of this machine: what all runs share is sent to each worker once, parsed, and a
run as the bytes of its file. The runs of a lost worker are evaluated by another. No wait is unlimited: scheduler and
workers are polled while a result is pending.
"""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from multiprocessing import resource_tracker
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
            with nullcontext() if self.ships else _defer_interrupts():
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
            "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
        }
        logging = {"distributed": "critical", "distributed.client": "critical"}  # which has a level of its own
        with dask.config.set({"logging": logging}):
            distributed: Any = import_module("distributed")  # which reads these, and adds settings of its own
        with dask.config.set(settings), ExitStack() as stack:
            options = {"timeout": CONNECT_TIMEOUT, "set_as_default": False}
            if self.address == LOCAL:
                client = stack.enter_context(_local_client(distributed, self.count, options))
            else:
                try:
                    # Asked first: a client that finds no one cannot be closed without a word.
                    _check_certificates(self.address)
                    socket.create_connection(_host_and_port(self.address), CONNECT_TIMEOUT).close()
                    client = distributed.Client(self.address, **options)
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
        try:
            # as Client.run, which would wait for ever for a worker that is stopped
            arguments = (client._run, version, "prum-eval")  # noqa: SLF001
            answers = client.sync(*arguments, on_error="return", callback_timeout=LOSS_TIMEOUT)
        except OSError as error:  # a timeout too
            raise DataError(_describe_loss(client)) from error
        for worker, answer in answers.items():
            if answer != __version__:
                there = "no prum-eval" if isinstance(answer, PackageNotFoundError) else f"prum-eval {answer}"
                raise DataError(f"worker {worker} has {there}, this is {__version__}")


@contextmanager
def _local_client(distributed: Any, count: int, options: Mapping[str, object]) -> Iterator[Any]:  # noqa: ANN401
    """A client of a cluster that is started here.

    Raises:
        DataError: it does not start.
    """
    own = client = None
    try:
        with _defer_interrupts():
            try:
                own = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0")
                client = distributed.Client(own, **options)
            except (OSError, RuntimeError) as error:
                raise DataError(f"the local cluster does not start: {error}") from error
        yield client
    finally:
        with _defer_interrupts():
            if client is not None:
                client.close(timeout=POLL_INTERVAL)
            if own is not None:
                own.close()


@contextmanager
def _defer_interrupts() -> Iterator[None]:
    """Deliver Ctrl-C after the block: what is half started or closed ends in tracebacks, or after a long wait.

    Threads and processes that start in the block inherit that it is blocked, and leave it to this thread for good.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    resource_tracker.ensure_running()  # which else would undo the blocking
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _ClusterTasks(Generic[Shared, Item, Output]):
    """The tasks of one call and what they share, on the cluster."""

    def __init__(self, client: Any, work: Callable[[Shared, Item], Output], shared: Shared) -> None:  # noqa: ANN401
        self.client = client
        self.work = work
        self.shared = shared
        self.executor = client.get_executor(pure=False)
        self.gone_since: float | None = None  # when the cluster was first seen without workers, in monotonic seconds
        self.polled = time.monotonic()
        self.heartbeats: dict[str, float] = {}  # the last one of each worker, by the clock of the scheduler
        self.silence: dict[str, float] = {}  # seconds since it was new
        self.answering: list[str] | None = None  # the workers that answer; None: all
        self.there = self.scatter()

    def scatter(self) -> Any:  # noqa: ANN401 - a future of distributed
        """Send what all tasks share to every worker.

        Raises:
            DataError: the cluster does not take it.
        """
        try:
            self.there = self.client.scatter(
                self.shared, workers=self.answering, broadcast=True, hash=False, timeout=CONNECT_TIMEOUT
            )
        except OSError as error:  # a timeout too
            raise DataError(_describe_loss(self.client)) from error
        return self.there

    def poll(self) -> dict[str, int]:
        """Number of tasks that each worker works on now, of the workers that answer.

        Raises:
            DataError: there have been no workers for a while, or neither they nor the scheduler answer.
        """
        workers = _workers_and_tasks(self.client)
        now = time.monotonic()
        # no more than two polls: this process, or all of a local cluster, may have been stopped itself
        elapsed, self.polled = min(now - self.polled, 2 * POLL_INTERVAL), now
        if workers:
            self.gone_since = None
        elif self.gone_since is None:
            self.gone_since = now
        if self.client.status == "closed" or (self.gone_since is not None and now - self.gone_since > LOSS_TIMEOUT):
            raise DataError(_describe_loss(self.client))
        if workers is None:  # a scheduler that is stopped hears no heartbeats
            self.silence.clear()
            return {}
        heartbeats = {name: heartbeat for name, (heartbeat, _) in workers.items()}
        self.silence = {
            name: self.silence.get(name, 0.0) + elapsed if self.heartbeats.get(name) == heartbeat else 0.0
            for name, heartbeat in heartbeats.items()
        }
        self.heartbeats = heartbeats
        limit = LOSS_TIMEOUT + len(workers) / 100  # the more workers, the less often they send one
        answering = [name for name in workers if self.silence[name] <= limit]
        if workers and not answering:
            raise DataError("the workers of the cluster do not answer")
        self.answering = answering if len(answering) < len(workers) else None
        return {name: workers[name][1] for name in answering}

    def send(self, item: Item) -> Future[Output]:
        """Send a task to some worker; the shared value takes the place of its future there."""
        future: Future[Output] = self.executor.submit(self.work, self.there, item, workers=self.answering)
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
                raise DataError("workers of the cluster fail on the same runs, perhaps for lack of memory") from error
            except CancelledError:  # the shared value went with the only worker that held it
                while not self.tasks.poll():
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
            tasks, now = self.tasks.poll(), time.monotonic()
            if any(tasks.values()) or not tasks:
                idle_since = None
                continue
            idle_since = now if idle_since is None else idle_since
            if self.tasks.answering is not None or now - idle_since > LOSS_TIMEOUT:
                self.future.cancel()
                raise CancelledError


def _workers_and_tasks(client: Any) -> dict[str, tuple[float, int]] | None:  # noqa: ANN401 - distributed has no types
    """The last heartbeat of each worker and the number of its tasks; None if the scheduler does not answer."""

    async def ask() -> dict[str, tuple[float, int]]:
        identity, tasks = await client.scheduler.identity(), await client.scheduler.processing(workers=None)
        workers = identity["workers"]
        return {name: (workers[name]["last_seen"], len(keys)) for name, keys in tasks.items() if name in workers}

    if client.status == "running":
        with suppress(OSError):  # a timeout too
            answer: dict[str, tuple[float, int]] = client.sync(ask, callback_timeout=POLL_INTERVAL)
            return answer
    return None


def _describe_loss(client: Any) -> str:  # noqa: ANN401 - distributed has no types
    """What of a cluster has gone or does not answer."""
    workers = _workers_and_tasks(client)
    if workers is None:
        running = client.status == "running"
        return "the scheduler of the cluster does not answer" if running else "the cluster lost its scheduler"
    if not workers:
        return "the cluster lost its workers"
    latest = max(heartbeat for heartbeat, _ in workers.values())
    late = (name for name, (heartbeat, _) in workers.items() if latest - heartbeat > LOSS_TIMEOUT / 2)
    silent = next(late, None)
    return "the workers of the cluster do not answer" if silent is None else f"worker {silent} does not answer"


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
        raise UsageError("--cluster needs distributed: pip install distributed")


def _host_and_port(address: str) -> tuple[str, int]:
    """Host and port of a scheduler."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise UsageError(f"cluster={address}: cluster is tcp://HOST:PORT, the address of a Dask scheduler, or {LOCAL}")
    return found["host"].strip("[]"), int(found["port"])
