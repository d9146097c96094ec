"""Regression tests against gold values: repeat the evaluation of a gold file, and report moved and failing values.

A gold file records the arguments, checksums of inputs, values and thresholds of an evaluation. `make_gold` makes one;
`check_gold` evaluates again and returns a `GoldCheck`; `update_gold` makes its successor. Relative paths in a gold file
start at a directory that the caller gives. A value that a side does not have is `Absent`; None is a topic without a
value.
"""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Real
from typing import Any

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.notices import Notice, refuse_unmatched_runs
from prum_eval.evaluation.options import declared_options
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.gold import Gold, GoldRun, GoldValue, GoldValues, Threshold, checksums, format_gold, read_gold
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.tabular import RowValue, Table, Tabular, plural

_ALL = "all"
EFFORT_OPTIONS = frozenset({"jobs", "cluster", "cache", "curves"})
"""Arguments that change no number; a gold file omits them."""
PATH_OPTIONS = ("structure", "navigation", "config")
"""Arguments that are paths, besides the assessments and the runs."""

# Gold files and their evaluation


def make_gold(
    assessments: str,
    runs: Sequence[str],
    options: Mapping[str, Any],
    thresholds: Sequence[Threshold] = (),
    *,
    accept_unmatched: bool = False,
) -> tuple[Gold, Evaluation]:
    """Evaluate, and make a gold file of the result.

    Args:
        assessments: path of the assessments.
        runs: paths of the runs.
        options: the other arguments of `prum_eval.evaluate`; those at their defaults are not recorded.
        thresholds: least or largest averages of every run.
        accept_unmatched: accept runs without a result in a judged document.

    Raises:
        UsageError: an input is standard input, which cannot be read again.
        InputError, DataError: as `prum_eval.evaluate`.
    """
    defaults = {name: parameter.default for name, parameter in inspect.signature(evaluate).parameters.items()}
    explicit = {
        name: list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
        for name, value in options.items()
        if name not in EFFORT_OPTIONS and value != defaults.get(name) and value not in ((), {})
    }
    arguments = {"assessments": assessments, "runs": list(runs), **explicit}
    if "-" in input_paths(arguments):
        raise UsageError("a gold file names its inputs, so - (standard input) is not possible")
    evaluation = evaluate(assessments, runs, **options)
    refuse_unmatched_runs(evaluation.warnings, accept=accept_unmatched)
    if "topics" in arguments:  # the topics themselves, even if they came from a file
        arguments["topics"] = evaluation.parameters["topics"]
    return gold_values(evaluation, arguments, thresholds), evaluation


def gold_values(
    evaluation: Evaluation, arguments: Mapping[str, Any], thresholds: Sequence[Threshold] = (), directory: str = ""
) -> Gold:
    """The contents of a gold file for an evaluation with these arguments.

    Raises:
        InputError: an input cannot be read.
    """
    paths = input_paths(arguments)
    original_paths = {_path_from(directory, path): path for path in paths}
    if "config" in arguments and "structure" not in arguments and evaluation.parameters["structure"] != "assessments":
        paths.append(evaluation.parameters["structure"])  # the configuration file names it
    results = [
        GoldRun(run.run_id, original_paths.get(run.path, run.path), dict(run.numbers), run.all)
        for run in evaluation.runs
    ]
    sums = checksums(paths, directory)
    version, signature, parameters = evaluation.version, evaluation.signature, evaluation.parameters
    return Gold(version, signature, arguments, sums, parameters, results, tuple(thresholds))


def _path_from(directory: str, path: str) -> str:
    return os.path.join(directory, path)  # noqa: PTH118 - paths stay as given


def input_paths(arguments: Mapping[str, Any]) -> list[str]:
    """All paths among the arguments of an evaluation, in a fixed order."""
    more = [arguments[name] for name in PATH_OPTIONS if arguments.get(name) is not None]
    return [arguments["assessments"], *arguments["runs"], *more]


def gold_paths(gold: Gold, directory: str = "") -> list[str]:
    """Paths of all inputs of a gold file, with relative paths starting at `directory`."""
    return [_path_from(directory, path) for path in gold.inputs]


