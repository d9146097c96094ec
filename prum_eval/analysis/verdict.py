"""What a comparison concludes: which differences are significant, and the sentences that sum it up.

Every format takes its marks and sentences from here, so that one output has one conclusion. A difference is significant
if its corrected p-value is below alpha: Holm's of the chosen test, or Tukey's HSD if all pairs were compared. Runs are
addressed by their index; `names` are those that sentences use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from prum_eval.analysis.matrix import best_run, best_runs, mean_matrix, round_significant
from prum_eval.errors import UsageError
from prum_eval.measures.registry import cutoff_of_name, measures_by_printed_name
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import format_numbers, join_names

if TYPE_CHECKING:
    from prum_eval.analysis.comparison import Comparison, Difference, RunMean

MAX_RUNS_IN_SENTENCE = 8
"""Of more runs, pairs are not listed in words."""
MAX_NAMED_RUNS = 3
"""More runs than these are counted if they beat the base, not named."""


# Significant differences


def corrected_p(difference: Difference, comparison: Comparison) -> float | None:
    """The corrected p-value that decides what is significant."""
    settings = comparison.settings
    return difference.tukey if settings.pairs == "all" else difference.p_values(settings.test).holm


def is_significant(row: RunMean, comparison: Comparison) -> bool:
    """Whether the corrected p-value of the difference is below alpha, and the lists of neither run end early."""
    p = None if row.difference is None or not comparison.is_decided(row) else corrected_p(row.difference, comparison)
    return p is not None and p < comparison.settings.alpha


def significant_runs(comparison: Comparison) -> Mapping[str, frozenset[int]]:
    """Runs that differ significantly from the base, by measure."""
    return {
        measure: frozenset(row.run for row in rows if is_significant(row, comparison))
        for measure, rows in comparison.rows_against().items()
    }


def significantly_worse(comparison: Comparison) -> tuple[RunMean, ...]:
    """Rows of runs that are significantly worse than the base; costs count only if all measures are costs."""
    lower_better = comparison.matrix.lower_better
    has_quality = not {row.measure for row in comparison.run_means} <= lower_better | comparison.matrix.counts
    return tuple(
        row
        for measure, rows in comparison.rows_against().items()
        if not (has_quality and measure in lower_better)
        for row in rows
        if is_significant(row, comparison) and not _is_better(row, comparison)
    )


def _is_better(row: RunMean, comparison: Comparison) -> bool:
    """Whether the run has a better mean than the one that it is compared with."""
    difference = 0.0 if row.difference is None else row.difference.mean
    return difference < 0 if row.measure in comparison.matrix.lower_better else difference > 0


def difference_sentence(comparison: Comparison, row: RunMean, names: Sequence[str]) -> str:
    """A sentence on the significant difference of a run from the one that it is compared with."""
    if row.difference is None or row.against is None:
        return ""
    better = "better" if _is_better(row, comparison) else "worse"
    p = corrected_p(row.difference, comparison)
    return (
        f"by {row.measure}, {names[row.run]} is significantly {better} than {names[row.against]}: "
        f"difference {row.difference.mean:.4g}, corrected p {p:.4g}"
    )


def better_pairs(comparison: Comparison, measure: str) -> Mapping[int, Sequence[int]]:
    """By run, the runs that it is significantly better than, the best first."""
    order = sort_compared_runs(comparison, measure)
    worse_runs: dict[int, list[int]] = {run: [] for run in order}
    for row in comparison.run_means:
        if row.measure == measure and row.against is not None and is_significant(row, comparison):
            runs = (row.run, row.against) if _is_better(row, comparison) else (row.against, row.run)
            worse_runs[runs[0]].append(runs[1])
    return {run: sorted(others, key=order.index) for run, others in worse_runs.items()}


# Order of runs


def sort_compared_runs(comparison: Comparison, measure: str | None) -> list[int]:
    """The compared runs in their order, or the best first by a measure; equal ones keep their order.

    Raises:
        UsageError: there is no such measure.
    """
    matrix = comparison.matrix
    if measure is None:
        return list(range(len(matrix.runs)))
    if measure not in matrix.measures:
        raise UsageError(f"no measure {measure} to sort by{did_you_mean(measure, matrix.measures)}")
    sign = 1 if measure in matrix.lower_better else -1
    costs = sign * round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    return sorted(range(len(matrix.runs)), key=lambda run: float(costs[run]))


def leaderboard_rows(comparison: Comparison, measure: str | None = None) -> dict[str, list[RunMean]]:
    """Rows of each measure, the best runs first by `measure` (None: the headline measure).

    Raises:
        UsageError: there is no such measure.
    """
    by = comparison.measure_ranking.headline if measure is None else measure
    place = {run: number for number, run in enumerate(sort_compared_runs(comparison, by))}
    return {name: sorted(rows, key=lambda row: place[row.run]) for name, rows in comparison.rows_against().items()}


# Sentences


def verdict_sentences(comparison: Comparison, names: Sequence[str], digits: int = 4) -> list[str]:
    """A sentence per measure on what differs significantly, in the order of the measures.

    If some measures are costs, or runs are compared at a budget, there is one, on the measure that ranks the runs.
    """
    matrix, ranking = comparison.matrix, comparison.measure_ranking
    if ranking.headline is None:
        named, is_are, they = "These", "are no scores", "they do"
        if len(matrix.measures) == 1:
            named, is_are, they = matrix.measures[0], "is no score", "it does"
        return [f"{named} {is_are}: {they} not say which run is better."]
    scores = [name for name in matrix.measures if name not in matrix.counts]
    if ranking.costs or comparison.at is not None:
        scores = [ranking.headline]
    sentence = _pairs_sentence if comparison.settings.pairs == "all" else _measure_sentence
    sentences = []
    for measure in scores:
        early = [run for run in range(len(matrix.runs)) if matrix.ends_early(measure, run)]
        if len(early) > len(matrix.runs) - 2 or comparison.base[measure] in early:
            sentences.append(_undecided_sentence(comparison, measure, names, early))
            continue
        text = sentence(comparison, measure, names, digits)
        if early:
            text = f"{text.removesuffix('.')}; not compared: {join_names([names[run] for run in early])}, {_EARLY}."
        sentences.append(text)
    return [*sentences, *best_by_budget(comparison, names)]


_EARLY = "whose lists end early"


def _undecided_sentence(comparison: Comparison, measure: str, names: Sequence[str], early: Sequence[int]) -> str:
    """That lists are too short for a verdict by a measure, and the largest budget that all of them reach."""
    matrix = comparison.matrix
    text = f"By {measure} there is no verdict: the lists of {join_names([names[run] for run in early])} end early"
    reached = [name for name, _ in _budgets(comparison) if len(matrix.complete_runs(name)) == len(matrix.runs)]
    if reached and measure not in reached:
        record = measures_by_printed_name(reached[-1:])[reached[-1]]
        text += f"; --at {record.budget}={cutoff_of_name(reached[-1], record):.0f} compares where all lists reach"
    return f"{text}."


def _budgets(comparison: Comparison) -> list[tuple[str, float]]:
    """The measures within budgets of the kind that is shown first, with their budgets, the smallest first."""
    matrix, first = comparison.matrix, comparison.measure_ranking.budget
    if first is None:
        return []
    records, label = measures_by_printed_name(matrix.measures), first.partition(":")[2]
    of_kind = [name for name, record in records.items() if record is records[first] and name.partition(":")[2] == label]
    points = [(name, cutoff_of_name(name, records[name])) for name in of_kind]
    return sorted(((name, point) for name, point in points if point is not None), key=lambda pair: pair[1])


def best_by_budget(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """A line with the best run by budget, and those that do not differ significantly from it; none for one budget.

    If runs are compared with another one than the best, only the best means are named.
    """
    matrix, budgets = comparison.matrix, _budgets(comparison)
    if len(budgets) < 2:
        return []
    points_by_text: dict[str, list[str]] = {}
    for name, point in budgets:
        complete, best = matrix.complete_runs(name), best_run(matrix, name)
        alike = [
            row.run
            for row in leaderboard_rows(comparison, name)[name]
            if row.difference is not None and comparison.is_decided(row) and not is_significant(row, comparison)
        ]
        if len(complete) < 2:
            text = "no verdict (lists end early)"
        elif comparison.base[name] != best:
            text = f"{names[best]} (highest mean)"
        else:
            runs = [names[run] for run in (best, *alike)]
            runs = runs if len(runs) <= MAX_RUNS_IN_SENTENCE else [runs[0], f"{len(runs) - 1} others"]
            text = " or ".join([*filter(None, [", ".join(runs[:-1])]), runs[-1]])
            notes = ["no significant difference"] if alike else []
            if len(complete) < len(matrix.runs):
                notes.append(f"of the {len(complete)} runs whose lists reach it")
            text += f" ({', '.join(notes)})" if notes else ""
        points_by_text.setdefault(text, []).append(f"{point:,.0f}")
    unit = measures_by_printed_name([budgets[0][0]])[budgets[0][0]].budget
    parts = [f"{join_names(points)}: {text}" for text, points in points_by_text.items()]
    return [f"best at {'tokens ' * (unit == 'tokens')}{'; '.join(parts)}"]


def _measure_sentence(comparison: Comparison, measure: str, names: Sequence[str], digits: int) -> str:
    """The best run by a measure, and how the others compare with the base."""
    matrix = comparison.matrix
    rows = [
        row
        for row in leaderboard_rows(comparison, measure)[measure]
        if row.difference is not None and comparison.is_decided(row)
    ]
    best, base = best_run(matrix, measure), comparison.base[measure]
    tied = [best, *sorted(best_runs(matrix, measure) - {best})]
    are_best = f"{join_names([names[run] for run in tied])} {'are equally good' if len(tied) > 1 else 'is best'}"
    worse, better = _split(rows, comparison)
    alike, identical, untestable = _classify_others(rows, comparison)
    if len(matrix.runs) == 2 and best != base:  # the only comparison is about both
        worse, better = [base] * len(better), []
        alike, identical, untestable = ([base] * len(group) for group in (alike, identical, untestable))
        base = best
    it = "it" if len(tied) == 1 or base != best else names[best]
    parts = [
        *_part(better, "significantly better", names),
        *_part(worse, "significantly worse", names),
        *_part(identical, f"identical to {it}", names),
        *_part(untestable, f"not testable by {comparison.settings.test}", names),
    ]
    others = [run for run in alike if base != best or run not in tied]
    if others:
        parts.append(f"no significant difference to {join_names([names[run] for run in others])}")
    text = f"By {measure}, {are_best}{': '[: 2 * bool(parts)]}{'; '.join(parts)}"
    ranking = comparison.measure_ranking
    if measure == ranking.headline and comparison.at is None and measure not in {ranking.budget, *ranking.costs}:
        if alike and ranking.costs and base == best:
            text += _cost_clause(comparison, names, best, alike, digits)
        text += _budget_clause(comparison, names, best)
    if base != best and len(rows) > MAX_NAMED_RUNS and better:
        count = f"{len(better)} of {len(rows)} runs beat {names[base]}"
        return f"By {measure}, {'; '.join([count, *parts[1:]])}; {_best_clause(rows, names, tied, digits, comparison)}."
    if base != best:
        text = f"By {measure}, against {names[base]}: {'; '.join(parts)}; {are_best}"
    return f"{text}."


def _best_clause(
    rows: Sequence[RunMean], names: Sequence[str], tied: Sequence[int], digits: int, comparison: Comparison
) -> str:
    """The best runs, with the difference of a single one from the base and its interval."""
    text = f"best: {join_names([names[run] for run in tied])}"
    difference = next((row.difference for row in rows if row.run == tied[0]), None)
    if len(tied) > 1 or difference is None or difference.low is None or difference.high is None:
        return text
    mean, low, high = format_numbers([difference.mean, difference.low, difference.high], digits)
    level = f"{100 * (1 - comparison.settings.alpha):g} % CI"
    return f"{text} ({'+' * (difference.mean > 0)}{mean}, {level} {low} to {high})"


def _part(runs: Sequence[int], predicate: str, names: Sequence[str]) -> Iterator[str]:
    """Subject and predicate, if there are runs."""
    if runs:
        yield f"{join_names([names[run] for run in runs])} {'is' if len(runs) == 1 else 'are'} {predicate}"


def _split(rows: Sequence[RunMean], comparison: Comparison) -> tuple[list[int], list[int]]:
    """Runs that are significantly worse, and better, than the base."""
    significant = [row for row in rows if is_significant(row, comparison)]
    better = [row.run for row in significant if _is_better(row, comparison)]
    return [row.run for row in significant if row.run not in better], better


def _classify_others(rows: Sequence[RunMean], comparison: Comparison) -> tuple[list[int], list[int], list[int]]:
    """Runs without significant difference, identical ones, and those that the test cannot compare with the base."""
    alike, identical, untestable = [], [], []
    for row in rows:
        if row.difference is None or is_significant(row, comparison):
            continue
        if is_identical(row.difference):
            identical.append(row.run)
        elif corrected_p(row.difference, comparison) is None:
            untestable.append(row.run)
        else:
            alike.append(row.run)
    return alike, identical, untestable


def is_identical(difference: Difference) -> bool:
    """Whether both runs have the same value on every topic."""
    return difference.wins == difference.losses == 0


def _budget_clause(comparison: Comparison, names: Sequence[str], best: int) -> str:
    """Clause on the run that is best at an equal budget, if it is another one."""
    matrix, name = comparison.matrix, comparison.measure_ranking.budget
    if name is None or (other := best_run(matrix, name)) == best:
        return ""
    measure = measures_by_printed_name([name])[name]
    budget = f"{measure.budget}={cutoff_of_name(name, measure):.0f}"
    return f"; at an equal budget {names[other]} is best, by {name}, and --at {budget} compares there"


def _cost_clause(comparison: Comparison, names: Sequence[str], best: int, others: Sequence[int], digits: int) -> str:
    """Clause on the cheapest of the runs that do not differ from the best."""
    matrix, cost = comparison.matrix, comparison.measure_ranking.costs[0]
    means = mean_matrix(matrix)[matrix.measures.index(cost)]
    least = min(others, key=lambda run: float(means[run]))
    if means[least] >= means[best]:
        return f"; none of them has a lower {cost}"
    values = format_numbers([float(means[run]) for run in (least, best)], digits)
    return f"; of these {names[least]} has the lowest {cost}, {values[0]} in place of {values[1]}"


def _pairs_sentence(comparison: Comparison, measure: str, names: Sequence[str], _digits: int) -> str:
    """Which runs are significantly better than which; of many runs, only what the best one is better than."""
    worse_runs = better_pairs(comparison, measure)
    count, total = sum(map(len, worse_runs.values())), len(names) * (len(names) - 1) // 2
    tied = sorted(best_runs(comparison.matrix, measure))
    head = f"By {measure}, {join_names([names[run] for run in tied])} "
    head += "is best" if len(tied) == 1 else "are equally good"
    many = len(names) > MAX_RUNS_IN_SENTENCE
    runs_with: dict[tuple[int, ...], list[int]] = {}
    for run, worse in worse_runs.items():
        if worse and (not many or run in tied):
            runs_with.setdefault(tuple(worse), []).append(run)
    parts: list[str] = []
    for worse, runs in runs_with.items():
        better = f"significantly better than {join_names([names[run] for run in worse])}"
        parts += (
            [f"it is {better}"]
            if runs == tied == [best_run(comparison.matrix, measure)]
            else _part(runs, better, names)
        )
    if not many:
        parts += [
            f"{names[run]} is identical to {names[other]}" for run, other in _identical_pairs(comparison, measure)
        ]
    if not count:
        parts.append("no two runs differ significantly")
    elif many:
        parts.append(f"{count} of {total} pairs differ significantly")
    elif count < total:
        parts.append("no other two differ significantly")
    return f"{head}: {'; '.join(parts)}."


def _identical_pairs(comparison: Comparison, measure: str) -> Iterator[tuple[int, int]]:
    """Runs with the same values as an earlier one, and the first such run."""
    seen = set()
    for row in comparison.run_means:
        if row.measure != measure or row.difference is None or row.against is None or row.run in seen:
            continue
        if is_identical(row.difference):
            seen.add(row.run)
            yield row.run, row.against
