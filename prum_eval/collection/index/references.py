"""Links, when all documents are in an index: those of a structure are checked, references become links."""

from __future__ import annotations

import posixpath
import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from prum_eval.collection.index.batches import Piece, Reference
from prum_eval.collection.trees import parent_path
from prum_eval.errors import InputError
from prum_eval.formats.structures.index import LINK_COLUMNS
from prum_eval.formats.structures.index_trees import unpack_trees
from prum_eval.records.structure import Link
from prum_eval.text.numbers import shown

_TABLES = """
CREATE TABLE IF NOT EXISTS reference (
    number INTEGER PRIMARY KEY, document TEXT, element INTEGER, path TEXT, target TEXT, fragment TEXT, line INTEGER,
    word INTEGER);
CREATE TABLE IF NOT EXISTS anchor (number INTEGER PRIMARY KEY, document TEXT, id TEXT, path TEXT);
"""
_COLUMNS = "document, element, path, target, fragment, line, word"
_ALL = 0
"""Of a document all of whose elements are retrievable."""


def keep_references(index: sqlite3.Connection, piece: Piece) -> None:
    """Put aside what a piece refers to, and what may be referred to in it."""
    if piece.references or piece.anchors:
        for statement in _TABLES.split(";"):
            index.execute(statement)
        index.executemany(f"INSERT INTO reference ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", piece.references)  # noqa: S608 - no value in it
        index.executemany("INSERT INTO anchor (document, id, path) VALUES (?, ?, ?)", piece.anchors)


def has_references(index: sqlite3.Connection) -> bool:
    """Whether anything was put aside."""
    return index.execute("SELECT 1 FROM sqlite_master WHERE name = 'reference'").fetchone() is not None


def forget_references(index: sqlite3.Connection) -> None:
    """Drop what was put aside."""
    index.execute("DROP TABLE reference")
    index.execute("DROP TABLE anchor")


def resolved(index: sqlite3.Connection, source: str, report: Callable[[InputError], None]) -> Iterator[Link]:
    """The links that references are, in their order; those that lead nowhere are reported.

    An id that several elements have is that of the first. A reference without the ending that the document itself has
    (Mallard's ``page#id``) means the page with that ending; a word that names no page, an id of the document itself.
    """
    places = _Places(index)
    index.execute("CREATE INDEX anchor_of_id ON anchor (document, id, number)")
    for row in index.execute(f"SELECT {_COLUMNS} FROM reference ORDER BY number"):  # noqa: S608 - no value in it
        one = Reference(*row)
        target, fragment = places.meant(one)
        path, why = places.element(target, fragment)
        if why is None:
            yield Link(one.document, one.path, target, path, None, one.line)
        else:
            to = one.target if one.fragment is None else f"{one.target}#{one.fragment}"
            reason = f"the link to {shown(to)} leads nowhere: {why}"
            report(InputError(f"{source.rstrip('/')}/{one.document}", one.line if one.line >= 0 else None, reason))


class _Places:
    """The documents of an index, and the ids in them."""

    def __init__(self, index: sqlite3.Connection) -> None:
        self._index = index
        self._tags = [tag for (tag,) in index.execute("SELECT name FROM tag ORDER BY code")]
        self._is_there = lru_cache(maxsize=1 << 16)(self._look_up)
        self._retrievable = lru_cache(maxsize=256)(self._paths)

    def meant(self, one: Reference) -> tuple[str, str | None]:
        """Document and id that a reference means."""
        ending = PurePosixPath(one.document).suffix
        if self._is_there(one.target) is not None:
            return one.target, one.fragment
        if ending and self._is_there(one.target + ending) is not None:
            return one.target + ending, one.fragment
        id_ = posixpath.basename(one.target)
        if one.word and self._anchor(one.document, id_):
            return one.document, id_
        return one.target, one.fragment

    def element(self, document: str, fragment: str | None) -> tuple[str | None, str | None]:
        """Path of what an id names, None for the whole document; and why there is nothing, None where there is."""
        known = self._is_there(document)
        if known is None:
            return None, f"there is no document {shown(document)}"
        path = None if fragment is None else self._anchor(document, fragment)
        if fragment is not None and path is None:
            return None, f"document {shown(document)} has no element with the id {shown(fragment)}"
        if known == _ALL:
            return path, None
        found = self._retrievable(document)
        nearest = None if path is None else _nearest(path, found)
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


def _nearest(path: str, retrievable: frozenset[str]) -> str | None:
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
            raise InputError(name, line, f"to: the structure has no document {shown(target)}")
        if path not in (paths(document) or ()):
            raise InputError(name, line, f"path: document {shown(document)} has no element {shown(path)}")
        if target_path is not None and target_path not in there:
            raise InputError(name, line, f"to-path: document {shown(target)} has no element {shown(target_path)}")
        if probability is None and some is not None:
            raise InputError(name, line, f"<link> lacks the probability that others have, as on line {some[0]}")
