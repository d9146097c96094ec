"""gold: what is written down, what a check says of values that stay and of values that move, and bad gold files."""

from __future__ import annotations

import hashlib
import json
import shutil
from xml.etree import ElementTree as ET

import pytest

from prum_eval import __version__, evaluate
from tests.gold import ROOT, run

DEMO = "fixtures/demo"
INPUTS = f"{DEMO}/assessments {DEMO}/run-a.xml {DEMO}/run-b.xml"
OPTIONS = f"-s {DEMO}/structure.tsv -m num_ret -m map -m eprum_map -m gen_recall.5 --set graded=off -M 5"


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "demo.gold.json"
    assert run(f"gold write {path} {OPTIONS} {INPUTS}").status == 0
    return path


def changed(path, change):
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def shift(topic, measure, by, number=0):
    def change(data):
        one = data["runs"][number]
        values = one["all"] if topic == "all" else one["topics"][topic]
        values[measure] += by

    return change


def test_a_gold_file_holds_all_values_the_options_and_the_sums_of_the_inputs(gold):
    data = json.loads(gold.read_text(encoding="utf-8"))
    runs = [f"{DEMO}/run-a.xml", f"{DEMO}/run-b.xml"]
    measures = ["num_ret", "map", "eprum_map", "gen_recall.5"]
    options = {"structure": f"{DEMO}/structure.tsv", "measures": measures, "settings": {"graded": "off"}, "limit": 5}
    direct = evaluate(ROOT / DEMO / "assessments", [ROOT / one for one in runs], **options | {
        "structure": ROOT / DEMO / "structure.tsv"
    })  # fmt: skip
    assert data["gold"] == 1
    assert data["version"] == __version__
    assert data["signature"] == direct.signature
    assert data["arguments"] == {"assessments": f"{DEMO}/assessments", "runs": runs, **options}
    assert [one["topics"] for one in data["runs"]] == [one.topics for one in direct.runs]
    assert [one["all"] for one in data["runs"]] == [one.all for one in direct.runs]
    files = [*runs, f"{DEMO}/structure.tsv", *(f"{DEMO}/assessments/topic-10{n}.xml" for n in (1, 2, 3))]
    assert data["inputs"] == {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in files}


def test_how_it_is_evaluated_is_not_written_down(tmp_path):
    assert run(f"gold write {tmp_path}/gold -m map -j 2 --no-cache {INPUTS}").status == 0
    arguments = json.loads((tmp_path / "gold").read_text(encoding="utf-8"))["arguments"]
    assert arguments.keys() == {"assessments", "runs", "measures"}


def test_write_says_what_eval_says(tmp_path):
    command = f"{DEMO}/assessments {DEMO}/run-a.xml -m eprum_map"
    written, evaluated = run(f"gold write {tmp_path}/gold {command}"), run(f"eval {command}")
    assert (written.status, written.out) == (0, "")
    assert written.err == f"{evaluated.err}prum-eval: {tmp_path}/gold: written: 1 run, 3 topics, 1 measure\n"
    assert "prum-eval: warning: no structure" in written.err


def test_nothing_moved(gold):
    # 2 runs x 4 measures x (3 topics and their mean)
    assert run(f"gold check {gold}") == (0, "", f"prum-eval: {gold}: 2 runs, 32 values, none moved\n")
    assert run(f"gold check --exact {gold}").status == 0


def test_a_value_that_moved_is_named_with_its_topic_and_how_far(gold):
    changed(gold, shift("102", "eprum_map", 0.25))
    output = run(f"gold check {gold}")
    now = evaluate(
        ROOT / DEMO / "assessments", ROOT / DEMO / "run-a.xml", structure=ROOT / DEMO / "structure.tsv",
        measures="eprum_map", settings={"graded": "off"}, limit=5,
    ).runs[0].topics["102"]["eprum_map"]  # fmt: skip
    assert output.status == 1
    assert output.out.splitlines() == [
        f"{gold}: 2 runs, 32 values, 1 moved (1 fell)",
        "",
        "bm25-sections (fixtures/demo/run-a.xml): 1 of 16 values moved",
        "measure    topic            gold           now    difference",
        "---------  -------  ------------  ------------  ------------",
        f"eprum_map  102      {now + 0.25:.10f}  {now:.10f}         -0.25",
    ]
    assert output.err == ""


def test_the_mean_comes_first_and_then_the_topics_that_moved_most(gold):
    def change(data):
        for topic, by in (("101", 0.125), ("102", -0.5), ("103", 0.25), ("all", 0.0625)):
            shift(topic, "map", by)(data)

    lines = run(f"gold check {changed(gold, change)}").out.splitlines()
    assert [line.split()[1::3] for line in lines[5:]] == [
        ["all", "-0.0625"], ["102", "+0.5"], ["103", "-0.25"], ["101", "-0.125"],
    ]  # fmt: skip


