"""The SQLite file of an index: opened once and only to read, its rows compared with their checksums.

SQLite notices few damages by itself. Here every row that is used is compared with a checksum, and of a name that is not
there it is shown that it stands between two that follow each other.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from zlib import crc32

from prum_eval.errors import InputError
from prum_eval.formats.structures.index_trees import PackedRow
from prum_eval.text.streams import SQLITE, STDIN, open_input

if TYPE_CHECKING:
    import sqlite3

APPLICATION = 0x7072756D  # "prum", in the header of every index
FORMAT = 2
"""Version of the layout, in the header too; an index of another one is refused."""

SCHEMA = """
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

CHECKSUM = "checksum"
"""Key, in the table meta, of the checksum of everything else in it."""
_COLUMNS = "name, layout, checksum, retrievable, tree"
_KEYS = 500  # names a query, below every version's limit
_FEW = 1000  # missing names that are looked at one by one
_PAGE_SIZE, _PAGE_COUNT = slice(16, 18), slice(28, 32)  # of the header of an SQLite file
NAMES, LINKS, TAGS = (f"{CHECKSUM} of {what}" for what in ("names", "links", "tags"))

BEFORE_ALL = (0, "")
"""Number and name of what stands before the first document."""

Row = tuple[Any, ...]


def checksum(row: Iterable[object]) -> int:
    """Checksum of the values of a row.

    >>> checksum((1, "a")) != checksum((1, "b"))
    True
    """
    return crc32("\0".join(map(str, row)).encode())


def checksum_of_rows(rows: Iterable[Row], total: int = 0) -> int:
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
        with self.reading():
            return self._meta

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
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

        check_file(self.path)
        address = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro&immutable=1"
        index = sqlite3.connect(address, uri=True, check_same_thread=False)
        weakref.finalize(self, index.close)
        _check_version(index, self.path)
        meta = dict(index.execute("SELECT key, value FROM meta"))
        if meta.get(CHECKSUM) != checksum_of_rows(sorted(row for row in meta.items() if row[0] != CHECKSUM)):
            raise ValueError("its totals do not have their checksum")
        if self._meta and meta != self._meta:
            raise InputError(self.path, None, "the index was replaced while it was being read")
        self._index, self._process, self._meta = index, os.getpid(), meta
        return index

    def trees(self, wanted: Iterable[str]) -> Iterator[PackedRow]:
        """Packed trees of documents of these names, as far as they are there."""
        with self.reading() as index:
            names = iter(sorted(wanted))
            missing: list[str] = []
            while keys := list(islice(names, _KEYS)):
                marks = ", ".join("?" * len(keys))
                rows = index.execute(f"SELECT {_COLUMNS} FROM document WHERE name IN ({marks})", keys)  # noqa: S608 - no value in it
                found = [_checked(row) for row in rows]
                there = {row[0] for row in found}
                if len(there) < len(found) or not there.issubset(keys):
                    raise ValueError("names lead to other documents")
                yield from found
                if len(found) < len(keys):
                    missing += [key for key in keys if key not in there]
            self._check_missing(index, missing)

    def all_trees(self) -> Iterator[PackedRow]:
        """Packed trees of all documents."""
        with self.reading() as index:
            count = 0
            for row in index.execute(f"SELECT {_COLUMNS} FROM document ORDER BY number"):  # noqa: S608 - no value in it
                count += 1
                yield _checked(row)
            if count != self._meta["documents"]:
                raise ValueError("a document is missing")

    def names(self) -> list[str]:
        """Names of all documents in the order of the source."""
        with self.reading() as index:
            rows = index.execute("SELECT name FROM document ORDER BY number").fetchall()
            if checksum_of_rows(rows) != self._meta.get(NAMES):
                raise ValueError("the names do not have their checksum")
            return [name for (name,) in rows]

    def rows(self, columns: str, table: str, key: str) -> list[Row]:
        """Rows of a table as a whole, whose checksum stands under that key."""
        with self.reading() as index:
            rows = index.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()  # noqa: S608 - no value in it
            if checksum_of_rows(rows) != self._meta.get(key):
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
                or BEFORE_ALL
            )
            (after,) = index.execute(
                "SELECT name FROM document WHERE name > ? ORDER BY name LIMIT 1", (name,)
            ).fetchone() or (None,)
            kept = index.execute("SELECT checksum FROM neighbour WHERE number = ?", before[:1]).fetchone()
            between = before[1].encode() < name.encode() and (after is None or name.encode() < after.encode())
            if not between or kept != (checksum((*before, after)),):
                raise ValueError("a document is missing")


def check_file(path: str) -> None:
    """Refuse what SQLite would explain badly: a stream, a compressed file, a file that lost its end."""
    if path == STDIN:
        raise InputError("<stdin>", None, "an index cannot be read from standard input; give its path")
    try:
        with Path(path).open("rb") as file:
            head = file.read(100)
            size = file.seek(0, 2)
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    if not head.startswith(SQLITE):
        with open_input(path) as stream:
            packed = stream.read(len(SQLITE)) == SQLITE
        raise InputError(path, None, "a compressed index; decompress it first" if packed else "not an index")
    page = int.from_bytes(head[_PAGE_SIZE], "big")
    whole = (65536 if page == 1 else page) * int.from_bytes(head[_PAGE_COUNT], "big")
    if size < whole or len(head) < 100:
        raise InputError(path, None, f"the index is truncated: {size} of {max(whole, 100)} bytes")


def _check_version(index: sqlite3.Connection, path: str) -> None:
    (application,), (version,) = (
        index.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise InputError(path, None, "an SQLite file, but no index made by prum-eval index")
    if version != FORMAT:
        reason = f"an index of format {version}; this version reads format {FORMAT}: build it again"
        raise InputError(path, None, reason)
    if index.execute("SELECT value FROM meta WHERE key = 'complete'").fetchone() is None:
        reason = "the index is not complete, its build was stopped; prum-eval index --resume continues it"
        raise InputError(path, None, reason)


def document_checksum(name: str, layout: int, retrievable: bytes | None, tree: bytes) -> int:
    """Checksum of all that is read of a document."""
    total = crc32(tree, crc32(name.encode(), layout))
    return total if retrievable is None else crc32(retrievable, total)


def _checked(row: Row) -> PackedRow:
    name, layout, total, retrievable, tree = row
    if document_checksum(name, layout, retrievable, tree) != total:
        raise ValueError("a document does not have its checksum")
    return name, layout, tree, retrievable
