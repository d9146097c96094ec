"""Checksums of an index that was changed, as somebody writes them who knows how they are made."""

import sqlite3

from prum_eval.collection.index_writer import write_checksums
from prum_eval.formats.structure_index import NAMES_CHECKSUM, document_checksum, rows_checksum


def mend(index: sqlite3.Connection) -> None:
    """Write the checksums of all that is in an index now."""
    rows = index.execute("SELECT number, name, layout, retrievable, tree FROM document ORDER BY number").fetchall()
    for number, name, layout, retrievable, tree in rows:
        checksum = document_checksum(name, layout, retrievable, tree)
        index.execute("UPDATE document SET checksum = ? WHERE number = ?", (checksum, number))
    names = rows_checksum(row[1:2] for row in rows)
    index.execute("UPDATE meta SET value = ? WHERE key = ?", (names, NAMES_CHECKSUM))
    index.execute("DELETE FROM neighbour")
    write_checksums(index)
