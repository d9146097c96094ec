"""Judged elements, one per line: they equal the XML that says the same, and every message in full."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.formats.reading import read_assessments, read_structure
from prum_eval.records import AssessmentKind
from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
STRUCTURE = str(DEMO / "structure.tsv")
RUNS = [str(DEMO / "run-a.xml"), str(DEMO / "run-b.xml")]
DOCUMENTS = read_structure(STRUCTURE).documents
ELEMENTS = [(name, path) for name, document in DOCUMENTS.items() for path in document.paths]
ROWS = st.lists(
    st.tuples(st.sampled_from(["101", "102", "103"]), st.sampled_from(ELEMENTS)), min_size=1, max_size=30, unique=True
).filter(lambda rows: "101" in [topic for topic, _ in rows])


def as_text(rows):
    return "".join(f"{topic} {document} {path} {grade}\n" for topic, document, path, grade in rows)


def as_json(rows):
    keys = ("topic", "doc", "path", "grade")
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


def write_xml(folder, rows, exhaustivity):
    """The same judgements as a file of 2005 per topic; `exhaustivity` is a function of the grade."""
    folder.mkdir()
    for topic in dict.fromkeys(row[0] for row in rows):
        files = []
        for name in dict.fromkeys(row[1] for row in rows if row[0] == topic):
            judged = DOCUMENTS[name]
            sizes = dict(zip(judged.paths, judged.length.tolist(), strict=True))
            elements = "".join(
                f'<element path="{path}" exhaustivity="{exhaustivity(grade)}" size="{sizes[path]}"'
                f' rsize="{sizes[path] if grade > 0 else 0}"/>'
                for number, document, path, grade in rows
                if (number, document) == (topic, name)
            )
            files.append(f'<file collection="ieee" name="{name}">{elements}</file>')
        text = f'<assessments pool="1" topic="{topic}" version="1">{"".join(files)}</assessments>'
        (folder / f"{topic}.xml").write_text(text, encoding="utf-8")
    return str(folder)


def printed(assessments, options="-q -m all"):
    """All values; the ideal list of the greedy measures too."""
    output = run(f"eval {options} -s {STRUCTURE} {assessments} {' '.join(RUNS)}")
    assert output.status == 0, output.err
    return output.out


@pytest.mark.slow
@given(ROWS, st.data())
def test_grades_of_0_and_1_are_xml_of_exhaustivity_2(tmp_path_factory, pairs, data):
    grades = data.draw(st.lists(st.integers(0, 1), min_size=len(pairs), max_size=len(pairs)))
    rows = [(topic, *element, grade) for (topic, element), grade in zip(pairs, grades, strict=True)]
    folder = tmp_path_factory.mktemp("judged")
    (folder / "text").write_text(as_text(rows), encoding="utf-8")
    (folder / "json").write_text(as_json(rows), encoding="utf-8")
    xml = write_xml(folder / "xml", rows, lambda grade: 2 * grade)
    expected = evaluate(xml, RUNS, structure=STRUCTURE, measures=["prum", "eprum", "xcg", "nxcg", "maep", "grp", "ng"])
    for form in ("text", "json"):
        measured = evaluate(
            folder / form, RUNS, structure=STRUCTURE, measures=["prum", "eprum", "xcg", "nxcg", "maep", "grp", "ng"]
        )
        assert [one.topics for one in measured.runs] == [one.topics for one in expected.runs]


def demo_rows(grade):
    """The judged elements of the demo that are relevant, with grades by row."""
    judged, rows = read_assessments(str(DEMO / "assessments")), []
    for name, topic in judged.topics.items():
        owner = np.repeat(np.arange(len(topic.documents)), np.diff(topic.bounds))
        pairs = zip(owner.tolist(), topic.paths, topic.exhaustivity.tolist(), strict=True)
        rows += [(name, topic.documents[code], path) for code, path, level in pairs if level > 0]
    return [(*row, grade(number)) for number, row in enumerate(rows)]


@pytest.mark.parametrize("options", ["-q -m all", "-q -t inex2005-focused", "-q -m all -u none --targets relevant"])
@pytest.mark.parametrize("form", [as_text, as_json])
def test_all_measures_of_the_demo_equal_those_of_xml(tmp_path, write, options, form):
    rows = demo_rows(lambda number: number % 4 > 0)
    rows = [(*row[:3], int(row[3])) for row in rows]
    assert printed(write(form(rows)), options) == printed(
        write_xml(tmp_path / "xml", rows, lambda grade: 2 * grade), options
    )


def test_a_grade_is_divided_by_the_largest_and_strict_takes_every_grade_above_0(tmp_path, write):
    rows = demo_rows(lambda number: number % 3)
    text = write(as_text(rows))
    halves = write_xml(tmp_path / "halves", rows, lambda grade: grade)
    strict = write_xml(tmp_path / "strict", rows, lambda grade: 2 * (grade > 0))
    measures = "-q -m grp -m eprum -m prum -m xcg -m manxcg"
    assert printed(text, measures) == printed(halves, measures)
    assert printed(text, f"{measures} --quantisation strict") == printed(strict, f"{measures} --quantisation strict")
    assert printed(text, measures) != printed(strict, measures)


def test_the_largest_grade_is_that_of_the_file(write):
    judged = read_assessments(write("1 a /x 1\n2 a /x[1]/y 4\n2 b /x -1\n"), structured=True)
    assert judged.kind is AssessmentKind.ELEMENTS_GRADED
    assert judged.topics["1"].exhaustivity.tolist() == [0.5]
    assert judged.topics["2"].exhaustivity.tolist() == [2, 0]
    assert judged.topics["2"].specificity.tolist() == [1, 0]
    assert (judged.topics["2"].paths, judged.topics["2"].documents) == (("/x[1]/y[1]", "/x[1]"), ("a", "b"))


def test_documents_may_come_in_turn(write):
    topic = read_assessments(write("1 a /x[1] 1\n1 b /x[1] 1\n1 a /x[2] 1\n"), structured=True).topics["1"]
    assert (topic.documents, topic.paths) == (("a", "b"), ("/x[1]", "/x[2]", "/x[1]"))
    assert (topic.bounds.tolist(), topic.lines.tolist()) == ([0, 2, 3], [1, 3, 2])
    assert topic.document_lines.tolist() == [1, 2]


SAME = "element '/x[1]' of document 'a' is judged twice in topic '1' (first on line 1)"
PATH = "path: expected an element path such as /article[1]/sec[2], found"
BAD = [
    ("1 a /x[1] 1\n1 a /x[2] high\n", ["2: grade: expected an integer, found 'high'"]),
    ("1 a /x[1] 1\n1 a /x[2] 0.5\n", ["2: grade: expected an integer, found '0.5'"]),
    ("1 a /x[1] 1\n1 a /x[2]\n", ["2: expected 4 columns as in the lines before, found 3"]),
    ("1 a /x[1] 1\n1 a x 1\n1 b x 1\n", [f"2: {PATH} 'x'", f"3: {PATH} 'x'"]),
    ("1 a /x[1] 1\n1 b /x[1] 1\n1 a /x 1\n", [f"3: {SAME}"]),
    ("1 a /x[1] 1\n\n1 b /x[1] 1\n", ["2: a blank line, expected a judgement"]),
    ('{"topic": "1", "doc": "a", "path": "/x", "grade": 0.5}\n', ["1: grade: expected an integer, found '0.5'"]),
    ('{"topic": "1", "doc": "a", "path": "/x", "grade": true}\n', ["1: grade: expected an integer, found 'true'"]),
    ('{"topic": "1", "doc": "a", "path": "x", "grade": 1}\n', [f"1: {PATH} 'x'"]),
    ('{"topic": "1", "doc": "a", "path": 3, "grade": 1}\n', [f"1: {PATH} '3'"]),
    ('{"topic": "1", "doc": "a", "path": "/x", "grade": 1}\n{"topic": "1", "doc": "b", "grade": 1}\n',
     ["2: the key 'path' is missing"]),
    ('{"topic": "1", "doc": "a", "path": "/x", "grade": 1}\n' * 2, [f"2: {SAME}"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), BAD, ids=range(len(BAD)))
def test_bad_input_is_named_with_its_line(write, problems_of, text, messages):
    assert problems_of(read_assessments, write(text), structured=True) == messages


@pytest.mark.parametrize("form", [as_text, as_json])
@pytest.mark.parametrize(("row", "reason"), [
    (("101", "tides", "/article[1]/x[1]", 1), "element /article[1]/x[1] of document tides is not in the structure"),
    (("101", "nowhere", "/article[1]", 1), "document nowhere is not in the structure"),
])  # fmt: skip
def test_what_the_structure_lacks(write, form, row, reason):
    path = write(form([("101", "tides", "/article[1]", 1), row]))
    output = run(f"eval -s {STRUCTURE} {path} {RUNS[0]}")
    assert (output.status, output.out, output.err) == (1, "", f"{path}:2: {reason}\n")
    checked = run(f"check --structure {STRUCTURE} --assessments {path} {RUNS[0]}")
    assert (checked.status, checked.err.count(f"{path}:2: {reason}\n")) == (1, 1)


def test_without_a_structure(write):
    path = write(as_json([("101", "tides", "/article[1]", 1)]))
    output = run(f"eval {path} {RUNS[0]}")
    reason = "the sizes of judged elements come from the structure: give --structure"
    assert (output.status, output.out, output.err) == (1, "", f"{path}:1: {reason}\n")


def test_documents_named_like_paths_stay_documents_without_structure(write):
    path = write("101 tides /article[1] 1\n101 0 /docs/moon 0\n")
    assert read_assessments(path).topics["101"].documents == ("/article[1]", "/docs/moon")
    path = write("101 0 /docs/moon 1\n")
    assert read_assessments(path, structured=True).kind is AssessmentKind.FLAT


def test_the_cache_keeps_both_readings_apart(folder, write):
    path, flat = write("101 tides /article[1] 1\n"), write("101 Q0 /article[1] 1 1 run\n", "run")
    for _ in range(2):  # the second time from the cache
        assert evaluate(path, RUNS[0], structure=STRUCTURE, measures="num_rel").runs[0].all == {"num_rel": 1}
        assert evaluate(path, flat, measures="num_rel_ret").runs[0].all == {"num_rel_ret": 1}
    assert len(list(folder.iterdir())) == 2


def test_other_commands_read_them(write, tmp_path):
    path = write(as_text(demo_rows(lambda number: 1 + number % 2)))
    assert (
        "assessments of elements, graded, 3 topics"
        in run(f"check --structure {STRUCTURE} --assessments {path} {RUNS[0]}").out
    )
    assert run(f"convert --to qrels-trec --lossy -s {STRUCTURE} {path}").out.splitlines()[0] == "101 0 tides 1"
    assert run(f"explain --topic 101 -s {STRUCTURE} -m eprum_map {path} {RUNS[0]}").status == 0
    assert run(f"simulate -s {STRUCTURE} {path} -u hierarchical --log {tmp_path}/log").status == 0
