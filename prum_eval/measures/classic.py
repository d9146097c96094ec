"""The classic measures of ranked lists, equal to trec_eval to the printed digit.

Each is computed for many topics at once, from ``lists``, which `GainLists` describes, and returns an array of shape
(lists, n). A result is relevant if its gain is positive; R is the number of gains in the recall base. Without relevance
every value is 0. ``ranks``, ``levels``: cut-offs or recall levels, shape (n,); n is 1 of a measure that has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, exact_sums_of_groups
from prum_eval.errors import UsageError
from prum_eval.measures.base import CUTOFFS, TENTHS, Compute, Measure, Need, Shape, TieOrder
from prum_eval.measures.grades import discounted_share, discounted_share_at, gains_of_topic
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import GAINS, NUMBERS_PATTERN, Parameter, ParameterValues, parse_numbers
from prum_eval.relevance.gains import GainLists

_NEARLY_ONE = 0.9
"""Rounding of a recall level to a count in trec_eval 9: int(X R + 0.9), so that 0.7 of 33 is 23, not 24."""
_LARGEST_LEVEL = 1e9
"""What larger levels count as: with any R such a rank is past the end of every list, and a whole number."""
_MIN_GEOMETRIC_VALUE = 0.00001
"""Smallest value of a topic in a geometric mean, which one topic of 0 would make 0."""
_EXPONENTIAL = "exp-log2"
_DCG = Parameter("dcg", "log2", f"log2: gains are grades; {_EXPONENTIAL}: 2^grade - 1", ("log2", _EXPONENTIAL))
_DEEP_CUTOFFS = (*CUTOFFS, 200.0, 500.0, 1000.0)
"""The cut-offs of trec_eval."""


def average_precision(lists: GainLists, _: FloatArray) -> FloatArray:
    """(1 / R) times the sum of the precision at the rank of each relevant result."""
    sums = exact_sums_of_groups(lists.precisions, lists.bounds)
    return _ratio(sums, lists.relevant)[:, None]


def average_precision_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """(1 / R) times the sum of the precision at the rank of each relevant result among the first k."""
    sums = [lists.sums(lists.precisions, last) for last in ranks.tolist()]
    return np.stack(sums, axis=1) / np.maximum(lists.relevant, 1)[:, None]


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean, in which no value counts less than 0.00001.

    >>> round(geometric_mean([0.25, 1.0]), 10), round(geometric_mean([0.0, 1.0]), 10)
    (0.5, 0.0031622777)
    """
    return math.exp(math.fsum(math.log(max(value, _MIN_GEOMETRIC_VALUE)) for value in values) / len(values))


def r_precision(lists: GainLists, _: FloatArray) -> FloatArray:
    """Precision after R results."""
    wanted = lists.relevant[:, None]
    return _ratio(lists.counts(wanted), wanted)


def reciprocal_rank(lists: GainLists, _: FloatArray) -> FloatArray:
    """1 / rank of the first relevant result."""
    return _ratio(np.ones((len(lists), 1)), _first_ranks(lists))


def reciprocal_rank_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """1 / rank of the first relevant result, if it is among the first k."""
    return np.where(_first_ranks(lists) <= ranks, reciprocal_rank(lists, ranks), 0.0)


def _first_ranks(lists: GainLists) -> FloatArray:
    """Rank of the first relevant result of each list, 0 where there is none; shape (lists, 1)."""
    first = np.append(lists.ranks, 0)[lists.bounds[:-1]]
    return np.where(np.diff(lists.bounds) > 0, first, 0)[:, None]


def precision_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over k; ranks past the end count as not relevant."""
    return lists.counts(ranks) / ranks


def success_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """1 if there is a relevant result among the first k."""
    return (lists.counts(ranks) > 0).astype(np.float64)


def recall_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over R."""
    return lists.counts(ranks) / np.maximum(lists.relevant, 1)[:, None]


