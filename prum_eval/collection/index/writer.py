"""The file that an index is built in: beside its place until it is complete, committed piece by piece."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from prum_eval.arrays import sizes_of
from prum_eval.collection.index.batches import Piece, Source
from prum_eval.collection.index.references import (
    check_links,
    forget_references,
    has_references,
    keep_references,
    resolved,
)
from prum_eval.collection.index.sealing import even_out, seal
from prum_eval.errors import InputError
from prum_eval.formats.structures.index import COUNTS, LINK_COLUMNS
from prum_eval.formats.structures.index_file import (
    APPLICATION,
    CHECKSUM,
    FORMAT,
    NAMES,
    SCHEMA,
    MetaValue,
    checksum_of_rows,
    document_checksum,
)
from prum_eval.formats.structures.index_trees import Trees, pack_retrievable, pack_trees
from prum_eval.records.structure import Link
from prum_eval.text.streams import SQLITE
from prum_eval.version import __version__

_TREES = f"{CHECKSUM} of documents"
"""Key of a checksum of the checksums: it tells indexes of equal totals apart."""
_COMMIT_EVERY = 1.0  # seconds: what a killed build loses

_HEADER, _APPLICATION = 100, slice(68, 72)  # of an SQLite file: its length, and where it says whose it is
_COLUMNS = "name, layout, retrievable, tree, line, elements, characters, checksum"
_INSERT = f"INSERT INTO document ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no value in it
_COUNTS = (*COUNTS, "position", "line", NAMES, _TREES)


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
            if path.exists() and not _is_begun(self._partial):
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
                index.execute(f"PRAGMA application_id = {APPLICATION}")
                index.execute(f"PRAGMA user_version = {FORMAT}")
                index.executescript(SCHEMA)
                _set(index, {"program": f"prum-eval {__version__}", "source": self._source.name, **begun})
            self._remove()
            fresh.replace(self._partial)
        finally:
            for path in (fresh, fresh.with_name(f"{fresh.name}-journal")):
                path.unlink(missing_ok=True)

    def _continue(self, begun: dict[str, MetaValue]) -> dict[str, int]:
        self._index.execute("BEGIN IMMEDIATE")
        meta = dict(self._index.execute("SELECT key, value FROM meta"))
        if (self._index.execute("PRAGMA user_version").fetchone()[0], meta.get("program")) != (
            FORMAT,
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
            keep_references(self._index, piece)
            self.counts["broken"] += len(piece.broken)
            self.counts |= {"position": piece.position, "line": piece.line}
            if time.monotonic() - self._last_commit > _COMMIT_EVERY:
                self.commit()

    def _add_trees(self, trees: Trees) -> None:
        fresh = [tag for tag in trees.tags if tag not in self._codes]
        for tag in fresh:
            self._codes[tag] = len(self._codes)
            self._index.execute("INSERT INTO tag (code, name) VALUES (?, ?)", (self._codes[tag], tag))
        packed = pack_trees(trees, [self._codes[tag] for tag in trees.tags])
        bits = pack_retrievable(trees)
        first, counts = trees.bounds[:-1], sizes_of(trees.bounds)
        some = counts if trees.retrievable is None else np.add.reduceat(trees.retrievable.astype(np.int64), first)
        columns = trees.lines.tolist(), some.tolist(), trees.length[first].tolist()
        read = list(zip(trees.names, (layout for layout, _ in packed), bits, (tree for _, tree in packed), strict=True))
        checksums = [document_checksum(*row) for row in read]
        rows = ((*row, *rest, check) for row, *rest, check in zip(read, *columns, checksums, strict=True))
        try:
            self._index.executemany(_INSERT, rows)
        except sqlite3.IntegrityError:
            raise self._repeated(trees) from None
        self.counts["documents"] += len(trees.names)
        self.counts["elements"] += int(some.sum())
        self.counts["all_elements"] += len(trees.tag)
        self.counts["characters"] += int(trees.length[first].sum())
        self.counts[NAMES] = checksum_of_rows(((name,) for name in trees.names), self.counts[NAMES])
        self.counts[_TREES] = checksum_of_rows(((check,) for check in checksums), self.counts[_TREES])

    def _add_links(self, links: Iterable[Link]) -> None:
        before = self._index.total_changes
        rows = ((one.document, one.path, one.target, one.target_path, one.probability, one.line) for one in links)
        columns = LINK_COLUMNS.removeprefix("number, ")
        self._index.executemany(f"INSERT INTO link ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - no value in it
        self.counts["links"] += self._index.total_changes - before

    def _repeated(self, trees: Trees) -> InputError:
        """What to say of the first document of a batch that is there already, perhaps from the batch itself."""
        (there,) = self._index.execute("SELECT COUNT(*) FROM document").fetchone()
        number = there - self.counts["documents"]  # all before it were taken
        name, line = trees.names[number], int(trees.lines[number])
        (first,) = self._index.execute("SELECT line FROM document WHERE name = ?", (name,)).fetchone()
        return self._source.repeated(name, line, first)

    def commit(self) -> None:
        """Make what was taken last."""
        with self._guarded():
            _set(self._index, self.counts)
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
            _set(self._index, self.counts)
            seal(self._index)
            self._index.execute("COMMIT")
            if loose:
                self._index.execute("VACUUM")
            self._index.close()
            even_out(self._partial)
            self._partial.replace(self._target)
            self._remove()

    def _resolve(self, report: Callable[[InputError], None]) -> None:
        """Make links of the references, and forget them."""

        def nowhere(problem: InputError) -> None:
            self.counts["nowhere"] += 1
            report(problem)

        self._add_links(resolved(self._index, self._source.name, nowhere))
        forget_references(self._index)

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


def _set(index: sqlite3.Connection, values: dict[str, int] | dict[str, MetaValue]) -> None:
    index.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", list(values.items()))


def _is_begun(path: Path) -> bool:
    """Whether a build has made the file: its header says so, in whatever state the rest is."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError:
        return False
    return head.startswith(SQLITE) and head[_APPLICATION] == APPLICATION.to_bytes(4, "big")


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
