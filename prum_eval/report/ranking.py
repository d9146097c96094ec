"""Which runs are best, which differ significantly, and in which order tables and pictures have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from prum_eval.analysis.comparison import Comparison, rank_measures
from prum_eval.analysis.matrix import round_significant, select_counts
from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Evaluation, TopicValue
from prum_eval.measures.base import Direction
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import plural

SIGNIFICANT = "*"
"""Marker of values that differ significantly."""
ENDS_EARLY = "\N{DOUBLE DAGGER}"
"""Marker of values at a cut-off or budget that many lists do not reach."""
ENDS_EARLY_NOTE = "more than a tenth of the lists end before the cut-off or budget: the value decides nothing"


def best_runs(evaluation: Evaluation) -> dict[str, frozenset[int]]:
    """Places of the runs with the best average by measure; several if equal to twelve digits.

    There are none for counts and measures without a better direction, of a single run, and if averages are over
    different topics.
    """
    if evaluation.different_topics:
        return {}
    signs = score_signs(evaluation.names)
    return {
        name: best_indices([None if run.ends_early(name) else run.all.get(name) for run in evaluation.runs], sign)
        for name, sign in signs.items()
    }


def best_indices(values: Sequence[TopicValue], sign: int) -> frozenset[int]:
    """Places of the largest values, or with sign -1 the smallest; none of fewer than two values."""
    scores = sign * round_significant(np.array([np.nan if value is None else float(value) for value in values]))
    if np.isnan(scores).sum() + 2 > len(scores):
        return frozenset()
    return frozenset(np.flatnonzero(scores == np.nanmax(scores)).tolist())


def rank_runs(evaluation: Evaluation, measure: str | None = None) -> list[int]:
    """Places of the runs, the best first by a measure (None: the headline measure); without values last.

    Equal runs, and all runs if there are only counts, keep their order. A measure without a better direction puts the
    largest value first.
    """
    name = rank_measures(requested_measures(evaluation), evaluation.ranked_by).headline if measure is None else measure
    if name is None:
        return list(range(len(evaluation.runs)))
    values = score_signs([name]).get(name, 1) * averages(evaluation, name)
    order: list[int] = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable").tolist()
    return order


def requested_measures(evaluation: Evaluation) -> Sequence[str]:
    """Names of the measures as they were requested, which people are shown."""
    return evaluation.requested_names or evaluation.names


def score_signs(names: Sequence[str]) -> dict[str, int]:
    """1 for measures where higher is better, -1 where lower is; counts are left out."""
    measures, counts = measures_by_printed_name(names), select_counts(names)
    directions = {name: measures[name].direction if name in measures else Direction.HIGHER for name in names}
    sign = {Direction.HIGHER: 1, Direction.LOWER: -1}
    return {name: sign[direction] for name, direction in directions.items() if direction in sign and name not in counts}


def averages(evaluation: Evaluation, name: str) -> FloatArray:
    """Averages of the runs to twelve digits, shape (runs,); NaN if missing."""
    values = [run.all.get(name) for run in evaluation.runs]
    return round_significant(np.array([np.nan if value is None else float(value) for value in values]))


def sort_runs(evaluation: Evaluation, measure: str | None) -> list[int]:
    """Places of the runs in their order, or the best first by a measure.

    Raises:
        UsageError: no run has values of it.
    """
    if measure is None:
        return list(range(len(evaluation.runs)))
    names = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    if measure not in names:
        raise UsageError(f"no measure {measure} to sort by{did_you_mean(measure, names)}")
    return rank_runs(evaluation, measure)


def marks_note(comparison: Comparison, names: Sequence[str]) -> str:
    """Note on the marker of significance: base, test, correction and level; `names` are those of the runs."""
    settings, base = comparison.settings, "the best run by the measure"
    if settings.pairs == "first":
        base = names[next(iter(comparison.base.values()))]
    exact = {result.exact for family in comparison.families.values() for result in family}
    trials = f"{settings.trials:,} trials, seed {settings.seed}"
    test = settings.test
    how = {"t": "", "bootstrap": f" ({trials})"}.get(test, " (exact)" if exact == {True} else f" ({trials})")
    if settings.pairs == "all":
        of = "" if settings.family == "measure" else ", times the number of measures"
        return f"differs from {base}: p of all pairs by randomised Tukey HSD ({trials}){of}, below {settings.alpha:g}."
    of = plural(comparison.comparisons, "comparison")
    of += " of each measure" if settings.family == "measure" else ", those of all measures"
    return (
        f"differs from {base}: paired {test} test, two-sided{how}, p corrected by Holm for {of}, below "
        f"{settings.alpha:g}."
    )


def run_letters(order: Sequence[int]) -> dict[int, str]:
    """A letter per run, in this order; numbers for more than 26 runs."""
    letters = "abcdefghijklmnopqrstuvwxyz" if len(order) <= 26 else [str(number) for number in range(1, len(order) + 1)]
    return dict(zip(order, letters, strict=False))


def join_letters(letters: Iterable[str]) -> str:
    """Letters of runs as one superscript: sorted; numbers with commas.

    >>> join_letters(["c", "b"]), join_letters(["12", "3"])
    ('bc', '3,12')
    """
    ordered = sorted(letters, key=lambda letter: (len(letter), letter))
    return ("," if any(letter.isdigit() for letter in ordered) else "").join(ordered)


def letters_note(comparison: Comparison) -> str:
    """Note on superscript letters."""
    settings = comparison.settings
    of = "" if settings.family == "measure" else ", times the number of measures"
    return (
        f"significantly better than the runs of these letters: p of all pairs by randomised Tukey HSD "
        f"({settings.trials:,} trials, seed {settings.seed}){of}, below {settings.alpha:g}."
    )
