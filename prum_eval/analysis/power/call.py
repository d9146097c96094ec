"""power: the call, of runs that are evaluated now or of values that there are already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from prum_eval.analysis.calls import one_number, values_of, warned
from prum_eval.analysis.given_values import GivenValues
from prum_eval.analysis.power.measured import power_of_matrix
from prum_eval.analysis.power.result import Power
from prum_eval.analysis.power.settings import PowerSettings, sizes_given
from prum_eval.evaluation.api import EvaluationKeywords
from prum_eval.formats.given import GivenAssessments, GivenRuns


def power(
    assessments: GivenAssessments | None = None,
    runs: GivenRuns | None = None,
    *,
    values: GivenValues | None = None,
    common: bool = False,
    sizes: str | int | Sequence[int] | None = None,
    test: str = "bootstrap",
    fuzziness: float = 0.05,
    seed: int = 1,
    trials: int = 1000,
    alpha: float = 0.05,
    **options: Unpack[EvaluationKeywords],
) -> Power:
    """How well measures tell runs apart, over all pairs of runs: the best measure first.

    >>> from prum_eval import power
    >>> found = power(values="fixtures/compare/systems.csv", measures=["map", "ndcg"])
    >>> found
    <Power: 2 measures, 66 pairs of runs>

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise, or `values` in place of both, as `prum_eval.compare` takes them.
        values: see there.
        common: likewise.
        sizes: of the topic sets that are drawn, at most half of the topics: a number, several, or a list in text as
            ``5:25:5``. If not given, 5, 10, 20 and so on below half of the topics, and half of them.
        test: ``bootstrap``, as in Sakai's paper, ``randomisation`` or ``t``: pairs with p < alpha are told apart.
        fuzziness: two means tie that differ by no more than this share of the larger one, for errors and ties.
        seed: seed of all trials.
        trials: random trials of each test, and topic sets of each size.
        alpha: level of significance, of each pair alone.
        options: the other arguments of `prum_eval.evaluate`; counts are left out.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; a single topic.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = PowerSettings(seed, trials, alpha, test, fuzziness, sizes_given(sizes))
    matrix = values_of(assessments, runs, values, options, common=common, unasked=one_number)
    with warned(matrix.warnings):
        return power_of_matrix(matrix, settings)
