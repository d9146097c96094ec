"""Asking for measures: names, families, sets, cut-offs, levels, labelled instances, --set."""

from __future__ import annotations

import json

import pytest

from tests.gold import ROOT, run

TOY = "fixtures/toy/qrels fixtures/toy/run"
SECTIONS = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
PASSAGES = "-s fixtures/demo/structure.tsv fixtures/demo/judged.txt fixtures/demo/run-a.xml"


def values(command):
    output = run(f"eval -f json {command}")
    assert output.status == 0, output.err
    (one,) = json.loads(output.out)["runs"]
    return one


def names(specs, inputs=SECTIONS):
    return list(values(f"{' '.join(f'-m {spec}' for spec in specs.split())} {inputs}")["all"])


@pytest.mark.parametrize("inputs", [SECTIONS, PASSAGES, f"--collection-size 9 {TOY}"], ids=["elements", "text", "flat"])
def test_every_printed_name_is_accepted_back_and_prints_the_same_value(inputs):
    everything = values(f"-m all {inputs}")
    assert len(everything["all"]) > 20
    printed = dict.fromkeys(name for row in [everything["all"], *everything["topics"].values()] for name in row)
    asked = values(f"{' '.join(f'-m {name}' for name in printed)} {inputs}")
    assert asked["all"] == everything["all"]
    assert asked["topics"] == everything["topics"]


def test_a_printed_name_alone_prints_one_line_with_its_value():
    everything = values(f"-m all --collection-size 9 {TOY}")["all"]
    for name in ["map", "P_10", "iprec_at_recall_0.30", "prum_prec_at_recall_0.50", "eprum_P_5", "num_rel_ret"]:
        assert values(f"-m {name} --collection-size 9 {TOY}")["all"] == {name: everything[name]}


def test_labelled_names_are_accepted_back():
    given = (
        "eprum_map:at_recall=ratio gen_recall.5:user_model=t2i,tolerance=10 map:quantisation=strict prum_map:mode=exact"
    )
    printed = names(given)
    assert printed == [
        "map:quantisation=strict",
        "prum_map:mode=exact",
        "eprum_map:at_recall=ratio",
        "gen_recall_5:tolerance=10,user_model=t2i",
    ]
    assert names(" ".join(printed)) == printed


LEVELS = [f"{level / 10:.2f}" for level in range(11)]
COUNTS = ["num_q", "num_ret", "num_rel", "num_rel_ret", "num_targets", "num_targets_ret"]


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("prum", ["prum_map", *(f"prum_prec_at_recall_{level}" for level in LEVELS)]),
        (
            "eprum",
            [
                "eprum_map",
                *(f"eprum_prec_at_recall_{level}" for level in LEVELS),
                *(f"eprum_P_{k}" for k in (5, 10, 15, 20, 30, 100)),
            ],
        ),
        ("gen_recall", [f"gen_recall_{k}" for k in (5, 10, 15, 20, 30, 100)]),
        ("counts", COUNTS),
        ("ndcg_cut", [f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("iprec_at_recall", [f"iprec_at_recall_{level}" for level in LEVELS]),
        ("P.5,10", ["P_5", "P_10"]),
        ("P.10,5", ["P_5", "P_10"]),
        ("P_7", ["P_7"]),
        ("P.7", ["P_7"]),
        ("P_1 P.3 P_2", ["P_1", "P_2", "P_3"]),
        ("eprum_P_3", ["eprum_P_3"]),
        ("eprum_prec_at_recall_0.3", ["eprum_prec_at_recall_0.30"]),
        ("eprum_prec_at_recall.0,.5,1", [f"eprum_prec_at_recall_{level}" for level in ("0.00", "0.50", "1.00")]),
        ("iprec_at_recall.0.125", ["iprec_at_recall_0.125"]),
        ("iprec_at_recall_0.125", ["iprec_at_recall_0.125"]),
        ("map map map", ["map"]),
        ("gen_recall_5 map num_ret", ["num_ret", "map", "gen_recall_5"]),
        ("eprum_map eprum_map:mode=exact", ["eprum_map"]),
        ("eprum_map eprum_map:graded=off", ["eprum_map", "eprum_map:graded=off"]),
        ("P.1 P.1:quantisation=strict", ["P_1", "P_1:quantisation=strict"]),
    ],
)
def test_what_a_specification_prints(spec, printed):
    assert names(spec) == printed


