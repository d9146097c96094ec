"""Reading indexes: what is refused, and what two readers do to each other."""

import gzip
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.registry import read_structure
from prum_eval.formats.structures.index import read_index, read_info

TEXT = "".join(f"d{number}\t/x[1]\t0\t{number}\nd{number}\t/x[1]/y[1]\t0\t{number}\n" for number in range(300))


@pytest.fixture
def index(write, built):
    return built(write(TEXT))


def refused(path, read=read_structure):
    with pytest.raises(InputError) as error:
        read(path)
    problems = []
    if read is read_structure:
        assert read(path, problems=problems.append).elements == 0
        assert [str(problem) for problem in problems] == [str(error.value)]
    return str(error.value).removeprefix(f"{path}: ")


def change(path, statement):
    index = sqlite3.connect(path)
    index.execute(statement)
    index.commit()
    index.close()


def test_another_sqlite_file(tmp_path):
    path = str(tmp_path / "other")
    change(path, "CREATE TABLE document (name)")
    assert refused(path) == "an SQLite file, but no index made by prum-eval index"
    assert refused(path, read_info) == "an SQLite file, but no index made by prum-eval index"


@pytest.mark.parametrize("version", [0, 2])
def test_another_format(index, version):
    change(index, f"PRAGMA user_version = {version}")
    assert refused(index) == f"an index of format {version}; this version reads format 1: build it again"


def test_not_complete(index):
    change(index, "DELETE FROM meta WHERE key = 'complete'")
    assert refused(index) == "the index is not complete, its build was stopped; prum-eval index --resume continues it"


@pytest.mark.parametrize("size", [16, 99, 100, 5000, -1])
def test_truncated(index, size):
    whole = Path(index).read_bytes()
    Path(index).write_bytes(whole[:size])
    left = len(whole[:size])
    assert refused(index) == f"the index is truncated: {left} of {100 if left < 50 else len(whole)} bytes"


def test_damaged(index):
    change(index, "UPDATE document SET tree = x'00010203'")
    assert refused(index) == "the index is damaged: a tree does not have its layout"
    change(index, "DROP TABLE document")
    assert refused(index) == "the index is damaged: no such table: document"


@pytest.mark.parametrize(
    ("column", "value"),
    [("layout", "NULL"), ("layout", "1.5"), ("layout", "x'00'"), ("layout", "'many'"),
     ("tree", "NULL"), ("tree", "7"), ("tree", "'text'")],
)  # fmt: skip
def test_damaged_values(index, column, value):
    change(index, "CREATE TABLE other AS SELECT * FROM document")
    change(index, "DROP TABLE document")
    change(index, "ALTER TABLE other RENAME TO document")  # which takes any value
    change(index, f"UPDATE document SET {column} = {value} WHERE number = 1")  # noqa: S608 - our own values
    assert refused(index) == "the index is damaged: a tree does not have its layout"


@pytest.mark.parametrize("total", ["documents", "elements", "characters", "links", "broken"])
@pytest.mark.parametrize("damage", ["DELETE FROM meta", "UPDATE meta SET value = 'x'", "UPDATE meta SET value = -1"])
def test_damaged_totals(index, total, damage):
    change(index, f"{damage} WHERE key = '{total}'")
    for read in (read_info, read_structure):
        assert refused(index, read) == "the index is damaged: its totals are not there"


def test_compressed(index, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(Path(index).read_bytes()))
    assert refused(str(packed)) == "a compressed index; decompress it first"


@pytest.mark.parametrize(("content", "reason"), [(TEXT, "not an index"), ("", "not an index")])
def test_info_of_something_else(write, content, reason):
    assert refused(write(content), read_info) == reason


def test_info_of_nothing(tmp_path):
    assert refused(str(tmp_path / "none"), read_info) == "cannot be read: No such file or directory"


def test_a_name_with_signs_that_addresses_use(index, tmp_path):
    strange = tmp_path / "a?b#c%20d é"
    Path(index).rename(strange)
    assert read_structure(str(strange), {"d7"}).documents["d7"].length.tolist() == [7, 7]


def test_a_folder_that_cannot_be_written(index, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    target = folder / "index"
    Path(index).rename(target)
    target.chmod(0o444)
    folder.chmod(0o555)
    assert read_structure(str(target), {"d7"}).elements == 600
    folder.chmod(0o755)
    assert [path.name for path in folder.iterdir()] == ["index"]


def test_many_readers(index):
    def read(number):
        return read_index(index, {f"d{number}"}).documents[f"d{number}"].length.tolist()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, range(300))) == [[number, number] for number in range(300)]
