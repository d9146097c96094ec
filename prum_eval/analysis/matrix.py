"""The values that runs have on the topics that all of them answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.results import Curve, Evaluation, RunResult, topics_by_group
from prum_eval.formats.scores import Scores
from prum_eval.measures.base import Direction, Measure
from prum_eval.measures.registry import measures_by_printed_name, split_cutoffs
from prum_eval.measures.specs import canonical_base_names, split_specs
from prum_eval.numerics.curves import widest_crossing
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import plural


@dataclass(frozen=True)
class Matrix:
    """Values of every measure, run and topic.

    `values` has shape (measures, runs, topics); NaN marks a topic that has no value for that measure, which then no
    run has. `paths` are the files of the runs. `warnings`: what the user should know. `signature` says where the values
    come from. `counts`: measures that count something, and score no run; `lower_better`: those of which lower values
    are better. `groups`: the group of each topic that has one. `curves`: those of each run, where
    they were asked for.
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


def select_counts(names: Iterable[str]) -> set[str]:
    """Those of some printed names that count something or are better in neither direction: no scores.

    Nobody compares them unasked, and no run is best by them. The record of the measure says so. Files of values name
    measures of other tools too, of which there is no record: what they call ``num_``, as trec_eval does, is a count.
    """
    listed = list(names)
    measures = measures_by_printed_name(listed)
    return {name for name in listed if (_no_score(measures[name]) if name in measures else name.startswith("num_"))}


def _no_score(measure: Measure) -> bool:
    return measure.is_count or measure.direction is Direction.NEITHER


def select_scores(names: Iterable[str]) -> set[str]:
    """All others."""
    listed = set(names)
    return listed - select_counts(listed)


def make_matrix(
    runs: Sequence[RunResult | Scores],
    wanted: Sequence[str] | None = None,
    worth: Callable[[Sequence[str]], Container[str]] = select_scores,
    *,
    common: bool = False,
    order: Sequence[str] = (),
) -> Matrix:
    """The values of runs side by side.

    Only topics count that every run has, and for each measure only those on which every run has a value, so that means
    and differences are of the same topics. `wanted` chooses measures: printed names, or names without their cut-offs or
    levels; without it, all that every run has and that are `worth` it among the names of all runs. `common`: take the
    topics that are common however many are left out. `order`: measures in the order that they shall have, if not that
    of the first run.

    Raises:
        DataError: no topic or no measure is common to all runs; more than a tenth of the topics are not.
        UsageError: a wanted name is in none of them, or none of it is in all.
    """
    known = sorted({name for run in runs for values in run.topics.values() for name in values})
    named = dict.fromkeys([*order, *_names(runs[0])])
    shared = [name for name in named if all(_has_values(run, name) for run in runs)]
    worthy = worth(known) if wanted is None else ()
    measures = (
        [name for name in shared if name in worthy] if wanted is None else _select_measures(wanted, shared, known)
    )
    shared_topics = set.intersection(*(set(run.topics) for run in runs))
    if not shared_topics:
        raise DataError("no topic is common to all runs")
    if not measures:
        counts = ", ".join(sorted(select_counts(shared)))
        only = f" but counts, which are compared if asked for ({counts})" if counts else ""
        raise DataError(f"no measure is common to all runs{only}")
    topics = sorted(shared_topics, key=str.encode)
    values = np.array(
        [[[_float(run.topics[topic].get(name)) for topic in topics] for run in runs] for name in measures]
    )
    mend = "--common compares on the others"
    if isinstance(runs[0], RunResult):
        mend += ", -c counts what is missing"
    everywhere = len({topic for run in runs for topic in run.topics})
    warnings = _omission_warnings(measures, values, len(topics), everywhere, None if common else mend)
    values[np.isnan(values).any(axis=1)[:, None, :].repeat(len(runs), axis=1)] = np.nan
    if wanted is None and (others := [name for name in known if name not in shared and name in worthy]):
        warnings.append(f"left out, because not every run has it: {', '.join(others)}")
    lower = (
        name for name, measure in measures_by_printed_name(measures).items() if measure.direction is Direction.LOWER
    )
    return Matrix(
        tuple(measures),
        tuple(run.run_id for run in runs),
        tuple(run.path for run in runs),
        tuple(topics),
        values,
        tuple(warnings),
        counts=frozenset(select_counts(measures)),
        lower_better=frozenset(lower),
    )


def mean(values: FloatArray) -> float | None:
    """Arithmetic mean of the values that are known, from their exactly rounded sum; None if none is.

    The sum is the same in any order and on any version of Python.
    """
    known = values[~np.isnan(values)].tolist()
    return math.fsum(known) / len(known) if known else None


