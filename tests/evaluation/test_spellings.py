"""Results are found at once where paths are written as in the structure, else one by one: the values are the same."""

from __future__ import annotations

import pytest

from prum_eval import evaluate
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"


@pytest.fixture
def spelled(write):
    """The run of the demonstration with results in documents without targets, written in three ways."""
    lines = [line.split() for line in (DEMO / "run-a.paths.run").read_text(encoding="utf-8").splitlines()]
    more = [("101", "lighthouses", "/article[1]/body[1]"), ("102", "tides", "/article[1]"), ("103", "nowhere", "/a[1]")]
    lines += [[topic, "Q0", name, "99", "-9", "r", path, path] for topic, name, path in more]
    lines.sort(key=lambda row: row[0])

    def run(document, path):
        rows = [[*row[:2], document(row[2]), *row[3:6], *map(path, row[6:])] for row in lines]
        text = "".join("\t".join(row) + "\n" for row in rows)
        return write(text, f"{document('run')}{path('/a[1]')}".replace("/", "_"))

    return [
        run(str, str),
        run(lambda name: name + ".xml", str),
        run(str, str.upper),
        run(str, lambda path: path.replace("[1]", "")),
    ]


@pytest.mark.parametrize("task", [None, "inex2003-gen", "inex2005-thorough", "inex2006-best-in-context"])
def test_values_do_not_depend_on_how_a_result_is_written(spelled, task):
    options = {"structure": DEMO / "structure.tsv", "task": task} | ({} if task else {"measures": ["all"]})
    runs = evaluate(DEMO / "assessments", spelled, **options).runs
    for other in runs[1:]:
        assert other.topics == runs[0].topics
        assert other.all == runs[0].all
    values = [value for values in runs[0].topics.values() for value in values.values()]
    assert len(set(values)) > 5
