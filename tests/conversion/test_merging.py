"""A document's results brought together: against sets of characters, and what becomes of score, tokens and elements."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import DataError, UsageError, evaluate, explain, read_run
from prum_eval.collection.trees import make_forest
from prum_eval.conversion.runs import merge_by_document
from prum_eval.formats.reading import read_structure
from prum_eval.records import RunKind
from tests.conversion.records import results_of, run_of
from tests.gold import run

RESULTS = st.tuples(
    st.sampled_from("ab"), st.just(""), st.just(""), st.integers(0, 30), st.integers(0, 9), st.booleans(), st.just(1.0)
).map(lambda row: row if row[5] or row[3] % 4 else (*row[:3], -1, -1, False, 1.0)).map(
    lambda row: (*row[:5], row[3] >= 0, row[6])
)  # fmt: skip


def merged_by_hand(rows):
    """The passages of each document in the order of their best results, found by looking at all pairs."""
    found = []
    for document in dict.fromkeys(row[0] for row in rows):
        parts = []  # of this document: lists of the numbers of results
        for number, row in enumerate(rows):
            if row[0] != document:
                continue
            start, end = row[3], row[3] + row[4]
            joined = [number]
            for part in [*parts]:
                low, high = min(rows[one][3] for one in part), max(rows[one][3] + rows[one][4] for one in part)
                if row[5] and rows[part[0]][5] and start <= high and low <= end:
                    joined = [*part, *joined]
                    start, end = min(start, low), max(end, high)
                    parts.remove(part)
            parts.append(sorted(joined))
        for part in sorted(parts):
            low, high = min(rows[one][3] for one in part), max(rows[one][3] + rows[one][4] for one in part)
            found.append((document, low, high - low, part))
    return found


@given(st.dictionaries(st.sampled_from(["1", "2"]), st.lists(RESULTS, min_size=1, max_size=9), min_size=1), st.data())
def test_results_are_merged_as_by_hand(topics, data):
    whole = run_of(RunKind.EXTENTS, topics, "r")
    tokens = np.array([data.draw(st.integers(0, 4)) for _ in whole.line], dtype=np.int64)
    limit = data.draw(st.none() | st.integers(1, 6))
    merged = merge_by_document(replace(whole, tokens=tokens), limit=limit)
    begin = 0
    expected, lines, counts = {}, [], []
    for topic, rows in topics.items():
        taken = rows[:limit]
        found = merged_by_hand(taken)
        expected[topic] = [(name, start, length) for name, start, length, _ in found]
        lines += [int(whole.line[begin + part[0]]) for *_, part in found]
        counts += [tokens_by_hand(taken, tokens[begin:], part, length) for *_, length, part in found]
        begin += len(rows)
    got = {topic: [(row[0], row[3], row[4]) for row in rows] for topic, rows in results_of(merged).items()}
    assert got == expected
    assert (merged.line.tolist(), merged.tokens.tolist()) == (lines, counts)
    assert np.isnan(merged.score).all()


def tokens_by_hand(rows, tokens, part, length):
    if len(part) == 1:
        return int(tokens[part[0]])
    covering = [int(tokens[one]) for one in part if rows[one][4] == length]
    if any(covering):
        return max(covering)
    apart = sum(rows[one][4] for one in part) == length
    return sum(int(tokens[one]) for one in part) if apart and all(tokens[one] for one in part) else 0


@given(st.lists(RESULTS, min_size=1, max_size=12))
def test_what_is_merged_is_apart_covers_the_same_and_stays_when_merged_again(rows):
    merged = merge_by_document(run_of(RunKind.EXTENTS, {"1": rows}, "r"))
    got = [(row[0], row[3], row[3] + row[4]) for row in results_of(merged)["1"] if row[5]]

    def characters(extents):
        return {(name, one) for name, start, end in extents for one in range(start, end)}

    assert characters(got) == characters((row[0], row[3], row[3] + row[4]) for row in rows if row[5])
    assert len(characters(got)) == sum(end - start for _, start, end in got)
    blocks = [row[0] for row in results_of(merged)["1"]]
    assert [name for at, name in enumerate(blocks) if at == 0 or blocks[at - 1] != name] == list(dict.fromkeys(blocks))
    assert repr(results_of(merge_by_document(merged))) == repr(results_of(merged))


STRUCTURE = "a\t/x[1]\t0\t50\na\t/x[1]/p[1]\t0\t10\na\t/x[1]/p[2]\t10\t10\na\t/x[1]/p[3]\t30\t9\nb\t/x[1]\t0\t7\n"
ELEMENTS = """\
1 Q0 a 1 9 r /x[1]/p[1]
1 Q0 b 2 8 r /x[1]
1 Q0 a 3 7 r /x[1]/p[3]
1 Q0 a 4 6 r /x[1]/p[2]
1 Q0 c 5 5 r /x[1]
"""


def test_elements_are_the_text_that_they_have(tmp_path):
    (tmp_path / "run").write_text(ELEMENTS, encoding="utf-8")
    (tmp_path / "structure").write_text(STRUCTURE, encoding="utf-8")
    elements, trees = read_run(tmp_path / "run"), make_forest(read_structure(tmp_path / "structure").documents)
    merged = merge_by_document(elements, trees)
    assert merged.kind is RunKind.EXTENTS
    assert [row[:1] + row[3:6] for row in results_of(merged)["1"]] == [
        ("a", 0, 20, True), ("a", 30, 9, True), ("b", 0, 7, True), ("c", -1, -1, False),
    ]  # fmt: skip
    with pytest.raises(DataError) as caught:
        merge_by_document(elements)
    path = tmp_path / "run"
    assert str(caught.value) == (
        f"{path}: the run gives element paths; merging them needs their extents: give --structure"
    )


def test_documents_stay_as_they_are(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 9 r\n1 Q0 b 2 8 r\n2 Q0 a 1 9 r\n", encoding="utf-8")
    flat = read_run(tmp_path / "run")
    assert merge_by_document(flat) is flat
    assert len(merge_by_document(flat, limit=1).line) == 2


CHUNKS = [("a", 0, 10), ("b", 0, 10), ("a", 5, 20), ("a", 30, 40), ("b", 10, 12)]


@pytest.fixture
def chunks(tmp_path):
    """Raw chunks of a run, the same merged by hand, and relevant spans."""

    def lines(listed):
        return "".join(
            json.dumps({"topic": "1", "doc": name, "start": start, "end": end, "run": "r"}) + "\n"
            for name, start, end in listed
        )

    (tmp_path / "raw").write_text(lines(CHUNKS), encoding="utf-8")
    (tmp_path / "merged").write_text(lines([("a", 0, 20), ("a", 30, 40), ("b", 0, 12)]), encoding="utf-8")
    (tmp_path / "gold").write_text(
        '{"topic": "1", "doc": "a", "doc_length": 90, "spans": [[2, 35]], "bep": 2}\n', encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize("options", ["", " -j 2", " --config {0}/config"])
def test_tasks_in_context_take_raw_chunks(chunks, options):
    (chunks / "config").write_text('merge = "document"\n[[measures]]\nmeasure = "magp"\n', encoding="utf-8")
    measures = " -m magp -m t2i_magp -m char_rec -m gen_recall.2"
    by_hand = run(f"eval{measures} {chunks}/gold {chunks}/merged")
    merge = "" if "config" in options else " --merge document"
    raw = run(f"eval{measures}{merge}{options.format(chunks)} {chunks}/gold {chunks}/raw {chunks}/raw")
    values = [line for line in raw.out.splitlines() if not line.startswith("runid")]
    assert values == [line for line in by_hand.out.splitlines() if not line.startswith("runid")] * 2
    assert "|rank-by:default|merge:document|" in raw.err


def test_the_refusal_of_raw_chunks_says_what_to_type(chunks):
    refused = run(f"eval -m magp {chunks}/gold {chunks}/raw")
    where = "document 'a' of topic '1', retrieved on line 1,"
    together = "in context, the results of a document stand together: --merge document brings them there"
    assert refused == (1, "", f"{chunks}/raw:3: {where} comes back after another one; {together}\n")


def test_explain_shows_the_merged_passages(chunks):
    explained = explain(chunks / "gold", chunks / "raw", "1", merge="document", measures="eprum_map")
    value = evaluate(chunks / "gold", chunks / "merged", measures="eprum_map").runs[0].all["eprum_map"]
    assert [rank.results[0].location.start for rank in explained.ranks] == [0, 30, 0]
    assert explained.contributions[0].value == pytest.approx(value, abs=1e-12)


def test_what_results_are_merged_by(chunks):
    with pytest.raises(UsageError) as caught:
        evaluate(chunks / "gold", chunks / "raw", merge="topic")
    assert str(caught.value) == "merge=topic: merge is document"
    (chunks / "config").write_text('\nmerge = "topic"\n', encoding="utf-8")
    said = run(f"eval --config {chunks}/config {chunks}/gold {chunks}/raw")
    assert said == (1, "", f"{chunks}/config:2: merge: expected 'document', found 'topic'\n")
