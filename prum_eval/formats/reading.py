"""Readers of every kind of input, whatever its format, and of records and rows in place of a path.

A reader recognises the format by the content (`prum_eval.formats.registry`). It calls `problems` with every
`InputError`; if that returns, the bad line or element is left out, and the record holds the rest. By default the first
problem is raised. Assessments may be many files: several paths, or a directory of pools.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from prum_eval.errors import InputError, ProblemHandler, UsageError, raise_first
from prum_eval.formats.assessment_columns import topic_groups
from prum_eval.formats.format import FormatKind, RankBy
from prum_eval.formats.registry import open_with_format
from prum_eval.parameters import did_you_mean
from prum_eval.records import AssessmentKind, Assessments, FlatTopics, NavigationFile, Run, Structure, Topic, UserLog
from prum_eval.tabular import is_dataframe
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import NO_REGULAR_FILE, STDIN, Content, display_name, is_folder, is_special_file

if TYPE_CHECKING:
    from prum_eval.formats.rows import Rows
    from prum_eval.records import ConfigurationFile


def read_run(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: ProblemHandler = raise_first
) -> Run:
    """Read a file with one run and rank its results, as `read_runs` does."""
    first, *others = read_runs(path, rank_by=rank_by, problems=problems)
    for run in others:
        names = f"run {quote_value(run.run_id)}, but {quote_value(first.run_id)} on line {first.line.min()}"
        problems(InputError(run.path, int(run.line.min()), f"{names}: expected one run"))
    return first


def read_runs(
    path: str | PathLike[str] | Content,
    *,
    rank_by: RankBy | None = None,
    problems: ProblemHandler = raise_first,
    count_text: Callable[[str], int] | None = None,
) -> tuple[Run, ...]:
    """Read the runs of a file, one or in JSON Lines several, and rank their results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. `count_text` counts the tokens of results with a text
    and without tokens.
    """
    format_, stream, name = open_with_format(FormatKind.RUN, path, problems)
    with stream:
        read: Run | tuple[Run, ...] = format_.read(stream, name, rank_by, problems)
    runs = (read,) if isinstance(read, Run) else read
    if count_text is None or format_.name != "run-jsonl" or path == "-":
        return runs
    from prum_eval.formats.run_json import text_tokens, with_line_tokens  # few calls count tokens

    with open_with_format(FormatKind.RUN, path, problems)[1] as stream:
        tokens = text_tokens(stream, name, count_text)
    return tuple(with_line_tokens(run, tokens) for run in runs)


def read_structure(
    path: str | PathLike[str] | Content, wanted: Container[str] | None = None, *, problems: ProblemHandler = raise_first
) -> Structure:
    """Read a collection structure: counts and names of all documents, trees of the `wanted` ones (None: all).

    It is XML, text or an index. Every number is checked; in text the nesting of elements is checked in wanted documents
    only; an index was checked when it was built.
    """
    if isinstance(path, str | PathLike) and is_folder(path):
        reason = (
            f"a directory, which is no structure: make an index with prum-eval index {path} -o INDEX, and give that"
        )
        problems(InputError(str(path), None, reason))
        return Structure(str(path), 0, 0, frozenset(), {}, ())
    format_, stream, name = open_with_format(FormatKind.STRUCTURE, path, problems)
    with stream:
        structure: Structure = format_.read(stream, name, wanted, problems)
    return structure


def read_navigation(path: str | PathLike[str], *, problems: ProblemHandler = raise_first) -> NavigationFile:
    """Read a navigation file of reach probabilities or of steps; lines that start with ``#`` are comments."""
    format_, stream, name = open_with_format(FormatKind.NAVIGATION, path, problems)
    with stream:
        file: NavigationFile = format_.read(stream, name, problems)
    return file


