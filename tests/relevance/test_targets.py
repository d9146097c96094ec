"""Which targets assessments have, and which documents may hold one."""

from __future__ import annotations

import pytest

from prum_eval.errors import InputError, UsageError
from prum_eval.formats.reading import read_assessments
from prum_eval.records import AssessmentKind, ElementTopic, Highlight
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets, mark_extent, target_documents
from tests.gold import ROOT

ELEMENTS = (TargetKind.IDEAL, TargetKind.RELEVANT)
INSIDE = (TargetKind.BEP, TargetKind.PASSAGES)
POSSIBLE = {
    AssessmentKind.FLAT: ELEMENTS,
    AssessmentKind.PASSAGES: INSIDE,
    AssessmentKind.ELEMENTS_2002: ELEMENTS,
    AssessmentKind.ELEMENTS_2003: ELEMENTS,
    AssessmentKind.ELEMENTS_2005: ELEMENTS + INSIDE,
    AssessmentKind.ELEMENTS_GRADED: ELEMENTS,
}


@pytest.mark.parametrize("kind", AssessmentKind)
def test_targets_of_every_kind_of_assessments(kind):
    for targets in TargetKind:
        if targets in POSSIBLE[kind]:
            check_targets(kind, targets)
        else:
            with pytest.raises(UsageError, match=f"^assessments of {kind} have no targets of kind {targets} "):
                check_targets(kind, targets)
    assert default_targets(kind) in POSSIBLE[kind]


def test_documents_without_anything_relevant_hold_no_target(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 b 0\n2 0 c 2\n", encoding="utf-8")
    assert target_documents(read_assessments(tmp_path / "qrels")) == {"a", "c"}


def test_a_mark_in_a_document_that_the_structure_lacks():
    judged = read_assessments(ROOT / "fixtures" / "demo" / "assessments")
    topic = next(topic for topic in judged.topics.values() if isinstance(topic, ElementTopic))
    with pytest.raises(InputError) as error:
        mark_extent(Highlight(0, "/article[1]", "/article[1]", -1, 7), topic, {})
    assert str(error.value) == f"{topic.path}:7: document {topic.documents[0]} is not in the structure"
