"""init: what the files of a folder are, and a configuration that evaluates them."""

from __future__ import annotations

import json
import shutil
import tomllib

import pytest

import prum_eval
from tests.gold import ROOT, run

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 0.5 mine\n"


@pytest.fixture
def demo(tmp_path):
    folder = tmp_path / "demo"
    shutil.copytree(ROOT / "fixtures/demo", folder)
    for path in folder.iterdir():
        if path.name not in {"assessments", "structure.tsv", "run-a.xml", "run-b.xml"}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "notes.txt").write_text("what we tried\n", encoding="utf-8")
    return folder


def test_a_folder_with_everything(demo):
    output = run(f"init {demo}")
    file = demo / "prum-eval.toml"
    inputs = f"assessments {demo}/assessments; structure {demo}/structure.tsv"
    assert output == (0, "", f"prum-eval: {file}: {inputs}; 2 runs; neither: notes.txt\n")
    text = file.read_text(encoding="utf-8")
    assert text.splitlines()[:16] == [
        "# What prum-eval init found in this folder. Read it, change it, then:",
        "#   prum-eval eval --config prum-eval.toml",
        "# No configuration is ever found by itself: a call without --config reads none.",
        "",
        "# What was judged: elements, 2005-2007, 3 topics.",
        'assessments = "assessments"',
        "",
        "# Where elements are: 6 documents, 65 elements.",
        'structure = "structure.tsv"',
        "",
        "# 2 runs; a pattern or a folder stands for its files.",
        "runs = [",
        '    "run-a.xml",',
        '    "run-b.xml",',
        "]",
        "",
    ]
    values = tomllib.loads(text)
    assert [one["measure"] for one in values["measures"]] == ["eprum_map", "gen_recall", "prum_map"]


def test_the_configuration_evaluates_what_was_found(demo):
    run(f"init {demo}")
    written = json.loads(run(f"eval -f json --config {demo}/prum-eval.toml").out)
    inputs = f"-s {demo}/structure.tsv {demo}/assessments {demo}/run-a.xml {demo}/run-b.xml"
    asked = json.loads(run(f"eval -f json -m eprum_map -m gen_recall -m prum_map {inputs}").out)
    assert [one["all"] for one in written["runs"]] == [one["all"] for one in asked["runs"]]


def commented(text):
    """The configuration with every suggestion that is commented out."""
    lines = [line.removeprefix("# ") if line.startswith(("# [[", "# measure")) else line for line in text.splitlines()]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "inputs",
    [
        {"qrels": "fixtures/toy/qrels", "a.run": "fixtures/toy/run"},
        {"gold.jsonl": "fixtures/rag/gold.jsonl", "w.jsonl": "fixtures/rag/windows.jsonl"},
        {"qrels.txt": "fixtures/official/toy/toy.qrels", "a.run": "fixtures/official/toy/B.run"},
        {"s.tsv": "fixtures/demo/structure.tsv", "a.run": "fixtures/demo/run-a.xml", "j": "fixtures/demo/assessments"},
    ],
    ids=["documents", "chunks", "passages", "elements"],
)
def test_every_suggestion_can_be_computed(tmp_path, inputs):
    for name, path in inputs.items():
        source = ROOT / path
        shutil.copytree(source, tmp_path / name) if source.is_dir() else shutil.copy(source, tmp_path / name)
    assert run(f"init {tmp_path}").status == 0
    file = tmp_path / "prum-eval.toml"
    file.write_text(commented(file.read_text(encoding="utf-8")), encoding="utf-8")
    output = run(f"eval --config {file}")
    assert output.status == 0, output.err
    asked = len(tomllib.loads(file.read_text(encoding="utf-8"))["measures"])
    assert len(output.out.splitlines()) >= asked >= 4


