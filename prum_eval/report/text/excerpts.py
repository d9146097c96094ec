"""Excerpts of documents and long names on one line of a terminal."""

from __future__ import annotations

import re

from prum_eval.analysis.explanation.excerpts import Excerpt

_BLANKS = re.compile(" +")
_CUT = "..."
_BEGIN, _END = "[[", "]]"


def shortened(words: str, width: int) -> str:
    """A text that fits: the middle is left out, more of the end stays than of the beginning.

    >>> shortened("d /article[1]/body[1]/section[2]/p[3]", 24)
    'd /artic...ction[2]/p[3]'
    """
    if len(words) <= width:
        return words
    front = (width - 3) * 2 // 5
    return f"{words[:front]}...{words[len(words) - (width - 3 - front) :]}"


def snippet(excerpt: Excerpt, width: int) -> str:
    """As much of an excerpt as fits, from its beginning or shortly before what is highlighted, which stands in [[ ]].

    >>> snippet(Excerpt(0, "The tides rise twice a day.", ((4, 14),)), 24)
    'The [[tides rise]] tw...'
    """
    first = excerpt.marks[0][0] if excerpt.marks else 0
    begin = 0
    if first > width // 2:
        begin = excerpt.text.find(" ", first - width // 4, first) + 1 or first
    line = _CUT if begin or excerpt.before else ""
    rest = bool(excerpt.after)
    pieces = list(excerpt.pieces(begin))
    for number, (piece, marked) in enumerate(pieces):
        words = _BLANKS.sub(" ", "".join(sign if sign.isprintable() else " " for sign in piece))
        around = len(_BEGIN + _END) if marked else 0
        last = number == len(pieces) - 1 and not rest
        room = width - len(line) - around - (0 if last else len(_CUT))
        if len(words) > room:
            words, rest = words[: max(0, room - (len(_CUT) if last else 0))], True
            line += f"{_BEGIN}{words}{_END}" if marked and words else words
            break
        line += f"{_BEGIN}{words}{_END}" if marked else words
    return line + (_CUT if rest else "")
