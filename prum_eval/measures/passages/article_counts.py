"""Counts of articles, which passage tasks have in place of those of results and targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from prum_eval.measures.passages.refusals import DEMANDS, Demand, checked
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.topic_data import TopicData

_COUNTS: Mapping[str, Callable[[Retrieved], int]] = {
    "num_ret": lambda found: found.articles,
    "num_rel": lambda found: found.judged.count,
    "num_rel_ret": lambda found: int(np.count_nonzero(found.is_relevant)),
}


def articles(name: str, data: TopicData, counts: str) -> int:
    """The count of that name, in articles, of a run that meets the demands of `counts`.

    Raises:
        RefusedError: it does not.
    """
    return _COUNTS[name](checked(data, DEMANDS.get(counts, Demand.NOTHING)))
