"""Places of chunks: those of the least sum, as an enumeration of all finds it; texts that decoders have cut."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.chunks import align
from prum_eval.chunks.results import choose_places, find_occurrences


def cost(chosen, length, said):
    """Squares of gaps and overlaps, and how many are elsewhere than they are said to be."""
    total, begin, end = 0, 0, 0
    for number, place in enumerate(chosen):
        if number > 0 and place == (begin, end):
            gap = 2 * (length + 1)
        elif place[0] < begin:
            gap = length + 1
        else:
            gap = min(abs(place[0] - end), max(end - begin, place[1] - place[0]))
        total += gap**2
        begin, end = place
    return total, sum(place[0] != one for place, one in zip(chosen, said, strict=True))


EXTENTS = st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda one: (one[0], one[0] + one[1]))
CHUNKS = st.tuples(st.lists(EXTENTS, min_size=1, max_size=3), st.none() | st.integers(0, 9))


@settings(deadline=None)
@given(st.lists(CHUNKS, max_size=5))
def test_the_sum_is_least(chunks):
    places, said = [one for one, _ in chunks], [one for _, one in chunks]
    chosen = choose_places(places, 13, said)
    assert all(one in some for one, some in zip(chosen, places, strict=True))
    assert cost(chosen, 13, said) == min(cost(one, 13, said) for one in product(*places))


@settings(deadline=None)
@given(st.text("ab ", min_size=1, max_size=40), st.integers(1, 9))
def test_pieces_one_after_the_other_have_the_places_where_they_were_cut(text, size):
    cut = [(start, text[start : start + size]) for start in range(0, len(text), size)]
    chunks = [{"doc": "d", "text": piece, "start": -1} for _, piece in cut]
    assert [one["start"] for one in align(chunks, {"d": text}).chunks] == [start for start, _ in cut]


def test_a_second_round_begins_at_the_top():
    text = "one two one two"
    pieces = [("one two", 0), ("one two", 8), ("one", 0), ("two", 4), ("one", 8), ("two", 12)]
    chunks = [{"doc": "d", "text": piece} for piece, _ in pieces]
    assert [one["start_index"] for one in align(chunks, {"d": text}).chunks] == [start for _, start in pieces]


def test_how_a_chunk_is_looked_for():
    text = "Fünf  “Wege” führen. Fünf"
    assert find_occurrences("Fünf", text) == [(0, 4), (21, 25)]
    assert find_occurrences("\ufffdnf  “Wege” f\ufffd\ufffd", text) == [(2, 14)]
    assert find_occurrences(" FÜNF 'wege' \ufffd", text) == [(0, 12)]
    assert find_occurrences("Wegen", text) == find_occurrences("", text) == find_occurrences("\ufffd", text) == []
    assert len(find_occurrences("a", "a" * 500)) == 200
