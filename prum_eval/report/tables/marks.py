"""Which values of a table differ significantly from a run, and the sentence that says by which test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prum_eval.analysis.comparison import Comparison
from prum_eval.tabular import plural


def significant(comparison: Comparison, test: str) -> Mapping[str, frozenset[int]]:
    """By measure, places of the runs that differ from the base of the comparison, by corrected p-values of a test."""
    alpha = comparison.settings.alpha
    found = {}
    for measure, rows in comparison.board().items():
        tested = ((row.run, row.difference.tested(test).holm) for row in rows if row.difference is not None)
        found[measure] = frozenset(run for run, p in tested if p is not None and p < alpha)
    return found


def marks_note(comparison: Comparison, test: str, names: Sequence[str]) -> str:
    """Test, correction and level, and what was compared; `names` are those of the runs."""
    settings, base = comparison.settings, "the best run by the measure"
    if settings.pairs == "first":
        base = names[next(iter(comparison.base.values()))]
    exact = {one.exact for family in comparison.families.values() for one in family}
    trials = f"{settings.trials:,} trials, seed {settings.seed}"
    how = {"t": "", "bootstrap": f" ({trials})"}.get(test, " (exact)" if exact == {True} else f" ({trials})")
    of = plural(comparison.comparisons, "comparison")
    of += " of each measure" if settings.family == "measure" else ", those of all measures"
    return (
        f"differs from {base}: paired {test} test, two-sided{how}, p corrected by Holm for {of}, below "
        f"{settings.alpha:g}."
    )
