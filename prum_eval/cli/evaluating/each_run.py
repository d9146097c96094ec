"""``--output-dir``, ``-f jsonl`` and ``--resume`` of `eval`: each run is written when it is done."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.files import STANDARD_OUTPUT, write_output
from prum_eval.cli.output import progress_bar, say, warn
from prum_eval.cli.verbosity import Verbosity, verbosity
from prum_eval.errors import InputError, PrumEvalError, UsageError
from prum_eval.report.file_names import plain_name, unused_name
from prum_eval.report.registry import OutputFormat

if TYPE_CHECKING:
    from prum_eval.evaluation.options import EvaluationOptions
    from prum_eval.evaluation.parallel.each_run import EachRun

_ENDING = ".json"


class _Store(ABC):
    """Where evaluations go, a run each."""

    @abstractmethod
    def known(self, found: EachRun) -> set[str]:
        """The files of runs whose evaluations are there already, made of the same inputs under the same signature."""

    @abstractmethod
    def write(self, path: str, run_id: str, line: str) -> None:
        """Write the evaluation of a run of a file, one line of JSON."""


class _Folder(_Store):
    """A file a run, called as its file is, with .json behind; another run of the same file has its own name in it."""

    def __init__(self, folder: str, paths: Sequence[str]) -> None:
        used: set[str] = set()
        self._folder = Path(folder)
        self._names = {path: unused_name(plain_name(Path(path).name or "run"), used, _ENDING) for path in paths}
        self._used = used
        self._written: set[str] = set()

    def known(self, found: EachRun) -> set[str]:
        """Those of which the files of all runs are there."""
        from prum_eval.evaluation.parallel.each_run import stored_evaluations

        files = sorted(self._folder.glob("*" + _ENDING)) if self._folder.is_dir() else []
        there = {file.name: (held, path) for file in files for _, held, path in stored_evaluations(_lines_of(file))}
        first = {path for path, name in self._names.items() if name in there and there[name][1] == path}
        return _complete(found, [(held, path) for held, path in there.values() if path in first])

    def write(self, path: str, run_id: str, line: str) -> None:
        """Write its file, whole or not at all."""
        name = self._names[path]
        if name in self._written:
            name = unused_name(f"{name.removesuffix(_ENDING)}.{plain_name(run_id)}", self._used, _ENDING)
        self._written.add(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(self._folder), None, f"cannot be written: {error.strerror}") from error
        write_output(line + "\n", str(self._folder / name))


class _Lines(_Store):
    """A line a run, of a file or of standard output."""

    def __init__(self, path: str | None) -> None:
        self._path = path if path not in STANDARD_OUTPUT else None
        self._begun = False

    def known(self, found: EachRun) -> set[str]:
        """Those of the lines that are whole; all other lines are taken out of the file."""
        from prum_eval.evaluation.parallel.each_run import stored_evaluations

        if self._path is None or not Path(self._path).exists():
            return set()
        lines = list(stored_evaluations(_lines_of(Path(self._path))))
        done = _complete(found, [(held, path) for _, held, path in lines])
        kept = [line + "\n" for line, held, path in lines if path in done and found.is_done(held, path)]
        write_output("".join(kept), self._path)
        self._begun = True
        return done

    def write(self, path: str, run_id: str, line: str) -> None:  # noqa: ARG002 - the line names the run
        """Write a line at once."""
        if self._path is None:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            return
        try:
            with Path(self._path).open("a" if self._begun else "w", encoding="utf-8", newline="") as file:
                file.write(line + "\n")
        except OSError as error:
            raise InputError(self._path, None, f"cannot be written: {error.strerror}") from error
        self._begun = True


def _lines_of(file: Path) -> list[bytes]:
    """The lines of a file, which may have been cut off anywhere."""
    try:
        return file.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(str(file), None, f"cannot be read: {error.strerror}") from error


def _complete(found: EachRun, stored: Sequence[tuple[Mapping[str, Any], str]]) -> set[str]:
    """The files of which an evaluation that still holds is there for every run."""
    from prum_eval.evaluation.parallel.each_run import OF_FILE

    wanted = set(found.paths)
    there: dict[str, list[Any]] = {}
    for held, path in stored:
        if path in wanted and found.is_done(held, path):
            there.setdefault(path, []).append(held.get(OF_FILE, 1))
    return {path for path, runs in there.items() if all(number == len(runs) for number in runs)}


def check_each(
    style: OutputFormat, folder: str | None, output: str | None, *, resume: bool, others: Mapping[str, object]
) -> None:
    """Refuse options that do not go together where runs are written one by one.

    Raises:
        click.UsageError: `others` are asked for, which need all runs together, or there is nowhere to resume.
    """
    if folder is None and not style.is_streamed:
        raise click.UsageError("--resume is for --output-dir, or for -f jsonl with -o FILE")
    if folder is not None and output is not None:
        raise click.UsageError("--output-dir takes the place of -o")
    if resume and folder is None and (output is None or output in STANDARD_OUTPUT):
        raise click.UsageError("--resume with -f jsonl needs -o FILE")
    option = "--output-dir" if folder is not None else f"-f {style.name}"
    for name, value in others.items():
        if value:
            raise click.UsageError(f"{option} writes runs one by one; {name} needs all of them")


def write_each(call: EvaluationOptions, folder: str | None, output: str | None, *, resume: bool) -> int:
    """Evaluate and write each run as soon as it is done; what is wrong with others is said, and the status is 1.

    Raises:
        InputError, DataError, UsageError: what is wrong with the call, or a file cannot be written.
    """
    from prum_eval.evaluation.parallel.each_run import each_run

    found = each_run(call)
    if any(path in ("", "-") for path in found.paths):
        raise UsageError("runs that are written one by one come from files, not from - (standard input)")
    store = _Lines(output) if folder is None else _Folder(folder, found.paths)
    done = store.known(found) if resume else set[str]()
    left = found.without(done)
    paths, failures, written = left.paths, list[PrumEvalError](), 0
    shared = found.prepared.warnings
    warn(shared)
    with progress_bar("Runs") as progress:
        for number, runs, evaluation in left.evaluations(failures.append, progress):
            path, run = paths[number], evaluation.runs[0]
            warn(evaluation.warnings[len(shared) :])
            store.write(path, run.run_id, found.stored(evaluation, path, runs))
            written += 1
    for message in dict.fromkeys(failure.message for failure in failures):
        say(message)
    if verbosity() is not Verbosity.QUIET:
        say(found.signature)
        if folder is not None or resume:
            there = f", {len(done)} there already" if resume else ""
            failed = f", {len(failures)} failed" if failures else ""
            say(f"prum-eval: {folder or output}: {written} written{there}{failed}")
    return 1 if failures else 0