def test_the_family_of_classic_measures():
    assert [name for name in names("classic") if "_" not in name] == ["map", "Rprec", "ndcg"]


def test_the_official_set():
    levels = [f"eprum_prec_at_recall_{level}" for level in LEVELS]
    recall = [f"gen_recall_{k}" for k in (5, 10, 15, 20, 30, 100)]
    assert names("official") == [*COUNTS, "map", "Rprec", "prum_map", "eprum_map", *levels, *recall]
    assert names("official", TOY) == [*COUNTS, "map", "Rprec", "eprum_map", *levels, *recall]


def test_what_a_set_left_out_is_named():
    output = run(f"eval -m official {TOY}")
    reason = "which needs the number of elements of the collection: give --structure or --collection-size"
    assert output.err.splitlines()[0] == f"prum-eval: warning: left out: prum_map, {reason}"
    assert "\nprum_map" not in output.out


@pytest.mark.parametrize(
    ("row", "instance", "option"),
    [
        ("P1", "prum_map:mode=exact", "-m prum_map --prum-mode exact"),
        ("E2", "eprum_map:ideal_list=greedy", "-m eprum_map --ideal-list greedy"),
        ("E3", "eprum_map:at_recall=ratio", "-m eprum_map --set at_recall=ratio"),
    ],
)
def test_a_parameter_of_an_instance_is_that_of_the_option(row, instance, option):
    folder = f"fixtures/worked/{row}"
    inputs = f"--collection-size 5 -u graph --navigation {folder}/navigation.tsv {folder}/qrels {folder}/run"
    ((label, by_instance),) = values(f"-m {instance} {inputs}")["all"].items()
    ((name, by_option),) = values(f"{option} {inputs}")["all"].items()
    assert (label, name) == (instance, instance.partition(":")[0])
    assert by_instance == by_option
    assert values(f"-m {name} {inputs}")["all"][name] != by_option


def test_set_reaches_every_measure_that_has_the_key():
    wanted = values(f"-m eprum_map:at_recall=ratio -m eprum_prec_at_recall.1:at_recall=ratio -m map {SECTIONS}")["all"]
    found = values(f"--set at_recall=ratio -m eprum_map -m eprum_prec_at_recall.1 -m map {SECTIONS}")["all"]
    assert list(found) == ["map", "eprum_map", "eprum_prec_at_recall_1.00"]
    assert list(found.values()) == list(wanted.values())


def test_set_reaches_the_user_model():
    wanted = values(f"-u t2i:tolerance=30 -m gen_recall {SECTIONS}")["all"]
    assert values(f"-u t2i --set tolerance=30 -m gen_recall {SECTIONS}")["all"] == wanted
    assert values(f"-u t2i -m gen_recall {SECTIONS}")["all"] != wanted


def test_an_instance_comes_before_set():
    wanted = values(f"-m eprum_map {SECTIONS}")["all"]["eprum_map"]
    found = values(f"--set at_recall=ratio -m eprum_map:at_recall=product {SECTIONS}")["all"]
    assert list(found.values()) == [wanted]


def test_set_twice():
    wanted = values(f"-m eprum_map:at_recall=ratio,graded=off {SECTIONS}")["all"].values()
    found = values(f"--set at_recall=ratio --set graded=off -m eprum_map {SECTIONS}")["all"].values()
    assert list(found) == list(wanted)


# What is printed without -m


CLASSIC = [
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"iprec_at_recall_{level}" for level in LEVELS),
]


def printed_names(command):
    output = run(f"eval {command}")
    assert output.status == 0, output.err
    return [line.split()[0] for line in output.out.splitlines() if not line.startswith("runid")]


def test_plain_qrels_print_what_trec_eval_prints():
    assert sorted(printed_names(TOY)) == sorted(CLASSIC)
    assert run(f"eval {TOY}").out == run(f"eval -t trec {TOY}").out


@pytest.mark.parametrize(
    "option", ["-u none", "--targets relevant", "--prum-mode exact", "--ideal-list greedy", "--collection-size 9"]
)
def test_qrels_of_a_navigating_user_print_the_official_set(option):
    assert run(f"eval {option} {TOY}").out == run(f"eval {option} -m official {TOY}").out
    assert {"eprum_map", "num_targets"} <= set(printed_names(f"{option} {TOY}"))


