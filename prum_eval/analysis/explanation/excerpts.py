"""What stands in a document where a result or a target is, with what the assessors highlighted there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LONGEST = 4000
"""Characters that an excerpt has at most."""
_FROM_POINT = 400
"""Characters that are shown from an entry point on."""
_BEFORE_MARK = 200

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text at a place.

    `start` is its offset in the document, `marks` are begin and end of what is highlighted in it.
    `before` and `after`: how many characters of the place are left out on either side of a long one.
    """

    start: int
    text: str
    marks: tuple[tuple[int, int], ...]
    before: int = 0
    after: int = 0

    def pieces(self, begin: int = 0) -> Iterator[tuple[str, bool]]:
        """The text from a character on, piece by piece, with each whether it is highlighted."""
        for low, high in self.marks:
            if high <= begin:
                continue
            if low > begin:
                yield self.text[begin:low], False
            yield self.text[max(low, begin) : high], True
            begin = high
        if begin < len(self.text):
            yield self.text[begin:], False


def make_excerpt(text: str, start: int, length: int | None, spans: Spans) -> Excerpt:
    """An excerpt of a document.

    Args:
        text: of the document.
        start: where the place begins.
        length: of the place; None for all that follows, 0 for a point, from which on some text is shown.
        spans: begin and end of what is highlighted in the document, in any order.

    >>> make_excerpt("abcdef", 1, 4, [(2, 3), (4, 9)])
    Excerpt(start=1, text='bcde', marks=((1, 2), (3, 4)), before=0, after=0)
    """
    end = len(text) if length is None else min(len(text), start + (length or _FROM_POINT))
    inside = joined((max(low, start), min(high, end)) for low, high in spans)
    begin = start
    if inside and inside[0][0] > start + LONGEST // 2 and end - start > LONGEST:
        begin = inside[0][0] - _BEFORE_MARK
    stop = min(end, begin + LONGEST)
    marks = tuple((low - begin, min(high, stop) - begin) for low, high in inside if low < stop)
    return Excerpt(begin, text[begin:stop], marks, begin - start, max(0, end - stop))


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same characters, in order, without overlap and without borders between what touches."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        elif low < high:
            joined.append((low, high))
    return joined
