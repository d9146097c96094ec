"""The index of a collection: one SQLite file, opened read-only, from which a document is one keyed read.

The tree of a document is packed: six small integers per element, namely the distance to the row of the parent, the size
of the subtree, tag, rank, start and length. The layout of a document is the number of bytes (1, 2, 4 or 8) of each of
the six; documents of one layout are unpacked together.

SQLite notices few damages by itself. So every row that is used is compared with a checksum; a missing name is shown to
be missing by the checksum of its two neighbours.
"""

from __future__ import annotations

import os
import weakref
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, overload
from urllib.parse import quote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, GrowingColumn, IntArray, group_sizes
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.index_tables import BoundedReader, ByteCount, SqlRow, check_version
from prum_eval.records import ColumnDocuments, Link, Structure, TreeColumns
from prum_eval.text.element_paths import MAX_PATH_DEPTH, PathCount, is_tag
from prum_eval.text.numbers import MAX_OFFSET, quote_value
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, open_input

# Packed trees.


_FIELDS = ("up", "size", "tag", "rank", "start", "length")
_WIDTHS = ("<u1", "<u2", "<u4", "<u8")
_LIMITS = (0xFF, 0xFFFF, 0xFFFFFFFF)
_TREE_COLUMNS = ("path", "parent", "end", "start", "length")
"""Fields of `TreeColumns` with a value per element."""
_BATCH_BYTES = 1 << 20  # of packed trees that are unpacked together, which bounds the memory
_DAMAGED = "a tree does not have its layout"

PackedRow = tuple[str, Any, Any, Any]
"""Name, layout and packed tree of a document, and a bit per element that is retrievable (None: all are)."""


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """Complete trees, one after the other; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns."""

    names: tuple[str, ...]
    lines: IntArray  # where each document begins in the source, -1 if it is a file of its own
    bounds: IntArray
    tags: tuple[str, ...]
    tag: IntArray  # codes of `tags`
    rank: IntArray  # position among the siblings of that tag, from 1
    parent: IntArray  # number in its document, -1 for the root
    size: IntArray  # elements of the subtree, itself included
    start: IntArray
    length: IntArray
    retrievable: BoolArray | None = field(default=None, kw_only=True)  # elements that a system may return; None: all


def pack_trees(trees: TreeBatch, codes: Sequence[int]) -> list[tuple[int, bytes]]:
    """Layout and bytes of each tree; `codes` are those of the tags in the index."""
    first, counts = trees.bounds[:-1], group_sizes(trees.bounds)
    number = np.arange(len(trees.tag)) - np.repeat(first, counts)
    columns = (
        np.where(trees.parent < 0, 0, number - trees.parent),
        trees.size,
        np.array(codes, dtype=np.int64)[trees.tag],
        trees.rank,
        trees.start,
        trees.length,
    )
    layout = np.zeros(len(counts), dtype=np.int64)
    for column in columns:
        layout = layout * 4 + np.searchsorted(_LIMITS, np.maximum.reduceat(column, first))
    packed: list[tuple[int, bytes]] = [(0, b"")] * len(counts)
    for value in sorted(set(layout.tolist())):  # numpy.unique would import much that nothing else needs
        members = np.flatnonzero(layout == value)
        elements = np.flatnonzero(np.repeat(layout == value, counts))
        dtype = _layout_dtype(value)
        rows = np.empty(len(elements), dtype=dtype)
        for name, column in zip(_FIELDS, columns, strict=True):
            rows[name] = column[elements]
        data = rows.tobytes()
        ends = (np.cumsum(counts[members]) * dtype.itemsize).tolist()
        for member, begin, end in zip(members.tolist(), [0, *ends], ends, strict=False):
            packed[member] = (value, data[begin:end])
    return packed


def pack_retrievable(trees: TreeBatch) -> list[bytes | None]:
    """A bit per element of each tree, set if it is retrievable; None if all are."""
    if trees.retrievable is None:
        return [None] * len(trees.names)
    masks = np.split(trees.retrievable, trees.bounds[1:-1])
    return [None if mask.all() else np.packbits(mask).tobytes() for mask in masks]


