"""The registry's table of names: it says of every entry what the entry says of itself."""

from __future__ import annotations

import pickle
from importlib import import_module
from pathlib import Path

import pytest

from prum_eval import UsageError, measures
from prum_eval.measures.base import Direction, Need, Shape
from prum_eval.measures.registry import (
    MEASURES_BY_NAME,
    PRINT_ORDER,
    all_measures,
    expand_name,
    families,
    measures_by_printed_name,
    split_cutoffs,
)


def test_every_name_finds_its_measure():
    assert [measure.name for measure in all_measures()] == list(MEASURES_BY_NAME)
    assert all(MEASURES_BY_NAME[measure.name] is measure for measure in all_measures())
    assert len(MEASURES_BY_NAME) == len(all_measures())


def test_families_are_those_of_their_members():
    for family, names in families().items():
        assert list(expand_name(family)) == names
        assert {MEASURES_BY_NAME[name].family for name in names} == {family}


def test_no_entry_is_forgotten():
    folder = Path(measures.__file__).parent
    files = [path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py") if path.stem != "__init__"]
    modules = [import_module("prum_eval.measures." + ".".join(file.parts)) for file in files]
    entries = [one.name for module in modules for one in getattr(module, "MEASURES", ())]
    assert sorted(entries) == sorted(MEASURES_BY_NAME)


def test_nothing_else_is_made_up():
    assert "no_measure" not in MEASURES_BY_NAME
    with pytest.raises(KeyError):
        MEASURES_BY_NAME["no_measure"]
    with pytest.raises(UsageError, match="no measure no_measure"):
        expand_name("no_measure")


def test_measures_are_sorted_as_they_print():
    assert sorted(MEASURES_BY_NAME, key=PRINT_ORDER.__getitem__) == list(MEASURES_BY_NAME)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("P", ("P", None)),
        ("P.5,10", ("P", "5,10")),
        ("P_5", ("P", "5")),
        ("P.", ("P", "")),
        ("iprec_at_recall_0.10", ("iprec_at_recall", "0.10")),
        ("gP_at_gR", ("gP_at_gR", None)),
        ("prum", ("prum", None)),
        ("all", ("all", None)),
        ("char_rec", ("char_rec", None)),
        ("char_rec.1,5", ("char_rec_K", "1,5")),
        ("char_rec_5", ("char_rec_K", "5")),
        ("char_rec_K", ("char_rec_K", None)),
        ("char_rec_K_5", ("char_rec_K", "5")),
        ("char_rec_at_size_500", ("char_rec_at_size", "500")),
        ("no_5", ("no_5", None)),
        ("no.5", ("no", None)),
    ],
)
def test_a_name_and_its_cut_offs(text, parts):
    assert split_cutoffs(text) == parts


def test_counts_are_what_is_called_so():
    sizes = {"ret_size", "rel_size", "rel_ret_size"}
    counts = {name for name in MEASURES_BY_NAME if name.startswith("num_")}
    assert {one.name for one in all_measures() if one.is_count} == counts | sizes
    assert all(one.shape is Shape.COUNT for one in all_measures() if one.is_count)


def test_more_is_better_but_for_costs_and_for_counts_that_say_nothing_of_quality():
    found = {one.name: one.direction for one in all_measures() if one.direction is not Direction.HIGHER}
    neither = dict.fromkeys(["num_q", "num_ret", "num_rel", "num_targets", "ret_size", "rel_size"], Direction.NEITHER)
    neither |= dict.fromkeys(
        ["judged", "judged_K", "num_nonrel_judged_ret", "relstring", "rbp_resid", "unj"], Direction.NEITHER
    )
    costs = ["size", "tokens", "redundancy", "read", "esl_at_recall"]
    assert found == neither | dict.fromkeys(costs, Direction.LOWER)


def test_every_curve_says_what_it_shows():
    assert all(bool(one.y_label) or not one.cutoffs for one in all_measures())


def test_measures_of_a_navigating_user_and_of_chunks_divide_among_the_ranks():
    assert {one.family for one in all_measures() if one.split} == {
        one.family for one in all_measures() if one.needs & {Need.REACH, Need.SPANS} and one.shape is not Shape.COUNT
    }


def test_a_measure_without_cut_offs_and_one_with_them_share_a_name():
    assert [MEASURES_BY_NAME[name].shape for name in ("char_rec", "char_rec_K")] == [Shape.SCALAR, Shape.AT_RANKS]
    assert [
        MEASURES_BY_NAME["char_rec_K"].printed_name(5.0),
        MEASURES_BY_NAME["char_rec_at_size"].printed_name(500.0),
    ] == [
        "char_rec_5",
        "char_rec_at_size_500",
    ]
    assert [MEASURES_BY_NAME[name].suffix for name in ("char_rec", "char_rec_K", "char_iou", "char_rec_at_size")] == [
        "", "", "_K", "_N"
    ]  # fmt: skip
    printed = measures_by_printed_name(
        ["char_rec", "char_rec_5", "char_prec_3:overlap=novel", "char_rec_at_tokens_8000"]
    )
    assert [measure.name for measure in printed.values()] == [
        "char_rec", "char_rec_K", "char_prec_K", "char_rec_at_tokens"
    ]  # fmt: skip
    for name in ("char_rec", "char_rec_K"):
        assert pickle.loads(pickle.dumps(MEASURES_BY_NAME[name])) is MEASURES_BY_NAME[name]  # noqa: S301 - our own bytes