def test_many_runs_in_a_folder_of_their_own_are_that_folder(tmp_path):
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "runs").mkdir()
    for number in range(13):
        (tmp_path / "runs" / f"{number:02}").write_text(RUN, encoding="utf-8")
    run(f"init {tmp_path}")
    file = tmp_path / "prum-eval.toml"
    assert tomllib.loads(file.read_text(encoding="utf-8"))["runs"] == ["runs"]
    assert len(json.loads(run(f"eval -f json --config {file}").out)["runs"]) == 13


def test_more_than_one_of_a_kind_is_there_to_choose(tmp_path):
    for name in ("qrels", "qrels.old"):
        (tmp_path / name).write_text(QRELS, encoding="utf-8")
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    lines = run(f"init {tmp_path} -o -").out.splitlines()
    assert lines[4] == "# What was judged: documents, 1 topic."
    assert [line.split("=")[0] for line in lines[5:7]] == ["assessments ", "# assessments "]
    assert [line.rpartition("/")[2] for line in lines[5:7]] == ['qrels"', 'qrels.old"']
    assert not (tmp_path / "prum-eval.toml").exists()


def test_a_folder_of_assessments_comes_before_a_file(demo):
    (demo / "a.qrels").write_text(QRELS, encoding="utf-8")
    lines = run(f"init {demo} -o -").out.splitlines()
    assert lines[4:7] == [
        "# What was judged: elements, 2005-2007, 3 topics.",
        f'assessments = "{demo}/assessments"',
        f'# assessments = "{demo}/a.qrels"',
    ]


def test_what_is_not_there_is_left_to_fill_in(tmp_path):
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    output = run(f"init {tmp_path}")
    assert output.err == f"prum-eval: {tmp_path}/prum-eval.toml: no assessments; no structure; 1 run\n"
    text = (tmp_path / "prum-eval.toml").read_text(encoding="utf-8")
    assert '# No assessments were found.\n# assessments = "..."\n' in text
    assert tomllib.loads(text) == {"runs": ["run"]}


def test_names_are_strings_of_toml_and_lead_on_from_the_file(tmp_path):
    name = 'a "quoted" \\ name\x7f'
    (tmp_path / name).write_text(RUN, encoding="utf-8")
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "etc").mkdir()
    file = tmp_path / "etc" / "mine.toml"
    assert run(f"init {tmp_path} -o {file}").status == 0
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (values["runs"], values["assessments"]) == ([f"../{name}"], "../qrels")
    assert run(f"eval --config {file}").status == 0


def test_a_file_that_is_there_is_left_alone(demo):
    (demo / "prum-eval.toml").write_text("mine", encoding="utf-8")
    reason = "exists already and is not changed; -o names another file"
    assert run(f"init {demo}") == (1, "", f"{demo}/prum-eval.toml: {reason}\n")
    assert (demo / "prum-eval.toml").read_text(encoding="utf-8") == "mine"
    there = f"{demo}/none/../prum-eval.toml"
    assert run(f"init {demo} -o {there}") == (1, "", f"{there}: cannot be written: No such file or directory\n")
    assert (demo / "prum-eval.toml").read_text(encoding="utf-8") == "mine"


def test_folders_with_nothing_in_them(tmp_path):
    reason = "no assessments and no runs in it, nor in the folders in it"
    assert run(f"init {tmp_path}") == (1, "", f"{tmp_path}: {reason}\n")
    assert run(f"init {tmp_path}/none") == (1, "", f"{tmp_path}/none: is no folder\n")


def test_from_python(demo):
    found = prum_eval.suggest_configuration(str(demo))
    assert found.inputs.structures == (f"{demo}/structure.tsv",)
    assert 'assessments = "assessments"' in found.text


def test_no_configuration_is_found_by_itself(demo, monkeypatch):
    run(f"init {demo}")
    monkeypatch.chdir(demo)
    direct = prum_eval.evaluate("assessments", "run-a.xml", measures="map")
    assert list(direct.runs[0].all) == ["map"]
    with pytest.raises(prum_eval.UsageError):
        prum_eval.evaluate(measures="map")
