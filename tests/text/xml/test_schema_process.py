"""Schemas and documents that make libxml2 compute, wait or grow without end; pipes and devices."""

import gzip
import os
import subprocess
import sys
import time

import pytest

from prum_eval import check
from prum_eval.errors import InputError
from prum_eval.text import schema_process
from prum_eval.text.schema_process import SchemaProcess
from prum_eval.text.streams import Content
from tests.bounded import run_bounded
from tests.gold import ROOT, run

ANY = "<!ELEMENT a ANY>\n<!ELEMENT b ANY>\n"
RNG = 'xmlns="http://relaxng.org/ns/structure/1.0"'
XSD = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a pipe that nobody writes."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "any.dtd").write_text(ANY)
    (tmp_path / "good.xml").write_text("<a/>")
    return tmp_path


def problems(*runs, schema):
    return list(map(str, check(list(runs), schema=schema).problems))


def test_a_pattern_that_backtracks(folder):
    pattern = '<xs:pattern value="(a|aa)*(a|aa)*(a|aa)*b"/>'
    (folder / "s.xsd").write_text(
        f'<xs:schema {XSD}><xs:element name="a"><xs:simpleType><xs:restriction base="xs:string">{pattern}'
        "</xs:restriction></xs:simpleType></xs:element></xs:schema>"
    )
    (folder / "a.xml").write_text(f"<a>{'a' * 3000}</a>")
    (folder / "b.xml").write_text("<a>ab</a>")
    reason = "the validator of the schema gives up: validating against a pattern facet"
    assert problems("a.xml", "b.xml", schema="s.xsd") == [f"a.xml: {reason}"]


@pytest.mark.slow
def test_nested_repetitions_end_at_the_limit_of_time(folder, monkeypatch):
    monkeypatch.setattr(schema_process, "CPU_SECONDS", 1)
    content = '<element name="b"><empty/></element>'
    for _ in range(12):
        content = f"<oneOrMore>{content}</oneOrMore>"
    (folder / "s.rng").write_text(f'<element name="a" {RNG}>{content}</element>')
    (folder / "slow.xml").write_text(f"<a>{'<b/>' * 30}<c/></a>")
    (folder / "b.xml").write_text("<a><b/></a>")
    result = check(["b.xml", "slow.xml", "b.xml"], schema="s.rng")
    reason = "validation against the schema takes more than 1 seconds of processor time"
    assert list(map(str, result.problems)) == [f"slow.xml: {reason}"]
    assert result.notes == ("s.rng: RELAX NG, 2 of 3 files valid",)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["<b/>", "text"])
def test_memory(folder, part):
    with gzip.open("big.xml.gz", "wb", compresslevel=1) as file:
        file.write(b"<a>")
        for _ in range(220):
            file.write(part.encode() * (1 << 18))
        file.write(b"</a>")
    assert (folder / "big.xml.gz").stat().st_size < 1_500_000
    files = [str(folder / name) for name in ("any.dtd", "big.xml.gz", "good.xml")]
    output = run_bounded(["check", "--schema", *files], 600)
    reason = "validation against the schema takes more than 512 MiB of memory"
    assert (output.status, output.out) == (1, f"{files[0]}: DTD, 1 of 2 files valid\n")
    assert output.err == f"{files[1]}: {reason}\nprum-eval: problems found: 1\n"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("s.dtd", f'{ANY}<!ENTITY % x SYSTEM "/dev/zero">\n%x;', 3),
        ("s.dtd", f"{ANY}<!ENTITY % x PUBLIC \"-//x\" 'pipe'>\n%x;", 3),
        ("s.rng", f'<grammar {RNG}>\n<include href="pipe"/></grammar>', 2),
        ("s.rng", f'<element name="a" {RNG}><externalRef href="./pipe"/></element>', 1),
        ("s.xsd", f'<xs:schema {XSD}><xs:include\nschemaLocation="pipe"/></xs:schema>', 2),
        ("s.xsd", f"<xs:schema {XSD}><xs:import schemaLocation = 'file:///dev/zero'/></xs:schema>", 1),
    ],
)
def test_a_schema_that_names_a_pipe_or_a_device(folder, name, text, line):
    (folder / name).write_text(text)
    special = next(special for special in ("/dev/zero", "./pipe", "pipe") if special in text)
    special = f"file://{special}" if "file:" in text else special
    reason = f"names '{special}', which is not a regular file"
    assert problems("good.xml", schema=name) == [f"{name}:{line}: {reason}"]
    (folder / "outer.rng").write_text(f'<grammar {RNG}>\n<include href="{name}"/></grammar>')
    assert problems("good.xml", schema="outer.rng") == [f"{name}:{line}: {reason}"]