def unpack_trees(rows: Iterable[PackedRow], tags: Sequence[str]) -> TreeColumns:
    """The documents of packed rows.

    Raises:
        ValueError: a tree is not what its layout says.
    """
    names, bits, sizes = list[str](), list[bytes | None](), [0]
    columns, paths = {name: GrowingColumn() for name in _TREE_COLUMNS}, _Paths(tags)
    for batch in _row_batches(rows):
        by_layout: dict[int, list[PackedRow]] = defaultdict(list)
        for row in batch:
            by_layout[row[1]].append(row)
        for members in by_layout.values():
            counts, table = _unpack_table(members)
            for name, column in zip(_TREE_COLUMNS, _unpack_layout(counts, table, paths), strict=True):
                columns[name].add(column)
            names += [row[0] for row in members]
            bits += [row[3] for row in members]
            sizes += counts.tolist()
    arrays = {name: columns[name].take_array() for name in _TREE_COLUMNS}
    retrievable = _unpack_retrievable(bits, sizes[1:])
    return TreeColumns(tuple(names), np.cumsum(sizes), paths.all, **arrays, retrievable=retrievable)


def _row_batches(rows: Iterable[PackedRow]) -> Iterator[list[PackedRow]]:
    """The rows in lists of about `_BATCH_BYTES`."""
    batch, size = list[PackedRow](), 0
    for row in rows:
        batch.append(row)
        size += len(row[2]) if isinstance(row[2], bytes) else 0
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _unpack_layout(counts: IntArray, table: NDArray[np.void], paths: _Paths) -> tuple[IntArray, ...]:
    """The `_TREE_COLUMNS` of trees of one layout."""
    up, size, tag, rank, start, length = (table[field].astype(np.int64) for field in _FIELDS)
    row = np.arange(len(up))
    first = np.cumsum(counts) - counts
    number = row - np.repeat(first, counts)
    if (
        min(column.min(initial=0) for column in (up, size, tag, rank, start, length)) < 0  # more than 63 bits
        or (start > MAX_OFFSET - length).any()
        or (up > number).any()
        or ((up == 0) != (number == 0)).any()
        or tag.max(initial=-1) >= len(paths.tags)
        or (size > len(up) - row).any()
    ):
        raise ValueError(_DAMAGED)
    ended = np.cumsum(np.bincount(row + size, minlength=len(up) + 1))[:-1]
    level = row - ended  # number of open elements around it
    if ((level != level[row - up] + 1) & (up > 0)).any() or level[first].any():
        raise ValueError(_DAMAGED)
    if level.max(initial=0) >= MAX_PATH_DEPTH:
        raise ValueError(f"elements are nested more than {MAX_PATH_DEPTH} deep")
    return paths.encode(up, level, tag, rank), np.where(up == 0, -1, number - up), number + size, start, length


def _unpack_retrievable(packed: Sequence[bytes | None], counts: Sequence[int]) -> BoolArray | None:
    if all(bits is None for bits in packed):
        return None
    parts = [
        np.ones(count, np.bool_) if bits is None else np.unpackbits(np.frombuffer(bits, np.uint8), count=count) > 0
        for bits, count in zip(packed, counts, strict=True)
    ]
    return np.concatenate(parts)


def _unpack_table(rows: list[PackedRow]) -> tuple[IntArray, NDArray[np.void]]:
    """Number of elements per tree, and all elements, of trees of one layout."""
    layout = rows[0][1]
    if not isinstance(layout, int):
        raise ValueError(_DAMAGED)  # noqa: TRY004 -- of bad data, not of a bad call
    dtype = _layout_dtype(layout)
    trees = [row[2] for row in rows]
    if set(map(type, trees)) != {bytes}:
        raise ValueError(_DAMAGED)
    counts, rest = np.divmod(np.array(list(map(len, trees)), dtype=np.int64), dtype.itemsize)
    if rest.any() or not counts.all():
        raise ValueError(_DAMAGED)
    return counts, np.frombuffer(b"".join(trees), dtype=dtype)


class _Paths:
    """Codes of distinct paths; many elements share few paths."""

    def __init__(self, tags: Sequence[str]) -> None:
        self.tags = tags
        self.all: list[str] = []
        self._code: dict[tuple[int, int, int], int] = {}
        self._count = PathCount()

    def encode(self, up: IntArray, level: IntArray, tag: IntArray, rank: IntArray) -> IntArray:
        """Code of the path of each element; a root has `up` 0 and level 0.

        It goes level by level, because a path is the path of the parent and a step.
        """
        self._count.elements += len(up)
        largest = int(rank.max(initial=0))
        ranks = np.arange(min(largest, len(rank)) + 1)  # few, because the keys below are products
        if largest > len(rank):
            ranks, rank = np.unique(rank, return_inverse=True)
        width = len(self.tags) * len(ranks)
        step = tag * len(ranks) + rank
        code = np.zeros(len(up), dtype=np.int64)  # plus 1, so that 0 is the parent of a root
        order = np.argsort(level.astype(np.min_scalar_type(int(level.max(initial=0)))), kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(level))[:-1]):
            distinct, inverse = np.unique(code[rows - up[rows]] * width + step[rows], return_inverse=True)
            parent, last_step = np.divmod(distinct, width)
            tags, rank_codes = np.divmod(last_step, len(ranks))
            steps = list(zip(parent.tolist(), tags.tolist(), ranks[rank_codes].tolist(), strict=True))
            code[rows] = np.array(self._step_codes(steps), dtype=np.int64)[inverse] + 1
        return code - 1

    def _step_codes(self, steps: list[tuple[int, int, int]]) -> list[int]:
        """Code of each path, given as the code of its parent plus 1, tag and rank."""
        for parent, tag, rank in [step for step in steps if step not in self._code]:
            self._code[parent, tag, rank] = len(self.all)
            self.all.append(f"{self.all[parent - 1] if parent else ''}/{self.tags[tag]}[{rank}]")
            self._count.add(self.all[-1], 0)
        return [self._code[step] for step in steps]


