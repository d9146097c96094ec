"""Extents that leave their documents and documents of two lengths: warned of once a run, errors of `check`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import check, evaluate, read_assessments, read_run
from prum_eval.evaluation.notices import count_length_conflicts, document_lengths, find_out_of_range, length_conflicts
from tests.gold import run

JUDGED = "1 Q0 a 10 100 0 0:10\n1 Q0 b 0 50\n2 Q0 a 5 100 0 5:5\n"


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def warnings(command):
    err = run(f"eval {command}").err
    start = "prum-eval: warning: "
    return [line.removeprefix(start) for line in err.splitlines() if line.startswith(start)]


@pytest.fixture
def inputs(tmp_path):
    results = ["a 0 100", "a 91 10", "b 50 1", "b -3 10", "c 999 9", "a X X", "a.xml 100 1"]
    lines = [f"1 Q0 {one.split()[0]} {k} {9 - k} r {' '.join(one.split()[1:])}\n" for k, one in enumerate(results, 1)]
    return write(tmp_path, judged=JUDGED, run="".join(lines))


def test_results_past_the_end_are_counted_once(inputs):
    judged, path = inputs
    told = [f"{path}: 3 results end past the end of their document", f"{path}: 1 result begins before its document"]
    missing = f"{path}: 1 assessed topic has no results and is left out; -c counts it as empty"
    assert warnings(f"-m gen_recall.1 {judged} {path}") == [missing, *told]


def test_check_has_each_with_its_line(inputs):
    judged, path = inputs
    output = run(f"check --assessments {judged} {path}")
    assert output.status == 1
    assert output.err.splitlines() == [
        f"{path}:2: offset 91, length 10 end past the end of document a, 100 characters long",
        f"{path}:3: offset 50, length 1 end past the end of document b, 50 characters long",
        f"{path}:4: offset -3, length 10 begin before document b",
        f"{path}:7: offset 100, length 1 end past the end of document a.xml, 100 characters long",
        "prum-eval: problems found: 4",
    ]


def test_lengths_of_a_structure_come_first(tmp_path, inputs):
    _, path = inputs
    [structure] = write(tmp_path, structure="a\t/a[1]\t0\t500\nb\t/b[1]\t0\t500\nc\t/c[1]\t0\t1000\n")
    assert [str(one) for one in check(path, structure=structure).problems] == [
        f"{path}:4: offset -3, length 10 begin before document b",
        f"{path}:5: offset 999, length 9 end past the end of document c, 1000 characters long",
    ]


def test_two_lengths_of_a_document(tmp_path):
    judged, path = write(
        tmp_path, judged=JUDGED + "2 Q0 b 0 51\n", run="1 Q0 a 1 2 r 0 9\n2 Q0 a 1 2 r 0 9\n"
    )  # fmt: skip
    told = f"{judged}: 1 document of two lengths; prum-eval check lists them"
    assert warnings(f"-m char_rec {judged} {path}") == [told]
    [problem] = check(assessments=judged).problems
    assert str(problem) == f"{judged}:4: document b has 51 characters here, 50 in line 2 of {judged}"


def test_a_length_that_the_structure_does_not_have(tmp_path):
    judged, structure = write(tmp_path, judged=JUDGED, structure="a\t/a[1]\t0\t100\nb\t/b[1]\t0\t49\n")
    [problem] = check(assessments=judged, structure=structure).problems
    assert str(problem) == f"{judged}:2: document b has 50 characters here, 49 in the structure"


def test_assessed_passages_past_the_end(tmp_path):
    judged, path = write(tmp_path, judged="1 Q0 a 10 100 0 0:10\n1 Q0 b 10 50 0 41:10\n", run="1 Q0 a 1 2 r 0 9\n")
    told = f"{judged}: 1 assessed passage past the end of a document; prum-eval check lists them"
    assert warnings(f"-m char_rec {judged} {path}") == [told]
    [problem] = check(assessments=judged).problems
    assert str(problem) == f"{judged}:2: passage 41:10 ends past the end of document b, 50 characters long"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-5, 60), st.integers(0, 60)), min_size=1))
def test_every_result_by_the_definition(tmp_path_factory, rows):
    lines = [f"1 Q0 {name} 1 {-k} r {start} {size}\n" for k, (name, start, size) in enumerate(rows) if start != -1]
    if not lines:
        return
    kept = [row for row in rows if row[1] != -1]
    [path] = write(tmp_path_factory.mktemp("run"), run="".join(lines))
    found = find_out_of_range(read_run(path), {"a": 50, "b": 0})
    ends = {"a": 50, "b": 0}
    assert found.past_end.tolist() == [name in ends and start + size > ends[name] for name, start, size in kept]
    assert found.negative_start.tolist() == [start < 0 for _, start, _ in kept]


def test_a_run_of_documents_cannot_leave_them():
    assert find_out_of_range(read_run("fixtures/toy/run"), {"tides": 0}) is None
    found = evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, measures="map")
    assert not found.warnings
    assert np.isclose(found.runs[0].all["map"], 1)


@given(st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abc")), st.integers(0, 3), min_size=1))
def test_lengths_by_the_definition(tmp_path_factory, judged):
    text = "".join(f"{topic} Q0 {name} 0 {length}\n" for (topic, name), length in judged.items())
    [path] = write(tmp_path_factory.mktemp("judged"), judged=text)
    assessments = read_assessments(path)
    told = {}
    for (_, name), length in judged.items():
        told.setdefault(name, []).append(length)
    lengths = document_lengths(assessments, None)
    assert lengths == {name: max(listed) for name, listed in told.items()}
    several = [name for name, listed in told.items() if len(set(listed)) > 1]
    assert count_length_conflicts(assessments, None, lengths) == len(several)
    assert len(list(length_conflicts(assessments, None))) == len(several)