@pytest.mark.slow
def test_a_pipe_that_no_search_finds_ends_at_the_limit_of_waiting(folder, monkeypatch):
    monkeypatch.setattr(schema_process, "WAIT_SECONDS", 2)
    (folder / "s.rng").write_text(f'<grammar {RNG} xml:base="{folder}/deep/">\n<include href="../pipe"/></grammar>')
    assert problems("good.xml", schema="s.rng") == ["s.rng: reading the schema takes more than 2 seconds"]


@pytest.mark.parametrize("schema", ["pipe", "/dev/zero"])
def test_a_schema_that_is_a_pipe_or_a_device(folder, schema):
    assert problems("good.xml", schema=schema) == [f"{schema}: cannot be read: it is no regular file"]


def test_a_pipe_in_a_folder_of_documents(folder):
    (folder / "documents").mkdir()
    os.mkfifo("documents/b.xml")
    (folder / "documents" / "a.xml").write_text("<a/>")
    result = check("documents", schema="any.dtd")
    assert list(map(str, result.problems)) == ["documents/b.xml: cannot be read: it is no regular file"]
    assert result.notes == ("any.dtd: DTD, 1 of 1 file valid",)


def test_a_pipe_in_a_folder_of_assessments(folder):
    (folder / "assessments").mkdir()
    os.mkfifo("assessments/b.xml")
    (folder / "assessments" / "c.xml").symlink_to("/dev/zero")
    demo = ROOT / "fixtures/demo"
    (folder / "assessments" / "a.xml").write_bytes((demo / "assessments/topic-101.xml").read_bytes())
    output = run(f"eval {folder}/assessments {demo}/run-a.xml")
    reason = "cannot be read: it is no regular file"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/assessments/b.xml: {reason}\n")
    output = run(f"check {folder}/assessments {demo}/run-a.xml")
    assert output.err.splitlines()[:2] == [f"{folder}/assessments/{name}.xml: {reason}" for name in "bc"]


def test_the_process_ends_with_its_owner(folder):
    code = (
        "import os, signal\n"
        "from prum_eval.text.schema_process import SchemaProcess\n"
        "print(SchemaProcess('any.dtd')._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    number = int(done.stdout)
    for _ in range(100):
        if not is_running(number):
            break
        time.sleep(0.1)
    assert not is_running(number)


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_modules_of_the_current_folder_are_not_imported(folder):
    (folder / "lxml.py").write_text("raise SystemExit(7)")
    (folder / "json.py").write_text("raise SystemExit(7)")
    assert problems("good.xml", schema="any.dtd") == []


def test_no_process_can_be_started(folder, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(folder / "none"))
    reason = "any.dtd: no process can be started to validate: No such file or directory"
    assert problems("good.xml", schema="any.dtd") == [reason]


def test_a_process_that_died_is_started_again(folder):
    schema = SchemaProcess("any.dtd")
    schema._process.kill()
    document = Content("d.xml", b"<a><b/></a>")
    with pytest.raises(InputError) as error:
        schema.violations(document)
    reason = "validation against the schema ended before its time, perhaps for lack of memory"
    assert str(error.value) == f"d.xml: {reason}"
    assert schema.violations(document) == []
    schema.close()
