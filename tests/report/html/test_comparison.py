"""``compare -f html``: in words, averages, differences with their intervals, all pairs; in a browser of any width."""

from __future__ import annotations

import json
import re

import pytest

from prum_eval import Layout, compare
from prum_eval.report.html_comparison import comparison_page
from tests.gold import run
from tests.report.html.browser import CHROMIUM, Browser
from tests.report.html.test_evaluation import Reader, rows

EVIL = "</script><img/src=x>"


@pytest.fixture
def values(tmp_path):
    path = tmp_path / "values.csv"
    lines = [
        f"{name},t{topic},{measure},{((0, 0.1, 4)[place] * (2 - number) + (place + 1) * topic % 5) / 40}\n"
        for place, name in enumerate(("one", "two", EVIL))
        for number, measure in enumerate(("map", "P_5"))
        for topic in range(1, 13)
    ]
    path.write_text("run,topic,measure,value\n" + "".join(lines), encoding="utf-8")
    return path


def compared(values, options=""):
    output = run(f"compare --trials 999 --alpha .2 --values {options} {values}")
    assert output.status == 0, output.err
    return output.out


@pytest.mark.parametrize("pairs", ["first", "best", "all"])
def test_every_value_of_the_table_is_there(values, pairs):
    text = compared(values, f"--pairs {pairs} -f html")
    reader = Reader(text)
    assert reader.open == []
    averages, *others = reader.tables
    report = json.loads(compared(values, f"--pairs {'best' if pairs == 'all' else pairs} -f json"))
    for row in report["rows"]:
        labelled = [name for name in rows(averages) if name == row["run_id"] or name.startswith(f"{row['run_id']} (")]
        own = rows(averages)[labelled[0]][row["measure"]]
        assert float(own[1]) == row["mean"]
        table = rows(others[["map", "P_5"].index(row["measure"])])[row["run_id"]]
        assert float(table["mean"][1]) == row["mean"]
        if (found := row["difference"]) is None:
            assert table["difference"] == ["", ""]
            continue
        for head, key in (("difference", "mean"), ("d", "cohen_d"), ("won", "wins")):
            assert float(table[head][1]) == pytest.approx(found[key], rel=1e-12)
        if pairs != "all":  # corrected for other comparisons
            assert (float(table["low"][1]), float(table["high"][1])) == (found["low"], found["high"])
            assert float(table["Holm"][1]) == found["randomisation"]["holm"]
            assert own[0].endswith("*") == (found["randomisation"]["holm"] < 0.2)


def test_the_interval_lies_where_its_numbers_say(values):
    text = compared(values, "-f html -m map")
    (head,) = re.findall(r'<button type="button">(-?[\d.]+ to [\d.]+)</button>', text)
    low, high = map(float, head.split(" to "))
    rows_of = json.loads(compared(values, "-f json -m map"))["rows"]
    row = max((one for one in rows_of if one["difference"]), key=lambda one: one["mean"])  # the best stands first
    drawn = re.search(
        r'<line class="bar" x1="([\d.]+)%" x2="([\d.]+)%".*?<circle class="mean" cx="([\d.]+)%', text, re.DOTALL
    )
    left, right, mean = (float(one) for one in drawn.groups())
    found = row["difference"]
    assert left == pytest.approx(100 * (found["low"] - low) / (high - low), abs=0.06)
    assert right == pytest.approx(100 * (found["high"] - low) / (high - low), abs=0.06)
    assert mean == pytest.approx(100 * (found["mean"] - low) / (high - low), abs=0.06)


def test_one_table_draws_every_measure_and_details_are_folded(values):
    text = compared(values, "-f html")
    averages, details = text.split('<section id="details">')
    assert averages.count('<svg class="interval') == 3 * 2  # of three runs by two measures, one is the base
    assert averages.count('<rect class="base"') == 2
    assert re.findall(r"<summary>(.*?)</summary>", details) == ["map (12 topics)", "P_5 (12 topics)"]
    assert "<svg" not in details
    assert "details::details-content { content-visibility: visible;" in text  # printed pages show them


