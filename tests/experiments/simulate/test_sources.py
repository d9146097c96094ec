"""What lists begin with: every source in its order, against what the assessments say."""

from itertools import pairwise

import numpy as np
import pytest

from prum_eval import evaluate, read_run, simulate
from prum_eval.errors import UsageError
from prum_eval.records import AssessmentKind, RunKind
from tests.experiments.simulate.worlds import World, lists
from tests.measures.collections import assessments_of, flat_assessments_of, run_of

DEMO = "fixtures/demo/assessments"
TEXT = "fixtures/demo/judged.txt"
STRUCTURE = "fixtures/demo/structure.tsv"
GEN = {(3, 3): 1, (2, 3): 0.75, (3, 1): 0.75, (1, 3): 0.5, (2, 2): 0.5, (1, 1): 0.25}


@pytest.fixture(scope="module")
def world():
    return World()


def only(assessments, source="ideal", **options):
    (one,) = simulate(assessments, source, **options)
    return one.run


def test_ideal_lists_targets_by_decreasing_probability_and_equal_ones_as_assessed(world):
    wanted = {
        topic: sorted(judged, key=lambda key, judged=judged: -GEN[judged[key]])
        for topic, judged in world.judged.items()
    }
    found = lists(only(world.assessments, "relevant", structure=world.structure))
    assert found == wanted
    assert lists(only(world.assessments, "relevant")) == wanted  # without a structure
    assert lists(only(world.assessments, targets="relevant")) == wanted
    ideal = lists(only(world.assessments))
    assert ideal != wanted
    assert all(ideal[topic] == [key for key in wanted[topic] if key in ideal[topic]] for topic in wanted)


def test_scores_fall_strictly_and_the_run_is_called_by_its_file(world):
    run = only(world.assessments, structure=world.structure)
    assert (run.run_id, run.kind) == ("ideal-1", RunKind.ELEMENTS)
    for number in range(len(run.topics)):
        score = run.score[run.bounds[number] : run.bounds[number + 1]]
        assert score.tolist() == list(range(len(score), 0, -1))


def test_perfect_lists_the_most_specific_by_exhaustivity_and_equal_ones_share_a_score(world):
    run = only(world.assessments, "perfect", structure=world.structure)
    found = lists(run)
    for number, topic in enumerate(run.topics):
        judged = world.judged[topic]
        wanted = sorted((key for key in judged if judged[key][1] == 3), key=lambda key: -judged[key][0])
        assert found[topic] == wanted
        score = run.score[run.bounds[number] : run.bounds[number + 1]].tolist()
        grades = [judged[key][0] for key in wanted]
        same = [one == other for one, other in pairwise(grades)]
        assert [one == other for one, other in pairwise(score)] == same
        assert score == sorted(score, reverse=True)


@pytest.mark.parametrize(
    ("kind", "grades", "wanted"),
    [
        (AssessmentKind.ELEMENTS_2002, {"a": (1, 3), "b": (3, 3), "c": (3, 2)}, ["b", "a"]),
        (AssessmentKind.ELEMENTS_2005, {"a": (1, 1.0), "b": (2, 1.0), "c": (2, 0.5), "d": (-1, 1.0)}, ["b", "a"]),
    ],
)
def test_perfect_knows_the_scales_of_other_years(kind, grades, wanted):
    judged = {(name, "/e[1]"): pair for name, pair in grades.items()}
    judged = assessments_of({"1": judged}, kind, dict.fromkeys(judged, 10))
    assert [document for document, _ in lists(only(judged, "perfect"))["1"]] == wanted


@pytest.mark.parametrize("source", ["ideal", "relevant"])
def test_flat_targets_are_documents(source):
    judged = flat_assessments_of({"a": 0, "b": 1, "c": 2, "d": 1, "e": -1})
    run = only(judged, source)
    assert (run.kind, lists(run)) == (RunKind.FLAT, {"1": ["c", "b", "d"]})


def test_entry_points_have_no_length_and_passages_are_extents():
    assert lists(only(DEMO, "bep", structure=STRUCTURE))["101"] == [("tides", 25, 0), ("harbours", 671, 0)]
    passages = lists(only(DEMO, "passages", structure=STRUCTURE))["101"]
    assert passages[:2] == [("tides", 25, 562), ("tides", 846, 356)]
    assert lists(only(TEXT))["101"] == passages
    assert lists(only(TEXT, targets="bep"))["101"] == [("tides", 25, 0), ("harbours", 671, 0)]


