"""Near misses: each result moves a random number of steps along the tree, stopping at every step with 1 - m.

Piwowarski, Dupret, "Expected precision-recall with user modelling" (EPRUM), SIGIR 2006, section 7.
"""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.parameters import ParameterValues
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import ListedResult, Ranks

Step = Callable[[int], int]
"""From an element to the next one; below 0 where the way ends."""


def move(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: Draws) -> Ranks:
    """Each result a number of steps: k or more with probability m^k."""
    assert topic.elements is not None  # noqa: S101 -- checked before
    m, axis, elements = float(values["m"]), values["axis"], topic.elements

    def moved(item: ListedResult) -> ListedResult:
        if not isinstance(item, int):  # nothing is known of its neighbours
            return item
        # As many numbers are drawn whatever m is: then another m moves the same results in the same directions.
        upwards, steps, way = draws.coin(), draws.uniform(), draws.long()
        step: Step
        if axis == "siblings":
            step = _aside(elements, item, -1 if upwards else 1)
        else:
            step = elements.parent if upwards else _down(elements, way)
        chance = m
        while steps < chance and (after := step(item)) >= 0:  # at least k steps: probability m^k
            item = after
            chance *= m
        return item

    return [[moved(item) for item in rank] for rank in ranks]


def _down(elements: Elements, way: int) -> Step:
    """To a child, each as likely as the others, chosen by the bits of `way`."""

    def step(row: int) -> int:
        nonlocal way
        children = elements.children(row)
        if not children:
            return -1
        way, child = divmod(way, len(children))
        return children[child]

    return step


def _aside(elements: Elements, row: int, direction: int) -> Step:
    """To the next sibling in a direction."""
    siblings = elements.row_of_siblings(row)
    last = siblings.index(row)

    def step(_row: int) -> int:
        nonlocal last
        last += direction
        return siblings[last] if 0 <= last < len(siblings) else -1

    return step
