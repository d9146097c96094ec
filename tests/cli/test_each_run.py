"""--output-dir, -f jsonl, --resume: runs are written one by one, and what is there is not done again."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import prum_eval
from prum_eval.errors import InputError
from prum_eval.schemas import schema
from tests.gold import ROOT, run

DEMO = "fixtures/demo"
RUNS = [f"{DEMO}/run-a.xml", f"{DEMO}/run-b.xml"]
CALL = f"-m eprum_map -m map -s {DEMO}/structure.tsv {DEMO}/assessments {' '.join(RUNS)}"


def stored(folder):
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(folder).iterdir())}


def together():
    return json.loads(run(f"eval -f json {CALL}").out)


def test_a_file_a_run_holds_what_json_prints_of_it(tmp_path):
    output = run(f"eval --output-dir {tmp_path}/out {CALL}")
    assert (output.status, output.out) == (0, "")
    assert output.err.endswith(f"prum-eval: {tmp_path}/out: 2 written\n")
    found, whole = stored(tmp_path / "out"), together()
    assert list(found) == ["run-a.xml.json", "run-b.xml.json"]
    for one, wanted in zip(found.values(), whole["runs"], strict=True):
        jsonschema.validate(one, schema("evaluation"))
        assert one.pop("inputs").keys() >= {f"{DEMO}/structure.tsv", wanted["path"]}
        assert len(one.pop("asked")) == 64
        assert one == {**whole, "runs": [wanted]}


@pytest.mark.parametrize("more", ["", "-j 2"])
def test_lines_are_the_same(tmp_path, more):
    printed = run(f"eval -f jsonl {more} {CALL}")
    assert printed.status == 0
    assert [json.loads(line)["runs"] for line in printed.out.splitlines()] == [[one] for one in together()["runs"]]
    assert run(f"eval -f jsonl -o {tmp_path}/lines {more} {CALL}").out == ""
    assert (tmp_path / "lines").read_text(encoding="utf-8") == printed.out


def test_a_run_that_fails_leaves_the_others(tmp_path):
    output = run(f"eval --output-dir {tmp_path}/out {CALL} no/such/run")
    assert (output.status, output.out) == (1, "")
    assert "no/such/run: cannot be read: No such file or directory\n" in output.err
    assert output.err.endswith(f"prum-eval: {tmp_path}/out: 2 written, 1 failed\n")
    assert len(stored(tmp_path / "out")) == 2


def test_what_is_there_is_not_done_again(tmp_path):
    run(f"eval --output-dir {tmp_path}/out {CALL}")
    (tmp_path / "out" / "run-b.xml.json").unlink()
    before = (tmp_path / "out" / "run-a.xml.json").stat().st_mtime_ns
    output = run(f"eval --resume --output-dir {tmp_path}/out {CALL}")
    assert output.err.endswith(f"prum-eval: {tmp_path}/out: 1 written, 1 there already\n")
    assert (tmp_path / "out" / "run-a.xml.json").stat().st_mtime_ns == before
    assert len(stored(tmp_path / "out")) == 2


def test_other_options_and_changed_inputs_are_done_again(tmp_path):
    for name in ("qrels", "run"):
        (tmp_path / name).write_bytes((ROOT / "fixtures/toy" / name).read_bytes())
    call = f"--output-dir {tmp_path}/out -m map {tmp_path}/qrels {tmp_path}/run"
    run(f"eval {call}")
    assert run(f"eval --resume {call}").err.endswith("0 written, 1 there already\n")
    assert run(f"eval --resume -M 1 {call}").err.endswith("1 written, 0 there already\n")
    assert run(f"eval --resume {call}").err.endswith("1 written, 0 there already\n")
    for name in ("run", "qrels"):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("2 Q0 z 9 -1 r\n" if name == "run" else "2 0 zz 0\n")
        assert run(f"eval --resume {call}").err.endswith("1 written, 0 there already\n")
        assert run(f"eval --resume {call}").err.endswith("0 written, 1 there already\n")


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    file = tmp_path / "lines"
    run(f"eval -f jsonl -o {file} {CALL}")
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole[: len(whole) * 3 // 4], encoding="utf-8")
    output = run(f"eval --resume -f jsonl -o {file} {CALL}")
    assert output.err.endswith(f"prum-eval: {file}: 1 written, 1 there already\n")
    assert file.read_text(encoding="utf-8") == whole


def test_runs_of_equal_file_names_and_several_runs_of_a_file(tmp_path):
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "run").write_text(f"1 Q0 tides 1 9 r{number}\n", encoding="utf-8")
    line = '{"topic": "fine", "doc": "tickets", "start": 0, "end": 9, "score": 1, "run": "%s"}\n'
    (tmp_path / "both.jsonl").write_text(line % "x" + line % "y", encoding="utf-8")
    run(f"eval --output-dir {tmp_path}/out -m map fixtures/toy/qrels {tmp_path}/1/run {tmp_path}/2/run")
    assert list(stored(tmp_path / "out")) == ["run-2.json", "run.json"]
    assert run(f"eval --output-dir {tmp_path}/two -m hit_1 fixtures/rag/gold.jsonl {tmp_path}/both.jsonl").status == 0
    found = stored(tmp_path / "two")
    assert {name: one["runs"][0]["run_id"] for name, one in found.items()} == {
        "both.jsonl.json": "x",
        "both.jsonl.y.json": "y",
    }


def test_what_is_stored_can_be_compared(tmp_path):
    run(f"eval --output-dir {tmp_path}/out {CALL}")
    direct = json.loads(run(f"compare -f json {CALL}").out)
    values = run(f"compare -f json --values {tmp_path}/out/run-a.xml.json {tmp_path}/out/run-b.xml.json")
    means = {(row["measure"], row["run"]): row["mean"] for row in json.loads(values.out)["rows"]}
    assert means == {(row["measure"], row["run"]): row["mean"] for row in direct["rows"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--resume", "--resume is for --output-dir, or for -f jsonl with -o FILE"),
        ("--resume -f jsonl", "--resume with -f jsonl needs -o FILE"),
        ("--output-dir {0}/out -o {0}/file", "--output-dir replaces -o"),
        ("--output-dir {0}/out --plot {0}/a.svg", "--output-dir writes runs one by one; --plot needs all of them"),
        ("-f jsonl --curves {0}/c", "-f jsonl writes runs one by one; --curves needs all of them"),
    ],
)
def test_what_does_not_go_together(tmp_path, options, message):
    output = run(f"eval {options.format(tmp_path)} {CALL}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith(f"Error: {message}\n")
    assert not list(tmp_path.iterdir())


def test_standard_input_cannot_be_read_again():
    message = "prum-eval: runs that are written one by one must be files, not - (standard input)\n"
    assert run("eval -f jsonl -m map fixtures/toy/qrels -") == (2, "", message)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    output = run(f"eval --output-dir {tmp_path}/file/out -m map fixtures/toy/qrels fixtures/toy/run")
    assert (output.status, output.out) == (1, "")
    assert output.err.endswith(f"{tmp_path}/file/out: cannot be written: Not a directory\n")


def test_from_python_runs_come_one_by_one():
    inputs = ROOT / DEMO / "assessments", [ROOT / path for path in RUNS]
    options = {"structure": ROOT / DEMO / "structure.tsv", "measures": ["eprum_map"]}
    each = list(prum_eval.evaluate_each(*inputs, **options))
    whole = prum_eval.evaluate(*inputs, **options)
    assert [one.runs[0] for one in each] == list(whole.runs)
    assert all(len(one.runs) == 1 and one.signature == whole.signature for one in each)


@pytest.fixture
def toy(tmp_path):
    """Copies of the toy's files, and what evaluates them into a folder and resumes."""
    for name in ("qrels", "run"):
        (tmp_path / name).write_bytes((ROOT / "fixtures/toy" / name).read_bytes())
    return f"--output-dir {tmp_path}/out {tmp_path}/qrels {tmp_path}/run"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("-m map", "-m Rprec"),
        ("-m P.5", "-m P.10"),
        ("-m AP", "-m AP --names as-given"),
        ("-m map --topics 1", "-m map --topics 2"),
    ],
)
def test_other_measures_names_and_topics_are_done_again(tmp_path, toy, first, second):
    run(f"eval {first} {toy}")
    fresh = json.loads(run(f"eval -f json {second} {tmp_path}/qrels {tmp_path}/run").out)
    assert run(f"eval --resume {second} {toy}").err.endswith("1 written, 0 there already\n")
    assert stored(tmp_path / "out")["run.json"]["runs"] == fresh["runs"]
    assert run(f"eval --resume {second} {toy}").err.endswith("0 written, 1 there already\n")


