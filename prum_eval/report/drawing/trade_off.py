"""What a picture of quality and cost shows, before anybody draws it: recall by what is read, quality by its cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.comparison import Comparison
from prum_eval.analysis.paired import t_margin
from prum_eval.analysis.telling import Telling, telling
from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.evaluation.results import Curve, Evaluation
from prum_eval.measures.base import Measure
from prum_eval.measures.registry import point_of, printed_by
from prum_eval.numerics.pareto import on_front
from prum_eval.report.drawing.panels import run_names, told_apart

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
    within: Measure | None
    bands: Sequence[Band | None]
    cost: str | None
    quality: str | None
    points: FloatArray
    alpha: float

    @property
    def front(self) -> BoolArray:
        """The runs that no other beats in quality and cost at once."""
        found: BoolArray = np.zeros(len(self.points), dtype=np.bool_)
        known = np.flatnonzero(~np.isnan(self.points).any(axis=1))
        found[known] = on_front(*self.points[known].T)
        return found


def trade_off_of_evaluation(evaluation: Evaluation) -> TradeOff | None:
    """That of an evaluation with curves; None where it has neither costs nor budgets to draw."""
    told = telling(evaluation.names)
    curves = [_curve(own, told.budget) for own in evaluation.curves]
    bands = [None if one is None else _band(_of_curve(one, one.topics), _ALPHA) for one in curves]
    means = [run.all for run in evaluation.runs]
    return _trade_off(run_names(evaluation.runs), told, bands, means, _ALPHA)


def trade_off_of_comparison(comparison: Comparison) -> TradeOff | None:
    """That of a comparison, over the topics that all runs have; None where it has neither costs nor budgets to draw."""
    matrix, told, alpha = comparison.matrix, telling(comparison.matrix.measures), comparison.settings.alpha
    names = told_apart(matrix.runs, matrix.paths)
    places = {name: number for number, name in enumerate(matrix.measures)}
    means: list[dict[str, float | None]] = [{} for _ in names]
    for row in comparison.measured:
        means[row.run][row.measure] = row.mean
    if matrix.curves:
        curves = [_curve(own, told.budget) for own in matrix.curves]
        found = [{} if one is None else _of_curve(one, matrix.topics) for one in curves]
    else:
        budgets = _same_kind(told.budget, matrix.measures)
        rows = {budget: matrix.values[places[name]] for budget, name in budgets.items()}
        found = [{budget: row[run] for budget, row in rows.items()} for run in range(len(names))]
    return _trade_off(names, told, [_band(own, alpha) for own in found], means, alpha)


def _trade_off(
    names: Sequence[str],
    told: Telling,
    bands: Sequence[Band | None],
    means: Sequence[Mapping[str, float | None]],
    alpha: float,
) -> TradeOff | None:
    known = [] if not any(bands) else bands
    if not known and told.trade_off is None:
        return None
    cost, quality = told.trade_off or (None, None)
    known = _until_all_is_read(known)
    points = np.array([[_number(own.get(name or "")) for name in (cost, quality)] for own in means])
    ranking = [_number(own.get((told.budget if known else quality) or "")) for own in means]
    order = np.argsort(-np.nan_to_num(np.array(ranking), nan=-np.inf), kind="stable").tolist()
    within = printed_by([told.budget])[told.budget] if known and told.budget else None
    return TradeOff(names, order, within, known, cost, quality, points, alpha)


def _band(values: Mapping[float, FloatArray], alpha: float) -> Band | None:
    """From values by topic within each budget; topics without a value have none within any budget."""
    if len(values) < 2:
        return None
    table = np.array([values[budget] for budget in sorted(values)])
    table = table[:, ~np.isnan(table).any(axis=0)]
    if not table.shape[1]:
        return None
    return Band(np.array(sorted(values)), table.mean(axis=1), t_margin(table, alpha))


def _until_all_is_read(bands: Sequence[Band | None]) -> list[Band | None]:
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
    measure, label = printed_by([name])[name].name, name.partition(":")[2]
    return next((one for one in curves if one.measure == measure and one.name.partition(":")[2] == label), None)


def _of_curve(curve: Curve, topics: Collection[str]) -> dict[float, FloatArray]:
    """Values by topic at each point of a curve."""
    by_topic = [dict(curve.topics.get(topic, ())) for topic in topics]
    return {point: np.array([_number(own.get(point)) for own in by_topic]) for point, _ in curve.all}


def _same_kind(name: str | None, measures: Sequence[str]) -> dict[float, str]:
    """The names of a measure within other budgets, by budget."""
    if name is None:
        return {}
    known, label = printed_by(measures), name.partition(":")[2]
    same = [one for one in known if known[one].name == known[name].name and one.partition(":")[2] == label]
    points = {one: point_of(one, known[one]) for one in same}
    return {point: one for one, point in points.items() if point is not None}


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
