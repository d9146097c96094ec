"""The index of a collection: one SQLite file, opened read-only, from which a document is one keyed read."""

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
from typing import TYPE_CHECKING, Any, BinaryIO, overload
from urllib.parse import quote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, GrowingColumn, IntArray, group_sizes
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.records import ColumnDocuments, Link, Structure, TreeColumns
from prum_eval.text.streams import SQLITE_MAGIC, STDIN, display_name, open_input

if TYPE_CHECKING:
    import sqlite3


# Trees of many documents as columns, and their packed form in an index: a row of small integers an element.
#
# A row holds how far before it the parent stands, the size of the subtree, tag, rank, start and length. Each document has
# its own layout, the number of bytes (1, 2, 4 or 8) of each of the six; documents of one layout unpack in one go.


_FIELDS = ("up", "size", "tag", "rank", "start", "length")
_WIDTHS = ("<u1", "<u2", "<u4", "<u8")
_LIMITS = (0xFF, 0xFFFF, 0xFFFFFFFF)
_COLUMNS_index_trees = ("path", "parent", "end", "start", "length")
"""Of the elements, as `TreeColumns` calls them."""
_BYTES_TOGETHER = 1 << 20
"""About so many bytes are unpacked together: some memory for a quarter of a million elements, not for all."""
_DAMAGED = "a tree does not have its layout"

PackedRow = tuple[str, Any, Any, Any]
"""Of a packed document: name, layout, tree, and a bit an element for those that are retrievable (None: all are)."""


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """Complete trees, one after the other; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns."""

    names: tuple[str, ...]
    lines: IntArray  # where each document begins in the source, -1 where it is a file of its own
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
    for one in sorted(set(layout.tolist())):  # numpy.unique would import much that nothing else needs
        members = np.flatnonzero(layout == one)
        chosen = np.flatnonzero(np.repeat(layout == one, counts))
        form = _layout_dtype(one)
        rows = np.empty(len(chosen), dtype=form)
        for name, column in zip(_FIELDS, columns, strict=True):
            rows[name] = column[chosen]
        text = rows.tobytes()
        ends = (np.cumsum(counts[members]) * form.itemsize).tolist()
        for member, begin, end in zip(members.tolist(), [0, *ends], ends, strict=False):
            packed[member] = (one, text[begin:end])
    return packed


def pack_retrievable(trees: TreeBatch) -> list[bytes | None]:
    """Of each tree a bit an element that is retrievable; None where all are."""
    if trees.retrievable is None:
        return [None] * len(trees.names)
    each = np.split(trees.retrievable, trees.bounds[1:-1])
    return [None if one.all() else np.packbits(one).tobytes() for one in each]


def unpack_trees(rows: Iterable[PackedRow], tags: Sequence[str]) -> TreeColumns:
    """The documents of packed rows, of some at a time those of one layout together.

    Raises:
        ValueError: a tree is not what its layout says.
    """
    names, bits, sizes = list[str](), list[bytes | None](), [0]
    grown, paths = {name: GrowingColumn() for name in _COLUMNS_index_trees}, _Paths(tags)
    for some in _row_batches(rows):
        for same in _group_by_layout(some):
            counts, table = _table(same)
            for name, column in zip(_COLUMNS_index_trees, _unpack_layout(counts, table, paths), strict=True):
                grown[name].add(column)
            names += [row[0] for row in same]
            bits += [row[3] for row in same]
            sizes += counts.tolist()
    found = {name: grown[name].take_array() for name in _COLUMNS_index_trees}
    retrievable = _unpack_retrievable(bits, sizes[1:])
    return TreeColumns(tuple(names), np.cumsum(sizes), paths.all, **found, retrievable=retrievable)


def _row_batches(rows: Iterable[PackedRow]) -> Iterator[list[PackedRow]]:
    """The rows in lists of about as many bytes as are unpacked together."""
    some, size = list[PackedRow](), 0
    for row in rows:
        some.append(row)
        size += len(row[2]) if isinstance(row[2], bytes) else 0
        if size >= _BYTES_TOGETHER:
            yield some
            some, size = [], 0
    if some:
        yield some