def _counts_of_levels(lists: GainLists, levels: FloatArray, *, nearest: bool) -> IntArray:
    """Number of relevant results at each level X, shape (lists, n): X R to the nearest number, else int(X R + 0.9)."""
    products = np.minimum(levels, _LARGEST_LEVEL) * lists.relevant[:, None]
    if not nearest:
        return (products + _NEARLY_ONE).astype(np.int64)
    whole = np.floor(products)
    nearest_counts: IntArray = (whole + (products - whole >= 0.5)).astype(np.int64)
    return nearest_counts


def interpolated_precision(lists: GainLists, levels: FloatArray, *, nearest: bool = True) -> FloatArray:
    """Highest precision at any rank where recall is at least X; 0 where that recall is never reached.

    `nearest`: X R is rounded to the nearest whole number, as in trec_eval 10; else int(X R + 0.9), as in trec_eval 9.
    """
    return _interpolated_precision(lists, _counts_of_levels(lists, levels, nearest=nearest))


def _interpolated_precision(lists: GainLists, counts: IntArray) -> FloatArray:
    """Highest precision at any rank after that many relevant results, 0 where there are fewer; shape (lists, n)."""
    wanted = np.maximum(counts, 1)
    first, end = lists.bounds[:-1, None] + wanted - 1, lists.bounds[1:, None]
    values = np.zeros(wanted.shape)
    reached = first < end
    if reached.any():
        ends = np.broadcast_to(end, wanted.shape)[reached]
        edges = np.stack((first[reached], ends), axis=1).ravel()
        values[reached] = np.maximum.reduceat(np.append(lists.precisions, 0.0), edges)[::2]
    return values


def mean_interpolated_precision(lists: GainLists, levels: FloatArray) -> FloatArray:
    """Mean of the interpolated precision at some levels, as trec_eval has it for levels in any order.

    trec_eval goes through the levels from the last to the first and leaves out those that are not reached. A level that
    is larger than the one after it, and all before it, then get the highest precision of all.
    """
    counts = _counts_of_levels(lists, levels, nearest=True)
    values, highest = _interpolated_precision(lists, counts), _interpolated_precision(lists, np.zeros_like(counts))
    reached = np.diff(lists.bounds)
    began, passed = np.zeros((2, len(lists)), dtype=np.bool_)
    for place in range(len(levels) - 1, -1, -1):
        count = counts[:, place]
        if place + 1 < len(levels):
            passed |= began & (count > counts[:, place + 1])
        began |= count <= reached
        values[passed, place] = highest[passed, place]
    means: FloatArray = values.mean(axis=1)
    return means[:, None]


def precision_at_multiples(lists: GainLists, multiples: FloatArray) -> FloatArray:
    """Precision after int(X R + 0.9) results."""
    wanted = _counts_of_levels(lists, multiples, nearest=False)
    return _ratio(lists.counts(wanted), wanted)


