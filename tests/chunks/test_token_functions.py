"""`chunks.run(tokens=...)` and `chunks.write_run`: what a function of the text counts, and what is refused."""

from __future__ import annotations

import pytest

from prum_eval import UsageError, chunks, evaluate, read_run

RESULTS = {"price": [{"doc": "fares", "start": 0, "end": 12, "text": "a day ticket"}]}


def test_a_function_of_the_text_counts():
    run = chunks.run(RESULTS, tokens=lambda text: len(text.split()))
    assert run.tokens.tolist() == [3]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (lambda _: 1.5, "tokens: the function returned 1.5 for {}: expected a whole number above 0"),
        (lambda _: None, "tokens: the function returned None for {}: expected a whole number above 0"),
        (lambda _: True, "tokens: the function returned True for {}: expected a whole number above 0"),
        (lambda text: {}[text], "tokens: the function failed for {}: KeyError: 'a day ticket'"),
        (4, "tokens: expected a function from a text to its number of tokens, found 4"),
    ],
)
def test_a_wrong_function_is_refused(tokens, message):
    with pytest.raises(UsageError) as caught:
        chunks.run(RESULTS, tokens=tokens)
    assert str(caught.value) == message.format("run: question 'price', result 1")


def test_a_run_is_written_and_read_again(tmp_path):
    gold = [{"topic": "price", "doc": "fares", "doc_length": 24, "spans": [[2, 12]]}]
    run = chunks.run(RESULTS, name="mine", tokens=len)
    chunks.write_run(run, tmp_path / "mine.jsonl")
    assert (tmp_path / "mine.jsonl").read_text(encoding="utf-8") == (
        '{"topic": "price", "doc": "fares", "start": 0, "end": 12, "tokens": 12, "run": "mine"}\n'
    )
    again = read_run(str(tmp_path / "mine.jsonl"))
    values = [evaluate(gold, each, measures=["char_rec.1", "tokens.1"]).runs[0].all for each in (run, again)]
    assert values[0] == values[1] == {"char_rec_1": 1.0, "tokens_1": 12.0}
