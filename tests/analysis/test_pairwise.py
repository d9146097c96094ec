"""Which pairs are compared, with what correction, and what is said of comparisons that can find nothing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from prum_eval import UsageError
from prum_eval.analysis.comparison import POWER, compare_matrix, holm_correction
from prum_eval.analysis.matrix import ComparisonSettings, make_matrix
from prum_eval.formats.scores import Scores
from prum_eval.numerics.significance import tukey_hsd

TESTS = ("randomisation", "t", "bootstrap")


def values(runs=4, topics=25, **of):
    """By measure, an array of shape (runs, topics); the second run is the best one by map, the last by ndcg."""
    random = np.random.default_rng(3)
    shifts = {"map": [0.1, 0.5, 0.3, 0.0], "ndcg": [0.1, 0.2, 0.3, 0.5]}
    return {name: random.random((runs, topics)) + np.array(own[:runs])[:, None] for name, own in shifts.items()} | of


def compared(of, names="abcd", **settings):
    count, topics = next(iter(of.values())).shape
    runs = [
        Scores(names[k], f"{k}.txt", {f"{t:02}": {m: float(v[k, t]) for m, v in of.items()} for t in range(topics)})
        for k in range(count)
    ]
    return compare_matrix(make_matrix(runs, list(of)), ComparisonSettings(**{"trials": 500} | settings))


def pairs_of(found, measure="map"):
    return [(row.run, row.against) for row in found.run_means if row.measure == measure]


def test_first():
    found = compared(values())
    assert pairs_of(found) == pairs_of(found, "ndcg") == [(0, None), (1, 0), (2, 0), (3, 0)]
    assert found.base == {"map": 0, "ndcg": 0}


@pytest.mark.parametrize("baseline", ["c", "2.txt"])
def test_a_baseline_by_name_or_path(baseline):
    found = compared(values(), baseline=baseline)
    assert pairs_of(found) == [(0, 2), (1, 2), (2, None), (3, 2)]
    assert f"|pairs:first with {baseline}|" in found.signature
    assert repr(found) == "<Comparison: 4 runs, 25 topics, 2 measures, against c>"


def test_best_is_found_for_each_measure():
    found = compared(values(), pairs="best")
    assert pairs_of(found) == [(0, 1), (1, None), (2, 1), (3, 1)]
    assert pairs_of(found, "ndcg") == [(0, 3), (1, 3), (2, 3), (3, None)]
    assert all(row.difference is None or row.difference.mean < 0 for row in found.run_means)
    assert repr(found) == "<Comparison: 4 runs, 25 topics, 2 measures, against the best>"


def test_of_equal_means_the_run_named_first_is_best():
    equal = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2]])
    assert compared({"map": equal}, pairs="best").base == {"map": 0}


def test_all_pairs():
    found = compared(values(), pairs="all")
    assert pairs_of(found) == [(0, None), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    own = values()["map"]
    for row in found.run_means[1:7]:
        differences = own[row.run] - own[row.against]
        assert row.difference.mean == pytest.approx(differences.mean())
        interval = stats.ttest_1samp(differences, 0).confidence_interval(1 - 0.05 / 6)  # six comparisons
        assert (row.difference.low, row.difference.high) == pytest.approx(tuple(interval))
    pairs = np.array(pairs_of(found)[1:])
    assert [row.difference.tukey for row in found.run_means[1:7]] == tukey_hsd(own, pairs, 500, 1).tolist()
    assert compared(values()).run_means[1].difference.tukey is None


def test_a_pair_is_the_same_whichever_pairs_are_compared():
    every, first = compared(values(), pairs="all"), compared(values())
    against_first = [row.difference for row in every.run_means if row.against == 0]
    for one, other in zip(against_first, [row.difference for row in first.run_means if row.difference], strict=True):
        assert one.randomisation.p == other.randomisation.p
        assert (one.mean, one.wins) == pytest.approx((other.mean, other.wins))
        assert one.low < other.low  # of six comparisons, not three
    best = compared(values(), pairs="best")
    for measure, rows in every.rows_against().items():
        for one, other in zip(rows, best.rows_against()[measure], strict=True):
            assert (one.run, one.against, one.mean) == (other.run, other.against, other.mean)
            if one.difference is not None:
                told, expected = one.difference, other.difference
                assert told.mean == pytest.approx(expected.mean)
                assert told.low + told.high == pytest.approx(expected.low + expected.high)
                assert told.cohen_d == pytest.approx(expected.cohen_d)
                assert (told.wins, told.losses) == (expected.wins, expected.losses)
                assert told.randomisation.p == expected.randomisation.p


@pytest.mark.parametrize("pairs", ["first", "best", "all"])
def test_the_correction_is_over_the_comparisons_of_a_measure_or_of_the_call(pairs):
    for family, groups in (("measure", [["map"], ["ndcg"]]), ("call", [["map", "ndcg"]])):
        found = compared(values(), pairs=pairs, family=family)
        for test, names in itertools.product(TESTS, groups):
            own = [row.difference.p_values(test) for row in found.run_means if row.measure in names and row.difference]
            assert [one.holm for one in own] == holm_correction(np.array([one.p for one in own])).tolist()
        size = {"first": 3, "best": 3, "all": 6}[pairs] * len(groups[0])
        assert found.comparisons == size
        assert found.signature.endswith(f"|holm:{size} a {family}")


def test_the_bootstrap_interval():
    found = compared(values(), interval="bootstrap", trials=4000).run_means[1].difference
    student = compared(values()).run_means[1].difference
    assert found.low + found.high == pytest.approx(2 * found.mean)
    assert (found.low, found.high) == pytest.approx((student.low, student.high), abs=0.05)
    assert found.low != student.low


def test_counts_are_shown_and_not_tested():
    of = values(num_ret=np.arange(100.0).reshape(4, 25), ret_size=np.ones((4, 25)))
    for pairs, family in itertools.product(("first", "all"), ("measure", "call")):
        found = compared(of, pairs=pairs, family=family)
        alone = compared(values(), pairs=pairs, family=family)
        assert found.comparisons == alone.comparisons
        assert found.run_means[: len(alone.run_means)] == alone.run_means
        row = next(row for row in found.run_means if row.measure == "num_ret" and row.difference)
        assert (row.mean, row.difference.mean, row.difference.wins) == (37.0, 25.0, 25)
        statistics = row.difference.statistics()
        assert {name for name, value in statistics.items() if value is not None} == {
            *("difference", "wins", "ties", "losses", "exact"),
        }
        assert found.detectable.keys() == {"map", "ndcg"}


def test_where_lower_is_better():
    one = make_matrix(
        [Scores(n, n, {"1": {"m": v}, "2": {"m": v + w}}) for n, v, w in (("a", 3, 1), ("b", 1, 1), ("c", 2, 3))]
    )
    from dataclasses import replace

    found = compare_matrix(replace(one, lower_better=frozenset("m")), ComparisonSettings(pairs="best", trials=10))
    assert found.base == {"m": 1}
    assert (found.run_means[0].difference.mean, found.run_means[0].difference.losses) == (2, 2)


def test_the_difference_that_would_have_been_found():
    own = values()["map"]
    found = compared(values()).detectable["map"]
    deviation = math.sqrt((own[1:] - own[0]).var(axis=1, ddof=1).mean())
    shift, critical = found / deviation * 5, stats.t.isf(0.025, 24)
    assert stats.nct.sf(critical, 24, shift) + stats.nct.cdf(-critical, 24, shift) == pytest.approx(POWER, abs=1e-9)
    assert compared({"map": np.full((2, 5), 0.5)}).detectable == {}
    assert compared({"map": np.array([[0.5], [0.25]])}).detectable == {}


def told(of, **settings):
    return [text for text in compared(of, **settings).warnings if "no corrected p-value" in text]


def test_hopeless_comparisons_count_topics_that_differ_and_the_correction():
    own = np.zeros((2, 8))
    own[1, :6] = 0.1  # six topics differ: 2 of 64 arrangements
    assert told({"map": own}) == []
    own[1, 5] = 0
    assert told({"map": own}) == [
        "map: no corrected p-value of the randomisation test can be below 0.0625 (5 topics differ, 1 comparison)"
    ]
    own = np.random.default_rng(1).random((4, 8))
    assert told({"map": own}) == []  # 3 * 2 / 256
    assert told({"map": own, "ndcg": own}) == []
    # Tukey's HSD decides of all pairs, and has other limits
    assert told({"map": own, "ndcg": own}, pairs="all", family="call", alpha=0.01) == []
    assert told({"map": own, "ndcg": own}, alpha=0.01) == [
        (
            "map, ndcg: no corrected p-value of the randomisation test can be below 0.0234375 "
            "(8 topics differ, 3 comparisons)"
        )
    ]
    assert told({"map": np.ones((2, 3))}) == [
        "map: no corrected p-value of the randomisation test can be below 1 (0 topics differ, 1 comparison)"
    ]


def test_a_least_p_value_of_just_alpha_is_not_below_it():
    own = np.zeros((2, 5))
    own[1] = 0.1  # five topics differ: 2 of 32 arrangements
    assert len(told({"map": own}, alpha=0.0625)) == 1
    assert told({"map": own}, alpha=0.0626) == []


def test_hopelessly_few_trials():
    own = np.random.default_rng(1).random((4, 30))
    assert told({"map": own}, trials=50) == [
        "map: no corrected p-value of the randomisation test can be below 0.0588235 (50 trials, 3 comparisons)"
    ]
    assert told({"map": own}, trials=60) == []


def test_few_topics():
    few = "only 19 topics: below 20, intervals and p-values are rough"
    own = values(topics=19)
    assert few in compared(own).warnings
    assert compared(values(topics=20)).warnings == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"baseline": "e"}, "no run e for the baseline (there are: a, b, c, d)"),
        ({"baseline": "A"}, "no run A for the baseline (there are: a, b, c, d); did you mean a?"),
        ({"pairs": "every"}, "pairs=every: pairs is first, best or all"),
        ({"interval": "normal"}, "interval=normal: interval is t, bootstrap or single"),
        ({"family": "measures"}, "family=measures: family is measure or call; did you mean measure?"),
        (
            {"baseline": "a", "pairs": "all"},
            "a baseline is what the other runs are compared with, and goes with pairs=first only",
        ),
    ],
)
def test_what_is_refused(settings, message):
    with pytest.raises(UsageError) as caught:
        compared(values(), **settings)
    assert str(caught.value) == message


def test_a_baseline_that_may_be_several_runs():
    with pytest.raises(UsageError) as caught:
        compared(values(), names="abba", baseline="b")
    assert str(caught.value) == "the baseline b may be any of 2 runs (1.txt, 2.txt); give the path of one"
    assert compared(values(), names="abba", baseline="2.txt").base["map"] == 2
