"""`spans` on the command line and from Python: every form of quotes, every message in full."""

import io
import json
import subprocess
import sys
import tarfile

import pandas as pd
import pytest

import prum_eval.chunks
from prum_eval.chunks import LostQuotesError, spans
from prum_eval.errors import DataError, InputError, UsageError
from tests.gold import ROOT, run

TEXTS = {
    "fares": "A day ticket costs 4.20.\nA child’s ticket costs half of it.\n",
    "night": "No ticket is needed at night. A day ticket costs 4.20.",
}
ONE = '{"topic": "1", "doc": "night", "doc_length": 54, "spans": [[0, 29]]}\n'


@pytest.fixture
def texts(write):
    for name, text in TEXTS.items():
        path = write(text, f"texts/{name}.txt")
    write("\xff", "texts/.hidden")
    return path.rpartition("/")[0]


@pytest.fixture
def said(write, texts):
    """Standard error and output of the command for some quotes, without the folders."""

    def said(quotes, *options, name="quotes.tsv"):
        path = write(quotes, name)
        output = run(f"spans {path} {texts} {' '.join(options)}")
        return output.status, output.err.replace(path, "Q").replace(texts, "T").splitlines(), output.out

    return said


@pytest.mark.parametrize(
    "quotes",
    [
        "1\tNo ticket is needed at night.\n",
        "1\tnight\t No ticket is needed at night. \r\n\n\n",
        "1\t\tNo ticket is needed at night.",
        "qid\tQuote\n1\tNo ticket is needed at night.\n",
        '{"topic": 1, "quote": "No ticket is needed at night.", "more": [1]}\n',
        '{"question_id": "1", "doc_id": "night", "quote": "No ticket is needed at night."}\n',
    ],
)
def test_forms_of_quotes(said, quotes):
    assert said(quotes) == (0, ["prum-eval: 1 quote: 1 exact, 0 folded, 0 fuzzy, 0 not found"], ONE)
    assert said(quotes, "--quiet") == (0, [], ONE)


@pytest.mark.parametrize(
    "quotes",
    [
        {"1": "No ticket is needed at night."},
        {1: ["No ticket is needed at night."]},
        [("1", "No ticket is needed at night.")],
        [["1", "night", "No ticket is needed at night."]],
        [{"qid": "1", "document": None, "quote": "No ticket is needed at night."}],
        pd.DataFrame([{"topic": "1", "quote": "No ticket is needed at night.", "more": 1}]),
    ],
)
def test_quotes_from_python(quotes):
    found = spans(quotes, TEXTS)
    assert found.text == ONE
    assert repr(found) == "<RelevantSpans: 1 quote: 1 exact, 0 folded, 0 fuzzy, 0 not found>"
    (row,) = found.rows()
    assert row == {
        "line": 1, "topic": "1", "quote": "No ticket is needed at night.", "found": "exact", "score": 100.0,
        "places": 1, "doc": "night", "start": 0, "end": 29,
    }  # fmt: skip


def test_gold_is_taken_by_evaluate():
    found = spans({"1": "No ticket is needed at night."}, TEXTS)
    results = [{"topic": "1", "doc": "night", "start": 0, "end": 10}]
    result = prum_eval.evaluate(found.assessments, results, measures="char_rec")
    assert result.runs[0].all == {"char_rec": 10 / 29}


def test_quotes_of_the_fixtures():
    found = spans("fixtures/rag/quotes.tsv", "fixtures/rag/documents").text
    gold = [json.loads(line) for line in (ROOT / "fixtures/rag/gold.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [json.loads(line) for line in found.splitlines()] == [line for line in gold if line["spans"]]


def test_the_package_need_not_be_imported():
    script = "import prum_eval; print(prum_eval.chunks.run({'1': [('a', 0, 5)]}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "<Run run: 1 topic, 1 result, offsets>\n"


def test_questions_may_have_blanks():
    found = spans({"What is needed?": "No ticket"}, TEXTS)
    assert list(found.assessments.topics) == ["What is needed?"]


def archive(folder):
    path = folder / "texts.tar"
    with tarfile.open(path, "w") as made:
        for name, text in TEXTS.items():
            member = tarfile.TarInfo(f"./{name}.txt")
            member.size = len(text.encode())
            made.addfile(member, io.BytesIO(text.encode()))
    return path


def lines(folder):
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps({"doc": name, "text": text}) + "\n" for name, text in TEXTS.items()))
    return path


