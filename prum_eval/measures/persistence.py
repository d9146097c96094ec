"""Gains of a user who goes down the list and may stop: what rank k adds for this user, weighed by getting there.

g_k = sum_x P(x in I) (p_k(x) - p_{k-1}(x)), p_k(x) the probability that x is seen after k ranks. Of a topic with
facets x is a facet. Gains have one entry per rank of ``goal_states.change_ranks``, topic after topic, shape (J,); no
other rank adds anything. What ranks add to a value has shape (J, n), n the number of cut-offs, or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, accumulate_groups, float_sums_of_groups, group_bounds, grouped_sums
from prum_eval.errors import InputError, UsageError
from prum_eval.measures.base import EFFORT_NEEDS, LENGTH_NEEDS, Direction, Measure, Need, Shape
from prum_eval.measures.grades import result_levels
from prum_eval.measures.judged_rows import flat_topic
from prum_eval.measures.topic_data import JudgedTopic, TopicBatch, TopicData
from prum_eval.parameters import GAINS, Parameter, ParameterValues, parse_gains
from prum_eval.records import FlatTopic
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION

_PERSISTENCE = 0.9
"""Probability to go on to the next rank, as trec_eval has it."""

AddedGains = Callable[[TopicBatch, ParameterValues, FloatArray], FloatArray]
"""(topics, parameters, cut-offs) -> what each rank adds, shape (J, n)."""


def change_ranks(batch: TopicBatch) -> tuple[IntArray, IntArray]:
    """The ranks that change what is seen, topic after topic, and the bounds of those of each topic."""
    ranks = [topic.goal_states.change_ranks for topic in batch.topics]
    return np.concatenate(ranks), group_bounds(list(map(len, ranks)))


def gains_of_ranks(batch: TopicBatch, weights: Sequence[FloatArray]) -> FloatArray:
    """sum_x weights[i][x] (p_k(x) - p_{k-1}(x)) of the ranks of each topic i, shape (J,); x as in the assessments."""
    states = [topic.goal_states for topic in batch.topics]
    first = group_bounds([len(seen.change_ranks) for seen in states])
    begin, value = (
        np.concatenate(column)
        for column in zip(*((s.probabilities.begin, s.probabilities.value) for s in states), strict=True)
    )
    topic = np.repeat(np.arange(len(states)), [len(seen.probabilities.begin) for seen in states])
    row_weights = np.concatenate([weight[seen.active] for weight, seen in zip(weights, states, strict=True)])
    rises = np.flatnonzero((begin > 0) & (begin <= np.diff(first)[topic]))  # of a list that was cut the later ones stay
    added = row_weights[np.cumsum(begin == 0)[rises] - 1] * (value[rises] - value[rises - 1])
    return grouped_sums(first[topic[rises]] + begin[rises] - 1, added, int(first[-1]))


def rank_biased_precision(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """(1 - p) p^(k-1) g_k."""
    p, (ranks, _) = float(values["p"]), change_ranks(batch)
    if "gains" in values:
        topics = batch.topics
        gains = np.concatenate(
            [_normalised_gains(topic, values)[topic.goal_states.change_ranks - 1] for topic in topics]
        )
    else:
        gains = gains_of_ranks(batch, [_rbp_weights(topic) for topic in batch.topics])
    added: FloatArray = (1 - p) * p ** (ranks - 1.0) * gains
    return added[:, None]


def _rbp_weights(data: TopicData) -> FloatArray:
    """What each target is worth: of graded documents that nobody navigates, the share of the topic's largest grade."""
    judged = data.judged
    if judged.largest_grade is None or judged.facets is not None or judged.quantisation != DEFAULT_QUANTISATION:
        return judged.goal_weights
    grades: FloatArray = np.rint(judged.targets.weight * judged.largest_grade)
    grades /= flat_topic(data).grades.max(initial=1)
    return grades