def _layout_dtype(layout: int) -> np.dtype[np.void]:
    digits = [layout >> 2 * position & 3 for position in reversed(range(len(_FIELDS)))]
    return np.dtype([(field, _WIDTHS[digit]) for field, digit in zip(_FIELDS, digits, strict=True)])


# The SQLite file.


MetaValue = str | int

CHECKSUM_KEY = "checksum"
"""Key, in the table meta, of the checksum of its other rows."""
_DOCUMENT_COLUMNS = "name, layout, checksum, retrievable, tree"
_NAMES_PER_QUERY = 500  # below the limit of every SQLite version
_MAX_SINGLE_CHECKS = 1000  # missing names that are checked one by one
_PAGE_SIZE, _PAGE_COUNT = slice(16, 18), slice(28, 32)  # of the header of an SQLite file
NAMES_CHECKSUM, LINKS_CHECKSUM, TAGS_CHECKSUM = (f"{CHECKSUM_KEY} of {what}" for what in ("names", "links", "tags"))

NO_PREDECESSOR = (0, "")
"""Number and name in place of a document before the first one."""


def row_checksum(row: Iterable[object]) -> int:
    """Checksum of the values of a row.

    >>> row_checksum((1, "a")) != row_checksum((1, "b"))
    True
    """
    return crc32("\0".join(map(str, row)).encode())


def rows_checksum(rows: Iterable[SqlRow], total: int = 0) -> int:
    """Checksum of rows that follow those with the checksum `total`."""
    for row in rows:
        total = crc32("\0".join(map(str, (*row, ""))).encode(), total)
    return total


