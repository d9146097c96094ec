"""All measures of chunks against sets of characters, for topics of several documents."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from tests.oracles import chunks as oracle
from tests.oracles.worlds import examples

LENGTH = 30
RANKS = (1, 2, 3, 10)
BUDGETS = (1, 4, 9, 20, 1000)
OVERLAPS, TOUCHES, CUTS = ("count", "novel"), ("any", "half", "whole"), ("inside", "whole")
TEXT = ("char_rec", "char_prec", "char_f1", "char_iou")


@st.composite
def stretches(draw, documents, most):
    """(document, start, end), some of them without length."""
    pairs = st.tuples(st.integers(0, LENGTH), st.integers(0, 12)).map(lambda p: (p[0], min(LENGTH, p[0] + p[1])))
    listed = draw(st.lists(st.tuples(st.sampled_from(documents), pairs), max_size=most))
    return [(document, *pair) for document, pair in listed]


@st.composite
def topics(draw):
    """Spans and results of one to three topics; not all of either."""
    named = draw(st.lists(st.sampled_from("123"), min_size=1, unique=True))
    spans = {topic: draw(stretches("ab", 4)) for topic in named}
    tokens = st.integers(1, 9)
    results = {topic: [(*one, draw(tokens)) for one in draw(stretches("abxy", 7))] for topic in named}
    return spans, {topic: listed for topic, listed in results.items() if listed}


def gold_of(spans):
    """The spans as assessments: both documents of every topic are judged."""
    lines = []
    for topic, listed in spans.items():
        for document in "ab":
            own = [(start, end - start) for name, start, end in listed if name == document]
            highlighted = len(oracle.characters(one for one in listed if one[0] == document))
            bare = f"{topic} Q0 {document} {highlighted} {LENGTH}"
            lines.append(" ".join([bare, "-1", *(f"{start}:{length}" for start, length in own)]) if own else bare)
    return "\n".join([*lines, ""])


def run_of(results):
    """The results as rows."""
    keys = ("doc_id", "start", "end", "tokens")
    return [{"qid": topic, **dict(zip(keys, one, strict=True))} for topic, listed in results.items() for one in listed]


def listed_measures():
    """Every measure with every setting, at all ranks and budgets."""
    ranks, budgets = ",".join(map(str, RANKS)), ",".join(map(str, BUDGETS))
    yield from (f"{name}.{ranks}:overlap={overlap}" for name in TEXT for overlap in OVERLAPS)
    yield "char_prec_omega"
    yield from (f"{name}.{ranks}" for name in ("size", "redundancy", "tokens", "answered"))
    yield from (f"{name}.{ranks}:touch={touch}" for name in ("hit", "span_recall") for touch in TOUCHES)
    yield from (f"span_rr:touch={touch}" for touch in TOUCHES)
    yield from (f"char_rec_at_{unit}.{budgets}:cut={cut}" for unit in ("size", "tokens") for cut in CUTS)


def label(key, value, default):
    return "" if value == default else f":{key}={value}"


def wanted(spans, results):
    """All values of a topic by their printed names; None without highlighted text."""
    return dict(values(spans, results)) if oracle.characters(spans) else None


def values(spans, results):
    for overlap, k in product(OVERLAPS, RANKS):
        for name, value in zip(TEXT, oracle.text_at(spans, results, k, overlap=overlap), strict=True):
            yield f"{name}_{k}{label('overlap', overlap, 'count')}", value
    yield "char_prec_omega", oracle.precision_omega(spans, results)
    for k in RANKS:
        for name, value in zip(("size", "redundancy", "tokens"), oracle.costs_at(results, k), strict=True):
            yield f"{name}_{k}", value
        yield f"answered_{k}", oracle.answered(spans, results, k)
    for touch, k in product(TOUCHES, RANKS):
        for name, value in zip(("hit", "span_recall"), oracle.spans_at(spans, results, k, touch=touch), strict=True):
            yield f"{name}_{k}{label('touch', touch, 'any')}", value
    for touch in TOUCHES:
        yield f"span_rr{label('touch', touch, 'any')}", oracle.reciprocal_rank(spans, results, touch=touch)
    costs = {"size": lambda one: one[2] - one[1], "tokens": lambda one: one[3]}
    for (unit, cost), cut, budget in product(costs.items(), CUTS, BUDGETS):
        name = f"char_rec_at_{unit}_{budget}{label('cut', cut, 'inside')}"
        yield name, oracle.within(spans, results, budget, cost, cut=cut)


@pytest.fixture(scope="module")
def gold_file(tmp_path_factory):
    return tmp_path_factory.mktemp("gold") / "gold"


@pytest.mark.slow
@examples(150)
@given(topics())
def test_every_value_is_that_of_the_sets(gold_file, world):
    spans, results = world
    if not results:
        return
    gold_file.write_text(gold_of(spans))
    run = prum_eval.evaluate(gold_file, run_of(results), measures=list(listed_measures()), complete=True).runs[0]
    expected = {topic: wanted(spans[topic], results.get(topic, [])) for topic in spans}
    counted = [own for own in expected.values() if own is not None]
    for topic, own in expected.items():
        if own is None:
            assert set(run.topics[topic].values()) == {None}
        else:
            assert run.topics[topic] == pytest.approx({key: float(value) for key, value in own.items()}, abs=1e-12)
    means = {key: float(sum(own[key] for own in counted) / len(counted)) for key in counted[0]} if counted else {}
    assert {key: value for key, value in run.all.items() if value is not None} == pytest.approx(means, abs=1e-12)


@examples(60)
@given(topics(), st.integers(1, 8))
def test_precision_recall_and_iou_are_those_of_smith_and_troynikov(gold_file, world, k):
    """Their definitions, with t_e the set of excerpts and t_r the chunks as they come, each counted in full."""
    spans, results = world
    if not results or not any(map(oracle.characters, spans.values())):
        return
    gold_file.write_text(gold_of(spans))
    measures = [f"{name}_{k}" for name in ("char_prec", "char_rec", "char_iou")]
    run = prum_eval.evaluate(gold_file, run_of(results), measures=measures).runs[0]
    for topic, own in run.topics.items():
        excerpts = oracle.characters(spans[topic])
        if not excerpts:
            continue
        chunks = [oracle.characters([one]) for one in results[topic][:k]]
        found, read = len(excerpts & set().union(*chunks)), sum(map(len, chunks))
        assert own == pytest.approx(
            {
                f"char_prec_{k}": found / read if read else 0.0,
                f"char_rec_{k}": found / len(excerpts),
                f"char_iou_{k}": found / (read + len(excerpts) - found),
            },
            abs=1e-12,
        )


@examples(60)
@given(topics(), st.sampled_from([*TEXT, "char_rec_K:overlap=novel"]))
def test_overlap_is_refused_where_there_is_some(gold_file, world, name):
    spans, results = world
    if not results:
        return
    gold_file.write_text(gold_of(spans))
    name = name.partition(":")[0].removesuffix("_K")
    clash = any(
        one[0] == other[0] and one[1] < other[2] and other[1] < one[2]
        for topic, listed in results.items() if oracle.characters(spans[topic])
        for place, one in enumerate(listed) for other in listed[:place]
    )  # fmt: skip
    asked = {"measures": [f"{name}_3:overlap=reject"]}
    if clash:
        with pytest.raises(prum_eval.InputError, match="has results that overlap; --set overlap=count takes them"):
            prum_eval.evaluate(gold_file, run_of(results), **asked)
    else:
        rejected = prum_eval.evaluate(gold_file, run_of(results), **asked).runs[0].all[f"{name}_3:overlap=reject"]
        counted = prum_eval.evaluate(gold_file, run_of(results), measures=[f"{name}_3"]).runs[0].all[f"{name}_3"]
        assert rejected == counted or (rejected is None and counted is None)
        assert counted is None or math.isfinite(counted)
