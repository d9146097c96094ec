"""check --texts: lengths and offsets of runs and assessments against the texts."""

import json

import pytest

from prum_eval import check
from tests.gold import run

TEXTS = {"a": "äöü äöü", "b": "plain", "c": "é" * 20}  # 7, 5 and 20 characters; 13, 5 and 40 bytes


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
    lines = (json.dumps({"doc": name, "text": text}) for name, text in TEXTS.items())
    (tmp_path / "docs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def write(folder, name, *lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("source", ["docs", "docs.jsonl"])
def test_sound_inputs(folder, source):
    runs = write(folder, "run", "1 Q0 a 1 2 r 0 7", "1 Q0 b 2 1 r 4 1")
    judged = write(folder, "qrels", "1 Q0 a 3 7 0 0:3", "1 Q0 c 20 20 0 0:20")
    output = run(f"check --texts {folder}/{source} --assessments {judged} {runs}")
    assert (output.status, output.err) == (0, "")
    assert output.out.splitlines()[-1] == f"{folder}/{source}: 3 texts compared"


def test_results_that_end_past_the_end(folder):
    runs = write(folder, "run", "1 Q0 a 1 9 r 0 7", "1 Q0 b 2 8 r 3 3", "1 Q0 x 3 7 r 3 3", "1 Q0 c 4 6 r 15 30")
    output = run(f"check --texts {folder}/docs {runs}")
    assert output.status == 1
    assert output.err.splitlines() == [
        f"{runs}:2: offset 3, length 3 end past the end of document b, 5 characters long",
        f"{runs}:4: offset 15, length 30 end past the end of document c, 20 characters long",
        "prum-eval: problems found: 2",
    ]
    assert output.out.splitlines()[1:] == [
        f"{runs}: 2 results end past the end of their texts",
        f"{runs}: documents that {folder}/docs lacks: 1 (x)",
        f"{folder}/docs: 3 texts compared",
    ]


def test_offsets_of_bytes(folder):
    runs = write(folder, "run", "1 Q0 a 1 9 r 0 13", "1 Q0 b 2 8 r 0 5", "1 Q0 c 3 7 r 20 20")
    judged = write(folder, "qrels", "1 Q0 a 7 13 6 6:7", "1 Q0 b 5 5 0 0:5")
    output = run(f"check --texts {folder}/docs --assessments {judged} {runs}")
    bytes_ = "are these offsets of bytes? They have to count characters"
    assert set(output.err.splitlines()) == {
        f"{runs}: 2 results end past the end of their texts, but not counted in bytes of UTF-8: {bytes_}",
        f"{runs}:1: offset 0, length 13 end past the end of document a, 7 characters long",
        f"{runs}:3: offset 20, length 20 end past the end of document c, 20 characters long",
        f"{judged}: 1 length is that of the text in bytes of UTF-8: {bytes_}",
        f"{judged}:1: document a has 13 characters here, 7 in {folder}/docs",
        f"{judged}:1: passage 6:7 ends past the end of document a, 7 characters long in {folder}/docs",
        "prum-eval: problems found: 6",
    }


def test_runs_without_offsets_and_structures(folder):
    runs = write(folder, "run", "1 Q0 a 1 9 r /a[1]", "1 Q0 y 2 9 r /a[1]", "1 Q0 z 3 8 r /a[1]")
    tree = write(folder, "structure", "a\t/a[1]\t0\t7", "y\t/a[1]\t0\t5", "z\t/a[1]\t0\t5", "b\t/b[1]\t0\t9")
    output = run(f"check --texts {folder}/docs --structure {tree} {runs}")
    assert output.status == 0
    assert f"{runs}: documents that {folder}/docs lacks: 2 (y, z)" in output.out.splitlines()
    tree = write(folder, "structure", "a\t/a[1]\t0\t9", "y\t/a[1]\t0\t5", "z\t/a[1]\t0\t5")
    output = run(f"check --texts {folder}/docs --structure {tree} {runs}")
    assert output.err.splitlines()[0] == (
        f"{tree}: documents of another length than in {folder}/docs: 1 (a has 9 characters here, 7 there)"
    )


def test_an_index_says_how_characters_are_counted(folder):
    (folder / "pages").mkdir()
    (folder / "pages" / "d.xml").write_text("<a> b  c </a>", encoding="utf-8")
    runs = write(folder, "run", "1 Q0 d 1 9 r 0 6", "1 Q0 d 2 8 r 0 7")
    for raw, told in (("", [1, 2]), ("--raw", [2])):
        run(f"index {raw} {folder}/pages -o {folder}/index")
        found = check(runs, structure=folder / "index", texts=folder / "pages")
        assert [problem.line for problem in found.problems if problem.line] == told


def test_texts_that_cannot_be_read(folder):
    runs = write(folder, "run", "1 Q0 d 1 9 r 0 6", "1 Q0 b 2 8 r 0 9")
    (folder / "docs" / "d.xml").write_text("<a>", encoding="utf-8")
    output = run(f"check --texts {folder}/docs {runs}")
    assert output.err.splitlines()[0].startswith(f"{folder}/docs/d.xml:1: ")
    assert output.err.splitlines()[-2:] == [
        f"{runs}:2: offset 0, length 9 end past the end of document b, 5 characters long",
        "prum-eval: problems found: 2",
    ]
    assert run(f"check --texts {folder}/none {runs}").err.splitlines() == [
        f"{folder}/none: cannot be read: No such file or directory",
        "prum-eval: problems found: 1",
    ]


def test_a_run_that_cannot_be_read(folder):
    runs = write(folder, "run", "1 Q0 a 1 9 r 0 6")
    assert run(f"check --texts {folder}/docs {folder}/none {runs}").err.splitlines() == [
        f"{folder}/none: cannot be read: No such file or directory",
        "prum-eval: problems found: 1",
    ]


def test_texts_alone_check_nothing(folder):
    output = run(f"check --texts {folder}/docs")
    assert output.status == 2
    assert output.err.splitlines()[-1] == "Error: nothing to compare with the texts: give a RUN, --assessments or both"
