"""``eval -f html``: one page with every value, curves and tables to sort, that needs nothing else."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser

import pytest

from prum_eval import evaluate
from prum_eval.report.html_evaluation import evaluation_page
from prum_eval.report.layout import Layout
from tests.gold import DEMO, ROOT, run
from tests.report.browser import after, needs_chromium

STRUCTURE = "-s fixtures/demo/structure.tsv -u hierarchical"
TOY = "fixtures/toy/qrels fixtures/toy/run"


class Reader(HTMLParser):
    """Tables as rows of (text, value), titles of points, and whether every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.points, self.open, self.texts, self.best = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open += [tag] if tag not in ("meta", "wbr", "br", "input") else []
        self.attributes = dict(attrs)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(["", dict(attrs).get("data-value")])
            self.best += [self.tables[-1][-1][-1]] if dict(attrs).get("class") == "best" else []

    def handle_startendtag(self, tag, attrs):
        pass  # paths and rectangles

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self.open[-1:] == ["title"] and "svg" in self.open:
            self.points.append(data)
        if "tr" in self.open and self.open[-1] in ("td", "th", "button"):
            self.tables[-1][-1][-1][0] += data


def html(options, inputs=DEMO):
    output = run(f"eval -f html {options} {inputs}")
    assert output.status == 0
    return output.out


def rows(table):
    """Values by name of row and head of column."""
    heads = [text for text, _ in table[0][1:]]
    return {row[0][0]: dict(zip(heads, row[1:], strict=True)) for row in table[1:]}


