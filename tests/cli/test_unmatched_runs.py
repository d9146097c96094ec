"""Runs without a single result in a judged document: wrong names, which eval names first and comparisons refuse."""

from __future__ import annotations

import pytest

from prum_eval import DataError, check_gold, compare, correlate, evaluate, power, sweep
from tests.gold import run

SHARE = "0 of 4 results are in judged documents"
NAMES = "the run says 'corpus/b.txt', the assessments 'b'"
HINT = f"{NAMES}; without the folder 'corpus/' and the ending '.txt', 4 would match"


@pytest.fixture
def inputs(tmp_path):
    topics = ("1", "2")
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in topics), encoding="utf-8")
    for name, form in (("good", "{}"), ("fair", "{}"), ("bad", "corpus/{}.txt"), ("lost", "corpus/{}.txt")):
        documents = ("a", "b") if name == "good" else ("b", "a")
        lines = [
            f"{t} Q0 {form.format(document)} {rank} {9 - rank} {name}\n"
            for t in topics
            for rank, document in enumerate(documents, start=1)
        ]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    return tmp_path


def refusal(inputs, likewise=""):
    return f"prum-eval: {inputs}/bad: {SHARE}; {HINT}{likewise}; --accept-unmatched continues\n"


COMMANDS = {
    "compare": "compare {0}/qrels {0}/good {0}/bad -m map",
    "correlate": "correlate {0}/qrels {0}/good {0}/fair {0}/bad -m map -m P.1",
    "power": "power {0}/qrels {0}/good {0}/bad -m map --trials 10",
    "sweep": "sweep {0}/qrels {0}/good {0}/bad -m rbp --vary p=.5,.8",
    "sweep limit": "sweep {0}/qrels {0}/good {0}/bad -m map --vary limit=1,2",
    "gold": "gold write {0}/gold.json {0}/qrels {0}/good {0}/bad -m map",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_comparisons_refuse_the_run_and_name_the_nearest_match(inputs, name):
    command = COMMANDS[name].format(inputs)
    output = run(command)
    assert (output.status, output.out, output.err.splitlines()[-1] + "\n") == (1, "", refusal(inputs))
    accepted = run(f"{command} --accept-unmatched")
    assert accepted.status == 0, accepted.err
    assert f"warning: {inputs}/bad: {SHARE}; {HINT}\n" in accepted.err


def test_all_such_runs_are_named(inputs):
    output = run(f"compare {inputs}/qrels {inputs}/good {inputs}/bad {inputs}/lost -m map")
    assert output.err.splitlines()[-1] + "\n" == refusal(inputs, f"; likewise {inputs}/lost")


def test_only_judged_results_hide_no_wrong_names(inputs):
    output = run(f"compare -J {inputs}/qrels {inputs}/good {inputs}/bad -m map")
    assert (output.status, output.out, output.err.splitlines()[-1] + "\n") == (1, "", refusal(inputs))


def test_one_result_in_a_judged_document_is_enough(inputs):
    with (inputs / "bad").open("a", encoding="utf-8") as file:
        file.write("1 Q0 a 3 1 bad\n")
    assert run(COMMANDS["compare"].format(inputs)).status == 0


def test_gold_checks_refuse_a_run_that_lost_its_names(inputs):
    assert run(f"gold write {inputs}/gold.json {inputs}/qrels {inputs}/good -m map").status == 0
    (inputs / "bad").rename(inputs / "good")
    for command in ("check", "update"):
        output = run(f"gold {command} {inputs}/gold.json")
        assert (output.status, output.out) == (1, "")
        assert output.err == refusal(inputs).replace("/bad:", "/good:")
    assert "map" in run(f"gold check {inputs}/gold.json --accept-unmatched").out


def test_eval_prints_this_notice_first(inputs):
    (inputs / "good").write_text("3 Q0 a 1 1 good\n" + (inputs / "good").read_text(), encoding="utf-8")
    output = run(f"eval {inputs}/qrels {inputs}/good {inputs}/bad -m map -m prum_map -c --collection-size 9")
    assert output.status == 0
    first, second = output.err.splitlines()[:2]
    assert first == f"prum-eval: warning: {inputs}/bad: {SHARE}; {HINT}"
    assert "has no assessments" in second
    result = evaluate(inputs / "qrels", [inputs / "good", inputs / "bad"], measures="map")
    assert [notice.kind for notice in result.warnings][:2] == ["few judged", "unassessed topics"]


def test_the_same_from_python(inputs):
    qrels, runs = inputs / "qrels", [inputs / "good", inputs / "bad"]
    for call in (
        lambda **more: compare(qrels, runs, measures="map", **more),
        lambda **more: correlate(qrels, [*runs, inputs / "fair"], measures=["map", "P.1"], **more),
        lambda **more: power(qrels, runs, measures="map", trials=10, **more),
        lambda **more: sweep(qrels, runs, vary="p=.5,.8", measures="rbp", **more),
        lambda **more: compare(values=evaluate(qrels, runs, measures="map"), **more),
    ):
        with pytest.raises(DataError, match=r"0 of 4 results are in judged documents.*; --accept-unmatched continues"):
            call()
        call(accept_unmatched=True)
    run(f"gold write {inputs}/gold.json {qrels} {inputs}/good {inputs}/bad -m map --accept-unmatched")
    assert check_gold(f"{inputs}/gold.json", accept_unmatched=True).passed
