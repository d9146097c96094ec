"""Chunks and relevant spans as JSON Lines: what is read, and every message in full."""

import gzip
import io
import json
import sys

import numpy as np
import pytest

from prum_eval.errors import InputError
from prum_eval.formats import RankBy
from prum_eval.formats.assessments_cache import AssessmentCache
from prum_eval.formats.reading import read_assessments, read_run, read_runs
from prum_eval.records import AssessmentKind, RunKind

CHUNK = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}\n'
SPAN = '{"topic": "1", "doc": "a", "start": 0, "end": 5}\n'
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


def test_a_chunk_may_end_at_the_largest_offset(write):
    far = 1 << 40
    ways = ({"length": 2}, {"text": "ab"}, {"end": far})
    lines = [json.dumps({"topic": "1", "doc": "a", "start": far - 2, **way}) + "\n" for way in ways]
    assert results(read_run(write("".join(lines)))) == [("1", "a", far - 2, 2)] * 3


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


def test_relevant_spans(write):
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


def test_relevant_spans_and_inex_text_are_the_same_assessments(write):
    spans = '{"topic": "1", "doc": "a", "doc_length": 9, "spans": [[0, 5], [6, 8]], "bep": 6}\n'
    one = read_assessments(write(spans, "j")).topics["1"]
    other = read_assessments(write("1 Q0 a 7 9 6 0:5 6:2\n", "t")).topics["1"]
    for field in ("documents", "relevant", "lengths", "bep", "bounds", "start", "length", "lines"):
        assert np.array_equal(getattr(one, field), getattr(other, field))


