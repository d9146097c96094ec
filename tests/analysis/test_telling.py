"""Which of many measures are shown first, and which one ranks the runs."""

from __future__ import annotations

import pytest

from prum_eval import UsageError
from prum_eval.analysis.compare import parse_budget, task_with_measure
from prum_eval.analysis.comparison import rank_measures
from prum_eval.measures.registry import MEASURES_BY_NAME, all_measures

BUDGETS = [f"char_rec_at_size_{budget}" for budget in (500, 1000, 2000, 4000, 8000)]
RECALL = [f"char_rec_{rank}" for rank in (1, 3, 5, 10)]
TASK = [*RECALL, "char_prec_5", "hit_1", "hit_3", "hit_5", "span_rr", "size_5", "redundancy_5", *BUDGETS, "eprum_map"]


def test_quality_stands_beside_its_cost():
    found = rank_measures(TASK)
    assert found.headline == "char_rec_at_size_2000"  # at equal cost
    assert found.costs == ("size_5", "redundancy_5")
    first = [
        "char_rec_at_size_2000",
        "char_rec_at_size_500",
        "char_rec_at_size_1000",
        "char_rec_at_size_4000",
        "char_rec_at_size_8000",
        "char_rec_5",
        "char_prec_5",
        "hit_5",
        "span_rr",
        "eprum_map",
        "size_5",
        "redundancy_5",
    ]
    assert list(found.order[: found.kinds]) == first
    assert sorted(found.order) == sorted(TASK)
    assert found.order[found.kinds] == "char_rec_1"
    assert found.budget == "char_rec_at_size_2000"
    assert found.trade_off == ("size_5", "char_rec_5")
    assert rank_measures(["char_rec_at_size_500", "size_5"]).trade_off is None
    assert rank_measures(["char_rec_5", "hit_5"]).trade_off is None


def test_the_usual_budget_of_tokens_comes_before_that_of_characters():
    assert rank_measures([*TASK, "char_rec_at_tokens_500"]).headline == "char_rec_at_tokens_500"
    assert rank_measures(["char_rec_5", "char_rec_at_size_2000"]).headline == "char_rec_5"  # without costs the first


def test_the_first_measure_that_is_named_ranks_even_a_cost():
    found = rank_measures(TASK, "char_rec_3")
    assert found.order[:3] == ("char_rec_3", "size_5", "redundancy_5")
    assert found.trade_off == ("size_5", "char_rec_5")
    assert rank_measures(TASK, "size_5").order[:2] == ("size_5", "redundancy_5")
    assert rank_measures(["map", "P_5"], "P_5").order == ("P_5", "map")


def test_at_a_budget():
    found = rank_measures(TASK, "char_rec_at_size_4000")
    assert found.headline == "char_rec_at_size_4000"
    others = [name for name in BUDGETS if name != found.headline]
    assert list(found.order[:5]) == [found.headline, *others]
    assert found.order[5] == "char_rec_5"
    assert list(found.order[found.kinds - 2 : found.kinds]) == ["size_5", "redundancy_5"]


@pytest.mark.parametrize(
    ("names", "headline"),
    [
        (["map", "P_5", "P_10"], "map"),  # no costs: the first
        (["P_5", "map", "P_10"], "P_5"),
        (["num_ret"], None),
        (["size_1", "size_10", *RECALL], "char_rec_10"),  # both are shared: of two the later one
        (["size_7", *RECALL], "char_rec_5"),  # not shared: the one in the middle
        (["size_5", "mine"], "mine"),  # of another tool
        (["char_rec_at_size_500", "size_5", "hit_5"], "hit_5"),  # what costs buy, within no budget
        (["char_rec_at_size_500", "size_5"], "char_rec_at_size_500"),
        (["size_5", "tokens_5"], "size_5"),  # nothing but costs
        (["size_5:a=1", "char_rec_1:a=1", "char_rec_5:a=1", "char_rec_5:a=2"], "char_rec_5:a=1"),
    ],
)
def test_the_measure_that_ranks_the_runs(names, headline):
    found = rank_measures(names)
    assert found.headline == headline
    assert set(found.order) == set(names)


def test_budgets():
    for at, name in (("size=2000", "char_rec_at_size_2000"), ("tokens=1", "char_rec_at_tokens_1")):
        measure, amount = parse_budget(at)
        assert measure.printed_name(amount) == name
        assert measure.shape.name == "AT_BUDGETS"
    assert {one.name for one in all_measures() if one.budget} == {
        one.name for one in all_measures() if one.shape.name == "AT_BUDGETS"
    }
    assert task_with_measure(MEASURES_BY_NAME["magp"]) == "inex2006-relevant-in-context"
    assert task_with_measure(MEASURES_BY_NAME["maep"]) == "inex2005-thorough"  # the specification has parameters
    assert task_with_measure(MEASURES_BY_NAME["tokens"]) is None


@pytest.mark.parametrize("at", ["", "2000", "size=", "size=0", "size=2147483648", "size=-1", "size=1.5", "size=1e3"])
def test_no_budgets(at):
    with pytest.raises(UsageError) as raised:
        parse_budget(at)
    forms = "size=N, tokens=N or read=N"
    assert str(raised.value) == f"at={at}: a budget is {forms}, N a whole number from 1 to 2147483647"


def test_an_unknown_budget():
    with pytest.raises(UsageError, match=r"^at=token=5: no budget of token; did you mean tokens\?$"):
        parse_budget("token=5")
