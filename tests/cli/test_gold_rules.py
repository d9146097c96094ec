"""gold: what fails a check, thresholds of averages, and gold update."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

import prum_eval
from tests.gold import run


@pytest.fixture
def inputs(tmp_path):
    """Two topics; the run has their only relevant document first and second: map 1 and .5, num_ret 1 and 2."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 9 r\n2 Q0 b 1 9 r\n2 Q0 a 2 8 r\n", encoding="utf-8")
    return f"{tmp_path}/qrels {tmp_path}/run"


@pytest.fixture
def gold(tmp_path, inputs):
    path = tmp_path / "gold.json"
    output = run(f"gold write {path} -m map -m num_ret {inputs}")
    assert output.err.endswith(f"prum-eval: {path}: written: 1 run, 2 topics, 2 measures\n")
    return path


def put(path, topic, measure, value):
    data = json.loads(path.read_text(encoding="utf-8"))
    values = data["runs"][0]["all"] if topic == "all" else data["runs"][0]["topics"][topic]
    values.pop(measure) if value is ... else values.update({measure: value})
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def test_what_rose_fails_nothing_if_only_worse_values_do(gold):
    put(gold, "1", "map", 0.25)
    put(gold, "all", "map", 0.5)
    assert run(f"gold check {gold}").status == 1
    passed = f"prum-eval: {gold}: 1 run, 6 values, 2 moved (2 rose), none worse\n"
    assert run(f"gold check --only-worse {gold}") == (0, "", passed)


def test_what_fell_fails_and_only_that_is_listed(gold):
    put(gold, "1", "map", 0.25)
    put(gold, "2", "map", 0.75)
    output = run(f"gold check --only-worse {gold}")
    assert output.status == 1
    assert output.out.splitlines() == [
        f"{gold}: 1 run, 6 values, 2 moved (1 rose, 1 fell), 1 worse",
        "",
        f"r ({gold.parent}/run): 1 of 6 values worse",
        "measure    topic            gold           now    difference",
        "---------  -------  ------------  ------------  ------------",
        "map        2        0.7500000000  0.5000000000         -0.25",
    ]


def test_a_value_that_is_gone_is_worse_and_one_that_is_new_is_not(gold):
    put(gold, "1", "map", ...)
    assert run(f"gold check --only-worse {gold}").err.endswith("1 moved (1 new), none worse\n")
    put(gold, "1", "recip_rank", 1.0)
    put(gold, "all", "recip_rank", 1.0)
    output = run(f"gold check --only-worse {gold}")
    assert output.status == 1
    assert output.out.splitlines()[0].endswith("8 values, 3 moved (2 gone, 1 new), 2 worse")


def test_a_count_has_no_better_direction(gold):
    put(gold, "1", "num_ret", 5)
    assert run(f"gold check {gold}").status == 1
    assert run(f"gold check --only-worse {gold}").status == 0


def test_costs_get_worse_when_they_rise(tmp_path):
    line = '{"topic": "1", "doc": "a", "start": 0, "end": %d%s}\n'
    (tmp_path / "qrels.jsonl").write_text(line % (10, ""), encoding="utf-8")
    (tmp_path / "run.jsonl").write_text(line % (30, ', "score": 1'), encoding="utf-8")
    gold = tmp_path / "gold.json"
    assert run(f"gold write {gold} -m size_5 {tmp_path}/qrels.jsonl {tmp_path}/run.jsonl").status == 0
    for value, status in ((20, 1), (40, 0)):
        put(gold, "all", "size_5", value)
        put(gold, "1", "size_5", value)
        assert run(f"gold check --only-worse {gold}").status == status


def test_means_alone_or_topics_more_loosely(gold):
    put(gold, "1", "map", 0.9)
    assert run(f"gold check {gold}").status == 1
    assert run(f"gold check --means {gold}") == (0, "", f"prum-eval: {gold}: 1 run, 2 values, none moved\n")
    assert run(f"gold check --topics-within .11 {gold}").status == 0
    assert run(f"gold check --topics-within .09 {gold}").status == 1
    put(gold, "all", "map", 0.8)
    assert run(f"gold check --means {gold}").status == 1
    assert run(f"gold check --topics-within .11 {gold}").status == 1
    assert run(f"gold check --topics-within .11 --absolute .06 {gold}").status == 0


