"""`compare`: its formats, what it takes, what it refuses, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from prum_eval.cli.commands.compare import command
from prum_eval.report.text.comparison import probability, run_labels
from tests.gold import run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
DARWIN = "--values fixtures/compare/self.txt fixtures/compare/cross.txt"
SYSTEMS = "--trials 2000 --values fixtures/compare/systems.csv"


def compared(command):
    output = run(f"compare {command}")
    assert output.status == 0, output.err
    return output.out


def test_darwin_as_fisher_has_it():
    found = json.loads(compared(f"-f json {DARWIN}"))
    one = found["rows"][1]["difference"]
    assert one["randomisation"] == {"p": 1726 / 32768, "holm": 1726 / 32768}
    assert one["exact"]
    assert one["mean"] == pytest.approx(314 / 8 / 15)
    assert (one["wins"], one["ties"], one["losses"]) == (13, 0, 2)
    assert one["cohen_d"] * math.sqrt(15) == pytest.approx(2.148, abs=5e-4)  # his t


def test_the_table():
    lines = compared(DARWIN).splitlines()
    assert lines[0].split() == ["run", "mean", "diff", "low", "high", "p", "Holm", "d", "+/=/-"]
    assert lines[3] == "height (15 topics)"
    assert lines[4].split() == ["self", "17.5750"]
    name, mean, diff, low, high, p, holm, d, counts = lines[5].split()
    assert (name, mean, diff, p, holm, d, counts) == (
        "cross",
        "20.1917",
        "2.6167",
        "0.0527",
        "0.0527",
        "0.55",
        "13/0/2",
    )
    assert float(low) < 2.6167 < float(high)
    assert "p      paired randomisation test, two-sided (exact)" in lines
    assert "Holm   p corrected for 1 comparison; * below 0.05" in lines


def test_means_are_those_of_eval():
    evaluated = json.loads(run(f"eval -f json -m map -m eprum_map -m P.5 {DEMO}").out)["runs"]
    found = json.loads(compared(f"-f json -m map -m eprum_map -m P.5 {DEMO}"))["rows"]
    assert {(row["run_id"], row["measure"]): row["mean"] for row in found} == pytest.approx(
        {(one["run_id"], name): value for one in evaluated for name, value in one["all"].items()}
    )


def test_unasked_single_numbers_are_compared_and_no_counts():
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv {DEMO}"))))
    assert list(dict.fromkeys(row["measure"] for row in rows)) == ["map", "Rprec", "prum_map", "eprum_map"]
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv -m num_ret -m counts -m gen_recall.5 {DEMO}"))))
    assert "num_ret" in {row["measure"] for row in rows}
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv -m official {DEMO}"))))
    assert "gen_recall_5" in {row["measure"] for row in rows}
    assert "num_ret" not in {row["measure"] for row in rows}


@pytest.mark.parametrize("style", ["trec", "csv", "json"])
def test_values_written_by_eval_compare_like_the_runs(tmp_path, style):
    file = tmp_path / "values"
    assert run(f"eval -q --digits 17 -f {style} -m map -m eprum_map -o {file} {DEMO}").status == 0
    direct = json.loads(compared(f"-f json --trials 500 -m map -m eprum_map {DEMO}"))
    read = json.loads(compared(f"-f json --trials 500 --values {file}"))
    assert read["topics"] == direct["topics"]
    for one, other in zip(read["rows"], direct["rows"], strict=True):
        assert one["mean"] == pytest.approx(other["mean"], abs=1e-12)
        if one["difference"]:
            assert one["difference"]["low"] == pytest.approx(other["difference"]["low"], abs=1e-12)
            assert one["difference"]["randomisation"] == other["difference"]["randomisation"]


def test_csv_and_json_hold_the_same():
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv {SYSTEMS}"))))
    found = json.loads(compared(f"-f json {SYSTEMS}"))["rows"]
    assert len(rows) == len(found) == 3 * 12
    for row, one in zip(rows, found, strict=True):
        assert (row["measure"], row["run"], float(row["mean"])) == (one["measure"], one["run_id"], one["mean"])
        difference = one["difference"]
        if difference is None:
            assert (row["difference"], row["p_bootstrap"], row["exact"]) == ("", "", "")
            continue
        assert float(row["difference"]) == difference["mean"]
        assert float(row["p_bootstrap"]) == difference["bootstrap"]["p"]
        assert float(row["holm_randomisation"]) == difference["randomisation"]["holm"]
        assert row["exact"] == "true"


def test_trec():
    lines = [line.split("\t") for line in compared(f"-f trec {DARWIN}").splitlines()]
    assert [name.strip() for name, _, _ in lines] == [
        *("runid", "height", "runid", "height", "height/difference", "height/low", "height/high"),
        *("height/p_randomisation", "height/holm_randomisation", "height/p_bootstrap", "height/holm_bootstrap"),
        *("height/cohen_d", "height/wins", "height/ties", "height/losses"),
    ]
    assert {topic for _, topic, _ in lines} == {"all"}
    assert {name.strip(): value for name, _, value in lines}["height/p_randomisation"] == "0.0527"


@pytest.mark.parametrize(("style", "start"), [("markdown", "| measure"), ("latex", "\\begin{tabular}")])
def test_tables_for_documents(style, start):
    text = compared(f"-f {style} {DARWIN}")
    assert text.startswith(start)
    assert "0.0527" in text


def test_significance_is_marked_after_correction(tmp_path):
    lines = [f"m {t} {t / 100}" for t in range(9)]
    (tmp_path / "a").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "b").write_text("\n".join(f"m {t} {0.5 + t / 50}" for t in range(9)) + "\n", encoding="utf-8")
    marked = [line for line in compared(f"--values {tmp_path}/a {tmp_path}/b").splitlines() if line.startswith("b ")]
    assert "0.0039*" in marked[0]  # 2 of 2^9 arrangements
    marked = [
        line for line in compared(f"--alpha .003 --values {tmp_path}/a {tmp_path}/b").splitlines() if line[:2] == "b "
    ]
    assert "*" not in marked[0]


def test_bootstrap_in_the_table():
    text = compared(f"--test bootstrap --trials 700 --seed 3 {DARWIN}")
    assert "p      paired bootstrap test, two-sided (700 trials, seed 3)" in text
    found = json.loads(compared(f"-f json --trials 700 --seed 3 {DARWIN}"))["rows"][1]["difference"]
    assert f" {found['bootstrap']['p']:.4f} " in text


def test_alpha_widens_the_interval():
    wide, narrow = (json.loads(compared(f"-f json --alpha {a} {DARWIN}"))["rows"][1]["difference"] for a in (0.01, 0.2))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert "80 % bootstrap interval" in compared(f"--alpha 0.2 {DARWIN}")


def test_signature_names_every_choice():
    output = run(f"compare --seed 7 --trials 300 --alpha .1 {DARWIN}")
    assert output.err.endswith(
        "|values|compare|topics:15|randomisation:exact|bootstrap:300 trials|seed:7|alpha:0.1|holm:1\n"
    )
    assert output.out == compared(f"--seed 7 --trials 300 --alpha .1 {DARWIN}")


def test_few_topics_are_warned_of():
    output = run(f"compare -m map {DEMO}")
    assert "prum-eval: warning: with 3 topics no p-value of the randomisation test is below 0.25\n" in output.err


def test_missing_topics_are_warned_of(tmp_path):
    (tmp_path / "a").write_text("m 1 1\nm 2 1\nm 3 .5\n", encoding="utf-8")
    (tmp_path / "b").write_text("m 1 1\nm 2 nan\n", encoding="utf-8")
    output = run(f"compare -f json --values {tmp_path}/a {tmp_path}/b")
    assert output.err.splitlines()[:2] == [
        f"prum-eval: warning: {tmp_path}/a: 1 of 3 topics left out, because not every run has them",
        "prum-eval: warning: topics left out, because not every run has a value: 1 (m)",
    ]
    found = json.loads(output.out)
    assert [row["topics"] for row in found["rows"]] == [1, 1]


@pytest.mark.parametrize("command", [DARWIN, SYSTEMS, DEMO, f"--digits 3 {SYSTEMS}"])
def test_it_fits_80_columns(command):
    assert max(map(len, compared(command).splitlines())) <= 80


def test_long_names_and_equal_names_are_numbered(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"runid all {'x' * 50}{name}\n" + "m 1 .5\nm 2 .25\n", encoding="utf-8")
    lines = compared(f"--values {tmp_path}/a {tmp_path}/b").splitlines()
    assert lines[:2] == [f"1  {'x' * 50}a", f"2  {'x' * 50}b"]
    assert any(line.startswith("2    0.3750  0.0000") for line in lines)
    assert run_labels(["r", "r"], 9) == ["1", "2"]
    assert run_labels(["r", "s"], 9) == ["r", "s"]


def test_every_format_is_offered():
    (option,) = (one for one in command.params if one.name == "style")
    assert list(option.type.choices) == ["table", "trec", "json", "csv", "latex", "markdown"]


def test_small_p_values_are_not_0():
    assert probability(4e-5, 4) == "<0.0001"
    assert probability(6e-5, 4) == "0.0001"
    assert probability(None, 4) == "nan"
    assert probability(0.04, 0) == "0"


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("", 2, "prum-eval: no assessments: give them, or a configuration file that names some"),
        ("fixtures/toy/qrels", 2, "prum-eval: no runs: give them, or a configuration file that names some"),
        ("fixtures/toy/qrels fixtures/toy/run", 2, "prum-eval: there is only one run; it takes two to compare"),
        ("--values", 2, "prum-eval: no files of values"),
        ("--values fixtures/compare/self.txt", 2, "prum-eval: there is only one run; it takes two to compare"),
        (f"-c {DARWIN}", 2, "prum-eval: -c is for evaluating runs, and --values are evaluated"),
        (f"-u none {DARWIN}", 2, "prum-eval: --user-model is for evaluating runs, and --values are evaluated"),
        (f"-m heigth {DARWIN}", 2, "prum-eval: heigth is in no run; did you mean height?"),
        (f"-m mapp {DEMO}", 2, "prum-eval: no measure mapp; did you mean map?"),
        ("--values none none", 1, "none: cannot be read: No such file or directory"),
        (
            "--values fixtures/toy/run fixtures/toy/run",
            1,
            "fixtures/toy/run:1: expected 3 columns (measure, topic, value), found 6",
        ),
        (
            "--values fixtures/compare/self.txt fixtures/compare/systems.csv",
            1,
            "prum-eval: no measure is common to all runs",
        ),
    ],
)
def test_what_is_refused(command, status, message):
    output = run(f"compare {command}")
    assert (output.status, output.out, output.err) == (status, "", f"{message}\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"--tset bootstrap {DARWIN}", "No such option '--tset'"),
        (f"--alpha 1 {DARWIN}", "1.0 is not in the range 0<x<1"),
        (f"--trials 0 {DARWIN}", "0 is not in the range x>=1"),
        ("--values - -", "- (standard input) can be one input only"),
    ],
)
def test_bad_usage(command, message):
    output = run(f"compare {command}")
    assert (output.status, output.out) == (2, "")
    assert message in output.err
