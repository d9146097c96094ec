"""The xCG family: curves against transcriptions, gains of overlapping results against the recursion as written."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.formats.records import Kind, Shape
from prum_eval.measures import xcg
from tests.gain.collections import (
    Element,
    examples,
    flat_judgements,
    judgements,
    run_of,
    structure_of,
    trees,
    values,
    worlds,
)

GAINS = st.lists(
    st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]), max_size=9
)
IDEALS = st.lists(
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]), min_size=1, max_size=6
).map(lambda gains: sorted(gains, reverse=True))
GEN = {(0, 0): 0, (1, 1): 0.25, (1, 3): 0.5, (2, 2): 0.5, (3, 1): 0.75, (3, 3): 1}
ALPHAS = [0.0, 0.25, 0.5, 1.0]


def floats(gains):
    return np.array(gains, dtype=float)


def rank_of(gains, goal, *, whole):
    """First rank where the sums reach a goal, in fractions; None where they never do."""
    before = Fraction(0)
    for rank, gain in enumerate(gains, 1):
        if before + gain >= goal:
            return Fraction(rank) if whole else rank - 1 + (goal - before) / gain
        before += gain
    return None


@given(GAINS, IDEALS)
@examples(150)
def test_normalised_gain_and_its_mean(gains, ideal):
    ranks = np.arange(1.0, 20)
    wanted = [sum(gains[:k]) / sum(ideal[:k]) for k in range(1, 20)]
    assert xcg.cumulated(floats(gains), ranks).tolist() == [float(sum(gains[:k])) for k in range(1, 20)]
    assert xcg.normalised(floats(gains), floats(ideal), ranks).tolist() == pytest.approx([float(v) for v in wanted])
    means = [float(sum(wanted[:k]) / k) for k in range(1, 20)]
    assert xcg.mean_normalised(floats(gains), floats(ideal), ranks).tolist() == pytest.approx(means, abs=1e-12)


@pytest.mark.parametrize("whole", [False, True])
@given(GAINS, IDEALS)
@examples(150)
def test_effort_precision_and_its_mean(whole, gains, ideal):
    def ideal_rank(goal):
        found = rank_of(ideal, goal, whole=whole)
        return Fraction(len(ideal)) if found is None else found

    goals = [Fraction(i, 100) * sum(ideal) for i in range(1, 101)]
    own = [rank_of(gains, goal, whole=whole) for goal in goals]
    wanted = [0.0 if rank is None else float(ideal_rank(goal) / rank) for goal, rank in zip(goals, own, strict=True)]
    found = xcg.effort_precision(floats(gains), floats(ideal), np.arange(1, 101) / 100, whole=whole)
    assert found.tolist() == pytest.approx(wanted, abs=1e-6)
    mean = sum(ideal_rank(sum(gains[:i])) / i for i in range(1, len(gains) + 1) if gains[i - 1] > 0) / len(ideal)
    assert xcg.mean_effort_precision(floats(gains), floats(ideal), whole=whole) == pytest.approx(float(mean), abs=1e-9)


@given(IDEALS)
@examples(60)
def test_an_ideal_vector_scores_1_everywhere_on_linear_ranks(ideal):
    gains = floats(ideal)
    assert xcg.normalised(gains, gains, np.arange(1.0, 12)).tolist() == [1] * 11
    assert xcg.effort_precision(gains, gains, np.arange(1, 101) / 100, whole=False).tolist() == pytest.approx([1] * 100)
    assert xcg.effort_precision(gains, gains, np.arange(1, 101) / 100, whole=True).tolist() == [1] * 100
    assert xcg.mean_effort_precision(gains, gains, whole=False) == pytest.approx(1)


def test_a_late_cut_off_needs_no_memory():
    assert xcg.mean_normalised(floats([1, 0]), floats([1, 1]), np.array([4e15]))[0] == pytest.approx(0.5)


def naive_gains(elements, judged, ranked, alpha):
    """METRICS section 7, from sets of earlier results."""
    by_key = {element.key: element for element in elements}
    q = {key: GEN[pair] for key, pair in judged.items()}
    gains = []

    def seen(element):
        return element.key in earlier

    def holds_seen(element):
        return any(seen(inner) for inner in element.walk() if inner is not element)

    def rv(element):
        own = (1 - alpha) * q.get(element.key, 0)
        if not holds_seen(element):
            return q.get(element.key, 0)
        parts = [(own_of(child), child.length) for child in element.children]
        return alpha * (sum(gain * length for gain, length in parts) / element.length if element.length else 0) + own

    def own_of(child):
        return (1 - alpha) * q.get(child.key, 0) if seen(child) else rv(child)

    for rank, key in enumerate(ranked):
        earlier = set(ranked[:rank])
        element = by_key[key]
        covered = seen(element) or any(seen(outer) for outer in element.above())
        gains.append((1 - alpha) * q.get(key, 0) if covered else rv(element))
    return gains


def ideal_of(elements, judged, keep):
    """Keys of the ideal recall base, METRICS section 7."""
    q = {key: GEN[pair] for key, pair in judged.items()}
    relevant = [element for element in elements if q.get(element.key, 0) > 0]
    chosen = {}
    for element in relevant:
        if any(q.get(inner.key, 0) > 0 for inner in element.walk() if inner is not element):
            continue
        path = [*reversed([outer for outer in element.above() if q.get(outer.key, 0) > 0]), element]
        best = max(path, key=lambda step: q[step.key])
        chosen[best.key] = best
    inside = {key: [outer.key for outer in element.above() if outer.key in chosen] for key, element in chosen.items()}
    if keep == "shorter":
        return {key for key in chosen if not inside[key]}
    return chosen.keys() - {outer for outers in inside.values() for outer in outers}


def naive_capped(elements, judged, ranked, gains, ideal):
    by_key = {element.key: element for element in elements}
    left = {key: GEN[judged[key]] for key in ideal}
    cut = []
    for key, gain in zip(ranked, gains, strict=True):
        holder = next((outer.key for outer in by_key[key].above() if outer.key in left), None)
        if holder is not None:
            cut.append(min(gain, left[holder]))
            left[holder] -= cut[-1]
        else:
            cut.append(gain)
    return cut


def sizes(elements):
    return {element.key: element.length for element in elements}


def has_relevance(judged):
    return any(GEN[pair] > 0 for pair in judged.values())


@pytest.mark.parametrize("alpha", ALPHAS)
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
        judgements({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}:cap=off", f"xcg.{ranks(ranked)}",
        f"nxcg.{ranks(ranked)}", structure=structure_of(elements), settings={"alpha": alpha, "keep": keep},
    )["1"]  # fmt: skip
    sums, sums_cut = np.cumsum(wanted), np.cumsum(cut)
    ideal = np.cumsum(sorted((GEN[judged[key]] for key in ideal_of(elements, judged, keep)), reverse=True))
    for k in range(1, len(ranked) + 1):
        assert found[f"xcg_{k}:cap=off"] == pytest.approx(sums[k - 1], abs=1e-9)
        assert found[f"xcg_{k}"] == pytest.approx(sums_cut[k - 1], abs=1e-9)
        assert found[f"nxcg_{k}"] == pytest.approx(sums_cut[k - 1] / ideal[min(k, len(ideal)) - 1], abs=1e-9)


def ranks(ranked):
    return ",".join(str(k) for k in range(1, len(ranked) + 1))


@given(worlds())
@examples(60)
def test_alpha_1_gives_nothing_inside_an_earlier_result(world):
    elements, judged, ranked = world
    if not ranked or not has_relevance(judged):
        return
    found = values(
        judgements({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}", structure=structure_of(elements)
    )["1"]
    by_key = {element.key: element for element in elements}
    for k, key in enumerate(ranked, 1):
        if any(outer.key in ranked[: k - 1] for outer in by_key[key].above()):
            assert found[f"xcg_{k}"] == (found[f"xcg_{k - 1}"] if k > 1 else 0)


def test_alpha_1_gives_nothing_for_a_repeated_result():
    a = Element("d0", "/a[1]", 0, 10, [])
    judged, structure = judgements({"1": {a.key: (3, 3)}}), structure_of([a])
    twice = run_of({"1": [a, a]}, Shape.EXTENTS)
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
        judgements({"1": judged}), run_of({"1": ranked}), f"xcg.{ranks(ranked)}", structure=structure_of(elements),
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
    assessments, structure = judgements({"1": judged}), structure_of(elements)
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
    assessments, structure = judgements({"1": judged}), structure_of(elements)
    offsets = run_of({"1": [by_key[key] for key in ranked]}, Shape.EXTENTS)
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
    assessments = judgements({"1": judged}, Kind.ELEMENTS_2005, sizes(elements))
    options = {"settings": {"alpha": alpha}}
    specs = ("xcg.1,2,3,5,10", "xcg.1,2,3,5,10:cap=off", "maep", "nxcg")
    with_structure = values(assessments, run_of({"1": ranked}), *specs, structure=structure_of(elements), **options)[
        "1"
    ]
    without = values(assessments, run_of({"1": ranked}), *specs, **options)["1"]
    assert without == pytest.approx(with_structure, abs=1e-9)


def nested():
    c = Element("d0", "/a[1]/b[1]/c[1]", 20, 10, [])
    b = Element("d0", "/a[1]/b[1]", 10, 40, [c])
    a = Element("d0", "/a[1]", 0, 60, [b])
    return a, b, c, judgements({"1": {a.key: (3, 1), b.key: (3, 1), c.key: (3, 3)}})


def test_without_lengths_only_what_depends_on_them_is_refused():
    a, b, c, judged = nested()
    outer_first = values(judged, run_of({"1": [a.key, b.key, c.key]}), "xcg.1,2,3")["1"]
    assert outer_first == {"xcg_1": 0.75, "xcg_2": 0.75, "xcg_3": 0.75}
    inner_first = run_of({"1": [c.key, b.key]})
    with pytest.raises(InputError, match=r"run:2: .*lengths.*--structure"):
        values(judged, inner_first, "xcg_2")
    off = values(judged, inner_first, "xcg_2:overlap=off", "xcg_2:alpha=0")["1"]
    assert off == {"xcg_2:overlap=off": 1.75, "xcg_2:alpha=0": 1.75}
    assert "xcg_5" not in values(judged, inner_first, "all")["1"]
    assert "maep" in values(judged, inner_first, "all")["1"]


def test_defaults_are_those_of_the_tasks():
    a, b, c, judged = nested()
    structure, run = structure_of([a, b, c]), run_of({"1": [a.key, b.key, c.key]})
    found = values(judged, run, "xcg_3", "nxcg_1", "maep", structure=structure)["1"]
    assert found["xcg_3"] == 0.75  # overlap on: b and c were seen with a
    assert found["nxcg_1"] == 0.75  # the ideal base is c alone
    # overlap off, full base: gains .75 .75 1 beside 1 .75 .75, so i_ideal is .75, 1 + .5/.75 and 3
    assert found["maep"] == pytest.approx((0.75 + (1 + 2 / 3) / 2 + 1) / 3)
    explicit = values(judged, run, "xcg_3:overlap=on,base=ideal", "maep:overlap=off,base=full", structure=structure)[
        "1"
    ]
    assert explicit == {"xcg_3": found["xcg_3"], "maep": found["maep"]}


def test_xcg_alone_means_the_family_and_with_cut_offs_the_measure():
    judged, run = flat_judgements({"a": 1}), run_of({"1": ["a"]}, Shape.FLAT)
    assert {"xcg_5", "nxcg_5", "manxcg_5", "ep_at_gr_0.10", "maep"} <= values(judged, run, "xcg")["1"].keys()
    assert values(judged, run, "xcg.5,7", "xcg_2")["1"] == {"xcg_2": 1, "xcg_5": 1, "xcg_7": 1}


def test_overlap_is_legal_and_counted_in_a_warning():
    a, b, c, judged = nested()
    d = Element("d1", "/a[1]", 0, 5, [])
    elements, run = [a, b, c, d], run_of({"1": [d.key, c.key, a.key]})
    said = "run: results that lie in others or hold others, in documents with relevance: 2"
    assert said in evaluate(judged, run, measures=["maep", "nxcg"], structure=structure_of(elements)).warnings
    assert not any("hold others" in text for text in evaluate(judged, run, measures="map").warnings)


def test_nothing_is_clipped():
    judged = judgements({"1": {("d0", "/a[1]"): (3, 3), ("d0", "/a[1]/b[1]"): (3, 3)}})
    leaf = Element("d0", "/a[1]/b[1]", 0, 10, [])
    structure = structure_of([Element("d0", "/a[1]", 0, 10, [leaf]), leaf])
    run = run_of({"1": [("d0", "/a[1]"), ("d0", "/a[1]/b[1]")]})
    found = values(judged, run, "nxcg_2:overlap=off", "maep:base=ideal", structure=structure)["1"]
    assert found["nxcg_2:overlap=off"] == 2  # the ideal base is a alone
    assert found["maep:base=ideal"] == 1.5  # 1/1 + 1/2 over n = 1


def test_an_empty_list_gains_nothing_and_a_topic_without_relevance_has_no_value():
    judged = flat_judgements({"a": 1})
    empty = flat_judgements({"b": 0}, "2")
    other = flat_judgements({"c": 1}, "3")
    all_three = type(judged)("qrels", judged.kind, {**judged.topics, **empty.topics, **other.topics})
    found = values(all_three, run_of({"3": ["c"]}, Shape.FLAT), "xcg", complete=True)
    assert set(found["1"].values()) == {0}
    assert set(found["2"].values()) == {None}
    assert set(found["3"].values()) == {1}


def test_level_0_is_refused():
    with pytest.raises(UsageError, match="above 0"):
        values(flat_judgements({"a": 1}), run_of({"1": ["a"]}, Shape.FLAT), "ep_at_gr_0.00")
