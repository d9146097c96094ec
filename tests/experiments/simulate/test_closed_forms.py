"""What must hold of measures on simulated runs: values that are known without any program."""

from statistics import fmean

import pytest

from prum_eval import evaluate, simulate
from tests.experiments.simulate.worlds import World
from tests.measures.collections import assessments_of

CLASSIC = {"user_model": "none", "measures": ["eprum_map:graded=off", "prum_map"]}
EXACT = {"abs": 1e-12}


@pytest.fixture(scope="module")
def world():
    """Topics whose targets are all of the highest grade, none in another."""
    world = World(documents=12, targets=8)
    for judged in world.judged.values():
        holding = {one.key for key in judged for one in world.elements[key].above()}
        for key in list(judged):
            judged[key] = (3, 3)
            if key in holding:
                del judged[key]
    world.assessments = assessments_of(world.judged)
    return world


def means(world, *changes, source="ideal", **options):
    """{topic: {measure: value}} of a simulated run, and {topic: number of targets}."""
    (one,) = simulate(world.assessments, source, structure=world.structure, changes=changes)
    found = evaluate(world.assessments, one.run, structure=world.structure, **options)
    assert found.runs[0].topics.keys() == world.judged.keys()
    return found.runs[0].topics, {topic: len(judged) for topic, judged in world.judged.items()}


def test_noise_interleaved(world):
    found, targets = means(world, "noise:n=1,place=between", **CLASSIC)
    for topic, values in found.items():
        wanted = fmean(r / (2 * r - 1) for r in range(1, targets[topic] + 1))
        assert values["eprum_map:graded=off"] == pytest.approx(wanted, **EXACT)
        assert values["prum_map"] == pytest.approx(wanted, **EXACT)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_noise_in_front(world, n):
    found, targets = means(world, f"noise:n={n}", **CLASSIC)
    for topic, values in found.items():
        wanted = fmean(r / (r + n) for r in range(1, targets[topic] + 1))
        assert values["eprum_map:graded=off"] == pytest.approx(wanted, **EXACT)
        assert values["prum_map"] == pytest.approx(wanted, **EXACT)


@pytest.mark.parametrize("h", [1, 3, 5])
def test_some_targets_kept(world, h):
    found, targets = means(world, f"keep:n={h}", **CLASSIC)
    size = len(world.elements)
    for topic, values in found.items():
        t, unranked = targets[topic], size - h
        assert values["eprum_map:graded=off"] == pytest.approx(h / t, **EXACT)
        wanted = fmean(1 if r <= h else r / (r + (r - h) * (unranked - (t - h)) / (t - h + 1)) for r in range(1, t + 1))
        assert values["prum_map"] == pytest.approx(wanted, **EXACT)


def test_a_share_of_the_targets_kept(world):
    found, targets = means(world, "keep:share=.5", **CLASSIC)
    for topic, values in found.items():
        assert values["eprum_map:graded=off"] == pytest.approx(-(-targets[topic] // 2) / targets[topic], **EXACT)


def test_noise_alone_finds_nothing(world):
    changes = ("noise:n=5", "keep:n=5")
    found, _ = means(world, *changes, **CLASSIC)
    assert all(values["eprum_map:graded=off"] == 0 for values in found.values())


@pytest.fixture(scope="module")
def graded():
    """Topics with targets of all grades that nest."""
    return World(documents=6, targets=24)


@pytest.mark.parametrize(
    "model", ["none", "hierarchical", "t2i", "logistic", "siblings", "hierarchical:once=on", "t2i:rank_decay=.7"]
)
@pytest.mark.parametrize("source", ["ideal", "relevant"])
def test_ideal_runs_have_eprum_1_under_every_model(graded, source, model):
    options = {"user_model": model, "measures": ["eprum_map:at_recall=ratio"], "targets": source}
    found, _ = means(graded, source=source, **options)
    assert len(found) == 3
    for values in found.values():
        assert list(values.values()) == [pytest.approx(1, **EXACT)]


@pytest.mark.parametrize("model", ["none", "hierarchical"])  # no ideal target lies in another
def test_ideal_runs_have_prum_1_where_no_target_reaches_another(graded, model):
    found, _ = means(graded, user_model=model, measures=["prum_map"])
    assert all(values["prum_map"] == pytest.approx(1, **EXACT) for values in found.values())


def test_ideal_runs_have_maep_1(graded):
    found, _ = means(graded, measures=["maep:overlap=on,base=ideal"])
    assert all(list(values.values()) == [pytest.approx(1, **EXACT)] for values in found.values())


@pytest.mark.parametrize("targets", ["bep", "passages"])
def test_ideal_runs_of_entry_points_and_passages(targets):
    (one,) = simulate("fixtures/demo/judged.txt", targets)
    options = {"targets": targets, "measures": ["eprum_map:at_recall=ratio"]}
    found = evaluate("fixtures/demo/judged.txt", one.run, **options).runs[0]
    assert all(list(values.values()) == [pytest.approx(1, **EXACT)] for values in found.topics.values())


def test_ideal_runs_of_chunks_hold_all_answers_and_nothing_else():
    gold = "fixtures/rag/gold.jsonl"
    (one,) = simulate(gold)
    names = ["char_rec", "char_prec_1", "char_iou_10", "answered_10", "span_rr", "eprum_map:at_recall=ratio"]
    found = evaluate(gold, one.run, measures=names).runs[0]
    assert len(found.topics) == 5
    for values in found.topics.values():
        assert values == pytest.approx(dict.fromkeys(names, 1), **EXACT)


@pytest.fixture(scope="module")
def nested():
    """Like `graded`, but that what holds other judged elements has a specificity below 3, as assessors must have it."""
    world = World(documents=6, targets=20, seed=11)
    for judged in world.judged.values():
        for key in list(judged):
            above = [one.key for one in world.elements[key].above()]
            for one in above:
                judged[one] = (3, min(2, judged.get(one, (3, 2))[1]))
            judged[key] = (judged[key][0], 3)
        for key in list(judged):
            if any(key in [one.key for one in world.elements[other].above()] for other in judged):
                judged[key] = (3, 1 if world.elements[key].parent is None else 2)
    world.assessments = assessments_of(world.judged)
    return world


def grp(world, *changes, measures, **options):
    options = {"targets": "relevant", "user_model": "none", "measures": measures, **options}
    found, _ = means(world, *changes, source="perfect", **options)
    return {topic: next(iter(values.values())) for topic, values in found.items()}


def test_ancestors_do_not_change_strict_grp_and_raise_gen_grp(nested):
    strict, gen = ({"measures": "grp_map", "quantisation": name} for name in ("strict", "gen"))
    assert grp(nested, **strict) == grp(nested, "ancestors", **strict)
    less, more = grp(nested, **gen), grp(nested, "ancestors", **gen)
    assert all(less[topic] < more[topic] for topic in less)


def test_ng_with_overlap_gains_less_from_ancestors_than_with_size_alone(nested):
    gain = {}
    for name in ("ng_s_map", "ng_o_map"):
        before, after = (fmean(grp(nested, *changes, measures=name).values()) for changes in ((), ("ancestors",)))
        gain[name] = after - before
    assert gain["ng_o_map"] < gain["ng_s_map"]
