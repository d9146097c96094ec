"""Panels of sweeps, and data of quality and cost, for pages and pictures."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.comparison import Comparison, MeasureRanking, rank_measures, t_margin
from prum_eval.analysis.matrix import lower_better_names, round_significant
from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.evaluation.results import Curve, Evaluation
from prum_eval.experiments.sweep import Sweep
from prum_eval.measures.base import Measure, Shape
from prum_eval.measures.registry import cutoff_of_name, measures_by_printed_name
from prum_eval.numerics.curves import pareto_mask
from prum_eval.report.drawing import (
    MAX_DISTINCT_STYLES,
    Axis,
    Label,
    Line,
    NamedCurve,
    Panel,
    Points,
    budget_axis,
    group_by_curve,
    linear_axis,
    rank_axis,
    run_names,
)
from prum_eval.report.layout import labels_or_numbers
from prum_eval.tabular import to_single_line, unique_labels


def top_text(top: float) -> str:
    """The value at the top of a row.

    >>> top_text(1.0), top_text(3.18181), top_text(37400.0)
    ('1', '3.18', '37,400')
    """
    return f"{top:,.0f}" if top >= 100 else f"{top:.3g}"


# Sweeps: means by value, or curves with a line per value.

MAX_MEAN_LINES = 6
"""Maximum number of runs whose means and bands can be told apart; of more, ranks are drawn."""
_MAX_RANK_TICKS = 15
_MAX_AXIS_LETTERS = 42
"""Number of letters with space side by side below an axis."""


@dataclass(frozen=True)
class SweepPanel:
    """A panel, and of each line the intervals around its points: (x, low, high).

    `numbers`: indices of its measures. `by_value`: whether there is a line per value, with a measure at each of
    `points`, and not a line per run. `names_at_ends`: whether the lines need no legend.
    """

    panel: Panel
    bands: Sequence[Sequence[tuple[float, float, float]]]
    numbers: Sequence[int]
    by_value: bool = False
    points: Sequence[float] = ()
    names_at_ends: bool = False


def sweep_panels(sweep: Sweep) -> list[SweepPanel]:
    """A panel per measure with a line per run over the values; of the curve of a single run with a line per value.

    Of more than `MAX_MEAN_LINES` runs the lines are ranks, with the names of the runs at their ends.
    """
    panels = []
    for curve in group_by_curve(sweep.measures):
        if curve.is_curve and len(sweep.runs) == 1:
            panels.append(_panel_of_curves(sweep, curve))
        else:
            panel_of = _panel_over_values if len(sweep.runs) <= MAX_MEAN_LINES else _panel_of_ranks
            panels += [panel_of(sweep, number) for number in curve.numbers]
    return [swept for swept in panels if swept.panel.lines]


def value_positions(sweep: Sweep) -> tuple[float, ...]:
    """Positions of the values on their axis: the numbers, or 0, 1, ... for names."""
    return sweep.parameter.numbers or tuple(map(float, range(len(sweep.values))))


def value_axis(sweep: Sweep) -> Axis:
    """The axis of the values; names that do not fit side by side are numbered, see `value_label`."""
    numbers = sweep.parameter.numbers
    if numbers is None:
        last = len(sweep.values) - 1
        return Axis(-0.25, last + 0.25, value_positions(sweep), tuple(_value_labels(sweep)))
    return budget_axis(numbers) if sweep.parameter.logarithmic else linear_axis(min(numbers), max(numbers))


def value_label(sweep: Sweep) -> str:
    """The label of the axis of the values: the parameter, and the names if they are numbered."""
    label, values = to_single_line(sweep.label), list(map(to_single_line, sweep.values))
    if sweep.parameter.numbers is not None or _value_labels(sweep) == values:
        return label
    return f"{label}: {', '.join(f'{number} {value}' for number, value in enumerate(values, 1))}"


def _value_labels(sweep: Sweep) -> list[str]:
    """The texts of the values at their axis, which is half a step longer than from the first to the last."""
    return labels_or_numbers(
        list(map(to_single_line, sweep.values)), int(_MAX_AXIS_LETTERS / (len(sweep.values) - 0.5)) - 1
    )


def _panel_over_values(sweep: Sweep, number: int) -> SweepPanel:
    """Lines of the runs over the values, with intervals around them."""
    names, title = unique_labels(sweep.runs, sweep.paths), to_single_line(sweep.measures[number])
    lines, bands = [], []
    for run, name in enumerate(names):
        means, margins = sweep.table[number, :, run], np.nan_to_num(sweep.margins[number, :, run])
        rows = [row for row in zip(value_positions(sweep), means, margins, strict=True) if math.isfinite(row[1])]
        if rows:
            points = [(x, float(mean)) for x, mean, _ in rows]
            lines.append(Line(name, points, run, run if len(names) > 1 else None))
            bands.append([(x, float(mean - margin), float(mean + margin)) for x, mean, margin in rows])
    ys = [y for line in lines for _, y in line.points]
    y_axis = linear_axis(min(0.0, *ys), max(ys)) if ys else linear_axis(0, 1)
    panel = Panel(title, title, value_label(sweep), "mean", value_axis(sweep), y_axis, lines)
    clipped = [[(x, max(low, y_axis.low), min(high, y_axis.high)) for x, low, high in band] for band in bands]
    return SweepPanel(panel, clipped, [number])


def _panel_of_ranks(sweep: Sweep, number: int) -> SweepPanel:
    """Lines of the ranks of the runs over the values, 1 for the best mean; equal means share a rank."""
    names, title = unique_labels(sweep.runs, sweep.paths), to_single_line(sweep.measures[number])
    sign = 1 if lower_better_names([sweep.measures[number]]) else -1
    costs = sign * round_significant(sweep.table[number])
    ranks = 1 + (costs[:, None, :] < costs[:, :, None]).sum(axis=2)  # NaN compares as false
    axis = value_axis(sweep)
    lines, labels = [], []
    for run, name in enumerate(names):
        rows = zip(value_positions(sweep), ranks[:, run], costs[:, run], strict=True)
        if points := [(x, float(rank)) for x, rank, cost in rows if math.isfinite(cost)]:
            style = run if run < MAX_DISTINCT_STYLES else None
            lines.append(Line(name, points, style, run))
            labels.append(Label(f"name:{title}:{name}", *points[-1], f" {to_single_line(name)}", 0.6))
    marks = tuple(range(1, len(names) + 1, max(1, len(names) // _MAX_RANK_TICKS)))
    y_axis = Axis(len(names) + 0.5, 0.5, tuple(map(float, marks)), tuple(map(str, marks)))
    panel = Panel(title, title, value_label(sweep), "rank", axis, y_axis, lines, "other runs", labels)
    return SweepPanel(panel, [()] * len(lines), [number], names_at_ends=True)


def _panel_of_curves(sweep: Sweep, curve: NamedCurve) -> SweepPanel:
    """Lines of the values over levels, cut-offs or budgets."""
    measure = curve.measure
    measures = sorted(zip(curve.points, curve.numbers, strict=True))
    lines = []
    for place, value in enumerate(sweep.values):
        points: Points = [
            (point, float(mean)) for point, number in measures if math.isfinite(mean := sweep.table[number, place, 0])
        ]
        lines += [Line(f"{to_single_line(sweep.label)} {value}", points, place, place)] if points else []
    title = to_single_line(curve.name)
    xs = [point for point, _ in measures]
    x_axis = {Shape.AT_RANKS: rank_axis, Shape.AT_BUDGETS: budget_axis}.get(measure.shape, _levels)(xs)
    y_axis = linear_axis(0, max((y for line in lines for _, y in line.points), default=1.0))
    panel = Panel(title, title, *measure.axes, x_axis, y_axis, lines)
    numbers = [number for _, number in measures]
    return SweepPanel(panel, [()] * len(lines), numbers, by_value=True, points=xs)


def _levels(levels: Sequence[float]) -> Axis:
    return linear_axis(0, max(levels))


# Quality and cost: recall by what is read, quality by its cost.

_ALPHA = 0.05
"""Level of the intervals of an evaluation, which has no option for it."""


@dataclass(frozen=True)
class Band:
    """Recall of a run within budgets: means over topics, and half the width of their intervals (NaN if unknown)."""

    budgets: FloatArray
    means: FloatArray
    margins: FloatArray


@dataclass(frozen=True)
class TradeOff:
    """Recall of runs within budgets, and their quality by its cost.

    `order`: indices of the runs, the best first. `bands`: one per run, None without values within two budgets; empty
    if no run has values within budgets. `points`: cost and quality of each run, shape (runs, 2), NaN if unknown;
    `cost` and `quality` are the names of the measures, None without both.
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
        """Mask of the runs that no other run beats in quality and cost at once."""
        front: BoolArray = np.zeros(len(self.points), dtype=np.bool_)
        complete = np.flatnonzero(~np.isnan(self.points).any(axis=1))
        front[complete] = pareto_mask(*self.points[complete].T)
        return front


