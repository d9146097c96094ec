"""explain --texts: what stands at results and targets, as text, JSON and page."""

import json

import pytest

from prum_eval import explain
from prum_eval.analysis.explanation import MAX_EXCERPT, Excerpt, make_excerpt
from prum_eval.report.html_explanation import excerpt_quote
from prum_eval.report.text_explanation import snippet
from tests.gold import run

DOCUMENT = "<doc><title>Tides</title> <p>Water &amp; moon rise.</p> <p>It falls <i>twice</i> a day.</p></doc>"


@pytest.fixture
def inputs(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "docs" / "e.xml").write_text("<doc><p>Beside <b>it</b></p></doc>", encoding="utf-8")
    (tmp_path / "run").write_text(
        "1 Q0 d 1 9 r /doc[1]/p[2]\n1 Q0 e 2 8 r /doc[1]/p[1]\n1 Q0 d 3 7 r /doc[1]\n1 Q0 f 4 6 r /doc[1]\n",
        encoding="utf-8",
    )
    # "falls twice", and "Beside" in a document that no rank leads to
    (tmp_path / "qrels").write_text("1 Q0 d 11 46 28 28:11\n1 Q0 g 6 9 0 0:6\n", encoding="utf-8")
    (tmp_path / "docs" / "g.txt").write_text("\x1bBeside\n\n me", encoding="utf-8")
    run(f"index {tmp_path}/docs -o {tmp_path}/index")
    options = f"--topic 1 -m gen_recall.3 -u hierarchical -s {tmp_path}/index --texts {tmp_path}/docs"
    return f"{options} {tmp_path}/qrels {tmp_path}/run"


def test_text(inputs):
    output = run(f"explain {inputs}")
    assert output.status == 0
    lines = output.out.splitlines()
    assert lines[5:10] == [
        "[[ ]] is what was highlighted",
        "",
        "1 of 2 targets can be reached; the probability that it is seen in the end",
        "  T1   0.6377  d 28+11",
        "       | [[falls twice]]",
    ]
    assert lines[12:14] == ["    1  d /doc[1]/p[2]", "       | It [[falls twice]] a day."]
    assert "       | Tides Water & moon rise. It [[falls twice]] a day." in lines
    texts = lines.index("The texts: what is highlighted, at which ranks it is read, what is missed")
    assert lines[texts - 4 : texts - 2] == ["  T2   1.0000  never reached    g 0+6", "       | [[ Besid]]"]
    assert lines[texts + 1 :] == [
        "  d: 11 highlighted, 11 found, 0 missed; 67 read, 21 of them again",
        "    0+25        rank 3      | Tides Water & moon rise.",
        "    25+3        ranks 1, 3  | It",
        "    28+11       ranks 1, 3  | [[falls twice]]",
        "    39+7        ranks 1, 3  | a day.",
        "  g: 6 highlighted, 0 found, 6 missed; 0 read, 0 of them again",
        "    0+6         missed      | [[ Besid]]",
        "  nothing highlighted in 9 characters of 1 other document, rank 2",
    ]


def test_json(inputs):
    data = json.loads(run(f"explain -f json {inputs}").out)
    assert data["ranks"][0]["results"][0]["excerpt"] == {
        "start": 25,
        "text": "It falls twice a day.",
        "highlighted": [[28, 11]],
        "left_out": {"before": 0, "after": 0},
    }
    assert data["ranks"][1]["results"][0]["excerpt"]["text"] == "Beside it"  # no target is there: found by its path
    assert "excerpt" not in data["ranks"][3]["results"][0]
    assert [document["document"] for document in data["documents"]] == ["d", "e", "g"]
    assert data["documents"][0] == {
        "document": "d",
        "length": 46,
        "highlighted": 11,
        "found": 11,
        "read": 46,
        "read_again": 21,
        "stretches": [
            {"start": 0, "length": 25, "highlighted": False, "ranks": [3]},
            {"start": 25, "length": 3, "highlighted": False, "ranks": [1, 3]},
            {"start": 28, "length": 11, "highlighted": True, "ranks": [1, 3]},
            {"start": 39, "length": 7, "highlighted": False, "ranks": [1, 3]},
        ],
    }


