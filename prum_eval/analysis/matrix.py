"""Matrix of values by measure, run and topic, and what is derived from it.

Conventions. ``values`` has shape (measures, runs, topics) and contains only the topics that all runs answer. NaN marks
a topic without a value; if one run has none, all runs are set to NaN there, so that means and differences are over the
same topics. Runs, measures and groups are addressed by their index. Means are exactly rounded sums divided by counts;
rankings compare them at twelve significant digits.

The module builds the matrix (`make_matrix`), computes means and best runs, means by group of topics with changes of
the order of runs between groups, and declares the settings shared by tests and intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.results import Curve, Evaluation, RunResult, many_end_early, topics_by_group
from prum_eval.formats.scores import Scores
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import measures_by_printed_name, split_cutoffs
from prum_eval.measures.specs import canonical_base_names, split_specs
from prum_eval.numerics.curves import widest_crossing
from prum_eval.parameters import did_you_mean, partition_settings
from prum_eval.tabular import plural

PAIRS = ("first", "best", "all")
"""Each run with the first, each with the best by each measure, or each with every other."""
INTERVALS = ("t", "bootstrap", "single")
"""Simultaneous intervals, Student's or by the studentised bootstrap; or Student's without correction."""
TESTS = ("randomisation", "t", "bootstrap")
"""Paired tests."""
FAMILIES = ("measure", "call")
"""p-values are corrected per measure, or for all comparisons of the call."""


@dataclass(frozen=True)
class TrialSettings:
    """Seed, number of random trials and alpha; intervals have level 1 - alpha."""

    seed: int = 1
    trials: int = 100_000
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, least, most in (("seed", 0, 2**63 - 1), ("trials", 1, 10**7)):
            if not least <= getattr(self, name) <= most:
                raise UsageError(f"{name}={getattr(self, name)}: {name} is a whole number from {least} to {most}")
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha={self.alpha}: alpha is a number between 0 and 1")


@dataclass(frozen=True)
class ComparisonSettings(TrialSettings):
    """Settings of a comparison: pairs of runs, kind of interval, family of the correction, test that decides.

    `baseline`: name or path of the run that replaces the first.
    """

    pairs: str = "first"
    baseline: str | None = None
    interval: str = "t"
    family: str = "measure"
    test: str = TESTS[0]

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        for name, choices in (("pairs", PAIRS), ("interval", INTERVALS), ("family", FAMILIES), ("test", TESTS)):
            if (value := getattr(self, name)) not in choices:
                text = f"{', '.join(choices[:-1])} or {choices[-1]}"
                raise UsageError(f"{name}={value}: {name} is {text}{did_you_mean(value, choices)}")
        if self.baseline is not None and self.pairs != PAIRS[0]:
            raise UsageError("a baseline is what the other runs are compared with, and goes with pairs=first only")


@dataclass(frozen=True)
class Matrix:
    """Values of every measure, run and topic.

    `values` has shape (measures, runs, topics); NaN marks a topic without a value of the measure, in all runs. `paths`:
    files of the runs. `warnings`: notices for the user. `signature`: source of the values. `counts`: measures that are
    counts and rank no runs; `lower_better`: measures of which lower values are better. `groups`: group by topic.
    `curves`: curves of each run, if requested. `truncated`: by measure with a cut-off or budget, the number of lists
    that end before it, of each run; measures without such lists are left out. `ranked_by`: the first score that the
    user named.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    topics: tuple[str, ...]
    values: FloatArray
    warnings: tuple[Notice | str, ...] = ()
    signature: str = ""
    counts: frozenset[str] = frozenset()
    lower_better: frozenset[str] = frozenset()
    groups: Mapping[str, str] = field(default_factory=dict)
    curves: Sequence[Sequence[Curve]] = ()
    truncated: Mapping[str, Sequence[int]] = field(default_factory=dict)
    ranked_by: str | None = None

    def ends_early(self, measure: str, run: int) -> bool:
        """Whether more than a tenth of a run's lists end before the cut-off or budget of a measure."""
        counts = self.truncated.get(measure)
        if counts is None:
            return False
        values = self.values[self.measures.index(measure), run]
        return many_end_early(counts[run], int(np.count_nonzero(~np.isnan(values))))

    def complete_runs(self, measure: str) -> list[int]:
        """Runs whose lists reach the cut-off or budget of a measure: those that it compares."""
        return [run for run in range(len(self.runs)) if not self.ends_early(measure, run)]


