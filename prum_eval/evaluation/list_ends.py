"""Lists of chunks that end before a cut-off or a budget, and the notice of them.

A short list is punished for chunks that nobody asked it to retrieve. So values at a cut-off or budget that more than a
tenth of the lists of a run do not reach are marked, and decide no comparison. Topics without a result have no list.
The lengths of lists come from the measures of cost, read at the end of the list: each is defined once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from prum_eval.evaluation.notices import EARLY_ENDS, Notice
from prum_eval.evaluation.plan import Pairs
from prum_eval.evaluation.results import TopicValue
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.measures.specs import LARGEST_CUTOFF, ConfiguredMeasure

_COSTS = {"size": "size", "tokens": "tokens", "read": "read"}
"""By what budgets are of, the measure of the cost of the first K results."""
_UNITS = {"size": "characters", "tokens": "tokens", "read": "characters read"}
_RESULTS = "results"


def list_length_pairs(pairs: Pairs) -> Pairs:
    """Measures of the length of whole lists, one per kind of budget among the measures, with their settings."""
    lengths = {}
    for instance, setting in pairs:
        budget = instance.measure.budget
        if budget in _COSTS and budget not in lengths:
            cost = MEASURES_BY_NAME[_COSTS[budget]]
            length = replace(
                instance,
                measure=cost,
                cutoffs=(float(LARGEST_CUTOFF),),
                label=f"{cost.name}:whole list",
                values={},
                explicit=False,
                aliases={},
            )
            lengths[budget] = length, setting
    return list(lengths.values())


@dataclass(frozen=True)
class _Lists:
    """The lists of a run: by unit the length of each, topics in the order of the columns; 0 without results."""

    topics: Sequence[str]
    lengths: Mapping[str, Sequence[float]]

    def early_topics(self, unit: str, point: float, values: Sequence[TopicValue]) -> tuple[str, ...]:
        """Topics with a value whose list ends before a cut-off or budget."""
        rows = zip(self.topics, self.lengths[unit], values, strict=True)
        return tuple(topic for topic, length, value in rows if value is not None and 0 < length < point)


def early_ends(
    instances: Sequence[ConfiguredMeasure],
    topics: Sequence[str],
    results: Sequence[int],
    columns: Mapping[str, Sequence[TopicValue]],
    length_pairs: Pairs,
) -> tuple[dict[str, tuple[str, ...]], _Lists]:
    """Topics whose lists end before the cut-off or budget, by the name of the value; empty ones are left out.

    Args:
        instances: the measures.
        topics: those that count.
        results: n of results of each.
        columns: values by name, a row per topic; those of `length_pairs` too.
        length_pairs: as `list_length_pairs` returns them.
    """
    lengths: dict[str, Sequence[float]] = {_RESULTS: results}
    for instance, _ in length_pairs:
        column = columns.get(instance.names[0])
        if column is not None:
            unit = next(unit for unit, cost in _COSTS.items() if cost == instance.measure.name)
            lengths[unit] = [float(value or 0) for value in column]
    lists, found = _Lists(topics, lengths), {}
    for instance in instances:
        unit = _unit(instance)
        for point, name in zip(instance.cutoffs, instance.names, strict=False):
            if unit in lengths and (early := lists.early_topics(unit, point, columns[name])):
                found[name] = early
    return found, lists


def _unit(instance: ConfiguredMeasure) -> str:
    """What the cut-offs of a measure count; empty without cut-offs."""
    shape = instance.measure.shape
    return {Shape.AT_RANKS: _RESULTS, Shape.AT_BUDGETS: instance.measure.budget}.get(shape, "")


def early_end_notices(
    run_id: str, path: str, instances: Sequence[ConfiguredMeasure], early: Mapping[str, Sequence[str]], lists: _Lists
) -> Iterator[Notice]:
    """One notice per unit: how many lists end before the largest cut-off or budget, and before smaller ones."""
    counts: dict[str, dict[float, int]] = {}
    for instance in instances:
        for point, name in zip(instance.cutoffs, instance.names, strict=False):
            if name in early:
                counts.setdefault(_unit(instance), {})[point] = len(early[name])
    for unit, by_point in counts.items():
        lengths = [length for length in lists.lengths[unit] if length > 0]
        largest, *smaller = sorted(by_point, reverse=True)
        text = (
            f"{by_point[largest]:,} of {len(lengths):,} lists of {run_id} end before {largest:,.0f} "
            f"{_UNITS.get(unit, unit)} (mean {sum(lengths) / len(lengths):,.0f})"
        )
        others = ", ".join(f"{by_point[point]:,} before {point:,.0f}" for point in smaller)
        yield Notice(f"{EARLY_ENDS} {unit}", f"{text}; {others}" if others else text, path, by_point[largest])