def test_other_groups_are_done_again(tmp_path, toy):
    run(f"eval -m map {toy}")
    for groups in ("1\tfew\n2\tfew\n", "1\tfew\n2\tmany\n"):
        (tmp_path / "groups").write_text(groups, encoding="utf-8")
        call = f"eval --resume -m map --groups {tmp_path}/groups {toy}"
        assert run(call).err.endswith("1 written, 0 there already\n")
        assert run(call).err.endswith("0 written, 1 there already\n")


def test_a_run_that_is_gone_does_not_keep_others_from_being_resumed(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"1 Q0 tides 1 9 {name}\n", encoding="utf-8")
    call = f"--output-dir {tmp_path}/out -m map fixtures/toy/qrels {tmp_path}/a {tmp_path}/b"
    run(f"eval {call}")
    (tmp_path / "a").unlink()
    (tmp_path / "out" / "b.json").unlink()
    output = run(f"eval --resume {call}")
    assert output.status == 1
    assert f"{tmp_path}/a: cannot be read: No such file or directory\n" in output.err
    assert output.err.endswith("1 written, 0 there already, 1 failed\n")


def test_a_line_that_was_cut_off_within_a_letter(tmp_path):
    (tmp_path / "run").write_text("1 Q0 tides 1 9 é\n", encoding="utf-8")
    call = f"eval --resume -f jsonl -m map -o {tmp_path}/lines fixtures/toy/qrels {tmp_path}/run"
    run(call)
    whole = (tmp_path / "lines").read_bytes()
    (tmp_path / "lines").write_bytes(whole[: whole.index("é".encode()) + 1])
    assert run(call).err.endswith(f"prum-eval: {tmp_path}/lines: 1 written, 0 there already\n")
    assert (tmp_path / "lines").read_bytes() == whole
    assert run(call).err.endswith("0 written, 1 there already\n")


