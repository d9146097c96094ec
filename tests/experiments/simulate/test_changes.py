"""What each change makes of a list, beside what plain code on the same trees makes of it."""

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import read_structure, simulate
from prum_eval.collection.trees import make_forest
from prum_eval.errors import DataError
from prum_eval.experiments.simulated_topics import Elements, RandomStream
from tests.experiments.simulate.worlds import World, lists
from tests.measures.collections import assessments_of, examples, flat_assessments_of, run_of, structure_of, worlds
from tests.slow import slow

STRUCTURE = "fixtures/demo/structure.tsv"


@pytest.fixture(scope="module")
def world():
    return World()


def made(world, *changes, source="relevant", **options):
    (one,) = simulate(world.assessments, source, structure=world.structure, changes=changes, **options)
    return lists(one.run)


def scores(run):
    return [run.score[run.bounds[i] : run.bounds[i + 1]].tolist() for i in range(len(run.topics))]


def once(keys):
    return list(dict.fromkeys(keys))


def children(element):
    return [child for child in element.children if child.length]


def others(element):
    return [one for one in element.parent.children if one.length and one is not element] if element.parent else []


RELATIVES = {
    "parents": lambda element: [element.parent] if element.parent else [],
    "children": children,
    "siblings": others,
    "articles": lambda element: list(element.above())[-1:],
}


@pytest.mark.parametrize("change", RELATIVES)
def test_relatives_take_the_place_of_each_result(world, change):
    before = made(world)
    wanted = {
        topic: once(one.key for key in keys for one in RELATIVES[change](world.elements[key]) or [world.elements[key]])
        for topic, keys in before.items()
    }
    assert made(world, change) == wanted
    held = made(world, change, duplicates="hold")
    for topic, keys in held.items():
        assert [key for key in keys if key != "X"] == wanted[topic]
        all_of_them = [
            one.key for key in before[topic] for one in RELATIVES[change](world.elements[key]) or [world.elements[key]]
        ]
        seen = set()
        for key, own in zip(keys, all_of_them, strict=True):
            assert key == ("X" if own in seen else own)
            seen.add(own)


@examples(60)
@given(worlds(least=0), st.sampled_from(["after", "before", "around"]))
def test_ancestors_are_added_once_each(drawn, place):
    elements, judged, ranked = drawn
    judged = {**judged, elements[0].key: (3, 3)}
    if not ranked:
        return
    known = {element.key: element for element in elements}
    above = {key: [one.key for one in known[key].above()] for key in ranked}
    new = once(one for key in ranked for one in above[key] if one not in ranked)
    (one,) = simulate(
        assessments_of({"1": judged}),
        run_of({"1": ranked}),
        structure=structure_of(elements),
        changes=f"ancestors:place={place}",
    )
    found, score = lists(one.run)["1"], one.run.score.tolist()
    if place == "around":
        wanted, seen = [], set(ranked)
        for key in ranked:
            fresh = [one for one in above[key] if one not in seen]
            seen.update(fresh)
            wanted += [key, *fresh]
        assert (found, score) == (wanted, list(range(len(wanted), 0, -1)))
        return
    ranks = [[key] for key in ranked]
    ranks = [*ranks, new] if place == "after" else [new, *ranks]
    ranks = [rank for rank in ranks if rank]
    assert found == [key for rank in ranks for key in rank]
    assert score == [float(len(ranks) - number) for number, rank in enumerate(ranks) for _ in rank]


def test_moves_lead_up_or_down_the_tree_and_stop_at_its_ends(world):
    before, after = made(world), made(world, "move:m=1", duplicates="hold")
    for topic, keys in before.items():
        for key, moved in zip(keys, after[topic], strict=True):
            if moved != "X":
                element, other = world.elements[key], world.elements[moved]
                assert other.parent is None or not children(other)
                assert other in element.above() or other in element.walk()


def test_moves_aside_end_at_the_first_or_last_sibling(world):
    after = made(world, "move:m=1,axis=siblings", duplicates="hold")
    for topic, keys in made(world).items():
        for key, moved in zip(keys, after[topic], strict=True):
            element = world.elements[key]
            ends = [element] if element.parent is None else [children(element.parent)[end] for end in (0, -1)]
            assert moved == "X" or moved in {end.key for end in ends}


def test_without_moves_all_stays(world):
    assert made(world, "move:m=0") == made(world)


def test_a_larger_m_moves_the_same_results_farther_in_the_same_direction():
    chain = World(documents=4, topics=1, targets=1, seed=9)
    for seed in range(40):
        runs = simulate(chain.assessments, structure=chain.structure, changes="move", vary="move.m=0:1:.05", seed=seed)
        keys = [lists(one.run)["1"][0] for one in runs]
        element = chain.elements[keys[0]]
        ways = [[element, *element.above()], [element, *element.walk()]]
        assert any(all(chain.elements[key] in way for key in keys) for way in ways)
        for before, after in pairwise(keys):
            if after != before:  # never back
                assert keys.index(after) > keys.index(before)


