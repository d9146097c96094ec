"""Comparison of runs: paired tests, effect sizes, intervals, and the result of `compare`.

Conventions. ``differences`` has shape (k, n): k comparisons over the same n topics, each the value of one run minus
that of another. Results have shape (k,); NaN marks an undefined value. `paired_difference` sets differences that are
only rounding to 0 before anything else is computed. Runs are addressed by their index in the matrix.

The module has the tests (`randomisation_test`, `t_test`), intervals and Holm's correction; `Difference`, the result of
all tests of one pair of runs; warnings about few topics; `rank_measures`, which orders measures for display; and
`compare_matrix`, which makes a `Comparison` of a matrix.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from prum_eval.analysis.matrix import (
    TESTS,
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
from prum_eval.analysis.verdict import difference_sentence, significantly_worse, verdict_sentences
from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import UsageError, escape_unprintable
from prum_eval.evaluation.notices import Notice
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import READING_COST, cutoff_of_name, measures_by_printed_name
from prum_eval.numerics.curves import pareto_mask
from prum_eval.numerics.resampling import (
    PairOrigin,
    bootstrap_margin,
    bootstrap_test,
    is_constant,
    power_of_two_unit,
    random_signs,
    same_origin,
    weighted_sums,
)
from prum_eval.numerics.significance import detectable_effect, t_quantile, tukey_hsd, two_sided_p
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import RowValue, Table, Tabular, plural, unique_labels

MAX_EXACT_TOPICS = 20
"""Enumerate all arrangements of signs if at most this many topics differ: half a million sums."""
ROUNDING = 1e-12
"""Bound of the relative rounding error between sums of doubles in different orders."""
FEW_TOPICS = 20
"""With fewer topics, intervals and p-values are rough."""
POWER = 0.8
"""Power at which the smallest detectable difference is computed."""
STATISTICS = (
    *("difference", "low", "high", "p_randomisation", "holm_randomisation", "p_bootstrap", "holm_bootstrap"),
    *("cohen_d", "wins", "ties", "losses", "exact", "p_t", "holm_t", "p_tukey"),
)
"""Columns of a difference in csv and data frames, in their order."""
USUAL_BUDGETS = ("char_rec_at_tokens_500", "char_rec_at_size_2000")
"""Measures at the usual budget, which rank runs of chunks unless the user names one: the first that all runs have."""


def paired_difference(values: FloatArray, base: FloatArray) -> FloatArray:
    """Values minus base; 0 where they differ only by rounding.

    >>> paired_difference(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5])).tolist()
    [0.0, 0.5]
    """
    differences = values - base
    differences[np.abs(differences) <= ROUNDING * np.maximum(np.abs(values), np.abs(base))] = 0.0
    return differences


def randomisation_test(
    differences: FloatArray, trials: int, seed: int, origin: PairOrigin | None = None
) -> tuple[FloatArray, BoolArray]:
    """Two-sided p-values of the paired randomisation (sign-flip) test, and a mask of the exact ones.

    If two runs are equal, each topic's difference has either sign with the same probability: p is the share of all
    arrangements of signs whose sum is at least as far from 0 as the observed sum (Fisher, The Design of Experiments,
    1935, section 21). It is exact if at most `MAX_EXACT_TOPICS` differences are not 0. Otherwise it is estimated as
    (1 + m) / (1 + trials), where m random arrangements are as far from 0; the observed one is counted (Davison and
    Hinkley, Bootstrap Methods and their Application, 1997, section 4.2).

    `origin`, the values behind the differences, saves time if pairs are many more than runs, and changes no result.

    >>> randomisation_test(np.array([[1.0, 2.0, 3.0]]), 1000, 1)[0].tolist()
    [0.25]
    """
    scale = np.abs(differences).sum(axis=1)
    least = np.abs(differences.sum(axis=1)) - ROUNDING * scale
    exact = (differences != 0).sum(axis=1) <= MAX_EXACT_TOPICS
    p = np.empty(len(differences))
    for row in np.flatnonzero(exact):
        p[row] = _exact_p_value(differences[row], least[row])
    if not exact.all():
        sampled = np.flatnonzero(~exact)
        origin = None if origin is None else (origin[0], origin[1][sampled])
        values, extreme = differences[sampled], np.zeros(len(sampled))
        quick = same_origin(values, origin)
        for chunk in random_signs(seed, trials, differences.shape[1]):
            for rows, sums in weighted_sums(chunk, values, quick, origin):
                extreme[rows] += (np.abs(sums) >= least[sampled[rows], None]).sum(axis=1)
        p[sampled] = (1 + extreme) / (1 + trials)
    return p, exact


def _exact_p_value(differences: FloatArray, least: float) -> float:
    """Share of all arrangements of signs whose sum has an absolute value of `least` or more."""
    nonzero = differences[differences != 0]
    if not len(nonzero):
        return 1.0

    def signed_sums(values: FloatArray, sums: FloatArray) -> FloatArray:
        for value in values:
            sums = np.concatenate((sums + value, sums - value))
        return sums

    # by symmetry the first sign is fixed; each sum is one sum of the first half plus one of the second
    half = (len(nonzero) + 1) // 2
    first, second = signed_sums(nonzero[1:half], nonzero[:1]), np.sort(signed_sums(nonzero[half:], np.zeros(1)))
    above = len(second) - np.searchsorted(second, least - first)
    below = np.searchsorted(second, -least - first, side="right")
    return min(float((above + below).sum() / (len(first) * len(second))), 1.0)


def t_test(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t test; NaN for a single topic or if all topics differ equally.

    >>> t_test(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])).round(4).tolist()
    [0.0742, nan]
    """
    n = differences.shape[1]
    p = np.full(len(differences), np.nan)
    for row in np.flatnonzero(~is_constant(differences)):
        p[row] = two_sided_p(differences[row].mean() / differences[row].std(ddof=1) * math.sqrt(n), n - 1)
    return p


