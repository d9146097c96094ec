"""Inputs read by whatever format is theirs: runs, structures, navigation, logs, configurations.

Assessments, which may be many files, are read by the folder of these.
"""

from __future__ import annotations

from collections.abc import Container
from os import PathLike
from typing import TYPE_CHECKING

from prum_eval.errors import InputError, Problems, raise_first
from prum_eval.formats.format import FormatKind, RankBy
from prum_eval.formats.registry import opened_as
from prum_eval.records.log import UserLog
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.run import Run
from prum_eval.records.structure import Structure
from prum_eval.text.numbers import shown
from prum_eval.text.streams import Content

if TYPE_CHECKING:  # few calls have a configuration
    from prum_eval.records.configuration import ConfigurationFile


def read_run(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first
) -> Run:
    """Read a run and rank its results: what `read_runs` reads, of a file that holds one run."""
    first, *others = read_runs(path, rank_by=rank_by, problems=problems)
    for run in others:
        reason = f"run {shown(run.run_id)}, but {shown(first.run_id)} on line {first.line.min()}: expected one run"
        problems(InputError(run.path, int(run.line.min()), reason))
    return first


def read_runs(
    path: str | PathLike[str] | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first
) -> tuple[Run, ...]:
    """Read the runs of a file, one or in JSON Lines several, and rank their results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. Every `InputError` is handed to `problems`; where
    that returns, the bad line is left out, and the run holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.RUN, path, problems)
    with stream:
        found: Run | tuple[Run, ...] = format_.read(stream, name, rank_by, problems)
    return (found,) if isinstance(found, Run) else found


def read_structure(
    path: str | PathLike[str] | Content, wanted: Container[str] | None = None, *, problems: Problems = raise_first
) -> Structure:
    """Read a collection structure, XML, text or an index: counts and names of all documents, trees of the wanted ones.

    Without `wanted` all documents are wanted. Every number is checked; the nesting of elements is checked in wanted
    documents only where the structure is text; an index was checked when it was built. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.STRUCTURE, path, problems)
    with stream:
        structure: Structure = format_.read(stream, name, wanted, problems)
    return structure


def read_navigation(path: str | PathLike[str], *, problems: Problems = raise_first) -> NavigationFile:
    """Read a navigation file; whether its numbers are reach probabilities or steps, it does not say.

    Lines that start with ``#`` are comments. Every `InputError` is handed to `problems`; where that returns, what is
    bad is left out, and the record holds what could be read.
    """
    format_, stream, name = opened_as(FormatKind.NAVIGATION, path, problems)
    with stream:
        file: NavigationFile = format_.read(stream, name, problems)
    return file


def read_log(path: str | PathLike[str], *, problems: Problems = raise_first) -> UserLog:
    """Read a log of what users did, lines with tabs or JSON Lines.

    Every `InputError` is handed to `problems`; where that returns, the bad line is left out.
    """
    format_, stream, name = opened_as(FormatKind.LOG, path, problems)
    with stream:
        log: UserLog = format_.read(stream, name, problems)
    return log


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        InputError: it cannot be read, or a line of it is not of the form.
    """
    format_, stream, name = opened_as(FormatKind.CONFIGURATION, path, raise_first)
    with stream:
        file: ConfigurationFile = format_.read(stream, name, raise_first)
    return file
