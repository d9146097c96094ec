"""`prum_eval.power`: the order of measures, the same for the same seed, runs that are one, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval import power
from prum_eval.errors import DataError, UsageError
from prum_eval.experiments.power import default_sizes, parse_sizes

SYSTEMS = "fixtures/compare/systems.csv"


def made(table, name="m"):
    return {f"run{number}": {str(t): {name: value} for t, value in enumerate(row)} for number, row in enumerate(table)}


@pytest.fixture(autouse=True)
def _at_the_root(request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "t"])
def test_a_run_with_itself_has_no_power_and_only_ties(test):
    row = np.random.default_rng(1).random(30).tolist()
    (found,) = power(values=made([row, row]), test=test, trials=100, fuzziness=0).measures
    assert (found.topics, found.power, found.required) == (30, 0.0, None)
    assert [one.size for one in found.sizes] == [5, 10, 15]
    for one in found.sizes:
        assert (one.power, one.swap_rate, one.error_rate, one.ties, one.tau) == (0.0, 0.0, 0.0, 1.0, None)


def test_a_run_that_is_always_better():
    row = np.random.default_rng(1).random(20)
    (found,) = power(values=made([row, row + 5 + row]), trials=100).measures
    assert (found.power, found.sizes[-1].power) == (1.0, 1.0)
    assert [(one.swap_rate, one.error_rate, one.ties, one.tau) for one in found.sizes] == [(0.0, 0.0, 0.0, 1.0)] * 2


def test_the_best_measure_is_first():
    random = np.random.default_rng(2)
    good, noise = np.arange(6)[:, None] + random.normal(0, 0.5, (6, 20)), random.normal(0, 1, (6, 20))
    values = {
        f"run{r}": {str(t): {"noise": noise[r, t], "good": good[r, t], "same": 1.0} for t in range(20)}
        for r in range(6)
    }
    found = power(values=values, trials=200)
    assert [one.measure for one in found.measures] == ["good", "noise", "same"]
    powers = [one.power for one in found.measures]
    assert powers == sorted(powers, reverse=True)
    best, worst = found.measures[0].sizes[-1], found.measures[1].sizes[-1]
    assert best.swap_rate < worst.swap_rate
    assert best.error_rate < worst.error_rate
    assert found.pairs == 15


def test_the_same_seed_gives_the_same_and_another_something_else():
    first, again, other = (list(power(values=SYSTEMS, trials=300, seed=seed).rows()) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_other_sizes_change_nothing_of_a_size():
    one = power(values=SYSTEMS, sizes=[3], trials=100, measures="map").measures[0].sizes
    more = power(values=SYSTEMS, sizes="1:4:1", trials=100, measures="map").measures[0].sizes
    assert one[0] == more[2]
    assert [own.size for own in more] == [1, 2, 3, 4]


def test_rows_end_with_all_topics():
    rows = list(power(values=SYSTEMS, trials=50, measures="map").rows())
    assert [row["topics"] for row in rows] == [4, 8]
    assert [row["required"] is None for row in rows] == [True, False]
    assert [row["tau"] is None for row in rows] == [False, True]


def test_runs_are_evaluated_as_by_eval():
    found = power("fixtures/toy/qrels", {"a": "fixtures/toy/run", "b": {"1": {"moon": 1.0}, "2": {"ovens": 1.0}}})
    assert found.signature.endswith(
        "|power|test:bootstrap|runs:2|topics:2|fuzziness:0.05|5000 trials|seed:1|alpha:0.05"
    )
    assert not {one.measure for one in found.measures} & {"num_q", "num_ret"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": "5"}, "sizes: 5: of 8 topics (map) two disjoint sets have 4 at most"),
        ({"sizes": [0]}, "sizes: 0: the size of a topic set is a whole number from 1 on"),
        ({"sizes": "2,x"}, "sizes: x: the size of a topic set is a whole number from 1 on"),
        ({"sizes": "1:2:.5"}, "sizes: 1.5: the size of a topic set is a whole number from 1 on"),
        ({"sizes": []}, "sizes: empty: the size of a topic set is a whole number from 1 on"),
        ({"test": "wilcoxon"}, "test=wilcoxon: test is randomisation, t or bootstrap"),
        ({"fuzziness": 1.0}, "fuzziness=1.0: fuzziness is a number from 0 on and below 1"),
        ({"trials": 0}, "trials=0: trials is a whole number from 1 to 10000000"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(UsageError) as caught:
        power(values=SYSTEMS, measures="map", **options)
    assert str(caught.value) == message


def test_it_takes_two_topics_and_a_score():
    with pytest.raises(DataError, match=r"^m: there is only one topic; two disjoint sets need two topics$"):
        power(values=made([[1.0], [2.0]]))
    with pytest.raises(DataError, match=r"^only counts, which have no power: num_x$"):
        power(values=made([[1.0, 2.0], [2.0, 3.0]], "num_x"), measures="num_x")


def test_sizes():
    assert [default_sizes(topics) for topics in (2, 9, 10, 11, 100)] == [(1,), (4,), (5,), (5,), (5, 10, 20, 40, 50)]
    assert parse_sizes("10,5,10") == (5, 10)
    assert parse_sizes(7) == (7,)
