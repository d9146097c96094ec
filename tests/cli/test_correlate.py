"""`correlate`: its formats, what it takes, what it refuses, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats

from tests.gold import ROOT, run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
SYSTEMS = "--values fixtures/compare/systems.csv"


def correlated(command):
    output = run(f"correlate {command}")
    assert output.status == 0, output.err
    return output.out


def values(measure):
    with (ROOT / "fixtures" / "compare" / "systems.csv").open(encoding="utf-8") as file:
        return np.array([float(row["value"]) for row in csv.DictReader(file) if row["measure"] == measure])


@pytest.mark.parametrize("over", ["means", "values"])
def test_coefficients_are_those_of_scipy(over):
    found = json.loads(correlated(f"-f json --over {over} {SYSTEMS}"))
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [
        ("map", "ndcg"),
        ("map", "recip_rank"),
        ("ndcg", "recip_rank"),
    ]
    for pair in found["pairs"]:
        x, y = values(pair["first"]), values(pair["second"])
        if over == "means":
            x, y = x.reshape(12, 8).mean(axis=1).round(12), y.reshape(12, 8).mean(axis=1).round(12)
        assert pair["pearson"]["value"] == pytest.approx(stats.pearsonr(x, y).statistic)
        assert pair["tau_b"]["value"] == pytest.approx(stats.kendalltau(x, y).statistic)
        for name in ("pearson", "tau_b", "tau_ap"):
            assert pair[name]["low"] <= pair[name]["value"] <= pair[name]["high"]


def test_json_holds_the_points():
    found = json.loads(correlated(f"-f json --over values {SYSTEMS}"))
    assert len(found["points"]) == 12 * 8
    assert found["measures"] == ["map", "ndcg", "recip_rank"]
    assert [point["values"][1] for point in found["points"]] == values("ndcg").tolist()
    assert (found["points"][9]["run"], found["points"][9]["topic"]) == (1, "2")
    means = json.loads(correlated(f"-f json {SYSTEMS}"))["points"]
    assert (len(means), means[3]["run"], means[3]["topic"]) == (12, 3, None)


def test_the_best_runs():
    found = json.loads(correlated(f"-f json --top 4 --by ndcg {SYSTEMS}"))
    ranked = np.argsort(-values("ndcg").reshape(12, 8).mean(axis=1))[:4]
    assert [one["run_id"] for one in found["runs"]] == [f"system-{k + 1:02}" for k in ranked]
    text = correlated(f"--top 4 --by ndcg {SYSTEMS}")
    assert "over the means of 4 runs that are best by ndcg\n" in text


def test_the_table():
    lines = correlated(f"-m map -m ndcg --trials 400 --seed 2 {SYSTEMS}").splitlines()
    assert lines[:4] == ["1  map", "2  ndcg", "", "pair  coefficient      value      low     high"]
    assert [line[6:19].strip() for line in lines[5:8]] == ["Pearson r", "Kendall tau-b", "tau-ap"]
    assert lines[9:] == [
        "over the means of 12 runs",
        "low to high: 95 % bootstrap interval over runs (400 trials, seed 2)",
    ]


def test_settings_of_one_measure():
    text = correlated(f"-m eprum_map -m eprum_map:targets=relevant -m prum_map:mode=exact {DEMO}")
    assert [line[3:] for line in text.splitlines()[:3]] == [
        "prum_map:mode=exact",
        "eprum_map",
        "eprum_map:targets=relevant",
    ]
    assert "nan" in text  # two runs: no interval


def test_csv():
    rows = list(csv.DictReader(io.StringIO(correlated(f"-f csv {SYSTEMS}"))))
    assert [row["coefficient"] for row in rows] == ["pearson", "tau_b", "tau_ap"] * 3
    found = json.loads(correlated(f"-f json {SYSTEMS}"))["pairs"]
    assert [float(row["value"]) for row in rows[3:6]] == [
        found[1][name]["value"] for name in ("pearson", "tau_b", "tau_ap")
    ]


def test_signature_names_every_choice():
    output = run(f"correlate --over values --top 3 --seed 5 --trials 100 --alpha .2 {SYSTEMS}")
    assert output.err.endswith(
        "|values|correlate|over:values|runs:3 best by map|topics:8|bootstrap:100 trials|seed:5|alpha:0.2\n"
    )


@pytest.mark.parametrize("command", [SYSTEMS, f"--over values --top 3 {SYSTEMS}", f"-m eprum -m prum {DEMO}"])
def test_it_fits_80_columns(command):
    assert max(map(len, correlated(command).splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (f"-m map {SYSTEMS}", 1, "prum-eval: a correlation needs two measures; there is only map"),
        (f"--top 3 --by mapp {SYSTEMS}", 2, "prum-eval: no measure mapp among those correlated; did you mean map?"),
        ("--values fixtures/compare/self.txt", 2, "prum-eval: there is only one run; it takes two to compare"),
    ],
)
def test_what_is_refused(command, status, message):
    output = run(f"correlate {command}")
    assert (output.status, output.out, output.err) == (status, "", f"{message}\n")


def test_by_without_top():
    output = run(f"correlate --by map {SYSTEMS}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith("Error: --by says which runs are best, and is for --top\n")
