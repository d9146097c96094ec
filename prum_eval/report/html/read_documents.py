"""Documents beside what a run returned of them, on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.analysis.explanation.read_documents import ReadDocument, Stretch
from prum_eval.report.markup import Markup, breakable, fill
from prum_eval.report.text.read_documents import in_words, ranks_in_words
from prum_eval.tabular import plural

LONGEST = {(True, True): 4000, (True, False): 4000, (False, True): 600, (False, False): 160}
"""Characters of a stretch that are shown, by (highlighted, read): of longer ones beginning and end."""

_SECTION = '<h2>The texts</h2>\n<p class="quiet">{legend}</p>\n{documents}{others}'
_LEGEND = Markup(
    'What is highlighted stands in <mark>yellow</mark>, what the run has is <span class="read">underlined</span>, with '
    'its rank before it, <span class="read again">twice</span> where it is read again, and what is highlighted and in '
    'no result is <mark class="missed">missed</mark>.'
)
_DOCUMENT = (
    '<section class="document"><h3>{name}</h3><p class="quiet">{said}</p><blockquote>{text}</blockquote></section>'
)
_READ = '<span class="read{again}" data-in="{keys}"><sup title="{said}">{ranks}</sup>{text}</span>'
_MARK = '<mark title="highlighted">{text}</mark>'
_MISSED = '<mark class="missed" title="missed">{text}</mark>'
_CUT = ' <span class="quiet">(... {count} more characters ...)</span> '
_VAIN = '<p class="quiet">Nothing is highlighted in {characters} of {documents}, {ranks}.</p>'


def documents_section(documents: Sequence[ReadDocument]) -> Markup:
    """The documents that have something highlighted, with what is read and missed; of the others how much is read."""
    if not any(document.highlighted for document in documents):
        return Markup("")
    others = [one for one in documents if not one.highlighted and one.read]
    vain = fill(
        _VAIN,
        characters=plural(sum(one.read for one in others), "character"),
        ranks=ranks_in_words(tuple(sorted({rank for one in others for rank in one.ranks}))),
        documents=plural(len(others), "other document"),
    )
    shown = [_document(one) for one in documents if one.highlighted]
    return fill(_SECTION, legend=_LEGEND, documents=shown, others=vain if others else "")


def _document(document: ReadDocument) -> Markup:
    text = [_stretch(one, document.text[one.start : one.end]) for one in document.stretches]
    return fill(
        _DOCUMENT, name=breakable(document.name, before="/"), said=f"Characters: {in_words(document)}.", text=text
    )


def _stretch(one: Stretch, text: str) -> Markup:
    read = bool(one.ranks)
    shown = Markup("".join(_shown(text, LONGEST[one.highlighted, read])))
    if one.highlighted:
        shown = fill(_MARK if read else _MISSED, text=shown)
    if not read:
        return shown
    keys = " ".join(f"r{rank}" for rank in one.ranks)
    ranks = ",".join(map(str, one.ranks[:4])) + ("..." if len(one.ranks) > 4 else "")
    again = " again" if len(one.ranks) > 1 else ""
    return fill(_READ, again=again, keys=keys, said=ranks_in_words(one.ranks), ranks=ranks, text=shown)


def _shown(text: str, longest: int) -> Iterator[Markup]:
    """All of a text, or its beginning and end."""
    if len(text) <= longest:
        yield fill("{text}", text=text)
        return
    half = longest // 2
    yield fill("{text}", text=text[:half])
    yield fill(_CUT, count=len(text) - 2 * half)
    yield fill("{text}", text=text[-half:])
