"""Chunks and gold spans as JSON Lines: what is read, and every message in full."""

import gzip
import io
import json
import sys

import numpy as np
import pytest

from prum_eval.errors import InputError
from prum_eval.formats import RankBy
from prum_eval.formats.assessments.read import read_assessments
from prum_eval.formats.registry import read_run
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import RunKind

CHUNK = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}\n'
SPANS = '{"topic": "1", "doc": "a", "doc_length": 9, "spans": [[0, 5]]}\n'


def results(run):
    """Topic, document, start, length of every result, in the order of the ranking."""
    topic = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
    return [
        (run.topics[t], run.documents[d], int(start), int(length))
        for t, d, start, length in zip(topic, run.document, run.start, run.length, strict=True)
    ]


def chunk(**values):
    return json.dumps({"topic": "1", "doc": "a", "start": 0, "end": 5, **values}) + "\n"


def test_chunks_are_ranked_by_score_and_ties_stay_in_the_order_of_the_file(write):
    run = read_run(write(
        chunk(doc="b", score=1, run="r") + chunk(topic=7, score=-1e-3) + chunk(score=1.5) + chunk(doc="c", score=1)
    ))  # fmt: skip
    assert results(run) == [("1", "a", 0, 5), ("1", "b", 0, 5), ("1", "c", 0, 5), ("7", "a", 0, 5)]
    assert run.score.tolist() == [1.5, 1, 1, -0.001]
    assert run.line.tolist() == [3, 1, 4, 2]
    assert (run.run_id, run.kind, run.tied, run.paths) == ("r", RunKind.EXTENTS, 2, ())
    assert run.exists.all()


def test_tokens_follow_the_ranking_and_are_none_where_no_line_has_them(write):
    run = read_run(write(chunk(score=1, tokens=7) + chunk(score=2) + chunk(score=3, tokens=5, topic="2")))
    assert (run.score.tolist(), run.tokens.tolist()) == ([2, 1, 3], [0, 7, 5])
    assert read_run(write(CHUNK)).tokens is None


def test_chunks_without_scores_keep_the_order_of_the_file(write):
    run = read_run(write(chunk(doc="b") + chunk(topic="2") + chunk(start=2, end=2), "my.run.jsonl"))
    assert results(run) == [("1", "b", 0, 5), ("1", "a", 2, 0), ("2", "a", 0, 5)]
    assert np.isnan(run.score).all()
    assert (run.run_id, run.tied) == ("my.run", 0)


def test_length_stands_for_end(write):
    text = '{"topic": "1", "doc": "a", "start": 7, "length": 5}\n{"doc": "a", "topic": "1", "end": 12, "start": 7}\n'
    assert results(read_run(write(text))) == [("1", "a", 7, 5)] * 2


@pytest.mark.parametrize(("name", "run_id"), [
    ("bm25.jsonl", "bm25"), ("bm25.jsonl.gz", "bm25"), ("k1=0.9", "k1=0.9"), ("a.b.ndjson", "a.b"), (".jsonl", "run"),
])  # fmt: skip
def test_a_run_without_name_is_named_after_its_file(write, name, run_id):
    assert read_run(write(CHUNK, name)).run_id == run_id


def test_a_run_without_name_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CHUNK.encode())))
    assert read_run("-").run_id == "stdin"


def test_order_of_the_file_and_of_scores_can_be_asked_for(write):
    path = write(chunk(doc="b", score=1) + chunk(score=2))
    assert [row[1] for row in results(read_run(path, rank_by=RankBy.FILE))] == ["b", "a"]
    assert [row[1] for row in results(read_run(path, rank_by=RankBy.SCORE))] == ["a", "b"]


def test_compressed_with_mark_carriage_returns_and_blank_lines_at_the_end(write):
    text = b"\xef\xbb\xbf" + CHUNK.encode().replace(b"\n", b"\r\n") + b"\n\n"
    assert results(read_run(write(gzip.compress(text)))) == [("1", "a", 0, 5)]


def test_names_may_hold_blanks_and_any_letters(write):
    run = read_run(write(json.dumps({"topic": "größte Tide?", "doc": "my file.pdf", "start": 0, "end": 1})))
    assert results(run) == [("größte Tide?", "my file.pdf", 0, 1)]


def test_gold_spans(write):
    lines = [
        {"topic": "1", "doc": "a", "doc_length": 100, "spans": [[40, 60], [0, 5], [5, 7]], "bep": 3},
        {"topic": 2, "doc": "a", "doc_length": 100, "spans": []},
        {"topic": "1", "doc": "b", "doc_length": 10, "spans": [[0, 10]]},
    ]
    path = write("".join(json.dumps(line) + "\n" for line in lines))
    judged = read_assessments(path)
    assert (judged.kind, judged.path, list(judged.topics)) == (AssessmentKind.PASSAGES, path, ["1", "2"])
    first, second = judged.topics.values()
    assert first.documents == ("a", "b")
    assert first.relevant.tolist() == [27, 10]
    assert first.lengths.tolist() == [100, 10]
    assert first.bep.tolist() == [3, -1]
    assert first.bounds.tolist() == [0, 3, 4]
    assert list(zip(first.start.tolist(), first.length.tolist(), strict=True)) == [(40, 20), (0, 5), (5, 2), (0, 10)]
    assert first.lines.tolist() == [1, 3]
    assert (second.documents, second.bounds.tolist(), second.start.size) == (("a",), [0, 0], 0)


