"""Where the texts of chunks stand in their documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.chunks.search import Sought, search_document

_CUT = "\ufffd"  # what decoders of tokens put where a character was cut in two
_MOST = 200  # places of a chunk that are weighed against each other

_Extent = tuple[int, int]
"""Start and end."""


def occurrences(chunk: str, text: str) -> list[_Extent]:
    """Where a chunk stands in a text: exactly, else without characters that were cut at its ends, else folded."""
    for part in dict.fromkeys((chunk, chunk.strip(_CUT))):
        found: list[_Extent] = []
        place = text.find(part) if part else -1
        while place >= 0 and len(found) < _MOST:
            found.append((place, place + len(part)))
            place = text.find(part, place + 1)
        if found:
            return found
    words = chunk.strip(_CUT).strip()
    if not words:
        return []
    sought = Sought(words)
    search_document([sought], "", text)
    return [(place.start, place.end) for place in sought.folded[:_MOST]]


def chosen_places(places: Sequence[Sequence[_Extent]], length: int, said: Sequence[int | None]) -> list[_Extent]:
    """Of several chunks of a text, cut one after the other, the place of each among those where it stands.

    Chosen so that the sum of the squares of all gaps and overlaps is least, for splitters overlap evenly. A gap counts
    no more than the longer of the two chunks, but one of the whole text for a step back, of two for none at all. Among
    equal sums that with most chunks where they are said to begin.
    """
    begin = end = np.zeros(1, dtype=np.int64)
    cost = np.zeros(1)
    before: list[IntArray] = []  # for each place of a chunk, which of the one before leads there
    for number, some in enumerate(places):
        starts, ends = np.array(some, dtype=np.int64).reshape(-1, 2).T
        back = starts < begin[:, None]
        same = (starts == begin[:, None]) & (ends == end[:, None]) if number else np.zeros_like(back)
        longer = np.maximum(ends - starts, (end - begin)[:, None])
        gaps = np.where(back | same, (length + 1) * (1 + same), np.minimum(np.abs(starts - end[:, None]), longer))
        ways = cost[:, None] + gaps**2.0 + (starts != said[number]) / (len(places) + 1)
        best = ways.argmin(axis=0)
        before.append(best)
        cost = ways[best, np.arange(len(starts))]
        begin, end = starts, ends
    chosen: list[_Extent] = []
    at = int(cost.argmin())
    for some, best in zip(reversed(places), reversed(before), strict=True):
        chosen.append(some[at])
        at = int(best[at])
    return chosen[::-1]