def select_counts(names: Iterable[str]) -> set[str]:
    """Printed names of measures that are counts, or have no better direction.

    They are compared only on request and rank no runs. The record of the measure decides. Files of values also name
    measures of other tools, which have no record: names with the prefix ``num_`` are counts, as in trec_eval.
    """
    unique = set(names)
    measures = measures_by_printed_name(unique)
    return {
        name
        for name in unique
        if (
            measures[name].is_count or measures[name].direction is Direction.NEITHER
            if name in measures
            else name.startswith("num_")
        )
    }


def select_scores(names: Iterable[str]) -> set[str]:
    """Printed names of measures that are no counts."""
    unique = set(names)
    return unique - select_counts(unique)


def lower_better_names(names: Iterable[str]) -> frozenset[str]:
    """Printed names of measures of which lower values are better."""
    measures = measures_by_printed_name(names).items()
    return frozenset(name for name, measure in measures if measure.direction is Direction.LOWER)


def make_matrix(
    runs: Sequence[RunResult | Scores],
    requested: Sequence[str] | None = None,
    select: Callable[[Sequence[str]], Container[str]] = select_scores,
    *,
    common: bool = False,
    order: Sequence[str] = (),
) -> Matrix:
    """The matrix of the values of all runs.

    It has the topics that every run has, and for each measure values only on topics where every run has one.

    Args:
        runs: runs with their values by topic.
        requested: printed names of measures, with or without cut-offs or levels; None for `select`.
        select: chooses measures from the names of all runs; those that some run lacks are left out.
        common: accept any number of omitted topics.
        order: measures in the order of the result; by default that of the first run.

    Raises:
        DataError: no topic or no measure is common to all runs; more than a tenth of the topics are omitted.
        UsageError: a requested name is in no run, or not in all.
    """
    tables = [run.numbers if isinstance(run, RunResult) else run.topics for run in runs]
    all_names = sorted({name for table in tables for values in table.values() for name in values})
    ordered = dict.fromkeys([*order, *(name for values in tables[0].values() for name in values)])
    shared = [name for name in ordered if all(any(name in values for values in table.values()) for table in tables)]
    if requested is None:
        selected = select(all_names)
        measures = [name for name in shared if name in selected]
    else:
        measures = _select_measures(requested, shared, all_names)
    shared_topics = set.intersection(*map(set, tables))
    if not shared_topics:
        raise DataError("no topic is common to all runs")
    if not measures:
        texts = {
            name for run in runs for row in run.topics.values() for name, value in row.items() if isinstance(value, str)
        }
        if texts and not shared:
            raise DataError(
                f"no measure is common to all runs except texts, which cannot be compared ({', '.join(sorted(texts))})"
            )
        counts = ", ".join(sorted(select_counts(shared)))
        only = f" but counts, which are compared if asked for ({counts})" if counts else ""
        raise DataError(f"no measure is common to all runs{only}")
    topics = sorted(shared_topics, key=str.encode)
    # None becomes NaN
    rows = [[[table[topic].get(name) for topic in topics] for table in tables] for name in measures]
    values: FloatArray = np.array(rows, dtype=np.float64)
    remedy = "--common compares on the others"
    if isinstance(runs[0], RunResult):
        remedy += ", -c counts what is missing"
    topic_count = len({topic for table in tables for topic in table})
    warnings = _omission_warnings(measures, values, len(topics), topic_count, None if common else remedy)
    values[np.isnan(values).any(axis=1, keepdims=True).repeat(len(runs), axis=1)] = np.nan
    if requested is None and (others := [name for name in all_names if name not in shared and name in selected]):
        warnings.append(f"left out, because not every run has it: {', '.join(others)}")
    return Matrix(
        tuple(measures),
        tuple(run.run_id for run in runs),
        tuple(run.path for run in runs),
        tuple(topics),
        values,
        tuple(warnings),
        counts=frozenset(select_counts(measures)),
        lower_better=lower_better_names(measures),
        truncated=_truncated_counts(runs, measures, shared_topics),
    )