def test_gold_spans_and_inex_text_are_the_same_assessments(write):
    spans = '{"topic": "1", "doc": "a", "doc_length": 9, "spans": [[0, 5], [6, 8]], "bep": 6}\n'
    one = read_assessments(write(spans, "j")).topics["1"]
    other = read_assessments(write("1 Q0 a 7 9 6 0:5 6:2\n", "t")).topics["1"]
    for field in ("documents", "relevant", "lengths", "bep", "bounds", "start", "length", "lines"):
        assert np.array_equal(getattr(one, field), getattr(other, field))


BAD_LINES = {
    "no JSON": ("{topic}\n", "no JSON object: Expecting property name enclosed in double quotes at column 2"),
    "an object over lines": ("{\n", "no JSON object: Expecting property name enclosed in double quotes at column 2"),
    "two objects": ("{} {}\n", "no JSON object: Extra data at column 4"),
    "nested": ('{"topic": ' + "[" * 200_000 + "\n", "no JSON object: nested too deeply"),
    "many digits": ('{"start": ' + "1" * 5000 + "}\n", "no JSON object: a number has too many digits"),
    "not a number": ('{"score": NaN}\n', "NaN is no number of JSON"),
    "infinity": ('{"score": -Infinity}\n', "-Infinity is no number of JSON"),
    "key twice": ('{"doc": "a", "doc": "b"}\n', "the key 'doc' is there twice"),
    "not UTF-8": (b'{"doc": "\xff"}\n', "the line is not UTF-8 text"),
    "near key": ('{"docs": "a"}\n', "unknown key 'docs' (did you mean 'doc'?)"),
}
BAD_CHUNKS = {
    "unknown key": (
        '{"text": "a"}\n', "unknown key 'text' (known: topic, doc, start, end, length, score, tokens, run)",
    ),
    "no topic": ('{"doc": "a"}\n', "the key 'topic' is missing"),
    "no document": ('{"topic": "a"}\n', "the key 'doc' is missing"),
    "no start": ('{"topic": "a", "doc": "b"}\n', "the key 'start' is missing"),
    "no end": ('{"topic": "a", "doc": "b", "start": 1}\n', "the key 'end' (or 'length') is missing"),
    "end and length": (chunk(length=3), "both 'end' and 'length' are given, expected one of them"),
    "end before start": (chunk(start=6), "the end 5 is before the start 6"),
    "start is no integer": (chunk(start=1.5), "start: expected an integer, 0 or more, found '1.5'"),
    "start is text": (chunk(start="1"), "start: expected an integer, 0 or more, found '\"1\"'"),
    "start is true": (chunk(start=True), "start: expected an integer, 0 or more, found 'true'"),
    "start below 0": (chunk(start=-1), "start: expected an integer, 0 or more, found '-1'"),
    "end beyond 64 bits": (chunk(end=2**63), "end: expected at most 1099511627776, found '9223372036854775808'"),
    "length below 0": (
        '{"topic": "a", "doc": "b", "start": 1, "length": -1}\n',
        "length: expected an integer, 0 or more, found '-1'",
    ),
    "extent overflows": (
        '{"topic": "a", "doc": "b", "start": 1099511627776, "length": 1}\n',
        "start 1099511627776 and length 1 end past the largest offset, 1099511627776",
    ),
    "topic is null": (chunk(topic=None), "topic: expected a name, text without control characters, found 'null'"),
    "topic is empty": (chunk(topic=""), "topic: expected a name, text without control characters, found '\"\"'"),
    "topic is false": (chunk(topic=False), "topic: expected a name, text without control characters, found 'false'"),
    "two lines": (chunk(doc="a\nb"), "doc: expected a name, text without control characters, found '\"a\\nb\"'"),
    "half a sign": (chunk(doc="\ud800"), "doc: expected text that UTF-8 can write, found '\"\\ud800\"'"),
    "score is null": (chunk(score=None), "score: expected a finite number, found 'null'"),
    "score is text": (chunk(score="1"), "score: expected a finite number, found '\"1\"'"),
    "score overflows": (chunk(score=2).replace("2}", "1e999}"), "score: expected a finite number, found 'Infinity'"),
    "tokens are none": (chunk(tokens=0), "tokens: expected an integer, 1 or more, found '0'"),
    "tokens are a fraction": (chunk(tokens=1.5), "tokens: expected an integer, 1 or more, found '1.5'"),
    "score is huge": (
        chunk(score=10**400),
        f"score: expected a finite number, found '1{'0' * 79}...'",
    ),
}  # fmt: skip
BAD_SPANS = {
    "unknown key": ('{"start": 1}\n', "unknown key 'start' (known: topic, doc, doc_length, spans, bep)"),
    "no length": (SPANS.replace(', "doc_length": 9', ""), "the key 'doc_length' is missing"),
    "no spans": ('{"topic": "1", "doc": "a", "doc_length": 9}\n', "the key 'spans' is missing"),
    "length below 0": (SPANS.replace("9", "-9"), "doc_length: expected an integer, 0 or more, found '-9'"),
    "spans are one span": (
        SPANS.replace("[[0, 5]]", "[0, 5]"), "spans: expected an array of [start, end], found '0'",
    ),
    "span of one": (SPANS.replace("[0, 5]", "[0]"), "spans: expected an array of [start, end], found '[0]'"),
    "spans are null": (SPANS.replace("[[0, 5]]", "null"), "spans: expected an array of [start, end], found 'null'"),
    "span of text": (SPANS.replace("5]", '"5"]'), "span end: expected an integer, 0 or more, found '\"5\"'"),
    "span of fractions": (SPANS.replace("[0,", "[0.0,"), "span start: expected an integer, 0 or more, found '0.0'"),
    "span backwards": (SPANS.replace("[0, 5]", "[5, 0]"), "spans: the end 0 is before the start 5"),
    "span beyond": (SPANS.replace("5]", "10]"), "spans: [0, 10] ends beyond the document length 9"),
    "overlap": (SPANS.replace("[[0, 5]]", "[[3, 7], [0, 5]]"), "spans: [0, 5] and [3, 7] overlap"),
    "span twice": (SPANS.replace("[[0, 5]]", "[[0, 5], [0, 5]]"), "spans: [0, 5] and [0, 5] overlap"),
    "bep without spans": (
        SPANS.replace("[[0, 5]]", '[], "bep": 1'), "bep: expected none where there are no spans",
    ),
    "bep beyond": (
        SPANS.replace("]]", ']], "bep": 10'), "bep: expected at most the document length 9, found '10'",
    ),
    "bep below 0": (SPANS.replace("]]", ']], "bep": -1'), "bep: expected an integer, 0 or more, found '-1'"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), [*BAD_LINES.values(), *BAD_CHUNKS.values()], ids=[*BAD_LINES, *BAD_CHUNKS])
