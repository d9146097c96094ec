"""The worked examples of the articles, each through the command line, against fractions derived by hand."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tests.gold import GOLD, ROOT, WORKED, run, worked


def expected(row):
    text = (ROOT / "fixtures" / "worked" / row / "expected.json").read_text(encoding="utf-8")
    return {
        topic: {name: float(Fraction(value)) for name, value in values.items()}
        for topic, values in json.loads(text)["topics"].items()
    }


@pytest.mark.parametrize("row", WORKED)
def test_the_values_are_those_derived_by_hand(row):
    output = run(worked(row, "json"))
    (one,) = json.loads(output.out)["runs"]
    assert one["run_id"] == row
    wanted = expected(row)
    assert one["topics"].keys() == wanted.keys()
    for topic, values in wanted.items():
        assert one["topics"][topic] == pytest.approx(values, abs=1e-12, rel=0)


@pytest.mark.parametrize("row", WORKED)
def test_the_average_over_topics_is_their_mean(row):
    (one,) = json.loads(run(worked(row, "json")).out)["runs"]
    wanted = expected(row).values()
    names = next(iter(wanted))
    means = {name: sum(values[name] for values in wanted) / len(wanted) for name in names}
    assert one["all"] == pytest.approx(means, abs=1e-12, rel=0)


@pytest.mark.parametrize("row", WORKED)
def test_the_trec_output_is_the_gold_file(row):
    name = f"fixtures/worked/{row}/expected.trec"
    gold = (ROOT / name).read_bytes()
    assert run(GOLD[name]).out.encode() == gold


@pytest.mark.parametrize("row", WORKED)
def test_the_gold_file_rounds_the_derived_values(row):
    lines = (ROOT / "fixtures" / "worked" / row / "expected.trec").read_text(encoding="utf-8").splitlines()
    printed = {}
    for line in lines:
        name, topic, value = line.split("\t")
        printed.setdefault(topic, {})[name.rstrip()] = value
    printed.pop("all")
    wanted = expected(row)
    assert printed == {topic: {name: f"{value:.4f}" for name, value in wanted[topic].items()} for topic in wanted}
