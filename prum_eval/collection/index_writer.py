"""The file that an index is built in: beside its place until it is complete, committed piece by piece."""

from __future__ import annotations

import os
import posixpath
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath

import numpy as np

from prum_eval.arrays import group_sizes
from prum_eval.collection.index_batches import Piece, Reference, Source
from prum_eval.collection.trees import parent_path
from prum_eval.errors import InputError
from prum_eval.formats.structure_index import (
    APPLICATION_ID,
    CHECKSUM_KEY,
    COUNT_KEYS,
    INDEX_FORMAT,
    INDEX_SCHEMA,
    LINK_COLUMNS,
    LINKS_CHECKSUM,
    NAMES_CHECKSUM,
    NO_PREDECESSOR,
    TAGS_CHECKSUM,
    MetaValue,
    TreeBatch,
    document_checksum,
    pack_retrievable,
    pack_trees,
    row_checksum,
    rows_checksum,
    unpack_trees,
)
from prum_eval.records import Link
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import SQLITE_MAGIC
from prum_eval.version import __version__

# Links, when all documents are in an index: those of a structure are checked, references become links.


_TABLES = """
CREATE TABLE IF NOT EXISTS reference (
    number INTEGER PRIMARY KEY, document TEXT, element INTEGER, path TEXT, target TEXT, fragment TEXT, line INTEGER,
    word INTEGER);
CREATE TABLE IF NOT EXISTS anchor (number INTEGER PRIMARY KEY, document TEXT, id TEXT, path TEXT);
"""
_COLUMNS_references = "document, element, path, target, fragment, line, word"
_ALL = 0
"""Of a document all of whose elements are retrievable."""


def store_references(index: sqlite3.Connection, piece: Piece) -> None:
    """Put aside what a piece refers to, and what may be referred to in it."""
    if piece.references or piece.anchors:
        for statement in _TABLES.split(";"):
            index.execute(statement)
        index.executemany(
            f"INSERT INTO reference ({_COLUMNS_references}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - no value in it
            piece.references,
        )
        index.executemany("INSERT INTO anchor (document, id, path) VALUES (?, ?, ?)", piece.anchors)


def has_references(index: sqlite3.Connection) -> bool:
    """Whether anything was put aside."""
    return index.execute("SELECT 1 FROM sqlite_master WHERE name = 'reference'").fetchone() is not None


def drop_references(index: sqlite3.Connection) -> None:
    """Drop what was put aside."""
    index.execute("DROP TABLE reference")
    index.execute("DROP TABLE anchor")


def resolve_references(index: sqlite3.Connection, source: str, report: Callable[[InputError], None]) -> Iterator[Link]:
    """The links that references are, in their order; those that lead nowhere are reported.

    An id that several elements have is that of the first. A reference without the ending that the document itself has
    (Mallard's ``page#id``) means the page with that ending; a word that names no page, an id of the document itself.
    """
    places = _AnchorLookup(index)
    index.execute("CREATE INDEX anchor_of_id ON anchor (document, id, number)")
    for row in index.execute(f"SELECT {_COLUMNS_references} FROM reference ORDER BY number"):  # noqa: S608 - no value in it
        one = Reference(*row)
        target, fragment = places.resolve(one)
        path, why = places.element(target, fragment)
        if why is None:
            yield Link(one.document, one.path, target, path, None, one.line)
        else:
            to = one.target if one.fragment is None else f"{one.target}#{one.fragment}"
            reason = f"the link to {quote_value(to)} leads nowhere: {why}"
            report(InputError(f"{source.rstrip('/')}/{one.document}", one.line if one.line >= 0 else None, reason))