def t_margin(differences: FloatArray, alpha: float) -> FloatArray:
    """Half widths of Student's intervals of level 1 - alpha of the mean; NaN for a single topic.

    >>> t_margin(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), 0.05).round(4).tolist()
    [2.4841, 0.0]
    """
    n = differences.shape[1]
    if n < 2:
        return np.full(len(differences), np.nan)
    margin: FloatArray = t_quantile(alpha / 2, n - 1) / math.sqrt(n) * differences.std(axis=1, ddof=1)
    return margin


def cohen_d(differences: FloatArray) -> FloatArray:
    """Effect sizes d_z: mean difference divided by the standard deviation of the differences (n - 1).

    0 if nothing differs; NaN for a single topic or if all topics differ equally (Cohen, Statistical Power Analysis for
    the Behavioral Sciences, 1988, section 2.3.5).

    >>> cohen_d(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [2.0, 0.0]
    """
    k, n = differences.shape
    if n < 2:
        return np.full(k, np.nan)
    mean, size = differences.mean(axis=1), np.abs(differences).max(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(deviation > ROUNDING * size, mean / deviation, np.nan)
    return np.where(size == 0, 0.0, effect)


def wins_ties_losses(differences: FloatArray) -> IntArray:
    """Counts of topics with positive, zero and negative differences; shape (k, 3)."""
    return np.stack([(differences > 0).sum(axis=1), (differences == 0).sum(axis=1), (differences < 0).sum(axis=1)], 1)


def holm_correction(p: FloatArray) -> FloatArray:
    """p-values with Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979).

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below its predecessor or exceeds 1.
    NaN counts as 1 in the family, and stays NaN.

    >>> holm_correction(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    corrected = np.empty(len(p))
    order = np.argsort(p, kind="stable")  # NaN is last
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


# The difference of two runs on one measure


@dataclass(frozen=True)
class PValues:
    """A two-sided p-value, and its Holm correction for all comparisons of its family; None if undefined."""

    p: float | None
    holm: float | None


@dataclass(frozen=True)
class Difference:
    """One run minus another on one measure.

    `mean`, `low`, `high`: mean of the differences by topic and its interval. `randomisation`, `bootstrap`, `t`:
    p-values; `exact`: the randomisation test enumerated all arrangements. `tukey`: p corrected for all pairs of runs,
    if all were compared. `cohen_d`: effect size d_z. `wins`, `ties`, `losses`: topics. A count has only `mean`, `wins`
    (more), `ties` and `losses` (less).
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
        result: PValues = getattr(self, test)
        return result

    def swap_runs(self) -> Difference:
        """The second run minus the first."""

        def negate(value: float | None) -> float | None:
            return None if value is None else 0.0 - value  # not -0.0

        return replace(
            self,
            mean=0.0 - self.mean,
            low=negate(self.high),
            high=negate(self.low),
            cohen_d=negate(self.cohen_d),
            wins=self.losses,
            losses=self.wins,
        )

    def statistics(self) -> dict[str, float | int | bool | None]:
        """All values by the names of `STATISTICS`."""
        tests = (self.randomisation.p, self.randomisation.holm, self.bootstrap.p, self.bootstrap.holm)
        counts = (self.wins, self.ties, self.losses, self.exact)
        later = (self.t.p, self.t.holm, self.tukey)
        values = (self.mean, self.low, self.high, *tests, self.cohen_d, *counts, *later)
        return dict(zip(STATISTICS, values, strict=True))


def statistics_of(
    differences: FloatArray, values: FloatArray, pairs: IntArray, settings: ComparisonSettings, family_size: int
) -> dict[str, FloatArray]:
    """Intervals, p-values and effect sizes by name, each of shape (k,); NaN if undefined.

    Args:
        differences: shape (k, topics); NaN marks topics without a value.
        values: values behind the differences, shape (rows, topics).
        pairs: rows of the two values of each difference, shape (k, 2).
        settings: kind of interval, and the trials.
        family_size: number of comparisons whose intervals hold together with probability 1 - alpha.
    """
    names = ("low", "high", *TESTS, "exact", "cohen_d")
    statistics = {name: np.full(len(differences), np.nan) for name in names}
    missing = np.isnan(differences)
    alpha = settings.alpha / (1 if settings.interval == "single" else family_size)
    rows_by_topics: dict[bytes, list[int]] = {}  # rows with the same topics share the trials
    for row, mask in enumerate(missing):
        rows_by_topics.setdefault(mask.tobytes(), []).append(row)
    for rows in rows_by_topics.values():
        topics = ~missing[rows[0]]
        defined = differences[rows][:, topics]
        mean = defined.mean(axis=1)
        if settings.interval == "bootstrap":
            margin = bootstrap_margin(defined, settings.trials, settings.seed, alpha)
        else:
            margin = t_margin(defined, alpha)
        used, places = np.unique(pairs[rows], return_inverse=True)
        origin = (values[used][:, topics], places.reshape(-1, 2))
        randomisation, exact = randomisation_test(defined, settings.trials, settings.seed, origin)
        bootstrap = bootstrap_test(defined, settings.trials, settings.seed, origin)
        columns = (mean - margin, mean + margin, randomisation, t_test(defined), bootstrap, exact, cohen_d(defined))
        for name, column in zip(names, columns, strict=True):
            statistics[name][rows] = column
    return statistics


# Limits of a comparison over few topics


def few_topics_warnings(topics: int) -> Iterator[str]:
    """A warning if there are fewer than `FEW_TOPICS` topics.

    >>> list(few_topics_warnings(3)), list(few_topics_warnings(20))
    (['only 3 topics: below 20, intervals and p-values are rough'], [])
    """
    if topics < FEW_TOPICS:
        yield f"only {plural(topics, 'topic')}: below {FEW_TOPICS}, intervals and p-values are rough"


def unreachable_alpha_warnings(families: Mapping[str, Sequence[Difference]], settings: TrialSettings) -> Iterator[str]:
    """A warning for families in which no p-value of the randomisation test can be below alpha.

    If n topics differ, the least p is 2 of 2^n arrangements, and not below 1 / (1 + trials) if they are sampled; the
    correction multiplies it by the number of comparisons of the family.
    """

    def least_p(difference: Difference) -> tuple[float, str]:
        """The least possible p-value, and its origin."""
        differ = difference.wins + difference.losses
        least = min(1.0, 2.0 ** (1 - differ))
        if difference.exact or least * (1 + settings.trials) > 1:
            return least, f"{plural(differ, 'topic')} differ{'s'[: differ == 1]}"
        return 1 / (1 + settings.trials), plural(settings.trials, "trial")

    families_by_reason: dict[str, list[str]] = {}
    for name, differences in families.items():
        least, origin = min(map(least_p, differences))
        corrected = min(1.0, least * len(differences))
        if corrected >= settings.alpha:
            reason = f"{corrected:g} ({origin}, {plural(len(differences), 'comparison')})"
            families_by_reason.setdefault(reason, []).append(name)
    for reason, names in families_by_reason.items():
        yield f"{', '.join(names)}: no corrected p-value of the randomisation test can be below {reason}"


def detectable_difference(differences: FloatArray, alpha: float) -> float | None:
    """Smallest mean difference that the paired t test detects with power `POWER`; None if nothing varies.

    `differences` has no NaN; their deviation is the root of the mean variance.
    """
    topics = differences.shape[1]
    if topics < 2:
        return None
    unit = power_of_two_unit(differences)
    variances = np.where(is_constant(differences), 0.0, (differences / unit).var(axis=1, ddof=1))
    deviation = unit * math.sqrt(variances.mean())
    return deviation * detectable_effect(topics, POWER, alpha) if deviation > 0 else None


# Order of measures for display: the measure that ranks the runs, costs, one measure per kind


@dataclass(frozen=True)
class MeasureRanking:
    """Names of measures in the order of display.

    `headline`: the measure that ranks the runs, None if all are counts. `costs`: measures of which lower values are
    better, one per kind. `order`: all measures; the first `kinds` are one per kind. `budget`: the first measure within
    a budget. `trade_off`: the first cost and the quality that it buys, None without both. `one_per_kind`: one score per
    kind, in the order of the measures.
    """

    headline: str | None
    costs: tuple[str, ...]
    order: tuple[str, ...]
    kinds: int
    budget: str | None
    trade_off: tuple[str, str] | None
    one_per_kind: tuple[str, ...] = ()


def rank_measures(measures: Sequence[str], headline: str | None = None) -> MeasureRanking:
    """Order measures for display; the first ranks the runs.

    Without costs the first score ranks the runs. With costs it is recall at one of the usual budgets, so that the
    verdict is at equal cost; without such a measure the first score that they buy: of a score with several cut-offs,
    the value at the cut-off of the costs, as recall at 5 with the size at 5.

    Args:
        measures: printed names in their order.
        headline: the measure that ranks the runs, if chosen.
    """
    records, counts = measures_by_printed_name(measures), select_counts(measures)
    scores = [name for name in measures if name not in counts]
    lower_better = {name for name, measure in records.items() if measure.direction is Direction.LOWER}
    trade_off = None
    cutoffs = {name: cutoff_of_name(name, records[name]) if name in records else None for name in measures}
    kinds: dict[tuple[str, str], list[str]] = {}  # by measure and label, whatever the cut-off
    for name in scores:
        head, _, label = name.partition(":")
        kinds.setdefault((records[name].name if name in records else head, label), []).append(name)
    # the cut-off of costs that most scores share; of equally frequent ones, the middle one
    cost_cutoffs = {cutoffs[name] for name in scores if name in lower_better}
    frequency = Counter(point for name in scores if (point := cutoffs[name]) is not None and point in cost_cutoffs)
    modes = sorted(point for point, count in frequency.items() if count == max(frequency.values()))
    shared = modes[len(modes) // 2] if modes else None
    representatives = [
        next((name for name in names if shared is not None and cutoffs[name] == shared), names[len(names) // 2])
        for names in kinds.values()
    ]
    quality = [name for name in representatives if name not in lower_better]
    costs = [name for name in representatives if name in lower_better]
    budgets = [name for name in quality if name in records and records[name].budget]
    bought = [name for name in quality if name not in budgets]
    if costs and headline is None:
        headline = next((name for name in USUAL_BUDGETS if name in scores), None)
    if costs and bought:
        trade_off = (costs[0], headline if headline in bought else bought[0])
    if headline is not None and (headline not in records or records[headline].budget):
        same = next((names for names in kinds.values() if headline in names), [])
        # what a navigating user reads, as budgets count results alone
        navigation = [name for name in costs if name in records and records[name].name == READING_COST]
        first = [headline, *navigation, *same, *quality, *costs]
    elif headline is not None:
        first = [headline, *costs, *budgets, *quality] if costs else [headline, *scores]
    elif costs and quality:
        first = [*bought[:1], *costs, *budgets, *quality] if bought else [*budgets, *costs]
    else:
        first = scores
    first = list(dict.fromkeys(first))
    budget = next((name for name in first if name in records and records[name].budget), None)
    rest = (name for name in measures if name not in first)
    order, chosen = (*first, *rest), tuple(representatives)
    return MeasureRanking(next(iter(first), None), tuple(costs), order, len(first), budget, trade_off, chosen)


@dataclass(frozen=True)
class RunMean:
    """Mean of a run on a measure over `topics`, and its difference from the run `against`.

    `run` and `against` are indices of runs. `difference` and `against` are None for the run that others are compared
    with. `truncated`: number of lists that end before the cut-off or budget of the measure.
    """

    measure: str
    run: int
    topics: int
    mean: float
    difference: Difference | None
    against: int | None = None
    truncated: int = 0


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The result of `compare`.

    `run_means`: one per measure and run, in the order of the matrix; if all pairs are compared, one per measure and
    pair, the later run minus the earlier one, after one for the first run. `base`: by measure, the run that others are
    compared with; if all pairs are compared, the best. `detectable`: by measure, the smallest detectable mean
    difference; not for counts or measures that do not vary. `at`: the measure within the budget at which the runs are
    compared. `ranked_by`: the measure that ranks the runs, if chosen otherwise.
    """

    matrix: Matrix
    settings: ComparisonSettings
    run_means: tuple[RunMean, ...]
    base: Mapping[str, int]
    detectable: Mapping[str, float]
    at: str | None = None
    ranked_by: str | None = None

    @property
    def measure_ranking(self) -> MeasureRanking:
        """The measures in the order of display."""
        return rank_measures(self.matrix.measures, self.ranked_by or self.at)

    def ranked(self, measure: str | None) -> Comparison:
        """The comparison with the runs ranked by another measure, perhaps a cost; None changes nothing.

        Raises:
            UsageError: there is no such measure.
        """
        if measure is not None and measure not in self.matrix.measures:
            raise UsageError(f"no measure {measure} to sort by{did_you_mean(measure, self.matrix.measures)}")
        return self if measure is None else replace(self, ranked_by=measure)

    def is_decided(self, row: RunMean) -> bool:
        """Whether the difference of a row may decide anything: the lists of neither run end early."""
        runs = (row.run,) if row.against is None else (row.run, row.against)
        return not any(self.matrix.ends_early(row.measure, run) for run in runs)

    @property
    def families(self) -> dict[str, list[Difference]]:
        """Differences that are tested and corrected together, by the names of their measures."""
        families: dict[str, list[Difference]] = {}
        scores = [name for name in self.matrix.measures if name not in self.matrix.counts]
        for row in self.run_means:
            if row.difference is not None and row.measure in scores:
                family = ", ".join(scores) if self.settings.family == "call" else row.measure
                families.setdefault(family, []).append(row.difference)
        return families

    @property
    def comparisons(self) -> int:
        """Size of the largest family."""
        return max(map(len, self.families.values()), default=0)

    @property
    def pareto_front(self) -> tuple[int, ...]:
        """Runs that no other run beats in both the first quality and its first cost; empty without both."""
        trade_off, means = rank_measures(self.matrix.measures).trade_off, mean_matrix(self.matrix)
        if trade_off is None:
            return ()
        cost, quality = (means[self.matrix.measures.index(name)] for name in trade_off)
        return tuple(np.flatnonzero(pareto_mask(cost, quality)).tolist())

    @property
    def groups(self) -> tuple[GroupMean, ...]:
        """Means by measure, group of topics and run; they are not tested."""
        return group_means(self.matrix)

    @property
    def order_changes(self) -> list[OrderChange]:
        """Measures that order the runs differently between groups."""
        groups = self.groups
        tables: dict[str, list[float]] = {}
        for row in groups:
            if row.measure not in self.matrix.counts:
                tables.setdefault(row.measure, []).append(np.nan if row.mean is None else row.mean)
        means = {name: np.array(values).reshape(-1, len(self.matrix.runs)) for name, values in tables.items()}
        return find_order_changes(means, list(dict.fromkeys(row.group for row in groups)))

    @property
    def warnings(self) -> tuple[Notice | str, ...]:
        """Notices for the user: omissions, and the limits of few topics."""
        families = self.families
        if not families:
            return self.matrix.warnings
        topics = min((row.topics for row in self.run_means), default=0)
        limits = list(few_topics_warnings(topics))
        if self.settings.pairs != "all" and self.settings.test == "randomisation":  # others have other limits
            limits += unreachable_alpha_warnings(families, self.settings)
        return (*self.matrix.warnings, *limits)

    @property
    def verdict(self) -> str:
        """A sentence per measure on what differs significantly, one per line."""
        return "\n".join(verdict_sentences(self, unique_labels(self.matrix.runs, self.matrix.paths)))

    @property
    def significantly_worse(self) -> tuple[RunMean, ...]:
        """Rows of runs that are significantly worse than the run that they are compared with; costs do not count."""
        return significantly_worse(self)

    def describe(self, row: RunMean) -> str:
        """A sentence on the significant difference of a run."""
        return difference_sentence(self, row, unique_labels(self.matrix.runs, self.matrix.paths))

    @property
    def signature(self) -> str:
        """Every choice that changes a number, and the version, in one line."""
        settings = self.settings
        baseline = "" if settings.baseline is None else f" with {settings.baseline}"
        parts = [f"{self.matrix.signature}|compare|topics:{len(self.matrix.topics)}|pairs:{settings.pairs}{baseline}"]
        if self.at is not None:
            parts.append(f"at:{self.at}")
        exact = {difference.exact for family in self.families.values() for difference in family}
        if exact:
            methods = ["exact"] * (True in exact) + [f"{settings.trials} trials"] * (False in exact)
            parts += [
                f"interval:{settings.interval}",
                f"randomisation:{' or '.join(methods)}",
                f"bootstrap:{settings.trials} trials",
                *([f"tukey:{settings.trials} trials"] if settings.pairs == "all" else []),
                f"seed:{settings.seed}",
                f"alpha:{settings.alpha}",
                f"holm:{self.comparisons} a {settings.family}",
            ]
        return "|".join(parts)

    def rows_against(self) -> dict[str, list[RunMean]]:
        """By measure, one row per run in their order, compared with `base`, which has no difference."""
        by_measure: dict[str, list[RunMean]] = {name: [] for name in self.matrix.measures}
        for row in self.run_means:
            by_measure[row.measure].append(row)
        if self.settings.pairs != "all":
            return by_measure
        for name, rows in by_measure.items():
            base = self.base[name]
            selected = []
            for run in range(len(self.matrix.runs)):
                row = rows[run * (run - 1) // 2 + 1 if run else 0]
                difference = None
                if run != base:
                    later, earlier = max(base, run), min(base, run)
                    difference = rows[later * (later - 1) // 2 + earlier + 1].difference
                    if run == earlier and difference is not None:
                        difference = difference.swap_runs()
                truncated = self.matrix.truncated.get(name, [0] * len(self.matrix.runs))[run]
                against = None if run == base else base
                selected.append(replace(row, difference=difference, against=against, truncated=truncated))
            by_measure[name] = selected
        return by_measure

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per measure and run, or pair of runs; None for statistics that a run does not have.

        If topics have groups, one row per measure, group and run follows.
        """
        runs = self.matrix.runs
        empty, group = dict.fromkeys(STATISTICS), {"group": None} if self.matrix.groups else {}
        for row in self.run_means:
            cells: dict[str, RowValue] = {
                "measure": row.measure,
                "run": runs[row.run],
                "topics": row.topics,
                "mean": row.mean,
            }
            statistics = empty if row.difference is None else row.difference.statistics()
            against = None if row.against is None else runs[row.against]
            yield {**cells, **statistics, "against": against, "truncated": row.truncated, **group}
        for cell in self.groups:
            cells = {"measure": cell.measure, "run": runs[cell.run], "topics": cell.topics, "mean": cell.mean}
            yield {**cells, **empty, "against": None, "truncated": None, "group": cell.group}

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{escape_unprintable(self.verdict, lines=True)}"

    def _repr_html_(self) -> str:
        from html import escape  # needed in notebooks only

        lines = (f"<p>{escape(line)}</p>" for line in self.verdict.split("\n"))
        return "\n".join([super()._repr_html_(), *lines])

    def _summary(self) -> str:
        matrix = self.matrix
        against = {"best": "the best", "all": "each other"}.get(self.settings.pairs)
        if against is None:
            against = matrix.runs[self.base[matrix.measures[0]]]
        counts = (plural(len(matrix.runs), "run"), plural(len(matrix.topics), "topic"))
        return f"{', '.join(counts)}, {plural(len(matrix.measures), 'measure')}, against {against}"

    def _table(self) -> Table:
        test = self.settings.test
        names = ["measure", "run", "mean", "difference", "low", "high", f"p_{test}", f"holm_{test}"]
        if self.settings.pairs == "all":
            names[6:] = ["p_tukey"]
        if self.settings.pairs != "first":
            names.insert(2, "against")
        return names, ([row[name] for name in names] for row in self.rows() if row.get("group") is None)


# Computation of a comparison


def compare_matrix(
    matrix: Matrix, settings: ComparisonSettings, at: str | None = None, ranked_by: str | None = None
) -> Comparison:
    """Compare runs with one of them, or each with each, on every measure; `at`, `ranked_by` as in `Comparison`.

    Raises:
        UsageError: the baseline is no run, or may be several.
    """
    first = _baseline(matrix, settings.baseline)
    bases = [first if settings.pairs == "first" else best_run(matrix, name) for name in matrix.measures]
    pairs = [_pairs(len(matrix.runs), base, settings.pairs) for base in bases]
    differences = [
        paired_difference(values[runs[:, 0]], values[runs[:, 1]])
        for values, runs in zip(matrix.values, pairs, strict=True)
    ]
    scores = [number for number, name in enumerate(matrix.measures) if name not in matrix.counts]
    statistics = _test_statistics(
        matrix, [pairs[score] for score in scores], [differences[score] for score in scores], scores, settings
    )
    run_means: list[RunMean] = []
    detectable = {}
    for number, (name, base) in enumerate(zip(matrix.measures, bases, strict=True)):
        rows, is_score = differences[number], number in scores
        outcomes = wins_ties_losses(rows if name not in matrix.lower_better else -rows)
        tested = [
            _difference(row, counts, next(statistics) if is_score else {})
            for row, counts in zip(rows, outcomes.tolist(), strict=True)
        ]
        run_means += _run_means(matrix, number, pairs[number], tested, 0 if settings.pairs == "all" else base)
        least = detectable_difference(rows[:, ~np.isnan(rows[0])], settings.alpha) if is_score else None
        if least is not None:
            detectable[name] = least
    base_by_measure = dict(zip(matrix.measures, bases, strict=True))
    return Comparison(matrix, settings, tuple(run_means), base_by_measure, detectable, at, ranked_by)


def _baseline(matrix: Matrix, name: str | None) -> int:
    """Index of the run with a name or path; 0 for None."""
    if name is None:
        return 0
    matches = [run for run, path in enumerate(matrix.paths) if path == name]
    if len(matches) != 1:
        matches = [run for run, run_name in enumerate(matrix.runs) if run_name == name] or matches
    if not matches:
        names = ", ".join(matrix.runs)
        raise UsageError(f"no run {name} for the baseline (there are: {names}){did_you_mean(name, matrix.runs)}")
    if len(matches) > 1:
        paths = ", ".join(matrix.paths[run] for run in matches)
        raise UsageError(f"the baseline {name} may be any of {len(matches)} runs ({paths}); give the path of one")
    return matches[0]


def _pairs(runs: int, base: int, choice: str) -> IntArray:
    """The two runs of each pair, shape (pairs, 2): a run, and the run that it is compared with."""
    if choice == "all":
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
    rows = np.concatenate([indices + place * runs for place, indices in enumerate(pairs)])
    units = [power_of_two_unit(matrix.values[score]) for score in scores]
    by_score = [matrix.values[score] / unit for score, unit in zip(scores, units, strict=True)]
    scaled = [rows / unit for rows, unit in zip(differences, units, strict=True)]
    measures = len(scores) if settings.family == "call" else 1
    statistics = statistics_of(
        np.concatenate(scaled), np.concatenate(by_score), rows, settings, len(pairs[0]) * measures
    )
    for name in ("low", "high"):
        statistics[name] *= np.repeat(units, [len(indices) for indices in pairs])
    sizes = np.cumsum([len(indices) for indices in pairs])[:-1]
    for test in TESTS:
        families = [statistics[test]] if settings.family == "call" else np.split(statistics[test], sizes)
        statistics[f"holm_{test}"] = np.concatenate([holm_correction(p) for p in families])
    if settings.pairs == "all":
        hsd = [
            tukey_hsd(values[:, ~np.isnan(values[0])], indices, settings.trials, settings.seed)
            for values, indices in zip(by_score, pairs, strict=True)
        ]
        statistics["tukey"] = np.minimum(measures * np.concatenate(hsd), 1.0)
    for row in range(len(statistics["low"])):
        yield {name: float(values[row]) for name, values in statistics.items()}


def _difference(values: FloatArray, outcomes: Sequence[int], statistics: dict[str, float]) -> Difference:
    """A difference from its values by topic, wins, ties and losses, and statistics, empty for counts."""
    get = {name: value for name, value in statistics.items() if not np.isnan(value)}.get
    wins, ties, losses = outcomes
    return Difference(
        mean=mean(values) or 0.0,
        low=get("low"),
        high=get("high"),
        exact=bool(get("exact")),
        tukey=get("tukey"),
        cohen_d=get("cohen_d"),
        wins=wins,
        ties=ties,
        losses=losses,
        **{test: PValues(get(test), get(f"holm_{test}")) for test in TESTS},
    )


def _run_means(
    matrix: Matrix, number: int, pairs: IntArray, differences: Sequence[Difference], base: int
) -> Iterator[RunMean]:
    """Means of a measure in the order of the runs, including `base`, which has no difference."""
    name, values = matrix.measures[number], matrix.values[number]
    topics = int(np.count_nonzero(~np.isnan(values[0])))
    means = [mean(row) or 0.0 for row in values]
    truncated = matrix.truncated.get(name, [0] * len(matrix.runs))
    rows = [
        RunMean(name, run, topics, means[run], difference, against, truncated[run])
        for (run, against), difference in zip(pairs.tolist(), differences, strict=True)
    ]
    first = RunMean(name, base, topics, means[base], None, truncated=truncated[base])
    yield from sorted([first, *rows], key=lambda row: row.run)
