"""XML made to cost time or memory: many attributes, ids that are there twice, texts without end."""

import pytest

from prum_eval.formats.reading import read_assessments, read_run

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
