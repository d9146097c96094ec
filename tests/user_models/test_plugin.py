"""User models of another package: found through the entry point group, used through -u, their mistakes named."""

from __future__ import annotations

import importlib
import json

import pytest
from click.shell_completion import ShellComplete

from prum_eval.cli.commands import commands
from prum_eval.user_models.registry import PLUGIN_MODELS
from tests.gold import ROOT, run

SOURCE = '''
"""A package with user models."""
from dataclasses import replace

import numpy as np

from prum_eval import UserModel
from prum_eval.user_models.model import NavigationBasis, ModelNeed
from prum_eval.user_models.hierarchical import MODEL as hierarchical
from prum_eval.user_models.model import identity, make_reach
from prum_eval.parameters import Parameter


def _build(values, _surroundings):
    def model(ranked):
        ranks, targets = len(ranked.results), len(ranked.targets)
        rank, target = np.indices((ranks, targets)).reshape(2, -1)
        own = identity(ranked.results, ranked.targets).dense()[rank, target] > 0
        return make_reach(ranks, targets, rank, target, np.full(len(rank), float(values["chance"])), own)

    return model


lottery = UserModel(
    "lottery",
    "every result shows every target with one probability",
    "R = chance.",
    "Nobody, Nowhere, 2000",
    _build,
    (Parameter("chance", 0.5, "the probability", low=0.0, high=1.0),),
)


def reading_of(make):
    return lambda values, _context: lambda ranked: make(ranked, values)


page = replace(lottery, name="page", reading=reading_of(lambda ranked, values: np.full(len(ranked.results), 1800.0)))
to_end = replace(lottery, name="to-end", reading=reading_of(lambda ranked, _: ranked.characters_to_end))
less = replace(lottery, name="less", reading=reading_of(lambda ranked, _: -ranked.results.length))
one_more = replace(lottery, name="one-more", reading=reading_of(lambda ranked, _: np.zeros(len(ranked.results) + 1)))
in_words = replace(lottery, name="in-words", reading=reading_of(lambda ranked, _: ["much"] * len(ranked.results)))
near = replace(lottery, name="near", navigation_basis=NavigationBasis.NEARBY)


def _build_of_steps(_values, context):
    return lambda ranked: identity(ranked.results, ranked.targets) if context.navigation is not None else None


steps = UserModel("steps", "takes a file", "R = I.", "Nobody", _build_of_steps, needs=frozenset({ModelNeed.GRAPH}))


def patient(results, rank, targets, trees, topic):
    """The k-th result of a document shows its targets with probability (k - 1)/4."""
    document = results.document[rank - 1]
    before = int((results.document[: rank - 1] == document).sum())
    return np.where(targets.document == document, min(before / 4, 1.0), 0.0)


def topical(results, rank, targets, trees, topic):
    assert len(trees) >= 1
    return np.full(len(targets), 1.0 if topic == "102" else 0.0)


def too_short(results, rank, targets, trees, topic):
    return np.zeros(len(targets) - 1)


def above_one(results, rank, targets, trees, topic):
    return np.full(len(targets), 1.5 if rank == 2 else 0.5)


def below_zero(results, rank, targets, trees, topic):
    return [-0.1] * len(targets)


def undefined(results, rank, targets, trees, topic):
    return [float("nan")] * len(targets)


def words(results, rank, targets, trees, topic):
    return ["often"] * len(targets)


def ragged(results, rank, targets, trees, topic):
    return [[0.5], [0.5, 0.5], 0.5]


def forgetful(results, rank, targets, trees, topic):
    pass


number = 3
none = lottery
'''

ENTRY_POINTS = """
[prum_eval.user_models]
lottery = some_models:lottery
near = some_models:near
steps = some_models:steps
patient = some_models:patient
topical = some_models:topical
too-short = some_models:too_short
above-one = some_models:above_one
below-zero = some_models:below_zero
undefined = some_models:undefined
words = some_models:words
ragged = some_models:ragged
forgetful = some_models:forgetful
number = some_models:number
absent = some_models:missing
elsewhere = no_such_module:model
none = some_models:none
page = some_models:page
to-end = some_models:to_end
less = some_models:less
one-more = some_models:one_more
in-words = some_models:in_words

[other.group]
foreign = some_models:lottery
"""

BAD = ("too-short", "above-one", "below-zero", "undefined", "words", "ragged", "forgetful")
INPUTS = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"


