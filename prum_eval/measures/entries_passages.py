"""Registry entries: the passage measures of INEX 2006-2010.

What the official tasks ask for, with the parameters that differ from the defaults here:

* thorough (-t): ret_size rel_size rel_ret_size art_* char_* iP maip, with ``overlap=novel``; num_* ``counts=articles``
* focused (-f): the same with ``overlap=reject``
* relevant in context (-r): gP gR magp gP_at_gR; num_* and sizes ``counts=ranks``
* best in context (-b): the bic_ forms; num_* and sizes ``counts=points``
* relevant in context of 2010 (-i): the t2i_ forms; num_* and sizes ``counts=ranks``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.facts import TopicFacts
from prum_eval.measures.measure import Measure
from prum_eval.measures.passages.entries_common import COUNTED, DEMANDS, NEEDS, checked, over_all
from prum_eval.measures.passages.entries_in_context import IN_CONTEXT
from prum_eval.measures.passages.entries_prefix import PREFIX
from prum_eval.measures.passages.refusals import Demand
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.parameters import Parameter, Values

_COUNTS = Parameter("counts", "results", f"results and targets; {COUNTED}", ("results", "articles", "ranks", "points"))

PASSAGES = (*PREFIX, *IN_CONTEXT)

_IN_ARTICLES: Mapping[str, Callable[[Retrieved], int]] = {
    "num_ret": lambda found: found.articles,
    "num_rel": lambda found: found.judged.count,
    "num_rel_ret": lambda found: int(np.count_nonzero(found.is_relevant)),
}


def in_articles(count: Measure) -> Measure:
    """A count of results or targets that can count articles instead, as passage tasks do; others as they are."""
    of = _IN_ARTICLES.get(count.name)
    if of is None:
        return count

    def per_topic(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray | float:
        counts = str(values["counts"])
        if counts == "results":
            return count.per_topic(facts, values, points)
        return of(checked(facts, DEMANDS.get(counts, Demand.NOTHING)))

    explanation = (
        f"{count.explanation} In passage tasks, articles instead: distinct ones retrieved, relevant, both; with "
        "counts=ranks and counts=points the sum runs over all judged topics."
    )
    return replace(
        count,
        explanation=explanation,
        per_topic=per_topic,
        parameters=(*count.parameters, _COUNTS),
        needs_by=lambda values: count.needs if values["counts"] == "results" else NEEDS,
        over_all=over_all,
    )
