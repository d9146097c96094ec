"""Where results go and where inputs come from: -o, pipes, standard input, compression."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.gold import ROOT, run
from tests.slow import slow

TOY = "fixtures/toy/qrels fixtures/toy/run"
MAP = "map                   \tall\t0.7500\n"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_output_file(tmp_path):
    target = tmp_path / "result.trec"
    output = run(f"eval -m map -o {target} {TOY}")
    assert (output.status, output.out) == (0, "")
    assert target.read_text(encoding="utf-8") == MAP
    assert names(tmp_path) == ["result.trec"]


def test_output_file_is_replaced(tmp_path):
    target = tmp_path / "result.trec"
    target.write_text("something longer that was there before\n" * 9, encoding="utf-8")
    assert run(f"eval -m map -o {target} {TOY}").status == 0
    assert target.read_text(encoding="utf-8") == MAP


def test_output_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "other").touch()
    run(f"eval -m map -o {tmp_path}/result {TOY}")
    assert (tmp_path / "result").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_bad_data_leave_the_output_file_as_it_was(tmp_path):
    target = tmp_path / "result.trec"
    target.write_text("before\n", encoding="utf-8")
    (tmp_path / "bad").write_text("1 Q0 a 1 high r\n", encoding="utf-8")
    assert run(f"eval -m map -o {target} fixtures/toy/qrels {tmp_path}/bad").status == 1
    assert target.read_text(encoding="utf-8") == "before\n"
    assert names(tmp_path) == ["bad", "result.trec"]


def test_runs_that_complete_are_written_though_another_fails(tmp_path):
    missing = f"{tmp_path}/missing: cannot be read: No such file or directory\n"
    output = run(f"eval -m map -o {tmp_path}/result {TOY} {tmp_path}/missing")
    assert (output.status, output.out) == (1, "")
    assert output.err.endswith(missing)
    # As for any call with several runs, each block names its run.
    assert (tmp_path / "result").read_text(encoding="utf-8") == run(f"eval -m map {TOY} {tmp_path}/missing").out
    assert (tmp_path / "result").read_text(encoding="utf-8").endswith(MAP)


def test_directory_that_does_not_exist(tmp_path):
    output = run(f"eval -m map -o {tmp_path}/nowhere/result {TOY}")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == f"{tmp_path}/nowhere/result: cannot be written: No such file or directory"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_directory_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    output = run(f"eval -m map -o {tmp_path}/result {TOY}")
    tmp_path.chmod(0o700)
    assert output.status == 1
    assert output.err.splitlines()[-1] == f"{tmp_path}/result: cannot be written: Permission denied"


def test_output_file_that_is_a_directory(tmp_path):
    (tmp_path / "result").mkdir()
    output = run(f"eval -m map -o {tmp_path}/result {TOY}")
    assert output.status == 1
    assert output.err.splitlines()[-1] == f"{tmp_path}/result: cannot be written: Is a directory"
    assert names(tmp_path) == ["result"]


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    for _ in range(2):  # the file that it leads to is made, then replaced
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to("folder/result")
        assert run(f"eval -m map -o {tmp_path}/link {TOY}").status == 0
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "result").read_text(encoding="utf-8") == MAP
    assert names(tmp_path / "folder") == ["result"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_device_that_takes_nothing():
    before = Path("/dev/full").stat()
    output = run(f"eval -m map -o /dev/full {TOY}")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == "/dev/full: cannot be written: No space left on device"
    assert os.path.samestat(Path("/dev/full").stat(), before)


def test_a_pipe_is_written_into(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = shell(f"cat {tmp_path}/pipe & prum-eval eval -m map -o {tmp_path}/pipe {TOY} && wait")
    assert (done.returncode, done.stdout.decode()) == (0, MAP)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_standard_output_by_name(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(f"eval -m map -o {path} {TOY}").out == MAP
    assert (
        run(f"convert fixtures/toy/run --to run-jsonl --lossy -o {path}").out
        == run("convert fixtures/toy/run --to run-jsonl --lossy").out
    )
    assert names(tmp_path) == []


def test_an_index_is_not_printed():
    output = run("index fixtures/demo/structure.tsv -o -")
    assert output.status == 2
    assert output.err.splitlines()[-1] == "Error: an index cannot be printed: give -o FILE"


@pytest.mark.parametrize(
    "command",
    [
        "eval -m map {qrels} {run} -o {run}",
        "eval -m map {qrels} {run} -o {link}",
        "eval -m map {qrels} {run} --plot {svg}",
        "compare {qrels} {run} {run} -o {qrels}",
        "correlate --values {run} {run} -o {run}",
        "convert {run} --to run-jsonl -o {run}",
        "explain {qrels} {run} --topic 1 -o {run}",
        "index {run} -o {run}",
        "gold write {run} {qrels} {run}",
        "gold check {run} --junit {run}",
        "eval -m map {qrels} {run} -o {run.parent}/none/../run",
    ],
)
def test_an_input_is_never_overwritten(tmp_path, command):
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 r\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "link").symlink_to("run")
    os.link(tmp_path / "run", tmp_path / "run.svg")
    paths = {name: tmp_path / name for name in ("run", "qrels", "link")}
    given = command.format(**paths, svg=tmp_path / "run.svg")
    output = run(given)
    assert (output.status, output.out) == (2, "")
    target = given.rpartition(" ")[2] if "write" not in given else paths["run"]
    assert output.err.splitlines()[-1] == f"Error: {target} is an input and would be overwritten"
    assert (tmp_path / "run").read_text() == "1 Q0 a 1 0.5 r\n"


@pytest.mark.parametrize("target", ["run", "qrels"])
def test_an_input_of_a_configuration_is_never_overwritten(tmp_path, target):
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 r\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "c.toml").write_text('assessments = "qrels"\nruns = ["run"]\n[[measures]]\nmeasure = "map"\n')
    content = (tmp_path / target).read_text()
    output = run(f"eval --config {tmp_path}/c.toml -o {tmp_path}/{target}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == f"Error: {tmp_path}/{target} is an input and would be overwritten"
    assert (tmp_path / target).read_text() == content


@pytest.mark.parametrize(
    "command",
    [
        "eval -m map {qrels} {run} --output-dir {folder}",
        "eval -m map {qrels} {run} {folder}/other --output-dir {folder}",
        "eval -m map {qrels} {run} --groups {folder}/run.json --output-dir {folder}",
        "eval -m map {qrels} {run} --topics {folder}/run.json --output-dir {folder}",
        "eval -f jsonl --config {folder}/c.toml -o {folder}/run.json",
        "sweep --config {folder}/c.toml -o {folder}/run.json --vary map:rel=1,2",
    ],
)
def test_files_of_runs_and_configurations_overwrite_no_input(tmp_path, command):
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 r\n")
    (tmp_path / "other").write_text("1 Q0 b 1 0.5 s\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "c.toml").write_text('assessments = "qrels"\nruns = ["run.json"]\n[[measures]]\nmeasure = "map"\n')
    given = command.format(run=tmp_path / "run", qrels=tmp_path / "qrels", folder=tmp_path)
    content = "1\tg\n" if "--groups" in command else "1\n" if "--topics" in command else "1 Q0 b 1 0.5 r\n"
    (tmp_path / "run.json").write_text(content)
    given += f" {tmp_path}/run.json" if "{qrels} {run} --output-dir" in command or "other" in command else ""
    output = run(given)
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == f"Error: {tmp_path}/run.json is an input and would be overwritten"
    assert (tmp_path / "run.json").read_text() == content


@pytest.mark.parametrize(
    "command",
    [
        "eval {folder} fixtures/demo/run-a.xml -s fixtures/demo/structure.tsv -m map -o {folder}/old",
        "index {folder} -o {folder}/old",
        "spans fixtures/rag/quotes.tsv {folder} -o {folder}/old",
        "gold write {folder}/old {folder} fixtures/demo/run-a.xml -s fixtures/demo/structure.tsv",
        "fit {folder} fixtures/fit/log.tsv -u bep-distance -o {folder}/old",
        "simulate {folder} --log {folder}/old -u none",
    ],
)
def test_no_file_of_an_input_folder_is_overwritten(tmp_path, command):
    (tmp_path / "old").write_text("old")
    output = run(command.format(folder=tmp_path))
    assert (output.status, output.out) == (2, "")
    message = f"Error: {tmp_path}/old is in the input {tmp_path} and would be overwritten"
    assert output.err.splitlines()[-1] == message
    assert (tmp_path / "old").read_text() == "old"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("eval {toy} -m map -o {out}.svg --plot {out}.svg", "{out}.svg cannot be the file of --output and of --plot"),
        (
            "fit fixtures/demo/assessments fixtures/fit/log.tsv -u graph -o {out} --write-navigation {folder}/./z",
            "{out} cannot be the file of --write-navigation and of --output",
        ),
    ],
)
def test_two_outputs_are_two_files(tmp_path, command, message):
    names = {"toy": "fixtures/toy/qrels fixtures/toy/run", "out": tmp_path / "z", "folder": tmp_path}
    output = run(command.format(**names))
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == f"Error: {message.format(**names)}"
    assert list(tmp_path.iterdir()) == []


def test_a_check_of_gold_overwrites_no_run(tmp_path):
    (tmp_path / "run").write_bytes((ROOT / "fixtures" / "toy" / "run").read_bytes())
    assert run(f"gold write {tmp_path}/gold.json fixtures/toy/qrels {tmp_path}/run -m map").status == 0
    output = run(f"gold check {tmp_path}/gold.json --junit {tmp_path}/run")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == f"Error: {tmp_path}/run is an input and would be overwritten"


def test_a_replaced_file_keeps_its_mode(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o600)
    assert run(f"eval -m map fixtures/toy/qrels fixtures/toy/run -o {tmp_path}/old").status == 0
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o600
    (tmp_path / "old").chmod(0o640)
    assert run(f"eval -f jsonl -m map fixtures/toy/qrels fixtures/toy/run -o {tmp_path}/old").status == 0
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640


def test_standard_input_is_never_overwritten(tmp_path):
    (tmp_path / "run").write_bytes((ROOT / "fixtures" / "toy" / "run").read_bytes())
    done = shell(f"prum-eval eval -m map fixtures/toy/qrels - -o {tmp_path}/run < {tmp_path}/run")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1] == f"Error: {tmp_path}/run is an input and would be overwritten"


def shell(command, stdin=b"", *, unbuffered=False):
    return subprocess.run(
        ["/bin/sh", "-c", command.replace("prum-eval", f"{sys.executable} -m prum_eval")],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""},
        check=False,
        timeout=60,
    )


CHECK = "check fixtures/toy/run"
COMMANDS = ["--help", slow("--version"), slow("measures"), f"eval -m map {TOY}", slow(CHECK), slow("cache")]


@cache
def printed(command):
    return shell(f"prum-eval {command}").stdout


@pytest.mark.parametrize(("where", "reason"), [("> /dev/full", "No space left on device"), (">&-", "it is closed")])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("unbuffered", [True, False])
def test_standard_output_that_takes_nothing(where, reason, command, unbuffered):
    done = shell(f"prum-eval {command} {where}", unbuffered=unbuffered)
    messages = [line for line in done.stderr.decode().splitlines() if not line.startswith("prum-eval 0")]
    assert (done.returncode, messages) == (1, [f"<stdout>: cannot be written: {reason}"])


@pytest.mark.parametrize("where", ["> /dev/full", ">&-"])
def test_an_error_is_told_once_though_standard_output_takes_nothing(where):
    done = shell(f"prum-eval eval {TOY} nowhere {where}")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    done = shell(f"prum-eval eval fixtures/toy/qrels nowhere {where}")
    assert (done.returncode, done.stderr) == (1, b"nowhere: cannot be read: No such file or directory\n")


@pytest.mark.parametrize("where", ["2> /dev/full", "2>&-", "3>&1 2>&1 >&3 | true"])
@pytest.mark.parametrize("command", COMMANDS)
def test_results_are_complete_though_standard_error_takes_nothing(where, command):
    if where.endswith("true"):
        done = shell(f"{{ {{ sleep 0.1; prum-eval {command}; echo $? >&4; }} 2>&1 >&3 | true; }} 3>&1 4>&2")
        status = int(done.stderr)
    else:
        done = shell(f"prum-eval {command} {where}")
        status = done.returncode
    assert (status, done.stdout) == (0, printed(command))


def test_a_file_that_is_opened_takes_the_place_of_no_closed_stream(tmp_path):
    done = shell(f"exec <&- >&- 2>&-; prum-eval eval -m map -o {tmp_path}/result -j 2 {TOY} {TOY.split()[1]}")
    assert done.returncode == 0
    assert (tmp_path / "result").read_text().count(MAP) == 2


def test_a_closed_pipe_ends_quietly():
    done = shell(f"{{ prum-eval eval -q -m all {TOY} 2>/dev/null; echo status $? >&2; }} | head -1")
    assert done.stdout == b"num_ret               \t1\t3\n"
    assert done.stderr == b"status 0\n"


@pytest.mark.parametrize("command", ["--help", slow("--version"), slow("measures"), f"eval {TOY}", slow(CHECK)])
@pytest.mark.parametrize("unbuffered", [True, False])
def test_a_pipe_that_nobody_reads(command, unbuffered):
    pipe = f"{{ sleep 0.1; prum-eval {command} 2>/dev/null; echo status $? >&2; }} | true"
    done = shell(pipe, unbuffered=unbuffered)
    assert done.stderr == b"status 0\n"


@pytest.mark.parametrize("given", ["fixtures/toy/qrels -", "- fixtures/toy/run"])
def test_standard_input(given):
    other = "fixtures/toy/run" if given.endswith("-") else "fixtures/toy/qrels"
    done = shell(f"prum-eval eval -m map {given}", (ROOT / other).read_bytes())
    assert done.stdout.decode() == MAP
    assert done.returncode == 0


def test_bad_line_of_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a 1 0.5 r\n1 Q0 b 2 high r\n")))
    output = run("eval -m map fixtures/toy/qrels -")
    assert (output.status, output.out) == (1, "")
    assert output.err == "<stdin>:2: score: expected a finite number, found 'high'\n"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("through", ["files", "stdin"])
def test_compressed_inputs_are_recognised_by_content(tmp_path, monkeypatch, compress, through):
    for name in ("structure.tsv", "run-a.xml"):
        packed = compress((ROOT / "fixtures" / "demo" / name).read_bytes())
        (tmp_path / f"{name}.packed").write_bytes(packed)
    (tmp_path / "judged").mkdir()
    topic = (ROOT / "fixtures" / "demo" / "assessments" / "topic-101.xml").read_bytes()
    (tmp_path / "judged" / "topic.xml.gz").write_bytes(compress(topic))
    given = f"{tmp_path}/run-a.xml.packed"
    if through == "stdin":
        packed = (tmp_path / "run-a.xml.packed").read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
        given = "-"
    options = "-m official -f json"
    plain = run(f"eval {options} -s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml")
    output = run(f"eval {options} -s {tmp_path}/structure.tsv.packed {tmp_path}/judged {given}")
    assert output.status == 0
    values, wanted = (json.loads(one.out)["runs"][0]["topics"] for one in (output, plain))
    assert values == {"101": wanted["101"]}


@pytest.mark.parametrize(
    ("inputs", "structure"),
    [
        ("fixtures/toy/qrels fixtures/toy/run", "none"),
        ("fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run", "none"),
        ("fixtures/demo/assessments fixtures/demo/run-a.xml", "assessments"),
        ("-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml", "file"),
    ],
)
def test_the_signature_says_where_trees_come_from(inputs, structure):
    assert f"|structure:{structure}|" in run(f"eval -m num_ret {inputs}").err


@pytest.mark.parametrize(
    "command",
    [
        "eval {toy} -m map -o {file}",
        "eval {toy} -m map -f jsonl -o {file}",
        "convert fixtures/toy/run --to run-trec -o {file}",
        "index fixtures/demo/structure.tsv -o {file}",
    ],
)
def test_a_path_through_a_folder_that_does_not_exist_is_no_path(tmp_path, command):
    (tmp_path / "old").write_text("old")
    file = f"{tmp_path}/none/../old"
    output = run(command.format(toy="fixtures/toy/qrels fixtures/toy/run", file=file))
    assert (output.status, output.out) == (1, "")
    assert f"{file}: cannot be written: No such file or directory" in output.err.splitlines()
    assert (tmp_path / "old").read_text() == "old"