def test_results_that_the_structure_lacks_stay(world, write):
    run = write(
        "1 Q0 d0 1 2 x /e[1]/e[9] /e[1]/e[9]\n1 Q0 d9 2 1 x /e[1] /e[1]\n1 Q0 d1 3 0 x /e[1]/e[1] /e[1]/e[2]\n"
        "1 Q0 d1 3 0 x /e[1]/e[1] /e[1]/e[1]\n"
    )
    simulation = simulate(world.assessments, run, structure=world.structure, changes="parents")
    assert lists(next(iter(simulation)).run)["1"] == [
        ("d0", "/e[1]/e[9]"), ("d9", "/e[1]"), ("d1", "/e[1]/e[1]"), ("d1", "/e[1]"),
    ]  # fmt: skip
    assert simulation.notes == ("3 results are no elements of the structure; changes in its trees pass over them",)
    assert simulation.form == "run-ranges"
    one = simulate(world.assessments, write("1 Q0 d9 2 1 x /e[1]\n"), structure=world.structure, changes="parents")
    assert one.notes == ("1 result is no element of the structure; changes in its trees pass over them",)


@pytest.mark.parametrize("share", [0, 0.001, 1 / 3, 0.3, 0.5, 2 / 3, 0.99, 1])
def test_a_share_is_rounded_up(world, share):
    for topic, keys in made(world, f"keep:share={share}").items():
        assert keys == made(world)[topic][: math.ceil(share * len(made(world)[topic]) - 1e-9)]


