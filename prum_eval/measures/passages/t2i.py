"""Relevant in context of 2010: a user reads an article until irrelevant text has used up the patience, T2I.

Source: inex_eval 3.1, task -i (T2I with a tolerance of 300 characters).
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.passages.generalised import measures_of_articles
from prum_eval.measures.passages.refusals import Demand
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.passages.segments import cut
from prum_eval.parameters import Parameter


def reading_scores(found: Retrieved, tolerance: float) -> FloatArray:
    """Relevant characters read / characters read in each article, shape (A,); 0 where it is not relevant.

    The user reads the retrieved text of the article in the order of the text, then the rest of it from the beginning,
    and stops with the `tolerance`-th irrelevant character. Text beyond the end of the article is irrelevant; the rest
    ends where the article or the last result in it ends.
    """
    scores, judged = np.zeros(found.articles), found.judged
    articles = np.flatnonzero(found.is_relevant)
    if not len(articles):
        return scores
    rows = np.flatnonzero(found.is_relevant[found.article] & found.known)
    stop = np.zeros(found.articles, dtype=np.int64)
    stop[articles] = np.maximum(judged.length[found.row[articles]], 0)
    np.maximum.at(stop, found.article[rows], found.end[rows])
    passages, owner = found.passages(articles)
    columns = (
        (articles, np.zeros(len(articles), dtype=np.int64)),
        (articles, stop[articles]),
        (found.article[rows], found.start[rows]),
        (found.article[rows], found.end[rows]),
        (owner, judged.start[passages]),
        (owner, judged.end[passages]),
    )
    article, position = (np.concatenate(column) for column in zip(*columns, strict=True))
    segments, number = cut(article, position)
    ends = np.cumsum([len(column[0]) for column in columns])[:-1]
    _, _, low, high, begin, finish = np.split(number, ends)
    first = segments.covers(low, high) > 0  # read first, as retrieved; then what lies between 0 and the stop
    order = np.lexsort((~first, segments.article))
    inside = (segments.start >= 0) & (segments.start < stop[segments.article])
    length = np.where(first | inside, segments.length, 0)[order]
    relevant = (segments.covers(begin, finish) > 0)[order]
    of_article = np.flatnonzero(np.diff(segments.article[order], prepend=-1))  # every article has a segment
    irrelevant = np.where(relevant, 0, length)
    before = np.cumsum(irrelevant) - irrelevant
    before -= np.repeat(before[of_article], np.diff(of_article, append=len(order)))
    read = np.add.reduceat(np.where(relevant & (before < tolerance), length, 0), of_article)
    wasted = np.minimum(np.add.reduceat(irrelevant, of_article), tolerance)
    scores[articles] = np.divide(read, read + wasted, out=np.zeros(len(read)), where=read > 0)
    return scores


MEASURES = measures_of_articles(
    "t2i",
    "t2i_",
    Parameter("tolerance", 300.0, "irrelevant characters after which the user stops; 0: before reading any", low=0.0),
    Demand.BLOCKS,
    reading_scores,
    "S is relevant / all characters read, by a user who reads what is retrieved in the article, then the rest of it, "
    "and stops with the irrelevant character that uses up the tolerance (relevant in context 2010).",
)
