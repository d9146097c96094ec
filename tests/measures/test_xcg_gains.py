"""Gains of overlapping results against the recursion as it is written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.records import AssessmentKind, RunKind
from tests.measures.collections import Element, assessments_of, examples, run_of, structure_of, trees, values, worlds
from tests.oracles.overlap import GEN, has_relevance, ideal_of, naive_capped, naive_gains, ranks
from tests.slow import slow_but

ALPHAS = [0.0, 0.25, 0.5, 1.0]


@pytest.mark.parametrize("alpha", slow_but([0.25, 1.0], ALPHAS))
@pytest.mark.parametrize("keep", ["shorter", "best"])
@given(worlds(least=0))
@examples(60)
def test_gains_of_overlapping_results_are_those_of_the_recursion(alpha, keep, world):
    elements, judged, ranked = world
    if not ranked or not has_relevance(judged):
        return
    wanted = naive_gains(elements, judged, ranked, alpha)
    cut = naive_capped(elements, judged, ranked, wanted, ideal_of(elements, judged, keep))
    found = values(
        assessments_of({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}:cap=off", f"xcg.{ranks(ranked)}",
        f"nxcg.{ranks(ranked)}", structure=structure_of(elements), settings={"alpha": alpha, "keep": keep},
    )["1"]  # fmt: skip
    sums, sums_cut = np.cumsum(wanted), np.cumsum(cut)
    ideal = np.cumsum(sorted((GEN[judged[key]] for key in ideal_of(elements, judged, keep)), reverse=True))
    for k in range(1, len(ranked) + 1):
        assert found[f"xcg_{k}:cap=off"] == pytest.approx(sums[k - 1], abs=1e-9)
        assert found[f"xcg_{k}"] == pytest.approx(sums_cut[k - 1], abs=1e-9)
        assert found[f"nxcg_{k}"] == pytest.approx(sums_cut[k - 1] / ideal[min(k, len(ideal)) - 1], abs=1e-9)


@given(worlds())
@examples(60)
def test_alpha_1_gives_nothing_inside_an_earlier_result(world):
    elements, judged, ranked = world
    if not ranked or not has_relevance(judged):
        return
    found = values(
        assessments_of({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}", structure=structure_of(elements)
    )["1"]
    by_key = {element.key: element for element in elements}
    for k, key in enumerate(ranked, 1):
        if any(outer.key in ranked[: k - 1] for outer in by_key[key].above()):
            assert found[f"xcg_{k}"] == (found[f"xcg_{k - 1}"] if k > 1 else 0)


def test_alpha_1_gives_nothing_for_a_repeated_result():
    a = Element("d0", "/a[1]", 0, 10, [])
    judged, structure = assessments_of({"1": {a.key: (3, 3)}}), structure_of([a])
    twice = run_of({"1": [a, a]}, RunKind.EXTENTS)
    found = values(judged, twice, "xcg.1,2", "xcg_2:alpha=0.25", "xcg_2:overlap=off", structure=structure)["1"]
    assert found == {"xcg_1": 1, "xcg_2": 1, "xcg_2:alpha=0.25": 1.75, "xcg_2:overlap=off": 2}


@pytest.mark.parametrize("keep", ["shorter", "best"])
@given(worlds(longest=20), st.sampled_from(ALPHAS))
@examples(60)
def test_the_cap_holds(keep, world, alpha):
    elements, judged, ranked = world
    if not ranked or not has_relevance(judged):
        return
    found = values(
        assessments_of({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}", structure=structure_of(elements),
        settings={"alpha": alpha, "keep": keep},
    )["1"]  # fmt: skip
    gains = np.diff([0, *(found[f"xcg_{k}"] for k in range(1, len(ranked) + 1))])
    by_key = {element.key: element for element in elements}
    for key in ideal_of(elements, judged, keep):
        inner = {element.key for element in by_key[key].walk()} - {key}
        total = sum(gain for gain, result in zip(gains, ranked, strict=True) if result in inner)
        assert total <= GEN[judged[key]] + 1e-9


@given(worlds(), st.randoms(use_true_random=False))
@examples(40)
def test_an_ideal_run_scores_1_in_the_settings_of_its_task(world, random):
    """Thorough: all relevant elements by gain. Focused: those of the ideal base by gain, which do not nest."""
    elements, judged, _ = world
    if not has_relevance(judged):
        return
    assessments, structure = assessments_of({"1": judged}), structure_of(elements)
    keys = sorted((key for key, pair in judged.items() if GEN[pair] > 0), key=lambda _: random.random())
    thorough = sorted(keys, key=lambda key: -GEN[judged[key]])
    found = values(
        assessments, run_of({"1": thorough}), "maep", "ep_at_gr", "nxcg:overlap=off,base=full",
        "manxcg:overlap=off,base=full", structure=structure,
    )["1"]  # fmt: skip
    assert list(found.values()) == pytest.approx([1] * len(found), abs=1e-9)
    base = ideal_of(elements, judged, "shorter")
    focused = sorted((key for key in keys if key in base), key=lambda key: -GEN[judged[key]])
    found = values(
        assessments, run_of({"1": focused}), "nxcg", "manxcg", "nxcg:overlap=off", "maep:overlap=on,base=ideal",
        "ep_at_gr:overlap=on,base=ideal", structure=structure,
    )["1"]  # fmt: skip
    assert list(found.values()) == pytest.approx([1] * len(found), abs=1e-9)


@given(worlds(least=1))
@examples(60)
def test_offsets_and_paths_of_one_list_agree(world):
    elements, judged, ranked = world
    if not ranked or not has_relevance(judged):
        return
    by_key = {element.key: element for element in elements}
    assessments, structure = assessments_of({"1": judged}), structure_of(elements)
    offsets = run_of({"1": [by_key[key] for key in ranked]}, RunKind.EXTENTS)
    by_paths = values(assessments, run_of({"1": ranked}), "xcg", "grp", "xcg:alpha=0.5", structure=structure)
    assert values(assessments, offsets, "xcg", "grp", "xcg:alpha=0.5", structure=structure) == by_paths


@st.composite
def highlighted(draw):
    """(elements, relevant characters, list) of one document, judged as in 2006: by the share of highlighted text."""
    root = draw(trees("d0", 1))
    elements = list(root.walk())
    low = draw(st.integers(0, root.length - 1))
    marked = set(range(low, draw(st.integers(low + 1, root.length))))
    keys = [element.key for element in elements]
    return elements, marked, draw(st.lists(st.sampled_from(keys), unique=True, min_size=1, max_size=10))


@given(highlighted(), st.sampled_from([0.5, 1.0]))
@examples(120)
def test_trees_of_the_assessments_tell_as_much_as_the_structure(world, alpha):
    """All elements with relevant text are listed with their sizes; of the others only their place matters."""
    elements, marked, ranked = world
    share = {e.key: len(marked & {at for _, at in e.characters}) / e.length for e in elements}
    judged = {key: (2, spec) for key, spec in share.items() if spec > 0}
    assessments = assessments_of({"1": judged}, AssessmentKind.ELEMENTS_2005, {e.key: e.length for e in elements})
    options = {"settings": {"alpha": alpha}}
    specs = ("xcg.1,2,3,5,10", "xcg.1,2,3,5,10:cap=off", "maep", "nxcg")
    with_structure = values(assessments, run_of({"1": ranked}), *specs, structure=structure_of(elements), **options)[
        "1"
    ]
    without = values(assessments, run_of({"1": ranked}), *specs, **options)["1"]
    assert without == pytest.approx(with_structure, abs=1e-9)
