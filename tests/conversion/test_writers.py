"""Reading what was written gives the same records, for all that a form holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.formats.assessments_json import write_qrels_json
from prum_eval.formats.assessments_text import write_qrels_inex, write_qrels_trec
from prum_eval.formats.reading import read_assessments, read_run, read_structure
from prum_eval.formats.run_json import write_run_json
from prum_eval.formats.run_lines import write_run_offsets, write_run_paths, write_run_ranges, write_run_trec
from prum_eval.formats.run_xml import write_run_xml
from prum_eval.formats.structure_text import write_structure_text
from prum_eval.formats.structure_xml import write_structure_xml
from prum_eval.records import AssessmentKind, RunKind
from tests.conversion.records import (
    COLUMN,
    FIRST_COLUMN,
    NUMBERS,
    PATHS,
    SCORES,
    TAB_COLUMN,
    TEXT,
    XML_TEXT,
    graded_of,
    judged_of,
    passages_rows,
    reading,
    results_of,
    run_of,
    runs,
    structure_rows,
    structures,
)

NAN = float("nan")


def by_score(rows):
    return sorted(rows, key=lambda row: -row[-1])


def by_trec(rows):
    return sorted(rows, key=lambda row: (row[-1], row[0].encode()), reverse=True)


def element(path, score):
    return ("d", path, path, -1, -1, True, score)


TREC = st.builds(lambda name, score: (name, "", "", -1, -1, True, score), COLUMN, SCORES)
PATH = st.builds(lambda name, path, score: (name, path, path, -1, -1, True, score), COLUMN, PATHS, SCORES)
RANGE = st.builds(
    lambda name, first, last, score: (name, first, last, -1, -1, True, score), COLUMN, PATHS, PATHS, SCORES
)
GONE = st.builds(lambda name, score: (name, "", "", -1, -1, False, score), COLUMN, SCORES)
EXTENT = st.builds(
    lambda name, start, size, score: (name, "", "", start, size, True, score), COLUMN, NUMBERS, NUMBERS, SCORES
)
BEFORE = EXTENT.map(lambda row: (*row[:3], -2 - row[3], *row[4:]))
XML = st.builds(
    lambda name, path, score: (name, path, path, -1, -1, True, score), XML_TEXT, PATHS, SCORES | st.just(NAN)
)
CHUNK = st.builds(
    lambda name, start, size, score: (name, "", "", start, size, True, score), TEXT, NUMBERS, NUMBERS, SCORES
)
ELEMENTS = {"unique_by": lambda row: row[:3] if row[5] else object()}

FORMS = {
    "trec": (write_run_trec, runs(RunKind.FLAT, TREC, unique_by=lambda row: row[0], order=by_trec)),
    "paths": (write_run_paths, runs(RunKind.ELEMENTS, PATH | GONE, **ELEMENTS)),
    "ranges": (write_run_ranges, runs(RunKind.ELEMENTS, PATH | RANGE, **ELEMENTS)),
    "offsets": (write_run_offsets, runs(RunKind.EXTENTS, EXTENT | BEFORE | GONE)),
    "xml": (write_run_xml, runs(RunKind.ELEMENTS, XML, XML_TEXT, XML_TEXT, **ELEMENTS)),
    "jsonl": (write_run_json, runs(RunKind.EXTENTS, CHUNK, TEXT, TEXT, order=by_score)),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None)
@given(data=st.data())
def test_runs(form, data):
    write, strategy = FORMS[form]
    run = data.draw(strategy)
    again = reading(read_run, write(run))
    assert repr(results_of(again)) == repr(results_of(run))  # not a number is itself here
    assert (again.kind, again.run_id) == (run.kind, run.run_id)
    assert write(again) == write(run)


def test_chunks_without_scores():
    run = run_of(RunKind.EXTENTS, {"1": [("a", "", "", 3, 4, True, NAN)], "2": [("b", "", "", 0, 0, True, NAN)]}, "r")
    assert write_run_json(run).decode().splitlines() == [
        '{"topic": "1", "doc": "a", "start": 3, "end": 7, "run": "r"}',
        '{"topic": "2", "doc": "b", "start": 0, "end": 0, "run": "r"}',
    ]


def test_a_run_of_ranges_as_bytes():
    results = {"1": [("a", "/x[1]", "/x[2]", -1, -1, True, 0.5), ("b", "", "", -1, -1, False, 0.25)]}
    run = run_of(RunKind.ELEMENTS, results, "r")
    assert write_run_ranges(run) == b"1 Q0 a 1 0.5 r /x[1] /x[2]\n1 Q0 b 2 0.25 r X X\n"
    assert results_of(reading(read_run, write_run_ranges(run))) == results


SUBMISSION = (
    b"<inex-submission run-id='a &amp; b' task='Focused'><topic topic-id='1'>"
    b"<result><file>d</file><path>/x</path></result></topic></inex-submission>"
)


def test_a_run_as_xml_keeps_its_task():
    xml = write_run_xml(reading(read_run, SUBMISSION))
    assert xml.decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission run-id="a &amp; b" task="Focused">\n'
        '  <topic topic-id="1">\n    <result><file>d</file><path>/x[1]</path><rank>1</rank></result>\n'
        "  </topic>\n</inex-submission>\n"
    )
    assert reading(read_run, xml).task == "Focused"


@st.composite
def spans(draw, apart):
    """Length of a document and passages (start, length) in it; `apart`: they do not overlap and are in the document."""
    length = draw(st.integers(0, 50))
    if not apart:
        return length, draw(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3))
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=6, unique=True)))
    found = [(low, high - low) for low, high in zip(cuts[::2], cuts[1::2], strict=False)]
    return length, draw(st.permutations(found))


@st.composite
def judgements(draw, names, apart):
    length, passages = draw(spans(apart))
    relevant = sum(size for _, size in passages) if apart else draw(st.integers(0, length))
    bep = draw(st.integers(-1, length if apart else 99)) if passages else -1
    return draw(names), relevant, length, bep, passages


def topics(row, names):
    listed = st.lists(row, min_size=1, max_size=3, unique_by=lambda one: one[0])
    return st.dictionaries(names, listed, min_size=1, max_size=3)


JUDGED = {
    "text": (write_qrels_inex, topics(judgements(COLUMN, apart=False), FIRST_COLUMN)),
    "jsonl": (write_qrels_json, topics(judgements(TEXT, apart=True), TEXT)),
}


@pytest.mark.parametrize("form", JUDGED)
@settings(deadline=None)
@given(data=st.data())
def test_passages(form, data):
    write, strategy = JUDGED[form]
    listed = data.draw(strategy)
    again = reading(read_assessments, write(judged_of(listed)))
    assert again.kind is AssessmentKind.PASSAGES
    assert {name: passages_rows(topic) for name, topic in again.topics.items()} == listed


@settings(deadline=None)
@given(topics(st.tuples(COLUMN, st.integers(-5, 2**40)), FIRST_COLUMN))
def test_grades(listed):
    again = reading(read_assessments, write_qrels_trec(graded_of(listed)))
    assert again.kind is AssessmentKind.FLAT
    found = {
        name: list(zip(topic.documents, topic.grades.tolist(), strict=True)) for name, topic in again.topics.items()
    }
    assert found == listed


STRUCTURES = {
    "text": (write_structure_text, structures(TAB_COLUMN, gaps=True)),
    "xml": (write_structure_xml, structures(XML_TEXT, links=True)),
}


@pytest.mark.parametrize("form", STRUCTURES)
@settings(deadline=None)
@given(data=st.data())
def test_structures(form, data):
    write, strategy = STRUCTURES[form]
    structure = data.draw(strategy)
    assert structure_rows(reading(read_structure, write(structure))) == structure_rows(structure)


COLUMNS = "columns cannot hold white space"
BEGINS = "a line cannot begin so, nor hold white space in a name"
BAD_NAMES = {
    "topic": (write_run_trec, {"topic": "a b"}, f"input:1: topic 'a b': {BEGINS}"),
    "topic that looks like JSON": (write_run_trec, {"topic": "{1"}, f"input:1: topic '{{1': {BEGINS}"),
    "topic that looks like XML": (write_run_offsets, {"topic": "<1"}, f"input:1: topic '<1': {BEGINS}"),
    "document": (write_run_paths, {"name": "a\tb"}, f"input:2: document 'a\\tb': {COLUMNS}"),
    "run": (write_run_ranges, {"run_id": "a b"}, f"input:1: run 'a b': {COLUMNS}"),
    "XML": (write_run_xml, {"name": " a"},
            "input:2: document ' a': XML cannot hold control characters and blanks at the ends"),
    "JSON": (write_run_json, {"name": "a\x01"},
             "input:2: document 'a\\x01': JSON Lines cannot hold control characters in a name"),
}  # fmt: skip


@pytest.mark.parametrize(("write", "values", "message"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_names_that_a_form_cannot_hold(write, values, message):
    rows = [("a", "/a[1]", "/a[1]", 0, 1, True, 2.0), (values.get("name", "b"), "/a[1]", "/a[1]", 0, 1, True, 1.0)]
    run = run_of(RunKind.ELEMENTS, {values.get("topic", "1"): rows}, values.get("run_id", "r"))
    with pytest.raises(InputError) as error:
        write(run)
    assert str(error.value) == message


@pytest.mark.parametrize(("write", "topic", "name", "message"), [
    (write_qrels_inex, "1", "my file.pdf", f"input:1: document 'my file.pdf': {COLUMNS}"),
    (write_qrels_inex, "[{", "d", f"input:1: topic '[{{': {BEGINS}"),
    (write_qrels_inex, "[]", "d", f"input:1: topic '[]': {BEGINS}"),
    (write_qrels_inex, "a question", "d", f"input:1: topic 'a question': {BEGINS}"),
    (write_qrels_json, "1\n", "d", "input:1: topic '1\\n': JSON Lines cannot hold control characters in a name"),
])  # fmt: skip
def test_names_of_judgements_that_a_form_cannot_hold(write, topic, name, message):
    with pytest.raises(InputError) as error:
        write(judged_of({topic: [(name, 0, 1, -1, [])]}))
    assert str(error.value) == message


def named(name):
    """A structure of one document."""
    return f"<collection><document id='{name}'><element tag='a' start='0' length='1'/></document></collection>".encode()


@pytest.mark.parametrize(("write", "source", "message"), [
    (write_structure_text, named("a&#9;b"),
     "<stdin>:1: document 'a\\tb': a line cannot begin so, nor hold tabs in a name"),
    (write_structure_text, named("#1"),
     "<stdin>:1: document '#1': a line cannot begin so, nor hold tabs in a name"),
    (write_structure_xml, b"a\x01\t/a[1]\t0\t1\n",
     "<stdin>:1: document 'a\\x01': XML cannot hold control characters and blanks at the ends"),
])  # fmt: skip
def test_names_of_structures_that_a_form_cannot_hold(write, source, message):
    structure = reading(read_structure, source)
    with pytest.raises(InputError) as error:
        write(structure)
    assert str(error.value) == message