def test_tolerances(gold):
    changed(gold, shift("101", "eprum_map", 1e-6))
    assert run(f"gold check {gold}").status == 1
    assert run(f"gold check --absolute 0.9e-6 {gold}").status == 1
    assert run(f"gold check --absolute 1.1e-6 {gold}").status == 0
    value = json.loads(gold.read_text(encoding="utf-8"))["runs"][0]["topics"]["101"]["eprum_map"]
    assert run(f"gold check --relative {1.1e-6 / value} {gold}").status == 0
    assert run(f"gold check --relative {0.9e-6 / value} {gold}").status == 1
    assert run(f"gold check --absolute 1.1e-6 --relative 0 {gold}").status == 0


def test_by_default_rounding_may_differ_and_exactly_it_may_not(gold):
    changed(gold, shift("101", "eprum_map", 1e-13))
    assert run(f"gold check {gold}").status == 0
    output = run(f"gold check --exact {gold}")
    assert output.status == 1
    assert "moved" in output.out
    assert output.out.split()[-1].startswith("-")
    assert output.out.split()[-1].endswith("e-13")


def test_exact_and_a_tolerance_do_not_go_together(gold):
    output = run(f"gold check --exact --absolute 1 {gold}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith("prum-eval: --exact cannot be combined with --absolute or --relative\n")


def test_values_that_only_one_side_has(gold):
    def change(data):
        one = data["runs"][1]
        del one["topics"]["103"]
        one["topics"]["101"]["extra"] = one["all"]["extra"] = 2
        one["topics"]["102"]["num_ret"] = None

    lines = run(f"gold check {changed(gold, change)}").out.splitlines()
    assert [line.split() for line in lines[5:]] == [
        ["num_ret", "102", "nan", "3"],
        ["num_ret", "103", "absent", "2"],
        *([name, "103", "absent", lines[number].split()[3]] for number, name in (
            (7, "map"), (8, "eprum_map"), (9, "gen_recall_5")
        )),
        ["extra", "all", "2", "absent"],
        ["extra", "101", "2", "absent"],
    ]  # fmt: skip


def test_ten_topics_of_a_measure_are_named_unless_all_are_wanted(tmp_path):
    topics = range(1, 15)
    (tmp_path / "qrels").write_text("".join(f"{n} 0 a 1\n" for n in topics), encoding="utf-8")
    (tmp_path / "run").write_text("".join(f"{n} Q0 a 1 1 r\n" for n in topics), encoding="utf-8")
    gold = tmp_path / "gold"
    run(f"gold write {gold} -m map {tmp_path}/qrels {tmp_path}/run")

    def change(data):
        for n in topics:
            data["runs"][0]["topics"][str(n)]["map"] = 0

    changed(gold, change)
    lines = run(f"gold check {gold}").out.splitlines()
    assert len(lines) == 5 + 11
    assert lines[-1].split() == ["map", "(4", "more)"]
    assert len(run(f"gold check --full {gold}").out.splitlines()) == 5 + 14


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "data"
    shutil.copytree(ROOT / DEMO, folder)
    gold = tmp_path / "gold.json"
    run(f"gold write {gold} -m eprum_map -s {folder}/structure.tsv {folder}/assessments {folder}/run-a.xml")

    def change(data):
        data["arguments"] |= {"assessments": "assessments", "runs": ["run-a.xml"], "structure": "structure.tsv"}
        data["inputs"] = {name.removeprefix(f"{folder}/"): value for name, value in data["inputs"].items()}

    return changed(gold, change), folder


def test_relative_paths_lead_on_from_a_directory(elsewhere):
    gold, folder = elsewhere
    assert run(f"gold check {gold} --directory {folder}") == (
        0, "", f"prum-eval: {gold}: 1 run, 4 values, none moved\n"
    )  # fmt: skip
    assert run(f"gold check {gold}") == (1, "", "assessments: cannot be read: No such file or directory\n")


def test_changed_inputs_are_named_and_fail_nothing_by_themselves(elsewhere):
    gold, folder = elsewhere
    for name in ("run-a.xml", "assessments/topic-102.xml"):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("\n")
    output = run(f"gold check {gold} --directory {folder}")
    notes = "input changed: assessments/topic-102.xml; input changed: run-a.xml"
    assert output == (0, "", f"prum-eval: {gold}: 1 run, 4 values, none moved; {notes}\n")


def test_a_changed_run_moves_values_and_is_named(elsewhere):
    gold, folder = elsewhere
    (folder / "run-a.xml").write_bytes((folder / "run-b.xml").read_bytes())
    (folder / "assessments" / "notes.txt").write_text("new", encoding="utf-8")
    output = run(f"gold check {gold} --directory {folder}")
    assert output.status == 1
    assert output.out.splitlines()[:5] == [
        f"{gold}: 1 run, 4 values, 4 moved (4 fell)",
        "  input is new: assessments/notes.txt",
        "  input changed: run-a.xml",
        "  run bm25-sections is called article-only now",
        "",
    ]


def test_version_and_signature_are_named(gold):
    def change(data):
        data["version"] = "0.0.1"
        data["signature"] = data["signature"].replace(f"prum-eval {__version__}", "prum-eval 0.0.1").replace(
            "limit:5", "limit:6"
        )  # fmt: skip

    assert run(f"gold check {changed(gold, change)}").err == (
        f"prum-eval: {gold}: 2 runs, 32 values, none moved; prum-eval is {__version__}, the gold values are of 0.0.1; "
        "signature lost: limit:6; signature gained: limit:5\n"
    )


def test_junit_has_a_case_for_every_run_and_measure(gold, tmp_path):
    changed(gold, shift("102", "map", 0.25, number=1))
    assert run(f"gold check {gold} --junit {tmp_path}/report.xml").status == 1
    root = ET.parse(tmp_path / "report.xml").getroot()  # noqa: S314 - our own file
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "8", "1", "0")
    suites = root.findall("testsuite")
    assert [(one.get("name"), one.get("tests"), one.get("failures")) for one in suites] == [
        ("bm25-sections", "4", "0"),
        ("article-only", "4", "1"),
    ]
    names = ["num_ret", "map", "eprum_map", "gen_recall_5"]
    assert [case.get("name") for case in root.iter("testcase")] == names * 2
    (failed,) = (case for case in root.iter("testcase") if len(case))
    assert (failed.get("classname"), failed.get("name")) == ("article-only (fixtures/demo/run-b.xml)", "map")
    (failure,) = failed
    assert failure.get("message") == "values moved: 1"
    assert failure.text.startswith("102: 0.")
    assert failure.text.endswith(" -0.25")