@pytest.mark.parametrize("form", ["xml", "paths.run", "offsets.run"])
def test_a_run_without_changes_stays_what_it_is(form):
    given = read_run(f"fixtures/demo/run-a.{form}")
    made = only(DEMO, f"fixtures/demo/run-a.{form}", structure=STRUCTURE)
    assert lists(made) == lists(given)
    options = {"structure": STRUCTURE, "measures": ["eprum_map", "gen_recall", "grp_map"]}
    assert evaluate(DEMO, made, **options).runs[0].topics == evaluate(DEMO, given, **options).runs[0].topics


def test_results_of_one_score_keep_their_rank():
    judged = assessments_of({"1": {("d", "/e[1]"): (3, 3)}})
    rows = [("d", "/e[1]"), ("d", "/e[2]"), ("d", "/e[3]"), ("d", "/e[4]")]
    made = only(judged, run_of({"1": rows}, score=[7, 7, 9, np.nan]))
    assert made.score.tolist() == [3, 3, 2, 1]


def test_other_spellings_name_the_same_element(world):
    run = run_of({"1": [("d0.xml", "/E[1]"), ("d0", "/e[1]/e[1]")]})
    assert lists(only(world.assessments, run, structure=world.structure))["1"] == [
        ("d0", "/e[1]"),
        ("d0", "/e[1]/e[1]"),
    ]


def test_results_that_do_not_exist_and_tokens_are_kept(write):
    made = only(World().assessments, write("1 Q0 d0 1 2 x /e[1]\n1 Q0 d9 2 1 x X\n1 Q0 d9 3 0 x X\n"))
    assert lists(made)["1"] == [("d0", "/e[1]"), "X", "X"]
    assert [made.documents[code] for code in made.document] == ["d0", "d9", "d9"]
    line = '{"topic": "101", "doc": "tides", "start": 0, "end": 9, "tokens": 4}\n'
    made = only(TEXT, write(line + line.replace("9", "8").replace(', "tokens": 4', "")))
    assert made.tokens.tolist() == [4, 0]


@pytest.mark.parametrize(
    ("assessments", "options", "message"),
    [
        (
            DEMO, {"source": "idael"},
            "no source idael (there are: ideal, relevant, perfect, bep, passages, or a run); did you mean ideal?",
        ),
        (
            "fixtures/toy/qrels", {"source": "perfect"},
            "a perfect run needs elements assessed in two dimensions, these are assessments of documents",
        ),
        (
            "fixtures/toy/qrels", {"source": "bep"},
            "assessments of documents have no targets of kind bep (they have: ideal, relevant)",
        ),
        (
            DEMO, {"source": "bep", "targets": "ideal"},
            "--from bep lists targets of its own kind: --targets has no effect",
        ),
        (DEMO, {"targets": "all"}, "no targets all (there are: ideal, relevant, bep, passages)"),
        (
            DEMO, {"quantisation": "sog"},
            (
                "no quantisation sog for elements, 2005-2007 (there are: gen, strict, genlifted, exh_gen, exh_strict, "
                "spec_gen, spec_strict)"
            ),
        ),
        (DEMO, {"copies": 0}, "copies is a whole number from 1 up, seed one from 0 up"),
        (DEMO, {"seed": -1}, "copies is a whole number from 1 up, seed one from 0 up"),
        (DEMO, {"duplicates": "keep"}, "duplicates=keep: duplicates is drop or hold"),
        (DEMO, {"run_id": "a"}, "ideal is not a file of runs: --run has no effect"),
    ],
)  # fmt: skip
def test_what_is_not_possible_is_said(assessments, options, message):
    with pytest.raises(UsageError) as caught:
        simulate(assessments, **options)
    assert str(caught.value) == message


def test_a_quantisation_changes_the_targets(world):
    strict = lists(only(world.assessments, quantisation="strict"))
    assert all(world.judged[topic][key] == (3, 3) for topic, listed in strict.items() for key in listed)


def test_a_file_of_several_runs_is_asked_for_one(write):
    line = '{{"topic": "101", "doc": "tides", "start": 0, "end": {}, "run": "{}"}}\n'
    path = write(line.format(9, "a") + line.format(8, "b"), "two.jsonl")
    assert lists(only(TEXT, path, run_id="b")) == {"101": [("tides", 0, 8)]}
    with pytest.raises(UsageError) as caught:
        simulate(TEXT, path)
    assert str(caught.value) == f"{path} holds 2 runs (a, b); lists begin with one: name one with --run"
