"""`spans`: files that are not text, and an index in place of its documents."""

from __future__ import annotations

import json

import pytest

from tests.gold import run

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    document = "<a><b>one two three</b><skip>hidden words</skip><c>four five six</c></a>"
    (tmp_path / "docs" / "x.xml").write_text(document, encoding="utf-8")
    (tmp_path / "quotes").write_text("1\tfour five\n", encoding="utf-8")
    return tmp_path


def test_files_that_are_not_text_are_skipped(folder):
    (folder / "docs" / "logo.png").write_bytes(PICTURE)
    (folder / "docs" / "scan.jpg").write_bytes(b"\xff\xd8\xff\xe0four five")
    (folder / "docs" / "notes").write_text("a file without ending: six seven", encoding="utf-8")
    (folder / "quotes").write_text("1\tfour five\n2\tsix seven\n", encoding="utf-8")
    output = run(f"spans {folder}/quotes {folder}/docs")
    assert output.status == 0
    assert [json.loads(line)["doc"] for line in output.out.splitlines()] == ["x", "notes"]
    assert output.err.splitlines()[0] == (
        "prum-eval: warning: 2 files that are not text are skipped: logo.png and scan.jpg"
    )


def test_a_text_that_is_no_utf_8_is_still_a_problem(folder):
    (folder / "docs" / "y.txt").write_bytes(b"gr\xfc\xdfe")
    output = run(f"spans {folder}/quotes {folder}/docs")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[0] == f"{folder}/docs/y.txt:1: the text is not UTF-8"


def test_an_index_stands_for_its_documents_as_it_reads_them(folder):
    (folder / "docs" / "y.txt").write_text("four five is not in the index", encoding="utf-8")
    assert run(f"index --without //skip -o {folder}/index {folder}/docs").status == 0
    (line,) = run(f"spans {folder}/quotes {folder}/index").out.splitlines()
    # without <skip>: 13 characters of <b>, 13 of <c>
    assert json.loads(line) == {"topic": "1", "doc": "x", "doc_length": 26, "spans": [[13, 22]]}
    (folder / "quotes").write_text("1\thidden words\n", encoding="utf-8")
    output = run(f"spans --threshold 100 {folder}/quotes {folder}/index")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[0] == f"{folder}/quotes:1: the quote is not in the texts"


def test_an_index_without_documents_is_refused(folder):
    structure = "fixtures/demo/structure.tsv"
    assert run(f"index -o {folder}/index {structure}").status == 0
    output = run(f"spans {folder}/quotes {folder}/index")
    reason = "an index of structure text has no texts: give the documents"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/index: {reason}\n")


def test_an_index_whose_documents_are_gone_is_refused(folder):
    assert run(f"index -o {folder}/index {folder}/docs").status == 0
    (folder / "docs").rename(folder / "moved")
    output = run(f"spans {folder}/quotes {folder}/index")
    reason = f"its documents, '{folder}/docs', are not there: give them instead"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/index: {reason}\n")
