"""eval --config: each of the three forms asks for what -m and the options ask for."""

from __future__ import annotations

import json

import pytest

from prum_eval import UsageError, evaluate
from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
JUDGED = f"-s {DEMO}/structure.tsv {DEMO}/assessments"
RUN_A, RUN_B = DEMO / "run-a.xml", DEMO / "run-b.xml"


@pytest.fixture
def write(tmp_path):
    def write(text, name="config"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def averages(command):
    """{name: value} of every run, and standard error."""
    output = run(f"eval -f json {command}")
    assert output.status == 0, output.err
    return [one["all"] for one in json.loads(output.out)["runs"]], output.err


LABELLED = """\
[[measures]]
id = "patient"
measure = "eprum_map"
user_model = "t2i"
tolerance = 1000

[[measures]]
id = "steps"
measure = "gen_recall.2,5"
user_model = "t2i:tolerance=20,once=on"

[[measures]]
measure = "eprum_map"
graded = false

[[measures]]
measure = "bepd"
A = 0.1

[[measures]]
measure = "P_3"
"""


def test_tables_of_measures_are_specifications(write):
    path = write(LABELLED)
    (wanted,), _ = averages(
        "-m eprum_map:user_model=t2i,tolerance=1000 -m gen_recall.2,5:user_model=t2i,tolerance=20,once=on "
        f"-m eprum_map:graded=off -m bepd:A=0.1 -m P.3 {JUDGED} {RUN_A}"
    )
    (found,), _ = averages(f"--config {path} {JUDGED} {RUN_A}")
    assert found == {
        "P_3": wanted["P_3"],
        "eprum_map:patient": wanted["eprum_map:tolerance=1000,user_model=t2i"],
        "eprum_map:graded=off": wanted["eprum_map:graded=off"],
        "gen_recall_2:steps": wanted["gen_recall_2:once=on,tolerance=20,user_model=t2i"],
        "gen_recall_5:steps": wanted["gen_recall_5:once=on,tolerance=20,user_model=t2i"],
        "bepd:A=0.1": wanted["bepd:A=0.1"],
    }
    assert len(set(found.values())) > 4


def test_every_printed_name_is_accepted_back_beside_the_configuration(write):
    path = write(LABELLED)
    (found,), _ = averages(f"--config {path} {JUDGED} {RUN_A}")
    again = " ".join(f"-m {name}" for name in found)
    assert averages(f"--config {path} {again} {JUDGED} {RUN_A}")[0] == [found]


def test_a_label_takes_other_cutoffs(write):
    path = write(LABELLED)
    (found,), _ = averages(f"--config {path} -m gen_recall_7:steps {JUDGED} {RUN_A}")
    (wanted,), _ = averages(f"-m gen_recall_7:user_model=t2i,tolerance=20,once=on {JUDGED} {RUN_A}")
    assert found["gen_recall_7:steps"] == next(iter(wanted.values()))


INPUTS = f"""\
assessments = "{DEMO}/assessments"
structure = "{DEMO}/structure.tsv"
runs = ["{DEMO}/run-*.xml", "{DEMO}/run-a.xml", "{DEMO}/run-a.paths.run"]
"""


def test_inputs_of_the_configuration(write):
    path = write(f"{INPUTS}limit = 3\ncomplete = true\n[[measures]]\nmeasure = 'num_ret'\n")
    report = json.loads(run(f"eval -f json --config {path}").out)
    assert [one["path"] for one in report["runs"]] == [
        str(DEMO / name) for name in ("run-a.xml", "run-b.xml", "run-a.paths.run")
    ]
    assert report["parameters"]["limit"] == 3
    assert report["parameters"]["complete"] is True
    assert report["parameters"]["structure"] == str(DEMO / "structure.tsv")
    assert [one["all"]["num_ret"] for one in report["runs"]] == [9, 8, 9]


def test_arguments_and_options_come_before_the_configuration(write):
    path = write(f"{INPUTS}task = 'trec'\nlimit = 3\n")
    command = f"-f json --config {path} -t prum -M 2 {DEMO}/judged.txt {DEMO}/run-a.offsets.run --targets passages"
    report = json.loads(run(f"eval {command}").out)
    assert [one["path"] for one in report["runs"]] == [str(DEMO / "run-a.offsets.run")]
    assert report["parameters"]["assessments"] == str(DEMO / "judged.txt")
    assert report["parameters"]["limit"] == 2
    assert "prum_map" in report["runs"][0]["all"]
    assert "map" not in report["runs"][0]["all"]


def test_the_task_of_the_configuration(write):
    path = write(f"{INPUTS}task = 'inex2006-focused'\n")
    wanted = run(f"eval -t inex2006-focused {JUDGED} {RUN_A} {RUN_B} {DEMO}/run-a.paths.run")
    found = run(f"eval --config {path}")
    assert wanted.status == 0
    assert (found.out, found.err.splitlines()[-1]) == (wanted.out, wanted.err.splitlines()[-1])


def test_a_configuration_of_inputs_alone_prints_the_official_set(write):
    assert run(f"eval --config {write(INPUTS)}").out == run(f"eval {JUDGED} {RUN_A} {RUN_B} {DEMO}/run-a.paths.run").out


def test_paths_are_relative_to_the_folder_of_the_configuration(tmp_path, write):
    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "runs" / name).write_bytes((ROOT / "fixtures" / "toy" / "run").read_bytes())
    (tmp_path / "qrels").write_bytes((ROOT / "fixtures" / "toy" / "qrels").read_bytes())
    path = write("assessments = 'qrels'\nruns = ['runs']\n[[measures]]\nmeasure = 'map'\n")
    report = json.loads(run(f"eval -f json --config {path}").out)
    assert [one["path"] for one in report["runs"]] == [f"{tmp_path}/runs/a", f"{tmp_path}/runs/b"]
    assert [one["all"] for one in report["runs"]] == [{"map": 0.75}] * 2


