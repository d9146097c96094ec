"""Indexes made to harm whoever reads them: other tables, values of other types, rows and paths without end."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from prum_eval.collection.index_build import BuildOptions, build_index
from prum_eval.collection.texts import Texts
from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import (
    TreeBatch,
    document_checksum,
    pack_trees,
    read_index_info,
)
from prum_eval.text.element_paths import MAX_PATH_DEPTH
from prum_eval.text.numbers import quote_value
from tests.bounded import run_bounded
from tests.collection.index.test_structures import XML
from tests.gold import run
from tests.hostile_index import mend

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'd' || i"


SET_TOTAL = "UPDATE meta SET value = ? WHERE key = ?"


@pytest.fixture
def index(write, built):
    """An index with links."""
    return built(write(XML))


def change(path, *statements, sound=True):
    """Change an index as somebody would who knows how its checksums are made."""
    with closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(*([statement] if isinstance(statement, str) else statement))
        if sound:
            mend(file)
        file.commit()


def refused(path, read=read_structure):
    with pytest.raises(InputError) as error:
        read(path)
    return str(error.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (["DROP TABLE neighbour", f"CREATE VIEW neighbour AS {ENDLESS} AS checksum FROM n"],
         "the view neighbour is not that of an index"),
        (["DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS} AS value FROM n"],
         "the view meta is not that of an index"),
        (["CREATE VIEW more AS SELECT 1"], "the view more is none of an index"),
        (["CREATE TRIGGER t AFTER INSERT ON link BEGIN DELETE FROM link; END"], "the trigger t is none of an index"),
        (["CREATE TABLE more (a)"], "the table more is none of an index"),
        (["CREATE VIRTUAL TABLE more USING fts5(a)"], "the table more is none of an index"),
        (["CREATE INDEX more ON link (path)"], "the index more is none of an index"),
        (["ALTER TABLE link ADD COLUMN more"], "the table link is not that of an index"),
        (["ALTER TABLE link RENAME COLUMN line TO lines"], "the table link is not that of an index"),
        (["DROP TABLE link", "CREATE TABLE link (number INTEGER PRIMARY KEY, path AS (zeroblob(1000000000)))"],
         "the table link is not that of an index"),
        (["DROP TABLE link"], "no such table: link"),
        (["CREATE TABLE reference (number INTEGER PRIMARY KEY)"], "the table reference is not that of an index"),
    ],
)  # fmt: skip
def test_other_tables(index, statements, reason):
    change(index, *statements, sound=False)
    for read in (read_structure, read_index_info):
        assert refused(index, read) == f"the index is damaged: {reason}"


@pytest.mark.parametrize(
    ("column", "value"),
    [("probability", "often"), ("probability", b"1"), ("probability", 1.5), ("probability", -1), ("line", "first"),
     ("document", b"a"), ("path", b"/x"), ("target", b"b"), ("target_path", b"/x")],
)  # fmt: skip
def test_values_that_no_link_has(index, column, value):
    change(index, (f"UPDATE link SET {column} = ?", (value,)))  # noqa: S608 - our own names
    name = "'b'a''" if column == "document" else "'a'"
    reason = f"the index is damaged: a link from {name} has a value that no link can have"
    assert refused(index, lambda path: list(read_structure(path).links)) == reason


@pytest.fixture
def inputs(tmp_path):
    """Assessments and a run."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n")
    return f"{tmp_path}/qrels {tmp_path}/run"


def test_text_as_a_probability_is_no_traceback(index, inputs):
    change(index, "UPDATE link SET probability = 'often'")
    output = run(f"eval -q -u graph -m prum.5 -s {index} {inputs}")
    reason = "the index is damaged: a link from 'a' has a value that no link can have"
    assert (output.status, output.out, output.err) == (1, "", f"{index}: {reason}\n")


def test_no_documents(index, inputs):
    change(index, "DELETE FROM document", "DELETE FROM link")
    change(index, *((SET_TOTAL, (0, key)) for key in ("documents", "elements", "links")))
    assert refused(index) == "an index without documents"
    output = run(f"eval -q -m prum.5 -s {index} {inputs}")
    assert (output.status, output.out, output.err) == (1, "", f"{index}: an index without documents\n")


@pytest.mark.parametrize(
    ("key", "read", "reason"),
    [
        ("links", lambda path: list(read_structure(path).links), "the number of links differs from its totals"),
        (
            "documents",
            lambda path: list(read_structure(path, set()).names),
            "the number of documents differs",
        ),
        ("documents", read_structure, "a document is missing"),
    ],
)
def test_totals_of_something_else(index, key, read, reason):
    change(index, (SET_TOTAL, (1, key)))
    assert refused(index, read).startswith(f"the index is damaged: {reason}")