def evaluate_again(gold: Gold, name: str, directory: str = "", *, accept_unmatched: bool = False) -> Evaluation:
    """Repeat the evaluation of a gold file, with relative paths starting at `directory`.

    Raises:
        InputError: an argument that this version does not have or accept; else as `prum_eval.evaluate`.
        DataError: a run without a result in a judged document, unless `accept_unmatched`.
    """
    options = declared_options()
    for key, value in gold.arguments.items():
        if key in EFFORT_OPTIONS:
            raise InputError(name, None, f"arguments.{key}: a gold file cannot choose where to compute; remove it")
        if key not in options and key not in ("assessments", "runs"):
            raise InputError(name, None, f"arguments.{key}: unknown argument in this version of prum-eval")
        if not _has_argument_type(key, value):
            raise InputError(name, None, f"arguments.{key}: {value!r} is no value of it")
    arguments = dict(gold.arguments)
    for key in ("assessments", *PATH_OPTIONS):
        if key in arguments:
            arguments[key] = _path_from(directory, arguments[key])
    arguments["runs"] = [_path_from(directory, run) for run in gold.arguments["runs"]]
    try:
        evaluation = evaluate(**arguments)
    except UsageError as error:  # the bad options are in the file, not in this call
        raise DataError(f"{name}: {error}") from error
    refuse_unmatched_runs(evaluation.warnings, accept=accept_unmatched)
    return evaluation


_ARGUMENT_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "complete": bool,
    "limit": int,
    "relevance_level": int,
    "judged_only": bool,
    "topics": list,
    "collection_size": int,
    "tokens": Real,
    "settings": dict,
    "runs": list,
    "measures": list,
    "task": (str, list),
    "user_model": (str, list),
}


def _has_argument_type(key: str, value: object) -> bool:
    """Whether a value read from a file has the type of the argument, by default a text."""
    if not isinstance(value, _ARGUMENT_TYPES.get(key, str)) or (
        isinstance(value, bool) and _ARGUMENT_TYPES.get(key) is not bool
    ):
        return False
    items = list(value) if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return all(isinstance(item, str) for item in items)


# Results of a check


class Absent(Enum):
    """A value that one side does not have; None is a topic without a value."""

    ABSENT = "absent"


GoldCell = GoldValue | Absent


class Movement(Enum):
    """Direction in which a value moved; a value that only one side has is gone or new."""

    ROSE = "rose"
    FELL = "fell"
    GONE = "gone"
    NEW = "new"


_WORSE = {Direction.HIGHER: Movement.FELL, Direction.LOWER: Movement.ROSE}


@dataclass(frozen=True, slots=True)
class MovedValue:
    """A value that moved too far, of a topic or of ``all`` topics; `direction` is that of its measure."""

    topic: str
    measure: str
    gold: GoldCell
    now: GoldCell
    direction: Direction = Direction.HIGHER

    @property
    def difference(self) -> float | None:
        """The new value minus the gold value; None if one side has no number."""
        gold, now = _number(self.gold), _number(self.now)
        return None if gold is None or now is None else now - gold

    @property
    def movement(self) -> Movement:
        """The direction of the movement."""
        size = self.difference
        if size is not None:
            return Movement.ROSE if size > 0 else Movement.FELL
        return Movement.NEW if _number(self.gold) is None else Movement.GONE

    @property
    def is_worse(self) -> bool:
        """Whether it is gone, or moved against the direction of its measure; counts have none."""
        return self.movement is Movement.GONE or self.movement is _WORSE.get(self.direction)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run: its measures in the order of printing, the number of values compared, and the moved values.

    `failing_values`: the `moved_values` that fail the check.
    """

    run_id: str
    path: str
    measures: tuple[str, ...]
    values: int
    moved_values: tuple[MovedValue, ...]
    failing_values: tuple[MovedValue, ...]


@dataclass(frozen=True, slots=True)
class UnmetThreshold:
    """A run whose average violates a threshold; `value` is None if it has no number."""

    run_id: str
    path: str
    threshold: Threshold
    value: float | None


@dataclass(frozen=True, repr=False)
class GoldCheck(Tabular):
    """The result of a check of a gold file.

    `notes` list other differences: version, inputs, signature, id of a run. They fail nothing, but may explain a moved
    value. `warnings`: those of the evaluation. `thresholds`: those of the file, which every run has to meet.
    """

    runs: tuple[ComparedRun, ...]
    notes: tuple[str, ...]
    warnings: Sequence[Notice] = ()
    thresholds: tuple[Threshold, ...] = ()
    unmet_thresholds: tuple[UnmetThreshold, ...] = ()

    @property
    def moved_count(self) -> int:
        """Number of values that moved."""
        return sum(len(run.moved_values) for run in self.runs)

    @property
    def movements(self) -> Counter[Movement]:
        """Number of values per movement."""
        return Counter(cell.movement for run in self.runs for cell in run.moved_values)

    @property
    def compared_count(self) -> int:
        """Number of compared values."""
        return sum(run.values for run in self.runs)

    @property
    def passed(self) -> bool:
        """Whether no value fails the check and every threshold is met."""
        return not self.unmet_thresholds and not any(run.failing_values for run in self.runs)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per moved value."""
        for run in self.runs:
            for cell in run.moved_values:
                values = {"gold": _number(cell.gold), "now": _number(cell.now), "difference": cell.difference}
                change = {"change": cell.movement.value, "fails": cell in run.failing_values}
                yield {"run": run.run_id, "measure": cell.measure, "topic": cell.topic, **values, **change}

    def _summary(self) -> str:
        unmet = f", {plural(len(self.unmet_thresholds), 'threshold')} not met" if self.unmet_thresholds else ""
        return f"{plural(self.compared_count, 'value')}, {self.moved_count} moved{unmet}"

    def _table(self) -> Table:
        columns = ("run", "measure", "topic", "gold", "now", "difference", "change", "fails")
        return columns, (list(row.values()) for row in self.rows())


