"""Sums of laws over situations that are halved: against laws that are grown event by event."""

import json
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.numerics import count_distributions as counting
from prum_eval.numerics import count_distributions as growing_counts
from prum_eval.numerics import divide_and_conquer as halved_counts
from prum_eval.numerics.count_distributions import (
    count_distribution,
    count_distributions,
    scatter,
    sums_of_distributions,
)
from prum_eval.numerics.divide_and_conquer import divide_and_conquer_sums, step_table
from tests.gold import run
from tests.oracles.transcription import multiply
from tests.slow import slow_but

CHANCES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))


@st.composite
def situations(draw):
    """Probabilities of events that never fall, with stretches in which they stay, and weights."""
    t, n = draw(st.integers(0, 40)), draw(st.integers(1, 60))
    p = np.zeros((t, n))
    for row in p:
        begins = draw(st.lists(st.tuples(st.integers(0, n - 1), CHANCES), max_size=4))
        for begin, chance in begins:
            row[begin:] = np.maximum(row[begin:], chance)
    return p, np.array(draw(st.lists(st.floats(0, 2), min_size=n, max_size=n)))


@settings(deadline=None)
@given(situations())
def test_sums_are_those_of_the_laws(given_):
    p, weights = given_
    wanted = (count_distribution(p) * weights).sum(axis=1)
    assert divide_and_conquer_sums(step_table(p), len(p), weights) == pytest.approx(wanted, rel=1e-12, abs=1e-35)


@pytest.mark.parametrize("cells", [1, 1 << 20])
def test_many_uncertain_events(cells, monkeypatch):
    """Also if the probabilities of only a few situations are in memory at once."""
    monkeypatch.setattr(halved_counts, "_CELLS_TOGETHER", cells)
    rng = np.random.default_rng(5)
    p = np.maximum.accumulate(np.where(rng.random((700, 90)) < 0.03, rng.random((700, 90)), 0.0), axis=1)
    bounds = np.cumsum(rng.random(91))
    weights = np.diff(bounds)
    wanted = sums_of_distributions(step_table(p), [300, 700], bounds)
    for count, own in zip((300, 700), wanted, strict=True):
        found = divide_and_conquer_sums(step_table(p), count, weights)
        assert found.sum() == pytest.approx(weights.sum(), rel=1e-13)
        assert found == pytest.approx(own, rel=1e-11, abs=1e-35)


@settings(deadline=None)
@given(situations(), st.booleans(), st.sampled_from([1, 3, 64]), st.sampled_from([2, 16]))
def test_laws_are_those_grown_event_by_event(given_, joint, long_numbers, degree):
    """Every cell relative to itself, against exact fractions, also of joint laws of what happens and does not."""
    p, _ = given_
    before, after = p[:12, :-1], p[:12, 1:]
    if not before.shape[1]:
        return
    does_not = 1.0 - after if joint else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_MANY_CELL_STEPS", -1)
        patch.setattr(counting, "SMALLEST_CELL", 0.0)  # nothing is cut but cells too small for a double
        patch.setattr(halved_counts, "_LONG_NUMBERS", long_numbers)
        patch.setattr(halved_counts, "_DEGREE", degree)
        law = count_distributions(before, does_not)
    plain = count_distributions(before, does_not)
    assert law.cells.shape == plain.cells.shape
    assert law.span.tolist() == plain.span.tolist()
    assert law.least.tolist() == plain.least.tolist()
    for situation in range(before.shape[1]):
        chances = [Fraction(x) for x in before[:, situation]]
        missed = [1 - x for x in chances] if does_not is None else [Fraction(x) for x in does_not[:, situation]]
        pairs = [[q, x] for q, x in zip(missed, chances, strict=True) if x < 1]
        exact = reduce(multiply, pairs, [Fraction(1)])[: len(law.cells)]
        wanted = np.array(exact, dtype=np.float64)
        np.testing.assert_allclose(law.cells[: len(wanted), situation], wanted, rtol=1e-13, atol=1e-300)
        assert not law.cells[len(wanted) :, situation].any()


