"""Bad assessments: every message in full."""

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_assessments
from prum_eval.text.streams import read_all_bytes
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY

PATH = "an element path such as /article[1]/sec[2]"
POINTER = "an element path or a point such as /article[1]/p[2]/text()[1].7"

BAD_LINES = {
    "empty": ("", "1: the file is empty"),
    "nothing but blank lines": ("\n\n", "1: the file is empty"),
    "three columns": ("1 0 a\n", "1: expected 4 columns (TREC) or 5 and more (INEX), found 3"),
    "qrels, then passages": ("1 0 a 1\n1 Q0 b 1 2\n", "2: expected 4 columns as in the lines before, found 5"),
    "passages, then qrels": ("1 Q0 b 1 2\n1 0 a 1\n", "2: expected 5 or more columns as in the lines before, found 4"),
    "blank line": ("1 0 a 1\n\n1 0 b 1\n", "2: a blank line, expected an assessment"),
    "relevance is no integer": ("1 0 a 1.0\n", "1: relevance: expected an integer, found '1.0'"),
    "relevance with underscore": ("1 0 a 1_0\n", "1: relevance: expected an integer, found '1_0'"),
    "relevance of 10,000 digits": (
        f"1 0 a {'1' * 10_000}\n",
        f"1: relevance: expected an integer, found '{'1' * 80}...'",
    ),
    "document twice": (
        "1 0 a 1\n2 0 a 1\n1 0 a 0\n",
        "3: document 'a' is judged twice in topic '1' (first on line 1)",
    ),
    "document of passages twice": (
        "1 Q0 a 1 9\n1 Q0 a 1 9\n",
        "2: document 'a' is judged twice in topic '1' (first on line 1)",
    ),
    "relevant characters": ("1 Q0 a -1 9\n", "1: relevant characters: expected an integer, 0 or more, found '-1'"),
    "document length": ("1 Q0 a 1 x\n", "1: document length: expected an integer, 0 or more, found 'x'"),
    "more than the document": (
        "1 Q0 a 10 9\n",
        "1: relevant characters: expected at most the document length 9, found '10'",
    ),
    "best entry point": ("1 Q0 a 1 9 x 0:1\n", "1: best entry point: expected an offset, or -1 for none, found 'x'"),
    "negative entry point": (
        "1 Q0 a 1 9 -2 0:1\n",
        "1: best entry point: expected an offset, or -1 for none, found '-2'",
    ),
    "no passage": ("1 Q0 a 1 9 0 0:1 5\n", "1: passage: expected offset:length, both 0 or more, found '5'"),
    "passage of three": ("1 Q0 a 1 9 0 0:1:2\n", "1: passage: expected offset:length, both 0 or more, found '0:1:2'"),
    "negative passage": ("1 Q0 a 1 9 0 3:-1\n", "1: passage: expected offset:length, both 0 or more, found '3:-1'"),
    "document beyond all": (
        "1 Q0 a 1 1099511627777\n",
        "1: document length: expected at most 1099511627776, found '1099511627777'",
    ),
    "entry point beyond all": (
        "1 Q0 a 1 9 1099511627777 0:1\n",
        "1: best entry point: expected at most 1099511627776, found '1099511627777'",
    ),
    "passage overflows": (
        "1 Q0 a 1 9 0 1099511627776:1\n",
        "1: passage '1099511627776:1' ends past the largest offset, 1099511627776",
    ),
    "document is not UTF-8": (b"1 0 \xff 1\n", r"1: document: expected UTF-8 text, found '\xff'"),
}


def xml(body, attributes="topic='7'"):
    return f"<assessments {attributes}>\n{body}\n</assessments>"


def judged(element):
    return xml(f"<file name='a'>\n{element}</file>")


ELEMENT = "<element path='/a' exhaustivity='2' size='9' rsize='3'/>"

