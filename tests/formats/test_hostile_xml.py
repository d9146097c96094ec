"""XML made to cost time or memory: many attributes, ids that are there twice, texts without end."""

import gzip

import pytest

from prum_eval.formats.reading import read_assessments, read_run
from prum_eval.text import xml
from tests.bounded import run_bounded

MANY = 150_000
"""Attributes that would take a minute, and for a topic all memory, if the cost grew with their square."""
ATTRIBUTES = " ".join(f'a{number}=""' for number in range(MANY))


@pytest.mark.parametrize("place", range(3))
def test_assessments_with_many_attributes(write, place):
    root, file, element = (ATTRIBUTES if place == number else "" for number in range(3))
    text = f'<assessments topic="7" {root}><file file="d" {file}><element path="/a" {element} \
exhaustivity="2" size="4" rsize="3"/></file></assessments>'
    topic = read_assessments(write(text, "a.xml")).topics["7"]
    assert (topic.documents, topic.paths) == (("d",), ("/a[1]",))
    assert (topic.exhaustivity.tolist(), topic.specificity.tolist()) == ([2], [0.75])


@pytest.mark.parametrize("place", range(3))
def test_a_run_with_many_attributes(write, place):
    root, topic, result = (ATTRIBUTES if place == number else "" for number in range(3))
    text = f'<inex-submission run-id="r" {root}><topic topic-id="7" {topic}><result {result}><file>d</file>\
<path>/a</path></result></topic></inex-submission>'
    run = read_run(write(text, "run.xml"))
    assert (run.topics, run.documents, run.paths) == (("7",), ("d",), ("/a[1]",))


def test_an_id_that_is_there_twice(write):
    text = '<inex-submission run-id="r"><topic topic-id="7" xml:id="x"><result xml:id="x"><file>d</file><path>/a</path>\
</result></topic></inex-submission>'
    assert read_run(write(text, "run.xml")).documents == ("d",)
    for form in ('<file name="d" xml:id="x">', '<file file="d" xml:id="x">'):  # of both readers
        text = f'<assessments topic="7" xml:id="x">{form}<element path="/a" exhaustivity="1" size="1" rsize="1"/>\
</file></assessments>'
        assert read_assessments(write(text, "a.xml")).topics["7"].documents == ("d",)


RUN = '<inex-submission run-id="r">\n<topic topic-id="7"><result><file>{}</file><path>/a</path></result></topic>\
</inex-submission>'
LONG = 1000


@pytest.mark.parametrize(
    "text", ["x" * LONG, "<![CDATA[" + "<" * LONG + "]]>", "<!-- " + "<" * LONG + " -->", "<?a " + "x" * LONG + "?>",
             "<a b='" + "x" * LONG + "'/>"],
)  # fmt: skip
def test_a_text_that_is_too_long(write, problems_of, monkeypatch, text):
    monkeypatch.setattr(xml, "_CHUNK", 128)
    monkeypatch.setattr(xml, "MAX_XML_TEXT_BYTES", LONG - 200)
    assert problems_of(read_run, write(RUN.format(text), "run.xml")) == ["2: a text or a tag longer than 800 bytes"]
    monkeypatch.setattr(xml, "MAX_XML_TEXT_BYTES", LONG + 200)
    assert problems_of(read_run, write(RUN.format(f"d{text}"), "run.xml")) == []


def test_a_topic_that_is_too_large(write, problems_of, monkeypatch):
    monkeypatch.setattr(xml, "_CHUNK", 128)
    monkeypatch.setattr(xml, "MAX_TREE_BYTES", 2 << 20)
    reason = "a <topic>, or what precedes it, takes more than 2 MiB of memory"
    assert problems_of(read_run, write(RUN.format("<a/>" * 20_000), "run.xml")) == [f"2: {reason}"]
    assert problems_of(read_run, write(RUN.format("<a/>" * 10_000 + "d"), "run.xml")) == []
    many = "".join(f'<topic topic-id="{number}"><result><file>d</file><path>/a</path></result></topic>'
                   for number in range(10_000))  # fmt: skip
    text = f'<inex-submission run-id="r">{many}</inex-submission>'
    assert problems_of(read_run, write(text, "run.xml")) == []


@pytest.mark.parametrize(
    ("part", "reason"),
    [("x" * 1024, "a text or a tag longer than 16777216 bytes"),
     ("<a/>" * 256, "a <topic>, or what precedes it, takes more than 400 MiB of memory")],
)  # fmt: skip
def test_memory(tmp_path, part, reason):
    """Of a small file that unpacks to 128 MiB."""
    before, after = RUN.format("\0").encode().split(b"\0")
    path = tmp_path / "run.xml.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(before)
        for _ in range(128):
            file.write(part.encode() * 1024)
        file.write(after)
    output = run_bounded(["check", str(path)], 600)
    assert (output.status, output.out, output.err.splitlines()[0]) == (1, "", f"{path}:2: {reason}")
