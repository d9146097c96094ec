"""`power`: its formats and messages, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

from prum_eval import power
from tests.gold import ROOT, run

SYSTEMS = "--values fixtures/compare/systems.csv"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"


def told(command):
    output = run(f"power {command}")
    assert output.status == 0, output.err
    return output.out


def test_the_table():
    assert told(f"--trials 400 --sizes 2,4 -m map -m ndcg {SYSTEMS}") == TABLE


def test_it_warns_of_few_topics():
    error = run(f"power -m map {SYSTEMS}").err
    assert error.startswith("prum-eval: warning: only 8 topics: below 20, intervals and p-values are rough\n")


def test_long_names_are_numbers():
    text = told(f"--trials 20 -m eprum_map:targets=relevant,at_recall=ratio -m eprum_map {DEMO}")
    assert text.startswith("1  eprum_map:at_recall=ratio,targets=relevant\n2  eprum_map\n\nmeasure  topics   power")
    assert "\nmeasure 2 by topics\n" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("options", ["", "--digits 6", "--test t --alpha .2 --fuzziness .123456"])
def test_it_fits_80_columns(options):
    assert max(map(len, told(f"{options} {SYSTEMS}").splitlines())) <= 80


def test_json_and_csv_have_what_the_function_returns(monkeypatch):
    monkeypatch.chdir(ROOT)
    known = power(values="fixtures/compare/systems.csv", trials=100, sizes="2,4", test="t")
    found = json.loads(told(f"-f json --trials 100 --sizes 2,4 --test t {SYSTEMS}"))
    assert found["signature"] == known.signature
    assert (found["pairs"], len(found["runs"]), len(found["topics"])) == (66, 12, 8)
    assert [one["measure"] for one in found["measures"]] == [one.measure for one in known.measures]
    assert found["measures"][0]["sizes"][1]["tau"] == known.measures[0].sizes[1].tau
    assert found["settings"]["sizes"] == [2, 4]
    assert found["measures"][0]["sizes"][1]["tau_se"] == known.measures[0].sizes[1].tau_se > 0
    assert found["measures"][0]["power_se"] == 0  # the t test draws nothing
    rows = list(csv.DictReader(io.StringIO(told(f"-f csv --trials 100 --sizes 2,4 --test t {SYSTEMS}"))))
    assert [
        {key: str(value) if value is not None else "" for key, value in row.items()} for row in known.rows()
    ] == rows


def test_the_signature_names_every_choice():
    output = run(f"power --trials 9 --seed 4 --test t --fuzziness 0 --alpha .1 --sizes 1:3:1 {SYSTEMS}")
    assert output.err.endswith(
        "|values|power|test:t|runs:12|topics:8|sizes:1,2,3|fuzziness:0.0|9 trials|seed:4|alpha:0.1\n"
    )


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (f"--sizes 5 -m map {SYSTEMS}", 2, "prum-eval: sizes: 5: of 8 topics (map) two disjoint sets have 4 at most"),
        (f"--sizes 0 {SYSTEMS}", 2, "prum-eval: sizes: 0: the size of a topic set is a whole number from 1 on"),
        (f"--sizes 1: {SYSTEMS}", 2,
         "prum-eval: '1:' is not a list of values; write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"),
        (f"--fuzziness 1 {SYSTEMS}", 2, "Error: Invalid value for '--fuzziness': 1.0 is not in the range 0<=x<1."),
        (f"--plot x.foo {SYSTEMS}", 2,
         "prum-eval: --plot x.foo: .foo is no format of pictures (there are: png, svg, pdf)"),
        ("--values fixtures/compare/self.txt", 2, "prum-eval: only one run; a comparison needs two"),
    ],
)  # fmt: skip
def test_what_is_refused(command, status, message):
    output = run(f"power {command}")
    assert (output.status, output.out) == (status, "")
    assert output.err.splitlines()[-1] == message


TABLE = """\
measure  topics   power  required    swap   error    ties     tau
-------  ------  ------  --------  ------  ------  ------  ------
map           8  0.2424    0.1859  0.2296  0.0798  0.0816  0.5390
             se  0.0197    0.0217  0.0025  0.0016  0.0016  0.0050
ndcg          8  0.2121    0.3226  0.2538  0.0932  0.0784  0.4920
             se  0.0124    0.0287  0.0029  0.0019  0.0018  0.0057

map by topics
              2  0.0000            0.3419  0.1766  0.0768  0.3148
             se  0.0000            0.0044  0.0029  0.0016  0.0088
              4  0.0500            0.2296  0.0798  0.0816  0.5390
             se  0.0096            0.0025  0.0016  0.0016  0.0050

ndcg by topics
              2  0.0000            0.3578  0.1878  0.0702  0.2823
             se  0.0000            0.0043  0.0033  0.0017  0.0087
              4  0.0409            0.2538  0.0932  0.0784  0.4920
             se  0.0064            0.0029  0.0019  0.0018  0.0057

power     share of 66 pairs of runs with p < 0.05 by the paired bootstrap test;
          by topics, the mean of 10 random sets
required  difference that the paired bootstrap test takes for that, the largest
          of all pairs
swap      share of pairs that two disjoint sets of topics put the other way
          round
error     share of pairs that a set of topics puts as most sets do not
ties      share of pairs whose means differ by 5 % of the larger or less; they
          are no errors
tau       Kendall's tau-b of the runs by two disjoint sets
se        standard errors: how far other random trials and sets would be off
swap to tau: 400 trials a size, seed 1; side by side, of the largest
The order is by power, then tau; what differs by at most two standard errors is
in the order asked.
"""
