"""All changes by name, in the order of the documentation; what each does is imported when it is done.

So that help can list them at once, nothing here imports numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from prum_eval.parameters import Parameter
from prum_eval.simulation.change import Apply, Change, ChangeNeed

if TYPE_CHECKING:
    from prum_eval.parameters import ParameterValues
    from prum_eval.simulation.change import ListedTopic
    from prum_eval.simulation.draws import Draws
    from prum_eval.simulation.results import Ranks


def _late(module: str, function: str) -> Apply:
    """A function of a module of this folder, imported when it is called."""

    def apply(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: Draws) -> Ranks:
        done: Apply = getattr(import_module(f"prum_eval.simulation.changes.{module}"), function)
        return done(ranks, values, topic, draws)

    return apply


_TREES = frozenset({ChangeNeed.TREES, ChangeNeed.STRUCTURE})

# fmt: off
_CHANGES = (
    Change("move", "each result a random number of steps up or down, or aside", _late("move", "move"),
           (Parameter("m", None, "probability of each further step", low=0.0, high=1.0),
            Parameter("axis", "updown", "up or down by a fair coin, or to siblings", choices=("updown", "siblings"))),
           one_of=(("m",),), needs=_TREES, repeats=True),
    Change("parents", "each result replaced by its parent", _late("relatives", "parents"),
           needs=_TREES, repeats=True),
    Change("children", "each result replaced by its children", _late("relatives", "children"),
           needs=_TREES, repeats=True),
    Change("siblings", "each result replaced by its siblings", _late("relatives", "siblings"),
           needs=_TREES, repeats=True),
    Change("articles", "each result replaced by its article", _late("relatives", "articles"),
           needs=_TREES, repeats=True),
    Change("ancestors", "all ancestors of the results too", _late("relatives", "ancestors"),
           (Parameter("place", "after", "in one single rank behind or before the list, or behind each result",
                      choices=("after", "before", "around")),), needs=_TREES),
    Change("drop", "each result dropped with probability p", _late("selection", "drop"),
           (Parameter("p", None, "probability of each result to be dropped", low=0.0, high=1.0),), one_of=(("p",),)),
    Change("keep", "the first results only", _late("selection", "keep_first"),
           (Parameter("share", None, "share of the list that is kept, rounded up", low=0.0, high=1.0),
            Parameter("n", None, "results that are kept", low=0.0, whole=True)), one_of=(("share", "n"),)),
    Change("noise", "elements of documents without a target too", _late("noise", "noise"),
           (Parameter("n", None, "how many, or how many between each two ranks", low=0.0, whole=True),
            Parameter("place", "front", "before, between or behind the ranks", choices=("front", "between", "end"))),
           one_of=(("n",),), needs=frozenset({ChangeNeed.STRUCTURE, ChangeNeed.ALL_DOCUMENTS})),
    Change("reverse", "the ranks in reverse order", _late("selection", "reverse")),
    Change("shuffle", "the results in random order, none sharing a rank", _late("selection", "shuffle")),
    Change("jitter", "each passage or entry point moved by up to C characters",
           _late("jitter", "jitter"),
           (Parameter("characters", None, "how far at most, forward or back", low=0.0, high=1e9, whole=True),),
           one_of=(("characters",),), needs=frozenset({ChangeNeed.EXTENTS}), repeats=True),
)
# fmt: on
CHANGE_BY_NAME: Mapping[str, Change] = {change.name: change for change in _CHANGES}
