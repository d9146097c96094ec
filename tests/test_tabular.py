"""What results show of themselves, and what the package offers."""

from __future__ import annotations

import sys

import pytest

import prum_eval
from tests.gold import ROOT

TOPICS = 50


@pytest.fixture(scope="module")
def result():
    qrels = "".join(f"{topic} 0 d{document} 1\n" for topic in range(TOPICS) for document in range(3))
    lines = "".join(f"{topic} Q0 d{document} 0 {-document} mine\n" for topic in range(TOPICS) for document in range(9))
    return qrels, lines


@pytest.fixture
def large(result, tmp_path):
    for name, text in zip(("qrels", "run"), result, strict=True):
        (tmp_path / name).write_text(text)
    return prum_eval.evaluate(tmp_path / "qrels", [tmp_path / "run"] * 2)


def test_repr_is_one_short_line(large):
    assert repr(large) == f"<Evaluation: 2 runs, {TOPICS} topics, {len(large.runs[0].all)} measures>"
    assert repr(large.runs[0]) == f"<RunResult: mine, {TOPICS} topics, {len(large.runs[0].all)} measures>"


def test_repr_counts_the_warnings():
    result = prum_eval.evaluate({"1": {"d": 1}}, {"1": {"d": 1.0}, "2": {"d": 1.0}}, measures="map")
    assert repr(result) == "<Evaluation: 1 run, 1 topic, 1 measure; 1 warning>"
    assert str(result).splitlines()[-1] == "warning: run: 1 topic has no assessments and is left out"
    assert result._repr_html_().endswith("<div>warning: run: 1 topic has no assessments and is left out</div>")


def test_printed_with_the_averages(large):
    assert ["map", "1.0000", "1.0000"] in [line.split() for line in str(large).splitlines()]
    assert ["map", "1.0000"] in [line.split() for line in str(large.runs[0]).splitlines()]


def test_many_runs_go_down():
    toy = ROOT / "fixtures" / "toy"
    result = prum_eval.evaluate(toy / "qrels", [toy / "run"] * 70, measures=["map", "P.5"])
    lines = str(result).splitlines()
    assert lines[1].split() == ["run", "map", "P_5"]
    assert lines[-1] == "... 10 more rows"
    assert result._repr_html_().endswith("<div>... 10 more rows</div>")


def test_html_is_escaped(tmp_path):
    (tmp_path / "run").write_text("1 Q0 d 1 1 <b>&\n")
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    html = prum_eval.evaluate(tmp_path / "qrels", tmp_path / "run", measures="map")._repr_html_()
    assert "<th>&lt;b&gt;&amp;</th>" in html
    assert "<td>map</td><td>1.0000</td>" in html


def test_rows_and_data_frame(large):
    rows = list(large.rows())
    assert rows[0] == {"run": "mine", "path": large.runs[0].path, "topic": "0", "measure": "num_ret", "value": 9}
    frame = large.to_pandas()
    assert len(frame) == len(rows)
    assert list(frame.columns) == list(rows[0])


def test_without_pandas(large, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="to_pandas needs pandas: pip install pandas"):
        large.to_pandas()


def test_public_names():
    assert dir(prum_eval) == sorted(prum_eval.__all__)
    assert all(getattr(prum_eval, name) is not None for name in prum_eval.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = prum_eval.nothing


def test_records_say_in_a_line_what_they_are(tmp_path):
    demo = ROOT / "fixtures" / "demo"
    (tmp_path / "navigation").write_text("a\tb\t0.5\n")
    assert repr(prum_eval.read_run(demo / "run-a.xml")) == "<Run bm25-sections: 3 topics, 17 results, element paths>"
    assert repr(prum_eval.read_assessments(demo / "judged.txt")) == (
        f"<Assessments {demo / 'judged.txt'}: 3 topics, passages>"
    )
    structure = demo / "structure.tsv"
    assert repr(prum_eval.read_structure(structure)) == f"<Structure {structure}: 6 documents, 65 elements>"
    steps = tmp_path / "navigation"
    assert repr(prum_eval.read_navigation(steps)) == f"<NavigationFile {steps}: 1 line>"