def mean_matrix(matrix: Matrix) -> FloatArray:
    """Means over topics, shape (measures, runs), each over the topics that have a value."""
    return np.array([[mean(run) for run in of_measure] for of_measure in matrix.values], dtype=np.float64)


def round_significant(values: FloatArray) -> FloatArray:
    """Values to twelve significant digits: where sums end in other last digits, that must break no tie between runs."""
    listed: list[float] = values.ravel().tolist()
    return np.array([float(f"{value:.12g}") for value in listed]).reshape(values.shape)


def best_run(matrix: Matrix, measure: str) -> int:
    """The place of the run with the best mean, by the direction of the measure; of equal ones, the one named first."""
    found = round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    return int(np.argmin(found) if measure in matrix.lower_better else np.argmax(found))


def best_runs(matrix: Matrix, measure: str) -> frozenset[int]:
    """The places of all runs with the best mean, by the direction of the measure."""
    found = round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    return frozenset(np.flatnonzero(found == found[best_run(matrix, measure)]).tolist())


def _names(run: RunResult | Scores) -> dict[str, None]:
    return dict.fromkeys(name for values in run.topics.values() for name in values)


def _has_values(run: RunResult | Scores, name: str) -> bool:
    return any(name in values for values in run.topics.values())


def _float(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _select_measures(wanted: Sequence[str], common: Sequence[str], known: Sequence[str]) -> list[str]:
    found: list[str] = []
    wanted = [one for text in wanted for one in (split_specs(text) if text not in known else [text])]
    for one in wanted:
        matching = [name for name in common if name == one] or [name for name in common if one in _name_stems(name)]
        matching = matching or _matching_names(one, common)
        if not matching:
            reason = (
                "not in every run"
                if one in {*known, *(own for name in known for own in _name_stems(name))}
                else f"in no run{did_you_mean(one, known)}"
            )
            raise UsageError(f"{one} is {reason}")
        found += [name for name in matching if name not in found]
    return found


def _matching_names(wanted: str, names: Sequence[str]) -> list[str]:
    """Those of some names that mean what is wanted, whatever tool wrote either."""
    heads = canonical_base_names(name.partition(":")[0] for name in (wanted, *names))
    meaning = {head: split_cutoffs(ours) for head, ours in heads.items()}
    own = meaning[wanted.partition(":")[0]]
    return [name for name in names if meaning[name.partition(":")[0]] == own]


def _name_stems(name: str) -> tuple[str, str]:
    """The name without a cut-off or level at its end; and without a label behind a colon."""
    head, _, point = name.rpartition("_")
    return head if point.replace(".", "", 1).isdigit() else name, name.partition(":")[0]


def _omission_warnings(
    measures: Sequence[str], values: FloatArray, topics: int, everywhere: int, mend: str | None
) -> list[str]:
    """Sentences on topics that not every run has, or has values of, as long as they are few.

    `values` as they are, of all `topics` that every run has; `everywhere`: how many some run has; `mend`: what to do
    where they are many, None where that is no error.

    Raises:
        DataError: they are more than a tenth; or none is left of a measure.
    """
    known = (~np.isnan(values)).sum(axis=1)  # runs that have a value
    some, every = ((known >= least).sum(axis=1).tolist() for least in (1, values.shape[1]))
    if not all(every):
        names = ", ".join(name for name, own in zip(measures, every, strict=True) if not own)
        raise DataError(f"no topic has a value of {names} for every run")
    partly = {name: (own - all_of, own) for name, own, all_of in zip(measures, some, every, strict=True)}
    nowhere = {name: (topics - own, topics) for name, own in zip(measures, some, strict=True)}
    told = [_omission_text(everywhere - topics, everywhere, "not every run has them", mend)]
    told += [
        _omission_text(*own, f"not every run has a value ({names})", mend) for own, names in _names_by_value(partly)
    ]
    told += [_omission_text(*own, f"no run has a value ({names})", None) for own, names in _names_by_value(nowhere)]
    return [text for text in told if text]


def _omission_text(lost: int, of: int, reason: str, mend: str | None) -> str:
    text = f"{lost} of {plural(of, 'topic')} left out, because {reason}"
    if 10 * lost > of and mend:
        raise DataError(f"{text}: more than a tenth; {mend}")
    return text if lost else ""


def _names_by_value(counted: Mapping[str, tuple[int, int]]) -> Iterator[tuple[tuple[int, int], str]]:
    """Equal values once, with the names that have them."""
    for one in dict.fromkeys(counted.values()):
        yield one, ", ".join(name for name, own in counted.items() if own == one)


# Runs by group of topics: their means in each, and the measures by which their order is not the same in all.


@dataclass(frozen=True)
class GroupMean:
    """The mean of a run on a measure over the topics of a group; `run` is its place; None without a topic."""

    measure: str
    group: str
    run: int
    topics: int
    mean: float | None


@dataclass(frozen=True)
class OrderChange:
    """By `measure`, the run at place `run` is better than the `other` in one group, and worse in another.

    `better` and `worse` are these groups, `mean_matrix` those of the run and the other in the first, then in the second. Of
    all such pairs it is the one that changes places most.
    """

    measure: str
    run: int
    other: int
    better: str
    worse: str
    means: tuple[float, float, float, float]


def group_means(matrix: Matrix) -> tuple[GroupMean, ...]:
    """One for each measure, group and run; groups in byte order, the topics those that count for the measure."""
    place = {topic: number for number, topic in enumerate(matrix.topics)}
    groups = {
        group: [place[topic] for topic in topics]
        for group, topics in topics_by_group(matrix.groups, matrix.topics).items()
    }
    return tuple(
        GroupMean(measure, group, run, int(np.count_nonzero(~np.isnan(own[topics]))), mean(own[topics]))
        for measure, values in zip(matrix.measures, matrix.values, strict=True)
        for group, topics in groups.items()
        for run, own in enumerate(values)
    )


def order_changes(evaluation: Evaluation) -> list[OrderChange]:
    """The measures of an evaluation that change the order of its runs between groups of topics."""
    scores = select_scores(evaluation.names)
    names = [name for name in evaluation.names if name in scores]
    groups = sorted({group for run in evaluation.runs for group in run.groups}, key=str.encode)
    tables = {name: [[_mean_in(run, group, name) for run in evaluation.runs] for group in groups] for name in names}
    return find_order_changes({name: np.array(own, dtype=np.float64) for name, own in tables.items()}, groups)


def find_order_changes(means: Mapping[str, FloatArray], groups: Sequence[str]) -> list[OrderChange]:
    """Those of some scores, each with its means by group and run, NaN where there is none."""
    if len(groups) < 2:
        return []
    lower = {name for name, measure in measures_by_printed_name(means).items() if measure.direction is Direction.LOWER}
    return [one for name, own in means.items() if (one := _change(name, own, groups, lower)) is not None]


def _change(measure: str, means: FloatArray, groups: Sequence[str], lower: Container[str]) -> OrderChange | None:
    found = widest_crossing(round_significant(means))
    if found is None:
        return None
    first, second = (found.below, found.above) if measure in lower else (found.above, found.below)
    pairs = [(row, column) for row in (first, second) for column in (found.upper, found.lower)]
    values = [float(means[pair]) for pair in pairs]
    return OrderChange(
        measure, found.upper, found.lower, groups[first], groups[second], (values[0], values[1], values[2], values[3])
    )


def _mean_in(run: RunResult, group: str, measure: str) -> float:
    value = run.groups[group].all.get(measure) if group in run.groups else None
    return np.nan if value is None else float(value)


# What the user chooses of tests and intervals.


PAIRS = ("first", "best", "all")
"""Each run with the first, or with the best by each measure; or each with every other."""
INTERVALS = ("t", "bootstrap")
"""Student's, or by the studentised bootstrap."""
FAMILIES = ("measure", "call")
"""p-values are corrected for the comparisons of their measure, or for all of the call."""


@dataclass(frozen=True)
class TrialSettings:
    """Seed and number of trials, and alpha, of which intervals leave out as much."""

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
    """The same for a comparison: which pairs of runs, how intervals are made, what is corrected together.

    `baseline` is the run, by its name or path, that stands in place of the first.
    """

    pairs: str = "first"
    baseline: str | None = None
    interval: str = "t"
    family: str = "measure"

    def __post_init__(self) -> None:
        TrialSettings.__post_init__(self)
        for name, known in (("pairs", PAIRS), ("interval", INTERVALS), ("family", FAMILIES)):
            if (value := getattr(self, name)) not in known:
                listed = f"{', '.join(known[:-1])} or {known[-1]}"
                raise UsageError(f"{name}={value}: {name} is {listed}{did_you_mean(value, known)}")
        if self.baseline is not None and self.pairs != PAIRS[0]:
            raise UsageError("a baseline is what the other runs are compared with, and goes with pairs=first only")
