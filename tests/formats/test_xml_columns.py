"""Inputs in XML that are read by columns are read as element by element, and what is bad in them is said in full."""

import dataclasses
import io
import sys
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.formats import assessments_xml
from prum_eval.formats import run_xml as runs_xml
from prum_eval.formats import structure_xml as structures_xml
from prum_eval.formats.reading import read_assessments, read_run, read_structure

NUMBERS = st.sampled_from(["1", "2", "3", "10", " 7 ", "\n4\n", "-1", "1.5", "x", "", "1e2"])
GOOD = st.sampled_from(["1", "2", "3", "4"])
PATHS = st.sampled_from(["/a[1]", "/a", "/a[1]/b[2]", "/a[1]/b[3]", "/a[1]/c[1]", " /a[1]/d[1] ", "a", ""])
GOOD_PATHS = st.sampled_from(["/a[1]", "/a", "/a[1]/b[2]", "/a[1]/b[3]", "/a[1]/c[1]"])
ODD = st.sampled_from(["<x/>", "x", "<!-- <result> -->", "<p:result xmlns:p='u'/>", "\n"])


def mostly(good, other):
    """Good ones nearly always, so that columns are read."""
    return st.integers(0, 15).flatmap(lambda number: good if number else other)


def joined(children, most=5):
    return st.lists(children, max_size=most).map("\n".join)


def one(tag, *fields, within=None):
    """A tag with attributes, each a strategy, and what is in it."""
    return st.builds(
        lambda inner, *values: f"<{tag} {' '.join(value for value in values if value)}>{inner}</{tag}>",
        within if within is not None else st.just(""),
        *(mostly(values.map(f"{name}='{{}}'".format), st.just("")) for name, values in fields),
    )


def field(tag, values):
    return values.map(f"<{tag}>{{}}</{tag}>".format)


RESULTS = st.tuples(
    mostly(field("file", st.sampled_from(["d", "e", " d "])), st.just("<file> </file>")),
    mostly(field("path", mostly(GOOD_PATHS, PATHS)), st.just("")),
    mostly(field("rank", mostly(GOOD, NUMBERS)), st.just("")),
    mostly(field("rsv", mostly(GOOD, NUMBERS)), st.just("<file>f</file>")),
).map(lambda fields: f"<result>{''.join(fields)}</result>")
TOPICS = one("topic", ("topic-id", st.sampled_from("12")), within=joined(mostly(RESULTS, ODD)))
RUNS = one("inex-submission", ("run-id", st.just("r")), within=joined(mostly(TOPICS, st.one_of(ODD, RESULTS)), 3))

POINTS = mostly(st.one_of(GOOD_PATHS, st.just("/a[1]/text()[1].3")), PATHS)
ELEMENTS = one(
    "element", ("path", mostly(GOOD_PATHS, PATHS)), ("exhaustivity", mostly(st.sampled_from("012?"), st.just("3"))),
    ("size", mostly(st.just("9"), NUMBERS)), ("rsize", mostly(GOOD, NUMBERS)),
)  # fmt: skip
MARKS = st.one_of(
    ELEMENTS, one("passage", ("start", POINTS), ("end", POINTS), ("size", mostly(GOOD, NUMBERS))),
    one("best-entry-point", ("path", POINTS)),
)  # fmt: skip
OLD = one("path", ("path", GOOD_PATHS), ("relevance", GOOD), ("coverage", st.sampled_from("ESL")))
FILES = one("file", ("name", st.sampled_from("defg")), within=joined(mostly(MARKS, st.one_of(ODD, OLD, MARKS))))
ASSESSMENTS = one("assessments", ("topic", st.just("7")), within=joined(mostly(FILES, st.one_of(ODD, MARKS)), 4))

STRUCTURE_ELEMENTS = st.recursive(
    st.just("<element tag='p' start='2' length='1'/>"),
    lambda children: one(
        "element", ("tag", mostly(st.sampled_from("pq"), st.just("0"))),
        ("start", mostly(st.sampled_from(["0", "2"]), NUMBERS)), ("length", mostly(st.just("9"), NUMBERS)),
        within=joined(mostly(children, ODD), 3),
    ),
    max_leaves=6,
)  # fmt: skip
LINKS = one("link", ("path", GOOD_PATHS), ("to", st.sampled_from("de")))
DOCUMENTS = one("document", ("id", st.sampled_from("def")), within=st.tuples(
    mostly(STRUCTURE_ELEMENTS, st.just("")), mostly(st.just(""), st.one_of(LINKS, ODD, STRUCTURE_ELEMENTS)),
).map("".join))  # fmt: skip
STRUCTURES = one("collection", ("unit", st.just("character")), within=joined(mostly(DOCUMENTS, ODD), 4))

READERS = {
    "run": (read_run, RUNS, runs_xml, "read_plain_results"),
    "assessments": (read_assessments, ASSESSMENTS, assessments_xml, "read_plain_assessments"),
    "structure": (read_structure, STRUCTURES, structures_xml, "read_plain_document"),
}


def flat(value):
    """A record as lists that can be compared."""
    if dataclasses.is_dataclass(value):
        return [flat(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, np.ndarray):
        return [value.dtype.str, *map(repr, value.tolist())]
    if isinstance(value, Mapping):
        return [(key, flat(one)) for key, one in value.items()]
    return [flat(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)
@given(data=st.data())
def test_by_columns_is_element_by_element(name, data):
    read, documents, module, by_columns = READERS[name]
    text = data.draw(documents)
    found = []
    for slowly in (False, True):
        problems = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            if slowly:
                patch.setattr(module, by_columns, lambda *_: None)
            record = read("-", problems=lambda problem, into=problems: into.append(str(problem)))
        found.append((flat(record) if not problems else None, problems))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", READERS)
def test_plain_inputs_are_read_by_columns(name, monkeypatch, write):
    read, _, module, by_columns = READERS[name]
    plain = {
        "run": "<inex-submission run-id='r'><topic topic-id='1'><result><file>a</file><path>/x</path></result></topic>"
        "</inex-submission>",
        "assessments": "<assessments topic='7'><!-- x --><file name='a'><element path='/a' exhaustivity='2' size='9' "
        "rsize='3'/></file></assessments>",
        "structure": "<collection><document id='a'><element tag='x' start='0' length='9'/></document></collection>",
    }[name]
    found = []
    columns = getattr(module, by_columns)
    monkeypatch.setattr(module, by_columns, lambda *given: found.append(columns(*given)) or found[-1])
    read(write(plain))
    assert found != []
    assert None not in found