def trade_off_of_evaluation(evaluation: Evaluation) -> TradeOff | None:
    """That of an evaluation with curves; None if it has neither costs nor budgets."""
    ranking = rank_measures(evaluation.names)
    curves = [_curve(own, ranking.budget) for own in evaluation.curves]
    bands = [None if curve is None else _make_band(_values_by_point(curve, curve.topics), _ALPHA) for curve in curves]
    means = [run.all for run in evaluation.runs]
    return _make_trade_off(run_names(evaluation.runs), ranking, bands, means, _ALPHA)


def trade_off_of_comparison(comparison: Comparison) -> TradeOff | None:
    """That of a comparison, over the topics of all runs; None if it has neither costs nor budgets."""
    matrix, alpha = comparison.matrix, comparison.settings.alpha
    ranking = rank_measures(matrix.measures)
    names = unique_labels(matrix.runs, matrix.paths)
    places = {name: number for number, name in enumerate(matrix.measures)}
    means: list[dict[str, float | None]] = [{} for _ in names]
    for row in comparison.run_means:
        means[row.run][row.measure] = row.mean
    if matrix.curves:
        curves = [_curve(own, ranking.budget) for own in matrix.curves]
        values = [{} if curve is None else _values_by_point(curve, matrix.topics) for curve in curves]
    else:
        budgets = _names_by_budget(ranking.budget, matrix.measures)
        rows = {budget: matrix.values[places[name]] for budget, name in budgets.items()}
        values = [{budget: row[run] for budget, row in rows.items()} for run in range(len(names))]
    return _make_trade_off(names, ranking, [_make_band(own, alpha) for own in values], means, alpha)