class _AnchorLookup:
    """The documents of an index, and the ids in them."""

    def __init__(self, index: sqlite3.Connection) -> None:
        self._index = index
        self._tags = [tag for (tag,) in index.execute("SELECT name FROM tag ORDER BY code")]
        self._is_there = lru_cache(maxsize=1 << 16)(self._look_up)
        self._retrievable = lru_cache(maxsize=256)(self._paths)

    def resolve(self, one: Reference) -> tuple[str, str | None]:
        """Document and id that a reference means."""
        ending = PurePosixPath(one.document).suffix
        if self._is_there(one.target) is not None:
            return one.target, one.fragment
        if ending and self._is_there(one.target + ending) is not None:
            return one.target + ending, one.fragment
        id_ = posixpath.basename(one.target)
        if one.is_single_word and self._anchor(one.document, id_):
            return one.document, id_
        return one.target, one.fragment

    def element(self, document: str, fragment: str | None) -> tuple[str | None, str | None]:
        """Path of what an id names, None for the whole document; and why there is nothing, None where there is."""
        known = self._is_there(document)
        if known is None:
            return None, f"there is no document {quote_value(document)}"
        path = None if fragment is None else self._anchor(document, fragment)
        if fragment is not None and path is None:
            return None, f"document {quote_value(document)} has no element with the id {quote_value(fragment)}"
        if known == _ALL:
            return path, None
        found = self._retrievable(document)
        nearest = None if path is None else _nearest_retrievable_path(path, found)
        if nearest is None and not any(parent_path(other) == "" for other in found):
            return None, "what it leads to is not retrievable, and lies in nothing that is"
        return nearest, None

    def _look_up(self, document: str) -> int | None:
        rows = self._index.execute("SELECT retrievable IS NOT NULL FROM document WHERE name = ?", (document,))
        found: tuple[int] | None = rows.fetchone()
        return None if found is None else found[0]

    def _anchor(self, document: str, id_: str) -> str | None:
        wanted = "SELECT path FROM anchor WHERE document = ? AND id = ? ORDER BY number LIMIT 1"
        found: tuple[str] | None = self._index.execute(wanted, (document, id_)).fetchone()
        return None if found is None else found[0]

    def _paths(self, document: str) -> frozenset[str]:
        """Paths of what is retrievable in a document."""
        columns = "SELECT name, layout, tree, retrievable FROM document WHERE name = ?"
        trees = unpack_trees(self._index.execute(columns, (document,)).fetchall(), self._tags)
        bits = trees.retrievable
        return frozenset(path for row, path in enumerate(trees.paths_of(0)) if bits is None or bits[row])


def _nearest_retrievable_path(path: str, retrievable: frozenset[str]) -> str | None:
    """The nearest retrievable element that an element lies in or is."""
    while path and path not in retrievable:
        path = parent_path(path)
    return path or None


def check_links(index: sqlite3.Connection, name: str) -> None:
    """Refuse links of the structure of that name to or from what is not there, or without the probability of others.

    Raises:
        InputError: the first such link.
    """
    tags = [tag for (tag,) in index.execute("SELECT name FROM tag ORDER BY code")]

    @lru_cache(maxsize=256)
    def paths(document: str) -> frozenset[str] | None:
        rows = index.execute(
            "SELECT name, layout, tree, retrievable FROM document WHERE name = ?", (document,)
        ).fetchall()
        return frozenset(unpack_trees(rows, tags).paths) if rows else None

    some = index.execute("SELECT line FROM link WHERE probability IS NOT NULL ORDER BY number LIMIT 1").fetchone()
    for _, document, path, target, target_path, probability, line in index.execute(
        f"SELECT {LINK_COLUMNS} FROM link ORDER BY number"  # noqa: S608 - no value in it
    ):
        there = paths(target)
        if there is None:
            raise InputError(name, line, f"to: the structure has no document {quote_value(target)}")
        if path not in (paths(document) or ()):
            raise InputError(name, line, f"path: document {quote_value(document)} has no element {quote_value(path)}")
        if target_path is not None and target_path not in there:
            raise InputError(
                name, line, f"to-path: document {quote_value(target)} has no element {quote_value(target_path)}"
            )
        if probability is None and some is not None:
            raise InputError(name, line, f"<link> lacks the probability that others have, as on line {some[0]}")