BAD_LINES = {
    "no JSON": ("{topic}\n", "not a JSON object: Expecting property name enclosed in double quotes at column 2"),
    "an object over lines": ("{\n", "not a JSON object: Expecting property name enclosed in double quotes at column 2"),
    "two objects": ("{} {}\n", "not a JSON object: Extra data at column 4"),
    "nested": ('{"topic": ' + "[" * 200_000 + "\n", "not a JSON object: nested too deeply"),
    "many digits": ('{"start": ' + "1" * 5000 + "}\n", "not a JSON object: a number has too many digits"),
    "not a number": ('{"score": NaN}\n', "NaN is not a number of JSON"),
    "infinity": ('{"score": -Infinity}\n', "-Infinity is not a number of JSON"),
    "key twice": ('{"doc": "a", "doc": "b"}\n', "the key 'doc' appears twice"),
    "not UTF-8": (b'{"doc": "\xff"}\n', "the line is not UTF-8 text"),
}
BAD_CHUNKS = {
    "near key": ('{"topic": "a", "docs": "a", "sart": 3}\n', "the key 'doc' is missing (is 'docs' meant for it?)"),
    "near end": ('{"topic": "a", "doc": "b", "start": 1, "ends": 4}\n',
                 "the key 'end' (or 'length') is missing (is 'ends' meant for it?)"),
    "two names": ('{"qid": "a", "doc": "b", "query_id": "a"}\n',
                  "both 'qid' and 'query_id' are given, expected one of them"),
    "a name and another": (chunk(begin=0), "both 'start' and 'begin' are given, expected one of them"),
    "text is no text": ('{"topic": "a", "doc": "b", "start": 1, "text": 7}\n', "text: expected text, found '7'"),
    "text overflows": (
        '{"topic": "a", "doc": "b", "start": 1099511627776, "text": "a"}\n',
        "start 1099511627776 and length 1 end past the largest offset, 1099511627776",
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
    "no spans": (
        '{"topic": "1", "doc": "a", "doc_length": 9}\n', "the key 'spans' (or 'start', of a single span) is missing",
    ),
    "spans and start": (
        SPANS.replace("]]", ']], "start": 1'), "both 'spans' and 'start' are given, expected one of them",
    ),
    "span without end": (SPAN.replace(', "end": 5', ""), "the key 'end' (or 'length') is missing"),
    "single span backwards": (SPAN.replace(": 0", ": 6"), "the end 5 is before the start 6"),
    "single span beyond": (
        SPAN.replace("}", ', "doc_length": 4}'), "the span [0, 5] ends beyond the document length 4",
    ),
    "single span, bep beyond": (
        SPAN.replace("}", ', "doc_length": 9, "bep": 10}'), "bep: expected at most the document length 9, found '10'",
    ),
    "group is no name": (
        SPAN.replace("}", ', "group": ""}'), "group: expected a name, text without control characters, found '\"\"'",
    ),
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
    "a line of another format": ("1 Q0 a 1 9 r 0 5\n", "not a JSON object: Extra data at column 3"),
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


def test_one_run_is_read_of_a_file_that_holds_one(write, problems_of):
    text = chunk(run="r") + chunk(run="r") + chunk(run="s")
    assert problems_of(read_run, write(text)) == ["3: run 's', but 'r' on line 1: expected one run"]


def test_in_a_file_of_several_runs_every_line_names_its_own(write, problems_of):
    text = chunk() + chunk(run="r") + chunk(run="s")
    assert problems_of(read_runs, write(text)) == ["1: the key 'run' is missing, and the file has several runs"]


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


NAMES = {
    "topic": ["topic", "query_id", "qid", "question_id"],
    "doc": ["doc", "doc_id", "document"],
    "start": ["start", "start_char_idx", "start_index", "begin"],
    "end": ["end", "end_char_idx"],
}


@pytest.mark.parametrize(("key", "name"), [(key, name) for key, names in NAMES.items() for name in names])
def test_keys_have_other_names(write, key, name):
    values = {"topic": "1", "doc": "a", "start": 2, "end": 5}
    values[name] = values.pop(key)
    path = write(json.dumps(values))
    assert results(read_run(path)) == [("1", "a", 2, 3)]
    judged = read_assessments(path).topics["1"]
    assert (judged.documents, judged.start.tolist(), judged.length.tolist()) == (("a",), [2], [3])


def test_a_text_tells_the_end_where_nothing_else_does(write):
    place = {"topic": "1", "doc": "a", "start": 2, "text": "größe"}
    lines = [place, {**place, "end": 9}, {**place, "length": 1}]
    path = write("".join(json.dumps(line) + "\n" for line in lines))
    assert results(read_run(path)) == [("1", "a", 2, 5), ("1", "a", 2, 7), ("1", "a", 2, 1)]


def test_other_keys_are_named_once(write):
    other = json.dumps({**json.loads(SPAN), "page": 3, "metadata": {"a": [1]}}) + "\n"
    path = write(other + SPAN + other)
    assert read_run(path).ignored == ("page", "metadata")
    assert read_assessments(path).topics["1"].ignored == ("page", "metadata")


def test_an_array_is_read_as_lines_are(write):
    chunks = [
        {"topic": "1", "doc": "b", "start": 1, "end": 2, "tokens": 3},
        {"topic": "2", "doc": "a}]", "start": 0, "end": 5},
    ]
    lines = read_run(write("".join(json.dumps(one) + "\n" for one in chunks), "a"))
    for text in (json.dumps(chunks), json.dumps(chunks, indent=1), f" \n {json.dumps(chunks)}\r\n\n"):
        array = read_run(write(text, "b"))
        assert (results(array), array.tokens.tolist()) == (results(lines), lines.tokens.tolist())
    assert read_run(write(json.dumps(chunks, indent=1), "b")).line.tolist() == [2, 9]
    spans = [json.loads(SPANS), {**json.loads(SPANS), "doc": "b"}]
    judged = read_assessments(write(json.dumps(spans, indent=2))).topics["1"]
    assert (judged.documents, judged.lines.tolist()) == (("a", "b"), [2, 13])


def test_a_long_array_on_one_line(write):
    one = {"topic": "1", "doc": "größe", "start": 0, "end": 5, "text": "x" * 1000}
    run = read_run(write(gzip.compress(json.dumps([one] * 20_000, ensure_ascii=False).encode())))
    assert len(run.line) == 20_000


BAD_ARRAYS = {
    "nothing": ("[{", "1: not a JSON object: Expecting property name enclosed in double quotes"),
    "no end": (f"[\n{CHUNK}", "3: expected ',' in the array, found its end"),
    "no comma": (f"[\n{CHUNK}{CHUNK}]", "3: expected ',' in the array, found '{'"),
    "a comma too many": (f"[{CHUNK},\n]", "3: a comma before the end of the array"),
    "more": (f"[{CHUNK}] []", "2: something after the array"),
    "no object": (f"[{CHUNK},\n7]", "3: expected a JSON object, found a number"),
    "cut in an object": ('[\n{"topic": "1", "do', "2: not a JSON object: Unterminated string starting at"),
    "no JSON": (f'[{CHUNK}, {{\n\n"topic": x}}]', "4: not a JSON object: Expecting value"),
    "a key twice": (f'[{CHUNK}, {{"doc": 1, "doc": 2}},\n{CHUNK}]', "2: the key 'doc' appears twice"),
    "no number": (f'[{CHUNK}, {{"doc": 1, "score": NaN}},\n{CHUNK}]', "2: NaN is not a number of JSON"),
    "a bad value": (f"[{CHUNK},\n{{\n{chunk(start=6)[1:]}]", "3: the end 5 is before the start 6"),
    "nested": (f'[{CHUNK}, {{"a": {"[" * 200_000}', "2: not a JSON object: nested too deeply"),
    "not UTF-8": (b'[{"topic": "1"\n, "doc": "\xff"}]', "2: the line is not UTF-8 text"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_what_is_wrong_in_an_array_is_named_with_its_line(write, problems_of, text, problem):
    assert problems_of(read_run, write(text)) == [problem]


def test_an_empty_array(write, problems_of):
    assert problems_of(read_run, write(" [ ]\n")) == []
    assert read_run(write("[]")).topics == ()


def test_a_file_may_hold_several_runs(write):
    lines = [chunk(run="b", score=1), chunk(run="a", doc="x", score=2), chunk(run="b", topic="2", doc="y", score=3)]
    first, second = read_runs(write("".join(lines)))
    assert (first.run_id, first.topics, first.documents, first.line.tolist()) == ("b", ("1", "2"), ("a", "y"), [1, 3])
    assert (second.run_id, results(second)) == ("a", [("1", "x", 0, 5)])


def gold(*lines):
    return "".join(json.dumps({"topic": "1", "doc": "a", **line}) + "\n" for line in lines)


def test_spans_of_one_document_come_one_a_line(write):
    judged = read_assessments(write(gold(
        {"start": 8, "end": 9}, {"doc": "b", "begin": 1, "text": "ab"},
        {"start": 0, "length": 3, "doc_length": 9, "bep": 2},
        {"doc": "c", "spans": [], "doc_length": 4}, {"topic": "2", "start": 0, "end": 1, "doc_length": 8},
    ))).topics  # fmt: skip
    one = judged["1"]
    assert (one.documents, one.lines.tolist()) == (("a", "b", "c"), [1, 2, 4])
    assert (one.lengths.tolist(), one.bep.tolist(), one.relevant.tolist()) == ([9, -1, 4], [2, -1, -1], [4, 2, 0])
    assert (one.bounds.tolist(), one.start.tolist(), one.length.tolist()) == ([0, 2, 3, 3], [8, 0, 1], [1, 3, 2])
    assert judged["2"].lengths.tolist() == [8]


def test_overlapping_spans_are_merged_and_touching_ones_stay_two(write):
    path = write(gold(
        {"spans": [[20, 30], [0, 5], [5, 7]]}, {"doc": "b", "spans": [[20, 30], [3, 7], [25, 40], [0, 5], [30, 31]]},
        {"doc": "c", "start": 4, "end": 6}, {"doc": "c", "start": 0, "end": 5}, {"doc": "c", "start": 6, "end": 6},
    ))  # fmt: skip
    judged = read_assessments(path)
    one = judged.topics["1"]
    spans = list(zip(one.start.tolist(), (one.start + one.length).tolist(), strict=True))
    assert spans == [(20, 30), (0, 5), (5, 7), (0, 7), (20, 40), (0, 6), (6, 6)]
    assert one.relevant.tolist() == [17, 27, 6]
    assert judged.merged_note == f"{path}: 4 spans overlap others and are merged with them"
    assert read_assessments(write(gold({"spans": [[0, 5], [1, 2]]}))).merged_note == (
        f"{path}: 1 span overlaps another one and is merged with it"
    )


def test_a_topic_has_one_group(write, problems_of):
    lines = [
        {"spans": []},
        {"doc": "b", "start": 1, "end": 2, "group": "easy"},
        {"topic": "2", "spans": [], "group": 7},
    ]
    assert read_assessments(write(gold(*lines))).groups == {"1": "easy", "2": "7"}
    assert read_assessments(write(SPANS)).groups is None
    again = {"doc": "c", "spans": [], "group": "hard"}
    assert problems_of(read_assessments, write(gold(*lines, again))) == [
        "4: group 'hard', but topic '1' is in group 'easy' on line 2"
    ]


def test_what_spans_say_of_their_document_has_to_agree(write, problems_of):
    one, other = {"start": 0, "end": 5, "doc_length": 9, "bep": 1}, {"start": 5, "end": 6}
    assert problems_of(read_assessments, write(gold(one, {**other, "doc_length": 8}))) == [
        "2: doc_length: 8, but 9 on line 1"
    ]
    assert problems_of(read_assessments, write(gold(one, other, {**other, "bep": 2}))) == ["3: bep: 2, but 1 on line 1"]
    assert problems_of(read_assessments, write(gold({"start": 3, "end": 10}, one))) == [
        "1: the span [3, 10] ends beyond the document length 9"
    ]
    assert problems_of(read_assessments, write(gold(one, {"spans": []}))) == [
        "2: document 'a' is judged twice in topic '1' (first on line 1)"
    ]


def test_kept_assessments_know_groups_and_what_was_merged(write, tmp_path):
    judged = read_assessments(
        write(gold({"spans": [[0, 5], [3, 9]], "group": "easy", "page": 1}, {"topic": "2", "spans": []}))
    )
    cache = AssessmentCache(tmp_path / "cache")
    cache.store("0" * 64, judged, [judged.path])
    again = cache.load("0" * 64, judged.path, [judged.path])
    assert (again.groups, again.merged_note) == (judged.groups, judged.merged_note)
    assert [one.ignored for one in again.topics.values()] == [("page",)] * 2
