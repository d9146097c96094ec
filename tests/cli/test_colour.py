"""Bold and coloured letters, and what moves on a terminal: --color, NO_COLOR, trials that are counted."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from prum_eval.cli.output import requested_colour
from prum_eval.numerics.resampling import WatchedTrials, bootstrap_counts, permuted_sums, random_orders, random_signs
from tests.gold import ROOT, run
from tests.slow import slow

TOY = "fixtures/toy/qrels fixtures/toy/run"
STYLED = re.compile(r"\x1b\[[0-9]+m")
RED, YELLOW, END = "\x1b[31m", "\x1b[33m", "\x1b[0m"


def on_terminal(arguments, **environment):
    """Status, and what a terminal gets of both streams."""
    master, slave = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "prum_eval", *arguments.split()]
    environment = {**kept, "TERM": "xterm", **environment}
    with subprocess.Popen(command, cwd=ROOT, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        parts = []
        try:
            while part := os.read(master, 1 << 16):
                parts.append(part)
        except OSError:  # the other side is closed
            pass
        os.close(master)
        return process.wait(), b"".join(parts).decode().replace("\r\n", "\n")


def test_an_error_has_its_place_in_red():
    status, text = on_terminal("eval nowhere fixtures/toy/run")
    assert (status, text) == (1, f"{RED}nowhere:{END} cannot be read: No such file or directory\n")
    status, text = on_terminal(f"eval -m prum_map {TOY}")
    assert (status, text.partition(END)[0]) == (1, f"{RED}prum-eval:")


def test_a_warning_is_yellow():
    text = on_terminal(f"eval -m all {TOY}")[1]
    assert f"{YELLOW}prum-eval: warning:{END} left out: " in text


@pytest.mark.parametrize(
    ("option", "environment"), [("", {"NO_COLOR": "1"}), ("", {"TERM": "dumb"}), ("--color never", {})]
)
@pytest.mark.parametrize("command", ["eval nowhere x", slow(f"eval -f table -m all {TOY}")])
def test_nothing_is_coloured(option, environment, command):
    text = on_terminal(f"{command} {option}", **environment)[1]
    assert not STYLED.search(text)
    assert text == STYLED.sub("", on_terminal(command)[1])


@pytest.mark.parametrize("option", ["--color always", "--color=always"])
def test_always_is_always(option, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(f"eval {option} nowhere x").err.startswith(f"{RED}nowhere:{END}")
    output = run(f"eval {option} -f table -m all {TOY} fixtures/toy/run")
    assert "\x1b[1m" in output.out
    assert YELLOW in output.err
    assert "\x1b" not in run(f"eval -f table -m all {TOY} fixtures/toy/run").out


def test_other_values_are_refused():
    output = run(f"eval --color red {TOY}")
    assert output.status == 2
    assert "'red' is not one of 'auto', 'always', 'never'" in output.err
    assert requested_colour(["eval", "--color", "never", "--color=always"]) == "always"
    assert requested_colour(["eval", "--color"]) is None


def test_nothing_left_to_print():
    said = "prum-eval: warning: -n leaves out the averages, and topics need -q: nothing is left to print"
    assert said in run(f"eval -n -m map {TOY}").err.splitlines()
    for others in ("-n -q", "-q", "-n -f json"):
        assert said not in run(f"eval {others} -m map {TOY}").err


@pytest.mark.parametrize("draw", [random_signs, bootstrap_counts, random_orders])
def test_watched_trials_are_the_same_trials(draw):
    seen = []
    watched = [chunk.tolist() for chunk in draw(3, WatchedTrials(70_000, seen.append), 40)]
    assert watched == [chunk.tolist() for chunk in draw(3, 70_000, 40)]
    assert seen == [len(chunk) for chunk in watched]
    assert sum(seen) == 70_000 == WatchedTrials(70_000, seen.append)


def test_watched_permutations():
    import numpy as np

    seen = []
    rows = np.arange(12.0).reshape(4, 3)
    assert sum(len(chunk) for chunk in permuted_sums(1, WatchedTrials(100, seen.append), rows)) == 100
    assert seen == [100]


@pytest.mark.parametrize("command", [slow("compare --full"), "power -m map", "correlate -m map,ndcg"])
def test_a_terminal_is_told_of_trials(command):
    arguments = f"{command} --trials 3000 --values fixtures/compare/systems.csv"
    status, text = on_terminal(arguments)
    counts = [int(found.replace(",", "")) for found in re.findall(r"\rTrials  ([0-9,]+)", text)]
    assert status == 0
    assert counts == sorted(counts)
    assert counts[0] >= 3000
    plain = run(arguments)
    assert "Trials  " not in plain.out + plain.err
    assert "Trials  " not in on_terminal(f"{arguments} --quiet")[1]
