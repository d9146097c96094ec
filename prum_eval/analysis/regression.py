"""Regression against gold values: evaluate again what a gold file tells, and say what moved and what fails."""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from numbers import Real
from typing import Any

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.gold import Gold, GoldRun, GoldValue, GoldValues, Threshold, checksums, format_gold, read_gold
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.tabular import RowValue, Table, Tabular, plural

# What a gold file shall hold, and the evaluation that one tells.


_STDIN = "-"
EFFORT_OPTIONS = frozenset({"jobs", "cluster", "cache", "curves"})
"""Arguments of an evaluation that say how it is done and change no number: a gold file leaves them out."""
PATH_OPTIONS = ("structure", "navigation", "config")
"""Arguments that are paths, beside the assessments and the runs."""


def make_gold(
    assessments: str, runs: Sequence[str], options: Mapping[str, Any], thresholds: Sequence[Threshold] = ()
) -> tuple[Gold, Evaluation]:
    """Evaluate, and put together what a gold file shall hold.

    Args:
        assessments: path of the assessments.
        runs: paths of the runs.
        options: the other arguments of `prum_eval.evaluate`; those left at their defaults are not written down.
        thresholds: what the averages of every run must reach.

    Raises:
        UsageError: standard input is among the inputs: it could not be read again.
        InputError, DataError: as `prum_eval.evaluate`.
    """
    defaults = {name: one.default for name, one in inspect.signature(evaluate).parameters.items()}
    given = {
        name: _plain_value(value)
        for name, value in options.items()
        if name not in EFFORT_OPTIONS and value != defaults.get(name) and value not in ((), {})
    }
    arguments = {"assessments": assessments, "runs": list(runs), **given}
    if _STDIN in input_paths(arguments):
        raise UsageError("a gold file names its inputs, so none can be - (standard input)")
    evaluation = evaluate(assessments, runs, **options)
    if "topics" in arguments:  # names stay what they are, whatever becomes of a file of them
        arguments["topics"] = evaluation.parameters["topics"]
    return gold_values(evaluation, arguments, thresholds), evaluation


def gold_values(
    evaluation: Evaluation, arguments: Mapping[str, Any], thresholds: Sequence[Threshold] = (), directory: str = ""
) -> Gold:
    """What a gold file shall hold of an evaluation of these arguments, whose relative paths lead on from `directory`.

    Raises:
        InputError: an input cannot be read.
    """
    paths = input_paths(arguments)
    named = {_path_from(directory, path): path for path in paths}
    if "config" in arguments and "structure" not in arguments and evaluation.parameters["structure"] != "assessments":
        paths.append(evaluation.parameters["structure"])  # the configuration file names it
    results = [GoldRun(run.run_id, named.get(run.path, run.path), dict(run.topics), run.all) for run in evaluation.runs]
    sums = checksums(paths, directory)
    return Gold(
        evaluation.version,
        evaluation.signature,
        arguments,
        sums,
        evaluation.parameters,
        results,
        tuple(thresholds),
    )


def _path_from(directory: str, path: str) -> str:
    return os.path.join(directory, path)  # noqa: PTH118 - paths stay as given


def _plain_value(value: Any) -> Any:  # noqa: ANN401 - any value that JSON can hold
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def input_paths(arguments: Mapping[str, Any]) -> list[str]:
    """All paths among the arguments of an evaluation, in a fixed order."""
    more = [arguments[name] for name in PATH_OPTIONS if arguments.get(name) is not None]
    return [arguments["assessments"], *arguments["runs"], *more]


def evaluate_again(gold: Gold, name: str, directory: str = "") -> Evaluation:
    """The evaluation that a gold file tells, with relative paths leading on from `directory`.

    Raises:
        InputError: an argument that this version does not know or cannot take; else as `prum_eval.evaluate`.
    """
    known = inspect.signature(evaluate).parameters
    for key, value in gold.arguments.items():
        if key not in known:
            raise InputError(name, None, f"arguments.{key}: this version of prum-eval knows no such argument")
        if not _has_argument_type(key, value):
            raise InputError(name, None, f"arguments.{key}: {value!r} is no value of it")
    arguments = dict(gold.arguments)
    for key in ("assessments", *PATH_OPTIONS):
        if key in arguments:
            arguments[key] = _path_from(directory, arguments[key])
    arguments["runs"] = [_path_from(directory, run) for run in gold.arguments["runs"]]
    try:
        return evaluate(**arguments)
    except UsageError as error:  # not of this command, but of the one whose options the file holds
        raise DataError(f"{name}: {error}") from error


