"""Inputs that are bad or do not fit together: exit status 1, one exact message, nothing on standard output."""

from __future__ import annotations

import re

import pytest

from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
A = "fixtures/demo/run-a.xml"
OFFSETS = "fixtures/demo/run-a.offsets.run"
KIND = "elements, 2005-2007"
REMEDY = "give --structure, or --merge document"
POSITIONS = "positions in the text"
STRUCTURE = "-s fixtures/demo/structure.tsv"
ELEMENTS = "fixtures/demo/assessments fixtures/demo/run-a.xml"
TEXT = "fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run"
TOY = "fixtures/toy/qrels fixtures/toy/run"


def refused(command):
    output = run(command)
    assert output.status == 1
    assert output.out == ""
    return output.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (f"-m prum_map {ELEMENTS}",
         "prum_map needs the number of elements of the collection: give --structure or --collection-size"),
        (f"-m prum {TOY}",
         "prum_map needs the number of elements of the collection: give --structure or --collection-size"),
        (f"-m prum_map --collection-size 7 {STRUCTURE} {ELEMENTS}",
         f"{A}: topic 101 has 7 results and 1 targets that are not among them, more than the collection's 7 elements"),
        ("fixtures/demo/assessments fixtures/toy/run",
         "fixtures/toy/run: no topic in common with fixtures/demo/assessments"),
        ("-c fixtures/demo/assessments fixtures/toy/run",
         "fixtures/toy/run: no topic in common with fixtures/demo/assessments"),
        ("fixtures/demo/judged.txt fixtures/demo/run-a.xml",
         "fixtures/demo/run-a.xml: the run gives element paths, the assessments are of passages: give --structure"),
        ("fixtures/toy/qrels fixtures/demo/run-a.xml",
         f"fixtures/demo/run-a.xml: the run gives element paths, the assessments are of documents: {REMEDY}"),
        ("fixtures/toy/qrels fixtures/demo/run-a.offsets.run",
         f"fixtures/demo/run-a.offsets.run: the run gives offsets, the assessments are of documents: {REMEDY}"),
        ("fixtures/demo/assessments fixtures/demo/run-a.offsets.run",
         f"{OFFSETS}: the run gives offsets, the assessments are of {KIND}: give --structure"),
        (f"-m map {TEXT}", "map needs judged documents or elements; fixtures/demo/judged.txt judges passages"),
        (f"-m P.5 {STRUCTURE} {TEXT}",
         "P needs judged documents or elements; fixtures/demo/judged.txt judges passages"),
        (f"-u hierarchical {TOY}",
         "user model hierarchical needs lengths, which assessments of documents do not give: give --structure"),
        (f"-u t2i {ELEMENTS}",
         f"user model t2i needs {POSITIONS}, which assessments of {KIND} do not give: give --structure"),
        (f"--targets bep {ELEMENTS}",
         f"user model bep-distance needs {POSITIONS}, which assessments of {KIND} do not give: give --structure"),
        (f"--targets passages -u none {ELEMENTS}",
         "targets of kind passages need --structure: XML assessments give no positions in the text"),
        (f"-u siblings {ELEMENTS}", "user model siblings needs all elements of a document: give --structure"),
        (f"-u graph {STRUCTURE} {ELEMENTS}",
         "user model graph needs a navigation file (--navigation) or a structure with links"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_fit_together(arguments, text):
    assert refused(f"eval {arguments}") == f"prum-eval: {text}\n"


def test_the_smallest_collection_that_is_large_enough():
    # Topic 101 has 7 results and one of its three targets is not among them.
    assert run(f"eval -m prum_map --collection-size 8 {STRUCTURE} {ELEMENTS}").status == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("missing fixtures/toy/run", "missing: cannot be read: No such file or directory"),
        ("fixtures/toy/qrels missing", "missing: cannot be read: No such file or directory"),
        (f"-s missing {TOY}", "missing: cannot be read: No such file or directory"),
        (f"-u graph --navigation missing {TOY}", "missing: cannot be read: No such file or directory"),
        (f"-s fixtures/toy/run {TOY}", "fixtures/toy/run: this is a run; expected a structure"),
        ("fixtures/toy/qrels fixtures/toy/qrels",
         "fixtures/toy/qrels: these are assessments; expected a run"),
        ("fixtures/toy fixtures/toy/run", "fixtures/toy: a directory without assessments (*.xml)"),
    ],
)  # fmt: skip
def test_inputs_that_cannot_be_read(arguments, reason):
    assert refused(f"eval {arguments}") == f"{reason}\n"


