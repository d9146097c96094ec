"""The index of a collection: one SQLite file, opened read-only, from which a document is one keyed read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, overload
from urllib.parse import quote

from prum_eval.errors import InputError, Problems
from prum_eval.formats.structures.index_trees import PackedRow, unpack_trees
from prum_eval.records.structure import Link, Structure
from prum_eval.records.tree_columns import ColumnDocuments
from prum_eval.text.streams import SQLITE, STDIN, display_name, open_input

if TYPE_CHECKING:
    import sqlite3

APPLICATION = 0x7072756D  # "prum", in the header of every index
FORMAT = 1
"""Version of the layout, in the header too; an index of another one is refused."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE tag (code INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE document (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, line INTEGER NOT NULL, elements INTEGER NOT NULL,
    characters INTEGER NOT NULL, layout INTEGER NOT NULL, tree BLOB NOT NULL);
CREATE TABLE link (
    number INTEGER PRIMARY KEY, document TEXT NOT NULL, path TEXT NOT NULL, target TEXT NOT NULL,
    target_path TEXT, probability REAL, line INTEGER NOT NULL);
"""

_KEYS = 500  # names a query, below every version's limit
_PAGE_SIZE, _PAGE_COUNT = slice(16, 18), slice(28, 32)  # of the header of an SQLite file

MetaValue = str | int

COUNTS = ("documents", "elements", "characters", "links", "broken")
"""Keys of the totals in the table meta."""


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says of itself."""

    documents: int
    elements: int
    characters: int  # sum over all documents of the length of the root
    links: int
    broken: int  # documents that were left out
    meta: dict[str, MetaValue]


def read_info(path: str) -> IndexInfo:
    """Counts of an index and how it was made.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    with _reading(path) as index:
        return _info(index)


def read_index(path: str, wanted: Container[str] | None = None) -> Structure:
    """The structure that an index holds: trees of the wanted documents, counts of all; names and links when asked for.

    Raises:
        InputError: the file cannot be read or is no index that this version reads.
    """
    with _reading(path) as index:
        info = _info(index)
        tags = [name for (name,) in index.execute("SELECT name FROM tag ORDER BY code")]
        documents = ColumnDocuments(unpack_trees(_rows(index, wanted), tags))
    return Structure(
        path,
        info.elements,
        info.characters,
        IndexNames(path, info.documents),
        documents,
        IndexLinks(path, info.links),
    )


def read_index_stream(_stream: BinaryIO, name: str, wanted: Container[str] | None, problems: Problems) -> Structure:
    """The structure of the index of that name, which is opened anew by SQLite; empty if it is no good, as reported."""
    try:
        return read_index(STDIN if name == display_name(STDIN) else name, wanted)
    except InputError as problem:
        problems(problem)
        return Structure(name, 0, 0, frozenset(), {}, ())


class IndexNames(AbstractSet[str]):
    """Names of all documents of an index, looked up in it."""

    def __init__(self, path: str, count: int) -> None:
        self._path = path
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: object) -> bool:
        with _reading(self._path) as index:
            return index.execute("SELECT 1 FROM document WHERE name = ?", (name,)).fetchone() is not None

    def __iter__(self) -> Iterator[str]:
        with _reading(self._path) as index:
            return iter([name for (name,) in index.execute("SELECT name FROM document ORDER BY number")])


class IndexLinks(Sequence[Link]):
    """Links of an index in the order of its source, read when the first of them is asked for."""

    def __init__(self, path: str, count: int) -> None:
        self._path = path
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
            columns = "document, path, target, target_path, probability, line"
            with _reading(self._path) as index:
                self._links = [Link(*row) for row in index.execute(f"SELECT {columns} FROM link ORDER BY number")]  # noqa: S608 - no value in it
        return self._links


@contextmanager
def _reading(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that never writes and takes no lock: an index never changes, a new one takes its name."""
    import sqlite3  # late: most evaluations read no index

    _check_file(path)
    address = f"file:{quote(str(Path(path).absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as index:
            _check_version(index, path)
            yield index
    except (sqlite3.Error, ValueError) as error:
        raise InputError(path, None, f"the index is damaged: {error}") from error


def _check_file(path: str) -> None:
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


def _info(index: sqlite3.Connection) -> IndexInfo:
    meta = dict(index.execute("SELECT key, value FROM meta"))
    counts = [count for key in COUNTS if isinstance(count := meta.get(key), int) and count >= 0]
    if len(counts) != len(COUNTS):
        raise ValueError("its totals are not there")
    documents, elements, characters, links, broken = counts
    return IndexInfo(documents, elements, characters, links, broken, meta)


def _rows(index: sqlite3.Connection, wanted: Container[str] | None) -> Iterator[PackedRow]:
    """Packed trees of the wanted documents."""
    columns = "SELECT name, layout, tree FROM document"
    if wanted is None:
        yield from index.execute(columns)
    elif isinstance(wanted, Iterable):
        names = iter(sorted(wanted))
        while keys := list(islice(names, _KEYS)):
            marks = ", ".join("?" * len(keys))
            yield from index.execute(f"{columns} WHERE name IN ({marks})", keys)
    else:
        yield from (row for row in index.execute(columns) if row[0] in wanted)
