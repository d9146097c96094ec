"""C/W/L measures against the formulas, written out rank by rank."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import UsageError, evaluate
from tests.oracles.worlds import examples

DEPTH = 1000


def expected(gains, continuation):
    """sum of W_i g_i; `continuation`: C of a rank from 1 and the gains so far."""
    reach, total, value = 1.0, 0.0, 0.0
    for rank in range(1, DEPTH + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        total += reach
        value += reach * gain
        reach *= continuation(rank, gains[:rank], gain)
    return value / total


FORMULAS = {
    "INST:T=2": lambda i, g, _: ((i + 4 - sum(g) - 1) / (i + 4 - sum(g))) ** 2,
    "INSQ:T=0.5": lambda i, _g, _: (i / (i + 1)) ** 2,
    "NERR8.3": lambda i, _g, gain: 1 - gain if i < 3 else 0,
    "NERR9.3": lambda i, _g, gain: i / (i + 1) * (1 - gain) if i < 3 else 0,
    "NERR10:p=0.7": lambda _i, _g, gain: 0.7 * (1 - gain),
    "NERR11:T=3": lambda i, _g, gain: ((i + 5) / (i + 6)) ** 2 * (1 - gain),
    "BPM.4:T=1.5": lambda i, g, _: 1 if sum(g) < 1.5 and i < 4 else 0,
    "SDCG.5": lambda i, _g, _: math.log(i + 1) / math.log(i + 2) if i < 5 else 0,
}
grades = st.lists(st.sampled_from([None, -1, 0, 1, 2, 4, 5]), min_size=1, max_size=8)


def value_of(listed, spec):
    """The value of a list of grades, best result first; None is not judged."""
    names = [f"d{rank:02}" for rank in range(len(listed))]
    qrels = {"1": {name: grade for name, grade in zip(names, listed, strict=True) if grade is not None} | {"far": 4}}
    run = {"1": {name: -float(rank) for rank, name in enumerate(names)}}
    (value,) = evaluate(qrels, run, measures=spec).runs[0].topics["1"].values()
    return value


@examples(40)
@given(grades)
def test_values_are_those_of_the_formulas(listed):
    gains = [min(max(grade or 0, 0), 4) / 4 for grade in listed]
    for spec, continuation in FORMULAS.items():
        assert value_of(listed, f"{spec}{',' if ':' in spec else ':'}max_rel=4") == pytest.approx(
            expected(gains, continuation), rel=1e-12
        )


@examples(20)
@given(grades, st.integers(-2, 2), st.integers(3, 6))
def test_gains_lie_between_the_smallest_and_the_largest_grade(listed, low, high):
    gains = [0 if grade is None else (min(max(grade, 0, low), high) - low) / (high - low) for grade in listed]
    value = value_of(listed, f"NERR8.3:min_rel={low},max_rel={high}")
    assert value == pytest.approx(expected(gains, FORMULAS["NERR8.3"]), rel=1e-12)


def test_binary_persistence_counts_ranks_down_to_its_depth():
    """Relevant at ranks 1 and 3: (1 + p^2) over 1 + p + ... of all ranks."""
    assert value_of([1, 0, 2], "cwl_rbp") == pytest.approx((1 + 0.64) * 0.2)
    assert value_of([1, 0, 2], "cwl_rbp:p=0.999") == pytest.approx((1 + 0.999**2) * 0.001 / (1 - 0.999**1000))
    assert value_of([1, 0, 2], "cwl_rbp:p=1,depth=4") == pytest.approx(2 / 4)
    assert value_of([1, 0, 2], "cwl_rbp:p=1,depth=2") == pytest.approx(1 / 2)
    assert value_of([1, 0, 2], "RBP(rel=2)") == pytest.approx(0.64 * 0.2)


@examples(20)
@given(grades, st.sampled_from([1, 2, 4]), st.sampled_from([0.5, 0.8]))
def test_levels_of_relevance_mean_the_same_in_both_notations(listed, level, p):
    ours = value_of(listed, f"rbp:rel={level},p={p}")
    assert value_of(listed, f"RBP(rel={level},p={p})") == pytest.approx(ours, rel=1e-12)
    assert value_of(listed, f"RBP(p={p}):rel={level}") == pytest.approx(ours, rel=1e-12)


def test_the_largest_grade_is_that_of_the_file():
    assert value_of([2, 0], "NERR8.1") == 0.5  # the file has grade 4 too
    assert value_of([2, 0], "NERR8.1:max_rel=2") == 1
    with pytest.raises(UsageError, match=r"^min_rel=4: min_rel is below max_rel, which is 4, the largest grade of the"):
        value_of([2, 0], "NERR8.1:min_rel=4")


def test_a_long_list_is_cut():
    listed = [0] * 5 + [1]
    assert value_of(listed, "INSQ:depth=5") == 0
    assert value_of(listed, "INSQ:depth=6") > 0


def test_a_topic_without_relevance_counts():
    result = evaluate({"1": {"a": 0}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}, measures="BPM.1,cwl_rbp:p=0")
    assert dict(result.runs[0].all) == {"BPM_1": 0.5, "cwl_rbp:p=0": 0.5}
