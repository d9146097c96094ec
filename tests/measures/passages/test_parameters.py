"""Parameters of the passage measures, their labels, and the units that the official outputs cannot tell apart."""

import numpy as np
import pytest

import prum_eval
from prum_eval.measures.passage_measures import ScoredArticles, precision_after
from prum_eval.measures.passages import cut_segments, first_cover, position_keys
from tests.measures.passages.official import FIXTURES

EDGE = FIXTURES / "edge"


def values(run, measures, **options):
    return prum_eval.evaluate(EDGE / "q.txt", EDGE / run, measures=measures, **options).runs[0]


def test_short_lists_repeat_or_divide():
    own = values("order.run", ["gP.3,5", "gP.3,5:short=divide"]).topics["1"]
    assert own["gP_5"] == own["gP_3"] == own["gP_3:short=divide"]
    assert own["gP_5:short=divide"] == pytest.approx(own["gP_3"] * 3 / 5, rel=1e-15)


def test_divide_of_a_list_of_one():
    scored = ScoredArticles(np.array([0, 0, 1]), np.array([0.5]), np.array([True]), np.array([1, 1]))
    assert precision_after(scored, np.array([1.0, 4.0]), repeat=False).tolist() == [[0.0, 0.0], [0.5, 0.125]]


@pytest.mark.parametrize(("name", "setting"), [("magp", "beta"), ("bic_magp", "n"), ("t2i_magp", "tolerance")])
def test_set_is_the_same_as_a_label(name, setting):
    labelled = values("order.run", [f"{name}:{setting}=7"]).all[f"{name}:{setting}=7"]
    assert values("order.run", [name], settings={setting: 7}).all[name] == labelled
    assert labelled != values("order.run", [name]).all[name]


@pytest.mark.parametrize("spec", ["bic_magp:n=0", "t2i_magp:tolerance=-1", "magp:beta=-1", "iP:overlap=on", "maip:n=3"])
def test_bad_values(spec):
    with pytest.raises(prum_eval.UsageError):
        values("order.run", [spec])


def test_levels_between_two_points_are_read_at_the_next():
    own = values("order.run", ["iP.0.015,0.02", "gP_at_gR.0.45,0.5"]).topics["1"]
    assert own["iP_0.015"] == own["iP_0.02"]
    assert own["gP_at_gR_0.45"] == own["gP_at_gR_0.50"]


def test_counts_in_results_stay_the_default():
    own = values("full.run", ["num_ret", "num_ret:counts=articles"]).all
    assert (own["num_ret"], own["num_ret:counts=articles"]) == (5, 4)


def test_in_context_sums_run_over_all_judged_topics():
    names = ["num_rel:counts=articles", "num_rel:counts=ranks", "rel_size", "rel_size:counts=points", "num_q"]
    own = values("order.run", names).all
    assert list(own.values()) == [1, 2, 4, 150, 250]


def test_keys_of_far_positions():
    article, position = np.array([0, 5, 5, 2**20]), np.array([2**61, -(2**61), 3, 0])
    found = position_keys(article, position)
    assert (np.diff(found) > 0).all()


def test_first_cover_of_nested_and_empty_intervals():
    low, high = np.array([2, 0, 1, 0, 5]), np.array([2, 3, 4, 6, 6])
    assert first_cover(low, high, 7).tolist() == [1, 1, 1, 2, 3, 3, 5]


def test_segments_do_not_cross_articles():
    segments, number = cut_segments(np.array([1, 0, 1, 0]), np.array([7, 4, 3, 0]))
    assert segments.length.tolist() == [4, 0, 4, 0]
    assert number.tolist() == [3, 1, 2, 0]


def test_a_user_without_tolerance_reads_nothing():
    """As with -irr 0 of the official tool: precision is 0, recall counts articles as ever."""
    own = values("order.run", ["t2i_gP.1,5:tolerance=0", "t2i_magp:tolerance=0", "t2i_gR_5", "gR_5"]).topics["1"]
    assert own["t2i_gP_1:tolerance=0"] == own["t2i_gP_5:tolerance=0"] == own["t2i_magp:tolerance=0"] == 0.0
    assert own["t2i_gR_5"] == own["gR_5"] > 0
