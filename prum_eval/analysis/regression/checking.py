"""Regression against gold values: evaluate again what a gold file tells, and say what moved and what fails."""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.analysis.regression.evaluating import evaluate_again, input_paths
from prum_eval.analysis.regression.moved import Absent, ComparedRun, GoldCheck, Moved, Unmet
from prum_eval.analysis.regression.rules import Rules, rules
from prum_eval.errors import DataError
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.values.gold import Gold, GoldRun, GoldValues, checksums, read_gold
from prum_eval.formats.values.thresholds import Threshold
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import printed_by

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
    asked = rules(
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
    gold: Gold, now: Evaluation, name: str, directory: str = "", asked: Rules | None = None
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
    allowed = asked if asked is not None else Rules()
    runs = []
    for one, other in zip(gold.runs, now.runs, strict=True):
        cells = list(_cells(one, GoldRun(other.run_id, other.path, other.topics, other.all), allowed))
        moved = tuple(cell for cell in cells if not _tolerated(cell, allowed))
        failing = tuple(cell for cell in moved if allowed.fails(cell))
        runs.append(ComparedRun(one.run_id, one.path, tuple(_both(one.all, other.all)), len(cells), moved, failing))
    unmet = tuple(unmet_by(gold.thresholds, now, name))
    return GoldCheck(tuple(runs), tuple(_notes(gold, now, directory)), now.warnings, gold.thresholds, unmet)


def unmet_by(thresholds: tuple[Threshold, ...], now: Evaluation, name: str) -> Iterator[Unmet]:
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
                yield Unmet(run.run_id, run.path, threshold, value)


def _tolerated(cell: Moved, allowed: Rules) -> bool:
    tolerance = allowed.averages if cell.topic == _ALL else allowed.topics
    return tolerance is not None and tolerance.allows(cell)


def _cells(gold: GoldRun, now: GoldRun, allowed: Rules) -> Iterator[Moved]:
    """Every value of either side, measure by measure: that of all topics first, then, if asked, topic by topic."""
    nothing: GoldValues = {}
    topics = sorted({*gold.topics, *now.topics}) if allowed.topics is not None else []
    pairs = [(gold.topics.get(topic, nothing), now.topics.get(topic, nothing)) for topic in topics]
    names = _both(gold.all, now.all)
    records = printed_by(names)
    for measure in names:
        direction = records[measure].direction if measure in records else Direction.HIGHER
        for topic, (was, becomes) in zip([_ALL, *topics], [(gold.all, now.all), *pairs], strict=True):
            if measure in was or measure in becomes:
                values = was.get(measure, Absent.ABSENT), becomes.get(measure, Absent.ABSENT)
                yield Moved(topic, measure, *values, direction)


def _both(gold: GoldValues, now: GoldValues) -> list[str]:
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
