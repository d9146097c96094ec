"""Any bytes at all are read or refused with an `InputError`, never anything else."""

import bz2
import gzip
import io
import json
import lzma
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_assessments, read_log, read_navigation, read_run, read_structure
from tests.slow import slow_but

CELLS = st.sampled_from([
    "1", "2", "Q0", "a", "b", "X", "-1", "0", "5", "-7", "1e5", "nan", "inf", "9223372036854775807", "0:5", "3:1",
    "1:-1", "/a", "/a[1]", "/a[1]/b", "/a/b[2]/c", "a#/a", "a#/a/b", "#", "\xff",
])  # fmt: skip
LINES = st.lists(st.one_of(st.lists(CELLS, max_size=9), st.lists(CELLS, min_size=4, max_size=4)), max_size=8)
SEPARATOR = st.sampled_from([" ", "\t"])
TEXT = st.builds(
    lambda lines, separator, end, code: end.join(separator.join(cells) for cells in lines).encode(code),
    LINES, SEPARATOR, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["utf-8", "latin-1"]),
)  # fmt: skip

NAMES = [
    "inex-submission", "topic", "result", "file", "path", "rank", "rsv", "assessments", "element", "passage",
    "best-entry-point", "collection", "document", "link",
]  # fmt: skip
ATTRIBUTES = [
    "run-id", "topic-id", "topic", "name", "path", "exhaustivity", "size", "rsize", "relevance", "coverage", "id",
    "start", "end", "tag", "length", "to",
]  # fmt: skip


def element(children):
    def build(tag, attributes, content):
        shown = "".join(f" {name}='{value}'" for name, value in attributes.items())
        return f"<{tag}{shown}>" + "\n".join(content) + f"</{tag}>"

    attributes = st.dictionaries(st.sampled_from(ATTRIBUTES), CELLS, max_size=6)
    return st.builds(build, st.sampled_from(NAMES), attributes, st.lists(children, max_size=4))


XML = st.builds(
    lambda head, tree, cut: (head + tree).encode()[: cut or None],
    st.sampled_from(["", "<?xml version='1.0'?>", "<!DOCTYPE a SYSTEM 'a'>", "<!DOCTYPE a [<!ENTITY a 'b'>]>"]),
    st.recursive(st.one_of(CELLS, st.just("&a;"), st.just("&#0;")), element, max_leaves=12),
    st.integers(min_value=-20, max_value=0),
)
PACKED = st.builds(
    lambda compress, text, cut: compress(text)[: cut or None],
    st.sampled_from([gzip.compress, bz2.compress, lzma.compress]), TEXT, st.integers(min_value=-20, max_value=0),
)  # fmt: skip
MAGIC = st.builds(
    bytes.__add__,
    st.sampled_from([b"", b"\x1f\x8b", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"(\xb5/\xfd", b"<"]),
    st.binary(),
)
KEYS = ["topic", "doc", "start", "end", "length", "score", "run", "doc_length", "spans", "bep", "text"]
NUMBERS = st.one_of(st.integers(-1, 9), st.floats(), st.just(2**63), st.none(), st.booleans(), st.text(max_size=2))
VALUES = st.one_of(NUMBERS, st.lists(st.one_of(NUMBERS, st.lists(NUMBERS, max_size=3)), max_size=3))
JSON = st.builds(
    lambda lines, end, cut: end.join(map(json.dumps, lines)).encode()[: cut or None],
    st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n", "\n\n"]), st.integers(min_value=-20, max_value=0),
)  # fmt: skip
READERS = {
    "run": read_run,
    "run by rank": lambda path, **options: read_run(path, rank_by=RankBy.RANK, **options),
    "run by score": lambda path, **options: read_run(path, rank_by=RankBy.SCORE, **options),
    "assessments": read_assessments,
    "structure": read_structure,
    "structure of some": lambda path, **options: read_structure(path, {"a"}, **options),
    "navigation": read_navigation,
    "log": read_log,
}


@pytest.mark.parametrize("name", slow_but(["run", "assessments", "structure", "log"], READERS))
@settings(deadline=None)
@given(data=st.one_of(TEXT, XML, JSON, PACKED, MAGIC))
def test_any_bytes_are_read_or_refused(name, data):
    problems = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        READERS[name]("-", problems=problems.append)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with suppress(InputError):
            READERS[name]("-")
            assert not problems
    assert all("\n" not in str(problem) for problem in problems)
