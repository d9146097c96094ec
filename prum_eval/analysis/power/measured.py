"""The power of every measure of a table of values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import Matrix
from prum_eval.analysis.paired import paired_difference
from prum_eval.analysis.power.discriminative import difference_required, discriminative_power, power_of_sets
from prum_eval.analysis.power.result import MeasurePower, Power, SizePower
from prum_eval.analysis.power.settings import PowerSettings, usual_sizes
from prum_eval.analysis.power.topic_sets import drawn
from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError


def power_of_matrix(matrix: Matrix, settings: PowerSettings) -> Power:
    """Take every pair of runs, by every measure that is no count.

    Raises:
        DataError: all measures are counts, or one has a single topic.
        UsageError: there are no two disjoint sets of a size.
    """
    scores = [number for number, name in enumerate(matrix.measures) if name not in matrix.counts]
    if not scores:
        raise DataError(f"there are only counts, which have no power: {', '.join(matrix.measures)}")
    found = [_measure_power(matrix.measures[one], matrix.values[one], settings) for one in scores]
    return Power(matrix, settings, tuple(sorted(found, key=_worst)))


def _worst(one: MeasurePower) -> tuple[float, float]:
    tau = one.sizes[-1].tau
    return -one.power, np.inf if tau is None else -tau


def _measure_power(name: str, values: FloatArray, settings: PowerSettings) -> MeasurePower:
    values = values[:, ~np.isnan(values[0])]
    runs, topics = values.shape
    if topics < 2:
        raise DataError(f"{name}: there is only one topic; it takes two to draw disjoint sets")
    sizes = usual_sizes(topics) if settings.sizes is None else settings.sizes
    if 2 * sizes[-1] > topics:
        raise UsageError(
            f"sizes: {sizes[-1]}: of {topics} topics ({name}) two disjoint sets have {topics // 2} at most"
        )
    pairs = np.array(list(combinations(range(runs), 2)))
    differences = paired_difference(values[pairs[:, 0]], values[pairs[:, 1]])
    found = []
    for size in sizes:
        sets = drawn(differences, values, pairs, size, settings.fuzziness, settings.seed, settings.trials)
        own = power_of_sets(differences, size, settings, (values, pairs))
        found.append(SizePower(size, own, sets.swap_rate, sets.error_rate, sets.ties, sets.tau))
    power = discriminative_power(differences, settings, (values, pairs))
    return MeasurePower(name, topics, power, difference_required(differences, settings), tuple(found))