_ARGUMENT_TYPES = {
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
}


def _has_argument_type(key: str, value: object) -> bool:
    """Whether a value read from a file is of the type that the argument has; all that are not listed are texts."""
    if not isinstance(value, _ARGUMENT_TYPES.get(key, str)) or (
        isinstance(value, bool) and _ARGUMENT_TYPES.get(key) is not bool
    ):
        return False
    inner = list(value) if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return all(isinstance(one, str) for one in inner)


# What a check of gold values finds: values that moved, and which way, run by run; thresholds that are not met.


class Absent(Enum):
    """A value that one side does not have at all; a topic that has no value of a measure has None."""

    ABSENT = "absent"


GoldCell = GoldValue | Absent


class Movement(Enum):
    """Which way a value moved: the value says it in words. One that one side has no number of is gone or new."""

    ROSE = "rose"
    FELL = "fell"
    GONE = "gone"
    NEW = "new"


_WORSE = {Direction.HIGHER: Movement.FELL, Direction.LOWER: Movement.ROSE}


@dataclass(frozen=True, slots=True)
class MovedValue:
    """One value that moved too far: of a topic, or of ``all`` topics; `direction` is that of its measure."""

    topic: str
    measure: str
    gold: GoldCell
    now: GoldCell
    direction: Direction = Direction.HIGHER

    @property
    def difference(self) -> float | None:
        """How far, and which way; None where one side has no number."""
        if isinstance(self.gold, Absent) or isinstance(self.now, Absent) or self.gold is None or self.now is None:
            return None
        return self.now - self.gold

    @property
    def movement(self) -> Movement:
        """Which way."""
        size = self.difference
        if size is not None:
            return Movement.ROSE if size > 0 else Movement.FELL
        return Movement.NEW if isinstance(self.gold, Absent) or self.gold is None else Movement.GONE

    @property
    def is_worse(self) -> bool:
        """Whether it is worse now: gone, or moved against the direction of its measure; counts have none."""
        return self.movement is Movement.GONE or self.movement is _WORSE.get(self.direction)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run: its measures in the order of printing, the number of values compared, what moved.

    `failing_values`: those of `moved_values` that fail the check.
    """

    run_id: str
    path: str
    measures: tuple[str, ...]
    values: int
    moved_values: tuple[MovedValue, ...]
    failing_values: tuple[MovedValue, ...]


@dataclass(frozen=True, slots=True)
class UnmetThreshold:
    """A run whose average does not keep to a threshold; `value` is None where it has no number."""

    run_id: str
    path: str
    threshold: Threshold
    value: float | None


@dataclass(frozen=True, repr=False)
class GoldCheck(Tabular):
    """What became of a gold file. `notes` name what else differs: the version, the inputs, the signature, a run's id.

    They fail nothing by themselves: they are where to look first when a value moved. `warnings` are those of the
    evaluation, sentences for the user. `thresholds`: those of the file, each of which every run has to meet.
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
        """How many values rose, fell, are gone, are new."""
        return Counter(cell.movement for run in self.runs for cell in run.moved_values)

    @property
    def compared_count(self) -> int:
        """Number of values that were compared."""
        return sum(run.values for run in self.runs)

    @property
    def passed(self) -> bool:
        """Whether no value fails the check and every threshold is met."""
        return not self.unmet_thresholds and not any(run.failing_values for run in self.runs)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a value that moved."""
        for run in self.runs:
            for cell in run.moved_values:
                sides = {"gold": _number(cell.gold), "now": _number(cell.now)}
                change = {
                    "difference": cell.difference,
                    "change": cell.movement.value,
                    "fails": cell in run.failing_values,
                }
                yield {"run": run.run_id, "measure": cell.measure, "topic": cell.topic, **sides, **change}

    def _summary(self) -> str:
        unmet = f", {plural(len(self.unmet_thresholds), 'threshold')} not met" if self.unmet_thresholds else ""
        return f"{plural(self.compared_count, 'value')}, {self.moved_count} moved{unmet}"

    def _table(self) -> Table:
        columns = ("run", "measure", "topic", "gold", "now", "difference", "change", "fails")
        return columns, (list(row.values()) for row in self.rows())


def _number(value: GoldCell) -> GoldValue:
    return None if isinstance(value, Absent) else value


# What fails a check of gold values: which values are compared, how far they may move, and which way.


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may move: the larger of `absolute` and `relative` times the larger of the two magnitudes.

    The defaults allow what the rounding of another processor or library may do, and nothing that can be printed.
    """

    absolute: float = 1e-15
    relative: float = 1e-12

    def allows(self, cell: MovedValue) -> bool:
        """Whether a value may have moved like this; one side without a number is never allowed."""
        if isinstance(cell.gold, Absent) or isinstance(cell.now, Absent) or cell.gold is None or cell.now is None:
            return cell.gold is cell.now
        return abs(cell.now - cell.gold) <= max(self.absolute, self.relative * max(abs(cell.gold), abs(cell.now)))


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class GoldRules:
    """What fails a check.

    Attributes:
        averages: how far averages may move.
        topics: how far values of single topics may move; None where these are not compared.
        only_worse: values that got better, and counts, which have no better, fail nothing.
    """

    averages: Tolerance = Tolerance()
    topics: Tolerance | None = Tolerance()
    only_worse: bool = False

    def fails(self, cell: MovedValue) -> bool:
        """Whether a value that moved fails the check."""
        return cell.is_worse or not self.only_worse


