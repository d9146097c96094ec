"""Bad runs: every message in full."""

import pytest

from prum_eval.errors import InputError
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_run
from prum_eval.text import lines as text_lines
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY

GOOD = "1 Q0 z 1 9 r 0 1\n"
PATH = "an element path such as /article[1]/sec[2]"

BAD_LINES = {
    "empty": ("", "1: the file is empty"),
    "nothing but blank lines": ("\n \n", "1: the file is empty"),
    "five columns": ("1 Q0 a 1 9\n", "1: expected 6 columns (TREC), 7 or 8 (INEX), found 5"),
    "nine columns": ("1 Q0 a 1 9 r 0 1 x\n", "1: expected 6 columns (TREC), 7 or 8 (INEX), found 9"),
    "columns change": (GOOD + "1 Q0 a 1 9 r\n", "2: expected 8 columns as on line 1, found 6"),
    "path among offsets": (
        GOOD + "1 Q0 a 1 9 r /a[1] /a[1]\n",
        "2: offset: expected an integer, X or -1, found '/a[1]'",
    ),
    "offset among paths": ("1 Q0 a 1 9 r /a /a\n1 Q0 a 1 9 r 0 1\n", f"2: path: expected {PATH}, found '0'"),
    "blank line": (GOOD + "\n1 Q0 a 1 9 r 0 1\n", "2: a blank line, expected a result"),
    "blank last line": (GOOD + " \n", "2: a blank line, expected a result"),
    "score is no number": ("1 Q0 a 1 high r\n", "1: score: expected a finite number, found 'high'"),
    "score not a number": ("1 Q0 a 1 nan r\n", "1: score: expected a finite number, found 'nan'"),
    "infinite score": (GOOD + "1 Q0 a 1 -inf r 0 1\n", "2: score: expected a finite number, found '-inf'"),
    "score overflows": ("1 Q0 a 1 1e999 r\n", "1: score: expected a finite number, found '1e999'"),
    "score with underscore": ("1 Q0 a 1 1_0 r\n", "1: score: expected a finite number, found '1_0'"),
    "score in other digits": ("1 Q0 a 1 \u0661 r\n", "1: score: expected a finite number, found '\u0661'"),
    "score of hexadecimals": ("1 Q0 a 1 0x10 r\n", "1: score: expected a finite number, found '0x10'"),
    "offset is no integer": ("1 Q0 a 1 9 r 1.5 20\n", "1: offset: expected an integer, X or -1, found '1.5'"),
    "offset too large": (
        "1 Q0 a 1 9 r 9223372036854775808 0\n",
        "1: offset: expected an integer, X or -1, found '9223372036854775808'",
    ),
    "another minus one": ("1 Q0 a 1 9 r -01 20\n", "1: offset: expected an integer, X or -1, found '-01'"),
    "length is no integer": ("1 Q0 a 1 9 r 1 1e1\n", "1: length: expected an integer, found '1e1'"),
    "length does not exist": ("1 Q0 a 1 9 r 1 X\n", "1: length: expected an integer, found 'X'"),
    "negative length": ("1 Q0 a 1 9 r 20 -5\n", "1: length: expected 0 or more, found '-5'"),
    "offset below all": (
        "1 Q0 a 1 9 r -1099511627777 20\n",
        "1: offset: expected at least -1099511627776, found '-1099511627777'",
    ),
    "least number": (
        "1 Q0 a 1 9 r -9223372036854775808 20\n",
        "1: offset: expected at least -1099511627776, found '-9223372036854775808'",
    ),
    "length beyond all": (
        "1 Q0 a 1 9 r -20 1099511627777\n",
        "1: offset '-20' and length '1099511627777' end past the largest offset, 1099511627776",
    ),
    "extent overflows": (
        "1 Q0 a 1 9 r 1099511627776 1\n",
        "1: offset '1099511627776' and length '1' end past the largest offset, 1099511627776",
    ),
    "no path": ("1 Q0 a 1 9 r article[1]\n", f"1: path: expected {PATH}, found 'article[1]'"),
    "number for a path": ("1 Q0 a 1 9 r 20\n", f"1: path: expected {PATH}, found '20'"),
    "path with position 0": ("1 Q0 a 1 9 r /a[0]\n", f"1: path: expected {PATH}, found '/a[0]'"),
    "path that ends in a slash": ("1 Q0 a 1 9 r /a[1]/\n", f"1: path: expected {PATH}, found '/a[1]/'"),
    "path without its root": ("1 Q0 a 1 9 r //a[1]\n", f"1: path: expected {PATH}, found '//a[1]'"),
    "path of two": ("1 Q0 a 1 9 r /a[1] /b\n1 Q0 a 2 9 r /a[1] sec\n", f"2: path: expected {PATH}, found 'sec'"),
    "second path does not exist": ("1 Q0 a 1 9 r /a X\n", f"1: path: expected {PATH}, found 'X'"),
    "topic is not UTF-8": (b"1 Q0 a 1 9 r\n\xff Q0 a 1 9 r\n", r"2: topic: expected UTF-8 text, found '\xff'"),
    "document is not UTF-8": (b"1 Q0 a 1 9 r\n1 Q0 b\xff 1 9 r\n", r"2: document: expected UTF-8 text, found 'b\xff'"),
    "path is not UTF-8": (b"1 Q0 a 1 9 r /\xff\n", rf"1: path: expected {PATH}, found '/\xff'"),
    "document twice": (
        "1 Q0 a 1 9 r\n2 Q0 a 1 9 r\n1 Q0 a 2 8 r\n",
        "3: document 'a' is listed twice in topic '1' (first on line 1)",
    ),
    "element twice": (
        "1 Q0 a 1 9 r /x/y\n1 Q0 a 2 8 r /x\n1 Q0 a 3 7 r /x[1]/y[1]\n",
        "3: element '/x[1]/y[1]' of document 'a' is listed twice in topic '1' (first on line 1)",
    ),
    "range twice": (
        "1 Q0 a 1 9 r /x /x\n1 Q0 a 2 8 r /x /y\n1 Q0 a 2 8 r /x[1] /y\n",
        "3: element '/x[1]' to '/y[1]' of document 'a' is listed twice in topic '1' (first on line 2)",
    ),
    "topic in two blocks": (
        GOOD + "2 Q0 a 1 9 r 0 1\n1 Q0 a 1 9 r 0 1\n",
        "3: topic '1' has a second block of results (its first began on line 1); sort the lines by topic",
    ),
    "long value": ("1 Q0 a 1 " + "x" * 99 + " r\n", f"1: score: expected a finite number, found '{'x' * 80}...'"),
    "unprintable value": ("1 Q0 a 1 \x1b[1m r\n", r"1: score: expected a finite number, found '\x1b[1m'"),
}


