"""Documents beside what a run returned of them: against sets of characters."""

from hypothesis import given
from hypothesis import strategies as st

from prum_eval.analysis.explanation import make_read_document
from prum_eval.report.html_explanation import MAX_TEXT_LENGTHS, documents_section
from prum_eval.report.text_explanation import format_ranks

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), max_size=4)


@given(st.integers(0, 25), SPANS, SPANS)
def test_every_character_is_in_one_stretch(length, spans, results):
    ranked = [(rank, *one) for rank, one in enumerate(results, 1)]
    found = make_read_document("d", "x" * length, spans, ranked)
    seen = 0
    for one in found.stretches:
        assert one.start == seen < one.end
        seen = one.end
        for place in range(one.start, one.end):
            assert one.highlighted is any(low <= place < high for low, high in spans)
            assert one.ranks == tuple(rank for rank, low, high in ranked if low <= place < high)
    assert seen == length
    inside = [set(range(low, min(high, length))) for low, high in results]
    marked = set().union(*(range(low, min(high, length)) for low, high in spans))
    assert found.highlighted_size == len(marked)
    assert found.read_size == len(set().union(*inside))
    assert found.highlighted_read == len(marked & set().union(*inside))
    assert found.read_size + found.reread_size == sum(map(len, inside))
    assert found.ranks == tuple(rank for rank, one in enumerate(inside, 1) if one)


def test_a_rank_that_has_a_character_twice_is_named_once():
    found = make_read_document("d", "abcd", [], [(1, 0, 3), (1, 1, 4)])
    assert {one.ranks for one in found.stretches} == {(1,)}


def test_many_ranks_are_counted():
    assert format_ranks([1, 2, 3, 4]) == "ranks 1, 2, 3, 4"
    assert format_ranks(range(1, 8)) == "ranks 1, 2, 3, 4 and 3 more"


def test_long_stretches_are_cut_on_the_page():
    text = "a" * 1000 + "b" * 5000 + "c" * 1000
    page = documents_section([make_read_document("d", text, [(1000, 6000)], [(1, 6000, 7000)])])
    for sign, count, key in (("a", 1000, (False, False)), ("b", 5000, (True, False)), ("c", 1000, (False, True))):
        half = MAX_TEXT_LENGTHS[key] // 2
        more = f' <span class="quiet">(... {count - 2 * half} more characters ...)</span> '
        assert f"{sign * half}{more}{sign * half}" in page
