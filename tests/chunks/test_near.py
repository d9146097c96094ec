"""Quotes that are nearly in the texts: the place that a look at every stretch finds."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from prum_eval.chunks import spans
from prum_eval.chunks.search import nearest_places
from prum_eval.errors import PrumEvalError

RANDOM = random.Random(1)
WORDS = ["".join(RANDOM.choices("abcdefghijklmnopqrstuvwxyz", k=RANDOM.randint(2, 9))) for _ in range(600)]
TEXTS = {f"d{number}": " ".join(RANDOM.choices(WORDS, k=600)) for number in range(30)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 29), st.integers(0, 3000), st.integers(26, 600), st.randoms(use_true_random=False))
def test_a_quote_with_errors_is_found_where_it_was_cut_out(number, start, length, dice):
    text = TEXTS[f"d{number}"]
    start = min(start, len(text) - length)
    signs = list(text[start : start + length].strip())
    for begin in range(3, len(signs) - 22, 25):  # an error in each 25 signs, none at the ends
        place = begin + dice.randrange(20)
        signs[place] = dice.choice(["", "#", signs[place] + "#"])
    quote = "".join(signs)
    (near,) = nearest_places([quote], TEXTS.items(), TEXTS.get, fuzz)
    (place,) = near.places
    assert place.document == f"d{number}"
    assert max(0, place.start - start) + max(0, start + length - place.end) < 12  # errors at the ends may be cut off
    assert near.score == fuzz.ratio(quote, near.text) > fuzz.ratio(quote, text[start : start + length].strip()) - 1
    assert near.text == text[place.start : place.end]


def test_equally_near_places_are_all_told():
    text = "The tram stops at the old harbour gate every nine minutes."
    texts = {"a": f"{text} Or not. {text}", "b": "Nothing.", "c": text}
    quote = "the tram stops at the new harbour gate every nine minutes"
    (near,) = nearest_places([quote], texts.items(), texts.get, fuzz)
    assert [(place.document, place.start) for place in near.places] == [("a", 0), ("a", 67), ("c", 0)]


def test_the_threshold():
    texts = {"d": "Passengers may take one suitcase along, free of charge, on all lines."}
    quote = {"1": "Passengers can take one suitcase along free of charge on all lines"}
    (one,) = spans(quote, texts, threshold=90).quotes
    assert (one.match_kind, round(one.score), one.places[0][1:]) == ("fuzzy", 96, (0, 68))
    with pytest.raises(PrumEvalError, match=r"is not in the texts; most like it \(96 of 100\): d 0:68"):
        spans(quote, texts, threshold=97)
