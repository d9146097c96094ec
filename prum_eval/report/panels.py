"""Panels of sweeps, and data of quality and cost, for pages and pictures."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.comparison import Comparison, MeasureRanking, rank_measures, t_margin
from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.evaluation.results import Curve, Evaluation
from prum_eval.experiments.sweep import Sweep
from prum_eval.measures.base import Measure, Shape
from prum_eval.measures.registry import cutoff_of_name, measures_by_printed_name
from prum_eval.numerics.curves import pareto_mask
from prum_eval.report.drawing import (
    Axis,
    Line,
    NamedCurve,
    Panel,
    Points,
    budget_axis,
    group_by_curve,
    linear_axis,
    rank_axis,
    run_names,
    to_single_line,
    unique_labels,
)
from prum_eval.report.layout import labels_or_numbers


def top_text(top: float) -> str:
    """The value at the top of a row.

    >>> top_text(1.0), top_text(3.18181), top_text(37400.0)
    ('1', '3.18', '37,400')
    """
    return f"{top:,.0f}" if top >= 100 else f"{top:.3g}"


# What a picture of a sweep shows, before anybody draws it: means by value, or curves with a line a value.


_MAX_AXIS_LETTERS = 42
"""So many letters have room side by side below an axis."""


@dataclass(frozen=True)
class SweepPanel:
    """A panel, and of each of its lines the intervals around its points: (place, low, high).

    `numbers`: places of its measures. `by_value`: lines are those of the values, and not of the runs; of these there
    is a measure at each of `points`.
    """

    panel: Panel
    bands: Sequence[Sequence[tuple[float, float, float]]]
    numbers: Sequence[int]
    by_value: bool = False
    points: Sequence[float] = ()


def sweep_panels(sweep: Sweep) -> list[SweepPanel]:
    """A panel a measure: lines of runs over the values, or, of the curve of a single run, lines of the values."""
    found = []
    for one in group_by_curve(sweep.measures):
        if one.is_curve and len(sweep.runs) == 1:
            found.append(_panel_of_curves(sweep, one))
        else:
            found += [_panel_over_values(sweep, number) for number in one.numbers]
    return [one for one in found if one.panel.lines]


def value_positions(sweep: Sweep) -> tuple[float, ...]:
    """Where the values stand on their axis: themselves, or one after the other where they are no numbers."""
    return sweep.parameter.numbers or tuple(map(float, range(len(sweep.values))))


def value_axis(sweep: Sweep) -> Axis:
    """The axis of the values; names that do not fit side by side are numbers, which `value_label` explains."""
    numbers = sweep.parameter.numbers
    if numbers is None:
        last = len(sweep.values) - 1
        return Axis(-0.25, last + 0.25, value_positions(sweep), tuple(_value_labels(sweep)))
    return budget_axis(numbers) if sweep.parameter.logarithmic else linear_axis(min(numbers), max(numbers))


def value_label(sweep: Sweep) -> str:
    """What is below the axis of the values: the name of the parameter, and what numbers stand for names."""
    label, values = to_single_line(sweep.label), list(map(to_single_line, sweep.values))
    if sweep.parameter.numbers is not None or _value_labels(sweep) == values:
        return label
    return f"{label}: {', '.join(f'{number} {value}' for number, value in enumerate(values, 1))}"


def _value_labels(sweep: Sweep) -> list[str]:
    """The values as they stand at the axis, which is half a place longer than from the first to the last."""
    return labels_or_numbers(
        list(map(to_single_line, sweep.values)), int(_MAX_AXIS_LETTERS / (len(sweep.values) - 0.5)) - 1
    )


def _panel_over_values(sweep: Sweep, number: int) -> SweepPanel:
    """Lines of the runs over the values, with intervals around them."""
    names, title = unique_labels(sweep.runs, sweep.paths), to_single_line(sweep.measures[number])
    lines, bands = [], []
    for run, name in enumerate(names):
        means, margins = sweep.table[number, :, run], np.nan_to_num(sweep.margins[number, :, run])
        known = [one for one in zip(value_positions(sweep), means, margins, strict=True) if math.isfinite(one[1])]
        if known:
            own = run if len(names) > 1 else None
            lines.append(Line(name, [(x, float(mean)) for x, mean, _ in known], run, own))
            bands.append([(x, float(mean - margin), float(mean + margin)) for x, mean, margin in known])
    ys = [y for line in lines for _, y in line.points]
    y_axis = linear_axis(min(0.0, *ys), max(ys)) if ys else linear_axis(0, 1)
    panel = Panel(title, title, value_label(sweep), "mean", value_axis(sweep), y_axis, lines)
    clipped = [[(x, max(low, y_axis.low), min(high, y_axis.high)) for x, low, high in band] for band in bands]
    return SweepPanel(panel, clipped, [number])


def _panel_of_curves(sweep: Sweep, curve: NamedCurve) -> SweepPanel:
    """Lines of the values over levels, cut-offs or budgets."""
    measure = curve.measure
    own = sorted(zip(curve.points, curve.numbers, strict=True))
    lines = []
    for place, value in enumerate(sweep.values):
        found: Points = [
            (point, float(mean)) for point, number in own if math.isfinite(mean := sweep.table[number, place, 0])
        ]
        lines += [Line(f"{to_single_line(sweep.label)} {value}", found, place, place)] if found else []
    title = to_single_line(curve.name)
    xs = [point for point, _ in own]
    x_axis = {Shape.AT_RANKS: rank_axis, Shape.AT_BUDGETS: budget_axis}.get(measure.shape, _levels)(xs)
    y_axis = linear_axis(0, max((y for line in lines for _, y in line.points), default=1.0))
    panel = Panel(title, title, *measure.axes, x_axis, y_axis, lines)
    numbers = [number for _, number in own]
    return SweepPanel(panel, [()] * len(lines), numbers, by_value=True, points=xs)


def _levels(levels: Sequence[float]) -> Axis:
    return linear_axis(0, max(levels))


# What a picture of quality and cost shows, before anybody draws it: recall by what is read, quality by its cost.


_ALPHA = 0.05
"""Of the intervals of an evaluation, which has no choice of it."""


@dataclass(frozen=True)
class Band:
    """What a run finds within budgets: means over topics, and half the width of their intervals; NaN where unknown."""

    budgets: FloatArray
    means: FloatArray
    margins: FloatArray


@dataclass(frozen=True)
class TradeOff:
    """What runs find within budgets, and their quality by its cost.

    `order`: places of the runs, the best first. `bands`: one a run, None where it has no value within two budgets; none
    of them where nothing was found within budgets. `points`: cost and quality of each run, shape (runs, 2), NaN where
    unknown; `cost` and `quality` are the names of the measures, None without both.
    """

    names: Sequence[str]
    order: Sequence[int]
    budget_measure: Measure | None
    bands: Sequence[Band | None]
    cost: str | None
    quality: str | None
    points: FloatArray
    alpha: float

    @property
    def pareto_front(self) -> BoolArray:
        """The runs that no other beats in quality and cost at once."""
        found: BoolArray = np.zeros(len(self.points), dtype=np.bool_)
        known = np.flatnonzero(~np.isnan(self.points).any(axis=1))
        found[known] = pareto_mask(*self.points[known].T)
        return found


def trade_off_of_evaluation(evaluation: Evaluation) -> TradeOff | None:
    """That of an evaluation with curves; None where it has neither costs nor budgets to draw."""
    told = rank_measures(evaluation.names)
    curves = [_curve(own, told.budget) for own in evaluation.curves]
    bands = [None if one is None else _make_band(_values_by_point(one, one.topics), _ALPHA) for one in curves]
    means = [run.all for run in evaluation.runs]
    return _make_trade_off(run_names(evaluation.runs), told, bands, means, _ALPHA)


def trade_off_of_comparison(comparison: Comparison) -> TradeOff | None:
    """That of a comparison, over the topics that all runs have; None where it has neither costs nor budgets to draw."""
    matrix, told, alpha = comparison.matrix, rank_measures(comparison.matrix.measures), comparison.settings.alpha
    names = unique_labels(matrix.runs, matrix.paths)
    places = {name: number for number, name in enumerate(matrix.measures)}
    means: list[dict[str, float | None]] = [{} for _ in names]
    for row in comparison.run_means:
        means[row.run][row.measure] = row.mean
    if matrix.curves:
        curves = [_curve(own, told.budget) for own in matrix.curves]
        found = [{} if one is None else _values_by_point(one, matrix.topics) for one in curves]
    else:
        budgets = _names_by_budget(told.budget, matrix.measures)
        rows = {budget: matrix.values[places[name]] for budget, name in budgets.items()}
        found = [{budget: row[run] for budget, row in rows.items()} for run in range(len(names))]
    return _make_trade_off(names, told, [_make_band(own, alpha) for own in found], means, alpha)


def _make_trade_off(
    names: Sequence[str],
    told: MeasureRanking,
    bands: Sequence[Band | None],
    means: Sequence[Mapping[str, float | None]],
    alpha: float,
) -> TradeOff | None:
    known = [] if not any(bands) else bands
    if not known and told.trade_off is None:
        return None
    cost, quality = told.trade_off or (None, None)
    known = _trim_constant_end(known)
    points = np.array([[_nan_if_none(own.get(name or "")) for name in (cost, quality)] for own in means])
    ranking = [_nan_if_none(own.get((told.budget if known else quality) or "")) for own in means]
    order = np.argsort(-np.nan_to_num(np.array(ranking), nan=-np.inf), kind="stable").tolist()
    within = measures_by_printed_name([told.budget])[told.budget] if known and told.budget else None
    return TradeOff(names, order, within, known, cost, quality, points, alpha)


def _make_band(values: Mapping[float, FloatArray], alpha: float) -> Band | None:
    """From values by topic within each budget; topics without a value have none within any budget."""
    if len(values) < 2:
        return None
    table = np.array([values[budget] for budget in sorted(values)])
    table = table[:, ~np.isnan(table).any(axis=0)]
    if not table.shape[1]:
        return None
    return Band(np.array(sorted(values)), table.mean(axis=1), t_margin(table, alpha))


def _trim_constant_end(bands: Sequence[Band | None]) -> list[Band | None]:
    """The bands up to the first budget from which on no run finds more."""
    grows = [band.budgets[1:][np.diff(band.means) > 0].max(initial=0.0) for band in bands if band is not None]
    last = max(grows, default=0.0)
    kept: list[Band | None] = []
    for band in bands:
        own = band
        if band is not None and (end := int(np.searchsorted(band.budgets, last)) + 1) > 1:
            own = Band(band.budgets[:end], band.means[:end], band.margins[:end])
        kept.append(own)
    return kept


def _curve(curves: Sequence[Curve], name: str | None) -> Curve | None:
    """The curve that a printed name is a point of."""
    if name is None:
        return None
    measure, label = measures_by_printed_name([name])[name].name, name.partition(":")[2]
    return next((one for one in curves if one.measure == measure and one.name.partition(":")[2] == label), None)


def _values_by_point(curve: Curve, topics: Collection[str]) -> dict[float, FloatArray]:
    """Values by topic at each point of a curve."""
    by_topic = [dict(curve.topics.get(topic, ())) for topic in topics]
    return {point: np.array([_nan_if_none(own.get(point)) for own in by_topic]) for point, _ in curve.all}


def _names_by_budget(name: str | None, measures: Sequence[str]) -> dict[float, str]:
    """The names of a measure within other budgets, by budget."""
    if name is None:
        return {}
    known, label = measures_by_printed_name(measures), name.partition(":")[2]
    same = [one for one in known if known[one].name == known[name].name and one.partition(":")[2] == label]
    points = {one: cutoff_of_name(one, known[one]) for one in same}
    return {point: one for one, point in points.items() if point is not None}


def _nan_if_none(value: float | None) -> float:
    return np.nan if value is None else float(value)
