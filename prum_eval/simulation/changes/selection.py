"""Which results stay, and in which order."""

from __future__ import annotations

import math

from prum_eval.numerics.levels import SLACK
from prum_eval.parameters import ParameterValues
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.results import Ranks, each_alone, items


def drop(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, draws: Draws) -> Ranks:
    """Each result dropped with probability p."""
    p = float(values["p"])
    kept = ([item for item in rank if draws.uniform() >= p] for rank in ranks)
    return [rank for rank in kept if rank]


def keep_first(ranks: Ranks, values: ParameterValues, _topic: ListedTopic, _draws: Draws) -> Ranks:
    """The first n results, or the first ceil(share t - 1e-9) of t."""
    listed = sum(map(len, ranks))
    left = int(values["n"]) if "n" in values else math.ceil(float(values["share"]) * listed - SLACK)
    kept: Ranks = []
    for rank in ranks:
        if left <= 0:
            break
        kept.append(rank[:left])
        left -= len(kept[-1])
    return kept


def reverse(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, _draws: Draws) -> Ranks:
    """The ranks in reverse order; the order within a rank stays."""
    return ranks[::-1]


def shuffle(ranks: Ranks, _values: ParameterValues, _topic: ListedTopic, draws: Draws) -> Ranks:
    """The results in random order, each with a rank of its own."""
    listed = list(items(ranks))
    draws.shuffle(listed)
    return each_alone(listed)