def make_rules(
    *,
    absolute: float | None = None,
    relative: float | None = None,
    exact: bool = False,
    topics_within: float | None = None,
    means: bool = False,
    only_worse: bool = False,
) -> GoldRules:
    """The rules that a call asks for.

    Args:
        absolute: how far values may move.
        relative: by what share of the larger magnitude they may move; with `absolute` by the larger of the two.
        exact: values may not move at all.
        topics_within: values of single topics may move by this much; averages keep to the others.
        means: only averages are compared.
        only_worse: only values that got worse, by the direction of their measure, and those that are gone fail.

    Raises:
        UsageError: two that exclude each other.
    """
    given = absolute is not None or relative is not None
    if exact and given:
        raise UsageError("--exact leaves no room for --absolute or --relative")
    if means and topics_within is not None:
        raise UsageError("--means compares no values of topics, which --topics-within is for")
    averages = Tolerance(absolute or 0.0, relative or 0.0) if given else EXACT if exact else Tolerance()
    own = averages if topics_within is None else Tolerance(topics_within, 0.0)
    return GoldRules(averages, None if means else own, only_worse)


_ALL = "all"


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
) -> GoldCheck:
    """Evaluate again what a gold file tells, and say what moved and which thresholds of the file are not met.

    By default values may move by 1e-12 of themselves, or by 1e-15.

    Args:
        path: the gold file.
        directory: where relative paths in it lead on from.
        absolute: how far values may move.
        relative: by what share of the larger magnitude they may move; with `absolute` by the larger of the two.
        exact: values may not move at all.
        topics_within: values of single topics may move by this much; averages keep to the others.
        means: only averages are compared.
        only_worse: only values that got worse, by the direction of their measure, and those that are gone fail.

    Returns:
        what moved; `passed` says whether the check holds.

    Raises:
        UsageError: two arguments that exclude each other.
        InputError, DataError: as `read_gold`, `evaluate_again`, `compare_with_gold`.
    """
    asked = make_rules(
        absolute=absolute,
        relative=relative,
        exact=exact,
        topics_within=topics_within,
        means=means,
        only_worse=only_worse,
    )
    gold = read_gold(path)
    return compare_with_gold(gold, evaluate_again(gold, path, directory), path, directory, asked)


def compare_with_gold(
    gold: Gold, now: Evaluation, name: str, directory: str = "", asked: GoldRules | None = None
) -> GoldCheck:
    """What moved between a gold file and an evaluation of the same call.

    Args:
        gold: what the file says.
        now: the evaluation.
        name: the file, for messages.
        directory: where relative paths lead on from.
        asked: what fails; by default any value that moved further than rounding.

    Raises:
        InputError: an input cannot be read.
        DataError: the files of runs hold another number of them; a threshold is for a measure that nobody prints.
    """
    if len(gold.runs) != len(now.runs):  # files may hold several
        raise DataError(f"runs now: {len(now.runs)}, with gold values: {len(gold.runs)}")
    allowed = asked if asked is not None else GoldRules()
    runs = []
    for one, other in zip(gold.runs, now.runs, strict=True):
        cells = list(_compared_cells(one, GoldRun(other.run_id, other.path, other.topics, other.all), allowed))
        moved = tuple(cell for cell in cells if not _is_tolerated(cell, allowed))
        failing = tuple(cell for cell in moved if allowed.fails(cell))
        runs.append(
            ComparedRun(one.run_id, one.path, tuple(_names_of_both(one.all, other.all)), len(cells), moved, failing)
        )
    unmet = tuple(find_unmet(gold.thresholds, now, name))
    return GoldCheck(tuple(runs), tuple(_notes(gold, now, directory)), now.warnings, gold.thresholds, unmet)


