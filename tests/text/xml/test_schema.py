"""Schemas: every violation, with the line on which expat sees the element begin; what is no schema, with its line."""

from xml.parsers import expat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY
from prum_eval.text.xml_schema import read_schema

RNG = """<grammar xmlns="http://relaxng.org/ns/structure/1.0"
 datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes" ns="{ns}">
<start><ref name="any"/></start>
<define name="any"><choice>
<element name="a"><ref name="inside"/></element><element name="b"><ref name="inside"/></element>
</choice></define>
<define name="inside"><optional><attribute name="k" ns=""><data type="integer"/></attribute></optional>
<mixed><zeroOrMore><ref name="any"/></zeroOrMore></mixed></define>
</grammar>"""
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified" {target}>
<xs:element name="a" type="inside"/><xs:element name="b" type="inside"/>
<xs:complexType name="inside" mixed="true"><xs:choice minOccurs="0" maxOccurs="unbounded">
<xs:element ref="a"/><xs:element ref="b"/></xs:choice>
<xs:attribute name="k" type="xs:integer"/></xs:complexType>
</xs:schema>"""
DTD = "<!ELEMENT a (#PCDATA|a|b)*><!ELEMENT b (#PCDATA|a|b)*><!ATTLIST a k (1) #IMPLIED><!ATTLIST b k (1) #IMPLIED>"
TARGET = 'xmlns="urn:u" targetNamespace="urn:u"'
BETWEEN = ["", "\n", "\r\n", " t ", "<!-- <a>\n -->", "<?p <a k='no'>\n?>", "<![CDATA[\n<a k='no'>]]>", "&#10;"]


def schema(tmp_path, text, ending):
    path = tmp_path / f"schema{ending}"
    path.write_text(text, encoding="utf-8")
    return read_schema(str(path))


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    """Schemas by whether their elements are in a namespace."""
    folder = tmp_path_factory.mktemp("schemas")
    return {
        False: [
            schema(folder, RNG.format(ns=""), ".rng"),
            schema(folder, XSD.format(target=""), ".xsd"),
            schema(folder, DTD, ".dtd"),
        ],
        True: [schema(folder, RNG.format(ns="urn:u"), "2.rng"), schema(folder, XSD.format(target=TARGET), "2.xsd")],
    }


@st.composite
def documents(draw, prefix=""):
    """A document of elements a and b, some with a bad attribute, on any lines."""

    def element(depth, more=""):
        tag = prefix + draw(st.sampled_from("ab"))
        attribute = draw(st.sampled_from(["", "\n", " k='1'", "\nk='no'", ' k="no"\n']))
        inside = draw(st.lists(st.sampled_from(BETWEEN) | st.none(), max_size=5 if depth < 3 else 0))
        text = "".join(element(depth + 1) if one is None else one for one in inside)
        return f"<{tag}{more}{attribute}>{text}</{tag}\n>" if text else f"<{tag}{more}{attribute}/>"

    name = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    root = element(0, f' {name}="urn:u"' if draw(st.booleans()) or prefix else "")
    head = draw(st.sampled_from(["", "<?xml version='1.0'?>\n", "<!-- <a> -->\n<!DOCTYPE a [\n<!ELEMENT a ANY>\n]>\n"]))
    return (head + root).encode()


def lines_of_bad(data):
    found = []
    parser = expat.ParserCreate()

    def begin(_tag, attributes):
        if attributes.get("k") == "no":
            found.append(parser.CurrentLineNumber)

    parser.StartElementHandler = begin
    parser.Parse(data, True)  # noqa: FBT003
    return found


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["", "p:", "ns0:"]).flatmap(documents))
def test_lines_are_those_of_expat(schemas, data):
    for one in schemas[b"urn:u" in data]:
        found = list(one.violations(data, "d.xml"))
        assert sorted({problem.line for problem in found}) == sorted(set(lines_of_bad(data))), one.kind
        assert len(found) >= len(lines_of_bad(data))


@pytest.mark.slow
def test_lines_are_exact_where_those_of_the_tree_end(schemas, tmp_path):
    data = b"<a>" + b"\n<b/>" * 70_000 + b"\n<b\n k='no'/>\n<b k='no'/>" + b"\n" * 70_000 + b"<a k='no'/></a>"
    for one in schemas[False][1:]:
        assert [problem.line for problem in one.violations(data, "d.xml")] == [70_002, 70_004, 140_004]
    ranks = b"\n<rank>1</rank>" * 70_000 + b"<rank>x</rank>" + b"\n<rank>1</rank>" * 70_000 + b"\n<rank>y</rank>"
    found = schema(tmp_path, RUN, ".rng").violations(b"<run><head/><topic id='1'>" + ranks + b"</topic></run>", "d.xml")
    assert [problem.line for problem in found] == [70_001, 140_002]


RUN = """<element name="run" xmlns="http://relaxng.org/ns/structure/1.0"
 datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<element name="head"><text/></element>