def test_page(inputs):
    page = run(f"explain -f html {inputs}").out
    assert '<blockquote class="excerpt">It <mark>falls twice</mark> a day.</blockquote>' in page
    assert '<blockquote class="excerpt">Tides Water &amp; moon rise. It <mark>falls twice</mark> a day.' in page
    assert (
        '<h3>d</h3><p class="quiet">Characters: 11 highlighted, 11 found, 0 missed; 67 read, 21 of them again.</p>'
        '<blockquote><span class="read" data-in="r3"><sup title="rank 3">3</sup>Tides Water &amp; moon rise. </span>'
        '<span class="read again" data-in="r1 r3"><sup title="ranks 1, 3">1,3</sup>It </span>'
        '<span class="read again" data-in="r1 r3"><sup title="ranks 1, 3">1,3</sup>'
        '<mark title="highlighted">falls twice</mark></span>' in page
    )
    assert '<mark class="missed" title="missed">\\x1bBesid</mark>' in page
    assert '<p class="quiet">Nothing is highlighted in 9 characters of 1 other document, rank 2.</p>' in page


def test_documents_that_are_lacking(inputs, tmp_path):
    (tmp_path / "docs" / "e.xml").unlink()
    err = run(f"explain {inputs}").err
    assert f"prum-eval: warning: {tmp_path}/docs: documents that it lacks: 2 (e, f)" in err.splitlines()
    (tmp_path / "docs" / "e.xml").write_text("<doc/>", encoding="utf-8")
    err = run(f"explain {inputs}").err
    assert f"prum-eval: warning: {tmp_path}/docs: elements that it lacks: 1 (e /doc[1]/p[1])" in err.splitlines()


def test_bad_sources(inputs, tmp_path):
    assert run(f"explain {inputs} --texts {tmp_path}/run").err == (
        f"{tmp_path}/run: expected texts: a directory, a tar or zip archive, JSON Lines with doc and text, "
        "or an index of documents\n"
    )
    (tmp_path / "docs" / "d.xml").write_text("<doc>\n<p></doc>", encoding="utf-8")
    output = run(f"explain {inputs}")
    assert (output.status, output.out) == (1, "")
    assert output.err.startswith(f"{tmp_path}/docs/d.xml:2: ")


def test_without_a_structure_and_in_documents_as_a_whole(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"doc": "a", "text": "All  of\\nit."}\n', encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n", encoding="utf-8")
    found = explain(tmp_path / "qrels", tmp_path / "run", "1", measures="gen_recall.1", texts=tmp_path / "t.jsonl")
    assert list(found.excerpts.values()) == [Excerpt(0, "All  of\nit.", ())]  # all of it is the target
    out = run(f"explain --topic 1 -m gen_recall.1 --texts {tmp_path}/t.jsonl {tmp_path}/qrels {tmp_path}/run").out
    assert "       | All of it." in out.splitlines()
    assert "The texts" not in out  # nothing is highlighted


def test_long_places_are_cut_around_what_is_highlighted():
    text = "ab " * 5000
    assert make_excerpt(text, 0, 15000, []) == Excerpt(0, text[:MAX_EXCERPT], (), 0, 15000 - MAX_EXCERPT)
    found = make_excerpt(text, 3, 14000, [(9000, 9005), (20000, 20001), (9003, 9100)])
    assert (found.start, found.marks, found.before) == (8800, ((200, 300),), 8797)
    assert (len(found.text), found.after) == (MAX_EXCERPT, 14003 - 8800 - MAX_EXCERPT)
    assert make_excerpt("abc", 10, 4, [(0, 2)]).text == ""


def test_snippets_fit():
    text = "one two three four five six seven eight nine ten " * 3
    for width in range(12, 100):
        for marks in ((), ((4, 7),), ((60, 140),), ((0, 147),), ((70, 72), (80, 90))):
            line = snippet(Excerpt(0, text, marks), width)
            assert len(line) <= width
            assert line.count("[[") == line.count("]]")
            assert "[[" in line or not marks or width < 20
    assert snippet(Excerpt(0, "a\x1b[2J\n b", ()), 20) == "a [2J b"


def test_a_long_excerpt_is_folded_on_the_page():
    short, long = Excerpt(0, "<b>&", ((0, 3),)), Excerpt(0, "x" * 1000, ((500, 503),), 7, 9)
    assert excerpt_quote(short) == '<blockquote class="excerpt"><mark>&lt;b&gt;</mark>&amp;</blockquote>'
    page = excerpt_quote(long)
    assert page.startswith(f'<details class="excerpt"><summary>...{"x" * 45}<mark>xxx</mark>')
    assert "(7 more characters)" in page
    assert "(9 more characters)" in page
    assert excerpt_quote(None) == excerpt_quote(Excerpt(0, " \n", ())) == ""
