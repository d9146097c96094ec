"""Names that a terminal, a spreadsheet, Markdown or HTML would take for more than names."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import Layout, check, compare, evaluate, read_run, render
from prum_eval.errors import DataError, InputError, UsageError, escape_unprintable
from prum_eval.formats.scores import read_scores
from prum_eval.report.layout import MARKDOWN, csv_text, json_text, table_text
from tests.gold import ROOT, run

EVIL = "r\x1b[2Jun\x7f\x9b1m\u202e"
SEEN = r"r\x1b[2Jun\x7f\x9b1m\u202e"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def inputs(tmp_path):
    topic = "t\x1bc"
    (tmp_path / "qrels").write_text(f"{topic} 0 d\x1b]0;x\x07 1\n2 0 b 1\n")
    lines = f"{topic} Q0 e\x1b]0;x\x07 1 2 {EVIL}\n{topic} Q0 d\x1b]0;x\x07 1 1 {EVIL}\n2 Q0 b 1 1 {EVIL}\n"
    (tmp_path / "run").write_text(lines)
    (tmp_path / "other").write_text(lines.replace(EVIL, "plain"))
    return f"{tmp_path}/qrels {tmp_path}/run {tmp_path}/other"


FORMATS = ["trec", "table", "json", "csv", "latex", "markdown", "html"]


@pytest.mark.parametrize("style", FORMATS)
def test_no_output_has_what_a_terminal_obeys(style, inputs):
    output = run(f"eval -v -q -f {style} -m map -m P.1 {inputs}")
    assert output.status == 0
    assert not OBEYED.search(output.out + output.err)
    if style == "json":
        assert json.loads(output.out)["runs"][0]["run_id"] == EVIL  # nothing is lost: JSON has its own way to write it
    else:
        assert {"html": "r\ufffd[2Jun", "latex": "r\\textbackslash{}x1b"}.get(style, SEEN) in output.out


@pytest.mark.parametrize("command", ["compare --trials 9 -m map", "correlate --trials 9 -m map -m recip_rank"])
@pytest.mark.parametrize("style", ["table", "json", "csv"])
def test_no_other_command_has_it(command, style, inputs):
    output = run(f"{command} -f {style} {inputs}")
    assert output.status == 0
    assert not OBEYED.search(output.out + output.err)


def test_messages_have_it_written_out(inputs, tmp_path):
    qrels, path, _ = inputs.split()
    found = run(f"check --assessments {qrels} {path}")
    assert f"{path}: run {SEEN}, 2 topics, 3 results, documents" in found.out
    assert not OBEYED.search(found.out + found.err)
    (tmp_path / "bad").write_text("1 Q0 a 1 \x1b[31mhigh r\n")
    assert run(f"check {tmp_path}/bad").err.splitlines()[0] == (
        f"{tmp_path}/bad:1: score: expected a finite number, found '\\x1b[31mhigh'"
    )
    assert (
        run(f"eval -m \x1b[31mmap {inputs}").err
        == "prum-eval: no measure \\x1b[31mmap; prum-eval measures lists them\n"
    )
    usage = run(f"eval --jobs \x1b[31m {inputs}")
    assert usage.status == 2
    assert usage.err.splitlines()[-1].endswith("'\\x1b[31m' is neither a whole number from 0 up nor auto")
    assert not OBEYED.search(usage.err)


@pytest.mark.parametrize("error", [InputError("f\x1b", 3, "no\x1b\n"), DataError("no\x1b\n"), UsageError("no\x1b\n")])
def test_errors_are_one_printable_line(error):
    assert str(error).endswith(r"no\x1b\n")
    assert not OBEYED.search(error.message)
    assert "\n" not in error.message


def test_endless_names_are_cut():
    name = "a" * 40 + "b" * 10_000_000 + "c" * 37
    assert str(DataError(f"no {name} here")) == f"no {'a' * 40}...{'c' * 37} here"
    quoted = str(InputError("f", 1, "no " + "x" * 200))
    assert quoted == f"f:1: no {'x' * 200}"


def test_results_in_a_notebook_or_shell():
    found = evaluate({"1": {"a": 1}}, {EVIL: {"1": {"a": 1.0}}, "b": {"1": {"a": 1.0}}}, measures="map")
    assert not OBEYED.search(f"{found}{found!r}{found.runs[0]!r}{found._repr_html_()}")
    assert SEEN in str(found)
    assert not OBEYED.search(str(compare(values=found, trials=9)))
    notes = check({EVIL: {"1": {"a": 1.0}}}).notes
    assert notes == (f"{SEEN}: run {SEEN}, 1 topic, 1 result, documents",)


@given(st.text())
def test_printable_leaves_nothing_to_obey_and_what_is_printable_alone(text):
    for lines in (False, True):
        safe = escape_unprintable(text, lines=lines)
        assert not OBEYED.search(safe)
        assert escape_unprintable(safe, lines=lines) == safe
        assert lines or "\n" not in safe
    if text.isprintable():
        assert escape_unprintable(text) == text


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_says_the_same_with_nothing_to_obey(content):
    text = json_text(content)
    assert json.loads(text) == content
    assert not OBEYED.search(text)


CELLS = {
    "formula": ("=1+1", "'=1+1"), "command": ("@SUM(A1)", "'@SUM(A1)"), "plus": ("+1+cmd|' /C calc'!A0", None),
    "minus": ("-run", "'-run"), "tab": ("\t=1", "'\t=1"), "number": ("-1.5", "-1.5"), "plain": ("a=b", "a=b"),
    "quoted": ("'=1", "'=1"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "safe"), CELLS.values(), ids=CELLS)
def test_cells_that_a_spreadsheet_would_run(name, safe):
    [[_], [cell, value]] = csv.reader(io.StringIO(csv_text(["run"], [[name, -0.5]])))
    assert cell == (safe or f"'{name}")
    assert value == "-0.5"
    [[_], [cell]] = csv.reader(io.StringIO(csv_text(["run"], [[name]], raw=True)))
    assert cell == name


def test_a_switch_leaves_names_in_csv_as_they_are(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 =HYPERLINK(1)\n")
    command = f"-m map -f csv {tmp_path}/qrels {tmp_path}/run"
    assert run(f"eval {command}").out.splitlines()[1] == "'=HYPERLINK(1),all,map,1.0"
    assert run(f"eval --raw-csv {command}").out.splitlines()[1] == "=HYPERLINK(1),all,map,1.0"
    result = evaluate(tmp_path / "qrels", tmp_path / "run", measures="map")
    assert render(result, "csv", Layout(raw_csv=True)) == "run,topic,measure,value\n=HYPERLINK(1),all,map,1.0\n"


def test_what_is_written_is_read_again(tmp_path):
    for switch in ("", "--raw-csv"):
        (tmp_path / "qrels").write_text("1 0 a 1\n")
        (tmp_path / "run").write_text("1 Q0 a 1 1 =r\n")
        text = run(f"eval -q -m map -f csv {switch} {tmp_path}/qrels {tmp_path}/run").out
        (tmp_path / "values.csv").write_text(text)
        [scores] = read_scores(str(tmp_path / "values.csv"))
        assert (scores.run_id, scores.topics) == ("=r", {"1": {"map": 1.0}})


def test_markdown():
    table = table_text(["run", "a|b"], [[r"c\|d", "<img src=x>&"]], MARKDOWN)
    head, _, row = (re.split(r" +\| +", line.strip("| ")) for line in table.splitlines())
    assert (head, row) == (["run", r"a\|b"], [r"c\\\|d", "&lt;img src=x&gt;&amp;"])


def test_a_run_of_odd_names_is_read_as_it_is(inputs):
    assert read_run(inputs.split()[1]).run_id == EVIL


def test_what_is_converted_stays_as_it_is_but_on_a_terminal(inputs, tmp_path):
    path = inputs.split()[1]
    assert EVIL in run(f"convert --to run-trec {path}").out
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "prum_eval", "convert", "--to", "run-trec", path]
    with subprocess.Popen(
        command, stdout=follower, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as process:
        os.close(follower)
        seen = b""
        with contextlib.suppress(OSError):  # the end, on Linux
            while part := os.read(leader, 1000):
                seen += part
    os.close(leader)
    assert process.returncode == 0
    assert SEEN in seen.decode()
    assert not OBEYED.search(seen.decode().replace("\r\n", "\n"))