# The checksums of an index, by which its readers notice damage; written when everything else is in it.


_CHANGE_COUNTERS = (24, 92)
"""Where the header of an SQLite file counts its changes, which are as many as the clock made commits."""


def write_checksums(index: sqlite3.Connection) -> None:
    """Write the checksums of names that follow each other, of tags, of links and of the totals; then it is complete."""
    index.create_function("checksum", 3, lambda *values: row_checksum(values), deterministic=True)
    index.execute("DELETE FROM neighbour")
    follows = "number, checksum(number, name, lead(name) OVER (ORDER BY name))"
    index.execute(f"INSERT INTO neighbour SELECT {follows} FROM document ORDER BY number")  # noqa: S608 - no value in it
    first = "INSERT INTO neighbour SELECT ?, checksum(?, ?, MIN(name)) FROM document"
    index.execute(first, (NO_PREDECESSOR[0], *NO_PREDECESSOR))
    meta = dict(index.execute("SELECT key, value FROM meta"))
    for key, what in {TAGS_CHECKSUM: "code, name FROM tag", LINKS_CHECKSUM: f"{LINK_COLUMNS} FROM link"}.items():
        meta[key] = rows_checksum(index.execute(f"SELECT {what} ORDER BY 1"))
    meta["complete"] = 1
    meta.pop(CHECKSUM_KEY, None)
    meta[CHECKSUM_KEY] = rows_checksum(sorted(meta.items()))
    index.execute("PRAGMA secure_delete = ON")  # of what was written and when, nothing stays in the file
    index.execute("DELETE FROM meta")
    index.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", sorted(meta.items()))


def normalise_header(path: Path) -> None:
    """Make the closed file the same however often the build committed."""
    with path.open("r+b") as file:
        for place in _CHANGE_COUNTERS:
            file.seek(place)
            file.write((1).to_bytes(4, "big"))


_TREES_CHECKSUM = f"{CHECKSUM_KEY} of documents"
"""Key of a checksum of the checksums: it tells indexes of equal totals apart."""
_COMMIT_EVERY = 1.0  # seconds: what a killed build loses

_HEADER, _APPLICATION = 100, slice(68, 72)  # of an SQLite file: its length, and where it says whose it is
_COLUMNS = "name, layout, retrievable, tree, line, elements, characters, checksum"
_INSERT = f"INSERT INTO document ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no value in it
_COUNTS = (*COUNT_KEYS, "position", "line", NAMES_CHECKSUM, _TREES_CHECKSUM)


