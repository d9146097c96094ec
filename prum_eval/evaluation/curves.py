"""Curves: measures with levels or cut-offs as pairs of numbers, at all levels of their curves whatever is printed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from prum_eval.evaluation.results import Curve, MeasuredValue, RunResult
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure

_AXES = {Shape.AT_LEVELS: "recall", Shape.AT_RANKS: "rank", Shape.AT_BUDGETS: "budget"}
_WIDENED = (Shape.AT_LEVELS, Shape.AT_BUDGETS)


def widened(instances: Sequence[ConfiguredMeasure]) -> list[ConfiguredMeasure]:
    """The instances, those with levels or budgets at those of their curves too: three points are no curve."""
    return [
        replace(one, cutoffs=tuple(sorted({*one.cutoffs, *(one.measure.drawn or one.measure.cutoffs)})))
        if one.measure.shape in _WIDENED
        else one
        for one in instances
    ]


def narrowed(result: RunResult, names: Collection[str]) -> RunResult:
    """The result with the values that were asked for, and no others."""
    wanted = frozenset(names)

    def kept(values: Mapping[str, MeasuredValue]) -> dict[str, MeasuredValue]:
        return {name: value for name, value in values.items() if name in wanted}

    topics = {topic: kept(values) for topic, values in result.topics.items()}
    groups = {name: replace(one, all=kept(one.all)) for name, one in result.groups.items()}
    return replace(result, topics=topics, all=kept(result.all), groups=groups)


def curves_of(instances: Sequence[ConfiguredMeasure], result: RunResult) -> tuple[Curve, ...]:
    """The curves of a run: one an instance with levels or cut-offs that it has."""
    return tuple(
        Curve(
            one.measure.name,
            one.called,
            _AXES[one.measure.shape],
            {topic: _points(one, values) for topic, values in result.topics.items()},
            _points(one, result.all),
        )
        for one in instances
        if one.measure.shape in _AXES and one.names[0] in result.all
    )


def _points(instance: ConfiguredMeasure, values: Mapping[str, MeasuredValue]) -> list[tuple[float, float]]:
    pairs = zip(instance.cutoffs, instance.names, strict=True)
    return [(point, value) for point, name in pairs if (value := values.get(name)) is not None]
