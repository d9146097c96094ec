"""Many runs, one after another or by workers: the same values, in the order of the arguments, whatever fails."""

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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from prum_eval.errors import DataError, InputError, UsageError, raise_first
from prum_eval.evaluation.evaluate_run import EvaluatedRun, evaluate_run
from prum_eval.evaluation.plan import Plan, TopicCache
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_runs
from prum_eval.processes import available_cpus, exit_with_parent, explain_lost_workers
from prum_eval.records import Run, RunKind
from prum_eval.text.streams import Content, read_content

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext


# Runs as they are handed to workers: several at a time, some of them read before they go.


RunSource = str | PathLike[str] | Content | Run | InputError
"""Where a run comes from: a path, bytes that were read before, what `read_run` returned; or why it cannot be read."""
BATCHES_PER_WORKER = 8
"""Tasks a worker, where there are runs enough: few, as each costs a message; many, so that the last end together."""
MAX_BATCH_BYTES = 1 << 24
"""Bytes in a batch of runs from which on no further one joins it."""


def batches(sources: Sequence[RunSource], workers: int, *, ship: bool) -> Iterator[tuple[RunSource, ...]]:
    """Runs that stand together, as they are handed to workers; made when their turn comes."""
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
    """What can be read only once, and only by this process, such as standard input, is read now."""
    return source if isinstance(source, str | PathLike) and Path(source).is_file() else _read_source(source)


def _read_source(source: RunSource) -> RunSource:
    if not isinstance(source, str | PathLike):
        return source
    try:
        return read_content(str(source))
    except InputError as error:
        return error


# Workers: processes of this machine that all hold the same shared value and answer in the order of the questions.
#
# Whatever does the work is a `concurrent.futures.Executor`. What all tasks share reaches a worker once, not with every
# task: a forked process inherits it, any other gets it when it starts.


Shared = TypeVar("Shared")
Item = TypeVar("Item")
Output = TypeVar("Output")
Output_co = TypeVar("Output_co", covariant=True)


class Answer(Protocol[Output_co]):
    """What a `concurrent.futures.Future` is, as far as it matters here."""

    def result(self) -> Output_co:
        """Wait for it."""
        ...


@dataclass(frozen=True)
class Workers(Generic[Item, Output]):
    """Workers that all do the same with an item.

    `count`: how many there are. `submit` hands an item to one of them. `max_pending`: items handed out before their turn.
    """

    count: int
    submit: Callable[[Item], Answer[Output]]
    max_pending: int = sys.maxsize

    def map_in_order(self, items: Iterable[Item]) -> Iterator[Output]:
        """What the workers find, in the order of the items, whichever is ready first."""
        waiting: deque[Answer[Output]] = deque()
        for item in items:
            waiting.append(self.submit(item))
            if len(waiting) >= self.max_pending:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class WorkerBackend(Protocol):
    """Where work is done. `remote`: workers are not forked from this process; `ships`: nor can they read its files."""

    @property
    def remote(self) -> bool: ...  # noqa: D102
    @property
    def ships(self) -> bool: ...  # noqa: D102

    def workers(
        self, work: Callable[[Shared, Item], Output], shared: Shared
    ) -> AbstractContextManager[Workers[Item, Output]]:
        """Workers that answer ``work(shared, item)``."""
        ...


@dataclass(frozen=True)
class ProcessBackend:
    """So many processes of this machine."""

    count: int
    remote: bool = False
    ships: bool = False

    @contextmanager
    def workers(self, work: Callable[[Shared, Item], Output], shared: Shared) -> Iterator[Workers[Item, Output]]:
        """Processes that answer ``work(shared, item)``.

        Raises:
            DataError: one of them ends before its time.
        """
        from concurrent.futures import ProcessPoolExecutor

        executor = ProcessPoolExecutor(self.count, _start_method(), _start_worker, (work, shared))
        try:
            with explain_lost_workers():
                yield Workers(self.count, lambda item: executor.submit(_run_task, item))
        finally:
            executor.shutdown(cancel_futures=True)


def _start_method() -> BaseContext:
    """Fork where that is safe: nothing is copied and nothing imported again. Elsewhere a new interpreter."""
    import multiprocessing

    # On macOS system libraries do not survive a fork; a thread may hold a lock that the child would wait for.
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


_worker_task: list[tuple[Callable[[Any, Any], Any], Any]] = []
"""In a worker process, and only there: the work and what it shares. An executor offers no other place for it."""


