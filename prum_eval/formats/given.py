"""What may stand where a path goes: records that were read before, and rows of data; see `prum_eval.formats.rows`."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from prum_eval.errors import InputError, UsageError
from prum_eval.formats.assessments.read import read_assessments
from prum_eval.formats.format import RankBy
from prum_eval.formats.reading import read_runs
from prum_eval.parameters import nearest
from prum_eval.records.assessments import Assessments
from prum_eval.records.run import Run
from prum_eval.tabular import is_frame

if TYPE_CHECKING:  # few calls have rows
    from prum_eval.formats.rows import Rows

PathName = str | PathLike[str]
GivenRun: TypeAlias = "PathName | Run | Rows"
"""A run: its path, what `read_run` returned, a DataFrame or other rows, or ``{topic: {document: score}}``."""
GivenRuns: TypeAlias = "GivenRun | Iterable[GivenRun] | Mapping[str, GivenRun]"
"""A run, or several: listed, or by their names."""
GivenAssessments: TypeAlias = "PathName | Iterable[PathName] | Assessments | Rows"
"""Path or paths, what `read_assessments` returned, a DataFrame or other rows, or ``{topic: {document: grade}}``."""


def given_assessments(given: GivenAssessments) -> list[str] | Assessments:
    """The paths to read, or the assessments where they are there already.

    Raises:
        DataError: a bad row.
        UsageError: it is nothing of the kind.
    """
    if isinstance(given, Assessments):
        return given
    if isinstance(given, str | PathLike):
        return [str(given)]
    from prum_eval.formats.rows import assessments_from_rows

    if isinstance(given, Mapping) or is_frame(given):
        return assessments_from_rows(given)
    listed = _listed(given, "assessments: expected a path or several, what read_assessments returned, rows or a dict")
    paths = [str(one) for one in listed if isinstance(one, str | PathLike)]
    return paths if paths and len(paths) == len(listed) else assessments_from_rows(listed)


def given_runs(given: GivenRuns, rank_by: RankBy | None = None) -> list[PathName | Run | InputError]:
    """Runs in their order: paths still to be read, else what was read; a path with a name is read now.

    A dictionary is one run, ``{topic: {document: score}}``, or several by name, whatever those are; a list is several
    runs, or the rows of one. Runs made of rows are called ``run``, several ``run-1``, ``run-2`` and so on.

    Raises:
        DataError: a bad row.
        UsageError: it is nothing of the kind.
    """
    if isinstance(given, Mapping):
        if not given or any(_is_row(one) for one in given.values()):
            return _ones(given, "run")
        return [run for name, one in given.items() for run in _named(str(name), one, rank_by)]
    if isinstance(given, str | PathLike | Run) or is_frame(given):
        return _ones(given, "run")
    listed = _listed(given, "runs: expected a path, what read_run returned, rows, a dict or several of these")
    if listed and (_is_row(listed[0]) or hasattr(listed[0], "_asdict")):
        return _ones(listed, "run")
    names = [f"run-{number}" for number in range(1, len(listed) + 1)] if len(listed) > 1 else ["run"]
    return [run for name, one in zip(names, listed, strict=False) for run in _ones(one, name)]


def read_given_runs(given: GivenRun, rank_by: RankBy | None = None) -> tuple[Run, ...]:
    """What stands for a run, read: one, or those of a file that holds several.

    Raises:
        InputError, DataError: bad data.
        UsageError: it is nothing of the kind, or several.
    """
    runs = given_runs(given, rank_by)
    for one in runs:
        if isinstance(one, InputError):
            raise one
    if len(runs) == 1 and not isinstance(runs[0], Run):
        return read_runs(str(runs[0]), rank_by=rank_by)
    if len(runs) != 1 and not all(isinstance(one, Run) for one in runs):
        raise UsageError(f"expected one run, found {len(runs)}")
    return tuple(one for one in runs if isinstance(one, Run))


def chosen_run(runs: Sequence[Run], run_id: str | None, wanted: str) -> Run:
    """The run of that name, or the only one; `wanted` says what is about one run, for messages.

    Raises:
        UsageError: there is none of that name, or none is named and there are several.
    """
    names = [run.run_id for run in runs]
    if run_id is None and len(runs) > 1:
        raise UsageError(f"{runs[0].path} holds {len(runs)} runs ({', '.join(names)}); {wanted}: name one with --run")
    if run_id is not None and run_id not in names:
        raise UsageError(f"{runs[0].path} holds no run {run_id}{nearest(run_id, names)}")
    return runs[0] if run_id is None else runs[names.index(run_id)]


def read_given_assessments(given: GivenAssessments) -> Assessments:
    """Assessments, read; raises as `given_assessments`, and `InputError` for bad data in a file."""
    judged = given_assessments(given)
    return read_assessments(judged) if isinstance(judged, list) else judged


def _is_row(given: object) -> bool:
    """Whether this is a row, or the scores of a topic: a mapping that holds no mapping."""
    return isinstance(given, Mapping) and not any(isinstance(value, Mapping) for value in given.values())


def _ones(given: GivenRun, name: str) -> list[PathName | Run | InputError]:
    """A path or a run as it is, or the runs that rows make."""
    if isinstance(given, str | PathLike | Run):
        return [given]
    from prum_eval.formats.rows import runs_from_rows

    return [*runs_from_rows(given, name=name)]


def _named(name: str, given: GivenRun, rank_by: RankBy | None) -> list[Run | InputError]:
    """The run under that name; of several in one file or table each under that name and its own."""
    try:
        runs = [*read_runs(str(given), rank_by=rank_by)] if isinstance(given, str | PathLike) else _ones(given, name)
    except InputError as error:
        return [error]
    found = [run for run in runs if isinstance(run, Run)]
    return [replace(run, run_id=name if len(found) == 1 else f"{name}/{run.run_id}") for run in found]


def _listed(given: Any, expected: str) -> list[Any]:  # noqa: ANN401 -- whatever the caller has
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(f"{expected}, found {reprlib.repr(given)}")
    return list(given)
