"""What the picture of quality and cost shows: bands by hand, the points, which runs come first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from prum_eval import compare, evaluate
from prum_eval.report.panels import trade_off_of_comparison, trade_off_of_evaluation

VALUES = {
    "long": {
        "1": {"char_rec_5": 0.9, "size_5": 900, "char_rec_at_size_500": 0.1, "char_rec_at_size_2000": 0.5},
        "2": {"char_rec_5": 0.7, "size_5": 700, "char_rec_at_size_500": 0.3, "char_rec_at_size_2000": 0.6},
        "3": {"char_rec_5": 0.8, "size_5": 500, "char_rec_at_size_500": 0.2, "char_rec_at_size_2000": None},
    },
    "short": {
        "1": {"char_rec_5": 0.5, "size_5": 90, "char_rec_at_size_500": 0.4, "char_rec_at_size_2000": 0.7},
        "2": {"char_rec_5": 0.5, "size_5": 90, "char_rec_at_size_500": 0.5, "char_rec_at_size_2000": 0.8},
        "3": {"char_rec_5": 0.5, "size_5": 90, "char_rec_at_size_500": 0.6, "char_rec_at_size_2000": None},
    },
    "worse": {
        topic: {
            "char_rec_5": 0.4,
            "size_5": 95,
            "char_rec_at_size_500": 0,
            "char_rec_at_size_2000": None if topic == "3" else 0,
        }
        for topic in "123"
    },
}


def made(*measures, alpha=0.05):
    return trade_off_of_comparison(compare(values=VALUES, measures=list(measures), trials=9, common=True, alpha=alpha))


def test_of_values_by_hand():
    found = made("char_rec_5", "size_5", "char_rec_at_size", alpha=0.1)
    assert found.names == ["long", "short", "worse"]
    assert found.order == [1, 0, 2]  # by what is found within a budget
    assert (found.cost, found.quality, found.budget_measure.name) == ("size_5", "char_rec_5", "char_rec_at_size")
    assert found.points.tolist() == [pytest.approx([700, 0.8]), [90, 0.5], pytest.approx([95, 0.4])]
    assert found.pareto_front.tolist() == [True, True, False]
    band = found.bands[0]  # topic 3 has no value within 2000, and so counts within no budget
    assert band.budgets.tolist() == [500, 2000]
    assert band.means.tolist() == pytest.approx([0.2, 0.55])
    wide = stats.t.ppf(0.95, 1) * np.array([0.2, 0.1]) / math.sqrt(2) / math.sqrt(2)
    assert band.margins.tolist() == pytest.approx(wide.tolist(), rel=1e-6)
    assert found.alpha == 0.1


def test_one_half_of_it():
    found = made("char_rec_5", "size_5", "char_rec_at_size_500")
    assert found.bands == []
    assert found.order == [0, 1, 2]  # by quality
    found = made("char_rec_at_size")
    assert (found.cost, found.quality, len(found.bands)) == (None, None, 3)
    for measures in (["char_rec_5"], ["size_5"], ["char_rec_at_size_500", "char_rec_5"]):
        assert made(*measures) is None


@pytest.mark.parametrize(
    ("shares", "budgets"),
    [([0.1, 0.4, 0.6, 0.6], [500, 1000, 2000]), ([0.1, 0.4, 0.4, 0.4], [500, 1000]), ([0.1, 0.4, 0.6, 0.7], None)],
)
def test_bands_end_at_the_budget_from_which_on_no_run_finds_more(shares, budgets):
    every = [500, 1000, 2000, 4000]
    values = {
        run: {topic: dict(zip((f"char_rec_at_size_{one}" for one in every), own, strict=True)) for topic in "12"}
        for run, own in (("more", shares), ("same", [0.2, 0.2, 0.2, 0.2]))
    }
    found = trade_off_of_comparison(compare(values=values, trials=9))
    assert [band.budgets.tolist() for band in found.bands] == [budgets or every] * 2


GOLD, CHUNKS = "fixtures/rag/gold.jsonl", ["fixtures/rag/windows.jsonl", "fixtures/rag/paragraphs.jsonl"]
MEASURES = ["char_rec.5", "size.5", "char_rec_at_size.100,200,5000"]


def test_of_runs_all_budgets_are_drawn_until_everything_is_read():
    of_comparison = trade_off_of_comparison(compare(GOLD, CHUNKS, measures=MEASURES, trials=9, curves=True))
    of_evaluation = trade_off_of_evaluation(evaluate(GOLD, CHUNKS, measures=MEASURES, curves=True))
    budgets = [100, 150, 200, 300, 500, 700, 1000]
    values = evaluate(GOLD, CHUNKS, measures=f"char_rec_at_size.{','.join(map(str, budgets))}")
    for found in (of_comparison, of_evaluation):
        for band, run in zip(found.bands, values.runs, strict=True):
            own = band.budgets.astype(int).tolist()
            assert own == budgets[: len(own)]
            assert band.means.tolist() == pytest.approx([run.all[f"char_rec_at_size_{budget}"] for budget in own])
    assert of_comparison.points.tolist() == of_evaluation.points.tolist()
    assert of_comparison.pareto_front.tolist() == of_evaluation.pareto_front.tolist()


def test_of_an_evaluation_without_any():
    assert trade_off_of_evaluation(evaluate(GOLD, CHUNKS, measures=["char_rec.1,5"], curves=True)) is None


def test_a_run_without_values():
    found = evaluate(GOLD, CHUNKS, measures=MEASURES, curves=True)
    runs = [found.runs[0], replace(found.runs[1], all={})]
    made = trade_off_of_evaluation(replace(found, runs=runs, curves=[found.curves[0], ()]))
    assert made.bands[1] is None
    assert made.order == [0, 1]
    assert made.pareto_front.tolist() == [True, False]