@pytest.fixture(autouse=True)
def installed(install):
    """The package, on the path of this process."""
    install("some_models", SOURCE, ENTRY_POINTS)


def recall(options, topic="103", cutoffs="1,2,3,4"):
    output = run(f"eval -f json -m gen_recall.{cutoffs} {options} {INPUTS}")
    assert output.status == 0, output.err
    return list(json.loads(output.out)["runs"][0]["topics"][topic].values())


def test_the_group_is_part_of_the_interface():
    assert PLUGIN_MODELS.group == "prum_eval.user_models"


def test_a_user_model_record():
    # of two targets paragraph 2 is the second result itself
    seen = [(0.5 + 0.5) / 2, (1 + 0.75) / 2, (1 + 0.875) / 2, (1 + 0.9375) / 2]
    assert recall("-u lottery") == pytest.approx(seen, abs=1e-12)


@pytest.mark.parametrize("option", ["-u lottery:chance=0.2", "-u lottery --set chance=0.2"])
def test_parameters_of_a_record(option):
    assert recall(option)[0] == pytest.approx(0.2, abs=1e-12)


def test_parameters_of_a_record_are_checked():
    output = run(f"eval -u lottery:chance=2 {INPUTS}")
    assert (output.status, output.err) == (2, "prum-eval: chance=2: chance is a number from 0 to 1\n")


def test_a_record_as_a_labelled_instance():
    output = run(f"eval -f json -m gen_recall.1:user_model=lottery,chance=0.2 {INPUTS}")
    values = json.loads(output.out)["runs"][0]["topics"]["103"]
    assert values == {"gen_recall_1:chance=0.2,user_model=lottery": pytest.approx(0.2, abs=1e-12)}


def test_modifiers_apply_to_foreign_models():
    seen = recall("-u lottery:rank_decay=0.5")
    assert seen[:2] == pytest.approx([0.5, (1 + 0.625) / 2], abs=1e-12)


def test_a_record_may_say_what_is_read_beyond_results():
    """Without chance nothing is reached, so that results alone are read; rank_decay lowers what a record says."""
    values = {}
    for model in ("lottery:chance=0", "page", "page:rank_decay=.5", "to-end"):
        output = run(f"eval -f json -u {model} -m read.1,2 {INPUTS}")
        assert output.status == 0, output.err
        values[model] = json.loads(output.out)["runs"][0]["topics"]["103"]
    size = values["lottery:chance=0"]
    assert values["page"] == {"read_1": size["read_1"] + 1800, "read_2": size["read_2"] + 3600}
    assert values["page:rank_decay=.5"] == {"read_1": size["read_1"] + 1800, "read_2": size["read_2"] + 2700}
    assert values["to-end"]["read_1"] > size["read_1"]


@pytest.mark.parametrize("name", ["less", "one-more", "in-words"])
def test_readings_that_are_no_numbers(name):
    output = run(f"eval -u {name} -m read.1 {INPUTS}")
    assert (output.status, output.out) == (1, "")
    what = "what is read beyond the results of topic 101 is not a row of 7 numbers from 0 up"
    assert output.err == f"prum-eval: user model {name}: {what}\n"


def test_a_function_that_looks_at_earlier_ranks():
    # sourdough four times (the second is paragraph 2), then windmills
    third = [0, 1 - 0.75, 1 - 0.75 * 0.5, 1 - 0.75 * 0.5 * 0.25]
    second = [0, 1, 1, 1]
    expected = [(one + other) / 2 for one, other in zip(second, third, strict=True)]
    assert recall("-u patient") == pytest.approx(expected, abs=1e-12)


def test_a_function_that_looks_at_the_topic():
    assert recall("-u topical", "102", "1") == [1]
    assert recall("-u topical", "103", "1") == [0]


def test_a_function_with_the_greedy_ideal_list():
    output = run(f"eval -f json --ideal-list greedy -u patient -m eprum_prec_at_recall.0.5 {INPUTS}")
    assert output.status == 0
    # one target is found at rank 2 surely, the other with 1/4: E[A/ML] = 1/2, and an ideal list finds one at once
    values = json.loads(output.out)["runs"][0]["topics"]["103"]
    assert values["eprum_prec_at_recall_0.50"] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(("name", "rank"), [(name, 2 if name == "above-one" else 1) for name in BAD])
def test_rows_that_are_no_probabilities(name, rank):
    output = run(f"eval -u {name} -m gen_recall {INPUTS}")
    assert (output.status, output.out) == (1, "")
    text = f"user model {name}: rank {rank} of topic 101 is not a row of 3 probabilities"
    assert output.err == f"prum-eval: {text}\n"


