"""What a user is told beside the results: each warning once, on standard error, with its number."""

from __future__ import annotations

import json

import pytest

from tests.gold import run

STRUCTURE = "-s fixtures/demo/structure.tsv"
ASSESSMENTS = "fixtures/demo/assessments"
TOPIC = f"{ASSESSMENTS}/topic-101.xml"


def warnings(command):
    output = run(f"eval {command}")
    assert output.status == 0, output.err
    assert "warning" not in output.out
    start = "prum-eval: warning: "
    return [line.removeprefix(start) for line in output.err.splitlines() if line.startswith(start)]


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return " ".join(f"{folder}/{name}" for name in files)


@pytest.fixture
def partial(tmp_path):
    return write(tmp_path, qrels="1 0 a 1\n2 0 a 1\n3 0 a 1\n", run="1 Q0 a 1 1 r\n8 Q0 a 1 1 r\n9 Q0 a 1 1 r\n")


def test_nothing_to_say():
    assert warnings(f"{STRUCTURE} {ASSESSMENTS} fixtures/demo/run-a.xml") == []


def test_topics_missing_on_either_side(partial):
    path = partial.split()[1]
    assert warnings(f"-m map {partial}") == [
        f"{path}: 2 topics have no assessments and are left out",
        f"{path}: 2 assessed topics have no results and are left out; -c counts them as empty",
    ]
    assert warnings(f"-c -m map {partial}") == [
        f"{path}: 2 topics have no assessments and are left out",
        f"{path}: 2 assessed topics have no results and count as empty lists",
    ]


DIFFERENT = "averages are not comparable: runs cover 1 to 3 topics; -c counts all judged topics"


def test_warnings_of_several_runs_are_summed(partial, tmp_path):
    path = partial.split()[1]
    other = write(tmp_path, other="1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n3 Q0 a 1 1 r\n7 Q0 a 1 1 r\n")
    missing = f"{path}: 2 assessed topics have no results and are left out; -c counts them as empty"
    assert warnings(f"-m map {partial} {other}") == [
        "3 topics without assessments, in 2 runs; -v lists them",
        missing,  # of one run only
        DIFFERENT,
    ]
    assert warnings(f"-v -m map {partial} {other}") == [
        f"{path}: 2 topics have no assessments and are left out",
        missing,
        f"{other}: 1 topic has no assessments and is left out",
        DIFFERENT,
    ]
    assert run(f"eval --verbose -m map {partial} {other}") == run(f"eval -v -m map {partial} {other}")


def test_quiet_prints_results_and_errors_only(partial):
    loud, quiet = (run(f"eval {switch} -m map {partial}") for switch in ("", "--quiet"))
    assert (quiet.status, quiet.out, quiet.err) == (0, loud.out, "")
    failed = run(f"eval --quiet -m map {partial} nowhere")
    assert (failed.status, failed.err) == (1, "nowhere: cannot be read: No such file or directory\n")
    both = run(f"eval --quiet -v -m map {partial}")
    assert (both.status, both.out) == (2, "")
    assert both.err.splitlines()[-1] == "Error: --quiet and --verbose cannot be combined"


@pytest.mark.parametrize("command", ["compare --trials 9 -m map", "correlate --trials 9 -m map -m Rprec"])
def test_other_commands_say_more_or_less_too(command, partial):
    path = partial.split()[1]
    start = f"prum-eval: warning: {path}: 2 topics have"
    assert run(f"{command} --quiet {partial} {path}").err == ""
    assert run(f"{command} -v {partial} {path}").err.count(start) == 2
    summed = "prum-eval: warning: 2 topics without assessments, in 2 runs; -v lists them\n"
    assert run(f"{command} {partial} {path}").err.startswith(summed)


def test_quiet_says_of_a_failed_comparison_only_why(partial):
    path = partial.split()[1]
    reason = run(f"correlate --quiet -m map {partial} {path}")
    assert reason.status == 1
    assert reason.err.count("\n") == 1
    loud = run(f"correlate -m map {partial} {path}").err
    assert loud.startswith("prum-eval: warning: 2 topics without assessments, in 2 runs\n")
    assert loud.endswith(reason.err)


def test_workers_say_what_one_process_says(partial):
    path = partial.split()[1]
    one, two = (run(f"eval -v -j {jobs} -m map {partial} {path}") for jobs in (1, 2))
    assert one == two
    assert one.err.count("have no assessments") == 2


def test_equal_scores_of_flat_runs(tmp_path):
    lines = "".join(f"1 Q0 {name} 1 {score} r\n" for name, score in zip("abcde", (3, 2, 2, 2, 1), strict=True))
    inputs = write(tmp_path, qrels="1 0 a 1\n1 0 b 0\n", run=lines)
    rule = "ordered by document name, descending"
    assert warnings(f"-m map {inputs}") == []  # b, c and d are equally relevant: not at all
    assert warnings(f"-m bpref {inputs}") == [f"{tmp_path}/run: 3 results tie in score, {rule}"]  # b alone is judged
    inputs = write(tmp_path, qrels="1 0 a 1\n1 0 c 1\n", run=lines)
    assert warnings(f"-m map {inputs}") == [f"{tmp_path}/run: 3 results tie in score, {rule}"]
    assert warnings(f"-m P.1 {inputs}") == []  # they begin past the cut-off
    assert warnings(f"-m P.2 {inputs}") == [f"{tmp_path}/run: 3 results tie in score, {rule}"]
    assert warnings(f"--rank-by file -m map {inputs}") == []


