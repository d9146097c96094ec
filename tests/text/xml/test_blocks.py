"""Lines of tags are those of another parser, whatever the document and however its bytes come."""

import io
import re
from xml.parsers import expat

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.text import xml as xml_blocks
from prum_eval.text.xml import TagLines, XmlBlocks, find_root, local_name, parse_whole_document

NAMES = ["t", "r", "ta", "p:t", "é"]
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\t\n ", "\r"])
TEXT = st.sampled_from(["", "x", "\n", "]]", "&lt;t>", "&#60;r ", "日\n本", "a > b", "\r\n"])
HIDDEN = st.sampled_from([
    "<!-- <t> -->", "<!--\n<r/>\n-->", "<!---->", "<![CDATA[<t>\n]]]>", "<![CDATA[]]>", "<?p <t>\n?>", "<?p?>",
    "<!--<![CDATA[-->", "<![CDATA[<!--]]>", "<?q <!-- ?>",
])  # fmt: skip
VALUES = st.sampled_from(["", "1", "a\nb", "&lt;t>", "/>", "-->", "]]>", "é"])
ATTRIBUTES = st.dictionaries(st.sampled_from(["x", "y", "p:z"]), VALUES, max_size=2)


def tag(children):
    def build(name, blanks, attributes, content):
        shown = "".join(f' {key}{blanks}={blanks}"{value}"' for key, value in attributes.items())
        return f"<{name}{blanks}{shown}>{''.join(content)}</{name}{blanks}>"

    return st.builds(build, st.sampled_from(NAMES), BLANKS, ATTRIBUTES, st.lists(children, max_size=4))


CONTENT = st.recursive(st.one_of(TEXT, HIDDEN, st.sampled_from(["<t/>", "<r\n/>"])), tag, max_leaves=12)
DOCUMENTS = st.builds(
    lambda head, root, content, tail: f"{head}<{root} xmlns:p='u'>{''.join(content)}</{root}>{tail}".encode(),
    st.sampled_from([
        "", "<?xml version='1.0'?>\n", "<!-- <t>\n-->", "<?xml version='1.0' encoding='UTF-8' standalone='no'?><?p\n?>",
        "<!DOCTYPE a [\n<!ELEMENT t ANY> <!-- ]> -->\n<!ATTLIST t\n new CDATA '>'>]>\n", "<!DOCTYPE t SYSTEM '<t >'>",
    ]),
    st.sampled_from(["a", "t", "p:a"]), st.lists(CONTENT, max_size=5), st.sampled_from(["", "\n", "<!-- <t/> -->\n"]),
)  # fmt: skip
DAMAGE = st.one_of(
    st.tuples(st.integers(0, 400), st.just(b"")),
    st.tuples(
        st.integers(0, 400),
        st.sampled_from([b"<", b">", b"&", b"&x;", b"\xff", b"\x01", b"</t>", b"]]>", b"<!-", b"\n"]),
    ),
)
SIZES = st.sampled_from([1, 2, 3, 7, 1 << 16])


class Slow(io.BytesIO):
    """Hands out few bytes at once."""

    def __init__(self, data, size):
        super().__init__(data)
        self.size = size

    def read(self, _=-1):
        return super().read(self.size)


def expats(data):
    """Names and lines of all start tags up to the first error, and the line of that, None where there is none."""
    found = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: found.append((name.rpartition(":")[2], parser.CurrentLineNumber))
    try:
        parser.Parse(data, True)  # noqa: FBT003 -- the parser's signature
    except expat.ExpatError as error:
        return found, error.lineno
    return found, None


def read(data, size=1 << 16, tags=("t", "r")):
    problems, found = [], []
    blocks = XmlBlocks(Slow(data, size), "d", problems.append, block="t", tags=tags)
    for number, (element, lines) in enumerate(blocks):
        if number == 0:
            elements = [element]
        else:
            elements = element.iter("*" if tags is None else [f"{{*}}{name}" for name in tags])
        found += zip(map(local_name, elements), lines.tolist(), strict=True)
    assert blocks.sound == (not problems)
    return found, blocks.line, [(problem.line, problem.reason) for problem in problems]


def plain(data):
    """With line feeds alone: a carriage return alone begins no line for the other parser."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


@settings(deadline=None)
@given(DOCUMENTS, SIZES, st.booleans())
def test_lines_of_tags(data, size, every):
    expected, failed = expats(plain(data))
    assert failed is None
    wanted = [one for number, one in enumerate(expected) if every or number == 0 or one[0] in {"t", "r"}]
    assert read(data, size, None if every else ("t", "r")) == (wanted, plain(data).count(b"\n") + 1, [])
    root, tags = parse_whole_document(data, "d", None)
    assert list(zip(map(local_name, root.iter("*")), tags.line.tolist(), strict=True)) == expected


@settings(deadline=None, max_examples=200)
@given(DOCUMENTS, DAMAGE, SIZES)
def test_lines_of_a_damaged_document(data, damage, size):
    place, more = damage
    data = data[:place] + more + (data[place + 1 :] if more else b"")
    assume(b"<p:" not in data or re.search(rb"<(?:a|t|p:a) xmlns:p='u'", data))  # else the prefix is part of the name
    expected, failed = expats(plain(data))
    found, _, problems = read(data, size)
    wanted = [one for number, one in enumerate(expected) if number == 0 or one[0] in {"t", "r"}]
    assert found[: len(wanted)] == wanted[: len(found)]
    assert failed is None or problems or b"<!ATTLIST" in data  # which is not read
    assert len(problems) <= 1


@settings(deadline=None)
@given(DOCUMENTS, st.integers(1, 400), SIZES)
def test_a_document_that_ends_early_is_cut_off_on_its_last_line(data, place, size):
    begin, _ = find_root(data)
    whole = plain(data)
    end = whole.rindex(b"</") + 2
    cut = whole[: max(begin + 1, end - place)]
    assert read(cut, size)[2] == [(cut.count(b"\n") + 1, "the XML is cut off: the file ends inside an element")]
    with pytest.raises(InputError, match="cut off"):
        parse_whole_document(cut, "d", None)


def test_blocks_before_an_error_are_handed_on():
    data = b"<a>\n<t/><r/>\n<t><r/>\n</t>\n<t><r/></a>"
    found, line, problems = read(data)
    assert found == [("a", 1), ("t", 2), ("r", 2), ("t", 3), ("r", 3)]
    assert (line, problems) == (
        5, [(5, "the XML is not well-formed: Opening and ending tag mismatch: t line 5 and a")],
    )  # fmt: skip


def test_a_large_document_is_never_in_memory_as_a_whole(monkeypatch):
    monkeypatch.setattr(xml_blocks, "_CHUNK", 1 << 10)
    most, data = 0, b"<a>" + b"<t><r>text</r></t>\n" * 10_000 + b"</a>"
    for element, _ in XmlBlocks(io.BytesIO(data), "d", pytest.fail, block="t", tags=("t",)):
        parent = element.getparent()
        most = max(most, len(parent) if parent is not None else 0)
    assert most < 200


def test_lines_beyond_what_the_parser_counts():
    lines = TagLines(("t",), 1)
    lines.feed(b"\n" * 70_000 + b"<t/>")
    assert lines.take().line.tolist() == [70_001]
    assert read(b"<a>" + b"\n" * 70_000 + b"<t/></b>")[2] == [
        (70_001, "the XML is not well-formed: Opening and ending tag mismatch: a line 1 and b")
    ]
