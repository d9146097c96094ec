"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

C_r is what is spent by the first rank after which r targets are seen, A_r says whether that ever happens, a star marks
the ideal list. Where every rank costs 1, C_r is that rank, ML_r in the article.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import CUTOFFS, LENGTH_NEEDS, TENTHS, Measure, Need, Shape
from prum_eval.measures.costs import ideal_costs, reading_costs
from prum_eval.measures.ideal import ideal_lengths, lengths_of_targets
from prum_eval.measures.seen_states import SeenStates
from prum_eval.measures.splits import by_cutting
from prum_eval.measures.topic_data import JudgedTopic, TopicData
from prum_eval.numerics.growing_counts import means_of_laws, sums_of_laws
from prum_eval.numerics.levels import SLACK, at_goals
from prum_eval.parameters import Parameter, ParameterValues


def satisfaction_levels(weights: FloatArray, order: IntArray, *, graded: bool) -> tuple[list[int], FloatArray]:
    """The levels at which the set of ideal targets changes: its size at each, and the share of each level.

    With distinct values v_1 > ... > v_m > 0 = v_{m+1} the set {P >= v_i} has share (v_i - v_{i+1}) / v_1. Not graded,
    all targets are ideal at the one level.

    Args:
        weights: P(x in I) of each target, shape (t,).
        order: the targets by decreasing P(x in I), shape (t,).
        graded: whether there is more than one level.
    """
    if not graded or not len(weights):
        return [len(weights)], np.ones(1)
    ranked = weights[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    following = np.append(ranked[last][1:], 0.0)
    return (last + 1).tolist(), (ranked[last] - following) / ranked[0]


def search_quotients(
    seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str, costs: FloatArray
) -> list[FloatArray]:
    """E[A_r / C_r] for r = 1..targets, at every level; ``costs[k]`` is c_k.

    It is sum_{k<o} P(F_k >= r) (1/c_k - 1/c_{k+1}) + P(F_o >= r) / c_o.
    """
    quotients = [np.zeros(number) for number in targets]
    if len(seen.change):
        falling = -1.0 / costs[seen.change]
        bounds = np.concatenate((falling[:1], falling, [0.0]))
        sums = sums_of_laws(seen.p, counts, bounds, normal=mode == "normal")
        for quotient, count, found in zip(quotients, counts, sums, strict=True):
            quotient[:count] = np.cumsum(found[:0:-1])[::-1]
    return quotients


def search_lengths(
    seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str, costs: FloatArray
) -> list[FloatArray]:
    """E[C_r] for r = 1..targets = sum_{k>=0} P(F_k < r) (c_{k+1} - c_k), at every level; ``costs[k]`` is c_k.

    It is infinite unless r is reached surely: where it is not, the search may never end and has no expected length.
    """
    lengths = [np.full(number, np.inf) for number in targets]
    p, bounds = seen.p, costs[np.concatenate(([0], seen.change, [seen.ranks]))]
    stays = sums_of_laws(p, counts, bounds, normal=mode == "normal")
    ends = sums_of_laws(p[:, -1:], counts, np.array([0.0, 1.0]), normal=mode == "normal")
    for length, count, below, end in zip(lengths, counts, stays, ends, strict=True):
        surely = np.cumsum(end[:0:-1])[::-1] >= 1.0 - SLACK
        length[:count] = np.where(surely, np.cumsum(below)[:-1], np.inf)
    return lengths


@dataclass(frozen=True)
class _Graded:
    """What the EPRUM measures of one topic share.

    `counts`: how many targets are ideal and ever seen, at each level; `shares`: of the levels; `lengths`: E[C*_r] of
    the ideal list for r = 1..ideal targets, one array a level; `find`: makes `precisions`, which not all of them need.
    """

    counts: Sequence[int]
    shares: FloatArray
    lengths: Sequence[FloatArray]
    find: Callable[[], Sequence[FloatArray]]

    @cached_property
    def precisions(self) -> Sequence[FloatArray]:
        """Those of the run, for r = 1..ideal targets, one array a level."""
        return self.find()

    def mean(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Mean over the levels of values of one shape, by their shares, added up in their order."""
        mean: FloatArray = (self.shares[:, None] * np.array(parts)).sum(axis=0)
        return mean


def _graded(data: TopicData, values: ParameterValues) -> _Graded:
    mode, ideal_list, graded = (str(values[p.name]) for p in _PARAMETERS)
    at_recall, effort = (str(values.get(p.name, p.default)) for p in (_AT_RECALL, _EFFORT))
    order = data.order

    def compute() -> _Graded:
        sizes, shares = satisfaction_levels(data.judged.targets.weight, order, graded=graded == "on")
        if effort == "rank":
            lengths = ideal_lengths(data.judged, order, sizes, ideal_list, mode)
            costs = np.arange(data.seen.ranks + 1.0)
        else:
            costs = _at_least_one(reading_costs(data))
            lengths = _ideal_efforts(data.judged, sizes, mode)
        seen = data.seen
        counts = seen.ever_seen(order, sizes)

        def find() -> list[FloatArray]:  # of `data`, whose memo holds it, it must not know
            if at_recall == "product":
                quotients = search_quotients(seen, counts, sizes, mode, costs)
                return [ideal * own for ideal, own in zip(lengths, quotients, strict=True)]
            searches = search_lengths(seen, counts, sizes, mode, costs)
            return [ideal / own for ideal, own in zip(lengths, searches, strict=True)]

        return _Graded(counts, shares, lengths, find)

    return data.memo.once(("eprum", mode, ideal_list, at_recall, graded, effort), compute)


def _ideal_efforts(judged: JudgedTopic, sizes: Sequence[int], mode: str) -> list[FloatArray]:
    """E[C*_r] in characters, of the targets by decreasing P(x in I), of equal ones the shortest first."""

    def costs(order: IntArray, ranks: int) -> FloatArray:
        return _at_least_one(ideal_costs(judged, order, ranks))

    def compute() -> list[FloatArray]:
        order = np.lexsort((judged.targets.locations.length, -judged.targets.weight))
        return lengths_of_targets(judged, order, sizes, mode, costs)

    return judged.memo.once(("ideal_efforts", mode, tuple(sizes)), compute)


def _at_least_one(costs: FloatArray) -> FloatArray:
    """Costs c_k of at least one character, so that a search can be divided by them; c_0 is 0."""
    return np.append(costs[:1], np.maximum(costs[1:], 1.0))


def _mean(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    """Mean over all r."""
    shared = _graded(data, values)
    return float(shared.mean([value.mean(keepdims=True) for value in shared.precisions])[0])


def _at_recall(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at each recall level (a step function)."""
    shared = _graded(data, values)
    return shared.mean([at_goals(value, cutoffs) for value in shared.precisions])


def _at_ranks(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision at rank k: (1/k) sum_f P(F_k = f) E[ML*_f], E[ML*_0] = 0; past the end F stays and k grows."""
    shared = _graded(data, values)
    p = data.seen.p[:, data.seen.states_at(cutoffs.astype(np.int64))]
    ideal = [np.concatenate(([0.0], own)) for own in shared.lengths]
    return shared.mean(means_of_laws(p, shared.counts, ideal, normal=values["mode"] == "normal")) / cutoffs


def _needs(values: ParameterValues) -> frozenset[Need]:
    """Effort in characters asks for the length of every result, wherever it is."""
    return frozenset({Need.REACH, *(LENGTH_NEEDS if values.get("effort") == "size" else ())})


_PARAMETERS = (
    Parameter(
        "mode", "exact", "exact: the law of the count by convolution; normal: by the normal law", ("exact", "normal")
    ),
    Parameter(
        "ideal_list",
        "targets",
        "targets: by decreasing P(x in I); greedy: the list that grows P(F >= r) fastest, if it is shorter",
        ("targets", "greedy"),
        option="ideal_list",
    ),
    Parameter("graded", "on", "on: satisfaction levels from P(x in I); off: every target is ideal", ("on", "off")),
)
_AT_RECALL = Parameter("at_recall", "product", "product: E[ML*] E[A/ML]; ratio: E[ML*] / E[ML]", ("product", "ratio"))
_EFFORT = Parameter("effort", "rank", "rank: every rank costs 1; size: the characters of its result", ("rank", "size"))
_TEXT = (
    "ML_r is the first rank after which r targets are seen, A_r says whether that happens, a star marks the ideal "
    "list. With graded targets, the weighted mean over the satisfaction levels. With a stochastic ideal list it can "
    "pass 1."
)
_SIZE = (
    " With effort=size the rank k costs c_k in place of k: the characters of the first k results, overlapping ones in "
    "full, and at least 1; so do the ranks of the ideal list, where of equal targets the shortest comes first."
)
_SIGIR = "Piwowarski, Dupret, SIGIR 2006"
_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 7.2"
_measure = partial(
    Measure,
    family="eprum",
    needs=frozenset({Need.REACH}),
    needs_by=_needs,
    parameters=(*_PARAMETERS[:2], _AT_RECALL, *_PARAMETERS[2:], _EFFORT),
    bounded=False,
    y_label="EPRUM precision",
    split=by_cutting,
)

MEASURES = (
    _measure(
        name="eprum_map",
        summary="EPRUM precision, mean over all r",
        explanation=f"(1/t) sum over r = 1..t of E[ML*_r] E[A_r / ML_r]. {_TEXT}{_SIZE}",
        source=f"{_SIGIR}, sections 2 and 5",
        shape=Shape.SCALAR,
        per_topic=_mean,
    ),
    _measure(
        name="eprum_prec_at_recall",
        summary="EPRUM precision at recall X",
        explanation="E[ML*_r] E[A_r / ML_r] with r = max(1, ceil(X t)): a step function, no interpolation. "
        f"{_TEXT}{_SIZE}",
        source=f"{_SIGIR}, sections 2 and 5; ratio form {_INEX06}",
        shape=Shape.AT_LEVELS,
        per_topic=_at_recall,
        cutoffs=TENTHS,
    ),
    _measure(
        name="eprum_P",
        summary="EPRUM precision at rank K",
        explanation=f"(1/K) sum over f of P(F_K = f) E[ML*_f]; past the end of the list F stays and K grows. {_TEXT}",
        source=_INEX06,
        shape=Shape.AT_RANKS,
        per_topic=_at_ranks,
        parameters=_PARAMETERS,
        cutoffs=CUTOFFS,
    ),
)
