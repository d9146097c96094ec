"""The Python interface: what `evaluate` takes and gives back, absent lists, repeated calls, the order of topics."""

from __future__ import annotations

import dataclasses
import json

import pytest

import prum_eval
from bench.gen_inex import generate
from prum_eval import evaluate, read_assessments, read_navigation, read_run, read_structure
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
RUNS = [DEMO / "run-a.xml", DEMO / "run-b.xml"]
OPTIONS = {"structure": DEMO / "structure.tsv", "user_model": "hierarchical"}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    generate(folder, "small")
    return folder


def test_to_dict_is_what_the_json_output_holds():
    result = evaluate(DEMO / "assessments", RUNS, **OPTIONS)
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert list(plain) == ["schema", "version", "signature", "parameters", "runs"]
    assert plain["version"] == prum_eval.__version__
    assert plain["signature"] == result.signature
    assert [one["run_id"] for one in plain["runs"]] == ["bm25-sections", "article-only"]
    assert plain["runs"][0] == result.runs[0].to_dict()
    assert plain["runs"][0]["all"] == dict(result.runs[0].all)


def test_rows_are_one_a_value():
    result = evaluate(DEMO / "assessments", RUNS, measures=["map", "num_q"], **OPTIONS)
    rows = list(result.rows())
    assert [(row["run"], row["topic"], row["measure"]) for row in rows] == [
        (run, topic, name)
        for run in ("bm25-sections", "article-only")
        for topic, names in (("101", ["map"]), ("102", ["map"]), ("103", ["map"]), ("all", ["num_q", "map"]))
        for name in names
    ]
    assert rows[0] == {
        "run": "bm25-sections",
        "path": str(RUNS[0]),
        "topic": "101",
        "measure": "map",
        "value": result.runs[0].topics["101"]["map"],
    }


def test_counts_are_whole_numbers_and_means_are_floats():
    values = evaluate(DEMO / "assessments", RUNS[0], **OPTIONS).runs[0].all
    assert {name for name, value in values.items() if isinstance(value, int)} == {
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_targets", "num_targets_ret")
    }
    assert all(isinstance(value, int | float) for value in values.values())


def test_records_in_place_of_paths():
    by_path = evaluate(DEMO / "assessments", RUNS, **OPTIONS)
    by_record = evaluate(
        read_assessments(str(DEMO / "assessments")),
        [read_run(str(path)) for path in RUNS],
        structure=read_structure(str(DEMO / "structure.tsv")),
        user_model="hierarchical",
    )
    assert by_record == by_path


def test_one_run_needs_no_list():
    assert evaluate(DEMO / "assessments", RUNS[0], **OPTIONS) == evaluate(DEMO / "assessments", [RUNS[0]], **OPTIONS)
    assert evaluate(DEMO / "assessments", str(RUNS[0]), **OPTIONS).runs[0].run_id == "bm25-sections"


def test_assessments_may_be_several_files():
    files = sorted((DEMO / "assessments").iterdir())
    several = evaluate(files, RUNS, **OPTIONS)
    assert several.runs == evaluate(DEMO / "assessments", RUNS, **OPTIONS).runs
    assert list(evaluate(files[:2], RUNS, **OPTIONS).runs[0].topics) == ["101", "102"]


def test_navigation_as_a_record():
    row = ROOT / "fixtures" / "worked" / "W1"
    options = {"user_model": "graph", "navigation_kind": "step", "measures": "gen_recall.1"}
    record = read_navigation(str(row / "navigation.tsv"))
    values = evaluate(row / "qrels", row / "run", navigation=record, **options).runs[0].topics
    assert values["y"]["gen_recall_1"] == pytest.approx(0.536, abs=1e-12)


def test_settings_may_be_numbers():
    options = {"structure": DEMO / "structure.tsv", "user_model": "t2i", "measures": "gen_recall"}
    number = evaluate(DEMO / "assessments", RUNS, settings={"tolerance": 30}, **options)
    text = evaluate(DEMO / "assessments", RUNS, settings={"tolerance": "30"}, **options)
    assert number == text
    assert number.runs != evaluate(DEMO / "assessments", RUNS, **options).runs


@pytest.mark.parametrize("names", ["map", ["map"], ("map",)])
def test_measures_may_be_a_name_or_several(names):
    result = evaluate(ROOT / "fixtures" / "toy" / "qrels", ROOT / "fixtures" / "toy" / "run", measures=names)
    assert result.runs[0].all == {"map": 0.75}


def test_what_is_an_average_alone_has_no_topics_with_settings_either():
    measures = ["map", "gm_map", "gm_map:quantisation=strict"]
    (run,) = evaluate(ROOT / "fixtures/toy/qrels", ROOT / "fixtures/toy/run", measures=measures).runs
    assert set(run.all) == set(measures)
    assert all(set(values) == {"map"} for values in run.topics.values())


