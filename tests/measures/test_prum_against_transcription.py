"""PRUM as the article prints it, computed in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures import prum
from prum_eval.measures.prum import prum_precisions
from tests.oracles import transcription
from tests.oracles.worlds import examples, facts_of, matrices, matrix_of, seen_of, unseen_surely, value_of, worlds


@examples(150)
@given(matrices(max_ranks=5, max_targets=6), st.integers(0, 100))
def test_paper_mode_equals_the_equations_in_fractions(matrix, more):
    R, t = matrix
    size = len(R) + unseen_surely(R, t) + more
    expected = transcription.prum_paper(R, t, size, len(R))
    values = prum_precisions(seen_of(R, t), size, len(R), "paper")
    np.testing.assert_allclose(values, np.array(expected, dtype=np.float64), rtol=1e-10, atol=0)


@examples(40)
@given(worlds(), st.integers(0, 50))
def test_measure_is_the_mean_over_all_numbers_of_targets(world, more):
    edges, weights, results = world
    R, t = matrix_of(edges, weights, results), len(weights)
    size = len(results) + sum(name not in results for name in weights) + more
    expected = float(sum(transcription.prum_paper(R, t, size, len(results))) / t)
    assert value_of("prum_map", facts_of(edges, weights, results, size)) == pytest.approx(expected, rel=1e-10)


@examples(40)
@given(matrices(max_ranks=4, max_targets=5))
def test_blocks_of_the_leave_one_out_table_do_not_show(matrix):
    R, t = matrix
    whole = prum_precisions(seen_of(R, t), len(R) + t, len(R), "paper")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prum, "TABLE_CELLS", 1)  # one state at a time
        one_by_one = prum_precisions(seen_of(R, t), len(R) + t, len(R), "paper")
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-13)


def test_both_oracles_of_the_others_agree():
    p = [Fraction(i, 11) for i in (0, 3, 5, 7, 11, 2)]
    assert transcription.laws_without_by_halves(p) == transcription.laws_without(p)


@pytest.mark.parametrize(
    ("R", "size", "expected"),
    [
        ([[0.4, 0.4], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]], 4, [Fraction(625, 904), Fraction(539, 848)]),
        ([[0.4, 0.4], [0.6, 0.4]], 100, [0.23746201, 0.06012102]),
        ([[1.0, 1.0]], 100, [1, 1]),
    ],
)
def test_worked_examples(R, size, expected):
    wanted = pytest.approx([float(value) for value in expected], abs=1e-8)
    assert [float(value) for value in transcription.prum_paper(R, 2, size, len(R))] == wanted
    assert prum_precisions(seen_of(R, 2), size, len(R), "paper") == wanted
