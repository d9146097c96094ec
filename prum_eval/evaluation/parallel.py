"""Runs evaluated by workers: processes of this machine or, in `prum_eval.evaluation.cluster`, those of a cluster.

The values are the same as in one process, in the order of the arguments, whatever fails. All work is done by a
`concurrent.futures.Executor`. What all tasks share reaches a worker once: a forked process inherits it, any other gets
it when it starts. Runs are sent in batches; those that only this process can read are read first.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from prum_eval.errors import InputError, UsageError
from prum_eval.evaluation.evaluate_run import Outcomes, read_source, source_outcomes
from prum_eval.evaluation.plan import Plan, RunSource, TopicCache
from prum_eval.formats import RankBy
from prum_eval.processes import available_cpus, exit_with_parent, explain_lost_workers
from prum_eval.records import Run, RunKind
from prum_eval.text.streams import Content, is_regular_file, read_content

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

BATCHES_PER_WORKER = 8
"""Tasks per worker, if there are enough runs: few, as each costs a message; many, so that the last end together."""
MAX_BATCH_BYTES = 1 << 24
"""Bytes in a batch of runs from which on no further run joins it."""

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Output = TypeVar("Output")
Output_co = TypeVar("Output_co", covariant=True)


def parallel_outcomes(plan: Plan, backend: WorkerBackend) -> Iterator[Outcomes]:
    """The outcomes of each source of a plan, in order, evaluated by workers."""
    if not backend.remote:
        _ = plan.inputs.trees  # made once here, where forked processes find them
    # A worker gets the runs in batches, and with the plan none.
    shared = (replace(plan, sources=(), backend=None, warnings=()), TopicCache())
    with backend.workers(_batch_outcomes, shared) as workers:
        for outcomes in workers.map_in_order(batches(plan.sources, workers.count, ship=backend.ships)):
            yield from outcomes


def _batch_outcomes(shared: tuple[Plan, TopicCache], sources: Sequence[RunSource]) -> list[Outcomes]:
    return [source_outcomes(*shared, source) for source in sources]


def batches(sources: Sequence[RunSource], workers: int, *, ship: bool) -> Iterator[tuple[RunSource, ...]]:
    """Batches of consecutive runs for workers, each read or checked when its turn comes; `ship`: as bytes."""
    size, batch, weight = max(1, len(sources) // (workers * BATCHES_PER_WORKER)), [], 0
    for source in sources:
        batch.append(_read_source(source) if ship else reusable_source(source))
        weight += len(batch[-1].data) if isinstance(batch[-1], Content) else 0
        if len(batch) == size or weight >= MAX_BATCH_BYTES:
            yield tuple(batch)
            batch, weight = [], 0
    if batch:
        yield tuple(batch)


def reusable_source(source: RunSource) -> RunSource:
    """The source; read, if only this process can read it and only once, such as standard input."""
    return source if isinstance(source, str | PathLike) and is_regular_file(source) else _read_source(source)


def _read_source(source: RunSource) -> RunSource:
    if not isinstance(source, str | PathLike):
        return source
    try:
        return read_content(str(source))
    except InputError as error:
        return error


def read_documents(
    sources: Sequence[RunSource],
    rank_by: RankBy | None,
    backend: WorkerBackend | None = None,
    *,
    of_passages: bool = False,
) -> tuple[Sequence[RunSource], set[str]]:
    """The runs, and the names of all documents in them; the runs are read unless local processes share that.

    With `of_passages` only the documents where a result is a passage or a range.
    """
    if backend is None or backend.remote:
        runs = [run for source in sources for run in read_source(source, rank_by)]
        return runs, _document_names(runs, of_passages=of_passages)
    sources = [reusable_source(source) for source in sources]
    with backend.workers(_documents_of_sources, (rank_by, of_passages)) as workers:
        return sources, set().union(*workers.map_in_order(batches(sources, workers.count, ship=False)))


def _documents_of_sources(options: tuple[RankBy | None, bool], sources: Sequence[RunSource]) -> set[str]:
    rank_by, of_passages = options
    return _document_names((run for source in sources for run in read_source(source, rank_by)), of_passages=of_passages)


def _document_names(runs: Iterable[Run | InputError], *, of_passages: bool) -> set[str]:
    """Names of the documents of all runs, or of those where results are passages or ranges."""
    names: set[str] = set()
    for run in runs:
        if isinstance(run, InputError):
            continue
        if of_passages and run.kind is not RunKind.EXTENTS:
            codes = run.document[run.first_path != run.last_path].tolist()
            names.update(run.documents[code] for code in set(codes))
        else:
            names.update(run.documents)
    return names


# Workers


class Answer(Protocol[Output_co]):
    """A `concurrent.futures.Future`, as far as it is used here."""

    def result(self) -> Output_co:
        """Wait for the result."""
        ...


@dataclass(frozen=True)
class Workers(Generic[Item, Output]):
    """Workers that do the same work with each item.

    `count`: number of workers. `submit`: sends an item to one of them. `max_pending`: most items sent before the result
    of the first is taken.
    """

    count: int
    submit: Callable[[Item], Answer[Output]]
    max_pending: int = sys.maxsize

    def map_in_order(self, items: Iterable[Item]) -> Iterator[Output]:
        """The results of the items, in their order, whichever is ready first."""
        pending: deque[Answer[Output]] = deque()
        for item in items:
            pending.append(self.submit(item))
            if len(pending) >= self.max_pending:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


class WorkerBackend(Protocol):
    """Where work is done. `remote`: workers are not forked from this process; `ships`: they cannot read its files."""

    @property
    def remote(self) -> bool: ...  # noqa: D102
    @property
    def ships(self) -> bool: ...  # noqa: D102

    def workers(
        self, work: Callable[[Shared, Item], Output], shared: Shared
    ) -> AbstractContextManager[Workers[Item, Output]]:
        """Workers that compute ``work(shared, item)``."""
        ...


def make_executor(jobs: int, runs: int, cluster: str | None = None) -> WorkerBackend | None:
    """The backend for a number of runs and of jobs (0: one per processor); None for this process.

    Raises:
        UsageError: a negative number of jobs, jobs of a cluster that has workers of its own, or no such cluster.
    """
    if jobs < 0:
        raise UsageError(f"jobs={jobs}: jobs is a number of processes, or 0 for one per processor")
    if cluster is None:
        count = min(jobs or available_cpus(), runs)
        return ProcessBackend(count) if count > 1 else None
    from prum_eval.evaluation.cluster import LOCAL, ClusterBackend, check_cluster  # few calls have one

    check_cluster(cluster)
    if jobs != 1 and cluster != LOCAL:
        raise UsageError(f"jobs={jobs}: a cluster has workers of its own; jobs goes with cluster={LOCAL} only")
    return ClusterBackend(cluster, available_cpus() if jobs in (0, 1) else jobs)


@dataclass(frozen=True)
class ProcessBackend:
    """Processes of this machine."""

    count: int
    remote: bool = False
    ships: bool = False

    @contextmanager
    def workers(self, work: Callable[[Shared, Item], Output], shared: Shared) -> Iterator[Workers[Item, Output]]:
        """Processes that compute ``work(shared, item)``.

        Raises:
            DataError: one of them ends early.
        """
        from concurrent.futures import ProcessPoolExecutor

        executor = ProcessPoolExecutor(self.count, _start_method(), _start_worker, (work, shared))
        try:
            with explain_lost_workers():
                yield Workers(self.count, lambda item: executor.submit(_run_task, item))
        finally:
            executor.shutdown(cancel_futures=True)


def _start_method() -> BaseContext:
    """Fork if that is safe, as nothing is copied or imported again; else start a new interpreter."""
    import multiprocessing

    # On macOS system libraries do not survive a fork; a thread may hold a lock that the child would wait for.
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


_worker_task: list[tuple[Callable[[Any, Any], Any], Any]] = []
"""The work and what it shares, in a worker process only. An executor offers no other place for it."""


def _start_worker(work: Callable[[Shared, Item], Output], shared: Shared) -> None:
    """Initialise a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # on Ctrl-C the main process prints, workers end silently
    exit_with_parent()
    _worker_task[:] = [(work, shared)]
    gc.freeze()  # collections need not look through, and so copy, what was inherited


def _run_task(item: Any) -> Any:  # noqa: ANN401 -- of any work
    work, shared = _worker_task[0]
    return work(shared, item)
