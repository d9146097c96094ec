"""Runs of chunks against qrels of documents, and results that are excluded: each equals the run without the others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.errors import UsageError
from prum_eval.formats.reading import read_run
from prum_eval.text.streams import Content
from tests.gold import run

TOPICS = st.sampled_from(["1", "2", "3"])
DOCUMENTS = st.sampled_from("abcdef")
CHUNKS = st.lists(st.tuples(TOPICS, DOCUMENTS, st.integers(0, 50)), min_size=1, max_size=40)
GRADES = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, st.integers(0, 2), min_size=1), min_size=3)
MEASURES = ["num_ret", "num_rel_ret", "map", "ndcg", "P.1,3", "recip_rank", "ndcg_cut.2"]


def chunk_lines(chunks):
    """JSON Lines without scores: their order ranks."""
    rows = [{"topic": t, "doc": d, "start": s, "end": s + 9} for t, d, s in chunks]
    return "".join(json.dumps(row) + "\n" for row in rows)


def document_lines(pairs):
    """TREC lines of topics and documents, best first; a document that repeats is left out."""
    distinct = dict.fromkeys(pairs)
    return "".join(f"{t} Q0 {d} 1 {-place} run\n" for place, (t, d) in enumerate(distinct))


def values(grades, text, **options):
    return evaluate(grades, read_run(Content("run", text.encode())), measures=MEASURES, **options).runs[0].topics


@given(GRADES, CHUNKS, st.none() | st.integers(1, 4))
def test_each_document_counts_at_its_first_chunk(grades, chunks, limit):
    kept, seen = [], {}
    for topic, document, _ in chunks:
        seen[topic] = seen.get(topic, 0) + 1
        if limit is None or seen[topic] <= limit:
            kept.append((topic, document))
    merged = values(grades, chunk_lines(chunks), merge="document", limit=limit)
    assert merged == values(grades, document_lines(kept))


@given(GRADES, CHUNKS, st.sets(st.tuples(TOPICS, DOCUMENTS)), st.none() | st.integers(1, 4))
def test_excluded_results_are_as_if_the_run_had_not_listed_them(grades, chunks, pairs, limit):
    excluded = {topic: [document for name, document in pairs if name == topic] for topic, _ in pairs}
    listed = [(topic, document) for topic, document, _ in chunks]
    rest = [pair for pair in listed if pair not in pairs]
    topics = {topic for topic, _ in rest}
    without = values(grades, document_lines(rest), limit=limit) if rest else {}
    dropped = values(grades, document_lines(listed), exclude=excluded, limit=limit)
    assert {topic: of for topic, of in dropped.items() if topic in topics} == without
    assert all(of["num_ret"] == 0 for topic, of in dropped.items() if topic not in topics)
    merged = values(grades, chunk_lines(chunks), exclude=excluded, merge="document")
    assert merged == values(grades, document_lines(listed), exclude=excluded)


def test_elements_and_results_that_do_not_exist(write):
    paths = write("1 Q0 b 1 3 r /x[1]\n1 Q0 c 2 2 r X\n1 Q0 b 3 1 r /x[1]/y[1]\n1 Q0 a 4 1 r /x[1]\n")
    topics = evaluate({"1": {"a": 1, "c": 1}}, paths, measures=MEASURES, merge="document").runs[0].topics
    assert (topics["1"]["num_ret"], topics["1"]["num_rel_ret"], topics["1"]["recip_rank"]) == (2, 1, 0.5)
    only_missing = write("1 Q0 b 1 3 r X\n2 Q0 b 1 3 r /x[1]\n")
    topics = evaluate({"1": {"a": 1}, "2": {"b": 1}}, only_missing, measures="num_ret", merge="document").runs[0].topics
    assert topics == {"1": {"num_ret": 0}, "2": {"num_ret": 1}}


@pytest.fixture
def files(write):
    chunks = [("1", "a", 0), ("1", "a", 9), ("1", "b", 0), ("2", "b", 3)]
    return write("1 0 a 0\n1 0 b 1\n2 0 b 1\n", "qrels"), write(chunk_lines(chunks), "run.jsonl")


def test_the_error_names_the_option(files):
    output = run(f"eval {files[0]} {files[1]}")
    reason = "the run gives offsets, the assessments are of documents: give --structure, or --merge document"
    assert (output.status, output.out, output.err) == (1, "", f"prum-eval: {files[1]}: {reason}\n")
    output = run(f"eval --merge document -m num_ret -m recip_rank {files[0]} {files[1]}")
    assert output.out == "num_ret               \tall\t3\nrecip_rank            \tall\t0.7500\n"
    assert "|merge:document|" in output.err


@pytest.mark.parametrize("text", ["1 a\n2 c\n", "# own documents\n1\ta\r\n\n"[:-1], "1\ta\n"])
def test_a_file_of_excluded_results(files, write, text):
    path = write(text, "own")
    output = run(f"eval --merge document --exclude {path} -m num_ret -m recip_rank {files[0]} {files[1]}")
    assert output.out == "num_ret               \tall\t2\nrecip_rank            \tall\t1.0000\n"
    assert "|excluded:" in output.err
    assert "warning" not in output.err


def test_the_files_of_documents_are_excluded_by_their_name(write):
    page = write("1 Q0 a.xml 1 2 r\n1 Q0 b.xml 2 1 r\n")
    assert evaluate({"1": {"b": 1}}, page, measures="num_ret", exclude={"1": ["a"]}).runs[0].all == {"num_ret": 1}


def test_what_is_excluded_from_nothing_is_said(files, write):
    output = run(f"eval --merge document --exclude {write('9 a', 'own')} -m map {files[0]} {files[1]}")
    assert f"warning: {files[1]}: no result is in {files[0].removesuffix('qrels')}own\n" in output.err


@pytest.mark.parametrize(("text", "message"), [
    ("1 a\n2\n", "2: expected topic and document, found 1 columns"),
    ("1 a b\n", "1: expected topic and document, found 3 columns"),
    ("1\ta\n\n2\tb\n", "2: expected topic and document, found 0 columns"),
    ("1\t\n", "1: expected topic and document, found 1 columns"),
    ("1\t \tb\n", "1: expected topic and document, found 3 columns"),
    ("", "1: the file is empty"),
    (b"1 \xff\n", "1: the text is not UTF-8"),
])  # fmt: skip
def test_bad_files_of_excluded_results(files, write, text, message):
    path = write(text, "own")
    output = run(f"eval --exclude {path} --merge document {files[0]} {files[1]}")
    assert (output.status, output.out, output.err) == (1, "", f"{path}:{message}\n")


@pytest.mark.parametrize("bad", [3, ["1"], {"1": "a"}, {1: ["a"]}, {"1": 3}])
def test_excluded_results_of_another_type(files, bad):
    with pytest.raises(UsageError) as caught:
        evaluate(*files, merge="document", exclude=bad)
    assert str(caught.value) == "exclude: expected a path or {topic: [document, ...]}"


def test_worker_processes_exclude_as_well(files, write):
    own = write("1 a\n", "own")
    command = f"--merge document --exclude {own} -m map {files[0]} {files[1]} {files[1]}"
    assert run(f"eval -j 2 {command}").out == run(f"eval {command}").out