def test_junit_of_a_check_that_could_not_be_done(elsewhere, tmp_path):
    gold, _ = elsewhere
    assert run(f"gold check {gold} --junit {tmp_path}/report.xml").status == 1
    root = ET.parse(tmp_path / "report.xml").getroot()  # noqa: S314 - our own file
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "1")
    assert root.find(".//error").get("message") == "assessments: cannot be read: No such file or directory"


def test_junit_is_legal_xml_whatever_a_run_is_called(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\x01<&\n", encoding="utf-8")
    run(f"gold write {tmp_path}/gold -m map {tmp_path}/qrels {tmp_path}/run")
    assert run(f"gold check {tmp_path}/gold --junit {tmp_path}/report.xml").status == 0
    suite = ET.parse(tmp_path / "report.xml").getroot().find("testsuite")  # noqa: S314 - our own file
    assert suite.get("name") == "r\ufffd<&"


def test_standard_input_cannot_be_read_again(tmp_path):
    output = run(f"gold write {tmp_path}/gold {DEMO}/assessments -")
    assert output == (2, "", "prum-eval: a gold file names its inputs, so - (standard input) is not possible\n")
    assert not (tmp_path / "gold").exists()


def drop(key):
    return lambda data: data.pop(key)


def put(key, value):
    return lambda data: data.update({key: value})


def argument(key, value):
    return lambda data: data["arguments"].update({key: value})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (drop("gold"), "no gold file (those are written by prum-eval gold write)"),
        (put("gold", 2), "a gold file of layout 2; this version reads layout 1"),
        (drop("inputs"), "inputs: expected an object, found nothing"),
        (put("inputs", {"a": 1}), "inputs: expected texts, found 1"),
        (argument("assessments", 3), "arguments.assessments: expected a text, found 3"),
        (argument("runs", ["a", "b", "c"]), "runs: expected one for each of arguments.runs, found 2"),
        (argument("runs", ["a", 2]), "arguments.runs: expected texts, found 2"),
        (argument("depth", "5"), "arguments.depth: unknown argument in this version of prum-eval"),
        (argument("limit", "5"), "arguments.limit: '5' is no value of it"),
        (argument("limit", True), "arguments.limit: True is no value of it"),  # noqa: FBT003
        (argument("measures", [1]), "arguments.measures: [1] is no value of it"),
        (put("runs", [{}, {}]), "runs[0].topics: expected an object, found nothing"),
        (
            lambda data: data["runs"][1]["all"].update(map="x"),
            "runs[1].all.map: expected a number or null, found 'x'",
        ),
        (argument("measures", ["mapp"]), None),
    ],
)  # fmt: skip
def test_bad_gold_files(gold, change, reason):
    output = run(f"gold check {changed(gold, change)}")
    if reason is None:  # a wrong option in a file is bad data, not bad usage
        assert output.err.startswith(f"prum-eval: {gold}: no measure mapp")
    else:
        assert output.err == f"{gold}: {reason}\n"
    assert (output.status, output.out) == (1, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{\n  'a'}", ":2: not JSON: Expecting property name enclosed in double quotes"),
        ('{"gold": NaN}', ": not JSON: NaN is not a number of JSON"),
        ("[]", ": no gold file (those are written by prum-eval gold write)"),
        ("[" * 100_000, ": not JSON: nested too deeply"),
        ('{"gold": 1, "runs": [1e999]}', ": not JSON: '1e999' is not a finite number"),
        ('{"gold": 1, "runs": [Infinity]}', ": not JSON: Infinity is not a number of JSON"),
        ('{"gold": 1, "gold": 2}', ": not JSON: the key 'gold' appears twice"),
        ('{"gold": ' + "9" * 400 + "}", f": not JSON: '{'9' * 80}...' is not an integer of 64 bits"),
        ('{"gold": ' + "9" * 5000 + "}", f": not JSON: '{'9' * 80}...' is not an integer of 64 bits"),
        ('{"gold": "' + "x" * 100 + '"}', f": a gold file of layout '{'x' * 79}...; this version reads layout 1"),
    ],
)
def test_files_that_are_no_gold_files(tmp_path, text, reason):
    (tmp_path / "gold").write_text(text, encoding="utf-8")
    output = run(f"gold check {tmp_path}/gold")
    assert (output.status, output.out) == (1, "")
    assert output.err.startswith(f"{tmp_path}/gold: no JSON") if reason is None else (
        output.err == f"{tmp_path}/gold{reason}\n"
    )  # fmt: skip


