"""Writing of an index: links, references, checksums, and the file that is committed piece by piece.

An index is built in ``TARGET.partial`` beside its target and moved there when it is complete, so a killed build can be
resumed. Each piece and the position after it are one change of the file, and so is everything that completes it: an
interrupted change is undone. References of documents become links when all documents are in the index. Readers notice
damage by checksums of names, tags, links and totals, which are written last.
"""

from __future__ import annotations

import os
import posixpath
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

import numpy as np

from prum_eval.arrays import group_sizes
from prum_eval.collection.index_batches import Piece, Reference, Source
from prum_eval.collection.trees import parent_path
from prum_eval.errors import InputError
from prum_eval.formats.index_tables import (
    APPLICATION_ID,
    INDEX_FORMAT,
    INDEX_SCHEMA,
    REFERENCE_SCHEMA,
    check_tables,
)
from prum_eval.formats.structure_index import (
    CHECKSUM_KEY,
    COUNT_KEYS,
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

_REFERENCE_COLUMNS = "document, element, path, target, fragment, line, word"
_TREES_CHECKSUM = f"{CHECKSUM_KEY} of documents"
"""Key of a checksum of the document checksums; indexes with equal totals differ in it."""
_COMMIT_EVERY = 1.0  # seconds; the work that a killed build loses
_HEADER, _APPLICATION = 100, slice(68, 72)  # of an SQLite file: size of the header, application id in it
_CHANGE_COUNTERS = (24, 92)  # positions in this header; the number of commits depends on the clock
_COLUMNS = "name, layout, retrievable, tree, line, elements, characters, checksum"
_INSERT = f"INSERT INTO document ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no value in it
_MIN_FREE_SHARE = 1 / 16
"""Of the pages of a file, from which on it is made smaller; that writes the whole file again."""
_COUNTS = (*COUNT_KEYS, "position", "line", NAMES_CHECKSUM, _TREES_CHECKSUM)


# Links and references


class _IndexLookup:
    """Documents, elements and ids of an index in which all documents are."""

    def __init__(self, index: sqlite3.Connection) -> None:
        self._index = index
        self._tags = [tag for (tag,) in index.execute("SELECT name FROM tag ORDER BY code")]
        self._has_selection = lru_cache(maxsize=1 << 16)(self._find_selection)
        self.paths = lru_cache(maxsize=256)(self._read_paths)

    def resolve(self, reference: Reference) -> tuple[str, str | None]:
        """Document and id that a reference means."""
        target, ending = reference.target, PurePosixPath(reference.document).suffix
        if self._has_selection(target) is not None:
            return target, reference.fragment
        if ending and self._has_selection(target + ending) is not None:
            return target + ending, reference.fragment
        id_ = posixpath.basename(target)
        if reference.is_single_word and self._anchor(reference.document, id_):
            return reference.document, id_
        return target, reference.fragment

    def element(self, document: str, fragment: str | None) -> tuple[str | None, str | None]:
        """Path of the nearest retrievable element (None: the document), and the reason if there is no target."""
        has_selection = self._has_selection(document)
        if has_selection is None:
            return None, f"there is no document {quote_value(document)}"
        path = None if fragment is None else self._anchor(document, fragment)
        if fragment is not None and path is None:
            return None, f"document {quote_value(document)} has no element with the id {quote_value(fragment)}"
        if not has_selection:
            return path, None
        retrievable = self.paths(document) or frozenset()
        while path and path not in retrievable:
            path = parent_path(path)
        if not path and not any(parent_path(other) == "" for other in retrievable):
            return None, "what it leads to is not retrievable, and lies in nothing that is"
        return path or None, None

    def _find_selection(self, document: str) -> int | None:
        """1 if some elements of a document may not be retrievable, 0 if all are, None if it does not exist."""
        rows = self._index.execute("SELECT retrievable IS NOT NULL FROM document WHERE name = ?", (document,))
        row: tuple[int] | None = rows.fetchone()
        return None if row is None else row[0]

    def _anchor(self, document: str, id_: str) -> str | None:
        query = "SELECT path FROM anchor WHERE document = ? AND id = ? ORDER BY number LIMIT 1"
        row: tuple[str] | None = self._index.execute(query, (document, id_)).fetchone()
        return None if row is None else row[0]

    def _read_paths(self, document: str) -> frozenset[str] | None:
        """Paths of the retrievable elements of a document; None if it does not exist."""
        query = "SELECT name, layout, tree, retrievable FROM document WHERE name = ?"
        rows = self._index.execute(query, (document,)).fetchall()
        if not rows:
            return None
        trees = unpack_trees(rows, self._tags)
        mask = trees.retrievable
        return frozenset(path for row, path in enumerate(trees.paths_of(0)) if mask is None or mask[row])


def resolve_references(index: sqlite3.Connection, source: str, report: Callable[[InputError], None]) -> Iterator[Link]:
    """Links of the references in their order; references without a target are reported.

    Of elements with the same id the first counts. A reference without the ending of its own document (Mallard's
    ``page#id``) means the page with that ending; a single word that names no page, an id of the same document.
    """
    lookup = _IndexLookup(index)
    index.execute("CREATE INDEX anchor_of_id ON anchor (document, id, number)")
    for row in index.execute(f"SELECT {_REFERENCE_COLUMNS} FROM reference ORDER BY number"):  # noqa: S608 - no value in it
        reference = Reference(*row)
        target, fragment = lookup.resolve(reference)
        path, why = lookup.element(target, fragment)
        line = reference.line
        if why is None:
            yield Link(reference.document, reference.path, target, path, None, line)
        else:
            to = reference.target if reference.fragment is None else f"{reference.target}#{reference.fragment}"
            reason = f"the link to {quote_value(to)} leads nowhere: {why}"
            report(InputError(f"{source.rstrip('/')}/{reference.document}", line if line >= 0 else None, reason))


def check_links(index: sqlite3.Connection, name: str) -> None:
    """Check the links of a structure: both ends exist, and all have probabilities or none.

    Raises:
        InputError: for the first wrong link.
    """
    paths = _IndexLookup(index).paths
    query = "SELECT line FROM link WHERE probability IS NOT NULL ORDER BY number LIMIT 1"
    first_probability = index.execute(query).fetchone()
    for _, document, path, target, target_path, probability, line in index.execute(
        f"SELECT {LINK_COLUMNS} FROM link ORDER BY number"  # noqa: S608 - no value in it
    ):
        target_paths = paths(target)
        if target_paths is None:
            raise InputError(name, line, f"to: the structure has no document {quote_value(target)}")
        if path not in (paths(document) or ()):
            raise InputError(name, line, f"path: document {quote_value(document)} has no element {quote_value(path)}")
        if target_path is not None and target_path not in target_paths:
            reason = f"to-path: document {quote_value(target)} has no element {quote_value(target_path)}"
            raise InputError(name, line, reason)
        if probability is None and first_probability is not None:
            reason = f"<link> lacks the probability that others have, as on line {first_probability[0]}"
            raise InputError(name, line, reason)


# Checksums


def write_checksums(index: sqlite3.Connection) -> None:
    """Write the checksums of neighbouring names, tags, links and totals; this completes the index."""
    # Checksums are computed here: SQLite would turn an interrupt in a function that it calls into an error of its own.
    follows = index.execute("SELECT number, name, lead(name) OVER (ORDER BY name) FROM document ORDER BY number")
    insert = "INSERT INTO neighbour (number, checksum) VALUES (?, ?)"
    index.executemany(insert, ((row[0], row_checksum(row)) for row in follows))
    first = index.execute("SELECT MIN(name) FROM document").fetchone()
    index.execute(insert, (NO_PREDECESSOR[0], row_checksum((*NO_PREDECESSOR, *first))))
    meta = dict(index.execute("SELECT key, value FROM meta"))
    for key, what in {TAGS_CHECKSUM: "code, name FROM tag", LINKS_CHECKSUM: f"{LINK_COLUMNS} FROM link"}.items():
        meta[key] = rows_checksum(index.execute(f"SELECT {what} ORDER BY 1"))
    meta["complete"] = 1
    meta.pop(CHECKSUM_KEY, None)
    meta[CHECKSUM_KEY] = rows_checksum(sorted(meta.items()))
    index.execute("DELETE FROM meta")
    index.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", sorted(meta.items()))


def normalise_header(path: Path) -> None:
    """Make the bytes of the closed file independent of the number of commits."""
    with path.open("r+b") as file:
        for place in _CHANGE_COUNTERS:
            file.seek(place)
            file.write((1).to_bytes(4, "big"))


# The file


class IndexWriter:
    """Writer of the pieces of one source; what is committed survives the process, for `--resume`.

    Raises (all methods):
        InputError: the file cannot be written, or the source does not fit the unfinished index.
    """

    def __init__(self, target: str, source: Source, settings: dict[str, MetaValue], *, resume: bool) -> None:
        try:
            Path(target).parent.resolve(strict=True)  # `none/../name` is no file if the folder `none` does not exist
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InputError(target, None, f"cannot be written: {reason}") from error
        self._target = Path(os.path.realpath(target))  # of a symbolic link, its target
        self._partial = self._target.with_name(f"{self._target.name}.partial")
        self._journal = self._target.with_name(f"{self._partial.name}-journal")
        self._source = source
        self._codes: dict[str, int] = {}
        self._is_complete = False  # an earlier build was stopped when only the file had to be moved
        self._last_commit = time.monotonic()
        identity = {"kind": source.kind, **settings, **source.identity()}
        with self._converting_errors():
            self._check_target()
            if not (resume and self._partial.exists()):
                self._create(identity)
            self._index = _connect(self._partial)
            try:
                self.counts = self._continue(identity)
            except BaseException:
                self._index.close()
                raise

    def _check_target(self) -> None:
        """Reject a target that is no file, and foreign files in the place of the unfinished index."""
        if self._target.exists() and not self._target.is_file():
            reason = "Is a directory" if self._target.is_dir() else "it is no regular file"
            raise InputError(str(self._target), None, f"cannot be written: {reason}")
        for path in (self._partial, self._journal):
            if path.exists() and not _is_unfinished_index(self._partial):
                raise InputError(str(path), None, "exists and was not left by a build of an index; remove it")

    def _create(self, identity: dict[str, MetaValue]) -> None:
        """Put an unfinished index in place at once, so that it is always recognisable and can be resumed."""
        if self._partial.exists():  # perhaps in use
            index = _connect(self._partial)
            try:
                index.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise InputError(str(self._partial), None, "another build is writing it") from None
            except sqlite3.DatabaseError:
                pass  # damaged
            finally:
                index.close()
        new = self._partial.with_name(f".{self._partial.name[:100]}.{os.getpid()}")
        new.unlink(missing_ok=True)  # of an interrupted build
        try:
            with new.open("xb"):
                pass  # for a clear error if the folder is missing
            with closing(_connect(new)) as index:
                index.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                index.execute(f"PRAGMA user_version = {INDEX_FORMAT}")
                index.executescript(INDEX_SCHEMA)
                _write_meta(index, {"program": f"prum-eval {__version__}", "source": self._source.name, **identity})
            self._remove()
            new.replace(self._partial)
        finally:
            for path in (new, new.with_name(f"{new.name}-journal")):
                path.unlink(missing_ok=True)

    def _continue(self, identity: dict[str, MetaValue]) -> dict[str, int]:
        """Open the transaction and read the counts of an index of the same source."""
        self._index.execute("PRAGMA trusted_schema = OFF")
        self._index.execute("BEGIN IMMEDIATE")
        try:
            check_tables(self._index, complete=False)
        except ValueError as error:
            raise InputError(str(self._partial), None, f"it is damaged: {error}; build without --resume") from None
        meta = dict(self._index.execute("SELECT key, value FROM meta"))
        version = self._index.execute("PRAGMA user_version").fetchone()[0], meta.get("program")
        if version != (INDEX_FORMAT, f"prum-eval {__version__}"):
            reason = "begun by another version; build without --resume"
            raise InputError(str(self._partial), None, reason)
        changed = [key for key, value in identity.items() if meta.get(key) != _storable(value)]
        if changed:
            reason = f"begun from another source or with other options ({', '.join(changed)}); build without --resume"
            raise InputError(str(self._partial), None, reason)
        self._codes = dict(self._index.execute("SELECT name, code FROM tag"))
        self._is_complete = "complete" in meta
        return {key: int(meta.get(key, 0)) for key in _COUNTS}

    def add(self, piece: Piece) -> None:
        """Write a piece and the position after it; commit from time to time. After an exception only `stop` is left."""
        with self._converting_errors():
            self._index.execute("SAVEPOINT change")
            if piece.trees is not None:
                self._add_trees(piece.trees)
            self._add_links(piece.links)
            if piece.references or piece.anchors:
                for statement in REFERENCE_SCHEMA.split(";"):
                    self._index.execute(statement)
                insert = f"INSERT INTO reference ({_REFERENCE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
                self._index.executemany(insert, piece.references)
                self._index.executemany("INSERT INTO anchor (document, id, path) VALUES (?, ?, ?)", piece.anchors)
            self.counts["broken"] += len(piece.errors)
            self.counts |= {"position": piece.position, "line": piece.line}
            _write_meta(self._index, self.counts)
            self._index.execute("RELEASE change")
            if time.monotonic() - self._last_commit > _COMMIT_EVERY:
                self._index.execute("COMMIT")
                self._index.execute("BEGIN IMMEDIATE")
                self._last_commit = time.monotonic()

    def _add_trees(self, trees: TreeBatch) -> None:
        for tag in trees.tags:
            if tag not in self._codes:
                self._codes[tag] = len(self._codes)
                self._index.execute("INSERT INTO tag (code, name) VALUES (?, ?)", (self._codes[tag], tag))
        packed = pack_trees(trees, [self._codes[tag] for tag in trees.tags])
        masks = pack_retrievable(trees)
        first, sizes = trees.bounds[:-1], group_sizes(trees.bounds)
        elements = sizes if trees.retrievable is None else np.add.reduceat(trees.retrievable.astype(np.int64), first)
        columns = trees.lines.tolist(), elements.tolist(), trees.length[first].tolist()
        documents = [
            (name, layout, mask, tree) for name, (layout, tree), mask in zip(trees.names, packed, masks, strict=True)
        ]
        checksums = [document_checksum(*document) for document in documents]
        rows = (
            (*document, *values, checksum)
            for document, *values, checksum in zip(documents, *columns, checksums, strict=True)
        )
        try:
            self._index.executemany(_INSERT, rows)
        except sqlite3.IntegrityError:
            raise self._duplicate_error(trees) from None
        self.counts["documents"] += len(trees.names)
        self.counts["elements"] += int(elements.sum())
        self.counts["all_elements"] += len(trees.tag)
        self.counts["characters"] += int(trees.length[first].sum())
        self.counts[NAMES_CHECKSUM] = rows_checksum(((name,) for name in trees.names), self.counts[NAMES_CHECKSUM])
        self.counts[_TREES_CHECKSUM] = rows_checksum(((check,) for check in checksums), self.counts[_TREES_CHECKSUM])

    def _add_links(self, links: Iterable[Link]) -> None:
        before = self._index.total_changes
        rows = (
            (link.document, link.path, link.target, link.target_path, link.probability, link.line) for link in links
        )
        columns = LINK_COLUMNS.removeprefix("number, ")
        self._index.executemany(f"INSERT INTO link ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - no value in it
        self.counts["links"] += self._index.total_changes - before

    def _duplicate_error(self, trees: TreeBatch) -> InputError:
        """Error for the first document of a batch whose name exists, perhaps in the batch itself."""
        (written,) = self._index.execute("SELECT COUNT(*) FROM document").fetchone()
        number = written - self.counts["documents"]  # in the batch; all before it are written
        name, line = trees.names[number], int(trees.lines[number])
        (first,) = self._index.execute("SELECT line FROM document WHERE name = ?", (name,)).fetchone()
        return self._source.duplicate_error(name, line, first)

    def finish(self, report: Callable[[InputError], None]) -> None:
        """Check the links, turn references into links, and move the index to its target.

        Args:
            report: called with every reference without a target.
        """
        with self._converting_errors():
            if not self._is_complete:
                self._index.execute("SAVEPOINT change")
                self._complete(report)
                self._index.execute("RELEASE change")
            self._index.execute("COMMIT")
            (free,), (pages,) = (
                self._index.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_count")
            )
            if free > _MIN_FREE_SHARE * pages:
                self._index.execute("VACUUM")
            self._index.close()
            normalise_header(self._partial)
            self._partial.replace(self._target)
            self._remove()

    def _complete(self, report: Callable[[InputError], None]) -> None:
        """Write all that depends on all documents."""

        def nowhere(problem: InputError) -> None:
            self.counts["nowhere"] += 1
            report(problem)

        self._index.execute("PRAGMA secure_delete = ON")  # no traces of earlier commits and of references
        check_links(self._index, self._source.name)
        if self._index.execute("SELECT 1 FROM sqlite_master WHERE name = 'reference'").fetchone() is not None:
            self._add_links(resolve_references(self._index, self._source.name, nowhere))
            self._index.execute("DROP TABLE reference")
            self._index.execute("DROP TABLE anchor")
        _write_meta(self._index, self.counts)
        write_checksums(self._index)

    def stop(self, *, keep: bool) -> None:
        """Stop the build at any moment; keep the unfinished index for --resume, or remove it."""
        with self._converting_errors():
            try:
                if keep:
                    self._commit_whole_changes()
            finally:
                self._index.close()
            if keep:
                self._journal.unlink(missing_ok=True)  # empty after a commit
            else:
                self._remove()

    def _commit_whole_changes(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed: the index is complete
            with suppress(sqlite3.OperationalError):  # no change was interrupted
                self._index.execute("ROLLBACK TO change")
            if self._index.in_transaction:
                self._index.execute("COMMIT")

    def _remove(self) -> None:
        for path in (self._partial, self._journal):
            path.unlink(missing_ok=True)

    @contextmanager
    def _converting_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(str(self._target), None, f"cannot be written: {error.strerror}") from error
        except sqlite3.Error as error:
            raise InputError(str(self._target), None, f"cannot be written: {error}") from error


def _write_meta(index: sqlite3.Connection, values: dict[str, int] | dict[str, MetaValue]) -> None:
    rows = [(key, _storable(value)) for key, value in values.items()]
    index.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", rows)


def _storable(value: MetaValue) -> MetaValue:
    r"""The value, with bytes of names that are not UTF-8 as ``\udcff``, which SQLite does not store."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


def _is_unfinished_index(path: Path) -> bool:
    """Whether the header of a file is that of an index, in whatever state the rest is."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError:
        return False
    return head.startswith(SQLITE_MAGIC) and head[_APPLICATION] == APPLICATION_ID.to_bytes(4, "big")


def _connect(path: Path) -> sqlite3.Connection:
    # A journal on disk survives a killed process; waiting for the disk at every commit would help only if the whole
    # machine crashes.
    index = sqlite3.connect(path, timeout=0, isolation_level=None)
    with suppress(sqlite3.DatabaseError):  # locked, or no SQLite file: the first statement fails again
        index.execute("PRAGMA locking_mode = EXCLUSIVE")
        index.execute("PRAGMA synchronous = OFF")
        index.execute("PRAGMA journal_mode = TRUNCATE")
    return index