def test_errors_are_those_of_the_command_line():
    toy = ROOT / "fixtures" / "toy"
    with pytest.raises(prum_eval.UsageError, match=r"no measure mapp; did you mean map\?"):
        evaluate(toy / "qrels", toy / "run", measures="mapp")
    with pytest.raises(prum_eval.DataError, match="prum_map needs the number of elements"):
        evaluate(toy / "qrels", toy / "run", measures="prum_map")
    with pytest.raises(prum_eval.InputError) as caught:
        evaluate(toy / "qrels", toy / "qrels")
    assert (caught.value.path, caught.value.line) == (str(toy / "qrels"), None)
    assert issubclass(prum_eval.InputError, prum_eval.PrumEvalError)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"rank_by": "name"}, "rank_by=name: rank_by is file or rank or score"),
        ({"navigation_kind": "walk"}, "navigation_kind=walk: navigation_kind is reach or step"),
        ({"items": "all"}, "items=all: items is article"),
        ({"limit": 0}, "limit=0: limit is a whole number from 1 to 2147483647"),
        ({"limit": "5"}, "limit=5: limit is a whole number from 1 to 2147483647"),
        ({"collection_size": -3}, "collection_size=-3: collection_size is a whole number from 1 to 9007199254740992"),
        (
            {"collection_size": 10**30},
            f"collection_size={10**30}: collection_size is a whole number from 1 to 9007199254740992",
        ),
        ({"prum_mode": "fast"}, "mode=fast: mode is paper or exact or normal"),
        ({"ideal_list": "best"}, "ideal_list=best: ideal_list is targets or greedy"),
        ({"settings": {"tolerance": 3}}, "--set tolerance: no selected measure has that parameter"),
    ],
)
def test_options_that_the_command_line_would_refuse(option, text):
    with pytest.raises(prum_eval.UsageError) as caught:
        evaluate(DEMO / "assessments", RUNS, **OPTIONS, **option)
    assert str(caught.value) == text


def test_evaluating_twice_gives_the_same(collection):
    options = {"structure": collection / "structure.tsv", "measures": "all"}
    runs = [collection / "run1.thorough.xml", collection / "run2.thorough.xml"]
    first = evaluate(collection / "assessments", runs, **options)
    assert evaluate(collection / "assessments", runs, **options) == first
    backward = evaluate(collection / "assessments", runs[::-1], **options)
    assert backward.runs == first.runs[::-1]


def test_a_run_is_evaluated_alike_alone_and_among_others(collection):
    options = {"structure": collection / "structure.tsv", "measures": "all"}
    runs = [collection / "run1.thorough.xml", collection / "run2.thorough.xml"]
    both = evaluate(collection / "assessments", runs, **options).runs
    assert [evaluate(collection / "assessments", run, **options).runs[0] for run in runs] == list(both)


def blocks(path):
    lines = {}
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        lines.setdefault(line.split()[0], []).append(line)
    return list(lines.values())


def test_the_order_of_topics_does_not_matter(collection, tmp_path):
    for name in ("run1.thorough.paths.run", "qrels.txt"):
        text = "".join(line for block in reversed(blocks(collection / name)) for line in block)
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = {"structure": collection / "structure.tsv", "measures": ["prum", "eprum", "gen_recall", "counts"]}
    forward, backward = (
        evaluate(folder / "qrels.txt", folder / "run1.thorough.paths.run", **options).runs[0]
        for folder in (collection, tmp_path)
    )
    assert dataclasses.replace(backward, path=forward.path) == forward
    assert list(backward.topics) == sorted(forward.topics)


def test_absent_lists_score_by_the_formula(collection, tmp_path):
    first, *others = blocks(collection / "run1.thorough.paths.run")
    absent = first[0].split()[0]
    (tmp_path / "run").write_text("".join(line for block in others for line in block), encoding="utf-8")
    structure = read_structure(str(collection / "structure.tsv"))
    options = {"structure": structure, "measures": ["prum", "eprum", "gen_recall", "classic", "num_targets", "num_q"]}
    whole = evaluate(collection / "assessments", tmp_path / "run", complete=True, **options).runs[0]
    part = evaluate(collection / "assessments", tmp_path / "run", **options).runs[0]
    assert absent not in part.topics
    values = dict(whole.topics[absent])
    targets = values.pop("num_targets")
    assert targets > 0
    draws = (targets + 1) / (structure.elements + 1)
    for name, value in values.items():
        assert value == pytest.approx(draws if name.startswith("prum_") else 0, abs=1e-12)
    assert whole.all["num_q"] == part.all["num_q"] + 1 == 5
    assert whole.all["prum_map"] == pytest.approx((4 * part.all["prum_map"] + draws) / 5)
    assert whole.all["eprum_map"] == pytest.approx(4 * part.all["eprum_map"] / 5)
    assert {topic: whole.topics[topic] for topic in part.topics} == part.topics


def test_topics_are_kept_for_the_next_run_in_bounded_number(monkeypatch):
    from prum_eval.evaluation import evaluate_run as run_topics

    kept = []
    made = run_topics.judged_topic
    monkeypatch.setattr(
        run_topics,
        "judged_topic",
        lambda plan, cache, *given: (made(plan, cache, *given), kept.append(len(cache.judged_topics)))[0],
    )
    qrels = {str(topic): {"d": 1, "e": 0} for topic in range(20)}
    runs = [{str(topic): {"d": 0.5, "e": score} for topic in range(20)} for score in (0.25, 0.75)]
    wanted = evaluate(qrels, runs, measures="eprum_map").to_dict()["runs"]
    assert max(kept) == 20
    kept.clear()
    monkeypatch.setattr(run_topics, "MAX_CACHED_TOPICS", 3)
    assert evaluate(qrels, runs, measures="eprum_map").to_dict()["runs"] == wanted
    assert max(kept) == 3
