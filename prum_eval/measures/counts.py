"""Counts of topics, results and targets, or in passage tasks of articles: summed over topics, not averaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.passages import COUNTED, NEEDS, over_all
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

if TYPE_CHECKING:
    from prum_eval.measures.passages import Retrieved

_TREC = "trec_eval 9 (NIST)"
_REACH = frozenset({Need.REACH})
_COUNTS = Parameter("counts", "results", f"results and targets; {COUNTED}", ("results", "articles", "ranks", "points"))


def _count(
    name: str,
    summary: str,
    results: Callable[[TopicData], int],
    articles: Callable[[Retrieved], int],
    direction: Direction = Direction.NEITHER,
    empty_list: str = "0",
    also: tuple[str, ...] = (),
    with_level: str = "",
) -> Measure:
    """A count of results or targets that can count articles instead, as passage tasks do."""

    def per_topic(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
        counts = str(values["counts"])
        if counts == "results":
            return float(results(data))
        from prum_eval.measures.passages import demanded  # few calls count them

        return articles(demanded(data, counts))

    return Measure(
        name,
        "counts",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. In passage tasks, articles instead: "
        "distinct ones retrieved, relevant, both; with counts=ranks and counts=points the sum runs over all judged "
        "topics.",
        _TREC,
        Shape.COUNT,
        per_topic,
        _REACH,
        parameters=(_COUNTS,),
        without_targets=True,
        bounded=False,
        direction=direction,
        is_count=True,
        empty_list=empty_list,
        needs_by=lambda values: _REACH if values["counts"] == "results" else NEEDS,
        over_all=over_all,
        also=also,
        with_level=with_level,
    )


MEASURES = (
    Measure(
        "num_q",
        "counts",
        "number of topics averaged over",
        "Topics that are judged and in the run; all judged topics with -c.",
        _TREC,
        Shape.COUNT,
        lambda _data, _values, _cutoffs: 1.0,
        without_targets=True,
        bounded=False,
        direction=Direction.NEITHER,
        is_count=True,
        only_average=True,
        empty_list="what is judged",
        also=("NumQ",),
    ),
    _count(
        "num_ret",
        "number of results",
        lambda data: len(data.ranking),
        lambda found: found.articles,
        also=("NumRet",),
        with_level="num_rel_ret",
    ),
    _count(
        "num_rel",
        "number of targets",
        lambda data: len(data.judged.targets),
        lambda found: found.judged.count,
        empty_list="what is judged",
        also=("NumRel",),
    ),
    _count(
        "num_rel_ret",
        "number of targets among the results",
        lambda data: int(np.count_nonzero(data.found >= 0)),
        lambda found: int(np.count_nonzero(found.is_relevant)),
        Direction.HIGHER,
        also=("NumRelRet", "hits"),
    ),
)
