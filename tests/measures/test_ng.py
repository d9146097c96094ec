"""The INEX 2003 metric against sets of characters and a transcription of its recursion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import DataError, UsageError
from prum_eval.numerics.curves import PERCENT_LEVELS
from prum_eval.records import AssessmentKind, RunKind
from tests.measures.collections import (
    Element,
    assessments_of,
    examples,
    flat_assessments_of,
    run_of,
    structure_of,
    values,
    worlds,
)
from tests.slow import slow

THIRDS = {0: 0, 1: 1 / 3, 2: 2 / 3, 3: 1}
LEVELS = tuple(i / 10 for i in range(11))
KINDS = pytest.mark.parametrize("kind", [AssessmentKind.ELEMENTS_2003, AssessmentKind.ELEMENTS_2005])
QUANTISATIONS = pytest.mark.parametrize("quantisation", ["gen", "strict"])


def dimensions(pair, kind, quantisation):
    """(exh, spec) of one judgement, METRICS section 11."""
    first, second = pair
    if kind is AssessmentKind.ELEMENTS_2003:
        return (THIRDS[first], THIRDS[second]) if quantisation == "gen" else (int(first == 3), int(second == 3))
    if first <= 0:
        return 0, 0
    return (first / 2, second) if quantisation == "gen" else (int(first == 2), int(second == 1))


def rel(element, exh):
    """[ING] equation 17."""
    own = exh.get(element.key, 0)
    if not element.children:
        return own
    size = element.length
    return sum(max(rel(ch, exh), own * ch.length / size if size else 0) for ch in element.children)


def transcribed(elements, judged, ranked, kind, quantisation, denominator):
    """{name: value} of both variants, from sets of characters."""
    by_key = {element.key: element for element in elements}
    both = {key: dimensions(pair, kind, quantisation) for key, pair in judged.items()}
    exh = {key: pair[0] for key, pair in both.items()}
    base = sum(exh.values())
    most = base if denominator == "sum" else sum(rel(element, exh) for element in elements if element.parent is None)
    found, seen = {}, set()
    sums = np.zeros(6)
    points = {"s": [], "o": []}
    for key in ranked:
        element = by_key[key]
        new = len(element.characters - seen)
        seen |= element.characters
        e, s = both.get(key, (0, 0))
        share = new / element.length if element.length else 0
        sums += [e, s * element.length, element.length, e * share, s * new, new]
        points["s"].append((sums[0] / base, sums[1] / sums[2] if sums[2] else 0))
        points["o"].append((sums[3] / most, sums[4] / sums[5] if sums[5] else 0))
    for variant, curve in points.items():
        at = {
            level: max([p for r, p in curve if r >= level - 1e-9], default=0)
            for level in (*LEVELS, *PERCENT_LEVELS.tolist())
        }
        found[f"ng_{variant}_recall"] = curve[-1][0] if curve else 0
        found[f"ng_{variant}_map"] = sum(at[level] for level in PERCENT_LEVELS.tolist()) / 100
        found |= {f"ng_{variant}_prec_at_recall_{level:.2f}": at[level] for level in LEVELS}
    return found


@KINDS
@QUANTISATIONS
@pytest.mark.parametrize("denominator", ["rel", slow("sum")])
@given(st.data())
@examples(60)
def test_values_are_those_of_sets_of_characters(kind, quantisation, denominator, data):
    elements, judged, ranked = data.draw(worlds(kind=kind, least=0))
    if not ranked or not judged:
        return
    assessments = assessments_of({"1": judged}, kind, {element.key: element.length for element in elements})
    found = values(
        assessments,
        run_of({"1": ranked}),
        "ng",
        structure=structure_of(elements),
        quantisation=quantisation,
        settings={"denominator": denominator},
    )["1"]
    if not any(dimensions(pair, kind, quantisation)[0] for pair in judged.values()):
        assert set(found.values()) == {None}
        return
    wanted = transcribed(elements, judged, ranked, kind, quantisation, denominator)
    assert found == pytest.approx({name: wanted[name] for name in found}, abs=1e-9)


@given(worlds(least=1))
@examples(60)
def test_offsets_and_paths_of_one_list_agree(world):
    elements, judged, ranked = world
    if not ranked or not any(pair[0] for pair in judged.values()):
        return
    by_key = {element.key: element for element in elements}
    assessments, structure = assessments_of({"1": judged}), structure_of(elements)
    by_paths = values(assessments, run_of({"1": ranked}), "ng", structure=structure)
    offsets = run_of({"1": [by_key[key] for key in ranked]}, RunKind.EXTENTS)
    assert values(assessments, offsets, "ng", structure=structure) == by_paths


def level_collection(count):
    """One document with `count` leaves of 10 characters each."""
    leaves = [Element("d0", f"/a[1]/p[{i + 1}]", 10 * i, 10, []) for i in range(count)]
    return [Element("d0", "/a[1]", 0, 10 * count, leaves), *leaves]


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 4), st.permutations(range(12)))
@examples(60)
def test_without_overlap_and_with_one_size_both_variants_are_plain_recall_and_precision(relevant, missing, order):
    elements = level_collection(12 + missing)
    leaves = [element.key for element in elements[1:]]
    ranked = [leaves[i] for i in order][: len(relevant)]
    judged = {key: (3, 3) for key, is_relevant in zip(ranked, relevant, strict=True) if is_relevant}
    judged |= dict.fromkeys(leaves[12:], (3, 3))
    if not judged:
        return
    total = len(judged)
    hits = np.cumsum(relevant)
    for name in ("ng_s", "ng_o"):
        points = [i / total for i in range(1, int(hits[-1]) + 1)]
        specs = [f"{name}_recall", *(f"{name}_prec_at_recall.{point!r}" for point in points)]
        found = list(
            values(assessments_of({"1": judged}), run_of({"1": ranked}), *specs, structure=structure_of(elements))[
                "1"
            ].values()
        )
        precision = hits / np.arange(1, len(hits) + 1)
        best = [max(precision[hits >= point * total - 1e-9]) for point in points]
        assert found == pytest.approx([*best, hits[-1] / total], abs=1e-9)


@given(worlds(), worlds())
@examples(20)
def test_topics_do_not_depend_on_their_order(one, other):
    elements = one[0]
    keys = {element.key for element in elements}
    topics = {"1": one[1], "2": {key: pair for key, pair in other[1].items() if key in keys}}
    lists = {"1": one[2], "2": [key for key in other[2] if key in keys]}
    if not all(lists.values()) or not all(topics.values()):
        return
    structure = structure_of(elements)
    forth = values(assessments_of(topics), run_of(lists), "ng", "xcg", "grp", structure=structure)
    back = values(
        assessments_of(dict(reversed(topics.items()))), run_of(dict(reversed(lists.items()))), "ng", "xcg", "grp",
        structure=structure,
    )  # fmt: skip
    assert forth == back


def test_recall_passes_1_where_text_stands_directly_in_an_element_with_children():
    leaf = Element("d0", "/a[1]/b[1]", 20, 10, [])
    root = Element("d0", "/a[1]", 0, 100, [leaf])
    judged = assessments_of({"1": {root.key: (2, 3), leaf.key: (2, 3)}})
    found = values(judged, run_of({"1": [leaf.key, root.key]}), "ng_o_recall", structure=structure_of([root, leaf]))
    assert found["1"]["ng_o_recall"] == pytest.approx(1.9)


def test_results_outside_documents_with_relevance_lengthen_the_list():
    good, bad = Element("d0", "/a[1]", 0, 30, []), Element("d1", "/a[1]", 0, 70, [])
    judged = assessments_of({"1": {good.key: (3, 3)}})
    found = values(
        judged, run_of({"1": [bad.key, good.key]}), "ng_o_prec_at_recall_1.00", structure=structure_of([good, bad])
    )
    assert found["1"]["ng_o_prec_at_recall_1.00"] == pytest.approx(0.3)


def test_results_that_do_not_exist_have_no_length():
    good = Element("d0", "/a[1]", 0, 30, [])
    judged, structure = assessments_of({"1": {good.key: (3, 3)}}), structure_of([good])
    nowhere = [("d0", "/a[1]/z[9]"), ("d9", "/a[1]"), good.key]
    assert values(judged, run_of({"1": nowhere}), "ng_s_map", structure=structure)["1"]["ng_s_map"] == 1
    unknown = [Element("d9", "", 0, 50, []), good]
    offsets = run_of({"1": unknown}, RunKind.EXTENTS)
    assert values(judged, offsets, "ng_s_map", structure=structure)["1"]["ng_s_map"] == 1


def test_under_strict_the_recall_base_of_exh_is_wider_than_that_of_the_pair():
    a, b = Element("d0", "/a[1]", 0, 30, []), Element("d1", "/a[1]", 0, 30, [])
    judged, structure = assessments_of({"1": {a.key: (3, 1), b.key: (1, 3)}}), structure_of([a, b])
    found = values(judged, run_of({"1": [b.key, a.key]}), "ng", structure=structure, quantisation="strict")["1"]
    assert found["ng_s_recall"] == found["ng_o_recall"] == 1
    assert found["ng_s_prec_at_recall_0.00"] == 1  # b: specific, not exhaustive
    assert found["ng_s_prec_at_recall_1.00"] == 0.5


def test_only_specific_assessments_are_no_relevance():
    a = Element("d0", "/a[1]", 0, 30, [])
    judged = assessments_of({"1": {a.key: (1, 3)}})
    found = values(judged, run_of({"1": [a.key]}), "ng", structure=structure_of([a]), quantisation="strict")["1"]
    assert set(found.values()) == {None}


@pytest.mark.parametrize("shape", [RunKind.ELEMENTS, RunKind.EXTENTS])
def test_specific_text_without_exhaustivity_is_precise(shape):
    """Also in a document that holds nothing else: every character that is read is specific, so precision is 1."""
    a, b = Element("d0", "/a[1]", 0, 30, []), Element("d1", "/a[1]", 0, 30, [])
    judged, structure = assessments_of({"1": {a.key: (0, 3), b.key: (3, 3)}}), structure_of([a, b])
    run = run_of({"1": [a, b] if shape is RunKind.EXTENTS else [a.key, b.key]}, shape)
    assert values(judged, run, "ng_o_map", "ng_s_map", structure=structure)["1"] == {"ng_o_map": 1, "ng_s_map": 1}


def test_an_empty_list_has_no_recall_and_no_precision():
    a = Element("d0", "/a[1]", 0, 30, [])
    judged = assessments_of({"1": {a.key: (3, 3)}, "2": {a.key: (3, 3)}})
    found = values(judged, run_of({"2": [a.key]}), "ng", structure=structure_of([a]), complete=True)
    assert set(found["1"].values()) == {0}
    assert set(found["2"].values()) == {1}


def test_what_cannot_be_computed_says_why():
    a = Element("d0", "/a[1]", 0, 30, [])
    run, structure = run_of({"1": [a.key]}), structure_of([a])
    judged = assessments_of({"1": {a.key: (3, 3)}})
    with pytest.raises(DataError, match="ng_s_map needs exhaustivity and specificity"):
        values(
            assessments_of({"1": {a.key: (3, 3)}}, AssessmentKind.ELEMENTS_2002), run, "ng_s_map", structure=structure
        )
    with pytest.raises(DataError, match="ng_s_map needs exhaustivity and specificity"):
        values(flat_assessments_of({"d0": 1}), run_of({"1": ["d0"]}, RunKind.FLAT), "ng_s_map")
    with pytest.raises(DataError, match="give --structure"):
        values(judged, run, "ng_s_map")
    with pytest.raises(UsageError, match="gen or strict, not sog"):
        values(judged, run, "ng_s_map", structure=structure, quantisation="sog")
    with pytest.raises(UsageError, match="no parameter tolerance"):
        values(judged, run, "ng_s_map:tolerance=3", structure=structure)


def test_all_leaves_it_out_where_it_cannot_be_computed():
    a = Element("d0", "/a[1]", 0, 30, [])
    judged, run = assessments_of({"1": {a.key: (3, 3)}}), run_of({"1": [a.key]})
    assert "ng_s_map" not in values(judged, run, "all")["1"]
    assert "ng_s_map" not in values(judged, run, "all", structure=structure_of([a]), quantisation="sog")["1"]
    assert values(judged, run, "all", structure=structure_of([a]))["1"]["ng_s_map"] == 1
