"""Links, when all documents are in an index: those of a structure are checked, references become links."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache

from prum_eval.collection.index.batches import Piece, Reference
from prum_eval.collection.trees import parent_path
from prum_eval.errors import InputError
from prum_eval.formats.structures.index import LINK_COLUMNS
from prum_eval.formats.structures.index_trees import unpack_trees
from prum_eval.records.structure import Link
from prum_eval.text.numbers import shown

_TABLES = """
CREATE TABLE IF NOT EXISTS reference (
    number INTEGER PRIMARY KEY, document TEXT, element INTEGER, path TEXT, target TEXT, fragment TEXT, line INTEGER);
CREATE TABLE IF NOT EXISTS anchor (number INTEGER PRIMARY KEY, document TEXT, id TEXT, path TEXT);
"""
_FOUND = """
SELECT reference.document, element, reference.path, reference.target, fragment, reference.line,
    document.name IS NOT NULL, document.retrievable IS NOT NULL,
    (SELECT path FROM anchor WHERE anchor.document = target AND id = fragment ORDER BY anchor.number LIMIT 1)
FROM reference LEFT JOIN document ON document.name = target ORDER BY reference.number
"""


def keep_references(index: sqlite3.Connection, piece: Piece) -> None:
    """Put aside what a piece refers to, and what may be referred to in it."""
    if piece.references or piece.anchors:
        for statement in _TABLES.split(";"):
            index.execute(statement)
        columns = "document, element, path, target, fragment, line"
        index.executemany(f"INSERT INTO reference ({columns}) VALUES (?, ?, ?, ?, ?, ?)", piece.references)  # noqa: S608 - no value in it
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

    An id that several elements have is that of the first.
    """
    tags = [tag for (tag,) in index.execute("SELECT name FROM tag ORDER BY code")]
    index.execute("CREATE INDEX anchor_of_id ON anchor (document, id, number)")

    @lru_cache(maxsize=256)
    def retrievable(document: str) -> frozenset[str]:
        columns = "SELECT name, layout, tree, retrievable FROM document WHERE name = ?"
        trees = unpack_trees(index.execute(columns, (document,)).fetchall(), tags)
        bits = trees.retrievable
        return frozenset(path for row, path in enumerate(trees.paths_of(0)) if bits is None or bits[row])

    for *row, there, some, exact in index.execute(_FOUND):
        one, path, why = Reference(*row), exact, None
        if not there:
            why = f"there is no document {shown(one.target)}"
        elif one.fragment is not None and path is None:
            why = f"document {shown(one.target)} has no element with the id {shown(one.fragment)}"
        elif some:
            found = retrievable(one.target)
            if one.fragment is not None:
                path = _nearest(path, found)
            if path is None and not any(parent_path(other) == "" for other in found):
                why = "what it leads to is not retrievable, and lies in nothing that is"
        if why is None:
            yield Link(one.document, one.path, one.target, path, None, one.line)
        else:
            to = one.target if one.fragment is None else f"{one.target}#{one.fragment}"
            reason = f"the link to {shown(to)} leads nowhere: {why}"
            report(InputError(f"{source.rstrip('/')}/{one.document}", one.line if one.line >= 0 else None, reason))


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
