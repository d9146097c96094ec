"""Measures of chunks over facets against sets of characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from tests.measures.test_facets import SPANS, values, worlds
from tests.oracles.facets import World, answered, finds, places, spans_of, text_of, within

TOUCHES = ("any", "half", "whole")
CUTS = ("inside", "whole")


@given(worlds(), st.sampled_from(["count", "novel"]))
def test_sets_of_characters(world: World, overlap: str) -> None:
    """Recall, precision, F1 and intersection over union after every rank."""
    names = ("char_rec", "char_prec", "char_f1", "char_iou")
    ranks = range(1, len(world.results) + 1)
    cutoffs = ",".join(map(str, ranks))
    computed = values(world, *(f"{name}.{cutoffs}:overlap={overlap}" for name in names))
    suffix = "" if overlap == "count" else ":overlap=novel"
    for k in ranks:
        first = world.results[:k]
        cost = len(places(first)) if overlap == "novel" else sum(end - start for start, end in first)
        for name, value in text_of(world, first, cost).items():
            assert computed[f"{name}_{k}{suffix}"] == pytest.approx(float(value), abs=1e-12)


@given(worlds(), st.sampled_from(TOUCHES))
def test_spans_and_answers(world: World, touch: str) -> None:
    """hit, span_recall, span_rr and answered after every rank, for every touch."""
    ranks = range(1, len(world.results) + 1)
    cutoffs = ",".join(map(str, ranks))
    names = (f"hit.{cutoffs}", f"span_recall.{cutoffs}", f"answered.{cutoffs}", "span_rr")
    computed = {
        name.split(":")[0]: value for name, value in values(world, *(f"{n}:touch={touch}" for n in names)).items()
    }
    for k in ranks:
        expected = spans_of(world, k, touch)
        assert computed[f"hit_{k}"] == expected["hit"]
        assert computed[f"span_recall_{k}"] == pytest.approx(float(expected["span_recall"]), abs=1e-12)
        assert computed["span_rr"] == float(expected["span_rr"])
        assert computed[f"answered_{k}"] == answered(world, world.results[:k], touch)


@given(worlds(), st.sampled_from(CUTS), st.sampled_from(TOUCHES), st.integers(1, 130))
def test_budgets(world: World, cut: str, touch: str, budget: int) -> None:
    """Recall and answers within a budget, also in tokens of one character."""
    read = within(world.results, budget, cut)
    recall, answer = float(text_of(world, read, 1)["char_rec"]), answered(world, read, touch)
    specs = [f"char_rec_at_{unit}.{budget}:cut={cut}" for unit in ("size", "tokens")]
    specs += [f"answered_at_{unit}.{budget}:cut={cut},touch={touch}" for unit in ("size", "tokens")]
    run = [{**row, "tokens": row["end"] - row["start"]} for row in world.run()]  # type: ignore[operator]
    computed = list(evaluate(world.gold(), run, measures=specs).runs[0].all.values())
    assert sorted(computed) == pytest.approx(sorted([recall, recall, answer, answer]), abs=1e-12)


@given(st.lists(SPANS, min_size=1, max_size=4), st.lists(SPANS, min_size=1, max_size=4), st.sampled_from(TOUCHES))
def test_every_merged_span_is_a_facet_without_facets(
    spans: list[tuple[int, int]], results: list[tuple[int, int]], touch: str
) -> None:
    """The touch of answered in topics whose judgements declare no facet."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    gold = [{"topic": "1", "doc": "d", "spans": [list(span) for span in spans]}]
    world = World([(1.0, [[span]]) for span in merged], results)
    ranks = ",".join(str(k) for k in range(1, len(results) + 1))
    computed = evaluate(gold, world.run(), measures=f"answered.{ranks}:touch={touch}").runs[0].all
    assert list(computed.values()) == [answered(world, results[:k], touch) for k in range(1, len(results) + 1)]


def test_spans_without_characters_are_left_out() -> None:
    """Then alternatives and facets that have none; navigation keeps them as targets."""
    world = World([(1.0, [[(5, 5)]]), (1.0, [[(7, 7)], [(10, 20), (12, 12)]])], [(10, 15), (15, 20)])
    computed = values(world, "char_rec.1,2", "answered.1,2", "span_recall.2:touch=half", "gen_recall.2")
    assert computed == {
        "char_rec_1": 0.5, "char_rec_2": 1, "answered_1": 0, "answered_2": 1,
        "span_recall_2:touch=half": 1, "gen_recall_2": pytest.approx(0.375),
    }  # fmt: skip
    assert finds((10, 15), (10, 20), "half")
