"""Names get the codes that a dictionary of Python gives them, however many are added at once, whatever their hashes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.text import names as name_table
from prum_eval.text.lines import WORD_BYTES, unpack_names
from prum_eval.text.names import NameTable
from tests.slow import slow_but

SHORT = st.text("ab", min_size=1, max_size=3).map(str.encode)
LONG = st.sampled_from([b"x" * 7, b"x" * 8, b"x" * 9, b"x" * 16, b"x" * 17, b"y" * 40])
PARTS = st.lists(st.lists(st.one_of(SHORT, LONG), max_size=12), max_size=6)
HASHES = [name_table.hash_names, lambda names: np.zeros(names.shape[1], dtype=np.uint64), lambda names: ~names[0]]


def words_of(names):
    """Names as words, of shape (words of the longest, names)."""
    rows = -(-max(map(len, names), default=1) // WORD_BYTES)
    cells = np.array(names, dtype=f"S{rows * WORD_BYTES}")
    return np.ascontiguousarray(cells.view("<u8").reshape(len(names), rows).T)


@pytest.mark.parametrize("hashes", HASHES, ids=["hashed", "colliding", "at the end"])
@pytest.mark.parametrize("together", slow_but([3], [1, 3, 1 << 18]))
@settings(deadline=None)
@given(parts=PARTS, wanted=st.lists(st.one_of(SHORT, LONG)))
def test_names_have_the_codes_of_a_dictionary(hashes, together, parts, wanted):
    table, twin = NameTable(), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name_table, "hash_names", hashes)
        patch.setattr(name_table, "_LOOKUP_BATCH", together)
        patch.setattr(name_table, "_FEWEST_SLOTS", 2)
        for part in parts:
            codes = table.add(words_of(part))
            assert codes.tolist() == [twin.setdefault(name, len(twin)) for name in part]
            assert len(table) == len(twin)
        assert table.find(words_of(wanted)).tolist() == [twin.get(name, -1) for name in wanted]
        assert unpack_names(table.words) == list(twin)


def test_a_table_of_many_names_finds_each():
    names = words_of([b"%d" % number for number in range(50_000)])
    table = NameTable()
    assert table.add(names).tolist() == list(range(50_000))
    assert table.add(names[:, ::-1]).tolist() == list(range(50_000))[::-1]
    assert table.find(words_of([b"49999", b"50000", b"x" * 60])).tolist() == [49_999, -1, -1]
