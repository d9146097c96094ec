"""Runs with equal means: all of them are marked as the best, and words call none of them better."""

from __future__ import annotations

import re

import pytest

from tests.gold import run


@pytest.fixture
def equal(tmp_path):
    """Two runs with the same results, and a worse one."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n", encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"1 Q0 a 1 2 {name}\n1 Q0 b 2 1 {name}\n2 Q0 a 1 1 {name}\n", encoding="utf-8")
    (tmp_path / "low").write_text("1 Q0 b 1 2 low\n1 Q0 a 2 1 low\n2 Q0 x 1 1 low\n", encoding="utf-8")
    return f"-m map {tmp_path}/qrels", {name: f"{tmp_path}/{name}" for name in ("one", "two", "low")}


@pytest.mark.parametrize("command", ["eval", "compare"])
@pytest.mark.parametrize(("style", "bold"), [("latex", r"\\textbf\{(.*?)\}"), ("markdown", r"\*\*(.*?)\*\*")])
def test_all_of_the_best_are_bold(equal, command, style, bold):
    call, runs = equal
    output = run(f"{command} -f {style} {call} {' '.join(runs.values())}")
    assert re.findall(bold, output.out) == ["1.0000", "1.0000"]


def test_pages_mark_all_of_the_best(equal, tmp_path):
    call, runs = equal
    assert run(f"compare -f html -o {tmp_path}/page.html {call} {' '.join(runs.values())}").status == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert [len(re.findall(r'class="[^"]*\bbest\b[^"]*"', one)) for one in tables[:2]] == [2, 2]


def test_terminals_show_all_of_the_best_bold(equal):
    call, runs = equal
    output = run(f"compare --color always {call} {' '.join(runs.values())}")
    assert output.out.count("\x1b[1m1.0000") == 2


def test_words_call_none_of_the_best_better(equal):
    call, runs = equal
    for order, words in (
        (
            "one two low",
            "By map, one and two are equally good: two is identical to one; no significant difference to low.",
        ),
        ("one two", "By map, one and two are equally good: two is identical to one."),
        ("low one two", "By map, against low: no significant difference to one and two; one and two are equally good."),
    ):
        output = run(f"compare {call} {' '.join(runs[name] for name in order.split())}")
        assert words in " ".join(output.out.split())
