"""What a command shows: results, in a file that appears whole or not at all; on a terminal, how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

import click

from prum_eval.cli.options import Output
from prum_eval.errors import InputError
from prum_eval.report.registry import Layout, render


def write_results(result: object, layout: Layout, outputs: Iterable[Output]) -> None:
    """Write a result in each of these formats, in this order; nothing is written unless all can be made.

    Raises:
        UsageError: a format cannot show the result.
        InputError: a file cannot be written.
    """
    for rendered, path in [(render(result, output, layout), path) for output, path in outputs]:
        if isinstance(rendered, str):
            write_output(rendered, path)
        elif path is not None:
            write_bytes(rendered, path) if isinstance(rendered, bytes) else write_files(rendered, path)


class Announced(Protocol):
    """A result that says what there is to say of it."""

    @property
    def warnings(self) -> Iterable[str]:
        """Sentences for the user."""

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""


def announce(result: Announced) -> None:
    """Print a result's warnings and its signature on standard error."""
    for warning in result.warnings:
        click.echo(f"prum-eval: warning: {warning}", err=True)
    click.echo(result.signature, err=True)


def write_output(text: str, path: str | None) -> None:
    """Write a result.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None:
        sys.stdout.write(text)
        return
    write_bytes(text.encode(), path)


def write_bytes(content: bytes, path: str) -> None:
    """Write a file, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    import tempfile  # most calls print

    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(path, None, f"cannot be written: {error.strerror}") from error


def write_files(files: Mapping[str, str], folder: str) -> None:
    """Write files, each whole or not at all, into a folder that is made if need be; names may have folders.

    Raises:
        InputError: a folder cannot be made, or a file cannot be written.
    """
    for name, text in files.items():
        target = Path(folder) / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(target.parent), None, f"cannot be made: {error.strerror}") from error
        write_output(text, str(target))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with (how many are done, of how many); None where no one watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: list[click._termui_impl.ProgressBar[int]] = []

        def show(done: int, total: int) -> None:
            if total == 1:
                return
            if not bars:  # how many there are is known only now
                bars.append(stack.enter_context(click.progressbar(length=total, label=what, file=sys.stderr)))
            bars[0].update(done - bars[0].pos)

        yield show
