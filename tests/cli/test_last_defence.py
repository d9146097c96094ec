"""An error of prum-eval itself is one line and status 3; all commands work on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from prum_eval.cli import main
from prum_eval.cli.commands import check as command
from tests.gold import ROOT, run

TOY = "fixtures/toy/qrels fixtures/toy/run"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"


@pytest.fixture
def broken(monkeypatch):
    def fail(*_arguments):
        raise ZeroDivisionError("of\nnothing")

    monkeypatch.setattr(command, "check_paths", fail)


def test_an_unforeseen_error_is_one_line(broken):
    output = run("check a")
    message = (
        "prum-eval: unforeseen error, please report it (PRUM_EVAL_DEBUG=1 prints more): ZeroDivisionError: of nothing, "
        "from: prum-eval check a\n"
    )
    assert output == (3, "", message)


def test_a_variable_prints_its_traceback(broken, monkeypatch):
    monkeypatch.setenv("PRUM_EVAL_DEBUG", "1")
    output = run("check a")
    assert (output.status, output.out) == (3, "")
    assert output.err.startswith("Traceback (most recent call last):\n")


def test_an_exit_in_a_plug_in_is_no_success(monkeypatch):
    monkeypatch.setattr(command, "check_paths", lambda *_: sys.exit(0))
    assert run("check a").status == 3


def test_an_interrupted_import_is_no_error_of_prum_eval(monkeypatch):
    """As Python raises it where Ctrl-C meets the making of a class."""

    def fail(*_arguments):
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(command, "check_paths", fail)
    assert run("check a") == (130, "", "prum-eval: interrupted\n")


def test_an_interrupt_before_the_command_starts(monkeypatch, capsys):
    def interrupt(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupt)
    monkeypatch.setattr(main.gc, "freeze", lambda: None)
    monkeypatch.setattr(main.gc, "set_threshold", lambda *_: None)
    with pytest.raises(SystemExit) as raised:
        main.main([])
    assert (raised.value.code, capsys.readouterr()) == (130, ("", "prum-eval: interrupted\n"))


CALLS = [
    *(f"eval -f {form} {TOY}" for form in ("trec", "table", "json", "jsonl", "csv", "latex", "markdown", "html")),
    *(
        f"compare --trials 99 -f {form} {DEMO}"
        for form in ("table", "trec", "json", "csv", "latex", "markdown", "html")
    ),
    *(f"power --trials 50 -f {form} -m map {DEMO}" for form in ("table", "json", "csv")),
    *(f"correlate --trials 50 -f {form} -m map -m P.5 {DEMO}" for form in ("table", "json", "csv")),
    *(f"sweep --vary tolerance=1,9 -f {form} -m eprum_map -u t2i {DEMO}" for form in ("table", "json")),
    *(f"explain --topic 1 -f {form} {TOY}" for form in ("text", "json", "html")),
    f"check --assessments {TOY}",
    "measures",
    "convert fixtures/demo/run-a.xml --to run-trec --lossy",
]


@pytest.mark.parametrize("call", CALLS)
def test_every_command_and_format_on_a_terminal(call, tmp_path):
    status, printed = on_terminal(call)
    assert "unforeseen" not in printed, printed
    assert (status, bool(printed)) == (0, True), printed


@pytest.mark.parametrize("name", ["compare", "power", "correlate"])
def test_json_into_a_file_on_a_terminal(name, tmp_path):
    status, printed = on_terminal(f"{name} --trials 99 -m map -m P.5 -f json -o {tmp_path}/r.json {DEMO}")
    assert status == 0, printed
    assert (tmp_path / "r.json").stat().st_size > 0


def on_terminal(call):
    """Status and output of a call whose three standard streams are a terminal."""
    ours, theirs = pty.openpty()
    try:
        arguments = [sys.executable, "-m", "prum_eval", *call.split()]
        process = subprocess.Popen(arguments, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        printed = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            printed += piece
        return process.wait(), printed.decode()
    finally:
        os.close(ours)
