"""Assessments of every format: a file, several, or a directory of pools."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from prum_eval.errors import InputError, Problems, raise_first
from prum_eval.formats.assessments.columns import groups_of
from prum_eval.formats.format import FormatKind
from prum_eval.formats.registry import opened_as
from prum_eval.records.assessments import AssessmentKind, Assessments, Topic
from prum_eval.text.numbers import shown
from prum_eval.text.streams import STDIN, Content, display_name

_ASSESSMENT_FILE = re.compile(r"[^.].*\.xml(?:\.(?:gz|bz2|xz|zst))?", re.IGNORECASE)
_MAIN_POOL = "main"


def read_assessments(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, problems: Problems = raise_first
) -> Assessments:
    """Read assessments from a file, a directory (every ``*.xml`` in it, compressed or not), ``-``, or several of these.

    Where several files judge one topic, the one under a directory ``main`` counts. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    given = [str(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    return read_assessment_files(assessment_files(given, problems), joint_name(given), problems)


def read_assessment_files(
    files: Iterable[tuple[str | Content, bool]], name: str, problems: Problems = raise_first
) -> Assessments:
    """What `read_assessments` reads, from its files, each with whether it is of the main pool."""
    collected = _Collected(problems)
    for file, main in files:
        collected.read(file, main=main)
    topics = collected.topics()
    groups = groups_of(topics) if collected.kind is AssessmentKind.PASSAGES else None
    return Assessments(name, collected.kind or AssessmentKind.ELEMENTS_2005, topics, groups)


def joint_name(paths: Sequence[str]) -> str:
    """Name of several inputs in messages."""
    name = display_name(paths[0]) if paths else ""
    return name if len(paths) < 2 else f"{name} and {len(paths) - 1} more"


def assessment_files(paths: Sequence[str], problems: Problems = raise_first) -> Iterator[tuple[str, bool]]:
    """The files that paths stand for, each with whether it is of the main pool."""
    for path in paths:
        yield from _files(path, problems)


def _files(path: str, problems: Problems) -> Iterator[tuple[str, bool]]:
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


class _Collected:
    """Topics of all files read so far, all of one kind."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.kind: AssessmentKind | None = None
        self.kind_file = ""
        self.files: list[tuple[Mapping[str, Topic], str, bool]] = []  # the topics of each, its name, is it main?

    def read(self, file: str | Content, *, main: bool) -> None:
        """Add the assessments of one file."""
        form, stream, name = opened_as(FormatKind.ASSESSMENTS, file, self.problems)
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
                reason = f"topic {shown(topic)} is judged in {name} too, and no directory main says which counts"
                self.problems(InputError(other, 1, reason))
        return topics