def test_means_have_no_topics(gold):
    reason = "prum-eval: --means compares averages only, so --topics-within has no effect\n"
    assert run(f"gold check --means --topics-within .1 {gold}") == (2, "", reason)


def test_thresholds_are_kept_in_the_file_and_checked(tmp_path, inputs):
    gold = tmp_path / "gold.json"
    run(f"gold write {gold} -m map --threshold map>=0.30 --threshold map<0.9 {inputs}")
    data = json.loads(gold.read_text(encoding="utf-8"))
    assert data["thresholds"] == ["map>=0.30", "map<0.9"]
    assert run(f"gold check {gold}") == (0, "", f"prum-eval: {gold}: 1 run, 3 values, none moved, 2 thresholds met\n")
    data["thresholds"] = ["map >= 0.8", "map < .9"]
    gold.write_text(json.dumps(data), encoding="utf-8")
    output = run(f"gold check {gold} --junit {tmp_path}/junit.xml")
    assert output.status == 1
    assert output.out.splitlines() == [
        f"{gold}: 1 run, 3 values, none moved, 1 of 2 thresholds not met",
        "",
        "run    not met              now",
        "-----  ----------  ------------",
        "r      map >= 0.8  0.7500000000",
    ]
    cases = list(ET.parse(tmp_path / "junit.xml").getroot().iter("testcase"))  # noqa: S314 - our own file
    assert [(case.get("name"), len(case)) for case in cases] == [("map", 0), ("map >= 0.8", 1), ("map < .9", 0)]
    assert cases[1][0].get("message") == "not met: 0.7500000000"


def test_an_average_that_is_the_threshold_meets_it_unless_the_sign_is_strict(tmp_path, inputs):
    gold = tmp_path / "gold.json"
    run(f"gold write {gold} -m map --threshold map>=.75 --threshold map<=.75 {inputs}")
    assert run(f"gold check {gold}") == (0, "", f"prum-eval: {gold}: 1 run, 3 values, none moved, 2 thresholds met\n")
    run(f"gold write {gold} -m map --threshold map>.75 --threshold map<.75 {inputs}")
    output = run(f"gold check {gold}")
    assert output.status == 1
    assert output.out.startswith(f"{gold}: 1 run, 3 values, none moved, 2 of 2 thresholds not met\n")


def test_a_threshold_that_is_not_met_when_it_is_written_is_named(tmp_path, inputs):
    gold = tmp_path / "gold.json"
    output = run(f"gold write {gold} -m map --threshold map>.75 {inputs}")
    assert output.status == 0
    assert output.err.splitlines()[-2:] == [
        f"prum-eval: warning: r ({tmp_path}/run): map>.75 is not met: 0.7500000000",
        f"prum-eval: {gold}: written: 1 run, 2 topics, 1 measure, 1 threshold",
    ]


