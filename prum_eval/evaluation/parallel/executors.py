"""Workers: processes of this machine that all hold the same shared value and answer in the order of the questions.

Whatever does the work is a `concurrent.futures.Executor`. What all tasks share reaches a worker once, not with every
task: a forked process inherits it, any other gets it when it starts.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from prum_eval.processes import end_with_parent, lost_workers_named

if TYPE_CHECKING:  # a call with one run starts without it
    from multiprocessing.context import BaseContext

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Found = TypeVar("Found")
Found_co = TypeVar("Found_co", covariant=True)


class Answer(Protocol[Found_co]):
    """What a `concurrent.futures.Future` is, as far as it matters here."""

    def result(self) -> Found_co:
        """Wait for it."""
        ...


@dataclass(frozen=True)
class Workers(Generic[Item, Found]):
    """Workers that all do the same with an item.

    `count`: how many there are. `submit` hands an item to one of them. `ahead`: items handed out before their turn.
    """

    count: int
    submit: Callable[[Item], Answer[Found]]
    ahead: int = sys.maxsize

    def in_order(self, items: Iterable[Item]) -> Iterator[Found]:
        """What the workers find, in the order of the items, whichever is ready first."""
        waiting: deque[Answer[Found]] = deque()
        for item in items:
            waiting.append(self.submit(item))
            if len(waiting) >= self.ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Workplace(Protocol):
    """Where work is done. `remote`: workers are not forked from this process; `ships`: nor can they read its files."""

    @property
    def remote(self) -> bool: ...  # noqa: D102
    @property
    def ships(self) -> bool: ...  # noqa: D102

    def workers(
        self, work: Callable[[Shared, Item], Found], shared: Shared
    ) -> AbstractContextManager[Workers[Item, Found]]:
        """Workers that answer ``work(shared, item)``."""
        ...


@dataclass(frozen=True)
class Processes:
    """So many processes of this machine."""

    count: int
    remote: bool = False
    ships: bool = False

    @contextmanager
    def workers(self, work: Callable[[Shared, Item], Found], shared: Shared) -> Iterator[Workers[Item, Found]]:
        """Processes that answer ``work(shared, item)``.

        Raises:
            DataError: one of them ends before its time.
        """
        from concurrent.futures import ProcessPoolExecutor

        executor = ProcessPoolExecutor(self.count, _start_method(), _begin, (work, shared))
        try:
            with lost_workers_named():
                yield Workers(self.count, lambda item: executor.submit(_work, item))
        finally:
            executor.shutdown(cancel_futures=True)


def _start_method() -> BaseContext:
    """Fork where that is safe: nothing is copied and nothing imported again. Elsewhere a new interpreter."""
    import multiprocessing

    # On macOS system libraries do not survive a fork; a thread may hold a lock that the child would wait for.
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


_held: list[tuple[Callable[[Any, Any], Any], Any]] = []
"""In a worker process, and only there: the work and what it shares. An executor offers no other place for it."""


def _begin(work: Callable[[Shared, Item], Found], shared: Shared) -> None:
    """Start a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # on Ctrl-C the main process speaks, workers end without a word
    end_with_parent()
    _held[:] = [(work, shared)]
    gc.freeze()  # collections need not look through, and so copy, what was inherited


def _work(item: Any) -> Any:  # noqa: ANN401 -- whatever the work takes and finds
    work, shared = _held[0]
    return work(shared, item)
