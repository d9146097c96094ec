"""The examples at the beginning of the page of formats are files of the forms that they say."""

from __future__ import annotations

import re

import pytest

from prum_eval.errors import raise_first
from prum_eval.formats.format import FormatKind
from prum_eval.formats.reading import read_assessments
from prum_eval.formats.registry import FORMATS, open_with_format
from prum_eval.records import AssessmentKind
from tests.gold import ROOT, run

PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
PART = PAGE[PAGE.index("## Examples to copy") : PAGE.index("## All files")]
EXAMPLES = re.findall(r"\(`([a-z-]+)`.*?```\n(.*?)```", PART, re.DOTALL)
ELEMENTS = {"elements-text", "elements-jsonl"}


def test_the_page_begins_with_an_example_of_every_form_and_kind(write):
    assert PAGE.index("## Examples to copy") == PAGE.index("\n## ") + 1
    assert {name for name, _ in EXAMPLES} == {
        one.name for one in FORMATS.values() if one.kind is FormatKind.ASSESSMENTS
    }
    kinds = {read_assessments(write(text), structured=name in ELEMENTS).kind for name, text in EXAMPLES}
    assert kinds == set(AssessmentKind)


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_is_read_as_what_it_is_called(write, name, text):
    path = write(text)
    form, stream, _ = open_with_format(FormatKind.ASSESSMENTS, path, raise_first, structured=name in ELEMENTS)
    stream.close()
    assert form.name == name
    judged = read_assessments(path, structured=name in ELEMENTS)
    assert "q1" in judged.topics
    if judged.kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES):
        assert run(f"check --assessments {path}").status == 0


def test_examples_are_evaluated(write):
    texts = dict(EXAMPLES)
    runs = write('{"q1": {"tides": 2, "moon": 1}, "q2": {"kites": 1}}', "run.json")
    flat = [write(texts[name], name) for name in ("qrels-trec", "qrels-beir", "qrels-json")]
    assert {run(f"eval -m map {path} {runs}").out for path in flat} == {"map                   \tall\t1.0000\n"}
    elements = [write(texts[name], name) for name in sorted(ELEMENTS)]
    found = write("q1 Q0 tides 1 2 r /article[1]/body[1]/section[1]\n", "run")
    for path in elements:
        output = run(f"eval -m num_rel_ret -s fixtures/demo/structure.tsv {path} {found}")
        assert output.out == "num_rel_ret           \tall\t1\n", output.err