def test_what_cannot_be_read_to_be_resumed(tmp_path):
    output = run(f"eval --resume -f jsonl -m map -o {tmp_path} fixtures/toy/qrels fixtures/toy/run")
    assert (output.status, output.out) == (1, "")
    assert output.err.endswith(f"{tmp_path}: cannot be read: Is a directory\n")


@pytest.mark.parametrize("where", ["--output-dir {0}/out", "-f jsonl -o {0}/lines"])
def test_a_file_of_several_runs_is_done_when_all_of_them_are_there(tmp_path, where):
    line = '{"topic": "fine", "doc": "tickets", "start": 0, "end": 9, "score": 1, "run": "%s"}\n'
    (tmp_path / "both.jsonl").write_text(line % "x" + line % "y", encoding="utf-8")
    call = f"eval --resume {where.format(tmp_path)} -m hit_1 fixtures/rag/gold.jsonl {tmp_path}/both.jsonl"
    run(call)
    assert run(call).err.endswith("0 written, 1 there already\n")
    if (tmp_path / "lines").exists():
        whole = (tmp_path / "lines").read_bytes()
        (tmp_path / "lines").write_bytes(whole[: len(whole) * 3 // 4])
    else:
        (tmp_path / "out" / "both.jsonl.y.json").unlink()
    assert run(call).err.endswith("2 written, 0 there already\n")
    if (tmp_path / "lines").exists():
        assert (tmp_path / "lines").read_bytes() == whole
    else:
        assert list(stored(tmp_path / "out")) == ["both.jsonl.json", "both.jsonl.y.json"]


def test_a_file_of_lines_is_replaced_when_it_is_complete(tmp_path, monkeypatch):
    from prum_eval.cli.commands import evaluate

    (tmp_path / "lines").write_text("old\n")
    call = f"-f jsonl -o {tmp_path}/lines {CALL}"
    write, written = evaluate._LinesStore.write, []

    def fill_the_disk(store, path, run_id, line):
        if written:
            with (tmp_path / "lines.part").open("a") as part:
                part.write(line[:9])
            raise InputError(f"{tmp_path}/lines", None, "cannot be written: No space left on device")
        written.append(path)
        write(store, path, run_id, line)

    with monkeypatch.context() as full:
        full.setattr(evaluate._LinesStore, "write", fill_the_disk)
        output = run(f"eval {call}")
    assert output.status == 1
    assert output.err.endswith(f"{tmp_path}/lines: cannot be written: No space left on device\n")
    assert (tmp_path / "lines").read_text() == "old\n"
    assert run(f"eval --resume {call}").err.endswith(f"{tmp_path}/lines: 1 written, 1 there already\n")
    assert [json.loads(line)["runs"] for line in (tmp_path / "lines").read_text().splitlines()] == [
        [one] for one in together()["runs"]
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["lines"]


def test_a_stored_result_with_a_key_twice_is_done_again(tmp_path):
    call = f"-f jsonl -o {tmp_path}/lines {CALL}"
    run(f"eval {call}")
    whole = (tmp_path / "lines").read_text()
    (tmp_path / "lines").write_text(whole.replace('"version":', '"version": "0", "version":', 1))
    assert run(f"eval --resume {call}").err.endswith("1 written, 1 there already\n")
    assert sorted((tmp_path / "lines").read_text().splitlines()) == sorted(whole.splitlines())
