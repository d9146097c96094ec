"""Runs compared pair by pair: which pairs, what they differ in, and the correction for their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.analysis.difference import TESTS, Difference, Tested, statistics_of
from prum_eval.analysis.limits import detectable_difference
from prum_eval.analysis.matrix import Matrix, best_run, mean
from prum_eval.analysis.paired import holm, paired_difference, wins_ties_losses
from prum_eval.analysis.settings import ComparisonSettings
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import UsageError
from prum_eval.numerics.tukey import tukey_hsd
from prum_eval.parameters import nearest


def compare_matrix(matrix: Matrix, settings: ComparisonSettings, at: str | None = None) -> Comparison:
    """Compare runs with one of them, or each with each, on every measure; `at` as in `Comparison`.

    Raises:
        UsageError: the baseline is none of the runs, or may be several.
    """
    first = _baseline(matrix, settings.baseline)
    bases = [first if settings.pairs == "first" else best_run(matrix, name) for name in matrix.measures]
    pairs = [_pairs(len(matrix.runs), base, settings.pairs) for base in bases]
    differences = [
        paired_difference(values[of[:, 0]], values[of[:, 1]]) for values, of in zip(matrix.values, pairs, strict=True)
    ]
    scores = [number for number, name in enumerate(matrix.measures) if name not in matrix.counts]
    found = _tested(matrix, [pairs[one] for one in scores], [differences[one] for one in scores], scores, settings)
    measured: list[MeasuredRun] = []
    detectable = {}
    for number, (name, base) in enumerate(zip(matrix.measures, bases, strict=True)):
        own, is_score = differences[number], number in scores
        listed = iter(next(found) if is_score else None for _ in own)
        counted = wins_ties_losses(own if name not in matrix.lower_better else -own)
        made = [_difference(*one) for one in zip(own, counted.tolist(), listed, strict=True)]
        measured += _rows(matrix, number, pairs[number], made, 0 if settings.pairs == "all" else base)
        least = detectable_difference(own[:, ~np.isnan(own[0])], settings.alpha) if is_score else None
        if least is not None:
            detectable[name] = least
    base_of = dict(zip(matrix.measures, bases, strict=True))
    return Comparison(matrix, settings, tuple(measured), base_of, detectable, at)


def _baseline(matrix: Matrix, wanted: str | None) -> int:
    """The place of the run of that name or path; the first without one."""
    if wanted is None:
        return 0
    found = [run for run, path in enumerate(matrix.paths) if path == wanted]
    if len(found) != 1:
        found = [run for run, name in enumerate(matrix.runs) if name == wanted] or found
    if not found:
        listed = ", ".join(matrix.runs)
        raise UsageError(f"no run {wanted} to be the baseline (there are: {listed}){nearest(wanted, matrix.runs)}")
    if len(found) > 1:
        paths = ", ".join(matrix.paths[run] for run in found)
        raise UsageError(f"the baseline {wanted} may be any of {len(found)} runs ({paths}); give the path of one")
    return found[0]


def _pairs(runs: int, base: int, which: str) -> IntArray:
    """Places of the runs of each pair, shape (pairs, 2): a run, and the one that it is compared with."""
    if which == "all":
        return np.array(sorted((later, earlier) for earlier, later in combinations(range(runs), 2)))
    return np.array([(run, base) for run in range(runs) if run != base])


def _tested(
    matrix: Matrix,
    pairs: Sequence[IntArray],
    differences: Sequence[FloatArray],
    scores: Sequence[int],
    settings: ComparisonSettings,
) -> Iterator[dict[str, float]]:
    """Statistics of each difference of each score, one after the other."""
    if not scores:
        return
    runs = len(matrix.runs)
    rows = np.concatenate([own + place * runs for place, own in enumerate(pairs)])
    values = np.concatenate([matrix.values[one] for one in scores])
    found = statistics_of(np.concatenate(differences), values, rows, settings)
    sizes = np.cumsum([len(one) for one in pairs])[:-1]
    for test in TESTS:
        families = [found[test]] if settings.family == "call" else np.split(found[test], sizes)
        found[f"holm_{test}"] = np.concatenate([holm(p) for p in families])
    if settings.pairs == "all":
        of_scores = [matrix.values[one][:, ~np.isnan(matrix.values[one][0])] for one in scores]
        hsd = [tukey_hsd(*one, settings.trials, settings.seed) for one in zip(of_scores, pairs, strict=True)]
        found["tukey"] = np.concatenate(hsd)
    for row in range(len(found["low"])):
        yield {name: float(values[row]) for name, values in found.items()}


def _difference(values: FloatArray, counted: Sequence[int], found: dict[str, float] | None) -> Difference:
    """A difference from its values by topic, topics won, tied and lost, and statistics, which counts have none of."""
    known = {name: value for name, value in (found or {}).items() if not np.isnan(value)}.get
    tests = {test: Tested(known(test), known(f"holm_{test}")) for test in TESTS}
    return Difference(
        mean=mean(values) or 0.0,
        low=known("low"),
        high=known("high"),
        exact=bool(known("exact")),
        tukey=known("tukey"),
        cohen_d=known("cohen_d"),
        wins=counted[0],
        ties=counted[1],
        losses=counted[2],
        **tests,
    )


def _rows(
    matrix: Matrix, number: int, pairs: IntArray, differences: Sequence[Difference], base: int
) -> Iterator[MeasuredRun]:
    """Rows of a measure in the order of the runs; the one that nothing is said of, `base`, among them."""
    name, values = matrix.measures[number], matrix.values[number]
    topics = int(np.count_nonzero(~np.isnan(values[0])))
    means = [mean(of_run) or 0.0 for of_run in values]
    rows = [
        MeasuredRun(name, run, topics, means[run], difference, against)
        for (run, against), difference in zip(pairs.tolist(), differences, strict=True)
    ]
    yield from sorted([MeasuredRun(name, base, topics, means[base], None), *rows], key=lambda row: row.run)