def test_equal_scores_of_elements(tmp_path):
    results = "".join(
        f"<result><file>tides</file><path>/article[1]/body[1]/section[{number}]</path><rsv>1</rsv></result>"
        for number in (1, 2)
    )
    text = f'<inex-submission run-id="r"><topic topic-id="101">{results}</topic></inex-submission>'
    path = write(tmp_path, run=text)
    rule = "ordered by their order in the file"
    assert warnings(f"{STRUCTURE} -m map {TOPIC} {path}") == [f"{path}: 2 results tie in score, {rule}"]


def test_results_that_the_structure_lacks_are_counted_once(tmp_path):
    body = "/article[1]/body[1]"
    strays = [f"{body}/section[4]", f"{body}/figure[1]", f"{body}/section[1]/p[1]"]
    path = write(tmp_path, run="".join(f"101 Q0 tides {k} {9 - k} r {at} {at}\n" for k, at in enumerate(strays)))
    text = "2 results are not in the structure: they keep their rank and find nothing"
    # three measures under three settings look the same results up
    measures = "-m map -m eprum_map -m gen_recall.1,3:user_model=none"
    assert warnings(f"{STRUCTURE} {measures} {TOPIC} {path}") == [f"{path}: {text}"]
    output = run(f"eval -f json {STRUCTURE} -m counts -m recip_rank {TOPIC} {path}")
    found = json.loads(output.out)["runs"][0]["all"]
    assert (found["num_ret"], found["recip_rank"]) == (3, 1 / 3)


def test_marks_of_results_that_do_not_exist_are_not_counted(tmp_path):
    path = write(tmp_path, run="101 Q0 tides 1 2 r X X\n101 Q0 tides 2 1 r -1 -1\n101 Q0 tides 3 0 r 25 412\n")
    assert warnings(f"{STRUCTURE} -m eprum_map {TOPIC} {path}") == []


def test_results_that_the_assessments_do_not_list():
    text = "5 results are not in the assessments: their extent is unknown, so they find nothing"
    trees = "no structure: document trees come from the assessments and may be incomplete"
    path = "fixtures/demo/run-a.xml"
    assert warnings(f"-m eprum_map {ASSESSMENTS} {path}") == [trees, f"{path}: {text}"]


def test_length_of_documents_without_a_structure():
    # eight assessments of six documents, 6445 characters together
    text = f"no structure: the mean document length L = {6445 / 6:.1f} is that of the judged documents"
    assert warnings("--targets bep -m eprum_map fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run") == [text]


@pytest.fixture
def without_targets(tmp_path):
    return write(tmp_path, qrels="1 0 a 1\n2 0 a 0\n", run="1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n")


WITHOUT = "-m map -m prum_map -m eprum_map -m eprum_P.1 -m gen_recall.1 --collection-size 5"


def test_topics_without_targets_are_left_out_and_counted(without_targets):
    text = "1 topic has no targets and is left out of averages of measures that need targets"
    assert warnings(f"{WITHOUT} {without_targets}") == [f"{without_targets.split()[1]}: {text}"]


def test_topics_without_targets_are_null_in_json(without_targets):
    one = json.loads(run(f"eval -f json {WITHOUT} {without_targets}").out)["runs"][0]
    nothing = {"prum_map": None, "eprum_map": None, "eprum_P_1": None, "gen_recall_1": None}
    assert one["topics"]["2"] == {"map": 0, **nothing}
    assert one["all"] == {"map": 0.5, "prum_map": 1, "eprum_map": 1, "eprum_P_1": 1, "gen_recall_1": 1}


def test_topics_without_targets_are_nan_in_trec_and_empty_in_csv(without_targets):
    lines = run(f"eval -q -m gen_recall.1 {without_targets}").out.splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["1", "1.0000"], ["2", "nan"], ["all", "1.0000"]]
    lines = run(f"eval -q -f csv -m gen_recall.1 {without_targets}").out.splitlines()
    assert lines[1:] == ["r,1,gen_recall_1,1.0", "r,2,gen_recall_1,", "r,all,gen_recall_1,1.0"]


def test_no_topic_with_targets(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 0\n", run="1 Q0 a 1 1 r\n")
    output = run(f"eval -m map -m gen_recall.1 {inputs}")
    assert output.status == 0
    assert [line.split("\t")[2] for line in output.out.splitlines()] == ["0.0000", "nan"]
    assert json.loads(run(f"eval -f json -m gen_recall.1 {inputs}").out)["runs"][0]["all"] == {"gen_recall_1": None}
