"""80 and 300 targets, with probabilities of every size: finite, and right to twelve digits."""

import random
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from prum_eval.measures.prum import prum_precisions
from prum_eval.numerics import count_distributions as counting
from prum_eval.numerics.count_distributions import count_distribution, missing_given_count
from tests.oracles import transcription
from tests.oracles.worlds import facts_of, seen_of, value_of
from tests.slow import slow_but

SIZE = 5000


def small(rng):
    return 0.01 * rng.random()


def middle(rng):
    return rng.random()


def nearly_one(rng):
    return 1 - 1e-3 * rng.random()


def every_size(rng):
    return rng.choice([1e-300, 1e-17, 1e-8, 1e-3, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9])


def long_tails(rng):
    return rng.choice([1e-12, 1 - 1e-12])


KINDS = [small, middle, nearly_one, every_size, long_tails]


def random_matrix(kind, t, ranks):
    rng = random.Random(f"{kind.__name__} {t}")
    return [[kind(rng) if rng.random() < 0.8 else 0.0 for _ in range(t)] for _ in range(ranks)]


def agree(found, expected):
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, np.array(expected, dtype=np.float64), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("kind", slow_but([nearly_one, every_size], KINDS))
def test_80_targets_in_60_digits(kind):
    R = random_matrix(kind, 80, 3)
    with mpmath.workdps(60):
        halves = transcription.laws_without_by_halves
        paper = transcription.prum_paper(R, 80, SIZE, 3, mpmath.mpf, halves)
        exact = transcription.prum_exact(R, 80, SIZE, 3, mpmath.mpf)
    seen = seen_of(R, 80)
    agree(prum_precisions(seen, SIZE, 3, "paper"), paper)
    agree(prum_precisions(seen, SIZE, 3, "exact"), exact)


@pytest.mark.parametrize("kind", slow_but([middle], KINDS))
def test_300_targets_in_60_digits(kind):
    R = random_matrix(kind, 300, 2)
    with localcontext(Context(prec=60)):
        halves = transcription.laws_without_by_halves
        paper = transcription.prum_paper(R, 300, SIZE, 2, Decimal, halves)
        exact = transcription.prum_exact(R, 300, SIZE, 2, Decimal)
    seen = seen_of(R, 300)
    agree(prum_precisions(seen, SIZE, 2, "paper"), paper)
    agree(prum_precisions(seen, SIZE, 2, "exact"), exact)


@pytest.mark.parametrize("kind", KINDS)
def test_expected_precision_of_80_targets_is_right_relative_to_itself(kind):
    R = random_matrix(kind, 80, 4)
    results, targets = [f"y{k}" for k in range(4)], [f"x{i}" for i in range(80)]
    edges = {(y, x): R[k][i] for k, y in enumerate(results) for i, x in enumerate(targets) if R[k][i] > 0}
    with mpmath.workdps(60):
        quotients = transcription.search_quotients(R, 80, mpmath.mpf)
    levels = [r / 80 for r in range(1, 81)]
    found = value_of("eprum_prec_at_recall", facts_of(edges, dict.fromkeys(targets, 1.0), results), levels)
    agree(found, [r * quotient for r, quotient in enumerate(quotients, 1)])


@pytest.mark.parametrize("tiny", [1e-300, 1e-310, 5e-324])
@pytest.mark.parametrize("mode", ["paper", "exact", "normal"])
def test_the_smallest_probabilities_break_nothing(tiny, mode):
    R = [[0.4, tiny, 0.0], [0.4, tiny, 0.0], [0.5, 0.5, 0.5]]
    expected = transcription.prum_paper if mode in {"paper", "normal"} else transcription.prum_exact
    agree(prum_precisions(seen_of(R, 3), 100, 3, mode), expected(R, 3, 100, 3))


def test_a_probability_too_small_to_leave_a_trace_in_one_minus_it_is_not_lost():
    seen = seen_of([[1e-20], [1e-20]], 1)
    assert seen.p.tolist() == [[0.0, 1e-20, 2e-20]]


def article_in_doubles(R, t, size, existing):
    """Equations 5 to 8 as they stand, in doubles: laws event by event, one less a product, plain sums."""
    seen = seen_of(R, t)
    laws = np.pad(count_distribution(seen.p), ((0, t - len(seen.p)), (0, 0)))
    gained = np.zeros(t + 1)
    for state, p in enumerate(seen.p.T[:-1]):
        own = seen.reach.state == state
        target, chance = seen.reach.target[own], seen.reach.probability[own]
        law = laws[:, state]
        unseen = missing_given_count(p[target], law[:, None], np.zeros(len(target), dtype=np.int64))
        gained += law * (1 - (1 - chance * unseen).prod(axis=1))
    count = np.arange(t)
    consulted, end = (laws[:, :-1] @ seen.dwell[:-1] + laws[:, -1] * seen.dwell[-1])[:t], laws[:t, -1]
    draws = 1 + (size - existing - (t - count)) / (t - count + 1)
    rest, drawn = np.cumsum(np.cumsum(end)), np.cumsum(np.cumsum(end * draws))
    return (np.cumsum(gained[:t]) + rest) / (np.cumsum(consulted) + drawn)


@pytest.mark.skipif(np.finfo(np.longdouble).eps == np.finfo(np.float64).eps, reason="no longer numbers here")
@pytest.mark.parametrize(
    ("t", "ranks", "number"), [(5, 12, Fraction), (12, 8, Fraction), (60, 8, Decimal), (150, 5, Decimal)]
)
@pytest.mark.parametrize("kind", [small, middle])
@pytest.mark.parametrize("halved", slow_but([True], [True, False]))
def test_precision_is_nearer_to_the_exact_one_than_the_article_s_equations_in_doubles(
    t, ranks, number, kind, halved, monkeypatch
):
    R = random_matrix(kind, t, ranks)
    R = [[chance if x < 3 or x % ranks == rank else 0.0 for x, chance in enumerate(row)] for rank, row in enumerate(R)]
    with localcontext(Context(prec=60)):
        exact = transcription.prum_paper(R, t, SIZE, ranks, number, transcription.laws_without_by_halves)
        if halved:
            monkeypatch.setattr(counting, "_MANY_CELL_STEPS", -1)
        found, plain = prum_precisions(seen_of(R, t), SIZE, ranks, "paper"), article_in_doubles(R, t, SIZE, ranks)
        mine, its = (
            float(sum(abs(number(x) / wanted - 1) for x, wanted in zip(values.tolist(), exact, strict=True)) / t)
            for values in (found, plain)
        )
    assert mine <= max(its, 1.5e-16) < 2e-15