BAD_XML = {
    "cut off": ("<assessments topic='7'>\n<file name='a'>", "2: the XML is cut off: the file ends inside an element"),
    "unknown root": ("<submission/>", "1: expected the root <assessments>, found <submission>"),
    "no topic": (xml("<file name='a'/>", ""), "1: <assessments> lacks the attribute topic"),
    "no name": (xml("<file collection='x'/>"), "2: <file> lacks the attribute name (or file)"),
    "document twice": (
        xml("<file name='a'/>\n<file file='a'>" + ELEMENT + "</file>"),
        "3: document 'a' is judged twice (first on line 2)",
    ),
    "element twice": (judged(ELEMENT + "\n" + ELEMENT), "4: element '/a[1]' is judged twice (first on line 3)"),
    "no path": (judged("<element exhaustivity='2' size='9' rsize='3'/>"), "3: <element> lacks the attribute path"),
    "bad path": (judged("<element path='a'/>"), f"3: path: expected {PATH}, found 'a'"),
    "no exhaustivity": (
        judged("<element path='/a' size='9' rsize='3'/>"),
        "3: <element> lacks the attribute exhaustivity",
    ),
    "bad exhaustivity": (
        judged("<element path='/a' exhaustivity='3' size='9' rsize='3'/>"),
        "3: exhaustivity: expected 0, 1, 2 or ?, found '3'",
    ),
    "bad size": (
        judged("<element path='/a' exhaustivity='2' size='-9' rsize='3'/>"),
        "3: size: expected an integer, 0 or more, found '-9'",
    ),
    "rsize above size": (
        judged("<element path='/a' exhaustivity='2' size='9' rsize='10'/>"),
        "3: rsize: expected at most the size 9, found '10'",
    ),
    "bad relevance": (
        judged("<path path='/a' relevance='4' coverage='E'/>"),
        "3: relevance: expected 0, 1, 2 or 3, found '4'",
    ),
    "bad coverage": (
        judged("<path path='/a' relevance='3' coverage='X'/>"),
        "3: coverage: expected E, S, L or N, found 'X'",
    ),
    "no coverage": (judged("<path path='/a' relevance='3'/>"), "3: <path> lacks the attribute coverage"),
    "bad specificity": (
        judged("<path path='/a' specificity='1.5'/>"),
        "3: specificity: expected 0, 1, 2, 3 or U, found '1.5'",
    ),
    "two kinds": (
        judged(ELEMENT + "\n<path path='/b' relevance='3' coverage='E'/>"),
        (
            "4: an assessment of the kind 'elements, 2002' among assessments of the kind 'elements, 2005-2007' "
            "(as on line 3)"
        ),
    ),
    "passage without end": (judged("<passage start='/a' size='1'/>"), "3: <passage> lacks the attribute end"),
    "bad pointer": (
        judged("<passage start='/a/text()[0].1' end='/a' size='1'/>"),
        f"3: start: expected {POINTER}, found '/a/text()[0].1'",
    ),
    "bad passage size": (
        judged("<passage start='/a' end='/a' size='x'/>"),
        "3: size: expected an integer, 0 or more, found 'x'",
    ),
    "bad entry point": (judged("<best-entry-point path='x'/>"), f"3: path: expected {POINTER}, found 'x'"),
    "entity": (
        "<!DOCTYPE a [<!ENTITY x 'y'>]>" + judged(ELEMENT),
        f"1: declaration of the entity 'x': entity declarations are refused{REMEDY}",
    ),
}


BAD_XML |= {
    "undefined entity": (
        judged(ELEMENT.replace("/a", "/&x;")),
        "3: the XML is not well-formed: Entity 'x' not defined",
    ),
    "UTF-16 after blanks": ((" " + judged(ELEMENT)).encode("utf-16-be"), "1: the text is UTF-16, expected UTF-8"),
}


@pytest.mark.parametrize(("text", "message"), [*BAD_LINES.values(), *BAD_XML.values()], ids=[*BAD_LINES, *BAD_XML])
def test_bad_input_is_named(write, problems_of, text, message):
    path = write(text)
    with pytest.raises(InputError) as error:
        read_assessments(path)
    assert str(error.value) == f"{path}:{message}"
    assert problems_of(read_assessments, path) == [message]


def test_all_problems_are_found_and_the_rest_is_read(write, problems_of):
    path = write("1 Q0 a 1 9 0 0:1 1:x\n1 Q0 b 1 9\n\n1 Q0 b 1 9\n1 Q0 c 2 9 0 3:2\n1 Q0 d 2\n\n")
    assert problems_of(read_assessments, path) == [
        "1: passage: expected offset:length, both 0 or more, found '1:x'",
        "3: a blank line, expected an assessment",
        "6: expected 5 or more columns as in the lines before, found 4",
        "4: document 'b' is judged twice in topic '1' (first on line 2)",
    ]
    topic = read_assessments(path, problems=lambda _: None).topics["1"]
    assert topic.documents == ("b", "c")
    assert topic.start.tolist() == [3]


def test_defaults_of_attributes_are_ignored(write):
    head = "<!DOCTYPE assessments [<!ATTLIST element exhaustivity CDATA '2'>]>\n"
    path = write(head + judged("<element path='/a' size='9' rsize='3'/>"))
    with pytest.raises(InputError) as error:
        read_assessments(path)
    assert str(error.value) == f"{path}:4: <element> lacks the attribute exhaustivity"


def test_directory_without_assessments(write, tmp_path):
    write("1 0 a 1\n", "qrels.txt")
    with pytest.raises(InputError) as error:
        read_assessments(str(tmp_path))
    assert str(error.value) == f"{tmp_path}: a directory without assessments (*.xml)"


def test_topic_in_two_files(write):
    first, second = write(xml("<file name='a'/>"), "1"), write(xml("<file name='b'/>"), "2")
    with pytest.raises(InputError) as error:
        read_assessments([first, second])
    reason = f"topic '7' is judged in {first} too, and no directory main says which counts"
    assert str(error.value) == f"{second}:1: {reason}"


def test_two_kinds_in_two_files(write):
    first, second = write(xml(f"<file name='a'>{ELEMENT}</file>"), "1"), write("1 0 a 1\n", "2")
    with pytest.raises(InputError) as error:
        read_assessments([first, second])
    reason = f"assessments of the kind 'documents', those of {first} are 'elements, 2005-2007'"
    assert str(error.value) == f"{second}:1: {reason}"


def test_assessments_in_xml_that_are_too_large_to_be_read_whole(write, monkeypatch):
    monkeypatch.setattr(read_all_bytes, "__defaults__", (1000,))
    path = write(f'<assessments topic="1">{" " * 1000}</assessments>')
    with pytest.raises(InputError) as error:
        read_assessments(path)
    assert str(error.value) == f"{path}: more than 1000 bytes, the limit for such a file"
