"""The published layouts of JSON: everything that is printed fits, and every key is described."""

from __future__ import annotations

import json

import jsonschema
import pytest

import prum_eval
from prum_eval.errors import UsageError
from prum_eval.schemas import LAYOUTS, schema
from tests.gold import run
from tests.slow import slow

DEMO = "fixtures/demo"
INPUTS = f"-s {DEMO}/structure.tsv {DEMO}/assessments {DEMO}/run-a.xml {DEMO}/run-b.xml"
RAG = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl fixtures/rag/paragraphs.jsonl"
TOY = "fixtures/toy/qrels fixtures/toy/run"


def fits(text):
    data = json.loads(text)
    described = schema(data["schema"])
    jsonschema.Draft202012Validator(described).validate(data)
    return data


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_a_schema_that_says_its_name(layout):
    described = schema(layout)
    jsonschema.Draft202012Validator.check_schema(described)
    _, name, number = layout.split("/")
    assert described["$id"] == f"urn:prum-eval:{name}:{number}"
    assert described["properties"]["schema"]["const"] == layout
    assert described == schema(name)


def undescribed(described, where):
    """Keys without a description, below a schema."""
    inside = dict(described.get("properties", {}))
    if isinstance(described.get("additionalProperties"), dict):
        inside["*"] = described["additionalProperties"]
    for key, one in inside.items():
        if not one.get("description", "").endswith("."):
            yield f"{where}{key}"
        yield from undescribed(one, f"{where}{key}.")
    if isinstance(described.get("items"), dict):
        yield from undescribed(described["items"], f"{where}[].")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_key_is_described(layout):
    assert list(undescribed(schema(layout), "")) == []


def test_a_layout_that_there_is_not():
    with pytest.raises(UsageError) as raised:
        schema("evaluations")
    assert str(raised.value) == (
        "no layout evaluations; there is evaluation, comparison, gold; did you mean evaluation?"
    )


@pytest.mark.parametrize(
    "command",
    [
        f"-q -m official {INPUTS}",
        f"-m all -c -M 5 {INPUTS}",
        f"-t inex2005-focused {INPUTS}",
        f"-m eprum_map:once=on -u logistic -m grp -s {DEMO}/structure.tsv {DEMO}/assessments {DEMO}/run-a.xml",
        f"-t chunks --tokens-per-char .25 {RAG}",
        f"--merge document -m map {TOY}",
        f"-m all {TOY}",
    ],
)
def test_evaluations(command):
    data = fits(run(f"eval -f json {command}").out)
    assert data["schema"] == "prum-eval/evaluation/1"
    assert data["runs"]


def test_evaluations_along_links_and_by_groups(tmp_path):
    (tmp_path / "groups").write_text("101\tx\n102\ty\n103\tx\n", encoding="utf-8")
    data = fits(run(f"eval -f json -m map --groups {tmp_path}/groups {INPUTS}").out)
    assert data["runs"][0]["groups"].keys() == {"x", "y"}
    data = fits(run(f"compare -f json -m map --groups {tmp_path}/groups {INPUTS}").out)
    assert data["groups"]


def test_an_evaluation_from_python():
    result = prum_eval.evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 2.0}}}, measures=["map"])
    fits(json.dumps(result.to_dict()))


@pytest.mark.parametrize(
    "command",
    [
        slow(f"-m official {INPUTS}"),
        f"--pairs all -m map -m num_ret {INPUTS} {DEMO}/run-a.xml",
        f"--pairs best --interval bootstrap --trials 1000 -m map {INPUTS}",
        f"-t chunks {RAG}",
    ],
)
def test_comparisons(command):
    data = fits(run(f"compare -f json {command}").out)
    assert data["schema"] == "prum-eval/comparison/1"


def test_gold_files(tmp_path):
    gold = tmp_path / "gold.json"
    for more in ("", "--threshold map>0"):
        assert run(f"gold write {gold} -m map -m gen_recall.5 {more} {INPUTS}").status == 0
        assert fits(gold.read_text(encoding="utf-8"))["schema"] == "prum-eval/gold/1"


def test_a_key_that_is_not_described_does_not_fit():
    data = json.loads(run(f"eval -f json -m map {TOY}").out)
    data["runs"][0]["mean"] = 1
    with pytest.raises(jsonschema.ValidationError):
        fits(json.dumps(data))