def find_unmet(thresholds: tuple[Threshold, ...], now: Evaluation, name: str) -> Iterator[UnmetThreshold]:
    """The runs and thresholds that do not go together, run by run.

    Raises:
        DataError: a threshold is for a measure that the evaluation does not print.
    """
    for run in now.runs:
        for threshold in thresholds:
            if threshold.measure not in run.all:
                known = ", ".join(run.all)
                raise DataError(f"{name}: threshold {threshold.text}: no such measure is printed; there is {known}")
            value = run.all[threshold.measure]
            if not threshold.is_met(value):
                yield UnmetThreshold(run.run_id, run.path, threshold, value)


def _is_tolerated(cell: MovedValue, allowed: GoldRules) -> bool:
    tolerance = allowed.averages if cell.topic == _ALL else allowed.topics
    return tolerance is not None and tolerance.allows(cell)


def _compared_cells(gold: GoldRun, now: GoldRun, allowed: GoldRules) -> Iterator[MovedValue]:
    """Every value of either side, measure by measure: that of all topics first, then, if asked, topic by topic."""
    nothing: GoldValues = {}
    topics = sorted({*gold.topics, *now.topics}) if allowed.topics is not None else []
    pairs = [(gold.topics.get(topic, nothing), now.topics.get(topic, nothing)) for topic in topics]
    names = _names_of_both(gold.all, now.all)
    records = measures_by_printed_name(names)
    for measure in names:
        direction = records[measure].direction if measure in records else Direction.HIGHER
        for topic, (was, becomes) in zip([_ALL, *topics], [(gold.all, now.all), *pairs], strict=True):
            if measure in was or measure in becomes:
                values = was.get(measure, Absent.ABSENT), becomes.get(measure, Absent.ABSENT)
                yield MovedValue(topic, measure, *values, direction)


def _names_of_both(gold: GoldValues, now: GoldValues) -> list[str]:
    """The names of both sides: in the order of now, then those that are gone."""
    return [*now, *(name for name in gold if name not in now)]


def _notes(gold: Gold, now: Evaluation, directory: str) -> Iterator[str]:
    if gold.version != now.version:
        yield f"prum-eval is {now.version}, the gold values are of {gold.version}"
    paths = input_paths(gold.arguments)
    beside = [path for path in gold.inputs if not any(path == one or path.startswith(f"{one}/") for one in paths)]
    sums = checksums([*paths, *beside], directory)
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
    for one, other in zip(gold.runs, now.runs, strict=True):
        if one.run_id != other.run_id:
            yield f"run {one.run_id} is called {other.run_id} now"


# New gold values in place of old ones: what an update would change, and the file that it makes.


@dataclass(frozen=True, slots=True)
class GoldUpdate:
    """A gold file with the values of now, and what of them moved since; `is_unchanged` if the file need not be written."""

    gold: Gold
    check: GoldCheck
    is_unchanged: bool


def update_gold(path: str, directory: str = "", thresholds: Sequence[Threshold] = ()) -> GoldUpdate:
    """Evaluate again what a gold file tells, and put its successor together; nothing is written.

    Args:
        path: the gold file.
        directory: where relative paths in it lead on from.
        thresholds: take the place of those of the file for the same measure and sign, or are added to them.

    Raises:
        InputError, DataError: as `check_gold`.
    """
    before = read_gold(path)
    evaluation = evaluate_again(before, path, directory)
    kept = {(one.measure, one.operator): one for one in (*before.thresholds, *thresholds)}
    after = gold_values(evaluation, before.arguments, tuple(kept.values()), directory)
    asked = replace(before, thresholds=after.thresholds)
    moved = compare_with_gold(asked, evaluation, path, directory, GoldRules(EXACT, EXACT))
    return GoldUpdate(after, moved, is_unchanged=format_gold(after) == format_gold(before))
