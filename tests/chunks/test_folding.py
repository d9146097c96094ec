"""Folding: what is contained stays so, and offsets lead back."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from prum_eval.chunks.search import FoldedOffsets, fold

SIGNS = st.sampled_from(list("aAbσςΣßẞİıﬁŉ'\"“”«—-–  \n\t\r\u2003\u1680\x1f\x85.é\U0001f600\ud800"))
TEXTS = st.text(SIGNS, max_size=30)


def slowly(text):
    """Folded characters with the place of the character that they come from."""
    signs = [(sign, place) for place, raw in enumerate(text) for sign in fold(f"x{raw}x")[1:-1]]
    return [
        one
        for number, one in enumerate(signs)
        if not (one[0] == " " and (number == 0 or signs[number - 1][0] == " " or not text[one[1] :].strip()))
    ]


@settings(deadline=None)
@given(TEXTS)
def test_offsets_are_those_of_every_character_by_itself(text):
    expected = slowly(text)
    assert fold(text) == "".join(sign for sign, _ in expected)
    offsets = FoldedOffsets(text)
    for begin, (_, first) in enumerate(expected):
        for end in range(begin + 1, len(expected) + 1):
            last = expected[end - 1][1]
            assert offsets.original_span(begin, end) == (first, last + 1)
            cut = [one for number, (_, one) in enumerate(expected) if not begin <= number < end]
            assert offsets.is_whole(begin, end) == (first not in cut and last not in cut)


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
@example("x  ", "a", "  y")
def test_what_is_contained_stays_so(before, text, after):
    assert fold(text) in fold(before + text + after)


def test_what_is_folded():
    quoted = "„Straße“ «a» ‹b› `c´ \"d\" 'e'"
    assert fold(quoted) == "'strasse' 'a' 'b' 'c' 'd' 'e'"
    assert fold("\u00a0a\u2009–\n\n\tB \u2014\u2212-") == "a - b ---"
    assert fold("\ufb01n \u03a3\u03c2\u03c3") == "fin \u03c3\u03c3\u03c3"