<oneOrMore><element name="topic"><attribute name="id"/>
<zeroOrMore><element name="rank"><data type="integer"/></element></zeroOrMore>
<optional><element name="end"><empty/></element></optional>
</element></oneOrMore></element>"""


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("<run>\n<head/>\n<topic id='1'/></run>", []),
        (
            "<run>\n<head/>\n<topic><rank>1</rank></topic>\n<topic id='1'><rank>\nx</rank></topic></run>",
            ["d.xml:3: Element topic failed to validate attributes",
             "d.xml:4: Type integer doesn't allow value ' x'"],
        ),
        (  # behind what is not expected the rest is looked at, too
            "<run><head/>\n<nose/>\n<topic id='1'><rank>x</rank>\n<leg/><rank>2</rank></topic>\n<topic/></run>",
            ["d.xml:2: Did not expect element nose there",
             "d.xml:3: Type integer doesn't allow value 'x'",
             "d.xml:4: Did not expect element leg there",
             "d.xml:5: Element topic failed to validate attributes"],
        ),
        (  # in the place of the head: what follows from that is not told
            "<run>\n<haed/>\n<topic id='1'/></run>", ["d.xml:2: Did not expect element haed there"]
        ),
        ("<run>\n<head/></run>", ["d.xml:1: Element run ends where more elements are expected"]),
        ("<run>\n<head/><topic id='1'>\ntext</topic></run>",
         ["d.xml:2: Did not expect text in element topic content"]),
        ("\n<fun/>", ["d.xml:2: Expecting element run, got fun"]),
        ("<!DOCTYPE run SYSTEM 'x'>\n<run><head>&nbsp;</head><topic id='1'/></run>", []),
    ],
)  # fmt: skip
def test_every_violation_is_told_once(tmp_path, document, told):
    found = schema(tmp_path, RUN, ".rng").violations(document.encode(), "d.xml")
    assert [str(problem) for problem in found] == told


def test_documents_are_read_as_safely_as_elsewhere(schemas):
    bomb = b"<!DOCTYPE a [\n<!ENTITY x 'y'>]><a>&x;</a>"
    for one in schemas[False]:
        with pytest.raises(InputError) as error:
            list(one.violations(bomb, "d.xml"))
        assert str(error.value) == f"d.xml:2: declaration of the entity 'x': entity declarations are refused{REMEDY}"


GRAMMAR = '<grammar xmlns="http://relaxng.org/ns/structure/1.0">\n{}</grammar>'
SCHEMA = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n{}</xs:schema>'
BROKEN = "the schema is broken: "
NO_TYPE = "element decl. 'r', attribute 'type': The QName value 'nix' does not resolve to a(n) type definition"
COMPACT = "the compact syntax of RELAX NG is not read: give the same schema in XML (.rng), as trang makes it"
KINDS = "expected a schema: RELAX NG in XML (.rng), XML Schema (.xsd) or a DTD (.dtd)"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("s.rng", GRAMMAR.format('<start><ref name="nix"/></start>'),
         "s.rng:2: the schema is broken: Reference nix has no matching definition"),
        ("s.rng", GRAMMAR.format('<include href="part.rng"/>'),
         "part.rng:2: the schema is broken: Attribute name is not allowed on elemnt"),
        ("s.rng", GRAMMAR.format('<include href="http://127.0.0.1:9/x.rng"/>'),
         "s.rng:2: the schema is broken: xmlRelaxNG: could not load http://127.0.0.1:9/x.rng"),
        ("s.rng", "<element\n>", "s.rng:2: the schema is broken: Premature end of data in tag element line 1"),
        ("s.rng", SCHEMA.format('<xs:element name="a"/>'), "s.rng:1: expected a schema in RELAX NG"),
        ("s.xsd", SCHEMA.format('<xs:element name="r" type="nix"/>'),
         f"s.xsd:2: {BROKEN}{NO_TYPE}"),
        ("s.dtd", "<!ELEMENT a (b*)>\n<!ELEMENT b (c", f"s.dtd:2: {BROKEN}" + "ContentDecl : ',' '|' or ')' expected"),
        ("s.dtd", '<!ENTITY % x SYSTEM "nix.dtd">\n%x;\n<!ELEMENT a ANY>',
         's.dtd:2: the schema is broken: failed to load "nix.dtd": No such file or directory'),
        ("s.dtd", "", "s.dtd:1: the schema is broken: it declares no element"),
        ("s.rnc", "start = element a { empty }", f"s.rnc: {COMPACT}"),
        ("s.txt", "a b c", f"s.txt:1: {KINDS}"),
        ("s.xml", "\n<a/>", f"s.xml:2: {KINDS}"),
    ],
)  # fmt: skip
def test_what_is_no_schema(tmp_path, monkeypatch, name, text, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "part.rng").write_text(GRAMMAR.format('<define name="a"><elemnt name="b"/></define>'), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_schema(name)
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("s.xml", RUN, "RELAX NG"),
        ("s", SCHEMA.format('<xs:element name="a"/>'), "XML Schema"),
        ("s", "<!ELEMENT a ANY>", "DTD"),
        ("s.dtd", '<!ENTITY % x SYSTEM "part.mod">\n%x;', "DTD"),
        ("s.rng", "<!DOCTYPE x [<!ENTITY n 'a'>]>" + GRAMMAR.format(
            '<start><element name="&n;"><empty/></element></start>'), "RELAX NG"),
    ],
)  # fmt: skip
def test_the_kind_is_that_of_the_ending_else_of_the_root(tmp_path, monkeypatch, name, text, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "part.mod").write_text("<!ELEMENT a ANY>", encoding="utf-8")
    assert read_schema(name).kind == kind


WIDE_RNG = """<element name="r" xmlns="http://relaxng.org/ns/structure/1.0"
 datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<zeroOrMore><element name="x"><attribute name="k"><data type="integer"/></attribute></element></zeroOrMore>