def _truncated_counts(
    runs: Sequence[RunResult | Scores], measures: Sequence[str], topics: Container[str]
) -> dict[str, tuple[int, ...]]:
    """By measure, the number of lists of each run that end early; files of values have numbers only."""
    counts = {}
    for name in measures:
        ends = [(run.truncated or {}).get(name, ()) for run in runs]
        numbers = [early if isinstance(early, int) else sum(topic in topics for topic in early) for early in ends]
        if any(numbers):
            counts[name] = tuple(numbers)
    return counts


def _select_measures(requested: Sequence[str], shared: Sequence[str], all_names: Sequence[str]) -> list[str]:
    """Shared names that match each request: exactly, by their stems, or by meaning."""

    def stems(name: str) -> tuple[str, str]:
        """The name without its cut-off or level, and without its label."""
        head, _, point = name.rpartition("_")
        return head if point.replace(".", "", 1).isdigit() else name, partition_settings(name)[0]

    selected: list[str] = []
    for request in (name for text in requested for name in ([text] if text in all_names else split_specs(text))):
        matching = [name for name in shared if name == request] or [name for name in shared if request in stems(name)]
        matching = matching or _synonyms(request, shared)
        if not matching:
            if request in all_names or any(request in stems(name) for name in all_names):
                raise UsageError(f"{request} is not in every run")
            raise UsageError(f"{request} is in no run{did_you_mean(request, all_names)}")
        selected += [name for name in matching if name not in selected]
    return selected


def _synonyms(request: str, names: Sequence[str]) -> list[str]:
    """Names that mean the same measures as `request` in the vocabulary of any tool."""
    heads = canonical_base_names(partition_settings(name)[0] for name in (request, *names))
    meaning = {head: split_cutoffs(canonical) for head, canonical in heads.items()}
    return [name for name in names if meaning[partition_settings(name)[0]] == meaning[partition_settings(request)[0]]]


def _omission_warnings(
    measures: Sequence[str], values: FloatArray, topics: int, topic_count: int, remedy: str | None
) -> list[str]:
    """Warnings on topics without values, if they are few.

    Args:
        measures: their names.
        values: values of the shared topics before they are set to NaN for all runs.
        topics: number of topics that every run has.
        topic_count: number of topics that any run has.
        remedy: advice added to the error about many omitted topics; None to accept them.

    Raises:
        DataError: more than a tenth are omitted; or no topic is left for a measure.
    """
    runs_with_value = (~np.isnan(values)).sum(axis=1)
    some, every = (np.sum(runs_with_value >= least, axis=1).tolist() for least in (1, values.shape[1]))
    if not all(every):
        names = ", ".join(name for name, count in zip(measures, every, strict=True) if not count)
        raise DataError(f"no topic has a value of {names} for every run")

    def warning(omitted: int, total: int, reason: str, remedy: str | None) -> str:
        text = f"{omitted} of {plural(total, 'topic')} left out, because {reason}"
        if 10 * omitted > total and remedy:
            raise DataError(f"{text}: more than a tenth; {remedy}")
        return text if omitted else ""

    warnings = [warning(topic_count - topics, topic_count, "not every run has them", remedy)]
    incomplete: dict[tuple[int, int], list[str]] = {}
    absent: dict[tuple[int, int], list[str]] = {}
    for name, least, most in zip(measures, every, some, strict=True):
        incomplete.setdefault((most - least, most), []).append(name)
        absent.setdefault((topics - most, topics), []).append(name)
    for counts, group in incomplete.items():
        warnings.append(warning(*counts, f"not every run has a value ({', '.join(group)})", remedy))
    for counts, group in absent.items():
        warnings.append(warning(*counts, f"no run has a value ({', '.join(group)})", None))
    return [text for text in warnings if text]


# Means and best runs