@pytest.mark.parametrize(("text", "message"), BAD_LINES.values(), ids=BAD_LINES)
def test_bad_line_is_named(write, problems_of, text, message):
    path = write(text)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:{message}"
    assert problems_of(read_run, path) == [message]


def test_rank_is_checked_where_it_ranks(write):
    path = write("1 Q0 a 1.0 9 r\n")
    with pytest.raises(InputError) as error:
        read_run(path, rank_by=RankBy.RANK)
    assert str(error.value) == f"{path}:1: rank: expected an integer, found '1.0'"


def test_long_lines_are_refused(write, problems_of, monkeypatch):
    monkeypatch.setattr(text_lines, "MAX_LINE_BYTES", 1000)
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", 20)
    path = write(GOOD + "1 Q0 " + "a" * 2000)
    assert problems_of(read_run, path) == ["2: a line longer than 1000 bytes"]


@pytest.mark.parametrize("block", [10, 60, 1 << 18])
def test_all_problems_are_found_and_the_rest_is_read(write, problems_of, monkeypatch, block):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    path = write(
        "1 Q0 a 1 9 r\n1 Q0 a 1 9 r 0 1\n1 Q0 b 1 x r 0 1\n\n2 Q0 c 1 9 r 0 -1\n2 Q0 d 1 9 r 3 4\n1 Q0 e 1 9\n"
    )
    assert problems_of(read_run, path) == [
        "2: expected 6 columns as on line 1, found 8",
        "3: expected 6 columns as on line 1, found 8",
        "4: a blank line, expected a result",
        "5: expected 6 columns as on line 1, found 8",
        "6: expected 6 columns as on line 1, found 8",
        "7: expected 6 columns as on line 1, found 5",
    ]
    path = write("bad\n1 Q0 a 1 9 r 0 1\n1 Q0 b 1 x r 0 1\n\n2 Q0 c 1 9 r 0 -1\n2 Q0 d 1 9 r 3 4\n")
    assert problems_of(read_run, path) == [
        "1: expected 6 columns (TREC), 7 or 8 (INEX), found 1",
        "3: score: expected a finite number, found 'x'",
        "4: a blank line, expected a result",
        "5: length: expected 0 or more, found '-1'",
    ]
    run = read_run(path, problems=lambda _: None)
    assert run.topics == ("1", "2")
    assert run.line.tolist() == [2, 6]


