"""An excerpt of a document on a page."""

from __future__ import annotations

from prum_eval.analysis.explanation.excerpts import Excerpt
from prum_eval.report.markup import Markup, fill

SHORT = 360
"""Characters of an excerpt that is not folded."""
_WHOLE = '<blockquote class="excerpt">{text}</blockquote>'
_FOLDED = '<details class="excerpt"><summary>{front}{head}...</summary><blockquote>{text}</blockquote></details>'
_LEFT_OUT = '<span class="quiet">({count} more characters)</span>'


def quoted(excerpt: Excerpt | None) -> Markup:
    """The text with what is highlighted in <mark>; a long one is folded, and its beginning stands for it."""
    if excerpt is None or not excerpt.text.strip():
        return Markup("")
    text = [*_left_out(excerpt.before), *_marked(excerpt, 0, len(excerpt.text)), *_left_out(excerpt.after)]
    if len(excerpt.text) <= SHORT:
        return fill(_WHOLE, text=text)
    first = excerpt.marks[0][0] if excerpt.marks else 0
    begin = first - SHORT // 8 if first > SHORT // 2 else 0
    return fill(_FOLDED, front="..." if begin else "", head=_marked(excerpt, begin, SHORT // 2), text=text)


def _left_out(count: int) -> list[str]:
    return [" ", fill(_LEFT_OUT, count=count), " "] if count else []


def _marked(excerpt: Excerpt, begin: int, most: int) -> list[str]:
    """So many characters from one on."""
    parts: list[str] = []
    for piece, marked in excerpt.pieces(begin):
        parts.append(fill("<mark>{text}</mark>", text=piece[:most]) if marked else piece[:most])
        most -= len(piece)
        if most <= 0:
            break
    return parts
