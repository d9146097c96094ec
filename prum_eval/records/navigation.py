"""Navigation files: probabilities of steps, or of reach, between nodes."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
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