def relative_precision_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over the smaller of k and R."""
    return lists.counts(ranks) / np.maximum(np.minimum(ranks, lists.relevant[:, None]), 1)


def ndcg_at(lists: GainLists, ranks: FloatArray) -> FloatArray:
    """Discounted gain of the first k results over that of an ideal list cut at k as well."""
    values = [_ratio(lists.sums(lists.discounted_gains, last), lists.ideal_sums(last)) for last in ranks.tolist()]
    return np.stack(values, axis=1)


def ndcg(lists: GainLists, _: FloatArray) -> FloatArray:
    """Discounted gain of all results over that of an ideal list of the whole recall base."""
    return _ratio(lists.sums(lists.discounted_gains), lists.ideal_sums())[:, None]


def _ratio(above: FloatArray | IntArray, below: FloatArray | IntArray) -> FloatArray:
    """The quotients, 0 where the lower number is 0."""
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=below > 0)


def _iprec(batch: TopicBatch, values: ParameterValues, levels: FloatArray) -> FloatArray:
    return interpolated_precision(batch.gain_lists, levels, nearest=values["rounding"] == "10")


def _eleven_points(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    levels = values.get("levels")
    return mean_interpolated_precision(batch.gain_lists, np.array(parse_numbers(str(levels)) if levels else TENTHS))


def exponential_gains(batch: TopicBatch) -> GainLists:
    """The gain lists with 2^g in place of each gain, less 1: of graded documents g is the grade, else the gain."""
    lists, largest = batch.gain_lists, batch.topics[0].judged.largest_grade
    top = 1.0 if largest is None else float(max(largest, 1))

    def exponential(gains: FloatArray) -> FloatArray:
        g = gains if largest is None else np.rint(gains * top)
        scaled: FloatArray = np.exp2(g - top) - np.exp2(-top)  # by 2^-top, so that no grade is too large
        return scaled

    return replace(lists, gains=exponential(lists.gains), base=exponential(lists.base))


def _ndcg(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    if values["dcg"] == _EXPONENTIAL:
        return ndcg(_exponential_gains(batch, values), _cutoffs)
    if "gains" not in values:
        return ndcg(batch.gain_lists, _cutoffs)
    return np.array([[discounted_share(*gains_of_topic(topic, values))] for topic in batch.topics])


def _ndcg_at(batch: TopicBatch, values: ParameterValues, ranks: FloatArray) -> FloatArray:
    if values["dcg"] == _EXPONENTIAL:
        return ndcg_at(_exponential_gains(batch, values), ranks)
    if "gains" not in values:
        return ndcg_at(batch.gain_lists, ranks)
    return np.array([discounted_share_at(*gains_of_topic(topic, values), ranks) for topic in batch.topics])


def _exponential_gains(batch: TopicBatch, values: ParameterValues) -> GainLists:
    if "gains" in values:
        raise UsageError(f"dcg={_EXPONENTIAL} and gains cannot be combined")
    return exponential_gains(batch)


def _needs_of_gains(values: ParameterValues) -> frozenset[Need]:
    return frozenset({Need.GAINS, Need.GRADES} if "gains" in values else {Need.GAINS})


def _measure(
    name: str,
    shape: Shape,
    formula: Callable[[GainLists, FloatArray], FloatArray] | None,
    summary: str,
    explanation: str,
    cutoffs: tuple[float, ...] = (),
    y_label: str = "",
    *,
    source: str = "trec_eval 10 (NIST)",
    per_batch: Compute | None = None,
    **more: Any,  # noqa: ANN401 - other fields of the record
) -> Measure:
    """A measure by its formula or, if that depends on parameters, by its function `per_batch`."""

    def compute(batch: TopicBatch, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        assert formula is not None  # noqa: S101 - see above
        return formula(batch.gain_lists, cutoffs)

    return Measure(
        name,
        "classic",
        summary,
        explanation,
        source,
        shape,
        per_batch=per_batch or compute,
        needs=frozenset({Need.GAINS}),
        cutoffs=cutoffs,
        without_targets=True,
        y_label=y_label,
        **more,
    )


MEASURES = (
    _measure(
        "map",
        Shape.SCALAR,
        average_precision,
        "mean average precision",
        "AP = (1/R) sum over the relevant results of the precision at their rank; R counts the relevant assessments. "
        "A judged element is relevant if its quantised value is positive.",
        aliases=("AP", "average_precision"),
        at_cutoffs="map_cut",
    ),
    _measure(
        "gm_map",
        Shape.SCALAR,
        average_precision,
        "geometric mean of average precision",
        "exp of the mean over topics of log max(AP, 0.00001), AP as in map: topics on which a run does badly weigh "
        "more than in map. A topic alone has no value of it.",
        only_average=True,
        average=geometric_mean,
    ),
    _measure(
        "Rprec",
        Shape.SCALAR,
        r_precision,
        "precision after R results",
        "R is the number of relevant assessments of the topic.",
        aliases=("r-precision",),
    ),
    _measure(
        "recip_rank",
        Shape.SCALAR,
        reciprocal_rank,
        "reciprocal rank of the first relevant result",
        "1 / rank; 0 where nothing relevant is retrieved.",
        aliases=("RR", "MRR", "reciprocal_rank"),
        at_cutoffs="recip_rank_cut",
    ),
    _measure(
        "P",
        Shape.AT_RANKS,
        precision_at,
        "precision at K results",
        "Relevant results among the first K, divided by K; a shorter list is filled with irrelevant results.",
        CUTOFFS,
        "precision",
        aliases=("precision",),
    ),
    _measure(
        "recall",
        Shape.AT_RANKS,
        recall_at,
        "recall at K results",
        "Relevant results among the first K, divided by R.",
        CUTOFFS,
        "recall",
        aliases=("R",),
    ),
    _measure(
        "iprec_at_recall",
        Shape.AT_LEVELS,
        None,
        "interpolated precision at recall X",
        "Highest precision at any rank where recall is at least X: after X R relevant results, rounded to the nearest "
        "whole number as in trec_eval 10, or with rounding=9 int(X R + 0.9) as in trec_eval 9.",
        TENTHS,
        "interpolated precision",
        per_batch=_iprec,
        parameters=(Parameter("rounding", "10", "version of trec_eval that rounds X R", ("10", "9")),),
        aliases=("IPrec:rounding=9",),
    ),
    _measure(
        "Rprec_mult",
        Shape.AT_LEVELS,
        precision_at_multiples,
        "precision after X R results",
        "R is the number of relevant assessments of the topic; X R is rounded to int(X R + 0.9).",
        (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
        "precision",
        x_label="multiple of R",
        largest_level=math.inf,
    ),
    _measure(
        "11pt_avg",
        Shape.SCALAR,
        None,
        "mean interpolated precision at 11 recall levels",
        "Mean of iprec_at_recall at recall 0, 0.1, ..., 1, or at other levels.",
        per_batch=_eleven_points,
        point="levels",
        parameters=(
            Parameter(
                "levels",
                None,
                "levels of recall, as in .25/.5/.75",
                pattern=NUMBERS_PATTERN.format("*"),
                in_words="numbers with / between them",
            ),
        ),
    ),
    _measure(
        "ndcg",
        Shape.SCALAR,
        None,
        "normalised discounted cumulated gain",
        "sum of gain / log2(rank + 1) over the same sum of an ideal list; the gain is the quantised value.",
        at_cutoffs="ndcg_cut",
        graded=True,
        per_batch=_ndcg,
        parameters=(GAINS, _DCG),
        point="gains",
        needs_by=_needs_of_gains,
    ),
    _measure(
        "ndcg_cut",
        Shape.AT_RANKS,
        None,
        "ndcg of the first K results",
        "As ndcg, with the list and the ideal list cut after K results.",
        _DEEP_CUTOFFS,
        "ndcg",
        graded=True,
        per_batch=_ndcg_at,
        parameters=(GAINS, _DCG),
        needs_by=_needs_of_gains,
    ),
    _measure(
        "map_cut",
        Shape.AT_RANKS,
        average_precision_at,
        "average precision of the first K results",
        "As map, with the list cut after K results; R counts all relevant assessments.",
        _DEEP_CUTOFFS,
        "average precision",
    ),
    _measure(
        "relative_P",
        Shape.AT_RANKS,
        relative_precision_at,
        "precision at K results over the highest that is possible",
        "Relevant results among the first K, over the smaller of K and R.",
        _DEEP_CUTOFFS,
        "relative precision",
    ),
    _measure(
        "success",
        Shape.AT_RANKS,
        success_at,
        "whether the first K results have a relevant one",
        "1 if some result among the first K is relevant, else 0.",
        (1.0, 5.0, 10.0),
        "success",
        aliases=("hit_rate",),
    ),
    _measure(
        "recip_rank_cut",
        Shape.AT_RANKS,
        reciprocal_rank_at,
        "reciprocal rank of the first relevant result among the first K",
        "As recip_rank, with the list cut after K results: 0 where the first relevant result comes later.",
        (10.0, 100.0),
        "reciprocal rank",
        source="MS MARCO",
        ties=TieOrder.NAME_ASCENDING,
    ),
)