@pytest.mark.parametrize("source", [archive, lines])
@pytest.mark.parametrize("row", [("1", "No ticket is needed"), ("1", "night", "No ticket is needed")])
def test_texts_of_archives_and_lines(tmp_path, source, row):
    found = spans([row], source(tmp_path))
    assert found.text == ONE.replace("29", "19")


def test_a_document_has_the_name_that_its_quote_gives_it(texts):
    assert spans([("1", "night.txt", "No ticket is needed at night.")], texts).text == ONE.replace("night", "night.txt")


def test_quotes_in_several_places(said):
    quotes = "1\tA day ticket costs 4.20.\n2\tat night\n"
    places = "Q:1: the quote occurs in 2 places: fares 0:24, night 30:54"
    counts = "prum-eval: 2 quotes: 2 exact, 0 folded, 0 fuzzy, 0 not found; 1 in several places"
    ways = (
        "prum-eval: nothing is written; --ambiguous first, all or any takes those in several places, "
        "--lossy leaves out what has no place"
    )
    first = '{"topic": "1", "doc": "fares", "doc_length": 60, "spans": [[0, 24]]}\n'
    other = '{"topic": "1", "doc": "night", "doc_length": 54, "spans": [[30, 54]]}\n'
    second = '{"topic": "2", "doc": "night", "doc_length": 54, "spans": [[20, 28]]}\n'
    assert said(quotes) == (1, [places, counts, ways], "")
    warning = "prum-eval: warning:"
    assert said(quotes, "--lossy") == (0, [f"{warning} lost: {places}", counts], second)
    taken = f"{warning} {places}; the first is taken"
    assert said(quotes, "--ambiguous", "first") == (0, [taken, counts], first + second)
    taken = f"{warning} {places}; all are taken"
    assert said(quotes, "--ambiguous", "all") == (0, [taken, counts], first + other + second)


def test_a_quote_that_stands_in_one_place_as_it_is_is_not_ambiguous():
    (one,) = spans({"1": "at night"}, {"a": "AT NIGHT", "b": "at night"}).quotes
    assert (one.match_kind, one.places) == ("exact", (("b", 0, 8),))


def test_many_places_are_cut():
    with pytest.raises(LostQuotesError, match="in 7 places") as raised:
        spans({"1": "no"}, {"d": "no " * 7})
    listed = ", ".join(f"d {start}:{start + 2}" for start in range(0, 15, 3))
    assert str(raised.value) == f"quotes:1: the quote occurs in 7 places: {listed}, ..."
    with pytest.raises(LostQuotesError, match="in 1000 or more places: d 0:2"):
        spans({"1": "no"}, {"d": "no " * 1001}, ambiguous="all")
    assert [one.places[0] for one in spans({"1": "no"}, {"d": "no " * 1001}, ambiguous="first").quotes] == [("d", 0, 2)]


def test_quotes_that_are_not_there(said):
    quotes = "1\tnight\tA child's ticket costs half\n2\tmoon\tat night\n3\t\tA childs ticket costs half of it all\n"
    quotes += "4\t\tA childs ticket costs half of it.\n5\t\tquarks\n"
    lost = [
        "Q:1: the quote is not in document 'night'; most like it (71 of 100): night 30:48 'A day ticket costs'",
        "Q:2: the quote is not in document 'moon', which the texts lack",
        (
            "Q:3: the quote is not in the texts; most like it (93 of 100): fares 25:58 "
            "'A child’s ticket costs half of it'"
        ),
        "Q:5: the quote is not in the texts",
    ]
    counts = "prum-eval: 5 quotes: 0 exact, 0 folded, 1 fuzzy, 4 not found"
    ways = "prum-eval: nothing is written; --lossy leaves out what has no place"
    status, err, out = said(quotes, "--threshold", "95")
    assert (status, out) == (1, "")
    assert err == [*lost, counts, ways]
    status, err, out = said(quotes, "--threshold", "95", "--lossy")
    fuzzy = "prum-eval: warning: Q:4: found fuzzily (99 of 100): fares 25:59 'A child’s ticket costs half of it.'"
    assert (status, err) == (0, [fuzzy, *(f"prum-eval: warning: lost: {line}" for line in lost), counts])
    assert out == '{"topic": "4", "doc": "fares", "doc_length": 60, "spans": [[25, 59]]}\n'


def test_nothing_is_found(said):
    counts = "prum-eval: 1 quote: 0 exact, 0 folded, 0 fuzzy, 1 not found"
    ways = "prum-eval: nothing is written; --lossy leaves out what has no place"
    assert said("1\tquarks\n", "--lossy") == (1, ["Q:1: the quote is not in the texts", counts, ways], "")


