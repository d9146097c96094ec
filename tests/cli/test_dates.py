"""The date of a page: that of its inputs or of SOURCE_DATE_EPOCH, so that the same inputs make the same page."""

from __future__ import annotations

import os

import pytest

from prum_eval.cli.options import page_date
from tests.gold import run

TOY = "fixtures/toy/qrels"


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n")
    os.utime(tmp_path / "qrels", (0, 86_400 * 365))
    os.utime(tmp_path / "run", (0, 86_400 * 366 + 86_399))
    return f"{tmp_path}/qrels {tmp_path}/run"


def date(inputs, style="html"):
    output = run(f"eval -f {style} -m map {inputs}")
    assert output.status == 0
    _, has_date, rest = output.out.partition("<dt>Date</dt><dd>")
    return rest.partition("<")[0] if has_date else None


def test_that_of_the_newest_input(inputs):
    assert date(inputs) == "1971-01-02, of the newest input"
    qrels = inputs.split()[0]
    os.utime(qrels, (0, 86_400 * 400))
    assert date(inputs) == "1971-02-05, of the newest input"


@pytest.mark.parametrize(("given", "shown"), [("0", "1970-01-01"), ("253402300799", "9999-12-31"), ("", None)])
def test_the_environment_stands_in_its_place(inputs, monkeypatch, given, shown):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    assert date(inputs) == shown


@pytest.mark.parametrize("given", ["-1", "1.5", "today", "253402300800", "9" * 50, "\u0663"])
def test_no_number_is_refused_before_the_work(monkeypatch, given):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    output = run("eval -f html missing missing")
    assert (output.status, output.out) == (2, "")
    assert output.err == (
        f"prum-eval: SOURCE_DATE_EPOCH={given}: expected seconds since 1970, a whole number from 0 to 253402300799\n"
    )
    assert run(f"eval -m map {TOY} fixtures/toy/run").status == 0  # what has no date does not ask for one


def test_what_is_no_file_has_no_date(monkeypatch, tmp_path):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert page_date([None, "", "-", tmp_path, tmp_path / "missing"]) == ""
