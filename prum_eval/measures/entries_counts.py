"""Registry entries: counts of topics, results and targets, or in passage tasks of articles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.entries_classic import TREC
from prum_eval.measures.passages.entries_common import COUNTED, NEEDS, over_all
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_COUNTS = Parameter("counts", "results", f"results and targets; {COUNTED}", ("results", "articles", "ranks", "points"))


def _count(name: str, summary: str, compute: Callable[[TopicData], int], explanation: str = "") -> Measure:
    return Measure(
        name,
        "counts",
        summary,
        explanation or f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged.",
        TREC,
        Shape.COUNT,
        lambda data, _values, _points: float(compute(data)),
        frozenset({Need.REACH}) if name != "num_q" else frozenset(),
        without_targets=True,
        bounded=False,
        direction=Direction.HIGHER if name == "num_rel_ret" else Direction.NEITHER,
        is_count=True,
        only_average=name == "num_q",
        empty_list="what is judged" if name in ("num_q", "num_rel") else "0",
    )


def _or_articles(count: Measure) -> Measure:
    """A count of results or targets that can count articles instead, as passage tasks do."""

    def per_topic(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray | float:
        counts = str(values["counts"])
        if counts == "results":
            return count.per_topic(data, values, points)
        from prum_eval.measures.passages.article_counts import articles  # few calls count them

        return articles(count.name, data, counts)

    explanation = (
        f"{count.explanation} In passage tasks, articles instead: distinct ones retrieved, relevant, both; with "
        "counts=ranks and counts=points the sum runs over all judged topics."
    )
    return replace(
        count,
        explanation=explanation,
        per_topic=per_topic,
        parameters=(_COUNTS,),
        needs_by=lambda values: count.needs if values["counts"] == "results" else NEEDS,
        over_all=over_all,
    )


MEASURES = (
    _count(
        "num_q",
        "number of topics averaged over",
        lambda _facts: 1,
        "Topics that are judged and in the run; all judged topics with -c.",
    ),
    _or_articles(_count("num_ret", "number of results", lambda data: len(data.ranking))),
    _or_articles(_count("num_rel", "number of targets", lambda data: len(data.judged.targets))),
    _or_articles(
        _count(
            "num_rel_ret",
            "number of targets among the results",
            lambda data: int(np.count_nonzero(data.found >= 0)),
        )
    ),
)