def test_bad_chunk_is_named(write, problems_of, text, reason):
    assert problems_of(read_run, write(text)) == [f"1: {reason}"]


@pytest.mark.parametrize(("text", "reason"), [*BAD_LINES.values(), *BAD_SPANS.values()], ids=[*BAD_LINES, *BAD_SPANS])
def test_bad_spans_are_named(write, problems_of, text, reason):
    assert problems_of(read_assessments, write(text)) == [f"1: {reason}"]


LATER = {
    "an array": ("[]\n", "expected a JSON object, found an array"),
    "a number": ("1.5\n", "expected a JSON object, found a number"),
    "null": ("null\n", "expected a JSON object, found null"),
    "a line of another format": ("1 Q0 a 1 9 r 0 5\n", "no JSON object: Extra data at column 3"),
}


@pytest.mark.parametrize(("text", "reason"), LATER.values(), ids=LATER)
def test_bad_later_line_is_named(write, problems_of, text, reason):
    assert problems_of(read_run, write(CHUNK + text)) == [f"2: {reason}"]
    assert problems_of(read_assessments, write(SPANS + text)) == [f"2: {reason}"]


def test_blank_line_in_the_middle_is_named(write, problems_of):
    assert problems_of(read_run, write(CHUNK + "\n" + CHUNK)) == ["2: a blank line, expected a result"]
    other = SPANS.replace('"a"', '"b"')
    assert problems_of(read_assessments, write(SPANS + " \n" + other)) == ["2: a blank line, expected an assessment"]


def test_scores_stand_on_all_lines_or_on_none(write, problems_of):
    assert problems_of(read_run, write(CHUNK + chunk())) == ["2: the line has no score, line 1 has a score"]
    assert problems_of(read_run, write(chunk() + CHUNK)) == ["2: the line has a score, line 1 has no score"]


def test_a_file_holds_one_run(write, problems_of):
    text = chunk() + chunk(run="r") + chunk(run="r") + chunk(run="s")
    assert problems_of(read_run, write(text)) == ["4: run 's', but 'r' on line 2: one run a file"]


def test_ranking_by_what_is_not_there(write, problems_of):
    reason = "1: the key 'score' is missing, by which the run is ranked"
    assert problems_of(read_run, write(chunk()), rank_by=RankBy.SCORE) == [reason]
    assert problems_of(read_run, write(CHUNK), rank_by=RankBy.RANK) == ["1: JSON Lines have no rank to rank by"]


def test_a_document_judged_twice(write, problems_of):
    reason = "2: document 'a' is judged twice in topic '1' (first on line 1)"
    assert problems_of(read_assessments, write(SPANS + SPANS)) == [reason]


def test_the_first_problem_ends_the_reading_by_default(write):
    path = write(CHUNK + chunk(start=9) + chunk(start=8))
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:2: the end 5 is before the start 9"
