"""How far a long command is, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

import click

from prum_eval.errors import InputError

_WIDTH = 30
_EVERY = 0.1  # seconds


class ProgressLine:
    """One line on standard error, written over and over, gone at the end."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._shown = 0  # columns that the line has
        self._last = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._clear()

    def show(self, counts: dict[str, int], total: int) -> None:
        """Show what was done; `total` is that of the count `position`, 0 where it is not known."""
        now = time.monotonic()
        if not self._terminal or now - self._last < _EVERY:
            return
        self._last = now
        text = f"{counts['documents']:,} documents, {counts['elements']:,} elements"
        if total:
            share = min(counts["position"] / total, 1.0)
            done = round(share * _WIDTH)
            text = f"[{'#' * done}{'-' * (_WIDTH - done)}] {share:4.0%} {text}"
        click.echo("\r" + text.ljust(self._shown), nl=False, err=True)
        self._shown = len(text)

    def report(self, problem: InputError) -> None:
        """Print a problem above the line."""
        self._clear()
        click.echo(problem.message, err=True)

    def _clear(self) -> None:
        if self._shown:
            click.echo("\r" + " " * self._shown + "\r", nl=False, err=True)
            self._shown = 0
