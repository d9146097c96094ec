"""Elements that no system may return: N, results and targets."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from prum_eval import check, evaluate, read_assessments, read_structure
from prum_eval.errors import InputError
from prum_eval.evaluation.notices import NOT_IN_STRUCTURE, NOT_RETRIEVABLE
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
RUN = (DEMO / "run-a.xml").read_text(encoding="utf-8")
RESULT = re.compile("<file>(.*)</file><path>(.*)</path>")
RESULTS = RESULT.findall(RUN)
JUDGED = {
    (document, path)
    for topic in read_assessments(str(DEMO / "assessments")).topics.values()
    for number, document in enumerate(topic.documents)
    for path in topic.paths[topic.bounds[number] : topic.bounds[number + 1]]
}
BARRED = [result for result in RESULTS if result not in JUDGED]  # no targets, of any topic
MEASURES = ["prum_map", "eprum_map", "gen_recall", "map", "num_ret", "grp_map", "ep_at_gr", "nxcg"]


def only(wanted):
    """The structure of the demonstration with those elements retrievable that are wanted, by document and path."""
    read = read_structure(str(DEMO / "structure.tsv"))
    documents = {
        name: dataclasses.replace(one, retrievable=np.array([wanted(name, path) for path in one.paths]))
        for name, one in read.documents.items()
    }
    count = sum(int(one.retrievable.sum()) for one in documents.values())
    return dataclasses.replace(read, documents=documents, elements=count)


@pytest.fixture
def structure():
    return only(lambda document, path: (document, path) not in BARRED)


def spelled(change):
    """The run with other paths for the results that are not retrievable."""
    text = RUN
    for document, path in BARRED:
        old = f"<file>{document}</file><path>{path}</path>"
        text = text.replace(old, f"<file>{document}</file><path>{change(path)}</path>")
    return text


def measured(run, structure, tmp_path, **options):
    path = tmp_path / "run.xml"
    path.write_text(run, encoding="utf-8")
    return evaluate(str(DEMO / "assessments"), str(path), structure=structure, measures=MEASURES, **options)


@pytest.mark.parametrize("model", ["none", "hierarchical", "siblings", "t2i:tolerance=300", "logistic"])
@pytest.mark.parametrize("spelling", [str, str.upper])
def test_such_a_result_counts_as_one_that_the_structure_lacks(structure, tmp_path, model, spelling):
    found = measured(spelled(spelling), structure, tmp_path, user_model=model)
    lacking = measured(spelled(lambda path: f"{path}/x[1]"), structure, tmp_path, user_model=model)
    assert found.runs[0].topics == lacking.runs[0].topics
    assert found.parameters["collection_size"] == structure.elements == 65 - len(set(BARRED))
    (notice,) = (one for one in found.warnings if one.kind == NOT_RETRIEVABLE)
    (other,) = (one for one in lacking.warnings if one.kind == NOT_IN_STRUCTURE)
    assert notice.count == other.count > 1
    words = "are elements that are not retrievable: they keep their rank and find nothing"
    assert str(notice) == f"{tmp_path}/run.xml: {notice.count} results {words}"


def test_all_retrievable_is_as_ever(tmp_path):
    every = measured(RUN, only(lambda *_: True), tmp_path)
    assert every.runs[0].topics == measured(RUN, str(DEMO / "structure.tsv"), tmp_path).runs[0].topics


def test_such_a_target_is_refused(tmp_path):
    topic = read_assessments(str(DEMO / "assessments")).topics["101"]
    structure = only(lambda _, path: "section[2]" not in path)
    with pytest.raises(InputError) as error:
        measured(RUN, structure, tmp_path, user_model="none")
    reason = re.fullmatch(
        r"(.*topic-101.xml):(\d+): element (\S+) of document tides is not retrievable", str(error.value)
    )
    assert reason
    row = topic.paths.index(reason[3])
    assert topic.lines[row] == int(reason[2])
    problems = check(assessments=DEMO / "assessments", structure=structure).problems
    assert str(error.value) in map(str, problems)


def test_a_document_as_target_is_its_root():
    grades = {"101": {"tides": 1}}
    assert evaluate(grades, {"101": {"tides": 1.0}}, structure=only(lambda _, path: path == "/article[1]")).runs
    structure = only(lambda _, path: path != "/article[1]")
    with pytest.raises(InputError, match=r"element /article\[1\] of document tides is not retrievable$"):
        evaluate(grades, {"101": {"tides": 1.0}}, structure=structure)
    (problem,) = check(assessments=grades, structure=structure).problems
    assert str(problem).endswith("element /article[1] of document tides is not retrievable")


def test_check_lists_such_results(structure):
    lines = [number for number, line in enumerate(RUN.splitlines(), 1) for one in RESULT.findall(line) if one in BARRED]
    listed = [f"line {number}: {path} of document {name}" for number, (name, path) in zip(lines, BARRED, strict=True)]
    more = [f"{len(listed) - 5} more"] if len(listed) > 5 else []
    assert check(DEMO / "run-a.xml", structure=structure).notes == (
        f"{DEMO}/run-a.xml: run bm25-sections, 3 topics, 17 results, element paths",
        f"{DEMO}/run-a.xml: results that are not retrievable: {len(listed)} ({'; '.join(listed[:5] + more)})",
        f"{DEMO}/structure.tsv: 6 documents, {65 - len(set(BARRED))} elements",
    )


def test_passages_that_have_the_extent_of_such_an_element(tmp_path):
    """A passage is no element then; models of passages do not see a difference."""
    run = DEMO / "run-a.offsets.run"
    options = {"measures": ["eprum_map"], "user_model": "t2i:tolerance=300"}
    whole, some = (
        evaluate(str(DEMO / "judged.txt"), str(run), structure=structure, **options).runs[0].topics
        for structure in (str(DEMO / "structure.tsv"), only(lambda _, path: path.count("/") == 1))
    )
    assert whole == some
