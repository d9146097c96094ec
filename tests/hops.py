"""How many files of the package one call passes, and how often it hops between them: what a reader has to follow.

    python -m tests.hops eval -m map fixtures/toy/qrels fixtures/toy/run
    python -m tests.hops --trace eval -m map fixtures/toy/qrels fixtures/toy/run

Counted are calls of functions of the package, in the second of two calls in one process; bodies of modules and classes,
lambdas and comprehensions do not count. A hop is a call into another file than the one before. ``--trace`` lists the
files and functions in the order in which they are called.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Step(NamedTuple):
    """One call of a function: its file, from the folder of the package, and its name."""

    file: str
    function: str


def steps(arguments: list[str]) -> list[Step]:
    """The functions that a call of the command line calls, in their order."""
    from prum_eval.cli.main import run

    package = f"{ROOT / 'prum_eval'}/"
    found = []

    def called(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package) and "<" not in code.co_qualname.split(".")[-1]:
            found.append(Step(code.co_filename.removeprefix(package), code.co_qualname))

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run(arguments)
        sys.setprofile(called)
        try:
            run(arguments)
        finally:
            sys.setprofile(None)
    return found


def visits(found: list[Step]) -> Iterator[tuple[str, list[str]]]:
    """Each file that is entered, with the functions called until the next one is."""
    functions: list[str] = []
    for number, step in enumerate(found):
        if not number or found[number - 1].file != step.file:
            functions = []
            yield step.file, functions
        functions.append(step.function)


def main() -> None:
    """Print files and hops, or the trace."""
    arguments = sys.argv[1:]
    traced = arguments[:1] == ["--trace"]
    found = steps(arguments[traced:])
    hops = list(visits(found))
    if traced:
        for file, functions in hops:
            print(f"{file}: {' '.join(functions)}")
    print(f"{len({step.file for step in found})} files, {len(hops)} hops")


if __name__ == "__main__":
    main()
