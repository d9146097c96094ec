"""``sweep -f html``: one page with drawings, their values, the order of runs and who changes places."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from prum_eval import sweep
from tests.gold import ROOT, run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments"
RUNS = "fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
EMPTY = {"meta", "wbr", "br"}


class Reader(HTMLParser):
    """Rows of tables as (text, value), the texts, lines by their run; and whether every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.texts, self.open, self.lines = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.open += [] if tag in EMPTY else [tag]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append(["", given.get("data-value")])
        elif given.get("class") == "line":
            self.lines.append(given.get("data-run"))

    def handle_startendtag(self, tag, attrs):
        pass  # paths and rectangles

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if {"td", "th"} & set(self.open[-2:]):
            self.rows[-1][-1][0] += data


def read(command):
    output = run(f"sweep -f html {command}")
    assert output.status == 0, output.err
    return Reader(output.out)


def test_several_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = read(f"-u bep-distance --targets bep -m eprum_map --vary A=.01:100:log5 {DEMO} {RUNS}")
    found = sweep("fixtures/demo/assessments", RUNS.split(), structure=DEMO.split()[1], measures="eprum_map",
                  user_model="bep-distance", targets="bep", vary="A=.01:100:log5")  # fmt: skip
    means = {row[0][0]: [value for _, value in row[1:]] for row in page.rows if row[0][1] is not None}
    for run_id, column in zip(found.runs, found.table[0].T, strict=True):
        assert means[run_id] == [repr(mean) for mean in column.tolist()]
    assert means["eprum_map"] == ["1.0", "1.0", "1.0", "-1.0", "-1.0"]
    assert ["0.4273 ±0.2780", means["bm25-sections"][0]] in [cell for row in page.rows for cell in row]
    said = " ".join(page.texts)
    assert "eprum_map: bm25-sections above article-only at 1, below at 10, at about 3.429" in said
    assert "± half of Student's 95 % interval over 3 topics" in said
    assert page.lines == ["0", "1"]


def test_the_curves_of_one_run(tmp_path):
    made = run(f"simulate {DEMO} --change move --vary move.m=0:.9:.3 -o {tmp_path}/moved")
    assert made.status == 0
    page = read(f"-m eprum_prec_at_recall -m map {DEMO} {tmp_path}/moved")
    assert page.lines == [None, "0", "1", "2", "3"]  # the run, then the values
    heads = next(row for row in page.rows if row[0][0] == "move.m")
    assert [text for text, _ in heads[1:]] == ["0", *(f"0.{x}" for x in range(1, 10)), "1"]
    assert [row[0][0] for row in page.rows if len(row) == 12][1:] == ["0", "0.3", "0.6", "0.9"]
    assert "Runs that change places" not in page.texts


@pytest.mark.parametrize("vary", ["quantisation=gen,strict", "limit=1"])
def test_names_cannot_break_the_page(tmp_path, vary):
    (tmp_path / "run").write_text("1 Q0 tides 1 2 <b>&run\n2 Q0 ovens 1 2 <b>&run\n", encoding="utf-8")
    page = read(f"-m gen_recall.5 --vary {vary} fixtures/toy/qrels {tmp_path}/run fixtures/toy/run")
    assert ["<b>&run", "<b>&run"] in [cell for row in page.rows for cell in row]


def test_names_that_do_not_fit_below_the_axis_are_numbers():
    """What they stand for is below, in as many lines as that takes, for which the drawing is higher."""
    values = "none,hierarchical,t2i:tolerance=300,once=on,bep-distance:A=0.5"
    output = run(f"sweep -f html -m eprum_map --vary user_model={values} {DEMO} {RUNS}")
    assert output.status == 0, output.err
    said = Reader(output.out).texts
    first = said.index("user_model: 1 none, 2 hierarchical, 3")
    assert said[first + 2 : first + 5 : 2] == ["t2i:tolerance=300,once=on, 4", "bep-distance:A=0.5"]
    assert 'viewBox="0 0 420 320"' in output.out
    short = run(f"sweep -f html -m eprum_map --vary user_model=none {DEMO} {RUNS}").out
    assert 'viewBox="0 0 420 290"' in short
    assert "user_model, 1 value<" in short
