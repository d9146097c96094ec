"""How lines look, whoever draws them: colour, dashes and sign differ together, to be told apart in grey too."""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b07d00", "#3a9bd9")
"""After Okabe and Ito, for colour-blind eyes; the yellow ones darkened, to be seen on white."""
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2))
"""Lengths of strokes and gaps, in line widths."""
SIGNS = ("circle", "square", "triangle", "diamond", "plus", "wedge", "cross")
FAINT = "#b5b5b5"


@dataclass(frozen=True)
class Look:
    """The look of a line."""

    colour: str
    dashes: tuple[float, ...]
    sign: str
    hollow: bool


def look(number: int) -> Look:
    """The look of the run of that number: 28 differ without colour, and 14 without dashes too.

    >>> len({(one.dashes, one.sign, one.hollow) for one in map(look, range(28))})
    28
    >>> len({(one.sign, one.hollow) for one in map(look, range(14))})
    14
    """
    return Look(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        SIGNS[number % len(SIGNS)],
        (number % len(SIGNS) + number // len(SIGNS)) % 2 == 1,
    )