class IndexFile:
    """An index file, opened when first needed; a file that replaces it later is not read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._index: BoundedReader | None = None
        self._process = 0
        self._meta: dict[str, MetaValue] = {}

    def __getstate__(self) -> tuple[str, dict[str, MetaValue]]:
        """Path and totals; another process opens the file again."""
        return self.path, self._meta

    def __setstate__(self, state: tuple[str, dict[str, MetaValue]]) -> None:
        self.path, self._meta = state
        self._index, self._process = None, 0

    @property
    def meta(self) -> dict[str, MetaValue]:
        """Totals and origin."""
        with self.connection():
            return self._meta

    @contextmanager
    def connection(self) -> Iterator[BoundedReader]:
        """The open file.

        Raises:
            InputError: the file cannot be read, is damaged, or is no index that this version reads.
        """
        import sqlite3  # late: most evaluations read no index

        try:
            index = self._index
            if index is None or self._process != os.getpid():  # SQLite wants no connection across a fork
                index = self._open()
            yield index
        except (sqlite3.Error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # Values of another type, too.
            raise InputError(self.path, None, f"the index is damaged: {error}") from error

    def _open(self) -> BoundedReader:
        """Open the file without locks or writes: an index never changes, a new one takes its name."""
        import sqlite3

        size = check_index_file(self.path)
        address = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        weakref.finalize(self, connection.close)
        index = BoundedReader(connection, size)
        check_version(connection, self.path)
        meta: dict[str, MetaValue] = dict(index.rows("SELECT key, value FROM meta"))
        if meta.get(CHECKSUM_KEY) != rows_checksum(sorted(row for row in meta.items() if row[0] != CHECKSUM_KEY)):
            raise ValueError("the checksum of its totals is wrong")
        if self._meta and meta != self._meta:
            raise InputError(self.path, None, "the index was replaced while it was being read")
        self._index, self._process, self._meta = index, os.getpid(), meta
        return index

    def trees(self, names: Iterable[str]) -> Iterator[PackedRow]:
        """Packed trees of the documents with these names; missing documents are left out."""
        with self.connection():
            yield from map(_verify_row, self._select(_DOCUMENT_COLUMNS, names))

    def present(self, names: Iterable[str]) -> Iterator[str]:
        """The names that documents have."""
        return (name for (name,) in self._select("name", names))

    def _select(self, columns: str, names: Iterable[str]) -> Iterator[SqlRow]:
        """Columns, the first of which is the name, of the documents with these names."""
        with self.connection() as index:
            remaining = iter(sorted(names))
            missing: list[str] = []
            count = ByteCount()
            while keys := list(islice(remaining, _NAMES_PER_QUERY)):
                marks = ", ".join("?" * len(keys))
                rows = list(index.rows(f"SELECT {columns} FROM document WHERE name IN ({marks})", keys, count))  # noqa: S608 - no value in it
                present = {row[0] for row in rows}
                if len(present) < len(rows) or not present.issubset(keys):
                    raise ValueError("names lead to other documents")
                yield from rows
                if len(rows) < len(keys):
                    missing += [key for key in keys if key not in present]
            self._check_missing(index, missing)

    def all_trees(self) -> Iterator[PackedRow]:
        """Packed trees of all documents."""
        with self.connection() as index:
            count = 0
            for row in index.rows(f"SELECT {_DOCUMENT_COLUMNS} FROM document ORDER BY number"):  # noqa: S608 - no value in it
                count += 1
                yield _verify_row(row)
            if count != self._meta["documents"]:
                raise ValueError("a document is missing")

    def names(self) -> list[str]:
        """Names of all documents in the order of the source."""
        with self.connection() as index:
            rows = list(index.rows("SELECT name FROM document ORDER BY number"))
            if rows_checksum(rows) != self._meta.get(NAMES_CHECKSUM):
                raise ValueError("the checksum of its names is wrong")
            if len(rows) != self._meta["documents"]:
                raise ValueError("the number of documents differs from its totals")
            return [name for (name,) in rows]

    def rows(self, columns: str, table: str, key: str) -> list[SqlRow]:
        """All rows of a table; `key` is that of their checksum in the table meta."""
        with self.connection() as index:
            rows = list(index.rows(f"SELECT {columns} FROM {table} ORDER BY 1"))  # noqa: S608 - no value in it
            if rows_checksum(rows) != self._meta.get(key):
                raise ValueError(f"the table {table} has a wrong checksum")
            return rows

    def _check_missing(self, index: BoundedReader, names: list[str]) -> None:
        """Verify that these names are not in the index."""
        if len(names) > _MAX_SINGLE_CHECKS:
            if not set(self.names()).isdisjoint(names):
                raise ValueError("a document is missing")
            return
        for name in names:
            query = "SELECT number, name FROM document WHERE name < ? ORDER BY name DESC LIMIT 1"
            before = next(index.rows(query, (name,)), NO_PREDECESSOR)
            query = "SELECT name FROM document WHERE name > ? ORDER BY name LIMIT 1"
            (after,) = next(index.rows(query, (name,)), (None,))
            checksum = next(index.rows("SELECT checksum FROM neighbour WHERE number = ?", before[:1]), None)
            between = before[1].encode() < name.encode() and (after is None or name.encode() < after.encode())
            if not between or checksum != (row_checksum((*before, after)),):
                raise ValueError("a document is missing")


def check_index_file(path: str) -> int:
    """Size of an index; refuse inputs that SQLite explains badly: a stream, a compressed or truncated file."""
    if path == STDIN:
        raise InputError("<stdin>", None, "an index cannot be read from standard input; give its path")
    try:
        with Path(path).open("rb") as file:
            head = file.read(100)
            size = file.seek(0, 2)
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    if not head.startswith(SQLITE_MAGIC):
        with open_input(path) as stream:
            compressed = stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
        raise InputError(path, None, "a compressed index; decompress it first" if compressed else "not an index")
    page_size = int.from_bytes(head[_PAGE_SIZE], "big")
    full_size = (65536 if page_size == 1 else page_size) * int.from_bytes(head[_PAGE_COUNT], "big")
    if size < full_size or len(head) < 100:
        raise InputError(path, None, f"the index is truncated: {size} of {max(full_size, 100)} bytes")
    return size


def document_checksum(name: str, layout: int, retrievable: bytes | None, tree: bytes) -> int:
    """Checksum of the row of a document."""
    total = crc32(tree, crc32(name.encode(), layout))
    return total if retrievable is None else crc32(retrievable, total)


def _verify_row(row: SqlRow) -> PackedRow:
    name, layout, total, retrievable, tree = row
    if document_checksum(name, layout, retrievable, tree) != total:
        raise ValueError("the checksum of a document is wrong")
    return name, layout, tree, retrievable


COUNT_KEYS = ("documents", "elements", "all_elements", "characters", "links", "nowhere", "broken")
"""Keys of the totals in the table meta."""

_ORIGIN_KEYS = ("program", "source", "kind")
LINK_COLUMNS = "number, document, path, target, target_path, probability, line"


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """Counts and origin of an index."""

    documents: int
    elements: int  # that are retrievable
    all_elements: int
    characters: int  # sum over all documents of the length of the root
    links: int
    dangling_references: int  # references without a target, which are no links
    broken_documents: int  # left out
    meta: dict[str, MetaValue]


def read_index_info(path: str) -> IndexInfo:
    """Counts and origin of an index.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    return _index_info(IndexFile(path))


