"""Documents beside what a run returned of them: what is highlighted, at which ranks it is read, what is missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from prum_eval.analysis.explanation.excerpts import Spans, joined


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters `start` to `end` of a document: all of them highlighted or none, and all read at the same `ranks`."""

    start: int
    end: int
    highlighted: bool
    ranks: tuple[int, ...]

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document: its `stretches`, in order, are the whole `text`."""

    name: str
    text: str
    stretches: tuple[Stretch, ...]

    @property
    def highlighted(self) -> int:
        """Characters that are highlighted."""
        return sum(len(one) for one in self.stretches if one.highlighted)

    @property
    def found(self) -> int:
        """Of these, those that some rank has."""
        return sum(len(one) for one in self.stretches if one.highlighted and one.ranks)

    @property
    def read(self) -> int:
        """Characters that some rank has, highlighted or not."""
        return sum(len(one) for one in self.stretches if one.ranks)

    @property
    def again(self) -> int:
        """Characters that are read once more, as often as they are."""
        return sum(len(one) * (len(one.ranks) - 1) for one in self.stretches if one.ranks)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that have some of it."""
        return tuple(sorted({rank for one in self.stretches for rank in one.ranks}))


def read_document(name: str, text: str, spans: Spans, results: Iterable[tuple[int, int, int]]) -> ReadDocument:
    """A document beside the results that are in it.

    Args:
        name: of the document.
        text: of the document.
        spans: begin and end of what is highlighted, in any order.
        results: rank, begin and end of each result; what is outside the text does not count.

    >>> read_document("d", "abcdef", [(1, 3)], [(1, 2, 5), (2, 4, 5)]).stretches[1:3]
    (Stretch(start=1, end=2, highlighted=True, ranks=()), Stretch(start=2, end=3, highlighted=True, ranks=(1,)))
    """
    last = len(text)
    marks = joined((max(low, 0), min(high, last)) for low, high in spans)
    events: dict[int, list[tuple[int, bool]]] = {0: [], last: []}  # by place: what begins or ends there; rank 0: a mark
    for rank, low, high in [(0, *mark) for mark in marks] + [(k, max(a, 0), min(b, last)) for k, a, b in results]:
        if low < high:
            events.setdefault(low, []).append((rank, True))
            events.setdefault(high, []).append((rank, False))
    here: list[int] = []
    stretches: list[Stretch] = []
    places = sorted(events)
    for start, end in pairwise(places):
        for rank, begins in events[start]:
            here.append(rank) if begins else here.remove(rank)
        stretches.append(Stretch(start, end, 0 in here, tuple(sorted({rank for rank in here if rank}))))
    return ReadDocument(name, text, tuple(stretches))