def test_what_is_no_user_model():
    output = run(f"eval -u number {INPUTS}")
    text = "user model number: some_models:number is neither a UserModel nor a function"
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {text}\n")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("absent", "some_models:missing", "module 'some_models' has no attribute 'missing'"),
        ("elsewhere", "no_such_module:model", "No module named 'no_such_module'"),
    ],
)
def test_what_cannot_be_loaded(name, value, reason):
    output = run(f"eval -u {name} {INPUTS}")
    assert (output.status, output.out) == (2, "")
    assert output.err == f"prum-eval: user model {name} cannot be loaded from {value}: {reason}\n"


def test_a_built_in_model_is_never_replaced():
    assert recall("-u none") == [0, 0.5, 0.5, 0.5]


def test_other_groups_are_not_ours():
    output = run(f"eval -u foreign {INPUTS}")
    assert output.status == 2
    assert output.err.startswith("prum-eval: no user model foreign (there are: none, hierarchical, ")
    assert "lottery, near, steps, patient, " in output.err


def test_foreign_models_are_near_names_too():
    output = run(f"eval -u lotery {INPUTS}")
    assert output.err.endswith("; did you mean lottery?\n")


def test_foreign_models_are_explained():
    output = run("measures lottery")
    assert output.status == 0
    assert output.out.startswith("user model lottery: every result shows every target with one probability\n")
    assert "chance = 0.5  (a number from 0 to 1) the probability" in output.out
    assert "Source: Nobody, Nowhere, 2000" in output.out
    assert "The k-th result of a document shows its targets" in run("measures patient").out


def test_a_package_that_cannot_be_loaded_does_not_hide_the_others():
    output = run("measures")
    assert output.status == 0
    text = " ".join(output.out.split())
    assert "lottery every result shows every target with one probability" in text
    assert "absent user model absent cannot be loaded from some_models:missing: " in text


def test_the_signature_names_the_model():
    assert "lottery:chance=0.2" in run(f"eval -u lottery:chance=0.2 -m gen_recall {INPUTS}").err


def test_foreign_models_may_take_a_navigation_file(tmp_path):
    (tmp_path / "steps.tsv").write_text("sourdough\twindmills\t0.5\n", encoding="utf-8")
    assert recall(f"-u steps --navigation {tmp_path / 'steps.tsv'}") == [0, 0.5, 0.5, 0.5]
    output = run(f"eval -u lottery --navigation {tmp_path / 'steps.tsv'} {INPUTS}")
    assert output.err == "prum-eval: a navigation file is for user model graph, not lottery\n"


def test_parameters_of_foreign_models_in_configurations(tmp_path):
    (tmp_path / "own.toml").write_text('[[measures]]\nmeasure = "gen_recall.1"\nchance = 0.2\n', encoding="utf-8")
    output = run(f"eval -f json -u lottery --config {tmp_path / 'own.toml'} {INPUTS}")
    assert output.status == 0, output.err
    assert list(json.loads(output.out)["runs"][0]["topics"]["103"].values()) == [pytest.approx(0.2, abs=1e-12)]


@pytest.fixture
def generate(monkeypatch):
    """The script that writes the generated pages."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module("generate")


def test_foreign_models_complete():
    def offered(*words):
        shell = ShellComplete(commands, {}, "prum-eval", "_PRUM_EVAL_COMPLETE")
        return {item.value for item in shell.get_completions(list(words[:-1]), words[-1])}

    assert offered("eval", "-u", "lot") == {"lottery"}
    assert offered("measures", "pat") == {"patient"}


def test_foreign_models_are_documented(generate):
    page = generate.models_page()
    assert "## lottery\n\nEvery result shows every target with one probability.\n\nR = chance.\n" in page
    assert "`chance`" in page
    assert "## patient\n" in page
    assert "elsewhere" not in page  # it cannot be loaded
    assert page.count("## none\n") == 1


@pytest.mark.parametrize(
    ("model", "relation"),
    [("lottery", "contains"), ("near", "ahead by 591")],  # from section 1 to its third paragraph
)
def test_foreign_models_are_explained_rank_by_rank(model, relation):
    output = run(f"explain -u {model} --topic 103 {INPUTS}")
    assert output.status == 0, output.err
    assert f"T2   0.5000 {relation} " in output.out
