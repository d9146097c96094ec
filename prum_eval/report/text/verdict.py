"""One sentence on a comparison: which runs differ, and which cannot be told from the best."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.analysis.difference import Difference
from prum_eval.analysis.matrix import best_run, best_runs_of, means, settled
from prum_eval.errors import UsageError
from prum_eval.measures.registry import point_of, printed_by
from prum_eval.parameters import nearest
from prum_eval.report.layout import Layout, numbers
from prum_eval.tabular import listed


def ranked(comparison: Comparison, measure: str | None = None) -> dict[str, list[MeasuredRun]]:
    """The board of a comparison, the best runs first by a measure, without one by that which ranks them.

    Raises:
        UsageError: there is no such measure.
    """
    by = comparison.telling.headline if measure is None else measure
    place = {run: number for number, run in enumerate(run_order(comparison, by))}
    return {name: sorted(rows, key=lambda row: place[row.run]) for name, rows in comparison.board().items()}


def run_order(comparison: Comparison, measure: str | None) -> list[int]:
    """Places of the runs as they came, or the best first by a measure; equal ones as they came.

    Raises:
        UsageError: there is no such measure.
    """
    matrix = comparison.matrix
    if measure is None:
        return list(range(len(matrix.runs)))
    if measure not in matrix.measures:
        raise UsageError(f"no measure {measure} to sort by{nearest(measure, matrix.measures)}")
    sign = 1 if measure in matrix.lower_better else -1
    by = sign * settled(means(matrix))[matrix.measures.index(measure)]
    return sorted(range(len(matrix.runs)), key=lambda run: float(by[run]))


def verdict(comparison: Comparison, names: Sequence[str], layout: Layout) -> str:
    """The sentence, of the measure that ranks the runs, by the corrected p-values of a test.

    `names` are those of the runs. Where runs were compared with one that is not the best, it says so: which of them can
    be told from the best was not tested then.
    """
    matrix, alpha = comparison.matrix, comparison.settings.alpha
    measure = comparison.telling.headline
    if measure is None:
        named = "These" if len(matrix.measures) > 1 else matrix.measures[0]
        is_are, they = ("are no scores", "they do") if len(matrix.measures) > 1 else ("is no score", "it does")
        return f"{named} {is_are}: {they} not say which run is better."

    def differs(one: Difference) -> bool:
        p = one.tested(layout.test).holm
        return p is not None and p < alpha

    rows = [(row.run, row.difference) for row in ranked(comparison)[measure] if row.difference is not None]
    alike = [run for run, one in rows if not differs(one)]
    differing, same = [names[run] for run, one in rows if differs(one)], [names[run] for run in alike]
    best, base = best_run(matrix, measure), comparison.base[measure]
    if len(matrix.runs) == 2 and best != base:  # the one comparison there is says it of both
        differing, same, base = [names[base]] * len(differing), [names[base]] * len(same), best
    tied = [best, *sorted(best_runs_of(matrix, measure) - {best})]
    are_best = (
        f"{names[best]} is best" if len(tied) == 1 else f"{listed([names[run] for run in tied])} are equally good"
    )
    it = "it" if len(tied) == 1 or base != best else names[best]
    parts = [f"{listed(differing)} differ{'s'[: len(differing) == 1]} from {it}"] if differing else []
    parts += [f"{listed(same)} cannot be told from {it}"] if same else []
    text = f"By {measure}, {are_best}: {', '.join(parts)}"
    if alike and comparison.telling.costs and comparison.at is None and comparison.base[measure] == best:
        text += _cheapest(comparison, names, best, alike, layout.digits)
    if comparison.at is None:
        text += _at_equal_budget(comparison, names, best)
    if base != best:
        text = f"By {measure} beside {names[base]}: {', '.join(parts)}; {are_best}"
        text += ", and --pairs best tells who differs from that"
    pairs = [row.difference for row in comparison.measured if row.measure == measure and row.difference is not None]
    if len(pairs) > len(rows):
        at_once = sum(one.tukey is not None and one.tukey < alpha for one in pairs)
        text += f"; of {len(pairs)} pairs of runs {sum(map(differs, pairs))} differ, {at_once} by Tukey's HSD"
    return f"{text}."


def _at_equal_budget(comparison: Comparison, names: Sequence[str], best: int) -> str:
    """Which run is best at an equal budget, if that is another one."""
    matrix, name = comparison.matrix, comparison.telling.budget
    if name is None or (other := best_run(matrix, name)) == best:
        return ""
    measure = printed_by([name])[name]
    budget = f"{measure.budget}={point_of(name, measure):.0f}"
    return f"; at an equal budget {names[other]} is best, by {name}, and --at {budget} compares there"


def _cheapest(comparison: Comparison, names: Sequence[str], best: int, others: Sequence[int], digits: int) -> str:
    """Which of the runs that cannot be told from the best costs least."""
    matrix, cost = comparison.matrix, comparison.telling.costs[0]
    found = means(matrix)[matrix.measures.index(cost)]
    least = min(others, key=lambda run: float(found[run]))
    if found[least] >= found[best]:
        return f"; none of them has a lower {cost}"
    values = numbers([float(found[run]) for run in (least, best)], digits)
    return f"; of these {names[least]} has the lowest {cost}, {values[0]} in place of {values[1]}"