def test_all_pairs_are_a_map(values):
    report = json.loads(compared(values, "--pairs all -f json -m map"))
    better = set()
    for row in report["rows"]:
        if row["difference"] and row["difference"]["tukey"] < 0.2:
            pair = row["run_id"], row["against"]
            better.add(pair if row["difference"]["mean"] > 0 else pair[::-1])
    page = compared(values, "--pairs all -f html -m map")
    said = re.findall(
        'class="better" title="(.*?) better than (.*?)"', page.replace("&lt;/script&gt;&lt;img/src=x&gt;", EVIL)
    )
    assert set(said) == better
    assert better == {(EVIL, "one"), (EVIL, "two")}
    text = compared(values, "--pairs all -m map")
    start = text.index("By map > better than")
    signs = [line.rsplit("  ", 1)[1] for line in text[start:].splitlines()[3:6]]
    assert sum(line.count(">") for line in signs) == len(better) == sum(line.count("<") for line in signs)
    words = " ".join(text.split())
    assert (
        f"By map, {EVIL} is best: it is significantly better than two and one; no other two differ significantly."
        in words
    )


def test_groups_have_their_averages(values, tmp_path):
    groups = tmp_path / "groups"
    groups.write_text(
        "".join(f"t{topic}\t{'odd' if topic % 2 else 'even'}\n" for topic in range(1, 13)), encoding="utf-8"
    )
    reader = Reader(compared(values, f"--groups {groups} -f html"))
    _, table, *_ = reader.tables
    report = json.loads(compared(values, f"--groups {groups} -f json -m map"))
    assert [head for head, _ in table[0]] == ["run", "even (6 topics)", "odd (6 topics)"]
    shown = {
        (name, head[:4].strip()): float(cell[1]) for name, own in rows(table).items() for head, cell in own.items()
    }
    ids = [one["run_id"] for one in report["runs"]]
    assert shown == {(ids[one["run"]], one["group"]): one["mean"] for one in report["groups"]}


def test_nothing_of_the_inputs_is_part_of_the_page(values):
    text = compared(values, "--pairs all -f html")
    assert "<img" not in text
    assert not re.findall(r"\b(?:src|action)=\"|href=.(?!#)|url\(|@import|fetch\(", text)


def test_two_writings_are_the_same_bytes(values):
    assert compared(values, "-f html") == compared(values, "-f html")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_in_a_browser(values, tmp_path):
    path = tmp_path / "page.html"
    compared(values, f"--pairs all -f html -o {path}")
    browser = Browser()
    try:
        for width in (1400, 400):
            for mode in ("light", "dark"):
                browser.ask(
                    "Emulation.setDeviceMetricsOverride",
                    width=width,
                    height=900,
                    deviceScaleFactor=1,
                    mobile=width < 500,
                )
                browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
                browser.open(path)
                assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("document.querySelectorAll('img').length") == 0
        browser.click("#averages button.run")
        chosen = browser.value("new Set([...document.querySelectorAll('tr.on')].map(one => one.dataset.run)).size")
        assert chosen == 1
        assert browser.value("document.querySelectorAll('tr.on').length") == 3  # averages and both measures
        assert not [e for e in browser.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
    finally:
        browser.close()


def test_the_page_names_its_intervals(values):
    for options, text in (
        ("", "low to high: 80 % t interval, simultaneous for 2 comparisons."),
        ("--pairs all", "low to high: 80 % t interval, simultaneous for 3 comparisons."),
        ("--interval single", "low to high: 80 % t interval, of each comparison alone."),
    ):
        assert text in compared(values, f"{options} -f html")


def test_few_runs_by_many_measures_have_measures_as_rows():
    runs = ["fixtures/rag/windows.jsonl", "fixtures/rag/paragraphs.jsonl"]
    found = compare("fixtures/rag/gold.jsonl", runs, task="chunks")
    page = comparison_page(found, Layout())
    assert page.count("<table>") == 2
    assert "<details>" not in page
    for name in found.matrix.measures:
        assert page.count(f'<th scope="row" data-value="{name}">') == 2  # its averages and its difference
    assert ">926\N{DOUBLE DAGGER}</td>" in page