def _index_info(file: IndexFile) -> IndexInfo:
    counts = [count for key in COUNT_KEYS if isinstance(count := file.meta.get(key), int) and count >= 0]
    if len(counts) != len(COUNT_KEYS):
        raise InputError(file.path, None, "the index is damaged: its totals are missing")
    documents, elements, all_elements, characters, links, dangling, broken = counts
    if not all(isinstance(file.meta.get(key), str) for key in _ORIGIN_KEYS):
        raise InputError(file.path, None, "the index is damaged: its source is missing")
    if not documents:
        raise InputError(file.path, None, "an index without documents")
    return IndexInfo(documents, elements, all_elements, characters, links, dangling, broken, file.meta)


def read_index(path: str, wanted: Container[str] | None = None) -> Structure:
    """The structure in an index: counts of all documents, trees of `wanted` ones (None: all); names and links lazily.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    file = IndexFile(path)
    info = _index_info(file)
    with file.connection():
        tags = [str(name) for _, name in file.rows("code, name", "tag", TAGS_CHECKSUM)]
        if not all(map(is_tag, tags)):
            raise ValueError("a tag is not the name of an element")
        if isinstance(wanted, Iterable):
            rows = file.trees(wanted)
        else:
            rows = (row for row in file.all_trees() if wanted is None or row[0] in wanted)
        documents = ColumnDocuments(unpack_trees(rows, tags))
    names, links = IndexNames(file, info.documents), IndexLinks(file, info.links)
    return Structure(path, info.elements, info.characters, names, documents, links)


def read_index_stream(
    _stream: BinaryIO, name: str, wanted: Container[str] | None, problems: ProblemHandler
) -> Structure:
    """The structure of the index with that name, which SQLite opens itself; empty after a reported error."""
    try:
        return read_index(STDIN if name == display_name(STDIN) else name, wanted)
    except InputError as problem:
        problems(problem)
        return Structure(name, 0, 0, frozenset(), {}, ())


class IndexNames(AbstractSet[str]):
    """Names of all documents of an index, looked up in the file."""

    def __init__(self, file: IndexFile, count: int) -> None:
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(list(self._file.present([name])))

    def __and__(self, names: Iterable[object]) -> frozenset[str]:
        return frozenset(self._file.present(name for name in names if isinstance(name, str)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.names())


class IndexLinks(Sequence[Link]):
    """Links of an index in the order of its source, read on first access."""

    def __init__(self, file: IndexFile, count: int) -> None:
        self._file = file
        self._count = count
        self._links: list[Link] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Link: ...
    @overload
    def __getitem__(self, number: slice) -> list[Link]: ...
    def __getitem__(self, number: int | slice) -> Link | list[Link]:
        return self._read()[number]

    def __iter__(self) -> Iterator[Link]:
        return iter(self._read())

    def _read(self) -> list[Link]:
        if self._count and not self._links:
            with self._file.connection():
                rows = self._file.rows(LINK_COLUMNS, "link", LINKS_CHECKSUM)
                if len(rows) != self._count:
                    raise ValueError("the number of links differs from its totals")
                self._links = [_make_link(*row[1:]) for row in rows]
        return self._links


def _make_link(
    document: object, path: object, target: object, target_path: object, probability: object, line: object
) -> Link:
    """The link of a row.

    Raises:
        ValueError: a value is none of a link.
    """
    if (
        isinstance(document, str)
        and isinstance(path, str)
        and isinstance(target, str)
        and isinstance(target_path, str | None)
        and (probability is None or (isinstance(probability, float) and 0 <= probability <= 1))
        and isinstance(line, int)
    ):
        return Link(document, path, target, target_path, probability, line)
    raise ValueError(f"a link from {quote_value(str(document))} has a value that no link can have")
