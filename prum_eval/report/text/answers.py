"""How measures answer to what can be wrong with a list, in 80 columns: the situations side by side, values as bars."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

from prum_eval.gallery.answers import Answers, MeasureAnswer
from prum_eval.gallery.situations import SITUATIONS
from prum_eval.report.drawing.answers import top_text
from prum_eval.report.layout import Layout
from prum_eval.report.writing import LINE_WIDTH

_WIDTH = 15
"""Columns of a situation; a blank is between two."""
_LABEL, _BAR = 6, 4
_PARTS = " ▏▎▍▌▋▊▉█"
"""Eighths of a bar."""


def answers_text(answers: Answers, _layout: Layout) -> str:
    """A block a measure, and what the situations are."""
    lines: list[str] = []
    for name, own in answers.by_measure.items():
        lines += [f"{name}{_scale(own[0].top)}", *_block(own), *_refusals(own), ""]
    for one in SITUATIONS:
        lines += wrap(one.meaning, LINE_WIDTH, initial_indent=f"{one.name:<16}", subsequent_indent=" " * 16)
    return "".join(f"{line}\n" for line in lines)


def _scale(top: float) -> str:
    return "" if top == 1 else f" (1 stands for {top_text(top)})"


def _block(own: Sequence[MeasureAnswer]) -> list[str]:
    """A line a step, situations side by side."""
    columns = [[one.situation.name[:_WIDTH], *_lines(one)] for one in own]
    return [" ".join(cell.ljust(_WIDTH) for cell in cells).rstrip() for cells in zip_longest(*columns, fillvalue="")]


def _lines(one: MeasureAnswer) -> list[str]:
    lines = []
    for step, value in zip(one.situation.places, one.values, strict=True):
        if value is None:
            lines.append(f"{step:<{_LABEL}} refused")
        else:
            lines.append(f"{step:<{_LABEL}}{value / one.top:.2f} {bar(value / one.top, _BAR)}")
    return lines


def bar(share: float, width: int) -> str:
    """A bar of so many columns, as much of it filled as the share says.

    >>> bar(0.5, 4), bar(0.03125, 4)
    ('██', '▏')
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + _PARTS[eighths % 8]).rstrip()


def _refusals(own: Sequence[MeasureAnswer]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for one in own:
        if one.reason is not None:
            reasons.setdefault(one.reason, []).append(one.situation.name)
    return [
        line
        for reason, names in reasons.items()
        for line in wrap(f"refused ({', '.join(names)}): {reason}", LINE_WIDTH, subsequent_indent="  ")
    ]