def without(tmp_path, pattern):
    """The demonstration's structure without the lines that match, as the option that gives it."""
    lines = (DEMO / "structure.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not re.search(pattern, line)]
    assert len(kept) < len(lines)
    (tmp_path / "structure.tsv").write_text("".join(kept), encoding="utf-8")
    return f"-s {tmp_path}/structure.tsv"


JUDGED = "fixtures/demo/assessments/topic-101.xml"


@pytest.mark.parametrize(
    ("pattern", "options", "reason"),
    [
        (r"^harbours\t", "", f"{JUDGED}:25: document harbours is not in the structure"),
        (r"^tides\t.*section\[2\]/p\[1\]", "",
         f"{JUDGED}:17: element /article[1]/body[1]/section[2]/p[1] of document tides is not in the structure"),
        (r"^tides\t.*section\[1\]/p\[1\]", "--targets bep",
         f"{JUDGED}:8: /article[1]/body[1]/section[1]/p[1] is not in the structure of document tides"),
        (r"^tides\t.*section\[1\]/p\[2\]", "--targets passages",
         f"{JUDGED}:9: /article[1]/body[1]/section[1]/p[2] is not in the structure of document tides"),
        (r"^tides\t", "--targets bep", f"{JUDGED}:8: document tides is not in the structure"),
    ],
)  # fmt: skip
def test_structure_that_lacks_what_was_judged(tmp_path, pattern, options, reason):
    assert refused(f"eval -m eprum_map {options} {without(tmp_path, pattern)} {ELEMENTS}") == f"{reason}\n"


@pytest.mark.parametrize(
    ("pointer", "reason"),
    [
        ("/article[1]/body[1]/section[1]/p[1]/text()[2].0",
         "the element has 1 stretches of text in the structure"),
        ("/article[1]/body[1]/section[1]/p[1]/text()[1].413",
         "that stretch of text has 412 characters in the structure"),
    ],
)  # fmt: skip
def test_pointer_that_the_structure_lacks(tmp_path, pointer, reason):
    text = (ROOT / JUDGED).read_text(encoding="utf-8")
    changed = text.replace('<best-entry-point path="/article[1]/body[1]/section[1]/p[1]"',
                           f'<best-entry-point path="{pointer}"')  # fmt: skip
    (tmp_path / "topic.xml").write_text(changed, encoding="utf-8")
    command = f"eval -m eprum_map --targets bep {STRUCTURE} {tmp_path}/topic.xml fixtures/demo/run-a.xml"
    assert refused(command) == f"{tmp_path}/topic.xml:8: {pointer}: {reason}\n"


def test_document_of_flat_assessments_that_the_structure_lacks():
    assert refused(f"eval {STRUCTURE} {TOY}") == "fixtures/toy/qrels:2: document moon is not in the structure\n"


def test_offsets_that_are_no_element(tmp_path):
    (tmp_path / "run").write_text("101 Q0 kites 1 2 r 0 466\n101 Q0 tides 2 1 r 25 400\n", encoding="utf-8")
    command = f"{STRUCTURE} fixtures/demo/assessments {tmp_path}/run"
    reason = "offset 25, length 400 of document tides is no element; map counts elements"
    assert refused(f"eval -m map {command}") == f"{tmp_path}/run:2: {reason}\n"
    assert run(f"eval -m eprum_map {command}").status == 0


@pytest.mark.parametrize(("first", "last"), [(3, 1), (2, 1)])  # apart, and one beside the other
def test_range_that_ends_before_it_begins(tmp_path, first, last):
    pair = [f"/article[1]/body[1]/section[{number}]" for number in (first, last)]
    (tmp_path / "run").write_text(f"101 Q0 tides 1 1 r {' '.join(pair)}\n", encoding="utf-8")
    reason = f"the range {' to '.join(pair)} ends before it begins"
    assert refused(f"eval {STRUCTURE} fixtures/demo/assessments {tmp_path}/run") == f"{tmp_path}/run:1: {reason}\n"


def test_steps_that_sum_to_more_than_one(tmp_path):
    (tmp_path / "steps").write_text("a\tb\t.6\nc\td\t1\na\td\t.5\n", encoding="utf-8")
    command = f"eval -u graph --navigation {tmp_path}/steps --navigation-kind"
    reason = "the steps out of a have probability 1.1 in total, above 1"
    assert refused(f"{command} step {TOY}") == f"{tmp_path}/steps:3: {reason}\n"
    assert run(f"{command} reach {TOY}").status == 0


def test_bad_line_of_the_second_run(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 r\n1 Q0 a 2 0.4 r\n", encoding="utf-8")
    reason = "document 'a' is listed twice in topic '1' (first on line 1)"
    output = run(f"eval {TOY} {tmp_path}/run")
    assert (output.status, output.out) == (1, run(f"eval {TOY}").out)  # the first completes
    assert output.err.splitlines()[-1] == f"{tmp_path}/run:2: {reason}"