def test_shares_that_are_whole_but_for_rounding_count_as_whole(world):
    assert len(made(world)["1"]) == 9
    kept = simulate(world.assessments, "relevant", changes="keep", vary="keep.share=.111111111111,.222222222222,.7")
    assert [len(one.run.line) // 3 for one in kept] == [1, 2, 7]


@pytest.mark.parametrize("n", [1, 4, 9, 30])
def test_the_first_n_are_kept_across_shared_ranks(world, n):
    before = made(world, source="perfect")
    assert made(world, f"keep:n={n}", source="perfect") == {topic: keys[:n] for topic, keys in before.items()}


def test_nothing_kept_is_no_line(world):
    assert made(world, "keep:n=0") == {}
    assert made(world, "drop:p=1") == {}
    assert made(world, "drop:p=0") == made(world)


def test_each_result_is_dropped_by_itself():
    judged = flat_assessments_of({f"d{number}": 1 for number in range(4000)})
    (one,) = simulate(judged, changes="drop:p=.3")
    left = lists(one.run)["1"]
    assert left == [f"d{number}" for number in range(4000) if f"d{number}" in left]
    kept = np.isin([f"d{number}" for number in range(4000)], left)
    assert abs(kept.mean() - 0.7) < 4 * math.sqrt(0.21 / 4000)
    both = kept[1:] & kept[:-1]
    assert abs(both.mean() - 0.49) < 4 * math.sqrt(0.49 * 0.51 * 3 / 4000)


def test_reverse_turns_the_ranks_and_shuffle_ends_their_sharing(world):
    plain, turned, mixed = (
        next(iter(simulate(world.assessments, "perfect", changes=changes))).run
        for changes in ((), "reverse", "shuffle")
    )
    for number, topic in enumerate(plain.topics):
        before, after = scores(plain)[number], scores(turned)[number]
        groups = {score: [] for score in before}
        for key, score in zip(lists(plain)[topic], before, strict=True):
            groups[score].append(key)
        assert lists(turned)[topic] == [key for score in reversed(groups) for key in groups[score]]
        assert after == sorted(after, reverse=True)
        assert len(set(after)) == len(groups)
        assert sorted(lists(mixed)[topic]) == sorted(lists(plain)[topic])
        assert scores(mixed)[number] == list(range(len(before), 0, -1))


def test_every_order_of_a_shuffle_is_as_likely():
    count = {}
    draws = RandomStream("orders")
    for _ in range(6000):
        listed = [1, 2, 3]
        draws.shuffle(listed)
        count[tuple(listed)] = count.get(tuple(listed), 0) + 1
    assert len(count) == 6
    assert sum((one - 1000) ** 2 / 1000 for one in count.values()) < 20.5  # chi-square, 5 degrees, .999


def test_a_sample_has_different_members_each_as_likely():
    draws, count = RandomStream("sample"), np.zeros((3, 7))
    for _ in range(7000):
        found = draws.sample(7, 3)
        assert len(set(found)) == 3
        for place, one in enumerate(found):
            count[place, one] += 1
    assert (((count - 1000) ** 2 / 1000).sum(axis=1) < 22.5).all()  # 6 degrees, .999
    assert sorted(draws.sample(5, 5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("place", ["front", "between", "end"])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_noise_is_of_positive_length_from_documents_without_a_target_none_twice(world, place, n):
    before, after = made(world), made(world, f"noise:n={n},place={place}")
    holding = {topic: {document for document, _ in keys} for topic, keys in before.items()}
    for topic, keys in after.items():
        noise = [key for key in keys if key not in before[topic]]
        assert all(world.elements[key].length and key[0] not in holding[topic] for key in noise)
        assert len(set(keys)) == len(keys)
        assert [key for key in keys if key in before[topic]] == before[topic]
        where = [key in before[topic] for key in keys]
        targets = len(before[topic])
        rest = [True] * (targets - 1)
        wanted = {
            "front": [False] * n + [True] * targets,
            "end": [True] * targets + [False] * n,
            "between": [True, *(one for _ in rest for one in [*[False] * n, True])],
        }
        assert where == wanted[place]


def test_all_possible_noise_can_be_asked_for_and_no_more(world):
    before = made(world)
    free = {
        topic: {key for key, one in world.elements.items() if one.length and key[0] not in {d for d, _ in keys}}
        for topic, keys in before.items()
    }
    least = min(map(len, free.values()))
    after = made(world, f"noise:n={least}")
    for topic, keys in after.items():
        assert set(keys[:least]) <= free[topic]
    first = next(topic for topic in free if len(free[topic]) == least)
    assert set(after[first][:least]) == free[first]
    with pytest.raises(DataError) as caught:
        made(world, f"noise:n={least + 1}")
    assert str(caught.value) == (
        f"noise: topic {first} needs {least + 1} elements of positive length in documents without a target, "
        f"there are {least}"
    )


def test_noise_is_nothing_that_the_list_has_already(world):
    far = [key for key, one in world.elements.items() if key[0] in {"d6", "d7"} and one.length]
    run = run_of({"1": far[:-2]})
    others = [key for key, one in world.elements.items() if key[0] in {"d4", "d5"} and one.length]
    holding = {key[0] for key in made(world)["1"]}
    others += [key for key, one in world.elements.items() if key[0] in {"d0", "d1", "d2", "d3"} - holding if one.length]
    n = len(others) + 2
    assert set(made(world, f"noise:n={n}", source=run)["1"][:n]) == {*others, *far[-2:]}


def test_noise_of_flat_lists_is_documents_and_of_passages_extents(world):
    judged = flat_assessments_of({"d0": 1, "d1": 0})
    (one,) = simulate(judged, structure=world.structure, changes="noise:n=7")
    assert sorted(lists(one.run)["1"][:7]) == [f"d{number}" for number in range(1, 8)]
    with pytest.raises(DataError) as caught:
        next(iter(simulate(judged, structure=world.structure, changes="noise:n=8")))
    reason = "needs 8 documents of positive length without a target, there are 7"
    assert str(caught.value) == f"noise: topic 1 {reason}"
    (one,) = simulate("fixtures/demo/judged.txt", structure=STRUCTURE, changes="noise:n=2")
    extents = {
        (name, start, length)
        for name, document in read_structure(STRUCTURE).documents.items()
        for start, length in zip(document.start.tolist(), document.length.tolist(), strict=True)
    }
    for keys in lists(one.run).values():
        assert set(keys[:2]) <= extents
        assert {key[0] for key in keys[:2]}.isdisjoint(key[0] for key in keys[2:])


@pytest.mark.parametrize("characters", [slow(0), 1, 40, slow(10**9)])
def test_jitter_moves_at_most_so_far_and_stays_in_the_document(characters):
    lengths = {"tides": 1743, "harbours": 1135}
    for source in ("bep", "passages"):
        for seed in range(30):
            runs = [
                lists(next(iter(simulate("fixtures/demo/judged.txt", source, changes=changes, seed=seed))).run)["101"]
                for changes in ((), f"jitter:characters={characters}")
            ]
            for (document, start, length), (same, moved, still) in zip(*runs, strict=True):
                assert (document, length) == (same, still)
                assert 0 <= moved <= lengths[document] - length
                assert abs(moved - start) <= characters


def test_jitter_is_even(write):
    judged = write('{"topic": "1", "doc": "d", "doc_length": 9000, "spans": [[100, 110]]}')
    count = np.zeros(5)
    for one in simulate(judged, changes="jitter:characters=2", copies=2000):
        count[int(one.run.start[0]) - 98] += 1
    assert ((count - 400) ** 2 / 400).sum() < 18.5  # chi-square, 4 degrees, .999


def test_elements_that_may_not_be_returned_are_stepped_over(world):

    forest = make_forest(world.structure.documents)
    bits = np.array([path.count("/") != 2 for number in range(8) for path in forest.columns.paths_of(number)])
    forest.columns = dataclasses.replace(forest.columns, retrievable=bits)
    elements = Elements(forest)
    row = next(row for row in range(len(bits)) if forest.columns.paths[forest.columns.path[row]].count("/") == 3)
    assert elements.paths(np.array(elements.ancestors(row))) == ["/e[1]"]
    assert elements.children(0) == []
    assert bits[elements.nonempty_rows].all()
