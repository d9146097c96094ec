"""Values by topic in few bytes: what is packed is what is printed, and a page of many runs is small."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.report.html.evaluation import evaluation_page
from prum_eval.report.html.packed import SIGNS, packed
from prum_eval.report.layout import Layout, formatted

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)


def unpacked(found):
    """The printed values, a list a run: a slow and plain twin of the script of the page."""
    if not found["width"]:
        return found["runs"]
    columns = []
    for signs in found["runs"]:
        column = []
        for start in range(0, len(signs), found["width"]):
            number = 0
            for sign in signs[start : start + found["width"]]:
                number = len(SIGNS) * number + SIGNS.index(sign)
            whole = number - 1 + found["low"]
            value = f"{abs(whole):0{found['digits'] + 1}d}"
            cut = len(value) - found["digits"]
            text = ("-" if whole < 0 else "") + value[:cut] + ("." + value[cut:] if found["digits"] else "")
            column.append(text if number else None)
        columns.append(column)
    return columns


def printed(columns, digits, kind):
    texts = [[None if one is None else formatted(kind(one), digits) for one in column] for column in columns]
    zero = formatted(kind(0), digits)
    return [[zero if one == f"-{zero}" else one for one in column] for column in texts]


LISTS = {
    "numbers": st.floats(-1e6, 1e6),
    "counts": st.integers(-(10**6), 10**6),
    "both": st.integers(-9, 9) | st.floats(-9, 9),
    "whatever": FLOATS | st.integers(),
}


@pytest.mark.parametrize("values", LISTS.values(), ids=LISTS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data(), digits=st.integers(0, 17))
def test_what_is_packed_is_what_is_printed(values, data, digits):
    columns = data.draw(st.lists(st.lists(st.none() | values, max_size=6), max_size=3))
    floats = any(isinstance(one, float) for column in columns for one in column)
    found = packed(columns, digits)
    wanted = printed(columns, digits, float if floats else int)
    if found["width"]:
        assert unpacked(found) == wanted
        assert found["digits"] == (digits if floats else 0)
        assert all(len(column) == found["width"] * len(own) for column, own in zip(found["runs"], columns, strict=True))
    else:
        zero = formatted(0.0, digits)
        assert [[zero if one == f"-{zero}" else one for one in column] for column in found["runs"]] == wanted
        assert max(abs(one) for column in columns for one in column if one is not None) * 10**digits > 2**50


def test_one_sign_a_count_and_three_a_number_of_four_digits():
    assert packed([[1, 0, 1]], 4)["runs"] == ["$#$"]
    assert packed([[0.0, 1.0, None]], 4) == {"digits": 4, "low": 0, "width": 3, "runs": ["!!##A{!!!"]}


def test_a_page_of_50_runs_and_300_topics_is_below_two_megabytes():
    draw = random.Random(1)
    topics = [str(number) for number in range(300)]
    names = ["num_ret", "map", "Rprec", "eprum_map"]
    recall, ranks = [level / 10 for level in range(11)], [5, 10, 15, 20, 30, 100]
    of_curves = {"eprum_prec_at_recall": recall, "gen_recall": ranks}
    names += [f"eprum_prec_at_recall_{level:.2f}" for level in recall] + [f"gen_recall_{rank}" for rank in ranks]
    runs, curves = [], []
    for number in range(50):
        values = {topic: {name: draw.random() for name in names} | {"num_ret": 1000} for topic in topics}
        means = {name: draw.random() for name in names}
        runs.append(RunResult(f"team-{number // 5}-system-{number}", f"runs/{number}", values, means))
        curves.append([])
        for name, points in of_curves.items():
            printed = {point: f"{name}_{point:.2f}" if point <= 1 else f"{name}_{point}" for point in points}
            own = {topic: [(x, values[topic][printed[x]]) for x in points] for topic in topics}
            axis = "recall" if points is recall else "rank"
            curves[-1].append(Curve(name, name, axis, own, [(x, means[printed[x]]) for x in points]))
    page = evaluation_page(Evaluation("1", "signature", {}, runs, names=names, curves=curves), Layout(per_topic=True))
    assert len(page.encode()) < 2_000_000
    assert page.count('class="line"') == 50 * 2  # all runs have their line; of the best 14 every point has a marker
    assert page.count('class="point"') == 14 * (11 + 6)
