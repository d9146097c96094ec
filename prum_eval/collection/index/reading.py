"""How real documents are read: the options of an index that a structure has no use for."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.formats.structures.index import MetaValue

_COUNTING = {False: "white space once", True: "raw"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Which files are documents, what counts as a character, what is an element, where links are."""

    patterns: tuple[str, ...] = ()  # for file names, instead of the usual endings
    raw: bool = False  # every character counts; else a run of white space is one

    def meta(self) -> dict[str, MetaValue]:
        """The options as an index has them, by their names there."""
        return {"counting": _COUNTING[self.raw], "patterns": " ".join(self.patterns)}
