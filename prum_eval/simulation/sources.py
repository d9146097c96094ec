"""What lists can begin with, by the words that --from knows. Nothing here imports numpy: help lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceWord:
    """A word that --from knows.

    `targets`: the kind of targets that it lists; None: those of --targets. `perfect`: it lists not these but what is
    most specific.
    """

    name: str
    summary: str
    targets: str | None = None
    perfect: bool = False


IDEAL = "ideal"
SOURCES: Mapping[str, SourceWord] = {
    one.name: one
    for one in (
        SourceWord(IDEAL, "targets by decreasing P(x in I), equal ones as they are assessed"),
        SourceWord("relevant", "all that is relevant, in the same order", "relevant"),
        SourceWord("perfect", "the most specific elements by exhaustivity; equal ones share a rank", perfect=True),
        SourceWord("bep", "best entry points", "bep"),
        SourceWord("passages", "highlighted passages", "passages"),
    )
}
