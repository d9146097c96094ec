"""`compare --fail-if-worse` and `gold check --significant`: status 1 only for what is worse by more than chance."""

from __future__ import annotations

import json

import pytest

import prum_eval
from tests.gold import run

TOPICS = 12


def write_values(path, shift, *, noise=0.0, measure="map"):
    """A file of values by topic; `noise` alternates its sign."""
    rows = [f"{measure} {t} {0.3 + t / 50 + shift + noise * (-1) ** t}\n" for t in range(TOPICS)]
    path.write_text("".join(rows), encoding="utf-8")


@pytest.fixture
def base(tmp_path):
    write_values(tmp_path / "base", 0)
    return tmp_path


@pytest.mark.parametrize(
    ("shift", "noise", "status"),
    [(-0.1, 0.05, 1), (0.1, 0.05, 0), (-0.01, 0.2, 0), (0, 0, 0)],
    ids=["worse", "better", "worse by chance", "identical"],
)
def test_only_what_is_significantly_worse_fails(base, shift, noise, status):
    write_values(base / "new", shift, noise=noise)
    files = f"--values {base}/base {base}/new"
    output = run(f"compare --fail-if-worse {files}")
    assert output.status == status
    assert output.out == run(f"compare {files}").out  # the table is the same
    lines = [line for line in output.err.splitlines() if "significantly worse" in line]
    assert lines == [
        "prum-eval: by map, new is significantly worse than base: difference -0.1, corrected p 0.0004883"
    ] * (status == 1)
    assert run(f"compare {files}").status == 0


def test_the_baseline_and_the_test_decide(base):
    write_values(base / "new", -0.1)  # by the same amount everywhere
    files = f"--values {base}/base {base}/new"
    assert run(f"compare --fail-if-worse {files}").status == 1
    assert run(f"compare --fail-if-worse --baseline new {files}").status == 0
    assert run(f"compare --fail-if-worse --test t {files}").status == 0  # not testable
    assert run(f"compare --fail-if-worse --alpha 1e-9 {files}").status == 0


def test_costs_fail_nothing_unless_there_is_nothing_else(base):
    for name, size in (("base", 500.0), ("new", 900.0)):
        lines = [f"size_5 {t} {size + t}\nchar_rec_5 {t} {t / 20}\n" for t in range(TOPICS)]
        (base / name).write_text("".join(lines), encoding="utf-8")
    files = f"--values {base}/base {base}/new"
    assert run(f"compare --fail-if-worse {files}").status == 0
    output = run(f"compare --fail-if-worse -m size_5 {files}")
    assert output.status == 1
    assert "by size_5, new is significantly worse than base: difference 400" in output.err


@pytest.mark.parametrize("pairs", ["best", "all"])
def test_only_a_baseline_can_be_worse_than(base, pairs):
    output = run(f"compare --fail-if-worse --pairs {pairs} --values {base}/base {base}/base")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith(f"--fail-if-worse compares with the baseline, not with --pairs {pairs}\n")


def ranked(path, ranks):
    """A run that has the only relevant document of each topic at these ranks."""
    rows = []
    for topic, rank in enumerate(ranks):
        names = [f"x{place}" for place in range(1, rank)] + ["d"]
        rows += [f"{topic} Q0 {name} {place} {-place} r\n" for place, name in enumerate(names, 1)]
    path.write_text("".join(rows), encoding="utf-8")


@pytest.fixture
def gold(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d 1\n" for t in range(TOPICS)), encoding="utf-8")
    ranked(tmp_path / "run", [3] * TOPICS)
    assert run(f"gold write {tmp_path}/gold.json -m map {tmp_path}/qrels {tmp_path}/run").status == 0
    return tmp_path


@pytest.mark.parametrize(
    ("ranks", "status"),
    [([5] * TOPICS, 1), ([1] * TOPICS, 0), ([4, *[3] * (TOPICS - 1)], 0), ([3] * TOPICS, 0)],
    ids=["worse", "better", "worse by chance", "as before"],
)
def test_a_gold_file_fails_only_where_a_run_is_significantly_worse(gold, ranks, status):
    ranked(gold / "run", ranks)
    output = run(f"gold check --significant {gold}/gold.json")
    assert output.status == status
    assert (output.out == "") is (status == 0)
    if ranks != [3] * TOPICS:
        assert run(f"gold check {gold}/gold.json").status == 1
    assert prum_eval.check_gold(f"{gold}/gold.json", significant=True).passed is (status == 0)


def test_the_p_value_is_corrected_for_the_runs_of_the_file(gold):
    ranked(gold / "other", [3] * TOPICS)
    assert run(f"gold write {gold}/two.json -m map {gold}/qrels {gold}/run {gold}/other").status == 0
    ranked(gold / "run", [5] * 6 + [3] * (TOPICS - 6))  # p = 2 / 2^6
    assert run(f"gold check --significant {gold}/gold.json").status == 1
    assert run(f"gold check --significant {gold}/two.json").status == 0


def test_what_is_gone_and_bounds_still_fail(gold):
    ranked(gold / "run", [3] * (TOPICS - 1))
    assert run(f"gold check --significant {gold}/gold.json").status == 1
    ranked(gold / "run", [3] * TOPICS)
    data = json.loads((gold / "gold.json").read_text(encoding="utf-8"))
    data["thresholds"] = ["map >= 0.5"]
    (gold / "gold.json").write_text(json.dumps(data), encoding="utf-8")
    output = run(f"gold check --significant {gold}/gold.json")
    assert (output.status, "map >= 0.5" in output.out) == (1, True)
