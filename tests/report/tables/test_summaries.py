"""Tables of results that are neither evaluations nor comparisons, for Markdown and LaTeX."""

from __future__ import annotations

import json
import re

import pytest

import prum_eval
from prum_eval import Layout, render
from prum_eval.report.registry import tables
from tests.gold import run

QRELS, RUN = "fixtures/toy/qrels", "fixtures/toy/run"
SYSTEMS = "fixtures/compare/systems.csv"
NAMES = (
    "Correlations", "Power", "FittedModels", "Answers", "Explanation", "TwoExplanations", "TopicList", "GoldCheck",
)  # fmt: skip


@pytest.fixture(scope="module")
def by_name(tmp_path_factory):
    gold = tmp_path_factory.mktemp("gold") / "gold.json"
    assert run(f"gold write {gold} {QRELS} {RUN}").status == 0
    gold.write_text(gold.read_text().replace("0.75", "0.25"))
    fitted = prum_eval.fit(
        "fixtures/demo/assessments",
        "fixtures/fit/log.tsv",
        structure="fixtures/demo/structure.tsv",
        user_models=["t2i:decay=exponential", "hierarchical"],
    )
    return {
        "Correlations": prum_eval.correlate(values=SYSTEMS, trials=20),
        "Power": prum_eval.power(values=SYSTEMS, sizes=[2, 4], trials=20),
        "FittedModels": fitted,
        "Answers": prum_eval.answers("map"),
        "Explanation": prum_eval.explain(QRELS, RUN, "1", measures="map"),
        "TwoExplanations": prum_eval.explain_against(QRELS, RUN, RUN, "1", measures="map"),
        "TopicList": prum_eval.explain_topics(QRELS, RUN, measures=["map", "P.5"]),
        "GoldCheck": prum_eval.check_gold(str(gold)),
    }


def test_topics_and_correlations_are_printed_as_tables(by_name):
    assert render(by_name["TopicList"], "markdown") == (
        "| topic   |    map |    P_5 |\n"
        "|---------|--------|--------|\n"
        "| 2       | 0.5000 | 0.4000 |\n"
        "| 1       | 1.0000 | 0.4000 |\n"
    )
    text = render(by_name["Correlations"], "latex", Layout(digits=2))
    assert r"\caption{3 measures over 12 runs.}" in text
    assert r"first & second & pearson & tau\_b & tau\_ap \\" in text
    assert r"map & recip\_rank & 0.66 & 0.48 & 0.37 \\" in text


def test_values_that_moved_are_rows(by_name):
    assert render(by_name["GoldCheck"], "markdown", Layout(digits=2)).splitlines()[2].count("0.25") == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_result_has_the_table_of_notebooks(by_name, name):
    assert json.loads(render(by_name[name], "json"))["version"] == prum_eval.__version__
    caption, headers, rows = by_name[name].summary_table()
    (grid,) = tables(by_name[name], Layout(digits=6))
    assert grid.caption == f"{caption}."
    assert [*grid.labels, *grid.columns] == list(headers)
    assert len(grid.rows) == len(rows)
    for row, (labels, cells) in zip(rows, grid.rows, strict=True):
        for value, text in zip(row, [*labels, *(cell.text for cell in cells)], strict=True):
            if isinstance(value, float):
                assert float(text) == pytest.approx(value, abs=5e-7 if "." in text else 0.5)
            elif isinstance(value, bool):
                assert text == ("yes" if value else "no")
            else:
                assert text == ("" if value is None else str(value))
    lines = render(by_name[name], "latex").splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(rows)
    assert all(len(re.findall(r"(?<!\\)&", line)) == len(headers) - 1 for line in body)


@pytest.mark.parametrize(
    ("test", "pairs", "cells"),
    [
        ("randomisation", "first", ["<0.0005", "<0.0005*"]),
        ("bootstrap", "first", ["<0.0005", "<0.0005*"]),
        ("randomisation", "all", ["<0.0005*"]),
    ],
)
def test_the_least_p_of_random_trials_is_an_upper_limit(test, pairs, cells):
    values = {
        name: {str(topic): {"map": topic / 99 + above * (2 + topic % 3)} for topic in range(30)}
        for name, above in (("base", 0.0), ("better", 0.1))
    }
    result = prum_eval.compare(values=values, test=test, pairs=pairs, trials=2000)
    line = next(
        line
        for line in render(result, "table").splitlines()
        if line.startswith("better" if pairs == "first" else "base")
    )
    assert [cell for cell in line.split() if cell.startswith("<")] == cells
    page = render(result, "html")
    assert page.count("&lt;0.0005") >= len(cells)


def test_an_exact_p_is_no_limit():
    values = {
        name: {str(topic): {"map": topic / 9 + above} for topic in range(5)} for name, above in (("a", 0), ("b", 0.1))
    }
    lines = render(prum_eval.compare(values=values), "table").splitlines()
    line = next(line for line in lines if line.startswith("b "))
    assert line.split()[5:7] == ["0.0625", "0.0625"]
