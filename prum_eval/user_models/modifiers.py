"""What every user model can do besides: open a document once, lose patience with the rank, see results as items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import Model, RankedTopic, Reach

_CHANGING = (
    Parameter("once", "off", "do not navigate again from a document that an earlier rank opened", ("on", "off")),
    Parameter("rank_decay", 1.0, "navigation at rank k is multiplied by this to the k - 1", low=0.0, high=1.0),
    Parameter("items", "none", "article: successive results of one article form one item", ("none", "article")),
)
_CONSIDER = Parameter(
    "consider",
    1.0,
    "the j-th element of an item is considered with this to the j - 1",
    low=0.0,
    high=1.0,
    law="geometric",
)
MODIFIERS = (*_CHANGING, _CONSIDER)
"""Parameters that every user model has."""


def modifies(values: ParameterValues) -> bool:
    """Whether any of the modifiers is off its default, so that a rank depends on the ranks before it."""
    return any(values[one.name] != one.default for one in _CHANGING)  # consider only says how items are seen


def joins_items(values: ParameterValues) -> bool:
    """Whether successive results of one article form an item."""
    return values["items"] == "article"


def passes_over(values: ParameterValues) -> bool:
    """Whether the user may pass over elements of an item."""
    return float(values["consider"]) < 1


def item_of_results(document: IntArray) -> IntArray:
    """The number, from 0, of the item of each result, where successive results of one article form one.

    A result that is nowhere (document -1) is an item of its own.
    """
    fresh = np.ones(len(document), dtype=np.bool_)
    fresh[1:] = (document[1:] != document[:-1]) | (document[1:] < 0)
    return np.cumsum(fresh) - 1


def modified(base: Model, values: ParameterValues) -> Model:
    """A model with once, rank_decay and items applied."""
    once, decay = values["once"] == "on", float(values["rank_decay"])
    articles, consider = joins_items(values), float(values["consider"])

    def model(ranked: RankedTopic) -> Reach:
        reach = base(ranked)
        document = ranked.results.document
        ranks = np.arange(len(document))
        position = item_of_results(document) if articles else ranks
        if once:
            reach = _open_once(reach, document, position)
        if decay < 1:
            reach = _decay_with_rank(reach, decay, position)
        if not articles:
            return reach
        within = ranks - np.searchsorted(position, position)
        return _combine_items(reach, position, consider ** within.astype(np.float64))

    return model


def _open_once(reach: Reach, document: IntArray, position: IntArray) -> Reach:
    """No navigation from a document that a result at an earlier position already opened: only itself is seen.

    `document` and `position` (its rank, or its item's number) have one entry a result; document -1 opens nothing.
    """
    opened = document >= 0
    first = np.full(int(document.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, document[opened], position[opened])
    again = opened.copy()
    again[opened] = first[document[opened]] < position[opened]
    return _keep(reach, reach.own | ~again[reach.rank])


def _decay_with_rank(reach: Reach, decay: float, position: IntArray) -> Reach:
    """Navigation from position k (counted from 0) times decay^k ([PRUM] section 5); the result itself stays seen."""
    factor = np.where(reach.own, 1.0, decay ** position[reach.rank].astype(np.float64))
    return _keep(replace(reach, probability=reach.probability * factor), factor > 0)


def _combine_items(reach: Reach, item: IntArray, consider: FloatArray) -> Reach:
    """Join the results of one item: P(k -> x) = 1 - prod over its elements e of (1 - consider(e) R[e, x]).

    `item` numbers the item of each result, `consider` is the probability that the user considers it.
    """
    items = int(item.max(initial=-1)) + 1
    key = item[reach.rank] * reach.targets + reach.target
    order = np.argsort(key, kind="stable")
    unique, first = np.unique(key[order], return_index=True)
    if not len(unique):
        return replace(reach, ranks=items)
    missed = 1.0 - (consider[reach.rank] * reach.probability)[order]
    probability = 1.0 - np.multiply.reduceat(missed, first)
    own = np.logical_or.reduceat(reach.own[order], first)
    rank, target = np.divmod(unique, max(reach.targets, 1))
    return _keep(Reach(items, reach.targets, rank, target, probability, own), probability > 0)


def _keep(reach: Reach, kept: BoolArray) -> Reach:
    rank, target, probability, own = reach.rank, reach.target, reach.probability, reach.own
    return Reach(reach.ranks, reach.targets, rank[kept], target[kept], probability[kept], own[kept])
