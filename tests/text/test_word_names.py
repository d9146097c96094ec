"""Names kept as words: the same as a list of the names, and only those that are asked for are made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.text import names as name_columns
from prum_eval.text.lines import WORD_BYTES
from prum_eval.text.names import FILE_ENDINGS, TextNames, WordNames, match_documents, strip_document_suffix

ASCII = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
NEAR = st.text("ab./", min_size=1, max_size=3)
FILES = st.builds("{}{}".format, NEAR, st.sampled_from(["", "", *FILE_ENDINGS]))
NAMES = st.lists(st.one_of(ASCII, NEAR, FILES), min_size=1, unique=True)


def words_of(names):
    """The names as a table holds them, of shape (words of the longest, names)."""
    rows = -(-max(len(name.encode()) for name in names) // WORD_BYTES)
    cells = np.array([name.encode() for name in names], dtype=f"S{rows * WORD_BYTES}")
    return np.ascontiguousarray(cells.view("<u8").reshape(len(names), rows).T)


@given(NAMES, st.data())
def test_names_are_those_of_a_list(names, data):
    made, raw = TextNames(words_of(names)), WordNames(words_of(names))
    place = data.draw(st.integers(-len(names), len(names) - 1))
    some = data.draw(st.lists(st.integers(0, len(names) - 1)))
    assert made.select(np.array(some, dtype=np.int64)) == [names[code] for code in some]
    assert "all" not in vars(made)
    assert (len(made), list(made), made[1:3]) == (len(names), names, names[1:3])
    assert (made[place], raw[place]) == (names[place], names[place].encode())
    assert list(raw) == [name.encode() for name in names]
    assert list(raw.as_text) == names
    assert (made == tuple(names), tuple(names) == made, made == names[1:]) == (True, True, False)
    assert repr(made) == repr(tuple(names))


def test_a_place_behind_the_last_is_none():
    with pytest.raises(IndexError):
        TextNames(words_of(["a", "b"]))[2]


def test_bytes_beyond_ascii_are_not_taken_for_text():
    assert WordNames(words_of(["a", "\u00e9"])).as_text is None


STRANGE = st.sampled_from(["\ud800", "?", "a\x00", "x" * 90])
WANTED = st.sets(st.one_of(ASCII, NEAR, FILES, STRANGE, st.text(min_size=1)))


@pytest.mark.parametrize("colliding", [False, True])
@settings(deadline=None)
@given(names=NAMES, wanted=WANTED)
def test_codes_are_those_of_the_wanted_names(colliding, names, wanted):
    with pytest.MonkeyPatch.context() as patch:
        if colliding:
            patch.setattr(name_columns, "hash_names", lambda words: np.zeros(words.shape[1], dtype=np.uint64))
        found = match_documents(TextNames(words_of(names)), wanted)
    expected = [
        (name, code) for code, name in enumerate(names) if name in wanted or strip_document_suffix(name) in wanted
    ]
    assert list(found.items()) == expected


@settings(deadline=None)
@given(NAMES, st.sets(st.one_of(NEAR, FILES)))
def test_a_run_names_documents_or_their_files(names, documents):
    expected = {
        name: code for code, name in enumerate(names) if name in documents or strip_document_suffix(name) in documents
    }
    assert match_documents(names, documents) == expected
    assert match_documents(TextNames(words_of(names)), documents) == expected
