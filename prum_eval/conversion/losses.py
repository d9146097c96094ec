"""What a form cannot hold: counted, with the first line, so that nobody loses anything without having said so."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.arrays import NarrowArray
from prum_eval.errors import PrumEvalError


@dataclass(frozen=True, slots=True)
class Loss:
    """Some things of one kind that are lost; `line` is the first that has one, below 1 where there are no lines."""

    path: str
    line: int
    count: int
    description: str  # ``things: what becomes of them``

    def __str__(self) -> str:
        """``FILE:LINE: things: 3, the first here; what becomes of them``."""
        things, _, fate = self.description.partition(": ")
        if self.line < 1:  # an index has no lines
            return f"{self.path}: {things}: {self.count}; {fate}"
        return f"{self.path}:{self.line}: {things}: {self.count}{', the first here' if self.count > 1 else ''}; {fate}"


class LossError(PrumEvalError):
    """A conversion that would lose something, without leave to do so."""

    def __init__(self, form: str, losses: Sequence[Loss]) -> None:
        self.form = form
        self.losses = tuple(losses)
        super().__init__(*map(str, losses))

    @property
    def message(self) -> str:
        """A line a kind of loss, and the way out."""
        return f"{self}\nprum-eval: {self.form} cannot hold this; nothing is written (--lossy converts the rest)"


def count_loss(path: str, lines: NarrowArray, what: str) -> list[Loss]:
    """The loss of what stands on these lines: none where there are no lines."""
    return [Loss(path, int(lines.min()), len(lines), what)] if len(lines) else []


def merge_losses(losses: Sequence[Loss]) -> list[Loss]:
    """One loss of a kind: all counts together, at the place of the first."""
    kinds: dict[str, Loss] = {}
    for loss in losses:
        known = kinds.get(loss.description)
        if known is not None:
            line = min(known.line, loss.line) if known.path == loss.path else known.line
            loss = dataclasses.replace(known, line=line, count=known.count + loss.count)  # noqa: PLW2901
        kinds[loss.description] = loss
    return list(kinds.values())
