"""Which files of the package a call of the command line passes through.

    python -m tests.call_files eval -m map fixtures/toy/qrels fixtures/toy/run
    python -m tests.call_files --trace eval -m map fixtures/toy/qrels fixtures/toy/run

It prints the number of distinct files in which a function is called, and of edges: ordered pairs of different files
where a function of the second is called right after one of the first. With ``--trace`` it lists files and functions in
the order of the calls. The command runs twice and the second run is traced; bodies of modules and classes, lambdas and
comprehensions are not counted.
"""

from __future__ import annotations

import contextlib
import io
import sys
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Call(NamedTuple):
    """The file of a called function, relative to the package, and the function's name."""

    file: str
    function: str


def trace(arguments: list[str]) -> list[Call]:
    """The functions that a command calls, in order."""
    from prum_eval.cli.main import run

    package = f"{ROOT / 'prum_eval'}/"
    calls = []

    def on_event(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package) and "<" not in code.co_qualname.split(".")[-1]:
            calls.append(Call(code.co_filename.removeprefix(package), code.co_qualname))

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run(arguments)
        sys.setprofile(on_event)
        try:
            run(arguments)
        finally:
            sys.setprofile(None)
    return calls


def main() -> None:
    """Print the numbers of files and edges, and the trace if it is asked for."""
    arguments = sys.argv[1:]
    traced = arguments[:1] == ["--trace"]
    calls = trace(arguments[traced:])
    if traced:
        for file, group in groupby(calls, lambda call: call.file):
            print(f"{file}: {' '.join(call.function for call in group)}")
    edges = {(before.file, after.file) for before, after in pairwise(calls) if before.file != after.file}
    print(f"{len({call.file for call in calls})} files, {len(edges)} edges")


if __name__ == "__main__":
    main()