def submission(body, head="", attributes="run-id='x'"):
    return f"{head}<inex-submission {attributes}>\n{body}\n</inex-submission>\n"


def topic(*results, topic_id="1"):
    return f"<topic topic-id='{topic_id}'>\n" + "\n".join(f"<result>{item}</result>" for item in results) + "</topic>"


A = "<file>a</file><path>/x</path>"
B = "<file>b</file><path>/x</path>"

BAD_XML = {
    "cut off": (
        "<inex-submission run-id='x'>\n<topic topic-id='1'>",
        "2: the XML is cut off: the file ends inside an element",
    ),
    "cut off in a tag": (
        "<inex-submission run-id='x'>\n<top",
        "2: the XML is cut off: the file ends inside an element",
    ),
    "not well-formed": (
        submission("</topic>"),
        "2: the XML is not well-formed: Opening and ending tag mismatch: inex-submission line 1 and topic",
    ),
    "two roots": (
        submission(topic(A)) + "<x/>",
        "5: the XML is not well-formed: Extra content at the end of the document",
    ),
    "invalid bytes": (
        b"<inex-submission run-id='\xff'/>",
        "1: the XML is not well-formed: Invalid bytes in character encoding",
    ),
    "unknown encoding": (
        "<?xml version='1.0' encoding='klingon'?><a/>",
        "1: the XML cannot be decoded: the declared encoding 'klingon' is not known or not the true one",
    ),
    "UTF-16": ("<a/>".encode("utf-16"), "1: the text is UTF-16, expected UTF-8"),
    "UTF-16 without mark": ("<a/>".encode("utf-16-le"), "1: the text is UTF-16, expected UTF-8"),
    "UTF-16 without mark, of the other order": ("<a/>".encode("utf-16-be"), "1: the text is UTF-16, expected UTF-8"),
    "UTF-16 after blanks": ("\n <a/>".encode("utf-16-le"), "1: the text is UTF-16, expected UTF-8"),
    "UTF-16 after blanks, of the other order": (" <a/>".encode("utf-16-be"), "1: the text is UTF-16, expected UTF-8"),
    "an entity in UTF-7": (
        b"<?xml version='1.0' encoding='utf-7'?>\n+ADwAIQ-DOCTYPE a [+ADwAIQ-ENTITY x 'y'>]><a/>",
        f"2: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
    "nested too deep": (submission("<x>" * 3000), "2: elements are nested more than 2048 deep"),
    "undefined entity": (
        submission(topic("<file>&x;</file>")),
        "3: the XML is not well-formed: Entity 'x' not defined",
    ),
    "undefined entity with a DTD": (
        submission(topic("<file>&x;</file>"), head="<!DOCTYPE inex-submission SYSTEM 'x.dtd'>\n"),
        "4: the XML is not well-formed: Entity 'x' not defined",
    ),
    "undefined entity in an attribute with a DTD": (
        submission(topic(A, topic_id="&x;"), head="<!DOCTYPE inex-submission SYSTEM 'x.dtd'>\n"),
        "3: the XML is not well-formed: Entity 'x' not defined",
    ),
    "internal entity": (
        submission(topic(A), head="<!DOCTYPE a [\n<!ENTITY x 'y'>]>"),
        f"2: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
    "external entity": (
        submission(topic("&x;"), head="<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/hostname'>]>"),
        f"1: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
    "parameter entity": (
        submission(topic(A), head="<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://localhost/'> %x;]>"),
        f"1: declaration of the parameter entity 'x': entity declarations are refused{REMEDY}",
    ),
    "unknown root": ("<topics/>", "1: expected the root <inex-submission>, found <topics>"),
    "a root with nothing before its colon": (
        "<:inex-submission/>",
        "1: expected the root <inex-submission>, found <:inex-submission>",
    ),
    "a topic as root": ("<topic topic-id='1'/>", "1: expected the root <inex-submission>, found <topic>"),
    "no run-id": (submission(topic(A), attributes=""), "1: <inex-submission> lacks the attribute run-id"),
    "no topic-id": (submission(f"<topic><result>{A}</result></topic>"), "2: <topic> lacks the attribute topic-id"),
    "no result": (submission("<topic topic-id='1'/>"), "4: no <result> in the whole run"),
    "no topic": (submission(f"<result>{A}</result>"), "2: <result> outside a <topic>"),
    "no file": (submission(topic("<path>/x</path>")), "3: <result> lacks <file>"),
    "empty file": (submission(topic("<file> </file><path>/x</path>")), "3: <result> lacks <file>"),
    "no path": (submission(topic(A, "<file>a</file>")), "4: <result> lacks <path>"),
    "bad path": (submission(topic("<file>a</file><path>x</path>")), f"3: path: expected {PATH}, found 'x'"),
    "two files": (submission(topic("<file>b</file>" + A)), "3: a second <file> in one <result>"),
    "rank is no integer": (submission(topic(A + "<rank>1.5</rank>")), "3: rank: expected an integer, found '1.5'"),
    "rsv is no number": (submission(topic(A + "<rsv>NaN</rsv>")), "3: rsv: expected a finite number, found 'NaN'"),
    "rank missing": (
        submission(topic(A + "<rank>1</rank>", B)),
        "4: <result> lacks <rank>, by which its topic is ranked",
    ),
    "rsv missing": (submission(topic(A + "<rsv>1</rsv>", B)), "4: <result> lacks <rsv>, by which its topic is ranked"),
    "element twice": (
        submission(topic(A, B, A)),
        "5: element '/x[1]' of document 'a' is listed twice in topic '1' (first on line 3)",
    ),
    "topic twice": (
        submission(topic(A) + "\n" + topic(B)),
        "4: topic '1' has a second block of results (its first began on line 2); join them in one <topic>",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD_XML.values(), ids=BAD_XML)
def test_bad_xml_is_named(write, problems_of, text, message):
    path = write(text)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:{message}"
    assert problems_of(read_run, path) == [message]


def test_explicit_ranking_needs_what_it_ranks_by(write, problems_of):
    path = write(submission(topic(A + "<rank>1</rank>", B)))
    message = "4: <result> lacks <rank>, by which its topic is ranked"
    assert problems_of(read_run, path, rank_by=RankBy.RANK) == [message]
    message = "3: <result> lacks <rsv>, by which its topic is ranked"
    assert problems_of(read_run, path, rank_by=RankBy.SCORE) == [message]
    assert problems_of(read_run, path, rank_by=RankBy.FILE) == []
