"""Measures of C/W/L: the expected gain per result of a user who continues from rank to rank with some probability.

C_i is the probability to go on from rank i to rank i + 1. V_i = C_1 ... C_(i-1) is that to reach rank i, and the share
of the user's attention there is W_i = V_i / sum over j of V_j, over `depth` ranks. The value is sum over i of W_i g_i.
Ranks past the end of the list gain nothing, but take their share.

Gains are grades from `min_rel` to `max_rel` mapped to [0, 1]; negative grades and unjudged results gain what grade 0
and nothing gain. ``gains`` has shape (topics, depth), as has the array of C that a measure returns; ``ranks``: 1 to
`depth`, shape (depth,); K is infinite for measures without cut-offs.

Source: Moffat, Bailey, Scholer, Thomas, TOIS 35(3), 2017; Azzopardi, Thomas, Moffat, SIGIR 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure, Need, Shape, TieOrder
from prum_eval.measures.judged_rows import gain_lists_by
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import Parameter, ParameterValues, format_parameter

Continuation = Callable[[FloatArray, FloatArray, ParameterValues, float], FloatArray]
"""(gains, ranks, parameters, K) -> the probability C to go on from each rank, shape (topics, depth) or (1, depth)."""

_TOPICS_PER_BLOCK = 256
"""Number of topics computed at once: arrays have a column per rank, down to `depth`."""


def expected_gain(gains: FloatArray, continuation: FloatArray) -> FloatArray:
    """Sum over i of W_i g_i for each topic; shape (topics,).

    >>> expected_gain(np.array([[1.0, 0.0, 1.0]]), np.array([[0.5, 0.5, 0.5]]))
    array([0.71428571])
    """
    reached = np.ones(continuation.shape)
    np.cumprod(continuation[:, :-1], axis=1, out=reached[:, 1:])
    values: FloatArray = (reached * gains).sum(axis=1) / reached.sum(axis=1)
    return values


def insq_continuation(_gains: FloatArray, ranks: FloatArray, values: ParameterValues, _last: float) -> FloatArray:
    """((i + 2T - 1) / (i + 2T))^2."""
    wanted = ranks + 2 * float(values["T"])
    return (((wanted - 1) / wanted) ** 2)[None, :]


def inst_continuation(gains: FloatArray, ranks: FloatArray, values: ParameterValues, _last: float) -> FloatArray:
    """((i + T + T_i - 1) / (i + T + T_i))^2, T_i what is left of T after rank i."""
    wanted = ranks + 2 * float(values["T"]) - np.cumsum(gains, axis=1)
    return ((wanted - 1) / wanted) ** 2


def nerr8_continuation(gains: FloatArray, ranks: FloatArray, _values: ParameterValues, last: float) -> FloatArray:
    """1 - g_i before rank K."""
    return np.where(ranks < last, 1 - gains, 0.0)


def nerr9_continuation(gains: FloatArray, ranks: FloatArray, values: ParameterValues, last: float) -> FloatArray:
    """(i / (i + 1)) (1 - g_i) before rank K."""
    return nerr8_continuation(gains, ranks, values, last) * (ranks / (ranks + 1))


def nerr10_continuation(gains: FloatArray, _ranks: FloatArray, values: ParameterValues, _last: float) -> FloatArray:
    """Persistence p times 1 - g_i."""
    return float(values["p"]) * (1 - gains)


def nerr11_continuation(gains: FloatArray, ranks: FloatArray, values: ParameterValues, last: float) -> FloatArray:
    """((i + 2T - 1) / (i + 2T))^2 (1 - g_i)."""
    return insq_continuation(gains, ranks, values, last) * (1 - gains)


def bpm_continuation(gains: FloatArray, ranks: FloatArray, values: ParameterValues, last: float) -> FloatArray:
    """1 before rank K while the sum of the gains is below T, else 0."""
    goes_on = (np.cumsum(gains, axis=1) < float(values["T"])) & (ranks < last)
    return goes_on.astype(np.float64)


def sdcg_continuation(_gains: FloatArray, ranks: FloatArray, _values: ParameterValues, last: float) -> FloatArray:
    """log2(i + 1) / log2(i + 2) before rank K, so that W_i is in proportion to the discount of DCG."""
    return np.where(ranks < last, np.log2(ranks + 1) / np.log2(ranks + 2), 0.0)[None, :]


def _gain_of_grades(batch: TopicBatch, values: ParameterValues) -> Callable[[FloatArray], FloatArray]:
    """Element-wise function from grades to gains in [0, 1].

    Raises:
        UsageError: `min_rel` is not below `max_rel`.
    """
    largest = max((topic.judged.largest_grade or 0 for topic in batch.topics), default=0)
    low, high = float(values["min_rel"]), float(values.get("max_rel", max(largest, 1)))
    if low >= high:
        what = f"min_rel={format_parameter(low)}: min_rel is below max_rel, which is {format_parameter(high)}"
        raise UsageError(what if "max_rel" in values else f"{what}, the largest grade of the file")
    return lambda grades: (np.clip(np.maximum(grades, 0.0), low, high) - low) / (high - low)


def _compute(continuation: Continuation, batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Values of a measure, shape (topics, cut-offs or 1)."""
    gain, depth = _gain_of_grades(batch, values), int(values["depth"])
    points, ranks = cutoffs.tolist() or [math.inf], np.arange(1.0, depth + 1)
    result = np.empty((len(batch), len(points)))
    for low in range(0, len(batch), _TOPICS_PER_BLOCK):
        block = TopicBatch(batch.topics[low : low + _TOPICS_PER_BLOCK])
        lists = gain_lists_by(block, gain)
        used = lists.ranks <= depth
        gains = np.zeros((len(block), depth))
        gains[lists.list_numbers[used], lists.ranks[used] - 1] = lists.gains[used]
        for column, last in enumerate(points):
            result[low : low + len(block), column] = expected_gain(gains, continuation(gains, ranks, values, last))
    return result