class IndexWriter:
    """Takes the pieces of one source. What was committed is there when the process dies, for `--resume`.

    Raises (all methods):
        InputError: the file cannot be written, or the source does not fit what was begun.
    """

    def __init__(self, target: str, source: Source, settings: dict[str, MetaValue], *, resume: bool) -> None:
        self._target = Path(os.path.realpath(target))  # of a link, what it leads to
        self._partial = self._target.with_name(f"{self._target.name}.partial")
        self._journal = self._target.with_name(f"{self._partial.name}-journal")
        self._source = source
        self._codes: dict[str, int] = {}
        self._last_commit = time.monotonic()
        begun = {"kind": source.kind, **settings, **source.identity()}
        with self._guarded():
            self._check_target()
            known = resume and self._partial.exists()
            if not known:
                self._begin_file(begun)
            self._index = _connect(self._partial)
            try:
                self.counts = self._continue(begun)
            except BaseException:
                self._index.close()
                raise

    def _check_target(self) -> None:
        """Refuse a target that is no file, and a file of somebody else's where the index is to be built."""
        if self._target.exists() and not self._target.is_file():
            reason = "Is a directory" if self._target.is_dir() else "it is no regular file"
            raise InputError(str(self._target), None, f"cannot be written: {reason}")
        for path in (self._partial, self._journal):
            if path.exists() and not _is_unfinished_index(self._partial):
                raise InputError(str(path), None, "is in the way: a file that no build of an index has left")

    def _refuse_running(self) -> None:
        """Do not take the file away from a build that is at work on it."""
        if self._partial.exists():
            index = _connect(self._partial)
            try:
                index.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                reason = "another build is writing it"
                raise InputError(str(self._partial), None, reason) from None
            except sqlite3.DatabaseError:
                pass  # damaged
            finally:
                index.close()

    def _begin_file(self, begun: dict[str, MetaValue]) -> None:
        """Put a file in place that holds what is built: whenever the process is killed, it can be told and resumed."""
        self._refuse_running()
        fresh = self._partial.with_name(f".{self._partial.name[:100]}.{os.getpid()}")
        try:
            with fresh.open("xb"):
                pass  # sqlite3 would say less about a folder that is missing
            with closing(_connect(fresh)) as index:
                index.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                index.execute(f"PRAGMA user_version = {INDEX_FORMAT}")
                index.executescript(INDEX_SCHEMA)
                _write_meta(index, {"program": f"prum-eval {__version__}", "source": self._source.name, **begun})
            self._remove()
            fresh.replace(self._partial)
        finally:
            for path in (fresh, fresh.with_name(f"{fresh.name}-journal")):
                path.unlink(missing_ok=True)

    def _continue(self, begun: dict[str, MetaValue]) -> dict[str, int]:
        self._index.execute("BEGIN IMMEDIATE")
        meta = dict(self._index.execute("SELECT key, value FROM meta"))
        if (self._index.execute("PRAGMA user_version").fetchone()[0], meta.get("program")) != (
            INDEX_FORMAT,
            f"prum-eval {__version__}",
        ):
            reason = "begun by another version; build without --resume"
            raise InputError(str(self._partial), None, reason)
        changed = [key for key, value in begun.items() if meta.get(key) != value]
        if changed:
            reason = f"begun from another source or with other options ({', '.join(changed)}); build without --resume"
            raise InputError(str(self._partial), None, reason)
        self._codes = dict(self._index.execute("SELECT name, code FROM tag"))
        return {key: int(meta.get(key, 0)) for key in _COUNTS}

    def add(self, piece: Piece) -> None:
        """Take a piece in; now and then, commit all that was taken."""
        with self._guarded():
            if piece.trees is not None:
                self._add_trees(piece.trees)
            self._add_links(piece.links)
            store_references(self._index, piece)
            self.counts["broken"] += len(piece.errors)
            self.counts |= {"position": piece.position, "line": piece.line}
            if time.monotonic() - self._last_commit > _COMMIT_EVERY:
                self.commit()

    def _add_trees(self, trees: TreeBatch) -> None:
        fresh = [tag for tag in trees.tags if tag not in self._codes]
        for tag in fresh:
            self._codes[tag] = len(self._codes)
            self._index.execute("INSERT INTO tag (code, name) VALUES (?, ?)", (self._codes[tag], tag))
        packed = pack_trees(trees, [self._codes[tag] for tag in trees.tags])
        bits = pack_retrievable(trees)
        first, counts = trees.bounds[:-1], group_sizes(trees.bounds)
        some = counts if trees.retrievable is None else np.add.reduceat(trees.retrievable.astype(np.int64), first)
        columns = trees.lines.tolist(), some.tolist(), trees.length[first].tolist()
        read = list(zip(trees.names, (layout for layout, _ in packed), bits, (tree for _, tree in packed), strict=True))
        checksums = [document_checksum(*row) for row in read]
        rows = ((*row, *rest, check) for row, *rest, check in zip(read, *columns, checksums, strict=True))
        try:
            self._index.executemany(_INSERT, rows)
        except sqlite3.IntegrityError:
            raise self._duplicate_error(trees) from None
        self.counts["documents"] += len(trees.names)
        self.counts["elements"] += int(some.sum())
        self.counts["all_elements"] += len(trees.tag)
        self.counts["characters"] += int(trees.length[first].sum())
        self.counts[NAMES_CHECKSUM] = rows_checksum(((name,) for name in trees.names), self.counts[NAMES_CHECKSUM])
        self.counts[_TREES_CHECKSUM] = rows_checksum(((check,) for check in checksums), self.counts[_TREES_CHECKSUM])

    def _add_links(self, links: Iterable[Link]) -> None:
        before = self._index.total_changes
        rows = ((one.document, one.path, one.target, one.target_path, one.probability, one.line) for one in links)
        columns = LINK_COLUMNS.removeprefix("number, ")
        self._index.executemany(f"INSERT INTO link ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - no value in it
        self.counts["links"] += self._index.total_changes - before

    def _duplicate_error(self, trees: TreeBatch) -> InputError:
        """What to say of the first document of a batch that is there already, perhaps from the batch itself."""
        (there,) = self._index.execute("SELECT COUNT(*) FROM document").fetchone()
        number = there - self.counts["documents"]  # all before it were taken
        name, line = trees.names[number], int(trees.lines[number])
        (first,) = self._index.execute("SELECT line FROM document WHERE name = ?", (name,)).fetchone()
        return self._source.duplicate_error(name, line, first)

    def commit(self) -> None:
        """Make what was taken last."""
        with self._guarded():
            _write_meta(self._index, self.counts)
            self._index.execute("COMMIT")
            self._index.execute("BEGIN IMMEDIATE")
            self._last_commit = time.monotonic()

    def finish(self, report: Callable[[InputError], None]) -> None:
        """Check what can be checked only now, make links of references, and put the index in its place.

        Args:
            report: called with every reference that leads nowhere.
        """
        with self._guarded():
            check_links(self._index, self._source.name)
            loose = has_references(self._index)
            if loose:
                self._resolve(report)
            _write_meta(self._index, self.counts)
            write_checksums(self._index)
            self._index.execute("COMMIT")
            if loose:
                self._index.execute("VACUUM")
            self._index.close()
            normalise_header(self._partial)
            self._partial.replace(self._target)
            self._remove()

    def _resolve(self, report: Callable[[InputError], None]) -> None:
        """Make links of the references, and forget them."""

        def nowhere(problem: InputError) -> None:
            self.counts["nowhere"] += 1
            report(problem)

        self._add_links(resolve_references(self._index, self._source.name, nowhere))
        drop_references(self._index)

    def stop(self, *, keep: bool) -> None:
        """Leave the build: keep what was done for --resume, or nothing."""
        with self._guarded():
            if keep:
                self.commit()
            self._index.close()
            if keep:
                self._journal.unlink(missing_ok=True)  # empty after a commit
            else:
                self._remove()

    def _remove(self) -> None:
        for path in (self._partial, self._journal):
            path.unlink(missing_ok=True)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(str(self._target), None, f"cannot be written: {error.strerror}") from error
        except sqlite3.Error as error:
            raise InputError(str(self._target), None, f"cannot be written: {error}") from error


def _write_meta(index: sqlite3.Connection, values: dict[str, int] | dict[str, MetaValue]) -> None:
    index.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", list(values.items()))


def _is_unfinished_index(path: Path) -> bool:
    """Whether a build has made the file: its header says so, in whatever state the rest is."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError:
        return False
    return head.startswith(SQLITE_MAGIC) and head[_APPLICATION] == APPLICATION_ID.to_bytes(4, "big")


def _connect(path: Path) -> sqlite3.Connection:
    # A journal on disk survives a killed process; waiting for the disk at every commit would only help against a crash
    # of the whole machine, and then one starts anew.
    index = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        index.execute("PRAGMA locking_mode = EXCLUSIVE")
        index.execute("PRAGMA synchronous = OFF")
        index.execute("PRAGMA journal_mode = TRUNCATE")
    except sqlite3.OperationalError:
        pass  # locked, which the first statement tells
    except sqlite3.DatabaseError:
        pass  # no SQLite file
    return index
