"""Simultaneous intervals hold together as often as they state; p-values do not depend on the unit of the data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from prum_eval.analysis.comparison import compare_matrix, holm_correction, t_margin
from prum_eval.analysis.matrix import ComparisonSettings, make_matrix
from prum_eval.formats.scores import Scores

RUNS = 5
GAINS = np.array([0.0, 0.1, 0.25, 0.25, 0.4])
"""How much better each run is, on the logistic scale."""


def logistic(x):
    return 1 / (1 + np.exp(-x))


def drawn(random, draws, topics):
    """Average precision, shape (draws, runs, topics): easy and hard topics, on each of which a run is off by chance."""
    difficulty = random.normal(-1.1, 1.3, (draws, 1, topics))
    return logistic(difficulty + GAINS[:, None] + random.normal(0, 0.7, (draws, RUNS, topics)))


TRUTH = drawn(np.random.default_rng(0), 400, 10_000).mean(axis=(0, 2))
PAIRS = {
    "first": [(run, 0) for run in range(1, RUNS)],
    "all": [(run, other) for run in range(RUNS) for other in range(run)],
}


def family_coverage(pairs, topics, draws, correction):
    """Share of draws in which all intervals of the family hold the truth."""
    values = drawn(np.random.default_rng(topics), draws, topics)
    holds = np.ones(draws, dtype=bool)
    for run, other in pairs:
        differences = values[:, run] - values[:, other]
        off = np.abs(differences.mean(axis=1) - (TRUTH[run] - TRUTH[other]))
        holds &= off <= t_margin(differences, 0.05 / correction)
    return holds.mean()


@pytest.mark.parametrize("topics", [5, 10, 20, 50])
@pytest.mark.parametrize("pairs", PAIRS)
def test_all_intervals_of_a_family_hold_together(pairs, topics):
    family = PAIRS[pairs]
    assert 0.93 <= family_coverage(family, topics, 4000, len(family)) <= 0.99
    assert family_coverage(family, topics, 4000, 1) < 0.9  # intervals of single comparisons do not


def compared(values, **settings):
    """A comparison of runs with values of shape (measures, runs, topics)."""
    runs = [
        Scores(
            f"r{run}",
            f"r{run}",
            {f"{t:02}": {f"m{m}": values[m][run][t] for m in range(len(values))} for t in range(len(values[0][run]))},
        )
        for run in range(len(values[0]))
    ]
    return compare_matrix(make_matrix(runs), ComparisonSettings(**{"trials": 400} | settings))


@pytest.mark.parametrize(
    ("settings", "together"),
    [
        ({}, 4),
        ({"family": "call"}, 8),
        ({"pairs": "best"}, 4),
        ({"pairs": "all"}, 10),
        ({"pairs": "all", "family": "call"}, 20),
        ({"interval": "single"}, 1),
        ({"interval": "single", "pairs": "all"}, 1),
    ],
)
def test_the_level_is_that_of_the_family_of_the_star(settings, together):
    values = np.random.default_rng(3).random((2, RUNS, 12))
    comparison = compared(values, **settings)
    for row in comparison.run_means:
        if row.difference is None:
            continue
        measure = int(row.measure[1:])
        differences = values[measure, row.run] - values[measure, row.against]
        half = stats.t.ppf(1 - 0.05 / (2 * together), 11) * stats.sem(differences)
        assert (row.difference.low, row.difference.high) == pytest.approx(
            (differences.mean() - half, differences.mean() + half), rel=1e-9
        )


def test_a_bootstrap_interval_is_simultaneous_too():
    values = np.random.default_rng(3).random((1, RUNS, 30))
    single = compared(values[:, :2], interval="bootstrap", alpha=0.05 / 4, trials=5000).run_means[1].difference
    together = compared(values, interval="bootstrap", trials=5000).run_means[1].difference
    assert (together.low, together.high) == pytest.approx((single.low, single.high))


def test_of_all_measures_of_a_call_tukey_corrects_too():
    values = np.random.default_rng(8).random((3, 4, 12))
    alone, together = (compared(values, pairs="all", family=family) for family in ("measure", "call"))
    for one, other in zip(alone.run_means, together.run_means, strict=True):
        if one.difference is not None:
            assert other.difference.tukey == min(1.0, 3 * one.difference.tukey)


def test_an_undefined_p_value_counts_as_one():
    corrected = holm_correction(np.array([0.02, math.nan, 0.03]))
    assert corrected[[0, 2]] == pytest.approx([0.06, 0.06])
    assert np.isnan(corrected[1])
    # with the undefined value given as 1, as statsmodels and R would take it
    assert holm_correction(np.array([0.02, 1.0, 0.03]))[[0, 2]].tolist() == corrected[[0, 2]].tolist()


def test_a_constant_difference_counts_in_the_family():
    values = np.random.default_rng(1).random((1, 3, 25))
    values[0, 2] = values[0, 0] + 0.125  # the t test of the third is undefined
    _, second, third = (row.difference for row in compared(values).run_means)
    assert (third.t.p, third.t.holm, third.bootstrap.p) == (None, None, None)
    assert second.t.holm == pytest.approx(min(1.0, 2 * second.t.p))
    assert second.bootstrap.holm == pytest.approx(min(1.0, 2 * second.bootstrap.p))


@pytest.mark.parametrize("unit", [1e-300, 1e-50, 1e160, 1e300])
@pytest.mark.parametrize("settings", [{"pairs": "all"}, {"interval": "bootstrap"}, {"interval": "single"}])
def test_the_unit_of_the_data_changes_no_p_value(unit, settings):
    values = np.random.default_rng(5).random((2, 4, 30))
    values[0, 1] += 0.2
    plain, scaled = compared(values, **settings), compared(values * unit, **settings)
    for one, other in zip(plain.run_means, scaled.run_means, strict=True):
        if one.difference is None:
            continue
        for name, value in one.difference.statistics().items():
            size = unit if name in {"difference", "low", "high"} else 1
            assert other.difference.statistics()[name] == (
                None if value is None else pytest.approx(value * size, rel=1e-9)
            )
    for name in plain.detectable:
        assert scaled.detectable[name] == pytest.approx(plain.detectable[name] * unit)


def test_a_measure_in_large_units_does_not_hide_another():
    values = np.random.default_rng(5).random((2, 3, 25))
    plain = compared(values)
    values[1] *= 1e200
    scaled = compared(values)
    for one, other in zip(plain.run_means, scaled.run_means, strict=True):
        if one.difference is not None:
            assert other.difference.bootstrap.p == one.difference.bootstrap.p
            assert other.difference.t.p == pytest.approx(one.difference.t.p, rel=1e-9)


def test_printed_results_end_with_the_verdict_after_their_notices():
    values = np.random.default_rng(9).random((2, 3, 12))
    values[0, 1] += 1
    comparison = compared(values)
    first, second = comparison.verdict.split("\n")
    assert first == "By m0, against r0: r1 is significantly better; no significant difference to r2; r1 is best."
    assert second.startswith("By m1, against r0: no significant difference to ")
    lines = str(comparison).splitlines()
    assert lines[-2:] == [first, second]
    assert "warning: only 12 topics: below 20, intervals and p-values are rough" in lines
    assert comparison._repr_html_().endswith(f"<p>{first}</p>\n<p>{second}</p>")
    assert "<div>warning: only 12 topics: below 20" in comparison._repr_html_()
