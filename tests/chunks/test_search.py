"""Quotes in texts, exactly and folded: the places that a look at every stretch finds, however they are searched."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.chunks import search as module
from prum_eval.chunks import spans
from prum_eval.chunks.search import MAX_PLACES, Place, SearchedText, fold, search_document, search_documents

SIGNS = st.sampled_from(list("aaAbß“\"'—-  \n"))
TEXTS = st.text(SIGNS, max_size=25)
QUOTES = st.text(SIGNS, max_size=6).map(str.strip).filter(bool)


def slowly(quote, documents):
    """Places of a quote, as it is and folded, by a look at every stretch of every text."""
    exact, folded = [], []
    for name, text in documents:
        for start in range(len(text)):
            for end in range(start + 1, len(text) + 1):
                part = text[start:end]
                if part != part.strip() or fold(part) != fold(quote):
                    continue
                for places in (exact, folded) if part == quote else (folded,):
                    if not places or places[-1].document != name or places[-1].end <= start:
                        places.append(Place(name, start, end))
    return exact, folded


@settings(max_examples=150, deadline=None)
@given(st.lists(QUOTES, min_size=1, max_size=4), st.lists(TEXTS, max_size=4), st.sampled_from([1, 20, 1 << 20]))
def test_every_place_is_found(quotes, texts, batch):
    documents = [(f"d{number}", text) for number, text in enumerate(texts)]
    for together in (True, False):
        found = [SearchedText(quote) for quote in quotes]
        if together:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "_BATCH", batch)
                search_documents(found, documents)
        else:
            for name, text in documents:
                search_document(found, name, text)
        assert [(one.exact, one.folded) for one in found] == [slowly(quote, documents) for quote in quotes]


WORDS = st.sampled_from(["Tram", "the", "“fine”", "of", "60—70", "don't", "Straße", "is", "a", "valid\u00a0ticket"])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_disturbed_quote_is_found_where_it_was_cut_out(data):
    # every word has a number, so that no quote stands anywhere else
    count = data.draw(st.integers(3, 60))
    words = [f"{data.draw(WORDS)}{number:03}x" for number in range(count)]
    blanks = data.draw(st.lists(st.sampled_from([" ", "  ", "\n", "\n\n ", "\t"]), min_size=count, max_size=count))
    text = "".join(map(str.__add__, words, blanks))
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first, count - 1))
    start = text.index(words[first])
    end = text.index(words[last]) + len(words[last])
    quote = text[start:end]
    for change in (
        lambda one: one.replace(" ", " \u2003\n"),
        lambda one: one.translate(str.maketrans("“”'—", '"«’-')),
        str.upper,
        str.swapcase,
        lambda one: f"\n {one} ",
    ):
        if data.draw(st.booleans()):
            quote = change(quote)
    found = spans({"1": quote}, {"other": "words", "text": text})
    assert [one.places for one in found.quotes] == [(Place("text", start, end),)]
    assert found.quotes[0].match_kind == ("exact" if quote.strip() == text[start:end] else "folded")
    assert found.text == f'{{"topic": "1", "doc": "text", "doc_length": {len(text)}, "spans": [[{start}, {end}]]}}\n'


def test_quotes_of_many_lengths_in_many_texts():
    texts = [(f"d{number}", " ".join(f"w{number}-{word}" for word in range(80))) for number in range(60)]
    wanted = [
        SearchedText(text[start : start + length].strip()) for _, text in texts for start, length in ((5, 9), (99, 200))
    ]
    search_documents(wanted, texts)
    for one in wanted:
        assert (one.exact, one.folded) == slowly_exact(one.text, texts)


def slowly_exact(quote, documents):
    starts = [(name, text.find(quote)) for name, text in documents]
    places = [Place(name, start, start + len(quote)) for name, start in starts if start >= 0]
    return places, places


@pytest.mark.slow
def test_places_of_a_quote_are_bounded():
    wanted = [SearchedText("a"), SearchedText("A"), SearchedText("needle")]
    search_documents(wanted, [("d", "a " * 700_000), ("e", "a b" * 10 + "needle")])
    assert [(len(one.exact), len(one.folded)) for one in wanted] == [
        (MAX_PLACES, MAX_PLACES),
        (0, MAX_PLACES),
        (1, 1),
    ]