def test_no_gold_file_and_no_place_to_write_one(tmp_path):
    reason = "cannot be read: No such file or directory"
    assert run(f"gold check {tmp_path}/none") == (1, "", f"{tmp_path}/none: {reason}\n")
    path = f"{tmp_path}/none/gold"
    output = run(f"gold write {path} -m map {DEMO}/assessments {DEMO}/run-a.xml")
    assert (output.status, output.out) == (1, "")
    assert output.err.endswith(f"{path}: cannot be written: No such file or directory\n")


def test_the_report_fits_80_columns(gold):
    def change(data):
        for values in (data["runs"][0]["all"], data["runs"][0]["topics"]["101"]):
            values.update(dict.fromkeys(("num_ret", "map", "eprum_map", "gen_recall_5"), 0.123))

    assert max(map(len, run(f"gold check {changed(gold, change)}").out.splitlines()[1:])) <= 80


def test_several_user_models_and_tasks_are_repeated(tmp_path):
    inputs = "fixtures/demo/assessments fixtures/demo/run-a.xml -s fixtures/demo/structure.tsv"
    gold = tmp_path / "models.gold.json"
    assert run(f"gold write {gold} {inputs} -u none -u t2i -m eprum_map").status == 0
    assert run(f"gold check {gold}").status == 0
    assert run(f"gold write {gold} {inputs} -t prum -t inex2006-thorough -M 1500").status == 0
    assert run(f"gold check {gold}").status == 0


@pytest.mark.parametrize("key", ["cluster", "jobs", "cache", "curves"])
def test_a_gold_file_chooses_no_place_of_work(tmp_path, key):
    run(f"gold write {tmp_path}/gold.json fixtures/toy/qrels fixtures/toy/run -m map")
    text = (tmp_path / "gold.json").read_text()
    (tmp_path / "gold.json").write_text(text.replace('"assessments"', f'"{key}": "tcp://a:1", "assessments"', 1))
    output = run(f"gold check {tmp_path}/gold.json")
    message = f"arguments.{key}: a gold file cannot choose where to compute; remove it"
    assert output == (1, "", f"{tmp_path}/gold.json: {message}\n")


@pytest.mark.parametrize("key", ["problems", "progress", "output"])
def test_a_gold_file_has_no_arguments_but_options(tmp_path, key):
    run(f"gold write {tmp_path}/gold.json fixtures/toy/qrels fixtures/toy/run -m map")
    text = (tmp_path / "gold.json").read_text()
    (tmp_path / "gold.json").write_text(text.replace('"assessments"', f'"{key}": "x", "assessments"', 1))
    output = run(f"gold check {tmp_path}/gold.json")
    message = f"arguments.{key}: unknown argument in this version of prum-eval"
    assert output == (1, "", f"{tmp_path}/gold.json: {message}\n")
