"""Schemas and documents: the name of a schema, its text, a line of two dashes, and the text of a document.

Each is read in a process of its own, as by ``check --schema``, but in a copy of this process, which is faster.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import traceback
from pathlib import Path

from prum_eval.text import schema_process
from prum_eval.text.streams import Content
from tests.gold import ROOT

SECONDS = 1
"""That reading a schema, or validating a document, may take before the process is ended."""
RNG = b'xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"'
XSD = b'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
DOCUMENT = b'\n--\n<a k="1"><b>text</b><b xml:id="x"/><c/>\n</a>\n'
SEEDS = [
    b"s.rng\n<grammar " + RNG + b'><start><ref name="a"/></start>\n<define name="a"><element name="a"><optional>'
    b'<attribute name="k"><data type="integer"><param name="minInclusive">0</param></data></attribute></optional>'
    b'<oneOrMore><choice><element name="b"><mixed><zeroOrMore><ref name="a"/></zeroOrMore></mixed></element>'
    b'<element><anyName/><text/></element></choice></oneOrMore></element></define></grammar>' + DOCUMENT,
    b"s.xsd\n<xs:schema " + XSD + b'>\n<xs:element name="a"><xs:complexType><xs:sequence maxOccurs="unbounded">'
    b'<xs:element name="b" minOccurs="0" type="t"/><xs:any processContents="lax" minOccurs="0"/></xs:sequence>'
    b'<xs:attribute name="k" type="xs:ID"/></xs:complexType></xs:element><xs:simpleType name="t"><xs:restriction '
    b'base="xs:string"><xs:pattern value="(a|aa)*b{2,30}"/></xs:restriction></xs:simpleType></xs:schema>' + DOCUMENT,
    b"s.dtd\n<!ENTITY % x SYSTEM 'other.dtd'> <!ENTITY % y '(b | c)*'>\n<!ELEMENT a %y;><!ELEMENT b (#PCDATA|a)*>"
    b"<!ATTLIST a k (1|2) '1' xml:id ID #IMPLIED>\n<!ELEMENT c EMPTY>" + DOCUMENT,
    b"s.rng\n<grammar " + RNG + b'><include href="other.rng"><start><ref name="a"/></start></include></grammar>'
    + DOCUMENT,
    b"s.xsd\n<xs:schema " + XSD + b"><xs:include schemaLocation='other.xsd'/><xs:import namespace='u'/></xs:schema>"
    + DOCUMENT,
]  # fmt: skip
OTHER = {
    "other.rng": b"<grammar " + RNG + b'><define name="a"><element name="a"><text/></element></define></grammar>',
    "other.xsd": b"<xs:schema " + XSD + b'><xs:element name="a"/></xs:schema>',
    "other.dtd": b"<!ELEMENT d ANY>",
}
WORDS = [
    *b"<oneOrMore> </oneOrMore> <zeroOrMore> </zeroOrMore> <interleave> </interleave> <choice> <empty/>".split(),
    *b"<notAllowed/> <anyName/> <text/> <mixed> <list> name='a' name='b' href='pipe' href='s.rng' ns='u'".split(),
    *b"schemaLocation='pipe' schemaLocation='s.xsd' type='xs:IDREF' type='t' base='t' maxOccurs='99999'".split(),
    *b"minOccurs='9' SYSTEM 'pipe' '/dev/zero' <!ELEMENT %x; %y; (a,b)+ (a?)* ANY <!ENTITY <![INCLUDE[".split(),
    *b"<a> </a> <b> </b> <c/> <a/> &e; xml:id='x' k='2' s.rng s.xsd s.dtd value='(a*)*b' xml:base='/'".split(),
    b"\n--\n", b"<oneOrMore>" * 12, b"</oneOrMore>" * 12, b"<b/>" * 40, b"a" * 400, b"<a>" * 300, b"\xff", b"\0", b"\n",
]  # fmt: skip


def read(data: bytes) -> None:
    """Read a schema and validate a document; all that may happen is an answer, or the end at a limit."""
    head, _, document = data.partition(b"\n--\n")
    name, _, schema = head.partition(b"\n")
    ending = name[-4:].decode(errors="replace") if name[-4:] in {b".rng", b".xsd", b".dtd"} else ""
    with tempfile.TemporaryDirectory() as folder:
        for other, content in OTHER.items():
            Path(folder, other).write_bytes(content)
        os.mkfifo(Path(folder, "pipe"))
        path = Path(folder, f"s{ending}")
        path.write_bytes(schema)
        answers, status = _answers(str(path), document)
    assert "traceback" not in answers, answers["traceback"]
    limits = {signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL}
    assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) in limits, signal.Signals(os.WTERMSIG(status))
    for _, _, reason in [*answers.get("problems", []), *filter(None, [answers.get("error")])]:
        assert "\n" not in reason, reason


def _answers(path: str, document: bytes) -> tuple[dict[str, list[list[str]]], int]:
    """The last answer of the process (empty if it was ended), and how it ended."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(reading)
            answer: object = _serve(path, document)
        except BaseException:  # noqa: BLE001 - whatever it is
            answer = {"traceback": traceback.format_exc()}
        with os.fdopen(writing, "w") as file:
            json.dump(answer, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    _, status = os.waitpid(process, 0)
    return json.loads(text) if text else {}, status


def _serve(path: str, document: bytes) -> object:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    schema_process._bound_memory(schema_process.MEMORY_BYTES)
    schema_process._bound_time(SECONDS, SECONDS)
    schema = schema_process._Schema()
    answer = schema.answer(path, None)
    if "kind" in answer:
        schema_process._bound_time(SECONDS, SECONDS)
        answer = schema.answer("d.xml", Content("d.xml", document))
    return answer


def seeds() -> list[bytes]:
    """Schemas of each kind, alone and with others, each with a document."""
    bogus = (ROOT / "fixtures" / "demo" / "run-a.xml").read_bytes()[:2000]
    return [*SEEDS, SEEDS[0].partition(b"\n--\n")[0] + b"\n--\n" + bogus]
