"""Runs of results in every shape, and every message in full."""

from types import SimpleNamespace

import numpy as np
import pytest

from prum_eval import chunks, evaluate, read_assessments, read_run
from prum_eval.chunks import align, run, spans, write_run, write_spans
from prum_eval.chunks.results import DocumentNames
from prum_eval.errors import DataError, UsageError

TEXTS = {
    "fares": "A day ticket costs 4.20. A day ticket is valid all day.",
    "faq/night": "No ticket is needed at night.",
}
NAMELESS = "names no document: expected a key such as source or doc; another one is document=KEY"


@pytest.mark.parametrize(
    "result",
    [
        ("fares", 2, 12),
        ("fares", 2, 12, 1.5),
        {"doc": "fares", "start": 2, "end": 12},
        {"doc_id": "fares", "start_index": 2, "length": 10},
        {"document": "fares", "begin": np.int64(2), "text": "day ticket"},
        {"docno": "fares", "start_char_idx": 2.0, "end_char_idx": 12.0, "score": None},
        ({"page_content": "day ticket", "metadata": {"source": "fares", "start_index": 2}}, 0.5),
        ({"page_content": "day ticket", "metadata": {"source": "fares", "start_index": 2}}, np.float32(0.5)),
        ({"content": "day ticket", "meta": {"file_path": "fares", "split_idx_start": 2}}, None),
        SimpleNamespace(node=SimpleNamespace(text="day ticket", start_char_idx=2, ref_doc_id="fares"), score=1),
    ],
)
def test_shapes_of_results(result):
    found = run({7: [result]})
    assert (found.topics, found.documents, found.start.tolist(), found.length.tolist()) == (
        ("7",),
        ("fares",),
        [2],
        [10],
    )


def test_scores_and_tokens():
    rows = [
        {"doc": "a", "start": 0, "text": "one", "score": 2.5},
        {"doc": "a", "start": 4, "text": "two three", "score": 2.5, "token_count": 9},
        {"doc": "a", "text": "two", "score": 1},
    ]
    count = {"tokens": lambda text: len(text.split()), "texts": {"a": "one two three"}}
    found = run({"a": rows, "b": [("a", 4, 13, 9)]}, **count)
    assert found.score.tolist() == [2.5, 2.5, 1, 9]
    assert found.tokens.tolist() == [1, 9, 1, 2]


@pytest.mark.parametrize("scores", [(1, 2, 3), (3, None, 1), (2, 1, float("nan"))])
def test_scores_that_are_no_ranking_are_left_out(scores):
    found = run({"1": [("fares", number, 9, score) for number, score in enumerate(scores)]})
    assert found.start.tolist() == [0, 1, 2]
    assert np.isnan(found.score).all()


def test_another_key_of_the_document():
    result = {"page_content": "No ticket", "metadata": {"source": "x.pdf", "title": "faq/night", "start_index": 0}}
    assert run({"1": [result]}, document="title").documents == ("faq/night",)
    assert run({"1": [result]}, document="title", texts=TEXTS).documents == ("faq/night",)


@pytest.mark.parametrize("name", ["faq/night", "night.txt", "/home/me/faq/night.txt", r"C:\docs\faq\night.txt"])
def test_names_of_documents(tmp_path, name):
    (tmp_path / "faq").mkdir()
    (tmp_path / "faq/night.txt").write_text(TEXTS["faq/night"], encoding="utf-8")
    (tmp_path / "night.txt").write_text(TEXTS["faq/night"], encoding="utf-8")
    found = run({"1": [{"source": name, "text": "is needed"}]}, texts=tmp_path)
    assert found.documents == ("night" if name == "night.txt" else "faq/night",)
    assert (found.start.tolist(), found.length.tolist()) == ([10], [9])


@pytest.mark.parametrize(("said", "found"), [
    ("a.b", "a.b"), ("/x/a.b", "a.b"), ("x/a.txt", "a"), ("a", "a"), ("b/a.pdf", "b/a"), ("c", None), ("", None),
    ("/", None), (".", None), ("..", None), ("a/", "a"), (".a", None),
])  # fmt: skip
def test_which_document_a_path_means(said, found):
    assert DocumentNames({name: name for name in ("a", "a.b", "b/a")}).find(said) == found


@pytest.mark.parametrize("start", [None, -1, 0, 3, 10**9])
def test_places_that_are_wrong_or_missing_are_looked_for(start):
    result = {"doc": "fares", "start": start, "text": "costs 4.20"}
    assert run({"1": [result]}, texts=TEXTS).start.tolist() == [13]


def test_of_several_places_the_right_one_is_kept():
    result = {"doc": "fares", "start": 25, "text": "A day ticket"}
    assert run({"1": [result]}, texts=TEXTS).start.tolist() == [25]


