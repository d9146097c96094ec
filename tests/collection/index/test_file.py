"""Reading indexes: what is refused, and what two readers do to each other."""

import gzip
import pickle
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import read_index, read_index_info
from tests.collection.index.test_structures import XML

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
    assert refused(path, read_index_info) == "an SQLite file, but no index made by prum-eval index"


@pytest.mark.parametrize("version", [0, 1, 3])
def test_another_format(index, version):
    change(index, f"PRAGMA user_version = {version}")
    assert refused(index) == f"an index of format {version}; this version reads format 2: build it again"


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
    assert refused(index) == "the index is damaged: the checksum of a document is wrong"
    change(index, "DROP TABLE document")
    assert refused(index) == "the index is damaged: no such table: document"


@pytest.mark.parametrize(
    ("column", "value"),
    [("layout", "NULL"), ("layout", "1.5"), ("layout", "x'00'"), ("layout", "'many'"), ("layout", "1"), ("name", "'d'"),
     ("tree", "NULL"), ("tree", "7"), ("tree", "'text'"), ("retrievable", "x'00'"), ("checksum", "0")],
)  # fmt: skip
def test_damaged_values(index, column, value):
    with closing(sqlite3.connect(index)) as file:
        (schema,) = file.execute("SELECT sql FROM sqlite_master WHERE name = 'document'").fetchone()
        (version,) = file.execute("PRAGMA schema_version").fetchone()
    rename = "UPDATE sqlite_master SET sql = ? WHERE name = 'document'"
    for step, (text, statement) in enumerate(
        [
            (schema.replace(" NOT NULL", ""), "SELECT 1"),  # a table that takes any value
            (schema, f"UPDATE document SET {column} = {value} WHERE number = 2"),  # noqa: S608 - our own values
        ]
    ):
        with closing(sqlite3.connect(index)) as file:
            file.execute(statement)
            file.execute("PRAGMA writable_schema = ON")
            file.execute(rename, (text,))
            file.execute(f"PRAGMA schema_version = {version + 1 + step}")
            file.commit()
    reason = refused(index)
    assert reason.startswith("the index is damaged: ")
    assert " of an index" not in reason


@pytest.mark.parametrize("total", ["documents", "elements", "all_elements", "characters", "links", "nowhere", "broken"])
@pytest.mark.parametrize("damage", ["DELETE FROM meta", "UPDATE meta SET value = 'x'", "UPDATE meta SET value = 9"])
def test_damaged_totals(index, total, damage):
    change(index, f"{damage} WHERE key = '{total}'")
    for read in (read_index_info, read_structure):
        assert refused(index, read) == "the index is damaged: the checksum of its totals is wrong"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("DELETE FROM document WHERE number = 7", "a document is missing"),
        ("DELETE FROM document WHERE number = 300", "a document is missing"),
        ("UPDATE tag SET name = 'z' WHERE code = 1", "the table tag has a wrong checksum"),
        ("DROP TABLE neighbour", "no such table: neighbour"),
        ("UPDATE neighbour SET checksum = 1", "a document is missing"),
    ],
)
def test_damaged_rows(index, statement, reason):
    change(index, statement)
    if "document" in statement:
        read_structure(index, {"d7", "d8"})  # what is not looked at is not noticed
    assert (
        refused(index, lambda path: [read_structure(path, {"e"}), read_structure(path)])
        == f"the index is damaged: {reason}"
    )


@pytest.mark.parametrize("name", ["d0", "d299", "d150"])
@pytest.mark.parametrize("few", [0, 1000])
def test_a_name_that_was_lost(index, monkeypatch, name, few):
    monkeypatch.setattr("prum_eval.formats.structure_index._MAX_SINGLE_CHECKS", few)
    structure = read_structure(index, {name})
    assert name in structure.names
    assert "c" not in structure.names
    assert "e" not in structure.names
    assert "d1505" not in structure.names
    change(index, f"DELETE FROM document WHERE name = '{name}'")  # noqa: S608 - our own values
    for lost in (lambda: read_structure(index, {name}), lambda: name in read_structure(index, {"d7"}).names,
                 lambda: list(read_structure(index, set()).names)):  # fmt: skip
        if few or name != "d150":
            with pytest.raises(
                InputError,
                match=r"the index is damaged: (a document is m|the number of d|the checksum of its n)",
            ):
                lost()


def results(path):
    """All that evaluations see of an index."""
    some = read_structure(path, {"a", "c", "b", "x", "d29"})
    every = read_structure(path)
    return [
        [
            (one.elements, one.characters, [repr(link) for link in one.links], sorted(one.names), "n" in one.names),
            {
                name: (tree.paths, tree.start.tolist(), tree.length.tolist(), str(tree.retrievable))
                for name, tree in one.documents.items()
            },
        ]
        for one in (some, every)
    ]


@pytest.mark.slow
def test_a_flipped_bit_is_refused_or_changes_nothing(write, built, tmp_path):
    more = "".join(
        f'<document id="d{number}"><element tag="x" start="0" length="{number}"/></document>\n' for number in range(40)
    )
    index = built(write(XML.replace("</collection>", f"{more}</collection>")))
    whole, expected = bytearray(Path(index).read_bytes()), results(index)
    damaged = tmp_path / "damaged"
    seen = {"same": 0, "refused": 0}
    used = [place for place in range(len(whole)) if whole[place] or place % 41 == 0]  # the rest is hardly anything
    chance = random.Random(25)
    for place in chance.sample(used, min(len(used), 1500)):
        whole[place] ^= (flip := 1 << chance.randrange(8))
        damaged.write_bytes(whole)
        whole[place] ^= flip
        try:
            found = results(str(damaged))
        except InputError:
            seen["refused"] += 1
        else:
            assert found == expected, f"byte {place}, bit {flip}"
            seen["same"] += 1
    assert seen["refused"] > seen["same"]


def test_a_replaced_index_is_not_mixed(index, write, built):
    structure = read_structure(index, {"d7"})
    other = built(write(TEXT.replace("d8\t", "e\t"), "second"), "other.index")
    again = pickle.loads(pickle.dumps(structure))  # noqa: S301 - our own, as a process that is started gets it
    third = pickle.loads(pickle.dumps(structure))  # noqa: S301
    assert "d8" in again.names
    Path(other).replace(index)
    assert "e" not in structure.names
    assert "d8" in structure.names
    assert "d8" in again.names
    with pytest.raises(InputError) as error:
        list(third.names)
    assert str(error.value) == f"{index}: the index was replaced while it was being read"


def test_compressed(index, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(Path(index).read_bytes()))
    assert refused(str(packed)) == "a compressed index; decompress it first"


@pytest.mark.parametrize(("content", "reason"), [(TEXT, "not an index"), ("", "not an index")])
def test_info_of_something_else(write, content, reason):
    assert refused(write(content), read_index_info) == reason


def test_info_of_nothing(tmp_path):
    assert refused(str(tmp_path / "none"), read_index_info) == "cannot be read: No such file or directory"


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