def _make_trade_off(
    names: Sequence[str],
    ranking: MeasureRanking,
    bands: Sequence[Band | None],
    means: Sequence[Mapping[str, float | None]],
    alpha: float,
) -> TradeOff | None:
    if not any(bands) and ranking.trade_off is None:
        return None
    cost, quality = ranking.trade_off or (None, None)
    bands = _trim_constant_end(bands) if any(bands) else []
    points = np.array([[_nan_if_none(own.get(name or "")) for name in (cost, quality)] for own in means])
    scores = [_nan_if_none(own.get((ranking.budget if bands else quality) or "")) for own in means]
    order = np.argsort(-np.nan_to_num(np.array(scores), nan=-np.inf), kind="stable").tolist()
    within = measures_by_printed_name([ranking.budget])[ranking.budget] if bands and ranking.budget else None
    return TradeOff(names, order, within, bands, cost, quality, points, alpha)


def _make_band(values: Mapping[float, FloatArray], alpha: float) -> Band | None:
    """The band of values by topic within each budget, over the topics with a value within every budget."""
    if len(values) < 2:
        return None
    table = np.array([values[budget] for budget in sorted(values)])
    table = table[:, ~np.isnan(table).any(axis=0)]
    if not table.shape[1]:
        return None
    return Band(np.array(sorted(values)), table.mean(axis=1), t_margin(table, alpha))


def _trim_constant_end(bands: Sequence[Band | None]) -> list[Band | None]:
    """The bands up to the last budget at which a run still finds more."""
    grows = [band.budgets[1:][np.diff(band.means) > 0].max(initial=0.0) for band in bands if band is not None]
    last = max(grows, default=0.0)
    trimmed: list[Band | None] = []
    for band in bands:
        if band is not None and (end := int(np.searchsorted(band.budgets, last)) + 1) > 1:
            trimmed.append(Band(band.budgets[:end], band.means[:end], band.margins[:end]))
        else:
            trimmed.append(band)
    return trimmed


def _curve(curves: Sequence[Curve], name: str | None) -> Curve | None:
    """The curve with a point of that printed name."""
    if name is None:
        return None
    measure, label = measures_by_printed_name([name])[name].name, name.partition(":")[2]
    return next((own for own in curves if own.measure == measure and own.name.partition(":")[2] == label), None)


def _values_by_point(curve: Curve, topics: Collection[str]) -> dict[float, FloatArray]:
    """Values by topic at each point of a curve."""
    by_topic = [dict(curve.topics.get(topic, ())) for topic in topics]
    return {point: np.array([_nan_if_none(own.get(point)) for own in by_topic]) for point, _ in curve.all}


def _names_by_budget(name: str | None, measures: Sequence[str]) -> dict[float, str]:
    """The names of a measure within other budgets, by budget."""
    if name is None:
        return {}
    registered, label = measures_by_printed_name(measures), name.partition(":")[2]
    return {
        point: other
        for other, measure in registered.items()
        if measure.name == registered[name].name and other.partition(":")[2] == label
        if (point := cutoff_of_name(other, measure)) is not None
    }


def _nan_if_none(value: float | None) -> float:
    return np.nan if value is None else float(value)
