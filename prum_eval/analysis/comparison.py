"""What a comparison of runs gives back: means and differences by measure, with what tests say of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import (
    ComparisonSettings,
    GroupMean,
    Matrix,
    OrderChange,
    TrialSettings,
    best_run,
    find_order_changes,
    group_means,
    mean,
    mean_matrix,
    select_counts,
)
from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.measures.base import Direction, Measure
from prum_eval.measures.registry import cutoff_of_name, measures_by_printed_name
from prum_eval.numerics.curves import pareto_mask
from prum_eval.numerics.resampling import (
    PairOrigin,
    bootstrap_margin,
    bootstrap_test,
    is_constant,
    random_signs,
    same_origin,
    weighted_sums,
)
from prum_eval.numerics.significance import detectable_effect, t_quantile, tukey_hsd, two_sided_p
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import RowValue, Table, Tabular, plural

# Paired tests of differences by topic: randomisation, Student's t, effect size, wins, correction for many tests.
#
# Conventions. ``differences`` has shape (k, n): k comparisons over the same n topics, each the value of one run minus
# that of another. Results have shape (k,); NaN stands for a value that is not defined. Differences that are nothing but
# rounding are taken for 0 by `paired_difference`, before anything else is computed.


MAX_EXACT_TOPICS = 20
"""All arrangements of signs are gone through where at most so many topics differ: half a million sums."""
ROUNDING = 1e-12
"""Relative to the size of what is compared: sums of doubles in another order differ by less."""


def paired_difference(values: FloatArray, base: FloatArray) -> FloatArray:
    """Values minus base, 0 where they are equal but for rounding.

    >>> paired_difference(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5])).tolist()
    [0.0, 0.5]
    """
    found = values - base
    found[np.abs(found) <= ROUNDING * np.maximum(np.abs(values), np.abs(base))] = 0.0
    return found


def randomisation_test(
    differences: FloatArray, trials: int, seed: int, origin: PairOrigin | None = None
) -> tuple[FloatArray, BoolArray]:
    """Two-sided p-values of the paired randomisation (sign-flip) test, and which of them are exact.

    If two runs were the same, each topic's difference could as well have the other sign: p is the share of all
    arrangements of signs whose sum is at least as far from 0 as the sum observed (Fisher, The Design of Experiments,
    1935, section 21). It is exact where at most `MAX_EXACT_TOPICS` differences are not 0; elsewhere it is estimated as
    (1 + m) / (1 + trials) from m of so many random arrangements, the observed one counted among them (Davison and
    Hinkley, Bootstrap Methods and their Application, 1997, section 4.2).

    `origin`, what the differences are of, saves time where pairs are many more than runs, and changes no result.

    >>> randomisation_test(np.array([[1.0, 2.0, 3.0]]), 1000, 1)[0].tolist()
    [0.25]
    """
    scale = np.abs(differences).sum(axis=1)
    goal = np.abs(differences.sum(axis=1)) - ROUNDING * scale
    exact = (differences != 0).sum(axis=1) <= MAX_EXACT_TOPICS
    found = np.empty(len(differences))
    for row in np.flatnonzero(exact):
        found[row] = _share_of_arrangements(differences[row], goal[row])
    if not exact.all():
        drawn = np.flatnonzero(~exact)
        origin = None if origin is None else (origin[0], origin[1][drawn])
        known, far = differences[drawn], np.zeros(len(drawn))
        quick = same_origin(known, origin)
        for chunk in random_signs(seed, trials, differences.shape[1]):
            for own, sums in weighted_sums(chunk, known, quick, origin):
                far[own] += (np.abs(sums) >= goal[drawn[own], None]).sum(axis=1)
        found[drawn] = (1 + far) / (1 + trials)
    return found, exact


def _share_of_arrangements(differences: FloatArray, goal: float) -> float:
    moving = differences[differences != 0]
    if not len(moving):
        return 1.0
    # the other sign of the first one only mirrors every sum; each sum is one of the first half and one of the second
    half = (len(moving) + 1) // 2
    some, others = _sums(moving[1:half], moving[:1]), np.sort(_sums(moving[half:], np.zeros(1)))
    above = len(others) - np.searchsorted(others, goal - some)
    below = np.searchsorted(others, -goal - some, side="right")
    return min(float((above + below).sum() / (len(some) * len(others))), 1.0)


def _sums(values: FloatArray, sums: FloatArray) -> FloatArray:
    """Sums and values added to them, with either sign."""
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def t_test(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t test; NaN for a single topic and where all topics differ by the same amount.

    >>> t_test(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])).round(4).tolist()
    [0.0742, nan]
    """
    n = differences.shape[1]
    found = np.full(len(differences), np.nan)
    for row in np.flatnonzero(~is_constant(differences)):
        found[row] = two_sided_p(differences[row].mean() / differences[row].std(ddof=1) * math.sqrt(n), n - 1)
    return found


