"""Navigation files: probabilities of steps, or of reach, between nodes."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.tabular import plural


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NavigationFile:
    """Lines of a navigation file: source, target, probability; topic None holds for every topic.

    Nodes are ``file`` or ``file#path``; the root element of a document is written as the document.
    """

    path: str
    topic: tuple[str | None, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    probability: FloatArray
    lines: IntArray

    def __repr__(self) -> str:
        return f"<NavigationFile {self.path}: {plural(len(self.source), 'line')}>"
