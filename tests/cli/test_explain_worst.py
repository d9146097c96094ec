"""eval --explain-worst N: pages about the topics on which runs are worst, linked from the page of all."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from prum_eval import evaluate, explain_worst
from tests.gold import run

GOLD, WINDOWS, PARAGRAPHS = (f"fixtures/rag/{name}.jsonl" for name in ("gold", "windows", "paragraphs"))
MEASURES = "-m char_rec_K.5 -m gen_recall.5"
TOY = "fixtures/toy/qrels fixtures/toy/run"


def links(path):
    text = path.read_text(encoding="utf-8")
    return [
        (unquote(href), topic, value)
        for href, topic, value in re.findall(r'<a href="(.+?)">(.+?)</a></td><td data-value=".+?">(.+?)<', text)
    ]


def test_the_worst_topics_of_each_run_have_a_page_each(tmp_path):
    report = tmp_path / "report.html"
    options = f"-f html -o {report} --explain-worst 2 --texts fixtures/rag/documents {MEASURES}"
    found = run(f"eval {options} {GOLD} {WINDOWS} {PARAGRAPHS}")
    assert (found.status, found.out) == (0, "")
    assert links(report) == [
        ("report-topics/windows.bicycle.html", "bicycle", "0.2787"),
        ("report-topics/windows.pass.html", "pass", "0.7163"),
        ("report-topics/paragraphs.pass.html", "pass", "1.0000"),  # the longest answers among equals
        ("report-topics/paragraphs.bicycle.html", "bicycle", "1.0000"),
    ]
    assert sorted(path.name for path in (tmp_path / "report-topics").iterdir()) == [
        "paragraphs.bicycle.html", "paragraphs.pass.html", "windows.bicycle.html", "windows.pass.html",
    ]  # fmt: skip
    assert "<h2>Worst topics by <code>char_rec_5</code></h2>" in report.read_text(encoding="utf-8")
    alone = run(f"explain -f html --topic pass --texts fixtures/rag/documents {MEASURES} {GOLD} {WINDOWS}").out
    assert (tmp_path / "report-topics" / "windows.pass.html").read_text(encoding="utf-8") == alone


def test_without_it_the_page_has_no_such_part(tmp_path):
    run(f"eval -f html -o {tmp_path}/report.html {MEASURES} {GOLD} {WINDOWS}")
    assert "Worst topics" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_names_are_text_in_pages_and_plain_in_names_of_files(tmp_path):
    (tmp_path / "qrels").write_text("a/<b>&% 0 d 1\na/<b>&? 0 d 1\n")
    (tmp_path / "run").write_text("a/<b>&% Q0 d 1 1 ../<r>\na/<b>&? Q0 x 1 1 ../<r>\n")
    assert run(f"eval -f html -o {tmp_path}/page --explain-worst 5 {tmp_path}/qrels {tmp_path}/run").status == 0
    assert links(tmp_path / "page") == [
        ("page-topics/__r_.a__b___.html", "a/&lt;b&gt;&amp;?", "0.0000"),
        ("page-topics/__r_.a__b___-2.html", "a/&lt;b&gt;&amp;%", "1.0000"),
    ]
    assert len(list((tmp_path / "page-topics").iterdir())) == 2


def test_topics_without_a_value_or_an_answer_are_none_of_them(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 0\n3 0 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 1 r\n2 Q0 d 1 1 r\n")
    report = tmp_path / "report.html"
    for measure, value in (("rbp", "0.1000"), ("map", "1.0000"), ("eprum_map", "1.0000")):
        inputs = f"{tmp_path}/qrels {tmp_path}/run"
        assert run(f"eval -c -f html -o {report} -m {measure} --explain-worst 9 {inputs}").status == 0
        assert links(report) == [("report-topics/r.1.html", "1", value)]


def test_python_gives_the_explanations():
    inputs = {"assessments": GOLD, "runs": [WINDOWS, PARAGRAPHS]}
    found = explain_worst(evaluate(**inputs), 1, **inputs)
    assert [(one.run, one.topic, one.measure, one.value) for one in found] == [
        (0, "bicycle", "char_rec_1", 0.0), (1, "pass", "char_rec_1", pytest.approx(71 / 208)),
    ]  # fmt: skip
    for one in found:
        values = {each.measure: each.value for each in one.explanation.contributions}
        assert values["char_rec_1"] == one.value


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ("--explain-worst 1 -f html", 2, "Error: --explain-worst is for -f html with -o FILE"),
        ("--explain-worst 1 -f html -o -", 2, "Error: --explain-worst is for -f html with -o FILE"),
        ("--explain-worst 1 -o {}", 2, "Error: --explain-worst is for -f html with -o FILE"),
        (
            "--explain-worst 0 -f html -o {}",
            2,
            "Error: Invalid value for '--explain-worst': 0 is not in the range x>=1.",
        ),
        ("--explain-worst 1 -f html -o {} -m num_ret", 2, "prum-eval: explain does not support the measures num_ret"),
    ],
)
def test_what_is_refused(tmp_path, options, status, said):
    found = run(f"eval {options.format(tmp_path / 'r.html')} {TOY}")
    assert (found.status, found.out) == (status, "")
    assert found.err.splitlines()[-1] == said
    assert not list(tmp_path.iterdir())


def test_inputs_are_read_twice(tmp_path):
    found = run(f"eval --explain-worst 1 -f html -o {tmp_path}/r.html fixtures/toy/qrels -")
    assert found.status == 2
    said = "Error: --explain-worst reads its inputs twice, so - (standard input) is not possible"
    assert found.err.splitlines()[-1] == said
