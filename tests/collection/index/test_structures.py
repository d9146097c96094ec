"""An index of a structure holds what the structure holds."""

import io
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.gen_inex import generate
from prum_eval.collection import index_sources as text_module
from prum_eval.collection.trees import make_forest, nest_paths
from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.formats.structure_index import read_index_info
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY

TEXT = """\
#docid\tpath\tstart\tlength
an/1\t/x[1]\t0\t100
an/1\t/x[1]/y[1]\t0\t40
an/1\t/x[1]/y[1]/z[1]\t10\t0
an/1\t/x[1]/y[2]\t40\t60
an/1\t/x[1]/a-very-long-name[2]\t40\t60
an/1\t/x[1]/a-very-long-name[2]/q[12345678]\t40\t60
b 2\t/x[1]\t5\t7
c\t/é[3]\t0\t0
d\t/x[1]\t0\t70000
d\t/x[1]/y[300]\t0\t70000
d\t/x[1]/y[300]/y[1]\t69999\t1
"""

XML = """\
<collection name="toy" unit="character">
  <document id="a">
    <element tag="x" start="0" length="100">
      <element tag="y" start="0" length="40"> <element tag="z" start="10" length="0"/> </element>
      <element tag="y" start="40" length="60"/>
    </element>
    <link path="/x/y[2]" to="b 2" to-path="/x" probability="0.3"/>
    <link path="/x" to="a" probability="1"/>
  </document>
  <document id="b 2"><element tag="x" start="5" length="7"/></document>
  <document id="c"><element tag="q" start="0" length="0"/></document>
</collection>
"""


def assert_same(indexed, read):
    assert (indexed.elements, indexed.characters) == (read.elements, read.characters)
    assert (len(indexed.names), set(indexed.names)) == (len(read.names), read.names)
    assert (len(indexed.links), tuple(indexed.links)) == (len(read.links), read.links)
    assert indexed.documents.keys() == read.documents.keys()
    trees = make_forest(indexed.documents)
    for name, document in read.documents.items():
        other = indexed.documents[name]
        nesting = trees[name].parent, trees[name].end
        assert (other.name, other.paths) == (name, document.paths)
        assert other.start.tolist() == document.start.tolist()
        assert other.length.tolist() == document.length.tolist()
        assert [part.tolist() for part in nesting] == list(nest_paths(document.paths))
        assert {part.dtype for part in (other.start, other.length, other.lines, *nesting)} == {np.dtype("int64")}


UNUSUAL = {
    "as is": lambda text: text,
    "comments between the lines": lambda text: text.replace("c\t", "# a comment\n# another\nc\t"),
    "blank lines at the end": lambda text: text + "\n \n\n",
    "windows": lambda text: text.rstrip().replace("\n", "\r\n"),
    "no positions": lambda text: text.replace("[1]", ""),
    "large numbers": lambda text: text.replace("d\t/x[1]\t0\t70000", "d\t/x[1]\t0\t7000000000"),
    "byte-order mark": lambda text: "\ufeff" + text,
    "names of many lengths": lambda text: (
        text.replace("an/1", "n" * 7).replace("b 2", "n" * 8).replace("c\t", "n" * 99 + "\t")
    ),
}


@pytest.mark.parametrize("chunk", [1, 60, 1 << 21])
@pytest.mark.parametrize("change", UNUSUAL.values(), ids=UNUSUAL)
def test_text(write, built, monkeypatch, change, chunk):
    monkeypatch.setattr(text_module, "STRUCTURE_BLOCK_BYTES", chunk)
    monkeypatch.setattr("prum_eval.text.lines.BLOCK_BYTES", min(chunk, 1 << 18))
    source = write(change(TEXT))
    assert_same(read_structure(built(source)), read_structure(source))


def test_the_fast_way_takes_what_is_usual():
    block = text_module.LineBlock(1, TEXT.count("\n"), TEXT.encode())
    assert text_module.parse_trees(block).names == ("an/1", "b 2", "c", "d")


@pytest.mark.parametrize("together", [1, 256])
def test_xml(write, built, monkeypatch, together):
    monkeypatch.setattr("prum_eval.collection.index_sources._DOCUMENTS_PER_PIECE", together)
    source = write(XML)
    assert_same(read_structure(built(source)), read_structure(source))


@pytest.mark.parametrize("seed", range(5))
def test_random_trees(write, built, monkeypatch, seed):
    monkeypatch.setattr(text_module, "STRUCTURE_BLOCK_BYTES", 2000)
    random.seed(seed)
    lines = []
    for number in range(60):
        length = random.choice([9, 300, 70000, 5_000_000])
        stack, counts = [("/r[1]", 0, length)], {}
        lines.append(f"doc{number}\t/r[1]\t0\t{length}\n")
        for _ in range(random.randrange(40)):
            del stack[random.randint(1, len(stack)) :]
            above, start, size = stack[-1]
            tag = f"{above}/{random.choice(['p', 'sec', 'emph', 'a-long-tag-name', 'much-longer-than-sixteen'])}"
            counts[tag] = counts.get(tag, 0) + random.choice([1, 1, 1, 200])
            own = random.randint(0, size)
            start += random.randint(0, size - own)
            stack.append((f"{tag}[{counts[tag]}]", start, own))
            lines.append("doc{}\t{}\t{}\t{}\n".format(number, *stack[-1]))
    source = write("".join(lines))
    assert_same(read_structure(built(source)), read_structure(source))