def mean(values: FloatArray) -> float | None:
    """Arithmetic mean of the values that are not NaN; None if there are none.

    The sum is exactly rounded, so it is the same in any order and on any version of Python.
    """
    defined = values[~np.isnan(values)].tolist()
    return math.fsum(defined) / len(defined) if defined else None


def mean_matrix(matrix: Matrix) -> FloatArray:
    """Means over topics, shape (measures, runs), each over the topics with a value."""
    return np.array([[mean(run) for run in runs] for runs in matrix.values], dtype=np.float64)


def round_significant(values: FloatArray) -> FloatArray:
    """Values rounded to twelve significant digits, so that rounding of sums breaks no ties between runs."""
    flat: list[float] = values.ravel().tolist()
    return np.array([float(f"{value:.12g}") for value in flat]).reshape(values.shape)


def best_run(matrix: Matrix, measure: str) -> int:
    """Index of the run with the best mean, by the direction of the measure; the first of equal ones.

    Runs whose lists end early are the best only if those of all runs do.
    """
    means = round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    costs = means if measure in matrix.lower_better else -means
    runs = matrix.complete_runs(measure) or range(len(matrix.runs))
    return min(runs, key=lambda run: float(costs[run]))


def best_runs(matrix: Matrix, measure: str) -> frozenset[int]:
    """Indices of all runs with the best mean, by the direction of the measure; none if all lists end early."""
    means = round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    best = means[best_run(matrix, measure)]
    return frozenset(run for run in matrix.complete_runs(measure) if means[run] == best)


# Means by group of topics, and measures that order the runs differently between groups


@dataclass(frozen=True)
class GroupMean:
    """Mean of a run on a measure over the topics of a group; `run` is an index; None without topics."""

    measure: str
    group: str
    run: int
    topics: int
    mean: float | None


@dataclass(frozen=True)
class OrderChange:
    """By `measure`, run `run` is better than run `other` in group `better`, and worse in group `worse`.

    `means`: of the run and the other in `better`, then in `worse`. Of all such pairs it is the one with the widest
    crossing.
    """

    measure: str
    run: int
    other: int
    better: str
    worse: str
    means: tuple[float, float, float, float]


def group_means(matrix: Matrix) -> tuple[GroupMean, ...]:
    """Means by measure, group and run; groups in byte order, over the topics with a value of the measure."""
    index = {topic: number for number, topic in enumerate(matrix.topics)}
    groups = {
        group: [index[topic] for topic in topics]
        for group, topics in topics_by_group(matrix.groups, matrix.topics).items()
    }
    return tuple(
        GroupMean(measure, group, run, int(np.count_nonzero(~np.isnan(row[topics]))), mean(row[topics]))
        for measure, values in zip(matrix.measures, matrix.values, strict=True)
        for group, topics in groups.items()
        for run, row in enumerate(values)
    )


def order_changes(evaluation: Evaluation) -> list[OrderChange]:
    """Measures of an evaluation that order its runs differently between groups of topics."""
    scores = select_scores(evaluation.names)
    groups = sorted({group for run in evaluation.runs for group in run.groups}, key=str.encode)
    tables = {
        name: np.array(
            [
                [run.groups[group].all.get(name) if group in run.groups else None for run in evaluation.runs]
                for group in groups
            ],
            dtype=np.float64,
        )
        for name in evaluation.names
        if name in scores
    }
    return find_order_changes(tables, groups)


def find_order_changes(means: Mapping[str, FloatArray], groups: Sequence[str]) -> list[OrderChange]:
    """Measures whose means, shape (groups, runs), NaN if undefined, order the runs differently between groups."""
    if len(groups) < 2:
        return []
    lower_better = lower_better_names(means)
    changes = []
    for measure, table in means.items():
        crossing = widest_crossing(round_significant(table))
        if crossing is None:
            continue
        first, second = crossing.above, crossing.below
        if measure in lower_better:
            first, second = second, first
        run, other = crossing.upper, crossing.lower
        a, b, c, d = (float(table[group, index]) for group in (first, second) for index in (run, other))
        changes.append(OrderChange(measure, run, other, groups[first], groups[second], (a, b, c, d)))
    return changes
