"""Other elements of the same branch of the tree: in place of results, or beside them."""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.parameters import ParameterValues
from prum_eval.simulation.change import Apply, ListedTopic
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import ListedResult, Ranks, each_alone, items, replaced


def _each_as(relatives: Callable[[Elements, int], list[int]]) -> Apply:
    """Each result replaced by some relatives of it, in its place; what has none of them stays."""

    def apply(ranks: Ranks, _values: ParameterValues, topic: ListedTopic, _draws: Draws) -> Ranks:
        assert topic.elements is not None  # noqa: S101 -- checked before
        elements = topic.elements

        def others(item: ListedResult) -> list[ListedResult]:
            return [*(relatives(elements, item) if isinstance(item, int) else [])] or [item]

        return [new for rank in ranks for new in replaced(rank, [other for item in rank for other in others(item)])]

    return apply


parents = _each_as(lambda elements, row: elements.ancestors(row)[:1])
children = _each_as(Elements.children)
siblings = _each_as(lambda elements, row: [other for other in elements.row_of_siblings(row) if other != row])
articles = _each_as(lambda elements, row: elements.ancestors(row)[-1:])


def ancestors(ranks: Ranks, values: ParameterValues, topic: ListedTopic, _draws: Draws) -> Ranks:
    """The list and all ancestors of its results, each once, in the order in which the list comes to them."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    known = set(items(ranks))
    new: list[list[ListedResult]] = []  # of each result, those that none before it has
    for item in items(ranks):
        own = topic.elements.ancestors(item) if isinstance(item, int) else []
        new.append([row for row in own if row not in known])
        known.update(own)
    if values["place"] == "around":
        each = iter(new)
        behind = [[row for _ in rank for row in next(each)] for rank in ranks]
        return [one for rank, own in zip(ranks, behind, strict=True) for one in (rank, *each_alone(own))]
    together = [[row for own in new for row in own]] if any(new) else []
    return ranks + together if values["place"] == "after" else together + ranks
