"""Work on the items of a stream, some items ahead: numpy lets other threads run while it computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from prum_eval.processes import free_processors

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_FEW = 4
"""Items that are not worth a thread."""


def worked_ahead(
    work: Callable[[Item], Answer], items: Iterable[Item], threads: int | None = None
) -> Iterator[tuple[Item, Answer]]:
    """Each item with what `work` makes of it, in order; `work` must not depend on what is done with items before.

    `threads`: if not given, as many as there are processors that this process need not share; with one, `work` is
    called when its item's turn has come. What `work` raises is raised in its turn.
    """
    threads = free_processors() if threads is None else threads
    stream = iter(items)
    first = list(islice(stream, _FEW)) if threads > 1 else []
    if len(first) < _FEW:
        yield from ((item, work(item)) for item in first)
        yield from ((item, work(item)) for item in stream)
        return
    from concurrent.futures import ThreadPoolExecutor  # most inputs are small

    with ThreadPoolExecutor(threads) as pool:
        waiting = deque((item, pool.submit(work, item)) for item in first)
        while waiting:
            item, answer = waiting.popleft()
            found = answer.result()
            waiting.extend((item, pool.submit(work, item)) for item in islice(stream, 1))
            yield item, found