@settings(deadline=None)
@given(situations(), st.booleans(), st.sampled_from([1e-40, 1e-9, 1e-3]))
def test_ends_of_laws_are_cut(given_, joint, smallest):
    """What is left out is at most so much a cell; a joint law is taken from the law of the count where it stands."""
    p, weights = given_
    if p.shape[1] < 2:
        return
    before, after, weights = p[:, :-1], p[:, 1:], weights[:-1]
    whole, part = count_distributions(before), count_distributions(before, 1.0 - after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_MANY_CELL_STEPS", -1)
        patch.setattr(counting, "SMALLEST_CELL", smallest)
        patch.setattr(halved_counts, "_LONG", 0)
        law, cut = count_distributions(before), count_distributions(before, 1.0 - after)
    lost = 1e-14 + smallest * (len(p) + 1) ** 2
    for found, wanted in ((law, whole), (cut, part)):
        assert (found.cells[found.span.max(initial=0) + 1 :] == 0).all()
        np.testing.assert_allclose(found.weighted_sum(weights), wanted.weighted_sum(weights), atol=lost * weights.sum())
    length = len(p) + 1
    for situation in range(before.shape[1]):
        here = slice(situation, situation + 1)
        rest, wanted = (
            scatter(one.subtract(other)[:, here], one.least[here], length) for one, other in ((law, cut), (whole, part))
        )
        np.testing.assert_allclose(rest, wanted, atol=2 * lost)


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).eps == np.finfo(np.float64).eps, reason="no longer numbers here")
@pytest.mark.parametrize("seed", slow_but([0], range(3)))
def test_laws_by_halves_are_no_less_accurate_than_grown_ones(monkeypatch, seed):
    """Against exact fractions: 150 events, most of which stay as they are."""
    rng = np.random.default_rng(seed)
    p = np.repeat(rng.random((150, 1)) ** 3, 4, axis=1)
    p[:30, 1:] = np.maximum(p[:30, 1:], rng.random((30, 1)))
    grown = count_distributions(p).cells
    monkeypatch.setattr(counting, "_MANY_CELL_STEPS", -1)
    monkeypatch.setattr(counting, "SMALLEST_CELL", 0.0)
    halved = count_distributions(p).cells
    for situation in (0, 3):
        pairs = [[1 - Fraction(x), Fraction(x)] for x in p[:, situation]]
        exact = reduce(multiply, pairs, [Fraction(1)])
        errors = [
            max(abs(Fraction(found) / wanted - 1) for found, wanted in zip(law[:, situation], exact, strict=True))
            for law in (grown, halved)
        ]
        assert errors[1] <= errors[0] < 1e-14


@pytest.mark.parametrize("mode", ["paper", "exact"])
def test_prum_is_the_same(mode, monkeypatch):
    command = (
        f"eval -f json -q -m prum --prum-mode {mode} -s fixtures/demo/structure.tsv -u hierarchical "
        "fixtures/demo/assessments fixtures/demo/run-a.xml"
    )
    before = run(command).out
    monkeypatch.setattr(counting, "_MANY_CELL_STEPS", -1)
    assert values(run(command).out) == pytest.approx(values(before), rel=1e-12)


def test_eprum_is_the_same(monkeypatch):
    command = (
        "eval -f json -q -m eprum_map -m eprum_prec_at_recall -s fixtures/demo/structure.tsv -u hierarchical "
        "fixtures/demo/assessments fixtures/demo/run-a.xml"
    )
    ratio = f"{command} --set at_recall=ratio"
    before = [run(one).out for one in (command, ratio)]
    monkeypatch.setattr(growing_counts, "_MANY_SUM_STEPS", 0)
    calls = []
    monkeypatch.setattr(
        growing_counts, "divide_and_conquer_sums", lambda *given: calls.append(1) or divide_and_conquer_sums(*given)
    )
    for one, old in zip((command, ratio), before, strict=True):
        assert values(run(one).out) == pytest.approx(values(old), rel=1e-12)
    assert calls


def values(text):
    (only,) = json.loads(text)["runs"]
    return [value for own in [*only["topics"].values(), only["all"]] for value in own.values() if value is not None]
