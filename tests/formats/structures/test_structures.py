"""Collection structures, good and bad, in both formats."""

import io
import sys

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_structure
from prum_eval.records import Link
from prum_eval.text import lines as text_lines
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY

TEXT = """\
#docid\tpath\tstart\tlength
a\t/x\t0\t100
a\t/x[1]/y[1]\t0\t40
a\t/x[1]/y[1]/z[1]\t10\t0
a\t/x[1]/y[2]\t40\t60
# a comment
b 2\t/x[1]\t5\t7
c\t/q[1]\t0\t0

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


@pytest.mark.parametrize("block", [1, 30, 1 << 18])
@pytest.mark.parametrize("text", [TEXT, XML], ids=["text", "xml"])
def test_structure(write, monkeypatch, text, block):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    read = read_structure(write(text))
    assert read.elements == 6
    assert read.characters == 107
    assert read.names == {"a", "b 2", "c"}
    assert list(read.documents) == ["a", "b 2", "c"]
    document = read.documents["a"]
    assert document.name == "a"
    assert document.paths == ("/x[1]", "/x[1]/y[1]", "/x[1]/y[1]/z[1]", "/x[1]/y[2]")
    assert document.start.tolist() == [0, 0, 10, 40]
    assert document.length.tolist() == [100, 40, 0, 60]
    assert document.lines.tolist() == ([2, 3, 4, 5] if text is TEXT else [3, 4, 4, 5])
    assert read.documents["c"].lines.tolist() == ([8] if text is TEXT else [11])


@pytest.mark.parametrize("text", [TEXT, XML], ids=["text", "xml"])
def test_only_wanted_documents_are_kept_and_all_are_counted(write, text):
    read = read_structure(write(text), {"b 2", "unknown"})
    assert list(read.documents) == ["b 2"]
    assert read.documents["b 2"].start.tolist() == [5]
    assert (read.elements, read.characters, len(read.names)) == (6, 107, 3)


def test_windows_line_ends_and_no_last_line_end(write):
    read = read_structure(write(TEXT.rstrip().replace("\n", "\r\n")))
    assert read.elements == 6
    assert read.documents["a"].lines.tolist() == [2, 3, 4, 5]


def test_links(write):
    assert read_structure(write(XML), set()).links == (
        Link("a", "/x[1]/y[2]", "b 2", "/x[1]", 0.3, 7),
        Link("a", "/x[1]", "a", None, 1.0, 8),
    )


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert read_structure("-").path == "<stdin>"


GOOD = "a\t/x[1]\t0\t100\n"
PATH = "an element path such as /article[1]/sec[2]"

BAD_LINES = {
    "empty": ("", "1: the file is empty"),
    "nothing but comments": ("# a\n#b", "1: the file is empty"),
    "blanks for tabs": ("a /x 0 1\n", "1: expected 4 columns separated by tabs, found 1"),
    "five columns": (GOOD + "a\t/x[1]/y[1]\t0\t1\t\n", "2: expected 4 columns separated by tabs, found 5"),
    "blank line": (GOOD + "\nb\t/x\t0\t1\n", "2: a blank line, expected an element"),
    "a step known from the root without its slash": (
        "a\t/x[1]\t0\t1\na\tx[1]\t0\t1\n",
        "2: path: expected an element path such as /article[1]/sec[2], found 'x[1]'",
    ),
    "no document": ("\t/x\t0\t1\n", "1: the name of the document is empty"),
    "start": ("a\t/x\t-1\t1\n", "1: start: expected an integer, 0 or more, found '-1'"),
    "start with blanks": ("a\t/x\t 1\t1\n", "1: start: expected an integer, 0 or more, found ' 1'"),
    "length": (GOOD + "b\t/x\t0\t1.5\n", "2: length: expected an integer, 0 or more, found '1.5'"),
    "length is empty": ("a\t/x\t0\t\n", "1: length: expected an integer, 0 or more, found ''"),
    "overflow": (
        "a\t/x\t1099511627776\t1\n",
        "1: start '1099511627776' and length '1' end past the largest offset, 1099511627776",
    ),
    "no root": (
        GOOD + "b\t/x/y\t0\t1\n",
        "2: path: expected the root element of document 'b' first, as /article[1], found '/x/y'",
    ),
    "two roots": (GOOD + "a\t/y[1]\t0\t1\n", "2: element '/y[1]' is a second root of its document"),
    "bad path": (GOOD + "a\t/x[1]/y[0]\t0\t1\n", f"2: path: expected {PATH}, found '/x[1]/y[0]'"),
    "outside the parent": (
        GOOD + "a\t/x/y\t90\t11\n",
        "2: element '/x[1]/y[1]' from 90 to 101 is outside its parent '/x[1]' from 0 to 100",
    ),
    "without a parent": (
        GOOD + "a\t/x/y/z\t0\t1\na\t/x/y/z/q\t0\t1\n",
        "2: element '/x[1]/y[1]/z[1]' stands without its parent '/x[1]/y[1]'",
    ),
    "out of order": (
        GOOD + "a\t/x/y\t0\t1\na\t/x/z\t1\t1\na\t/x/y/q\t0\t1\n",
        "4: element '/x[1]/y[1]/q[1]' is out of document order: its parent '/x[1]/y[1]' (line 2) ended before",
    ),
    "element twice": (
        GOOD + "a\t/x/y\t0\t1\na\t/x/y[1]\t0\t1\n",
        "3: element '/x[1]/y[1]' is listed twice (first on line 2)",
    ),
    "document in two blocks": (
        GOOD + "b\t/x\t0\t1\na\t/x/y\t0\t1\n",
        "3: document 'a' has a second block of lines (its first began on line 1)",
    ),
    "document is not UTF-8": (b"\xff\t/x\t0\t1\n", r"1: document: expected UTF-8 text, found '\xff'"),
}


def document(body, name="a"):
    return f"<document id='{name}'>\n<element tag='x' start='0' length='9'>{body}</document>\n"


def collection(*documents):
    return "<collection>\n" + "".join(documents) + "</collection>"


LINK = "<link path='/x' to='a' probability='{}'/>"

BAD_XML = {
    "cut off": ("<collection>\n", "2: the XML is cut off: the file ends inside an element"),
    "unknown root": ("<structure/>", "1: expected the root <collection>, found <structure>"),
    "unit": (
        "<collection unit='byte'>" + document("</element>") + "</collection>",
        "1: unit: expected 'character', found 'byte'",
    ),
    "no document": ("<collection/>", "1: no <document> in the whole structure"),
    "no id": (collection("<document/>", document("</element>")), "2: <document> lacks the attribute id"),
    "document twice": (
        collection(document("</element>"), document("</element>")),
        "4: document 'a' is described twice (first on line 2)",
    ),
    "no root": (collection("<document id='a'>\n\n</document>"), "2: document 'a' has no root element"),
    "two roots": (
        collection(document("</element>\n<element tag='y' start='0' length='0'/>")),
        "4: document 'a' has a second root element",
    ),
    "unexpected element": (collection(document("<p/></element>")), "3: unexpected <p> in <element>"),
    "no tag": (
        collection(document("\n<element start='0' length='0'/></element>")),
        "4: <element> lacks the attribute tag",
    ),
    "bad tag": (
        collection(document("<element tag='/' start='0' length='0'/></element>")),
        "3: tag: expected the name of an element, found '/'",
    ),
    "bad start": (
        collection(document("<element tag='y' start='-1' length='0'/></element>")),
        "3: start: expected an integer, 0 or more, found '-1'",
    ),
    "bad length": (
        collection(document("<element tag='y' start='0' length='nan'/></element>")),
        "3: length: expected an integer, 0 or more, found 'nan'",
    ),
    "overflow": (
        collection(document("<element tag='y' start='9223372036854775807' length='1'/></element>")),
        "3: start 9223372036854775807 and length 1 end past the largest offset, 1099511627776",
    ),
    "outside the parent": (
        collection(document("<element tag='y' start='5' length='5'/></element>")),
        "3: element '/x[1]/y[1]' from 5 to 10 is outside its parent '/x[1]' from 0 to 9",
    ),
    "link without target": (collection(document("</element><link path='/x'/>")), "3: <link> lacks the attribute to"),
    "link of a bad path": (
        collection(document("</element><link path='x' to='a'/>")),
        f"3: path: expected {PATH}, found 'x'",
    ),
    "link to a bad path": (
        collection(document("</element><link path='/x' to='a' to-path=''/>")),
        f"3: to-path: expected {PATH}, found ''",
    ),
    "link of an unknown element": (
        collection(document("</element><link path='/x/y' to='a'/>")),
        "3: path: document 'a' has no element '/x[1]/y[1]'",
    ),
    "link to an unknown document": (
        collection(document("</element><link path='/x' to='b'/>")),
        "3: to: the structure has no document 'b'",
    ),
    "link to an unknown element": (
        collection(document("</element><link path='/x' to='b' to-path='/y'/>"), document("</element>", "b")),
        "3: to-path: document 'b' has no element '/y[1]'",
    ),
    "bad probability": (
        collection(document("</element>" + LINK.format("1.1"))),
        "3: probability: expected a number from 0 to 1, found '1.1'",
    ),
    "some without probability": (
        collection(document("</element><link path='/x' to='a'/>\n" + LINK.format("1"))),
        "3: <link> lacks the probability that others have, as on line 4",
    ),
    "entity": (
        "<!DOCTYPE a [<!ENTITY x 'y'>]>" + collection(document("</element>")),
        f"1: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
}


@pytest.mark.parametrize(("text", "message"), [*BAD_LINES.values(), *BAD_XML.values()], ids=[*BAD_LINES, *BAD_XML])
def test_bad_input_is_named(write, problems_of, text, message):
    path = write(text)
    with pytest.raises(InputError) as error:
        read_structure(path)
    assert str(error.value) == f"{path}:{message}"
    assert problems_of(read_structure, path) == [message]


def test_numbers_are_checked_in_documents_that_nobody_wants(write):
    with pytest.raises(InputError, match="length: expected an integer"):
        read_structure(write(GOOD + "a\t/x/y\t0\tmany\n"), set())


@pytest.mark.parametrize("block", [1, 30, 1 << 18])
def test_a_bad_line_brings_no_more_problems_with_it(write, problems_of, monkeypatch, block):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    path = write("a\t/x\t0\t9\na\t/x/y\t0\t-9\na\t/x/y/z\t0\t1\nb\t/x\t0\nb\t/x/y\t0\t1\nc\t/x\t0\t2\n")
    assert problems_of(read_structure, path) == [
        "2: length: expected an integer, 0 or more, found '-9'",
        "4: expected 4 columns separated by tabs, found 3",
    ]
    read = read_structure(path, problems=lambda _: None)
    assert read.documents["c"].paths == ("/x[1]",)


def test_what_links_to_a_bad_element_is_not_reported(write, problems_of):
    links = "</element><link path='/x/y' to='a' to-path='/x/y/z'/>"
    bad = "<element tag='y' start='0'><element tag='z' start='0' length='0'/></element>"
    path = write(collection(document(bad + links)))
    assert problems_of(read_structure, path) == ["3: <element> lacks the attribute length"]


@pytest.mark.parametrize("deepest", [2048, 2049])
def test_structures_that_are_nested_deeply(tmp_path, deepest):
    path = tmp_path / "structure"
    path.write_text("".join("d\t" + "/a[1]" * depth + "\t0\t9\n" for depth in range(1, deepest + 1)))
    problems = []
    assert read_structure(str(path), problems=problems.append).elements == 2048
    wanted = [f"{path}:2049: elements are nested more than 2048 deep"] if deepest > 2048 else []
    assert [str(problem) for problem in problems] == wanted
