"""What the files of a folder are: assessments, structures, runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prum_eval.errors import InputError
from prum_eval.formats.format import FormatKind
from prum_eval.formats.odd import kind_of_file

MOST_FILES = 10_000
"""More files than anybody means; the rest is not looked at."""


@dataclass(frozen=True, slots=True)
class FoundInputs:
    """Paths of what was found, in byte order, those of files that are none of these in `others`.

    A folder that holds nothing but assessments is one path. Of assessments those of one topic a file, which judge the
    inside of documents, come first.
    """

    assessments: tuple[str, ...]
    structures: tuple[str, ...]
    runs: tuple[str, ...]
    others: tuple[str, ...]


def find_inputs(folder: str) -> FoundInputs:
    """Look at the files of a folder and of the folders in it, hidden ones left out.

    Raises:
        InputError: it is no folder, or cannot be read.
    """
    start = Path(folder)
    if not start.is_dir():
        raise InputError(folder, None, "is no folder")
    kinds: dict[FormatKind | None, list[str]] = {}
    inner = sorted(path for path in _listed(start) if path.is_dir())
    for place in (start, *inner):
        files = [path for path in _listed(place) if path.is_file()][:MOST_FILES]
        found = [(str(path), _kind(path)) for path in sorted(files)]
        if place is not start and found and all(kind is FormatKind.ASSESSMENTS for _, kind in found):
            kinds.setdefault(FormatKind.ASSESSMENTS, []).append(str(place))
            continue
        for path, kind in found:
            kinds.setdefault(kind, []).append(path)
    wanted = (FormatKind.ASSESSMENTS, FormatKind.STRUCTURE, FormatKind.RUN)
    assessments, structures, runs = (tuple(kinds.pop(kind, ())) for kind in wanted)
    assessments = tuple(sorted(assessments, key=lambda path: not Path(path).is_dir()))
    others = tuple(sorted(path for paths in kinds.values() for path in paths))
    return FoundInputs(assessments, structures, runs, others)


def _listed(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), None, f"cannot be read: {error.strerror}") from error


def _kind(path: Path) -> FormatKind | None:
    """What a file is; None where it cannot be read, or its name is no text."""
    try:
        str(path).encode()
        return kind_of_file(str(path))
    except (InputError, UnicodeEncodeError):
        return None
