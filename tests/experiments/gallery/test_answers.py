"""The gallery: its collection is sound, values are those of closed forms, and what its page says is so."""

from __future__ import annotations

import math

import pytest

from prum_eval import DataError, UsageError, answers, check
from prum_eval.experiments.gallery import SITUATIONS, sample
from prum_eval.measures.base import Need
from prum_eval.measures.registry import all_measures

STEPS = {one.name: one.step_names for one in SITUATIONS}


@pytest.fixture(scope="module")
def gallery():
    return {(one.measure, one.situation.name): one for one in answers("all").answers}


def values(gallery, measure, situation):
    return gallery[measure, situation].values


def test_the_collection_is_sound():
    made = sample()
    assert not check(assessments=made.assessments, structure=made.structure).problems
    assert (made.structure.elements, len(made.structure.names), len(made.assessments.topics)) == (1944, 72, 6)


@pytest.mark.slow
def test_every_measure_answers_in_every_situation(gallery):
    shown = {measure for measure, _ in gallery}
    assert len(gallery) == len(shown) * 5
    for one in all_measures():
        if Need.GRADES in one.needs:  # it is about documents
            with pytest.raises(DataError, match="needs graded documents; sample judges elements"):
                answers(one.name)
            continue
        (name,) = {name for name in shown if name in {one.printed_name(point) for point in one.cutoffs or (None,)}}
        assert [len(gallery[name, situation].values) for situation in STEPS] == [len(own) for own in STEPS.values()]
        assert len({gallery[name, situation].values[0] for situation in STEPS}) == 1  # the ideal list


def test_what_is_refused_has_a_reason(gallery):
    for one in gallery.values():
        assert (one.reason is None) == (None not in one.values)
    assert gallery["char_f1", "overlap"].reason == "has results that overlap; --set overlap=novel takes them"
    assert gallery["magp", "overlap"].reason == (
        "comes back after another one; in context, the results of a document stand together: --merge document brings "
        "them there"
    )
    refused = {one.situation.name for one in gallery.values() if one.reason and not one.measure.startswith("Accuracy")}
    assert refused == {"overlap"}  # noise overlaps nowhere
    assert gallery["Accuracy", "overlap"].reason == "has no value on any topic"  # nothing is judged not relevant


@pytest.mark.parametrize(
    ("measure", "t"),
    [("eprum_map:user_model=none,graded=off", 12), ("prum_map:user_model=none,quantisation=strict", 9)],
)
def test_closed_forms(measure, t):
    # one target a document, the first t of the list: without navigation, r targets are found by rank r + n
    found = {one.situation.name: one.values for one in answers(measure).answers}
    r = range(1, t + 1)
    noise = [math.fsum(k / (k + n) for k in r) / t for n in (0, 1, 2, 4, 8)]
    assert found["noise in front"] == pytest.approx(noise, abs=1e-12)
    left = [min(t, 12 - int(step)) for step in STEPS["missing targets"]]
    if measure.startswith("eprum"):
        expected = [h / t for h in left]
    else:  # those that are missing are found by going on at random through what is not listed
        unlisted = [1944 - (12 - int(step)) for step in STEPS["missing targets"]]
        expected = [
            math.fsum(1.0 if k <= h else k / (k + (k - h) * (u - (t - h)) / (t - h + 1)) for k in r) / t
            for h, u in zip(left, unlisted, strict=True)
        ]
    assert found["missing targets"] == pytest.approx(expected, abs=1e-12)


def test_what_the_page_says(gallery):
    for measure in ("map", "Rprec", "ng_s_recall", "ng_o_recall", "maep"):
        ideal, last, *_ = values(gallery, measure, "overlap")
        assert ideal < 0.4 < last
    for measure in ("prum_map", "eprum_map", "gen_recall_10", "nxcg_10", "rbp"):
        ideal, last, _, first = values(gallery, measure, "overlap")
        assert last == pytest.approx(ideal, abs=1e-12)
        assert first < ideal / 4
    for measure in ("gP_10", "iP_0.10", "char_prec"):
        assert values(gallery, measure, "overlap")[1:] == (None, None, None)
    for measure in ("recip_rank", "span_rr", "err_10", "gP_10", "iP_0.10", "char_prec"):
        ideal, *others = values(gallery, measure, "missing targets")
        assert min(others) >= ideal - 1e-12
    for measure in ("gR_10", "char_rec_10", "span_recall_10", "recall_10", "P_10", "map"):
        ideal, *others = values(gallery, measure, "reading effort")
        assert others == pytest.approx([ideal] * 3, abs=1e-12)
    for measure in ("char_prec", "eprum_map", "prum_map", "gen_recall_10", "rbp", "u_measure", "nxcg_10", "eprum_P_10"):
        ideal, up, *_ = values(gallery, measure, "reading effort")
        assert up < ideal / 4
    ideal, up, *_ = values(gallery, "err_10", "reading effort")
    assert 0.4 < up / ideal < 0.5
    for measure in ("size_10", "tokens_10"):
        ideal, *others = values(gallery, measure, "near misses")
        assert others == sorted(others)
        assert others[0] > ideal < values(gallery, measure, "reading effort")[1]
        assert values(gallery, measure, "missing targets")[-1] < ideal
    assert values(gallery, "bepd", "overlap")[-1] > 3
    assert gallery["bepd", "near misses"].top == max(values(gallery, "bepd", "overlap"))


def test_measures_with_settings_and_cut_offs():
    found = answers("P.1,5")
    assert list(found.by_measure) == ["P_1", "P_5"]
    assert repr(found) == "<Answers: 2 measures in 5 situations>"
    assert len(list(found.rows())) == 2 * sum(map(len, STEPS.values()))
    assert list(answers("gen_recall").by_measure) == ["gen_recall_10"]
    assert list(answers("eprum_prec_at_recall:user_model=t2i").by_measure) == [
        "eprum_prec_at_recall_0.20:user_model=t2i"
    ]


def test_unknown_names():
    with pytest.raises(UsageError, match=r"^no measure eprum_mop; did you mean eprum_map\?$"):
        answers("eprum_mop")