def _group_by_layout(rows: Sequence[PackedRow]) -> Iterable[list[PackedRow]]:
    """The rows of each layout."""
    found: dict[int, list[PackedRow]] = defaultdict(list)
    for row in rows:
        found[row[1]].append(row)
    return found.values()


def _unpack_layout(counts: IntArray, table: NDArray[np.void], paths: _Paths) -> tuple[IntArray, ...]:
    """The `_COLUMNS_index_trees` of trees of one layout."""
    up, size, tag, rank, start, length = (table[field].astype(np.int64) for field in _FIELDS)
    place = np.arange(len(up))
    first = np.cumsum(counts) - counts
    number = place - np.repeat(first, counts)
    if (
        min(column.min(initial=0) for column in (up, size, tag, rank, start, length)) < 0  # more than 63 bits
        or (up > number).any()
        or ((up == 0) != (number == 0)).any()
        or tag.max(initial=-1) >= len(paths.tags)
        or (size > len(up) - place).any()
    ):
        raise ValueError(_DAMAGED)
    ended = np.cumsum(np.bincount(place + size, minlength=len(up) + 1))[:-1]
    level = place - ended  # elements that have begun before, and not ended
    if ((level != level[place - up] + 1) & (up > 0)).any() or level[first].any():
        raise ValueError(_DAMAGED)
    return paths.encode(up, level, tag, rank), np.where(up == 0, -1, number - up), number + size, start, length


def _unpack_retrievable(packed: Sequence[bytes | None], counts: Sequence[int]) -> BoolArray | None:
    if all(bits is None for bits in packed):
        return None
    parts = [
        np.ones(count, np.bool_) if bits is None else np.unpackbits(np.frombuffer(bits, np.uint8), count=count) > 0
        for bits, count in zip(packed, counts, strict=True)
    ]
    return np.concatenate(parts)


def _table(rows: list[PackedRow]) -> tuple[IntArray, NDArray[np.void]]:
    """Numbers of elements, and the elements, of trees of one layout."""
    layout = rows[0][1]
    if not isinstance(layout, int):
        raise ValueError(_DAMAGED)  # noqa: TRY004 -- of bad data, not of a bad call
    form = _layout_dtype(layout)
    trees = [row[2] for row in rows]
    if set(map(type, trees)) != {bytes}:
        raise ValueError(_DAMAGED)
    counts, rest = np.divmod(np.array(list(map(len, trees)), dtype=np.int64), form.itemsize)
    if rest.any() or not counts.all():
        raise ValueError(_DAMAGED)
    return counts, np.frombuffer(b"".join(trees), dtype=form)


class _Paths:
    """Distinct paths, each with a code: few paths are many elements'."""

    def __init__(self, tags: Sequence[str]) -> None:
        self.tags = tags
        self.all: list[str] = []
        self._code: dict[tuple[int, int, int], int] = {}

    def encode(self, up: IntArray, level: IntArray, tag: IntArray, rank: IntArray) -> IntArray:
        """The code of the path of each element of some trees; a root, 0 up and of level 0, begins anew.

        Level by level, because a path is the parent's path and a step.
        """
        largest = int(rank.max(initial=0))
        ranks = np.arange(min(largest, len(rank)) + 1)  # not more than need be: the keys below are products
        if largest > len(rank):
            ranks, rank = np.unique(rank, return_inverse=True)
        width = len(self.tags) * len(ranks)
        step = tag * len(ranks) + rank
        code = np.zeros(len(up), dtype=np.int64)  # plus 1, so that a root, too, has something before it
        order = np.argsort(level.astype(np.min_scalar_type(int(level.max(initial=0)))), kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(level))[:-1]):
            distinct, place = np.unique(code[rows - up[rows]] * width + step[rows], return_inverse=True)
            before, last = np.divmod(distinct, width)
            name, position = np.divmod(last, len(ranks))
            steps = list(zip(before.tolist(), name.tolist(), ranks[position].tolist(), strict=True))
            code[rows] = np.array(self._codes_of_steps(steps), dtype=np.int64)[place] + 1
        return code - 1

    def _codes_of_steps(self, steps: list[tuple[int, int, int]]) -> list[int]:
        """The code of each path from that of its parent, plus 1, tag and rank."""
        for before, tag, rank in [step for step in steps if step not in self._code]:
            self._code[before, tag, rank] = len(self.all)
            self.all.append(f"{self.all[before - 1] if before else ''}/{self.tags[tag]}[{rank}]")
        return [self._code[step] for step in steps]


