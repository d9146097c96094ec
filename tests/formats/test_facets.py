"""Facets in relevant spans: what lines declare, in which order, and the exact text of each error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prum_eval import InputError
from prum_eval.formats.reading import read_assessments
from prum_eval.records import PassageTopic

SPAN = {"topic": "1", "doc": "d", "start": 0, "end": 9}


def read(path: Path, *lines: dict[str, object]) -> PassageTopic:
    """The topic 1 of gold with these lines."""
    file = path / "gold.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    topic = read_assessments(str(file)).topics["1"]
    assert isinstance(topic, PassageTopic)
    return topic


def declared(topic: PassageTopic) -> list[tuple[str, str, str, int, int]]:
    """Facet, alternative, document, start and end of each row."""
    facets = topic.facets
    assert facets is not None
    rows = zip(facets.alternative, facets.document, facets.start, facets.length, strict=True)
    return [
        (facets.names[facets.facet_of[a]], facets.alternatives[a], topic.documents[d], start, start + length)
        for a, d, start, length in rows
    ]


def test_lines_declare_facets_in_file_order(tmp_path: Path) -> None:
    """Documents on several lines, names as text and integers, spans without a facet, weights on some lines."""
    topic = read(
        tmp_path,
        {"topic": "1", "doc": "d", "spans": [[5, 9], [0, 3]], "facet": 7},
        {"topic": "1", "doc": "e", "start": 2, "length": 2, "facet": "x", "alternative": 1, "weight": 2},
        {"topic": "1", "doc": "d", "start": 5, "end": 9, "facet": "7"},
        {"topic": "1", "doc": "d", "doc_length": 30, "spans": [[4, 8], [20, 30]]},
        {"topic": "1", "doc": "d", "start": 0, "end": 1, "facet": "x", "alternative": "1"},
        {"topic": "1", "doc": "f", "spans": [], "facet": "none"},
        {"topic": "1", "doc": "d", "start": 20, "end": 30},
    )
    assert declared(topic) == [
        ("7", "", "d", 5, 9),
        ("7", "", "d", 0, 3),
        ("x", "1", "e", 2, 4),
        ("", "", "d", 4, 8),
        ("", "", "d", 20, 30),
        ("x", "1", "d", 0, 1),
    ]
    assert topic.facets is not None
    assert topic.facets.weights.tolist() == [1, 2, 1, 1]
    assert topic.documents == ("d", "e", "f")
    assert topic.lengths.tolist() == [30, -1, -1]
    assert list(zip(topic.start, topic.length, strict=True)) == [(0, 3), (4, 5), (20, 10), (2, 2)]  # merged
    assert topic.merged == 0


def test_topics_without_facets_are_unchanged(tmp_path: Path) -> None:
    """Facets of one topic leave another one as it is."""
    other = {"topic": "2", "doc": "d", "start": 0, "end": 5}
    assert read(tmp_path, SPAN, {**other, "facet": "f"}).facets is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{**SPAN, "alternative": "a"}], "1: the key 'alternative' is given without 'facet'"),
        ([{**SPAN, "weight": 2}], "1: the key 'weight' is given without 'facet'"),
        ([{**SPAN, "facet": "f", "weight": 0}], "1: weight: expected a finite number above 0, found '0'"),
        ([{**SPAN, "facet": "f", "weight": "2"}], "1: weight: expected a finite number, found '\"2\"'"),
        ([{**SPAN, "facet": 1.5}], "1: facet: expected a name, text without control characters, found '1.5'"),
        (
            [{**SPAN, "facet": "f", "weight": 1}, {**SPAN, "facet": "f", "weight": 2.5}],
            "2: facet 'f' has weight 2.5, but weight 1 on line 1",
        ),
        (
            [{**SPAN, "facet": "f"}, {**SPAN, "facet": "f", "alternative": "a"}],
            "2: facet 'f' with 'alternative', but without it on line 1",
        ),
        (
            [{**SPAN, "facet": "f", "alternative": "a"}, {**SPAN, "facet": "f"}],
            "2: facet 'f' without 'alternative', but with it on line 1",
        ),
        (
            [{**SPAN, "facet": "f", "doc_length": 20}, {"topic": "1", "doc": "d", "doc_length": 21, "spans": [[1, 2]]}],
            "2: doc_length: 21, but 20 on line 1",
        ),
        (
            [{**SPAN, "facet": "f"}, {"topic": "1", "doc": "d", "doc_length": 8, "spans": [[1, 2]]}],
            "1: the span [0, 9] ends beyond the document length 8",
        ),
    ],
)
def test_contradictions_are_errors(tmp_path: Path, lines: list[dict[str, object]], message: str) -> None:
    """One line, with file and line."""
    with pytest.raises(InputError) as error:
        read(tmp_path, *lines)
    assert str(error.value) == f"{tmp_path / 'gold.jsonl'}:{message}"
