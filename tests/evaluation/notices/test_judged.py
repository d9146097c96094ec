"""How many results are judged: counted as the definition says, and what would make the others match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import check, evaluate
from prum_eval.evaluation.run_notices import judged_share
from prum_eval.frames import assessments_from_rows, run_from_rows

TOPICS = st.sampled_from("123")
NAMES = st.sampled_from(["a", "b", "c", "a.xml", "b.html", "d"])


def share_of(judged, retrieved):
    """Of {topic: names} on either side."""
    grades = {topic: dict.fromkeys(names, 1) for topic, names in judged.items()}
    scores = {topic: {name: -k for k, name in enumerate(names)} for topic, names in retrieved.items()}
    return judged_share(run_from_rows(scores, name="run"), assessments_from_rows(grades, name="judged"))


@given(
    st.dictionaries(TOPICS, st.sets(NAMES, min_size=1), min_size=1),
    st.dictionaries(TOPICS, st.sets(NAMES, min_size=1), min_size=1),
)
def test_counts_are_those_of_one_look_at_every_result(judged, retrieved):
    share = share_of(judged, retrieved)
    results = [(topic, name) for topic, names in retrieved.items() for name in names if topic in judged]
    known = [
        name in judged[topic] or name.removesuffix(".xml").removesuffix(".html") in judged[topic]
        for topic, name in results
    ]
    total = len(results) or sum(map(len, retrieved.values()))  # without a topic in common all count
    assert (share.judged, share.results) == (sum(known), total)
    assert share.is_small == (not any(known))


HINTS = {
    "nothing alike": ("AP-17", "WRONG-17", "the run says 'WRONG-17', the assessments 'AP-17'"),
    "a folder in the run": (
        "AP-17", "docs/AP-17",
        "the run says 'docs/AP-17', the assessments 'AP-17'; without the folder 'docs/', 1 would match",
    ),
    "an ending in the run": (
        "AP-17", "AP-17.json",
        "the run says 'AP-17.json', the assessments 'AP-17'; without the ending '.json', 1 would match",
    ),
    "both in the run": (
        "AP", "a/AP.txt",
        "the run says 'a/AP.txt', the assessments 'AP'; without the folder 'a/' and the ending '.txt', 1 would match",
    ),
    "both in the assessments": (
        "a/AP.xml", "AP",
        "the run says 'AP', the assessments 'a/AP.xml'; with the folder 'a/' and the ending '.xml', 1 would match",
    ),
    "other folders": (
        "a/AP", "c/AP",
        "the run says 'c/AP', the assessments 'a/AP'; without the folder 'c/' and with the folder 'a/', 1 would match",
    ),
    "a long name": (
        "AP-17", "W" * 99, f"the run says '{'W' * 80}...', the assessments 'AP-17'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("judged", "retrieved", "hint"), HINTS.values(), ids=HINTS)
def test_hints(judged, retrieved, hint):
    assert share_of({"1": [judged]}, {"1": [retrieved]}).hint == hint


def test_folders_that_differ_from_document_to_document():
    share = share_of({"1": ["a", "b"]}, {"1": ["x/a", "y/b", "z"]})
    assert share.hint == "the run says 'x/a', the assessments 'a'; without their folders, 2 would match"


def test_the_name_most_like_is_shown():
    assert share_of({"1": ["LA-1", "AP-17", "FT-9"]}, {"1": ["AP17"]}).hint == (
        "the run says 'AP17', the assessments 'AP-17'"
    )


@pytest.mark.parametrize(("judged", "told"), [(0, True), (9, True), (10, False), (1000, False)])
def test_told_below_one_percent(judged, told):
    names = [f"d{number}" for number in range(1000)]
    grades = {"1": dict.fromkeys(names[:judged], 0) | {"other": 1}}
    scores = {"1": dict(zip(names, range(1000, 0, -1), strict=True))}
    texts = [one.text for one in evaluate(grades, {"run": scores}, measures="map").warnings]
    start = f"run: {judged} of 1000 results are in judged documents; the run says 'd{judged}', the assessments "
    assert [text.startswith(start) for text in texts] == [True] * told
    percent = f"{judged // 10} %" if judged >= 10 or not judged else "0.9 %"
    notes = check({"run": scores}, assessments=grades).notes
    assert notes[1].startswith(f"run: judged: {judged} of 1000 results ({percent})")
    assert ("the run says" in notes[1]) == told