def test_generated_collection(tmp_path, built):
    generate(tmp_path / "work", "small")
    source = str(tmp_path / "work" / "structure.tsv")
    index = built(source)
    read = read_structure(source)
    assert_same(read_structure(index), read)
    some, every = (
        make_forest(read_structure(path, names).documents)
        for path, names in ((index, {"1000", "1037", "unknown"}), (source, None))
    )
    assert set(some) == {"1000", "1037"}
    for name, one in some.items():
        other = every[name]
        assert (one.paths, one.end.tolist(), one.parent.tolist()) == (
            other.paths,
            other.end.tolist(),
            other.parent.tolist(),
        )
    info = read_index_info(index)
    assert (info.documents, info.elements, info.links, info.broken_documents) == (60, read.elements, 0, 0)
    assert info.meta["source_size"] == (tmp_path / "work" / "structure.tsv").stat().st_size


def test_several_processes_make_the_same_index(tmp_path, built, monkeypatch):
    generate(tmp_path / "work", "small")
    monkeypatch.setattr(text_module, "STRUCTURE_BLOCK_BYTES", 3000)
    source = str(tmp_path / "work" / "structure.tsv")
    one, two = built(source), built(source, "other.index", jobs=2)
    assert Path(one).read_bytes() == Path(two).read_bytes()


def test_only_wanted_documents(write, built):
    index = built(write(TEXT))
    read = read_structure(index, {"b 2", "unknown"})
    assert list(read.documents) == ["b 2"]
    assert read.elements == 11
    assert len(read.names) == 4
    assert "c" in read.names
    assert "e" not in read.names
    assert 5 not in read.names

    class EveryC:
        def __contains__(self, name):
            return name == "c"

    assert list(read_structure(index, EveryC()).documents) == ["c"]


def test_many_wanted_documents(write, built):
    index = built(write("".join(f"d{number}\t/x[1]\t0\t{number}\n" for number in range(2000))))
    wanted = {f"d{number}" for number in range(0, 3000, 2)}
    read = read_structure(index, wanted)
    assert {name: document.length.tolist() for name, document in read.documents.items()} == {
        f"d{number}": [number] for number in range(0, 2000, 2)
    }


@pytest.mark.parametrize("content", [TEXT, XML], ids=["text", "xml"])
def test_standard_input(monkeypatch, write, built, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    index = built("-")
    assert_same(read_structure(index), read_structure(write(content)))
    assert read_index_info(index).meta["source"] == "<stdin>"


def bad(change):
    return TEXT.replace(*change)


BAD = {
    "number": (bad(("\t5\t7", "\t5\tseven")), "8: length: expected an integer, 0 or more, found 'seven'"),
    "outside": (
        bad(("69999\t1", "69999\t2")),
        "12: element '/x[1]/y[300]/y[1]' from 69999 to 70001 is outside its parent '/x[1]/y[300]' from 0 to 70000",
    ),
    "twice": (
        bad(("/x[1]/y[2]", "/x[1]/y[1]")),
        "5: element '/x[1]/y[1]' is listed twice (first on line 3)",
    ),
    "two blocks": (
        TEXT + "b 2\t/x[1]\t5\t7\n",
        "13: document 'b 2' has a second block of lines (its first began on line 8)",
    ),
    "blank line": (bad(("d\t/x[1]\t", "\nd\t/x[1]\t")), "10: a blank line, expected an element"),
    "orphan": (
        bad(("d\t/x[1]/y[300]/y[1]", "d\t/x[1]/y[301]/y[1]")),
        "12: element '/x[1]/y[301]/y[1]' stands without its parent '/x[1]/y[301]'",
    ),
    "order": (
        TEXT + "d\t/x[1]/z[1]\t69999\t1\nd\t/x[1]/y[300]/w[1]\t69999\t1\n",
        "14: element '/x[1]/y[300]/w[1]' is out of document order: its parent '/x[1]/y[300]' (line 11) ended before",
    ),
    "two blocks far apart": (
        TEXT + "b 2\t/x[1]\t5\t7\ne\t/x[1]\t0\t1\nf\t/x[1]\t0\t1\n",
        "13: document 'b 2' has a second block of lines (its first began on line 8)",
    ),
    "comments only": ("# a\n#b\n", "1: the file is empty"),
    "empty": ("", "1: the file is empty"),
    "xml twice": (
        XML.replace('"c"', '"a"'),
        "11: document 'a' is described twice (first on line 2)",
    ),
    "xml without documents": ("<collection/>", "1: no <document> in the whole structure"),
    "xml cut off": (XML.removesuffix("</collection>\n"), "12: the XML is cut off: the file ends inside an element"),
    "link to nothing": (XML.replace('to="b 2"', 'to="b"'), "7: to: the structure has no document 'b'"),
    "link of nothing": (XML.replace("/x/y[2]", "/x/y[3]"), "7: path: document 'a' has no element '/x[1]/y[3]'"),
    "link into nothing": (
        XML.replace('to-path="/x"', 'to-path="/y"'),
        "7: to-path: document 'b 2' has no element '/y[1]'",
    ),
    "link without probability": (
        XML.replace(' probability="0.3"', ""),
        "7: <link> lacks the probability that others have, as on line 8",
    ),
    "entity": (
        '<!DOCTYPE a [<!ENTITY x "y">]>' + XML,
        f"1: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 1 << 21])
@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_a_bad_structure_makes_no_index(write, built, tmp_path, monkeypatch, content, message, chunk):
    monkeypatch.setattr(text_module, "STRUCTURE_BLOCK_BYTES", chunk)
    monkeypatch.setattr("prum_eval.text.lines.BLOCK_BYTES", min(chunk, 1 << 18))
    source = write(content)
    with pytest.raises(InputError) as error:
        built(source)
    assert str(error.value) == f"{source}:{message}"
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
    with pytest.raises(InputError) as error:
        read_structure(source)
    assert str(error.value) == f"{source}:{message}"
