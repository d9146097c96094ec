"""Regression against gold values: evaluate again what a gold file tells, and say what moved beyond a tolerance."""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.analysis.regression.evaluating import evaluate_again, input_paths
from prum_eval.analysis.regression.moved import Absent, ComparedRun, GoldCheck, Moved, Tolerance
from prum_eval.errors import DataError
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.values.gold import Gold, GoldRun, GoldValues, checksums, read_gold

_ALL = "all"


def check_gold(path: str, directory: str = "", tolerance: Tolerance | None = None) -> GoldCheck:
    """Evaluate again what a gold file tells, and say what moved.

    Args:
        path: the gold file.
        directory: where relative paths in it lead on from.
        tolerance: how far values may move.

    Raises:
        InputError, DataError: as `read_gold`, `evaluate_again`, `compare_with_gold`.
    """
    gold = read_gold(path)
    return compare_with_gold(gold, evaluate_again(gold, path, directory), directory, tolerance)


def compare_with_gold(
    gold: Gold, now: Evaluation, directory: str = "", tolerance: Tolerance | None = None
) -> GoldCheck:
    """What moved between a gold file and an evaluation of the same call.

    Raises:
        InputError: an input cannot be read.
        DataError: the files of runs hold another number of them.
    """
    if len(gold.runs) != len(now.runs):  # files may hold several
        raise DataError(f"runs now: {len(now.runs)}, with gold values: {len(gold.runs)}")
    allowed = tolerance if tolerance is not None else Tolerance()
    runs = []
    for one, other in zip(gold.runs, now.runs, strict=True):
        cells = list(_cells(one, GoldRun(other.run_id, other.path, other.topics, other.all)))
        moved = tuple(cell for cell in cells if not allowed.allows(cell.gold, cell.now))
        runs.append(ComparedRun(one.run_id, one.path, tuple(_both(one.all, other.all)), len(cells), moved))
    return GoldCheck(tuple(runs), tuple(_notes(gold, now, directory)), now.warnings)


def _cells(gold: GoldRun, now: GoldRun) -> Iterator[Moved]:
    """Every value of either side, measure by measure: that of all topics first, then topic by topic."""
    nothing: GoldValues = {}
    topics = sorted({*gold.topics, *now.topics})
    pairs = [(gold.topics.get(topic, nothing), now.topics.get(topic, nothing)) for topic in topics]
    for measure in _both(gold.all, now.all):
        for topic, (was, becomes) in zip([_ALL, *topics], [(gold.all, now.all), *pairs], strict=True):
            if measure in was or measure in becomes:
                yield Moved(topic, measure, was.get(measure, Absent.ABSENT), becomes.get(measure, Absent.ABSENT))


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
