"""Places of a log in the collection: spellings, extents of elements, what is not there; and the remarks on them."""

from __future__ import annotations

import pytest

from prum_eval.evaluation.inputs import read_inputs
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.fit_estimates import collect_readings
from prum_eval.experiments.fit_log import Remark, Remarks, collect_pairs, collect_visits, collect_walks, locate_places
from prum_eval.formats.reading import read_log
from prum_eval.records import LoggedPlace
from tests.gold import ROOT

STRUCTURE = """\
d	/a[1]	0	100
d	/a[1]/b[1]	0	100
d	/a[1]/b[1]/c[1]	10	30
d	/a[1]/b[1]/c[2]	50	20
e	/a[1]	0	40
"""
ASSESSED = """\
<assessments topic="1"><file collection="" file="d"><passage start="/a[1]/b[1]/c[1]" end="/a[1]/b[1]/c[2]" size="1"/>
<best-entry-point path="/a[1]/b[1]"/><element path="/a[1]/b[1]" exhaustivity="2" size="100" rsize="100"/>
<element path="/a[1]/b[1]/c[1]" exhaustivity="2" size="30" rsize="0"/>
</file></assessments>
"""


@pytest.fixture
def made(write):
    def made(text, *, structure=True, graph=False):
        structure_path = write(STRUCTURE, "structure.tsv") if structure else None
        inputs = read_inputs(write(ASSESSED, "assessments.xml"), structure_path, also={"d", "e"})
        log, remarks = read_log(write(text, "log")), Remarks()
        places = locate_places(log, make_list_locator(inputs, "relevant", "gen"), graph=graph)
        visits = collect_visits(log, places, remarks)
        return inputs, places, visits, remarks

    return made


def told(remarks):
    return {one.remark: one.lines for one in remarks.reports()}


def test_one_element_has_many_spellings(made):
    _, places, visits, remarks = made(
        "s\t1\t1\td\td.xml#/a/b\ns2\t1\t1\td#/a[1]\td@0:100\ns3\t1\t1\td.xml#/A[1]\td#/a/B\n"
    )
    pairs = collect_pairs(visits, remarks, everywhere=False)
    assert pairs.viewed.tolist() == [True, True, True]
    assert told(remarks) == {Remark.NO_TARGET: (1, 2, 3)}
    assert len(places["1"].number) == 6


def test_what_has_the_extent_of_a_target_shows_it(made):
    """d@0:100 is the outermost element of that extent, the article; the target is the body in it."""
    _, places, _, _ = made("s\t1\t1\td#/a[1]/b[1]/c[2]\td@0:100\n")
    one = places["1"]
    number = one.number[LoggedPlace("d", "", 0, 100)]
    assert (one.identical_targets[number], one.shown_targets[number]) == ((), (0,))


def test_what_is_not_there(made):
    _, _, visits, remarks = made("s\t1\t1\td#/a[1]/x[1]\tq\ns\t1\t2\tq@0:4\td#/a[1]/y[2]\ns\t1\t3\te\td\n")
    collect_pairs(visits, remarks, everywhere=False)
    assert told(remarks) == {
        Remark.UNKNOWN_RESULT: (2,),
        Remark.MISSING_RESULT: (1,),
        Remark.NO_TARGET: (3,),
        Remark.UNKNOWN_VIEW: (1,),
        Remark.STRAY_VIEW: (2,),
        Remark.OUTSIDE_VIEW: (3,),
    }


def test_without_a_structure_unjudged_elements_have_no_extent(made):
    _, _, visits, remarks = made("s\t1\t1\td#/a[1]/b[1]/c[2]\n", structure=False)
    collect_pairs(visits, remarks, everywhere=False)
    assert [one.text for one in remarks.reports()] == [
        "1 result is not in the assessments, so of unknown extent (line 1)"
    ]


def test_readings_are_cut_off_at_the_end_of_the_document(made):
    inputs, _, visits, remarks = made(
        "s\t1\t1\td#/a[1]/b[1]/c[2]\tread=50\n"
        "s\t1\t2\td#/a[1]/b[1]/c[1]\tread=50\n"
        "s\t1\t3\tq@0:9\tread=5\n"
        "s\t1\t4\te\tread=40\n"
    )
    readings = collect_readings(visits, inputs.lengths, remarks)
    assert (readings.read.tolist(), readings.stopped.tolist()) == ([50, 50, 40], [False, True, False])
    assert told(remarks)[Remark.LOST_READING] == (3,)


def test_readings_past_the_end_of_a_document_are_cut_off_there(made):
    inputs, _, visits, remarks = made("s\t1\t1\td#/a[1]/b[1]/c[2]\tread=51\ns\t1\t2\te\tread=99999999\n")
    readings = collect_readings(visits, inputs.lengths, remarks)
    assert (readings.read.tolist(), readings.stopped.tolist()) == ([50, 40], [False, False])
    assert told(remarks)[Remark.LONG_READING] == (1, 2)
    assert remarks.reports()[-1].text == (
        "2 readings are past the ends of their documents, and cut off there (lines 1 and 2)"
    )


def test_a_document_of_unknown_length(write):
    inputs = read_inputs(write('{"topic": "1", "doc": "a", "start": 5, "end": 9}\n', "gold.jsonl"))
    log, remarks = read_log(write("s\t1\t1\ta@0:4\tread=30\n", "log")), Remarks()
    visits = collect_visits(log, locate_places(log, make_list_locator(inputs, None, "gen"), graph=False), remarks)
    assert collect_readings(visits, inputs.lengths, remarks).stopped.tolist() == [True]
    assert [one.text for one in remarks.reports()] == [
        "1 reading is of a document of unknown length, and counts as stopped (line 1)"
    ]


def test_places_that_are_no_nodes(made):
    _, _, visits, remarks = made("s\t1\t1\td\td@3:4\td#/a[1]/b[1]/c[1]\tstop=1\n", graph=True)
    file = collect_walks(visits, remarks).navigation()
    assert (file.source, file.target) == (("d",), ("d#/a[1]/b[1]/c[1]",))
    assert [one.text for one in remarks.reports()] == ["1 place is no node of a graph (line 1)"]


def test_every_remark_is_said_of_one_and_of_many():
    for remark in Remark:
        remarks = Remarks()
        remarks.add(remark, 4)
        (one,) = remarks.reports()
        assert one.text == f"1 {remark.value[0]} (line 4)"
        remarks.add(remark, 2, 2)
        (many,) = remarks.reports()
        assert many.text == f"3 {remark.value[1]} (lines 2 and 4)"


def test_the_fixture_is_what_its_page_says():
    log = read_log(ROOT / "fixtures/fit/log.tsv")
    assert len({one.session for one in log.lines}) == 150
