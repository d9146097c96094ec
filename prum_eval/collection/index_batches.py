"""Batches of an index build: the `Source` protocol, its pieces in source order, and their parallel production.

A `Source` yields pieces of whole documents; `position` and `line` of the last committed piece are where a resumed build
goes on.
"""

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


class Reference(NamedTuple):  # created twice as fast as a data class
    """A reference to a document or to an element, which may not exist."""

    document: str
    element: int  # number of the nearest retrievable element with the link in it
    path: str  # of that element
    target: str  # name of the document that it leads to
    fragment: str | None  # the id after "#"
    line: int  # -1 if unknown
    is_single_word: bool = False  # may be an id in the same document, as DocBook's linkend


class Anchor(NamedTuple):
    """An element with an id."""

    document: str
    id: str
    path: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Some documents, and the position in the source after them."""

    trees: TreeBatch | None
    position: int  # in bytes of a structure text, in documents of other sources
    line: int = 0  # in lines of a structure text
    links: Sequence[Link] = ()
    references: Sequence[Reference] = ()
    anchors: Sequence[Anchor] = ()
    errors: Sequence[InputError] = ()


class Source(Protocol):
    """A source of an index."""

    name: str
    kind: str

    @property
    def total(self) -> int:
        """Final value of `position`; 0 if unknown."""

    def identity(self) -> dict[str, MetaValue]:
        """Size, checksum and other values that identify the source."""

    def pieces(self, position: int, line: int, jobs: int) -> Iterator[Piece]:
        """Pieces after the position and line of an earlier piece."""

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """Error for a second document of a name."""


def map_in_order(work: Callable[[_Item], _Result], items: Iterable[_Item], jobs: int) -> Iterator[_Result]:
    """Results of `work` in the order of the items, from `jobs` processes.

    At most ``2 * jobs`` results are computed ahead, which bounds memory.
    """
    _reserve_memory()
    if jobs == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # spawn: a fork would copy locks that the threads of the pool hold.
    with explain_lost_workers(), ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker) as pool:
        futures: deque[Future[_Result]] = deque()
        try:
            for item in items:
                futures.append(pool.submit(work, item))
                if len(futures) > 2 * jobs:
                    yield futures.popleft().result()
            while futures:
                yield futures.popleft().result()
        finally:
            for future in futures:
                future.cancel()


def _start_worker() -> None:
    exit_with_parent()
    _reserve_memory()


def _reserve_memory() -> None:
    """Make the process reuse the memory of freed arrays, up to some megabytes.

    glibc returns an array that is larger than any freed before to the system, and getting such memory again takes
    longer than filling it. Freeing one large array, which is never filled, raises that threshold.
    """
    np.empty(_RESERVED_BYTES, dtype=np.uint8)


def trees_from_documents(documents: Sequence[StructureDocument], lines: Sequence[int]) -> TreeBatch | None:
    """Trees of documents with their first lines, one by one; the slow way, for any input."""
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