def test_without_rapidfuzz(said, monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    quotes = "1\tA childs ticket costs half of it.\n2\tAT NIGHT\n3\tA day\tticket".replace(
        "\tticket", " ticket costs 5"
    )
    lost = ["Q:1: the quote is not in the texts", "Q:3: the quote is not in the texts"]
    counts = "prum-eval: 3 quotes: 0 exact, 1 folded, 0 fuzzy, 2 not found"
    ways = "prum-eval: nothing is written; --lossy leaves out what has no place"
    extra = "what is nearly the same is found with rapidfuzz: pip install rapidfuzz"
    assert said(quotes) == (1, [*lost, counts, ways, f"prum-eval: {extra}"], "")
    status, err, out = said(quotes, "--lossy")
    assert (status, json.loads(out)["spans"]) == (0, [[20, 28]])
    assert err == [f"prum-eval: warning: {one}" for one in (extra, *(f"lost: {one}" for one in lost))] + [counts]
    assert said("1\tAT NIGHT\n")[1] == ["prum-eval: 1 quote: 0 exact, 1 folded, 0 fuzzy, 0 not found"]


def test_overlapping_quotes_of_a_topic_are_merged(said):
    quotes = "1\tnight\tNo ticket is\n1\tis needed\n2\tis needed\n1\tneeded at\n1\tat night.\n1\t A day\n1\tday\n"
    quotes = quotes.replace("\t A day", "\tA day ticket costs 4.20. A").replace("\tday", "\tnight. A day")
    quotes = "".join(f"{line}\n" for line in quotes.splitlines() if "A\n" not in f"{line}\n")
    quotes = quotes.replace("1\tnight\tNo ticket is", "1\tNo ticket is")
    status, err, out = said(quotes)
    assert status == 0
    merged = "they are merged"
    assert err == [
        f"prum-eval: warning: Q:2: overlaps the quote of line 1, night 0:12; {merged}",
        f"prum-eval: warning: Q:4: overlaps the quote of line 2, night 0:19; {merged}",
        f"prum-eval: warning: Q:5: overlaps the quote of line 4, night 0:22; {merged}",
        f"prum-eval: warning: Q:6: overlaps the quote of line 5, night 0:29; {merged}",
        "prum-eval: 6 quotes: 6 exact, 0 folded, 0 fuzzy, 0 not found",
    ]
    assert [json.loads(line)["spans"] for line in out.splitlines()] == [[[0, 35]], [[10, 19]]]


def test_touching_quotes_stay_two():
    found = spans({"1": ["No ticket", "is needed", " at"]}, {"d": "No ticketis needed at"}).text
    assert json.loads(found)["spans"] == [[0, 9], [9, 18], [19, 21]]


def test_groups_of_topics(said):
    lines = [{"topic": "1", "quote": "No ticket", "group": "night"}, {"topic": "2", "quote": "half of it"}]
    quotes = "".join(json.dumps(line) + "\n" for line in lines)
    assert [json.loads(line).get("group") for line in said(quotes)[2].splitlines()] == ["night", None]
    reason = "group 'day' of topic '1', but 'night' on line 1"
    more = json.dumps({"topic": "1", "quote": "is needed", "group": "day"}) + "\n"
    assert said(quotes + more) == (1, [f"Q:3: {reason}"], "")
    assert said(quotes + more.replace('"1"', '"2"'))[2].count('"group": "day"') == 2


COLUMNS = "topic TAB quote, topic TAB document TAB quote, or JSON Lines with topic, quote and perhaps doc"


@pytest.mark.parametrize(
    ("quotes", "reason"),
    [
        ("", "1: the file is empty"),
        ("no tab\n", f"1: expected {COLUMNS}; found 1 column"),
        ("1\ta\tb\tc\n", f"1: expected {COLUMNS}; found 4 columns"),
        ("1\tat\n1\tnight\tat\n", "2: expected 2 columns as on line 1, found 3"),
        ("1\tat\n\n1\tat\n", "2: a blank line, expected a quote"),
        ("1\tat\n1\t \n", "2: quote: expected words of a text, found ''"),
        ("\tat\n", "1: topic: expected a name, text without control characters, found '\"\"'"),
        (b"1\tat\n1\t\xff\n", "2: the line is not UTF-8 text"),
        ("{}\n", "1: the key 'topic' is missing"),
        ('{"topic": "1"}\n', "1: the key 'quote' is missing"),
        ('{"topic": "1", "quote": ""}\n', "1: quote: expected words of a text, found ''"),
        ('{"topic": "1", "quote": 5}\n', "1: quote: expected text, found '5'"),
        (
            '{"topic": "1", "quote": "at", "doc": []}\n',
            "1: doc: expected a name, text without control characters, found '[]'",
        ),
        ('{"topic": "1", "quote": "at"\n', "1: not a JSON object: Expecting ',' delimiter at column 29"),
    ],
)  # fmt: skip
def test_bad_quotes(said, quotes, reason):
    assert said(quotes) == (1, [f"Q:{reason}"], "")


@pytest.mark.parametrize(
    ("quotes", "message"),
    [
        (5, "quotes: expected a path, rows or {question: quotes}, found 5"),
        ([("1",)], "quotes: row 1: expected (topic, quote) or (topic, document, quote), found ('1',)"),
        (["at"], "quotes: row 1: expected (topic, quote) or (topic, document, quote), found 'at'"),
    ],
)
def test_bad_quotes_from_python(quotes, message):
    with pytest.raises(DataError) as raised:
        spans(quotes, TEXTS)
    assert str(raised.value) == message


def test_a_bad_row():
    with pytest.raises(InputError) as raised:
        spans([("1", "at"), ("1", 5)], TEXTS)
    assert str(raised.value) == "quotes:2: quote: expected text, found '5'"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ambiguous": "none"}, "ambiguous=none: ambiguous is first, all, any, refuse"),
        ({"threshold": 0}, "threshold=0: threshold is above 0, at most 100"),
        ({"texts": {"a": b"text"}}, "texts: expected names and texts, found 'a': b'text'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(UsageError) as raised:
        spans({"1": "at"}, **{"texts": TEXTS, **options})
    assert str(raised.value) == message


def test_texts_that_cannot_be_read(said, write):
    write(b"\xff", "texts/bad.txt")
    lost = "T/bad.txt:1: the text is not UTF-8"
    counts = "prum-eval: 1 quote: 1 exact, 0 folded, 0 fuzzy, 0 not found"
    ways = "prum-eval: nothing is written; --lossy leaves out what has no place"
    quotes = "1\tNo ticket is needed at night.\n"
    assert said(quotes) == (1, [lost, counts, ways], "")
    assert said(quotes, "--lossy") == (0, [f"prum-eval: warning: lost: {lost}", counts], ONE)
    assert said(quotes.replace("\t", "\tnight\t")) == (0, [counts], ONE)


def test_usage(texts):
    output = run(f"spans - {texts} --threshold 0")
    assert output.status == 2
    assert output.err.splitlines()[-1] == "Error: Invalid value for '--threshold': 0.0 is not in the range 0<x<=100."
    assert run(f"spans {texts}/night.txt {texts} -o {texts}/night.txt").status == 2


@pytest.mark.parametrize(
    ("quote_document", "names"), [("", ["fares", "night"]), ("fares.txt\t", ["fares.txt", "night.txt"])]
)
def test_lengths_of_documents_without_a_quote(tmp_path, quote_document, names):
    """Named as in the quotes; a user who reads on needs them, and other values stay the same."""
    (tmp_path / "texts").mkdir()
    for name, text in (("fares.txt", "A day ticket costs nine."), ("night.txt", "Line N1 runs hourly.")):
        (tmp_path / "texts" / name).write_text(text)
    (tmp_path / "texts" / "logo.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "quotes.tsv").write_text(f"1\t{quote_document}day ticket\n")
    rows = [{"topic": "1", "doc": name, "start": 0, "end": 5} for name in names]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    values, command = [], f"spans {tmp_path}/quotes.tsv {tmp_path}/texts -o {tmp_path}/gold.jsonl"
    for option in ("", " --lengths"):
        assert run(command + option).status == 0
        values.append(run(f"eval --quiet {tmp_path}/gold.jsonl {tmp_path}/run.jsonl").out)
    assert values[0] == values[1]
    gold = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert [(line["topic"], line["doc"], line["doc_length"], line["spans"]) for line in gold] == [
        ("1", names[0], 24, [[2, 12]]),
        ("1", names[1], 20, []),
    ]
    read = run(f"eval -n -q -u t2i -m read.2 {tmp_path}/gold.jsonl {tmp_path}/run.jsonl")
    assert read.out == "read_2                \t1\t44.0000\n"
