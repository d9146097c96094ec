"""Runs as they are handed to workers: several at a time, some of them read before they go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from prum_eval.errors import InputError
from prum_eval.records.run import Run
from prum_eval.text.streams import Content, read_content

RunSource = str | PathLike[str] | Content | Run | InputError
"""Where a run comes from: a path, bytes that were read before, what `read_run` returned; or why it cannot be read."""
BATCHES = 8
"""Tasks a worker, where there are runs enough: few, as each costs a message; many, so that the last end together."""
HEAVY = 1 << 24
"""Bytes in a batch of runs from which on no further one joins it."""


def batches(sources: Sequence[RunSource], workers: int, *, ship: bool) -> Iterator[tuple[RunSource, ...]]:
    """Runs that stand together, as they are handed to workers; made when their turn comes."""
    size, batch, weight = max(1, len(sources) // (workers * BATCHES)), [], 0
    for source in sources:
        batch.append(_read(source) if ship else reusable(source))
        weight += len(batch[-1].data) if isinstance(batch[-1], Content) else 0
        if len(batch) == size or weight >= HEAVY:
            yield tuple(batch)
            batch, weight = [], 0
    if batch:
        yield tuple(batch)


def reusable(source: RunSource) -> RunSource:
    """What can be read only once, and only by this process, such as standard input, is read now."""
    return source if isinstance(source, str | PathLike) and Path(source).is_file() else _read(source)


def _read(source: RunSource) -> RunSource:
    if not isinstance(source, str | PathLike):
        return source
    try:
        return read_content(str(source))
    except InputError as error:
        return error
