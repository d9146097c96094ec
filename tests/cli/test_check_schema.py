"""check --schema: users' own grammars for runs, assessments and documents."""

import gzip
import sys
from subprocess import run as execute

import pytest

from prum_eval import check
from prum_eval.cli.main import run as run_command_line
from tests.gold import ROOT, Output

RNG = """<element name="inex-submission" xmlns="http://relaxng.org/ns/structure/1.0">
<attribute name="participant-id"/>
<oneOrMore><element name="topic"><attribute name="topic-id"/><zeroOrMore><ref name="any"/></zeroOrMore>
</element></oneOrMore></element>"""
DOCUMENT_DTD = "<!ELEMENT page (title, p*)>\n<!ELEMENT title (#PCDATA)>\n<!ELEMENT p (#PCDATA)>"
ASSESSMENTS_DTD = "<!ELEMENT assessments (file*)>\n<!ELEMENT file ANY>\n<!ATTLIST file file CDATA #REQUIRED>"


@pytest.fixture
def run(capsys):
    """Run a command in this process and in the current folder."""

    def called(command):
        capsys.readouterr()
        status = run_command_line(command.split())
        return Output(status, *capsys.readouterr())

    return called


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.dtd").write_text(DOCUMENT_DTD, encoding="utf-8")
    (tmp_path / "good.xml").write_text("<page><title>T</title></page>", encoding="utf-8")
    (tmp_path / "bad.xml").write_text("<page>\n<title/>\n<q/></page>", encoding="utf-8")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 1 r\n", encoding="utf-8")
    return tmp_path


BAD = [
    "bad.xml:1: Element page content does not follow the DTD, expecting (title , p*), got (title q)",
    "bad.xml:3: No declaration for element q",
]


def test_documents_are_validated_though_they_are_no_runs(folder, run):
    assert run("check --schema page.dtd good.xml") == (0, "page.dtd: DTD, 1 of 1 file valid\n", "")
    output = run("check --schema page.dtd good.xml bad.xml")
    assert (output.status, output.out) == (1, "page.dtd: DTD, 1 of 2 files valid\n")
    assert output.err.splitlines() == [*BAD, "prum-eval: problems found: 2"]


def test_a_directory_stands_for_the_documents_in_it(folder, run):
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "deep" / "a.page").write_text("<page/>", encoding="utf-8")
    (folder / "docs" / "notes.txt").write_text("no XML", encoding="utf-8")
    output = run("check --schema page.dtd docs")
    assert output.err.splitlines()[0] == (
        "docs/deep/a.page:1: Element page content does not follow the DTD, expecting (title , p*), got nothing"
    )
    assert output.out == "page.dtd: DTD, 0 of 1 file valid\n"
    (folder / "empty").mkdir()
    assert run("check --schema page.dtd empty").err.splitlines()[0] == "empty: a directory without documents in XML"


def test_compressed_and_utf_16_and_standard_input(folder, run):
    text = (folder / "bad.xml").read_bytes()
    (folder / "bad.xml.gz").write_bytes(gzip.compress(text))
    (folder / "wide.xml").write_bytes(text.decode().encode("utf-16"))
    for name in ("bad.xml.gz", "wide.xml"):
        assert run(f"check --schema page.dtd {name}").err.splitlines()[0] == BAD[0].replace("bad.xml", name)
    command = [sys.executable, "-m", "prum_eval", "check", "--schema", "page.dtd", "-"]
    done = execute(command, input=text, capture_output=True, check=False, env={"PYTHONPATH": str(ROOT)})
    assert done.stderr.decode().splitlines()[0] == BAD[0].replace("bad.xml", "<stdin>")


def test_runs_and_assessments_are_validated_and_read(folder, run):
    demo = ROOT / "fixtures/demo"
    (folder / "a.dtd").write_text(ASSESSMENTS_DTD, encoding="utf-8")
    output = run(f"check --schema a.dtd --assessments {demo}/assessments run.txt {demo}/run-a.xml")
    assert output.out.splitlines() == [
        "run.txt: run r, 1 topic, 1 result, documents",
        "run.txt: judged topics missing from the run: 3 (101, 102, 103)",
        "run.txt: topics without assessments: 1 (1)",
        "run.txt: judged: 0 of 1 result (0 %)",
        f"{demo}/run-a.xml: run bm25-sections, 3 topics, 17 results, element paths",
        f"{demo}/run-a.xml: judged: 16 of 17 results (94 %)",
        f"{demo}/assessments: assessments of elements, 2005-2007, 3 topics, 8 judged documents",
        "a.dtd: DTD, 0 of 4 files valid",
    ]
    assert f"{demo}/run-a.xml:2: No declaration for element inex-submission" in output.err.splitlines()
    assert any(line.startswith(f"{demo}/assessments/topic-103.xml:") for line in output.err.splitlines())


def test_a_broken_schema_is_a_problem_and_the_inputs_are_checked_all_the_same(folder, run):
    (folder / "broken.rng").write_text(RNG, encoding="utf-8")
    output = run("check --schema broken.rng run.txt")
    assert (output.status, output.out) == (1, "run.txt: run r, 1 topic, 1 result, documents\n")
    assert output.err.splitlines()[0] == "broken.rng:3: the schema is broken: there is no definition of any"


def test_what_is_neither_xml_nor_a_run(folder, run):
    (folder / "text").write_text("some words\n", encoding="utf-8")
    output = run("check --schema page.dtd text nowhere.xml")
    assert output.err.splitlines() == [
        "text:1: the schema is for XML, which this is not",
        "nowhere.xml: cannot be read: No such file or directory",
        "prum-eval: problems found: 2",
    ]


def test_a_schema_alone_checks_nothing(folder, run):
    output = run("check --schema page.dtd")
    assert output.status == 2
    assert output.err.splitlines()[-1] == (
        "Error: nothing to check against the schema: give a RUN, other XML or --assessments"
    )


def test_from_python(folder):
    found = check("bad.xml", schema="page.dtd")
    assert [str(problem) for problem in found.problems] == BAD
    assert found.notes == ("page.dtd: DTD, 0 of 1 file valid",)
    assert check("good.xml", schema=folder / "page.dtd").ok
