"""What may be wrong with a list: the situations of the gallery, each a few steps away from the ideal list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Worsening:
    """A step away from the ideal list: what it is called on the axis, and the changes of `prum_eval.simulate`."""

    name: str
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Situation:
    """Something that goes wrong more and more.

    `name` and `axis`: title and label of its panel. `meaning`: what is done to the list. `steps`: from the first on;
    the ideal list stands before them, as `ideal`. `copies`: runs of each step that differ by chance.
    """

    name: str
    axis: str
    meaning: str
    ideal: str
    steps: tuple[Worsening, ...]
    copies: int = 1

    @property
    def places(self) -> tuple[str, ...]:
        """Names of all steps, that of the ideal list first."""
        return (self.ideal, *(step.name for step in self.steps))


SITUATIONS = (
    Situation(
        "near misses",
        "m",
        "each result moves up or down its document, one more step with probability m",
        "0",
        tuple(Worsening(m, (f"move:m={m}",)) for m in (".2", ".4", ".6", ".8")),
        copies=3,
    ),
    Situation(
        "overlap",
        "ancestors",
        "the ancestors of all results are listed too: last of all, mixed in right behind each result, or first of all",
        "none",
        tuple(
            Worsening(name, (f"ancestors:place={place}",))
            for name, place in (("last", "after"), ("mixed", "around"), ("first", "before"))
        ),
    ),
    Situation(
        "noise in front",
        "elements",
        "so many elements of documents without a target stand before the list",
        "0",
        tuple(Worsening(n, (f"noise:n={n}",)) for n in ("1", "2", "4", "8")),
    ),
    Situation(
        "missing targets",
        "missing",
        "so many of the 12 targets, those at the end of the list, are missing",
        "0",
        tuple(Worsening(str(12 - n), (f"keep:n={n}",)) for n in (9, 6, 3, 1)),
    ),
    Situation(
        "reading effort",
        "levels up",
        "in place of each target stands the element that holds it, so many levels up: more to read for the same",
        "0",
        tuple(Worsening(str(n), ("parents",) * n) for n in (1, 2, 3)),
    ),
)
"""In the order in which they are shown."""
