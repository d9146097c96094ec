"""What the passage tasks do not accept, each refused with the line of the run: no number is made of it.

Focused and in-context tasks refuse text retrieved twice; in-context tasks refuse an article that comes back after
another one; best in context refuses a second result of an article.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from prum_eval.errors import RefusedError
from prum_eval.measures.passages.retrieved import Retrieved, retrieved
from prum_eval.measures.passages.segments import keys
from prum_eval.measures.topic_data import TopicData
from prum_eval.text.numbers import shown


class Demand(Enum):
    """What a task demands of the results of a topic; each demand includes those before it."""

    NOTHING = 0  # thorough
    NO_OVERLAP = 1  # focused
    BLOCKS = 2  # in context: and the results of an article stand together
    ONE_RESULT = 3  # best in context: and there is one an article


_DEMANDS = {"ranks": Demand.BLOCKS, "points": Demand.ONE_RESULT, "reject": Demand.NO_OVERLAP}
"""What values of the parameters `counts` and `overlap` demand of a run; other values demand nothing."""


def demanded(data: TopicData, value: str) -> Retrieved:
    """The retrieved text of a topic, after a look at what that value of `counts` or `overlap` refuses."""
    return checked(data, _DEMANDS.get(value, Demand.NOTHING))


def checked(data: TopicData, wanted: Demand, overlap: str = "novel") -> Retrieved:
    """The retrieved text of a topic, after a look at what its task refuses; `overlap`: the setting that takes it."""
    found = retrieved(data)
    data.memo.once(("demand", wanted), lambda: demand(found, wanted, overlap))
    return found


def demand(found: Retrieved, wanted: Demand, overlap: str) -> None:
    """Refuse the first result that breaks a demand.

    Raises:
        RefusedError: with the line of that result.
    """
    broken = len(found) > found.articles if wanted is Demand.ONE_RESULT else False
    if wanted is Demand.BLOCKS:
        broken = int(np.count_nonzero(np.diff(found.article))) + 1 > max(1, found.articles)
    if broken or (wanted in (Demand.NO_OVERLAP, Demand.BLOCKS) and _overlapping(found)):
        _refuse(found, wanted, overlap)


def _overlapping(found: Retrieved) -> bool:
    """Whether two results share text: start < other's end and end > other's start, in one article.

    Results that touch do not; one without length does strictly inside another one. Sorted by start, then end, a
    result overlaps an earlier one iff it starts before the furthest end so far.
    """
    rows = np.flatnonzero(found.known)
    article, start, end = found.article[rows], found.start[rows], found.end[rows]
    locations = keys(np.concatenate((article, article)), np.concatenate((start, end)))
    begin, stop = locations[: len(rows)], locations[len(rows) :]
    order = np.lexsort((stop, begin))
    reached = np.maximum.accumulate(stop[order])  # keys of a later article are larger than all of this one
    return bool((reached[:-1] > begin[order][1:]).any())


def _refuse(found: Retrieved, wanted: Demand, overlap: str) -> None:
    """Find the first result that breaks a demand, in the order of the run, and say so."""
    before: dict[int, list[int]] = {}
    articles = found.article.tolist()
    for rank, article in enumerate(articles):
        earlier = before.setdefault(article, [])
        if earlier and wanted is not Demand.NO_OVERLAP and articles[rank - 1] != article:
            what = "comes back after another one; in context, the results of a document stand together"
            what += ": --merge document brings them there"
            raise _error(found, rank, earlier[-1], what)
        if earlier and wanted is Demand.ONE_RESULT:
            raise _error(found, rank, earlier[-1], "has a second result; best in context takes one a document")
        for other in earlier:
            if _share(found, rank, other):
                type_ = f"--set overlap={overlap}" if wanted is Demand.NO_OVERLAP else "--merge document"
                raise _error(found, rank, other, f"has results that overlap; {type_} takes them")
        earlier.append(rank)


def _share(found: Retrieved, one: int, other: int) -> bool:
    both = found.known[one] and found.known[other]
    return bool(both and found.start[other] < found.end[one] and found.end[other] > found.start[one])


def _error(found: Retrieved, rank: int, other: int, what: str) -> RefusedError:
    ranking = found.ranking
    name = shown(ranking.document_names()[rank])
    reason = f"document {name} of topic {shown(found.topic)}, retrieved on line {ranking.lines[other]}, {what}"
    return RefusedError(ranking.path, int(ranking.lines[rank]), reason)
