"""Counts of topics, results, relevant items and targets, or of articles: summed over topics, not averaged."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import Parameter, ParameterValues

if TYPE_CHECKING:
    from prum_eval.measures.passages import RetrievedText

PASSAGE_NEEDS = frozenset({Need.PASSAGES, Need.EXTENTS})

COUNTS_HELP = (
    "articles: distinct articles; ranks: as in context, sums over all judged topics; points: as best in context"
)

_TREC = "trec_eval 9 (NIST)"
_REACH = frozenset({Need.REACH})
_RECALL_BASE = frozenset({Need.RECALL_BASE})
_COUNTS_PARAMETER = Parameter(
    "counts", "results", f"results and the recall base; {COUNTS_HELP}", ("results", "articles", "ranks", "points")
)


_ANSWERED_PARAMETER = Parameter(
    "answered", "off", "on: with -c too, only topics with results count, as in ir_measures", ("on", "off")
)


def sums_over_all_topics(values: ParameterValues) -> bool:
    """Whether a count sums over all judged topics: the official in-context tasks do."""
    return values["counts"] in ("ranks", "points")


def _counted(batch: TopicBatch, values: ParameterValues) -> FloatArray:
    """1 for each topic that counts, by the parameter `answered`, else 0; shape (topics, 1)."""
    if values.get("answered", "off") == "off":
        return np.ones((len(batch), 1))
    return (np.diff(batch.bounds) > 0)[:, None].astype(np.float64)


def _count(
    name: str,
    summary: str,
    results: Callable[[TopicBatch], IntArray],
    articles: Callable[[RetrievedText], IntArray],
    needs: frozenset[Need] = _RECALL_BASE,
    direction: Direction = Direction.NEITHER,
    empty_list: str = "0",
    aliases: tuple[str, ...] = (),
    with_level: str = "",
    parameters: tuple[Parameter, ...] = (),
) -> Measure:
    """A count of results or of the recall base that can count articles instead, as passage tasks do."""

    def compute(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
        counts = str(values["counts"])
        if counts == "results":
            return results(batch)[:, None] * _counted(batch, values)
        from prum_eval.measures.passages import validated_results  # few calls count them

        return articles(validated_results(batch, counts))[:, None].astype(np.float64)

    return Measure(
        name,
        "counts",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. In passage tasks, articles instead: "
        "distinct ones retrieved, relevant, both; with counts=ranks and counts=points the sum runs over all judged "
        "topics.",
        _TREC,
        Shape.COUNT,
        per_batch=compute,
        needs=needs,
        parameters=(_COUNTS_PARAMETER, *parameters),
        without_targets=True,
        bounded=False,
        direction=direction,
        is_count=True,
        empty_list=empty_list,
        needs_by=lambda values: needs if values["counts"] == "results" else PASSAGE_NEEDS,
        over_all=sums_over_all_topics,
        aliases=aliases,
        with_level=with_level,
    )


def _count_of_targets(name: str, summary: str, counts: Callable[[TopicBatch], IntArray], **more: Any) -> Measure:  # noqa: ANN401 - other fields of the record
    """A count of the targets that navigation measures use."""
    return Measure(
        name,
        "counts",
        summary,
        f"{summary[0].upper()}{summary[1:]}, as --targets and the quantisation choose them for navigation measures; "
        "summed over topics, not averaged. Of elements these are fewer than num_rel if targets are ideal elements.",
        "our own",
        Shape.COUNT,
        per_batch=lambda batch, _values, _cutoffs: counts(batch)[:, None].astype(np.float64),
        needs=_REACH,
        without_targets=True,
        bounded=False,
        is_count=True,
        **more,
    )


MEASURES = (
    Measure(
        "num_q",
        "counts",
        "number of topics averaged over",
        "Topics that are judged and in the run; all judged topics with -c.",
        _TREC,
        Shape.COUNT,
        per_batch=lambda batch, values, _cutoffs: _counted(batch, values),
        parameters=(_ANSWERED_PARAMETER,),
        without_targets=True,
        bounded=False,
        direction=Direction.NEITHER,
        is_count=True,
        only_average=True,
        empty_list="what is judged",
        aliases=("NumQ:answered=on",),
    ),
    _count(
        "num_ret",
        "number of results",
        lambda batch: np.diff(batch.bounds),
        lambda found: np.diff(found.article_bounds),
        _REACH,
        aliases=("NumRet",),
        with_level="num_rel_ret",
    ),
    _count(
        "num_rel",
        "number of relevant documents, elements or passages",
        attrgetter("target_counts"),
        lambda found: found.judged_relevant_counts,
        empty_list="what is judged",
        aliases=("NumRel:answered=on",),
        parameters=(_ANSWERED_PARAMETER,),
    ),
    _count(
        "num_rel_ret",
        "number of relevant documents, elements or passages among the results",
        attrgetter("retrieved_counts"),
        lambda found: found.relevant_counts,
        direction=Direction.HIGHER,
        aliases=("NumRelRet", "hits"),
    ),
    _count_of_targets(
        "num_targets",
        "number of targets",
        attrgetter("target_counts"),
        direction=Direction.NEITHER,
        empty_list="what is judged",
    ),
    _count_of_targets("num_targets_ret", "number of targets among the results", attrgetter("retrieved_counts")),
)