def t_margin(differences: FloatArray, alpha: float) -> FloatArray:
    """Half the width of Student's interval of the mean, which holds 1 - alpha; NaN for a single topic.

    >>> t_margin(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), 0.05).round(4).tolist()
    [2.4841, 0.0]
    """
    n = differences.shape[1]
    if n < 2:
        return np.full(len(differences), np.nan)
    found: FloatArray = t_quantile(alpha / 2, n - 1) / math.sqrt(n) * differences.std(axis=1, ddof=1)
    return found


def cohen_d(differences: FloatArray) -> FloatArray:
    """Effect size of paired values, d_z: mean difference by the standard deviation of the differences (n - 1).

    0 where nothing differs; NaN for a single topic and where all topics differ by the same amount (Cohen, Statistical
    Power Analysis for the Behavioral Sciences, 1988, section 2.3.5).

    >>> cohen_d(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [2.0, 0.0]
    """
    k, n = differences.shape
    if n < 2:
        return np.full(k, np.nan)
    mean, size = differences.mean(axis=1), np.abs(differences).max(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(deviation > ROUNDING * size, mean / deviation, np.nan)
    return np.where(size == 0, 0.0, found)


def wins_ties_losses(differences: FloatArray) -> IntArray:
    """Topics on which the run is better than, equal to and worse than the other; shape (k, 3)."""
    return np.stack([(differences > 0).sum(axis=1), (differences == 0).sum(axis=1), (differences < 0).sum(axis=1)], 1)


def holm_correction(p: FloatArray) -> FloatArray:
    """p-values corrected for their number, step by step (Holm, Scandinavian Journal of Statistics 6, 1979).

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below the one before it, none exceeds
    1. NaN stays NaN and does not count.

    >>> holm_correction(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    found = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    found[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)), 1.0)
    return found


# The difference of two runs on one measure, with everything that tests say of it.


STATISTICS = (
    *("difference", "low", "high", "p_randomisation", "holm_randomisation", "p_bootstrap", "holm_bootstrap"),
    *("cohen_d", "wins", "ties", "losses", "exact", "p_t", "holm_t", "p_tukey"),
)
"""What csv and data frames have of a difference, in their order."""
TESTS = ("randomisation", "t", "bootstrap")


@dataclass(frozen=True)
class PValues:
    """A two-sided p-value, and corrected by Holm's procedure for all comparisons of its family; None if undefined."""

    p: float | None
    holm: float | None


@dataclass(frozen=True)
class Difference:
    """A run minus another on one measure.

    `mean` of the differences by topic, `low` and `high` of its interval; `randomisation`, `exact` where all
    arrangements were gone through; `bootstrap`, `t`; `tukey`: p corrected for all pairs of the measure, where all were
    compared; `cohen_d` by the standard deviation of the differences (d_z); `wins`, `ties`, `losses` by topic. Of a
    count there are `mean`, `wins` (more), `ties` and `losses` (less) alone.
    """

    mean: float
    low: float | None
    high: float | None
    randomisation: PValues
    exact: bool
    bootstrap: PValues
    t: PValues
    tukey: float | None
    cohen_d: float | None
    wins: int
    ties: int
    losses: int

    def p_values(self, test: str) -> PValues:
        """The result of one of `TESTS`."""
        found: PValues = getattr(self, test)
        return found

    def swap_runs(self) -> Difference:
        """The other run minus the one."""
        return replace(
            self,
            mean=0.0 - self.mean,
            low=_negative(self.high),
            high=_negative(self.low),
            cohen_d=_negative(self.cohen_d),
            wins=self.losses,
            losses=self.wins,
        )

    def statistics(self) -> dict[str, float | int | bool | None]:
        """All of it by the names of `STATISTICS`."""
        tests = (self.randomisation.p, self.randomisation.holm, self.bootstrap.p, self.bootstrap.holm)
        counts = (self.wins, self.ties, self.losses, self.exact)
        later = (self.t.p, self.t.holm, self.tukey)
        values = (self.mean, self.low, self.high, *tests, self.cohen_d, *counts, *later)
        return dict(zip(STATISTICS, values, strict=True))


def statistics_of(
    differences: FloatArray, values: FloatArray, pairs: IntArray, settings: ComparisonSettings
) -> dict[str, FloatArray]:
    """Intervals, p-values and effect sizes by name, each of shape (k,).

    Args:
        differences: shape (k, topics); NaN marks topics that do not count.
        values: what they are differences of, shape (rows, topics).
        pairs: rows of the two values of each difference, shape (k, 2).
        settings: which interval, and the trials.

    Returns:
        NaN is what is not defined.
    """
    names = ("low", "high", *TESTS, "exact", "cohen_d")
    found = {name: np.full(len(differences), np.nan) for name in names}
    for rows, topics in _same_topics(differences):
        known = differences[rows][:, topics]
        mean, margin = known.mean(axis=1), _margin(known, settings)
        used, places = np.unique(pairs[rows], return_inverse=True)
        origin = (values[used][:, topics], places.reshape(-1, 2))
        randomisation, exact = randomisation_test(known, settings.trials, settings.seed, origin)
        bootstrap = bootstrap_test(known, settings.trials, settings.seed, origin)
        own = (mean - margin, mean + margin, randomisation, t_test(known), bootstrap, exact, cohen_d(known))
        for name, column in zip(names, own, strict=True):
            found[name][rows] = column
    return found


def _margin(differences: FloatArray, settings: ComparisonSettings) -> FloatArray:
    if settings.interval == "t":
        return t_margin(differences, settings.alpha)
    return bootstrap_margin(differences, settings.trials, settings.seed, settings.alpha)


def _same_topics(differences: FloatArray) -> Iterator[tuple[list[int], BoolArray]]:
    """Rows over the same topics, and which these are: they share the trials."""
    groups: dict[bytes, list[int]] = {}
    missing = np.isnan(differences)
    for row, own in enumerate(missing):
        groups.setdefault(own.tobytes(), []).append(row)
    for rows in groups.values():
        yield rows, ~missing[rows[0]]


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value  # not -0.0


# What a comparison over so few topics cannot show, said before anybody concludes from it.


FEW_TOPICS = 20
POWER = 0.8
"""The power that is meant where a comparison says which difference it would have found."""


def few_topics_warnings(topics: int) -> Iterator[str]:
    """A warning where topics are fewer than `FEW_TOPICS`.

    >>> list(few_topics_warnings(3)), list(few_topics_warnings(20))
    (['only 3 topics: below 20, intervals and p-values are rough'], [])
    """
    if topics < FEW_TOPICS:
        yield f"only {plural(topics, 'topic')}: below {FEW_TOPICS}, intervals and p-values are rough"


def unreachable_alpha_warnings(families: Mapping[str, Sequence[Difference]], settings: TrialSettings) -> Iterator[str]:
    """A warning where no p-value of the randomisation test could be below alpha, whatever the signs of differences.

    If n topics differ, the least p is 2 of 2^n arrangements, and not below 1 of all trials where they are drawn; the
    correction multiplies it by the comparisons of the family.
    """
    told: dict[str, list[str]] = {}
    for name, differences in families.items():
        least, why = min(_smallest_p_value(one, settings) for one in differences)
        corrected = min(1.0, least * len(differences))
        if corrected >= settings.alpha:
            reason = f"{corrected:g} ({why}, {plural(len(differences), 'comparison')})"
            told.setdefault(reason, []).append(name)
    for reason, names in told.items():
        yield f"{', '.join(names)}: no p-value of the randomisation test can be below {reason}"


def _smallest_p_value(difference: Difference, settings: TrialSettings) -> tuple[float, str]:
    """The least p-value that there could be, and what it comes from."""
    differ = difference.wins + difference.losses
    least = min(1.0, 2.0 ** (1 - differ))
    if difference.exact or least * (1 + settings.trials) > 1:
        return least, f"{plural(differ, 'topic')} differ{'s'[: differ == 1]}"
    return 1 / (1 + settings.trials), plural(settings.trials, "trial")


def detectable_difference(differences: FloatArray, alpha: float) -> float | None:
    """The mean difference that the paired t test finds with power `POWER` over these topics; None if nothing varies.

    `differences` has shape (comparisons, topics) without NaN; their deviation is the root of the mean variance.
    """
    topics = differences.shape[1]
    if topics < 2:
        return None
    variances = np.where(is_constant(differences), 0.0, differences.var(axis=1, ddof=1))
    deviation = math.sqrt(variances.mean())
    return deviation * detectable_effect(topics, POWER, alpha) if deviation > 0 else None


# Of many measures the few that tell most: which one ranks the runs, what they cost, one of every other kind.


@dataclass(frozen=True)
class MeasureRanking:
    """Names of measures.

    `headline`: the one that ranks the runs, None where all are counts. `costs`: those of which lower values are better,
    one of a kind. `order`: all, the most telling ones first; the first `kinds` are one of a kind. `one_per_kind`: one of each
    kind of scores, in their order. `budget`: the first
    of what is found within one. `trade_off`: the first cost, and the quality that it buys, None without both.
    """

    headline: str | None
    costs: tuple[str, ...]
    order: tuple[str, ...]
    kinds: int
    budget: str | None
    trade_off: tuple[str, str] | None
    one_per_kind: tuple[str, ...] = ()


def rank_measures(measures: Sequence[str], headline: str | None = None) -> MeasureRanking:
    """What is shown first of a comparison by these measures, which are in their order.

    Without costs it is the first score that ranks the runs. Where there are costs it is the first score that they buy,
    and of a score with several cut-offs the value at that of the costs: recall at 5 stands beside the size of 5. Then
    follow the costs, what was found within budgets, and all others.

    Args:
        measures: printed names.
        headline: the one that ranks the runs, where it is told; costs then follow all others.
    """
    known, counts = measures_by_printed_name(measures), select_counts(measures)
    scores = [name for name in measures if name not in counts]
    lower_better = {name for name, measure in known.items() if measure.direction is Direction.LOWER}
    trade_off = None
    points = {name: cutoff_of_name(name, known[name]) if name in known else None for name in measures}
    kinds: dict[tuple[str, str], list[str]] = {}
    for name in scores:
        kinds.setdefault(_measure_kind(name, known.get(name)), []).append(name)
    shared = _shared_cutoff([name for name in scores if name in lower_better], scores, points)
    shown = [_representative(names, points, shared) for names in kinds.values()]
    quality = [name for name in shown if name not in lower_better]
    costs = [name for name in shown if name in lower_better]
    if headline is not None:
        same = next((names for names in kinds.values() if headline in names), [])
        first = [headline, *same, *quality, *costs]
    elif costs and quality:
        within = [name for name in quality if name in known and known[name].budget]
        paid_for = [name for name in quality if name not in within]
        trade_off = (costs[0], paid_for[0]) if paid_for else None
        first = [*paid_for[:1], *costs, *within, *quality] if paid_for else [*within, *costs]
    else:
        first = scores
    first = list(dict.fromkeys(first))
    budget = next((name for name in first if name in known and known[name].budget), None)
    rest = (name for name in measures if name not in first)
    return MeasureRanking(
        first[0] if first else None, tuple(costs), (*first, *rest), len(first), budget, trade_off, tuple(shown)
    )


def _measure_kind(name: str, measure: Measure | None) -> tuple[str, str]:
    """A measure and its label, whatever the cut-off."""
    label = name.partition(":")[2]
    return (name.partition(":")[0] if measure is None else measure.name), label


def _shared_cutoff(costs: Sequence[str], scores: Sequence[str], points: dict[str, float | None]) -> float | None:
    """The cut-off of costs that most scores have; of equally many, the one in the middle."""
    own = {points[name] for name in costs}
    counted = Counter(point for name in scores if (point := points[name]) is not None and point in own)
    most = sorted(point for point, count in counted.items() if count == max(counted.values()))
    return most[len(most) // 2] if most else None


def _representative(names: Sequence[str], points: dict[str, float | None], shared: float | None) -> str:
    """One of a measure's names: at the shared cut-off, else in the middle."""
    return next((name for name in names if points[name] == shared and shared is not None), names[len(names) // 2])


@dataclass(frozen=True)
class RunMean:
    """One run on one measure: its mean over `topics`, and how it differs from the run `against`.

    `run` and `against` are places among the runs. What the others are compared with has None for both.
    """

    measure: str
    run: int
    topics: int
    mean: float
    difference: Difference | None
    against: int | None = None


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """What `compare` returns.

    `run_means` has one for each measure and run, in the order of the matrix of values; of all pairs of runs, one for
    each measure and pair, the later run minus the earlier one, below one for the first run. `base`: by measure, the run
    that the others are compared with; of all pairs, the best. `detectable`: by measure, which mean difference would
    have been found over these topics; not of counts, nor where nothing varies. `at`: the measure of what is found
    within the budget at which the runs are compared.
    """

    matrix: Matrix
    settings: ComparisonSettings
    run_means: tuple[RunMean, ...]
    base: Mapping[str, int]
    detectable: Mapping[str, float]
    at: str | None = None

    @property
    def measure_ranking(self) -> MeasureRanking:
        """The measure that ranks the runs, those that are costs, and which of all tell most."""
        return rank_measures(self.matrix.measures, self.at)

    @property
    def families(self) -> dict[str, list[Difference]]:
        """The differences that are tested and corrected together, by the measures that they are of."""
        found: dict[str, list[Difference]] = {}
        scores = [name for name in self.matrix.measures if name not in self.matrix.counts]
        for row in self.run_means:
            if row.difference is not None and row.measure in scores:
                family = ", ".join(scores) if self.settings.family == "call" else row.measure
                found.setdefault(family, []).append(row.difference)
        return found

    @property
    def comparisons(self) -> int:
        """How many a family has."""
        return max(map(len, self.families.values()), default=0)

    @property
    def pareto_front(self) -> tuple[int, ...]:
        """Places of the runs that no other beats in the first quality and its first cost at once; none without both."""
        both, found = rank_measures(self.matrix.measures).trade_off, mean_matrix(self.matrix)
        if both is None:
            return ()
        cost, quality = (found[self.matrix.measures.index(name)] for name in both)
        return tuple(np.flatnonzero(pareto_mask(cost, quality)).tolist())

    @property
    def groups(self) -> tuple[GroupMean, ...]:
        """The means of each run by measure and group of topics; nothing is tested there."""
        return group_means(self.matrix)

    @property
    def order_changes(self) -> list[OrderChange]:
        """The measures that change the order of the runs between groups."""
        runs, found = len(self.matrix.runs), self.groups
        names = list(dict.fromkeys(one.group for one in found))
        tables: dict[str, list[float]] = {}
        for one in found:
            if one.measure not in self.matrix.counts:
                tables.setdefault(one.measure, []).append(np.nan if one.mean is None else one.mean)
        return find_order_changes({name: np.array(own).reshape(-1, runs) for name, own in tables.items()}, names)

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Sentences for the user: what was left out, and what so few topics cannot show."""
        families = self.families
        topics = min((row.topics for row in self.run_means), default=0)
        limits = (
            (*few_topics_warnings(topics), *unreachable_alpha_warnings(families, self.settings)) if families else ()
        )
        return (*self.matrix.warnings, *limits)

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings = self.settings
        baseline = "" if settings.baseline is None else f" with {settings.baseline}"
        what = f"{self.matrix.signature}|compare|topics:{len(self.matrix.topics)}|pairs:{settings.pairs}{baseline}"
        what += f"|at:{self.at}" if self.at is not None else ""
        tested = [one for family in self.families.values() for one in family]
        if not tested:
            return what
        how = {True: "exact", False: f"{settings.trials} trials"}
        exact = sorted({one.exact for one in tested}, reverse=True)
        parts = [
            what,
            f"interval:{settings.interval}",
            f"randomisation:{' or '.join(how[one] for one in exact)}",
            f"bootstrap:{settings.trials} trials",
            *([f"tukey:{settings.trials} trials"] if settings.pairs == "all" else []),
            f"seed:{settings.seed}",
            f"alpha:{settings.alpha}",
            f"holm:{self.comparisons} a {settings.family}",
        ]
        return "|".join(parts)

    def rows_against(self) -> dict[str, list[RunMean]]:
        """By measure, one row a run, in their order, all beside the `base`, which has no difference."""
        found: dict[str, list[RunMean]] = {name: [] for name in self.matrix.measures}
        for row in self.run_means:
            found[row.measure].append(row)
        if self.settings.pairs == "all":
            runs = range(len(self.matrix.runs))
            found = {name: [_row_against(self.base[name], run, rows) for run in runs] for name, rows in found.items()}
        return found

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure and run, or pair of runs; what a run is not compared in is None.

        Where topics have groups, one row a measure, group and run follows.
        """
        runs = self.matrix.runs
        for one in self.run_means:
            found = dict.fromkeys(STATISTICS) if one.difference is None else one.difference.statistics()
            own: dict[str, RowValue] = {
                "measure": one.measure,
                "run": runs[one.run],
                "topics": one.topics,
                "mean": one.mean,
            }
            against = None if one.against is None else runs[one.against]
            yield {**own, **found, "against": against, **({"group": None} if self.matrix.groups else {})}
        for of in self.groups:
            own = {"measure": of.measure, "run": runs[of.run], "topics": of.topics, "mean": of.mean}
            yield {**own, **dict.fromkeys(STATISTICS), "against": None, "group": of.group}

    def _summary(self) -> str:
        matrix = self.matrix
        against = {"best": "the best", "all": "each other"}.get(self.settings.pairs)
        if against is None:
            against = matrix.runs[self.base[matrix.measures[0]]]
        counted = (plural(len(matrix.runs), "run"), plural(len(matrix.topics), "topic"))
        return f"{', '.join(counted)}, {plural(len(matrix.measures), 'measure')}, against {against}"

    def _table(self) -> Table:
        names = ["measure", "run", "mean", "difference", "low", "high", "p_randomisation", "holm_randomisation"]
        if self.settings.pairs != "first":
            names.insert(2, "against")
        return names, ([row[name] for name in names] for row in self.rows() if row.get("group") is None)


def _row_against(base: int, run: int, rows: list[RunMean]) -> RunMean:
    """A run beside the base, of the rows of all pairs of a measure."""
    later, earlier = max(base, run), min(base, run)
    own = rows[run * (run - 1) // 2 + 1 if run else 0]
    if run == base:
        return replace(own, difference=None, against=None)
    pair = rows[later * (later - 1) // 2 + earlier + 1].difference
    return replace(own, difference=pair if run == later or pair is None else pair.swap_runs(), against=base)


# Runs compared pair by pair: which pairs, what they differ in, and the correction for their number.


def compare_matrix(matrix: Matrix, settings: ComparisonSettings, at: str | None = None) -> Comparison:
    """Compare runs with one of them, or each with each, on every measure; `at` as in `Comparison`.

    Raises:
        UsageError: the baseline is none of the runs, or may be several.
    """
    first = _baseline(matrix, settings.baseline)
    bases = [first if settings.pairs == "first" else best_run(matrix, name) for name in matrix.measures]
    pairs = [_pairs(len(matrix.runs), base, settings.pairs) for base in bases]
    differences = [
        paired_difference(values[of[:, 0]], values[of[:, 1]]) for values, of in zip(matrix.values, pairs, strict=True)
    ]
    scores = [number for number, name in enumerate(matrix.measures) if name not in matrix.counts]
    found = _test_statistics(
        matrix, [pairs[one] for one in scores], [differences[one] for one in scores], scores, settings
    )
    measured: list[RunMean] = []
    detectable = {}
    for number, (name, base) in enumerate(zip(matrix.measures, bases, strict=True)):
        own, is_score = differences[number], number in scores
        listed = iter(next(found) if is_score else None for _ in own)
        counted = wins_ties_losses(own if name not in matrix.lower_better else -own)
        made = [_difference(*one) for one in zip(own, counted.tolist(), listed, strict=True)]
        measured += _rows(matrix, number, pairs[number], made, 0 if settings.pairs == "all" else base)
        least = detectable_difference(own[:, ~np.isnan(own[0])], settings.alpha) if is_score else None
        if least is not None:
            detectable[name] = least
    base_of = dict(zip(matrix.measures, bases, strict=True))
    return Comparison(matrix, settings, tuple(measured), base_of, detectable, at)


def _baseline(matrix: Matrix, wanted: str | None) -> int:
    """The place of the run of that name or path; the first without one."""
    if wanted is None:
        return 0
    found = [run for run, path in enumerate(matrix.paths) if path == wanted]
    if len(found) != 1:
        found = [run for run, name in enumerate(matrix.runs) if name == wanted] or found
    if not found:
        listed = ", ".join(matrix.runs)
        raise UsageError(f"no run {wanted} to be the baseline (there are: {listed}){did_you_mean(wanted, matrix.runs)}")
    if len(found) > 1:
        paths = ", ".join(matrix.paths[run] for run in found)
        raise UsageError(f"the baseline {wanted} may be any of {len(found)} runs ({paths}); give the path of one")
    return found[0]


def _pairs(runs: int, base: int, which: str) -> IntArray:
    """Places of the runs of each pair, shape (pairs, 2): a run, and the one that it is compared with."""
    if which == "all":
        return np.array(sorted((later, earlier) for earlier, later in combinations(range(runs), 2)))
    return np.array([(run, base) for run in range(runs) if run != base])


def _test_statistics(
    matrix: Matrix,
    pairs: Sequence[IntArray],
    differences: Sequence[FloatArray],
    scores: Sequence[int],
    settings: ComparisonSettings,
) -> Iterator[dict[str, float]]:
    """Statistics of each difference of each score, one after the other."""
    if not scores:
        return
    runs = len(matrix.runs)
    rows = np.concatenate([own + place * runs for place, own in enumerate(pairs)])
    values = np.concatenate([matrix.values[one] for one in scores])
    found = statistics_of(np.concatenate(differences), values, rows, settings)
    sizes = np.cumsum([len(one) for one in pairs])[:-1]
    for test in TESTS:
        families = [found[test]] if settings.family == "call" else np.split(found[test], sizes)
        found[f"holm_{test}"] = np.concatenate([holm_correction(p) for p in families])
    if settings.pairs == "all":
        of_scores = [matrix.values[one][:, ~np.isnan(matrix.values[one][0])] for one in scores]
        hsd = [tukey_hsd(*one, settings.trials, settings.seed) for one in zip(of_scores, pairs, strict=True)]
        found["tukey"] = np.concatenate(hsd)
    for row in range(len(found["low"])):
        yield {name: float(values[row]) for name, values in found.items()}


def _difference(values: FloatArray, counted: Sequence[int], found: dict[str, float] | None) -> Difference:
    """A difference from its values by topic, topics won, tied and lost, and statistics, which counts have none of."""
    known = {name: value for name, value in (found or {}).items() if not np.isnan(value)}.get
    tests = {test: PValues(known(test), known(f"holm_{test}")) for test in TESTS}
    return Difference(
        mean=mean(values) or 0.0,
        low=known("low"),
        high=known("high"),
        exact=bool(known("exact")),
        tukey=known("tukey"),
        cohen_d=known("cohen_d"),
        wins=counted[0],
        ties=counted[1],
        losses=counted[2],
        **tests,
    )


def _rows(
    matrix: Matrix, number: int, pairs: IntArray, differences: Sequence[Difference], base: int
) -> Iterator[RunMean]:
    """Rows of a measure in the order of the runs; the one that nothing is said of, `base`, among them."""
    name, values = matrix.measures[number], matrix.values[number]
    topics = int(np.count_nonzero(~np.isnan(values[0])))
    means = [mean(of_run) or 0.0 for of_run in values]
    rows = [
        RunMean(name, run, topics, means[run], difference, against)
        for (run, against), difference in zip(pairs.tolist(), differences, strict=True)
    ]
    yield from sorted([RunMean(name, base, topics, means[base], None), *rows], key=lambda row: row.run)