def _binary_rbp(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Sum of p^(i-1) over the ranks of relevant results, over that of all ranks down to `depth`."""
    p, depth, lists = float(values["p"]), int(values["depth"]), batch.gain_lists
    total = math.fsum(p**rank for rank in range(depth))
    return (lists.sums(np.power(p, lists.ranks - 1.0), depth) / total)[:, None]


_DEPTH = Parameter("depth", 1000.0, "ranks that share the user's attention", low=1, high=10_000, whole=True)
_grade = partial(Parameter, low=-1e6, high=1e6, whole=True)
_GRADES = (
    _grade("min_rel", 0.0, "grade that gains nothing, as all below it"),
    _grade("max_rel", None, "grade that gains 1, as all above it; by default the largest of the file"),
    _DEPTH,
)
_LAST = (5.0, 10.0, 20.0)

_measure = partial(Measure, family="cwl", without_targets=True, ties=TieOrder.FILE)


def _graded(
    name: str,
    summary: str,
    formula: str,
    source: str,
    continuation: Continuation,
    *parameters: Parameter,
    cutoffs: tuple[float, ...] = (),
) -> Measure:
    """A measure of graded gains from its continuation probability."""
    end = " for i < K, then 0" if cutoffs else ""
    return _measure(
        name=name,
        summary=summary,
        explanation=f"sum over i of W_i g_i with C_i = {formula}{end}. g_i is the grade of result i, from min_rel to "
        "max_rel mapped to 0 to 1; W_i is the share of rank i in the sum over ranks of V_i = C_1 ... C_(i-1). Results "
        "with equal scores keep the order of the file.",
        source=f"{source}; as cwl_eval",
        shape=Shape.AT_RANKS if cutoffs else Shape.SCALAR,
        per_batch=partial(_compute, continuation),
        needs=frozenset({Need.GAINS, Need.GRADES}),
        parameters=(*parameters, *_GRADES),
        cutoffs=cutoffs,
        y_label=name if cutoffs else "",
        without_level=True,
    )


_NERR_SOURCE = "Azzopardi, Mackenzie, Moffat, ICTIR 2021, equation {}"
MEASURES = (
    _graded(
        "INST",
        "expected gain per result of a user who wants T and adapts to what is found",
        "((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T less the sum of g_1 to g_i",
        "Moffat, Bailey, Scholer, Thomas, ADCS 2015",
        inst_continuation,
        Parameter("T", 1.0, "gain that the user wants; below 1/4, C_i could pass 1", low=0.25, high=1e6),
    ),
    _graded(
        "INSQ",
        "expected gain per result of a user who wants T",
        "((i + 2T - 1) / (i + 2T))^2",
        "Moffat, Scholer, Thomas, ADCS 2012",
        insq_continuation,
        Parameter("T", 1.0, "gain that the user wants", low=0.0, high=1e6),
    ),
    _graded(
        "NERR8",
        "nearly ERR: gains stop the user, K at the latest",
        "1 - g_i",
        _NERR_SOURCE.format(8),
        nerr8_continuation,
        cutoffs=_LAST,
    ),
    _graded(
        "NERR9",
        "nearly ERR: gains and depth stop the user, K at the latest",
        "(i / (i + 1)) (1 - g_i)",
        _NERR_SOURCE.format(9),
        nerr9_continuation,
        cutoffs=_LAST,
    ),
    _graded(
        "NERR10",
        "nearly ERR: gains stop the user, whose patience is p",
        "p (1 - g_i)",
        _NERR_SOURCE.format(10),
        nerr10_continuation,
        Parameter("p", 0.9, "probability to go on after a result without gain", low=0.0, high=1.0),
    ),
    _graded(
        "NERR11",
        "nearly ERR: gains stop the user, who wants T",
        "((i + 2T - 1) / (i + 2T))^2 (1 - g_i)",
        _NERR_SOURCE.format(11),
        nerr11_continuation,
        Parameter("T", 1.0, "gain that the user wants", low=0.0, high=1e6),
    ),
    _graded(
        "BPM",
        "mean gain of the results that a user reads who stops at gain T or rank K",
        "1 while the sum of g_1 to g_i is below T",
        "Zhang, Liu, Li, Zhang, Xu, Ma, SIGIR 2017, the static form",
        bpm_continuation,
        Parameter("T", 1.0, "gain that ends the search", low=0.0, open_low=True),
        cutoffs=_LAST,
    ),
    _graded(
        "SDCG",
        "discounted gain over that of a list of largest gains",
        "log2(i + 1) / log2(i + 2)",
        "Järvelin, Kekäläinen, TOIS 20(4), 2002, scaled by the largest possible value at K",
        sdcg_continuation,
        cutoffs=_LAST,
    ),
    _measure(
        name="cwl_rbp",
        summary="rank-biased precision of binary relevance over 1000 ranks",
        explanation="Sum over the ranks i of relevant results of p^(i-1), over the sum of all ranks down to depth. "
        "Results with equal scores keep the order of the file.",
        source="Moffat, Zobel, TOIS 27(1), 2008; as cwl_eval",
        shape=Shape.SCALAR,
        per_batch=_binary_rbp,
        needs=frozenset({Need.GAINS}),
        parameters=(Parameter("p", 0.8, "probability to go on to the next rank", low=0.0, high=1.0), _DEPTH),
    ),
)
