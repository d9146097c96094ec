"""Structure text for an index: cut between documents, and read at once as the reader of structures reads it."""

from __future__ import annotations

from io import BytesIO
from unittest.mock import patch

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from prum_eval.collection import index_sources as text_module
from prum_eval.collection.index_batches import trees_from_documents
from prum_eval.errors import InputError, raise_first
from prum_eval.formats.structure_text import parse_document_block
from prum_eval.text import lines as text_lines
from prum_eval.text.lines import LineBlock

BESIDE = st.sampled_from(["# said", "", "\r"])


@st.composite
def listings(draw):
    """Lines of documents, some of them long, with a few lines beside."""
    lines = []
    for number in range(draw(st.integers(1, 8))):
        for element in range(draw(st.integers(1, 9))):
            lines.append(f"d{number}\t/a[1]/b[{element}]\t0\t{'7' * draw(st.integers(1, 9))}")
            if not draw(st.integers(0, 7)):
                lines.append(draw(BESIDE))
    return [f"{line}\n".encode() for line in lines]


@given(listings(), st.integers(1, 300), st.sampled_from([1, 40, 1 << 20]), st.integers(1, 60))
def test_chunks_are_whole_documents(lines, chunk, block, near):
    whole = b"".join(lines)
    with (
        patch.object(text_module, "STRUCTURE_BLOCK_BYTES", chunk),
        patch.object(text_module, "_SEARCH_BYTES", near),
        patch.object(text_lines, "BLOCK_BYTES", block),
    ):
        found = list(text_module.structure_blocks(BytesIO(whole), "s"))
    assert b"".join(one.text for one in found).replace(b"\r", b"") == whole.replace(b"\r", b"")
    line, seen = 1, set()
    for one in found:
        assert (one.first_line, one.lines) == (line, one.text.count(b"\n"))
        line += one.lines
        names = {row.split(b"\t")[0] for row in one.text.splitlines() if b"\t" in row}
        assert names.isdisjoint(seen)
        seen |= names


STEPS = st.sampled_from(["/a[1]", "/a[2]", "/b[1]", "/b", "/c[01]", "/d[1][2]", "/e[", "/f/[1]", "/[1]", "/g]1["])


@st.composite
def texts(draw, *, odd):
    """Documents in pre-order, with odd steps or without."""
    lines = []
    for name in draw(
        st.lists(st.sampled_from(["x", "y/1", "z[2]", "long-name-of-a-document"]), min_size=1, unique=True)
    ):
        paths = ["/r[1]"]
        for _ in range(draw(st.integers(0, 6))):
            above = draw(st.integers(0, len(paths) - 1))
            step = draw(STEPS) if odd else f"/{draw(st.sampled_from('ab'))}[{draw(st.integers(1, 3))}]"
            path = paths[above] + step
            behind = max(i for i, one in enumerate(paths) if one == paths[above] or one.startswith(f"{paths[above]}/"))
            if path not in paths:
                paths.insert(behind + 1, path)
        lines += [f"{name}\t{path}\t0\t9\n" for path in paths]
    return "".join(lines).encode()


@given(texts(odd=True) | texts(odd=False))
@example(b"x\t/r[1]\t0\t9\nx\t/r[1]/a[1]\t3\t4\n")
def test_what_is_read_at_once_is_what_is_read_one_by_one(text):
    block = LineBlock(3, text.count(b"\n"), text)
    found = text_module.parse_trees(block)
    if found is None:
        return
    try:
        documents = parse_document_block(block, "s", raise_first)
    except InputError as error:
        raise AssertionError(text) from error
    plain = trees_from_documents(documents, [int(document.lines[0]) for document in documents])
    assert (found.names, found.lines.tolist()) == (plain.names, plain.lines.tolist())
    assert [found.tags[code] for code in found.tag] == [plain.tags[code] for code in plain.tag]
    for column in ("bounds", "rank", "parent", "size", "start", "length"):
        assert np.array_equal(getattr(found, column), getattr(plain, column))


@given(texts(odd=False))
def test_sound_documents_are_read_at_once(text):
    assert text_module.parse_trees(LineBlock(1, text.count(b"\n"), text)) is not None
