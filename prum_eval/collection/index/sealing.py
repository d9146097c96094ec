"""The checksums of an index, by which its readers notice damage; written when everything else is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from prum_eval.formats.structures.index import LINK_COLUMNS
from prum_eval.formats.structures.index_file import BEFORE_ALL, CHECKSUM, LINKS, TAGS, checksum, checksum_of_rows

_CHANGES = (24, 92)
"""Where the header of an SQLite file counts its changes, which are as many as the clock made commits."""


def seal(index: sqlite3.Connection) -> None:
    """Write the checksums of names that follow each other, of tags, of links and of the totals; then it is complete."""
    index.create_function("checksum", 3, lambda *values: checksum(values), deterministic=True)
    index.execute("DELETE FROM neighbour")
    follows = "number, checksum(number, name, lead(name) OVER (ORDER BY name))"
    index.execute(f"INSERT INTO neighbour SELECT {follows} FROM document ORDER BY number")  # noqa: S608 - no value in it
    first = "INSERT INTO neighbour SELECT ?, checksum(?, ?, MIN(name)) FROM document"
    index.execute(first, (BEFORE_ALL[0], *BEFORE_ALL))
    meta = dict(index.execute("SELECT key, value FROM meta"))
    for key, what in {TAGS: "code, name FROM tag", LINKS: f"{LINK_COLUMNS} FROM link"}.items():
        meta[key] = checksum_of_rows(index.execute(f"SELECT {what} ORDER BY 1"))
    meta["complete"] = 1
    meta.pop(CHECKSUM, None)
    meta[CHECKSUM] = checksum_of_rows(sorted(meta.items()))
    index.execute("PRAGMA secure_delete = ON")  # of what was written and when, nothing stays in the file
    index.execute("DELETE FROM meta")
    index.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", sorted(meta.items()))


def even_out(path: Path) -> None:
    """Make the closed file the same however often the build committed."""
    with path.open("r+b") as file:
        for place in _CHANGES:
            file.seek(place)
            file.write((1).to_bytes(4, "big"))
