"""Runs over different topics in one table: num_q, a mark at the averages, a word on -c."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from prum_eval import evaluate, render
from tests.gold import run

WARNING = "prum-eval: warning: averages are not comparable: runs cover 2 to 3 topics; -c counts all judged topics\n"


@pytest.fixture
def inputs(tmp_path):
    texts = {
        "qrels": "1 0 a 1\n2 0 a 1\n3 0 a 1\n",
        "first": "1 Q0 a 1 1 first\n2 Q0 a 1 1 first\n",
        "second": "1 Q0 b 1 2 second\n1 Q0 a 2 1 second\n2 Q0 a 1 1 second\n3 Q0 a 1 1 second\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return " ".join(f"{tmp_path}/{name}" for name in texts)


def test_the_table(inputs):
    output = run(f"eval -m map -m P.1 -f table {inputs}")
    assert output.out == (
        "measure      first    second\n"
        "---------  -------  --------\n"
        "num_q           2         3\n"
        "map        1.0000†   0.8333†\n"
        "P_1        1.0000†   0.6667†\n"
        "\n"
        "† over different topics, see num_q; -c takes all judged topics\n"
    )
    assert WARNING in output.err


def test_topics_are_not_marked(inputs):
    lines = run(f"eval -q -m map -f table {inputs}").out.splitlines()
    assert lines[2].split() == ["1", "map", "1.0000", "0.5000"]
    assert [line.split() for line in lines[5:7]] == [["all", "num_q", "2", "3"], ["all", "map", "1.0000†", "0.8333†"]]


def test_documents(inputs):
    markdown = run(f"eval -m map -f markdown {inputs}").out
    assert r"| first  |       2 | 1.0000† |" in markdown
    assert markdown.endswith("\n\n† over different topics, see num_q; -c takes all judged topics\n")
    latex = run(f"eval -m map -f latex {inputs}").out
    assert "second & 3 & 0.8333\\rlap{$^{\\dagger}$} \\\\\n" in latex
    assert "$^{\\dagger}$~over different topics, see num\\_q}\n" in latex
    page = run(f"eval -q -m map -f html {inputs}").out
    assert '<td data-value="0.8333333333333334">0.8333†</td>' in page
    assert page.count("†</td>") == 2
    assert page.count('"means":["1.0000†","0.8333†"]') == 1
    assert '<td class="best"' not in page  # they are no match for each other
    assert '<td data-value="3">3</td>' in page
    assert "averages are not comparable" in page


def test_what_programs_read(inputs):
    lines = run(f"eval -m map {inputs}").out.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["runid", "all", "first"],
        ["num_q", "all", "2"],
        ["map", "all", "1.0000"],
    ]
    rows = list(csv.reader(io.StringIO(run(f"eval -m map -f csv {inputs}").out)))
    assert ["second", "all", "num_q", "3"] in rows
    found = json.loads(run(f"eval -m map -f json {inputs}").out)
    assert found["different_topics"] is True
    assert [one["all"]["num_q"] for one in found["runs"]] == [2, 3]


@pytest.mark.parametrize("options", ["-c", "--only-one"])
def test_nothing_is_said_of_the_same_topics(inputs, options):
    given = inputs if options == "-c" else " ".join(inputs.split()[:2])
    options = options.replace("--only-one", "")
    for style in ("table", "markdown", "latex", "trec", "csv", "json"):
        output = run(f"eval {options} -m map -f {style} {given}")
        assert "different" not in output.out + output.err
        assert "num_q" not in output.out


def test_topics_may_differ_though_their_number_does_not(inputs):
    qrels, first, _ = inputs.split()
    other = f"{first}.2"
    Path(other).write_text("1 Q0 a 1 1 other\n3 Q0 a 1 1 other\n", encoding="utf-8")
    output = run(f"eval -m num_q -m map -f table {qrels} {first} {other}")
    assert "averages are not comparable: runs cover different sets of 2 topics; -c counts" in output.err
    assert output.out.count("num_q ") == 1


def test_compare_says_what_it_leaves_out_instead(inputs):
    output = run(f"compare --common -m map {inputs}")
    assert "averages are over" not in output.err
    assert "prum-eval: warning: 1 of 3 topics left out, because not every run has them\n" in output.err
    assert run(f"compare -c -m map {inputs}").status == 0
    refused = run(f"compare -m map {inputs}")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.splitlines()[-1] == (
        "prum-eval: 1 of 3 topics left out, because not every run has them: more than a tenth; "
        "--common compares on the others, -c counts what is missing"
    )


def test_values_in_python_and_gold_files_stay_as_they_are(inputs, tmp_path):
    qrels, *runs = inputs.split()
    found = evaluate(qrels, runs, measures="map")
    assert (found.different_topics, dict(found.runs[0].all)) == (True, {"map": 1.0})
    assert '"num_q": 2' in render(found, "json")
    assert run(f"gold write -m map {tmp_path}/gold {inputs}").status == 0
    assert "num_q" not in (tmp_path / "gold").read_text(encoding="utf-8")
