"""The tables of an index, and the refusal of SQLite files that only claim to have them.

A file may have a view or a virtual table in the place of a table, or tables whose pages lead to each other again and
again. So the tables of a file are compared with ours before a row of them is read, and a statement returns no more
bytes, and takes no more steps, than a sound file of that size needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from prum_eval.errors import InputError

if TYPE_CHECKING:
    import sqlite3

APPLICATION_ID = 0x7072756D  # "prum", in the header of every index
INDEX_FORMAT = 2
"""Version of the file format, also in the header; other versions are refused."""

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
REFERENCE_SCHEMA = """
CREATE TABLE IF NOT EXISTS reference (
    number INTEGER PRIMARY KEY, document TEXT, element INTEGER, path TEXT, target TEXT, fragment TEXT, line INTEGER,
    word INTEGER);
CREATE TABLE IF NOT EXISTS anchor (number INTEGER PRIMARY KEY, document TEXT, id TEXT, path TEXT);
"""
"""Tables of an unfinished index of documents with references."""

SqlRow = tuple[Any, ...]

_ENTRIES = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_NOT_COMPLETE = "the index is not complete, its build was stopped; prum-eval index --resume continues it"
_MAX_VALUE_BYTES = 1 << 25
"""Of a value in a small file; that of a name that is looked up counts, too."""
_SIZED = (str, bytes)
_STEPS_PER_CALL = 100_000
_MIN_STEPS, _STEPS_PER_BYTE = 10_000_000, 8


def check_version(index: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is no complete index of our format, with our tables.

    Raises:
        InputError: it is none.
        ValueError: its tables are not ours.
    """
    (application,), (version,) = (
        index.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION_ID:
        raise InputError(path, None, "an SQLite file, but no index made by prum-eval index")
    if version != INDEX_FORMAT:
        reason = f"an index of format {version}; this version reads format {INDEX_FORMAT}: build it again"
        raise InputError(path, None, reason)
    check_tables(index, complete=False)
    if index.execute("SELECT 1 FROM meta WHERE key = 'complete'").fetchone() is None:
        raise InputError(path, None, _NOT_COMPLETE)
    check_tables(index, complete=True)


def check_tables(index: sqlite3.Connection, *, complete: bool) -> None:
    """Compare the tables of a file with those of an index; an unfinished one may have references.

    Raises:
        ValueError: there is another table, a view or a trigger, or a table is missing or has other columns.
    """
    expected = _entries_of(INDEX_SCHEMA)
    optional = {} if complete else _entries_of(REFERENCE_SCHEMA)
    present = set()
    for kind, name, table, sql in index.execute(_ENTRIES):
        entry = expected.get(name) or optional.get(name)
        if entry is None:
            raise ValueError(f"the {kind} {name} is none of an index")
        if (kind, table, _normalise(sql)) != entry:
            raise ValueError(f"the {kind} {name} is not that of an index")
        present.add(name)
    for name in expected:
        if name not in present:
            raise ValueError(f"no such table: {name}")


def _entries_of(schema: str) -> dict[str, tuple[str, str, str]]:
    """Kind, table and statement of each table and index of a schema, by name."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(schema)
        return {name: (kind, table, _normalise(sql)) for kind, name, table, sql in empty.execute(_ENTRIES)}


def _normalise(sql: object) -> str:
    return " ".join(str(sql).split())


class BoundedReader:
    """Statements on an SQLite file that nobody vouches for.

    Args:
        index: the open file.
        size: bytes of the file.
    """

    def __init__(self, index: sqlite3.Connection, size: int) -> None:
        import sqlite3

        self._index = index
        self._size = size
        self._steps = 0
        index.execute("PRAGMA trusted_schema = OFF")
        index.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(max(size, _MAX_VALUE_BYTES), 1_000_000_000))
        index.set_progress_handler(self._count_steps, _STEPS_PER_CALL)

    def _count_steps(self) -> bool:
        """Whether a statement takes too long."""
        self._steps += _STEPS_PER_CALL
        return self._steps > _MIN_STEPS + _STEPS_PER_BYTE * self._size

    def rows(self, statement: str, values: Iterable[object] = (), count: ByteCount | None = None) -> Iterator[SqlRow]:
        """Rows of a statement; together with others of the same `count`, it returns each value of the file once.

        Raises:
            ValueError: the rows have more bytes than the file.
        """
        self._steps = 0
        count = count or ByteCount()
        for row in self._index.execute(statement, tuple(values)):
            size = count.size + 1
            for value in row:
                if isinstance(value, _SIZED):
                    size += len(value)
            if size > self._size:
                raise ValueError("its rows have more bytes than the file")
            count.size = size
            yield row


class ByteCount:
    """Bytes that statements returned so far."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 0
