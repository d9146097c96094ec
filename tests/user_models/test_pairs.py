"""User models that read extents, against sets of characters and loops over pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import UsageError
from prum_eval.user_models.model import ModelContext
from prum_eval.user_models.registry import build_model, choose_model
from tests.oracles import documents as naive
from tests.oracles.documents import (
    ELEMENT,
    PASSAGE,
    POINT,
    matrix_of_model,
    matrix_of_pairs,
    ranked_topics,
    record_of,
    tree_of,
)
from tests.oracles.worlds import examples

ANYTHING = ranked_topics()
TO_POINTS = ranked_topics(targets=(POINT, PASSAGE, ELEMENT))
TO_ELEMENTS = ranked_topics(targets=(ELEMENT,))


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


@examples(200)
@given(ANYTHING)
def test_hierarchical_is_the_share_of_common_characters(ranked):
    same(matrix_of_model("hierarchical", {}, ranked), matrix_of_pairs(ranked, naive.hierarchical))


@examples(60)
@given(ANYTHING, st.sampled_from(["0.3", "2", "7.5"]))
def test_hierarchical_raises_the_share_to_a_power(ranked, exponent):
    expected = matrix_of_pairs(ranked, naive.hierarchical) ** float(exponent)
    same(matrix_of_model("hierarchical", {"exponent": exponent}, ranked), expected)


@examples(60)
@given(TO_POINTS)
def test_none_sees_the_result_itself_only(ranked):
    same(matrix_of_model("none", {}, ranked), matrix_of_pairs(ranked, lambda _y, _x: 0.0))


@pytest.mark.parametrize("part", ["share", "whole"])
@examples(100)
@given(
    ranked=ranked_topics(results=(ELEMENT, PASSAGE, POINT), targets=(POINT, PASSAGE, ELEMENT)),
    beyond=st.sampled_from([0, 1, 5, 10**15]),
)
def test_coverage_is_the_share_of_the_target_that_is_read(part, ranked, beyond):
    expected = matrix_of_pairs(ranked, naive.coverage(min(beyond, 1000), whole=part == "whole"))
    same(matrix_of_model("coverage", {"part": part, "beyond": str(beyond)}, ranked), expected)


@pytest.mark.parametrize("decay", ["step", "inverse", "exponential"])
@examples(80)
@given(ranked=TO_POINTS, tolerance=st.integers(0, 15))
def test_t2i_reads_forward(decay, ranked, tolerance):
    settings = {"tolerance": str(tolerance), "decay": decay}
    expected = matrix_of_pairs(ranked, naive.t2i(tolerance, decay))
    same(matrix_of_model("t2i", settings, ranked), expected)


@examples(60)
@given(TO_POINTS, st.sampled_from([0.01, 0.1, 1, 10, 100]), st.integers(1, 500))
def test_bep_distance_falls_with_the_distance_of_the_beginnings(ranked, A, L):
    expected = matrix_of_pairs(ranked, naive.bep_distance(A, L))
    same(matrix_of_model("bep-distance", {"A": str(A)}, ranked, mean_length=float(L)), expected)
    same(matrix_of_model("bep-distance", {"A": str(A), "L": str(L)}, ranked, mean_length=7.0), expected)


@pytest.mark.parametrize(("d", "value"), [(0, 1), (100, 0.5), (500, 1 / 6), (1000, 1 / 11), (5000, 1 / 51)])
def test_bep_distance_table(d, value):
    assert naive.bep_distance(0.1, 1000)(naive.Place(0, PASSAGE, start=d), naive.Place(0, POINT, start=0)) == value


@examples(60)
@given(TO_POINTS, st.sampled_from([0.001, 0.01, 0.5, 3.0]))
def test_logistic_is_one_at_the_target(ranked, rate):
    same(matrix_of_model("logistic", {"lambda": str(rate)}, ranked), matrix_of_pairs(ranked, naive.logistic(rate)))


@examples(200)
@given(TO_ELEMENTS, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_siblings_take_the_best_neighbour(ranked, fade):
    same(matrix_of_model("siblings", {"p": str(fade)}, ranked), matrix_of_pairs(ranked, naive.siblings(fade)))


def test_an_empty_sibling_reaches_the_target():
    """Of an article with a paragraph, an empty figure beside it and one further on."""
    paths = ("/article[1]", "/article[1]/p[1]", "/article[1]/fig[1]", "/article[1]/fig[2]")
    tree = tree_of(paths, [0, 0, 10, 10], [10, 10, 0, 0])
    listed = [naive.Place(0, ELEMENT, tree, element) for element in (1, 2, 3)]
    found = matrix_of_model("siblings", {"p": "0.5"}, ([tree], listed, listed[:2]))
    assert found.tolist() == [[1.0, 0.5], [0.5, 1.0], [0.25, 0.5]]


def test_t2i_without_tolerance_is_one_at_the_target_and_nothing_further_on():
    targets = [naive.Place(0, PASSAGE, start=start, length=5) for start in (7, 8)]
    result = [naive.Place(0, PASSAGE, start=start, length=2) for start in (7, 9)]
    ranked = [None], result, targets
    expected = [[1.0, 0.0], [1.0, 1.0]]  # from 9 on both are read, as it is in them
    for decay in ("step", "inverse"):
        assert matrix_of_model("t2i", {"tolerance": "0", "decay": decay}, ranked).tolist() == expected


def test_t2i_reads_300_characters_on_unless_told_otherwise():
    targets = [naive.Place(0, PASSAGE, start=start, length=5) for start in (299, 300, 301)]
    ranked = [None], [naive.Place(0, PASSAGE, start=0, length=2)], targets
    assert matrix_of_model("t2i", {}, ranked).tolist() == [[1.0, 1.0, 0.0]]
    assert matrix_of_model("t2i", {"decay": "inverse"}, ranked)[0, 1] == 0.5


def test_t2i_takes_no_negative_tolerance():
    choose_model("t2i", {"tolerance": "0"})
    with pytest.raises(UsageError, match="tolerance"):
        choose_model("t2i", {"tolerance": "-0.5"})


@pytest.mark.parametrize("decay", ["step", "inverse", "exponential"])
def test_t2i_reaches_nothing_from_a_result_at_an_unknown_position(decay):
    """The second result: -1 stands for a start and a length that are not known."""
    results = [naive.Place(0, PASSAGE, start=start, length=length) for start, length in ((0, 2), (-1, -1))]
    topic = record_of(([None], results, [naive.Place(0, PASSAGE, start=0, length=5)]))
    topic = replace(topic, results=replace(topic.results, located=np.array([True, False])))
    found = build_model(choose_model("t2i", {"decay": decay}), ModelContext())(topic)
    assert found.dense().tolist() == [[1.0], [0.0]]