def _start_worker(work: Callable[[Shared, Item], Output], shared: Shared) -> None:
    """Start a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # on Ctrl-C the main process speaks, workers end without a word
    exit_with_parent()
    _worker_task[:] = [(work, shared)]
    gc.freeze()  # collections need not look through, and so copy, what was inherited


def _run_task(item: Any) -> Any:  # noqa: ANN401 -- whatever the work takes and finds
    work, shared = _worker_task[0]
    return work(shared, item)


Failure = InputError | DataError
"""What is wrong with one run. Other errors are about the call, and end it."""

Outcomes = Sequence[EvaluatedRun | Failure]
"""What comes of the runs of one source."""

OnFailure = Callable[[Failure], object]
"""Called with what is wrong with a run; it may raise (the default), or let the other runs complete."""

OnProgress = Callable[[int, int], object]
"""Called with how many runs are done, of how many."""


def evaluate_runs(
    plan: Plan,
    *,
    single_run: bool = False,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
) -> list[EvaluatedRun]:
    """The values of all runs of a plan that have some, in order; `problems` gets the errors of the others, in order too.

    `single_run`: no other run follows, so that nothing is kept for one.
    """
    evaluated = []
    for done, outcomes in enumerate(run_outcomes(plan, single_run=single_run), start=1):
        for outcome in outcomes:
            if isinstance(outcome, EvaluatedRun):
                evaluated.append(outcome)
            else:
                problems(outcome)
        if progress is not None:
            progress(done, len(plan.sources))
    return evaluated


def run_outcomes(plan: Plan, *, single_run: bool = False) -> Iterator[Outcomes]:
    """The outcomes of each source, in order, as soon as it and those before it are done."""
    backend, shared = plan.backend, (plan, TopicCache())
    if backend is None:
        yield from (_source_outcomes(*shared, source, single_run=single_run) for source in plan.sources)
        return
    if not backend.remote:
        _ = plan.inputs.trees  # made once here, where forked processes find them
    # A worker gets the runs in batches, and with the plan none.
    shared = (replace(plan, sources=(), backend=None, warnings=()), TopicCache())
    with backend.workers(_batch_outcomes, shared) as workers:
        for outcomes in workers.map_in_order(batches(plan.sources, workers.count, ship=backend.ships)):
            yield from outcomes


def read_documents(
    sources: Sequence[RunSource],
    rank_by: RankBy | None,
    place: WorkerBackend | None = None,
    *,
    of_passages: bool = False,
) -> tuple[list[RunSource], set[str]]:
    """Names of all documents in the runs, and the runs: read, unless processes here share that, else as they were.

    With `of_passages` only the documents where a result is a passage or a range.
    """
    if place is None or place.remote:
        read = [run for source in sources for run in read_source(source, rank_by)]
        return list(read), _names(read, of_passages=of_passages)

    listed = [reusable_source(source) for source in sources]
    with place.workers(_documents_of_sources, (rank_by, of_passages)) as workers:
        return listed, set().union(*workers.map_in_order(batches(listed, workers.count, ship=False)))


def _batch_outcomes(shared: tuple[Plan, TopicCache], sources: Sequence[RunSource]) -> list[Outcomes]:
    return [_source_outcomes(*shared, source) for source in sources]


def _source_outcomes(plan: Plan, cache: TopicCache, source: RunSource, *, single_run: bool = False) -> Outcomes:
    outcomes: list[EvaluatedRun | Failure] = []
    runs = read_source(source, plan.rank_by)
    for run in runs:
        if isinstance(run, InputError):
            outcomes.append(run)
            continue
        try:
            outcomes.append(evaluate_run(plan, run, cache, single_run=single_run and len(runs) == 1))
        except (InputError, DataError) as error:
            outcomes.append(error.with_traceback(None))  # which would keep the run in memory
    return outcomes


def _documents_of_sources(how: tuple[RankBy | None, bool], sources: Sequence[RunSource]) -> set[str]:
    rank_by, of_passages = how
    read = (run for source in sources for run in read_source(source, rank_by))
    return _names(read, of_passages=of_passages)


def _names(runs: Iterable[Run | InputError], *, of_passages: bool) -> set[str]:
    """Names of the documents of all runs, or of those where results are passages or ranges."""
    named: set[str] = set()
    for run in runs:
        if not isinstance(run, InputError):
            names = run.documents
            if of_passages and run.kind is not RunKind.EXTENTS:
                codes = run.document[run.first_path != run.last_path].tolist()
                names = [run.documents[code] for code in set(codes)]
            named.update(names)
    return named


def read_source(source: RunSource, rank_by: RankBy | None) -> Sequence[Run | InputError]:
    """The runs of a source, or why it cannot be read."""
    if isinstance(source, Run | InputError):
        return (source,)
    try:
        return read_runs(source if isinstance(source, Content) else str(source), rank_by=rank_by)
    except InputError as error:
        return (error.with_traceback(None),)


# Where runs are evaluated: in this process, in several, or on a cluster.


def make_executor(jobs: int, runs: int, cluster: str | None = None) -> WorkerBackend | None:
    """Where so many runs are evaluated with so many jobs (0: one a processor); None for this process.

    Raises:
        UsageError: a negative number of jobs, jobs of a cluster that has workers of its own, or no such cluster.
    """
    if jobs < 0:
        raise UsageError(f"jobs={jobs}: jobs is a number of processes, or 0 for one a processor")
    if cluster is None:
        count = min(jobs or available_cpus(), runs)
        return ProcessBackend(count) if count > 1 else None
    from prum_eval.evaluation.cluster import LOCAL, ClusterBackend, check_cluster  # few calls have one

    check_cluster(cluster)
    if jobs != 1 and cluster != LOCAL:
        raise UsageError(f"jobs={jobs}: a cluster has workers of its own; jobs goes with cluster={LOCAL} only")
    return ClusterBackend(cluster, available_cpus() if jobs in (0, 1) else jobs)
