"""What a picture of a sweep shows, before anybody draws it: means by value, or curves with a line a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.sensitivity.result import Sweep
from prum_eval.measures.base import Shape
from prum_eval.report.drawing.axes import Axis, budget_axis, linear_axis, rank_axis
from prum_eval.report.drawing.named_curves import NamedCurve, by_curve
from prum_eval.report.drawing.panels import Line, Panel, Points, one_line, told_apart
from prum_eval.report.writing import labels

_LETTERS = 42
"""So many letters have room side by side below an axis."""


@dataclass(frozen=True)
class SweptPanel:
    """A panel, and of each of its lines the intervals around its points: (place, low, high).

    `numbers`: places of its measures. `by_value`: lines are those of the values, and not of the runs; of these there
    is a measure at each of `points`.
    """

    panel: Panel
    bands: Sequence[Sequence[tuple[float, float, float]]]
    numbers: Sequence[int]
    by_value: bool = False
    points: Sequence[float] = ()


def swept_panels(sweep: Sweep) -> list[SweptPanel]:
    """A panel a measure: lines of runs over the values, or, of the curve of a single run, lines of the values."""
    found = []
    for one in by_curve(sweep.measures):
        if one.is_curve and len(sweep.runs) == 1:
            found.append(_curves(sweep, one))
        else:
            found += [_by_value(sweep, number) for number in one.numbers]
    return [one for one in found if one.panel.lines]


def places(sweep: Sweep) -> tuple[float, ...]:
    """Where the values stand on their axis: themselves, or one after the other where they are no numbers."""
    return sweep.varied.numbers or tuple(map(float, range(len(sweep.values))))


def value_axis(sweep: Sweep) -> Axis:
    """The axis of the values; names that do not fit side by side are numbers, which `value_label` explains."""
    numbers = sweep.varied.numbers
    if numbers is None:
        last = len(sweep.values) - 1
        return Axis(-0.25, last + 0.25, places(sweep), tuple(_names(sweep)))
    return budget_axis(numbers) if sweep.varied.logarithmic else linear_axis(min(numbers), max(numbers))


def value_label(sweep: Sweep) -> str:
    """What is below the axis of the values: the name of the parameter, and what numbers stand for names."""
    label, values = one_line(sweep.label), list(map(one_line, sweep.values))
    if sweep.varied.numbers is not None or _names(sweep) == values:
        return label
    return f"{label}: {', '.join(f'{number} {value}' for number, value in enumerate(values, 1))}"


def _names(sweep: Sweep) -> list[str]:
    """The values as they stand at the axis, which is half a place longer than from the first to the last."""
    return labels(list(map(one_line, sweep.values)), int(_LETTERS / (len(sweep.values) - 0.5)) - 1)


def _by_value(sweep: Sweep, number: int) -> SweptPanel:
    """Lines of the runs over the values, with intervals around them."""
    names, title = told_apart(sweep.runs, sweep.paths), one_line(sweep.measures[number])
    lines, bands = [], []
    for run, name in enumerate(names):
        means, margins = sweep.table[number, :, run], np.nan_to_num(sweep.margins[number, :, run])
        known = [one for one in zip(places(sweep), means, margins, strict=True) if math.isfinite(one[1])]
        if known:
            own = run if len(names) > 1 else None
            lines.append(Line(name, [(x, float(mean)) for x, mean, _ in known], run, own))
            bands.append([(x, float(mean - margin), float(mean + margin)) for x, mean, margin in known])
    ys = [y for line in lines for _, y in line.points]
    y_axis = linear_axis(min(0.0, *ys), max(ys)) if ys else linear_axis(0, 1)
    panel = Panel(title, title, value_label(sweep), "mean", value_axis(sweep), y_axis, lines)
    clipped = [[(x, max(low, y_axis.low), min(high, y_axis.high)) for x, low, high in band] for band in bands]
    return SweptPanel(panel, clipped, [number])


def _curves(sweep: Sweep, curve: NamedCurve) -> SweptPanel:
    """Lines of the values over levels, cut-offs or budgets."""
    measure = curve.measure
    own = sorted(zip(curve.points, curve.numbers, strict=True))
    lines = []
    for place, value in enumerate(sweep.values):
        found: Points = [
            (point, float(mean)) for point, number in own if math.isfinite(mean := sweep.table[number, place, 0])
        ]
        lines += [Line(f"{one_line(sweep.label)} {value}", found, place, place)] if found else []
    title = one_line(curve.name)
    xs = [point for point, _ in own]
    x_axis = {Shape.AT_RANKS: rank_axis, Shape.AT_BUDGETS: budget_axis}.get(measure.shape, _levels)(xs)
    y_axis = linear_axis(0, max((y for line in lines for _, y in line.points), default=1.0))
    panel = Panel(title, title, *measure.axes, x_axis, y_axis, lines)
    numbers = [number for _, number in own]
    return SweptPanel(panel, [()] * len(lines), numbers, by_value=True, points=xs)


def _levels(levels: Sequence[float]) -> Axis:
    return linear_axis(0, max(levels))
