"""Values that once ended in tracebacks: encodings, long and unprintable texts, very large and very small numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.gold import ROOT, run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
LXML = "All strings must be XML compatible: Unicode or ASCII, no NULL bytes or control characters"
ASCII = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(
    "call", ["measures --show prum", f"sweep -m eprum_map --vary user_model=none,t2i {DEMO}", "measures eprum"]
)
def test_a_terminal_without_letters_gets_escapes(call):
    arguments = [sys.executable, "-m", "prum_eval", *call.split()]
    done = subprocess.run(arguments, cwd=ROOT, env=os.environ | ASCII, capture_output=True, check=False)
    assert (done.returncode, done.stdout.isascii()) == (0, True), done.stderr
    assert b"unforeseen" not in done.stderr


def test_a_run_whose_name_is_not_utf_8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")
    with open(path, "w") as file:  # noqa: PTH123 - as bytes
        file.write("1 Q0 a 1 0.5 r\n")
    (tmp_path / "q").write_text("1 0 a 1\n")
    calls = (
        ["eval", "-m", "map", f"{tmp_path}/q", path, "--output-dir", f"{tmp_path}/out"],
        ["eval", "-f", "jsonl", "-o", f"{tmp_path}/lines", "-m", "map", f"{tmp_path}/q", path],
        ["gold", "write", f"{tmp_path}/gold.json", f"{tmp_path}/q", path, "-m", "map"],
        ["gold", "check", f"{tmp_path}/gold.json"],
    )
    for call in calls:
        output = run(" ".join(call))
        assert output.status == 0, output.err
    assert "\\udcff" in (tmp_path / "lines").read_text()


def test_documents_in_a_folder_whose_name_is_not_utf_8(tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/h\xff")
    os.mkdir(folder)  # noqa: PTH102 - as bytes
    with open(f"{folder}/a.xml", "w") as file:  # noqa: PTH123 - as bytes
        file.write("<a>text</a>")
    for extra in ("", " --resume"):
        output = run(f"index {folder} --glob \udcff* --glob *.xml -o {tmp_path}/i.index{extra}")
        assert (output.status, output.err) == (0, f"prum-eval: {tmp_path}/i.index: 1 documents, 1 elements\n")
    assert f"source      {tmp_path}/h\\udcff\n" in run(f"index --info {tmp_path}/i.index").out


def test_an_encoding_that_decodes_no_page_counts_as_unknown(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.html").write_text('<html><head><meta charset="idna"></head><body><p>a</p></body></html>')
    assert run(f"index {tmp_path}/d -o {tmp_path}/i").status == 0
    message = "prum-eval: --encoding: 'idna' is an unknown encoding\n"
    assert run(f"index {tmp_path}/d -o {tmp_path}/j --encoding idna") == (2, "", message)


def test_a_list_of_topics_longer_than_a_path():
    topics = ",".join(["1"] * 3000)
    assert run(f"eval -m map fixtures/toy/qrels fixtures/toy/run --topics {topics}").status == 0


@pytest.mark.parametrize("value", ["1e308", "-1e301"])
def test_values_whose_sums_are_no_numbers(tmp_path, value):
    (tmp_path / "a").write_text(f"map\t1\t{value}\nmap\t2\t1\n")
    shown = float(value)
    message = f"{tmp_path}/a:1: value {shown} of map is beyond 1e+300, the largest that is compared\n"
    assert run(f"compare --values {tmp_path}/a fixtures/toy/run") == (1, "", message)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("//namespace::*", "the XPath expression '//namespace::*' does not select elements or attributes"),
        ("//a\x01", rf"'//a\x01' is not an XPath expression: {LXML}"),
    ],
)
def test_expressions_that_select_nothing_of_a_document(tmp_path, expression, reason):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.xml").write_text('<a xmlns:p="u"><p:b>t</p:b></a>')
    output = run(f"index {tmp_path}/d -o {tmp_path}/i --elements {expression}")
    assert (output.status, output.out, output.err.splitlines()[-1]) == (2, "", f"prum-eval: --elements: {reason}")


def test_a_name_that_no_file_can_have(tmp_path):
    name = "n" * 300
    output = run(f"simulate fixtures/toy/qrels -o {tmp_path}/out --name {name}")
    assert (output.status, output.out) == (1, "")
    assert output.err.endswith(": cannot be written: File name too long\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["compare", "power --trials 20", "correlate --trials 20 -m map -m P.5"])
def test_a_level_of_significance_that_nothing_reaches(command):
    output = run(f"{command} --alpha 1e-300 {DEMO} fixtures/demo/run-b.xml")
    assert output.status in {0, 2}, output.err
    assert "unforeseen" not in output.err


@pytest.mark.parametrize(
    "call",
    [
        "eval {name} fixtures/toy/run",
        "eval fixtures/toy/qrels {name}",
        "eval -s {name} fixtures/toy/qrels fixtures/toy/run",
        "eval --config {name}",
        "check {name}",
        "check --assessments fixtures/toy/qrels --texts {name} fixtures/toy/run",
        "index {name} -o {name}.index",
        "init {name}",
        "simulate {name} -o {name}",
    ],
)
def test_names_that_the_system_cannot_look_up(call):
    name = "a" * 300
    output = run(call.format(name=name))
    assert output.status == 1
    assert call.startswith("check") or not output.out
    assert output.err.splitlines()[0].startswith(f"{name}: "), output.err
