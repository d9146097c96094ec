"""How lines look, whoever draws them: colour, dashes and marker differ together, to be told apart in grey too."""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b07d00", "#3a9bd9")
"""After Okabe and Ito, for colour-blind eyes; the yellow ones darkened, to be seen on white."""
ON_DARK = {
    "#000000": "#f4f4f4",
    "#d55e00": "#ff8a3c",
    "#0072b2": "#5ab0ee",
    "#009e73": "#2fc79b",
    "#b07d00": "#e0b040",
    "#b5b5b5": "#5d636b",
}
"""What becomes of colours on a dark ground; those that are not here are light enough."""
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2))
"""Lengths of strokes and gaps, in line widths."""
MARKERS = ("circle", "square", "triangle", "diamond", "plus", "wedge", "cross")
FAINT = "#b5b5b5"
MOST_COLOURED = 14
"""So many lines or signs have colours and markers that differ; where there are more, the others are grey."""


_RAMP = ((32, 26, 91), (33, 102, 147), (42, 148, 131), (139, 178, 62), (226, 171, 41))
"""From dark to light, in red, green and blue: lighter in grey too from step to step."""
_ALL_SIGNS = 25
"""So many signs can be told apart on a line; those of more points hide it."""


@dataclass(frozen=True)
class LineStyle:
    """How one line is drawn."""

    colour: str
    dashes: tuple[float, ...]
    marker: str
    hollow: bool


def line_style(number: int) -> LineStyle:
    """The style of the run of that number: 28 differ without colour, and 14 without dashes too.

    >>> len({(one.dashes, one.marker, one.hollow) for one in map(line_style, range(28))})
    28
    >>> len({(one.marker, one.hollow) for one in map(line_style, range(14))})
    14
    """
    return LineStyle(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        MARKERS[number % len(MARKERS)],
        (number % len(MARKERS) + number // len(MARKERS)) % 2 == 1,
    )


def ramp_colour(number: int, of: int) -> str:
    """The colour of a line among several that are in an order, the first one darkest.

    >>> ramp_colour(0, 3), ramp_colour(1, 3), ramp_colour(2, 3)
    ('#201a5b', '#2a9483', '#e2ab29')
    """
    place = number / max(1, of - 1) * (len(_RAMP) - 1)
    low = min(int(place), len(_RAMP) - 2)
    pairs = zip(_RAMP[low], _RAMP[low + 1], strict=True)
    return "#" + "".join(f"{round(one + (other - one) * (place - low)):02x}" for one, other in pairs)


def sparse_signs(points: int, line: int) -> tuple[int, int]:
    """First point with a sign and the step to the next: all of up to 25 points, about ten of more, other ones a line.

    >>> sparse_signs(11, 3), sparse_signs(101, 0), sparse_signs(101, 3)
    ((0, 1), (0, 10), (3, 10))
    """
    step = 1 if points <= _ALL_SIGNS else round(points / 10)
    return line % step, step
