"""Structure text taken by blocks is what it is line by line, document by document; and so are its problems."""

from __future__ import annotations

from io import BytesIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.formats import structure_text as text
from prum_eval.formats.structure_text import read_structure_text
from prum_eval.text import lines

NAMES = st.sampled_from([b"a", b"bc", b"longer-name-1", b"longer-name-2", b"\xff", "\u00e9".encode()])
PATHS = st.sampled_from([b"/r[1]", b"/r[1]/p[1]", b"/r[1]/p[2]", b"/r[1]/p[1]/q", b"/r", b"/r[1]/p[0]", b""])
NUMBERS = st.sampled_from([b"0", b"7", b"12", b"123456789", b"-1", b"x", b""])
ODD_LINES = st.sampled_from([b"", b"# said", b"a\t/r[1]\t0", b"a\t/r[1]\t0\t9\r", b"\t/r[1]\t0\t9"])


@st.composite
def documents(draw):
    name = draw(NAMES)
    paths = [b"/r[1]", *draw(st.lists(PATHS, max_size=3))] if draw(st.integers(0, 9)) else [draw(PATHS)]
    sound = draw(st.integers(0, 9))
    number = st.just(b"0") if sound else NUMBERS
    found = [b"\t".join((name, path, draw(number), draw(number))) for path in paths]
    return found if draw(st.integers(0, 9)) else [*found, draw(ODD_LINES)]


def read(data, wanted):
    problems = []
    structure = read_structure_text(BytesIO(data), "s", wanted, problems.append)
    kept = {
        name: (one.paths, one.start.tolist(), one.length.tolist(), one.lines.tolist())
        for name, one in structure.documents.items()
    }
    return structure.elements, structure.characters, structure.names, kept, list(map(str, problems))


@given(st.lists(documents(), max_size=8), st.sampled_from([None, {"a"}, {"longer-name-2", "bc"}, set()]), st.data())
def test_blocks_are_line_by_line(listed, wanted, data):
    whole = b"\n".join(line for document in listed for line in document) + data.draw(st.sampled_from([b"", b"\n"]))
    with patch.object(lines, "BLOCK_BYTES", data.draw(st.sampled_from([1, 40, 1 << 20]))):
        found = read(whole, wanted)
        with patch.object(text._TextReader, "_begin_all", lambda *_: False):
            assert read(whole, wanted) == found
        with patch.object(text, "fast_table", lambda *_, **__: None):
            assert read(whole, wanted) == found


@pytest.mark.parametrize("size", [1, 30, 1 << 20])
def test_what_a_document_after_a_bad_line_lacks_is_not_reported(size):
    """Wherever the blocks are cut."""
    whole = b"bc\t/r[1]\t0\t-1\na\t/r[1]\t0\t0\na\t/r[1]/p[1]/q\t0\t0\n"
    with patch.object(lines, "BLOCK_BYTES", size):
        *_, problems = read(whole, None)
    assert problems == ["s:1: length: expected an integer, 0 or more, found '-1'"]