def test_files_are_read_again(tmp_path):
    found = run({"1": [("fares", 2, 12, 0.5), ("fares", 0, 3, 0.25)]}, name="mine")
    gold = spans({"1": "day ticket costs"}, TEXTS).assessments
    write_run(found, tmp_path / "mine.jsonl")
    write_spans(gold, tmp_path / "gold.jsonl")
    values = [
        evaluate(*inputs, measures="char_rec.1").runs[0].all
        for inputs in ((gold, found), (tmp_path / "gold.jsonl", tmp_path / "mine.jsonl"))
    ]
    assert values == [{"char_rec_1": 10 / 16}] * 2
    assert read_run(tmp_path / "mine.jsonl").run_id == "mine"
    assert list(read_assessments(str(tmp_path / "gold.jsonl")).topics) == ["1"]


@pytest.mark.parametrize(
    ("result", "options", "message"),
    [
        ("words", {}, "expected a chunk, found ''words''"),
        (("fares", 1), {}, "expected a chunk, found '('fares', 1)'"),
        (({"text": "a"}, "b"), {}, "expected a chunk, found '({'text': 'a'}, 'b')'"),
        ({"start": 2, "text": "a"}, {}, NAMELESS),
        ({"text": "a"}, {"texts": TEXTS}, NAMELESS),
        ({"doc": "fares", "text": "a"}, {}, "start and end are missing; texts= finds them"),
        ({"doc": "fares", "start": 5}, {}, "start and end are missing; texts= finds them"),
        (("fares", 5, 2), {}, "the end 2 is before the start 5"),
        (("fares", 0, 2), {"tokens": len}, "it has no text, whose tokens could be counted"),
        (("fare", 0, 2), {"texts": TEXTS}, "document 'fare' is not in the texts"),
        (("fares", 0, 99), {"texts": TEXTS}, "it ends at 99, past the end of its text of 55 characters"),
        ({"doc": "fares", "text": "free"}, {"texts": TEXTS}, "its text is not in document 'fares': 'free'"),
        (
            {"doc": "fares", "text": "A day ticket"},
            {"texts": TEXTS},
            "its text occurs in 2 places of document 'fares'; prum_eval.chunks.align assigns places to chunks",
        ),
    ],
)  # fmt: skip
def test_results_that_are_none(result, options, message):
    with pytest.raises(DataError) as raised:
        run({"q": [{"doc": "fares", "start": 0, "text": "A"}, result]}, name="mine", **options)
    assert str(raised.value).replace("mine: question 'q', result 2", "R") in {f"R: {message}", f"R {message}"}


def test_no_results():
    with pytest.raises(DataError) as raised:
        run({"q": []})
    assert str(raised.value) == "run: there are no results"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (5, "texts: expected a path, {document: text} or documents, found 5"),
        ([{"text": "a"}], "texts: expected documents with name and text, number 1 is {'text': 'a'}"),
        (
            [{"doc": "a", "text": "a"}, {"doc": "a", "text": "b"}],
            "texts: document 'a' appears twice; choose another key of its name with document=KEY",
        ),
    ],
)
def test_texts_that_are_none(texts, message):
    with pytest.raises(UsageError) as raised:
        run({"q": [("a", 0, 1)]}, texts=texts)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (("fares", 0, 2), "chunk 1: expected a chunk with its text, found '('fares', 0, 2)'"),
        ({"text": "A day"}, f"chunk 1 {NAMELESS}"),
        ({"doc": "a", "text": "A day"}, "chunk 1: document 'a' is not in the texts"),
    ],
)  # fmt: skip
def test_chunks_that_cannot_be_aligned(chunk, message):
    with pytest.raises(DataError) as raised:
        align([chunk], TEXTS)
    assert str(raised.value) == message


def test_what_is_said_of_an_alignment():
    chunks = [
        {"doc": "fares", "start": 2, "text": "day"},
        {"doc": "fares", "text": "all day"},
        {"doc": "fares", "text": "no"},
    ]
    found = align(chunks, TEXTS)
    assert found.chunks == [chunks[0], {**chunks[1], "start_index": 47, "end_index": 54}, chunks[2]]
    assert str(found).splitlines() == [
        "3 chunks: 1 kept, 1 mended, 1 not found",
        "chunk  doc    state      start  end  said",
        "    1  fares  kept           2    5     2",
        "    2  fares  mended        47   54",
        "    3  fares  not found",
    ]


@pytest.mark.parametrize(("old", "new"), [("GoldSpans", "RelevantSpans"), ("write_gold", "write_spans")])
def test_names_of_version_0_2_0(old, new):
    with pytest.warns(DeprecationWarning, match=f"^{old} is deprecated: use {new}$"):
        assert getattr(chunks, old) is getattr(chunks, new)
