"""Tokens of results whose run does not count them: a share of the characters, or what a function says."""

from __future__ import annotations

import gzip
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import InputError, UsageError, evaluate, explain
from prum_eval.arrays import EMPTY_INTS
from prum_eval.collection.locations import Locations
from prum_eval.evaluation.evaluate_run import with_tokens
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.prepare import prepare
from prum_eval.measures.topic_data import Ranking
from tests.gold import run


def ranking_of(lengths, tokens):
    size = np.array(lengths, dtype=np.int64)
    some, yes = np.arange(len(size)), np.ones(len(size), dtype=np.bool_)
    places = Locations(some, some - len(size), some - len(size), some * 100, size, yes)
    return Ranking(
        places, yes, np.zeros(len(size)), list, "run", some, lambda: [f"d{one}" for one in some], dict, tokens
    )


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=9), st.integers(1, 400), st.data())
def test_as_many_a_character_rounded_up_and_at_least_one(lengths, hundredths, data):
    told = [data.draw(st.sampled_from([0, 0, 7])) for _ in lengths]
    found = with_tokens(ranking_of(lengths, np.array(told)), hundredths / 100).tokens.tolist()
    assert found == [own or max(1, -(-length * hundredths // 100)) for own, length in zip(told, lengths, strict=True)]


def test_a_function_of_the_document_and_the_place():
    asked = []

    def count(*place):
        asked.append(place)
        return 3

    assert with_tokens(ranking_of([5, 8, 2], np.array([0, 4, 0])), count).tokens.tolist() == [3, 4, 3]
    assert asked == [("d0", 0, 5), ("d2", 200, 202)]


@pytest.fixture
def chunks(tmp_path):
    line = {"topic": "1", "doc": "a", "start": 0, "end": 9}
    (tmp_path / "run").write_text(
        "".join(json.dumps(one) + "\n" for one in [{**line, "tokens": 5}, {**line, "start": 2}]), encoding="utf-8"
    )
    (tmp_path / "gold").write_text(
        '{"topic": "1", "doc": "a", "doc_length": 90, "spans": [[2, 35]]}\n', encoding="utf-8"
    )
    return tmp_path


def test_the_option_and_the_argument(chunks):
    printed = run(f"eval -m tokens.1,2 --tokens-per-char .5 {chunks}/gold {chunks}/run {chunks}/run -j 2")
    values = [line.split()[-1] for line in printed.out.splitlines() if "tokens" in line]
    assert values == ["5.0000", "9.0000"] * 2
    assert "|rank-by:default|tokens:0.5 a character|" in printed.err
    found = evaluate(chunks / "gold", chunks / "run", measures="tokens.2", tokens=lambda _, start, end: end + start)
    assert found.runs[0].all == {"tokens_2": 16.0}
    assert "|tokens:function|" in found.signature


@pytest.mark.parametrize(("tokens", "message"), [
    (0, "tokens=0: tokens is a number of tokens per character above 0, or a function"),
    (True, "tokens=True: tokens is a number of tokens per character above 0, or a function"),
    (float("inf"), "tokens=inf: tokens is a number of tokens per character above 0, or a function"),
    ("1", "tokens=1: tokens is a number of tokens per character above 0, or a function"),
    (lambda *_: 0, "tokens: the function returned 0 for document a, 2 to 9: expected a whole number above 0"),
    (lambda *_: 1.5, "tokens: the function returned 1.5 for document a, 2 to 9: expected a whole number above 0"),
    (lambda _document, _start: 1, "tokens: expected a function of a text, or of (document, start, end)"),
    (lambda *_: {}["a"], "tokens: the function failed for document a, 2 to 9: KeyError: 'a'"),
])  # fmt: skip
def test_what_tells_no_number_of_tokens(chunks, tokens, message):
    with pytest.raises(UsageError) as caught:
        evaluate(chunks / "gold", chunks / "run", measures="tokens.2", tokens=tokens)
    assert str(caught.value) == message


def words(text):
    return len(text.split())


TEXTS = [{"text": "a day ticket"}, {"text": "costs nine", "tokens": 7}, {"text": "euros"}]


def rows_with_texts():
    places = [{"topic": "1", "doc": "a", "start": 10 * k, "end": 10 * k + 5} for k in range(len(TEXTS))]
    return [{**place, **text} for place, text in zip(places, TEXTS, strict=True)]


@pytest.mark.parametrize("form", ["file", "named file", "lines one by one", "rows", "named rows", "DataFrame", "gzip"])
def test_a_function_of_the_text(chunks, form):
    """Texts come from the results; a result that counts its tokens keeps its number."""
    rows = rows_with_texts()
    lines = [json.dumps(row) + "\n" for row in rows]
    if form == "lines one by one":
        lines[1] = lines[1].replace(', "end"', ',  "end"')
    path = chunks / ("texts.jsonl.gz" if form == "gzip" else "texts.jsonl")
    path.write_bytes(gzip.compress("".join(lines).encode()) if form == "gzip" else "".join(lines).encode())
    runs = {
        "rows": rows,
        "named rows": {"mine": rows},
        "named file": {"mine": path},
        "DataFrame": pd.DataFrame(rows),
    }.get(form, path)
    found = evaluate(chunks / "gold", runs, measures="tokens.1,2,3", tokens=words)
    assert found.runs[0].all == {"tokens_1": 3.0, "tokens_2": 10.0, "tokens_3": 11.0}
    assert "|tokens:function|" in found.signature
    told = explain(chunks / "gold", runs, "1", measures="tokens.3", tokens=words)
    assert [each.value for each in told.contributions] == [11.0]


def test_several_runs_of_one_file_have_their_own_tokens(chunks):
    rows = [{**row, "run": name} for name in ("x", "y") for row in rows_with_texts()[: 2 if name == "x" else 1]]
    (chunks / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evaluate(chunks / "gold", chunks / "runs.jsonl", measures="tokens.5", tokens=words)
    assert [run.all["tokens_5"] for run in found.runs] == [10.0, 3.0]


def test_a_result_without_text_is_an_error_of_its_line(chunks):
    with pytest.raises(InputError) as caught:
        evaluate(chunks / "gold", chunks / "run", measures="tokens.2", tokens=words)
    assert str(caught.value) == f"{chunks}/run:2: the result has neither tokens nor a text to count them in"
    empty = [{"topic": "1", "doc": "a", "start": 0, "end": 9, "text": "  "}]
    with pytest.raises(UsageError) as refused:
        evaluate(chunks / "gold", empty, measures="tokens.2", tokens=words)
    assert str(refused.value) == "tokens: the function returned 0 for run: row 1: expected a whole number above 0"


def test_workers_elsewhere_get_what_the_call_says(chunks):
    options = EvaluationOptions(
        assessments=chunks / "gold", runs=chunks / "run", measures="tokens", tokens=0.5, merge="document"
    )
    plan = pickle.loads(pickle.dumps(prepare(options)))  # noqa: S301 - our own
    assert (plan.tokens, plan.merge) == (0.5, "document")


def test_an_empty_list():
    nothing = Locations(EMPTY_INTS, EMPTY_INTS, EMPTY_INTS, EMPTY_INTS, EMPTY_INTS, np.zeros(0, dtype=np.bool_))
    ranking = Ranking(nothing, np.zeros(0, dtype=np.bool_), np.zeros(0), list, "run", EMPTY_INTS, list)
    assert with_tokens(ranking, 0.25).tokens.tolist() == []
