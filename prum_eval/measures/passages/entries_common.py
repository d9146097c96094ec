"""What the registry entries of all passage measures share: sources, needs, and the look at what a task refuses."""

from __future__ import annotations

from prum_eval.measures.facts import TopicFacts
from prum_eval.measures.measure import Need
from prum_eval.measures.passages.refusals import Demand, demand
from prum_eval.measures.passages.retrieved import Retrieved, retrieved
from prum_eval.parameters import Values

OFFICIAL = "inex_eval 3.1 (INEX 2007-2010)"
INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 6"
NEEDS = frozenset({Need.PASSAGES, Need.EXTENTS})

COUNTED = "articles: distinct articles; ranks: as in context, sums over all judged topics; points: as best in context"
DEMANDS = {"ranks": Demand.BLOCKS, "points": Demand.ONE_RESULT, "reject": Demand.NO_OVERLAP}
"""What parameter values demand of a run; other values demand nothing."""


def checked(facts: TopicFacts, wanted: Demand) -> Retrieved:
    """The retrieved text of a topic, after a look at what its task refuses."""
    found = retrieved(facts)
    facts.memo.once(("demand", wanted), lambda: demand(found, wanted))
    return found


def over_all(values: Values) -> bool:
    """Whether a count sums over all judged topics: the official in-context tasks do."""
    return values["counts"] in ("ranks", "points")
