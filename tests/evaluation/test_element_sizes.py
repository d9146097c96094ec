"""Sizes of XML assessments that contradict the structure, or that the file leaves to it; results outside of it."""

from __future__ import annotations

import re
import shutil

import pytest

from prum_eval import evaluate
from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
STRUCTURE = f"-s {DEMO}/structure.tsv"
FILE = "topic-101.xml"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(DEMO / "assessments", tmp_path / "assessments")
    return tmp_path


def edit(folder, pattern, replacement, count=0):
    path = folder / "assessments" / FILE
    text, changed = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), count=count)
    assert changed
    path.write_text(text, encoding="utf-8")


def check(folder):
    return run(f"check --assessments {folder}/assessments --structure {DEMO}/structure.tsv {DEMO}/run-a.xml")


def values(folder, measures="map,eprum_map,maep,char_prec:overlap=novel,gen_recall.5"):
    result = evaluate(
        folder / "assessments", DEMO / "run-a.xml", structure=DEMO / "structure.tsv", measures=measures.split(",")
    )
    return result.runs[0].topics


def test_a_size_that_contradicts_the_structure_is_named(folder):
    edit(folder, '(path="/article.1." exhaustivity="2" size=)"1743"', r'\1"99999"')
    output = check(folder)
    reason = "element /article[1] of document tides has 99999 characters here, 1743 in the structure"
    assert (output.status, output.err.splitlines()[0]) == (1, f"{folder}/assessments/{FILE}:11: {reason}")
    told = run(f"eval {STRUCTURE} -m map {folder}/assessments {DEMO}/run-a.xml").err
    notice = "1 assessed element of another size than in the structure; prum-eval check lists them"
    assert f"prum-eval: warning: {folder}/assessments: {notice}\n" in told


def test_a_passage_that_contradicts_the_structure_is_named_by_check(folder):
    edit(folder, 'size="356"/>\n    <element', 'size="35600"/>\n    <element', count=1)
    reason = (
        "passage /article[1]/body[1]/section[2]/p[1] of document tides has 35600 characters here, 356 in the structure"
    )
    assert f"{folder}/assessments/{FILE}:10: {reason}\n" in check(folder).err


@pytest.mark.parametrize(("size", "problems"), [(818, 1), (820, 0), (826, 0), (827, 1)])
def test_files_of_2005_count_elements_and_passages_too(folder, size, problems):
    # section 1 has 820 characters, is or holds four elements, and its document has two passages
    edit(folder, '(section.1." exhaustivity="2" size=)"820"', rf'\1"{size}"')
    assert check(folder).err.count("characters here") == problems


def test_the_demonstration_agrees_with_its_structure():
    assert check(DEMO).status == 0


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r'(<element [^>]*) size="\d+"', r"\1"),
        (r' rsize="\d+"', ""),
        (r'(<element [^>]*) size="\d+" rsize="\d+"', r"\1"),
    ],
    ids=["size", "rsize", "both"],
)
def test_what_is_missing_comes_from_structure_and_passages(folder, pattern, replacement):
    edit(folder, pattern, replacement)
    assert values(folder) == values(DEMO)
    assert check(folder).status == 0


@pytest.mark.parametrize(("pattern", "missing"), [(r'(<element [^>]*) size="\d+"', "size"), (r' rsize="\d+"', "rsize")])
def test_without_a_structure_nothing_tells_a_size(folder, pattern, missing):
    edit(folder, pattern, r"\1" if missing == "size" else "")
    output = run(f"eval -m map {folder}/assessments {DEMO}/run-a.xml")
    reason = f"element /article[1] has no {missing}: give it, or --structure"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/assessments/{FILE}:11: {reason}\n")


def test_a_relevant_element_without_passages_needs_its_rsize(folder):
    edit(folder, r' rsize="\d+"', "")
    edit(folder, r"    <passage[^>]*/>\n", "")
    output = run(f"eval {STRUCTURE} -m map {folder}/assessments {DEMO}/run-a.xml")
    reason = "no rsize, and no passage in document tides tells it"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/assessments/{FILE}:9: {reason}\n")


def test_the_rsize_is_at_most_the_size_of_the_structure(folder):
    edit(folder, '(path="/article.1." exhaustivity="2") size="1743" rsize="918"', r'\1 rsize="1744"')
    output = run(f"eval {STRUCTURE} -m map {folder}/assessments {DEMO}/run-a.xml")
    reason = "rsize: expected at most the size 1743, found '1744'"
    assert (output.status, output.out, output.err) == (1, "", f"{folder}/assessments/{FILE}:11: {reason}\n")


@pytest.mark.parametrize("measure", ["eprum_map", "maep", "map"])
def test_results_in_unknown_documents_are_named(tmp_path, measure):
    text = (DEMO / "run-a.xml").read_text(encoding="utf-8")
    path = tmp_path / "run.xml"
    path.write_text(text.replace("<file>tides</file>", "<file>tdies</file>", 1), encoding="utf-8")
    line = next(n for n, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if "tdies" in row)
    err = run(f"eval {STRUCTURE} -m {measure} {DEMO}/assessments {path}").err
    what = f"1 result is not in the structure: it keeps its rank and finds nothing (line {line}: document tdies)"
    assert f"prum-eval: warning: {path}: {what}\n" in err


def test_the_first_of_many_such_results_are_named(tmp_path):
    lines = [f"101 Q0 lost{rank} {rank} {9 - rank} r /article[1]\n" for rank in range(1, 8)]
    (tmp_path / "run").write_text("101 Q0 tides 0 10 r /article[1]\n" + "".join(lines), encoding="utf-8")
    err = run(f"eval {STRUCTURE} -m map {DEMO}/assessments {tmp_path}/run").err
    named = "; ".join(f"line {rank + 1}: document lost{rank}" for rank in range(1, 6))
    assert f"7 results are not in the structure: they keep their rank and find nothing ({named}; 2 more)\n" in err
