"""Facets of quotes, and of gold in `convert` and `check`."""

from __future__ import annotations

import json

import pytest

from prum_eval.chunks import spans
from prum_eval.chunks.relevant_spans import LostQuotesError
from prum_eval.errors import InputError
from tests.gold import run

TEXTS = {name: f"Manual {name}. Unplug the device before cleaning. Page {name}." for name in "abc"}
UNPLUG = "Unplug the device before cleaning."


def lines(gold) -> list[dict[str, object]]:
    """The lines of gold, without lengths."""
    parsed = [json.loads(line) for line in gold.text.splitlines()]
    return [{key: value for key, value in line.items() if key not in ("topic", "doc_length")} for line in parsed]


def test_any_place_of_a_quote_suffices() -> None:
    """The places are alternatives of a facet of the quote's own; other quotes stay as they are."""
    gold = spans({"q": [UNPLUG, "Page b."]}, TEXTS, ambiguous="any")
    assert lines(gold) == [
        *({"doc": name, "spans": [[10, 44]], "facet": "line 1"} for name in "abc"),
        {"doc": "b", "spans": [[45, 52]]},
    ]
    (note,) = gold.notes
    assert note == "quotes:1: the quote occurs in 3 places: a 10:44, b 10:44, c 10:44; any of them suffices"


def test_quotes_declare_facets(tmp_path) -> None:
    """As columns under a header, in any order; empty cells declare nothing."""
    (tmp_path / "quotes").write_text(
        f"qid\tfacet\tweight\tquote\talternative\nq\tsafety\t2\t{UNPLUG}\t\nq\tpage\t\tPage a.\tleft\n"
        "q\tpage\t\tPage b.\tleft\nq\t\t\tPage c.\t\n"
    )
    gold = spans(str(tmp_path / "quotes"), TEXTS, ambiguous="any")
    assert lines(gold) == [
        *({"doc": name, "spans": [[10, 44]], "facet": "safety", "weight": 2} for name in "abc"),
        {"doc": "a", "spans": [[45, 52]], "facet": "page", "alternative": "left"},
        {"doc": "b", "spans": [[45, 52]], "facet": "page", "alternative": "left"},
        {"doc": "c", "spans": [[45, 52]]},
    ]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (
            [{"topic": "q", "quote": UNPLUG, "facet": "f", "alternative": "a"}],
            LostQuotesError,
            "quotes:1: the quote occurs in 3 places: a 10:44, b 10:44, c 10:44; a quote of an alternative has one",
        ),
        (
            [{"topic": "q", "quote": "Page a.", "facet": "f", "weight": 2},
             {"topic": "q", "quote": "Page b.", "facet": "f", "weight": 3}],
            InputError,
            "quotes:2: facet 'f' has weight 3, but weight 2 on line 1",
        ),
        (
            [{"topic": "q", "quote": "Page a.", "alternative": "f"}],
            InputError,
            "quotes:1: the key 'alternative' is given without 'facet'",
        ),
    ],
)  # fmt: skip
def test_facets_that_quotes_cannot_have(rows, error, message) -> None:
    """One line, with the line of the quote."""
    with pytest.raises(error) as raised:
        spans(rows, TEXTS, ambiguous="any")
    assert str(raised.value) == message


def test_converting_gold_keeps_facets(tmp_path) -> None:
    """What is written again is the same; other forms name the loss."""
    rows = [
        {"doc": "d", "doc_length": 90, "spans": [[1, 5], [3, 9]], "facet": "x", "weight": 2},
        {"doc": "e", "doc_length": 90, "spans": [[0, 4]], "facet": "y", "alternative": "a"},
        {"doc": "d", "doc_length": 90, "spans": [[7, 9]], "facet": "y", "alternative": "a"},
        {"doc": "d", "doc_length": 90, "spans": [[3, 9]]},
    ]
    gold = "".join(f"{json.dumps({'topic': '1', **row, 'group': 'g'})}\n" for row in rows)
    (tmp_path / "gold").write_text(gold)
    assert run(f"convert --to qrels-jsonl -o - {tmp_path}/gold").out == gold
    output = run(f"convert --to qrels-inex -o - {tmp_path}/gold")
    assert output.status == 1
    assert f"{tmp_path}/gold:1: targets in facets: 5, the first here; every one counts by itself\n" in output.err
    output = run("convert --to qrels-trec -o - --lossy fixtures/worked/D1/qrels")
    assert output.out == "1 0 a 1\n1 0 z 2\n1 0 c 1\n"
    assert "fixtures/worked/D1/qrels:1: targets in facets: 6, the first here; every one counts by itself" in output.err


def test_check_reports_facets(tmp_path) -> None:
    """How many there are, and what is odd about them."""
    span = {"topic": "1", "doc": "d", "facet": "f"}
    rows = [
        {**span, "spans": [[0, 5]], "alternative": "a"},
        {**span, "spans": [[0, 5], [6, 9]], "alternative": "b"},
        {**span, "spans": [[3, 3]], "facet": "empty"},
    ]
    (tmp_path / "gold").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    output = run(f"check {tmp_path}/gold")
    assert output.status == 0
    assert (
        f"{tmp_path}/gold: 1 topic with facets: 2 facets, 2 alternatives, 1 shared target\n" in output.out + output.err
    )
    for odd in (
        "alternatives that contain another one of their facet: 1, the first on line 2",
        "facets without relevant text or document: 1, the first on line 3",
    ):
        assert f"{tmp_path}/gold: {odd}\n" in output.out + output.err
    output = run("check fixtures/worked/D1/qrels")
    assert "1 topic with facets: 4 facets, 6 alternatives, 3 shared targets" in output.out + output.err
