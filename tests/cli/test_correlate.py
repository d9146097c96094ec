"""`correlate`: its formats, what it takes, what it refuses, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats

from prum_eval import correlate
from prum_eval.analysis.correlation import COEFFICIENTS
from prum_eval.errors import UsageError
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
        for name in COEFFICIENTS:
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
    names = ["Pearson r", "Kendall tau-b", "tau-ap", "tau-ap 1|2", "tau-ap 2|1"]
    assert [line[6:19].strip() for line in lines[5:10]] == names
    assert lines[11:] == [
        "over the means of 12 runs",
        "tau-ap: mean of both directions; 1|2: of the order by 1, by 2 being the truth",
        "low to high: 95 % bootstrap interval over runs (400 trials, seed 2)",
    ]


def test_settings_of_one_measure():
    text = correlated(f"-m eprum_map -m eprum_map:targets=relevant -m prum_map:mode=exact {DEMO}")
    assert [line[3:] for line in text.splitlines()[:3]] == [
        "eprum_map",
        "eprum_map:targets=relevant",
        "prum_map:mode=exact",
    ]
    assert "nan" in text  # two runs: no interval


def test_csv():
    rows = list(csv.DictReader(io.StringIO(correlated(f"-f csv {SYSTEMS}"))))
    assert [row["coefficient"] for row in rows] == [*COEFFICIENTS] * 3
    found = json.loads(correlated(f"-f json {SYSTEMS}"))["pairs"]
    assert [float(row["value"]) for row in rows[5:10]] == [found[1][name]["value"] for name in COEFFICIENTS]
    split = list(csv.DictReader(io.StringIO(correlated(f"-f csv --split 5 {SYSTEMS}"))))
    assert [row["part"] for row in split] == ["all"] * 15 + ["best"] * 15 + ["other"] * 15


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
        ("--values fixtures/compare/self.txt", 2, "prum-eval: only one run; a comparison needs two"),
    ],
)
def test_what_is_refused(command, status, message):
    output = run(f"correlate {command}")
    assert (output.status, output.out, output.err) == (status, "", f"{message}\n")


def test_by_without_top():
    output = run(f"correlate --by map {SYSTEMS}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith("Error: --by needs --top or --split\n")


@pytest.mark.slow
def test_a_split():
    lines = correlated(f"-m map -m ndcg --split 4 --resample topics {SYSTEMS}").splitlines()
    assert lines[11] == "the 4 best runs by map"
    assert lines[18] == "the 8 other runs by map"
    assert lines[-1] == "low to high: 95 % bootstrap interval over topics (1000 trials, seed 1)"
    found = json.loads(correlated(f"-f json -m map -m ndcg --split 4 {SYSTEMS}"))
    assert [(part["part"], part["points"], len(part["pairs"])) for part in found["parts"]] == [
        ("best", 4, 1),
        ("other", 8, 1),
    ]
    assert (
        "|split:4 best by map|bootstrap over topics:1000 trials|"
        in run(f"correlate -m map -m ndcg --split 4 --resample topics {SYSTEMS}").err
    )


@pytest.fixture
def labelled(tmp_path):
    """The same systems as two judges see them: by the one map is higher for a, by the other for b."""
    for name, values in (("one", (0.5, 0.2, 0.1)), ("two", (0.3, 0.2, 0.4))):
        rows = [f"{system},{topic},map,{value + topic / 100}" for system, value in zip("abc", values, strict=True)
                for topic in (1, 2)]  # fmt: skip
        (tmp_path / name).write_text("\n".join(["run,topic,measure,value", *rows]) + "\n", encoding="utf-8")
    return tmp_path


def test_values_of_the_same_runs_under_labels(labelled):
    found = json.loads(correlated(f"-f json -m map --join A={labelled}/one --join B={labelled}/two"))
    assert found["measures"] == ["map:A", "map:B"]
    assert [point["values"] for point in found["points"]] == [[0.515, 0.315], [0.215, 0.215], [0.115, 0.415]]
    (pair,) = found["pairs"]
    assert pair["tau_b"]["value"] == pytest.approx(-1 / 3)  # by hand: one pair of three in one order


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("--join A={0}/one", 2, "prum-eval: join needs two labels or more"),
        ("--join A={0}/one --join B={0}/two {0}/one", 2, "Error: --join replaces ASSESSMENTS and RUNs"),
        ("--join {0}/one --join B={0}/two", 2, "Error: --join {0}/one: expected LABEL=FILE"),
        ("--join A={0}/one --join A={0}/two", 2, "Error: --join: the label A is given twice"),
        ("--join A={0}/one --join B={0}/other", 1, "prum-eval: B: not the runs of the labels before: b, c"),
        (
            "--join A={0}/one --join B={0}/twice",
            2,
            "prum-eval: B: two runs are called a, so that none can be joined by its name",
        ),
        ("--join A={0}/one --join B={0}/two -c", 2, "prum-eval: -c is for evaluating runs, and values are evaluated"),
        ("--join A={0}/one --join B={0}/none", 1, "{0}/none: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_joined(labelled, command, status, message):
    (labelled / "other").write_text("run,topic,measure,value\na,1,map,0.5\n", encoding="utf-8")
    (labelled / "twice").write_text(json.dumps({"runs": [
        {"run_id": "a", "path": str(k), "topics": {"1": {"map": 0.5}}, "all": {}} for k in range(2)
    ]}), encoding="utf-8")  # fmt: skip
    output = run(f"correlate {command.format(labelled)}")
    assert (output.status, output.out) == (status, "")
    assert output.err.splitlines()[-1] == message.format(labelled)


def test_values_under_labels_in_python(labelled):
    given = {"A": labelled / "one", "B": str(labelled / "two")}
    # tau-ap by hand: of the order by A (1 + 0) - 1, of the order by B (0 + 1/2) - 1
    assert str(correlate(join=given)) == (
        "2 measures over 3 runs\nfirst  second  pearson    tau_b   tau_ap\nmap:A  map:B   -0.2402  -0.3333  -0.2500"
    )
    with pytest.raises(UsageError, match=r"^join replaces assessments, runs and values$"):
        correlate(values=labelled / "one", join=given)