@pytest.mark.parametrize("source", ["pipe", "/dev/zero", "a\0b"])
def test_documents_that_are_a_pipe_or_a_device(index, tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    change(index, (SET_TOTAL, ("directory of documents", "kind")), (SET_TOTAL, (source, "source")))
    reason = f"its documents, {quote_value(source)}, are not there: give them instead"
    assert refused(index, Texts) == reason


@pytest.mark.parametrize("key", ["program", "source", "kind"])
def test_no_origin(index, key):
    change(index, ("DELETE FROM meta WHERE key = ?", (key,)))
    assert refused(index) == "the index is damaged: its source is missing"


def test_a_tag_that_is_no_name(index):
    change(index, "UPDATE tag SET name = '<a b=\"' WHERE code = 0")
    assert refused(index) == "the index is damaged: a tag is not the name of an element"


def put_tree(path, parent):
    """Put a document whose elements have these parents in the place of all others."""
    parent = np.array(parent, dtype=np.int64)
    count = len(parent)
    size = np.ones(count, dtype=np.int64)
    for number in range(count - 1, 0, -1):
        size[parent[number]] += size[number]
    rank, nothing = np.arange(count) + 1, np.zeros(count, dtype=np.int64)
    tag = start = length = nothing
    trees = TreeBatch(("a",), np.array([1]), np.array([0, count]), ("x",), tag, rank, parent, size, start, length)
    ((layout, tree),) = pack_trees(trees, [0])
    row = (1, "a", 1, count, 0, layout, document_checksum("a", layout, None, tree), None, tree)
    counts = {"documents": 1, "elements": count, "all_elements": count, "characters": 0, "links": 0}
    change(
        path,
        "DELETE FROM document",
        "DELETE FROM link",
        ("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row),
        *((SET_TOTAL, (value, key)) for key, value in counts.items()),
    )


def test_the_deepest_tree(index):
    put_tree(index, range(-1, MAX_PATH_DEPTH - 1))
    assert read_structure(index).documents["a"].paths[-1].count("/") == MAX_PATH_DEPTH
    put_tree(index, range(-1, MAX_PATH_DEPTH))
    assert refused(index) == "the index is damaged: elements are nested more than 2048 deep"


CHAIN = range(-1, 59_999)
COMB = [*range(-1, MAX_PATH_DEPTH - 2), *[MAX_PATH_DEPTH - 2] * 58_000]


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        (CHAIN, "elements are nested more than 2048 deep"),
        (COMB, "the paths of 60047 elements have more than 82480896 characters"),
    ],
)
def test_memory(index, inputs, parent, reason):
    put_tree(index, parent)
    assert Path(index).stat().st_size < 1_500_000
    output = run_bounded(["eval", "-q", "-m", "prum.5", "-s", index, *inputs.split()], 600)
    assert (output.status, output.out, output.err) == (1, "", f"{index}: the index is damaged: {reason}\n")


def test_pages_that_lead_to_each_other(write, built):
    """Ten levels of pages, each all to the next one: more rows than anybody can read."""
    index = built(write("".join(f"document-{number:09}\t/x[1]\t0\t1\n" for number in range(3000))))
    with closing(sqlite3.connect(index)) as file:
        ((root,),) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'document'")
        ((size,),) = file.execute("PRAGMA page_size")
    data = bytearray(Path(index).read_bytes())
    pages = len(data) // size
    begin = (root - 1) * size
    page = data[begin : begin + size]
    assert page[0] == 5  # interior page of a table
    cells = int.from_bytes(page[3:5], "big")
    leaf = int.from_bytes(page[8:12], "big")
    for level in range(10):
        child = (leaf if level == 9 else pages + level + 1).to_bytes(4, "big")
        page[8:12] = child
        for number in range(cells):
            place = int.from_bytes(page[12 + 2 * number : 14 + 2 * number], "big")
            page[place : place + 4] = child
        if level:
            data += page
        else:
            data[begin : begin + size] = page
    data[28:32] = (len(data) // size).to_bytes(4, "big")
    data[92:96] = data[24:28]
    Path(index).write_bytes(data)
    assert refused(index) == "the index is damaged: its rows have more bytes than the file"
    assert refused(index, lambda path: list(read_structure(path, {"none"}).names)).startswith("the index is damaged: ")


def test_an_unfinished_index_with_a_trigger_is_not_continued(tmp_path, write):
    def stop(*_):
        raise KeyboardInterrupt

    source, target = write(XML), str(tmp_path / "index")
    with pytest.raises(KeyboardInterrupt):
        build_index(source, target, BuildOptions(), report=print, progress=stop)
    change(f"{target}.partial", "CREATE TRIGGER t AFTER INSERT ON tag BEGIN DELETE FROM tag; END", sound=False)
    with pytest.raises(InputError) as error:
        build_index(source, target, BuildOptions(resume=True), report=print)
    reason = "it is damaged: the trigger t is none of an index; build without --resume"
    assert str(error.value) == f"{target}.partial: {reason}"
    assert build_index(source, target, BuildOptions(), report=print)["documents"] == 3