def by_topic(text):
    """The printed values of the part about topics by (measure, run, topic), by a plain twin of the page's script."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])
    found = {}
    for column in (one for one in data["columns"] if "name" in one):
        for run_id, values in zip(data["runs"], column["runs"], strict=True):
            for topic, value in zip(data["topics"], values, strict=True):
                found[column["name"], run_id, topic] = value
    return found


def test_every_value_of_the_json_is_there():
    options = f"-q {STRUCTURE} -m official -m P.5"
    text = html(options)
    reader = Reader(text)
    assert reader.open == []
    report = json.loads(run(f"eval -f json {options} {DEMO}").out)
    averages, *curves = (table for table in reader.tables if table)
    topics = by_topic(text)
    for one in report["runs"]:
        seen = {}
        for table in curves:
            own = rows(table)[one["run_id"]]
            seen |= {text: float(value) for _, (text, value) in own.items() if value}
        for name, value in one["all"].items():
            if (cell := rows(averages).get(one["run_id"], {}).get(name)) is not None:
                printed = f"{value:.4f}" if isinstance(value, float) else str(value)
                assert cell == [printed, repr(value)]
            else:
                assert value in seen.values()
            for topic, values in one["topics"].items():
                shown = topics.pop((name, one["run_id"], topic), None)
                if (value := values.get(name)) is None:
                    assert shown is None
                else:
                    assert shown == (f"{value:.4f}" if isinstance(value, float) else str(value))
    assert set(topics.values()) <= {None}
    for name in ("map", "eprum_map", "eprum_prec_at_recall_0.50", "gen_recall_5", "P_5"):
        assert f">{name}</option>" in text


def test_main_measures_come_first_and_the_best_are_marked():
    text = html(STRUCTURE)
    reader = Reader(text)
    (table, *_) = reader.tables
    heads = [text for text, _ in table[0]]
    counts = ["num_q", "num_ret", "num_rel", "num_rel_ret", "num_targets", "num_targets_ret"]
    assert heads == ["run", "map", "Rprec", "prum_map", "eprum_map", *counts]
    report = json.loads(run(f"eval -f json {STRUCTURE} {DEMO}").out)["runs"]
    wanted = []
    for one in report:
        for name in heads[1:5]:
            best = max(other["all"][name] for other in report)
            wanted += [[f"{best:.4f}", repr(best)]] if one["all"][name] == best else []
    assert reader.best == wanted
    assert len(wanted) >= 4
    assert text.count('<span class="unseen"> best</span>') == len(wanted)
    assert Reader(html("-m map", TOY)).best == []  # of one run there is no best


@pytest.mark.parametrize("measure", ["eprum_prec_at_recall", "gen_recall"])
def test_curves_hold_the_values_of_the_json(measure):
    reader = Reader(html(f"{STRUCTURE} -m {measure}"))
    report = json.loads(run(f"eval -f json {STRUCTURE} -m {measure} {DEMO}").out)
    wanted = []
    for one in report["runs"]:
        wanted.append(one["run_id"])
        for name, value in one["all"].items():
            point = float(name.removeprefix(f"{measure}_"))
            wanted.append(f"{one['run_id']}, {point:g}: {value!r}")
    assert reader.points == wanted


def test_points_lie_where_their_values_say():
    text = html(f"{STRUCTURE} -m eprum_prec_at_recall")
    found = re.findall(r"<title>\S+, ([\d.]+): ([\d.]+)</title><path [^>]*translate\(([\d.]+),([\d.]+)\)", text)
    assert len(found) == 22
    for level, value, x, y in found:
        # The panel: 420 by 290, margins 58 left, 14 right, 12 above, 46 below; axes from 0 to 1 and to 0.8.
        assert float(x) == pytest.approx(58 + (420 - 58 - 14) * float(level), abs=0.051)
        assert float(y) == pytest.approx(290 - 46 - (290 - 46 - 12) * float(value) / 0.8, abs=0.051)


def test_signature_and_warnings_are_on_the_page(tmp_path):
    (tmp_path / "run").write_text("1 Q0 a 1 1 <b>&r\n99 Q0 a 1 1 <b>&r\n", encoding="utf-8")
    output = run(f"eval -f html -m map fixtures/toy/qrels {tmp_path}/run")
    *warnings, signature = output.err.splitlines()
    said = "".join(Reader(output.out).texts)
    assert signature in said
    assert warnings
    for warning in warnings:
        assert warning.removeprefix("prum-eval: warning: ") in said
    assert "prum-eval: <b>&r" in said
    assert "<b>" not in output.out


def test_nothing_is_fetched_from_anywhere():
    text = html(f"-q {STRUCTURE}")
    fetched = r"<(?:link|img|iframe|object|embed)\b|\b(?:src|action)=|href=.(?!#)|url\(|@import|fetch\("
    assert not re.findall(fetched, text)
    assert set(re.findall(r"\w+://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_page_needs_no_matplotlib(monkeypatch):
    before = html(STRUCTURE)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert html(STRUCTURE) == before


def test_without_curves_there_are_only_tables():
    text = html("-m map", TOY)
    assert "<figure" not in text
    assert rows(Reader(text).tables[0]) == {"toy": {"map": ["0.7500", "0.75"]}}


def test_one_point_is_no_curve():
    text = html("-m gen_recall.5 -m eprum_P.1,5")
    assert re.findall("<h2>(.*?)</h2>", text) == ["Averages", "Curves", "Parameters"]
    assert re.findall("<h3>(.*?)</h3>", text) == ["eprum_P"]
    (averages, *_) = Reader(text).tables
    assert [head for head, _ in averages[0]] == ["run", "gen_recall_5"]


def test_topics_alone():
    text = html("-q -n -m map", TOY)
    assert by_topic(text) == {("map", "toy", "1"): "1.0000", ("map", "toy", "2"): "0.5000"}
    assert re.findall("<h2>(.*?)</h2>", text) == ["Topics", "Parameters"]
    assert '"means"' not in text


def test_topics_without_a_value_have_an_empty_cell(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 0\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n", encoding="utf-8")
    found = by_topic(html("-q -m eprum_map", f"{tmp_path}/qrels {tmp_path}/run"))
    assert found == {("eprum_map", "r", "1"): "1.0000", ("eprum_map", "r", "2"): None}


def test_digits():
    assert '<td data-value="0.75">0.8</td>' in html("-m map --digits 1", TOY)


def test_a_program_may_ask_for_the_page_without_curves():
    evaluation = evaluate(ROOT / "fixtures/toy/qrels", ROOT / "fixtures/toy/run", measures=["map", "P.5"])
    text = evaluation_page(evaluation, Layout())
    assert "<figure" not in text
    assert list(rows(Reader(text).tables[0])["toy"]) == ["map", "P_5"]


@needs_chromium
def test_a_click_sorts_and_another_turns_round(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n" for t in (2, 10, 30)), encoding="utf-8")
    ranks = {"2": "b c a", "10": "a b c", "30": "b a c"}
    lines = [
        f"{t} Q0 {doc} {rank} {9 - rank} r\n" for t, docs in ranks.items() for rank, doc in enumerate(docs.split())
    ]
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    text = html("-q -m map", f"{tmp_path}/qrels {tmp_path}/run")
    # map is 1 / 3 on topic 2, 1 on 10, 1 / 2 on 30.
    ways = {
        (1, 1): ["10", "30", "2", "all"],
        (1, 2): ["2", "30", "10", "all"],
        (0, 1): ["2", "10", "30", "all"],
        (0, 2): ["30", "10", "2", "all"],
    }
    for (column, clicks), order in ways.items():
        script = f"const b = document.querySelectorAll('#by-topic thead button')[{column}];"
        told = after(text, script + "b.click();" * clicks, tmp_path)
        table = Reader(told).tables[1]
        assert [row[0][0] for row in table[1:]] == order
        direction = "descending" if bool(column) == (clicks == 1) else "ascending"
        assert re.findall(r'aria-sort="(\w+)"', told) == [direction]


def test_of_many_points_about_ten_have_a_sign():
    (curves,) = re.findall(
        r'<section id="curves">.*?</section>',
        html("-s fixtures/demo/structure.tsv -m grp_prec_at_recall"),
        flags=re.DOTALL,
    )
    paths = re.findall(r'<g class="line".*?<path d="(M[^"]*)"', curves)
    assert [len(path.split("L")) for path in paths] == [100, 100]
    assert 18 <= curves.count('class="point"') <= 22
