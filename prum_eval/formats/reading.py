"""Inputs read by whatever format is theirs: runs, structures, navigation, logs, configurations.

Assessments, which may be many files, are read by the folder of these.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from prum_eval.errors import InputError, ProblemHandler, UsageError, raise_first
from prum_eval.formats.assessment_columns import topic_groups
from prum_eval.formats.format import FormatKind, RankBy
from prum_eval.formats.registry import open_with_format
from prum_eval.parameters import did_you_mean
from prum_eval.records import AssessmentKind, Assessments, NavigationFile, Run, Structure, Topic, UserLog
from prum_eval.tabular import is_dataframe
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import STDIN, Content, display_name

if TYPE_CHECKING:
    from prum_eval.formats.rows import Rows
    from prum_eval.records import ConfigurationFile


def read_run(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: ProblemHandler = raise_first
) -> Run:
    """Read a run and rank its results: what `read_runs` reads, of a file that holds one run."""
    first, *others = read_runs(path, rank_by=rank_by, problems=problems)
    for run in others:
        reason = f"run {quote_value(run.run_id)}, but {quote_value(first.run_id)} on line {first.line.min()}: expected one run"
        problems(InputError(run.path, int(run.line.min()), reason))
    return first


def read_runs(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: ProblemHandler = raise_first
) -> tuple[Run, ...]:
    """Read the runs of a file, one or in JSON Lines several, and rank their results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. Every `InputError` is handed to `problems`; where
    that returns, the bad line is left out, and the run holds what could be read.
    """
    format_, stream, name = open_with_format(FormatKind.RUN, path, problems)
    with stream:
        found: Run | tuple[Run, ...] = format_.read(stream, name, rank_by, problems)
    return (found,) if isinstance(found, Run) else found


def read_structure(
    path: str | PathLike[str] | Content, wanted: Container[str] | None = None, *, problems: ProblemHandler = raise_first
) -> Structure:
    """Read a collection structure, XML, text or an index: counts and names of all documents, trees of the wanted ones.

    Without `wanted` all documents are wanted. Every number is checked; the nesting of elements is checked in wanted
    documents only where the structure is text; an index was checked when it was built. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    format_, stream, name = open_with_format(FormatKind.STRUCTURE, path, problems)
    with stream:
        structure: Structure = format_.read(stream, name, wanted, problems)
    return structure


def read_navigation(path: str | PathLike[str], *, problems: ProblemHandler = raise_first) -> NavigationFile:
    """Read a navigation file; whether its numbers are reach probabilities or steps, it does not say.

    Lines that start with ``#`` are comments. Every `InputError` is handed to `problems`; where that returns, what is
    bad is left out, and the record holds what could be read.
    """
    format_, stream, name = open_with_format(FormatKind.NAVIGATION, path, problems)
    with stream:
        file: NavigationFile = format_.read(stream, name, problems)
    return file