<element name="end"><empty/></element></element>"""
WIDE_XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"><xs:complexType><xs:sequence>
<xs:element name="x" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="k" type="xs:integer"
 use="required"/></xs:complexType></xs:element><xs:element name="end"/></xs:sequence></xs:complexType></xs:element>
</xs:schema>"""
WIDE_DTD = "<!ELEMENT r (x*, end)><!ELEMENT x EMPTY><!ELEMENT end EMPTY><!ATTLIST x k CDATA #REQUIRED>"
MORE = "d.xml: there may be more violations of the schema: mend these first"


@pytest.mark.parametrize(("text", "ending"), [(WIDE_RNG, ".rng"), (WIDE_XSD, ".xsd"), (WIDE_DTD, ".dtd")])
def test_very_many_violations_among_siblings_take_no_minutes(tmp_path, text, ending):
    """Libxml2 counts siblings for each: all of 40,000 take six minutes."""
    one = schema(tmp_path, text, ending)

    def told(*parts):
        return list(one.violations("\n".join(["<r>", *parts, "</r>"]).encode(), "d.xml"))

    good, bad = "<x k='1'/>", "<x/>"
    found = told(*[good] * 3000, *[bad] * 40_000, "<end/>")
    assert str(found[-1]) == MORE
    assert [problem.line for problem in found[:-1]] == list(range(3002, 3002 + len(found) - 1))
    assert len(found) > 300
    assert told(*[good] * 5000, "<end/>") == []
    assert [problem.line for problem in told(*[good] * 4999, bad, "<end/>")] == [5001]
    assert len(told(*[good] * 5000)) == 1  # the end is missing
