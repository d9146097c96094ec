"""Settings that place the results of a topic alike share one ranking; values and counts are those of each alone."""

from pathlib import Path

import pytest

from prum_eval import evaluate
from prum_eval.evaluation.resolution import Resolver

DEMO = Path(__file__).parents[3] / "fixtures" / "demo"
SETTINGS = ["eprum_map", "map", "gen_recall", "u_measure", "char_rec_K", "bepd", "ng_o_map", "xcg"]
LOST = [("tides", "lost[1]"), ("harbours", "body[1]"), ("kites", "lost[1]"), ("tides", "lost[2]")]


def demo(measures, run="run-a.xml", **options):
    found = evaluate(DEMO / "assessments", DEMO / run, structure=DEMO / "structure.tsv", measures=measures, **options)
    (only,) = found.runs
    return only, found.warnings


def counted(monkeypatch):
    calls = []
    rank = Resolver.make_rankings
    monkeypatch.setattr(
        Resolver, "make_rankings", lambda self, parts: (calls.extend(rows for rows, _ in parts), rank(self, parts))[1]
    )
    return calls


def test_a_topic_is_ranked_once_for_all_users_of_its_targets(monkeypatch):
    calls = counted(monkeypatch)
    users = [f"gen_recall:user_model={model}" for model in ("none", "hierarchical", "siblings")]
    only, _ = demo([*users, "map"])
    assert len(calls) == len(only.topics)


@pytest.mark.parametrize("run", ["run-a.xml", "run-b.xml"])
@pytest.mark.parametrize("model", ["none", "hierarchical", "siblings"])
def test_values_are_those_of_each_measure_alone(run, model):
    together, _ = demo(SETTINGS, run, user_model=model)
    for measure in SETTINGS:
        alone, _ = demo([measure], run, user_model=model)
        for topic, values in alone.topics.items():
            assert {name: together.topics[topic][name] for name in values} == values


def test_what_is_not_found_is_counted_once(tmp_path):
    """Not once a setting, nor less where one looks up more."""
    lines = (f"101 Q0 {name} {rank} {9 - rank} r /article[1]/{path}\n" for rank, (name, path) in enumerate(LOST, 1))
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    options = {"structure": DEMO / "structure.tsv"}
    said = {}
    for measures in (["map"], ["map", "gen_recall", "xcg"], ["u_measure"], ["map", "u_measure"]):
        found = evaluate(DEMO / "assessments", tmp_path / "run", measures=measures, **options)
        said[tuple(measures)] = [str(each) for each in found.warnings if "structure" in str(each)]
    assert said["map",] == said["map", "gen_recall", "xcg"]
    assert said["u_measure",] == said["map", "u_measure"]
    assert said["map",] != said["u_measure",]
    assert "2 results" in said["map",][0]
    assert "3 results" in said["u_measure",][0]
