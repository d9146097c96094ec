"""Losses of a conversion: data that the output format cannot hold, counted, with the first line."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.arrays import NarrowArray
from prum_eval.errors import PrumEvalError


@dataclass(frozen=True, slots=True)
class Loss:
    """Lost data of one kind; `line` is the first one, below 1 if there are no lines."""

    path: str
    line: int
    count: int
    description: str  # ``items: what becomes of them``

    def __str__(self) -> str:
        """``FILE:LINE: items: 3, the first here; what becomes of them``."""
        items, _, fate = self.description.partition(": ")
        if self.line < 1:  # an index has no lines
            return f"{self.path}: {items}: {self.count}; {fate}"
        return f"{self.path}:{self.line}: {items}: {self.count}{', the first here' if self.count > 1 else ''}; {fate}"


class LossError(PrumEvalError):
    """A conversion that would lose data without the option `lossy`."""

    def __init__(self, form: str, losses: Sequence[Loss]) -> None:
        self.form = form
        self.losses = tuple(losses)
        super().__init__(*map(str, losses))

    @property
    def message(self) -> str:
        """A line per kind of loss, and the option that permits them."""
        return f"{self}\nprum-eval: {self.form} cannot hold this; nothing is written (--lossy converts the rest)"


def count_loss(path: str, lines: NarrowArray, description: str) -> list[Loss]:
    """The loss of the items on these lines; an empty list if there are none."""
    return [Loss(path, int(lines.min()), len(lines), description)] if len(lines) else []


def merge_losses(losses: Sequence[Loss]) -> list[Loss]:
    """One loss per kind: the sum of the counts, at the location of the first."""
    kinds: dict[str, Loss] = {}
    for loss in losses:
        first = kinds.setdefault(loss.description, loss)
        if first is not loss:
            line = min(first.line, loss.line) if first.path == loss.path else first.line
            kinds[loss.description] = dataclasses.replace(first, line=line, count=first.count + loss.count)
    return list(kinds.values())