def _number(value: GoldCell) -> GoldValue:
    return None if isinstance(value, Absent) else value


# Rules of a check


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Bound of a movement: the larger of `absolute` and `relative` times the larger of the two magnitudes.

    The defaults allow rounding of another processor or library, and nothing that can be printed.
    """

    absolute: float = 1e-15
    relative: float = 1e-12

    def allows(self, cell: MovedValue) -> bool:
        """Whether the movement is within the tolerance; never if only one side has a number."""
        gold, now = _number(cell.gold), _number(cell.now)
        if gold is None or now is None:
            return cell.gold is cell.now
        return abs(now - gold) <= max(self.absolute, self.relative * max(abs(gold), abs(now)))


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class GoldRules:
    """Conditions under which a check fails.

    Attributes:
        averages: tolerance of averages.
        topics: tolerance of values of single topics; None if these are not compared.
        only_worse: better values, and counts, which have no better direction, do not fail.
        significant: only worse values of measures by which the run is significantly worse fail, and what is gone.
    """

    averages: Tolerance = Tolerance()
    topics: Tolerance | None = Tolerance()
    only_worse: bool = False
    significant: bool = False

    def fails(self, cell: MovedValue, worse_measures: Container[str] = ()) -> bool:
        """Whether a moved value fails the check; `worse_measures` are those by which the run is significantly worse."""
        if self.significant and cell.movement is not Movement.GONE:
            return cell.is_worse and cell.measure in worse_measures
        return cell.is_worse or not (self.only_worse or self.significant)


# Checks


def check_gold(
    path: str,
    directory: str = "",
    *,
    absolute: float | None = None,
    relative: float | None = None,
    exact: bool = False,
    topics_within: float | None = None,
    means: bool = False,
    only_worse: bool = False,
    significant: bool = False,
    accept_unmatched: bool = False,
) -> GoldCheck:
    """Repeat the evaluation of a gold file; report moved values and unmet thresholds.

    By default values may move by 1e-12 of themselves, or by 1e-15.

    Args:
        path: the gold file.
        directory: start of relative paths in the file.
        absolute: how far values may move.
        relative: share of the larger magnitude by which values may move; with `absolute`, the larger tolerance applies.
        exact: values may not move at all.
        topics_within: values of single topics may move by this much; averages keep the other tolerances.
        means: compare only averages.
        only_worse: only values that are gone, or worse by the direction of their measure, fail.
        significant: only values that are gone, or worse by a measure by which the run is significantly worse, fail:
            p of the paired randomisation test by topic, corrected by Holm for the runs of the file, below .05.
        accept_unmatched: as in `make_gold`.

    Raises:
        UsageError: two arguments exclude each other.
        InputError, DataError: as `read_gold`, `evaluate_again`, `compare_with_gold`.
    """
    explicit = absolute is not None or relative is not None
    if exact and explicit:
        raise UsageError("--exact cannot be combined with --absolute or --relative")
    if means and topics_within is not None:
        raise UsageError("--means compares averages only, so --topics-within has no effect")
    averages = Tolerance(absolute or 0.0, relative or 0.0) if explicit else EXACT if exact else Tolerance()
    topics = averages if topics_within is None else Tolerance(topics_within, 0.0)
    rules = GoldRules(averages, None if means else topics, only_worse, significant)
    gold = read_gold(path)
    now = evaluate_again(gold, path, directory, accept_unmatched=accept_unmatched)
    return compare_with_gold(gold, now, path, directory, rules)


def compare_with_gold(
    gold: Gold, now: Evaluation, name: str, directory: str = "", rules: GoldRules | None = None
) -> GoldCheck:
    """Compare a gold file with an evaluation of the same call.

    Args:
        gold: contents of the file.
        now: the evaluation.
        name: the file, for messages.
        directory: start of relative paths.
        rules: conditions of failure; by default any value that moved further than rounding.

    Raises:
        InputError: an input cannot be read.
        DataError: the number of runs differs; a threshold is for a measure that is not printed.
    """
    if len(gold.runs) != len(now.runs):  # files may hold several
        raise DataError(f"runs now: {len(now.runs)}, with gold values: {len(gold.runs)}")
    rules = rules if rules is not None else GoldRules()
    runs = []
    worse = significantly_worse_measures(gold, now) if rules.significant else [set()] * len(gold.runs)
    for before, after, worse_measures in zip(gold.runs, now.runs, worse, strict=True):
        cells = list(_compared_cells(before, GoldRun(after.run_id, after.path, after.numbers, after.all), rules))
        moved = []
        for cell in cells:
            tolerance = rules.averages if cell.topic == _ALL else rules.topics
            if tolerance is None or not tolerance.allows(cell):
                moved.append(cell)
        failing = tuple(cell for cell in moved if rules.fails(cell, worse_measures))
        names = tuple(_names_of_both(before.all, after.all))
        runs.append(ComparedRun(before.run_id, before.path, names, len(cells), tuple(moved), failing))
    unmet = tuple(find_unmet(gold.thresholds, now, name))
    return GoldCheck(tuple(runs), tuple(_notes(gold, now, directory)), now.warnings, gold.thresholds, unmet)


def significantly_worse_measures(gold: Gold, now: Evaluation) -> list[set[str]]:
    """By run, the measures by which it is significantly worse than its gold values; counts have no direction.

    p-values are those of the paired randomisation test over the topics that both have, corrected by Holm for the runs.
    """
    import numpy as np  # other checks need no numpy

    from prum_eval.analysis.comparison import holm_correction, paired_difference, randomisation_test
    from prum_eval.analysis.matrix import ComparisonSettings

    settings = ComparisonSettings()
    names = {name for run in now.runs for name in run.all}
    worse: list[set[str]] = [set() for _ in gold.runs]
    for measure, record in measures_by_printed_name(names).items():
        if record.is_count or record.direction is Direction.NEITHER:
            continue
        p, means = np.full((2, len(gold.runs)), np.nan)
        for number, (before, after) in enumerate(zip(gold.runs, now.runs, strict=True)):
            values = [
                (after.topics.get(topic, {}).get(measure), row.get(measure)) for topic, row in before.topics.items()
            ]
            pairs = np.array([pair for pair in values if None not in pair], dtype=np.float64).reshape(-1, 2)
            difference = paired_difference(pairs[:, 0], pairs[:, 1])
            if len(difference):
                p[number] = randomisation_test(difference[None], settings.trials, settings.seed)[0][0]
                means[number] = difference.sum() * (-1 if record.direction is Direction.LOWER else 1)
        for place in np.flatnonzero((holm_correction(p) < settings.alpha) & (means < 0)).tolist():
            worse[place].add(measure)
    return worse


def find_unmet(thresholds: tuple[Threshold, ...], now: Evaluation, name: str) -> Iterator[UnmetThreshold]:
    """Violations of thresholds, run by run.

    Raises:
        DataError: a threshold is for a measure that the evaluation does not print.
    """
    for run in now.runs:
        for threshold in thresholds:
            if threshold.measure not in run.all:
                names = ", ".join(run.all)
                raise DataError(f"{name}: threshold {threshold.text}: no such measure is printed; there is {names}")
            value = run.all[threshold.measure]
            if not threshold.is_met(value):
                yield UnmetThreshold(run.run_id, run.path, threshold, value)


def _compared_cells(gold: GoldRun, now: GoldRun, rules: GoldRules) -> Iterator[MovedValue]:
    """Every value of either side by measure: of all topics first, then, if compared, by topic."""
    empty: GoldValues = {}
    topics = sorted({*gold.topics, *now.topics}) if rules.topics is not None else []
    pairs = [(gold.topics.get(topic, empty), now.topics.get(topic, empty)) for topic in topics]
    names = _names_of_both(gold.all, now.all)
    records = measures_by_printed_name(names)
    for measure in names:
        direction = records[measure].direction if measure in records else Direction.HIGHER
        for topic, (before, after) in zip([_ALL, *topics], [(gold.all, now.all), *pairs], strict=True):
            if measure in before or measure in after:
                values = before.get(measure, Absent.ABSENT), after.get(measure, Absent.ABSENT)
                yield MovedValue(topic, measure, *values, direction)


def _names_of_both(gold: GoldValues, now: GoldValues) -> list[str]:
    """The new names in their order, then those that are gone."""
    return [*now, *(name for name in gold if name not in now)]


def _notes(gold: Gold, now: Evaluation, directory: str) -> Iterator[str]:
    """Differences besides values: version, inputs, signature, ids of runs."""
    if gold.version != now.version:
        yield f"prum-eval is {now.version}, the gold values are of {gold.version}"
    paths = input_paths(gold.arguments)
    others = [
        path for path in gold.inputs if not any(path == parent or path.startswith(f"{parent}/") for parent in paths)
    ]
    sums = checksums([*paths, *others], directory)
    for path in sorted({*gold.inputs, *sums}):
        if path not in sums:
            yield f"input is gone: {path}"
        elif path not in gold.inputs:
            yield f"input is new: {path}"
        elif sums[path] != gold.inputs[path]:
            yield f"input changed: {path}"
    before, after = (text.split("|")[1:] for text in (gold.signature, now.signature))
    if before != after:
        yield f"signature lost: {'|'.join(part for part in before if part not in after) or 'nothing'}"
        yield f"signature gained: {'|'.join(part for part in after if part not in before) or 'nothing'}"
    for run, new_run in zip(gold.runs, now.runs, strict=True):
        if run.run_id != new_run.run_id:
            yield f"run {run.run_id} is called {new_run.run_id} now"


# Updates


@dataclass(frozen=True, slots=True)
class GoldUpdate:
    """A gold file with new values, and the values that moved.

    `is_unchanged`: the file need not be written.
    """

    gold: Gold
    check: GoldCheck
    is_unchanged: bool


def update_gold(
    path: str, directory: str = "", thresholds: Sequence[Threshold] = (), *, accept_unmatched: bool = False
) -> GoldUpdate:
    """Repeat the evaluation of a gold file, and make its successor; nothing is written.

    Args:
        path: the gold file.
        directory: start of relative paths in the file.
        thresholds: replace those of the file for the same measure and operator, or are added to them.
        accept_unmatched: as in `make_gold`.

    Raises:
        InputError, DataError: as `check_gold`.
    """
    before = read_gold(path)
    evaluation = evaluate_again(before, path, directory, accept_unmatched=accept_unmatched)
    merged = {(threshold.measure, threshold.operator): threshold for threshold in (*before.thresholds, *thresholds)}
    after = gold_values(evaluation, before.arguments, tuple(merged.values()), directory)
    with_thresholds = replace(before, thresholds=after.thresholds)
    check = compare_with_gold(with_thresholds, evaluation, path, directory, GoldRules(EXACT, EXACT))
    return GoldUpdate(after, check, is_unchanged=format_gold(after) == format_gold(before))
