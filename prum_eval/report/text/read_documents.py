"""Documents beside what a run returned of them, in lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.analysis.explanation.excerpts import make_excerpt
from prum_eval.analysis.explanation.read_documents import ReadDocument, Stretch
from prum_eval.report.text.excerpts import shortened, snippet
from prum_eval.tabular import plural

_NAMED = 4
"""How many ranks of a stretch are named."""


def document_lines(documents: Sequence[ReadDocument], width: int) -> Iterator[str]:
    """Each document that has something highlighted: what of it is read at which ranks, and missed; then all others.

    Nothing where nothing is highlighted: no text says then why a score is what it is.
    """
    if not any(document.highlighted for document in documents):
        return
    yield from ("", "The texts: what is highlighted, at which ranks it is read, what is missed")
    for document in documents:
        if document.highlighted:
            said = in_words(document)
            yield f"  {shortened(document.name, width - len(said) - 4)}: {said}"
            for one in document.stretches:
                if one.highlighted or one.ranks:
                    yield _line(one, document, width)
    others = [one for one in documents if not one.highlighted and one.read]
    if others:
        vain = plural(sum(one.read for one in others), "character")
        ranks = ranks_in_words(tuple(sorted({rank for one in others for rank in one.ranks})))
        yield f"  nothing highlighted in {vain} of {plural(len(others), 'other document')}, {ranks}"


def in_words(document: ReadDocument) -> str:
    """``137 highlighted, 78 found, 59 missed; 240 read, 0 of them again``: characters."""
    missed = document.highlighted - document.found
    found = f"{document.highlighted} highlighted, {document.found} found, {missed} missed"
    return f"{found}; {document.read + document.again} read, {document.again} of them again"


def ranks_in_words(ranks: Sequence[int]) -> str:
    """``rank 3``, ``ranks 3, 5``; of more than four the first and how many more; ``missed`` where there is none."""
    if not ranks:
        return "missed"
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return f"rank{'' if len(ranks) == 1 else 's'} {', '.join(map(str, ranks[:_NAMED]))}{more}"


def _line(one: Stretch, document: ReadDocument, width: int) -> str:
    marks = [(one.start, one.end)] if one.highlighted else []
    front = f"    {f'{one.start}+{len(one)}':<11} {ranks_in_words(one.ranks):<11} | "
    words = snippet(make_excerpt(document.text, one.start, len(one), marks), width - len(front)).strip()
    return (front + words).rstrip()