def _layout_dtype(layout: int) -> np.dtype[np.void]:
    digits = [layout >> 2 * place & 3 for place in reversed(range(len(_FIELDS)))]
    return np.dtype([(field, _WIDTHS[digit]) for field, digit in zip(_FIELDS, digits, strict=True)])


# The SQLite file of an index: opened once and only to read, its rows compared with their checksums.
#
# SQLite notices few damages by itself. Here every row that is used is compared with a checksum, and of a name that is not
# there it is shown that it stands between two that follow each other.


APPLICATION_ID = 0x7072756D  # "prum", in the header of every index
INDEX_FORMAT = 2
"""Version of the layout, in the header too; an index of another one is refused."""

INDEX_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE tag (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE document (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, line INTEGER NOT NULL, elements INTEGER NOT NULL,
    characters INTEGER NOT NULL, layout INTEGER NOT NULL, checksum INTEGER NOT NULL, retrievable BLOB,
    tree BLOB NOT NULL);
CREATE TABLE neighbour (number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL);
CREATE TABLE link (
    number INTEGER PRIMARY KEY, document TEXT NOT NULL, path TEXT NOT NULL, target TEXT NOT NULL,
    target_path TEXT, probability REAL, line INTEGER NOT NULL);
"""

MetaValue = str | int

CHECKSUM_KEY = "checksum"
"""Key, in the table meta, of the checksum of everything else in it."""
_COLUMNS = "name, layout, checksum, retrievable, tree"
_KEYS = 500  # names a query, below every version's limit
_FEW = 1000  # missing names that are looked at one by one
_PAGE_SIZE, _PAGE_COUNT = slice(16, 18), slice(28, 32)  # of the header of an SQLite file
NAMES_CHECKSUM, LINKS_CHECKSUM, TAGS_CHECKSUM = (f"{CHECKSUM_KEY} of {what}" for what in ("names", "links", "tags"))

NO_PREDECESSOR = (0, "")
"""Number and name of what stands before the first document."""

SqlRow = tuple[Any, ...]


def row_checksum(row: Iterable[object]) -> int:
    """Checksum of the values of a row.

    >>> row_checksum((1, "a")) != row_checksum((1, "b"))
    True
    """
    return crc32("\0".join(map(str, row)).encode())


def rows_checksum(rows: Iterable[SqlRow], total: int = 0) -> int:
    """Checksum of rows one after the other, behind those whose checksum is `total`."""
    for row in rows:
        total = crc32("\0".join(map(str, (*row, ""))).encode(), total)
    return total


class IndexFile:
    """An index, opened when it is first needed, and then the same file even if another one takes its name."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._index: sqlite3.Connection | None = None
        self._process = 0
        self._meta: dict[str, MetaValue] = {}

    def __getstate__(self) -> tuple[str, dict[str, MetaValue]]:
        """Another process opens it anew."""
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
    def connection(self) -> Iterator[sqlite3.Connection]:
        """The open file.

        Raises:
            InputError: the file cannot be read, is no index that this version reads, or turns out to be damaged.
        """
        import sqlite3  # late: most evaluations read no index

        try:
            index = self._index
            if index is None or self._process != os.getpid():  # SQLite wants no connection across a fork
                index = self._open()
            yield index
        except (sqlite3.Error, ValueError, TypeError, AttributeError) as error:  # values of another type, too
            raise InputError(self.path, None, f"the index is damaged: {error}") from error

    def _open(self) -> sqlite3.Connection:
        """Open it so that nothing is written and no lock taken: an index never changes, a new one takes its name."""
        import sqlite3

        check_index_file(self.path)
        address = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro&immutable=1"
        index = sqlite3.connect(address, uri=True, check_same_thread=False)
        weakref.finalize(self, index.close)
        _check_version(index, self.path)
        meta = dict(index.execute("SELECT key, value FROM meta"))
        if meta.get(CHECKSUM_KEY) != rows_checksum(sorted(row for row in meta.items() if row[0] != CHECKSUM_KEY)):
            raise ValueError("its totals do not have their checksum")
        if self._meta and meta != self._meta:
            raise InputError(self.path, None, "the index was replaced while it was being read")
        self._index, self._process, self._meta = index, os.getpid(), meta
        return index

    def trees(self, wanted: Iterable[str]) -> Iterator[PackedRow]:
        """Packed trees of documents of these names, as far as they are there."""
        with self.connection() as index:
            names = iter(sorted(wanted))
            missing: list[str] = []
            while keys := list(islice(names, _KEYS)):
                marks = ", ".join("?" * len(keys))
                rows = index.execute(f"SELECT {_COLUMNS} FROM document WHERE name IN ({marks})", keys)  # noqa: S608 - no value in it
                found = [_verify_row(row) for row in rows]
                there = {row[0] for row in found}
                if len(there) < len(found) or not there.issubset(keys):
                    raise ValueError("names lead to other documents")
                yield from found
                if len(found) < len(keys):
                    missing += [key for key in keys if key not in there]
            self._check_missing(index, missing)

    def all_trees(self) -> Iterator[PackedRow]:
        """Packed trees of all documents."""
        with self.connection() as index:
            count = 0
            for row in index.execute(f"SELECT {_COLUMNS} FROM document ORDER BY number"):  # noqa: S608 - no value in it
                count += 1
                yield _verify_row(row)
            if count != self._meta["documents"]:
                raise ValueError("a document is missing")

    def names(self) -> list[str]:
        """Names of all documents in the order of the source."""
        with self.connection() as index:
            rows = index.execute("SELECT name FROM document ORDER BY number").fetchall()
            if rows_checksum(rows) != self._meta.get(NAMES_CHECKSUM):
                raise ValueError("the names do not have their checksum")
            return [name for (name,) in rows]

    def rows(self, columns: str, table: str, key: str) -> list[SqlRow]:
        """Rows of a table as a whole, whose checksum stands under that key."""
        with self.connection() as index:
            rows = index.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()  # noqa: S608 - no value in it
            if rows_checksum(rows) != self._meta.get(key):
                raise ValueError(f"the table {table} does not have its checksum")
            return rows

    def _check_missing(self, index: sqlite3.Connection, names: list[str]) -> None:
        """Make sure that names which were not found are not there."""
        if len(names) > _FEW:
            if not set(self.names()).isdisjoint(names):
                raise ValueError("a document is missing")
            return
        for name in names:
            before = (
                index.execute(
                    "SELECT number, name FROM document WHERE name < ? ORDER BY name DESC LIMIT 1", (name,)
                ).fetchone()
                or NO_PREDECESSOR
            )
            (after,) = index.execute(
                "SELECT name FROM document WHERE name > ? ORDER BY name LIMIT 1", (name,)
            ).fetchone() or (None,)
            kept = index.execute("SELECT checksum FROM neighbour WHERE number = ?", before[:1]).fetchone()
            between = before[1].encode() < name.encode() and (after is None or name.encode() < after.encode())
            if not between or kept != (row_checksum((*before, after)),):
                raise ValueError("a document is missing")


def check_index_file(path: str) -> None:
    """Refuse what SQLite would explain badly: a stream, a compressed file, a file that lost its end."""
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
            packed = stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
        raise InputError(path, None, "a compressed index; decompress it first" if packed else "not an index")
    page = int.from_bytes(head[_PAGE_SIZE], "big")
    whole = (65536 if page == 1 else page) * int.from_bytes(head[_PAGE_COUNT], "big")
    if size < whole or len(head) < 100:
        raise InputError(path, None, f"the index is truncated: {size} of {max(whole, 100)} bytes")


def _check_version(index: sqlite3.Connection, path: str) -> None:
    (application,), (version,) = (
        index.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION_ID:
        raise InputError(path, None, "an SQLite file, but no index made by prum-eval index")
    if version != INDEX_FORMAT:
        reason = f"an index of format {version}; this version reads format {INDEX_FORMAT}: build it again"
        raise InputError(path, None, reason)
    if index.execute("SELECT value FROM meta WHERE key = 'complete'").fetchone() is None:
        reason = "the index is not complete, its build was stopped; prum-eval index --resume continues it"
        raise InputError(path, None, reason)


def document_checksum(name: str, layout: int, retrievable: bytes | None, tree: bytes) -> int:
    """Checksum of all that is read of a document."""
    total = crc32(tree, crc32(name.encode(), layout))
    return total if retrievable is None else crc32(retrievable, total)


def _verify_row(row: SqlRow) -> PackedRow:
    name, layout, total, retrievable, tree = row
    if document_checksum(name, layout, retrievable, tree) != total:
        raise ValueError("a document does not have its checksum")
    return name, layout, tree, retrievable


COUNT_KEYS = ("documents", "elements", "all_elements", "characters", "links", "nowhere", "broken")
"""Keys of the totals in the table meta."""

LINK_COLUMNS = "number, document, path, target, target_path, probability, line"


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says of itself."""

    documents: int
    elements: int  # that are retrievable
    all_elements: int
    characters: int  # sum over all documents of the length of the root
    links: int
    dangling_references: int  # references that lead nowhere, and are no links
    broken_documents: int  # documents that were left out
    meta: dict[str, MetaValue]


def read_index_info(path: str) -> IndexInfo:
    """Counts of an index and how it was made.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    return _index_info(IndexFile(path))


def read_index(path: str, wanted: Container[str] | None = None) -> Structure:
    """The structure that an index holds: trees of the wanted documents, counts of all; names and links when asked for.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    file = IndexFile(path)
    info = _index_info(file)
    with file.connection():
        tags = [name for _, name in file.rows("code, name", "tag", TAGS_CHECKSUM)]
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
    """The structure of the index of that name, which is opened anew by SQLite; empty if it is no good, as reported."""
    try:
        return read_index(STDIN if name == display_name(STDIN) else name, wanted)
    except InputError as problem:
        problems(problem)
        return Structure(name, 0, 0, frozenset(), {}, ())


class IndexNames(AbstractSet[str]):
    """Names of all documents of an index, looked up in it."""

    def __init__(self, file: IndexFile, count: int) -> None:
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(list(self._file.trees([name])))

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.names())


class IndexLinks(Sequence[Link]):
    """Links of an index in the order of its source, read when the first of them is asked for."""

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
            self._links = [Link(*row[1:]) for row in self._file.rows(LINK_COLUMNS, "link", LINKS_CHECKSUM)]
        return self._links


def _index_info(file: IndexFile) -> IndexInfo:
    meta = file.meta
    counts = [count for key in COUNT_KEYS if isinstance(count := meta.get(key), int) and count >= 0]
    if len(counts) != len(COUNT_KEYS):
        raise InputError(file.path, None, "the index is damaged: its totals are not there")
    documents, elements, every, characters, links, nowhere, broken = counts
    return IndexInfo(documents, elements, every, characters, links, nowhere, broken, meta)