def _normalised_gains(data: TopicData, values: ParameterValues) -> FloatArray:
    """Gains of the results by the parameter `gains`, mapped to [0, 1] if a gain of the topic is outside.

    Raises:
        UsageError: the user navigates, so that gains are no longer those of results.
    """
    if data.judged.largest_grade is None or data.judged.facets is not None:
        raise UsageError("rbp: gains are for graded documents and user model none")
    gain_of, levels = parse_gains(str(values["gains"])), result_levels(data)
    grades = flat_topic(data).grades
    table = {grade: float(grade) for grade in range(int(grades.max(initial=0)) + 1)} | gain_of
    low, high = min(0.0, *table.values()), max(0.0, *table.values())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.array([(table[level] - low) / (high - low) if level in table else 0.0 for level in levels.tolist()])


def rbp_residual(levels: IntArray, p: float) -> float:
    """What rank-biased precision would gain if all results that nobody judged, and all further ones, were relevant.

    p^n + (1 - p) times the sum of p^(k-1) over the ranks k of such results; 0 if there is none.

    >>> round(rbp_residual(np.array([1, -1]), 0.9), 4), rbp_residual(np.array([1, 0]), 0.9)
    (0.9, 0.0)
    """
    places = np.flatnonzero(levels < 0)
    return float(p ** len(levels) + (1 - p) * (p**places).sum()) if len(places) else 0.0


