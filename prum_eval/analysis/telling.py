"""Of many measures the few that tell most: which one ranks the runs, what they cost, one of every other kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from prum_eval.analysis.matrix import counts_among
from prum_eval.measures.base import Direction, Measure
from prum_eval.measures.registry import point_of, printed_by


@dataclass(frozen=True)
class Telling:
    """Names of measures.

    `headline`: the one that ranks the runs, None where all are counts. `costs`: those of which lower values are better,
    one of a kind. `order`: all, the most telling ones first; the first `kinds` are one of a kind. `each`: one of each
    kind of scores, in their order. `budget`: the first
    of what is found within one. `trade_off`: the first cost, and the quality that it buys, None without both.
    """

    headline: str | None
    costs: tuple[str, ...]
    order: tuple[str, ...]
    kinds: int
    budget: str | None
    trade_off: tuple[str, str] | None
    each: tuple[str, ...] = ()


def telling(measures: Sequence[str], headline: str | None = None) -> Telling:
    """What is shown first of a comparison by these measures, which are in their order.

    Without costs it is the first score that ranks the runs. Where there are costs it is the first score that they buy,
    and of a score with several cut-offs the value at that of the costs: recall at 5 stands beside the size of 5. Then
    follow the costs, what was found within budgets, and all others.

    Args:
        measures: printed names.
        headline: the one that ranks the runs, where it is told; costs then follow all others.
    """
    known, counts = printed_by(measures), counts_among(measures)
    scores = [name for name in measures if name not in counts]
    lower_better = {name for name, measure in known.items() if measure.direction is Direction.LOWER}
    trade_off = None
    points = {name: point_of(name, known[name]) if name in known else None for name in measures}
    kinds: dict[tuple[str, str], list[str]] = {}
    for name in scores:
        kinds.setdefault(_kind(name, known.get(name)), []).append(name)
    shared = _shared([name for name in scores if name in lower_better], scores, points)
    shown = [_representative(names, points, shared) for names in kinds.values()]
    quality = [name for name in shown if name not in lower_better]
    costs = [name for name in shown if name in lower_better]
    if headline is not None:
        same = next((names for names in kinds.values() if headline in names), [])
        first = [headline, *same, *quality, *costs]
    elif costs and quality:
        within = [name for name in quality if name in known and known[name].budget]
        paid_for = [name for name in quality if name not in within]
        trade_off = (costs[0], paid_for[0]) if paid_for else None
        first = [*paid_for[:1], *costs, *within, *quality] if paid_for else [*within, *costs]
    else:
        first = scores
    first = list(dict.fromkeys(first))
    budget = next((name for name in first if name in known and known[name].budget), None)
    rest = (name for name in measures if name not in first)
    return Telling(
        first[0] if first else None, tuple(costs), (*first, *rest), len(first), budget, trade_off, tuple(shown)
    )


def _kind(name: str, measure: Measure | None) -> tuple[str, str]:
    """A measure and its label, whatever the cut-off."""
    label = name.partition(":")[2]
    return (name.partition(":")[0] if measure is None else measure.name), label


def _shared(costs: Sequence[str], scores: Sequence[str], points: dict[str, float | None]) -> float | None:
    """The cut-off of costs that most scores have; of equally many, the one in the middle."""
    own = {points[name] for name in costs}
    counted = Counter(point for name in scores if (point := points[name]) is not None and point in own)
    most = sorted(point for point, count in counted.items() if count == max(counted.values()))
    return most[len(most) // 2] if most else None


def _representative(names: Sequence[str], points: dict[str, float | None], shared: float | None) -> str:
    """One of a measure's names: at the shared cut-off, else in the middle."""
    return next((name for name in names if points[name] == shared and shared is not None), names[len(names) // 2])
