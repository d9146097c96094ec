"""What it costs to read a list, in characters: every result in full, also where it overlaps another one.

``costs[k]`` is what the first k ranks cost together, shape (o + 1,), ``costs[0]`` = 0. A result that points to nothing
costs 0; an item that successive results of an article form costs the sum of these.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, RefusedError
from prum_eval.measures.topic_data import JudgedTopic, TopicData
from prum_eval.text.numbers import shown
from prum_eval.user_models.modifiers import item_of_results


def reading_costs(data: TopicData) -> FloatArray:
    """The costs of a run's list.

    Raises:
        RefusedError: a result of unknown length.
    """
    ranking = data.ranking
    length = np.where(ranking.exists, ranking.locations.length, 0)
    unknown = np.flatnonzero(length < 0)
    if len(unknown):
        rank = int(unknown[0])
        reason = f"the length of this result, of document {shown(ranking.document_names()[rank])}, is not known"
        raise RefusedError(ranking.path, int(ranking.lines[rank]), reason)
    return _by_rank(length, ranking.locations.document, data.reach.ranks)


def ideal_costs(judged: JudgedTopic, rows: IntArray, ranks: int) -> FloatArray:
    """The costs of a list of targets that a user sees as so many ranks.

    Raises:
        DataError: a target of unknown length.
    """
    targets = judged.targets.locations.take(rows)
    unknown = rows[targets.length < 0]
    if len(unknown):
        name = shown(judged.targets.nodes[int(unknown[0])])
        raise DataError(f"{judged.assessed.path}: topic {judged.name}: the length of target {name} is not known")
    return _by_rank(targets.length, targets.document, ranks)


def _by_rank(length: IntArray, document: IntArray, ranks: int) -> FloatArray:
    """Running sums of the lengths at each rank; fewer ranks than results are items of successive ones."""
    sums = np.concatenate(([0.0], np.cumsum(length.astype(np.float64))))
    if ranks == len(length):
        return sums
    return sums[np.searchsorted(item_of_results(document), np.arange(ranks + 1))]
