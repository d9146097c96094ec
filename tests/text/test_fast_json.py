"""Blocks of JSON Lines at once: the same records and the same problems as object by object, or not taken at all."""

from __future__ import annotations

import dataclasses
import io
import json
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prum_eval.formats import run_json as runs
from prum_eval.text import lines
from prum_eval.text.fast_json import fast_objects
from prum_eval.text.lines import LineBlock

KEYS = ["topic", "qid", "doc", "document", "start", "begin", "end", "length", "score", "tokens", "run", "text", "rank"]
PLAIN_NUMBERS = re.findall(r"\S+", "0 1 9 10 1.5 -1.5 1e3 1E-3 12345678 123456789 0.12345678901234567 -0 -1")
ODD_NUMBERS = re.findall(r"\S+", "01 +1 .5 5. 1e999 1099511627777 00 1_0 --1 1.2.3 NaN null")
NUMBERS = st.sampled_from(PLAIN_NUMBERS)
COUNTS = st.integers(0, 40).map(str)
NAMES = ["a", "b", "q 1", "größe", "a,b", "{", "}:", "a much longer name, of more than eight words: " + "x" * 60]
TEXTS = ["", "\\n", '\\"', "\\u00e4", "\\ud800", "\\x", "\\\\", "\t", "\x7f", '"']
STRINGS = st.sampled_from([*NAMES, *TEXTS]).map('"{}"'.format)
VALUES = COUNTS | NUMBERS | st.sampled_from(ODD_NUMBERS) | STRINGS
PLAIN = {
    "topic": st.sampled_from(['"a"', '"b"', "7"]),
    "doc": st.sampled_from(['"x"', '"größe"']),
    "start": COUNTS,
    "end": st.integers(40, 90).map(str),
    "score": NUMBERS,
    "tokens": st.integers(1, 9).map(str),
    "run": st.sampled_from(['"r"', '"s"']),
    "rank": NUMBERS,
    "text": STRINGS,
}


@st.composite
def objects(draw):
    """Lines of one shape, most with good values; now and then another one, or a blank."""
    keys = draw(st.just(["topic", "doc", "start", "end"]) | st.lists(st.sampled_from(KEYS), min_size=1, max_size=7))
    keys += draw(st.lists(st.sampled_from(["score", "tokens", "run", "rank", "text"]), max_size=3, unique=True))
    blank = draw(st.sampled_from(["", " ", "\t"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    good, text = draw(st.booleans()), []
    for _ in range(draw(st.integers(1, 12))):
        values = [draw(PLAIN[key] if good and key in PLAIN else VALUES) for key in keys]
        text.append(
            "{" + f",{blank}".join(f'"{key}":{blank}{value}' for key, value in zip(keys, values, strict=True)) + "}"
        )
        if draw(st.integers(0, 20)) == 0:
            text.append(
                draw(st.sampled_from(["", "{}", '{"topic": "a"}', '{"doc": "', "[]", text[-1] + " ", text[-1] + ","]))
            )
    return (end.join(text) + end).encode()


def read(data, block_bytes, *, fast):
    """The runs and the problems of some bytes, in blocks of about that size."""
    problems = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK_BYTES", block_bytes)
        patch.setattr(runs, "_CHUNKS_PER_BATCH", 3 if fast else 1 << 14)
        if not fast:
            patch.setattr(runs, "fast_objects", lambda _: None)
        found = runs.read_run_json(io.BytesIO(data), "input", None, lambda problem: problems.append(str(problem)))
    plain = [
        {field.name: getattr(run, field.name) for field in dataclasses.fields(run) if field.name != "ignored"}
        for run in found
    ]
    for run in plain:
        # Names of topics and documents that no result has any more are no part of what was read.
        for names, codes in (("documents", "document"),):
            run[codes] = [run[names][code] for code in run[codes].tolist()]
            del run[names]
    kept = [
        {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in run.items()} for run in plain
    ]
    return repr(kept), set(found[0].ignored), problems


@given(objects(), st.sampled_from([64, 200, 1 << 20]))
@example(b'{"topic":"a","doc":"x","start":1,"end":2}\n{"topic":"a","doc":"x","start":1,"end":2}\n', 1 << 20)
@example(b'{"topic":"a","doc":"x","start":"1","end":2}\n{"topic":"a","doc":"x","start":1"","end":2}\n', 1 << 20)
@example(
    b'{"rank":1,"topic":"a","doc":"x","start":1,"end":2}\n' * 3
    + b'{"rank":1","topic":"a","doc":"x,"start":1,"end":2}\n',
    99,
)
def test_blocks_at_once_are_read_as_objects_one_by_one(data, block_bytes):
    assert read(data, block_bytes, fast=True) == read(data, block_bytes, fast=False)


def table(*texts):
    text = "".join(one + "\n" for one in texts).encode()
    return fast_objects(LineBlock(1, len(texts), text))


def test_lines_that_are_written_alike_are_taken():
    line = {"topic": "größe 1", "doc": "a, b", "start": 3, "score": -0.5, "text": 'say "no"\nor'}
    found = table(*(json.dumps({**line, "start": start}, ensure_ascii=False) for start in (3, 12345678)))
    assert found.counts("start").tolist() == [3, 12345678]
    assert found.numbers("score").tolist() == [-0.5, -0.5]
    assert (found.are_names("topic"), found.are_names("start"), found.are_names("score"), found.are_names("text")) == (
        True,
        True,
        False,
        False,
    )
    assert found.table.cells(found.column["doc"]) == [b"a, b"] * 2


@pytest.mark.parametrize("line", [
    '{"a": 1, "b": "x" }', '{"a": 1,  "b": "x"}', '{"b": "x", "a": 1}', '{"a": 1}', '{"a": 1, "b": "x", "c": 2}', "{}",
    '{"a": 1, "b": "x"}}', '{"a": 1, "b": "x"} ', '{"a": , "b": "x"}', '{"a": 1, "b": "\t"}', '{"a": 1, "b": "\\x"}',
    '{"a": 1, "b": "\\\\"}',
    '{"a": 1, "b": "\\u12g4"}', '{"a": 1, "b": "x"', '{"a": 1, "b": 2}', '{"a": "1", "b": "x"}',
])  # fmt: skip
def test_a_line_that_is_written_otherwise_is_not(line):
    good = '{"a": 1, "b": "x"}'
    assert table(good, good) is not None
    assert table(good, line) is None


@pytest.mark.parametrize("value", ["01", "+1", ".5", "5.", "1e", "1_0", "1,2", "1 ", "1e999", "--1"])
def test_numbers_are_those_of_json(value):
    found = table('{"a": 1, "b": "x"}', f'{{"a": {value}, "b": "x"}}')
    assert found is None or (found.numbers("a"), found.counts("a")) == (None, None)