def read_log(path: str | PathLike[str], *, problems: ProblemHandler = raise_first) -> UserLog:
    """Read a log of user actions, tab-separated lines or JSON Lines."""
    format_, stream, name = open_with_format(FormatKind.LOG, path, problems)
    with stream:
        log: UserLog = format_.read(stream, name, problems)
    return log


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        InputError: the file cannot be read, or a line is malformed.
    """
    format_, stream, name = open_with_format(FormatKind.CONFIGURATION, path, raise_first)
    with stream:
        file: ConfigurationFile = format_.read(stream, name, raise_first)
    return file


# Assessments.


_ASSESSMENT_FILE = re.compile(r"[^.].*\.xml(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)
_MAIN_POOL = "main"


def read_assessments(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    structured: bool = False,
    facets: str | None = None,
    problems: ProblemHandler = raise_first,
) -> Assessments:
    """Read assessments from a file, a directory (every ``*.xml`` in it, compressed or not), ``-``, or several of these.

    If several files judge one topic, the one under a directory ``main`` counts. `structured`: a structure is given, so
    that lines ``topic document path grade`` are judged elements. `facets`: as `prum_eval.evaluate` takes it.
    """
    names = [str(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    files = assessment_files(names, problems)
    return read_assessment_files(files, combined_name(names), problems, structured=structured, facets=facets)


def read_assessment_files(
    files: Iterable[tuple[str | Content, bool]],
    name: str,
    problems: ProblemHandler = raise_first,
    *,
    structured: bool = False,
    facets: str | None = None,
) -> Assessments:
    """Read assessments from files, each given with whether it is of the main pool."""
    collected = _AssessmentCollector(problems, structured=structured, facets=facets)
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
    """Files of the paths, each with whether it is of the main pool."""
    for path in paths:
        yield from _input_files(path, problems)


def _input_files(path: str, problems: ProblemHandler) -> Iterator[tuple[str, bool]]:
    """The file itself, or the sorted assessment files of a directory; each with whether it is of the main pool.

    Only the directory of the path and those below it can be the main pool.
    """
    if path == STDIN or not is_folder(path):
        yield path, _MAIN_POOL in PurePath(path).parts[:-1]
        return
    files: list[str] = []

    def unreadable(error: OSError) -> None:
        problems(InputError(error.filename, None, f"cannot be read: {error.strerror}"))

    for directory, _, names in os.walk(path, onerror=unreadable):
        files.extend(str(Path(directory, name)) for name in names if _ASSESSMENT_FILE.fullmatch(name))
    if not files:
        problems(InputError(path, None, "a directory without assessments (*.xml)"))
    root = PurePath(path)
    for file in sorted(files):
        if is_special_file(Path(file)):
            problems(InputError(file, None, NO_REGULAR_FILE))
            continue
        yield file, _MAIN_POOL in (root.name, *PurePath(file).relative_to(root).parts[:-1])


class _AssessmentCollector:
    """Collects the topics of several files, all of one kind."""

    def __init__(self, problems: ProblemHandler, *, structured: bool, facets: str | None) -> None:
        self.facets = facets
        self.problems = problems
        self.structured = structured
        self.kind: AssessmentKind | None = None
        self.kind_file = ""
        self.files: list[tuple[Mapping[str, Topic], str, bool]] = []  # topics, name, and whether it is of the main pool

    def read(self, file: str | Content, *, main: bool) -> None:
        """Add the assessments of one file."""
        form, stream, name = open_with_format(FormatKind.ASSESSMENTS, file, self.problems, structured=self.structured)
        with stream:
            kind, topics = form.read(stream, name, self.problems)
        rows = topics.labelled if isinstance(topics, FlatTopics) else None
        if self.facets is None and rows is not None and not rows.conflicts:
            topics = replace(topics, labelled=None)
        elif self.facets is not None or rows is not None:
            from prum_eval.formats.facets import choose_facets  # few files have facets

            topics = choose_facets(topics, self.facets, name, self.problems)
        if topics and kind is not None and self.kind is None:
            self.kind, self.kind_file = kind, name
        if topics and kind is not None and self.kind is not None and self.kind is not kind:
            reason = f"assessments of the kind {kind.value!r}, those of {self.kind_file} are {self.kind.value!r}"
            self.problems(InputError(name, 1, reason))
        elif topics:
            self.files.append((topics, name, main))

    def topics(self) -> Mapping[str, Topic]:
        """Assessments per topic: those of the only file, else of the only one in a main pool."""
        if len(self.files) == 1:
            return self.files[0][0]
        all_pools: dict[str, list[tuple[Topic, str, bool]]] = {}
        for judged, name, main in self.files:
            for topic, record in judged.items():
                all_pools.setdefault(topic, []).append((record, name, main))
        topics: dict[str, Topic] = {}
        for topic, pools in all_pools.items():
            (record, name, _), *others = [pool for pool in pools if pool[2]] or pools
            topics[topic] = record
            for _, other, _ in others:
                reason = f"topic {quote_value(topic)} is judged in {name} too, and no directory main says which counts"
                self.problems(InputError(other, 1, reason))
        return topics


# Records and rows (`prum_eval.formats.rows`) in place of a path.


PathName = str | PathLike[str]
RunInput: TypeAlias = "PathName | Run | Rows"
"""A run: a path, a record, a DataFrame or other rows, or ``{topic: {document: score}}``."""
RunInputs: TypeAlias = "RunInput | Iterable[RunInput] | Mapping[str, RunInput]"
"""A run, or several: listed, or by name."""
AssessmentsInput: TypeAlias = "PathName | Iterable[PathName] | Assessments | Rows"
"""A path or several, a record, a DataFrame or other rows, or ``{topic: {document: grade}}``."""


def resolve_assessments_input(source: AssessmentsInput, facets: str | None = None) -> list[str] | Assessments:
    """The paths to read, or the assessments if they are no paths; `facets`: as `prum_eval.evaluate` takes it.

    Raises:
        DataError: a bad row.
        UsageError: another type.
    """
    if isinstance(source, Assessments):
        if facets is None:
            return source
        from prum_eval.formats.facets import assessments_with_facets  # few calls have this option

        return assessments_with_facets(source, facets)
    if isinstance(source, str | PathLike):
        return [str(source)]
    from prum_eval.formats.rows import assessments_from_rows

    if isinstance(source, Mapping) or is_dataframe(source):
        return assessments_from_rows(source, facets=facets)
    items = _require_list(
        source, "assessments: expected a path or several, what read_assessments returned, rows or a dict"
    )
    paths = [str(item) for item in items if isinstance(item, str | PathLike)]
    return paths if paths and len(paths) == len(items) else assessments_from_rows(items, facets=facets)


def read_assessments_input(
    source: AssessmentsInput, *, structured: bool = False, facets: str | None = None
) -> Assessments:
    """Read assessments; raises as `resolve_assessments_input`, and `InputError` for bad data in a file."""
    judged = resolve_assessments_input(source, facets)
    return read_assessments(judged, structured=structured, facets=facets) if isinstance(judged, list) else judged


def resolve_run_inputs(
    source: RunInputs, rank_by: RankBy | None = None, *, count_text: Callable[[str], int] | None = None
) -> list[PathName | Run | InputError]:
    """Runs in their order: paths that are to be read, and records; a path with a name is read at once.

    A dictionary is one run, ``{topic: {document: score}}``, or several runs of any type by name; a list is several
    runs, or the rows of one. Runs made of rows are called ``run``, several ``run-1``, ``run-2`` and so on.
    `count_text` is that of `read_runs`.

    Raises:
        DataError: a bad row.
        UsageError: another type.
    """
    if isinstance(source, Mapping):
        if not source or any(_is_row(value) for value in source.values()):
            return _single_or_rows(source, "run", count_text)
        return [run for name, value in source.items() for run in _rename_runs(str(name), value, rank_by, count_text)]
    if isinstance(source, str | PathLike | Run) or is_dataframe(source):
        return _single_or_rows(source, "run", count_text)
    items = _require_list(source, "runs: expected a path, what read_run returned, rows, a dict or several of these")
    if items and (_is_row(items[0]) or hasattr(items[0], "_asdict")):
        return _single_or_rows(items, "run", count_text)
    names = [f"run-{number}" for number in range(1, len(items) + 1)] if len(items) > 1 else ["run"]
    return [run for name, item in zip(names, items, strict=False) for run in _single_or_rows(item, name, count_text)]


def read_run_input(source: RunInput, rank_by: RankBy | None = None) -> tuple[Run, ...]:
    """Read a run, or the runs of a file with several.

    Raises:
        InputError, DataError: bad data.
        UsageError: another type, or several runs.
    """
    runs = resolve_run_inputs(source, rank_by)
    for run in runs:
        if isinstance(run, InputError):
            raise run
    if len(runs) == 1 and not isinstance(runs[0], Run):
        return read_runs(str(runs[0]), rank_by=rank_by)
    if len(runs) != 1 and not all(isinstance(run, Run) for run in runs):
        raise UsageError(f"expected one run, found {len(runs)}")
    return tuple(run for run in runs if isinstance(run, Run))


def select_run(runs: Sequence[Run], run_id: str | None, reason: str) -> Run:
    """The run with that name, or the only one; `reason` says, for messages, why one run is needed.

    Raises:
        UsageError: no run has that name, or no name is given for several runs.
    """
    names = [run.run_id for run in runs]
    if run_id is None and len(runs) > 1:
        raise UsageError(f"{runs[0].path} holds {len(runs)} runs ({', '.join(names)}); {reason}: name one with --run")
    if run_id is not None and run_id not in names:
        raise UsageError(f"{runs[0].path} holds no run {run_id}{did_you_mean(run_id, names)}")
    return runs[0] if run_id is None else runs[names.index(run_id)]


def _is_row(value: object) -> bool:
    """Whether this is a row, or the scores of a topic: a mapping that holds no mapping."""
    return isinstance(value, Mapping) and not any(isinstance(cell, Mapping) for cell in value.values())


def _single_or_rows(
    source: RunInput, name: str, count_text: Callable[[str], int] | None
) -> list[PathName | Run | InputError]:
    """A path or a run as it is, or the runs of rows."""
    if isinstance(source, str | PathLike | Run):
        return [source]
    from prum_eval.formats.rows import runs_from_rows

    return [*runs_from_rows(source, name=name, count_text=count_text)]


def _rename_runs(
    name: str, source: RunInput, rank_by: RankBy | None, count_text: Callable[[str], int] | None
) -> list[Run | InputError]:
    """The run with that name; several runs of one file or table are called ``name/run_id``."""
    try:
        is_path = isinstance(source, str | PathLike)
        runs: Sequence[PathName | Run | InputError]
        if is_path:
            runs = read_runs(str(source), rank_by=rank_by, count_text=count_text)
        else:
            runs = _single_or_rows(source, name, count_text)
    except InputError as error:
        return [error]
    records = [run for run in runs if isinstance(run, Run)]
    return [replace(run, run_id=name if len(records) == 1 else f"{name}/{run.run_id}") for run in records]


def _require_list(value: Any, expected: str) -> list[Any]:  # noqa: ANN401 -- of any type
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise UsageError(f"{expected}, found {reprlib.repr(value)}")
    return list(value)
