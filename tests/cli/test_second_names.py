"""Options and measures that have a second name, which says more or is an older one."""

from __future__ import annotations

import pytest

from tests.gold import run

TOY = "fixtures/toy/qrels fixtures/toy/run"
CHUNKS = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"eval -q {TOY}", f"eval --per-topic {TOY}"),
        ("check --full fixtures/toy/qrels fixtures/toy/run", "check --list-all fixtures/toy/qrels fixtures/toy/run"),
        (f"compare --at size=100 {CHUNKS} fixtures/rag/paragraphs.jsonl",
         f"compare --at chars=100 {CHUNKS} fixtures/rag/paragraphs.jsonl"),
        (f"eval -m size.3 {CHUNKS}", f"eval -m chars.3 {CHUNKS}"),
        (f"eval -m char_rec_at_size.100 {CHUNKS}", f"eval -m char_rec_at_chars.100 {CHUNKS}"),
        (f"eval -m answered_at_size_100 {CHUNKS}", f"eval -m answered_at_chars_100 {CHUNKS}"),
    ],
)  # fmt: skip
def test_both_names_mean_the_same(first, second):
    output = run(first)
    assert output.status == 0
    assert output.out
    assert run(second) == output
