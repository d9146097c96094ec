"""Discriminative power of measures over all pairs of runs: the call `power` and its result.

Conventions. ``differences`` has shape (pairs, topics), without NaN: the values of one run minus those of another, 0 if
they are equal but for rounding. Counts have shape (pairs,), over the topic sets drawn.

`discriminative_power` and `difference_required` follow Sakai (SIGIR 2006). `draw_topic_sets` draws pairs of disjoint
topic sets, from which swap rate, error rate, ties and tau come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from prum_eval.analysis.compare import ValuesInput, attach_warnings, load_matrix, scalar_measures
from prum_eval.analysis.comparison import few_topics_warnings, paired_difference, randomisation_test, t_test
from prum_eval.analysis.matrix import TESTS, Matrix, TrialSettings
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.numerics.resampling import (
    PairOrigin,
    bootstrap_counts,
    bootstrap_test,
    is_constant,
    power_of_two_unit,
    random_orders,
)
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.value_lists import parse_value_list

SETS_PER_SIZE = 10
"""Number of topic sets per size over which discriminative power is averaged."""
_CELLS = 1 << 22
"""Approximate size of an array of intermediate results."""
_ROUNDING = 1e-12
_NEIGHBOURS = 10
"""Ranks to either side from which the deviation of a required difference is estimated."""


@dataclass(frozen=True)
class PowerSettings(TrialSettings):
    """Settings of power; `trials` is also the number of topic sets per size.

    `test`: the test that gives the p-values. `fuzziness`: means tie if they differ by at most this share of the larger
    one. `sizes`: sizes of the topic sets, None for `default_sizes`.
    """

    trials: int = 5000
    test: str = "bootstrap"
    fuzziness: float = 0.05
    sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        if self.test not in TESTS:
            names = f"{', '.join(TESTS[:-1])} or {TESTS[-1]}"
            raise UsageError(f"test={self.test}: test is {names}{did_you_mean(self.test, TESTS)}")
        if not 0 <= self.fuzziness < 1:
            raise UsageError(f"fuzziness={self.fuzziness}: fuzziness is a number from 0 on and below 1")


def parse_sizes(sizes: str | int | Sequence[int] | None) -> tuple[int, ...] | None:
    """Distinct sizes of topic sets, increasing, from numbers or a list in text.

    >>> parse_sizes("5:25:10"), parse_sizes([10, 5, 5]), parse_sizes(None)
    ((5, 15, 25), (5, 10), None)

    Raises:
        UsageError: a size is no whole number from 1 on, or there is none.
    """
    if sizes is None:
        return None
    numbers = [sizes] if isinstance(sizes, int) else sizes
    texts = parse_value_list(numbers) if isinstance(numbers, str) else [str(size) for size in numbers]
    bad = next((text for text in texts if not (text.isascii() and text.isdigit() and len(text) < 10)), None)
    bad = next((text for text in texts if int(text) < 1), None) if bad is None else bad
    if bad is not None or not texts:
        raise UsageError(f"sizes: {bad if texts else 'empty'}: the size of a topic set is a whole number from 1 on")
    return tuple(sorted({int(text) for text in texts}))


def default_sizes(topics: int) -> tuple[int, ...]:
    """5, 10, 20 and so on below half of the topics, and half of them.

    >>> default_sizes(50), default_sizes(8), default_sizes(20)
    ((5, 10, 20, 25), (4,), (5, 10))
    """
    half = topics // 2
    sizes, size = [], 5
    while size < half:
        sizes.append(size)
        size *= 2
    return (*sizes, half)


# Discriminative power


def discriminative_power(differences: FloatArray, settings: PowerSettings, origin: PairOrigin | None = None) -> float:
    """Share of the pairs with p < alpha, each p uncorrected; pairs without a p do not count as different.

    `origin`, the values behind the differences, only saves time.
    """
    return _power_and_error(differences, settings, origin)[0]


def _power_and_error(
    differences: FloatArray, settings: PowerSettings, origin: PairOrigin | None = None
) -> tuple[float, float]:
    """Discriminative power and its standard error over other random trials.

    Trials put the p of a pair below alpha with the probability of a normal distribution around the estimated p.
    """
    exact = np.zeros(len(differences), dtype=np.bool_)
    if settings.test == "t":
        p, exact = t_test(differences), ~exact
    elif settings.test == "bootstrap":
        p = bootstrap_test(differences, settings.trials, settings.seed, origin)
    else:
        p, exact = randomisation_test(differences, settings.trials, settings.seed, origin)
    variance = 0.0
    for share in p[~exact & ~np.isnan(p)].tolist():
        deviation = math.sqrt(share * (1.0 - share) / settings.trials)
        below = math.erfc((share - settings.alpha) / deviation / math.sqrt(2)) / 2 if deviation else 0.0
        variance += below * (1.0 - below)
    return float((p < settings.alpha).mean()), math.sqrt(variance) / len(p)


def power_of_sets(differences: FloatArray, size: int, settings: PowerSettings, origin: PairOrigin) -> float:
    """Mean discriminative power over `SETS_PER_SIZE` random sets of `size` topics."""
    return _mean_and_error(_powers_of_sets(differences, size, settings, origin))[0]


def _powers_of_sets(differences: FloatArray, size: int, settings: PowerSettings, origin: PairOrigin) -> list[float]:
    """Discriminative power of each random set of `size` topics."""
    values, pairs = origin
    sets = np.concatenate(
        [chunk[:, :size] for chunk in random_orders(settings.seed, SETS_PER_SIZE, differences.shape[1])]
    )
    return [discriminative_power(differences[:, topics], settings, (values[:, topics], pairs)) for topics in sets]


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean of independent draws, and its standard error."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, float(np.std(values, ddof=1)) / math.sqrt(len(values))


def difference_required(differences: FloatArray, settings: PowerSettings) -> float | None:
    """Largest mean difference that the paired bootstrap test requires for significance, over all pairs.

    The trials of a pair draw topics from its differences shifted to mean 0. The required difference is the absolute
    mean of the trial with the (alpha trials)-th largest absolute studentised mean (Sakai, SIGIR 2006, figure 5). None
    if no pair has differences that vary.
    """
    required = _required_differences(differences, settings)
    return None if required is None else required[0]


def _required_differences(differences: FloatArray, settings: PowerSettings) -> tuple[float, float] | None:
    """The difference required, and its standard deviation over the trials of neighbouring ranks."""
    varying = differences[~is_constant(differences)] if differences.shape[1] > 1 else differences[:0]
    place = max(1, int(settings.trials * settings.alpha + 1e-9)) - 1
    step = max(1, _CELLS // settings.trials)
    required = [
        _required_difference(varying[start : start + step], place, settings) for start in range(0, len(varying), step)
    ]
    if not required:
        return None
    largest = np.max(required, axis=0)
    return float(largest[0]), float(largest.std(ddof=1)) if len(largest) > 1 else 0.0


def _required_difference(differences: FloatArray, place: int, settings: PowerSettings) -> FloatArray:
    """The largest absolute means of the trials at this rank, and at up to `_NEIGHBOURS` ranks to either side of it."""
    n = differences.shape[1]
    centred = differences - differences.mean(axis=1, keepdims=True)
    means, squares = np.empty((2, len(differences), settings.trials))
    start = 0
    for weights in bootstrap_counts(settings.seed, settings.trials, n):
        chunk = slice(start, start + len(weights))
        means[:, chunk], squares[:, chunk] = centred @ weights.T / n, centred**2 @ weights.T / n
        start += len(weights)
    # a trial of equal differences has no variance: infinite, or 0 if its mean is 0 too
    square, variance = means**2, squares - means**2
    least = _ROUNDING * squares
    studentised = np.divide(square, variance, out=np.full_like(square, np.inf), where=variance > least)
    studentised[square <= least] = 0.0
    ranked = np.argsort(-studentised, axis=1, kind="stable")
    near = range(max(0, place - _NEIGHBOURS), min(settings.trials, place + _NEIGHBOURS + 1))
    trials = ranked[:, [place, *(rank for rank in near if rank != place)]]
    largest: FloatArray = np.abs(np.take_along_axis(means, trials, axis=1)).max(axis=0)
    return largest


# Results


@dataclass(frozen=True)
class SizePower:
    """Results for topic sets of a size: `power` of single sets; the others of two disjoint ones.

    `tau` is None if runs always tie. ``*_se``: standard errors of the random sets and trials.
    """

    size: int
    power: float
    swap_rate: float
    error_rate: float
    ties: float
    tau: float | None
    power_se: float
    swap_rate_se: float
    error_rate_se: float
    ties_se: float
    tau_se: float | None


@dataclass(frozen=True)
class MeasurePower:
    """Power of a measure over all `topics`, the difference `required`, and results by size of topic sets.

    `required` is None if no two runs differ. ``*_se``: standard errors of the random trials.
    """

    measure: str
    topics: int
    power: float
    required: float | None
    power_se: float
    required_se: float | None
    sizes: tuple[SizePower, ...]


@dataclass(frozen=True, repr=False)
class Power(Tabular):
    """The result of `power`: measures by decreasing power, then by decreasing tau.

    Measures whose powers differ by at most two standard errors are ordered by tau, and those whose taus do as well stay
    in the order of the matrix.
    """

    matrix: Matrix
    settings: PowerSettings
    measures: tuple[MeasurePower, ...]

    @property
    def pairs(self) -> int:
        """Number of pairs of runs."""
        runs = len(self.matrix.runs)
        return runs * (runs - 1) // 2

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Notices for the user."""
        return (*self.matrix.warnings, *few_topics_warnings(min(result.topics for result in self.measures)))

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings, sizes = self.settings, self.settings.sizes
        parts = [
            f"{self.matrix.signature}|power|test:{settings.test}",
            f"runs:{len(self.matrix.runs)}",
            f"topics:{len(self.matrix.topics)}",
            *([f"sizes:{','.join(map(str, sizes))}"] if sizes is not None else []),
            f"fuzziness:{settings.fuzziness}",
            f"{settings.trials} trials",
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
        ]
        return "|".join(parts)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per measure and size of topic sets; the last of a measure is for all topics."""
        for result in self.measures:
            for size in result.sizes:
                yield {"measure": result.measure, **_row(size.size, size, None, size)}
            yield {"measure": result.measure, **_row(result.topics, result, result, None)}

    def _summary(self) -> str:
        return f"{plural(len(self.measures), 'measure')}, {plural(self.pairs, 'pair')} of runs"

    def _table(self) -> Table:
        columns = ("measure", "topics", "power", "required", "swap rate", "error rate", "ties", "tau")
        return columns, (
            [row.measure, *list(_row(row.topics, row, row, row.sizes[-1]).values())[: len(columns) - 1]]
            for row in self.measures
        )


RATES = ("power", "required", "swap_rate", "error_rate", "ties", "tau")
"""What `power` computes of a measure; their standard errors are called ``power_se`` and so on."""


def _row(
    topics: int, tested: MeasurePower | SizePower, of_all: MeasurePower | None, sets: SizePower | None
) -> dict[str, RowValue]:
    """Rates and their standard errors, from the records that have them."""
    records = {"power": tested, "required": of_all} | dict.fromkeys(RATES[2:], sets)
    values = {f"{name}{end}": getattr(records[name], f"{name}{end}", None) for end in ("", "_se") for name in RATES}
    return {"topics": topics, **values}


# Random, disjoint topic sets


@dataclass(frozen=True)
class TopicSetDraws:
    """Counts over `trials` draws of two disjoint sets of `size` topics.

    `swaps`: draws in which the sets order a pair differently. `greater` and `less`: draws in which the first run of the
    pair is better or worse by the first set, by more than the fuzziness. `tau`: mean of Kendall's tau-b between the
    orders of the runs by both sets, over the draws in which it is defined; None if it never is. ``*_se``: standard
    errors of the rates.
    """

    size: int
    trials: int
    swaps: IntArray
    greater: IntArray
    less: IntArray
    tau: float | None
    swap_rate_se: float = 0.0
    error_rate_se: float = 0.0
    ties_se: float = 0.0
    tau_se: float | None = None

    @property
    def swap_rate(self) -> float:
        """Share of pairs and draws that swap (Voorhees and Buckley, SIGIR 2002)."""
        return float(self.swaps.sum()) / (self.trials * len(self.swaps))

    @property
    def error_rate(self) -> float:
        """Share of pairs and draws with the less frequent order of their pair.

        Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
        """
        return float(np.minimum(self.greater, self.less).sum()) / (self.trials * len(self.greater))

    @property
    def ties(self) -> float:
        """Share of pairs and draws in which the means differ by at most the fuzziness (likewise)."""
        return 1.0 - float((self.greater + self.less).sum()) / (self.trials * len(self.greater))


def disjoint_topic_sets(seed: int, trials: int, topics: int, size: int) -> Iterator[IntArray]:
    """Two disjoint sets of topics per trial: the first `size` columns and the rest; chunks of shape (n, 2 size).

    Larger sets of the same seed contain the smaller first ones.
    """
    for order in random_orders(seed, trials, topics):
        yield np.concatenate((order[:, :size], order[:, topics - size :]), axis=1)


def draw_topic_sets(
    differences: FloatArray, values: FloatArray, pairs: IntArray, size: int, fuzziness: float, seed: int, trials: int
) -> TopicSetDraws:
    """Draw pairs of disjoint sets of `size` topics, and count.

    Args:
        differences: shape (pairs, topics).
        values: values of the runs, shape (runs, topics).
        pairs: indices of the two runs of each difference, shape (pairs, 2).
        size: topics per set, at most half of them.
        fuzziness: means tie if they differ by at most this share of the larger one.
        seed: seed of the draws.
        trials: number of draws.
    """
    counts = np.zeros((3, len(differences)), dtype=np.int64)
    taus: list[float] = []
    shares: list[FloatArray] = []  # of the pairs that swap, are in the rarer order, and tie, by draw
    usual = np.sign(differences.sum(axis=1))[:, None]  # the order by all topics, nearly always the more frequent one
    magnitudes, topics = np.abs(differences), differences.shape[1]
    step = max(1, _CELLS // (len(differences) + topics))
    for chosen in disjoint_topic_sets(seed, trials, topics, size):
        for start in range(0, len(chosen), step):
            weights = np.zeros((2, len(chosen[start : start + step]), topics))
            for weight, columns in zip(weights, np.split(chosen[start : start + step], 2, axis=1), strict=True):
                np.put_along_axis(weight, columns, 1.0, axis=1)
            first, second = (_sums(differences, magnitudes, weight) for weight in weights)
            larger = np.abs(values @ weights[0].T)[pairs].max(axis=1)
            clear = np.abs(first) > fuzziness * larger * (1 + _ROUNDING)
            agree = np.sign(first) * np.sign(second)
            shares.append(
                np.stack([mask.mean(axis=0) for mask in (agree < 0, clear & (first * usual < 0), ~clear)], axis=1)
            )
            counts += [mask.sum(axis=1) for mask in (agree < 0, clear & (first > 0), clear & (first < 0))]
            untied = np.sqrt((first != 0).sum(axis=0) * (second != 0).sum(axis=0))
            taus += (agree.sum(axis=0)[untied > 0] / untied[untied > 0]).tolist()
    swaps, greater, less = counts
    errors = np.concatenate(shares).std(axis=0, ddof=1) / math.sqrt(trials) if trials > 1 else np.zeros(3)
    swap_se, error_se, ties_se = errors.tolist()
    tau, tau_se = _mean_and_error(taus) if taus else (None, None)
    return TopicSetDraws(size, trials, swaps, greater, less, tau, swap_se, error_se, ties_se, tau_se)


def _sums(differences: FloatArray, magnitudes: FloatArray, weights: FloatArray) -> FloatArray:
    """Sums of differences over sets, shape (pairs, sets); 0 if they cancel but for rounding."""
    sums = differences @ weights.T
    sums[np.abs(sums) <= _ROUNDING * (magnitudes @ weights.T)] = 0.0
    return sums


# Computation


def power_of_matrix(matrix: Matrix, settings: PowerSettings) -> Power:
    """The power of every measure that is no count, over all pairs of runs.

    Raises:
        DataError: all measures are counts, or one has a single topic.
        UsageError: there are no two disjoint sets of a size.
    """
    scores = [number for number, name in enumerate(matrix.measures) if name not in matrix.counts]
    if not scores:
        raise DataError(f"only counts, which have no power: {', '.join(matrix.measures)}")
    results = [_measure_power(matrix.measures[score], matrix.values[score], settings) for score in scores]
    ordered = [
        result
        for tied in _split_ties(results, lambda result: (result.power, result.power_se))
        for same in _split_ties(tied, lambda result: (result.sizes[-1].tau, result.sizes[-1].tau_se))
        for result in same
    ]
    return Power(matrix, settings, tuple(ordered))


def _split_ties(
    results: Sequence[MeasurePower], value: Callable[[MeasurePower], tuple[float | None, float | None]]
) -> list[list[MeasurePower]]:
    """Results by decreasing value, in groups that differ from their first by at most two standard errors.

    Each group keeps the order of `results`; those without a value come last.
    """
    ranked = sorted(results, key=lambda result: -np.inf if (own := value(result)[0]) is None else own, reverse=True)
    groups: list[list[MeasurePower]] = []
    for result in ranked:
        (most, most_se), (own, own_se) = value(groups[-1][0]) if groups else (None, None), value(result)
        gap = 0.0 if most is None or own is None else most - own
        ties = (most is None) == (own is None) and gap <= 2 * math.hypot(most_se or 0.0, own_se or 0.0) + _ROUNDING
        if groups and ties:
            groups[-1].append(result)
        else:
            groups.append([result])
    place = {id(result): number for number, result in enumerate(results)}
    return [sorted(group, key=lambda result: place[id(result)]) for group in groups]


def _measure_power(name: str, values: FloatArray, settings: PowerSettings) -> MeasurePower:
    values = values[:, ~np.isnan(values[0])]
    unit = power_of_two_unit(values)
    values = values / unit
    runs, topics = values.shape
    if topics < 2:
        raise DataError(f"{name}: there is only one topic; two disjoint sets need two topics")
    sizes = default_sizes(topics) if settings.sizes is None else settings.sizes
    if 2 * sizes[-1] > topics:
        raise UsageError(
            f"sizes: {sizes[-1]}: of {topics} topics ({name}) two disjoint sets have {topics // 2} at most"
        )
    pairs = np.array(list(combinations(range(runs), 2)))
    differences = paired_difference(values[pairs[:, 0]], values[pairs[:, 1]])
    results = []
    for size in sizes:
        sets = draw_topic_sets(differences, values, pairs, size, settings.fuzziness, settings.seed, settings.trials)
        power, power_se = _mean_and_error(_powers_of_sets(differences, size, settings, (values, pairs)))
        rates = {key: getattr(sets, key) for key in (*RATES[2:], *(f"{rate}_se" for rate in RATES[2:]))}
        results.append(SizePower(size, power, power_se=power_se, **rates))
    power, power_se = _power_and_error(differences, settings, (values, pairs))
    required, required_se = _required_differences(differences, settings) or (None, None)
    if required is not None and required_se is not None:
        required, required_se = unit * required, unit * required_se
    return MeasurePower(name, topics, power, required, power_se, required_se, tuple(results))


def power(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    values: ValuesInput | None = None,
    common: bool = False,
    accept_unmatched: bool = False,
    sizes: str | int | Sequence[int] | None = None,
    test: str = "bootstrap",
    fuzziness: float = 0.05,
    seed: int = 1,
    trials: int = 5000,
    alpha: float = 0.05,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Power:
    """Discriminative power of measures over all pairs of runs, the best measure first.

    >>> from prum_eval import power
    >>> result = power(values="fixtures/compare/systems.csv", measures=["map", "ndcg"])
    >>> result
    <Power: 2 measures, 66 pairs of runs; 1 warning>

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise, or `values` instead of both, as in `prum_eval.compare`.
        values: existing values, as in `prum_eval.compare`.
        common: as in `prum_eval.compare`.
        accept_unmatched: likewise.
        sizes: sizes of the topic sets, at most half of the topics: a number, several, or a list in text such as
            ``5:25:5``. By default 5, 10, 20 and so on below half of the topics, and half of them.
        test: ``bootstrap``, as in Sakai's paper, ``randomisation`` or ``t``: pairs with p < alpha differ significantly.
        fuzziness: for errors and ties, two means tie if they differ by at most this share of the larger one.
        seed: seed of all trials.
        trials: random trials of each test, and topic sets of each size.
        alpha: level of significance, without correction for the number of pairs.
        options: the other arguments of `prum_eval.evaluate`; counts are left out.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; a single topic.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = PowerSettings(seed, trials, alpha, test, fuzziness, parse_sizes(sizes))
    matrix = load_matrix(
        assessments, runs, values, options, common=common, accept_unmatched=accept_unmatched, default=scalar_measures
    )
    with attach_warnings(matrix.warnings):
        return power_of_matrix(matrix, settings)
