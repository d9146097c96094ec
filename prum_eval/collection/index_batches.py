"""What a source hands to the index: piece after piece, in the order of the source, each made by one piece of work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from prum_eval.arrays import group_bounds
from prum_eval.collection.trees import nest_paths
from prum_eval.errors import InputError
from prum_eval.formats.structure_index import MetaValue, TreeBatch
from prum_eval.processes import exit_with_parent, explain_lost_workers
from prum_eval.records import Link, StructureDocument

if TYPE_CHECKING:
    from concurrent.futures import Future


_RESERVED_BYTES = 1 << 23

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Reference(NamedTuple):  # which is made twice as fast as a data class
    """A reference of a document to another or to a place in itself, which may lead nowhere."""

    document: str
    element: int  # that carries the link, in document order; or the nearest retrievable one around it
    path: str  # of that element
    target: str  # name of the document that it leads to
    fragment: str | None  # the id behind "#", None without one
    line: int  # -1 where unknown
    is_single_word: bool = False  # it is a single word, which may be an id of its own document, as DocBook's linkend


class Anchor(NamedTuple):
    """An element that references can name."""

    document: str
    id: str
    path: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Some documents, and how far into the source one is behind them."""

    trees: TreeBatch | None
    position: int  # bytes of a structure, documents of any other source
    line: int = 0  # lines of a structure text
    links: Sequence[Link] = ()
    references: Sequence[Reference] = ()
    anchors: Sequence[Anchor] = ()
    errors: Sequence[InputError] = ()


class Source(Protocol):
    """Something that can be indexed."""

    name: str
    kind: str

    @property
    def total(self) -> int:
        """Of what `position` counts, 0 where that is not known."""

    def identity(self) -> dict[str, MetaValue]:
        """Size, checksum and whatever else tells this source from another."""

    def pieces(self, position: int, line: int, jobs: int) -> Iterator[Piece]:
        """Everything behind a place that a piece of the same source told."""

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """What to say of a document that is there twice."""


def map_in_order(work: Callable[[_Item], _Result], items: Iterable[_Item], jobs: int) -> Iterator[_Result]:
    """Work done on each item, in the order of the items, by several processes if `jobs` is above 1.

    Few items are ahead of the one that is handed out, so that memory stays bounded.
    """
    _keep_memory()
    if jobs == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # spawn: a fork would copy locks that the threads of the pool hold.
    with explain_lost_workers(), ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker) as pool:
        waiting: deque[Future[_Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _start_worker() -> None:
    """Start a worker process."""
    exit_with_parent()
    _keep_memory()


def _keep_memory() -> None:
    """Have this process keep the memory of arrays that are freed, up to some megabytes, for those that come.

    By default the usual C library hands an array that is larger than any freed before back to the system, and to get
    such memory anew takes longer than to fill it. So it is shown a large one, which is never filled.
    """
    np.empty(_RESERVED_BYTES, dtype=np.uint8)


def trees_from_documents(documents: Sequence[StructureDocument], lines: Sequence[int]) -> TreeBatch | None:
    """Trees of documents that begin on these lines, one by one: for what no faster way understands."""
    if not documents:
        return None
    tags: dict[str, int] = {}
    tag, rank, parent, size = [], [], [], []
    for document in documents:
        parents, ends = nest_paths(document.paths)
        parent.append(np.array(parents, dtype=np.int64))
        size.append(np.array(ends, dtype=np.int64) - np.arange(len(ends)))
        for path in document.paths:
            step = path[path.rfind("/") + 1 : -1]
            name, _, position = step.rpartition("[")
            tag.append(tags.setdefault(name, len(tags)))
            rank.append(int(position))
    bounds = group_bounds([len(document.paths) for document in documents])
    return TreeBatch(
        tuple(document.name for document in documents),
        np.array(lines, dtype=np.int64),
        bounds,
        tuple(tags),
        np.array(tag, dtype=np.int64),
        np.array(rank, dtype=np.int64),
        np.concatenate(parent),
        np.concatenate(size),
        np.concatenate([document.start for document in documents]),
        np.concatenate([document.length for document in documents]),
    )
