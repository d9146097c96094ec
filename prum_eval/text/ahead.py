"""Work on the items of a stream, some items ahead: numpy lets other threads run while it computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from prum_eval.processes import free_processors

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

_FEW = 4
"""Items that are not worth a thread."""


def worked_ahead(
    work: Callable[[_Item], _Answer],
    items: Iterable[_Item],
    threads: int | None = None,
    *,
    in_turn: Callable[[_Item], bool] | None = None,
) -> Iterator[tuple[_Item, _Answer]]:
    """Each item with what `work` makes of it, in order; `work` must not depend on what is done with items before.

    `threads`: if not given, as many as there are processors that this process need not share; with one, `work` is
    called when its item's turn has come, and so where `in_turn` is true of the first item. What `work` raises is
    raised in its turn.
    """
    stream = iter(items)
    first = list(islice(stream, _FEW))
    if len(first) < _FEW or (threads or free_processors()) == 1 or (in_turn is not None and in_turn(first[0])):
        yield from ((item, work(item)) for item in first)
        yield from ((item, work(item)) for item in stream)
        return
    from concurrent.futures import ThreadPoolExecutor  # most inputs are small

    with ThreadPoolExecutor(threads or free_processors()) as pool:
        waiting = deque((item, pool.submit(work, item)) for item in first)
        while waiting:
            item, answer = waiting.popleft()
            found = answer.result()
            waiting.extend((item, pool.submit(work, item)) for item in islice(stream, 1))
            yield item, found