def test_qrels_with_a_structure_print_the_official_set(tmp_path):
    names = sorted({line.split()[2] for line in (ROOT / "fixtures/toy/qrels").read_text().splitlines()})
    structure = tmp_path / "structure.tsv"
    structure.write_text("".join(f"{name}\t/article[1]\t0\t10\n" for name in names), encoding="utf-8")
    assert "prum_map" in printed_names(f"-s {structure} {TOY}")


# Several user models, several tasks


def test_several_user_models_are_evaluated_each_under_its_name():
    measures = "-m map -m eprum_map -m gen_recall.5 -m num_targets"
    found = values(f"-u none -u t2i:tolerance=100 -u t2i {measures} {SECTIONS}")["all"]
    models = {"none": "none", "t2i,tolerance=100": "t2i:tolerance=100", "t2i": "t2i"}
    wanted = values(f"-m map -m num_targets {SECTIONS}")["all"]
    for label, model in models.items():
        alone = values(f"-u {model} -m eprum_map -m gen_recall.5 {SECTIONS}")["all"]
        wanted |= {f"{name}:user_model={label}": value for name, value in alone.items()}
    assert found == wanted
    assert len(set(found.values())) > 5


def test_a_measure_with_a_user_model_of_its_own_keeps_it():
    found = values(f"-u none -u t2i -m eprum_map:user_model=hierarchical {SECTIONS}")["all"]
    assert found == values(f"-m eprum_map:user_model=hierarchical {SECTIONS}")["all"]


def test_a_printed_name_with_a_model_asks_for_the_same_value():
    found = values(f"-u none -u t2i:tolerance=100 -m eprum_map {SECTIONS}")["all"]
    for name, value in found.items():
        assert list(values(f"-m {name} {SECTIONS}")["all"].values()) == [value]


TEXT = "fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run"


def test_token_measures_come_with_the_task_chunks_beside_others(tmp_path):
    """As they do with the task alone, of runs that all count tokens."""
    for name in ("windows", "paragraphs"):
        rows = [json.loads(line) for line in (ROOT / f"fixtures/rag/{name}.jsonl").read_text().splitlines()]
        lines = [json.dumps({**row, "tokens": 1 + (row["end"] - row["start"]) // 4}) + "\n" for row in rows]
        (tmp_path / name).write_text("".join(lines))
    files = f"fixtures/rag/gold.jsonl {tmp_path}/windows {tmp_path}/paragraphs"
    measures = {}
    for tasks in ("-t chunks", "-t chunks -t inex2009-thorough"):
        output = run(f"compare --quiet -f csv {tasks} {files}")
        assert output.status == 0, output.err
        measures[tasks] = {line.partition(",")[0] for line in output.out.splitlines()}
    alone, both = measures.values()
    assert {"tokens_5", "char_rec_at_tokens_500"} <= alone < both
    assert "maip" in both


def test_several_tasks_print_the_union():
    tasks = ("prum", "inex2006-thorough")
    first, second = (values(f"-t {task} -M 1500 {SECTIONS}")["all"] for task in tasks)
    assert values(f"-t {tasks[0]} -t {tasks[1]} -M 1500 {SECTIONS}")["all"] == {**first, **second}
    assert values(f"-t {tasks[0]} -t {tasks[0]} {SECTIONS}")["all"] == first


def test_tasks_with_other_settings_of_one_measure_print_both():
    tasks = ("inex2007-relevant-in-context", "inex2009-relevant-in-context")
    first, second = (values(f"-t {task} --merge document {TEXT}")["all"] for task in tasks)
    both = values(f"-t {tasks[0]} -t {tasks[1]} --merge document {TEXT}")["all"]
    assert {name for name in both if name.startswith("magp")} == {"magp:beta=1", "magp"}
    assert (both["magp:beta=1"], both["magp"]) == (first["magp"], second["magp"])
    assert both["num_rel"] == first["num_rel"] == second["num_rel"]


def test_tasks_of_different_depths_need_a_limit():
    inputs = "fixtures/demo/assessments fixtures/demo/run-a.xml -s fixtures/demo/structure.tsv"
    output = run(f"eval -t inex2006-thorough -t prum {inputs}")
    assert (output.status, output.out) == (2, "")
    assert output.err == (
        "prum-eval: tasks of different depths: inex2006-thorough uses 1500 results per topic, prum uses all results "
        "per topic; give -M, or evaluate them separately\n"
    )
    assert run(f"eval -M 1500 -t inex2006-thorough -t prum {inputs}").status == 0
