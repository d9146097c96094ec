"""Texts without what people change when they copy: white space, quotation marks, dashes, letter case."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, IntArray

_QUOTATION_MARKS = '"`´‘’‚‛“”„‟′″‵‶«»‹›「」『』〝〞〟＂＇ʼ'
_DASHES = "‐‑‒–—―−﹘﹣－"
_MARKS = {**dict.fromkeys(_QUOTATION_MARKS, "'"), **dict.fromkeys(_DASHES, "-")}
_one_form = partial(re.compile(f"[{re.escape(''.join(_MARKS))}]").sub, lambda found: _MARKS[found[0]])
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()])


def fold(text: str) -> str:
    r"""The text with one form of each: a blank for white space (none at the ends), ``'``, ``-``, small letters.

    Every character is folded by itself, so that what a text contains is contained in the same way when both are folded.

    >>> fold(" “Straße”\n  —  A")
    "'strasse' - a"
    """
    return " ".join(_one_form(text.casefold()).split())


class Offsets:
    """Where the characters of a folded text are in the text itself."""

    def __init__(self, text: str) -> None:
        folded = text.casefold()
        widths: IntArray | None = None  # of the characters of the text; None where all are 1
        if len(folded) != len(text):
            widths = np.fromiter((len(sign.casefold()) for sign in text), dtype=np.int64, count=len(text))
        origins = np.arange(len(text), dtype=np.int32 if len(text) < 1 << 31 else np.int64)
        origins = origins if widths is None else np.repeat(origins, widths)
        blank = np.isin(np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), _SPACES)
        kept: BoolArray = ~blank
        kept[1:] |= blank[1:] & ~blank[:-1]  # the first of a run, but not at the ends of the text
        if blank.any():
            inside = np.flatnonzero(~blank)
            kept[: inside[0] if len(inside) else len(kept)] = False
            kept[inside[-1] + 1 if len(inside) else 0 :] = False
        self._origins = origins[kept]

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Start and end in the text of characters ``begin:end`` of the folded text, one at least."""
        return int(self._origins[begin]), int(self._origins[end - 1]) + 1

    def whole(self, begin: int, end: int) -> bool:
        """Whether these are whole characters of the text, not one of the two that a sign was folded to."""
        origins = self._origins
        return (begin == 0 or origins[begin - 1] != origins[begin]) and (
            end == len(origins) or origins[end] != origins[end - 1]
        )
