"""Suggest a commented configuration for the inputs of a folder, to read, change and pass to ``eval --config``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from prum_eval.errors import InputError
from prum_eval.evaluation.inputs import load_assessments
from prum_eval.formats.format import FormatKind
from prum_eval.formats.reading import read_structure
from prum_eval.formats.registry import detect_file_kind
from prum_eval.measures.specs import SuggestedMeasures, suggested_measures
from prum_eval.records import Assessments
from prum_eval.tabular import join_names, plural
from prum_eval.text.streams import is_folder

MAX_FILES = 10_000
"""Most files of a folder that are read."""


@dataclass(frozen=True, slots=True)
class FolderInputs:
    """Paths of the inputs in a folder, in byte order; `others`: of all other files.

    A folder that holds only assessments is one path. Assessments with one topic per file, which judge parts of
    documents, come first.
    """

    assessments: tuple[str, ...]
    structures: tuple[str, ...]
    runs: tuple[str, ...]
    others: tuple[str, ...]


def find_inputs(folder: str) -> FolderInputs:
    """Find the inputs in a folder and the folders in it, without hidden files.

    Raises:
        InputError: it is no folder, or cannot be read.
    """
    start = Path(folder)
    if not is_folder(start):
        raise InputError(folder, None, "is no folder")
    kinds: dict[FormatKind | None, list[str]] = {}
    inner = sorted(path for path in _visible_files(start) if path.is_dir())
    for place in (start, *inner):
        files = [path for path in _visible_files(place) if path.is_file()][:MAX_FILES]
        entries = [(str(path), _kind(path)) for path in sorted(files)]
        if place is not start and entries and all(kind is FormatKind.ASSESSMENTS for _, kind in entries):
            kinds.setdefault(FormatKind.ASSESSMENTS, []).append(str(place))
            continue
        for path, kind in entries:
            kinds.setdefault(kind, []).append(path)
    input_kinds = (FormatKind.ASSESSMENTS, FormatKind.STRUCTURE, FormatKind.RUN)
    assessments, structures, runs = (tuple(kinds.pop(kind, ())) for kind in input_kinds)
    assessments = tuple(sorted(assessments, key=lambda path: not Path(path).is_dir()))
    others = tuple(sorted(path for paths in kinds.values() for path in paths))
    return FolderInputs(assessments, structures, runs, others)


def _visible_files(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(str(folder), None, f"cannot be read: {error.strerror}") from error


def _kind(path: Path) -> FormatKind | None:
    """The kind of a file; None if it cannot be read or its name is no text."""
    try:
        str(path).encode()
        return detect_file_kind(str(path))
    except (InputError, UnicodeEncodeError):
        return None


CONFIGURATION_NAME = "prum-eval.toml"
_MANY_RUNS = 12
"""Most runs that are listed one by one."""


@dataclass(frozen=True)
class SuggestedConfiguration:
    """The text of a configuration file, with paths relative to its folder, and the inputs that it is for."""

    text: str
    inputs: FolderInputs

    @property
    def summary(self) -> str:
        """The inputs, in one sentence."""
        inputs = self.inputs
        parts = [
            f"assessments {inputs.assessments[0]}" if inputs.assessments else "no assessments",
            f"structure {inputs.structures[0]}" if inputs.structures else "no structure",
            plural(len(inputs.runs), "run"),
        ]
        if inputs.others:
            parts.append(f"neither: {join_names([Path(path).name for path in inputs.others])}")
        return "; ".join(parts)


def suggest_configuration(folder: str = ".", file: str | None = None) -> SuggestedConfiguration:
    """Make a configuration that evaluates the runs of a folder.

    Args:
        folder: where to look, also in the folders in it.
        file: where the configuration is to stand, from which its paths lead on; by default in the folder.

    Raises:
        InputError: the folder cannot be read, or has neither assessments nor runs; assessments or a structure in it
            cannot be read.
    """
    found = find_inputs(folder)
    if not found.assessments and not found.runs:
        raise InputError(folder, None, "no assessments and no runs in it, nor in the folders in it")
    home = folder if file is None else os.path.dirname(file)  # noqa: PTH120 - paths stay as given
    structured = bool(found.structures)
    judged = load_assessments(found.assessments[0], structured=structured).assessments if found.assessments else None
    parts = [
        _head(Path(file).name if file is not None else CONFIGURATION_NAME),
        _suggested_assessments(found.assessments, judged, home),
        _structure(found.structures, home),
        _suggested_runs(found.runs, home),
        _OPTIONS,
        _measures(judged, with_structure=bool(found.structures)),
    ]
    return SuggestedConfiguration("\n".join(line for part in parts for line in part) + "\n", found)


_OPTIONS = (
    "# complete = true    # topics that a run does not answer count as 0, as -c",
    "# limit = 1500       # at most so many results a topic, as -M",
    '# task = "..."       # a campaign\'s official measures and settings: prum-eval measures --tasks',
    "",
)


def _head(name: str) -> Iterator[str]:
    yield "# What prum-eval init found in this folder. Read it, change it, then:"
    yield f"#   prum-eval eval --config {name}"
    yield "# No configuration is ever found by itself: a call without --config reads none."
    yield ""


def _suggested_assessments(paths: Sequence[str], judged: Assessments | None, home: str) -> Iterator[str]:
    if judged is None:
        yield "# No assessments were found."
        yield '# assessments = "..."'
    else:
        yield f"# What was judged: {judged.kind.value}, {plural(len(judged.topics), 'topic')}."
        yield from _path_choice("assessments", paths, home)
    yield ""


def _structure(paths: Sequence[str], home: str) -> Iterator[str]:
    if not paths:
        yield "# No structure of the collection was found: prum-eval index makes one of documents."
        yield '# structure = "..."'
    else:
        size = read_structure(paths[0], frozenset())
        yield f"# Where elements are: {plural(len(size.names), 'document')}, {plural(size.elements, 'element')}."
        yield from _path_choice("structure", paths, home)
    yield ""


def _path_choice(key: str, paths: Sequence[str], home: str) -> Iterator[str]:
    """The first, and the others to choose from."""
    yield f"{key} = {_path_text(paths[0], home)}"
    yield from (f"# {key} = {_path_text(path, home)}" for path in paths[1:])


def _suggested_runs(paths: Sequence[str], home: str) -> Iterator[str]:
    if not paths:
        yield "# No runs were found."
        yield '# runs = ["..."]'
    else:
        yield f"# {plural(len(paths), 'run')}; a pattern or a folder stands for its files."
        patterns = _patterns(paths)
        yield "runs = ["
        yield from (f"    {_path_text(path, home)}," for path in patterns)
        yield "]"
    yield ""


def _patterns(paths: Sequence[str]) -> list[str]:
    """Of many runs the folders that hold nothing else, in place of their files."""
    if len(paths) <= _MANY_RUNS:
        return list(paths)
    folders = dict.fromkeys(os.path.dirname(path) for path in paths)  # noqa: PTH120 - paths stay as given
    found: list[str] = []
    for folder in folders:
        own = [path for path in paths if os.path.dirname(path) == folder]  # noqa: PTH120
        files = [str(path) for path in Path(folder or ".").iterdir() if path.is_file()]
        found += [folder] if folder and len(files) == len(own) else own
    return found


def _measures(judged: Assessments | None, *, with_structure: bool) -> Iterator[str]:
    if judged is None:
        yield "# Without measures the official ones are printed; prum-eval measures lists all."
        return
    found: SuggestedMeasures = suggested_measures(judged.kind, chunks=judged.chunks)
    specs = [*found.specs, *(found.with_size if with_structure else ())]
    yield "# The first is the one to decide by; prum-eval measures NAME explains each."
    for spec in specs:
        yield from ("[[measures]]", f"measure = {json.dumps(spec)}", "")
    for spec, when in found.others:
        yield from (f"# {when}:", "# [[measures]]", f"# measure = {json.dumps(spec)}", "")


def _path_text(path: str, home: str) -> str:
    """A path from the folder of the configuration, as a string of TOML; one that starts at the root stays so here."""
    shown = path if not home and Path(path).is_absolute() else os.path.relpath(path, home or ".")
    return json.dumps(shown, ensure_ascii=False).replace("\x7f", "\\u007f")
