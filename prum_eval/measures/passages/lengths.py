"""Focused and thorough tasks: a user reads the results in order, all of each; what is read is counted in characters.

Source: inex_eval 3.1, tasks -f and -t; Lalmas et al., INEX 2006 Evaluation Measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.measures.passages.refusals import demanded
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.passages.segments import cut, first_cover
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

OVERLAP = Parameter(
    "overlap",
    "reject",
    "reject: text retrieved twice is an error (focused); novel: in a relevant article only what no earlier result "
    "covers counts, elsewhere every result in full (thorough)",
    ("reject", "novel"),
)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters `size` and relevant characters `relevant` of each result, shape (n,), and their topic's total T."""

    size: IntArray
    relevant: IntArray
    total: int


def whole(found: Retrieved) -> Lengths:
    """Every result counts in full: right where no text is retrieved twice."""
    return Lengths(found.size, found.relevant_size, found.judged.total)


def novel(found: Retrieved) -> Lengths:
    """In relevant articles only what no earlier result of the article covers counts; elsewhere every result, in full.

    A result that points to nothing counts 0 characters in a relevant article. From XML assessments a result's relevant
    characters are its rsize less the highlighted ones that earlier results cover, never below 0.
    """
    inside = found.is_relevant[found.article]
    size = np.where(inside & ~found.known, 0, found.size)
    relevant = found.relevant_size.copy()
    rows = np.flatnonzero(inside & found.known)
    judged = found.judged
    passages, owner = found.passages(np.flatnonzero(found.is_relevant))
    article = np.concatenate((found.article[rows], found.article[rows], owner, owner))
    position = (found.start[rows], found.end[rows], judged.start[passages], judged.end[passages])
    segments, number = cut(article, np.concatenate(position))
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(passages)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    own = np.zeros((2, len(rows)), dtype=np.int64)
    length = segments.length[covered]
    np.add.at(own[0], first[covered], length)
    np.add.at(own[1], first[covered], length * segments.covers(begin, stop)[covered])
    size[rows] = own[0]
    relevant[rows] = np.maximum(0, relevant[rows] - (found.highlighted[rows] - own[1]))
    return Lengths(size, relevant, judged.total)


def read_lengths(data: TopicData, values: ParameterValues) -> Lengths:
    """The lengths of a topic's results, as its `OVERLAP` parameter has them; made once for all measures.

    Raises:
        RefusedError: text is retrieved twice, and the parameter does not take that.
    """
    overlap = str(values["overlap"])
    found = demanded(data, overlap)
    return data.memo.once(("lengths", overlap), lambda: (novel if overlap == "novel" else whole)(found))