def _residual(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    if data.ranking.absent and "p" not in values:
        return 0.0
    return rbp_residual(result_levels(data), float(values.get("p", _PERSISTENCE)))


def u_measure(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """g_k max(0, 1 - c_k / L) over the sum of P(x in I); c_k what the first k results cost."""
    from prum_eval.measures.topic_data import reading_costs  # few calls count characters

    effort, topics = str(values["effort"]), batch.topics
    spent = np.concatenate([reading_costs(topic, effort)[topic.goal_states.change_ranks] for topic in topics])
    weights = [topic.judged.goal_weights for topic in topics]
    with np.errstate(over="ignore"):  # of an L near 0
        left = np.maximum(0.0, 1.0 - spent / float(values["L"]))
    totals = np.repeat([weight.sum() for weight in weights], np.diff(change_ranks(batch)[1]))
    added: FloatArray = gains_of_ranks(batch, weights) * left / totals
    return added[:, None]


def expected_reciprocal_rank(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """v_k / k prod_{i<k} (1 - v_i) up to rank K; v_k the probability that rank k satisfies the user."""
    weights = [_satisfaction_weights(topic.judged, values) for topic in batch.topics]
    stops = np.minimum(gains_of_ranks(batch, weights), 1.0)
    ranks, bounds = change_ranks(batch)
    going_on = np.append(1.0, accumulate_groups(1.0 - stops, bounds, np.multiply))[:-1]
    going_on[bounds[:-1][np.diff(bounds) > 0]] = 1.0
    added = stops * going_on / ranks
    return np.where(ranks[:, None] <= cutoffs, added[:, None], 0.0)


def _satisfaction_weights(judged: JudgedTopic, values: ParameterValues) -> FloatArray:
    """The probability that each target satisfies the user: by its grade if it has one, else its weight."""
    if judged.largest_grade is None or judged.facets is not None:
        return judged.goal_weights
    return satisfaction(judged, float(values.get("max_grade", judged.largest_grade)))


def satisfaction(judged: JudgedTopic, largest: float) -> FloatArray:
    """(2^g - 1) / 2^largest, g the grade of each target; shape (t,).

    Raises:
        InputError: a grade above the largest one.
    """
    topic = judged.assessed_topic
    assert isinstance(topic, FlatTopic)  # noqa: S101 - only flat assessments have a largest grade
    above = np.flatnonzero(topic.grades > largest)
    if len(above):
        row = int(above[0])
        reason = f"grade {int(topic.grades[row])} is above max_grade={largest:g}"
        raise InputError(topic.path, int(topic.lines[row]), reason)
    grade = dict(zip(topic.documents, topic.grades.tolist(), strict=True))
    grades = np.array([grade[name] for name in judged.targets.documents], dtype=np.float64)
    chances: FloatArray = np.exp2(grades - largest) - np.exp2(-largest)
    return chances


def _sum_over_ranks(added: AddedGains) -> dict[str, Any]:
    """How a measure is computed, and divides among the ranks: it is the sum of what they add."""

    def total(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        batch.compute_states()
        return float_sums_of_groups(added(batch, values, cutoffs), change_ranks(batch)[1])

    def split(
        _measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        parts = added(TopicBatch([data]), values, cutoffs)
        return parts, np.zeros(parts.shape[1])

    return {"per_batch": total, "split": split}


_GAIN = "g_k is what rank k adds: the sum over the targets x of P(x in I) (p_k(x) - p_(k-1)(x))"

_measure = partial(Measure, family="persistence", needs=frozenset({Need.REACH}), over_facets=True)

MEASURES = (
    _measure(
        name="rbp",
        summary="rank-biased precision",
        explanation=f"(1 - p) sum over k of p^(k-1) g_k; {_GAIN}. With several targets at one rank it can pass 1. For "
        "graded documents under user model none g_k is the grade, over the largest grade of the topic if that is above "
        "1, as in trec_eval 10; -l has no part in it. With rel=N every grade from N up counts 1.",
        source="Moffat, Zobel, TOIS 27(1), 2008",
        shape=Shape.SCALAR,
        **_sum_over_ranks(rank_biased_precision),
        parameters=(Parameter("p", _PERSISTENCE, "probability to go on to the next rank", low=0.0, high=1.0), GAINS),
        bounded=False,
        aliases=("RBP:p=0.8",),
        with_level="cwl_rbp",
        level_settings="quantisation=strict",
        point="gains",
        zero_for_documents=True,
        graded=True,
        needs_by=lambda values: frozenset({Need.REACH, Need.GRADES} if "gains" in values else {Need.REACH}),
    ),
    _measure(
        name="rbp_resid",
        family="trec_eval",
        summary="what rank-biased precision could gain if more were judged",
        explanation="p^n + (1 - p) sum of p^(k-1) over the ranks k of results that are not judged or have a grade "
        "below 0, of n results; 0 if there are no such results.",
        source="Moffat, Zobel, TOIS 27(1), 2008; trec_eval 10 (NIST)",
        shape=Shape.SCALAR,
        per_topic=_residual,
        needs=frozenset({Need.GAINS, Need.GRADES}),
        parameters=(
            Parameter("p", None, f"probability to go on to the next rank; {_PERSISTENCE} by default", low=0, high=1),
        ),
        point="p",
        direction=Direction.NEITHER,
        without_targets=True,
        without_level=True,
    ),
    _measure(
        name="u_measure",
        summary="U-measure: gains that fade with what was read",
        explanation=f"sum over k of g_k max(0, 1 - c_k / L), over the sum of P(x in I); {_GAIN}, c_k the characters of "
        "the first k results, overlapping ones in full; with effort=read also those read beyond them, read_k.",
        source="Sakai, Dou, SIGIR 2013",
        shape=Shape.SCALAR,
        **_sum_over_ranks(u_measure),
        needs=frozenset({Need.REACH}) | LENGTH_NEEDS,
        needs_by=lambda values: frozenset({Need.REACH}) | EFFORT_NEEDS[str(values["effort"])],
        parameters=(
            Parameter("L", 132000.0, "characters after which nothing gained counts", low=0.0, open_low=True),
            Parameter(
                "effort", "size", "size: the characters of results; read: those beyond them too", ("size", "read")
            ),
        ),
    ),
    _measure(
        name="err",
        summary="expected reciprocal rank, of the first K results",
        explanation="sum over k up to K of v_k / k times the product over i < k of 1 - v_i. For graded documents under "
        "user model none v = (2^g - 1) / 2^max, g the grade (0 where it is negative or not judged), max the largest "
        f"grade of the file; else v_k = min(1, g_k); {_GAIN}.",
        source="Chapelle, Metzler, Zhang, Grinspan, CIKM 2009",
        shape=Shape.AT_RANKS,
        **_sum_over_ranks(expected_reciprocal_rank),
        zero_for_documents=True,
        cutoffs=(5.0, 10.0, 20.0),
        aliases=("ERR:max_grade=4",),
        parameters=(
            Parameter("max_grade", None, "largest grade; by default that of the file", low=0.0, open_low=True),
        ),
        y_label="ERR",
    ),
)
