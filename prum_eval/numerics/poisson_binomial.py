"""The number of independent events that happen: exact distributions by convolution.

Conventions. ``p`` has shape (t, n): the probabilities of t independent events in n situations at once (for prum-eval:
t targets after n different ranks). Results have shape (t + 1, n): row f holds P(F = f), the probability that exactly
f events happen. Situations run along the last axis, so that every step is one contiguous array operation.
"""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import FloatArray, IntArray

NORMAL_FROM = 10
"""The normal law stands in where more than this many events are uncertain."""


def count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f) for f = 0..t, the Poisson-binomial law, by adding one event at a time.

    Only sums of products of probabilities: no cancellation, so every value is accurate relative to itself.

    >>> count_distribution(np.array([[0.5], [0.5]])).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    t, n = p.shape
    law = np.zeros((t + 1, n))
    law[0] = 1.0
    for x in range(t):
        grown = law[: x + 1] * p[x]
        law[: x + 1] *= 1.0 - p[x]
        law[1 : x + 2] += grown
    return law


def normal_count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f) with the normal law where more than ten events are uncertain, exact elsewhere.

    Mean sum p, variance sum p (1 - p), continuity correction 0.5, tails not renormalised ([PRUM] eq. 7 and after).
    """
    t, n = p.shape
    law = np.empty((t + 1, n))
    many = ((p > 0) & (p < 1)).sum(axis=0) > NORMAL_FROM
    law[:, ~many] = count_distribution(p[:, ~many])
    mean = p[:, many].sum(axis=0)
    deviation = np.sqrt((p[:, many] * (1 - p[:, many])).sum(axis=0))
    law[:, many] = normal_cell(np.arange(t + 1)[:, None], mean, deviation)
    return law


def normal_cell(count: IntArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Probability that the normal law gives [count - 1/2, count + 1/2]."""
    scaled = (np.asarray(count) - 0.5 - mean) / deviation, (np.asarray(count) + 0.5 - mean) / deviation
    lower, upper = (np.array([0.5 * math.erfc(-z / math.sqrt(2)) for z in side.ravel()]) for side in scaled)
    cells: FloatArray = np.maximum(upper - lower, 0.0).reshape(scaled[0].shape)
    return cells


def missing_given_count(p: FloatArray, law: FloatArray, situation: IntArray) -> FloatArray:
    """P(event i did not happen | F = s) for s = 0..t: leave one out, by deconvolution.

    ``p`` has shape (m,): the probability, in (0, 1), of event i in its own situation; ``law`` has shape (t + 1, n): the
    law of the count in each situation, ``situation[i]`` that of event i, which is counted there. The result has the
    shape (t + 1, m). With Q the law without the event, P(F = s) = p Q(s - 1) + (1 - p) Q(s) is solved for
    w(s) = (1 - p) Q(s) / P(F = s), upwards where p < 1/2 and downwards elsewhere, so that an error shrinks by the odds
    at each step when weighed by P(F = s). The clamp to [0, 1] keeps the quotient from exploding in the tails, where
    P(F = s) is nearly nothing. Where P(F = s) = 0 it is 0.
    """
    ratio = np.zeros(law.shape)  # P(s - 1) / P(s)
    largest = np.finfo(np.float64).max  # in place of infinity, which times 0 is no number
    up = p < 0.5
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        np.divide(law[:-1], law[1:], out=ratio[1:], where=law[1:] > 0)
        np.minimum(ratio, largest, out=ratio)
        if up.all():
            missing = _upwards(ratio.take(situation, axis=1), p / (1 - p))
        else:
            missing = np.zeros((len(law), len(p)))
            inverse = np.minimum(1 / ratio, largest)
            inverse[ratio <= 0] = 0.0
            missing[:, up] = _upwards(ratio.take(situation[up], axis=1), p[up] / (1 - p[up]))
            missing[:, ~up] = _downwards(inverse.take(situation[~up], axis=1), (1 - p[~up]) / p[~up])
    nothing = law <= 0
    rows = np.flatnonzero(nothing.any(axis=1))  # few: a law holds nothing at its ends
    missing[rows] *= ~nothing[rows].take(situation, axis=1)
    return missing


def _upwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s) = 1 - odds ratio(s) w(s - 1) from w(0) = 1, at least 0; `ratio` is overwritten."""
    w = ratio
    w[0] = 1.0
    for s in range(1, len(w)):
        w[s] *= odds
        w[s] *= w[s - 1]
        np.subtract(1.0, w[s], out=w[s])
        np.maximum(w[s], 0.0, out=w[s])
    return w


def _downwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s - 1) = odds ratio(s) (1 - w(s)), at most 1; from 0 at the top: if every event happened, this one did too."""
    w = np.zeros(ratio.shape)
    for s in range(len(w) - 1, 0, -1):
        np.subtract(1.0, w[s], out=w[s - 1])
        ratio[s] *= odds
        w[s - 1] *= ratio[s]
        np.minimum(w[s - 1], 1.0, out=w[s - 1])
    return w


def turns(bounds: IntArray) -> tuple[IntArray, list[int]]:
    """The events of situations in turns: the first of each, the second of each that has two, ...

    Args:
        bounds: where the events of each situation begin, and where the last ones end; each situation has some.

    Returns:
        The events in that order, those of the situations with most of them first in every turn, and their number in
        each turn.
    """
    events = np.diff(bounds)
    order = np.argsort(-events, kind="stable")
    begin = bounds[:-1][order]
    sizes: list[int] = np.searchsorted(-events[order], -np.arange(events.max())).tolist()  # with more than that many
    return np.concatenate([begin[:size] + turn for turn, size in enumerate(sizes)]), sizes


def any_happens(chances: FloatArray, sizes: list[int]) -> FloatArray:
    """The probability that any of the independent events of a situation happens.

    A column stands for a situation, as in the first turn. No product is taken from one, so that small ones are accurate
    relative to themselves.

    Args:
        chances: of the events, in columns, as `turns` has them; they are overwritten.
        sizes: number of columns of each turn.
    """
    happened, begin = chances[:, : sizes[0]], sizes[0]
    for size in sizes[1:]:
        other = chances[:, begin : begin + size]
        other *= 1.0 - happened[:, :size]
        happened[:, :size] += other
        begin += size
    return happened
