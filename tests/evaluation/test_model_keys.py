"""Keys that a measure and its user model both have: the plain key is the measure's, `model.KEY` the model's."""

from __future__ import annotations

import json

import pytest

from prum_eval import evaluate
from prum_eval.measures.specs import MeasureSpec
from tests.gold import run

INPUTS = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
DEMO = ("fixtures/demo/assessments", "fixtures/demo/run-a.xml")
TEXT = "fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run"


def report(options):
    found = run(f"eval -f json {options}")
    assert found.status == 0, found.err
    return json.loads(found.out)


def values(options):
    """The averages by name, and what each measure's p and its user model's are."""
    found = report(options)
    chosen = found["parameters"]["measures"]
    pairs = {name: (one.get("p"), one.get("model.p")) for name, one in chosen.items()}
    return found["runs"][0]["all"], pairs


@pytest.mark.parametrize(
    ("options", "pairs"),
    [
        ("-m rbp -u siblings", {"rbp": (0.9, 0.25)}),
        ("-m rbp:p=0.5 -u siblings", {"rbp:p=0.5": (0.5, 0.25)}),
        ("-m rbp -u siblings:p=0.5", {"rbp": (0.9, 0.5)}),
        ("-m rbp:model.p=0.5 -u siblings", {"rbp:model.p=0.5": (0.9, 0.5)}),
        ("-m rbp:model.p=0.25 -u siblings", {"rbp": (0.9, 0.25)}),
        ("-m rbp:user_model=siblings,p=0.3,model.p=0.5",
         {"rbp:model.p=0.5,p=0.3,user_model=siblings": (0.3, 0.5)}),
        ("-m rbp --set p=0.5 -u siblings", {"rbp": (0.5, 0.25)}),
        ("-m rbp --set model.p=0.5 -u siblings", {"rbp": (0.9, 0.5)}),
        ("-m rbp --set model.p=0.5 --set p=0.3 -u siblings", {"rbp": (0.3, 0.5)}),
        ("-m eprum_map --set model.p=0.5 --set p=0.3 -u siblings", {"eprum_map": (0.5, None)}),
        ("-m eprum_map --set p=0.3 -u siblings", {"eprum_map": (0.3, None)}),
        ("-m eprum_map:model.p=0.5 -u siblings", {"eprum_map:p=0.5": (0.5, None)}),
        ("-m rbp:model.once=on -u siblings", {"rbp:once=on": (0.9, 0.25)}),
        ("-m persistence:p=0.5 -u siblings",
         {"rbp:p=0.5": (0.5, 0.25), "u_measure": (0.25, None), "err": (0.25, None)}),
        ("-m persistence:model.p=0.5 -u siblings",
         {"rbp:model.p=0.5": (0.9, 0.5), "u_measure:p=0.5": (0.5, None), "err:p=0.5": (0.5, None)}),
    ],
)  # fmt: skip
def test_whose_a_key_is(options, pairs):
    assert values(f"{options} {INPUTS}")[1] == pairs


def test_the_settings_are_what_is_computed():
    by_default = values(f"-m rbp -u siblings {INPUTS}")[0]["rbp"]
    wide = values(f"-m rbp -u siblings:p=0.9 {INPUTS}")[0]["rbp"]
    assert by_default != wide
    for options, name in (
        ("-m rbp:model.p=0.9 -u siblings", "rbp:model.p=0.9"),
        ("-m rbp --set model.p=0.9 -u siblings", "rbp"),
        ("-m rbp:user_model=siblings,model.p=0.9", "rbp:model.p=0.9,user_model=siblings"),
    ):
        found = values(f"{options} {INPUTS}")[0]
        assert found == {name: wide}
        if name != "rbp":
            again = values(f"-m {name} -u siblings {INPUTS}")[0]
            assert list(again.values()) == [wide]


def test_a_length_that_both_have():
    found = report(f"-m u_measure:L=1000,model.L=500 -u bep-distance --targets bep {TEXT}")["parameters"]["measures"]
    (one,) = found.values()
    assert (one["L"], one["model.L"], one["A"]) == (1000, 500, 1)
    assert list(found) == ["u_measure:L=1000,model.L=500"]


def test_the_signature_names_both():
    found = report(f"-m rbp:p=0.5 -u siblings:p=0.3 {INPUTS}")
    assert found["signature"].endswith("|user_model:siblings:p=0.3|persistence(p=0.5)")


@pytest.mark.parametrize(
    "key", ['"model.p" = 0.5', "model.p = 0.5", "model = {p = 0.5}", 'user_model = "siblings:p=0.5"']
)
def test_configuration_files(tmp_path, key):
    (tmp_path / "c.toml").write_text(f'[[measures]]\nmeasure = "rbp"\np = 0.3\n{key}\n')
    (both,) = values(f"--config {tmp_path}/c.toml -u siblings {INPUTS}")[1].values()
    assert both == (0.3, 0.5)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('user_model = "siblings"\nmodel.q = 0.5', "4: rbp has no parameter model.q"),
        ('user_model = "siblings"\nmodel.p = 2', "4: p=2: p is a number from 0 to 1"),
        ('user_model = "none"\nmodel.p = 0.5', "4: rbp has no parameter model.p"),
        ("model.user_model = 1", "3: rbp has no parameter model.user_model; did you mean user_model?"),
    ],
)
def test_what_configuration_files_are_refused(tmp_path, lines, said):
    path = tmp_path / "c.toml"
    path.write_text(f'[[measures]]\nmeasure = "rbp"\n{lines}\n')
    assert run(f"eval --config {path} {INPUTS}") == (1, "", f"{path}:{said}\n")


def test_python():
    options = {"structure": "fixtures/demo/structure.tsv", "user_model": "siblings"}
    wanted = evaluate(*DEMO, measures=["rbp"], **options | {"user_model": "siblings:p=0.6"}).runs[0].all["rbp"]
    spec = MeasureSpec("rbp", {"model.p": "0.6", "p": "0.9"})
    for given in ({"measures": ["rbp:model.p=0.6"]}, {"measures": [spec]},
                  {"measures": ["rbp"], "settings": {"model.p": 0.6, "p": 0.9}}):  # fmt: skip
        assert list(evaluate(*DEMO, **options, **given).runs[0].all.values()) == [wanted]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-m rbp:model.p=0.5 -u none", "rbp has no parameter model.p, nor has user model none"),
        ("-m rbp:model.p=2 -u siblings", "p=2: p is a number from 0 to 1"),
        ("-m eprum_map:model.p=0.5,p=0.3 -u siblings", "p is set twice"),
        ("-m rbp:model.user_model=siblings", "rbp has no parameter model.user_model"),
        ("-m map:model.p=0.5", "map has no parameter p"),
        ("-m bepd:model.L=5", "bepd has no parameter model.L"),
        ("-m rbp --set model.p=0.5 -u none", "--set model.p: no selected measure has that parameter"),
    ],
)
def test_what_is_refused(options, said):
    assert run(f"eval {options} {INPUTS}") == (2, "", f"prum-eval: {said}\n")