def read_log(path: str | PathLike[str], *, problems: ProblemHandler = raise_first) -> UserLog:
    """Read a log of what users did, lines with tabs or JSON Lines.

    Every `InputError` is handed to `problems`; where that returns, the bad line is left out.
    """
    format_, stream, name = open_with_format(FormatKind.LOG, path, problems)
    with stream:
        log: UserLog = format_.read(stream, name, problems)
    return log


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        InputError: it cannot be read, or a line of it is not of the form.
    """
    format_, stream, name = open_with_format(FormatKind.CONFIGURATION, path, raise_first)
    with stream:
        file: ConfigurationFile = format_.read(stream, name, raise_first)
    return file


# Assessments of every format: a file, several, or a directory of pools.


_ASSESSMENT_FILE = re.compile(r"[^.].*\.xml(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)
_MAIN_POOL = "main"


def read_assessments(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, problems: ProblemHandler = raise_first
) -> Assessments:
    """Read assessments from a file, a directory (every ``*.xml`` in it, compressed or not), ``-``, or several of these.

    Where several files judge one topic, the one under a directory ``main`` counts. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    given = [str(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    return read_assessment_files(assessment_files(given, problems), combined_name(given), problems)


def read_assessment_files(
    files: Iterable[tuple[str | Content, bool]], name: str, problems: ProblemHandler = raise_first
) -> Assessments:
    """What `read_assessments` reads, from its files, each with whether it is of the main pool."""
    collected = _AssessmentCollector(problems)
    for file, main in files:
        collected.read(file, main=main)
    topics = collected.topics()
    groups = topic_groups(topics) if collected.kind is AssessmentKind.PASSAGES else None
    return Assessments(name, collected.kind or AssessmentKind.ELEMENTS_2005, topics, groups)


def combined_name(paths: Sequence[str]) -> str:
    """Name of several inputs in messages."""
    name = display_name(paths[0]) if paths else ""
    return name if len(paths) < 2 else f"{name} and {len(paths) - 1} more"


def assessment_files(paths: Sequence[str], problems: ProblemHandler = raise_first) -> Iterator[tuple[str, bool]]:
    """The files that paths stand for, each with whether it is of the main pool."""
    for path in paths:
        yield from _input_files(path, problems)


def _input_files(path: str, problems: ProblemHandler) -> Iterator[tuple[str, bool]]:
    """The file itself, or the assessment files of a directory in sorted order; with each whether it is the main pool.

    Of the directories above a file those count that the user can mean: the given one and what is in it.
    """
    if path == STDIN or not Path(path).is_dir():
        yield path, _MAIN_POOL in PurePath(path).parts[:-1]
        return
    files: list[str] = []

    def unreadable(error: OSError) -> None:
        problems(InputError(error.filename, None, f"cannot be read: {error.strerror}"))

    for directory, _, names in os.walk(path, onerror=unreadable):
        files.extend(str(Path(directory, name)) for name in names if _ASSESSMENT_FILE.fullmatch(name))
    if not files:
        problems(InputError(path, None, "a directory without assessments (*.xml)"))
    given = PurePath(path)
    for file in sorted(files):
        yield file, _MAIN_POOL in (given.name, *PurePath(file).relative_to(given).parts[:-1])


class _AssessmentCollector:
    """Topics of all files read so far, all of one kind."""

    def __init__(self, problems: ProblemHandler) -> None:
        self.problems = problems
        self.kind: AssessmentKind | None = None
        self.kind_file = ""
        self.files: list[tuple[Mapping[str, Topic], str, bool]] = []  # the topics of each, its name, is it main?

    def read(self, file: str | Content, *, main: bool) -> None:
        """Add the assessments of one file."""
        form, stream, name = open_with_format(FormatKind.ASSESSMENTS, file, self.problems)
        with stream:
            kind, topics = form.read(stream, name, self.problems)
        if topics and (kind is None or self._is_kind(kind, name)):
            self.files.append((topics, name, main))

    def _is_kind(self, kind: AssessmentKind, name: str) -> bool:
        """Whether assessments of this kind fit those of the files before."""
        if self.kind is None:
            self.kind, self.kind_file = kind, name
        if self.kind is not kind:
            reason = f"assessments of the kind {kind.value!r}, those of {self.kind_file} are {self.kind.value!r}"
            self.problems(InputError(name, 1, reason))
        return self.kind is kind

    def topics(self) -> Mapping[str, Topic]:
        """The assessments of each topic that count: those of the only file, or of the only one in a main pool."""
        if len(self.files) == 1:
            return self.files[0][0]
        everywhere: dict[str, list[tuple[Topic, str, bool]]] = {}
        for judged, name, main in self.files:
            for topic, record in judged.items():
                everywhere.setdefault(topic, []).append((record, name, main))
        topics: dict[str, Topic] = {}
        for topic, pools in everywhere.items():
            (record, name, _), *others = [pool for pool in pools if pool[2]] or pools
            topics[topic] = record
            for _, other, _ in others:
                reason = f"topic {quote_value(topic)} is judged in {name} too, and no directory main says which counts"
                self.problems(InputError(other, 1, reason))
        return topics


# What may stand where a path goes: records that were read before, and rows of data; see `prum_eval.formats.rows`.


PathName = str | PathLike[str]
RunInput: TypeAlias = "PathName | Run | Rows"
"""A run: its path, what `read_run` returned, a DataFrame or other rows, or ``{topic: {document: score}}``."""
RunInputs: TypeAlias = "RunInput | Iterable[RunInput] | Mapping[str, RunInput]"
"""A run, or several: listed, or by their names."""
AssessmentsInput: TypeAlias = "PathName | Iterable[PathName] | Assessments | Rows"
"""Path or paths, what `read_assessments` returned, a DataFrame or other rows, or ``{topic: {document: grade}}``."""


def resolve_assessments_input(given: AssessmentsInput) -> list[str] | Assessments:
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

    if isinstance(given, Mapping) or is_dataframe(given):
        return assessments_from_rows(given)
    listed = _require_list(
        given, "assessments: expected a path or several, what read_assessments returned, rows or a dict"
    )
    paths = [str(one) for one in listed if isinstance(one, str | PathLike)]
    return paths if paths and len(paths) == len(listed) else assessments_from_rows(listed)


def resolve_run_inputs(given: RunInputs, rank_by: RankBy | None = None) -> list[PathName | Run | InputError]:
    """Runs in their order: paths still to be read, else what was read; a path with a name is read now.

    A dictionary is one run, ``{topic: {document: score}}``, or several by name, whatever those are; a list is several
    runs, or the rows of one. Runs made of rows are called ``run``, several ``run-1``, ``run-2`` and so on.

    Raises:
        DataError: a bad row.
        UsageError: it is nothing of the kind.
    """
    if isinstance(given, Mapping):
        if not given or any(_is_row(one) for one in given.values()):
            return _single_or_rows(given, "run")
        return [run for name, one in given.items() for run in _rename_runs(str(name), one, rank_by)]
    if isinstance(given, str | PathLike | Run) or is_dataframe(given):
        return _single_or_rows(given, "run")
    listed = _require_list(given, "runs: expected a path, what read_run returned, rows, a dict or several of these")
    if listed and (_is_row(listed[0]) or hasattr(listed[0], "_asdict")):
        return _single_or_rows(listed, "run")
    names = [f"run-{number}" for number in range(1, len(listed) + 1)] if len(listed) > 1 else ["run"]
    return [run for name, one in zip(names, listed, strict=False) for run in _single_or_rows(one, name)]


def read_run_input(given: RunInput, rank_by: RankBy | None = None) -> tuple[Run, ...]:
    """What stands for a run, read: one, or those of a file that holds several.

    Raises:
        InputError, DataError: bad data.
        UsageError: it is nothing of the kind, or several.
    """
    runs = resolve_run_inputs(given, rank_by)
    for one in runs:
        if isinstance(one, InputError):
            raise one
    if len(runs) == 1 and not isinstance(runs[0], Run):
        return read_runs(str(runs[0]), rank_by=rank_by)
    if len(runs) != 1 and not all(isinstance(one, Run) for one in runs):
        raise UsageError(f"expected one run, found {len(runs)}")
    return tuple(one for one in runs if isinstance(one, Run))


def select_run(runs: Sequence[Run], run_id: str | None, wanted: str) -> Run:
    """The run of that name, or the only one; `wanted` says what is about one run, for messages.

    Raises:
        UsageError: there is none of that name, or none is named and there are several.
    """
    names = [run.run_id for run in runs]
    if run_id is None and len(runs) > 1:
        raise UsageError(f"{runs[0].path} holds {len(runs)} runs ({', '.join(names)}); {wanted}: name one with --run")
    if run_id is not None and run_id not in names:
        raise UsageError(f"{runs[0].path} holds no run {run_id}{did_you_mean(run_id, names)}")
    return runs[0] if run_id is None else runs[names.index(run_id)]


def read_assessments_input(given: AssessmentsInput) -> Assessments:
    """Assessments, read; raises as `resolve_assessments_input`, and `InputError` for bad data in a file."""
    judged = resolve_assessments_input(given)
    return read_assessments(judged) if isinstance(judged, list) else judged


def _is_row(given: object) -> bool:
    """Whether this is a row, or the scores of a topic: a mapping that holds no mapping."""
    return isinstance(given, Mapping) and not any(isinstance(value, Mapping) for value in given.values())


def _single_or_rows(given: RunInput, name: str) -> list[PathName | Run | InputError]:
    """A path or a run as it is, or the runs that rows make."""
    if isinstance(given, str | PathLike | Run):
        return [given]
    from prum_eval.formats.rows import runs_from_rows

    return [*runs_from_rows(given, name=name)]


def _rename_runs(name: str, given: RunInput, rank_by: RankBy | None) -> list[Run | InputError]:
    """The run under that name; of several in one file or table each under that name and its own."""
    try:
        runs = (
            [*read_runs(str(given), rank_by=rank_by)]
            if isinstance(given, str | PathLike)
            else _single_or_rows(given, name)
        )
    except InputError as error:
        return [error]
    found = [run for run in runs if isinstance(run, Run)]
    return [replace(run, run_id=name if len(found) == 1 else f"{name}/{run.run_id}") for run in found]


def _require_list(given: Any, expected: str) -> list[Any]:  # noqa: ANN401 -- whatever the caller has
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(f"{expected}, found {reprlib.repr(given)}")
    return list(given)
