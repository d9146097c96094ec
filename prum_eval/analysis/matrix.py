"""The values that runs have on the topics that all of them answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.results import RunResult
from prum_eval.formats.values.scores import Scores
from prum_eval.measures.registry import printed_by
from prum_eval.parameters import nearest


@dataclass(frozen=True)
class Matrix:
    """Values of every measure, run and topic.

    `values` has shape (measures, runs, topics); NaN marks a topic that has no value for that measure, which then no
    run has. `paths` are the files of the runs. `warnings`: what the user should know. `signature` says where the values
    come from.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    topics: tuple[str, ...]
    values: FloatArray
    warnings: tuple[Notice | str, ...] = ()
    signature: str = ""


def scores_among(names: Iterable[str]) -> set[str]:
    """Those of some printed names that are worth comparing unasked: all but counts.

    Files of values name measures of other tools too; trec_eval calls what it counts ``num_``.
    """
    measures = printed_by(names)
    return {name for name in names if not (measures[name].is_count if name in measures else name.startswith("num_"))}


def matrix(
    runs: Sequence[RunResult | Scores],
    wanted: Sequence[str] | None = None,
    worth: Callable[[Sequence[str]], Container[str]] = scores_among,
) -> Matrix:
    """The values of runs side by side.

    Only topics count that every run has, and for each measure only those on which every run has a value, so that means
    and differences are of the same topics. `wanted` chooses measures: printed names, or names without their cut-offs or
    levels; without it, all that every run has and that are `worth` it among the names of all runs.

    Raises:
        DataError: no topic or no measure is common to all runs.
        UsageError: a wanted name is in none of them, or none of it is in all.
    """
    first = list(dict.fromkeys(name for values in runs[0].topics.values() for name in values))
    common = [name for name in first if all(_has(run, name) for run in runs)]
    known = sorted({name for run in runs for values in run.topics.values() for name in values})
    worthy = worth(known) if wanted is None else ()
    measures = [name for name in common if name in worthy] if wanted is None else _chosen(wanted, common, known)
    topics = sorted(set.intersection(*(set(run.topics) for run in runs)), key=str.encode)
    if not topics:
        raise DataError("no topic is common to all runs")
    if not measures:
        raise DataError("no measure is common to all runs")
    values = np.array(
        [[[_float(run.topics[topic].get(name)) for topic in topics] for run in runs] for name in measures]
    )
    values[np.isnan(values).any(axis=1)[:, None, :].repeat(len(runs), axis=1)] = np.nan
    warnings = [*_left_out(runs, len(topics)), *_without_value(measures, values)]
    if wanted is None and (others := [name for name in known if name not in common and name in worthy]):
        warnings.append(f"left out, because not every run has it: {', '.join(others)}")
    empty = np.isnan(values).all(axis=(1, 2))
    if empty.any():
        names = ", ".join(name for name, none in zip(measures, empty, strict=True) if none)
        raise DataError(f"no topic has a value of {names} for every run")
    ids, paths = tuple(run.run_id for run in runs), tuple(run.path for run in runs)
    return Matrix(tuple(measures), ids, paths, tuple(topics), values, tuple(warnings))


def mean(values: FloatArray) -> float | None:
    """Arithmetic mean of the values that are known, from their exactly rounded sum; None if none is.

    The sum is the same in any order and on any version of Python.
    """
    known = values[~np.isnan(values)].tolist()
    return math.fsum(known) / len(known) if known else None


def _has(run: RunResult | Scores, name: str) -> bool:
    return any(name in values for values in run.topics.values())


def _float(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _chosen(wanted: Sequence[str], common: Sequence[str], known: Sequence[str]) -> list[str]:
    found: list[str] = []
    for one in wanted:
        matching = [name for name in common if name == one] or [name for name in common if _family(name) == one]
        if not matching:
            reason = "not in every run" if one in {*known, *map(_family, known)} else f"in no run{nearest(one, known)}"
            raise UsageError(f"{one} is {reason}")
        found += [name for name in matching if name not in found]
    return found


def _family(name: str) -> str:
    """The name without a cut-off or level at its end."""
    head, _, point = name.rpartition("_")
    return head if point.replace(".", "", 1).isdigit() else name


def _left_out(runs: Sequence[RunResult | Scores], common: int) -> list[str]:
    return [
        f"{run.path}: {len(run.topics) - common} of {len(run.topics)} topics left out, because not every run has them"
        for run in runs
        if len(run.topics) > common
    ]


def _without_value(measures: Sequence[str], values: FloatArray) -> list[str]:
    counts = {name: int(np.isnan(of[0]).sum()) for name, of in zip(measures, values, strict=True)}
    groups: dict[int, list[str]] = {}
    for name, count in counts.items():
        if count:
            groups.setdefault(count, []).append(name)
    return [
        f"topics left out, because not every run has a value: {count} ({', '.join(names)})"
        for count, names in groups.items()
    ]