@pytest.mark.parametrize("threshold", ["map", "map=3", "map>=x", ">=3", "map>=1e", "map>=1>=2"])
def test_thresholds_that_are_none(tmp_path, inputs, gold, threshold):
    expected = f"expected MEASURE >= NUMBER (or <=, >, <), found {threshold!r}"
    output = run(f"gold write {tmp_path}/new -m map --threshold {threshold} {inputs}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith(f"Error: Invalid value for '--threshold': {expected}\n")
    data = json.loads(gold.read_text(encoding="utf-8"))
    gold.write_text(json.dumps(data | {"thresholds": ["map > 0", threshold]}), encoding="utf-8")
    assert run(f"gold check {gold}") == (1, "", f"{gold}: thresholds[1]: {expected}\n")


def test_a_threshold_of_a_measure_that_nobody_prints(tmp_path, inputs):
    reason = "threshold ndcg>0: no such measure is printed; there is map\n"
    output = run(f"gold write {tmp_path}/gold -m map --threshold ndcg>0 {inputs}")
    assert (output.status, output.out) == (1, "")
    assert output.err == f"prum-eval: {tmp_path}/gold: {reason}"
    assert not (tmp_path / "gold").exists()


def test_update_shows_what_moved_and_writes_it(gold, tmp_path):
    kept = gold.read_text(encoding="utf-8")
    with (tmp_path / "run").open("a", encoding="utf-8") as file:
        file.write("1 Q0 c 2 8 r\n")
    put(gold, "2", "map", 0.25)
    output = run(f"gold update {gold}")
    assert output.status == 0
    assert output.out.splitlines()[0] == f"{gold}: 1 run, 6 values, 3 moved (3 rose)"
    assert [line.split()[:2] for line in output.out.splitlines()[-3:]] == [
        ["num_ret", "all"],
        ["num_ret", "1"],
        ["map", "2"],
    ]
    assert output.err == (
        f"prum-eval: {gold}: 1 run, 6 values, 3 moved (3 rose); input changed: {tmp_path}/run; "
        "written: 1 run, 2 topics, 2 measures\n"
    )
    assert run(f"gold check --exact {gold}").status == 0
    before, after = json.loads(kept), json.loads(gold.read_text(encoding="utf-8"))
    assert before["arguments"] == after["arguments"]
    assert before["inputs"] != after["inputs"]


def test_update_leaves_a_file_alone_in_which_nothing_would_change(gold):
    kept, when = gold.read_bytes(), gold.stat().st_mtime_ns
    said = f"prum-eval: {gold}: 1 run, 6 values, none moved; left as it is\n"
    assert run(f"gold update {gold}") == (0, "", said)
    assert (gold.read_bytes(), gold.stat().st_mtime_ns) == (kept, when)


def test_update_keeps_thresholds_and_replaces_those_of_the_same_measure(gold):
    assert run(f"gold update {gold} --threshold map>=.3 --threshold map<=1").err.endswith("2 measures, 2 thresholds\n")
    assert run(f"gold update {gold} --threshold map>=.8").err == (
        f"prum-eval: warning: r ({gold.parent}/run): map>=.8 is not met: 0.7500000000\n"
        f"prum-eval: {gold}: 1 run, 6 values, none moved, 1 of 2 thresholds not met; "
        "written: 1 run, 2 topics, 2 measures, 2 thresholds\n"
    )
    assert json.loads(gold.read_text(encoding="utf-8"))["thresholds"] == ["map>=.8", "map<=1"]


def test_update_with_a_directory_keeps_paths_as_they_were_given(tmp_path, inputs):
    gold = tmp_path / "gold.json"
    run(f"gold write {gold} -m map {inputs}")
    data = json.loads(gold.read_text(encoding="utf-8"))
    data["arguments"] |= {"assessments": "qrels", "runs": ["run"]}
    data["inputs"] = {name.removeprefix(f"{tmp_path}/"): value for name, value in data["inputs"].items()}
    data["runs"][0]["path"] = "run"
    gold.write_text(json.dumps(data), encoding="utf-8")
    assert run(f"gold update {gold} --directory {tmp_path}").err.endswith("left as it is\n")
    put(gold, "1", "map", 0.5)
    assert run(f"gold update {gold} --directory {tmp_path}").status == 0
    after = json.loads(gold.read_text(encoding="utf-8"))
    assert (after["inputs"], after["runs"][0]["path"]) == (data["inputs"], "run")


def test_from_python(gold):
    check = prum_eval.check_gold(str(gold))
    assert check.passed
    assert repr(check) == "<GoldCheck: 6 values, 0 moved>"
    put(gold, "1", "map", 0.25)
    check = prum_eval.check_gold(str(gold))
    assert not check.passed
    assert prum_eval.check_gold(str(gold), only_worse=True).passed
    assert list(check.rows()) == [
        {
            "run": "r", "measure": "map", "topic": "1", "gold": 0.25, "now": 1.0, "difference": 0.75,
            "change": "rose", "fails": True,
        }
    ]  # fmt: skip
    assert "0.25" in check._repr_html_()
