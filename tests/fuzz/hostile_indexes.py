"""Indexes changed by someone who knows how they are made: values, trees and tables, with checksums that are right.

A change is a line: ``set TABLE COLUMN ROW VALUE``, ``tree DOCUMENT ELEMENT FIELD VALUE``, ``copy TABLE ROW``,
``delete TABLE ROW`` or ``sql STATEMENT``. A line that is none changes nothing.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import numpy as np

from prum_eval import evaluate
from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.collection.trees import make_forest
from prum_eval.errors import PrumEvalError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import _layout_dtype, document_checksum, read_index_info
from tests.hostile_index import mend

SOURCE = """<collection>
<document id="a"><element tag="x" start="0" length="900"><element tag="y" start="0" length="40">
<element tag="z" start="10" length="0"/></element><element tag="y" start="40" length="60"/></element>
<link path="/x/y[2]" to="b" to-path="/x" probability="0.3"/><link path="/x" to="a" probability="0.7"/></document>
<document id="b"><element tag="x" start="5" length="7"/></document>
<document id="c"><element tag="q" start="0" length="0"/></document></collection>"""
QRELS = "1 0 a 1\n1 0 c 1\n"
RUN = "1 Q0 a 1 0.5 r /x[1]/y[1]\n1 Q0 b 2 0.4 r /x[1]\n1 Q0 d 3 0.3 r /x[1]\n"
SEEDS = [
    line.encode()
    for line in """set link probability 1 'often'
set link path 1 '/x[1]/y[9]'
set link target 1 'nowhere'
set link target_path 1 '/q[1]'
set link line 1 -5
set document line 2 -1
set document name 2 'aa'
set document elements 1 99
set document layout 2 4095
set document retrievable 1 x'80'
set document tree 2 x'0001'
set tag name 1 'xx'
set meta value documents 0
set meta value elements 0
set meta value characters 1
set meta value links 1
set meta value counting 1
tree 1 2 up 2
tree 1 0 size 9
tree 1 1 start 18446744073709551615
tree 2 0 rank 0
tree 1 3 rank 1
tree 1 3 tag 7
tree 3 0 length 1099511627777
tree 1 2 length 99
copy tag 0
copy document 1
copy link 1
delete document 1
delete link 2
delete neighbour 2
delete tag 2
sql DROP TABLE link
sql CREATE VIEW more AS SELECT * FROM document""".splitlines()
]
WORDS = [
    *b"set tree copy delete sql document link tag neighbour meta value name layout retrievable probability".split(),
    *b"path target target_path line elements characters checksum tree size up tag rank start length number".split(),
    *b"0 1 2 3 9 -1 0.5 1e999 NULL '' 'a' x'' x'ff' 2147483648 9223372036854775807 randomblob(99)".split(),
    *b"documents elements all_elements links source program counting without zeroblob(100000) char(0,10)".split(),
    b"\nset ", b"\ntree ", b"\ncopy ", b"\ndelete ", b"\nsql DROP TABLE ", b"\nsql PRAGMA user_version = 2",
    b"\nsql ALTER TABLE link ADD COLUMN c", b"\nsql CREATE TRIGGER t AFTER INSERT ON tag BEGIN SELECT 1; END",
]  # fmt: skip
_KEYS = {"document": "number", "link": "number", "neighbour": "number", "tag": "code", "meta": "key"}


@cache
def _sound_index() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "s.xml").write_text(SOURCE)
        build_index(f"{folder}/s.xml", f"{folder}/index", BuildOptions(), report=lambda _: None)
        return Path(folder, "index").read_bytes()


def read(data: bytes) -> None:
    """Change an index and use it for everything; what is refused is refused in one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "index"))
        Path(path).write_bytes(_sound_index())
        with closing(sqlite3.connect(path)) as index:
            for line in data.decode(errors="replace").splitlines()[:50]:
                with suppress(sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, TypeError):
                    _change(index, line.split(maxsplit=1))
            with suppress(sqlite3.Error, ValueError, TypeError, AttributeError):
                mend(index)
            index.commit()
        Path(folder, "qrels").write_text(QRELS)
        Path(folder, "run").write_text(RUN)
        inputs = f"{folder}/qrels", f"{folder}/run"
        uses: list[Callable[[], object]] = [
            lambda: read_index_info(path),
            lambda: _use_all(path),
            lambda: read_structure(path, {"a", "d"}),
            lambda: list(read_structure(path, set()).links),
            lambda: list(read_structure(path, set()).names),
            *(
                lambda model=model: evaluate(*inputs, measures=["prum_map"], structure=path, user_model=model)
                for model in ("hierarchical", "graph", "t2i")
            ),
        ]
        for use in uses:
            try:
                use()
            except PrumEvalError as error:
                assert "\n" not in str(error), error  # noqa: PT017 - no test of one error


def _use_all(path: str) -> None:
    structure = read_structure(path)
    trees = make_forest(structure.documents)
    for name, document in structure.documents.items():
        trees[name].find_extent(0, len(document.paths))
        trees[name].find("/x[1]")
    assert len(list(structure.links)) == len(structure.links)
    assert len(list(structure.names)) == len(structure.names)


def _change(index: sqlite3.Connection, words: list[str]) -> None:
    kind, rest = words
    if kind == "sql":
        if not rest.upper().lstrip().startswith(("ATTACH", "VACUUM")):  # other files
            index.execute(rest)
        return
    table, *values = rest.split()
    if kind == "tree":
        _change_tree(index, int(table), *values)
    elif kind in {"copy", "delete", "set"} and table in _KEYS:
        key = _KEYS[table]
        if kind == "set":
            column, row, value = values
            index.execute(f"UPDATE {table} SET {column} = {value} WHERE {key} = ?", (row,))  # noqa: S608
        elif kind == "delete":
            index.execute(f"DELETE FROM {table} WHERE {key} = ?", values[:1])  # noqa: S608
        else:
            columns = [column for _, column, *_ in index.execute(f"PRAGMA table_info({table})")]
            copies = [{key: f"{key} + 9", "name": "name || 'c'"}.get(column, column) for column in columns]
            copied = f"SELECT {', '.join(copies)} FROM {table} WHERE {key} = ?"  # noqa: S608 - our own names
            index.execute(f"INSERT INTO {table} {copied}", values[:1])


def _change_tree(index: sqlite3.Connection, document: int, element: str, field: str, value: str) -> None:
    row = index.execute("SELECT name, layout, retrievable, tree FROM document WHERE number = ?", (document,)).fetchone()
    if row is None:
        return
    name, layout, retrievable, tree = row
    elements = np.frombuffer(tree, dtype=_layout_dtype(layout)).copy()
    elements[field][int(element) % len(elements)] = int(value) % (1 << 8 * elements[field].itemsize)
    tree = elements.tobytes()
    checksum = document_checksum(name, layout, retrievable, tree)
    index.execute("UPDATE document SET tree = ?, checksum = ? WHERE number = ?", (tree, checksum, document))
