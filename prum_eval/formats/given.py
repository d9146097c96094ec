"""What may stand where a path goes: records that were read before, and rows of data; see `prum_eval.formats.rows`."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from prum_eval.errors import InputError, UsageError
from prum_eval.formats.assessments.read import read_assessments
from prum_eval.formats.format import RankBy
from prum_eval.formats.registry import read_run
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
        by_name = given and not any(_is_row(one) for one in given.values())
        return [_named(name, one, rank_by) for name, one in given.items()] if by_name else [_one(given, "run")]
    if isinstance(given, str | PathLike | Run) or is_frame(given):
        return [_one(given, "run")]
    listed = _listed(given, "runs: expected a path, what read_run returned, rows, a dict or several of these")
    if listed and (_is_row(listed[0]) or hasattr(listed[0], "_asdict")):
        return [_one(listed, "run")]
    return [_one(run, f"run-{number}" if len(listed) > 1 else "run") for number, run in enumerate(listed, 1)]


def read_given_run(given: GivenRun, rank_by: RankBy | None = None) -> Run:
    """One run, read.

    Raises:
        InputError, DataError: bad data.
        UsageError: it is nothing of the kind, or several.
    """
    runs = given_runs(given, rank_by)
    if len(runs) != 1:
        raise UsageError(f"expected one run, found {len(runs)}")
    if isinstance(runs[0], InputError):
        raise runs[0]
    return runs[0] if isinstance(runs[0], Run) else read_run(str(runs[0]), rank_by=rank_by)


def read_given_assessments(given: GivenAssessments) -> Assessments:
    """Assessments, read; raises as `given_assessments`, and `InputError` for bad data in a file."""
    judged = given_assessments(given)
    return read_assessments(judged) if isinstance(judged, list) else judged


def _is_row(given: object) -> bool:
    """Whether this is a row, or the scores of a topic: a mapping that holds no mapping."""
    return isinstance(given, Mapping) and not any(isinstance(value, Mapping) for value in given.values())


def _one(given: GivenRun, name: str) -> PathName | Run:
    if isinstance(given, str | PathLike | Run):
        return given
    from prum_eval.formats.rows import run_from_rows

    return run_from_rows(given, name=str(name))


def _named(name: str, given: GivenRun, rank_by: RankBy | None) -> Run | InputError:
    try:
        run = read_run(str(given), rank_by=rank_by) if isinstance(given, str | PathLike) else _one(given, name)
    except InputError as error:
        return error
    assert isinstance(run, Run)  # noqa: S101 -- a path was read
    return replace(run, run_id=str(name))


def _listed(given: Any, expected: str) -> list[Any]:  # noqa: ANN401 -- whatever the caller has
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(f"{expected}, found {reprlib.repr(given)}")
    return list(given)