def test_from_python(write):
    path = write(f"{INPUTS}[[measures]]\nid = 'one'\nmeasure = 'gen_recall.1'\n")
    found = evaluate(config=path)
    wanted = evaluate(DEMO / "assessments", RUN_A, structure=DEMO / "structure.tsv", measures="gen_recall.1")
    assert found.runs[0].all == {"gen_recall_1:one": wanted.runs[0].all["gen_recall_1"]}
    with pytest.raises(UsageError, match=r"^no runs: give them, or a configuration file with them$"):
        evaluate(DEMO / "assessments", config=write("limit = 5"))


BEST = """\
<?xml version="1.0"?>
<!-- as in INEX 2006 -->
<metrics>
  <EPRUM id="eprum-bep-0.1" only="BestInContext">
    <binary value="false"/>
    <generator value="BEPTargetGenerator"/>
    <quantisation value="{quantisation}"/>
    <behaviour value="BEPDistance"><A value="0.1"/></behaviour>
  </EPRUM>
  <BEPD only="BestInContext" id="bepd-10"><a value="10"/></BEPD>
  <BEPD id="plain"/>
</metrics>
"""


@pytest.mark.parametrize("quantisation", ["Exh", "Gen", "Strict"])
def test_metrics_of_evalj(tmp_path, write, quantisation):
    path = write(BEST.format(quantisation=quantisation))
    submission = RUN_A.read_text(encoding="utf-8").replace('task="Thorough"', 'task="BestInContext"')
    (tmp_path / "run").write_text(submission, encoding="utf-8")
    (found,), _ = averages(f"--config {path} {JUDGED} {tmp_path}/run")
    (wanted,), _ = averages(f"-m eprum:A=0.1 -m bepd:A=10 -m bepd --targets bep {JUDGED} {tmp_path}/run")
    renamed = {
        name.replace("bepd:A=10", "bepd:bepd-10").replace(":A=0.1", ":eprum-bep-0.1").replace("bepd", "bepd", 1): value
        for name, value in wanted.items()
    }
    renamed["bepd:plain"] = renamed.pop("bepd")
    assert found == renamed
    assert next(iter(found)) == "eprum_map:eprum-bep-0.1"


def test_binary_is_about_grades(tmp_path, write):
    text = BEST.format(quantisation="Exh").replace("false", "true")
    submission = RUN_A.read_text(encoding="utf-8").replace('task="Thorough"', 'task="BestInContext"')
    (tmp_path / "run").write_text(submission, encoding="utf-8")
    report = json.loads(run(f"eval -f json --config {write(text)} {JUDGED} {tmp_path}/run").out)
    assert report["parameters"]["measures"]["eprum_map:eprum-bep-0.1"]["graded"] == "off"


FOCUSED = """\
# Focused
! official
aPath = {folder}
TASK: Focused
METRICS: nxCG
ALPHA: 1.0
DCV: 5, 10
OVERLAP: {overlap}
QUANT_FUNCTIONS: {quantisations}
ASSESSMENTS_DIR: $aPath/assessments/
SUBMISSIONRUNS_DIR: ${{aPath}}/run-?.xml
RESULTS_DIR: $aPath/results
"""


def test_properties_of_xcgeval(write):
    path = write(FOCUSED.format(folder=DEMO, overlap="on, off", quantisations="gen"))
    found, said = averages(f"--config {path} -s {DEMO}/structure.tsv")
    wanted, _ = averages(f"-m nxcg.5,10 -m nxcg.5,10:overlap=off {JUDGED} {RUN_A} {RUN_B}")
    assert found == wanted
    assert list(found[0]) == ["nxcg_5", "nxcg_10", "nxcg_5:overlap=off", "nxcg_10:overlap=off"]
    assert found[0]["nxcg_5"] != found[0]["nxcg_5:overlap=off"]
    assert said.splitlines()[0] == (
        f"prum-eval: warning: {path}:12: RESULTS_DIR: nothing is written there; results go to standard output, or to "
        "the file of -o"
    )
    assert not (DEMO / "results").exists()


def test_a_list_makes_instances_one_value_a_setting(write):
    path = write(FOCUSED.format(folder=DEMO, overlap="off", quantisations="strict, genLifted"))
    found, _ = averages(f"--config {path} -s {DEMO}/structure.tsv")
    specs = "-m nxcg.5,10:quantisation=strict -m nxcg.5,10:quantisation=genlifted --set overlap=off"
    assert found == averages(f"{specs} {JUDGED} {RUN_A} {RUN_B}")[0]
    assert next(iter(found[0])) == "nxcg_5:quantisation=strict"


def test_thorough(write):
    lines = ["TASK=Thorough", "METRICS=ep/gr, MAnxCG, xCG", "OVERLAP=off", "QUANT_FUNCTIONS=gen"]
    path = write("\n".join(lines))
    found, _ = averages(f"--config {path} {JUDGED} {RUN_A}")
    wanted, _ = averages(
        f"-m maep -m ep_at_gr -m manxcg -m xcg.5,10,15,20,30,100 --set base=full --set overlap=off {JUDGED} {RUN_A}"
    )
    assert found == wanted
    assert len(found[0]) == 1 + 10 + 6 + 6


def test_placeholders_from_the_environment(monkeypatch, write):
    text = FOCUSED.format(folder="$root/demo", overlap="on", quantisations="gen")
    monkeypatch.setenv("root", str(DEMO.parent))
    assert run(f"eval --config {write(text)}").status == 0
